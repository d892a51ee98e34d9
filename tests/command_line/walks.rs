//! `orbitscope replay` with traces and sessions: what is followed, how far, and with which exit code.

use crate::support::{Ran, orbitscope, script};
use serde_json::Value;

/// A hidden step, then one event with two ends; two values that may be exchanged.
const SCRIPT: &str = "datatype D = X | Y
channel a, b, c, h
channel v : D
P = h -> (a -> b -> STOP [] a -> c -> STOP)
Q = P \\ {h}
R = v?x -> v!x -> STOP
assert Q :[deadlock free]
assert R :[deadlock free]
";

fn replay(process: &str, trace: &str, mode: &str) -> Ran {
    let path = script("walks.csp", SCRIPT);
    let path = path.display().to_string();
    orbitscope(
        &[
            "replay",
            &path,
            trace,
            "--process",
            process,
            "--mode",
            mode,
            "--format=json",
        ],
        b"",
    )
}

/// How many steps were followed, how many were found besides, and the exit code.
fn followed(process: &str, trace: &str, mode: &str) -> (u64, u64, Option<i32>) {
    let ran = replay(process, trace, mode);
    let found: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let number = |key: &str| found[key].as_u64().expect("a number");
    (number("followed"), number("added"), ran.code)
}

#[test]
fn each_mode_follows_what_it_says() {
    // Hidden events are steps, by their names or without.
    assert_eq!(followed("Q", "<h, a, b>", "steps"), (3, 0, Some(0)));
    assert_eq!(followed("Q", "<a, b>", "steps"), (0, 0, Some(1)));
    // As few silent steps as possible are found.
    assert_eq!(followed("Q", "<a, b>", "events"), (2, 1, Some(0)));
    assert_eq!(followed("Q", "<a, c>", "events"), (2, 1, Some(0)));
    // One of several states is meant, or the first that goes on.
    assert_eq!(followed("Q", "<h, a#1, b>", "steps"), (3, 0, Some(0)));
    assert_eq!(followed("Q", "<h, a#2, b>", "steps"), (2, 0, Some(1)));
    assert_eq!(followed("Q", "<a#1, b>", "events"), (2, 1, Some(0)));
    assert_eq!(followed("Q", "<a#1, c>", "events"), (1, 1, Some(1)));
    assert_eq!(followed("Q", "<a#2, c>", "events"), (2, 1, Some(0)));
    assert_eq!(followed("Q", "<a#2, b>", "events"), (1, 1, Some(1)));
    // Which state has to be said.
    assert_eq!(followed("Q", "<h, a>", "strict"), (1, 0, Some(1)));
    assert_eq!(followed("Q", "<h, a#2>", "strict"), (2, 0, Some(0)));
    // Names may differ, but not which are equal.
    assert_eq!(followed("R", "<v.X, v.X>", "orbit"), (2, 0, Some(0)));
    assert_eq!(followed("R", "<v.X, v.Y>", "steps"), (1, 0, Some(1)));
}

#[test]
fn where_a_trace_parts_is_told_with_what_was_possible() {
    let ran = replay("Q", "<h, a, d>", "steps");
    let found: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    assert_eq!(found["parted"]["step"], 3);
    assert_eq!(found["parted"]["wanted"], "d");
    assert_eq!(
        found["parted"]["enabled"],
        Value::from(vec!["b".to_owned(), "c".to_owned()])
    );
    let ran = replay("Nobody", "<a>", "steps");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    // What makes no sense is refused before anything is loaded.
    let path = script("walks.csp", SCRIPT).display().to_string();
    let session = script("no.run.ron", "Run(version: 9)");
    let session = session.display().to_string();
    let ran = orbitscope(&["replay", &path, &session], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("version 9"), "{}", ran.stderr);
    let ran = orbitscope(&["replay", &path, &session, "--mode=orbit"], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn a_session_that_was_written_is_followed() {
    let path = script("walks.csp", SCRIPT);
    let folder = path.parent().expect("a folder").to_owned();
    let commands = script("walks.txt", "random 2\nwrite walked.run.ron\n");
    let session = folder.join("walked.run.ron");
    let _ = std::fs::remove_file(&session);
    let lines = format!("random 2\nwrite {}\n", session.display());
    std::fs::write(&commands, lines).expect("it can be written");
    let [path, commands, session] = [path, commands, session].map(|p| p.display().to_string());
    let ran = orbitscope(
        &["open", &path, "Q", "--script", &commands, "--allow-writes"],
        b"",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = orbitscope(&["replay", &path, &session, "--mode=strict"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("2 steps were replayed."),
        "{}",
        ran.stdout
    );
    let other = script("walks-other.csp", SCRIPT.replace("h -> (a", "a -> (a"));
    let other = other.display().to_string();
    let ran = orbitscope(&["replay", &other, &session], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("0 of 2 steps"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("Changed since it was saved"),
        "{}",
        ran.stdout
    );
}

/// The process has one place, the same in all commands; as an option it is still read.
#[test]
fn a_process_is_named_in_one_place() {
    let text = "channel a : {0..1}\nassert STOP :[deadlock free]\n";
    let path = script("walks_named.csp", text).display().to_string();
    let (path, process) = (path.as_str(), "RUN({|a|})");
    let agree = |ways: &[&[&str]]| {
        let shown: Vec<(Option<i32>, String)> = ways
            .iter()
            .map(|args| {
                let ran = orbitscope(args, b"");
                // That line tells times, which differ from run to run.
                let lines = ran
                    .stdout
                    .lines()
                    .filter(|line| !line.contains("looked at"));
                (ran.code, lines.collect::<Vec<&str>>().join("\n"))
            })
            .collect();
        assert!(shown.windows(2).all(|two| two[0] == two[1]), "{shown:?}");
        assert!(shown[0].0.is_some_and(|code| code < 2), "{shown:?}");
    };
    agree(&[
        &["replay", path, process, "<a.0>"],
        &["replay", path, "<a.0>", "--process", process],
        &["replay", path, process, "<a.0>", "-p", process],
    ]);
    agree(&[
        &["symmetry", path, process],
        &["symmetry", path, "-p", process],
        &["symmetry", path, process, "--process", process],
    ]);
    for args in [
        &["symmetry", path, process, "-p", "STOP"][..],
        &["replay", path, process, "<a.0>", "--process", "STOP"],
    ] {
        let ran = orbitscope(args, b"");
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stdout);
        assert!(
            ran.stderr.contains("two processes are named"),
            "{}",
            ran.stderr
        );
    }
    for command in ["symmetry", "replay"] {
        let help = orbitscope(&[command, "--help"], b"").stdout;
        assert!(!help.contains("--process"), "{help}");
    }
}
