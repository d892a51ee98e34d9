//! Where we were: the present line of the history, with the branches that leave it.

use super::Content;
use crate::animate::history::{History, HistoryId, Origin};
use crate::animate::session::kind_word;
use crate::tui::app::App;
use crate::tui::text::{Row, fit, pad, width};
use crate::tui::theme::Role;

/// The selected entry of the line: the present one unless another was chosen.
#[must_use]
pub fn selected(app: &App) -> usize {
    let depth = app.session.as_ref().map_or(0, |s| s.history.depth());
    app.animate.history.unwrap_or(depth)
}

/// The pane: the line around the selected entry, and the trace.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("History");
    let Some(session) = &app.session else {
        return content;
    };
    let history = &session.history;
    let branches = history.leaves().len();
    content.right = format!("{branches} branch{}", if branches == 1 { "" } else { "es" });
    content.footer = "enter: jump   B: branches".to_string();
    let line = history.line();
    let (depth, at) = (history.depth(), selected(app));
    // The last two lines are for the trace.
    let room = rows.saturating_sub(2).max(1);
    let first = at
        .saturating_sub(room / 2)
        .min(line.len().saturating_sub(room));
    for (step, id) in line.iter().enumerate().skip(first).take(room) {
        let row = entry(app, history, *id, step, (depth, at), columns);
        content.push_target(row, step);
    }
    while content.lines.len() < room {
        content.push(Row::new(app.theme));
    }
    content.push(Row::new(app.theme));
    let trace = tail(&session.trace_text(), columns.saturating_sub(17));
    let row = Row::new(app.theme).add(Role::Dim, " visible trace: ");
    content.push(row.plain(trace));
    content
}

fn entry(
    app: &App,
    history: &History,
    id: HistoryId,
    step: usize,
    (depth, at): (usize, usize),
    columns: usize,
) -> Row {
    let node = history.node(id);
    let mark = if step == depth { ">" } else { " " };
    let (kind, event) = match &node.origin {
        Origin::Opened(process) => ("", process.as_str()),
        Origin::Step(taken) => (kind_word(taken.kind), taken.text()),
        Origin::Renamed(cycles) => ("renamed", cycles.as_str()),
    };
    let role = match step {
        _ if step == at => Role::Selected,
        // Steps that were undone: redo leads along them.
        _ if step > depth => Role::Dim,
        _ => Role::Plain,
    };
    let marks = history.marks_text(id);
    let marks = if marks.is_empty() {
        marks
    } else {
        format!(" {marks}")
    };
    let others = match node.children.len() {
        0 | 1 => marks,
        n => format!("{marks} |- {n} ways on"),
    };
    let start = format!("{mark}{step:>3} {}", pad(kind, 8));
    let room = columns.saturating_sub(width(&start) + width(&others));
    let row = Row::new(app.theme).add(role, start);
    row.add(role, pad(event, room)).add(Role::Dim, others)
}

/// The end of a text that is too long.
fn tail(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    // `fit` cuts at the end. Its dots come to stand at the beginning.
    let reversed: String = text.chars().rev().collect();
    let cut: String = fit(&reversed, columns).chars().rev().collect();
    cut
}
