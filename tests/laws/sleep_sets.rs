//! Steps that sleep change nothing but how many representatives are taken: verdicts, states, transitions and the lengths
//! of counterexamples of random scripts are those of searches that follow every step, reduced and not, on one thread and
//! on three. (Debug builds besides look whether all steps of a finished search lead to what it has stored.)

use std::path::Path;

use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::script::load::{Loaded, load_text};
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

use crate::partial_order;
use crate::random_scripts::{self, end};
use crate::support::{
    bounded, check, counts, options, replay, script, sound, tiers, unmerged, verdict,
};
use crate::{numbered, shared_variables, structure_checks};

/// Scripts of one run, of each kind.
const CASES: u32 = 32;
/// Larger searches are given up.
const STATES_MAX: usize = 6_000;

/// How many steps slept.
fn slept(outcome: &CheckOutcome) -> u64 {
    let details = outcome.details.as_ref();
    details.map_or(0, |details| details.slept)
}

/// Holds an assertion to searches that follow every step; how many steps slept.
fn compare(path: &Path, loaded: &Loaded, number: usize) -> Result<u64, String> {
    let mut sum = 0;
    let ways = [
        (Some(false), Some(false), true),
        (Some(false), Some(false), false),
        (None, Some(false), false),
        // Where no datatype is symmetric.
        (None, None, false),
    ];
    for (symmetry, structure, merging) in ways {
        let run = |sleep_sets, threads| {
            let how = Options {
                sleep_sets,
                structure,
                merging,
                ..options(symmetry, StrategyKind::default(), threads)
            };
            check(loaded, number, &bounded(how, STATES_MAX))
        };
        let whole = run(false, 1);
        assert_eq!(slept(&whole), 0);
        if let Verdict::Inconclusive(_) | Verdict::Error(_) = whole.verdict {
            return Ok(sum);
        }
        let [one, three] = [1, 3].map(|threads| run(true, threads));
        let place = format!("#{number} {symmetry:?} {structure:?}");
        let told = |outcome: &CheckOutcome| (end(outcome), counts(outcome), slept(outcome));
        if told(&one) != told(&three) || one.counterexample != three.counterexample {
            let (one, three) = (told(&one), told(&three));
            return Err(format!(
                "{place}: {one:?} with one thread, {three:?} with three"
            ));
        }
        // A search that fails ends before all states of a depth are expanded, and may have met others of them.
        let holds = whole.verdict == Verdict::Holds;
        if end(&one) != end(&whole) || holds && counts(&one) != counts(&whole) {
            let (one, whole) = (told(&one), told(&whole));
            return Err(format!("{place}: {one:?}, and {whole:?} if nothing sleeps"));
        }
        if whole.verdict == Verdict::Fails {
            // Searches for several counterexamples go on behind the first.
            let all = |sleep_sets| {
                let mut how = Options {
                    sleep_sets,
                    structure,
                    merging,
                    ..options(symmetry, StrategyKind::default(), 1)
                };
                how.limits.violations_max = 9;
                let outcome = check(loaded, number, &bounded(how, STATES_MAX));
                outcome.counterexamples().count()
            };
            let (asleep, awake) = (all(true), all(false));
            if asleep != awake {
                return Err(format!(
                    "{place}: {asleep} counterexamples, and {awake} if nothing sleeps"
                ));
            }
        }
        for found in one.counterexamples() {
            replay(path, found).map_err(|e| format!("{place}: {e}"))?;
        }
        sum += slept(&one);
    }
    Ok(sum)
}

/// The same for all assertions of a script.
fn agree(name: &str, text: &str) -> Result<u64, TestCaseError> {
    let path = script(name, text);
    let loaded = sound(&path);
    let mut sum = 0;
    for number in 1..=loaded.script.assertions.len() {
        let compared = compare(&path, &loaded, number);
        sum += compared.map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
    }
    Ok(sum)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_changes_with_types(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        agree("sleeping_types.csp", &random_scripts::generate(&bytes))?;
    }

    #[test]
    fn nothing_changes_with_shared_variables(bytes in prop::collection::vec(any::<u8>(), 24..64)) {
        agree("sleeping_shared.csp", &shared_variables::generate(&bytes))?;
    }

    #[test]
    fn nothing_changes_among_silent_steps(bytes in prop::collection::vec(any::<u8>(), 24)) {
        agree("sleeping_silent.csp", &partial_order::silent(&bytes))?;
    }

    #[test]
    fn nothing_changes_with_structure(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        agree("sleeping_numbered.csp", &numbered::generate(&bytes))?;
    }

    #[test]
    fn nothing_changes_with_farms(bytes in prop::collection::vec(any::<u8>(), 20)) {
        agree("sleeping_farms.csp", &structure_checks::random_farm(&bytes))?;
    }
}

/// A strategy that is not exact may have stored other representatives than those that steps lead to which sleep. Loops of
/// silent steps are looked for after a search that follows all of them then.
#[test]
fn loops_are_not_looked_for_where_steps_lead_to_what_is_not_stored() {
    let text = "datatype NodeID = N0 | N1 | N2 | N3\ndatatype Data = A | B\n\
                channel init, free : NodeID.Data.NodeID\n\
                FreeNode(me) = init.me?datum?next -> free.me.datum.next -> STOP\n\
                Ring = ||| n : NodeID @ FreeNode(n)\n\
                assert Ring \\ {|init, free|} :[divergence free]\nassert Ring :[deadlock free]\n";
    let loaded = sound(&script("sleeping_ring.csp", text));
    let run = |number, strategy, sleep_sets| {
        let how = Options {
            sleep_sets,
            ..unmerged(options(Some(true), strategy, 2))
        };
        check(&loaded, number, &how)
    };
    let exact = run(1, StrategyKind::Exact, true);
    assert!(slept(&exact) > 0);
    let walked = run(1, StrategyKind::Walk, true);
    let fallbacks = walked.details.as_ref().map(|details| details.fallbacks.0);
    assert!(fallbacks > Some(0));
    assert_eq!(slept(&walked), 0);
    assert_eq!(counts(&walked), counts(&run(1, StrategyKind::Walk, false)));
    // Nothing is asked about loops.
    assert!(slept(&run(2, StrategyKind::Walk, true)) > 0);
}

/// Where the specification remembers which event came first, both orders of two are followed.
#[test]
fn what_is_seen_does_not_sleep_beside_what_is_seen() {
    let text = "channel a, b, c\nSystem = a -> STOP ||| b -> STOP\n\
                Spec = a -> b -> c -> STOP [] b -> a -> STOP\nassert Spec [T= System\n\
                assert Spec [T= System \\ {b}\n";
    let loaded = sound(&script("sleeping_orders.csp", text));
    let outcome = check(&loaded, 1, &unmerged(options(None, StrategyKind::Exact, 2)));
    assert_eq!((verdict(&outcome), slept(&outcome)), ("pass".to_owned(), 0));
    // With both events, in either order.
    assert_eq!(counts(&outcome), (5, 4));
    let hidden = check(&loaded, 2, &unmerged(options(None, StrategyKind::Exact, 2)));
    assert_eq!((counts(&hidden), slept(&hidden)), ((4, 4), 1));
}

/// What `P` and `R` do together is led by `P` if it is `x`, and by `R` if it is `y`, so it is met before and after what `Q`
/// does: it does not sleep after that. What `Q` does sleeps after `y`.
#[test]
fn what_two_lead_in_turn_does_not_sleep() {
    let text = "channel x, y, a\nP = x -> P1 [] y -> P1\nP1 = y -> STOP\nQ = a -> STOP\n\
                R = x -> R1 [] y -> STOP\nR1 = x -> SKIP ; STOP\n\
                assert P [| {x, y} |] (Q ||| R) :[divergence free]\n";
    let loaded = sound(&script("sleeping_leaders.csp", text));
    let outcome = check(&loaded, 1, &unmerged(options(None, StrategyKind::Exact, 2)));
    assert_eq!((counts(&outcome), slept(&outcome)), ((6, 7), 1));
}

/// Of processes that share nothing each state but the first is met by one step alone. With types all are twins, and
/// nothing is left to sleep.
#[test]
fn of_what_shares_nothing_each_state_is_met_once() {
    for (count, types) in [(2, false), (3, false), (4, false), (5, false), (4, true)] {
        let ids = if types {
            let names: Vec<String> = (0..count).map(|n| format!("I{n}")).collect();
            format!("datatype Id = {}", names.join(" | "))
        } else {
            format!("nametype Id = {{0..{}}}", count - 1)
        };
        let text = format!(
            "{ids}\nchannel a : Id\nP(i) = a.i -> STOP\nSystem = ||| i : Id @ P(i)\n\
             assert System :[divergence free]\n"
        );
        let loaded = sound(&script(&format!("sleeping_{count}_{types}.csp"), &text));
        let outcome = check(&loaded, 1, &unmerged(options(None, StrategyKind::Exact, 2)));
        let (states, transitions) = counts(&outcome);
        if types {
            assert_eq!(slept(&outcome), 0, "{count}");
        } else {
            assert_eq!((states, transitions), (1 << count, count << (count - 1)));
            assert_eq!(slept(&outcome), transitions - (states - 1), "{count}");
        }
    }
}

/// A search in failures and divergences ends where the specification diverges. So an event that leads there is followed
/// also after a silent step that could have come later.
#[test]
fn what_ends_the_search_does_not_sleep_after_silent_steps() {
    let text = "channel a, b, d\nDiverging = d -> Diverging\nSpec = b -> Diverging \\ {d}\n\
                System = (b -> STOP ||| a -> STOP) \\ {a}\nassert Spec [FD= System\n";
    let path = script("sleeping_divergent.csp", text);
    let loaded = sound(&path);
    assert!(compare(&path, &loaded, 1).is_ok());
    let reduced = check(&loaded, 1, &options(Some(true), StrategyKind::default(), 1));
    assert_eq!((verdict(&reduced).as_str(), slept(&reduced)), ("pass", 0));
    let outcome = check(&loaded, 1, &unmerged(options(None, StrategyKind::Exact, 2)));
    assert_eq!(
        (verdict(&outcome), counts(&outcome)),
        ("pass".to_owned(), (4, 3))
    );
}

/// `B` leads what it does with `A` and what it does with `C`. The latter comes first, and does not sleep after the former:
/// `B` has moved.
#[test]
fn what_shares_one_component_does_not_sleep() {
    let text = "channel x, z, b\nA = z -> A1\nA1 = z -> A2\nA2 = z -> STOP\n\
                B = x -> STOP [] z -> B1\nB1 = x -> b -> STOP\n\
                C = x -> C1\nC1 = x -> C2\nC2 = x -> STOP\n\
                assert x -> STOP ||| (A [| {z} |] (B [| {x} |] C)) :[divergence free]\n";
    let path = script("sleeping_neighbours.csp", text);
    let loaded = sound(&path);
    assert!(compare(&path, &loaded, 1).expect("nothing changes") > 0);
    let outcome = check(&loaded, 1, &unmerged(options(None, StrategyKind::Exact, 2)));
    assert_eq!((counts(&outcome), slept(&outcome)), ((10, 13), 4));
}

/// `P` can do something silent at first, and `c`, which is refused there and allowed after `a`. So it does not sleep
/// behind `a`: what it leads to is a second counterexample.
#[test]
fn what_was_refused_does_not_sleep_where_it_is_allowed() {
    let text = "channel a, c, d, h\nP = h -> STOP [] c -> d -> STOP\nQ = a -> Q\n\
                First = a -> Then\nThen = a -> Then [] c -> Then\n\
                assert First [T= (P ||| Q) \\ {h}\n";
    let path = script("sleeping_refused.csp", text);
    let loaded = sound(&path);
    assert!(compare(&path, &loaded, 1).is_ok());
    let mut how = unmerged(options(None, StrategyKind::Exact, 2));
    how.limits.violations_max = 9;
    assert_eq!(check(&loaded, 1, &how).counterexamples().count(), 2);
}

/// Bisimilar nodes of a specification that are told as one have no order of their values, so an orbit may be stored by
/// several pairs: then no step of a reduced search sleeps. (Debug builds would find one to another pair than is stored.)
#[test]
fn nodes_that_are_told_as_one_let_no_steps_sleep() {
    let text = "datatype Id = I0 | I1\ndatatype Data = D0 | D1\nchannel a, b : Id.Data\nchannel c : Data\nchannel e : Id\n\
        M0(i) = (b.i?z -> M1(i)) [] (c?z -> M1(i))\nM1(i) = (a.i?z -> M0(i)) [] (b.i?z -> M0(i))\n\
        R0 = (b?u?z -> R1) [] (c?z -> R0) [] (e?u -> R1)\nR1 = (a?u?z -> R1) [] (b?u?z -> R1)\n\
        S0 = (a?u?z -> S1(u, z)) [] (b?u?z -> S1(u, z)) [] (c?z -> S0) [] (e?u -> S0)\n\
        S1(t, x) = (a?u?z -> if t == u then S1(t, x) else S0) [] (b.t?z -> S0) [] (c?z -> S0) [] (e.t -> S1(t, x))\n\
        System = ((||| i : Id @ M0(i)) [|{|a|}|] R0) \\ {|b|}\nassert S0 [T= System\n";
    let path = script("sleeping_beside_one.csp", text);
    let loaded = load_text(&path, text);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    assert!(compare(&path, &loaded, 1).is_ok());
    let reduced = check(&loaded, 1, &options(Some(true), StrategyKind::default(), 1));
    assert_eq!((verdict(&reduced).as_str(), slept(&reduced)), ("pass", 0));
}
