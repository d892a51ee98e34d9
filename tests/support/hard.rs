//! What the tests of hard scripts share: the scripts, random moments, the memory that a process took.

use std::path::{Path, PathBuf};

use super::{findings, say, script};

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

/// Scripts of kinds that are hard, made here: values that share their parts, pictures that are cut, states that are
/// deep, and very many components.
fn made() -> Vec<PathBuf> {
    let doubling: String = (0..40)
        .map(|n| format!("f{n}(x) = f{}((x, x))\n", n + 1))
        .collect();
    let doubling = doubling + "f40(x) = x\n";
    let deep = "channel c\nR(n) = c -> R(n + 1)\nS(n, v) = c -> S(n + 1, (n, v))\nP = S(0, 0)\n\
        assert P :[deadlock free]\nassert R(0) [T= P\n";
    let edges = "datatype T = T0 | T1 | T2 | T3 | T4 | T5 | T6 | T7 | T8 | T9 | T10 | T11\n\
        datatype N = N0 | N1 | N2 | N3 | N4 | N5 | N6 | N7 | N8 | N9\n\
        channel a : T.N\nchannel b : T.N.N\n\
        C(t, x, y) = a.t?z -> C(t, z, x) [] b.t.x.y -> C(t, y, x)\n\
        P = ||| t:T @ [] x:N @ a.t.x -> C(t, x, x)\nassert RUN({|a, b|}) [T= P\n";
    let scripts = [
        (
            "hard_printed.csp",
            format!("{doubling}channel a\nP = a -> P\nprint f0(1)\nassert P :[deadlock free]\n"),
        ),
        (
            "hard_state.csp",
            format!("{doubling}channel a\nQ(v) = a -> Q(v)\nP = Q(f0(1))\nassert STOP [T= P\n"),
        ),
        ("hard_deep.csp", deep.to_owned()),
        ("hard_edges.csp", edges.to_owned()),
        (
            "hard_interleaved.csp",
            "channel a : {1..400}\nP = ||| i:{1..400} @ a.i -> STOP\nassert STOP [T= P\n"
                .to_owned(),
        ),
    ];
    scripts.map(|(name, text)| script(name, text)).into()
}

/// All scripts that were found to be hard, in order; those of kinds that are made here, where they are not beside the
/// checkout. The names that `ORBITSCOPE_SCRIPTS` lists, if it is set.
pub fn hard_scripts(test: &str) -> Vec<PathBuf> {
    let wanted = std::env::var("ORBITSCOPE_SCRIPTS").ok();
    let mut scripts = made();
    if let Some(folder) = findings(test) {
        let entries = std::fs::read_dir(folder).expect("a folder");
        scripts.extend(entries.flatten().map(|e| e.path()));
    }
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
