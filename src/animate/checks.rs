//! Running an assertion for a person: the outcome in words.

use std::path::Path;

use super::model::{
    CheckEvent, CheckOutcome, CheckRequest, Counterexample, CounterexampleStep, Progress,
    SymmetrySummary, Verdict,
};
use super::words::{self, Words};
use crate::check::counterexample::{RawStep, node_members, offers};
use crate::check::load::{Loaded, load};
use crate::check::plan::{Plan, is_asymmetry, plans};
use crate::check::product::Pair;
use crate::check::run::{Outcome, Violation};
use crate::check::search::{Control, Figures, Stop};
use crate::check::specification::NodeId;
use crate::check::{self, Check, Options};
use crate::machine::{EventId, FormatId};
use crate::script::core::{AssertionKind, Expr, SymmetrySpec};
use crate::script::symmetric;
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, SourceMap};

/// Loads a script and checks one of its assertions: what the worker thread runs.
pub fn run_from_file(
    path: &Path,
    request: &CheckRequest,
    options: &Options,
    cancel: &Cancel,
    report: &mut dyn FnMut(CheckEvent),
) {
    let outcome = match load(path, None) {
        Ok(loaded) => {
            let options = Options {
                symmetry: request.symmetry.or(options.symmetry),
                ..options.clone()
            };
            run(&loaded, request.number, &options, cancel, &mut |p| {
                report(CheckEvent::Progress(p));
            })
        }
        Err(errors) => {
            let first = errors.diagnostics.first().cloned();
            let error = first.unwrap_or_else(|| Diagnostic::nowhere("E0799", "no script"));
            failed(request.number, String::new(), &error, &errors.sources)
        }
    };
    report(CheckEvent::Finished(Box::new(outcome)));
}

fn failed(
    number: usize,
    text: String,
    diagnostic: &Diagnostic,
    sources: &SourceMap,
) -> CheckOutcome {
    CheckOutcome {
        number,
        text,
        verdict: Verdict::Error(words::failure(diagnostic, sources)),
        diagnostic: Some(Box::new(diagnostic.clone())),
        explanation: None,
        progress: Progress::default(),
        symmetry: None,
        counterexample: None,
        statistics: None,
        represented: None,
    }
}

/// Checks assertion `number` (from 1) of a loaded script.
pub fn run(
    loaded: &Loaded,
    number: usize,
    options: &Options,
    cancel: &Cancel,
    report: &mut dyn FnMut(Progress),
) -> CheckOutcome {
    let Some(assertion) = number
        .checked_sub(1)
        .and_then(|n| loaded.script.assertions.get(n))
    else {
        let diagnostic = Diagnostic::nowhere("E0701", format!("there is no assertion {number}"));
        return failed(number, String::new(), &diagnostic, &loaded.sources);
    };
    let text = assertion.text.to_string();
    // All that an assertion depends on has to be sound before a verdict means anything.
    if let Some(error) = loaded.in_the_way(assertion) {
        return failed(number, text, &error, &loaded.sources);
    }
    if let AssertionKind::Symmetric { process, types } = &assertion.kind {
        return of_text(loaded, number, process, types);
    }
    let started = std::time::Instant::now();
    let mut last = Progress::default();
    let mut progress = |figures: &Figures| {
        last = to_progress(figures, started.elapsed().as_secs_f64());
        report(last.clone());
    };
    let checked = by_plans(loaded, number, options, cancel, &mut progress);
    match checked {
        Ok((outcome, counterexample)) => in_words(number, text, &outcome, counterexample),
        Err(diagnostic) if cancel.is_cancelled() => CheckOutcome {
            verdict: Verdict::Inconclusive("cancelled".to_owned()),
            progress: last,
            diagnostic: None,
            ..failed(number, text, &diagnostic, &loaded.sources)
        },
        Err(diagnostic) if LIMITS.contains(&diagnostic.code) => CheckOutcome {
            verdict: Verdict::Inconclusive(diagnostic.message.clone()),
            progress: last,
            ..failed(number, text, &diagnostic, &loaded.sources)
        },
        Err(diagnostic) => CheckOutcome {
            progress: last,
            ..failed(number, text, &diagnostic, &loaded.sources)
        },
    }
}

/// Checks a `:[symmetric]` assertion: a look at the text decides it.
fn of_text(loaded: &Loaded, number: usize, process: &Expr, types: &[SymmetrySpec]) -> CheckOutcome {
    let assertion = &loaded.script.assertions[number - 1];
    let text = assertion.text.to_string();
    let decided = symmetric::decide(&loaded.script, &loaded.types, process, types);
    let reasons = decided.err().unwrap_or_default();
    if let Some(senseless) = reasons.iter().find(|d| d.code != "E0501") {
        return failed(number, text, senseless, &loaded.sources);
    }
    let holds = reasons.is_empty() != assertion.negated;
    let reason = reasons.into_iter().next().filter(|_| !holds);
    CheckOutcome {
        number,
        text,
        verdict: if holds {
            Verdict::Holds
        } else {
            Verdict::Fails
        },
        explanation: reason.as_ref().map(|d| words::failure(d, &loaded.sources)),
        diagnostic: reason.map(Box::new),
        progress: Progress::default(),
        symmetry: None,
        counterexample: None,
        statistics: None,
        represented: None,
    }
}

/// Codes of diagnostics that say that a limit was reached.
const LIMITS: [&str; 5] = ["E0702", "E0703", "E0704", "E0705", "E0706"];

/// The outcome of the first plan that can be gone to the end. That components are not symmetric may
/// turn out only during the search, if they could not be explored ahead.
fn by_plans(
    loaded: &Loaded,
    number: usize,
    options: &Options,
    cancel: &Cancel,
    progress: &mut dyn FnMut(&Figures),
) -> Result<(Outcome, Option<Counterexample>)> {
    let mut plans = plans(loaded, number - 1, options)?.into_iter();
    let mut failed = None;
    loop {
        let Some(plan) = plans.next() else {
            let none = || Box::new(Diagnostic::nowhere("E0701", "there is no way to check it"));
            return Err(failed.unwrap_or_else(none));
        };
        match attempt(loaded, number, &plan, options, cancel, progress) {
            Err(error) if is_asymmetry(&error) => failed = Some(failed.unwrap_or(error)),
            other => return other,
        }
    }
}

/// One run of an assertion.
fn attempt(
    loaded: &Loaded,
    number: usize,
    plan: &Plan,
    options: &Options,
    cancel: &Cancel,
    progress: &mut dyn FnMut(&Figures),
) -> Result<(Outcome, Option<Counterexample>)> {
    let mut check = Check::planned(loaded, number - 1, plan, options, cancel)?;
    let limits = &options.limits;
    let mut control = Control {
        threads: options.threads,
        limits,
        cancel,
        progress,
    };
    let outcome = check.run(&mut control)?;
    let counterexample = counterexample(&mut check, loaded, number, &outcome)?;
    Ok((outcome, counterexample))
}

fn to_progress(figures: &Figures, seconds: f64) -> Progress {
    Progress {
        ply: figures.ply,
        states: figures.states as u64,
        transitions: figures.transitions,
        frontier: figures.frontier as u64,
        seconds,
        bytes: figures.bytes as u64,
    }
}

fn in_words(
    number: usize,
    text: String,
    outcome: &Outcome,
    counterexample: Option<Counterexample>,
) -> CheckOutcome {
    let verdict = match outcome.verdict {
        check::Verdict::Holds => Verdict::Holds,
        check::Verdict::Fails => Verdict::Fails,
        check::Verdict::Stopped(stop) => Verdict::Inconclusive(stop_text(stop).to_owned()),
    };
    let statistics = &outcome.statistics;
    CheckOutcome {
        number,
        text,
        verdict,
        progress: to_progress(&statistics.figures, statistics.seconds),
        symmetry: outcome.reduction.as_ref().map(|r| SymmetrySummary {
            types: r.types.clone(),
            group_order: r.group_order,
            strategy: r.strategy.to_owned(),
        }),
        counterexample,
        diagnostic: None,
        explanation: None,
        statistics: Some((statistics.evaluated, statistics.local_states)),
        represented: statistics.represented.map(|r| (r.states, r.transitions)),
    }
}

/// Why a search stopped early.
#[must_use]
pub fn stop_text(stop: Stop) -> &'static str {
    match stop {
        Stop::Cancelled => "cancelled",
        Stop::Time => "time limit reached",
        Stop::States => "state limit reached",
        Stop::Memory => "memory limit reached",
    }
}

/// Puts a failure into words.
fn counterexample(
    check: &mut Check,
    loaded: &Loaded,
    number: usize,
    outcome: &Outcome,
) -> Result<Option<Counterexample>> {
    let Some(failure) = &outcome.failure else {
        return Ok(None);
    };
    let mut words = Words::default();
    let run = &failure.run;
    let labels = words.labels(&mut check.machine, &check.network, FormatId(0));
    let initial = run
        .initial
        .locals
        .iter()
        .map(|l| words.text(&mut check.machine, *l))
        .collect();
    let has_spec = check.specification.is_some();
    let initial_spec = if has_spec {
        spec_text(check, &mut words, run.initial.node)
    } else {
        String::new()
    };
    let mut steps = Vec::with_capacity(run.steps.len());
    for step in &run.steps {
        let spec =
            (has_spec && step.allowed).then(|| spec_text(check, &mut words, step.after.node));
        steps.push(CounterexampleStep {
            kind: words::kind(step.event),
            event: words::shown(&check.machine, step.shown),
            changes: changes(check, &mut words, step),
            spec,
        });
    }
    Ok(Some(Counterexample {
        process: implementation_text(loaded, number),
        components: labels,
        initial,
        initial_spec,
        reason: reason(check, &failure.violation, &run.initial, &run.steps)?,
        quotient: quotient(check, &mut words, &run.steps),
        steps,
    }))
}

/// The path through the reduced automaton: one line a step, with the permutation that had been
/// composed so far. Empty without reduction.
fn quotient(check: &mut Check, words: &mut Words, steps: &[RawStep]) -> Vec<String> {
    if check.machine.atoms.is_empty() {
        return Vec::new();
    }
    let mut lines = Vec::with_capacity(steps.len());
    for reduced in steps.iter().filter_map(|s| s.reduced.as_ref()) {
        let machine = &check.machine;
        let name = |a| machine.atom_name(a);
        let cycles: Vec<String> = (0..machine.atoms.kinds())
            .map(|kind| reduced.pi.cycles(&machine.atoms, kind, &name))
            .filter(|c| c != "id")
            .collect();
        let pi = if cycles.is_empty() {
            "id".to_owned()
        } else {
            cycles.join(" ")
        };
        let event = machine.show_event(reduced.event);
        let states: Vec<String> = reduced
            .after
            .locals
            .iter()
            .map(|l| words.text(&mut check.machine, *l))
            .collect();
        lines.push(format!("pi {pi}; {event} -> {}", states.join(" ")));
    }
    lines
}

/// The implementation of an assertion, as written.
fn implementation_text(loaded: &Loaded, number: usize) -> String {
    let subject = loaded.script.assertions[number - 1].subject();
    let text = loaded.sources.text(subject.span);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn changes(check: &mut Check, words: &mut Words, step: &RawStep) -> Vec<(usize, String)> {
    let movers = step.movers.iter().map(|c| *c as usize);
    let mut found = Vec::new();
    for component in movers {
        if let Some(local) = step.after.locals.get(component) {
            found.push((component, words.text(&mut check.machine, *local)));
        }
    }
    found
}

/// The states of a specification's node; the first few if there are many.
fn spec_text(check: &mut Check, words: &mut Words, node: u32) -> String {
    const SHOWN: usize = 3;
    let members = node_members(&check.sides(), node);
    let mut texts = Vec::new();
    for (_, locals) in members.iter().take(SHOWN) {
        let parts: Vec<String> = locals
            .iter()
            .map(|l| words.text(&mut check.machine, *l))
            .collect();
        texts.push(parts.join(" ||| "));
    }
    if members.len() > SHOWN {
        texts.push(format!("{} more", members.len() - SHOWN));
    }
    texts.join(" or ")
}

fn visible_trace(check: &Check, steps: &[RawStep]) -> String {
    let visible: Vec<String> = steps
        .iter()
        .filter(|s| s.event != EventId::TAU)
        .map(|s| check.machine.show_event(s.event))
        .collect();
    format!("<{}>", visible.join(", "))
}

fn reason(
    check: &mut Check,
    violation: &Violation,
    initial: &Pair,
    steps: &[RawStep],
) -> Result<String> {
    match violation {
        Violation::Performed => Ok(format!(
            "The process can perform {}, for example like this.",
            visible_trace(check, steps)
        )),
        Violation::Unable { event, offered } => Ok(format!(
            "After {} the process cannot perform {}: it can perform {}.",
            visible_trace(check, steps),
            check.machine.show_event(*event),
            allowed_text(check, offered)
        )),
        Violation::Reluctant { event } => Ok(format!(
            "After {} the process can refuse {}: in this state it offers {}.",
            visible_trace(check, steps),
            check.machine.show_event(*event),
            {
                let last = steps.last().map_or(initial, |s| &s.after);
                let offered = offers(&mut check.sides(), last)?;
                allowed_text(check, &offered)
            }
        )),
        Violation::Refusal => refusal_reason(check, initial, steps),
        Violation::Ambiguity => ambiguity_reason(check, initial, steps),
        Violation::Deadlock => Ok(format!(
            "After {} the process has no transition: deadlock.",
            visible_trace(check, steps)
        )),
        Violation::Divergence { lap } => Ok(format!(
            "After {} the process can perform internal events for ever: the last {lap} step{} of this run \
             can be repeated (up to a permutation of the symmetric types).",
            visible_trace(check, steps),
            if *lap == 1 { "" } else { "s" },
        )),
        Violation::Refused => {
            let Some((last, before)) = steps.split_last() else {
                return Ok(String::new());
            };
            let node = before.last().map_or(initial.node, |s| s.after.node);
            let mut sides = check.sides();
            sides.complete(|product| product.follow(node, EventId::TICK).map(|_| ()))?;
            let allowed: Vec<EventId> = check
                .specification
                .iter()
                .flat_map(|s| s.allowed(NodeId(node)).collect::<Vec<_>>())
                .collect();
            Ok(format!(
                "After {} the specification allows {}. The implementation performs {}.",
                visible_trace(check, before),
                allowed_text(check, &allowed),
                check.machine.show_event(last.event)
            ))
        }
    }
}

/// What the last state offers, and what the specification insists on.
fn refusal_reason(check: &mut Check, initial: &Pair, steps: &[RawStep]) -> Result<String> {
    const SHOWN: usize = 4;
    let last = steps.last().map_or(initial, |s| &s.after);
    let offered = offers(&mut check.sides(), last)?;
    let mut wanted: Vec<String> = Vec::new();
    for acceptance in check
        .specification
        .iter()
        .flat_map(|s| s.acceptances(NodeId(last.node)))
    {
        wanted.push(set_text(check, acceptance));
    }
    wanted.sort();
    let more = wanted.len().saturating_sub(SHOWN);
    wanted.truncate(SHOWN);
    let wanted = match (wanted.len(), more) {
        (0, _) => "has no stable state there (it diverges)".to_owned(),
        (1, _) => format!("offers at least {}", wanted[0]),
        (_, 0) => format!("offers at least one of {}", wanted.join(", ")),
        _ => format!(
            "offers at least one of {} and {more} more",
            wanted.join(", ")
        ),
    };
    Ok(format!(
        "After {} the implementation refuses everything but {}. The specification {wanted}.",
        visible_trace(check, steps),
        set_text(check, &offered),
    ))
}

/// What the last state refuses although it is possible after the same trace.
fn ambiguity_reason(check: &mut Check, initial: &Pair, steps: &[RawStep]) -> Result<String> {
    let last = steps.last().map_or(initial, |s| &s.after);
    let offered = offers(&mut check.sides(), last)?;
    let possible: Vec<EventId> = check
        .specification
        .iter()
        .flat_map(|s| s.allowed(NodeId(last.node)).collect::<Vec<_>>())
        .filter(|event| !offered.contains(event))
        .collect();
    Ok(format!(
        "After {} the process can refuse {}, which it can also perform after the same trace.",
        visible_trace(check, steps),
        allowed_text(check, &possible).trim_start_matches("only "),
    ))
}

/// `{a, b, c}`, shortened.
fn set_text(check: &Check, events: &[EventId]) -> String {
    const SHOWN: usize = 8;
    let mut texts: Vec<String> = events
        .iter()
        .map(|e| check.machine.show_event(*e))
        .collect();
    texts.sort();
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    format!("{{{}}}", texts.join(", "))
}

fn allowed_text(check: &Check, allowed: &[EventId]) -> String {
    const SHOWN: usize = 6;
    if allowed.is_empty() {
        return "nothing".to_owned();
    }
    let mut texts: Vec<String> = allowed
        .iter()
        .map(|e| check.machine.show_event(*e))
        .collect();
    texts.sort();
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    let list = texts.join(", ");
    if more > 0 {
        format!("{list} and {more} more")
    } else {
        format!("only {list}")
    }
}
