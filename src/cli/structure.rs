//! `orbitscope structure FILE [PROCESS] [STATE]`: the structure of a process, and its wait-for graph.

use std::fmt::Write;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::asked::{self, AskedScript, GivenState};
use super::explain::{padded, path_text};
use super::output::Output;
use super::state_args::StructureArgs;
use crate::animate::model::StructureView;
use crate::animate::structure::{EventClass, OfferView, StandingView};
use crate::args::OutputFormat;
use crate::source::hash::Set;
use crate::source::visible;

/// Columns that a label and a local state may take before they push the others aside.
const COLUMN_MAX: usize = 40;

/// A state, the way to it, and how it is put together.
struct ShownStructure {
    process: String,
    path: Vec<String>,
    view: StructureView,
}

/// Goes to the state and shows its structure. Returns the exit code.
pub fn run(args: &StructureArgs) -> u8 {
    let shown = match ask(args) {
        Ok(shown) => shown,
        Err(code) => return code,
    };
    let mut output = Output::default();
    match args.answer.format {
        OutputFormat::Text => output.write(&visible(&text(&shown, args.unfold))),
        OutputFormat::Json => output.json(&format!("{:#}\n", document(&shown))),
    }
    output.code(0)
}

fn ask(args: &StructureArgs) -> Result<ShownStructure, u8> {
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let (process, state) = match (&args.process, &args.state) {
        (Some(only), None) if asked::is_state(only) => (None, Some(only)),
        (process, state) => (process.clone(), state.as_ref()),
    };
    let given = match state {
        Some(text) => asked.state(&args.file, text, args.answer.timeout)?,
        None => GivenState::Walk(0, 0),
    };
    let process = asked.process_of(process, std::slice::from_ref(&given))?;
    let (state, path) = asked.reach(&process, &given)?;
    let view = asked.engine.structure(state);
    let view = view.map_err(|failure| asked.refused(&[failure]))?;
    Ok(ShownStructure {
        process,
        path,
        view,
    })
}

fn class(events: &EventClass) -> Value {
    json!({ "pieces": events.pieces, "count": events.count, "whole": events.is_whole })
}

fn components(view: &StructureView) -> Value {
    let offer = |offer: &OfferView| {
        json!({
            "events": class(&offer.events),
            "fate": offer.fate.tag(),
            "missing": offer.missing,
            "several_ways": offer.several,
        })
    };
    let components = view.components.iter().map(|c| {
        json!({
            "label": c.label,
            "state": c.state,
            "standing": c.standing.tag(),
            "stable": c.is_stable,
            "offers": c.offers.iter().map(offer).collect::<Vec<_>>(),
            "refuses": class(&c.refuses),
        })
    });
    components.collect()
}

/// The document of the schema `orbitscope.structure/1`.
fn document(shown: &ShownStructure) -> Value {
    let view = &shown.view;
    let nodes = view.nodes.iter().map(|node| {
        json!({
            "depth": node.depth,
            "parent": node.parent,
            "operator": (!node.is_leaf()).then_some(node.sign),
            "words": node.words,
            "set": (!node.set.is_empty()).then_some(&node.set),
            "components": [node.components.0, node.components.1],
            "form": node.form,
        })
    });
    let waits = view.waits.iter().map(|wait| {
        json!({
            "from": wait.from,
            "to": wait.to,
            "events": class(&wait.events),
            "never": wait.never,
        })
    });
    let cycles = view.cycles.iter().map(|cycle| {
        let steps = cycle.steps.iter();
        let steps =
            steps.map(|(component, event)| json!({ "component": component, "event": event }));
        json!({ "steps": steps.collect::<Vec<_>>(), "text": view.cycle_text(cycle) })
    });
    json!({
        "schema": "orbitscope.structure/1",
        "process": shown.process,
        "path": shown.path,
        "nodes": nodes.collect::<Vec<_>>(),
        "components": components(view),
        "stable": view.is_stable,
        "deadlocked": view.is_deadlock,
        "terminated": view.is_terminated,
        "initials": class(&view.initials),
        "refuses": class(&view.refuses),
        "waits": waits.collect::<Vec<_>>(),
        "waits_omitted": view.omitted,
        "cycles": cycles.collect::<Vec<_>>(),
    })
}

/// The structure as text.
fn text(shown: &ShownStructure, unfold: bool) -> String {
    let view = &shown.view;
    let mut text = format!("{} after {}\n", shown.process, path_text(&shown.path));
    let apart: Set<usize> = if unfold {
        (0..view.nodes.len()).collect()
    } else {
        Set::default()
    };
    for row in view.rows(&apart, &Set::default()) {
        let depth = view.nodes[row.node].depth;
        let _ = writeln!(text, "  {}{}", "  ".repeat(depth), view.row_text(&row));
    }
    let _ = writeln!(text, "\n{}", view.headline());
    let _ = writeln!(text, "possible  {}", or_nothing(&view.initials));
    let _ = if view.is_stable {
        writeln!(text, "refuses   {}", or_nothing(&view.refuses))
    } else {
        writeln!(text, "refuses   nothing: only stable states refuse")
    };
    for cycle in &view.cycles {
        let _ = writeln!(text, "cycle     {}", view.cycle_text(cycle));
    }
    text.push_str("\ncomponents\n");
    table(&mut text, view);
    if !view.waits.is_empty() {
        text.push_str("\nwho waits for whom\n");
    }
    for wait in &view.waits {
        let label = |at: usize| &view.components[at].label;
        let (from, to) = (label(wait.from), label(wait.to));
        let never = if wait.never {
            "  (never again ready for it)"
        } else {
            ""
        };
        let _ = writeln!(text, "  {from} -> {to}  {}{never}", wait.events.text());
    }
    if view.omitted > 0 {
        let _ = writeln!(text, "  .. and {} more", view.omitted);
    }
    text
}

fn or_nothing(events: &EventClass) -> String {
    match events.count {
        0 => "nothing".to_owned(),
        _ => events.text(),
    }
}

fn table(text: &mut String, view: &StructureView) {
    let all = &view.components;
    let most = |of: fn(&StandingView) -> &str| {
        let widths = all.iter().map(|c| of(c).width());
        widths.max().unwrap_or(0).min(COLUMN_MAX)
    };
    let (label, state) = (most(|c| &c.label), most(|c| &c.state));
    for component in all {
        let _ = writeln!(
            text,
            "  {}  {}  {}",
            padded(&component.label, label),
            padded(&component.state, state),
            component.standing.word()
        );
        for offer in &component.offers {
            let _ = writeln!(text, "      {}", view.offer_text(offer));
        }
    }
}
