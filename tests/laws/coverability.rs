//! Refinements for any number of components: figures that were found independently, scripts that must be refused, and
//! random families against brute force.

use std::fmt::Write as _;
use std::path::Path;

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::Options;
use orbitscope::check::coverability::{CoverabilityAnswer, CoverabilityQuestion, Coverage, decide};
use orbitscope::report::families::FamilyRequest;
use orbitscope::script::load::{Loaded, load_text};
use orbitscope::script::sizes::SizedScript;
use orbitscope::source::{Bounds, Cancel, Limits, Stop};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::random_scripts::Dice;
use crate::support::sized::{resized, values};
use crate::support::{
    bounded, check, counts, options, oracle, replay, script, tiers, unmerged, verdict, verified,
};
use orbitscope::symmetry::StrategyKind;

/// The type of all families here.
const TYPE: &str = "ThreadID";

/// A script with so many values of the type.
fn at_size(text: &str, size: usize) -> Loaded {
    let text = resized(text, &[(TYPE, values("T", size))]);
    let loaded = load_text(Path::new("family.csp"), &text);
    assert!(!loaded.has_errors(), "{text}\n{:?}", loaded.diagnostics);
    loaded
}

/// The answer for the first assertion.
fn answer(text: &str, options: &Options) -> CoverabilityAnswer {
    let question = CoverabilityQuestion {
        index: 0,
        type_name: TYPE,
        options,
        cancel: &Cancel::default(),
    };
    let answer = decide(&question, &mut |size| Ok(at_size(text, size)));
    answer.unwrap_or_else(|error| panic!("{text}\n{} {}", error.code, error.message))
}

/// The first assertion at one size, reduced.
fn checked(text: &str, size: usize) -> CheckOutcome {
    let loaded = at_size(text, size);
    let outcome = check(&loaded, 1, &options(None, StrategyKind::Exact, 1));
    assert_eq!(verified(&loaded, &outcome), Ok(()), "{text}");
    outcome
}

#[test]
fn the_list_stack_is_proved_for_every_number_of_threads() {
    let Some(folder) = oracle("coverability") else {
        return;
    };
    let folder = folder.join("families");
    let text = std::fs::read_to_string(folder.join("list_stack_2_2.csp")).expect("a script");
    let table = std::fs::read_to_string(folder.join("COVER.tsv")).expect("a table");
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| cells[at].parse::<usize>().expect("a number");
        let nodes = format!("Null | {}", values("N", number(0)));
        let sizes = [("NodeIDType", nodes), ("Data", values("D", number(1)))];
        let text = resized(&text, &sizes);
        assert_eq!(cells[8], "holds for every n");
        let CoverabilityAnswer::Holds(found) = answer(&text, &Options::default()) else {
            panic!("{line}");
        };
        // The number of nodes depends on the order of the search.
        assert_eq!(found.controls, number(3), "{line}: {found:?}");
        assert!(found.nodes >= found.controls, "{line}: {found:?}");
        assert_eq!(found.named, 1, "{line}");
        let sizes = if tiers::is_thorough() { 1..=4 } else { 1..=2 };
        for size in sizes {
            // A type of one value is not reduced by.
            let reduced = size > 1;
            let options = Options {
                types: reduced.then(|| TYPE.to_owned()).into_iter().collect(),
                ..unmerged(options(Some(reduced), StrategyKind::Exact, 1))
            };
            let text = text.replace(" :[symmetry reduce]", "");
            let outcome = check(&at_size(&text, size), 1, &options);
            assert_eq!(verdict(&outcome), "pass", "{line} at {size}");
            let states = number(3 + size) as u64;
            assert_eq!(counts(&outcome).0, states, "{line} at {size}");
        }
        rows += 1;
    }
    assert_eq!(rows, 4);
}

#[test]
fn a_bound_on_the_number_of_components_is_refuted_just_above_it() {
    let Some(folder) = oracle("coverability") else {
        return;
    };
    let path = folder.join("families/at_most_three.csp");
    let text = std::fs::read_to_string(path).expect("a script");
    let found = answer(&text, &Options::default());
    assert_eq!(found, CoverabilityAnswer::Fails { size: 4 });
    for size in 1..=5 {
        let outcome = checked(&text, size);
        let expected = if size < 4 { "pass" } else { "fail" };
        assert_eq!(verdict(&outcome), expected, "{size}");
        if let Some(found) = &outcome.counterexample {
            let text = resized(&text, &[(TYPE, values("T", size))]);
            let path = script(&format!("at_most_three_{size}.csp"), text);
            assert_eq!(replay(&path, found), Ok(()));
        }
    }
}

/// What all scripts here begin with.
const HEAD: &str = "datatype ThreadID = T0 | T1 | T2\nchannel a, b, c : ThreadID\nchannel d : ThreadID.ThreadID\n\
                    channel start\nAny = a?x -> Any [] b?x -> Any [] c?x -> Any [] d?x?y -> Any [] start -> Any\n";

/// The answer to a script after [`HEAD`].
fn of(text: &str) -> CoverabilityAnswer {
    answer(&format!("{HEAD}{text}"), &Options::default())
}

#[track_caller]
fn proved(text: &str) -> Coverage {
    match of(text) {
        CoverabilityAnswer::Holds(found) => found,
        other => panic!("{text}\n{other:?}"),
    }
}

#[track_caller]
fn refuted(text: &str) {
    let found = of(text);
    assert!(
        matches!(found, CoverabilityAnswer::Fails { .. }),
        "{text}\n{found:?}"
    );
}

#[test]
fn a_lock_excludes_any_number_of_threads() {
    let threads = "Thread(me) = a.me -> b.me -> Thread(me)\nThreads = ||| x : ThreadID @ Thread(x)\n\
                   Lock = a?x -> b.x -> Lock\nOne = a?x -> b!x -> One\n";
    let locked = proved(&format!(
        "{threads}assert One [T= Threads [|{{|a, b|}}|] Lock\n"
    ));
    assert_eq!(locked.named, 1);
    refuted(&format!("{threads}assert One [T= Threads\n"));
    // The lock is taken by a thread, and given back by another, which the specification notes.
    let loose = "Loose = a?x -> b?y -> Loose\nassert One [T= Threads [|{|a, b|}|] Loose\n";
    proved(&format!("{threads}{loose}"));
}

#[test]
fn two_members_meet_in_a_step() {
    let pairs = "Left(me) = d.me?y -> a.me -> Left(me)\nRight(me) = d?x!me -> b.me -> Right(me)\n\
                 Pairs = (||| x : ThreadID @ Left(x)) [|{|d|}|] (||| x : ThreadID @ Right(x))\n";
    // As many a as d at most.
    let spec = "Spec = d?x?y -> Rest(x) [] b?y -> Spec\nRest(x) = a.x -> Spec [] b?y -> Rest(x) [] d?y?z -> Any\n";
    proved(&format!("{pairs}{spec}assert Spec [T= Pairs\n"));
    let never = "Never = d?x?y -> Never [] a?x -> Never\n";
    refuted(&format!("{pairs}{never}assert Never [T= Pairs\n"));
    // With alphabets, and a component that meets itself.
    let alphabets = "M(me) = d.me?y -> a.me -> M(me) [] d?x!me -> b.me -> M(me)\n\
                     Met = || x : ThreadID @ [{a.x, b.x, d.x.y, d.y.x | y <- ThreadID}] M(x)\n";
    proved(&format!("{alphabets}assert Any [T= Met\n"));
}

/// A family that is beside what is refused.
const FAMILY: &str = "external prioritise, chase\ntransparent sbisim, normal\nP(me) = a.me -> P(me)\n\
                      Ps = ||| x : ThreadID @ P(x)\n";

/// Scripts after [`HEAD`] and [`FAMILY`] that are refused: the script, a part of the reason, and how the text at the
/// place begins.
const REFUSED: [(&str, &str, &str); 24] = [
    (
        "Q(me) = d.me?y -> R(me, y)\nR(me, y) = d.me.y -> Q(me)\nassert Any [T= ||| x : ThreadID @ Q(x)\n",
        "the variable `y` of Q, as R, holds a value of ThreadID",
        "d.me.y",
    ),
    (
        "Q(me) = start -> a.me -> Q(me)\nassert Any [T= [|{start}|] x : ThreadID @ Q(x)\n",
        "how many processes",
        "ThreadID",
    ),
    (
        "Q(me) = start -> a.me -> Q(me)\nassert Any [T= || x : ThreadID @ [{start, a.x}] Q(x)\n",
        "takes all components",
        "start",
    ),
    (
        "Q(me) = a?y -> Q(me)\nassert Any [T= || x : ThreadID @ [{a.y, b.x | y <- ThreadID}] Q(x)\n",
        "`a` takes all components",
        "a, b, c",
    ),
    (
        "Q(me) = a.me -> SKIP\nassert Any [T= (||| x : ThreadID @ Q(x)) ; start -> STOP\n",
        "does not keep its form",
        "",
    ),
    (
        "Q(me) = a.me -> SKIP\nassert Any [T= ||| x : ThreadID @ Q(x)\n",
        "may terminate",
        "",
    ),
    ("assert Any [F= Ps\n", "only `[T=`", "assert"),
    ("assert not Any [T= Ps\n", "only `[T=`", "assert"),
    ("assert Ps :[deadlock free]\n", "only `[T=`", "assert"),
    (
        "assert Any [T= sbisim(Ps)\n",
        "`sbisim` compresses",
        "sbisim",
    ),
    (
        "assert Any [T= chase(Ps)\n",
        "interchangeable: one is used by `chase`",
        "chase",
    ),
    (
        "Q = normal(b?x -> Q)\nassert Any [T= Ps ||| Q\n",
        "`normal` compresses",
        "normal",
    ),
    (
        "assert Any [T= prioritise(Ps, <{|a|}, {|b|}>)\n",
        "`prioritise`",
        "prioritise",
    ),
    (
        "N = card(ThreadID)\nQ(n) = n > 0 & b?x -> Q(n-1)\nassert Any [T= Ps ||| Q(N)\n",
        "all of `ThreadID`",
        "ThreadID",
    ),
    (
        "Q(s) = b?x:s -> Q(diff(s, {x}))\nassert Any [T= Ps ||| Q(ThreadID)\n",
        "all of `ThreadID`",
        "ThreadID",
    ),
    (
        "Q(s) = b?x -> Q(union(s, {x}))\nassert Any [T= Ps ||| Q({})\n",
        "Q and the specification name more than",
        "",
    ),
    (
        "Spec(s) = a?x -> Spec(union(s, {x}))\nassert Spec({}) [T= Ps\n",
        "the specification names more than",
        "assert",
    ),
    (
        "Spec = ||| x : ThreadID @ P(x)\nassert Spec [T= Ps\n",
        "the specification has a process",
        "ThreadID",
    ),
    (
        "assert Any [T= ||| x : ThreadID @ start -> STOP\n",
        "no component is named",
        "assert",
    ),
    (
        "assert Any [T= Ps ||| (||| x : ThreadID @ start -> STOP)\n",
        "depends on the number",
        "assert",
    ),
    (
        "assert Any [T= ||| x : ThreadID, y : ThreadID @ d.x.y -> STOP\n",
        "named by several values",
        "",
    ),
    (
        "assert Any [T= (a.T0 -> STOP) ||| Ps\n",
        "interchangeable",
        "T0",
    ),
    (
        "assert Any [T= b?x -> Ps\n",
        "becomes several components",
        "",
    ),
    (
        "Q = [] x : ThreadID @ start -> b.x -> Q\nassert Any [T= Ps ||| Q\n",
        "does not show the value",
        "[] x",
    ),
];

#[test]
fn conditions_that_are_not_met_are_told_with_their_places() {
    for (text, reason, place) in REFUSED {
        let whole = format!("{HEAD}{FAMILY}{text}");
        let CoverabilityAnswer::Refused(obstacle) = answer(&whole, &Options::default()) else {
            panic!("{text}: not refused");
        };
        assert!(obstacle.why.contains(reason), "{text}: {obstacle:?}");
        assert!(!obstacle.why.ends_with('.'), "{text}: {obstacle:?}");
        let span = obstacle
            .span
            .unwrap_or_else(|| panic!("{text}: {obstacle:?} has no place"));
        // The values are in the first line: all sizes of one digit have that in common which follows.
        let sizes = (4..=9).map(|size| resized(&whole, &[(TYPE, values("T", size))]));
        let is_there = |read: String| {
            read.get(span.start as usize..)
                .is_some_and(|at| at.starts_with(place))
        };
        assert!(sizes.into_iter().any(is_there), "{text}: {obstacle:?}");
    }
    // A type that names no components.
    let lone = format!("{HEAD}Q = b?x -> Q\nassert Any [T= Q\n");
    assert_eq!(
        answer(&lone, &Options::default()),
        CoverabilityAnswer::NoFamily
    );
}

/// What `family` says of the first assertion of a script, as text.
fn reported(text: &str, sizes: std::ops::RangeInclusive<usize>) -> String {
    let bounds = Bounds::default();
    let sized = SizedScript::of_text(Path::new("family.csp"), text, &bounds);
    let written = sized.as_written(&bounds);
    let request = FamilyRequest {
        script: &sized,
        written: &written,
        of: &[TYPE.to_owned()],
        sizes,
        options: &Options::default(),
        timeout: None,
        proves: true,
        cancel: &Cancel::default(),
    };
    let outcome = request.run(1, &mut |_, _| {});
    let text = outcome.document(&written.sources).text();
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("{}\n{}", words.join(" "), outcome.json(&written.sources))
}

#[test]
fn the_report_tells_checked_sizes_from_proved_ones() {
    let threads = "Thread(me) = a.me -> b.me -> Thread(me)\nThreads = ||| x : ThreadID @ Thread(x)\n\
                   Lock = a?x -> b.x -> Lock\nOne = a?x -> b!x -> One\n";
    let locked = format!("{HEAD}{threads}assert One [T= Threads [|{{|a, b|}}|] Lock\n");
    let found = reported(&locked, 1..=3);
    assert!(
        found.contains("1 and more holds PROVED: coverability"),
        "{found}"
    );
    // Smaller sizes are not said to hold unless they were searched.
    let found = reported(&locked, 2..=2);
    assert!(found.contains("4 and more holds"), "{found}");
    assert!(found.contains("\"from\":4"), "{found}");
    let open = format!("{HEAD}{threads}assert One [T= Threads\n");
    let found = reported(&open, 1..=1);
    assert!(found.contains("2 and more fails"), "{found}");
}

#[test]
fn limits_end_it_without_an_answer() {
    let text = format!("{HEAD}P(me) = a.me -> P(me)\nassert Any [T= ||| x : ThreadID @ P(x)\n");
    let none = Limits {
        states_max: 0,
        ..Limits::default()
    };
    let late = Limits::default().with_timeout(std::time::Duration::ZERO);
    for (limits, expected) in [(none, Stop::States), (late, Stop::Time)] {
        let options = Options {
            limits,
            ..Options::default()
        };
        assert_eq!(
            answer(&text, &options),
            CoverabilityAnswer::Stopped(expected)
        );
    }
}

// -------------------------------------------------------------------------------------------------- random families

/// Steps of a member, with `%` for what follows.
const OF_MEMBER: [&str; 8] = [
    "a.me -> %",
    "b.me -> %",
    "c.me -> %",
    "(a.me -> % |~| b.me -> %)",
    "d.me?y -> %",
    "d?x!me -> %",
    "start -> %",
    "(a.me -> % [] c.me -> %)",
];

/// Steps of the rest in a state without names, and in one with a name.
const OF_REST: [[&str; 8]; 2] = [
    [
        "a?x -> %(x)",
        "a?x -> #",
        "b?x -> #",
        "c?x -> %(x)",
        "d?x?y -> %(y)",
        "start -> #",
        "(|~| x : ThreadID @ %(x))",
        "d?x?y:diff(ThreadID, {x}) -> #",
    ],
    [
        "a.x -> #",
        "b.x -> #",
        "a?y -> %(y)",
        "b?y:diff(ThreadID, {x}) -> %(x)",
        "c!x -> %(x)",
        "d.x?y -> %(y)",
        "start -> %(x)",
        "c?y -> (if x == y then # else %(y))",
    ],
];

const SYNCED: [&str; 6] = [
    "{}",
    "{|a|}",
    "{|a, b|}",
    "{|a, b, c|}",
    "{|d|}",
    "{|a, start|}",
];

/// Rests that count, and their arguments.
const COUNTING: [&str; 3] = [
    "Count(n) = n < 2 & a?x -> Count(n+1) [] n > 0 & b?x -> Count(n-1)",
    "Count(n) = n > 0 & a?x -> Count(n-1) [] n < 3 & b?x -> Count(n+1) [] c?x -> Count(n)",
    "Count(n) = a?x -> Count((n+1)%3) [] n == 2 & b?x -> Count(0)",
];

const SPECIFICATIONS: [&str; 7] = [
    "Spec = a?x -> Held(x) [] c?x -> Spec [] d?x?y -> Spec [] start -> Spec\n\
     Held(x) = b.x -> Spec [] c?y -> Held(x) [] d?y?z -> Held(x) [] start -> Held(x)",
    "Spec = Most(0)\nMost(n) = n < 2 & a?x -> Most(n+1) [] n > 0 & b?x -> Most(n-1) [] c?x -> Most(n) \
     [] d?x?y -> Most(n) [] start -> Most(n)",
    "Spec = Most(0)\nMost(n) = n < 3 & a?x -> Most(n+1) [] b?x -> Most(if n > 0 then n-1 else 0) [] c?x -> Most(n) \
     [] d?x?y -> Most(n) [] start -> Most(n)",
    "Spec = a?x -> Spec [] b?x -> Spec [] c?x -> Spec [] d?x?y -> Spec [] start -> Spec",
    "Spec = a?x -> Spec [] b?x -> Spec [] c?x -> Twice(x) [] d?x?y -> Spec [] start -> Spec\n\
     Twice(x) = a?y -> Twice(x) [] b?y -> Spec [] c?y:diff(ThreadID, {x}) -> Twice(y) [] d?y?z -> Twice(x) \
     [] start -> Twice(x)",
    "Spec = a?x -> Spec [] b?x -> Spec [] c?x -> Spec [] d?x?y -> Pair(x, y) [] start -> Spec\n\
     Pair(x, y) = a?z -> Pair(x, y) [] b?z -> Spec [] d.y?z -> Pair(y, z) [] c?z -> Pair(x, y)",
    "Spec = (a?x -> Spec [] b?x -> Spec) |~| (c?x -> Spec [] d?x?y -> Spec [] start -> Spec)",
];

/// A family of members that name only themselves, beside a rest.
fn generate(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let mut text = format!(
        "datatype {TYPE} = T0\nchannel a, b, c : {TYPE}\nchannel d : {TYPE}.{TYPE}\nchannel start\n"
    );
    let states = 1 + dice.below(3);
    let families = 1 + dice.below(2);
    for family in 0..families {
        for state in 0..states {
            let steps: Vec<String> = (0..=dice.below(2))
                .map(|_| {
                    let next = format!("M{family}{}(me)", dice.below(states));
                    OF_MEMBER[dice.below(OF_MEMBER.len())].replace('%', &next)
                })
                .collect();
            let _ = writeln!(text, "M{family}{state}(me) = {}", steps.join(" [] "));
        }
    }
    for named in 0..2 {
        let parameter = ["", "(x)"][named];
        let steps: Vec<String> = (0..=dice.below(3))
            .map(|_| {
                OF_REST[named][dice.below(8)]
                    .replace('%', "R1")
                    .replace('#', "R0")
            })
            .collect();
        let _ = writeln!(text, "R{named}{parameter} = {}", steps.join(" [] "));
    }
    let _ = writeln!(text, "{}", COUNTING[dice.below(COUNTING.len())]);
    let family = |n: usize, dice: &mut Dice<'_>| match dice.below(4) {
        0 => format!("(|| x : {TYPE} @ [{{a.x, b.x, c.x, d.x.y, d.y.x | y <- {TYPE}}}] M{n}0(x))"),
        _ => format!("(||| x : {TYPE} @ M{n}0(x))"),
    };
    let first = family(0, dice);
    let members = match families {
        1 => first,
        _ => format!(
            "({first} [|{}|] {})",
            SYNCED[dice.below(SYNCED.len())],
            family(1, dice)
        ),
    };
    let rest = ["R0", "Count(0)", "(R0 ||| Count(0))", "STOP"][dice.below(4)];
    let set = SYNCED[dice.below(SYNCED.len())];
    let hidden = ["{}", "{}", "{|c|}", "{|d|}", "{|a|}"][dice.below(5)];
    let _ = writeln!(text, "System = ({members} [|{set}|] {rest}) \\ {hidden}");
    let _ = writeln!(text, "{}", SPECIFICATIONS[dice.below(SPECIFICATIONS.len())]);
    text.push_str("assert Spec [T= System\n");
    text
}

/// Sizes that are searched: more than any counterexample of these families needs.
const SIZES: usize = 5;
/// Sizes that a counterexample may take at most.
const LEAST_MAX: usize = 9;
/// Larger searches are given up.
const STATES_MAX: usize = 3_000;

/// What became of the random families.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    failed: usize,
    refused: usize,
    /// Some size was too large to be searched.
    open: usize,
}

fn holds_at(text: &str, size: usize) -> Option<bool> {
    let loaded = at_size(text, size);
    let bounds = bounded(options(None, StrategyKind::Exact, 1), STATES_MAX);
    match verdict(&check(&loaded, 1, &bounds)).as_str() {
        "pass" => Some(true),
        "fail" => Some(false),
        other if other.starts_with("inconclusive") => None,
        other => panic!("{text}\nat {size}: {other}"),
    }
}

fn tried(text: &str, tally: &mut Tally) -> Result<(), TestCaseError> {
    let bounds = bounded(Options::default(), 20_000);
    match answer(text, &bounds) {
        CoverabilityAnswer::Holds(found) => {
            tally.proved += 1;
            // Two sizes more than the proof was made with.
            for size in 1..=SIZES.max(found.size + 2) {
                match holds_at(text, size) {
                    Some(holds) => prop_assert!(
                        holds || size < found.size,
                        "{text}\nproved, but it fails at {size}"
                    ),
                    // Larger ones have more states.
                    None => {
                        tally.open += 1;
                        return Ok(());
                    }
                }
            }
        }
        CoverabilityAnswer::Fails { .. } => {
            tally.failed += 1;
            for size in 1..=LEAST_MAX {
                match holds_at(text, size) {
                    Some(true) => prop_assert!(size < LEAST_MAX, "{text}\nno size to {size} fails"),
                    Some(false) => {
                        // It fails at every larger size, too.
                        let more = holds_at(text, size + 1);
                        prop_assert!(more != Some(true), "{text}\nfails at {size} alone");
                        return Ok(());
                    }
                    None => {
                        tally.open += 1;
                        return Ok(());
                    }
                }
            }
        }
        CoverabilityAnswer::NoFamily => prop_assert!(false, "{text}\nno family"),
        CoverabilityAnswer::Refused(obstacle) => {
            prop_assert!(!obstacle.why.is_empty());
            tally.refused += 1;
        }
        CoverabilityAnswer::Stopped(_) => tally.open += 1,
    }
    Ok(())
}

#[test]
fn random_families_hold_at_every_size_if_they_are_proved() {
    let tally = std::cell::RefCell::new(Tally::default());
    let cases = tiers::cases(160);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let bytes = proptest::collection::vec(any::<u8>(), 48);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let run = runner.run(&bytes, |bytes| {
        tried(&generate(&bytes), &mut tally.borrow_mut())
    });
    let tally = tally.into_inner();
    if let Err(error) = run {
        panic!("{error}");
    }
    // The generator is worth its time only if all three happen.
    if cases >= 20 {
        assert!(tally.proved > 0 && tally.failed > 0, "{tally:?}");
    }
}
