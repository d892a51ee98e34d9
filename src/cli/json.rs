//! Results of checks as JSON: one document, or one object a line as soon as something is known.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::{CheckArgs, ProgressMode, ResultFormat};
use super::both::Pair;
use super::output::Output;
use super::prints::{self, Printed};
use crate::animate::model::{
    CheckOutcome, Counterexample, CounterexampleStep, Details, EventKind, Progress, Verdict,
};
use crate::report::inputs::inputs;
use crate::script::load::Loaded;
use crate::source::{Diagnostic, render};

/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// The document of a run.
pub fn document(
    loaded: &Loaded,
    outcomes: &[(CheckOutcome, Option<Pair>)],
    printed: &[Printed],
    code: u8,
) -> Value {
    let mut document = json!({
        "schema": "orbitscope.check/1",
        "tool": tool(),
        "inputs": inputs(&loaded.sources),
        "exit_code": code,
        "diagnostics": diagnostics(loaded),
        "checks": outcomes.iter().map(|(o, p)| result(o, p.as_ref(), loaded)).collect::<Vec<_>>(),
    });
    let shown = printed.iter().map(|p| prints::to_json(p, loaded));
    document["prints"] = Value::Array(shown.collect());
    document
}

/// Writes what there is where the program ends before anything was checked; nothing for people.
pub fn without_checks(loaded: &Loaded, format: ResultFormat, code: u8) {
    let mut output = Output::default();
    match format {
        ResultFormat::Json => output.json(&format!("{:#}\n", document(loaded, &[], &[], code))),
        ResultFormat::Ndjson => {
            output.json(&format!("{}\n", start(loaded, &[])));
            output.json(&format!("{}\n", end(code)));
        }
        ResultFormat::Text => {}
    }
}

fn tool() -> Value {
    json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") })
}

fn diagnostics(loaded: &Loaded) -> Vec<Value> {
    let all = loaded.diagnostics.iter();
    all.map(|d| render::to_json(d, &loaded.sources)).collect()
}

/// The first line of a stream.
pub fn start(loaded: &Loaded, numbers: &[usize]) -> Value {
    let assertion = |n: &usize| {
        let text = &*loaded.script.assertions[*n - 1].text;
        json!({ "index": n, "assertion": text })
    };
    json!({
        "event": "start",
        "schema": "orbitscope.check-stream/1",
        "tool": tool(),
        "inputs": inputs(&loaded.sources),
        "diagnostics": diagnostics(loaded),
        "assertions": numbers.iter().map(assertion).collect::<Vec<_>>(),
    })
}

/// A line for an expression that was printed.
pub fn print(printed: &Printed, loaded: &Loaded) -> Value {
    with_event("print", prints::to_json(printed, loaded))
}

/// A line for a result.
pub fn result_line(outcome: &CheckOutcome, pair: Option<&Pair>, loaded: &Loaded) -> Value {
    with_event("result", result(outcome, pair, loaded))
}

/// The last line.
pub fn end(code: u8) -> Value {
    json!({ "event": "end", "exit_code": code })
}

fn with_event(event: &str, mut value: Value) -> Value {
    value["event"] = json!(event);
    value
}

/// Lines of progress, a second apart.
pub struct Ticker {
    next: Option<Instant>,
}

impl Ticker {
    /// For a check that begins now.
    pub fn new(args: &CheckArgs) -> Self {
        let silent = args.quiet || args.progress == ProgressMode::None;
        Self {
            next: (!silent).then(|| Instant::now() + PROGRESS),
        }
    }

    /// A line if it is time for one. `unreduced` says which run of `--both` it is.
    pub fn line(&mut self, number: usize, unreduced: bool, progress: &Progress) -> Option<Value> {
        let now = Instant::now();
        self.next.filter(|next| now >= *next)?;
        self.next = Some(now + PROGRESS);
        let mut line = with_event("progress", figures(progress));
        line["index"] = json!(number);
        line["frontier"] = json!(progress.frontier);
        if unreduced {
            line["unreduced"] = json!(true);
        }
        Some(line)
    }
}

fn figures(progress: &Progress) -> Value {
    json!({
        "states": progress.states,
        "transitions": progress.transitions,
        "plies": progress.ply,
        "seconds": progress.seconds,
        "bytes": progress.bytes,
    })
}

fn status(verdict: &Verdict) -> (&'static str, Value) {
    match verdict {
        Verdict::Holds => ("pass", Value::Null),
        Verdict::Fails => ("fail", Value::Null),
        Verdict::Inconclusive(why) => ("inconclusive", json!(why)),
        Verdict::Error(failure) => ("error", json!(failure.summary)),
    }
}

fn result(outcome: &CheckOutcome, pair: Option<&Pair>, loaded: &Loaded) -> Value {
    let (status, why) = status(&outcome.verdict);
    let symmetry = outcome.symmetry.as_ref().map(|s| {
        let sizes = |list: &[(String, usize)]| -> serde_json::Map<String, Value> {
            let sizes = list.iter();
            sizes.map(|(name, size)| (name.clone(), json!(size))).collect()
        };
        let (types, copies) = (sizes(&s.types), sizes(&s.copies));
        json!({ "types": types, "copies": copies, "group_order": s.group_order.to_string(), "rep": s.strategy })
    });
    let others = outcome.others.iter().map(counterexample);
    let mut value = json!({
        "index": outcome.number,
        "assertion": outcome.text,
        "status": status,
        "reason": why,
        "missing": outcome.missing,
        "diagnostic": outcome.diagnostic.as_ref().map(|d| diagnostic(d, loaded)),
        "symmetry": symmetry,
        "stats": stats(outcome),
        "counterexample": outcome.counterexample.as_ref().map(counterexample),
        "other_counterexamples": others.collect::<Vec<_>>(),
    });
    if let Some(pair) = pair {
        value["both"] = both(pair);
    }
    value
}

fn diagnostic(diagnostic: &Diagnostic, loaded: &Loaded) -> Value {
    render::to_json(diagnostic, &loaded.sources)
}

fn both(pair: &Pair) -> Value {
    let Pair::Compared {
        reduced,
        unreduced,
        comparison,
        again,
    } = pair
    else {
        return json!({ "compared": false });
    };
    let of = |verdict: &Verdict| {
        let (status, why) = status(verdict);
        json!({ "status": status, "reason": why })
    };
    let mut other = of(&unreduced.verdict);
    other["stats"] = stats(unreduced);
    let disagreement = &comparison.disagreement;
    let mut value = json!({
        "compared": unreduced.stopped.is_none() && !matches!(unreduced.verdict, Verdict::Error(_)),
        "not_compared": comparison.apart,
        "disagreement": if disagreement.is_empty() { Value::Null } else { json!(disagreement) },
        "reduced": of(reduced),
        "unreduced": other,
    });
    if !disagreement.is_empty() {
        value["again"] = json!(again);
        value["unreduced"]["counterexample"] =
            json!(unreduced.counterexample.as_ref().map(counterexample));
    }
    value
}

fn stats(outcome: &CheckOutcome) -> Value {
    let progress = &outcome.progress;
    let mut stats = figures(progress);
    if let Some(details) = &outcome.details {
        let per = |total: f64, count: u64| (count > 0).then(|| total / count as f64);
        let Details {
            representatives,
            fallbacks: (fallbacks, _),
            evaluated,
            local_states,
            merged,
            nodes,
            normal,
            components,
            rules,
            formats,
            kept_together,
            compile_seconds,
            search_seconds,
            peak,
        } = *details;
        let more = json!({
            "representatives": representatives,
            "fallbacks": fallbacks,
            "local_states_evaluated": evaluated,
            "local_states": local_states,
            "local_states_merged": merged,
            "specification_nodes": nodes,
            "specification": nodes.map(|_| if normal { "normal" } else { "prenormal" }),
            "components": components,
            "rules": rules,
            "formats": formats,
            "kept_together": kept_together,
            "compile_seconds": compile_seconds,
            "search_seconds": search_seconds,
            "peak_bytes": peak,
            "bytes_a_state": per(progress.bytes as f64, progress.states),
            "ns_a_transition": per(search_seconds * 1e9, progress.transitions),
        });
        if let (Value::Object(stats), Value::Object(more)) = (&mut stats, more) {
            stats.extend(more);
        }
    }
    let represented = outcome.represented.as_ref();
    stats["represented_states"] = json!(represented.map(|(n, _)| n.to_string()));
    stats["represented_transitions"] = json!(represented.map(|(_, n)| n.to_string()));
    stats
}

/// A counterexample, with the states of all components at the start and of those that move after.
pub fn counterexample(found: &Counterexample) -> Value {
    let visible: Vec<&str> = found
        .steps
        .iter()
        .filter(|s| s.kind != EventKind::Tau)
        .map(|s| s.event.as_str())
        .collect();
    let initial: Vec<Value> = found
        .components
        .iter()
        .zip(&found.initial)
        .map(|(component, state)| json!({ "component": component, "state": state }))
        .collect();
    let spec = &found.initial_spec;
    let steps = |steps: &[CounterexampleStep]| -> Vec<Value> {
        steps.iter().map(|s| step(found, s)).collect()
    };
    json!({
        "trace": visible,
        "reason": found.reason,
        "ending": found.ending,
        "process": found.process,
        "initial": initial,
        "initial_specification": if spec.is_empty() { Value::Null } else { json!(spec) },
        "steps": steps(&found.steps),
        "further_laps": steps(&found.further),
    })
}

fn step(found: &Counterexample, step: &CounterexampleStep) -> Value {
    let components: Vec<Value> = step
        .changes
        .iter()
        .enumerate()
        .map(|(n, (c, after))| {
            let event = step.events.get(n).map(|e| &e.1);
            json!({ "component": found.components_after(step).get(*c), "event": event, "after": after })
        })
        .collect();
    json!({
        "kind": step.kind,
        "event": step.event,
        "components": components,
        "specification": step.spec,
    })
}
