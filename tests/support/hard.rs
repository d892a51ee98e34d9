//! What the tests of hard scripts share: the scripts, random moments, the memory that a process took.

use std::path::{Path, PathBuf};

use super::{findings, say};

/// Random numbers from a seed that is told, so that what went wrong can be seen again.
pub struct Random(u64);

impl Random {
    /// From the seed that `ORBITSCOPE_SEED` gives, or one of now.
    pub fn seeded(test: &str) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(1, |time| time.as_nanos() as u64 % 1_000_000);
        let seed = number("ORBITSCOPE_SEED").map_or(now, u64::from);
        say(&format!("{test}: ORBITSCOPE_SEED={seed}"));
        Self(seed)
    }

    /// A number from 0 to 1.
    pub fn part(&mut self) -> f64 {
        for _ in 0..2 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
        }
        f64::from((self.0 >> 40) as u32) / f64::from(1u32 << 24)
    }
}

/// A number that is set in the environment.
pub fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok()?.parse().ok()
}

/// All scripts that were found to be hard, in order; none if they are not beside the checkout. The names
/// that `ORBITSCOPE_SCRIPTS` lists, if it is set.
pub fn hard_scripts(test: &str) -> Vec<PathBuf> {
    let Some(folder) = findings(test) else {
        return Vec::new();
    };
    let wanted = std::env::var("ORBITSCOPE_SCRIPTS").ok();
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut scripts: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    scripts.retain(|path| {
        let is_wanted = |all: &String| all.split(',').any(|one| name(path).starts_with(one));
        path.extension().is_some_and(|e| e == "csp") && wanted.as_ref().is_none_or(is_wanted)
    });
    scripts.sort();
    scripts
}

/// The name of a script without its folder.
pub fn name(script: &Path) -> String {
    let name = script.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The most bytes that a process has had in main memory.
pub fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Whether something was kept, for a table.
pub fn kept(broken: usize) -> String {
    match broken {
        0 => "kept".to_owned(),
        n => format!("{n} NOT KEPT"),
    }
}
