//! Random symmetric scripts: reduced and unreduced searches must come to the same end, whichever
//! strategy chooses the representatives and however many threads search.
//!
//! A script is made from a list of bytes, each of which decides something; a failure prints the
//! script, and the bytes that make it.

use crate::keeping;
use crate::merging;
use crate::support::tiers;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::support::{
    bounded, check, counts, length, options, refused, replay, script, sound, unmerged, verdict,
    verified,
};
use orbitscope::animate::model::{CheckOutcome, Ending, Verdict};
use orbitscope::check::Options;
use orbitscope::script::load::Loaded;
use orbitscope::search::keeping::KeepingKind;
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// Scripts of one run, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 70;
/// Larger unreduced searches are given up.
const STATES_MAX: usize = 6_000;

fn cases() -> u32 {
    tiers::cases(CASES)
}

/// Decisions, one byte each; zeros when they run out.
pub(super) struct Dice<'a>(pub(super) std::slice::Iter<'a, u8>);

impl Dice<'_> {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |b| usize::from(*b) % n)
    }

    fn of<'s>(&mut self, options: &[&'s str]) -> &'s str {
        options[self.below(options.len())]
    }
}

/// Alternatives of a process of an `S`: an event and what follows it, with `@` for either process.
const OF_S: [&str; 14] = [
    "a.me -> @(me, u, xs, q)",
    "b.me.u -> @(me, u, xs, q)",
    "b.me?v -> @(me, v, xs, q)",
    "c.u -> @(me, u, {}, q)",
    "c?v -> @(me, v, xs, q)",
    "d.me?y -> @(me, u, union(xs, {y}), q)",
    "d?y!me -> @(me, u, {y}, q)",
    "d.me?y:xs -> @(me, u, diff(xs, {y}), q)",
    "member(me, xs) & a.me -> @(me, u, diff(S, xs), q)",
    "card(xs) == 1 & a?y:xs -> @(me, u, xs, <>)",
    "#q < 2 & c?v -> @(me, u, xs, q^<v>)",
    "q != <> & b.me.head(q) -> @(me, u, xs, tail(q))",
    "d.me.me -> SKIP",
    "a?y:diff(S, {me}) -> @(y, u, xs, q)",
];

/// The same for a `U`.
const OF_U: [&str; 9] = [
    "c.me -> @(me, x, ys)",
    "b.x.me -> @(me, x, ys)",
    "b?y!me -> @(me, y, ys)",
    "b?y:diff(S, {x})!me -> @(me, y, union(ys, {me}))",
    "c?v -> @(me, x, union(ys, {v}))",
    "c?v:ys -> @(me, x, diff(ys, {v}))",
    "a.x -> @(me, x, {})",
    "d.x?y -> @(me, y, ys)",
    "empty(ys) & b.x?v -> @(me, x, {v})",
];

const OF_ALL: [&str; 6] = [
    "a?x:diff(S, xs) -> Lone(union(xs, {x}))",
    "a?x:xs -> Lone(diff(xs, {x}))",
    "b?x?v -> Lone({x})",
    "d?x?y -> Lone({x, y})",
    "c?v -> Lone(xs)",
    "d?x:xs?y:diff(S, xs) -> Lone({y})",
];

/// The same for a process that has no identity, of which there are several.
const OF_COPIES: [&str; 8] = [
    "c?w -> @(w, xs)",
    "c.v -> @(v, {})",
    "b?x!v -> @(v, {x})",
    "b?x?w -> @(w, xs)",
    "a?x:diff(S, xs) -> @(v, union(xs, {x}))",
    "a?x:xs -> @(v, diff(xs, {x}))",
    "d?x?y -> @(v, {x, y})",
    "c.v -> Copy",
];

/// What a specification allows of each channel, most of all first.
const ALLOWED: [[&str; 4]; 4] = [
    [
        "a?x -> Spec(union(xs, {x}))",
        "a?x -> Spec(xs)",
        "a?x:diff(S, xs) -> Spec(union(xs, {x}))",
        "a?x:xs -> Spec({})",
    ],
    [
        "b?x?v -> Spec(diff(xs, {x}))",
        "b?x?v -> Spec(union(xs, {x}))",
        "b?x?v -> Spec(xs) [] b?x?v -> Spec({x})",
        "b?x:diff(S, xs)?v -> Spec(union(xs, {x}))",
    ],
    [
        "c?v -> Spec(xs)",
        "c?v -> Spec({})",
        "card(xs) < card(S) & c?v -> Spec(xs)",
        "(|~| x : S @ c?v -> Spec({x}))",
    ],
    [
        "d?x?y -> Spec(xs)",
        "d?x?y -> Spec({y})",
        "d?x?y:diff(S, xs) -> Spec(union(xs, {x}))",
        "(d?x?y -> Spec(xs) |~| d?x!x -> Spec({}))",
    ],
];

const SETS: [&str; 8] = [
    "{|c|}",
    "{||}",
    "{|a|}",
    "{|b|}",
    "{|b, c|}",
    "{|a, b, c|}",
    "{|d, a|}",
    "{|a, b, c, d|}",
];

/// What has priority over what in the system.
const PRIORITIES: [&str; 8] = [
    "@",
    "@",
    "@",
    "prioritise(@, <{}, {|a, d|}>)",
    "prioritise(@, <{|a|}, {|b|}, {|c, d|}>)",
    "prioritise(prioritise(@, <{|d|}, {|c|}>), <{}, {|b|}, {|a|}>)",
    "prioritisepo(@, Events, {(a.x, b.x.v) | x <- S, v <- U}, {|a, c|})",
    "prioritise(@, <{}, {|c|}>)[[b <- b, a.x <- d.x.x | x <- S]]",
];

fn alternatives(dice: &mut Dice<'_>, name: &str, menu: &[&str]) -> String {
    let chosen: Vec<String> = (0..=dice.below(3))
        .map(|_| {
            let next = format!("{name}{}", dice.below(2));
            format!("({})", dice.of(menu).replace('@', &next))
        })
        .collect();
    chosen.join(dice.of(&[" [] ", " [] ", " |~| "]))
}

pub(super) fn generate(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let mut text = String::new();
    let s = dice.of(&["S0 | S1", "S0 | S1 | S2"]);
    let u = dice.of(&["U0 | U1", "U0 | U1 | U2"]);
    let _ = write!(
        text,
        "datatype S = {s}\ndatatype U = {u}\nchannel a : S\nchannel b : S.U\nchannel c : U\n\
         channel d : S.S\n"
    );
    for n in 0..2 {
        let body = alternatives(dice, "F", &OF_S);
        let _ = writeln!(text, "F{n}(me, u, xs, q) = {body}");
    }
    for n in 0..2 {
        let body = alternatives(dice, "G", &OF_U);
        let _ = writeln!(text, "G{n}(me, x, ys) = {body}");
    }
    for n in 0..2 {
        let body = alternatives(dice, "K", &OF_COPIES);
        let _ = writeln!(text, "K{n}(v, xs) = {body}");
    }
    let start = dice.of(&[
        "c?v -> K0(v, {})",
        "|~| v : U @ K1(v, S)",
        "a?x -> Lone({x})",
    ]);
    let _ = writeln!(text, "Copy = {start}");
    let lone: Vec<&str> = (0..=dice.below(3)).map(|_| dice.of(&OF_ALL)).collect();
    let _ = writeln!(text, "Lone(xs) = {}", lone.join(" [] "));
    let start = dice.of(&[
        "c?v -> F0(me, v, {}, <>)",
        "|~| v : U @ F0(me, v, {me}, <>)",
        "b.me?v -> F0(me, v, S, <v>)",
    ]);
    let _ = writeln!(text, "F(me) = {start}");
    let start = dice.of(&["b?x!me -> G0(me, x, {})", "|~| x : S @ G1(me, x, U)"]);
    let _ = writeln!(text, "G(me) = {start}");
    let fs = dice.of(&[
        "||| s : S @ F(s)",
        "[| {|c|} |] s : S @ F(s)",
        "|| s : S @ [{| a.s, b.s, c, d.s, d.t.s | t <- S |}] F(s)",
        "[| {|c|} |] s : S @ prioritise(F(s), <{a.s}, {|b.s, c|}>)",
    ]);
    let gs = dice.of(&["||| v : U @ G(v)", "[| {|a|} |] v : U @ G(v)"]);
    let parts = [
        "Fs".to_owned(),
        format!("(Fs [| {} |] Gs)", dice.of(&SETS)),
        format!("(Fs [| {} |] Lone({{}}))", dice.of(&SETS)),
        format!(
            "((Fs [| {} |] Gs) [| {} |] Lone({{}}))",
            dice.of(&SETS),
            dice.of(&SETS)
        ),
        format!("(Gs [| {} |] Lone(S))", dice.of(&SETS)),
        "(||| i : {1..3} @ Copy)".to_owned(),
        format!("([| {} |] i : {{1..3}} @ Copy)", dice.of(&SETS)),
        format!("(Fs [| {} |] (Copy ||| Copy))", dice.of(&SETS)),
        format!("((Copy ||| Copy) [| {} |] Copy)", dice.of(&SETS)),
        format!(
            "(Lone({{}}) [| {} |] (Lone({{}}) ||| Copy ||| Copy))",
            dice.of(&SETS)
        ),
        format!("((Fs ||| Copy) [| {} |] (Fs ||| Copy))", dice.of(&SETS)),
    ];
    let whole = &parts[dice.below(parts.len())];
    let whole = &dice.of(&ENDINGS).replace('@', whole);
    let hidden = format!("(Whole \\ {})", dice.of(&SETS[1..6]));
    let system = dice.of(&PRIORITIES).replace('@', &hidden);
    let _ = write!(
        text,
        "external prioritise, prioritisepo\n\
         Fs = {fs}\nGs = {gs}\nWhole = {whole}\nSystem = {system}\n"
    );
    let allowed = ALLOWED.map(|of| dice.of(&of));
    let choice = dice.of(&["\n  [] ", "\n  [] ", "\n  |~| "]);
    let _ = writeln!(text, "Spec(xs) = {}", allowed.join(choice));
    let _ = writeln!(text, "Lax = STOP |~| Spec({{}}) |~| (c?v -> Lax)");
    for assertion in ASSERTIONS {
        let _ = writeln!(text, "assert {assertion}");
    }
    text
}

/// What may stand above a network.
const ENDINGS: [&str; 8] = [
    "@",
    "@",
    "@",
    "@",
    "(@ /\\ Copy)",
    "(@ [] (Copy ||| Copy))",
    "(@ [| {|a|} |> (Lone({}) ||| Copy))",
    "((@ [| {|d|} |> SKIP) ; Lone({}))",
];

/// What is asserted of every script.
pub(super) const ASSERTIONS: [&str; 17] = [
    "Spec({}) [T= System",
    "Spec({}) [T= Whole",
    "Whole :[deadlock free [F]]",
    "System :[deadlock free [F]]",
    "System :[divergence free]",
    "Spec({}) [F= System",
    "Spec({}) [FD= Whole",
    "Lax [F= System",
    "System [F= System",
    "System [FD= System",
    "Whole :[deterministic [F]]",
    "System :[deterministic [FD]]",
    "Lax [V= System",
    "System [VD= Whole",
    "Lax [R= System",
    "Spec({}) [RD= Whole",
    "System [R= System",
];

const COMPRESSIONS: [&str; 8] = [
    "normal",
    "diamond",
    "sbisim",
    "wbisim",
    "dbisim",
    "tau_loop_factor",
    "model_compress",
    "explicate",
];

/// The same script with compressions around some of its processes.
fn compressed(text: &str, bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let mut out = format!("transparent {}\n", COMPRESSIONS.join(", "));
    for line in text.lines() {
        let parts = [
            "F(me) = ",
            "G(me) = ",
            "Fs = ",
            "Gs = ",
            "Whole = ",
            "System = ",
        ];
        match parts.iter().find(|part| line.starts_with(**part)) {
            Some(part) if dice.below(3) > 0 => {
                let how = dice.of(&COMPRESSIONS);
                let _ = writeln!(out, "{part}{how}({})", &line[part.len()..]);
            }
            _ => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

/// What must be the same of two searches: the verdict, and the steps to what is wrong. A loop of other
/// states may have another length, but is reached in as many steps.
pub(super) fn end(outcome: &CheckOutcome) -> (String, Option<usize>) {
    let lap = match outcome.counterexample.as_ref().map(|c| &c.ending) {
        Some(Ending::Divergence { lap, .. }) => *lap,
        _ => 0,
    };
    (verdict(outcome), length(outcome).map(|n| n - lap))
}

/// Whether a search met so many nodes that the specification was to be normalised, and it is too large for that within
/// the bound of this test.
fn is_not_normalised(outcome: &CheckOutcome) -> bool {
    verdict(outcome).contains("states to normalise")
}

/// Whether the network takes several formats, or tried to. Then states may have several as well, and
/// other ones where values are permuted.
fn changes(outcome: &CheckOutcome) -> bool {
    outcome.details.as_ref().is_none_or(|d| d.formats > 1)
}

/// What a reduced search stands for is what the unreduced one found.
fn counted(loaded: &Loaded, number: usize, plain: &CheckOutcome) -> Result<(), String> {
    let exact = Options {
        count_full: true,
        ..options(Some(true), StrategyKind::Exact, 2)
    };
    let outcome = check(loaded, number, &bounded(exact, STATES_MAX));
    let (states, transitions) = counts(plain);
    let found = outcome.represented.clone();
    if !changes(plain)
        && !changes(&outcome)
        && plain.verdict == Verdict::Holds
        && found.is_some()
        && found != Some((states.into(), transitions.into()))
    {
        return Err(format!(
            "#{number}: {found:?} represented, {states} and {transitions} found"
        ));
    }
    Ok(())
}

/// Compares all ways to check an assertion; the number of searches that were compared.
fn compare(path: &Path, loaded: &Loaded, number: usize) -> Result<(), String> {
    let run = |symmetry, keeping, threads| {
        let options = unmerged(options(symmetry, keeping, threads));
        check(loaded, number, &bounded(options, STATES_MAX))
    };
    let plain = run(Some(false), KeepingKind::default(), 1);
    match &plain.verdict {
        Verdict::Approximate(_) | Verdict::Inconclusive(_) => return Ok(()),
        // It was to be normalised as a whole, within the bound of this test.
        Verdict::Error(failure) if failure.detail.contains("states to normalise") => {
            return Ok(());
        }
        Verdict::Error(failure) => return Err(failure.detail.clone()),
        Verdict::Holds | Verdict::Fails => {}
    }
    let exact = run(Some(true), KeepingKind::default(), 1);
    for (symmetry, apart) in [(Some(false), &plain), (Some(true), &exact)] {
        let merging = options(symmetry, KeepingKind::default(), 1);
        let merged = check(loaded, number, &bounded(merging, STATES_MAX));
        merging::told_before(&merged, apart).map_err(|e| format!("#{number} {symmetry:?}: {e}"))?;
    }
    let flooded = run(Some(true), KeepingKind::Flood, 1);
    let beside = flooded.details.as_ref().map_or(0, |d| d.unreached as u64);
    // To flood takes nodes of the specification that no other search makes, and may reach a limit for it.
    let is_flooded = !matches!(flooded.verdict, Verdict::Inconclusive(_));
    let orbits = is_flooded.then(|| counts(&flooded).0 - beside);
    for strategy in KeepingKind::all() {
        let reduced = run(Some(true), strategy, 1);
        if strategy == KeepingKind::Flood && !is_flooded {
            continue;
        }
        if strategy == KeepingKind::Markers {
            keeping::marked(path, loaded, &plain, &reduced)
                .map_err(|e| format!("#{number} markers: {e}"))?;
            continue;
        }
        if refused(strategy, &reduced) || is_not_normalised(&reduced) {
            continue;
        }
        if end(&reduced) != end(&plain) {
            return Err(format!(
                "#{number} {strategy:?}: {:?}, unreduced {:?}",
                end(&reduced),
                end(&plain)
            ));
        }
        let fewer = changes(&plain) || counts(&reduced).0 <= counts(&plain).0;
        if plain.verdict == Verdict::Holds && !fewer {
            return Err(format!("#{number} {strategy:?}: more states when reduced"));
        }
        // Flooding knows all states, and so how many orbits there are. Beside a specification that holds sets
        // `exact` may keep several pairs of one orbit, and how many depends on which of them are expanded.
        let is_alone = reduced.details.as_ref().is_some_and(|d| d.nodes.is_none());
        let expected = match strategy {
            KeepingKind::Flood => Some(counts(&plain).0),
            KeepingKind::Buckets => orbits,
            KeepingKind::FirstSeen | KeepingKind::Representatives(StrategyKind::Exact) => {
                orbits.filter(|_| is_alone)
            }
            KeepingKind::Representatives(_) | KeepingKind::Structural(_) | KeepingKind::Markers => {
                None
            }
        };
        if plain.verdict == Verdict::Holds && !changes(&plain) {
            let kept = counts(&reduced).0;
            if orbits.is_some_and(|orbits| kept < orbits)
                || expected.is_some_and(|wanted| kept != wanted)
            {
                return Err(format!(
                    "#{number} {strategy:?}: {kept} states for {orbits:?} orbits"
                ));
            }
        }
        for found in [&plain, &reduced]
            .iter()
            .filter_map(|o| o.counterexample.as_ref())
        {
            replay(path, found).map_err(|e| format!("#{number} {strategy:?}: {e}"))?;
        }
        verified(loaded, &reduced).map_err(|e| format!("#{number} {strategy:?}: {e}"))?;
        if ![
            StrategyKind::Walk.into(),
            KeepingKind::Buckets,
            KeepingKind::Flood,
        ]
        .contains(&strategy)
        {
            continue;
        }
        for threads in [2, 8] {
            let other = run(Some(true), strategy, threads);
            if counts(&other) != counts(&reduced)
                || other.verdict != reduced.verdict
                || other.counterexample != reduced.counterexample
            {
                return Err(format!("#{number} {strategy:?}: {threads} threads differ"));
            }
        }
    }
    keeping::by_state_symmetry(loaded, number, &exact, STATES_MAX)?;
    merged(path, loaded, number, &plain)?;
    counted(loaded, number, &plain)
}

/// Merging bisimilar local states changes nothing but the number of states. (A loop of τ may be entered
/// later: a state inside it may stand for one before it.)
fn merged(path: &Path, loaded: &Loaded, number: usize, plain: &CheckOutcome) -> Result<(), String> {
    for (symmetry, threads) in [(false, 1), (true, 1), (true, 8)] {
        let options = options(Some(symmetry), StrategyKind::Walk, threads);
        let found = check(loaded, number, &bounded(options, STATES_MAX));
        let ending = found.counterexample.as_ref().map(|c| &c.ending);
        let loops = matches!(ending, Some(Ending::Divergence { .. }));
        let same = if loops {
            verdict(&found) == verdict(plain)
        } else {
            end(&found) == end(plain)
        };
        let fewer = changes(plain) || counts(&found).0 <= counts(plain).0;
        if !same || plain.verdict == Verdict::Holds && !fewer {
            return Err(format!(
                "#{number} merged, symmetry {symmetry}: {:?} {:?}, plain {:?} {:?}",
                end(&found),
                counts(&found),
                end(plain),
                counts(plain)
            ));
        }
        if let Some(example) = &found.counterexample {
            replay(path, example).map_err(|e| format!("#{number} merged: {e}"))?;
        }
        verified(loaded, &found).map_err(|e| format!("#{number} merged: {e}"))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_ways_to_search_agree(bytes in prop::collection::vec(any::<u8>(), 30..80)) {
        let text = generate(&bytes);
        let path = script("random.csp", &text);
        let loaded = sound(&path);
        for number in 1..=loaded.script.assertions.len() {
            compare(&path, &loaded, number)
                .map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases() / 20,
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// A compression changes no verdict, whether states are reduced or not.
    #[test]
    fn compressions_change_no_verdict(
        bytes in prop::collection::vec(any::<u8>(), 30..80),
        how in prop::collection::vec(any::<u8>(), 12),
    ) {
        let text = generate(&bytes);
        let plain = sound(&script("plain.csp", &text));
        let other = compressed(&text, &how);
        let path = script("compressed.csp", &other);
        let loaded = sound(&path);
        for number in 1..=loaded.script.assertions.len() {
            let bound = |options| bounded(options, STATES_MAX / 4);
            let unreduced = bound(options(Some(false), StrategyKind::default(), 1));
            // To normalise may take very long: what is not done in time is not compared.
            let timed = |way: &Options| Options {
                limits: way.limits.clone().with_timeout(Duration::from_millis(300)),
                ..way.clone()
            };
            let expected = check(&plain, number, &timed(&unreduced));
            if matches!(expected.verdict, Verdict::Inconclusive(_)) {
                continue;
            }
            let mut ways = vec![unreduced];
            for strategy in StrategyKind::ALL {
                ways.push(bound(options(Some(true), strategy, 2)));
            }
            for way in ways {
                let found = check(&loaded, number, &timed(&way));
                if matches!(found.verdict, Verdict::Inconclusive(_)) || refused(way.keeping, &found) {
                    continue;
                }
                prop_assert_eq!(
                    verdict(&found), verdict(&expected),
                    "#{} symmetry {:?}\n{}", number, way.symmetry, &other
                );
                // The animator names compressed states as reduced checks do.
                // Within the bound of this test, a compression may be left out.
                let is_left_out = found.details.as_ref().is_some_and(|d| d.opened > 0);
                if let Some(example) = found.counterexample.as_ref()
                    && way.symmetry == Some(true)
                    && !is_left_out
                {
                    let followed = replay(&path, example);
                    prop_assert!(followed.is_ok(), "#{number} {followed:?}\n{other}");
                }
            }
        }
    }
}

/// Where two components can do the same event, and one of them ends where it started, a step of a
/// counterexample is that of the component which it names.
#[test]
fn a_step_is_that_of_the_component_it_names() {
    let text = "datatype S = S0 | S1
datatype U = U0 | U1
channel a : S
channel c : U
channel d : S.S
F0(me, u, xs, q) = (d.me?y:xs -> F0(me, u, diff(xs, {y}), q)) [] (a.me -> F0(me, u, xs, q)) [] (d.me?y -> F1(me, u, union(xs, {y}), q))
F1(me, u, xs, q) = (d?y!me -> F0(me, u, {y}, q)) |~| (member(me, xs) & a.me -> F0(me, u, diff(S, xs), q)) |~| (a?y:diff(S, {me}) -> F1(y, u, xs, q))
Lone(xs) = a?x:diff(S, xs) -> Lone(union(xs, {x}))
F(me) = c?v -> F0(me, v, {}, <>)
Fs = ||| s : S @ F(s)
Whole = (Fs [| {|a|} |] Lone({}))
assert Whole :[deadlock free [F]]
";
    let path = script("named_component.csp", text);
    let loaded = sound(&path);
    for symmetry in [true, false] {
        let how = options(Some(symmetry), StrategyKind::Ordering, 1);
        let outcome = check(&loaded, 1, &how);
        let found = outcome.counterexample.expect("it deadlocks");
        assert_eq!(replay(&path, &found), Ok(()));
    }
}
