//! What is read has an end, whatever it is, and what is written replaces nothing that matters.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::tiers;
use crate::support::{orbitscope, repository, script};
use serde_json::Value;

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bounded");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn failing() -> String {
    let text = "channel a\nassert a -> STOP :[deadlock free]\n";
    script("bounded_failing.csp", text).display().to_string()
}

fn pipe(name: &str) -> String {
    let path = file(name);
    let made = Command::new("mkfifo").arg(&path).status().expect("a shell");
    assert!(made.success());
    path.display().to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn devices_without_end_are_not_read_for_ever() {
    let model = failing();
    for args in [
        &["replay", &model, "/dev/zero"][..],
        &["check", "/dev/zero"],
        &["typecheck", "/dev/zero"],
        &["replay", "/dev/zero", "/dev/zero"],
    ] {
        let ran = orbitscope(args, b"");
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("MiB"), "{args:?}: {}", ran.stderr);
    }
    // These look like files and wait for something to happen (or may not be read at all).
    let included = script("bounded_include.csp", "include \"/proc/kmsg\"\nP = STOP\n");
    let included = included.display().to_string();
    for args in [
        &["check", "/proc/kmsg"][..],
        &["replay", &model, "/proc/kmsg"],
        &["check", &included],
    ] {
        // It would wait for ever.
        let ran = orbitscope(args, b"");
        assert!(matches!(ran.code, Some(2 | 3)), "{args:?}: {}", ran.stderr);
        let took = ran.processor;
        assert!(took < Duration::from_secs(5), "{args:?}: {took:?}");
    }
}

/// The animator reads its configuration before it takes the terminal, which there is none of here, so this
/// goes by way of a script that is opened: nothing may hang.
#[test]
fn a_script_from_a_pipe_is_read() {
    let text = std::fs::read(failing()).expect("a script");
    let named = pipe("script.csp");
    let mut child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(["check", &named])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut into = std::fs::OpenOptions::new()
        .write(true)
        .open(&named)
        .expect("a pipe");
    into.write_all(&text).expect("it is read");
    drop(into);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    let ran = orbitscope(&["check", "-"], &text);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("FAILS"), "{}", ran.stdout);
    // In whatever way it is encoded.
    let latin = b"-- gr\xfc\xdfe\nassert STOP :[deadlock free]\n";
    let ran = orbitscope(&["check", "-"], latin);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("<stdin>"), "{}", ran.stderr);
}

/// Nobody writes into the pipe.
#[test]
fn waiting_for_a_pipe_ends() {
    if !tiers::has_time("command_line bounded::waiting_for_a_pipe_ends") {
        return;
    }
    let silent = pipe("silent");
    let ran = orbitscope(&["check", "--timeout", "300ms", &silent], b"");
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the time allowed is over"),
        "{}",
        ran.stderr
    );
    let ran = orbitscope(
        &["check", "--format", "json", "--timeout", "300ms", &silent],
        b"",
    );
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(whole["exit_code"], 4);
    let model = failing();
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for args in [
            &["check", &silent][..],
            &["replay", &silent, &silent],
            &["replay", &model, &silent],
        ] {
            let mut child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
                .args(args)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            std::thread::sleep(Duration::from_millis(300));
            let sent = Command::new("kill")
                .args([&format!("-{name}"), &child.id().to_string()])
                .status();
            assert!(sent.expect("there is a kill").success());
            assert_eq!(
                child.wait().expect("it ends").code(),
                Some(code),
                "{args:?}"
            );
        }
    }
}

#[test]
fn nothing_but_counterexamples_is_replaced() {
    let model = failing();
    let before = std::fs::read(&model).expect("a script");
    for force in [&[][..], &["--force"]] {
        let ran = orbitscope(&[&["check", &model, "--save", &model], force].concat(), b"");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("part of the script"), "{}", ran.stderr);
        // It is said before anything is checked.
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(std::fs::read(&model).expect("a script"), before);

    let included = script("bounded_part.csp", "P = STOP\n")
        .display()
        .to_string();
    let text = "include \"bounded_part.csp\"\nassert P :[deadlock free]\n";
    let whole = script("bounded_whole.csp", text).display().to_string();
    let ran = orbitscope(&["check", &whole, "--force", "--save", &included], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);

    let notes = file("notes.txt");
    let to = notes.display().to_string();
    std::fs::write(&notes, "what I must not forget\n").expect("it is written");
    let ran = orbitscope(&["check", &model, "--save", &to], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(
        std::fs::read(&notes).expect("notes"),
        b"what I must not forget\n"
    );
    let ran = orbitscope(&["check", &model, "--force", "--save", &to], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    // Now it is one of ours, and may be replaced; so may an empty file.
    let ran = orbitscope(&["check", &model, "--save", &to], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    std::fs::write(&notes, "").expect("it is written");
    let ran = orbitscope(&["check", &model, "--save", &to], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(orbitscope(&["replay", &model, &to], b"").code, Some(0));
}

/// The time is that of the whole run: assertions that are left over take none.
#[test]
fn ten_thousand_assertions_end_in_time() {
    if !tiers::has_time("command_line bounded::ten_thousand_assertions_end_in_time") {
        return;
    }
    let mut text = String::from(
        "datatype T = A | B | C\nchannel a : T.{0..999}\nP(n) = a?x!n -> P((n + 1) % 1000)\nQ = P(0) ||| P(7) ||| P(11)\n",
    );
    for n in 0..10_000 {
        text.push_str(&format!("assert RUN({{|a|}}) [T= P({})\n", n % 1000));
    }
    text.push_str("assert RUN({|a|}) [T= Q\n");
    let path = script("bounded_many.csp", text).display().to_string();
    let ran = orbitscope(
        &[
            "check",
            "--timeout",
            "2s",
            "--workers",
            "2",
            "--format",
            "json",
            &path,
        ],
        b"",
    );
    let took = ran.processor;
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(took < Duration::from_secs(15), "{took:?}");
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let checks = whole["checks"].as_array().expect("a list");
    assert_eq!(checks.len(), 10_001);
    let last = &checks[10_000];
    assert_eq!(last["status"], "inconclusive");
    assert_eq!(last["reason"], "not checked: time limit reached");
}

/// Every form of result says why there is none.
#[test]
fn every_format_says_what_went_wrong() {
    let ran = orbitscope(&["check", "--format", "ndjson", "/no/such.csp"], b"");
    assert_eq!(ran.code, Some(2));
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    assert_eq!(lines[0]["event"], "start");
    assert_eq!(lines[0]["diagnostics"][0]["code"], "E0801");
    assert_eq!(lines[1]["exit_code"], 2);
    let none = script("bounded_none.csp", "P = STOP\n")
        .display()
        .to_string();
    for format in ["json", "ndjson"] {
        let ran = orbitscope(&["check", "--format", format, &none], b"");
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("exit_code"), "{}", ran.stdout);
        let ran = orbitscope(&["check", "-a", "7", "--format", format, &none], b"");
        assert_eq!(ran.code, Some(2));
        assert!(ran.stdout.contains("exit_code"), "{}", ran.stdout);
        assert!(ran.stderr.contains("no assertion"), "{}", ran.stderr);
    }
    let model = repository("models/two_buffers.csp").display().to_string();
    let ran = orbitscope(&["check", "--format", "ndjson", &model], b"");
    assert_eq!(ran.stdout.matches("\"event\":\"start\"").count(), 1);
}
