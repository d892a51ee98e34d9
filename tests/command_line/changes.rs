//! Steps of counterexamples show what is new in them.

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
