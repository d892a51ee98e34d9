//! Texts that can be copied: to the clipboard of the terminal, or to a file.

use crate::actions::trail;
use crate::animate::history::{History, HistoryId, Origin};
use crate::animate::model::{ComponentView, EventKind, RepView};
use crate::app::{App, Effect, Overlay, Pane};
use crate::report::runs::SILENT;
use crate::source::visible;
use crate::{keys, panes};

/// A text that can be copied: its key, its name, and the text if there is one now.
pub struct Copied {
    /// The key in the menu, and the word after `yank` in a line of commands.
    pub key: char,
    /// The name of it.
    pub what: &'static str,
    /// The text, without anything that a terminal would obey.
    pub text: Option<String>,
}

/// Columns and rows of a pane that is copied as text.
const PANE: (usize, usize) = (200, 2_000);

/// Words for the keys, as a line of commands has them.
pub const WORDS: [(&str, char); 10] = [
    ("state", 's'),
    ("representative", 'r'),
    ("permutation", 'p'),
    ("trace", 't'),
    ("visible", 'v'),
    ("assertion", 'c'),
    ("table", 'n'),
    ("pane", 'y'),
    ("line", 'l'),
    ("full", 'i'),
];

/// The texts that can be copied.
#[must_use]
pub fn all(app: &App) -> Vec<Copied> {
    let session = app.session.as_ref();
    let view = session.and_then(|s| s.view());
    let trace = session.map(|s| s.trace_text());
    let process = session.map(|s| s.history.process().to_owned());
    let asserted = process.zip(trace.clone());
    let copied = |key, what, text: Option<String>| Copied {
        key,
        what,
        text: text.map(|text| visible(&text).into_owned()),
    };
    vec![
        copied('s', "state", view.map(|v| components(&v.components))),
        copied(
            'r',
            "representative",
            app.representative().map(|rep| components(&rep.components)),
        ),
        copied('p', "permutation", app.representative().map(permutation)),
        copied('t', "trace with silent steps", whole_trace(app)),
        copied('v', "visible trace", trace),
        copied(
            'c',
            "visible trace as an assertion in CSPm",
            asserted.map(|(p, t)| format!("assert ({p}) :[has trace [T]]: {t}\n")),
        ),
        copied(
            'n',
            "table of n-values",
            app.explanation().map(|_| pane_text(app, Pane::NValues)),
        ),
        copied('y', "focused pane", Some(pane_text(app, app.pane()))),
        copied('l', "selected line", selected_line(app)),
        copied('i', "selected cell in full", in_full(app)),
    ]
}

fn components(all: &[ComponentView]) -> String {
    let lines = all.iter().map(|c| format!("{}  {}\n", c.label(), c.text));
    lines.collect()
}

fn permutation(rep: &RepView) -> String {
    let lines = rep.permutation.iter().map(|of| {
        let map = of.map.iter().map(|(a, b)| format!("{a}->{b}"));
        let map: Vec<String> = map.collect();
        format!("{}  {}  {}\n", of.name, of.cycles, map.join(" "))
    });
    lines.collect()
}

/// The trace of all steps, as `--trace` takes it.
fn whole_trace(app: &App) -> Option<String> {
    let history = &app.session.as_ref()?.history;
    Some(format!(
        "<{}>",
        events_to(history, history.current()).join(", ")
    ))
}

/// The events of all steps to an entry of the history.
pub(super) fn events_to(history: &History, id: HistoryId) -> Vec<String> {
    let path = history.path_to(id).into_iter();
    let events = path.filter_map(|id| match &history.node(id).origin {
        Origin::Step(taken) => Some(event_of(taken.kind, &taken.event)),
        Origin::Renamed(_) | Origin::Opened(_) => None,
    });
    events.collect()
}

/// The event of a step as a trace has it.
pub(super) fn event_of(kind: EventKind, event: &str) -> String {
    match (kind, event) {
        (EventKind::Tau, "") => SILENT.to_owned(),
        _ => event.to_owned(),
    }
}

fn pane_text(app: &App, pane: Pane) -> String {
    let content = panes::build(app, pane, PANE.0, PANE.1);
    let line = |line: &ratatui::text::Line<'_>| {
        let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
        format!("{}\n", text.trim_end())
    };
    content.lines.iter().map(line).collect()
}

fn selected_line(app: &App) -> Option<String> {
    let content = panes::build(app, app.pane(), PANE.0, PANE.1);
    let line = content.lines.get(content.at?)?;
    let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
    Some(text.trim().to_owned())
}

/// The full text of the selection in a table or among components.
fn in_full(app: &App) -> Option<String> {
    match app.pane() {
        Pane::Counterexample => trail::in_full(app),
        Pane::State => panes::components::in_full(app).map(|(_, text)| text),
        _ => None,
    }
}

/// Opens the menu of texts to copy.
pub fn menu(app: &mut App, _: usize) -> Vec<Effect> {
    app.overlay = Some(Overlay::Yank { to_file: false });
    Vec::new()
}

/// A key in the menu.
pub fn choosing(app: &mut App, key: &str, to_file: bool) -> Vec<Effect> {
    match key {
        "esc" | "q" => return Vec::new(),
        "f" => {
            app.overlay = Some(Overlay::Yank { to_file: !to_file });
            return Vec::new();
        }
        _ => {}
    }
    let found = all(app).into_iter().find(|c| key == c.key.to_string());
    match found {
        Some(copied) => copy(app, copied, to_file),
        None => {
            app.note = format!("{} copies nothing", keys::shown(key));
            Vec::new()
        }
    }
}

/// Copies a text to the clipboard or to a file.
pub fn copy(app: &mut App, copied: Copied, to_file: bool) -> Vec<Effect> {
    let what = copied.what;
    match copied.text {
        Some(text) if to_file => vec![Effect::CopyToFile(what, ".txt", text)],
        Some(text) => vec![Effect::Copy(what, text)],
        None => {
            app.note = format!("there is no {what} here");
            Vec::new()
        }
    }
}

/// The lines of the menu.
#[must_use]
pub fn lines(app: &App, to_file: bool) -> Vec<String> {
    let line = |copied: &Copied| match &copied.text {
        Some(text) => format!("{}  {} ({} bytes)", copied.key, copied.what, text.len()),
        None => format!("{}  {}: there is none here", copied.key, copied.what),
    };
    let mut lines: Vec<String> = all(app).iter().map(line).collect();
    lines.push(if to_file {
        "f  now to a file; f again: to the clipboard".to_owned()
    } else {
        "f  now to the clipboard; f: to a file".to_owned()
    });
    lines
}
