//! Networks with both kinds of symmetry: cells in a ring that are numbered by integers, and values of a datatype that
//! they hold, or that tell users of the cells apart. What a check reduces by has to be the whole group, and
//! everything that is reduced by it what the unreduced search says.

use std::path::Path;

use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::{Options, StructureUse};
use orbitscope::script::load::Loaded;
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

use crate::numbered::of;
use crate::random_scripts::Dice;
use crate::structure_checks::compare;
use crate::support::{
    bounded, check, counts, options, replay, repository, script, sound, tiers, unmerged,
};

/// Scripts of one run.
const CASES: u32 = 64;
/// Larger unreduced searches are given up.
const STATES_MAX: usize = 4_000;

/// Alternatives of an empty cell `i`, with the cell before it as `h`.
const OF_EMPTY: [&str; 9] = [
    "put.i?x -> Full(i,x)",
    "put.i?x -> Full(i,x)",
    "mv.h?x -> Full(i,x)",
    "mv.h?x -> Full(i,x)",
    "a.i -> Cell(i)",
    "t?x -> Full(i,x)",
    "d -> Cell(i)",
    "put.i?x -> STOP",
    "mv.h?x -> t.x -> Cell(i)",
];

/// The same of one that holds `x`.
const OF_FULL: [&str; 9] = [
    "get.i.x -> Cell(i)",
    "get.i.x -> Cell(i)",
    "mv.i.x -> Cell(i)",
    "mv.i.x -> Cell(i)",
    "t.x -> Full(i,x)",
    "put.i?y:diff(D,{x}) -> Full(i,y)",
    "b.i -> Full(i,x)",
    "d -> Cell(i)",
    "mv.h?y -> Full(i,y)",
];

const OF_USERS: [&str; 6] = [
    "put?i!x -> User(x)",
    "get?i!x -> User(x)",
    "t.x -> User(x)",
    "put?i!x -> get.i.x -> User(x)",
    "d -> User(x)",
    "t.x -> d -> User(x)",
];

const TOGETHER: [&str; 5] = [
    "|| i : R @ [{|put.i, get.i, mv.i, mv.before(i), a.i, b.i, t|}] Cell(i)",
    "|| i : R @ [{|put.i, get.i, mv.i, mv.before(i), a.i, b.i, d|}] Cell(i)",
    "|| i : R @ [{|put.i, get.i, mv.i, mv.before(i), a.i, b.i|}] Cell(i)",
    "[| {|d|} |] i : R @ Cell(i)",
    "[| {|t, mv|} |] i : R @ Cell(i)",
];

const SETS: [&str; 6] = [
    "{||}",
    "{|put|}",
    "{|put, get|}",
    "{|t|}",
    "{|mv, d|}",
    "{|get, t, d|}",
];

const SPECIFICATIONS: &str = "Run = [] x : Events @ x -> Run
Lax = STOP |~| Run
Others(c) = [] x : diff(Events, c) @ x -> Run
Last(x) = put?i?y -> Last(y) [] get?i?y -> Last(x) [] mv?i?y -> Last(y) [] t?y -> Last(x) [] Rest(Last(x))
Rest(P) = a?i -> P [] b?i -> P [] d -> P
At(k) = put?i?y -> At(i) [] get.k?y -> At(k) [] mv?i?y -> At(next(i)) [] t?y -> At(k) [] a?i -> At(i) [] b?i -> At(k) [] d -> At(k)
Held(xs) = put?i?y -> Held(union(xs,{y})) [] mv?i?y -> Held(xs) [] get?i?y:xs -> Held(xs) [] t?y -> Held(xs) [] a?i -> Held(xs) [] b?i -> Held(xs) [] d -> Held(xs)
One = put.0?y -> Run [] get?i?y -> One [] mv?i?y -> One [] t?y -> One [] a?i -> One [] b?i -> One [] d -> One
";

const ASSERTIONS: [&str; 14] = [
    "Whole :[divergence free]",
    "System :[deadlock free [F]]",
    "System :[deadlock free [FD]]",
    "System :[deterministic [FD]]",
    "Run [T= System",
    "Held({}) [T= System",
    "One [T= System",
    "At(0) [T= Whole",
    "Lax [F= System",
    "Lax [FD= System",
    "Whole [FD= System",
    "Held({}) [F= Whole",
    "Last(First) [T= System",
    "Lax [R= System",
];

fn alternatives(dice: &mut Dice<'_>, menu: &[&str]) -> String {
    let chosen: Vec<String> = (0..=dice.below(3))
        .map(|_| format!("({})", of(dice, menu).replace(".h", ".before(i)")))
        .collect();
    chosen.join(of(dice, &[" [] ", " [] ", " |~| "]))
}

/// A script of at most seven components from decisions.
fn generate(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let cells = of(dice, &["3", "3", "2", "4"]);
    let values = of(dice, &["A | B", "A | B | C", "A | B | C"]);
    let empty = alternatives(dice, &OF_EMPTY);
    let full = alternatives(dice, &OF_FULL);
    let user = alternatives(dice, &OF_USERS);
    let cells_together = of(dice, &TOGETHER);
    let set = of(dice, &SETS);
    let whole = of(
        dice,
        &[
            "Cells",
            "Cells",
            "Cells [| % |] (||| x : D @ User(x))",
            "Cells [| % |] ([| {|d|} |] x : D @ User(x))",
        ],
    );
    let whole = whole.replace("%", set);
    let hidden = of(dice, &SETS);
    // A value that is named is not permuted: of the others there may be some left.
    let named = of(dice, &["First = A", "First = A", "First = head(seq(D))"]);
    let text = format!(
        "datatype D = {values}
R = {{0..{cells}-1}}
next(i) = (i+1)%{cells}
before(i) = (i+{cells}-1)%{cells}
channel put, get, mv : R.D
channel a, b : R
channel t : D
channel d
Cell(i) = {empty}
Full(i,x) = {full}
User(x) = {user}
Cells = {cells_together}
Whole = {whole}
System = Whole \\ {hidden}
{named}
{SPECIFICATIONS}"
    );
    ASSERTIONS.iter().fold(text, |text, assertion| {
        format!("{text}assert {assertion}\n")
    })
}

fn checked(loaded: &Loaded, number: usize, structure: Option<bool>) -> CheckOutcome {
    let how = Options {
        merging: false,
        structure,
        ..options(None, StrategyKind::default(), 1)
    };
    check(loaded, number, &bounded(how, STATES_MAX))
}

/// By default, at most as many states are kept as with either kind of symmetry alone.
fn no_kind_alone_keeps_fewer(loaded: &Loaded, number: usize) -> Result<(), String> {
    let both = checked(loaded, number, None);
    let looked = both.details.as_ref().and_then(|d| d.structure_looked);
    // A search that ends after few states may end before its structure is looked at to the end.
    let is_open = looked
        .is_none_or(|looked| matches!(looked.came, StructureUse::Limited | StructureUse::Untied));
    let kept = |outcome: &CheckOutcome| {
        let holds = outcome.verdict == Verdict::Holds;
        holds.then(|| counts(outcome).0)
    };
    let Some(both) = kept(&both).filter(|_| !is_open) else {
        return Ok(());
    };
    for alone in [true, false] {
        let alone_kept = kept(&checked(loaded, number, Some(alone)));
        if alone_kept.is_some_and(|kept| kept < both) {
            return Err(format!(
                "{both} states, and fewer with structure alone {alone}"
            ));
        }
    }
    Ok(())
}

/// Partial order reduction and state symmetry change no verdict, and counterexamples are runs.
fn steps_may_be_left_out(path: &Path, loaded: &Loaded, number: usize) -> Result<(), String> {
    let plain = options(Some(false), StrategyKind::default(), 1);
    let plain = check(loaded, number, &bounded(plain, STATES_MAX));
    if !matches!(plain.verdict, Verdict::Holds | Verdict::Fails) {
        return Ok(());
    }
    for (partial_order, state_symmetry) in [(Some(true), false), (None, true)] {
        let how = Options {
            structure: None,
            partial_order,
            state_symmetry,
            ..options(None, StrategyKind::default(), 2)
        };
        let found = check(loaded, number, &bounded(how, STATES_MAX));
        if matches!(found.verdict, Verdict::Inconclusive(_)) {
            continue;
        }
        if found.verdict != plain.verdict {
            return Err(format!("{partial_order:?} {:?}", found.verdict));
        }
        if let Some(example) = &found.counterexample {
            replay(path, example).map_err(|e| format!("{partial_order:?}: {e}"))?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES),
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn both_kinds_of_symmetry_are_one_group(bytes in prop::collection::vec(any::<u8>(), 30..50)) {
        let text = generate(&bytes);
        let path = script("types_and_structure.csp", &text);
        let loaded = sound(&path);
        for number in 1..=ASSERTIONS.len() {
            let left_out = steps_may_be_left_out(&path, &loaded, number);
            prop_assert!(left_out.is_ok(), "#{number} {}\n{text}", left_out.unwrap_err());
            let compared = compare(&path, &loaded, number).and_then(|_| {
                // Refusal testing fixes events, so the kinds do not make one group there.
                let fixes = ASSERTIONS[number - 1].contains("[R=");
                match fixes {
                    true => Ok(()),
                    false => no_kind_alone_keeps_fewer(&loaded, number),
                }
            });
            prop_assert!(compared.is_ok(), "#{number} {}\n{text}", compared.unwrap_err());
        }
    }
}

/// The states and the order of the group of the first assertion, by default.
fn by_default(loaded: &Loaded, merging: bool) -> CheckOutcome {
    let how = Options {
        structure: None,
        merging,
        ..options(None, StrategyKind::default(), 2)
    };
    check(loaded, 1, &how)
}

/// What types alone keep many more states of: 55,485, 15 and 8,565.
#[test]
fn types_do_not_hide_structure() {
    for (name, merging, states, order) in [
        ("users_of_a_room", true, 215, 5_040_u64),
        ("users_of_a_room", false, 215, 5_040),
        ("ring_of_data", true, 7, 18),
        ("ring_of_data", false, 7, 18),
        ("ring_of_messages", true, 326, 11_284_439_629_824),
    ] {
        let loaded = sound(&repository(&format!("tests/data/symmetry/{name}.csp")));
        let found = by_default(&loaded, merging);
        let symmetry = found.symmetry.as_ref().expect("it is reduced");
        assert_eq!(
            (counts(&found).0, &symmetry.group_order),
            (states, &order.into()),
            "{name}"
        );
    }
}

/// A search that is reduced by types at first, until the structure of a large network is looked at, comes to the states
/// of one that is reduced by both from its beginning. They represent what the unreduced search meets.
#[test]
fn states_that_types_have_reduced_are_reduced_further() {
    let text = std::fs::read_to_string(repository("tests/data/symmetry/ring_of_data.csp"));
    let text = text.expect("a script").replace("N = 3", "N = 8");
    let (text, _) = text.split_once("assert").expect("an assertion");
    let large = "channel never : {0..4000}\nLarge(n) = n < 4000 & never.n -> Large(n+1)\n";
    let beside = "(Large(0) [| {|never|} |] STOP) ||| System";
    let of = |name: &str, process: &str| {
        let assertion = format!("assert {process} :[divergence free]\n");
        sound(&script(name, format!("{text}{large}{assertion}")))
    };
    let (late, soon) = (
        of("reduced_late.csp", beside),
        of("reduced_soon.csp", "System"),
    );
    let outcomes = [&late, &soon].map(|loaded| by_default(loaded, true));
    let before = outcomes.each_ref().map(|found| {
        let details = found.details.as_ref().expect("it ended");
        let looked = details.structure_looked.expect("it was looked for");
        assert_eq!(looked.came, StructureUse::Used);
        looked.states_before
    });
    assert!(before[0] > 1_407 && before[1] == 0, "{before:?}");
    assert_eq!(outcomes.each_ref().map(|found| counts(found).0), [1_407; 2]);
    for (loaded, found) in [&late, &soon].into_iter().zip(&outcomes) {
        assert_eq!(found.verdict, Verdict::Holds);
        let counting = Options {
            count_full: true,
            structure: None,
            ..options(None, StrategyKind::default(), 2)
        };
        let represented = check(loaded, 1, &counting).represented;
        let plain = check(
            loaded,
            1,
            &unmerged(options(Some(false), StrategyKind::default(), 2)),
        );
        let (states, transitions) = counts(&plain);
        assert_eq!(
            (states, represented),
            (65_536, Some((states.into(), transitions.into())))
        );
    }
}
