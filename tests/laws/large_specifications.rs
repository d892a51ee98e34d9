//! Specifications that are large systems, normalised with fewer steps: the same on any number of threads as with all
//! steps, and of copies one order stands for all.

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;

use crate::support::{bounded, check, counts, length, options, script, sound, verdict};

/// What is checked on so many threads, with fewer steps or with all; copies are exchanged unless symmetry is left alone.
fn how(partial_order: bool, symmetry: Option<bool>, threads: usize) -> Options {
    Options {
        structure: Some(false),
        partial_order: Some(partial_order),
        ..options(symmetry, StrategyKind::default(), threads)
    }
}

/// Every part decides for itself in silence, so an event leads to many states at once: those are looked at together.
#[test]
fn a_specification_is_the_same_on_any_number_of_threads() {
    let text = "R = {0..7}\nchannel go, a, b : R\n\
        P(i) = go.i -> (a.i -> P(i) |~| b.i -> P(i))\n\
        System = ||| i : R @ P(i)\n\
        All(<>, Last) = Last\nAll(<i>^s, Last) = go.i -> All(s, Last)\n\
        Good = All(<0..7>, a.3 -> b.0 -> STOP)\n\
        Bad = All(<0..7>, a.3 -> a.0 -> b.3 -> STOP)\n\
        assert System [T= Good\nassert System [F= Good\nassert System [T= Bad\nassert System [FD= Bad\n\
        assert System [T= System\n";
    let loaded = sound(&script("large_specification.csp", text));
    for number in 1..=5 {
        let of = |outcome: &CheckOutcome| (verdict(outcome), length(outcome));
        let whole = check(&loaded, number, &how(false, Some(false), 2));
        let by = |threads| check(&loaded, number, &how(true, Some(false), threads));
        let [one, three] = [1, 3].map(by);
        assert_eq!(of(&one), of(&whole), "{number}");
        assert_eq!(of(&one), of(&three), "{number}");
        assert_eq!(counts(&one), counts(&three), "{number}");
    }
}

/// Five copies of four states are in 1,024 of them together, and in 56 if nobody asks which of them is in which. So many
/// members have the nodes together that the events lead to.
#[test]
fn copies_in_a_specification_are_exchanged() {
    let text = "channel go, a, b, c\n\
        W = go -> (a -> W |~| b -> W |~| c -> W)\n\
        System = ||| n : {1..5} @ W\n\
        Good = go -> go -> go -> go -> go -> a -> b -> a -> STOP\n\
        Bad = go -> go -> go -> go -> go -> go -> STOP\n\
        assert System [T= Good\nassert System [T= Bad\n";
    let loaded = sound(&script("copies_in_a_specification.csp", text));
    for (number, expected) in [(1, "pass"), (2, "fail")] {
        // As many members nodes may have in all.
        let outcome = |symmetry| {
            let how = how(true, symmetry, 2);
            verdict(&check(&loaded, number, &bounded(how, 500)))
        };
        assert_eq!(outcome(None), expected, "{number}");
        let without = outcome(Some(false));
        assert!(without.starts_with("inconclusive"), "{number}: {without}");
    }
}

/// Nodes of the same states have other members where other steps were left out. With all steps there are few enough of
/// them to be merged.
#[test]
fn leaving_steps_out_does_not_make_a_specification_larger() {
    let text = "datatype S = S0 | S1\ndatatype U = U0 | U1 | U2\n\
        channel a : S\nchannel b : S.U\nchannel c : U\nchannel d : S.S\n\
        P(me, xs, q) = q != <> & b.me.head(q) -> Q(me, xs, tail(q))\n\
        \x20 |~| a.me -> Q(me, xs, q)\n\
        \x20 |~| d?y!me -> Q(me, {y}, q)\n\
        Q(me, xs, q) = member(me, xs) & a.me -> P(me, diff(S, xs), q)\n\
        \x20 [] #q < 2 & c?v -> Q(me, xs, q^<v>)\n\
        System = || s : S @ [{| a.s, b.s, c, d.s, d.t.s | t <- S |}] c?v -> P(s, {}, <>)\n\
        assert System [F= System\n";
    let loaded = sound(&script("smaller_specification.csp", text));
    let [less, whole] = [true, false].map(|por| check(&loaded, 1, &how(por, Some(false), 1)));
    assert_eq!(
        (verdict(&less), verdict(&whole)),
        ("pass".into(), "pass".into())
    );
    assert!(
        counts(&less).0 < counts(&whole).0,
        "fewer states are stored"
    );
}

/// With fewer steps such a specification is within the limits, and with all of them it is not: nobody may need them all.
#[test]
fn a_specification_is_not_made_with_all_steps_where_that_takes_too_many() {
    let text = "R = {0..10}\nchannel a, b : R\n\
        P(i) = a.i -> P(i) |~| b.i -> P(i)\n\
        System = ||| i : R @ P(i)\n\
        assert System [F= a.3 -> STOP\n";
    let loaded = sound(&script("all_steps_of_a_specification.csp", text));
    let [less, whole] = [true, false].map(|por| {
        let how = how(por, Some(false), 1);
        verdict(&check(&loaded, 1, &bounded(how, 20_000)))
    });
    assert_eq!(less, "fail");
    assert!(whole.starts_with("inconclusive"), "{whole}");
}

/// An event that nobody follows may lead to more states than there is memory for.
#[test]
fn what_the_implementation_does_not_do_holds_nobody_up() {
    let text = "channel a, b, c\n\
        Count(n) = c -> STOP |~| Count(n + 1)\n\
        Spec = a -> STOP [] b -> Count(0)\n\
        assert Spec [T= a -> STOP\nassert Spec [F= a -> STOP\nassert Spec [T= b -> c -> STOP\n";
    let loaded = sound(&script("not_followed.csp", text));
    let outcome = |number| {
        let how = how(false, Some(false), 1);
        verdict(&check(&loaded, number, &bounded(how, 20_000)))
    };
    assert_eq!((outcome(1), outcome(2)), ("pass".into(), "fail".into()));
    assert!(outcome(3).starts_with("inconclusive"), "{}", outcome(3));
}
