//! Identical components are exchanged where no rule tells them apart.

use crate::support::{check, counts, options, replay, script, sound, unmerged, verdict};
use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;

/// The only assertion of a script, reduced with everything counted, and unreduced. A counterexample
/// is replayed.
fn both(name: &str, text: &str) -> (CheckOutcome, CheckOutcome) {
    let path = script(name, text);
    let loaded = sound(&path);
    let counted = Options {
        count_full: true,
        ..options(None, StrategyKind::Exact, 2)
    };
    let reduced = check(&loaded, 1, &counted);
    let plain = check(
        &loaded,
        1,
        &unmerged(options(Some(false), StrategyKind::Exact, 2)),
    );
    assert_eq!(verdict(&reduced), verdict(&plain));
    if let Some(found) = &reduced.counterexample {
        assert_eq!(replay(&path, found), Ok(()));
    } else {
        let (states, transitions) = counts(&plain);
        let all = Some((states.into(), transitions.into()));
        assert_eq!(reduced.represented, all);
    }
    (reduced, plain)
}

fn copies(outcome: &CheckOutcome) -> Vec<(String, usize)> {
    let symmetry = outcome.symmetry.as_ref();
    symmetry.map_or_else(Vec::new, |s| s.copies.clone())
}

#[test]
fn copies_need_no_datatype() {
    let text = "channel in, out
P = in -> out -> P
System = ||| i : {1..8} @ P
assert System :[deadlock free]";
    let (reduced, plain) = both("copies_plain.csp", text);
    assert_eq!(copies(&reduced), [("P".to_owned(), 8)]);
    assert_eq!(
        reduced.symmetry.expect("it is reduced").group_order,
        40_320u32.into()
    );
    assert_eq!((reduced.progress.states, plain.progress.states), (9, 256));
}

#[test]
fn copies_and_values_are_reduced_by_together() {
    let text = "datatype T = A | B | C | D
channel c, d : T
P = c?x -> Q(x)
Q(x) = d.x -> P
System = P ||| P ||| P
assert CHAOS({|c, d|}) [F= System";
    let (reduced, plain) = both("copies_values.csp", text);
    assert_eq!(copies(&reduced), [("P".to_owned(), 3)]);
    assert_eq!(
        reduced.symmetry.expect("it is reduced").group_order,
        (24u32 * 6).into()
    );
    // How many hold a value, and how they share them: 1, 1, 2 and 3 ways.
    assert_eq!((reduced.progress.states, plain.progress.states), (7, 125));
}

#[test]
fn copies_that_a_rule_tells_apart_stay_apart() {
    let text = "channel in, out
P = in -> out -> P
System = (P ||| P) [|{out}|] P
assert System :[deadlock free]";
    let (reduced, _) = both("copies_apart.csp", text);
    assert_eq!(copies(&reduced), [("P".to_owned(), 2)]);
    let text = "channel in, out, log
P = in -> out -> P
System = P[[in <- log]] ||| P
assert System :[deadlock free]";
    let (reduced, _) = both("copies_renamed.csp", text);
    assert_eq!(copies(&reduced), []);
}

#[test]
fn counterexamples_exchange_copies_back() {
    let text = "datatype T = A | B | C
channel c, d : T
channel clash
P = c?x -> d?y -> (if x == y then clash -> STOP else P)
System = P ||| P ||| P
assert STOP [T= System \\ {|c, d|}";
    let (reduced, plain) = both("copies_clash.csp", text);
    assert_eq!(verdict(&reduced), "fail");
    assert!(reduced.progress.states < plain.progress.states);
    let text = "channel fork, back
P = fork -> fork -> back -> back -> P
Table = Full
Full = fork -> Half
Half = fork -> None [] back -> Full
None = back -> Half
System = (P ||| P) [|{fork, back}|] Table
assert System :[deadlock free]";
    let (reduced, _) = both("copies_deadlock.csp", text);
    assert_eq!(verdict(&reduced), "fail");
    let text = "channel go, idle
P = go -> L
L = idle -> L
System = (P ||| P ||| P) \\ {idle}
assert System :[divergence free]";
    let (reduced, _) = both("copies_livelock.csp", text);
    assert_eq!(verdict(&reduced), "fail");
}

#[test]
fn networks_that_change_their_form_keep_copies_apart() {
    let text = "channel a, b
P = a -> (b -> STOP ||| b -> STOP)
System = P ||| P
assert CHAOS({a, b}) [T= System";
    let (reduced, _) = both("copies_forms.csp", text);
    assert_eq!(copies(&reduced), []);
}

#[test]
fn types_that_are_named_leave_copies_alone() {
    let text = "datatype T = A | B
channel c : T
P = c?x -> P
Q(x) = c.x -> Q(x)
System = P ||| P ||| (||| x : T @ Q(x))
assert System :[deadlock free]";
    let loaded = sound(&script("copies_named.csp", text));
    let named = Options {
        types: vec!["T".to_owned()],
        ..options(Some(true), StrategyKind::Walk, 1)
    };
    let outcome = check(&loaded, 1, &named);
    assert_eq!(copies(&outcome), []);
    assert_eq!(
        outcome.symmetry.expect("it is reduced").group_order,
        2u32.into()
    );
}
