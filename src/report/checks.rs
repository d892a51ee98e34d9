//! Running an assertion for a person: the outcome in words.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::counterexamples;
use super::inputs::inputs;
use super::outcome::{
    CheckOutcome, Counterexample, Details, LeftOut, Progress, ShortestView, Verdict,
};
use super::reduction::{Basis, PlanView};
use super::words::stop_text;
use super::{numbers, plans, words};
use crate::check::attempts::by_first_worth;
use crate::check::outcome::{Missing, Outcome, Statistics};
use crate::check::plan::{self, Plan, by_first};
use crate::check::shared_systems::SharedSystems;
use crate::check::{self, Check, Options};
use crate::machine::bisimilar::MergingBound;
use crate::script::core::{AssertionKind, Expr, SymmetrySpec};
use crate::script::load::Loaded;
use crate::script::symmetric;
use crate::search::breadth_first::{Figures, SearchControl};
use crate::source::diagnostic::Result;
use crate::source::threads::lock;
use crate::source::{Cancel, Diagnostic, Kind, SourceMap, Span, Stop, memory};

/// Why something is missing that no limit has cut off.
const UNKNOWN: &str = "it is not known for some states, such as those beside a state of the \
                       specification that holds a set of symmetric values";

/// The reason why sizes of states cannot be compared where an unreduced check has other components.
const KEPT_TOGETHER: &str = "permutations keep a parallel composition inside of one component, which \
                             the unreduced system takes apart: it has other states";

/// The outcome of assertion `number` (from 1) if its script cannot be read.
pub fn unread(number: usize, errors: &[Diagnostic], sources: &SourceMap) -> CheckOutcome {
    let first = errors.first().cloned();
    let error = first.unwrap_or_else(|| Diagnostic::nowhere("E0799", "no script"));
    failed(number, String::new(), &error, sources)
}

fn failed(
    number: usize,
    text: String,
    diagnostic: &Diagnostic,
    sources: &SourceMap,
) -> CheckOutcome {
    let verdict = Verdict::Error(words::error_text(diagnostic, sources));
    CheckOutcome {
        diagnostic: Some(Box::new(diagnostic.clone())),
        stopped: diagnostic.stop(),
        inputs: inputs(sources),
        ..CheckOutcome::new(number, text, verdict)
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
    let mut alone = SharedSystems::default();
    let outcome = run_once(loaded, number, options, cancel, &mut alone, report);
    leave_processes(options, outcome.stopped);
    outcome
}

/// Runs one of several checks of a run, which compile common systems once.
pub fn run_sharing(
    loaded: &Loaded,
    number: usize,
    (options, cancel): (&Options, &Cancel),
    shared: &mut SharedSystems,
    report: &mut dyn FnMut(Progress),
) -> CheckOutcome {
    let check = AssertUnwindSafe(|| run_once(loaded, number, options, cancel, shared, report));
    let outcome = match catch_unwind(check) {
        Ok(outcome) => CheckOutcome {
            progress: with_processes(outcome.progress, options),
            ..outcome
        },
        Err(panic) => {
            // A panic may have left it half done.
            *shared = SharedSystems::default();
            return broken_off(loaded, number, panic.as_ref());
        }
    };
    let is_error = matches!(outcome.verdict, Verdict::Error(_));
    let memory_ended = outcome.stopped == Some(Stop::Memory);
    let limits = &options.limits;
    // By itself it is reported in its own place, and has all of the memory.
    if (is_error || memory_ended) && shared.give_up(limits, memory_ended) {
        return run_once(loaded, number, options, cancel, shared, report);
    }
    leave_processes(options, outcome.stopped);
    outcome
}

/// Tells the processes that wait to share a check that this one has ended at a limit, if it has: it may do so before it
/// shares anything.
fn leave_processes(options: &Options, stopped: Option<Stop>) {
    if let Some(plan) = options.processes.as_ref().filter(|_| stopped.is_some()) {
        lock(&plan.mesh).leave(stopped);
    }
}

/// The outcome of a check that ended in a panic: an error of the program, which the other checks of a run survive.
fn broken_off(loaded: &Loaded, number: usize, panic: &(dyn Any + Send)) -> CheckOutcome {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    let message = owned.or_else(|| panic.downcast_ref::<&str>().copied());
    let message = format!("internal error: {}", message.unwrap_or("no message"));
    let diagnostic = Diagnostic::nowhere("E0799", message).note(
        "this is a fault of the program, not of the script: please report it with the script",
    );
    let assertion = loaded.script.assertions.get(number.saturating_sub(1));
    let text = assertion.map_or_else(String::new, |assertion| assertion.text.to_string());
    failed(number, text, &diagnostic, &loaded.sources)
}

fn run_once(
    loaded: &Loaded,
    number: usize,
    options: &Options,
    cancel: &Cancel,
    shared: &mut SharedSystems,
    report: &mut dyn FnMut(Progress),
) -> CheckOutcome {
    let Some(assertion) = number
        .checked_sub(1)
        .and_then(|n| loaded.script.assertions.get(n))
    else {
        let message = format!("there is no assertion {number}");
        let diagnostic = Diagnostic::nowhere("E0709", message)
            .note("the script may have changed on disk since it was opened: R reloads it");
        return failed(number, String::new(), &diagnostic, &loaded.sources);
    };
    let text = assertion.text.to_string();
    // All definitions that an assertion depends on have to be sound before a verdict means anything.
    if let Some(error) = loaded.in_the_way(assertion) {
        return failed(number, text, &error, &loaded.sources);
    }
    if let AssertionKind::Symmetric { process, types } = &assertion.kind {
        return of_text(loaded, number, process, types);
    }
    let started = std::time::Instant::now();
    let options = &Options {
        // Memory of earlier checks may still count as that of the program: it must not end this one.
        limits: options.limits.from_now(),
        ..options.clone()
    };
    let so_far = || started.elapsed().as_secs_f64();
    // A check that ends with an error has no figures; these are the last that it reported.
    let mut last = Progress::default();
    // Each plan that is tried counts from zero again, but the time is that of all of them.
    let mut progress = |figures: &Figures| {
        last = with_processes(to_progress(figures, so_far()), options);
        report(last.clone());
    };
    let diagnostic = match by_plans(loaded, number, options, cancel, shared, &mut progress) {
        Ok((outcome, found, plan)) => {
            let place = loaded.sources.place(assertion.span);
            return CheckOutcome {
                plan: Some(plan),
                inputs: inputs(&loaded.sources),
                ..in_words(number, text, &outcome, found, &place)
            };
        }
        Err(diagnostic) => diagnostic,
    };
    // The check may have ended before it reported any progress.
    last.seconds = so_far();
    let outcome = CheckOutcome {
        progress: last,
        ..failed(number, text, &diagnostic, &loaded.sources)
    };
    cut_off(outcome, &diagnostic, cancel, |span| {
        loaded.sources.place(span.unwrap_or(assertion.span))
    })
}

/// The outcome of a check that ended with a diagnostic: an error, unless it was cancelled or reached a limit.
fn cut_off(
    outcome: CheckOutcome,
    diagnostic: &Diagnostic,
    cancel: &Cancel,
    place: impl FnOnce(Option<Span>) -> String,
) -> CheckOutcome {
    if cancel.is_cancelled() {
        // The diagnostic is only a consequence of the cancelling.
        return CheckOutcome {
            verdict: Verdict::Inconclusive(stop_text(Stop::Cancelled).to_owned()),
            stopped: Some(Stop::Cancelled),
            diagnostic: None,
            ..outcome
        };
    }
    if outcome.stopped.is_none() {
        return outcome;
    }
    // A limit is no error of the script: nothing is known, and here it ended.
    let place = place(diagnostic.span);
    CheckOutcome {
        verdict: Verdict::Inconclusive(format!("{}, at {place}", diagnostic.message)),
        ..outcome
    }
}

/// Checks a `:[symmetric]` assertion: a look at the text decides it.
fn of_text(loaded: &Loaded, number: usize, process: &Expr, types: &[SymmetrySpec]) -> CheckOutcome {
    let assertion = &loaded.script.assertions[number - 1];
    let text = assertion.text.to_string();
    let decided = symmetric::decide(&loaded.script, &loaded.types, process, types);
    let reasons = decided.err().unwrap_or_default();
    // The question makes no sense then, so `not` must not turn it into one that holds.
    if let Some(senseless) = reasons.iter().find(|d| d.kind != Kind::Asymmetric) {
        return failed(number, text, senseless, &loaded.sources);
    }
    let holds = reasons.is_empty() != assertion.negated;
    // Behind a `not` the reasons are why it holds: then there is nothing to explain.
    let reason = reasons.into_iter().next().filter(|_| !holds);
    let verdict = if holds {
        Verdict::Holds
    } else {
        Verdict::Fails
    };
    CheckOutcome {
        explanation: reason
            .as_ref()
            .map(|d| words::error_text(d, &loaded.sources)),
        plan: Some(PlanView {
            basis: Basis::Text,
            ..PlanView::default()
        }),
        diagnostic: reason.map(Box::new),
        inputs: inputs(&loaded.sources),
        ..CheckOutcome::new(number, text, verdict)
    }
}

/// Runs the plans in order. Returns the outcome of the first one that runs to the end. That components are not
/// symmetric may turn out only during the search, if they could not be explored ahead.
fn by_plans(
    loaded: &Loaded,
    number: usize,
    options: &Options,
    cancel: &Cancel,
    shared: &mut SharedSystems,
    progress: &mut dyn FnMut(&Figures),
) -> Result<(Outcome, Vec<Counterexample>, PlanView)> {
    // Numbers are those of people here, and places in the list there.
    let plans = plan::plans(loaded, number - 1, options)?;
    let mut go = |plan: &Plan| {
        let done = attempt(loaded, number, plan, options, cancel, shared, progress)?;
        Ok((done, plans::basis(loaded, number, plan)))
    };
    let (((outcome, found), basis), instead) = if options.wants_reduction() {
        by_first(&plans, go)
    } else {
        by_first_worth(&plans, &mut go)
    }?;
    let assertion = &loaded.script.assertions[number - 1];
    let idle = plans
        .first()
        .map(|plan| plan.idle(&loaded.script).collect());
    let asked = options.symmetry == Some(true) || assertion.symmetry.is_some();
    let mut idle: Vec<String> = idle.unwrap_or_default();
    // A user who asks for a reduction and gets none learns which expressions keep values apart.
    if asked && outcome.reduction.is_none() && basis != Basis::Trace {
        idle.extend(plans::distinguishing_places(loaded, &assertion.roots()));
    }
    let view = PlanView {
        basis,
        asked,
        idle,
        // Only the reasons why better plans failed: the basis above goes first.
        ..plans::plan(false, instead.as_deref(), loaded)
    };
    Ok((outcome, found, view))
}

/// Runs an assertion by one plan.
fn attempt(
    loaded: &Loaded,
    number: usize,
    plan: &Plan,
    options: &Options,
    cancel: &Cancel,
    shared: &mut SharedSystems,
    progress: &mut dyn FnMut(&Figures),
) -> Result<(Outcome, Vec<Counterexample>)> {
    let mut check = Check::sharing(loaded, number - 1, plan, options, cancel, shared)?;
    let mut control = SearchControl {
        threads: options.threads,
        collapse_after: options.collapse_after,
        limits: &options.limits,
        cancel,
        progress,
    };
    let mut outcome = check.run(&mut control)?;
    let mut found = Vec::with_capacity(outcome.counterexamples.len());
    for raw in &outcome.counterexamples {
        match counterexamples::describe(&mut check, loaded, number, raw) {
            Ok(counterexample) => found.push(counterexample),
            Err(error) => {
                // The verdict is valid: a limit takes away the words only. Other errors are errors of the check.
                let cancelled = cancel.is_cancelled().then_some(Stop::Cancelled);
                let stop = cancelled.or(error.stop()).ok_or(error)?;
                let what = "the counterexample in words";
                let stop = Some(stop);
                outcome.missing.push(Missing { what, stop });
                // The others would reach the same limit.
                break;
            }
        }
    }
    Ok((outcome, found))
}

/// Said of a search that found nothing and proves nothing.
const UNPROVED: &str = "no counterexample was found, which proves nothing: states of different orbits may \
                        share a marker, and divergence is not looked for";

pub(super) fn to_progress(figures: &Figures, seconds: f64) -> Progress {
    Progress {
        ply: figures.ply,
        states: figures.states as u64,
        transitions: figures.steps.transitions,
        frontier: figures.frontier as u64,
        seconds,
        bytes: figures.bytes as u64,
        representatives: figures.steps.representatives,
        unique: figures.unique,
        // The resident memory, which limits of memory are compared with.
        resident: memory::resident_lately().map(|bytes| bytes as u64),
        disk: figures.disk,
        processes: Vec::new(),
    }
}

/// Adds what the processes told of themselves last that share the search.
fn with_processes(mut progress: Progress, options: &Options) -> Progress {
    if let Some(plan) = &options.processes {
        progress.processes = plan.board.lines();
    }
    progress
}

fn in_words(
    number: usize,
    text: String,
    outcome: &Outcome,
    found: Vec<Counterexample>,
    place: &str,
) -> CheckOutcome {
    // Only a stop that took away the verdict counts as one: parts that are missing beside a verdict have their own
    // list.
    let (verdict, stopped) = match outcome.verdict {
        check::CheckVerdict::Holds => (Verdict::Holds, None),
        check::CheckVerdict::Fails => (Verdict::Fails, None),
        check::CheckVerdict::Unproved => (Verdict::Approximate(UNPROVED.to_owned()), None),
        check::CheckVerdict::Stopped(stop) => (
            Verdict::Inconclusive(searching(stop, &outcome.statistics.figures, place)),
            Some(stop),
        ),
    };
    let statistics = &outcome.statistics;
    let mut found = found.into_iter();
    let missing = outcome.missing.iter();
    let unknown = if statistics.kept_together {
        KEPT_TOGETHER
    } else {
        UNKNOWN
    };
    CheckOutcome {
        progress: to_progress(&statistics.figures, statistics.seconds),
        symmetry: outcome.reduction.as_ref().map(plans::summary),
        counterexample: found.next(),
        others: found.collect(),
        stopped,
        missing: missing
            .map(|m| format!("{}: {}", m.what, m.stop.map_or(unknown, stop_text)))
            .collect(),
        details: Some(details(statistics)),
        represented: statistics
            .represented
            .clone()
            .map(|r| (r.states, r.transitions)),
        adaptive: statistics.adaptive.clone(),
        ..CheckOutcome::new(number, text, verdict)
    }
}

/// Why merging was given up.
fn merging_given_up(bound: MergingBound) -> String {
    let (what, most, done) = match bound {
        MergingBound::LocalStates(most) => (
            "local states",
            most,
            "is not explored to the end before the search",
        ),
        MergingBound::Transitions(most) => ("transitions", most, "is left as it is"),
    };
    let most = numbers::thousands(most as u128);
    format!("a component with more than {most} {what} {done}")
}

fn details(statistics: &Statistics) -> Details {
    let figures = &statistics.figures;
    Details {
        representatives: figures.steps.representatives,
        fallbacks: (figures.steps.fallbacks, statistics.instead),
        evaluated: statistics.evaluated,
        local_states: statistics.local_states,
        merged: statistics.merged,
        unmerged_states: statistics.unmerged_states,
        merging_given_up: statistics.merging_bound.map(merging_given_up),
        nodes: statistics.nodes,
        normal: statistics.normal,
        components: statistics.components,
        rules: statistics.rules,
        formats: statistics.formats,
        kept_together: statistics.kept_together,
        opened: statistics.opened,
        ends: figures.ends,
        disk: figures.disk,
        processes: figures.processes,
        slept: figures.steps.slept,
        alike: statistics.state_symmetry.then_some(figures.steps.alike),
        holds_sets: statistics.holds_sets,
        growing: statistics.growing.clone(),
        left_out: statistics.partial_order.map(|possible| {
            let found = possible.map(|ruled_out| LeftOut {
                steps: figures.steps.left_out,
                skipped: figures.steps.skipped,
                unlooked: figures.steps.unlooked,
                rules_out_divergence: ruled_out.divergence,
                rules_out_deadlock: ruled_out.deadlock,
                simulation: statistics.simulation,
                specification: statistics.specification_merged,
            });
            found.map_err(str::to_owned)
        }),
        shortest: statistics.shortest.map(|sought| ShortestView {
            states: sought.states as u64,
            shorter: match sought.shorter {
                Ok(steps) => Ok(steps as u64),
                Err(stop) => Err(stop_text(stop).to_owned()),
            },
        }),
        compile_seconds: statistics.compile_seconds,
        structure_looked: statistics.structure_looked,
        unreached: figures.unreached,
        search_seconds: statistics.search_seconds,
        peak: memory::peak(),
    }
}

/// That another process is lost.
#[must_use]
pub fn lost(number: u16, address: Option<&str>) -> String {
    match address {
        Some(address) => format!("process {number} of the search, {address}, is lost"),
        None => format!("process {number} of the search is lost"),
    }
}

/// The reason why a search stopped early, and its place.
fn searching(stop: Stop, figures: &Figures, place: &str) -> String {
    let why = stop_text(stop);
    let work = match (stop, figures.frontier) {
        (Stop::Cancelled, _) => return why.to_owned(),
        (Stop::Process(number), _) => return lost(number, None),
        // All states were found.
        (_, 0) => "looking for cycles",
        _ => "searching",
    };
    format!("{why} while {work}, at {place}")
}
