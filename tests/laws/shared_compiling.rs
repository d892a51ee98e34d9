//! Checks of one run compile what they have in common once. All that they come to has to be what each comes to by
//! itself: verdicts, counts, counterexamples, and what is said of errors, apart from times and memory.

use std::path::Path;

use orbitscope::animate::kept_compiling::CheckRoom;
use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::check::shared_systems::SharedSystems;
use orbitscope::report::{checks, json};
use orbitscope::script::load::{Loaded, load, load_text};
use orbitscope::source::{Cancel, Kind, Limits};
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;
use serde_json::Value;

use crate::partial_order::silent;
use crate::random_scripts;
use crate::support::{check, corpus, options, repository, script, scripts_below, sound, tiers};

/// Larger searches are given up, by both.
const STATES_MAX: usize = 2_000;

/// What is measured, and not counted: other than the rest it differs from run to run.
const MEASURED: [&str; 5] = [
    "seconds",
    "compile_seconds",
    "search_seconds",
    "peak_bytes",
    "ns_a_transition",
];

fn without_measures(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !MEASURED.contains(&&**name));
            members.values_mut().for_each(without_measures);
        }
        Value::Array(items) => items.iter_mut().for_each(without_measures),
        _ => {}
    }
}

/// All assertions of a script in one run, and each by itself. How many went on with what another one had compiled.
fn same(loaded: &Loaded, how: &Options) -> Result<usize, String> {
    let count = loaded.script.assertions.len();
    let cancel = Cancel::default();
    let mut shared = SharedSystems::for_assertions(&loaded.script, 0..count);
    for number in 1..=count {
        shared.begin(number - 1, &how.limits);
        let one = checks::run_sharing(loaded, number, (how, &cancel), &mut shared, &mut |_| {});
        let alone = check(loaded, number, how);
        let told = |outcome: &CheckOutcome| {
            let mut told = json::result(outcome, &loaded.sources);
            without_measures(&mut told);
            // Of what ends with a diagnostic these are the last figures that were told, ten times a second.
            if outcome.diagnostic.is_some() {
                told["stats"] = Value::Null;
            }
            format!("{told:#}\n{:?}\n{:?}", outcome.verdict, outcome.explanation)
        };
        let (one, alone) = (told(&one), told(&alone));
        if one != alone {
            return Err(format!("#{number}\n{one}\nand by itself\n{alone}"));
        }
    }
    Ok(shared.uses())
}

/// Ways to check that compile differently, or search differently.
fn ways() -> Vec<Options> {
    let plain = options(Some(false), StrategyKind::default(), 1);
    let por = Options {
        partial_order: Some(true),
        ..options(None, StrategyKind::default(), 3)
    };
    let counted = Options {
        count_full: true,
        ..options(None, StrategyKind::Walk, 1)
    };
    let structure = Options {
        structure: None,
        ..options(None, StrategyKind::default(), 2)
    };
    let all = [plain, por, counted, structure];
    let limited = |how: Options| Options {
        limits: Limits {
            // Time would end them anywhere.
            deadline: None,
            states_max: STATES_MAX,
            ..how.limits
        },
        ..how
    };
    all.map(limited).to_vec()
}

fn all_ways(path: &Path) -> Result<usize, String> {
    let Ok(loaded) = load(path, None) else {
        return Ok(0);
    };
    let mut uses = 0;
    for how in ways() {
        uses += same(&loaded, &how).map_err(|e| format!("{}, {e}\n{how:?}", path.display()))?;
    }
    Ok(uses)
}

#[test]
fn models_come_to_the_same() {
    let models = std::fs::read_dir(repository("models")).expect("models");
    let mut uses = 0;
    for model in models {
        let path = model.expect("a model").path();
        if path.extension().is_some_and(|e| e == "csp") {
            uses += all_ways(&path).unwrap_or_else(|why| panic!("{why}"));
        }
    }
    assert!(uses > 10, "{uses}");
}

/// Every script in turn, by one of the ways: whole collections take a while, so that it is a sixteenth of them a day.
#[test]
fn scripts_of_the_corpus_come_to_the_same() {
    let test = "shared_compiling_scripts_of_the_corpus";
    let Some(corpus) = corpus(test) else {
        return;
    };
    if !tiers::has_time(test) {
        return;
    }
    let scripts = scripts_below(&corpus);
    let ways = ways();
    let mut uses = 0;
    for (at, path) in scripts
        .iter()
        .enumerate()
        .filter(|(at, _)| tiers::takes(*at / ways.len()))
    {
        let Ok(loaded) = load(path, None) else {
            continue;
        };
        let limits = Limits {
            local_states_max: 2_000,
            calls_max: 3_000_000,
            ..ways[at % ways.len()].limits.clone()
        };
        let how = Options {
            limits,
            ..ways[at % ways.len()].clone()
        };
        uses += same(&loaded, &how).unwrap_or_else(|why| panic!("{}, {why}", path.display()));
    }
    // One script in sixteen may use few.
    let least = if tiers::tries_all() { 100 } else { 1 };
    assert!(uses >= least, "{uses}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(32),
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_scripts_come_to_the_same(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        let path = script("shared_types.csp", random_scripts::generate(&bytes));
        let compared = all_ways(&path);
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn random_silent_scripts_come_to_the_same(bytes in prop::collection::vec(any::<u8>(), 24)) {
        let path = script("shared_silent.csp", silent(&bytes));
        let compared = all_ways(&path);
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        prop_assert!(compared.is_ok_and(|uses| uses > 20));
    }
}

/// What makes two processes that are written alike differ: errors in their own places, functions and what is
/// evaluated later in the text of the assertion, and other plans.
const APART: &str = "datatype T = A | B | C\nchannel c : T\nchannel n : {0..3}\nchannel e\n\
    P(x) = c.x -> P(x) [] e -> STOP\nAll = ||| x : T @ P(x)\n\
    F(f, x) = n!f(x) -> F(f, x)\nG(x) = e -> (n!x -> STOP)\nLate(x) = n.0 -> n!x -> STOP\n\
    slow(k) = if k == 0 then 1 else slow(k - 1)\nCount(k) = if k == 0 then STOP else e -> Count(k - 1)\n\
    assert All :[deadlock free]\nassert All :[divergence free]\nassert All :[deadlock free] :[tau priority]: {e}\n\
    assert All :[divergence free] :[tau priority]: {e}\nassert All :[deterministic [FD]]\n\
    assert All [T= All\nassert All [F= All\nassert P(A) [T= All\nassert c.A -> STOP [T= All\n\
    assert not All [T= All\nassert All :[has trace [T]]: <c.A, e>\n\
    assert G(1 / 0) :[deadlock free]\nassert G(1 / 0) :[divergence free]\nassert G(1 / 0) :[deadlock free]\n\
    assert Late(1 / 0) :[deterministic]\nassert Late(1 / 0) :[deterministic]\n\
    assert F(\\ x @ x + 1, 1) :[deadlock free]\nassert F(\\ x @ x + 1, 1) :[deadlock free]\n\
    assert F(\\ x @ x + 1, 1) :[deterministic]\nassert F(\\ y @ y + 1, 1) :[deterministic]\n\
    assert Late(slow(1000)) :[deterministic]\nassert Late(slow(1000)) :[deterministic]\n\
    assert Late(slow(1000)) [F= Late(slow(1000))\nassert Count(5000) :[deadlock free]\n\
    assert Count(5000) [T= Count(5000)\nassert All \\ {e} [F= All \\ {e}\nassert All \\ {e} [FD= All \\ {e}\n\
    assert (e -> All) :[deadlock free]\nassert (e -> All) :[deterministic]\n";

#[test]
fn what_is_written_alike_in_other_places_comes_to_the_same() {
    let path = script("shared_apart.csp", APART);
    let uses = all_ways(&path).unwrap_or_else(|why| panic!("{why}"));
    assert!(uses > 20, "{uses}");
}

/// Without it the tests above would compare nothing with itself.
#[test]
fn an_implementation_is_compiled_once_and_kept_no_longer_than_it_is_needed() {
    let text = "channel a\nP = a -> P\nQ = a -> a -> Q\nassert P :[deadlock free]\n\
                assert Q :[deadlock free]\nassert P :[divergence free]\nassert Q [T= P\n\
                assert P [T= Q\n";
    let path = script("shared_once.csp", text);
    let loaded = sound(&path);
    let how = ways().swap_remove(0);
    assert_eq!(same(&loaded, &how), Ok(3));
    // Each memory limit that leaves no room for what is kept comes to the same without.
    let tight = Options {
        limits: Limits {
            resident_max: 1,
            ..how.limits.clone()
        },
        ..how
    };
    let cancel = Cancel::default();
    let mut shared = SharedSystems::for_assertions(&loaded.script, 0..5);
    for number in 1..=5 {
        shared.begin(number - 1, &tight.limits);
        checks::run_sharing(&loaded, number, (&tight, &cancel), &mut shared, &mut |_| {});
    }
    assert_eq!(shared.uses(), 0);
}

/// A script with many assertions takes time for each of them, and not for each pair of them.
#[test]
fn the_script_is_compiled_once_for_all_assertions() {
    let mut text = "channel a : {0..49}\nP(i) = a.i -> P((i + 1) % 50)\n".to_owned();
    for i in 0..50 {
        text += &format!("assert P({i}) :[deadlock free]\nassert a.{i} -> STOP [T= P({i})\n");
    }
    let loaded = load_text(Path::new("many.csp"), &text);
    let (how, cancel) = (Options::default(), Cancel::default());
    let mut shared = SharedSystems::for_assertions(&loaded.script, 0..100);
    for number in 1..=100 {
        shared.begin(number - 1, &how.limits);
        let found = checks::run_sharing(&loaded, number, (&how, &cancel), &mut shared, &mut |_| {});
        assert!(matches!(found.verdict, Verdict::Holds | Verdict::Fails));
    }
    assert_eq!(shared.compilations(), 1);
}

/// The screen asks for one check after the other, of a script that may be edited meanwhile.
#[test]
fn checks_that_wait_share_and_an_edit_or_an_empty_queue_begins_anew() {
    const SCRIPT: &str = "channel a\nP = a -> P\nassert P :[deadlock free]\n\
                          assert P :[divergence free]\nassert STOP [T= P\n";
    let path = Path::new("x.csp");
    let mut room = CheckRoom::default();
    let mut check = |text: &str, number: usize, later: &[usize]| {
        room.announce(later.to_vec());
        let options = Options::default();
        let loaded = load_text(path, text);
        let (loaded, shared) = room.begun(path, loaded, number, &options.limits);
        let how = (&options, &Cancel::default());
        let outcome = checks::run_sharing(loaded, number, how, shared, &mut |_| {});
        let uses = shared.uses();
        room.tidy();
        (uses, outcome.verdict == Verdict::Holds)
    };
    assert_eq!(check(SCRIPT, 1, &[2, 3]), (0, true));
    assert_eq!(check(SCRIPT, 2, &[3]), (1, true));
    let edited = SCRIPT.replace("P = a -> P", "P = a -> STOP");
    assert_eq!(check(&edited, 1, &[2]), (0, false));
    // It goes on with what waits no longer.
    assert_eq!(check(&edited, 2, &[]), (1, true));
    assert_eq!(check(&edited, 3, &[]), (0, false));
    // Numbers that no assertion has are told of by the check.
    assert_eq!(check(SCRIPT, 0, &[0, 9]), (0, false));
    assert_eq!(check(SCRIPT, 9, &[]), (0, false));
}

/// A fault of the program in one check is told of as such, and the others of the run go on.
#[test]
fn a_panic_in_one_check_does_not_end_the_others() {
    let text = "channel a, b : {0..3}\nP = ||| i : {0..3} @ a.i -> b.i -> STOP\nassert P :[deadlock free [F]]\n\
                assert P [T= P\nassert not P :[deadlock free [F]]\n";
    let loaded = load_text(Path::new("x.csp"), text);
    let (how, cancel) = (Options::default(), Cancel::default());
    let mut shared = SharedSystems::for_assertions(&loaded.script, 0..3);
    let mut check = |number: usize, breaks: bool| {
        shared.begin(number - 1, &how.limits);
        let mut report = |_| assert!(!breaks, "this report breaks");
        checks::run_sharing(&loaded, number, (&how, &cancel), &mut shared, &mut report)
    };
    assert_eq!(check(1, false).verdict, Verdict::Fails);
    let broken = check(2, true);
    let kind = broken.diagnostic.as_ref().map(|d| (d.kind, &*d.message));
    let message = "internal error: this report breaks";
    assert_eq!(kind, Some((Kind::Bug, message)));
    assert!(matches!(broken.verdict, Verdict::Error(_)));
    assert_eq!((broken.number, &*broken.text), (2, "P [T= P"));
    assert_eq!(check(3, false).verdict, Verdict::Holds);
}
