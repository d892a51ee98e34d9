//! States of a large search that end alike have their ends stored once: it decides, counts and finds the same as a search
//! that stores all of each.

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

use crate::support::{check, counts, length, options, script, sound, verdict};

/// What is checked on so many threads, with ends stored once from so many bytes of states on.
fn how(collapse_after: usize, symmetry: Option<bool>, threads: usize) -> Options {
    Options {
        collapse_after,
        // Else a counter that shows nothing of its value would be merged into one state.
        merging: false,
        ..options(symmetry, StrategyKind::default(), threads)
    }
}

/// What a check came to, as far as it must not depend on how states are stored. Which states it met before a
/// counterexample may: others come first among those that take as many steps.
fn found(outcome: &CheckOutcome) -> (String, Option<usize>, Option<(u64, u64)>) {
    let verdict = verdict(outcome);
    let counts = (verdict == "pass").then(|| counts(outcome));
    (verdict, length(outcome), counts)
}

/// How one counter of a group goes on, and where something else happens: nothing more, only silent steps, or an event
/// that is never allowed.
#[derive(Clone, Debug)]
struct Script {
    /// By how much each of the counters of a group goes on.
    steps: Vec<u32>,
    /// At which value of the first group something else happens, and what.
    odd: (u32, u32),
    /// How many steps the specification allows in a row.
    bound: u32,
}

/// As many values as a counter has.
const VALUES: u32 = 24;

impl Script {
    fn text(&self) -> String {
        let Self {
            steps,
            odd: (at, what),
            bound,
        } = self;
        let groups: Vec<String> = (0..3).map(|g| format!("G{g}")).collect();
        let starts: Vec<String> = (steps.iter().enumerate())
            .map(|(n, step)| format!("({n}, {step})"))
            .collect();
        let odd = match what {
            0 => "STOP",
            1 => "bad -> STOP",
            2 => "Idle",
            _ => "on.g -> C(g, n, v, s)",
        };
        format!(
            "datatype G = {}\nchannel on : G\nchannel bad, idle\nfirst = {}\n\
             Idle = idle -> Idle\n\
             C(g, n, v, s) = if v == {at} and n == 0 then {odd} else on.g -> C(g, n, (v + s) % {VALUES}, s)\n\
             Group(g) = || c : {{{}}} @ [union({{on.g}}, if c == first then {{bad, idle}} else {{}})] Counter(g, c)\n\
             Counter(g, (n, s)) = C(g, n, 0, s)\n\
             System = (||| g : G @ Group(g)) \\ {{idle}}\n\
             Spec(n) = on?g -> Spec((n + 1) % {bound}) [] n == 0 & idle -> Spec(n)\n\
             assert Spec(0) [T= System\nassert Spec(0) [F= System\nassert Spec(0) [FD= System\n\
             assert System :[deadlock free [F]]\nassert System :[divergence free]\n",
            groups.join(" | "),
            starts[0],
            starts.join(", "),
        )
    }
}

/// Three groups of twelve counters: the last eighteen of them say how a state ends, in 24 times 24 ways at most.
fn scripts() -> impl Strategy<Value = Script> {
    let steps = prop::collection::vec(1..VALUES, 12);
    let odd = (0..VALUES * 2, 0..4u32);
    (steps, odd, 1..4u32).prop_map(|(steps, odd, bound)| Script { steps, odd, bound })
}

/// From how many bytes on, of states of 28 bytes, ends are stored once, reduced by symmetry and not: with fewer states it
/// would not save enough.
const AFTER: [(Option<bool>, usize); 2] = [(Some(true), 28 * 2_000), (Some(false), 28 * 6_000)];

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// Reduced and not, on one thread and on three.
    #[test]
    fn ends_that_are_stored_once_change_nothing(script_of in scripts()) {
        let text = script_of.text();
        let loaded = sound(&script("collapsed_states.csp", &text));
        for number in 1..=5 {
            for (symmetry, after) in AFTER {
                let whole = check(&loaded, number, &how(usize::MAX, symmetry, 2));
                let one = check(&loaded, number, &how(after, symmetry, 1));
                let three = check(&loaded, number, &how(after, symmetry, 3));
                prop_assert_eq!(found(&one), found(&whole), "{}: {}", number, text);
                prop_assert_eq!(found(&one), found(&three), "{}: {}", number, text);
                prop_assert_eq!(counts(&one), counts(&three), "{}: {}", number, text);
            }
        }
    }
}

/// Every counter goes through all its values.
#[test]
fn ends_are_stored_once() {
    let text = Script {
        steps: vec![1, 5, 7, 11, 13, 17, 19, 23, 1, 5, 7, 11],
        odd: (VALUES, 0),
        bound: 1,
    }
    .text();
    let loaded = sound(&script("stored_once.csp", &text));
    let ends = |collapse_after, symmetry| {
        let outcome = check(&loaded, 1, &how(collapse_after, symmetry, 2));
        assert_eq!(verdict(&outcome), "pass");
        // Of three groups in 24 states each: all, and all up to their order.
        let expected = if symmetry == Some(true) {
            26 * 25 * 24 / 6
        } else {
            24 * 24 * 24
        };
        assert_eq!(outcome.progress.states, expected);
        outcome.details.and_then(|details| details.ends)
    };
    for (symmetry, after) in AFTER {
        assert_eq!(ends(usize::MAX, symmetry), None);
        let once = ends(after, symmetry).expect("their ends are stored once");
        assert!((24..=24 * 24).contains(&once), "{once}");
    }
}

/// What is wrong is only done where all three groups have come to their last value: then nearly all states are stored
/// anew, and the way there leads through the parents of those.
#[test]
fn a_way_through_collapsed_states_is_found() {
    let text = format!(
        "datatype G = G0 | G1 | G2\nchannel on : G\nchannel done\n\
         First(g, v) = v < {last} & on.g -> First(g, v + 1) [] v == {last} & done -> STOP\n\
         C(g, v) = on.g -> C(g, (v + 1) % {VALUES})\n\
         Group(g) = First(g, 0) [| {{on.g}} |] (|| n : {{1..11}} @ [{{on.g}}] C(g, 0))\n\
         System = || g : G @ [{{on.g, done}}] Group(g)\n\
         Spec = on?g -> Spec\n\
         assert Spec [T= System\n",
        last = VALUES - 1,
    );
    let loaded = sound(&script("collapsed_way.csp", &text));
    for (symmetry, after) in AFTER {
        for threads in [1, 2] {
            let outcome = check(&loaded, 1, &how(after, symmetry, threads));
            assert_eq!(verdict(&outcome), "fail");
            assert_eq!(length(&outcome), Some(3 * (VALUES as usize - 1) + 1));
            assert!(
                outcome
                    .details
                    .is_some_and(|details| details.ends.is_some())
            );
        }
    }
}
