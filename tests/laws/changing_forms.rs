//! Networks that change their form, with symmetric values in them: components that become compositions, operators that
//! end, interrupts, choices of networks, under hiding and renaming. With any options, the verdict of a check is that
//! of a search without any.
//!
//! `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7 cargo laws changing_forms` tries many, in one process.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::script::load::{Loaded, load_text};
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::Limits;
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

use crate::random_scripts::Dice;
use crate::support::{
    bounded, check, counts, length, options, refused, replay, script, sound, tiers, verdict,
    verified,
};

/// Scripts of one run, each of which is checked in many ways.
pub const CASES: u32 = 160;
/// Larger searches are given up.
const STATES_MAX: usize = 2_500;

/// What components do: `@` is one of themselves, `v` their value, `%` a composition.
const STEPS: [&str; 16] = [
    "j!v -> @(v)",
    "j!v -> @(v)",
    "j?w -> @(v)",
    "j?w:diff(S, {v}) -> @(v)",
    "k.v?u -> @(v)",
    "e -> %",
    "e -> %",
    "f -> (% ; @(v))",
    "e -> (% /\\ f -> @(v))",
    "(% [> f -> @(v))",
    "(% [] j!v -> @(v))",
    "(% [| {e} |> @(v))",
    "j!v -> (%) \\ {|k|}",
    "f -> (%)[[e <- f]]",
    "e -> SKIP",
    "f -> (% |~| STOP)",
];

/// Compositions, of processes that are none.
const COMPOSITIONS: [&str; 10] = [
    "(SKIP ||| SKIP)",
    "(SKIP ||| (f -> SKIP))",
    "(L(v) ||| M(v))",
    "(L(v) [| {|j|} |] M(v))",
    "(L(v) [| {e, f} |] L(v))",
    "(M(v) ||| M(v))",
    "(L(v) [{j.v, e} || {j.v, f}] M(v))",
    "(||| w : S @ L(w))",
    "(||| w : diff(S, {v}) @ M(w))",
    "((L(v) ||| SKIP) ; M(v))",
];

/// The processes that these are of.
const LEAVES: [&str; 8] = [
    "SKIP",
    "j!v -> SKIP",
    "e -> SKIP",
    "f -> #(v)",
    "k.v?u -> SKIP",
    "j?w -> #(v)",
    "STOP",
    "j!v -> #(v)",
];

/// How components stand together.
const TOGETHER: [&str; 13] = [
    "||| v : S @ P0(v)",
    "||| v : S @ P0(v)",
    "[| {e} |] v : S @ P0(v)",
    "[| {|j|} |] v : S @ P0(v)",
    "|| v : S @ [{|j.v, k.v, e, f|}] P0(v)",
    "(||| v : S @ P0(v)) [| {|j|} |] Lone({})",
    "(||| v : S @ P0(v)) ||| Lone({})",
    "e -> (||| v : S @ P0(v))",
    "(||| v : S @ P0(v)) ; Lone(S)",
    "(||| v : S @ P0(v)) /\\ Lone({})",
    "(||| v : S @ P0(v)) [] (f -> Lone({}))",
    "(||| v : S @ P0(v)) [> Lone({})",
    "(Copy ||| Copy) [| {|k|} |] (||| v : S @ P0(v))",
];

/// What has no value of its own.
const ALONE: [&str; 6] = [
    "j?x -> Lone(union(xs, {x}))",
    "j?x:xs -> Lone(diff(xs, {x}))",
    "e -> (Copy ||| Copy)",
    "f -> SKIP",
    "k?x?u -> Lone({x})",
    "card(xs) == 1 & f -> (SKIP ||| Copy)",
];

/// What stands above all of them.
const ABOVE: [&str; 9] = [
    "Y \\ {e}",
    "Y \\ {e, f}",
    "Y \\ {|j|}",
    "Y \\ {|e, k|}",
    "Y[[e <- f]]",
    "Y[[j.x <- e | x <- S]]",
    "(Y \\ {e})[[j.x <- f | x <- S]]",
    "(Y ||| SKIP) \\ {f}",
    "(Y ; Lone({})) \\ {e}",
];

const ASSERTIONS: [&str; 24] = [
    "Y :[deadlock free [F]]",
    "Z :[deadlock free [F]]",
    "Z :[deadlock free [FD]]",
    "Z :[divergence free]",
    "Z [T= Z",
    "Y [T= Z",
    "Spec({}) [T= Y",
    "Spec({}) [T= Z",
    "Z [F= Z",
    "Lax [F= Z",
    "Y [F= Y",
    "Y [FD= Y",
    "Z [FD= Z",
    "Lax [FD= Y",
    "Spec({}) [FD= Z",
    "Z [V= Z",
    "Lax [V= Y",
    "Z [VD= Z",
    "Z [R= Z",
    "Lax [R= Y",
    "Z [RD= Y",
    "Y :[deterministic [F]]",
    "Z :[deterministic]",
    "Z :[deterministic [FD]]",
];

pub fn of<'s>(dice: &mut Dice<'_>, menu: &[&'s str]) -> &'s str {
    menu[dice.below(menu.len())]
}

pub fn alternatives(dice: &mut Dice<'_>, count: usize, menu: &[&str], names: [&str; 2]) -> String {
    let mut text = String::new();
    for number in 0..=dice.below(count) {
        if number > 0 {
            text += of(dice, &[" [] ", " [] ", " |~| "]);
        }
        let step = of(dice, menu).replace(['@', '#'], of(dice, &names));
        let _ = write!(text, "({})", step.replace('%', of(dice, &COMPOSITIONS)));
    }
    text
}

/// A script, with the assertions that are to be checked.
fn written(dice: &mut Dice<'_>) -> String {
    let mut text = format!(
        "datatype S = {}\ndatatype U = U0 | U1\nchannel e, f\nchannel j : S\nchannel k : S.U\n",
        of(dice, &["A | B", "A | B", "A | B | C"])
    );
    for name in ["P0", "P1"] {
        let body = alternatives(dice, 3, &STEPS, ["P0", "P1"]);
        let _ = writeln!(text, "{name}(v) = {body}");
    }
    for name in ["L", "M"] {
        let body = alternatives(dice, 2, &LEAVES, ["L", "M"]);
        let _ = writeln!(text, "{name}(v) = {body}");
    }
    let alone = alternatives(dice, 3, &ALONE, ["", ""]);
    let copy = of(
        dice,
        &["k?x?u -> SKIP", "f -> Copy", "j?x -> k!x?u -> STOP"],
    );
    let (together, above) = (of(dice, &TOGETHER), of(dice, &ABOVE));
    let allowed = of(
        dice,
        &[
            "e -> Spec(xs) [] f -> Spec(xs) [] j?x -> Spec(xs) [] k?x?u -> Spec(xs)",
            "e -> Spec({}) [] f -> Spec(xs) [] j?x:diff(S, xs) -> Spec(union(xs, {x})) [] k?x?u -> Spec({x})",
            "(e -> Spec(S) |~| SKIP) [] f -> Spec(xs) [] j?x -> Spec({x}) [] k?x:xs?u -> Spec(xs)",
            "(|~| x : S @ j!x -> Spec({x})) [] f -> (Spec(xs) ||| SKIP) [] e -> Spec(xs)",
        ],
    );
    let _ = writeln!(
        text,
        "Lone(xs) = {alone}\nCopy = {copy}\nY = {together}\nZ = {above}\nSpec(xs) = {allowed}\n\
         Lax = STOP |~| SKIP |~| Spec({{}}) |~| (j?x -> Lax)"
    );
    for _ in 0..3 {
        let _ = writeln!(text, "assert {}", of(dice, &ASSERTIONS));
    }
    text
}

/// One of them, and otherwise as it is by default.
fn sometimes<T>(dice: &mut Dice<'_>, one_of: usize, other: T, usual: T) -> T {
    if dice.below(one_of) == 1 {
        other
    } else {
        usual
    }
}

/// Options at random.
fn way(dice: &mut Dice<'_>) -> Options {
    let usual = Options::default();
    let keepings: Vec<KeepingKind> = match dice.below(3) {
        0 => vec![KeepingKind::default()],
        1 => KeepingKind::structural().collect(),
        _ => KeepingKind::all().collect(),
    };
    let mut how = Options {
        symmetry: [None, None, Some(true), Some(false)][dice.below(4)],
        structure: [None, Some(true), Some(false)][dice.below(3)],
        adaptive: dice.below(8) == 1,
        partial_order: [None, Some(true), Some(true)][dice.below(3)],
        state_symmetry: dice.below(4) == 1,
        sleep_sets: dice.below(4) != 1,
        shortest: dice.below(4) == 1,
        simulate_after: sometimes(dice, 4, 0, usize::MAX),
        compress_after: sometimes(dice, 4, 0, usual.compress_after),
        look_after: sometimes(dice, 4, 1, usual.look_after),
        collapse_after: sometimes(dice, 4, 0, usual.collapse_after),
        count_full: dice.below(6) == 1,
        merging: dice.below(4) != 1,
        threads: 1,
        ..usual
    };
    how.limits.violations_max = sometimes(dice, 4, 3, 1);
    how.keeping = match how.count_full {
        true => StrategyKind::Exact.into(),
        false => keepings[dice.below(keepings.len())],
    };
    how
}

/// What each assertion is checked by: what has gone wrong before, and some at random.
pub fn ways(dice: &mut Dice<'_>) -> Vec<Options> {
    let usual = Options {
        threads: 1,
        ..Options::default()
    };
    let by_order = Options {
        partial_order: Some(true),
        ..usual.clone()
    };
    let adaptive = Options {
        adaptive: true,
        ..usual.clone()
    };
    let mut ways = vec![usual, by_order, adaptive];
    ways.extend((0..4).map(|_| way(dice)));
    ways
}

/// With a bound on states.
fn within(how: &Options) -> Options {
    let mut how = bounded(how.clone(), STATES_MAX);
    how.limits = Limits {
        local_states_max: STATES_MAX,
        ..how.limits
    };
    how
}

/// Whether nothing is reduced, and all that is met counts.
fn keeps_all(how: &Options) -> bool {
    how.symmetry == Some(false)
        && how.structure == Some(false)
        && how.keeping == KeepingKind::default()
        && how.merging
        && !(how.adaptive || how.count_full || how.partial_order == Some(true))
}

/// Whether a check may refuse what was asked for: not what it does by default.
fn may_refuse(how: &Options, detail: &str) -> bool {
    let asked = how.symmetry == Some(true)
        || how.structure == Some(true)
        || how.adaptive
        || how.keeping != KeepingKind::default();
    asked && detail.contains("E05") && !detail.contains("internal error")
}

fn compare(
    (path, loaded, number): (&Path, &Loaded, usize),
    plain: &CheckOutcome,
    how: &Options,
) -> Result<(), String> {
    let how = within(how);
    let found = check(loaded, number, &how);
    match &found.verdict {
        Verdict::Inconclusive(_) | Verdict::Approximate(_) => return Ok(()),
        Verdict::Error(failure) if may_refuse(&how, &failure.detail) => return Ok(()),
        Verdict::Error(_) | Verdict::Holds | Verdict::Fails => {}
    }
    if verdict(&found) != verdict(plain) {
        let told = (verdict(&found), verdict(plain));
        return Err(format!("{:?}, and {:?} without options", told.0, told.1));
    }
    if keeps_all(&how) && found.verdict == Verdict::Holds && counts(&found) != counts(plain) {
        let told = (counts(&found), counts(plain));
        return Err(format!("{:?} for {:?} states", told.0, told.1));
    }
    if let Some(example) = &found.counterexample {
        replay(path, example)?;
    }
    verified(loaded, &found)?;
    let other = check(loaded, number, &Options { threads: 2, ..how });
    let told = |found: &CheckOutcome| (verdict(found), counts(found), length(found));
    if told(&other) != told(&found) {
        let (one, two) = (told(&found), told(&other));
        return Err(format!("{one:?} with one thread, {two:?} with two"));
    }
    Ok(())
}

/// Compares all ways to check each assertion of a script, in a file of its own: tests run side by side.
pub fn agree(name: &str, text: &str, ways: &[Options]) -> Result<(), String> {
    let path = script(name, text);
    let loaded = load_text(&path, text);
    if loaded.has_errors() {
        return Err(format!("{:?}\n{text}", loaded.diagnostics));
    }
    let unreduced = Options {
        symmetry: Some(false),
        structure: Some(false),
        threads: 1,
        ..Options::default()
    };
    for number in 1..=loaded.script.assertions.len() {
        let plain = check(&loaded, number, &within(&unreduced));
        match &plain.verdict {
            Verdict::Holds | Verdict::Fails => {}
            Verdict::Error(failure) if !failure.detail.contains("states to normalise") => {
                return Err(format!("#{number} {}\n{text}", failure.detail));
            }
            _ => continue,
        }
        for how in ways {
            let compared = || compare((&path, &loaded, number), &plain, how);
            let compared = catch_unwind(AssertUnwindSafe(compared));
            let compared = compared.unwrap_or_else(|_| Err("a panic".to_owned()));
            compared.map_err(|e| format!("#{number} {e}\n{text}\n{how:?}"))?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES),
        max_shrink_iters: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn options_change_no_verdict_of_networks_that_change(
        bytes in prop::collection::vec(any::<u8>(), 160),
    ) {
        let dice = &mut Dice(bytes.iter());
        let ways = ways(dice);
        let text = written(dice);
        let compared = agree("changing_forms.csp", &text, &ways);
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }
}

/// The same components under other operators are another state, which a run is not taken to lead to: neither by what
/// states are, nor by what they look like.
#[test]
fn runs_that_are_followed_lead_to_the_operators_that_they_are_of() {
    let ends = [
        "k -> (J ||| STOP) [] k -> (J [| {j} |] STOP)",
        "k -> (J ||| STOP) [] k -> ((STOP [] J) [| {j} |] STOP)",
        "k -> ((J ||| STOP) \\ {k}) [] k -> ((J [| {j} |] STOP) \\ {k})",
        "k -> (J ||| STOP) [] k -> (J [{j} || {j}] STOP)",
        "k -> ((J ||| STOP) ; STOP) [] k -> ((J [| {j} |] STOP) ; STOP)",
        "k -> ((J ||| STOP) /\\ STOP) [] k -> ((J [| {j} |] STOP) /\\ STOP)",
    ];
    for ends in ends {
        let text = format!("channel j, k\nJ = j -> J\nP = {ends}\nassert P :[deadlock free [F]]\n");
        let path = script("operators.csp", &text);
        let loaded = load_text(&path, &text);
        let found = check(&loaded, 1, &Options::default());
        assert_eq!(verdict(&found), "fail", "{text}");
        let example = found.counterexample.as_ref().expect("it fails");
        assert_eq!(replay(&path, example), Ok(()), "{text}");
        assert_eq!(verified(&loaded, &found), Ok(()), "{text}");
    }
}

/// Networks with one form in the beginning, and more that are to come; where they come from.
const LATER: [&str; 6] = [
    "P(v) = e -> (SKIP ||| SKIP) [] j!v -> P(v)\nY = ||| v : S @ P(v)",
    "P(v) = e -> (SKIP ||| (f -> SKIP)) [] j!v -> P(v)\nY = ||| v : S @ P(v)",
    "P(v) = e -> (j!v -> STOP [| {|j|} |] j?w -> SKIP) [] j!v -> P(v)\nY = [| {e} |] v : S @ P(v)",
    "P(v) = e -> ((f -> SKIP ||| j!v -> SKIP) ; P(v)) [] j!v -> P(v)\nY = || v : S @ [{j.v, e, f}] P(v)",
    "P(v) = j!v -> ((f -> SKIP ||| e -> STOP) /\\ j!v -> P(v))\nY = (||| v : S @ P(v)) [| {f} |] (f -> STOP)",
    "P(v) = e -> ((j!v -> SKIP ||| SKIP) [] (f -> SKIP ||| SKIP)) [] j!v -> P(v)\nY = ||| v : S @ P(v)",
];

/// So many of them take other forms however they are compiled.
const ALWAYS_LATER: usize = 2;

#[test]
fn steps_are_left_out_of_no_network_that_takes_other_forms() {
    let by_order = Options {
        partial_order: Some(true),
        threads: 1,
        ..Options::default()
    };
    for (number, network) in (0..).zip(LATER) {
        let mut text = format!("datatype S = A | B\nchannel e, f\nchannel j : S\n{network}\n");
        text += "Z = Y \\ {e}\n";
        for process in ["Y", "Z"] {
            for demand in [
                ":[deadlock free [F]]",
                ":[deterministic]",
                ":[divergence free]",
            ] {
                let _ = writeln!(text, "assert {process} {demand}");
            }
            for model in ["T", "F", "FD", "V", "R"] {
                let _ = writeln!(text, "assert {process} [{model}= {process}");
            }
        }
        assert_eq!(
            agree("forms_later.csp", &text, std::slice::from_ref(&by_order)),
            Ok(())
        );
        // What permutations move may stay inside of its component, and then there is no other form.
        if number >= ALWAYS_LATER {
            continue;
        }
        let loaded = load_text(Path::new("later.csp"), &text);
        let outcome = check(&loaded, 1, &by_order);
        let left_out = outcome.details.and_then(|details| details.left_out);
        let why = left_out.expect("it was asked for").expect_err(network);
        assert!(why.contains("the network takes other forms"), "{why}");
    }
}

/// A composition below operators that end stays inside of its component, also if it is hidden or renamed there: then
/// the network has one form, and what rests on that is right.
#[test]
fn what_is_hidden_around_a_composition_that_ends_stays_inside() {
    let ways = [
        Options {
            adaptive: true,
            threads: 1,
            ..Options::default()
        },
        Options {
            keeping: KeepingKind::named("chain").expect("a strategy"),
            threads: 1,
            ..Options::default()
        },
    ];
    for around in ["\\ {|k|}", "[[e <- f]]"] {
        let text = format!(
            "datatype S = A | B | C\ndatatype U = U0 | U1\nchannel e, f\nchannel j : S\nchannel k : S.U\n\
             P(v) = (j!v -> (((L(v) ||| SKIP) ; M(v))) {around}) |~| (k.v?u -> P(v))\n\
             L(v) = (j!v -> SKIP)\nM(v) = (k.v?u -> SKIP) [] (f -> M(v))\nCopy = k?x?u -> SKIP\n\
             Y = (Copy ||| Copy) [| {{|k|}} |] (||| v : S @ P(v))\nX = ||| v : S @ P(v)\n\
             assert Y \\ {{e}} :[deadlock free [F]]\nassert X :[deadlock free [F]]\n"
        );
        assert_eq!(agree("forms_hidden.csp", &text, &ways), Ok(()));
    }
}

/// Two moves lead to forms that differ in which operand became a composition, and only one of them is on the way that
/// the reduced run takes.
#[test]
fn a_counterexample_takes_the_forms_of_the_reduced_run() {
    let text = "datatype S = A | B
channel e, f
channel j : S
P0(v) = e -> (SKIP ||| (f -> SKIP))
Y = (||| v : S @ P0(v)) [] (f -> STOP)
Spec(xs) = (|~| x : S @ j!x -> Spec({x})) [] f -> (Spec(xs) ||| SKIP) [] e -> Spec(xs)
assert Spec({}) [T= Y
";
    let path = script("forms_of_the_reduced_run.csp", text);
    let loaded = sound(&path);
    for keeping in KeepingKind::all() {
        let found = check(&loaded, 1, &options(None, keeping, 1));
        if refused(keeping, &found) || keeping == KeepingKind::Markers {
            continue;
        }
        assert_eq!(verdict(&found), "fail", "{keeping:?}");
        let example = found.counterexample.as_ref().expect("a counterexample");
        assert_eq!(replay(&path, example), Ok(()), "{keeping:?}");
    }
}

/// A permutation takes the rules of a form to themselves and not its operators: of interleaved components under equal
/// operators it does not matter which stand together.
#[test]
fn counterexamples_are_followed_where_forms_are_images_by_their_rules() {
    let text = "datatype S = A | B
datatype U = U0 | U1
channel e, f
channel j : S
channel k : S.U
P0(v) = (j!v -> ((M(v) ||| M(v))) \\ {|k|})
L(v) = (k.v?u -> SKIP) [] (j!v -> L(v))
M(v) = (f -> L(v)) [] (e -> SKIP)
Lone(xs) = (j?x:xs -> Lone(diff(xs, {x}))) [] (f -> SKIP)
Y = (||| v : S @ P0(v)) [> Lone({})
Spec = e -> Spec [] f -> Spec [] j?x -> Spec [] k?x?u -> Spec
assert Spec [T= Y
";
    let path = script("forms_by_rules.csp", text);
    let loaded = sound(&path);
    let mut how = options(None, KeepingKind::default(), 1);
    how.limits.violations_max = 3;
    let found = check(&loaded, 1, &how);
    assert_eq!(verdict(&found), "fail");
    let example = found.counterexample.as_ref().expect("a counterexample");
    assert_eq!(replay(&path, example), Ok(()));
}
