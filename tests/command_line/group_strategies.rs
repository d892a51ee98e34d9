//! Strategies for groups that were found in the structure of a network: which of them apply, what they keep, and
//! what is said where they do not.

use crate::support::{Ran, orbitscope, repository, script};
use serde_json::Value;

/// A ring of six cells that are numbered by integers: no datatype, and six ways to turn it.
pub(super) fn ring() -> String {
    let text = "N = 6
channel take, pass : {0..N-1}
Cell(i) = take.i -> pass.((i+1)%N) -> Cell(i) [] pass.i -> Cell(i)
Ring = || i : {0..N-1} @ [{take.i, pass.i, pass.((i+1)%N)}] Cell(i)
assert Ring :[divergence free]
";
    let path = script("group_ring.csp", text);
    path.display().to_string()
}

/// Eight cells that are alike.
fn eight() -> String {
    let text = "channel take, put : {0..7}
Cell(i) = take.i -> put.i -> Cell(i)
Cells = ||| i : {0..7} @ Cell(i)
assert Cells :[deadlock free [F]]
";
    let path = script("group_eight.csp", text);
    path.display().to_string()
}

fn check(path: &str, args: &[&str]) -> Ran {
    orbitscope(&[&["check", path, "--no-merging"], args].concat(), b"")
}

#[track_caller]
fn kept(path: &str, args: &[&str]) -> (u64, Value) {
    let ran = check(path, &[args, &["--format", "json"]].concat());
    let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let result = &document["checks"][0];
    assert_eq!(result["status"], "pass", "{document}");
    let states = result["stats"]["states"].as_u64().expect("states");
    (states, result["symmetry"].clone())
}

#[test]
fn strategies_keep_as_many_states_as_they_promise() {
    let path = ring();
    let (whole, _) = kept(&path, &["--no-symmetry"]);
    let (default, _) = kept(&path, &[]);
    // Each cell is in one of two states: words of six bits, and up to rotation.
    assert_eq!((whole, default), (64, 14));
    for rep in ["structure", "chain", "enumerate", "local"] {
        let (states, symmetry) = kept(&path, &["--rep", rep]);
        assert_eq!(symmetry["rep"], rep);
        assert_eq!(symmetry["group_order"], "6");
        match rep {
            "local" => assert!((default..=whole).contains(&states), "{rep}: {states}"),
            _ => assert_eq!(states, default, "{rep}"),
        }
    }
}

/// The datatypes of a script are left alone: what they tell is found again.
#[test]
fn a_strategy_of_groups_goes_by_the_structure_alone() {
    let path = repository("models/philosophers.csp").display().to_string();
    let (by_types, symmetry) = kept(&path, &["-a", "1", "--symmetry", "types"]);
    assert_eq!(symmetry["rep"], "exact");
    let (by_structure, symmetry) = kept(&path, &["-a", "1", "--rep", "chain"]);
    assert_eq!(symmetry["rep"], "chain");
    assert_eq!(symmetry["group_order"], "576");
    assert_eq!(by_types, by_structure);
}

#[test]
fn large_groups_are_not_gone_through() {
    let path = eight();
    let ran = check(&path, &["--rep", "enumerate"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    for part in [
        "E0515",
        "at most 4,096 elements",
        "the group has 40320",
        "--rep structure",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // A multiset of nine from two.
    for rep in ["structure", "chain", "local"] {
        assert_eq!(kept(&path, &["--rep", rep]).0, 9, "{rep}");
    }
}

#[test]
fn without_a_group_there_is_nothing_to_choose_by() {
    let text = "channel a, b : {0..1}\nP = a.0 -> b.1 -> P\nassert P :[deadlock free]\n";
    let path = script("group_none.csp", text).display().to_string();
    let ran = check(&path, &["--rep", "chain"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("E0516"), "{said}");
}

#[test]
fn datatypes_and_strategies_of_groups_do_not_go_together() {
    let path = ring();
    for args in [
        &["--rep", "local", "--symmetry", "types"][..],
        &["--rep", "local", "--types", "T"],
    ] {
        let ran = check(&path, args);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("datatypes were asked for"),
            "{}",
            ran.stderr
        );
    }
    // Where nothing is reduced, nothing chooses.
    let (states, symmetry) = kept(&path, &["--rep", "local", "--no-symmetry"]);
    assert_eq!(
        (states, symmetry),
        (kept(&path, &["--no-symmetry"]).0, Value::Null)
    );
}
