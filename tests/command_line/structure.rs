//! `orbitscope structure` and `orbitscope find`: what they say, and with which exit code.

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

fn model(name: &str) -> String {
    repository("models").join(name).display().to_string()
}

#[test]
fn the_cycle_of_a_deadlock_is_told_after_it_was_found() {
    let path = model("philosophers.csp");
    let found = orbitscope(
        &["find", "--format", "json", &path, "Table", "deadlock"],
        b"",
    );
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let found: Value = serde_json::from_str(&found.stdout).expect("it is JSON");
    assert_eq!(found["schema"], "orbitscope.find/1");
    assert_eq!(
        (&found["result"], &found["reduced"]),
        (&"found".into(), &true.into())
    );
    let steps = found["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 14);
    let trace = steps.iter().map(|step| match step["event"].as_str() {
        Some("") | None => "tau",
        Some(event) => event,
    });
    let trace = format!("<{}>", trace.collect::<Vec<_>>().join(", "));
    let shown = orbitscope(
        &["structure", "--format", "json", &path, "Table", &trace],
        b"",
    );
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("it is JSON");
    assert_eq!(shown["schema"], "orbitscope.structure/1");
    assert_eq!(shown["deadlocked"], true);
    let text = shown["cycles"][0]["text"].as_str().expect("a cycle");
    assert!(
        text.contains("waits for Phil[") && text.contains("(take."),
        "{text}"
    );
    let text = orbitscope(&["structure", &path, "Table", &trace], b"");
    assert!(
        text.stdout.contains("4 x Fork[*]") && text.stdout.contains("\ncycle "),
        "{}",
        text.stdout
    );
    let all = orbitscope(&["structure", "--unfold", &path, "Table"], b"");
    assert!(
        all.stdout.contains("Fork[I3]") && !all.stdout.contains("4 x"),
        "{}",
        all.stdout
    );
}

#[test]
fn exit_codes_of_find_say_what_is_known() {
    let path = model("two_buffers.csp");
    let code = |args: &[&str]| orbitscope(&[&["find", &path], args].concat(), b"").code;
    assert_eq!(code(&["Q", "offers r.B"]), Some(0));
    assert_eq!(code(&["Q", "deadlock"]), Some(1));
    assert_eq!(code(&["Q", "deadlock", "--max-states", "2"]), Some(4));
    assert_eq!(code(&["Q", "Lft is Left"]), Some(3));
    assert_eq!(code(&["Q", "deadlock or"]), Some(3));
    assert_eq!(code(&[]), Some(2));
    assert_eq!(code(&["Q", "offers r.B", "--from", "<l.B>"]), Some(0));
    let wrong = orbitscope(&["find", &path, "Q", "some Lft is Left"], b"");
    assert!(
        wrong.stderr.contains("column 1: no family is called `Lft`"),
        "{}",
        wrong.stderr
    );
    assert!(
        wrong.stderr.contains("  | some Lft is Left\n  | ^^^^^^^^^"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn hostile_conditions_are_refused() {
    let path = script("find_hostile.csp", "P = STOP");
    let path = path.display().to_string();
    let deep = "(".repeat(50_000);
    for text in [
        &deep[..],
        "\u{1b}[2J",
        "P is \"\u{1b}]0;x\u{7}",
        "offers \u{202e}",
        "",
        "not not not",
    ] {
        let ran = orbitscope(&["find", &path, "P", text], b"");
        assert_eq!(ran.code, Some(3), "{text}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}') && !ran.stdout.contains('\u{1b}'));
    }
}

#[test]
fn a_component_of_many_events_is_told_in_few_words() {
    let path = script(
        "structure_many.csp",
        "channel c : {0..299}.{0..299}
         P(n) = c?x?y -> P(n)
         System = ||| i : {1..3} @ P(i)
         Both = P(1) [|{|c|}|] (c.0?y -> STOP)",
    );
    let path = path.display().to_string();
    for process in ["System", "Both"] {
        let ran = orbitscope(&["structure", &path, process], b"");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.len() < 20_000, "{}", ran.stdout.len());
    }
}

#[test]
fn three_hundred_components_are_told() {
    let path = script(
        "structure_wide.csp",
        "channel a, b : {0..299}
         P(n) = a.n -> b.n -> P(n)
         System = ||| i : {0..299} @ P(i)",
    );
    let path = path.display().to_string();
    let ran = orbitscope(&["structure", &path, "System"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("300 x P[*]"), "{}", ran.stdout);
}
