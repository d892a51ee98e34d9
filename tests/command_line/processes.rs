//! Checks that several processes share: the same results, and an end of all where one is lost.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::store::{comparable, folder};
use crate::support::{repository, script, tiers};

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
        assert!(begun.elapsed() < Duration::from_secs(180), "{what}");
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
            let found: Value = serde_json::from_slice(&shared.stdout).expect("JSON");
            let stats = &found["checks"][0]["stats"];
            let each = stats["processes"]["each"].as_array().expect("processes");
            // Those of others are as told at the end, not a second before.
            assert!(
                each.iter().all(|p| p["sent"].as_u64() > Some(1_000)),
                "{each:?}"
            );
            let states: u64 = each.iter().filter_map(|p| p["states"].as_u64()).sum();
            assert_eq!(
                Some(states),
                stats["states"].as_u64(),
                "{model} {processes}"
            );
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
    refused(&["-a", "1", "--adaptive"], "cannot be used with");
    refused(&["--resume", "states"], "cannot be used with");
    refused(
        &["-a", "1", "--joins", "1@nowhere"],
        "is for processes that this program starts",
    );
    let ran = run(&["-", "--processes", "2"]);
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("each process reads it"), "{told}");
}

/// Counters up to `most` each: one assertion that holds, one that fails by a loop of silent steps, and one that has silent
/// steps and no loop.
fn counters(most: u32) -> PathBuf {
    let text = format!(
        "channel up, down : {{0..4}}\nN = {most}\n\
         C(i, n) = n < N & up.i -> C(i, n + 1) [] n > 0 & down.i -> C(i, n - 1)\n\
         All = ||| i : {{0..4}} @ C(i, 0)\nSpec = up?i -> Spec [] down?i -> Spec\nassert Spec [T= All\n\
         assert All \\ {{|up, down|}} :[divergence free]\nassert CHAOS({{|down|}}) [FD= All \\ {{|up|}}\n"
    );
    script(&format!("counters_shared_{most}.csp"), text)
}

/// The arguments of a check of it that several processes share, with files in this folder.
fn with_files<'a>(path: &'a Path, folder: &'a Path, number: &'a str) -> Vec<&'a str> {
    let mut args = vec![text(path), "-a", number, "--store", text(folder)];
    args.extend([
        "--processes",
        "3",
        "--store-after",
        "20",
        "--share-after",
        "20",
    ]);
    args.extend([
        "--commit-every",
        "0s",
        "--no-symmetry",
        "--no-merging",
        "--format",
        "json",
        "--quiet",
    ]);
    args
}

/// The result of a check that one process makes in memory.
fn expected(path: &Path, number: &str) -> Value {
    let args = [
        "--no-symmetry",
        "--no-merging",
        "--format",
        "json",
        "--quiet",
    ];
    result(&run(&[&[text(path), "-a", number][..], &args].concat()))
}

/// Goes on with a check, or begins it anew if nothing was noted before it was interrupted.
fn go_on(folder: &Path, args: &[&str]) -> Output {
    let resumed = run(&["--resume", text(folder)]);
    match resumed.status.code() {
        Some(2) => {
            let told = String::from_utf8_lossy(&resumed.stderr).into_owned();
            assert!(told.contains("no check was interrupted"), "{told}");
            run(args)
        }
        _ => resumed,
    }
}

#[test]
fn states_of_processes_may_be_on_disk() {
    let path = counters(4);
    for number in ["1", "2", "3"] {
        let folder = folder("shared");
        let ended = run(&with_files(&path, &folder, number));
        assert_eq!(result(&ended), expected(&path, number));
        let told = String::from_utf8_lossy(&ended.stdout);
        assert!(
            told.contains("looked_up") && told.contains("sent"),
            "{told}"
        );
        assert!(!folder.exists(), "the files of all are gone");
    }
}

/// Whichever process ends at whichever change of its files: the check goes on from the last commit of all.
#[test]
fn a_shared_check_goes_on_after_an_end_at_any_change_of_files() {
    let path = counters(5);
    let step = if tiers::is_thorough() { 97 } else { 611 };
    for number in ["1", "2"] {
        let folder = folder(&format!("shared-ended-{number}"));
        let args = with_files(&path, &folder, number);
        let expected = expected(&path, number);
        let (mut ended, mut at) = (0, 23);
        loop {
            let at_once = at.to_string();
            let mut started = command(&args);
            started.env("ORBITSCOPE_END_AT", &at_once);
            let first = started.output().expect("it starts");
            if first.status.success() || first.status.code() == Some(1) {
                assert_eq!(result(&first), expected);
                break;
            }
            ended += 1;
            assert_eq!(result(&go_on(&folder, &args)), expected, "{at}");
            assert!(!folder.exists(), "{at}");
            at += step;
        }
        assert!(ended > 2, "{ended}");
    }
}

/// Whichever process is killed, or all of them, and whenever.
#[cfg(target_os = "linux")]
#[test]
fn a_shared_check_that_is_killed_goes_on() {
    let path = counters(9);
    let folder = folder("shared-killed");
    let args = with_files(&path, &folder, "1");
    let expected = expected(&path, "1");
    let mut resumed = 0;
    for round in (0..24).filter(|round| tiers::takes_one_in(8, *round)) {
        let mut begins: Vec<&str> = args.clone();
        let mut killed = 0;
        // Several times in one check, and then it ends.
        for kill_at in 0..3 {
            let mut started = command(&begins);
            started.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = started.spawn().expect("it starts");
            let mut others = Vec::new();
            wait_until("they start", || {
                others = children(child.id());
                others.len() == 2 || child.try_wait().expect("it is known").is_some()
            });
            let millis = (round * 977 + kill_at * 541) % 1_700;
            std::thread::sleep(Duration::from_millis(millis as u64));
            let all: Vec<u32> = std::iter::once(child.id()).chain(others.clone()).collect();
            for victim in match (round + kill_at) % 4 {
                3 => &all[..],
                one => all.get(one..=one).unwrap_or_default(),
            } {
                kill("-9", *victim);
            }
            let ended = child.wait_with_output().expect("it ends");
            none_is_left(&others);
            if ended.status.success() {
                break;
            }
            killed += 1;
            if folder.join("manifest").exists() {
                begins = vec!["--resume", text(&folder)];
                // The others open their files once the states are dealt out.
                resumed += usize::from(folder.join("process-1").join("frontier").exists());
            }
        }
        if killed > 0 {
            assert_eq!(result(&go_on(&folder, &args)), expected, "{round}");
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
    assert!(resumed > 0, "{resumed}");
}

/// A file of another process than the first.
#[test]
fn a_damaged_file_of_a_process_is_an_error() {
    let path = counters(5);
    let folder = folder("shared-damaged");
    let args = with_files(&path, &folder, "1");
    let mut started = command(&args);
    let ended = started
        .env("ORBITSCOPE_END_AT", "900")
        .output()
        .expect("it starts");
    assert!(!ended.status.success(), "{ended:?}");
    let log = folder.join("process-1").join("frontier");
    let bytes = std::fs::read(&log).expect("a file");
    std::fs::write(&log, &bytes[..bytes.len() / 2]).expect("it can be written");
    let resumed = run(&["--resume", text(&folder)]);
    let told = String::from_utf8_lossy(&resumed.stdout);
    assert_eq!(resumed.status.code(), Some(3), "{resumed:?}");
    assert!(
        told.contains("process 1") && told.contains("frontier"),
        "{told}"
    );
    let _ = std::fs::remove_dir_all(&folder);
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
