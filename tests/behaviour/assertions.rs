//! Traces that are asked for, and the priority of silence: what comes out, and what is shown.

use crate::support;
use crate::support::{check, options, replay, script, sound, verdict};
use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::report::checks;
use orbitscope::source::{Cancel, Kind, Stop, WorkStage};
use orbitscope::symmetry::StrategyKind;

/// The outcomes of all assertions of a script; every run that is shown has to replay.
fn outcomes(name: &str, text: &str) -> Vec<CheckOutcome> {
    let path = script(name, text);
    let loaded = sound(&path);
    let options = options(None, StrategyKind::default(), 1);
    let all = 1..=loaded.script.assertions.len();
    let all: Vec<CheckOutcome> = all.map(|n| check(&loaded, n, &options)).collect();
    for run in all.iter().filter_map(|o| o.counterexample.as_ref()) {
        replay(&path, run).expect("the run replays");
    }
    all
}

fn reason(outcome: &CheckOutcome) -> &str {
    let shown = outcome.counterexample.as_ref();
    shown.map_or("", |run| &run.reason)
}

const PROCESSES: &str = "
channel a, b, c
-- May stop after a; D may diverge instead, and never refuses b.
P = a -> (b -> P |~| STOP)
D = a -> ((b -> D) [> DIVERGE)
DIVERGE = DIVERGE |~| DIVERGE
H = (c -> a -> SKIP) \\ {c}
";

#[test]
fn a_trace_is_there_in_each_model_as_the_model_sees_it() {
    let cases = [
        ("P :[has trace [T]]: <>", "pass"),
        ("P :[has trace [T]]: <a, b, a>", "pass"),
        ("P :[has trace [F]]: <a, b, a>", "fail"),
        ("P :[has trace [F]]: <a>", "pass"),
        ("P :[has trace]: <a>", "pass"),
        ("D :[has trace [T]]: <a, b>", "pass"),
        ("D :[has trace [F]]: <a, b>", "pass"),
        ("D :[has trace [FD]]: <a, b>", "fail"),
        ("D :[has trace]: <a, b>", "fail"),
        // What comes after the trace does not matter.
        ("D :[has trace [FD]]: <a>", "pass"),
        ("H :[has trace [FD]]: <a>", "pass"),
        ("H :[has trace [T]]: <c, a>", "fail"),
        ("not H :[has trace [T]]: <a, a>", "pass"),
        ("not H :[has trace [T]]: <a>", "fail"),
        // Termination is an offer that nobody can refuse to take.
        ("(SKIP [] a -> STOP) :[has trace [T]]: <a>", "pass"),
        ("(SKIP [] a -> STOP) :[has trace [F]]: <a>", "fail"),
        // The priority of silence takes c away, whoever could do it.
        (
            "(c -> P [> P) :[has trace [T]]: <c> :[tau priority]: {c}",
            "fail",
        ),
        (
            "(c -> P [> P) :[has trace [T]]: <c> :[tau priority]: {b}",
            "pass",
        ),
    ];
    let text: String = cases.iter().map(|c| format!("assert {}\n", c.0)).collect();
    let found = outcomes("has_trace.csp", &format!("{PROCESSES}{text}"));
    for ((text, expected), outcome) in cases.iter().zip(&found) {
        assert_eq!(verdict(outcome), *expected, "{text}");
        assert!(outcome.counterexample.is_some(), "{text}: a run is shown");
    }
    let events = |n: usize| {
        let steps = found[n].counterexample.iter().flat_map(|run| &run.steps);
        steps.map(|s| s.event.as_str()).collect::<Vec<_>>()
    };
    assert!(reason(&found[1]).contains("<a, b, a>"));
    assert!(events(1).ends_with(&["b", "a"]), "{:?}", events(1));
    assert!(reason(&found[2]).starts_with("After <a> the process can refuse b"));
    assert_eq!(events(2).len(), 2, "a, and the choice of STOP");
    assert!(
        reason(&found[7]).contains("for ever"),
        "{}",
        reason(&found[7])
    );
    let longest = "After <> the process cannot perform c: it can perform only a.";
    assert_eq!(reason(&found[11]), longest);
    assert_eq!(events(11).len(), 0);
}

#[test]
fn a_trace_consists_of_events() {
    let text = "channel a : {0, 1}\nP = a?x -> P\nassert P :[has trace [T]]: <a.0, a.2>";
    let [outcome] = &outcomes("no_trace.csp", text)[..] else {
        panic!("one assertion");
    };
    assert!(verdict(outcome).contains("E0418"), "{}", verdict(outcome));
}

#[test]
fn limits_end_the_search_for_a_trace() {
    let text =
        "channel a, b\nCOUNT(n) = a -> COUNT(n + 1)\nassert COUNT(0) \\ {a} :[has trace [T]]: <b>";
    let loaded = sound(&script("endless_trace.csp", text));
    let options = support::bounded(options(None, StrategyKind::default(), 1), 5_000);
    let mut options = options;
    options.limits.local_states_max = 1_000;
    let outcome = check(&loaded, 1, &options);
    assert!(matches!(&outcome.verdict, Verdict::Inconclusive(why) if why.contains("state limit")));
}

#[test]
fn silence_has_priority_on_both_sides() {
    let cases = [
        ("STOP [T= (c -> STOP [> STOP)", "fail"),
        (
            "STOP [T= (c -> STOP [> STOP) :[tau priority over]: {c}",
            "pass",
        ),
        (
            "STOP [T= (c -> STOP [> STOP) :[tau priority]: {a, b}",
            "fail",
        ),
        // The specification is read in the same way.
        ("(c -> STOP [> STOP) [T= c -> STOP", "pass"),
        (
            "(c -> STOP [> STOP) [T= c -> STOP :[tau priority]: {c}",
            "fail",
        ),
        ("(c -> STOP [> STOP) :[deterministic]", "fail"),
        (
            "(c -> STOP [> STOP) :[deterministic] :[tau priority]: {c}",
            "pass",
        ),
        // Termination counts as silence.
        ("SKIP [FD= (c -> STOP [] SKIP) :[tau priority]: {c}", "pass"),
        (
            "DIVERGE \\ {} :[divergence free] :[tau priority]: Events",
            "fail",
        ),
        (
            "(a -> STOP [> STOP) :[deadlock free] :[tau priority]: {a}",
            "fail",
        ),
    ];
    let text: String = cases.iter().map(|c| format!("assert {}\n", c.0)).collect();
    let found = outcomes("silence.csp", &format!("{PROCESSES}{text}"));
    for ((text, expected), outcome) in cases.iter().zip(&found) {
        assert_eq!(verdict(outcome), *expected, "{text}");
    }
}

#[test]
fn models_of_refinement_are_refused_by_name_for_anything_else() {
    let text = "assert STOP :[deterministic [V]]\nassert STOP :[deadlock free [R]]\n\
                assert STOP :[has trace [VD]]: <>";
    for (outcome, name) in outcomes("models.csp", text).iter().zip(["V", "R", "VD"]) {
        let said = format!("the model {name} is not supported for anything but refinement");
        assert!(verdict(outcome).contains(&said), "{}", verdict(outcome));
        // As the warning at the same place says.
        let told = outcome.diagnostic.as_ref().map(|d| (d.code, d.kind));
        assert_eq!(told, Some(("E0604", Kind::Unsupported)));
    }
}

/// After the search for states a check looks for divergence, and notes how many silent steps it has listed.
#[test]
fn looking_for_divergence_notes_how_far_it_is() {
    let text = "channel a, b : {0..9}
P(n) = a.n -> P((n + 1) % 10) [] b.n -> STOP
assert P(0) \\ {| a |} :[divergence free]";
    let loaded = sound(&script("silent.csp", text));
    let options = options(None, StrategyKind::default(), 1);
    let cancel = Cancel::default();
    let found = checks::run(&loaded, 1, &options, &cancel, &mut |_| {});
    assert!(matches!(found.verdict, Verdict::Fails));
    let reached = cancel.reached();
    assert!(
        matches!(reached, Some((WorkStage::Diverging, steps)) if steps > 0),
        "{reached:?}"
    );
}

#[test]
fn what_is_not_there_is_not_what_was_cancelled() {
    let path = script("one.csp", "assert STOP :[deadlock free]");
    let loaded = sound(&path);
    let options = options(None, StrategyKind::default(), 1);
    let missing = check(&loaded, 2, &options);
    let told = missing.diagnostic.as_ref().map(|d| (d.code, d.kind));
    assert_eq!(told, Some(("E0709", Kind::Usage)));
    assert_eq!(missing.stopped, None);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = checks::run(&loaded, 1, &options, &cancel, &mut |_| {});
    assert_eq!(stopped.stopped, Some(Stop::Cancelled));
    assert!(matches!(stopped.verdict, Verdict::Inconclusive(_)));
}
