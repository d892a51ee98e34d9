//! `orbitscope find FILE [PROCESS] CONDITION`: the shortest way to a state of which something holds.

use std::fmt::Write;

use serde_json::{Value, json};

use super::args::OutputFormat;
use super::asked::{self, AskedScript, GivenState};
use super::explain::path_text;
use super::output::Output;
use super::state_args::FindArgs;
use super::{FULL, LATE};
use crate::animate::model::{
    EventKind, FOUND_STATES_MAX, FindStart, FoundStepView, FoundView, FoundWord,
};
use crate::source::{Stop, visible};

/// A state that was found, with its process.
struct FoundState {
    process: String,
    condition: String,
    path: Vec<String>,
    view: FoundView,
}

/// Searches and shows the result. Returns the exit code.
pub fn run(args: &FindArgs) -> u8 {
    let (found, interrupted) = match search(args) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let mut output = Output::default();
    match args.answer.format {
        OutputFormat::Text => output.write(&visible(&text(&found))),
        OutputFormat::Json => output.json(&format!("{:#}\n", document(&found))),
    }
    output.code(match found.view.word {
        FoundWord::Found => 0,
        FoundWord::Nowhere => 1,
        FoundWord::Stopped(Stop::Memory, _) => FULL,
        FoundWord::Stopped(..) => interrupted.unwrap_or(LATE),
    })
}

fn search(args: &FindArgs) -> Result<(FoundState, Option<u8>), u8> {
    let (process, condition) = match &args.asked[..] {
        [process, condition] => (Some(process.clone()), condition.clone()),
        _ => (None, args.asked.concat()),
    };
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let given = match &args.from {
        Some(text) => asked.state(&args.file, text, args.answer.timeout)?,
        None => GivenState::Walk(0, 0),
    };
    let process = asked.process_of(process, std::slice::from_ref(&given))?;
    let (state, path) = asked.reach(&process, &given)?;
    let most = args.max_states.unwrap_or(FOUND_STATES_MAX);
    let found = (asked.engine).find_state(state, FindStart::Here, &condition, most);
    let view = found.map_err(|failure| asked.refused(&[failure]))?;
    let found = FoundState {
        process,
        condition,
        path,
        view,
    };
    Ok((found, asked.interrupted()))
}

/// The document of the schema `orbitscope.find/1`.
fn document(found: &FoundState) -> Value {
    let view = &found.view;
    let (word, why) = match &view.word {
        FoundWord::Found => ("found", None),
        FoundWord::Nowhere => ("nowhere", None),
        FoundWord::Stopped(_, why) => ("stopped", Some(why)),
    };
    let step = |step: &FoundStepView| {
        let changes = step.changes.iter();
        let changes = changes.map(|(who, state)| json!({ "component": who, "state": state }));
        json!({
            "kind": step.kind,
            "event": step.event,
            "changes": changes.collect::<Vec<_>>(),
        })
    };
    json!({
        "schema": "orbitscope.find/1",
        "process": found.process,
        "condition": found.condition,
        "from": found.path,
        "result": word,
        "why": why,
        "states": view.states,
        "reduced": view.reduced,
        "not_reduced": view.not_reduced,
        "steps": view.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// The result as text.
fn text(found: &FoundState) -> String {
    let view = &found.view;
    let mut text = format!("{} after {}\n", found.process, path_text(&found.path));
    let _ = writeln!(text, "{}: {}", found.condition, view.text());
    if !view.reduced && !view.not_reduced.is_empty() {
        let _ = writeln!(text, "not reduced by symmetry: {}", view.not_reduced);
    }
    for (n, step) in view.steps.iter().enumerate() {
        let event = match (step.kind, step.event.is_empty()) {
            (EventKind::Tau, true) => "tau".to_owned(),
            (EventKind::Tau, false) => format!("tau ({})", step.event),
            _ => step.event.clone(),
        };
        let changes = step.changes.iter();
        let changes: Vec<String> = changes.map(|(who, s)| format!("{who} = {s}")).collect();
        let _ = writeln!(text, "  {:>4}  {event}  {}", n + 1, changes.join("  "));
    }
    text
}
