//! What is printed: nothing in a script, a name or an argument draws on a terminal, and counterexamples
//! stay readable.

use crate::support::{orbitscope, script};
use serde_json::Value;

/// Moves the cursor, draws a verdict, and hides what follows; then C1, DEL, and marks that turn text.
const EVIL: &str =
    "\u{1b}[2K\u{1b}[1G1  P\u{1b}[1E   holds\u{1b}[8m\u{7}\u{9b}1G\u{85}\u{7f}\u{202e}\u{2066}";

/// What a terminal would obey.
fn obeyed(text: &str) -> Option<char> {
    let marks = |c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    text.chars()
        .find(|c| *c != '\n' && (c.is_control() || marks(*c)))
}

#[track_caller]
fn harmless(args: &[&str]) -> (Option<i32>, String) {
    let ran = orbitscope(args, b"");
    for (name, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        assert_eq!(obeyed(text), None, "{args:?}: {name}: {text:?}");
    }
    (ran.code, ran.stdout)
}

#[test]
fn no_script_draws_on_the_terminal() {
    let text = format!(
        "channel a\nP(s) = a -> (if s == \"\" then P(s) else STOP)\nprint \"{EVIL}\"\nprint head(<\"{EVIL}\">)\n\
         assert P(\"{EVIL}\") :[deadlock free]\n\
         assert (if \"{EVIL}\" == \"\" then STOP else P(\"\")) :[deadlock free]\n\
         assert P(\"{EVIL}\") [V= P(\"\")\nassert P(error(\"{EVIL}\")) :[deadlock free]\n"
    );
    let path = script("printed_evil.csp", text).display().to_string();
    let saved = format!("{path}.json");
    let _ = std::fs::remove_file(&saved);
    for format in ["text", "json", "ndjson"] {
        let (_, shown) = harmless(&[
            "check", "--stats", "--format", format, "--save", &saved, &path,
        ]);
        assert!(shown.contains("[2K"), "it is shown, escaped: {shown}");
        let (_, _) = harmless(&["check", "--both", "--format", format, &path]);
    }
    for format in ["text", "json"] {
        harmless(&["replay", "--format", format, &path, &saved]);
        harmless(&["typecheck", "--types", "--format", format, &path]);
    }
    for format in ["plain", "json", "framed_json"] {
        harmless(&["refines", "--reveal-taus", "--format", format, &path]);
    }
    // Only whole escape sequences of colours are let through where colours are wanted.
    let ran = orbitscope(&["check", "--color", "always", &path], b"");
    for piece in ran.stdout.split('\u{1b}').skip(1) {
        let sequence = piece.split_once('m').map_or("", |(sequence, _)| sequence);
        let own = ["[1;32", "[1;31", "[2", "[0"].contains(&sequence);
        assert!(own, "{sequence:?} in {}", ran.stdout);
    }
}

/// What is written for a machine is what was there.
#[test]
fn json_keeps_what_it_escapes() {
    let path = script("printed_json.csp", format!("print \"{EVIL}\"\n"));
    let (_, shown) = harmless(&["check", "--format", "json", &path.display().to_string()]);
    let whole: Value = serde_json::from_str(&shown).expect("JSON");
    let value = whole["prints"][0]["expression"].as_str().expect("a text");
    assert_eq!(value, format!("\"{EVIL}\""));
}

/// What is said about a script that cannot be checked quotes it: names, strings, comments, files.
#[test]
fn no_message_about_a_script_draws_on_the_terminal() {
    for (n, text) in [
        format!("P = Q -- {EVIL}\n{{- {EVIL} -}} R = \"{EVIL}\" + S\n"),
        format!("include \"{EVIL}.csp\"\n"),
        format!("#include <{EVIL}>\n"),
        format!("include {EVIL}\n"),
        format!("P = \"{EVIL}\n"),
        format!("P = '{EVIL}'\n"),
        format!("P = STOP {EVIL} STOP\n{EVIL} = STOP\n"),
        format!("{{- {EVIL}\n"),
        format!("f(\"{EVIL}\") = 1\nprint f(\"\")\nprint error(\"{EVIL}\")\nassert STOP :[deadlock free]\n"),
        format!("channel a\nP(s) = a -> a -> P(s)\nassert P(\"{EVIL}\") [T= STOP -- {EVIL}\nassert not P(\"{EVIL}\") :[has trace]: <a>\n"),
        format!("datatype T = A | B\nchannel c : T\nP(s) = c.A -> (if s == \"\" then P(\"{EVIL}\" ^ s) else STOP)\nassert P(\"\") :[symmetry free]\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = script(&format!("printed_evil_{n}.csp"), text).display().to_string();
        for format in ["text", "json"] {
            harmless(&["check", "--stats", "--max-states", "40", "--format", format, &path]);
            harmless(&["typecheck", "--types", "--format", format, &path]);
            harmless(&["explain", "--random", "2", "--format", format, &path]);
            harmless(&["explain", "--format", format, &path, &format!("P(\"{EVIL}\")")]);
            harmless(&["explain", "--trace", &format!("<{EVIL}>"), "--format", format, &path, "P"]);
            harmless(&["compare", "--format", format, &path, "P", "<>", &format!("<{EVIL}>")]);
            harmless(&["compare", "--format", format, &path, &format!("P(\"{EVIL}\")"), "<>", "<>"]);
        }
        for format in ["dot", "svg", "graphml", "aut", "json"] {
            let deep = &["graph", "--depth", "3", "--format", format, &path][..];
            harmless(deep);
            harmless(&[deep, &[&format!("P(\"{EVIL}\")")]].concat());
        }
        harmless(&["check", "--format", "ndjson", "--max-states", "40", &path]);
    }
}

#[test]
fn no_argument_draws_on_the_terminal() {
    let model = script("printed_plain.csp", "P = STOP\n")
        .display()
        .to_string();
    for args in [
        &["check", EVIL][..],
        &["check", &model, EVIL],
        &["check", "-a", EVIL, &model],
        &["check", "--rep", EVIL, &model],
        &["check", "--timeout", EVIL, &model],
        &["check", &format!("--{EVIL}"), &model],
        &["check", "--types", EVIL, &model],
        &["check", "--save", &format!("/no/{EVIL}\n/x"), &model],
        &["replay", &model, EVIL],
        &["typecheck", EVIL],
        &["help", EVIL],
        &["explain", EVIL],
        &["explain", &model, EVIL],
        &["explain", "--trace", EVIL, &model, "P"],
        &["explain", "--seed", EVIL, &model],
        &["compare", EVIL],
        &["compare", EVIL, "<>", "<>"],
        &["compare", &model, EVIL, EVIL],
        &["compare", &model, EVIL, "<>", "<>"],
        &["graph", EVIL],
        &["graph", &model, EVIL],
        &["graph", "--format", EVIL, &model],
        &[
            "graph",
            "--format",
            "dot",
            "-o",
            &format!("/no/{EVIL}\n/x"),
            &model,
        ],
        &["open", EVIL],
        &["open", "--trace", EVIL, &model],
        &["open", "--counterexample", EVIL, &model],
        &[EVIL],
    ] {
        let (code, _) = harmless(args);
        assert!(matches!(code, Some(0 | 2 | 3)), "{args:?}: {code:?}");
    }
}

/// The name of a file must not begin a line of its own.
#[cfg(unix)]
#[test]
fn no_name_of_a_file_draws_on_the_terminal() {
    let name = format!("printed{}\n9  P   holds.csp", EVIL.replace('/', ""));
    let path = script(&name, "P = Q\nassert STOP :[deadlock free]\n")
        .display()
        .to_string();
    for args in [&["check", &path][..], &["typecheck", "--types", &path]] {
        let ran = orbitscope(args, b"");
        for text in [&ran.stdout, &ran.stderr] {
            assert_eq!(obeyed(text), None, "{text:?}");
            assert!(!text.lines().any(|l| l.starts_with("9  P")), "{text}");
        }
    }
}

/// Components that know a large alphabet do not have it written out.
#[test]
fn a_counterexample_does_not_repeat_alphabets() {
    let text = "channel a : {0..199}\n\
                P(A, n) = n < 8 & ([] x : A @ x -> P(A, n + 1)) [] n >= 8 & STOP\n\
                Q = P({|a|}, 0) [| {|a|} |] P({|a|}, 1)\nassert Q :[deadlock free]\n";
    let path = script("printed_alphabets.csp", text).display().to_string();
    let saved = format!("{path}.json");
    let _ = std::fs::remove_file(&saved);
    let ran = orbitscope(&["check", "--save", &saved, &path], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let steps: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|l| l.contains("VISIBLE"))
        .collect();
    assert_eq!(steps.len(), 7);
    for (n, line) in steps.iter().enumerate() {
        assert!(line.len() < 250, "{line}");
        // What changes is still told.
        assert!(line.contains(&format!(", {})", n + 1)), "{line}");
    }
    let bytes = std::fs::metadata(&saved).expect("it was saved").len();
    assert!(bytes < 2_000, "{bytes}");
    let ran = orbitscope(&["replay", &path, &saved], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // A number of an entry that there is not is no reason to panic.
    let text = std::fs::read_to_string(&saved).expect("text");
    for (from, to) in [("end: 7", "end: 7777777"), ("end: 7", "end: -1")] {
        std::fs::write(&saved, text.replace(from, to)).expect("it is written");
        let ran = orbitscope(&["replay", &path, &saved], b"");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    }
}
