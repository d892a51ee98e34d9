//! Outcomes of checks as JSON.

use serde_json::{Value, json};

use super::outcome::{
    CheckOutcome, Counterexample, CounterexampleStep, Details, LeftOut, Progress, ShortestView,
    Verdict,
};
use super::words::EventKind;
use crate::check::ProcessLine;
use crate::check::adaptive::AdaptiveUsed;
use crate::check::outcome::{SimulationFigures, StructureLooked, StructureUse};
use crate::machine::Growing;
use crate::search::figures::{DiskFigures, ProcessFigures};
use crate::source::{SourceMap, render};
use crate::specification::SpecificationMerged;

/// The figures of a check so far.
#[must_use]
pub fn figures(progress: &Progress) -> Value {
    json!({
        "states": progress.states,
        "transitions": progress.transitions,
        "plies": progress.ply,
        "seconds": progress.seconds,
        "bytes": progress.bytes,
    })
}

/// A verdict, and why there is none.
#[must_use]
pub fn status(verdict: &Verdict) -> (&'static str, Value) {
    match verdict {
        Verdict::Holds => ("pass", Value::Null),
        Verdict::Fails => ("fail", Value::Null),
        Verdict::Approximate(why) => ("approximate", json!(why)),
        Verdict::Inconclusive(why) => ("inconclusive", json!(why)),
        Verdict::Error(failure) => ("error", json!(failure.summary)),
    }
}

/// The outcome of a check.
#[must_use]
pub fn result(outcome: &CheckOutcome, sources: &SourceMap) -> Value {
    let (status, why) = status(&outcome.verdict);
    let symmetry = outcome.symmetry.as_ref().map(|used| {
        let mut symmetry = used.json();
        symmetry["rep"] = json!(used.strategy);
        symmetry["exact_for"] = json!(outcome.exact_for());
        symmetry
    });
    let others = outcome.others.iter().map(counterexample);
    json!({
        "index": outcome.number,
        "assertion": outcome.text,
        "status": status,
        "reason": why,
        "missing": outcome.missing,
        "diagnostic": outcome.diagnostic.as_ref().map(|d| render::to_json(d, sources)),
        "symmetry": symmetry,
        "reduction": outcome.reduction_sentences(),
        "adaptive": outcome.adaptive.as_ref().map(adaptive),
        "stats": stats(outcome),
        "counterexample": outcome.counterexample.as_ref().map(counterexample),
        "other_counterexamples": others.collect::<Vec<_>>(),
    })
}

/// The figures of an adaptive search.
fn adaptive(used: &AdaptiveUsed) -> Value {
    let splits = used.splits.iter();
    let splits = splits.map(|(rules, times)| json!({"rules": rules, "times": times}));
    json!({
        "group_order": used.order.to_string(),
        "cells": used.cells,
        "asymmetric": {
            "channels": used.asymmetry.names,
            "rules": used.asymmetry.rules,
            "of": used.asymmetry.of,
        },
        "groups": used.groups,
        "images": used.images,
        "stands_for": used.at_least,
        "exactly": used.exactly,
        "splits": splits.collect::<Vec<_>>(),
    })
}

/// The steps that partial order reduction left out, or why it left out none.
fn partial_order(left_out: &Result<LeftOut, String>, shortest: Option<&ShortestView>) -> Value {
    let shortest = shortest.map(|sought| match &sought.shorter {
        Ok(steps) => json!({ "states": sought.states, "shorter": steps }),
        Err(why) => json!({ "states": sought.states, "given_up": why }),
    });
    match left_out {
        Ok(left_out) => json!({
            "left_out": left_out.steps,
            "passed": left_out.skipped,
            "unlooked": left_out.unlooked,
            "rules_out_divergence": left_out.rules_out_divergence,
            "rules_out_deadlock": left_out.rules_out_deadlock,
            "dives": left_out.simulation.map(simulation),
            "specification": left_out.specification.map(merged_specification),
            "shortest": shortest,
        }),
        Err(why) => json!({ "refused": why }),
    }
}

/// The merging of specification states.
fn merged_specification(merged: SpecificationMerged) -> Value {
    json!({
        "permutations": merged.permutations,
        "explored": merged.explored,
        "states": merged.states,
    })
}

/// Runs that were tried at random.
fn simulation(made: SimulationFigures) -> Value {
    json!({ "dives": made.runs, "steps": made.steps, "found": made.found })
}

/// The cost of the search for symmetry in the structure.
fn structure(search: StructureLooked) -> Value {
    json!({
        "seconds": search.seconds,
        "work": search.work,
        "searched": search.searched,
        "states_before": search.states_before,
        "found": matches!(
            search.came,
            StructureUse::Used
                | StructureUse::Idle
                | StructureUse::Costly
                | StructureUse::TooLarge
        ),
        "given_up": search.came == StructureUse::Limited,
        "too_large": search.came == StructureUse::TooLarge,
        "specification_too_large": search.came == StructureUse::Untied,
        "used": search.came == StructureUse::Used,
    })
}

/// The quotient of two figures. JSON has no number for a division by zero: there it is null.
fn per(total: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| total / count as f64)
}

/// Sizes and times of a check, field by field: so a figure that is added is not forgotten here.
// In one piece, since it is one table.
fn sizes(details: &Details, progress: &Progress) -> Value {
    let Details {
        representatives,
        fallbacks: (fallbacks, _),
        evaluated,
        local_states,
        merged,
        unmerged_states: _,
        ref merging_given_up,
        nodes,
        normal,
        components,
        rules,
        formats,
        kept_together,
        opened,
        ends,
        disk,
        processes,
        slept,
        alike,
        holds_sets,
        ref growing,
        ref left_out,
        ref shortest,
        compile_seconds,
        structure_looked,
        unreached,
        search_seconds,
        peak,
    } = *details;
    json!({
        "representatives": representatives,
        "fallbacks": fallbacks,
        "only_remembered": unreached,
        "local_states_evaluated": evaluated,
        "local_states": local_states,
        "local_states_merged": merged,
        "states_after_merging": merged > 0,
        "states_before_merging": details.states_before_merging(),
        "merging_given_up": merging_given_up,
        "specification_nodes": nodes,
        "specification": nodes.map(|_| if normal { "normal" } else { "prenormal" }),
        "components": components,
        "rules": rules,
        "formats": formats,
        "kept_together": kept_together,
        "compressions_opened": opened,
        "partial_order": left_out.as_ref().map(|left| partial_order(left, shortest.as_ref())),
        "compile_seconds": compile_seconds,
        "structure_looked": structure_looked.map(structure),
        "search_seconds": search_seconds,
        "peak_bytes": peak,
        "ends_stored_once": ends,
        "store": disk.map(store),
        "processes": processes.map(|figures| shared(figures, &progress.processes)),
        "slept": slept,
        "state_symmetry": alike.map(|steps| json!({ "left_out": steps })),
        "specification_holds_sets": holds_sets,
        "growing": growing.iter().map(grows).collect::<Vec<_>>(),
        "bytes_a_state": per(progress.bytes as f64, progress.states),
        "ns_a_transition": per(search_seconds * 1e9, progress.of_this_run().transitions),
    })
}

/// The files of a search on disk.
#[must_use]
pub fn store(disk: DiskFigures) -> Value {
    json!({ "bytes": disk.bytes, "looked_up": disk.looked_up })
}

/// What the processes of a search have exchanged.
fn shared(processes: ProcessFigures, lines: &[ProcessLine]) -> Value {
    let ProcessFigures {
        processes,
        sent,
        waited,
    } = processes;
    json!({
        "number": processes,
        "sent": sent,
        "waited_seconds": waited,
        "each": by_process(lines),
    })
}

/// What each of the processes told of itself last.
#[must_use]
pub fn by_process(lines: &[ProcessLine]) -> Value {
    let line = |line: &ProcessLine| {
        json!({
            "states": line.states,
            "memory": line.memory,
            "sent": line.sent,
            "waited_seconds": line.waited.as_secs_f64(),
        })
    };
    lines.iter().map(line).collect()
}

/// A parameter that grew to the largest value found.
fn grows(growing: &Growing) -> Value {
    json!({
        "process": growing.name,
        "parameter": growing.parameter,
        "measure": growing.measure.name(),
        "first": growing.first,
        "last": growing.last,
    })
}

/// Everything that was counted.
#[must_use]
pub fn stats(outcome: &CheckOutcome) -> Value {
    let progress = &outcome.progress;
    let mut stats = figures(progress);
    if let Some(details) = &outcome.details {
        let more = sizes(details, progress);
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
#[must_use]
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
        "observed": step.observed,
    })
}
