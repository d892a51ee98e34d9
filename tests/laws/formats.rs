//! Networks whose structure changes while they run, and families indexed by sets: reduced and
//! unreduced searches agree.

use crate::support;
use std::path::Path;

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::EventKind;
use orbitscope::check::{Check, CheckVerdict, Options, Outcome};
use orbitscope::machine::FormatId;
use orbitscope::script::load::load_text;
use orbitscope::search::breadth_first::SearchControl;
use orbitscope::source::Cancel;
use orbitscope::symmetry::StrategyKind;

fn run(script: &str, symmetry: bool) -> (Outcome, usize) {
    let loaded = load_text(Path::new("formats.csp"), script);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    let options = Options {
        symmetry: Some(symmetry),
        keeping: StrategyKind::Walk.into(),
        ..Options::default()
    };
    let cancel = Cancel::default();
    let mut check = Check::prepare(&loaded, 0, &options, &cancel).expect("it compiles");
    let mut control = SearchControl {
        threads: 2,
        collapse_after: options.collapse_after,
        limits: &options.limits,
        cancel: &cancel,
        progress: &mut |_| {},
    };
    let outcome = check.run(&mut control).expect("it runs");
    let formats = (0..check.network.formats().len() as u16)
        .filter(|f| check.network.is_entered(FormatId(*f)))
        .count();
    (outcome, formats)
}

/// Verdicts agree, counterexamples have the same length, and the reduction reduces. Gives states
/// reduced and unreduced, and the formats that the reduced search entered.
fn compare(script: &str, expected: CheckVerdict) -> (usize, usize, usize) {
    let ((reduced, formats), (full, _)) = (run(script, true), run(script, false));
    assert_eq!((reduced.verdict, full.verdict), (expected, expected));
    let length = |o: &Outcome| o.counterexamples.first().map(|f| f.run.steps.len());
    assert_eq!(length(&reduced), length(&full));
    (
        reduced.statistics.figures.states,
        full.statistics.figures.states,
        formats,
    )
}

const FAMILY: &str = "datatype T = A | B | C
channel go, stop
channel c, d, pick : T
P(x) = c.x -> d.x -> P(x)
Q(x) = c.x -> d.x -> SKIP
";

#[test]
fn a_family_that_starts_later_is_another_format() {
    let script =
        format!("{FAMILY}System = go -> (||| x : T @ P(x))\nassert System :[deadlock free [F]]");
    let (reduced, full, formats) = compare(&script, CheckVerdict::Holds);
    assert_eq!((reduced, full, formats), (1 + 4, 1 + 8, 2));
}

#[test]
fn a_structure_that_depends_on_a_choice_stays_inside_its_component() {
    let script = format!(
        "{FAMILY}System = pick?x -> (P(x) [| {{|c.x|}} |] (c.x -> STOP ||| stop -> STOP))
assert System :[deadlock free [F]]"
    );
    let (reduced, full, formats) = compare(&script, CheckVerdict::Fails);
    assert_eq!(formats, 1);
    assert!(reduced < full, "{reduced} < {full}");
}

#[test]
fn a_family_that_starts_again_and_again() {
    let script = format!(
        "{FAMILY}System = go -> ((||| x : T @ Q(x)) ; stop -> System)
Spec = go -> Spec [] stop -> Spec [] c?x -> Spec [] d?x -> Spec
assert Spec [T= System"
    );
    let (reduced, full, _) = compare(&script, CheckVerdict::Holds);
    assert!(reduced < full, "{reduced} < {full}");
}

#[test]
fn families_may_be_indexed_by_sets() {
    let script = format!(
        "{FAMILY}R(s) = c?x:s -> R2(s, x)
R2(s, x) = d?y:diff(s, {{x}}) -> R(s)
Pairs = {{ {{x, y}} | x <- T, y <- T, x != y }}
System = ||| s : Pairs @ R(s)
Spec(s) = c?x -> Spec(union(s, {{x}})) [] d?x -> Spec(s)
assert Spec({{}}) [T= System"
    );
    let (reduced, full, _) = compare(&script, CheckVerdict::Holds);
    assert!(reduced < full, "{reduced} < {full}");
}

/// The specification remembers who was first; the implementation forgets.
#[test]
fn a_counterexample_in_a_later_format_replays() {
    let script = format!(
        "{FAMILY}System = go -> (||| x : T @ P(x))
Spec = go -> c?x -> After(x)
After(x) = d.x -> After(x) [] c?y -> After(x)
assert Spec [T= System"
    );
    compare(&script, CheckVerdict::Fails);
}

/// Nobody can keep a process waiting that can terminate (distributed termination).
#[test]
fn a_part_that_may_terminate_may_leave_the_others_behind() {
    let verdict = |script: &str| run(script, false).0.verdict;
    let head = "channel a : {0..1}\nLoop = a.0 -> Loop\nOther = a.1 -> Other\n";
    let text = |assertion: &str| format!("{head}assert {assertion} :[deadlock free [F]]\n");
    assert_eq!(
        verdict(&text("(SKIP [] Loop) ||| STOP")),
        CheckVerdict::Fails
    );
    assert_eq!(
        verdict(&text("(SKIP [] Loop) [| {|a.0|} |] Other")),
        CheckVerdict::Holds
    );
    assert_eq!(
        verdict(&text("SKIP ||| (SKIP [| {} |] SKIP)")),
        CheckVerdict::Holds
    );
    assert_eq!(
        verdict(&text("((SKIP [| {} |] SKIP) ||| SKIP) ; STOP")),
        CheckVerdict::Fails
    );
    // The same inside one component.
    assert_eq!(
        verdict(&text("((SKIP [] Loop) ||| STOP) /\\ STOP")),
        CheckVerdict::Fails
    );
}

/// In the animator, a process whose parts have all terminated has its ✓ still to come.
#[test]
fn the_end_comes_after_that_of_all_parts() {
    let text = "System = SKIP ||| SKIP\nassert STOP [T= System\n";
    let path = support::script("two_ends.csp", text);
    let mut engine = ScriptEngine::load(path.clone()).expect("it loads");
    let mut at = engine.open("System").expect("it opens");
    for kind in [EventKind::Tau, EventKind::Tau, EventKind::Tick] {
        let view = engine.view(at).expect("it evaluates");
        assert!(!view.terminated && !view.deadlocked);
        assert_eq!(view.transitions[0].kind, kind);
        at = view.transitions[0].target;
    }
    let view = engine.view(at).expect("it evaluates");
    assert!(view.terminated && !view.deadlocked && view.transitions.is_empty());
    let how = support::options(None, StrategyKind::Ordering, 1);
    let outcome = support::check(&support::sound(&path), 1, &how);
    let found = outcome.counterexample.expect("STOP cannot terminate");
    assert_eq!(support::replay(&path, &found), Ok(()));
}

/// A component in which ever more processes run side by side ends the search with a reason, whether
/// something is reduced or not.
#[test]
fn recursion_through_a_parallel_operator_ends_at_a_limit() {
    if !support::tiers::has_time(
        "laws formats::recursion_through_a_parallel_operator_ends_at_a_limit",
    ) {
        return;
    }
    let (network, component) = (
        "the network keeps growing parallel components",
        "a component has come to contain more than 512 parallel processes",
    );
    // What is chased is a network, too; what is determinised is not.
    let limits = [
        ("Grow /\\ STOP", network),
        ("chase(Grow)", network),
        ("deter(Grow)", component),
    ];
    for head in ["", "datatype T = A | B\nchannel c : T\n"] {
        for (process, limit) in limits {
            let text = format!(
                "{head}external chase, deter
channel a
Grow = a -> (Grow ||| STOP)
assert ({process}) :[deadlock free]
"
            );
            let loaded = support::sound(&support::script("grow.csp", text));
            let how = support::options(None, StrategyKind::default(), 1);
            let found = support::verdict(&support::check(&loaded, 1, &how));
            let told = format!("inconclusive: {limit}, at ");
            assert!(found.starts_with(&told), "{process}: {found}");
        }
    }
}

/// One that grows at once is not taken for one that grows for ever.
#[test]
fn a_network_may_become_large() {
    let text = "channel go, c : {0..599}
System = go.0 -> (|| i : {0..599} @ [{c.i}] c.i -> STOP)
assert System :[has trace [T]]: <go.0, c.3, c.599>
";
    let loaded = support::sound(&support::script("large.csp", text));
    let how = support::options(None, StrategyKind::Walk, 1);
    assert_eq!(support::verdict(&support::check(&loaded, 1, &how)), "pass");
}

const ENDINGS: &str = "datatype T = A | B | C
channel go, stop, done
channel c, d : T
P(x) = c.x -> d.x -> P(x)
Q(x) = c.x -> d.x -> SKIP
Ps = ||| x : T @ P(x)
Qs = ||| x : T @ Q(x)
";

/// States reduced and unreduced, and formats.
fn ends(definition: &str) -> (usize, usize, usize) {
    let script = format!("{ENDINGS}System = {definition}\nassert System :[deadlock free [F]]");
    compare(&script, CheckVerdict::Holds)
}

#[test]
fn a_network_goes_on_as_another() {
    // Three components with four states each, the ✓ that remains included.
    assert_eq!(ends("Qs ; System"), (20, 64, 1));
    assert_eq!(ends("(Qs \\ {|c|}) ; (Ps [[c <- d]])"), (20 + 4, 64 + 8, 2));
}

#[test]
fn a_network_is_interrupted() {
    assert_eq!(ends("Ps /\\ stop -> System"), (4, 8, 2));
    assert_eq!(ends("Ps /\\ stop -> RUN({stop})"), (4 + 1, 8 + 1, 2));
    assert_eq!(ends("Ps /\\ (stop -> STOP ||| done -> RUN({go}))").2, 2);
    assert_eq!(ends("Ps [| {|d|} |> Ps"), (4 + 4, 8 + 8, 2));
}

#[test]
fn a_choice_of_networks() {
    // Initially, with the first events of both; then one of the two.
    assert_eq!(ends("Ps [] (Ps \\ {|d|})"), (1 + 4 + 4, 1 + 8 + 8, 3));
    assert_eq!(ends("Ps [] go -> Ps").2, 3);
}

#[test]
fn what_depends_on_a_value_stays_inside() {
    let script = format!(
        "{ENDINGS}One(x) = (P(x) ||| done -> STOP) /\\ stop -> STOP
System = ||| x : T @ One(x)
assert System :[deadlock free [F]]"
    );
    let (reduced, full, formats) = compare(&script, CheckVerdict::Fails);
    assert_eq!(formats, 1);
    assert!(reduced < full, "{reduced} < {full}");
}

/// Operands of a choice that have the same components under other operators: a step of the one is no image of a step of
/// the other.
const SAME_COMPONENTS: [&str; 4] = [
    "channel a, c
K = a -> K [] c -> Copy
Copy = STOP |~| K
Named = ((Copy ||| Copy) [| {|c|} |] Copy) [] (Copy ||| Copy)
Whole = Named [] STOP
assert Whole \\ {|c|} :[divergence free]",
    "datatype U = U0 | U1
channel a
channel c : U
K(v) = a -> K(v) [] c.v -> Copy
Copy = |~| v : U @ K(v)
Named = ((Copy ||| Copy) [| {|c|} |] Copy) [] (Copy ||| Copy)
Whole = Named [] STOP
assert Whole \\ {|c|} :[divergence free]",
    "datatype U = U0 | U1
channel a, c : U
K(v) = c.v -> a.v -> STOP
Copy = |~| v : U @ K(v)
Named = ((Copy ||| Copy) [| {|c|} |] Copy) [] (Copy ||| Copy)
Whole = Named [] STOP
assert Whole \\ {|c|} :[deterministic [F]]",
    "datatype S = S0 | S1
datatype U = U0 | U1
channel a : S
channel b : S.U
channel c : U
F0(me, u) = (a.me -> F0(me, u))
K0(v, xs) = (b?x!v -> K1(v, {x}))
K1(v, xs) = (b?x?w -> K0(w, xs))
Copy = |~| v : U @ K1(v, S)
F(me) = c?v -> F0(me, v)
Fs = [| {|c|} |] s : S @ F(s)
Whole = (((Fs ||| Copy) [| {|b, c|} |] (Fs ||| Copy)) [] (Copy ||| Copy))
System = Whole [] STOP
Spec(xs) = a?x -> Spec(S) [] b?x?v -> Spec(S) [] c?v -> Spec(xs)
assert Spec({}) [F= System",
];

#[test]
fn operands_of_a_choice_are_told_apart_by_their_operators() {
    for script in SAME_COMPONENTS {
        for symmetry in [true, false] {
            // The counterexample was performed step by step on the unreduced system, or this would be an error.
            let (outcome, _) = run(script, symmetry);
            assert_eq!(outcome.verdict, CheckVerdict::Fails, "{script}");
            assert_eq!(outcome.counterexamples.len(), 1, "{script}");
        }
    }
}

/// What is hidden or renamed is taken apart though it has a name: its components begin as they are, whatever they do
/// before one of the operands is chosen.
#[test]
fn a_choice_of_networks_with_a_name_is_taken_apart_below_hiding() {
    let states = |system: &str| {
        let script = format!(
            "channel a, c, d
P = STOP |~| (a -> P [] c -> P)
Choice = (P ||| P) [] (P [| {{|c|}} |] P)
assert {system} :[deadlock free [F]]"
        );
        run(&script, false).0.statistics.figures.states
    };
    let (hidden, renamed) = (states("Choice \\ {d}"), states("Choice[[d <- c]]"));
    assert_eq!((hidden, renamed), (states("Choice"), states("Choice")));
}
