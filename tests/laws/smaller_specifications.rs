//! Specifications that are made smaller before they are normalised: what is merged, up to which permutations, and that
//! no verdict changes by that.

use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

use crate::partial_order::what_was_left_out;
use crate::support::{
    bounded, check, counts, length, options, replay, script, sound, tiers, verdict, verified,
};

/// The specification is made smaller from so many states on.
fn how(compress_after: usize, symmetry: Option<bool>, threads: usize) -> Options {
    Options {
        structure: symmetry.filter(|on| !on),
        partial_order: Some(true),
        simulate_after: usize::MAX,
        compress_after,
        ..options(symmetry, StrategyKind::default(), threads)
    }
}

/// Permutations, states explored and states left.
fn merged(outcome: &CheckOutcome) -> Option<(usize, usize, usize)> {
    let found = what_was_left_out(outcome)?.specification?;
    Some((found.permutations, found.explored, found.states))
}

/// Workers that do something in silence, one after the other, and any of them next.
const WORKERS: &str = "N = 3\nR = {0..N}\nchannel start, work, take, give, end : R\n\
    P(i) = start.i -> work.i -> take.i -> work.i -> give.i -> end.i -> P(i)\n\
    Lock = take?i -> give.i -> Lock\n\
    System = ((||| i : R @ P(i)) [| {|take, give|} |] Lock) \\ {|work, take, give|}\n\
    Good(s) = ([] i : diff(R, s) @ start.i -> Good(union(s, {i}))) [] Ends(s)\n\
    Ends(s) = [] i : s @ end.i -> Good(diff(s, {i}))\n\
    Bad(s) = Good(s) [] ([] i : diff(R, s) @ end.i -> Bad(s))\nLazy = STOP |~| Good({})\n";

/// Seen from outside a worker has two states, and any of four may be renamed to any other.
#[test]
fn states_that_look_the_same_are_merged_up_to_permutations() {
    let text = format!(
        "{WORKERS}assert System [T= Good({{}})\nassert System [F= Good({{}})\nassert System [FD= Good({{}})\n\
         assert System [T= Bad({{}})\nassert System [F= Lazy\nassert System [FD= Lazy\n"
    );
    let path = script("smaller_workers.csp", &text);
    let loaded = sound(&path);
    for number in 1..=6 {
        let whole = check(&loaded, number, &how(usize::MAX, None, 2));
        assert_eq!(merged(&whole), None);
        let [one, three] = [1, 3].map(|threads| check(&loaded, number, &how(0, None, threads)));
        assert_eq!(verdict(&one), verdict(&whole), "{number}");
        assert_eq!(
            verdict(&one),
            if number <= 3 { "pass" } else { "fail" },
            "{number}"
        );
        let (permutations, explored, states) = merged(&one).expect("it is large enough");
        // All ways to permute four workers; of each only matters whether it has started.
        assert_eq!((permutations, states), (24, 16), "{number}");
        assert!(explored < 200, "{explored}");
        let alone = check(&loaded, number, &how(0, Some(false), 2));
        let (permutations, more, states) = merged(&alone).expect("it is large enough");
        assert_eq!((permutations, states), (1, 16), "{number}");
        assert!(more > 4 * explored, "{more} and {explored}");
        assert_eq!(verdict(&alone), verdict(&whole), "{number}");
        let of = |outcome: &CheckOutcome| (counts(outcome), length(outcome), merged(outcome));
        assert_eq!(of(&one), of(&three), "{number}");
        let said = one.partial_order_sentence().unwrap_or_default();
        let words = "(up to 24 permutations of its events) were merged into 16 before";
        assert!(said.contains(words), "{said}");
        if let Some(found) = &one.counterexample {
            replay(&path, found).unwrap();
            verified(&loaded, &one).unwrap();
        }
    }
}

/// What is refused in silence is told apart, and what may end.
#[test]
fn states_that_accept_other_things_are_not_merged() {
    let text = "R = {0..3}\nchannel a, b, c : R\n\
        P(i) = a.i -> (c.i -> b.i -> P(i) |~| c.i -> STOP)\n\
        S(i) = a.i -> (c.i -> SKIP |~| c.i -> b.i -> S(i))\n\
        Stops = (||| i : R @ P(i)) \\ {|c|}\nEnds = (||| i : R @ S(i)) \\ {|c|}\n\
        Turn(i) = a.i -> b.i -> Turn(i)\nTurns = ||| i : R @ Turn(i)\n\
        All = a.0 -> a.1 -> a.2 -> a.3 -> STOP\nEnd = a.0 -> a.1 -> a.2 -> a.3 -> SKIP\n\
        assert Stops [F= Turns\nassert Stops [F= All\nassert Stops [F= a.0 -> STOP\n\
        assert Ends [F= End\nassert Ends [T= End\nassert Ends [T= Turns\nassert Stops [T= End\n\
        assert Stops [F= Stops\nassert Ends [FD= Ends\nassert Ends [F= Stops\nassert Stops [T= Ends\n";
    let path = script("smaller_acceptances.csp", text);
    let loaded = sound(&path);
    let mut came = Vec::new();
    for number in 1..=11 {
        let whole = options(Some(false), StrategyKind::default(), 2);
        let whole = check(&loaded, number, &whole);
        for symmetry in [None, Some(false)] {
            let outcome = check(&loaded, number, &how(0, symmetry, 2));
            assert_eq!(verdict(&outcome), verdict(&whole), "{number} {symmetry:?}");
            // Otherwise symmetry of both sides was found before.
            if symmetry.is_some() {
                assert!(merged(&outcome).is_some(), "{number}");
            }
            if let Some(found) = &outcome.counterexample {
                replay(&path, found).unwrap();
            }
        }
        came.push(verdict(&whole));
    }
    let failing = came.iter().filter(|came| *came == "fail").count();
    assert!((3..=8).contains(&failing), "{came:?}");
}

/// Classes that a permutation maps to themselves part late here, into such that it exchanges.
#[test]
fn what_looked_symmetric_at_first_is_parted() {
    let text = "R = {0..2}\nchannel a, b, c, d : R\ntransparent sbisim\n\
        P(i) = b.i -> Q(i) [] a.i -> d.i -> P(i)\n\
        Q(i) = a.i -> d.i -> Q(i) [] a.i -> c.i -> P(i)\n\
        Pair = c?i -> (c?j -> Pair [] d.i -> Pair)\n\
        System = ((||| i : R @ P(i)) [| {|c, d|} |] Pair) \\ {|c|}\nSame = sbisim(System)\n\
        assert System [T= Same\nassert System [F= Same\nassert System [FD= Same\n";
    let loaded = sound(&script("smaller_parted.csp", text));
    for number in 1..=3 {
        let up_to = |symmetry| check(&loaded, number, &how(0, symmetry, 2));
        let (reduced, whole) = (up_to(None), up_to(Some(false)));
        assert_eq!(verdict(&reduced), "pass", "{number}");
        assert_eq!(verdict(&whole), "pass", "{number}");
        let (permutations, explored, states) = merged(&reduced).expect("it is large enough");
        assert_eq!((permutations, states), (6, 284), "{number}");
        assert!(explored < states, "{explored}");
        assert_eq!(merged(&whole).map(|of| of.2), Some(284), "{number}");
    }
}

/// What components of one kind do in turn: `i` is their number.
const TURNS: [&str; 8] = [
    "a.i -> @",
    "a.i -> d.i -> @",
    "a.i -> c.i -> @",
    "c.i -> b.i -> @",
    "b.i -> @",
    "d.i -> a.i -> @",
    "c.i -> b.i -> SKIP",
    "d.i -> a.i -> STOP",
];

/// Interleaved components of one kind with a resource that they take in turn, hidden in part.
fn symmetric(bytes: &[u8]) -> String {
    let mut bytes = bytes.iter().map(|byte| usize::from(*byte));
    let mut below = |n: usize| bytes.next().unwrap_or(0) % n;
    let mut body = |own: &str, other: &str| {
        let mut step = || {
            let next = if below(2) == 0 { own } else { other };
            format!("({})", TURNS[below(TURNS.len())].replace('@', next))
        };
        let (first, second, third) = (step(), step(), step());
        let operator = [" [] ", " |~| "][below(2)];
        match below(3) {
            0 => first,
            1 => format!("{first}{operator}{second}"),
            _ => format!("{first} [] {second}{operator}{third}"),
        }
    };
    let (p, q, impl_p, impl_q) = (
        body("P(i)", "Q(i)"),
        body("Q(i)", "P(i)"),
        body("X(i)", "Y(i)"),
        body("Y(i)", "X(i)"),
    );
    let shared = ["{||}", "{|c|}", "{|c, d|}"][below(3)];
    let resource = ["Token", "Pair", "Last(0)"][below(3)];
    let hidden = ["{|c|}", "{|c, d|}", "{|c, d, b|}"][below(3)];
    format!(
        "R = {{0..2}}\nchannel a, b, c, d : R\nP(i) = {p}\nQ(i) = {q}\nX(i) = {impl_p}\nY(i) = {impl_q}\n\
         Token = c?i -> Token [] d?i -> Token\nPair = c?i -> (c?j -> Pair [] d.i -> Pair)\n\
         Last(n) = c?i -> Last(i) [] d.n -> Last(n)\n\
         System = ((||| i : R @ P(i)) [| {shared} |] {resource}) \\ {hidden}\n\
         transparent sbisim\nOther = sbisim(((||| i : R @ X(i)) [| {shared} |] {resource}) \\ {hidden})\n\
         Part = ((||| i : {{0, 1}} @ P(i)) [| {shared} |] {resource}) \\ {hidden}\n\
         assert System [T= Other\nassert System [F= Other\nassert System [FD= Other\n\
         assert System [F= Part\nassert System [F= System\nassert Other [F= System\nassert System [F= STOP\n"
    )
}

const SYMMETRIC: usize = 7;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(128),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever is merged, verdicts are those of searches that merge and leave out nothing.
    #[test]
    fn verdicts_stay_what_they_are(bytes in prop::collection::vec(any::<u8>(), 40)) {
        let text = symmetric(&bytes);
        let path = script("smaller_random.csp", &text);
        let loaded = sound(&path);
        for number in 1..=SYMMETRIC {
            let plain = Options {
                structure: Some(false),
                ..options(Some(false), StrategyKind::default(), 1)
            };
            let plain = check(&loaded, number, &bounded(plain, 20_000));
            if !matches!(plain.verdict, Verdict::Holds | Verdict::Fails) {
                continue;
            }
            for symmetry in [None, Some(false)] {
                let smaller = check(&loaded, number, &bounded(how(0, symmetry, 2), 20_000));
                prop_assert_eq!(verdict(&smaller), verdict(&plain), "{} {:?}\n{}", number, symmetry, text);
                if let Some(found) = &smaller.counterexample {
                    prop_assert!(replay(&path, found).is_ok(), "{} {:?}\n{}", number, symmetry, text);
                }
            }
        }
    }
}
