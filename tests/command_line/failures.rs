//! Whoever asks for JSON gets a document, also where there is no answer.

use serde_json::Value;

use crate::support::{Ran, orbitscope, script};

const SOUND: &str = "datatype T = A | B\nchannel a, b : T\nP = a?x -> b!x -> P\nassert P :[deadlock free]\nassert P [T= P\n";
const WRONG: &str = "datatype T = A | B\nchannel a, b : T\nP = if nowhere then STOP else a?x -> P\nassert P :[deadlock free]\n";

/// The commands that answer in JSON about a script; `PROCESS` stands for the name of a process.
const COMMANDS: [&[&str]; 9] = [
    &["check", "SCRIPT"],
    &["explain", "SCRIPT", "PROCESS", "<a.A>"],
    &["compare", "SCRIPT", "PROCESS", "<a.A>", "<a.A, b.A>"],
    &["structure", "SCRIPT", "PROCESS"],
    &["symmetry", "SCRIPT", "-p", "PROCESS"],
    &["find", "SCRIPT", "PROCESS", "deadlock"],
    &["race", "SCRIPT", "PROCESS"],
    &["replay", "SCRIPT", "<a.A>", "--process", "PROCESS"],
    &["graph", "SCRIPT", "PROCESS"],
];

fn run(command: &[&str], (path, process): (&str, &str), options: &[&str]) -> Ran {
    let put = |part: &&str| match *part {
        "SCRIPT" => path.to_owned(),
        "PROCESS" => process.to_owned(),
        part => part.to_owned(),
    };
    let args: Vec<String> = command.iter().map(put).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    orbitscope(&[&args[..], &["--format", "json"], options].concat(), b"")
}

/// The one document on standard output.
fn document(command: &[&str], ran: &Ran) -> Value {
    let read = serde_json::from_str(&ran.stdout);
    read.unwrap_or_else(|e| panic!("{command:?}: {e}: {}{}", ran.stdout, ran.stderr))
}

/// What a document says of a failure, which every command may have a form of its own for.
fn assert_told(command: &[&str], ran: &Ran, status: &str) -> Value {
    let document = document(command, ran);
    let schema = document["schema"].as_str().unwrap_or_default();
    assert!(
        schema.starts_with("orbitscope."),
        "{command:?}: {document:#}"
    );
    if schema == "orbitscope.failure/1" {
        assert_eq!(document["status"], status, "{command:?}: {document:#}");
        assert_eq!(document["command"], command[0]);
        assert_eq!(document["exit_code"].as_i64(), ran.code.map(i64::from));
        let errors = document["errors"].as_array().expect("a list");
        let message = |e: &Value| e["message"].as_str().is_some_and(|m| !m.is_empty());
        assert!(
            !errors.is_empty() && errors.iter().all(message),
            "{document:#}"
        );
    }
    document
}

/// Runs commands with a limit, and sees that they end with one of these codes and name the limit.
fn assert_limited<'a>(
    commands: impl IntoIterator<Item = &'a &'static [&'static str]>,
    (limit, options): (&str, &[&str]),
    codes: &[i32],
) {
    let file = format!("failures_{limit}.csp");
    let path = script(&file, SOUND).display().to_string();
    for command in commands {
        let ran = run(command, (&path, "P"), options);
        assert!(
            ran.code.is_some_and(|code| codes.contains(&code)),
            "{command:?}: {:?}: {}{}",
            ran.code,
            ran.stdout,
            ran.stderr
        );
        let document = assert_told(command, &ran, "limit");
        if document["schema"] == "orbitscope.failure/1" {
            assert_eq!(document["limit"], limit, "{document:#}");
        }
    }
}

#[test]
fn a_limit_on_time() {
    assert_limited(&COMMANDS, ("time", &["--timeout", "0s"]), &[4]);
}

#[test]
fn a_limit_on_memory() {
    let others = COMMANDS.iter().filter(|command| command[0] != "replay");
    // What is so small may be done before anybody looks.
    assert_limited(others, ("memory", &["--memory", "1M"]), &[0, 5]);
}

#[test]
fn an_error_in_the_script_with_its_place() {
    let path = script("failures_error.csp", WRONG).display().to_string();
    for command in COMMANDS.iter().chain([&&["typecheck", "SCRIPT"][..]]) {
        let ran = run(command, (&path, "P"), &[]);
        assert_eq!(
            ran.code,
            Some(3),
            "{command:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
        let document = assert_told(command, &ran, "error");
        if document["schema"] == "orbitscope.failure/1" {
            let place = &document["errors"][0]["place"];
            assert_eq!(place["line"], 3, "{command:?}: {document:#}");
            // Found when it is read, or only when it is evaluated.
            let code = document["errors"][0]["code"].as_str();
            assert!(matches!(code, Some("E0201" | "E0419")), "{document:#}");
        }
    }
}

#[test]
fn a_process_that_there_is_not() {
    let path = script("failures_process.csp", SOUND).display().to_string();
    for command in &COMMANDS[1..] {
        let ran = run(command, (&path, "Nowhere"), &[]);
        assert_eq!(
            ran.code,
            Some(3),
            "{command:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert_told(command, &ran, "error");
    }
}

#[test]
fn arguments_that_mean_nothing() {
    let path = script("failures_usage.csp", SOUND).display().to_string();
    for command in [
        &["compare", "SCRIPT", "P", "walk:x", "<a.A>"][..],
        &["race", "SCRIPT", "-a", "7"],
        &["explain", "no-such-file.csp"],
        &["check", "SCRIPT", "-a", "7"],
    ] {
        let ran = run(command, (&path, "P"), &[]);
        assert_eq!(
            ran.code,
            Some(2),
            "{command:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert_told(command, &ran, "usage");
    }
    // For people nothing is added.
    let ran = orbitscope(&["explain", &path, "Nowhere"], b"");
    assert_eq!(ran.stdout, "");
}

/// The picture of many edges is written within the time given, or not at all. The processor time is bounded by the
/// operating system, which a busy machine does not change.
#[cfg(unix)]
#[test]
fn writing_a_picture_ends_with_its_time() {
    let text = "datatype T = T0 | T1 | T2 | T3 | T4 | T5 | T6 | T7 | T8 | T9 | T10 | T11\n\
        datatype N = N0 | N1 | N2 | N3 | N4 | N5 | N6 | N7 | N8 | N9\n\
        channel a : T.N\nchannel b : T.N.N\n\
        C(t,x,y) = a.t?z -> C(t,z,x) [] b.t.x.y -> C(t,y,x)\nP = ||| t:T @ [] x:N @ a.t.x -> C(t,x,x)\n";
    let path = script("failures_picture.csp", text).display().to_string();
    for format in ["dot", "json", "graphml"] {
        let run = format!(
            "ulimit -t 12; exec \"$0\" graph \"$1\" P --full --format {format} --timeout 3s --memory 400M >/dev/null"
        );
        let ran = std::process::Command::new("sh")
            .args(["-c", &run, env!("CARGO_BIN_EXE_orbitscope"), &path])
            .output()
            .expect("the program runs");
        let says = String::from_utf8_lossy(&ran.stderr);
        assert!(
            matches!(ran.status.code(), Some(0 | 4 | 5)),
            "{format}: {:?} {says}",
            ran.status
        );
    }
}
