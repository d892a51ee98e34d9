//! The present line of the history, with the branches that leave it.

use std::ops::RangeInclusive;

use super::Content;
use crate::animate::history::{History, HistoryId, HistoryNode, Origin};
use crate::animate::model::EventKind;
use crate::animate::session::kind_word;
use crate::app::App;
use crate::cutting;
use crate::text::{Row, fit, pad, width};
use crate::theme::Role;

/// The selected entry of the line: the present one unless another was chosen.
#[must_use]
pub fn selected(app: &App) -> usize {
    let depth = app.session.as_ref().map_or(0, |s| s.history.depth());
    app.animate.history.unwrap_or(depth)
}

/// The lines of the list, each with its steps: one, or adjacent silent steps. The present step, marks, and the roots
/// of branches always have lines of their own.
#[must_use]
pub fn lines(app: &App) -> Vec<RangeInclusive<usize>> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let history = &session.history;
    let line = history.line();
    let depth = history.depth();
    let hides = |step: usize| {
        let Some(id) = line.get(step) else {
            return false;
        };
        let node = history.node(*id);
        let silent = matches!(&node.origin, Origin::Step(taken) if taken.kind == EventKind::Tau);
        silent && step != depth && node.children.len() < 2 && history.marks_text(*id).is_empty()
    };
    let mut lines = Vec::new();
    let mut from = 0;
    while from < line.len() {
        let run = if app.animate.fold_silent {
            (from..line.len()).take_while(|step| hides(*step)).count()
        } else {
            0
        };
        lines.push(from..=from + run.max(1) - 1);
        from += run.max(1);
    }
    lines
}

/// The step to select instead, if `go` maps the present line and the number of lines to the line to go to: adjacent
/// silent steps are one line.
#[must_use]
pub fn from_selected(app: &App, go: impl Fn(usize, usize) -> usize) -> Option<usize> {
    let lines = lines(app);
    let chosen = selected(app);
    let at = lines.iter().position(|steps| steps.contains(&chosen));
    let to = lines.get(go(at.unwrap_or(0), lines.len()));
    to.map(|steps| *steps.end())
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
    let line = history.line();
    let (depth, at) = (history.depth(), selected(app));
    // The last two lines are for the trace.
    let room = rows.saturating_sub(2).max(1);
    let rows = lines(app);
    let chosen = rows.iter().position(|steps| steps.contains(&at));
    let first = chosen
        .unwrap_or(0)
        .saturating_sub(room / 2)
        .min(rows.len().saturating_sub(room));
    for steps in rows.iter().skip(first).take(room) {
        let step = *steps.end();
        let row = match (steps.start() == steps.end(), line.get(step)) {
            (true, Some(id)) => entry(app, history, *id, step, depth, at, columns),
            _ => together(app, steps, depth, at, columns),
        };
        content.push_target(row, step);
        let node = line.get(step).map(|id| history.node(*id));
        let replayed = node.and_then(|node| node.replayed.as_ref());
        for lost in replayed.iter().flat_map(|step| &step.lost) {
            let text = fit(&format!("   X         not possible: {lost}"), columns);
            content.push(Row::new(app.theme).add(Role::Fail, text));
        }
    }
    if has_parted(history) {
        content.footer = "= as before  # another state".to_owned();
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

/// Silent steps on one line.
fn together(
    app: &App,
    steps: &RangeInclusive<usize>,
    depth: usize,
    at: usize,
    columns: usize,
) -> Row {
    let (from, to) = (*steps.start(), *steps.end());
    let text = format!(
        " {from:>3} tau      .. {} silent steps, to {to} ..",
        to + 1 - from
    );
    let role = match steps.contains(&at) {
        true => Role::Selected,
        false if from > depth => Role::Dim,
        false => Role::Plain,
    };
    Row::new(app.theme).add(role, fit(&text, columns))
}

fn entry(
    app: &App,
    history: &History,
    id: HistoryId,
    step: usize,
    depth: usize,
    at: usize,
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
    let others = match has_parted(history) {
        true => others + replayed(node),
        false => others,
    };
    let start = format!("{mark}{step:>3} {}", pad(kind, 8));
    let room = columns.saturating_sub(width(&start) + width(&others));
    let row = Row::new(app.theme).add(role, start);
    row.add(role, pad(event, room)).add(Role::Dim, others)
}

/// Whether a walk was replayed here, and not all is as it was.
fn has_parted(history: &History) -> bool {
    let mut all = history
        .ids()
        .filter_map(|id| history.node(id).replayed.as_ref());
    all.any(|step| step.differs || !step.lost.is_empty())
}

/// What became of a step when the walk was replayed.
fn replayed(node: &HistoryNode) -> &'static str {
    match &node.replayed {
        None => "",
        Some(step) if step.differs => " #",
        Some(_) => " =",
    }
}

/// The end of a text that is too long.
fn tail(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    format!("..{}", cutting::tail(text, columns.saturating_sub(2)))
}
