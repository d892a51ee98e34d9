//! Runs at random beside a search that leaves out steps: they change no verdict, and come to what a search takes long
//! for.

use std::path::Path;

use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::script::load::Loaded;
use orbitscope::symmetry::StrategyKind;

use crate::partial_order::what_was_left_out;
use crate::support::{
    bounded, check, counts, length, options, replay, script, sound, verdict, verified,
};

/// Compares checks that try runs at random from the beginning, or make the specification smaller, on different numbers
/// of threads, with one that leaves nothing out.
pub(crate) fn same_verdict(
    (path, loaded): (&Path, &Loaded),
    plain: &CheckOutcome,
    compared: &[CheckOutcome; 2],
) -> Result<(), String> {
    let told = |outcome: &CheckOutcome| {
        let found = what_was_left_out(outcome);
        let more = found.map(|left_out| (left_out.simulation, left_out.specification));
        (verdict(outcome), counts(outcome), length(outcome), more)
    };
    let [one, other] = compared;
    if told(one) != told(other) {
        let (one, other) = (told(one), told(other));
        return Err(format!("{one:?} and {other:?} by the number of threads"));
    }
    if let Verdict::Inconclusive(why) = &one.verdict {
        // Random runs may meet more of a specification than this test allows, but they end.
        let in_time = !why.contains("time");
        return in_time.then_some(()).ok_or_else(|| why.clone());
    }
    if verdict(one) != verdict(plain) {
        return Err(format!("{:?} and {:?}", verdict(one), verdict(plain)));
    }
    if let Some(found) = &one.counterexample {
        replay(path, found)?;
    }
    verified(loaded, one).map(|_| ())
}

/// What few runs at a time miss, nearly all meet in the end: somebody who may stop does, and so do all.
#[test]
fn a_random_run_meets_what_a_search_takes_long_for() {
    let text = "N = 24\nchannel set : {0..N}\nP(i) = set.i -> P(i) |~| STOP\n\
        R(x) = [] y : diff({0..N}, {x}) @ set.y -> R(y)\n\
        S = (||| i : {0..N} @ P(i)) [| {|set|} |] R(0)\n\
        assert S :[deadlock free [F]]\nassert not set.1 -> STOP [T= S\n";
    let loaded = sound(&script("partial_order_simulation.csp", text));
    let how = |simulate_after, shortest| Options {
        structure: Some(false),
        partial_order: Some(true),
        simulate_after,
        shortest,
        ..options(Some(false), StrategyKind::default(), 2)
    };
    let never = check(&loaded, 1, &bounded(how(usize::MAX, false), 5_000));
    assert!(
        matches!(never.verdict, Verdict::Inconclusive(_)),
        "{never:?}"
    );
    let simulated = check(&loaded, 1, &bounded(how(1_000, false), 5_000));
    assert_eq!(simulated.verdict, Verdict::Fails);
    let said = simulated.partial_order_sentence().unwrap_or_default();
    let words = [
        " random run",
        "met the counterexample; there may be a shorter counterexample",
    ];
    assert!(words.iter().all(|words| said.contains(words)), "{said}");
    // In every deadlock all but one have decided to stop.
    assert!(length(&simulated) >= Some(24));
    let shortest = check(&loaded, 1, &bounded(how(1_000, true), 5_000));
    let said = shortest.partial_order_sentence().unwrap_or_default();
    assert!(said.contains("with all steps was given up"), "{said}");
    let refused = check(&loaded, 2, &bounded(how(0, false), 5_000));
    assert_eq!(refused.verdict, Verdict::Holds);
}

/// Where a random run can take no step, because all is allowed or nothing but ✓ is possible, it is the turn of the search
/// again.
#[test]
fn random_runs_without_steps_end() {
    let text = "channel a : {0..9}\nOn = a.0 -> On\nLoop = On \\ {a.0}\n\
        Many(n) = a.n -> Many((n + 1) % 10)\nSpec = Loop ||| (||| n : {0..3} @ Many(n))\n\
        Done = SKIP ||| SKIP\nassert Spec [FD= (||| n : {0..3} @ Many(n)) \\ {a.1}\n\
        assert Done :[divergence free]\nassert STOP [T= Done\n";
    let loaded = sound(&script("partial_order_no_steps.csp", text));
    for (number, expected) in [
        (1, Verdict::Holds),
        (2, Verdict::Holds),
        (3, Verdict::Fails),
    ] {
        let how = Options {
            partial_order: Some(true),
            simulate_after: 0,
            ..options(Some(false), StrategyKind::default(), 1)
        };
        let outcome = check(&loaded, number, &bounded(how, 5_000));
        assert_eq!(outcome.verdict, expected, "assertion {number}");
    }
}

/// Who comes first is decided silently, after several events, and all else takes turns.
#[test]
fn pairs_of_runs_show_what_is_not_deterministic() {
    let text = "N = 7\nR = {0..N}\nchannel start, work, take, end : R\n\
        P(i) = start.i -> work.i -> take.i -> work.i -> end.i -> P(i)\n\
        Q(0) = take?i -> end.i -> Q(0)\nQ(i) = work.i -> Q(i)\n\
        S(i) = start.i -> work.i -> work.i -> end.i -> S(i)\n\
        Race = ((||| i : R @ P(i)) [| {|take, end|} |] Q(0)) \\ {|work, take|}\n\
        None = (||| i : R @ S(i)) \\ {|work|}\n\
        assert Race :[deterministic [FD]]\nassert Race :[deterministic [F]]\n\
        assert None :[deterministic [F]]\n";
    let path = script("partial_order_pairs.csp", text);
    let loaded = sound(&path);
    let how = |threads, simulate_after| Options {
        structure: Some(false),
        partial_order: Some(true),
        simulate_after,
        ..options(Some(false), StrategyKind::default(), threads)
    };
    for number in [1, 2] {
        let [one, other] =
            [1, 2].map(|threads| check(&loaded, number, &bounded(how(threads, 0), 5_000)));
        assert_eq!(one.verdict, Verdict::Fails, "{number}");
        let said = one.partial_order_sentence().unwrap_or_default();
        let words = "the last of 1 random run";
        assert!(said.contains(words), "{said}");
        assert_eq!(length(&one), length(&other));
        // A run that nobody looked for in pairs would have all the steps that were made.
        let made = what_was_left_out(&one).and_then(|left_out| left_out.simulation);
        assert!(made.map(|made| made.steps) > length(&one), "{made:?}");
        let found = one.counterexample.as_ref().expect("it fails");
        assert!(found.reason.contains("can refuse end."), "{}", found.reason);
        replay(&path, found).unwrap();
        verified(&loaded, &one).unwrap();
    }
    let none = check(&loaded, 3, &bounded(how(2, 0), 5_000));
    assert_ne!(none.verdict, Verdict::Fails, "{none:?}");
}
