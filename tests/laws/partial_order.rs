//! Partial order reduction, held to searches that leave nothing out: verdicts of random scripts, without symmetry, with
//! that of types, and with that of structure, on one thread and on several.

use std::fmt::Write as _;
use std::path::Path;

use orbitscope::animate::model::{CheckOutcome, Ending, LeftOut, Verdict};
use orbitscope::check::Options;
use orbitscope::script::load::Loaded;
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

use crate::random_scripts::{self, Dice};
use crate::simulation::same_verdict;
use crate::support::{
    bounded, check, counts, length, options, replay, script, sound, tiers, verdict, verified,
};
use crate::{numbered, shared_variables, structure_checks};

/// Scripts of one run, of each kind.
const CASES: u32 = 32;
/// Larger searches are given up.
const STATES_MAX: usize = 6_000;

/// What silent components do: `@` is one of themselves, `i` their number.
const STEPS: [&str; 14] = [
    "a.i -> @",
    "a.i -> b.i -> @",
    "b.i -> @",
    "a.i -> a.next(i) -> @",
    "b.i -> c.i -> @",
    "c.i -> @",
    "c.i -> d -> @",
    "d -> @",
    "a.i -> SKIP",
    "b.i -> STOP",
    "c.0 -> @",
    "a?x -> @",
    "(a.i -> @) /\\ (d -> SKIP)",
    "a.i -> (b.i -> @ |~| c.i -> @)",
];

/// How they stand together.
const TOGETHER: [&str; 9] = [
    "||| i : R @ P0(i)",
    "[| {d} |] i : R @ P0(i)",
    "[| {|b, d|} |] i : R @ P0(i)",
    "|| i : R @ [{a.i, a.next(i), b.i, c.i, c.0, d}] P0(i)",
    "(||| i : R @ P0(i)) [| {|c|} |] Q",
    "((P0(0) [| {|a|} |] P0(1)) ||| P0(0)) [| {|b|} |] Q",
    "(||| n : {0, 1} @ W) [| {|a, b|} |] (||| i : R @ P0(i))",
    "(||| n : R @ W) [| {|a, c|} |] (||| i : R @ P0(i))",
    "(||| n : R @ W) [| {|a, b|} |] (P0(0) ||| Q1)",
];

/// Of which there are copies.
const WORKERS: [&str; 5] = [
    "a?x -> b.x -> W",
    "a?x -> b?y -> W",
    "a?x -> (b.x -> W [] c.x -> W)",
    "a?x -> b.x -> a?y -> c.y -> STOP",
    "a?x -> W [] b?x -> W1\nW1 = a?x -> d -> W",
];

const HIDDEN: [&str; 5] = [
    "{|a|}",
    "{|a, b|}",
    "{|a, b, d|}",
    "{|a, c|}",
    "{|a, b, c, d|}",
];

/// Systems of which most steps are silent, with cycles among them or without.
pub fn silent(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let mut text = "R = {0..2}\nnext(i) = (i+1)%3\nchannel a, b, c : R\nchannel d\n".to_owned();
    for (name, own, other) in [("P0(i)", "P0(i)", "P1(i)"), ("P1(i)", "P1(i)", "P0(i)")] {
        let step = |dice: &mut Dice<'_>| {
            let next = if dice.below(2) == 0 { own } else { other };
            let step = STEPS[dice.below(STEPS.len())].replace('@', next);
            format!("({step})")
        };
        let mut body = step(dice);
        for _ in 0..dice.below(3) {
            let operator = [" [] ", " [] ", " |~| "][dice.below(3)];
            body = format!("({body}){operator}{}", step(dice));
        }
        let _ = writeln!(text, "{name} = {body}");
    }
    let whole = TOGETHER[dice.below(TOGETHER.len())];
    let hidden = HIDDEN[dice.below(HIDDEN.len())];
    let worker = WORKERS[dice.below(WORKERS.len())];
    let _ = write!(
        text,
        "Q = c?x -> Q [] b?x -> Q1\nQ1 = b?x -> Q [] c.0 -> Q1\nW = {worker}\nWhole = {whole}\n\
         System = Whole \\ {hidden}\nAll = CHAOS({{|a, b, c, d|}})\n\
         Run = d -> Run [] c?x -> Run [] b?x -> Run\nLast = c?x -> Last [] b.0 -> Last |~| SKIP\n"
    );
    for assertion in SILENT {
        let _ = writeln!(text, "assert {assertion}");
    }
    text
}

const SILENT: [&str; 20] = [
    "System :[deadlock free [F]]",
    "System :[deadlock free [FD]]",
    "System :[divergence free]",
    "Whole :[deadlock free [F]]",
    "Run [T= System",
    "Last [T= System",
    "All [F= System",
    "Last [F= System",
    "Last [FD= System",
    "All [FD= System",
    "Whole \\ {|b|} [T= System",
    "System [F= System",
    "Last [V= System",
    "All [VD= System",
    "Last [R= System",
    "System [RD= System",
    "System :[deterministic [F]]",
    "System :[deterministic [FD]]",
    "System [T= Run",
    "System [FD= Last",
];

/// What components do that take turns by locks: `l` is a lock, `v` a variable, `i` the number of the component.
const UNDER_LOCKS: [&str; 9] = [
    "take.l.i", "take.l.i", "give.l.i", "give.l.i", "set.v.0", "set.v.1", "get.v.0", "c.i", "d",
];

/// Systems of components that use variables, mostly under locks; some forget to take a lock or to give it back.
fn locked(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let mut text = "R = {0..2}\nL = {0, 1}\nchannel take, give : L.R\nchannel get, set : L.L\n\
                    channel c : R\nchannel d\n\
                    Lock(l) = take.l?i -> give.l.i -> Lock(l)\n\
                    Variable(v, x) = get.v.x -> Variable(v, x) [] set.v?y -> Variable(v, y)\n"
        .to_owned();
    for program in 0..2 {
        let length = 3 + dice.below(4);
        for step in 0..length {
            // Begins with a lock as a rule, and ends with giving it back.
            let action = match (step, dice.below(4)) {
                (0, 1..) => "take.l.i",
                (last, 1..) if last + 1 == length => "give.l.i",
                _ => UNDER_LOCKS[dice.below(UNDER_LOCKS.len())],
            };
            let number = if dice.below(4) == 0 { "1" } else { "0" };
            let action = action
                .replace(".l", &format!(".{number}"))
                .replace(".v", &format!(".{number}"));
            let next = if step + 1 < length { step + 1 } else { 0 };
            let next = match dice.below(12) {
                0 if step + 1 == length => "SKIP".to_owned(),
                _ => format!("W{program}_{next}(i)"),
            };
            let _ = write!(text, "W{program}_{step}(i) = {action} -> {next}");
            if action.starts_with("get") {
                let elsewhere = dice.below(length);
                let other = action.replace(".0.0", ".0.1").replace(".1.0", ".1.1");
                let _ = write!(text, " [] {other} -> W{program}_{elsewhere}(i)");
            }
            text.push('\n');
        }
    }
    let hidden = [
        "{|take, give, get, set|}",
        "{|take, give, get, set, d|}",
        "{|take, get, set, d|}",
    ][dice.below(3)];
    let _ = write!(
        text,
        "Workers = W0_0(0) ||| W0_0(1) ||| W1_0(2)\n\
         Shared = Lock(0) ||| Lock(1) ||| Variable(0, 0) ||| Variable(1, 0)\n\
         Whole = Workers [| {{|take, give, get, set|}} |] Shared\nSystem = Whole \\ {hidden}\n\
         Spec = c.0 -> Spec [] c.1 -> Spec [] d -> Spec |~| SKIP\n"
    );
    for assertion in LOCKED {
        let _ = writeln!(text, "assert {assertion}");
    }
    text
}

const LOCKED: [&str; 8] = [
    "System :[deadlock free [F]]",
    "System :[deadlock free [FD]]",
    "System :[divergence free]",
    "Whole :[deadlock free [F]]",
    "Spec [T= System",
    "Spec [F= System",
    "Spec [FD= System",
    "System :[deterministic [FD]]",
];

/// What was left out.
pub(crate) fn what_was_left_out(outcome: &CheckOutcome) -> Option<LeftOut> {
    let found = outcome.details.as_ref()?.left_out.clone();
    found.and_then(Result::ok)
}

/// Steps that were left out.
fn left_out(outcome: &CheckOutcome) -> u64 {
    what_was_left_out(outcome).map_or(0, |left_out| left_out.steps)
}

/// Whether a check has no specification or one in its normal form (Def. 3), which is the same however it is made.
fn is_normal(outcome: &CheckOutcome) -> bool {
    let details = outcome.details.as_ref();
    details.is_some_and(|details| details.nodes.is_none() || details.normal)
}

/// Compares the verdict of an assertion with what it is if nothing is left out; the steps that were left out.
fn compare(path: &Path, loaded: &Loaded, number: usize) -> Result<u64, String> {
    let run_after = |[simulate_after, compress_after, look_after]: [usize; 3],
                     symmetry,
                     partial_order,
                     threads| {
        let how = Options {
            structure: if symmetry == Some(false) {
                Some(false)
            } else {
                None
            },
            partial_order: Some(partial_order),
            simulate_after,
            compress_after,
            look_after: look_after as u64,
            ..options(symmetry, StrategyKind::default(), threads)
        };
        check(loaded, number, &bounded(how, STATES_MAX))
    };
    let never = [usize::MAX; 3];
    let run = |symmetry, partial_order, threads| run_after(never, symmetry, partial_order, threads);
    let plain = run(Some(false), false, 1);
    match &plain.verdict {
        Verdict::Approximate(_) | Verdict::Inconclusive(_) => return Ok(0),
        // It was to be normalised as a whole, within the bound of this test.
        Verdict::Error(failure) if failure.detail.contains("states to normalise") => {
            return Ok(0);
        }
        Verdict::Error(failure) => return Err(failure.detail.clone()),
        Verdict::Holds | Verdict::Fails => {}
    }
    let mut sum = 0;
    for symmetry in [Some(false), None] {
        let one = run(symmetry, true, 1);
        let two = run(symmetry, true, 3);
        let told = |outcome: &CheckOutcome| (verdict(outcome), counts(outcome), left_out(outcome));
        if told(&one) != told(&two) {
            let (one, two) = (told(&one), told(&two));
            return Err(format!(
                "{symmetry:?}: {one:?} with one thread, {two:?} with three"
            ));
        }
        // Looking for symmetry may take nodes of the specification that a search does not need.
        if matches!(one.verdict, Verdict::Inconclusive(_)) {
            continue;
        }
        if verdict(&one) != verdict(&plain) {
            let (one, plain) = (verdict(&one), verdict(&plain));
            return Err(format!(
                "{symmetry:?}: {one:?}, and {plain:?} if nothing is left out"
            ));
        }
        // With symmetry an orbit may keep several states where the specification holds values in sets, and where its
        // nodes are too many to be merged, leaving out its steps may part them further.
        let comparable = symmetry.is_some() && [&one, &plain].map(is_normal) == [true; 2];
        let fewer = !comparable || counts(&one).0 <= counts(&plain).0;
        if plain.verdict == Verdict::Holds && !fewer {
            return Err(format!("{symmetry:?}: more states"));
        }
        if let Some(found) = &one.counterexample {
            replay(path, found).map_err(|e| format!("{symmetry:?}: {e}"))?;
            let shortest = shortest((path, loaded, number), symmetry, (&one, &plain));
            shortest.map_err(|e| format!("{symmetry:?}: {e}"))?;
        }
        verified(loaded, &one).map_err(|e| format!("{symmetry:?}: {e}"))?;
        // What a random run does is the same with symmetry: it goes through the unreduced system.
        if symmetry.is_none() {
            let soon = [0, usize::MAX, usize::MAX];
            let simulated = [1, 3].map(|threads| run_after(soon, symmetry, true, threads));
            same_verdict((path, loaded), &plain, &simulated)
                .map_err(|e| format!("simulated: {e}"))?;
        }
        // The specification is made smaller before anything else is done.
        let soon = [usize::MAX, 0, usize::MAX];
        let merged = [1, 3].map(|threads| run_after(soon, symmetry, true, threads));
        same_verdict((path, loaded), &plain, &merged).map_err(|e| format!("merged: {e}"))?;
        // Few states are looked at where little can be left out.
        for after in [1, 30] {
            let soon = [usize::MAX, usize::MAX, after];
            let few = [1, 3].map(|threads| run_after(soon, symmetry, true, threads));
            same_verdict((path, loaded), &plain, &few).map_err(|e| format!("few: {e}"))?;
        }
        sum += left_out(&one);
    }
    Ok(sum)
}

/// Compares the counterexample that is to be a shortest one with that of a search that leaves nothing out.
fn shortest(
    (path, loaded, number): (&Path, &Loaded, usize),
    symmetry: Option<bool>,
    (reduced, plain): (&CheckOutcome, &CheckOutcome),
) -> Result<(), String> {
    let how = Options {
        structure: symmetry.filter(|on| !on),
        partial_order: Some(true),
        shortest: true,
        simulate_after: usize::MAX,
        ..options(symmetry, StrategyKind::default(), 2)
    };
    let outcome = check(loaded, number, &bounded(how, STATES_MAX));
    if (verdict(&outcome), counts(&outcome)) != (verdict(reduced), counts(reduced)) {
        return Err("looking for a shorter counterexample has changed the rest".to_owned());
    }
    let sought = outcome.details.as_ref().and_then(|d| d.shortest.clone());
    let less = what_was_left_out(&outcome);
    // What is passed takes steps, too.
    if sought.is_some() != less.is_some_and(|less| less.steps > 0 || less.skipped > 0) {
        return Err(format!(
            "{sought:?} although of the search was left out: {less:?}"
        ));
    }
    let found = outcome.counterexample.as_ref().ok_or("no counterexample")?;
    replay(path, found)?;
    verified(loaded, &outcome)?;
    let Some(shorter) = sought.map(|sought| sought.shorter) else {
        return Ok(());
    };
    let length = |outcome| length(outcome).unwrap_or_default();
    let (was, now, least) = (length(reduced), length(&outcome), length(plain));
    // Of cycles none is known to be the shortest, so one that was found first may be shorter; and one of orbits may be
    // longer than one of states.
    let is_cycle = matches!(found.ending, Ending::Divergence { .. });
    let is_shortest = now == least.min(was) || is_cycle && symmetry.is_none();
    match shorter {
        Ok(steps) if steps as usize == was - now && is_shortest => Ok(()),
        // The search with all steps may come to a limit of this test.
        Err(_) if now == was => Ok(()),
        other => Err(format!(
            "{was} steps, then {now} by {other:?}, and {least} in all"
        )),
    }
}

/// All assertions of a script.
fn agree(name: &str, text: &str, assertions: usize) -> Result<u64, String> {
    let path = script(name, text);
    let loaded = sound(&path);
    let mut sum = 0;
    for number in 1..=assertions {
        sum += compare(&path, &loaded, number).map_err(|e| format!("#{number} {e}\n{text}"))?;
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
    fn nothing_is_missed_among_silent_steps(bytes in prop::collection::vec(any::<u8>(), 24)) {
        let text = silent(&bytes);
        let compared = agree("partial_order_silent.csp", &text, SILENT.len());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn nothing_is_missed_under_locks(bytes in prop::collection::vec(any::<u8>(), 48)) {
        let compared = agree("partial_order_locked.csp", &locked(&bytes), LOCKED.len());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn nothing_is_missed_with_shared_variables(bytes in prop::collection::vec(any::<u8>(), 24..64)) {
        let text = shared_variables::generate(&bytes);
        let compared = agree("partial_order_shared.csp", &text, shared_variables::ASSERTIONS.len());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn nothing_is_missed_with_structure(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        let text = numbered::generate(&bytes);
        let compared = agree("partial_order_numbered.csp", &text, numbered::ASSERTIONS.len());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn nothing_is_missed_with_farms(bytes in prop::collection::vec(any::<u8>(), 20)) {
        let text = structure_checks::random_farm(&bytes);
        let compared = agree("partial_order_farms.csp", &text, 4);
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn nothing_is_missed_with_types(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        let text = random_scripts::generate(&bytes);
        let compared = agree("partial_order_types.csp", &text, random_scripts::ASSERTIONS.len());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }
}

/// One after the other the chains take longer to come to what is wrong.
#[test]
fn a_shorter_counterexample_is_found_if_that_is_wanted() {
    let text = "channel a : {0..5}.{0..4}\nchannel end, e\n\
        P(i, n) = if n == 0 then e -> STOP else a.i.n -> P(i, n - 1)\n\
        Short = a.5.0 -> a.5.1 -> a.5.2 -> a.5.3 -> a.5.4 -> end -> STOP\n\
        S = ((||| i : {0..4} @ P(i, 4)) ||| Short) \\ {|a|}\nassert CHAOS({e}) [T= S\n";
    let path = script("partial_order_shortest.csp", text);
    let loaded = sound(&path);
    let how = |partial_order, shortest, states| {
        let how = Options {
            structure: Some(false),
            partial_order: Some(partial_order),
            shortest,
            ..options(Some(false), StrategyKind::default(), 2)
        };
        check(&loaded, 1, &bounded(how, states))
    };
    let (whole, reduced) = (how(false, false, 10_000), how(true, false, 10_000));
    let least = length(&whole).expect("it fails");
    let more = length(&reduced).expect("it fails") - least;
    assert!(more > 0, "{reduced:?}");
    let shortest = how(true, true, 10_000);
    assert_eq!(length(&shortest), Some(least));
    let said = shortest.partial_order_sentence().unwrap_or_default();
    let words = format!("with all steps made the counterexample {more} step");
    assert!(said.contains(&words), "{said}");
    // Enough for the reduced search, and not for the other one.
    let given_up = how(true, true, 100);
    assert_eq!(length(&given_up), length(&reduced));
    let said = given_up.partial_order_sentence().unwrap_or_default();
    assert!(
        said.contains("there may be a shorter counterexample"),
        "{said}"
    );
}

/// No step is left out, but what is passed is not counted by the search.
#[test]
fn a_counterexample_is_not_held_to_be_shortest_where_states_were_passed() {
    let text = "channel a, b, c, d, x\n\
        P = a -> x -> x -> x -> STOP [] b -> (c -> STOP [] d -> P)\nassert P :[deadlock free]\n";
    let path = script("partial_order_passed.csp", text);
    let loaded = sound(&path);
    let how = |partial_order, shortest| Options {
        structure: Some(false),
        partial_order: Some(partial_order),
        shortest,
        ..options(Some(false), StrategyKind::default(), 1)
    };
    let reduced = check(&loaded, 1, &how(true, false));
    let found = what_was_left_out(&reduced).expect("it was asked for");
    assert_eq!((found.steps, length(&reduced)), (0, Some(4)));
    let said = reduced.partial_order_sentence().unwrap_or_default();
    assert!(
        said.ends_with("there may be a shorter counterexample"),
        "{said}"
    );
    let whole = check(&loaded, 1, &how(false, false));
    assert_eq!(length(&whole), Some(2));
    assert_eq!(length(&check(&loaded, 1, &how(true, true))), Some(2));
}

/// Chains that have nothing to do with one another: the search goes through one after the other.
#[test]
fn independent_chains_take_linear_time() {
    for n in [2usize, 5, 9] {
        let text = format!(
            "channel a, b : {{0..{n}}}\nP(i) = a.i -> b.i -> P1(i)\nP1(i) = b.i -> STOP\n\
             S = (||| i : {{1..{n}}} @ P(i)) \\ {{|a, b|}}\n\
             assert S :[deadlock free [F]]\nassert S :[divergence free]\nassert STOP [FD= S\nassert STOP [T= S\n"
        );
        let path = script("partial_order_chains.csp", &text);
        let loaded = sound(&path);
        for number in 1..=4 {
            let how = |partial_order| Options {
                structure: Some(false),
                partial_order: Some(partial_order),
                ..options(Some(false), StrategyKind::default(), 2)
            };
            let reduced = check(&loaded, number, &how(true));
            let whole = check(&loaded, number, &how(false));
            assert_eq!(verdict(&reduced), verdict(&whole), "{n} {number}");
            let found = what_was_left_out(&reduced).expect("it was asked for");
            assert!(found.rules_out_divergence);
            if number == 2 {
                // So there is nothing to be searched.
                assert_eq!(verdict(&reduced), "pass");
                assert_eq!(counts(&reduced), (1, 0));
                continue;
            }
            if verdict(&whole) == "pass" {
                assert_eq!(counts(&whole).0, 4u64.pow(n as u32), "{n} {number}");
            }
            let looked_at = counts(&reduced).0 + found.skipped;
            assert_eq!(looked_at, 3 * n as u64 + 1, "{n} {number}");
            // What is not left out of the steps leads to one more of them each time.
            assert!(found.steps > 0);
            assert_eq!(counts(&reduced).1 - found.steps, looked_at - 1);
        }
    }
}

/// Symmetry that is looked for late, and the proviso for traces: the same as where it is demanded, and so there from
/// the beginning.
#[test]
fn late_symmetry_and_the_proviso_go_together() {
    let text = "N = 700\nR = {1..4}\nchannel step, back : R\nchannel d : R\n\
                C(i, k) = k < N & step.i -> C(i, k + 1) [] k > 0 & back.i -> C(i, k - 1) [] k == 3 & d.i -> C(i, 0)\n\
                S = (||| i : R @ C(i, 0)) \\ {|step, back|}\n\
                Spec = d?i -> Spec\nassert Spec [T= S\n";
    let loaded = sound(&script("partial_order_late.csp", text));
    let how = |structure, states| {
        let how = Options {
            structure,
            partial_order: Some(true),
            ..options(None, StrategyKind::default(), 2)
        };
        check(&loaded, 1, &bounded(how, states))
    };
    let (late, demanded) = (how(None, 120_000), how(Some(true), 120_000));
    assert_eq!(verdict(&late), verdict(&demanded));
    assert_eq!(counts(&late), counts(&demanded));
    assert_eq!(left_out(&late), left_out(&demanded));
    // And not the same as without any symmetry.
    assert_ne!(counts(&late), counts(&how(Some(false), 120_000)));
}

/// What each part of the definition of closed sets is for: without it the violation would not be found.
#[test]
fn each_condition_is_needed() {
    let systems = [
        (
            "who holds a rule back belongs to the set: q makes a possible, which t takes away",
            "P = a -> v -> STOP [] t -> STOP\nQ = q -> a -> STOP\nS = (P [|{a}|] Q) \\ {a, t, q}\nSpec = STOP\n",
        ),
        (
            "nothing is put off for ever: t goes round alone",
            "P = t -> P\nQ = q -> v -> STOP\nS = (P ||| Q) \\ {t, q}\nSpec = STOP\n",
        ),
        (
            "what is seen is not taken alone: w may come first",
            "S = v -> STOP ||| w -> a -> STOP\nSpec = v -> w -> a -> STOP [] w -> v -> a -> STOP\n",
        ),
        (
            "what takes the place of t belongs to the set",
            "C = t -> STOP [] q -> v -> STOP\n\
             S = (C [|{t, q}|] (t -> STOP ||| q -> STOP)) \\ {t, q}\nSpec = STOP\n",
        ),
        (
            "what leads elsewhere before t than after it belongs to the set",
            "C = t -> q -> STOP [] q -> t -> v -> STOP\n\
             S = (C [|{t, q}|] (t -> STOP ||| q -> STOP)) \\ {t, q}\nSpec = STOP\n",
        ),
        (
            "a lock holds nobody back who need not take it: q comes to a without w",
            "L = t -> t -> L [] w -> w -> L\nP = t -> b -> STOP\nQ = w -> a -> STOP [] q -> a -> STOP\n\
             V = b -> STOP [] a -> v -> STOP\n\
             S = ((P ||| Q) [|{a, b, t, w}|] (L ||| V)) \\ {a, b, t, q, w}\nSpec = STOP\n",
        ),
        (
            "a copy that takes part later on is no twin: it is the other one's turn",
            "W = t -> w -> t -> STOP\nQ = t -> w -> t -> w -> v -> STOP\n\
             S = ((W ||| W) [|{t, w}|] Q) \\ {t, w}\nSpec = STOP\n",
        ),
    ];
    for (why, system) in systems {
        let text = format!("channel a, b, q, t, v, w\n{system}assert Spec [T= S\n");
        let loaded = sound(&script("partial_order_needed.csp", &text));
        for partial_order in [Some(false), Some(true)] {
            let how = Options {
                partial_order,
                ..options(None, StrategyKind::default(), 1)
            };
            let outcome = check(&loaded, 1, &how);
            assert_eq!(verdict(&outcome), "fail", "{why}, {partial_order:?}");
        }
    }
}
