//! Checks that several processes share: the same results, and an end of all where one is lost.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::store::comparable;
use crate::support::{repository, script};

pub(super) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command.arg("check").args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("it starts")
}

#[track_caller]
pub(super) fn result(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stdout);
    let mut value: Value = serde_json::from_str(&told).unwrap_or_else(|error| {
        panic!(
            "{error}: {told}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    comparable(&mut value);
    // Before states are shared, symmetry is looked for in the structure: that fills tables, and is told.
    let check = value["checks"][0].as_object_mut().expect("a check");
    check.remove("reduction");
    let stats = check["stats"].as_object_mut().expect("counts");
    stats.retain(|name, _| !name.starts_with("local_states") && name != "specification_nodes");
    value
}

/// The processes that a process has started.
pub(super) fn children(of: u32) -> Vec<u32> {
    let path = PathBuf::from(format!("/proc/{of}/task/{of}/children"));
    let found = std::fs::read_to_string(path).unwrap_or_default();
    found
        .split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect()
}

pub(super) fn is_running(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = status
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z")
}

pub(super) fn kill(signal: &str, process: u32) {
    let done = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(done.is_ok());
}

/// Waits for something, though not for ever.
#[track_caller]
pub(super) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A search that takes longer than any test.
pub(super) fn endless() -> PathBuf {
    script(
        "endless_processes.csp",
        "channel up, down : {0..11}\nN = 40\nC(i, n) = n < N & up.i -> C(i, n + 1) [] n > 0 & down.i -> C(i, n - 1)\n\
         Spec = up?i -> Spec [] down?i -> Spec\nassert Spec [T= ||| i : {0..11} @ C(i, 0)\n",
    )
}

pub(super) fn text(path: &Path) -> &str {
    path.to_str().expect("a name that is text")
}

#[test]
fn results_are_those_of_one_process() {
    for (model, number) in [("list_stack", "1"), ("stack_aba", "1"), ("peterson", "1")] {
        let path = repository(&format!("models/{model}.csp"));
        let args = [
            text(&path),
            "-a",
            number,
            "--quiet",
            "--format",
            "json",
            "--no-merging",
        ];
        let late = [&args[..], &["--share-after", "50", "--processes"]].concat();
        let alone = run(&[&late[..], &["1"]].concat());
        for processes in ["2", "3", "5"] {
            let shared = run(&[&late[..], &[processes]].concat());
            assert_eq!(shared.status, alone.status, "{model}");
            assert_eq!(result(&shared), result(&alone), "{model} {processes}");
        }
    }
}

/// A search that is over before its states are shared needs no other process.
#[test]
fn few_states_are_not_shared() {
    let path = repository("models/peterson.csp");
    let args = [text(&path), "-a", "1", "--quiet", "--format", "json"];
    let shared = run(&[&args[..], &["--processes", "2"]].concat());
    assert_eq!(result(&shared), result(&run(&args)));
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let path = repository("models/coarse_list_set.csp");
    let refused = |args: &[&str], why: &str| {
        let ran = run(&[&[text(&path)][..], args, &["--processes", "2"]].concat());
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{told}");
        assert!(told.contains(why), "{told}");
    };
    refused(&[], "`--processes` is for one assertion");
    refused(&["-a", "1", "--store", "states"], "cannot be used with");
    refused(
        &["-a", "1", "--joins", "1@nowhere"],
        "is for processes that this program starts",
    );
    let ran = run(&["-", "--processes", "2"]);
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("each process reads it"), "{told}");
}

fn begin(extra: &[&str]) -> (Child, Vec<u32>) {
    let path = endless();
    let args = [
        text(&path),
        "-a",
        "1",
        "--format",
        "json",
        "--processes",
        "3",
        "--share-after",
        "1000",
    ];
    let mut started = command(&[&args[..], extra].concat());
    started.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = started.spawn().expect("it starts");
    let mut others = Vec::new();
    wait_until("they start", || {
        others = children(child.id());
        others.len() == 2
    });
    (child, others)
}

#[track_caller]
pub(super) fn none_is_left(others: &[u32]) {
    wait_until("they end", || {
        !others.iter().any(|process| is_running(*process))
    });
}

/// Whichever process is killed, and whenever: the check ends, undecided, and names it.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_lost_ends_all() {
    for (victim, millis) in [(0, 0), (1, 400), (0, 900), (1, 1_500)] {
        let (child, others) = begin(&[]);
        std::thread::sleep(Duration::from_millis(millis));
        kill("-9", others[victim]);
        let begun = Instant::now();
        let ended = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&ended.stdout);
        let why = String::from_utf8_lossy(&ended.stderr);
        assert!(begun.elapsed() < Duration::from_secs(30), "{told}{why}");
        none_is_left(&others);
        // Before they have met, that is an error of the start.
        if ended.status.code() == Some(2) {
            assert!(why.contains("do not meet"), "{why}");
            continue;
        }
        assert_eq!(ended.status.code(), Some(4), "{told}{why}");
        assert!(
            told.contains("inconclusive") && told.contains("is lost"),
            "{told}"
        );
    }
}

/// A process that is stopped, and so neither ends nor answers, is given some seconds.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_silent_ends_all() {
    let (child, others) = begin(&[]);
    std::thread::sleep(Duration::from_millis(1_500));
    kill("-STOP", others[0]);
    let ended = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(4), "{told}");
    assert!(told.contains("process 1 of the search is lost"), "{told}");
    none_is_left(&others);
}

/// The others end with the first process, however that ends.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_behind() {
    for (signal, code) in [("-9", None), ("-INT", Some(130))] {
        let (mut child, others) = begin(&[]);
        std::thread::sleep(Duration::from_millis(700));
        kill(signal, child.id());
        assert_eq!(child.wait().expect("it ends").code(), code);
        none_is_left(&others);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn limits_end_all() {
    for limit in [["--timeout", "8s"], ["--max-states", "20000"]] {
        let (child, others) = begin(&limit);
        let ended = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&ended.stdout);
        assert_eq!(ended.status.code(), Some(4), "{told}");
        assert!(
            told.contains("limit reached") || told.contains("time allowed"),
            "{told}"
        );
        none_is_left(&others);
    }
}
