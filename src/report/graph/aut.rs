//! Aldebaran, as CADP, mCRL2 and others read it: events and numbers, and nothing else.

use std::fmt::Write;

use super::{EdgeView, GraphPart, GraphView};
use crate::source::hash::IndexSet;
use crate::source::visible_line;
use crate::words::EventKind;

/// Labels that mean something else than an event of the script.
const RESERVED: [&str; 3] = ["tau", "tick", "i"];

/// The label of an edge, as it stands between quotation marks. An event of the script that is called like τ or
/// ✓ gets an apostrophe in front, with which no name in a script begins.
fn label(edge: &EdgeView) -> String {
    let event = match edge.kind {
        EventKind::Tau => return "tau".to_owned(),
        EventKind::Tick => return "tick".to_owned(),
        EventKind::Visible => &*edge.event,
    };
    let mark = if RESERVED.contains(&event) { "'" } else { "" };
    format!("{mark}{}", visible_line(event)).replace('"', "\\\"")
}

/// The graph in Aldebaran: `des (first, transitions, states)` and a line a transition, each once. None of a map,
/// for which the format has no room.
#[must_use]
pub fn aut(view: &GraphView) -> Option<String> {
    let part = only_part(view)?;
    let edges = view.watch.each(&part.edges);
    let lines: IndexSet<(usize, String, usize)> = edges
        .map(|edge| (edge.from, label(edge), edge.to))
        .collect();
    let mut text = format!("des (0, {}, {})\n", lines.len(), part.vertices.len());
    for (from, label, to) in view.watch.each(&lines) {
        let _ = writeln!(text, "({from}, \"{label}\", {to})");
    }
    Some(text)
}

fn only_part(view: &GraphView) -> Option<&GraphPart> {
    match (&view.quotient, &view.full) {
        (Some(part), None) | (None, Some(part)) => Some(part),
        _ => None,
    }
}

/// Remarks on such a file, for which the format has no place.
#[must_use]
pub fn aut_remarks(view: &GraphView) -> Vec<String> {
    let mut lines = Vec::new();
    if view.used.is_some() && view.quotient.is_some() {
        lines.push(
            "The events are those of representatives: the quotient is not bisimilar to the process, \
             label by label."
                .to_owned(),
        );
    }
    let edges = only_part(view).into_iter().flat_map(|part| &part.edges);
    let renamed: IndexSet<&str> = edges
        .filter(|edge| edge.kind == EventKind::Visible)
        .map(|edge| &*edge.event)
        .filter(|event| RESERVED.contains(event))
        .collect();
    for event in renamed {
        lines.push(format!(
            "The event {event} of the script is written as '{event}: readers of .aut take {event} for another one."
        ));
    }
    lines
}
