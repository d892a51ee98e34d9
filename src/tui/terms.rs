//! The terms that the screen uses, as entries of the help: those of the focused pane first.

use super::app::App;
use super::overlay::{ItemAction, ListItem};
use super::{layout, panes};
use crate::source::glossary::{Term, terms};

/// All terms: first those that the focused pane uses, in the order in which it does, then the others.
#[must_use]
pub fn items(app: &App) -> Vec<ListItem> {
    let shown = shown(app);
    let mut all: Vec<(usize, Term)> = terms()
        .into_iter()
        .map(|term| (term.used_at(&shown).unwrap_or(usize::MAX), term))
        .collect();
    // Stable: the others keep the order of the glossary.
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(at, term)| item(at, &term)).collect()
}

/// All that stands in the focused pane.
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

fn item(at: usize, term: &Term) -> ListItem {
    ListItem {
        title: term.name.to_owned(),
        detail: term.short().to_owned(),
        keys: match at {
            usize::MAX => String::new(),
            _ => "here".to_owned(),
        },
        reason: None,
        action: ItemAction::Term(term.name),
    }
}

/// Shows what a term means.
pub fn tell(app: &mut App, name: &str) {
    if let Some(term) = crate::source::glossary::find(name) {
        app.tell(term.name, &term.show());
    }
}
