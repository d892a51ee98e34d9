//! The terms that the screen uses, for the help: those of the focused pane first.

use super::app::{App, KeyPlace, Pane};
use super::{layout, panes};
use crate::source::glossary::{GlossaryTerm, find, terms};

/// All terms, each with its name on the screen if it is there: first those of the focused pane, then those of the
/// other panes, both in the order of their occurrence, then the others.
#[must_use]
pub fn by_use(app: &App) -> Vec<(Option<&'static str>, GlossaryTerm)> {
    let shown = shown(app);
    let found = terms().into_iter().map(|term| (term.used_at(&shown), term));
    let mut all: Vec<_> = found.collect();
    // Stable: the others keep the order of the glossary.
    all.sort_by_key(|(used, _)| used.map_or(usize::MAX, |(at, _)| at));
    let named = all
        .into_iter()
        .map(|(used, term)| (used.map(|(_, name)| name), term));
    named.collect()
}

/// The text of the panes on the screen, the focused one first; a page over the views has none.
fn shown(app: &App) -> String {
    if let KeyPlace::On(_) = app.place() {
        return String::new();
    }
    let mut visible: Vec<Pane> = layout::panes(app)
        .into_iter()
        .map(|(pane, _)| pane)
        .collect();
    visible.sort_by_key(|pane| *pane != app.pane());
    let texts: Vec<String> = visible.into_iter().map(|pane| text_of(app, pane)).collect();
    texts.join("\n")
}

fn text_of(app: &App, pane: Pane) -> String {
    let (columns, rows) = layout::inner(app, pane);
    let content = panes::build(app, pane, columns.into(), rows.into());
    // A title begins with a capital: `Representative`.
    let mut title = content.title.chars();
    let first = title.next().map(|c| c.to_lowercase().collect::<String>());
    let title = first.unwrap_or_default() + title.as_str();
    let mut text = [&*title, &content.right, &content.footer].join("\n");
    for line in &content.lines {
        text.push('\n');
        text.push_str(&line.to_string());
    }
    text
}

/// Shows the meaning of a term.
pub fn tell(app: &mut App, name: &str) {
    if let Some(term) = find(name) {
        app.tell(term.name, &term.show());
    }
}
