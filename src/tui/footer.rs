//! The footer: the keys that work in this moment.

use std::ops::Range;

use ratatui::text::Line;

use super::app::{App, KeyPage, KeyPlace, Overlay, View};
use super::command::Command;
use super::text::{Row, width};
use super::theme::Role;
use super::{actions, keys, lessons, registry, stakes};

/// Columns of the status and the hints: on a card, those of the terminal.
#[must_use]
pub fn columns_below(app: &App) -> usize {
    let size = match app.place() {
        KeyPlace::On(_) => app.terminal(),
        KeyPlace::In(..) => app.size,
    };
    size.0.into()
}

/// The commands of the hint line and their columns.
#[must_use]
pub fn hints(app: &App) -> Vec<(Range<usize>, &'static Command)> {
    if !app.settings.hints {
        return Vec::new();
    }
    let mut from = 1;
    let mut hints = Vec::new();
    let columns = columns_below(app);
    let shown = |c: &&'static Command| c.hint.is_some() && c.applies_here(app);
    // A command whose keys were all taken by others has no hint.
    let here = registry::all().filter(|c| shown(c) && free_key(app, c).is_some());
    let presents = app
        .lesson
        .as_ref()
        .is_some_and(|room| room.manner.presenting);
    let here = here.filter(|c| presents || !["card-notes", "card-blank"].contains(&c.id));
    // What does nothing now would only be tried in vain.
    let here = here.filter(|c| c.usable(app).is_ok());
    // Help and quitting always have a place, however narrow the terminal is.
    let (mut last, first): (Vec<&'static Command>, Vec<&'static Command>) =
        here.partition(|c| ["help", "quit", "card-leave", "page-leave"].contains(&c.id));
    last.sort_by_key(|command| command.id != "help");
    let reserve: usize = last.iter().map(|c| hint_text(app, c).len() + 2).sum();
    for command in first {
        let long = width(&hint_text(app, command));
        if from + long + reserve > columns {
            // A later one may be shorter and still fit.
            continue;
        }
        hints.push((from..from + long, command));
        from += long + 2;
    }
    for command in last {
        let long = width(&hint_text(app, command));
        hints.push((from..from + long, command));
        from += long + 2;
    }
    hints
}

fn hint_text(app: &App, command: &Command) -> String {
    format!("{} {}", hint_key(app, command), hint_word(app, command))
}

/// The text of a command in the hint line.
fn hint_word(app: &App, command: &Command) -> &'static str {
    let lesson = app.lesson.as_ref();
    let finished = lesson.is_some_and(|room| room.finished);
    match command.id {
        "quit" if app.view != View::Animate => "back",
        "page-leave" if app.has_script() => "back",
        "card-answer" if wanted_key(app).is_some() => "press it",
        "card-answer" | "card-next" if finished => {
            let last = lesson.is_some_and(|room| room.class.following.is_empty());
            if last { "leave" } else { "next lesson" }
        }
        "card-answer" if lesson.is_some_and(|room| !room.asks()) => "go on",
        _ => command.hint.unwrap_or(""),
    }
}

/// The key that the card of a lesson waits for.
fn wanted_key(app: &App) -> Option<String> {
    let room = app.lesson.as_ref()?;
    lessons::keys::wants(room).and_then(|_| lessons::keys::wanted_key(app, room))
}

/// The first key of a command that is not a part of what is typed.
fn free_key(app: &App, command: &Command) -> Option<&'static str> {
    let is_typed = |key: &&str| match (app.place(), &app.lesson) {
        (KeyPlace::On(KeyPage::Path), _) => keys::types(key),
        (KeyPlace::On(KeyPage::Card), Some(room)) => lessons::keys::takes(room, key),
        _ => false,
    };
    let mut keys = registry::keys_of(app, command).into_iter();
    keys.find(|key| !is_typed(key))
}

/// Its key; the first one where a letter follows, since the status line then asks for that.
fn hint_key(app: &App, command: &Command) -> String {
    if let Some(wanted) = wanted_key(app).filter(|_| command.id == "card-answer") {
        return wanted;
    }
    let key = free_key(app, command).unwrap_or_default();
    let first = key.strip_suffix(keys::LETTER).unwrap_or(key);
    keys::shown(first.trim_end())
}

/// The command whose hint is at a column.
#[must_use]
pub fn hint_at(app: &App, x: u16) -> Option<&'static Command> {
    let found = hints(app)
        .into_iter()
        .find(|(range, _)| range.contains(&usize::from(x)));
    found.map(|(_, command)| command)
}

/// The line of keys below the status, or those of what lies over the screen.
#[must_use]
pub fn hint_line(app: &App) -> Line<'static> {
    let row = Row::new(app.theme);
    let fixed = match &app.overlay {
        None => {
            let mut row = row;
            for (range, command) in hints(app) {
                let (key, word) = (hint_key(app, command), hint_word(app, command));
                row = row
                    .to(range.start)
                    .add(Role::Strong, key)
                    .add(Role::Dim, format!(" {word}"));
            }
            return row.done();
        }
        Some(Overlay::Filter(_)) => {
            let text = actions::general::current_filter(app);
            format!(" /{text}_   Enter keep  Esc drop")
        }
        Some(Overlay::Help(_)) => {
            " type, ?: all words  Up/Down choose  Enter run  Esc close".to_string()
        }
        Some(Overlay::Palette(_)) => {
            " type to search  Up/Down choose  Enter run  Esc close".to_string()
        }
        Some(Overlay::Menu(None)) => {
            " a letter opens a group  / search all commands  Esc close".to_string()
        }
        Some(Overlay::Menu(Some(_))) => {
            " a letter runs a command  Esc back to the groups".to_string()
        }
        Some(Overlay::Message { .. }) => " j/k scroll  Esc close".to_string(),
        Some(Overlay::History) => {
            " j/k choose  Enter jump  i silent steps  B next branch  Esc close".to_string()
        }
        Some(Overlay::Compare(_)) => {
            " type a key of the list  Up/Down choose  Enter or c compare  Esc close".to_string()
        }
        Some(Overlay::Find) => {
            " Enter search  Tab complete  Up/Down where to begin  Esc close".to_string()
        }
        Some(Overlay::Yank { .. }) => " type a key of the list  f to a file  Esc close".to_string(),
        Some(Overlay::Lessons(..)) => " j/k choose  Enter begin or go on  Esc close".to_string(),
        Some(Overlay::Exchange(_)) => " y open  n stay".to_string(),
        Some(Overlay::Write(..)) => " y write  n do not".to_string(),
        Some(Overlay::Quit) if stakes::unsaved(app) > 0 => {
            " y quit  s save and quit  n stay".to_string()
        }
        Some(Overlay::Quit) => " y quit  n stay".to_string(),
    };
    row.plain(fixed).done()
}
