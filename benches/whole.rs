//! Whole checks by the program itself, one after the other, as a table: what a person waits for and
//! how much memory it takes. `cargo bench --bench whole`; with `-- --large`, the list stack with
//! nineteen nodes as well (ten minutes, 7.5 GB).

mod support;

use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Size, script};

/// Size, threads, and whether it is reduced.
const STACKS: [(Size, u8, bool); 8] = [
    (Size(6, 3, 4), 1, true),
    (Size(8, 4, 2), 1, true),
    (Size(10, 4, 2), 1, true),
    (Size(12, 4, 2), 1, true),
    (Size(8, 4, 4), 1, true),
    (Size(8, 4, 4), 2, true),
    (Size(5, 3, 2), 1, false),
    (Size(5, 3, 2), 2, false),
];

/// Models that come with the program, and an assertion of each that holds.
const MODELS: [(&str, u8); 3] = [("philosophers", 1), ("peterson", 1), ("database", 1)];

/// The figures of one check.
fn check(path: &Path, number: u8, workers: u8, reduced: bool) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command.args(["check", "--format", "json", "--quiet"]);
    command.args(["-a", &number.to_string(), "--workers", &workers.to_string()]);
    if !reduced {
        command.arg("--no-symmetry");
    }
    let output = command.arg(path).output().expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("it prints a report");
    let check = &report["checks"][0];
    assert_eq!(check["status"], "pass", "{}", path.display());
    check["stats"].clone()
}

fn row(name: &str, workers: u8, reduced: bool, stats: &Value) {
    let number = |key: &str| stats[key].as_f64().unwrap_or(f64::NAN);
    let _ = writeln!(
        std::io::stdout(),
        "{name:<24} {:<9} {workers:>7} {:>12} {:>12} {:>8.2} {:>10.0} {:>8.1} {:>8.0}",
        if reduced { "reduced" } else { "unreduced" },
        number("states"),
        number("transitions"),
        number("seconds"),
        number("seconds") * 1e9 / number("transitions"),
        number("bytes_a_state"),
        number("peak_bytes") / f64::from(1 << 20),
    );
}

fn main() {
    let large = std::env::args().any(|arg| arg == "--large");
    let _ = writeln!(
        std::io::stdout(),
        "{:<24} {:<9} {:>7} {:>12} {:>12} {:>8} {:>10} {:>8} {:>8}",
        "model",
        "",
        "threads",
        "states",
        "transitions",
        "s",
        "ns/trans.",
        "B/state",
        "MiB"
    );
    let mut stacks = STACKS.to_vec();
    if large {
        stacks.push((Size(19, 4, 2), 2, true));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (size, workers, reduced) in stacks {
        let path = folder.join("whole.csp");
        std::fs::write(&path, script(size)).expect("the folder is writable");
        let stats = check(&path, 1, workers, reduced);
        row(&format!("list stack {size}"), workers, reduced, &stats);
    }
    for (model, number) in MODELS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{model}.csp"));
        for reduced in [true, false] {
            row(model, 1, reduced, &check(&path, number, 1, reduced));
        }
    }
}
