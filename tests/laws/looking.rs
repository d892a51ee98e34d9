//! What looking for symmetry in the structure costs, on networks of the sizes that people write.
//!
//! Costs are steps of work, as the program counts them: they are the same on any machine.

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::look_bounds::LookBounds;
use orbitscope::check::{Options, StructureUse};
use orbitscope::symmetry::StrategyKind;

use crate::support::{bounded, check, options, script, sound, verdict};

/// Larger searches are given up: what is looked for is found before.
const STATES_MAX: usize = 8;

fn by_default() -> Options {
    let how = Options {
        structure: None,
        ..options(None, StrategyKind::default(), 1)
    };
    bounded(how, STATES_MAX)
}

/// The outcomes of all assertions of a script.
fn outcomes(name: &str, text: &str) -> Vec<CheckOutcome> {
    let loaded = sound(&script(name, text));
    let all = 1..=loaded.script.assertions.len();
    all.map(|number| check(&loaded, number, &by_default()))
        .collect()
}

/// What came of looking, and how much work it was.
fn looked(outcome: &CheckOutcome) -> Option<(StructureUse, u64)> {
    let looked = outcome.details.as_ref()?.structure_looked?;
    Some((looked.came, looked.work))
}

/// The order of the group that a check is reduced by, as digits.
fn order(outcome: &CheckOutcome) -> Option<String> {
    let symmetry = outcome.symmetry.as_ref();
    symmetry.map(|s| s.group_order.to_string())
}

fn factorial(n: usize) -> String {
    let all = (1..=n).map(num_bigint::BigUint::from);
    all.product::<num_bigint::BigUint>().to_string()
}

/// Processes side by side, of any number: all permutations of them are found at once, and never by a chain.
#[test]
fn many_processes_side_by_side_are_seen_at_once() {
    for n in [2, 3, 8, 31, 64, 95, 96, 97, 124, 129, 200, 259] {
        let text = format!(
            "channel a : {{1..{n}}}\nP = ||| i:{{1..{n}}} @ a.i -> STOP\nassert STOP [T= P\n\
             channel b : {{1..{n}}}\nC(i) = b.i -> b.i -> C(i)\nL = ||| i:{{1..{n}}} @ C(i)\n\
             assert RUN({{|b|}}) [T= L\n\
             channel g\nD(i) = a.i -> g -> D(i)\nS = [|{{g}}|] i:{{1..{n}}} @ D(i)\n\
             assert RUN({{|a,g|}}) [T= S\n"
        );
        let all = outcomes(&format!("side_by_side_{n}.csp"), &text);
        for (form, outcome) in all.iter().enumerate() {
            let (came, work) = looked(outcome).expect("it was looked");
            assert_ne!(came, StructureUse::Limited, "{form} of {n}");
            let most = 20_000 + 3_000 * n as u64;
            assert!(work <= most, "{form} of {n}: {work}");
            if came == StructureUse::Used {
                assert_eq!(order(outcome), Some(factorial(n)), "{form} of {n}");
            }
        }
    }
}

/// Families of several kinds, groups of groups, rings and grids: what is found costs no more than it may, and has the
/// order that such a network has.
#[test]
fn other_large_networks_cost_little() {
    let nested = "channel a : {1..12}.{1..9}\nchannel t : {1..12}\n\
        G(i) = [|{t.i}|] j:{1..9} @ (a.i.j -> t.i -> STOP)\n\
        P = ||| i:{1..12} @ G(i)\nassert P :[divergence free]\nassert RUN(Events) [T= P\n";
    let mixed = "channel a, b, c : {1..70}\n\
        P = (||| i:{1..70} @ a.i -> STOP) ||| (||| i:{1..50} @ b.i -> b.i -> STOP) \
        ||| (||| i:{1..40} @ c.i -> c.i -> c.i -> STOP)\nassert RUN(Events) [T= P\n";
    let ring = "channel a, b : {0..99}\n\
        C(i) = a.i -> a.((i+1)%100) -> b.i -> C(i)\n\
        P = || i:{0..99} @ [{a.i, a.((i+1)%100), b.i}] C(i)\nassert RUN(Events) [T= P\n";
    let grid = "channel h, v : {0..9}.{0..9}\n\
        C(i,j) = h.i.j -> v.i.j -> h.i.((j+1)%10) -> v.((i+1)%10).j -> C(i,j)\n\
        P = || (i,j):{(i,j) | i <- {0..9}, j <- {0..9}} @ \
        [{h.i.j, v.i.j, h.i.((j+1)%10), v.((i+1)%10).j}] C(i,j)\n\
        assert RUN(Events) [T= P\n";
    let all = [
        ("nested", nested),
        ("mixed", mixed),
        ("ring", ring),
        ("grid", grid),
    ];
    for (name, text) in all {
        for outcome in outcomes(&format!("large_{name}.csp"), text) {
            let (came, work) = looked(&outcome).expect("it was looked");
            assert!(work <= LookBounds::BY_ITSELF.work, "{text}: {work}");
            let found = matches!(came, StructureUse::Used | StructureUse::Idle);
            assert!(found, "{text}: {came:?}");
        }
    }
}

/// By structure, or not at all.
fn demanded() -> Options {
    let how = Options {
        structure: Some(true),
        symmetry: Some(true),
        ..options(None, StrategyKind::default(), 1)
    };
    bounded(how, 1_000_000)
}

/// A specification of thousands of nodes, of which the least images need few.
#[test]
fn a_large_specification_is_permuted_with_the_network() {
    let text = "channel call, done : {0..3}.{0..5}\nOne(i) = call.i?n -> done.i.n -> One(i)\n\
        Spec = ||| i : {0..3} @ One(i)\nSys = ||| i : {0..3} @ One(i)\nassert Spec [T= Sys\n";
    let loaded = sound(&script("large_specification.csp", text));
    let outcome = check(&loaded, 1, &demanded());
    assert_eq!(verdict(&outcome), "pass");
    // All permutations of clients, and of the six numbers of each: (6!)^4 · 4!.
    assert_eq!(order(&outcome), Some("6449725440000".to_owned()));
    assert_eq!(outcome.progress.states, 5);
}

/// Of a specification whose nodes are many sets of states, the search needs few before it ends: it is not normalised as a
/// whole for a group that is asked for.
#[test]
fn a_specification_is_not_normalised_for_a_search_that_is_soon_over() {
    let text = "channel a, f : {0..3}\nP(i) = a.i -> (P(i) |~| Q(i,9))\n\
        Q(i,k) = if k == 0 then f.i -> P(i) else a.i -> (Q(i,k-1) [] f.i -> Q(i,k-1))\n\
        Sys = ||| i:{0..3} @ P(i)\nassert Sys :[deterministic [F]]\n";
    let loaded = sound(&script("normalised_all.csp", text));
    let outcome = check(&loaded, 1, &demanded());
    assert_eq!(verdict(&outcome), "fail");
    let nodes = outcome.details.as_ref().and_then(|details| details.nodes);
    assert!(nodes.is_some_and(|nodes| nodes < 6_000), "{nodes:?}");
}
