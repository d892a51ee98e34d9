//! Whether looking for symmetry pays: processor times of checks with default settings and with `--no-symmetry`, in
//! turn. Told are those that take more than twice as long and a tenth of a second, and the worst of all.
//!
//! `cargo bench --bench looking` takes processes side by side, of all numbers from 2 to 400, that end, that go on for
//! ever, and that synchronise; `cargo bench --bench looking -- FILE…` takes each assertion of scripts that ends within ten
//! seconds.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Hundredths of a second of processor time that programs took that this one has run; where the system does not tell,
/// nothing.
fn ticks() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses, and may be anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(number(13)? + number(14)?)
}

/// Seconds of processor time of one check, and what came of it.
fn check(path: &Path, number: usize, more: &[&str]) -> (f64, String) {
    let before = ticks();
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command.args(["check", "--format", "json", "--quiet", "--timeout", "10s"]);
    command.args(["--workers", "1", "-a", &number.to_string()]);
    let output = command.args(more).arg(path).stderr(Stdio::null()).output();
    let output = output.expect("the program runs");
    let took = ticks().zip(before).map(|(now, then)| now - then);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let status = report["checks"][0]["status"].as_str().unwrap_or("none");
    (took.unwrap_or(0) as f64 / 100.0, status.to_owned())
}

/// How many assertions a script has.
fn assertions(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| line.starts_with("assert ")).count()
}

#[derive(Default)]
struct Tally {
    checks: usize,
    broken: usize,
    /// Seconds more than twice what it takes without.
    worst: Option<(f64, String)>,
}

impl Tally {
    fn compare(&mut self, name: &str, path: &Path, number: usize) {
        let (plain, status) = check(path, number, &["--no-symmetry"]);
        if !matches!(status.as_str(), "pass" | "fail") {
            return;
        }
        let (looked, other) = check(path, number, &[]);
        let over = looked - 2.0 * plain;
        self.checks += 1;
        if over > 0.1 || other != status {
            self.broken += 1;
            let line =
                format!("{name} {number}: {looked:.2} s, without {plain:.2} s ({other}, {status})");
            let _ = writeln!(std::io::stdout(), "{line}");
        }
        if self.worst.as_ref().is_none_or(|worst| worst.0 < over) {
            self.worst = Some((over, format!("{name} {number}")));
        }
    }
}

/// Processes side by side in three ways, so many of them.
fn side_by_side(n: usize) -> String {
    format!(
        "channel a, b : {{1..{n}}}\nchannel g\n\
         P = ||| i:{{1..{n}}} @ a.i -> STOP\nassert STOP [T= P\n\
         C(i) = a.i -> C(i)\nL = ||| i:{{1..{n}}} @ C(i)\nassert RUN({{|a|}}) [T= L\n\
         D(i) = a.i -> g -> D(i)\nS = [|{{g}}|] i:{{1..{n}}} @ D(i)\nassert RUN({{|a|}}) [T= S\n"
    )
}

fn main() {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let files: Vec<&PathBuf> = files.iter().filter(|file| file.is_file()).collect();
    let mut tally = Tally::default();
    for file in &files {
        for number in 1..=assertions(file) {
            tally.compare(&file.display().to_string(), file, number);
        }
    }
    if files.is_empty() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("side_by_side.csp");
        for n in 2..=400 {
            std::fs::write(&path, side_by_side(n)).expect("the script can be written");
            for number in 1..=3 {
                tally.compare(&format!("{n} processes"), &path, number);
            }
        }
    }
    let worst = tally.worst.map_or_else(String::new, |(over, name)| {
        format!("; {over:.2} s more than twice as long at worst, {name}")
    });
    let Tally { checks, broken, .. } = tally;
    let line =
        format!("{checks} checks, {broken} that take more than twice as long and 0.1 s{worst}");
    let _ = writeln!(std::io::stdout(), "{line}");
}
