//! Steps of counterexamples show what is new in them, and searches that a limit ended what grows.

use serde_json::Value;

use crate::support::{orbitscope, script};

/// A process with a map, a sequence and a set, which are long.
const LONG: &str = "channel put : {1..40}.{0..5}\nchannel done\n\
    Store(n, m, log, seen) = n < 3 & put.n+1!n -> Store(n+1, mapUpdate(m, n+1, n), log^<n>, union(seen, {n+50}))\n  \
    [] n == 3 & done -> STOP\n\
    assert put.1.0 -> put.2.1 -> put.3.2 -> STOP\n  \
    [T= Store(0, mapFromList(<(k, k+100) | k <- <1..40>>), <1..30>, {1..30})";

fn checked(name: &str, source: &str, options: &[&str]) -> String {
    let path = script(name, source).display().to_string();
    orbitscope(&[&["check", &path], options].concat(), b"").stdout
}

#[test]
fn steps_show_changed_entries_and_the_first_state_all() {
    let said = checked("changes.csp", LONG, &[]);
    let steps: Vec<&str> = said.lines().filter(|l| l.contains("VISIBLE")).collect();
    let first = "1 VISIBLE  put.1.0  Store = Store(1, (| … with 1 => 0 |), <the first 30, 0>, {… with 50})  |";
    assert!(steps[0].contains(first), "{said}");
    assert!(
        steps[1].contains("Store(2, (| … with 2 => 1 |), <the first 31, 1>, {… with 51})"),
        "{said}"
    );
    assert!(steps.iter().all(|line| line.len() < 140), "{said}");
    let first = said
        .lines()
        .find(|l| l.contains("begins with"))
        .expect("a beginning");
    assert!(
        first.contains("40 => 140 |)") && first.contains("28, 29, 30})"),
        "{first}"
    );
    let found = checked("changes_json.csp", LONG, &["--format", "json"]);
    let found: Value = serde_json::from_str(&found).expect("a document");
    let step = &found["checks"][0]["counterexample"]["steps"][0];
    let whole = step.to_string();
    assert!(
        whole.contains("40 => 140") && !whole.contains('…'),
        "{whole}"
    );
}

#[test]
fn a_search_that_a_limit_ended_names_the_parameter_that_grows() {
    let source = "channel a, b\nP(n, x) = a -> P(n+1, x)\nQ(s) = b -> Q(s^<b>)\nR(n) = a -> R((n+1) % 1000)\n\
        assert P(0, 7) :[deadlock free]\nassert Q(<>) :[deadlock free]\nassert R(0) :[deadlock free]";
    let limit = ["--max-states", "500"];
    let said = checked("grows.csp", source, &limit);
    assert!(said.contains("in `P` `n` grows: 0, 1, 2, … "), "{said}");
    assert!(
        said.contains("in `Q` the length of `s` grows: 0, 1, 2, … "),
        "{said}"
    );
    assert!(!said.contains("`x`"), "{said}");
    let found = checked(
        "grows_json.csp",
        source,
        &[&limit[..], &["--format", "json"]].concat(),
    );
    let found: Value = serde_json::from_str(&found).expect("a document");
    let grows = &found["checks"][0]["stats"]["growing"];
    assert_eq!(grows.as_array().map(Vec::len), Some(1), "{grows}");
    assert_eq!(grows[0]["process"], "P");
    assert_eq!(grows[0]["parameter"], "n");
    assert_eq!(grows[0]["measure"], "value");
    assert_eq!(grows[0]["first"], serde_json::json!([0, 1, 2]));
    assert!(
        grows[0]["last"].as_i64().is_some_and(|last| last >= 400),
        "{grows}"
    );
    // Nothing grows in what came to its end.
    let ended = "channel a\nR(n) = a -> R((n+1) % 1000)\nassert R(0) :[deadlock free]";
    assert!(!checked("grows_not.csp", ended, &[]).contains("grows"));
}

#[test]
fn a_recursion_that_a_limit_ended_says_what_waits() {
    let source = "channel a : {0..3}\nmodule M\nexports\n  g(n, k) = let h(m) = g(m+2, k) + m within h(n)\n\
        endmodule\nS = a!M::g(0, 5) -> STOP\nassert S :[deadlock free]";
    let said = checked("waits.csp", source, &[]);
    let waits =
        "calls of `h` wait for those that they make, 250,000 calls deep; `m` grows: 0, 2, 4, … ";
    assert!(said.contains(waits), "{said}");
}
