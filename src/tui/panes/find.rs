//! The window in which a condition is typed.

use super::Content;
use crate::animate::model::FindStart;
use crate::app::App;
use crate::source::hash::IndexSet;
use crate::text::{Row, fit, pad, width};
use crate::theme::Role;

/// Names that are listed.
const NAMES_MAX: usize = 8;
/// Words of conditions.
const WORDS: [&str; 12] = [
    "deadlock",
    "terminated",
    "stable",
    "offers",
    "can",
    "some",
    "every",
    "no",
    "is",
    "and",
    "or",
    "not",
];

/// The start of the word that is being typed.
#[must_use]
pub fn last_word(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || c == '(';
    text.rfind(ends).map_or(0, |at| at + 1)
}

/// Candidates for the word that is being typed: words of conditions, components, families, local states and events
/// of the present state.
#[must_use]
pub fn candidates(app: &App) -> Vec<String> {
    let text = &app.find.text;
    let begun = &text[last_word(text)..];
    let mut known: IndexSet<String> = WORDS.iter().map(|w| (*w).to_string()).collect();
    if let Some(view) = app.session.as_ref().and_then(|s| s.view()) {
        for component in &view.components {
            known.insert(component.label());
            known.insert(component.family.clone());
            known.insert(component.name.clone());
        }
        let events = view.transitions.iter().map(|t| t.event.to_string());
        known.extend(events.filter(|event| !event.is_empty()));
    }
    let fits = |name: &String| !begun.is_empty() && name.starts_with(begun) && name != begun;
    known.into_iter().filter(fits).collect()
}

/// Conditions that can be typed, about what is in the present state, with what they mean.
#[must_use]
pub fn examples(app: &App) -> Vec<(String, &'static str)> {
    let mut all = vec![("deadlock".to_owned(), "nothing is possible")];
    let Some(view) = app.session.as_ref().and_then(|s| s.view()) else {
        return all;
    };
    let events = view.transitions.iter().map(|t| t.event.head());
    if let Some(channel) = events.into_iter().find(|channel| !channel.is_empty()) {
        let meaning = "an event is possible that begins like that";
        all.push((format!("offers {channel}"), meaning));
    }
    let named = view.components.iter().find(|c| !c.index.is_empty());
    if let Some(component) = named.or(view.components.first()) {
        let condition = format!("{} = {}", component.label(), component.text);
        all.push((condition, "a component is in a local state"));
        let (family, name) = (&component.family, &component.name);
        let meaning = "also every, no; and, or, not, brackets";
        all.push((format!("some {family} is {name}"), meaning));
    }
    all
}

/// Builds the window.
#[must_use]
pub fn content(app: &App, columns: usize) -> Content {
    let find = &app.find;
    let theme = app.theme;
    let mut content = Content::new("Find a state where ...");
    let row = Row::new(theme).add(Role::Strong, " > ");
    content.push(app.line.add_to(row, &find.text, columns.saturating_sub(3)));
    let start = match find.start {
        FindStart::Here => "from here; Down: from where the process begins",
        FindStart::Beginning => "from where the process begins; Up: from here",
    };
    let shows = "The shortest way to such a state becomes a branch of the history.";
    for line in [shows, start] {
        content.push(Row::new(theme).add(Role::Dim, fit(&format!("   {line}"), columns)));
    }
    if let Some(failure) = &find.failure {
        content.push_text(theme, Role::Fail, &failure.summary, columns);
        for line in failure.detail.lines().filter(|l| l.starts_with("  | ")) {
            content.push(Row::new(theme).plain(fit(&line[1..], columns)));
        }
    }
    let names = candidates(app);
    if names.is_empty() {
        let examples = examples(app);
        let widest = examples.iter().map(|(typed, _)| width(typed)).max();
        let column = widest.unwrap_or(0).min(columns / 2);
        for (typed, meaning) in examples {
            let typed = pad(&fit(&typed, column), column);
            let line = fit(&format!("   {typed}  {meaning}"), columns);
            content.push(Row::new(theme).add(Role::Dim, line));
        }
    }
    for name in names.iter().take(NAMES_MAX) {
        content.push(Row::new(theme).plain(fit(&format!("   {name}"), columns)));
    }
    if names.len() > NAMES_MAX {
        let more = format!("   and {} more", names.len() - NAMES_MAX);
        content.push(Row::new(theme).add(Role::Dim, more));
    }
    content
}
