//! The list stack by the program and by a search that was coded by hand for it, in turn: nanoseconds a transition, from
//! the start to the end. `cargo bench --bench by_hand`; with `-- --spin`, Spin on the same model as well, if it and a C
//! compiler are installed.

#[path = "by_hand/mod.rs"]
mod coded;
mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use coded::{Found, search};
use serde_json::Value;
use support::{Size, script};

/// How often each of them runs.
const RUNS: usize = 5;
/// Size, and whether it is reduced.
const STACKS: [(Size, bool); 6] = [
    (Size(5, 3, 2), false),
    (Size(6, 3, 4), true),
    (Size(8, 4, 2), true),
    (Size(10, 4, 2), true),
    (Size(12, 4, 2), true),
    (Size(8, 4, 4), true),
];

/// What the program finds, and in how many seconds: without what the operating system takes to start it.
fn by_program(path: &Path, reduced: bool) -> (Found, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command.args(["check", "--format", "json", "--quiet"]);
    command.args(["-a", "1", "--workers", "1"]);
    if !reduced {
        command.arg("--no-symmetry");
    }
    let output = command.arg(path).output().expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("it prints a report");
    let stats = &report["checks"][0]["stats"];
    let number = |key: &str| stats[key].as_f64().expect("it is counted");
    let found = Found {
        states: number("states") as usize,
        transitions: number("transitions") as u64,
    };
    (found, number("seconds"))
}

fn by_hand(size: Size, reduced: bool) -> (Found, f64) {
    let start = Instant::now();
    let found = search((size.0, size.1, size.2), reduced).expect("it was coded for this size");
    (found, start.elapsed().as_secs_f64())
}

/// Spin's checker for the model beside this file, compiled; none if that fails.
fn spin(folder: &Path) -> Option<PathBuf> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/list_stack.pml");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        let status = command.args(args).current_dir(folder).status();
        status.is_ok_and(|status| status.success())
    };
    let flags = ["-O3", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000"];
    let compiled = run("spin", &["-a", model.to_str()?])
        && run("gcc", &[&flags[..], &["-o", "pan", "pan.c"]].concat());
    compiled.then(|| folder.join("pan"))
}

fn by_spin(checker: &Path) -> f64 {
    let start = Instant::now();
    // States without successors are allowed; the search goes as deep as it has to.
    let output = Command::new(checker)
        .args(["-E", "-n", "-m10000000", "-w24"])
        .output();
    let seconds = start.elapsed().as_secs_f64();
    let text = output.expect("it runs").stdout;
    assert!(String::from_utf8_lossy(&text).contains("errors: 0"));
    seconds
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn main() {
    let out = &mut std::io::stdout();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let checker = std::env::args()
        .any(|arg| arg == "--spin")
        .then(|| spin(folder))
        .flatten();
    let _ = writeln!(
        out,
        "{:<9} {:<9} {:>9} {:>11} {:>8} {:>8} {:>6}",
        "size", "", "states", "transitions", "program", "by hand", "ratio"
    );
    for (size, reduced) in STACKS {
        let path = folder.join("by_hand.csp");
        std::fs::write(&path, script(size)).expect("the folder is writable");
        let (mut ours, mut coded, mut spun) = (Vec::new(), Vec::new(), Vec::new());
        let mut counts = Vec::new();
        for _ in 0..RUNS {
            let program = by_program(&path, reduced);
            let hand = by_hand(size, reduced);
            counts.extend([program.0, hand.0]);
            ours.push(program.1);
            coded.push(hand.1);
            if let (Some(checker), false) = (&checker, reduced) {
                spun.push(by_spin(checker));
            }
        }
        assert!(counts.iter().all(|found| *found == counts[0]), "{counts:?}");
        let Found {
            states,
            transitions,
        } = counts[0];
        let (ours, coded) = (median(ours), median(coded));
        let each = |seconds: f64| seconds * 1e9 / transitions as f64;
        let _ = writeln!(
            out,
            "{:<9} {:<9} {states:>9} {transitions:>11} {:>8.0} {:>8.0} {:>6.2}",
            size.to_string(),
            if reduced { "reduced" } else { "unreduced" },
            each(ours),
            each(coded),
            ours / coded,
        );
        if !spun.is_empty() {
            let spun = median(spun);
            let _ = writeln!(out, "  Spin: {spun:.2} s, {:.2} times as long", spun / ours);
        }
    }
}
