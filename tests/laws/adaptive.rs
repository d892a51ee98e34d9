//! Adaptive reduction against the unreduced search: on random scripts that are almost symmetric, and on scripts of
//! the literature with figures that must not change.

use std::fmt::Write as _;

use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::check::adaptive::AdaptiveUsed;
use orbitscope::script::load::Loaded;
use orbitscope::symmetry::StructuralKind;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::random_scripts::Dice;
use crate::support::{
    bounded, check, counts, length, repository, script, sound, tiers, verdict, verified,
};

/// Larger unreduced searches are given up.
const STATES_MAX: usize = 4_000;

fn unreduced() -> Options {
    Options {
        symmetry: Some(false),
        threads: 1,
        ..Options::default()
    }
}

fn adaptive() -> Options {
    Options {
        adaptive: true,
        threads: 1,
        ..Options::default()
    }
}

/// What stands before an alternative; most of it is asymmetric.
const GUARDS: [&str; 8] = [
    "",
    "",
    "",
    "",
    "i == 0 & ",
    "i > 0 & ",
    "i != 1 & ",
    "i < Last & ",
];
/// Conditions on the other one of two.
const OTHERS: [&str; 6] = ["", "", "", ", j < i", ", i < j", ", j != 0"];

/// Alternatives of a component: `$` is what follows, `%` a condition on the other one.
const ALTERNATIVES: [&str; 9] = [
    "a.i -> $",
    "a.i -> $",
    "b.i -> $",
    "([] j : Rest(i)% @ b.j -> $)",
    "([] j : Rest(i)% @ c.i.j -> $)",
    "([] j : Rest(i)% @ c.j.i -> $)",
    "([] j : Rest(i)% @ c.j.i -> $)",
    "(a.i -> $ |~| b.i -> $)",
    "d -> $",
];

const SPECIFICATIONS: [&str; 7] = [
    "CHAOS({| a, b, c, d |})",
    "CHAOS({| a, b, c |})",
    "Few(0)",
    "Turns",
    "Offers",
    "STOP",
    "Lower",
];

/// What specifications are made of.
const SPECIFIED: &str = "
Others(P) = ([] i : All @ b.i -> P) [] ([] i : All, j : Rest(i) @ c.i.j -> P) [] d -> P
Few(n) = ([] i : All, n < 2 @ a.i -> Few(n + 1)) [] Others(Few(n))
Turns = ([] i : All @ a.i -> After(i)) [] ([] i : All @ b.i -> Turns) [] ([] i : All, j : Rest(i) @ c.i.j -> Turns) [] d -> Turns
After(i) = ([] j : Rest(i) @ a.j -> After(j)) [] ([] j : All @ b.j -> Turns) [] ([] k : All, j : Rest(k) @ c.k.j -> After(j)) [] d -> Turns
Offers = (|~| i : All @ a.i -> Offers) |~| (STOP |~| ([] i : All @ b.i -> Offers)) |~| ([] i : All, j : Rest(i) @ c.i.j -> Offers) |~| d -> STOP
Lower = ([] i : All, i < Last @ a.i -> Lower) [] ([] i : All @ b.i -> Lower) [] ([] i : All, j : Rest(i), i < j @ c.i.j -> Lower) [] d -> Lower
";

fn written(bytes: &[u8]) -> String {
    let mut dice = Dice(bytes.iter());
    let components = 2 + dice.below(3);
    let states = 1 + dice.below(3);
    let mut text = format!(
        "Last = {}\nAll = {{0..Last}}\nRest(i) = diff(All, {{i}})\n\
         channel a, b : All\nchannel c : All . All\nchannel d\n",
        components - 1
    );
    for state in 0..states {
        let mut alternatives = Vec::new();
        for _ in 0..1 + dice.below(4) {
            let guard = GUARDS[dice.below(GUARDS.len())];
            let alternative = ALTERNATIVES[dice.below(ALTERNATIVES.len())];
            let other = OTHERS[dice.below(OTHERS.len())];
            let next = format!("P{}(i)", dice.below(states));
            let alternative = alternative.replace('%', other).replace('$', &next);
            alternatives.push(format!("{guard}{alternative}"));
        }
        let _ = writeln!(text, "P{state}(i) = {}", alternatives.join(" [] "));
    }
    let alphabet = [
        "union({a.i}, {| b, c.i, d |})",
        "union({a.i, b.i}, {c.x.y | x <- All, y <- All, x == i or y == i})",
        "union({a.i, b.i}, union({| d |}, {c.x.y | x <- All, y <- All, x == i or y == i}))",
        "union({a.i}, union({| b |}, {c.x.y | x <- All, y <- All, x == i or y == i}))",
    ][dice.below(4)];
    let hidden = ["", " \\ {| b |}", " \\ {| a |}", " \\ {| c, d |}"][dice.below(4)];
    let specification = SPECIFICATIONS[dice.below(SPECIFICATIONS.len())];
    let _ = write!(
        text,
        "{SPECIFIED}\nSystem = (|| i : All @ [{alphabet}] P0(i)){hidden}\n\
         assert System :[deadlock free [F]]\n\
         assert {specification} [T= System\n\
         assert {specification} [F= System\n\
         assert {specification} [V= System\n"
    );
    text
}

/// What an adaptive search was like, if one was possible.
fn used(outcome: &CheckOutcome) -> Option<&AdaptiveUsed> {
    if let Verdict::Error(failure) = &outcome.verdict {
        assert!(failure.detail.contains("E0517"), "{}", failure.detail);
        return None;
    }
    outcome.adaptive.as_ref()
}

fn compare(loaded: &Loaded, number: usize) -> Result<bool, TestCaseError> {
    let plain = check(loaded, number, &bounded(unreduced(), STATES_MAX));
    if matches!(plain.verdict, Verdict::Inconclusive(_)) {
        return Ok(false);
    }
    let found = check(loaded, number, &bounded(adaptive(), STATES_MAX));
    let Some(used) = used(&found) else {
        return Ok(false);
    };
    prop_assert_eq!(verdict(&plain), verdict(&found));
    prop_assert_eq!(length(&plain), length(&found));
    let (all, kept) = (counts(&plain).0, counts(&found).0);
    prop_assert!(used.images <= 2 * all + 2_000);
    prop_assert!(kept <= used.images || found.verdict == Verdict::Fails);
    if found.verdict == Verdict::Holds {
        prop_assert!(used.at_least <= all, "{} of {}", used.at_least, all);
        prop_assert!(
            !used.exactly || used.at_least == all,
            "{} of {}",
            used.at_least,
            all
        );
    }
    prop_assert_eq!(verified(loaded, &found), Ok(()));
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(400)))]

    /// The verdict is that of the unreduced search, and so is the length of a shortest counterexample, which
    /// is a run of the system as it is; no more than twice as many states are expanded.
    #[test]
    fn almost_symmetric_scripts_come_to_the_same_end(bytes in proptest::collection::vec(any::<u8>(), 40)) {
        let text = written(&bytes);
        let path = script("adaptive_random.csp", &text);
        let loaded = sound(&path);
        for number in 1..=4 {
            compare(&loaded, number).map_err(|e| TestCaseError::fail(format!("{number}: {e}\n{text}")))?;
        }
    }
}

/// A script of the tests, with a number in the place of one that stands there.
fn of_size(name: &str, constant: &str, size: usize) -> Loaded {
    let path = repository(&format!("tests/data/structure/{name}.csp"));
    let text = std::fs::read_to_string(path).expect("it is there");
    let line = |line: &str| match line.starts_with(&format!("{constant} = ")) {
        true => format!("{constant} = {size}\n"),
        false => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    sound(&script(&format!("adaptive_{name}_{size}.csp"), text))
}

/// States without reduction, entries, and what was expanded for them.
fn figures(loaded: &Loaded, number: usize) -> (u64, u64, u64) {
    let plain = check(loaded, number, &unreduced());
    let found = check(loaded, number, &adaptive());
    assert_eq!(verdict(&plain), verdict(&found));
    assert_eq!(length(&plain), length(&found));
    assert_eq!(verified(loaded, &found), Ok(()));
    let images = used(&found).map(|used| used.images).expect("it applies");
    (counts(&plain).0, counts(&found).0, images)
}

/// The example of the survey (Figures 10 and 11), and more readers.
#[test]
fn readers_and_writers_have_as_few_states_as_in_the_survey() {
    let expected = [
        (2, (22, 9, 15)),
        (3, (62, 15, 24)),
        (4, (178, 23, 35)),
        (5, (518, 33, 48)),
        (6, (1_522, 45, 63)),
    ];
    for (readers, figures_expected) in expected {
        let loaded = of_size("readers_writers", "Readers", readers);
        assert_eq!(figures(&loaded, 1), figures_expected, "{readers} readers");
    }
    let loaded = of_size("readers_writers", "Readers", 2);
    let found = check(&loaded, 1, &adaptive());
    let used = used(&found).expect("it applies");
    let cells = [["Idle(1)", "Idle(2)", "Idle(3)"].map(String::from).to_vec()];
    assert_eq!(used.cells, cells);
    assert_eq!((used.order.to_string(), used.groups), ("6".to_owned(), 2));
    assert_eq!(used.splits, [("share.1 and 1 like it".to_owned(), 8)]);
    for number in 2..=4 {
        figures(&loaded, number);
    }
}

fn figures_of(name: &str, constant: &str, sizes: &[usize], number: usize) -> Vec<(u64, u64, u64)> {
    let sizes = sizes.iter();
    sizes
        .map(|size| figures(&of_size(name, constant, *size), number))
        .collect()
}

/// Ties are broken by number: each tie that was broken tells one more apart from the others.
#[test]
fn mutual_exclusion_with_priorities_is_reduced() {
    for number in 1..=2 {
        let found = figures_of("peterson_priorities", "N", &[3, 4, 5, 6], number);
        let expected = [(20, 11, 25), (48, 19, 65), (112, 31, 161), (256, 48, 385)];
        assert_eq!(found, expected, "assertion {number}");
    }
}

/// Who wins is told by number, and all else is not.
#[test]
fn a_bully_election_is_reduced() {
    assert_eq!(
        figures_of("bully", "N", &[3, 4, 5], 1),
        [(32, 26, 32), (128, 82, 128), (512, 294, 566)]
    );
    assert_eq!(
        figures_of("bully", "N", &[3, 4], 2),
        [(48, 41, 48), (116, 56, 116)]
    );
}

/// Taking forks is what philosophers do, and that is what is not symmetric: nothing is gained, and nothing lost.
#[test]
fn with_a_left_handed_philosopher_there_is_nothing_to_gain() {
    assert_eq!(
        figures_of("left_handed", "N", &[4, 5, 6], 1),
        [(80, 80, 80), (242, 242, 242), (728, 728, 728)]
    );
}

/// What cannot be checked this way is refused, and says what can be asked instead.
#[test]
fn what_it_tells_nothing_of_is_refused() {
    let text = "channel a : {0..1}\nP(i) = a.i -> P(i)\nQ = P(0) ||| P(1)\nR = a.0 -> STOP\n\
                assert Q :[deadlock free]\nassert Q :[divergence free]\nassert Q [FD= Q\n\
                assert Q :[deterministic [F]]\nassert R :[deadlock free [F]]\nassert Q [R= Q\n";
    let loaded = sound(&script("adaptive_refused.csp", text));
    let expected = [
        "`:[deadlock free [F]]` can be checked with it",
        "tells nothing of divergence",
        "failures (`[F=`) and revivals (`[V=`) can be checked with it",
        "not offered for determinism",
        "no part of the network is more symmetric in its components than all of it: there is only one",
        "not offered for refusal testing",
    ];
    for (number, expected) in (1..).zip(expected) {
        let Verdict::Error(failure) = check(&loaded, number, &adaptive()).verdict else {
            panic!("{number} is not refused");
        };
        assert!(failure.detail.contains("E0517"), "{}", failure.detail);
        assert!(failure.detail.contains(expected), "{}", failure.detail);
    }
}

/// Where it would be more than twice the work it ends with advice: which rules tell components apart.
#[test]
fn it_stops_with_advice_where_it_does_not_pay() {
    let loaded = of_size("scattered", "N", 6);
    let options = Options {
        merging: false,
        ..adaptive()
    };
    let Verdict::Error(failure) = check(&loaded, 1, &options).verdict else {
        panic!("it does not stop");
    };
    for part in [
        "E0517",
        "more work here than the unreduced search",
        "told apart by p.",
        "not symmetric: p;",
    ] {
        assert!(failure.detail.contains(part), "{}", failure.detail);
    }
}

/// Components that are exchanged in more ways than 128 bits count: a state that all of them leave alone stands for one.
#[test]
fn what_huge_groups_leave_alone_is_counted() {
    for components in [35_u32, 36] {
        let text = format!(
            "channel a, b : {{1..{components}}}\nP(i) = a.i -> b.i -> P(i)\n\
             Q = ||| i : {{1..{components}}} @ P(i)\nassert RUN({{|a, b|}}) [T= Q\n"
        );
        let loaded = sound(&script(&format!("adaptive_{components}.csp"), text));
        let found = check(&loaded, 1, &adaptive());
        assert_eq!(found.verdict, Verdict::Holds);
        let used = used(&found).expect("it applies");
        assert_eq!((used.at_least, used.exactly), (1 << components, true));
        let by_chain = Options {
            structure: Some(true),
            keeping: StructuralKind::Chain.into(),
            threads: 1,
            ..Options::default()
        };
        let found = check(&loaded, 1, &by_chain);
        assert_eq!(found.verdict, Verdict::Holds);
        assert_eq!(counts(&found).0, u64::from(components) + 1);
    }
}

/// What is exchanged are components: where there is one alone, nothing is looked for in it, however much of it and of the
/// specification could be permuted.
#[test]
fn one_component_is_refused_before_anything_is_looked_for() {
    let text = "channel a, n : {0..2}\nchannel f\nG(i) = a!(i+2)%3 -> SKIP [] a!i -> STOP [] n?v:diff({0..2}, {i}) -> H(i)\n\
        H(i) = G(i) [] a?v -> G(i)\nQ = n?v -> Q\nR(s) = card(s) < 1 & a?v -> R({v}) [] f -> STOP\n\
        Spec = ((G(0) ||| G(1)) [| {|n|} |] (Q ||| R({}))) \\ {f, n.0}\n\
        Loop = n?v -> Loop\nassert Spec [T= n?v -> STOP\nassert Spec [T= Loop\nassert Spec [F= n?v -> n?w -> Loop\n";
    let loaded = sound(&script("adaptive_alone.csp", text));
    for number in 1..=3 {
        let Verdict::Error(failure) = check(&loaded, number, &adaptive()).verdict else {
            panic!("{number} is not refused");
        };
        assert!(failure.detail.contains("E0517"), "{}", failure.detail);
        assert!(
            failure.detail.contains("there is only one"),
            "{}",
            failure.detail
        );
    }
}
