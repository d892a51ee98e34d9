//! The result of a race, as a table and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::explain::padded;
use super::json::tool;
use crate::report::inputs::inputs;
use crate::report::numbers;
use crate::report::race::{DoubledState, DoubledView, OrbitsView, RaceOutcome, RaceRow, RowEnd};
use crate::report::race_table::{aligned, cells};
use crate::report::reduction::in_full;
use crate::report::words::stop_text;
use crate::source::hash::IndexMap;
use crate::source::render;
use orbitscope_engine::lab::race::RaceOptions;
use orbitscope_language::script::load::Loaded;

/// The report for people.
pub fn text(done: &RaceOutcome, commands: &[Option<String>], threads: usize) -> String {
    let mut text = match &done.assertion {
        Some((number, assertion)) => format!("Race of assertion {number}: {assertion}\n"),
        None => format!("Race through all states of {}\n", done.process),
    };
    if let Some(used) = done.rows.iter().find_map(|row| row.symmetry.as_ref()) {
        let _ = writeln!(
            text,
            "reduced over {}: group of order {}; bisimilar local states are not merged; {}",
            in_full(used),
            numbers::grouped(&used.group_order),
            numbers::counted(threads as u64, "thread"),
        );
    }
    text.push('\n');
    let is_check = done.assertion.is_some();
    let lines = done.rows.iter().map(|row| cells(row, is_check)).collect();
    for line in aligned(lines, usize::MAX) {
        let [strategy, figures, end] = line;
        let _ = writeln!(text, "{}", format!("{strategy}{figures}  {end}").trim_end());
    }
    for (note, names) in notes(&done.rows) {
        let _ = writeln!(text, "{}: {note}", names.join(", "));
    }
    for (row, command) in done.rows.iter().zip(commands) {
        if let Some(found) = &row.doubled {
            text.push('\n');
            doubled(&mut text, (row, found), command.as_deref());
        }
    }
    if !done.disagreement.is_empty() {
        let _ = writeln!(
            text,
            "\nINTERNAL ERROR: the strategies disagree: {}",
            done.disagreement
        );
    }
    text
}

/// Notes that do not fit into the table, with the strategies that they are about.
fn notes(rows: &[RaceRow]) -> IndexMap<String, Vec<&'static str>> {
    let mut all: IndexMap<String, Vec<&str>> = IndexMap::default();
    for row in rows {
        let (times, instead) = row.fallbacks;
        if times > 0 {
            let of = numbers::thousands(row.representatives.into());
            let times = numbers::thousands(times.into());
            let note = format!("fell back {times} times of {of}: {instead}");
            all.entry(note).or_default().push(row.strategy);
        }
        let note = match (&row.end, &row.orbits) {
            (RowEnd::Refused(_, why), _) => why.summary.clone(),
            (_, OrbitsView::NotCounted(why)) => format!("orbits are not counted: {why}"),
            (
                _,
                OrbitsView::Counted {
                    is_certain: false, ..
                },
            ) => {
                "so many orbits at most: of some states it is not certain that they are not of one"
                    .to_owned()
            }
            _ => continue,
        };
        all.entry(note).or_default().push(row.strategy);
    }
    all
}

/// Two states of one orbit with different representatives.
fn doubled(text: &mut String, (row, found): (&RaceRow, &DoubledView), command: Option<&str>) {
    let [a, b] = &found.states;
    let steps = |state: &DoubledState| numbers::counted(state.run.steps.len() as u64, "step");
    let _ = writeln!(
        text,
        "{} gives one orbit two representatives, first those of states A and B:",
        row.strategy
    );
    let head =
        |which: &str, state: &DoubledState| format!("that of {which}, after {}", steps(state));
    let mut rows = vec![[head("A", a), head("B", b)]];
    let components = a.representative.iter().zip(&b.representative);
    rows.extend(components.map(|(a, b)| [a, b].map(|c| format!("{}  {}", c.label(), c.text))));
    let width = rows.iter().map(|row| row[0].width()).max().unwrap_or(0);
    for [left, right] in rows {
        let _ = writeln!(text, "  {}    {right}", padded(&left, width));
    }
    if let Some(rest) = found.rest() {
        let _ = writeln!(text, "  {rest}");
    }
    let _ = writeln!(text, "  {} takes the one to the other", found.by());
    if let Some(command) = command {
        let _ = writeln!(text, "  {command}");
    }
}

/// The document of the schema `orbitscope.race/1`.
pub fn document(
    (done, commands): (&RaceOutcome, &[Option<String>]),
    loaded: &Loaded,
    race: &RaceOptions,
    code: u8,
) -> Value {
    let rows = done.rows.iter().zip(commands);
    let used = done.rows.iter().find_map(|row| row.symmetry.as_ref());
    let symmetry = used.map(|used| {
        let sizes = |list: &[(String, usize)]| -> serde_json::Map<String, Value> {
            let sizes = list.iter();
            sizes
                .map(|(name, size)| (name.clone(), json!(size)))
                .collect()
        };
        json!({
            "types": sizes(&used.types),
            "copies": sizes(&used.copies),
            "structure": used.structure.as_ref().map(|found| json!({"generators": found.generators})),
            "group_order": used.group_order.to_string(),
        })
    });
    json!({
        "schema": "orbitscope.race/1",
        "tool": tool(),
        "inputs": inputs(&loaded.sources),
        "exit_code": code,
        "assertion": done.assertion.as_ref().map(|(index, text)| json!({ "index": index, "text": text })),
        "process": done.process,
        "symmetry": symmetry,
        "threads": race.options.threads,
        "merging": false,
        "rows": rows.map(|(row, command)| row_document(done, row, command.as_deref(), loaded)).collect::<Vec<_>>(),
        "disagreement": (!done.disagreement.is_empty()).then_some(&done.disagreement),
    })
}

fn row_document(
    done: &RaceOutcome,
    row: &RaceRow,
    command: Option<&str>,
    loaded: &Loaded,
) -> Value {
    let (status, reason) = match (&row.end, &done.assertion) {
        (RowEnd::Holds, None) => ("explored", Value::Null),
        (RowEnd::Holds, Some(_)) => ("pass", Value::Null),
        (RowEnd::Fails(_), _) => ("fail", Value::Null),
        (RowEnd::Unproved, _) => ("approximate", Value::Null),
        (RowEnd::Stopped(stop), _) => ("inconclusive", json!(stop_text(*stop))),
        (RowEnd::Refused(_, why), _) => ("error", json!(why.summary)),
    };
    let diagnostic = match &row.end {
        RowEnd::Refused(error, _) => Some(render::to_json(error, &loaded.sources)),
        _ => None,
    };
    let steps = match row.end {
        RowEnd::Fails(steps) => steps,
        _ => None,
    };
    let orbits = match &row.orbits {
        OrbitsView::Counted {
            orbits,
            most,
            is_certain,
        } => json!({ "count": orbits, "certain": is_certain, "mean": row.mean(), "most": most }),
        OrbitsView::NotCounted(why) => json!({ "not_counted": why }),
    };
    json!({
        "strategy": row.strategy,
        "status": status,
        "reason": reason,
        "diagnostic": diagnostic,
        "steps": steps,
        "states": row.progress.states,
        "plies": row.progress.ply,
        "orbits": orbits,
        "transitions": row.progress.transitions,
        "representatives": row.representatives,
        "representatives_per_second": row.per_second(),
        "fallbacks": row.fallbacks.0,
        "instead": row.fallbacks.1,
        "cpu_seconds": row.cpu_seconds,
        "search_seconds": row.search_seconds,
        "compile_seconds": row.compile_seconds,
        "bytes": row.progress.bytes,
        "doubled": row.doubled.as_ref().map(|found| doubled_document(found, command)),
    })
}

fn doubled_document(found: &DoubledView, command: Option<&str>) -> Value {
    let state = |state: &DoubledState| {
        let events = state.run.steps.iter().map(|step| match &*step.event {
            "" => "tau",
            event => event,
        });
        json!({
            "path": events.collect::<Vec<_>>(),
            "representative": super::explain::components(&state.representative),
        })
    };
    let part = |(name, cycles, map): &(String, String, Vec<(String, String)>)| json!({ "type": name, "cycles": cycles, "map": map });
    json!({
        "a": state(&found.states[0]),
        "b": state(&found.states[1]),
        "permutation": found.permutation.iter().map(part).collect::<Vec<_>>(),
        "components": found.components,
        "left_out": found.left_out,
        "command": command,
    })
}
