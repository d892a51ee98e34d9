//! The terms that the screen uses, for the help: those of the focused pane first.

use super::app::App;
use super::{layout, panes};
use crate::source::glossary::{GlossaryTerm, find, terms};

/// All terms, each with whether the focused pane uses it: first those that it uses, in the order of their
/// occurrence, then the others.
#[must_use]
pub fn by_use(app: &App) -> Vec<(bool, GlossaryTerm)> {
    let shown = shown(app);
    let mut all: Vec<(usize, GlossaryTerm)> = terms()
        .into_iter()
        .map(|term| (term.used_at(&shown).unwrap_or(usize::MAX), term))
        .collect();
    // Stable: the others keep the order of the glossary.
    all.sort_by_key(|(at, _)| *at);
    let here = all.into_iter().map(|(at, term)| (at < usize::MAX, term));
    here.collect()
}

/// The text of the focused pane.
fn shown(app: &App) -> String {
    let (columns, rows) = layout::inner(app, app.pane());
    let content = panes::build(app, app.pane(), columns.into(), rows.into());
    let mut text = [&*content.title, &content.right, &content.footer].join("\n");
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
