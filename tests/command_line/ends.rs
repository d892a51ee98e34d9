//! However a check ends: by a limit, by a signal, on a full disk, with nobody reading. What is known is
//! reported, the exit code says why, and nothing is left half-written.

use crate::support;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(60);

/// A search that does not end by itself, and whose states take little time.
fn endless() -> PathBuf {
    let text = "channel a, b : {0..999}\nC(n) = a.n -> C((n + 1) % 1000) [] b.n -> C((n + 7) % 1000)\n\
                P = C(0) ||| C(1) ||| C(2) ||| C(3)\nassert RUN({|a, b|}) [T= P\n";
    script("endless_search.csp", text)
}

/// An evaluation that does not end by itself.
fn endless_value() -> PathBuf {
    let text = "channel a : {0..3}\nf(n) = f(n + 1)\nP = a!f(0) -> P\nassert P :[deadlock free]\n";
    script("endless_value.csp", text)
}

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command.args(args).stdin(Stdio::null()).env("NO_COLOR", "1");
    command
}

fn ends(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            return status;
        }
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .expect("there is a kill");
    assert!(sent.success());
}

fn read(stream: Option<impl Read>) -> String {
    let mut text = String::new();
    let read = stream.map(|mut s| s.read_to_string(&mut text));
    read.expect("a pipe").expect("text");
    text
}

/// Starts a check in a stream, waits until something was found, and sends a signal.
fn interrupted(format: &str, name: &str) -> (Option<i32>, String, String) {
    let path = endless().display().to_string();
    let mut child = program(&["check", "--format", format, "--progress", "plain", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, name);
    let status = ends(&mut child);
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    (status.code(), stdout, stderr)
}

#[test]
fn signals_leave_a_report_and_their_code() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let (exit, stdout, stderr) = interrupted("text", name);
        assert_eq!(exit, Some(code), "{name}: {stdout}{stderr}");
        assert!(
            stdout.contains("inconclusive: cancelled"),
            "{name}: {stdout}"
        );
        assert!(stdout.contains("until then depth "), "{name}: {stdout}");
        let states = stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .windows(2)
            .find(|w| w[1].starts_with("states"))
            .map(|w| w[0].replace(',', ""));
        let states: u64 = states.and_then(|n| n.parse().ok()).expect("a number");
        assert!(states > 100, "{stdout}");
    }
}

#[test]
fn json_is_whole_after_a_signal() {
    let (exit, stdout, stderr) = interrupted("json", "TERM");
    assert_eq!(exit, Some(143), "{stderr}");
    let whole: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(whole["exit_code"], 143);
    assert_eq!(whole["checks"][0]["status"], "inconclusive");
    assert!(whole["checks"][0]["stats"]["states"].as_u64() > Some(100));
    let (exit, stdout, _) = interrupted("ndjson", "INT");
    assert_eq!(exit, Some(130));
    let lines: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    assert_eq!(lines[0]["event"], "start");
    let last = &lines[lines.len() - 1];
    assert_eq!(
        (&last["event"], &last["exit_code"]),
        (&"end".into(), &130.into())
    );
    assert_eq!(lines[lines.len() - 2]["event"], "result");
}

#[test]
fn a_signal_ends_an_evaluation_too() {
    let path = endless_value().display().to_string();
    let mut child = program(&["check", &path])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(400));
    signal(&child, "INT");
    assert_eq!(ends(&mut child).code(), Some(130));
    let stdout = read(child.stdout.take());
    assert!(stdout.contains("inconclusive: cancelled"), "{stdout}");
}

#[test]
fn a_value_that_takes_too_long_to_print_is_a_matter_of_limits() {
    let text = "f(n) = f(n + 1)\nprint f(0)\nprint 1\n";
    let path = script("endless_print.csp", text).display().to_string();
    let ran = orbitscope(&["check", "--timeout", "500ms", &path], b"");
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("E0702"), "{}", ran.stderr);
}

#[test]
fn a_second_signal_ends_at_once() {
    // Stopped, the program cannot react to the first one before the second is there.
    let path = endless().display().to_string();
    let mut child = program(&["check", &path])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(400));
    signal(&child, "STOP");
    signal(&child, "INT");
    signal(&child, "TERM");
    signal(&child, "CONT");
    let code = ends(&mut child).code();
    // Which of the two is delivered first is not said anywhere.
    assert!(code == Some(143) || code == Some(130), "{code:?}");
}

#[test]
fn limits_leave_a_report_and_their_code() {
    let path = endless().display().to_string();
    let cases: [(&[&str], i32, &str); 3] = [
        (&["--timeout", "700ms"], 4, "time limit reached"),
        (&["--max-states", "70000"], 4, "state limit reached"),
        (&["--memory", "60M"], 5, "memory limit reached"),
    ];
    for (limit, code, says) in cases {
        let args = [&["check", "--no-symmetry", &path], limit].concat();
        let ran = orbitscope(&args, b"");
        assert_eq!(
            ran.code,
            Some(code),
            "{limit:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(ran.stdout.contains(says), "{limit:?}: {}", ran.stdout);
        assert!(ran.stdout.contains("until then depth "), "{}", ran.stdout);
        let args = [&args[..], &["--format", "json"]].concat();
        let ran = orbitscope(&args, b"");
        let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(whole["exit_code"], code);
        let told = format!("{says} while searching, at {path}:4:1");
        assert_eq!(whole["checks"][0]["reason"], told);
        assert!(whole["checks"][0]["stats"]["states"].as_u64() > Some(100));
    }
}

/// What one check has used does not keep the next one from running.
#[test]
fn every_check_has_its_own_share_of_memory() {
    let text = std::fs::read_to_string(endless()).expect("the script is there");
    let text =
        format!("{text}Q = a.1 -> Q\nassert Q :[deadlock free]\nassert RUN({{|b, a|}}) [T= P\n");
    let path = script("endless_and_small.csp", text).display().to_string();
    let args = [
        "check",
        "--no-symmetry",
        "--memory",
        "60M",
        "--format",
        "json",
        &path,
    ];
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(5), "{}{}", ran.stdout, ran.stderr);
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let of = |n: usize| whole["checks"][n]["stats"]["states"].as_u64().unwrap_or(0);
    assert_eq!(whole["checks"][1]["status"], "pass");
    assert!(of(2) * 2 > of(0), "{} and {}", of(0), of(2));
}

/// Where limits strike while things are made, before there is any search.
#[test]
fn limits_hold_in_every_phase() {
    if !support::tiers::has_time("command_line ends::limits_hold_in_every_phase") {
        return;
    }
    let value = "channel a : {0..3}\ng(n, s) = g(n + 1, s^<n>)\nP = a!g(0, <>) -> P\n\
                 assert P :[deadlock free]\n";
    // Each of the operands performs the same event in twenty ways.
    let rules = "datatype T = X.{0..19} \nchannel a : {0..19}\nchannel b\n\
                 Q = [] x : {0..19} @ a.x -> Q\nP = [| {b} |] i : {1..9} @ Q[[a.x <- b | x <- {0..19}]]\n\
                 assert P :[deadlock free]\n";
    let specification = "channel a : {0..19}\nchannel t\n\
                         C(s) = t -> C(s) [] a?x -> C(union(s, {x})) [] card(s) > 20 & STOP\n\
                         S = (||| i : {1..6} @ C({})) \\ {t}\nP = a?x -> P\nassert S [T= P\n";
    // No failure at the beginning spares the tables.
    let tables = "channel a : {0..400}.{0..400}\nP(i, j, k) = a!i!j -> P((i * 7 + j) % 401, (j + 1) % 401, (k + 1) % 1009) [] a!j!i -> P((j + 3) % 401, i, k)\n\
                  Q = P(0, 0, 0) [| {| a |} |] P(0, 0, 0)\nassert Q :[divergence free]\n";
    for (name, text) in [
        ("value", value),
        ("rules", rules),
        ("specification", specification),
        ("tables", tables),
    ] {
        let path = script(&format!("phase_{name}.csp"), text)
            .display()
            .to_string();
        let started = Instant::now();
        let ran = orbitscope(&["check", "--timeout", "1s", "--memory", "3G", &path], b"");
        assert_eq!(ran.code, Some(4), "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(started.elapsed() < Duration::from_secs(12), "{name}");
        let ran = orbitscope(&["check", "--memory", "40M", &path], b"");
        assert_eq!(ran.code, Some(5), "{name}: {}{}", ran.stdout, ran.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_being_told_a_check_does_not_fill_the_machine() {
    if !support::tiers::has_time(
        "command_line ends::without_being_told_a_check_does_not_fill_the_machine",
    ) {
        return;
    }
    // The program must end by itself before it is refused memory, which it would not survive.
    let path = endless().display().to_string();
    let run = format!(
        "ulimit -v 250000; exec '{}' check --no-symmetry --workers 1 '{path}'",
        env!("CARGO_BIN_EXE_orbitscope")
    );
    let output = Command::new("sh")
        .args(["-c", &run])
        .output()
        .expect("a shell");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{stdout}");
    assert!(stdout.contains("memory limit reached"), "{stdout}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_its_own() {
    let full = || {
        OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("a device")
    };
    let model = repository("models/two_buffers.csp").display().to_string();
    let cases: [&[&str]; 9] = [
        &["graph", &model],
        &["refines", &model],
        &["refines", "--format", "json", &model],
        &["check", &model],
        &["check", "--format", "json", &model],
        &["check", "--format", "ndjson", &model],
        &["typecheck", "--types", &model],
        &["help", "codes"],
        &["check", "-a", "1", &model],
    ];
    for args in cases {
        let output = program(args).stdout(full()).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("cannot be written"), "{args:?}: {stderr}");
        assert!(stderr.contains("No space left"), "{args:?}: {stderr}");
    }
    let output = program(&["check", "--save", "/dev/full", &model])
        .output()
        .expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("nothing was saved"), "{stderr}");
    // The result is there all the same.
    assert!(String::from_utf8_lossy(&output.stdout).contains("FAILS"));
}

/// A folder on a small disk of its own, if this user may make one.
#[cfg(target_os = "linux")]
fn small_disk(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::create_dir_all(&folder);
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
        .arg(&folder)
        .stderr(Stdio::null())
        .status();
    mounted.is_ok_and(|s| s.success()).then_some(folder)
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_keeps_the_old_file() {
    let Some(folder) = small_disk("small_disk") else {
        support::say("skipped: a_disk_that_fills_up_keeps_the_old_file: no disk can be made");
        return;
    };
    let unmount = || {
        let _ = Command::new("umount").arg(&folder).status();
    };
    let result = std::panic::catch_unwind(|| {
        let saved = folder.join("cex.json");
        let small = repository("models/two_buffers.csp").display().to_string();
        let to = saved.display().to_string();
        let ran = orbitscope(&["check", "--save", &to, &small], b"");
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let before = std::fs::read(&saved).expect("it was saved");
        let large = repository("models/stack_aba.csp").display().to_string();
        let args = [
            "check",
            "-a",
            "1",
            "--counterexamples",
            "20",
            "--save",
            &to,
            &large,
        ];
        let ran = orbitscope(&args, b"");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("No space left"), "{}", ran.stderr);
        assert_eq!(std::fs::read(&saved).expect("it is there"), before);
        let large = repository("models/peterson.csp").display().to_string();
        let ran = orbitscope(&["graph", "--map", "-o", &to, &large], b"");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("No space left"), "{}", ran.stderr);
        assert_eq!(std::fs::read(&saved).expect("it is there"), before);
        let left = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, 1, "nothing else is left");
    });
    unmount();
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    for format in ["text", "json", "ndjson"] {
        let model = repository("models/database.csp").display().to_string();
        let mut child = program(&["check", "--format", format, &model])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        assert_eq!(ends(&mut child).code(), Some(141), "{format}");
        assert_eq!(read(child.stderr.take()), "", "{format}");
    }
}

/// A picture has no part that is worth having after a signal; what memory ended is drawn as far as it came.
#[test]
fn pictures_end_as_they_should() {
    let model = repository("models/peterson.csp").display().to_string();
    let mut child = program(&["graph", "--map", &model])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    assert_eq!(ends(&mut child).code(), Some(141));
    assert_eq!(read(child.stderr.take()), "");
    let path = endless().display().to_string();
    let args = ["graph", "--full", "--max-states", "1G", "-f", "aut", &path];
    let mut child = program(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_secs(1));
    signal(&child, "INT");
    assert_eq!(ends(&mut child).code(), Some(130));
    assert_eq!(read(child.stdout.take()), "");
    let ran = orbitscope(&[&args[..], &["--memory", "60M"]].concat(), b"");
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("memory limit reached"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.starts_with("des (0, "));
}

/// Who reads one line of a stream and goes away ends a search that would go on for ever.
#[test]
fn one_line_of_a_stream_is_enough() {
    let path = endless().display().to_string();
    let mut child = program(&["check", "--format", "ndjson", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    drop(reader);
    let first: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(first["event"], "start");
    assert_eq!(ends(&mut child).code(), Some(141));
}

#[test]
fn nothing_is_written_where_nothing_fails() {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("none.json");
    let _ = std::fs::remove_file(&to);
    let model = repository("models/two_buffers.csp").display().to_string();
    let args = [
        "check",
        "-a",
        "1",
        "--save",
        &to.display().to_string(),
        &model,
    ];
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing was saved"), "{}", ran.stderr);
    assert!(File::open(&to).is_err());
}

/// One declaration of many megabytes, which the parser reads at one go.
fn one_long_declaration() -> PathBuf {
    let calls: String = (0..500_000).map(|i| format!("f({i},{{1,2}}),")).collect();
    script(
        "one_long_declaration.csp",
        format!("f(a,b) = a\nx = <{calls}0>\n"),
    )
}

#[test]
fn one_long_declaration_is_given_up_at_limits_and_signals() {
    if !support::tiers::has_time(
        "command_line ends::one_long_declaration_is_given_up_at_limits_and_signals",
    ) {
        return;
    }
    let path = one_long_declaration().display().to_string();
    for (bound, value, code, told) in [
        (
            "--timeout",
            "1s",
            4,
            "error[E0702]: the time allowed is over while the script was read",
        ),
        (
            "--memory",
            "150M",
            5,
            "error[E0707]: the memory limit is reached while the script was read",
        ),
    ] {
        let begun = Instant::now();
        let mut child = program(&["check", bound, value, &path])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        let status = ends(&mut child);
        let told_so = read(child.stderr.take());
        assert_eq!(status.code(), Some(code), "{told_so}");
        assert!(told_so.starts_with(told), "{told_so}");
        assert!(told_so.contains("one_long_declaration.csp"), "{told_so}");
        if bound == "--timeout" {
            assert!(
                begun.elapsed() < Duration::from_secs(4),
                "{:?}",
                begun.elapsed()
            );
        }
    }
    for (command, name, code) in [
        ("check", "INT", 130),
        ("typecheck", "TERM", 143),
        ("explain", "TERM", 143),
    ] {
        let mut child = program(&[command, &path])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(700));
        signal(&child, name);
        let begun = Instant::now();
        assert_eq!(ends(&mut child).code(), Some(code), "{command}");
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{:?}",
            begun.elapsed()
        );
    }
}

/// A reader of JSON gets a document all the same.
#[test]
fn what_ends_at_once_is_told_to_programs_as_well() {
    if !support::tiers::has_time("command_line ends::what_ends_at_once_is_told_to_programs_as_well")
    {
        return;
    }
    let path = one_long_declaration().display().to_string();
    for (format, lines) in [("json", 1), ("ndjson", 2)] {
        let mut child = program(&["check", "--timeout", "500ms", "--format", format, &path])
            .stderr(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let status = ends(&mut child);
        let text = read(child.stdout.take());
        assert_eq!(status.code(), Some(4), "{text}");
        let documents = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let documents: Vec<_> = documents.map(|d| d.expect("it is JSON")).collect();
        assert_eq!(documents.len(), lines, "{text}");
        assert_eq!(documents[0]["diagnostics"][0]["code"], "E0702", "{text}");
        assert_eq!(documents[lines - 1]["exit_code"], 4, "{text}");
    }
}
