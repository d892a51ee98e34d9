//! Contents of the panes: lines of text with roles, built for a size.

pub mod asked;
pub mod both;
mod box_texts;
pub mod cell;
pub mod check;
pub mod compare;
pub mod components;
pub mod counterexample;
pub mod drawn;
pub mod edges;
pub mod find;
pub mod graph;
pub mod group;
pub mod history;
pub mod node;
pub mod nvalues;
pub mod orbit;
pub mod outline;
pub mod race;
pub mod result;
pub mod runs;
pub mod sizes;
pub mod source;
pub mod state;
pub mod strategy;
pub mod structure;
pub mod symmetry;
pub mod transitions;
pub mod why;

use ratatui::Frame;
use ratatui::layout::{Margin, Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Clear};

use super::actions::structure::wanted_part;
use super::app::{App, KeyPlace, Load, Pane};
use super::comparing::WhichSide;
use super::facts;
use super::layout;
use super::message::message_lines;
use super::text::{Row, fit, pad, width, wrap};
use super::theme::{Role, Theme};
use crate::animate::worker::Request;
use crate::report::document::{DocumentPart, Paragraph, Tone};
use crate::source::visible_line;

/// The widest label of a document that has a column of its own in a pane.
const LABEL_MAX: usize = 14;

/// A pane as text.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Left in the upper border.
    pub title: String,
    /// Right in the upper border.
    pub right: String,
    /// In the lower border.
    pub footer: String,
    /// The lines, of which as many are drawn as fit.
    pub lines: Vec<Line<'static>>,
    /// The item that a click on a line selects.
    pub targets: Vec<Option<usize>>,
    /// The number of first lines that never scroll.
    pub frozen: usize,
    /// The line to keep in sight; otherwise the pane's scroll offset counts.
    pub at: Option<usize>,
}

impl Content {
    /// A pane with a heading.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Begins an entry of a list. Returns its mark and the role of its name; the chosen one is kept in sight.
    pub fn entry(&mut self, chosen: bool) -> (&'static str, Role) {
        if chosen {
            self.at = Some(self.lines.len());
            (">", Role::Selected)
        } else {
            (" ", Role::Plain)
        }
    }

    /// Adds a line that a click does not select.
    pub fn push(&mut self, row: Row) {
        self.lines.push(row.done());
        self.targets.push(None);
    }

    /// Adds a line that can be selected.
    pub fn push_target(&mut self, row: Row, target: usize) {
        self.lines.push(row.done());
        self.targets.push(Some(target));
    }

    /// Puts lines before all others; they never scroll.
    pub fn put_first(&mut self, rows: Vec<Row>) {
        let count = rows.len();
        self.lines.splice(0..0, rows.into_iter().map(Row::done));
        self.targets.splice(0..0, std::iter::repeat_n(None, count));
        self.frozen += count;
        self.at = self.at.map(|at| at + count);
    }

    /// Adds a text, broken into lines.
    pub fn push_text(&mut self, theme: Theme, role: Role, text: &str, columns: usize) {
        // A column to the left, and one to the right.
        for line in wrap(text, columns.saturating_sub(2)) {
            self.push(Row::new(theme).plain(" ").add(role, line));
        }
    }

    /// Adds paragraphs and tables of a document.
    pub fn push_parts<'a>(
        &mut self,
        theme: Theme,
        parts: impl Iterator<Item = &'a DocumentPart>,
        columns: usize,
    ) {
        let parts: Vec<&DocumentPart> = parts.collect();
        let labels = parts.iter().filter_map(|part| match part {
            DocumentPart::Paragraph(paragraph) => Some(width(&paragraph.label)),
            _ => None,
        });
        let label = labels.max().unwrap_or(0).min(LABEL_MAX).min(columns / 3);
        let mut before = "";
        for part in parts {
            match part {
                DocumentPart::Paragraph(paragraph) => {
                    self.push_paragraph(theme, paragraph, before, label, columns);
                    before = &paragraph.label;
                }
                DocumentPart::Table(table) => {
                    for (tone, cells) in table.aligned(columns.saturating_sub(2)) {
                        let row = Row::new(theme).plain(" ").add(tone.into(), cells.concat());
                        self.push(row);
                    }
                }
                DocumentPart::Gap => self.push(Row::new(theme)),
            }
        }
    }

    /// Adds a paragraph behind its label, which has a column of its own. A label is not repeated after the same one.
    fn push_paragraph(
        &mut self,
        theme: Theme,
        paragraph: &Paragraph,
        before: &str,
        labels: usize,
        columns: usize,
    ) {
        let role: Role = paragraph.tone.into();
        let (label_role, role) = match paragraph.tone {
            Tone::Orbit(_) => (role, Role::Plain),
            _ => (Role::Strong, role),
        };
        let mut label = match paragraph.label.as_str() {
            label if label == before => "",
            label => label,
        };
        let depth = (2 * paragraph.depth).min(columns / 3);
        let indent = if paragraph.label.is_empty() {
            0
        } else {
            labels + 2
        };
        let margin = depth + indent + 1;
        for line in wrap(&paragraph.text, columns.saturating_sub(margin + 1)) {
            let row = Row::new(theme).plain(" ".repeat(depth + 1));
            let row = row.add(label_role, pad(label, indent));
            self.push(row.add(role, line));
            // The label stands beside the first line only.
            label = "";
        }
    }

    /// The item under a place, where the box is in this area and the lines are shown from the first on.
    #[must_use]
    pub fn target_at(&self, area: Rect, first: usize, at: Position) -> Option<usize> {
        let inside = area.inner(Margin::new(1, 1));
        let line = usize::from(at.y.checked_sub(inside.y)?);
        // Lines that never scroll are where they are; the others are counted from the first shown.
        let line = if line < self.frozen {
            line
        } else {
            line + first
        };
        let target = self.targets.get(line).copied().flatten();
        target.filter(|_| inside.contains(at))
    }

    /// Adds a diagnostic, whose lines of a script keep their columns.
    pub fn push_diagnostic(&mut self, theme: Theme, role: Role, text: &str, columns: usize) {
        for line in message_lines(text, columns) {
            self.push(Row::new(theme).add(role, line));
        }
    }
}

/// The text of a pane for an inner size.
#[must_use]
pub fn build(app: &App, pane: Pane, columns: usize, rows: usize) -> Content {
    if facts::shows_failure(app) && (pane != Pane::History || app.session.is_none()) {
        return unopened(app, columns);
    }
    match pane {
        Pane::Transitions => transitions::build(app, columns, rows),
        Pane::State => state::build(app, columns, rows),
        Pane::Representative => state::representative(app, columns, rows),
        Pane::History => history::build(app, columns, rows),
        Pane::Why => why::build(app, columns),
        Pane::Steps => orbit::steps(app, columns, rows),
        Pane::Partition => orbit::partition(app, columns, rows),
        Pane::NValues => nvalues::build(app, columns, rows),
        Pane::Edges => edges::build(app, columns),
        Pane::StateA => compare::state(app, WhichSide::A, columns),
        Pane::StateB => compare::state(app, WhichSide::B, columns),
        Pane::Verdict => compare::verdict(app, columns),
        Pane::SideBySide => runs::side_by_side(app, columns),
        Pane::WhatIf => runs::what_if(app, columns),
        Pane::Assertions => check::assertions(app, columns),
        Pane::Progress => check::progress(app, columns),
        Pane::Counterexample => counterexample::build(app, columns, rows),
        Pane::Explanation => check::explanation(app, columns),
        Pane::Both => both::both(app, columns),
        Pane::Racing => race::racing(app, columns),
        Pane::Doubled => race::doubled(app, columns),
        Pane::Sizes => sizes::sizes(app, columns),
        Pane::Graph => graph::build(app, columns, rows),
        Pane::Node => node::build(app, columns),
        Pane::Source => source::build(app, columns, rows),
        Pane::Outline => outline::build(app, columns),
        Pane::Symmetry => symmetry::build(app, columns),
        Pane::Operators => structure::operators(app, columns),
        Pane::Part => structure::part(app, columns),
        Pane::Waits => structure::waits(app, columns),
        Pane::Drawing => drawn::build(app, columns, rows),
        Pane::Generators => group::generators(app, columns),
        Pane::Group => group::group(app, columns),
    }
}

/// The request whose answer a pane shows, if it is stored in [`App::answers`].
#[must_use]
pub fn wanted(app: &App, pane: Pane) -> Option<Request> {
    let state = app.session.as_ref()?.current();
    match pane {
        Pane::Operators | Pane::Waits => Some(Request::Structure(state)),
        Pane::Part => wanted_part(app).or(Some(Request::Structure(state))),
        _ => None,
    }
}

/// Lines of a pane where it is.
#[must_use]
pub fn length(app: &App, pane: Pane) -> usize {
    let (columns, rows) = layout::inner(app, pane);
    build(app, pane, columns.into(), rows.into()).lines.len()
}

/// The first line shown of a pane.
#[must_use]
pub fn first_line(app: &App, pane: Pane, content: &Content, rows: usize) -> usize {
    let last = content.lines.len().saturating_sub(rows);
    match content.at {
        // The first page stays as it is until the selection leaves it; from there on the selection
        // is kept in the middle.
        Some(at) if at < rows => 0,
        Some(at) => at.saturating_sub(rows / 2).min(last),
        None => app.scroll[pane as usize].min(last),
    }
}

/// Builds a pane for its place and draws it.
pub fn draw(app: &App, pane: Pane, area: Rect, frame: &mut Frame) {
    let rows = usize::from(area.height.saturating_sub(2));
    let content = build(app, pane, area.width.saturating_sub(2).into(), rows);
    let first = first_line(app, pane, &content, rows);
    // On the card of a lesson, keys go to no pane.
    let has_keys = app.overlay.is_none() && matches!(app.place(), KeyPlace::In(..));
    let focused = has_keys && app.pane() == pane;
    draw_box(app.theme, focused, &content, first, area, frame);
}

/// Draws a box with some of its lines.
pub fn draw_box(
    theme: Theme,
    focused: bool,
    content: &Content,
    first: usize,
    area: Rect,
    frame: &mut Frame,
) {
    // The terminal may have shrunk since its last reported size: writing beyond the buffer would panic.
    let area = area.intersection(frame.area());
    if area.width < 2 || area.height < 2 {
        return;
    }
    // The view must not be visible through an overlay.
    frame.render_widget(Clear, area);
    frame.buffer_mut().set_style(area, theme.ground());
    let rows = usize::from(area.height - 2);
    let block = titled(theme, focused, content, first, rows, area.width.into());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let buffer = frame.buffer_mut();
    let (head, rest) = content
        .lines
        .split_at(content.frozen.min(content.lines.len()));
    // Frozen lines are always on the screen; only the others scroll.
    let lines = head.iter().chain(rest.iter().skip(first));
    for (line, y) in lines.zip(inner.top()..inner.bottom()) {
        buffer.set_line(inner.x, y, line, inner.width);
    }
}

fn titled<'a>(
    theme: Theme,
    focused: bool,
    content: &Content,
    first: usize,
    rows: usize,
    columns: usize,
) -> Block<'a> {
    let role = if focused { Role::Focus } else { Role::Dim };
    let room = columns.saturating_sub(4);
    let title = fit(&content.title, room);
    let mut block = Block::new()
        .borders(Borders::ALL)
        .border_set(theme.border(focused))
        .border_style(theme.style(role))
        .title_top(caption(theme, focused, &title));
    // The title comes first. The text on the right is left out rather than cut to a few letters.
    let left = room.saturating_sub(width(&title) + 3);
    if !content.right.is_empty() && left > 8 {
        let right = fit(&content.right, left);
        block = block.title_top(caption(theme, false, &right).right_aligned());
    }
    let total = content.lines.len();
    let place = if total > rows {
        format!("{}-{} of {total}", first + 1, (first + rows).min(total))
    } else {
        String::new()
    };
    let taken = if place.is_empty() {
        0
    } else {
        width(&place) + 3
    };
    // The place in the text comes first: it is the only hint that there is more.
    let footer = fit(&content.footer, room.saturating_sub(taken));
    if !footer.is_empty() {
        block = block.title_bottom(caption(theme, false, &footer));
    }
    if !place.is_empty() {
        block = block.title_bottom(caption(theme, false, &place).right_aligned());
    }
    block
}

fn caption(theme: Theme, focused: bool, text: &str) -> Line<'static> {
    let role = if focused { Role::Focus } else { Role::Strong };
    Row::new(theme).add(role, format!(" {text} ")).done()
}

/// Why there is no state to show, in full, and what can be done.
fn unopened(app: &App, columns: usize) -> Content {
    let state = facts::state_failure(app);
    let mut content = Content::new(match state {
        Some(_) => "This state could not be evaluated",
        None => "No process is open",
    });
    let theme = app.theme;
    let messages = match state {
        Some(failure) => vec![failure],
        None => facts::all_messages(app),
    };
    // What is in the way comes first.
    for message in messages.into_iter().rev() {
        content.push_diagnostic(theme, Role::Plain, message.detail.trim_end(), columns);
        content.push(Row::new(theme));
    }
    let then = match app.load {
        _ if state.is_some() => "u goes back; O opens another process.",
        Load::Failed(_) => "R reads the script again when it is changed.",
        _ => "O opens another process, or any expression; 4 checks what does not need this one.",
    };
    let text = match app.reading.listing.files.is_empty() {
        true => then.to_owned(),
        false => format!("6 shows the places in the text. {then}"),
    };
    content.push_text(theme, Role::Strong, &text, columns);
    content
}

/// The text instead of a missing state.
#[must_use]
pub fn absent(app: &App, columns: usize) -> Content {
    let mut content = Content::default();
    let theme = app.theme;
    match app.session.as_ref().map(|s| s.fetched()) {
        None if facts::cannot_open(app) => return unopened(app, columns),
        None if matches!(app.load, Load::Loading) => {
            let text = format!("loading {} ...", visible_line(&app.path));
            content.push_text(theme, Role::Dim, &text, columns);
        }
        None if app.pending.is_empty() => content.push_text(
            theme,
            Role::Plain,
            "No process is open. O opens one of the script, or any process expression.",
            columns,
        ),
        None => content.push_text(theme, Role::Dim, "opening ...", columns),
        Some(Some(Err(_))) => return unopened(app, columns),
        Some(_) => content.push_text(theme, Role::Dim, "computing ...", columns),
    }
    content
}
