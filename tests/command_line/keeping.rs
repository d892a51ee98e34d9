//! `check --rep` with ways to remember states that choose no representatives: what is said of them.

use crate::support::{self, orbitscope, repository};
use serde_json::Value;

fn model(name: &str) -> String {
    repository("models")
        .join(format!("{name}.csp"))
        .display()
        .to_string()
}

fn checked(args: &[&str]) -> (Option<i32>, Value) {
    let ran = orbitscope(&[&["check", "--format", "json"], args].concat(), b"");
    let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    (ran.code, document["checks"][0].clone())
}

#[test]
fn markers_never_pass() {
    let path = model("philosophers");
    let (code, check) = checked(&["-a", "1", "--rep", "markers", &path]);
    assert_eq!((code, &check["status"]), (Some(4), &"approximate".into()));
    let reason = check["reason"].as_str().expect("a reason");
    assert!(reason.contains("proves nothing"), "{reason}");
    let ran = orbitscope(&["check", "-a", "1", "--rep", "markers", &path], b"");
    assert_eq!(ran.code, Some(4));
    assert!(
        ran.stdout.contains("approximate: no counterexample"),
        "{}",
        ran.stdout
    );
    let (code, check) = checked(&["-a", "3", "--rep", "markers", &path]);
    assert_eq!((code, &check["status"]), (Some(1), &"fail".into()));
    // Beside an unreduced search that proves it, there is nothing to agree with.
    let ran = orbitscope(
        &["check", "-a", "1", "--rep", "markers", "--both", &path],
        b"",
    );
    assert_eq!(ran.code, Some(4), "{}", ran.stdout);
    assert!(ran.stdout.contains("nothing is compared"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("agree"), "{}", ran.stdout);
}

/// There are some hundred states and thousands of nodes of the specification, which differ in what their members are.
#[test]
fn markers_tell_nodes_of_the_specification_apart() {
    let Some(folder) = support::findings("keeping::markers_tell_nodes_of_the_specification_apart")
    else {
        return;
    };
    let path = folder.join("third/cliff_buckets.csp").display().to_string();
    let states = |rep: &str| {
        let (_, check) = checked(&["-a", "12", "--rep", rep, &path]);
        check["stats"]["states"].as_u64().expect("a number")
    };
    let (markers, orbits) = (states("markers"), states("buckets"));
    assert!(markers <= orbits, "{markers} {orbits}");
    assert!(10 * markers >= 8 * orbits, "{markers} {orbits}");
}

#[test]
fn flooding_says_what_it_only_remembers() {
    let path = model("peterson");
    let args = ["-a", "1", "--no-merging", "--rep", "flood", &path];
    let (code, check) = checked(&args);
    assert_eq!(code, Some(0));
    assert_eq!(check["stats"]["states"], 620);
    assert_eq!(check["stats"]["only_remembered"], 620 - 121);
    let ran = orbitscope(&[&["check"], &args[..]].concat(), b"");
    assert!(
        ran.stdout.contains("121 states reached, one of each orbit"),
        "{}",
        ran.stdout
    );
}

#[test]
fn state_symmetry_takes_fewer_representatives() {
    let path = model("philosophers");
    let (_, plain) = checked(&["-a", "1", &path]);
    let (_, folded) = checked(&["-a", "1", "--state-symmetry", &path]);
    assert_eq!(plain["stats"]["states"], folded["stats"]["states"]);
    assert_eq!(
        plain["stats"]["transitions"],
        folded["stats"]["transitions"]
    );
    let taken = |check: &Value| {
        check["stats"]["representatives"]
            .as_u64()
            .expect("a number")
    };
    assert!(taken(&folded) <= taken(&plain));
}

#[test]
fn the_help_says_what_each_is_exact_for() {
    let ran = orbitscope(&["check", "--help"], b"");
    for says in [
        "- flood:",
        "- first-seen:",
        "- buckets:",
        "- markers:",
        "- bubble:",
        "never exact",
        // What is stored is a pair, so it has to be told which of the two is meant.
        "exact for is said of states. It holds of pairs of a state and a node of the specification",
    ] {
        // However wide the terminal is, words stay in their order.
        let help = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(says), "{says}: {}", ran.stdout);
    }
}
