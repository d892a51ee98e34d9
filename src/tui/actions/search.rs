//! Searching the text of the script.

use std::ops::Range;

use super::source::{has_text, show};
use crate::app::{App, Effect};
use crate::command::Availability;
use crate::reading::TextCursor;
use crate::source::FileId;

/// Whether there is a searched text.
pub fn has_search(app: &App) -> Availability {
    if app.reading.search.is_empty() {
        Err("nothing was searched; / does".to_string())
    } else {
        has_text(app)
    }
}

/// Searches as the text is typed.
pub fn set_search(app: &mut App, text: &str) {
    let from = *app.reading.searched_from.get_or_insert(app.reading.cursor);
    app.reading.search = text.to_string();
    if text.is_empty() {
        app.reading.searched_from = None;
        return;
    }
    match find(app, from, true, true) {
        Some((at, _)) => show(app, at),
        None => show(app, from),
    }
}

/// The search was typed to its end, or dropped.
pub fn end_search(app: &mut App, dropped: bool) {
    let Some(from) = app.reading.searched_from.take() else {
        return;
    };
    if dropped {
        show(app, from);
    } else if find(app, from, true, true).is_none() {
        app.note = format!("{} stands nowhere in the script", app.reading.search);
    } else if from != app.reading.cursor {
        app.reading.back.push(from);
    }
}

/// Goes to the next place found.
pub fn search_next(app: &mut App, count: usize) -> Vec<Effect> {
    search(app, count, true)
}

/// Goes to the place found before.
pub fn search_previous(app: &mut App, count: usize) -> Vec<Effect> {
    search(app, count, false)
}

fn search(app: &mut App, count: usize, forward: bool) -> Vec<Effect> {
    for _ in 0..count {
        let Some((at, around)) = find(app, app.reading.cursor, forward, false) else {
            app.note = format!("{} stands nowhere in the script", app.reading.search);
            break;
        };
        show(app, at);
        if around {
            app.note = "searched on from the other end".to_string();
        }
    }
    Vec::new()
}

/// The next place of the searched text, and whether it lies beyond the end of the script: in the file of
/// `from` first, then in the others.
fn find(app: &App, from: TextCursor, forward: bool, inclusive: bool) -> Option<(TextCursor, bool)> {
    let listing = &app.reading.listing;
    let query = app.reading.search.as_str();
    let count = listing.files.len();
    let exact = query.chars().any(char::is_uppercase);
    for turn in 0..=count {
        let step = if forward {
            turn
        } else {
            count - turn % count.max(1)
        };
        let n = (usize::from(from.file.0) + step) % count.max(1);
        let text = listing.files.get(n)?.text.text();
        let part = match (turn == 0, forward) {
            (true, true) => from.offset + usize::from(!inclusive)..text.len(),
            (true, false) => 0..from.offset,
            (false, _) => 0..text.len(),
        };
        if let Some(offset) = stands(text, query, part, exact, forward) {
            let file = FileId(n as u16);
            let at = TextCursor { file, offset };
            let before = (file, offset) < (from.file, from.offset);
            return Some((at, before == forward && at != from));
        }
    }
    None
}

/// The first (or last) occurrence of a text in a part of another.
fn stands(text: &str, query: &str, part: Range<usize>, exact: bool, first: bool) -> Option<usize> {
    let (text, query) = (text.as_bytes(), query.as_bytes());
    let begin = *query.first()?;
    let same = |at: &usize| {
        let found = text.get(*at..*at + query.len());
        found.is_some_and(|f| {
            if exact {
                f == query
            } else {
                f.eq_ignore_ascii_case(query)
            }
        })
    };
    let begins = |at: &usize| text[*at].eq_ignore_ascii_case(&begin);
    let mut places = part.start.min(text.len())..part.end.min(text.len());
    if first {
        places.find(|at| begins(at) && same(at))
    } else {
        places.rev().find(|at| begins(at) && same(at))
    }
}
