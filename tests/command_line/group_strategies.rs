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

/// A ring of nine, which has more ways to turn it than local search tries at once.
fn ring_of_nine() -> String {
    let text = std::fs::read_to_string(ring()).expect("the ring");
    let path = script("group_nine.csp", text.replace("N = 6", "N = 9"));
    path.display().to_string()
}

#[track_caller]
fn raced(args: &[&str]) -> Value {
    let ran = orbitscope(&[&["race", "--format", "json"], args].concat(), b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect(&ran.stderr)
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
    assert_eq!(symmetry["group_order"], "24");
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

/// Where no datatype is symmetric, those race that go by the structure, and orbits are counted by its group.
#[test]
fn strategies_of_groups_race_over_a_ring() {
    let path = ring_of_nine();
    let race = raced(&[&path]);
    assert_eq!(race["disagreement"], Value::Null);
    assert_eq!(race["symmetry"]["group_order"], "9");
    assert!(race["symmetry"]["structure"]["generators"].is_array());
    let rows = race["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|r| r["strategy"].as_str()).collect();
    assert_eq!(names, ["structure", "chain", "enumerate", "local"]);
    for row in rows {
        let rep = row["strategy"].as_str().expect("a name");
        assert_eq!(row["status"], "explored", "{rep}");
        // Words of nine bits up to rotation: (2^9 + 2·2^3 + 6·2) / 9.
        let orbits = &row["orbits"];
        assert_eq!(
            (&orbits["count"], &orbits["certain"]),
            (&60.into(), &true.into()),
            "{rep}"
        );
        let states = row["states"].as_u64().expect("states");
        if rep == "local" {
            assert!(states > 60 && states <= 512, "{states}");
            assert!(orbits["most"].as_u64() > Some(1));
        } else {
            assert_eq!(states, 60, "{rep}");
            assert_eq!(row["doubled"], Value::Null, "{rep}");
        }
    }
    let doubled = &rows[3]["doubled"];
    let turned = doubled["components"]
        .as_array()
        .expect("cycles of components");
    let cells: usize = turned
        .iter()
        .filter_map(|c| c.as_array())
        .map(Vec::len)
        .sum();
    assert_eq!(cells, 9, "a rotation moves all of them: {doubled}");
    assert_eq!(doubled["permutation"], Value::Array(Vec::new()));
    assert_eq!(doubled["left_out"], 0);
    let paths = [&doubled["a"]["path"], &doubled["b"]["path"]];
    assert!(paths[0] != paths[1], "{doubled}");
    let text = orbitscope(&["race", &path], b"").stdout;
    for part in [
        "reduced over the structure of the network (rotation of 9): group of order 9;",
        "local gives one orbit two representatives",
        ") takes the one to the other",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Who names strategies for groups gets these, also where datatypes are symmetric.
#[test]
fn a_race_is_over_datatypes_or_over_the_structure() {
    let path = repository("models/stack_aba.csp").display().to_string();
    let by_types = raced(&[&path, "-a", "2", "--rep", "exact"]);
    assert_eq!(by_types["symmetry"]["structure"], Value::Null);
    let by_structure = raced(&[&path, "-a", "2", "--rep", "local,structure"]);
    assert_eq!(by_structure["symmetry"]["group_order"], "24");
    let rows = by_structure["rows"].as_array().expect("rows");
    let counts = |row: &Value| (row["states"].as_u64(), row["orbits"]["count"].as_u64());
    let (states, orbits) = counts(&rows[1]);
    assert_eq!((states, counts(&rows[0]).1), (orbits, orbits));
    assert!(
        counts(&rows[0]).0 > states,
        "local search is not exact here"
    );
    let mixed = orbitscope(&["race", &path, "--rep", "chain,walk"], b"");
    assert_eq!(mixed.code, Some(2), "{}", mixed.stderr);
    let why =
        "`chain` is for symmetry that is found in the structure of the network, and `walk` is for";
    assert!(mixed.stderr.contains(why), "{}", mixed.stderr);
}

#[test]
fn where_nothing_is_symmetric_nobody_races() {
    let text = "channel a, b : {0..1}\nP = a.0 -> b.1 -> P\nassert P :[deadlock free]\n";
    let path = script("group_no_race.csp", text).display().to_string();
    let ran = orbitscope(&["race", &path], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    for part in [
        "E0510",
        "no datatype is symmetric",
        "in the structure of the network: no permutation",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    // Copies are exchanged all the same.
    let text = "channel a, b\nP = a -> b -> P\nS = P ||| P ||| P\nassert S :[deadlock free]\n";
    let path = script("group_copies.csp", text).display().to_string();
    let race = raced(&[&path, "--rep", "exact"]);
    assert_eq!(race["symmetry"]["group_order"], "6");
    let all = raced(&[&path]);
    assert!(
        all["rows"].as_array().is_some_and(|rows| rows.len() > 4),
        "{all}"
    );
}

/// Of the ways to turn a ring none leaves a transition alone: 288 of them are 48 orbits.
#[test]
fn state_symmetry_goes_by_the_structure() {
    let path = ring();
    let taken = |args: &[&str]| {
        let ran = check(&path, &[args, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let stats = &document["checks"][0]["stats"];
        (stats["states"].as_u64(), stats["representatives"].as_u64())
    };
    // With the default some steps sleep besides.
    assert_eq!(taken(&["--structure"]), (Some(14), Some(44)));
    for (rep, steps) in [("structure", 39), ("chain", 48), ("enumerate", 48)] {
        let folded = taken(&["--rep", rep, "--state-symmetry"]);
        assert_eq!(folded, (Some(14), Some(steps)), "{rep}");
    }
}

/// The map of a ring in JSON: orbits by the structure, and what turns each state.
#[test]
fn a_picture_puts_together_what_the_structure_does() {
    let ran = orbitscope(
        &["graph", "--map", "--format", "json", &ring(), "Ring"],
        b"",
    );
    let picture: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(picture["reduction"]["group_order"], "6");
    assert_eq!(picture["reduction"]["strategy"], "structure");
    let count = |of: &Value| of["vertices"].as_array().map(Vec::len);
    assert_eq!(
        (count(&picture["full"]), count(&picture["quotient"])),
        (Some(64), Some(14))
    );
    assert_eq!(picture["represented"]["states"], "64");
    let turned = &picture["covering"][1]["components_moved"]["cycles"];
    assert!(
        turned.as_str().is_some_and(|c| c.starts_with("(Cell[0] ")),
        "{turned}"
    );
    // What a search is reduced by is another matter, and it is said.
    let found = orbitscope(&["find", &ring(), "Ring", "deadlock"], b"").stdout;
    assert!(found.contains("not reduced by symmetry"), "{found}");
}
