//! Commands of the Source view, and the way its cursor follows the selection.

use std::ops::Range;

use super::distance::Distance;
use super::showing;
use crate::animate::model::{ListedText, LoadFailure, RemarkKind, WordKind};
use crate::animate::worker::Request;
use crate::app::{App, Effect, Load, Pane, View};
use crate::command::Availability;
use crate::panes::outline::{self, OutlineRow};
use crate::panes::{source, symmetry};
use crate::reading::{PlacedKey, TextCursor};
use crate::source::{FileId, visible_line};
use crate::{facts, layout};

/// Bytes of a text that are searched together for its words.
const PIECE: usize = 4_096;
/// Places that are remembered to come back to.
const BACK_MAX: usize = 100;

/// Whether there is a text.
pub fn has_text(app: &App) -> Availability {
    match app.reading.text() {
        Some(_) => Ok(()),
        None => Err("there is no text".to_string()),
    }
}

/// Whether there are several files.
pub fn has_files(app: &App) -> Availability {
    match app.reading.listing.files.len() {
        0 | 1 => Err("the script is one file".to_string()),
        _ => Ok(()),
    }
}

/// Whether there is an earlier place to go back to.
pub fn can_go_back(app: &App) -> Availability {
    if app.reading.back.is_empty() {
        Err("there is nowhere to go back to".to_string())
    } else {
        Ok(())
    }
}

/// Whether a transition is selected in which components move.
pub fn has_movers(app: &App) -> Availability {
    match facts::selected(app) {
        Some(transition) if !transition.movers.is_empty() => Ok(()),
        _ => Err("nothing moves".to_string()),
    }
}

/// Whether the place of the followed component is known.
pub fn has_place(app: &App) -> Availability {
    match place(app) {
        Some(at) if at == app.reading.cursor => Err("the cursor is there".to_string()),
        Some(_) => Ok(()),
        None => Err("no component is followed".to_string()),
    }
}

/// Whether there are remarks on the text.
pub fn has_remarks(app: &App) -> Availability {
    if app.reading.listing.remarks.is_empty() {
        Err("nothing is said of any place".to_string())
    } else {
        Ok(())
    }
}

/// Whether there is more on the place under the cursor.
pub fn has_remark(app: &App) -> Availability {
    if source::said(app).is_empty() {
        Err("there is nothing to say of this place".to_string())
    } else {
        Ok(())
    }
}

/// Shows a script that cannot be used: its text with the errors, where there is a text.
pub fn unsound(app: &mut App, failure: LoadFailure) {
    // The folder would leave no room for what can be done.
    let name = app.path.rsplit('/').next().unwrap_or_default();
    let title = format!("{} cannot be used", visible_line(name));
    app.reading.read(&failure.listing);
    let first = failure.listing.remarks.iter();
    let first = first.min_by_key(|r| r.kind).map(|r| r.span);
    match first {
        // In the text, each error stands where it is.
        Some(place) => {
            app.reading.cursor = place.into();
            app.note = format!("{title}: }} goes to the next error, D shows all");
            showing::show(app, View::Source);
        }
        None => {
            let details = failure.errors.iter().map(|f| f.detail.trim_end());
            app.tell(&title, &details.collect::<Vec<_>>().join("\n\n"));
        }
    }
    app.failed = Some(title);
    app.load = Load::Failed(failure.errors);
}

/// The request for data that the screen lacks.
#[must_use]
pub fn wanted(app: &App) -> Option<Request> {
    let shown = app.view == View::Source || layout::visible(app, Pane::Source);
    // States that a walk only passes through are not followed.
    if !shown || app.animate.walk.is_some() {
        return None;
    }
    let key = selection(app)?;
    let known = app.reading.placed.as_ref();
    let (state, transition) = match known {
        Some((known, _)) if *known == key => return None,
        _ => key,
    };
    Some(Request::Places(state, transition))
}

/// The selection: the present state, once it is known, and a transition of it.
fn selection(app: &App) -> Option<PlacedKey> {
    let session = app.session.as_ref()?;
    session.view()?;
    let transition = facts::selected(app).cloned().map(Box::new);
    Some((session.current(), transition))
}

/// Takes the cursor to the selection, if that has changed.
pub fn follow(app: &mut App) {
    let placed = app.reading.placed.as_ref().map(|(key, _)| key.clone());
    let Some(key) = placed.filter(|placed| Some(placed) == selection(app).as_ref()) else {
        return;
    };
    let before = app.reading.followed.as_ref();
    if before.is_none_or(|(known, ..)| *known != key) {
        // The chosen component belonged to another selection. In the new one, the first with a place in the text is
        // followed.
        let branches = app.reading.places().map_or(&[][..], |p| &p.branches);
        let first = branches.iter().position(|(_, places)| !places.is_empty());
        app.reading.mover = first.unwrap_or(0);
        app.reading.component = None;
    }
    let now = (key, app.reading.mover, app.reading.component);
    if app.reading.followed.as_ref() != Some(&now) {
        app.reading.followed = Some(now);
        if let Some(at) = place(app) {
            show(app, at);
        }
    }
}

/// The place of the followed component: of the part that it takes, if it moves.
fn place(app: &App) -> Option<TextCursor> {
    let reading = &app.reading;
    let places = reading.taken().first().or(reading.here().first())?;
    Some(places.span.into())
}

/// Takes the cursor somewhere, with some lines around it on the screen.
pub(super) fn show(app: &mut App, at: TextCursor) {
    let Some(file) = app.reading.listing.file(at.file) else {
        return;
    };
    let line = file.text.line_of(at.offset);
    let pane = layout::height(app, Pane::Source);
    let seen = app.reading.top..(app.reading.top + pane * 2 / 3).max(app.reading.top + 1);
    if app.reading.cursor.file != at.file || !seen.contains(&line) {
        app.reading.top = line.saturating_sub(pane / 3);
    }
    let offset = boundary(&file.text, at.offset);
    app.reading.cursor = TextCursor { offset, ..at };
    app.reading.goal = None;
}

/// Takes the cursor to a place, and notes the present one to go back to.
fn jump(app: &mut App, at: TextCursor) {
    let from = app.reading.cursor;
    if app.reading.back.last() != Some(&from) && from != at {
        app.reading.back.push(from);
        let extra = app.reading.back.len().saturating_sub(BACK_MAX);
        app.reading.back.drain(..extra);
    }
    show(app, at);
}

/// Goes to the definition of the name under the cursor.
pub fn definition(app: &mut App, _: usize) -> Vec<Effect> {
    let TextCursor { file, offset } = app.reading.cursor;
    let found = app.reading.listing.name_at(file, offset);
    let Some((_, meaning)) = found else {
        app.note = "there is no name here whose meaning is known".to_string();
        return Vec::new();
    };
    match meaning.place {
        Some(place) if TextCursor::from(place) == app.reading.cursor => {
            app.note = "it is defined here".to_string();
        }
        Some(place) => jump(app, place.into()),
        None => app.note = format!("{} is built in", meaning.shown),
    }
    Vec::new()
}

/// Goes back to where a definition was gone to from.
pub fn back(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some(at) = app.reading.back.pop() {
        show(app, at);
    }
    Vec::new()
}

/// Shows the selection in the outline, or among the places that break symmetry.
pub fn go_to_selected(app: &mut App, _: usize) -> Vec<Effect> {
    let at = match app.pane() {
        Pane::Symmetry => symmetry::selected(app).map(TextCursor::from),
        _ => match outline::selected(app) {
            Some(OutlineRow::Definition(at)) => {
                let entry = app.reading.listing.outline.get(at);
                entry.map(|entry| entry.place.into())
            }
            Some(OutlineRow::Mover(_) | OutlineRow::Component(_)) => place(app),
            None => None,
        },
    };
    if let Some(at) = at {
        jump(app, at);
        app.focus_on(Pane::Source);
    }
    Vec::new()
}

/// Follows the next component that moves.
pub fn mover_next(app: &mut App, count: usize) -> Vec<Effect> {
    turn(app, count as isize)
}

/// Follows the component before that moves.
pub fn mover_previous(app: &mut App, count: usize) -> Vec<Effect> {
    turn(app, -(count as isize))
}

fn turn(app: &mut App, by: isize) -> Vec<Effect> {
    let count = facts::selected(app).map_or(0, |t| t.movers.len());
    // Round and round, in both directions.
    let to = (app.reading.mover as isize + by).rem_euclid(count.max(1) as isize);
    app.reading.mover = to as usize;
    app.reading.component = None;
    Vec::new()
}

/// Takes the cursor to the followed component.
pub fn refollow(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some(at) = place(app) {
        jump(app, at);
    }
    Vec::new()
}

/// Moves in the text by lines.
pub fn go(app: &mut App, far: Distance, page: usize) {
    let Some(text) = app.reading.text() else {
        return;
    };
    let line = app.reading.line();
    let column = || text.column(app.reading.cursor.offset);
    let goal = match far {
        Distance::Top | Distance::Bottom => 0,
        Distance::Rows(_) | Distance::Pages(_) => app.reading.goal.unwrap_or_else(column),
    };
    let to = far.from(line, text.count(), page);
    app.reading.cursor.offset = text.offset(to, goal);
    if let Distance::Pages(_) = far {
        let top = app
            .reading
            .top
            .saturating_add_signed(to as isize - line as isize);
        app.reading.top = top;
    }
    app.reading.goal = Some(goal);
    settle(app);
}

/// Scrolls the text; the cursor goes with it where it would be off the screen.
pub fn scroll(app: &mut App, lines: isize) {
    let Some(text) = app.reading.text() else {
        return;
    };
    let line = app.reading.line();
    let height = layout::height(app, Pane::Source).saturating_sub(1).max(1);
    let first = source::top(app, app.reading.top, line, height);
    let to = first.saturating_add_signed(lines).min(text.count() - 1);
    let seen = to..=to + height / 2;
    if !seen.contains(&line) {
        let column = text.column(app.reading.cursor.offset);
        let line = line.clamp(to, (to + height / 2).min(text.count() - 1));
        app.reading.cursor.offset = text.offset(line, column);
    }
    app.reading.top = to;
}

/// Scrolls the shortest distance that brings the cursor onto the screen.
fn settle(app: &mut App) {
    let line = app.reading.line();
    let height = layout::height(app, Pane::Source).saturating_sub(1).max(1);
    app.reading.top = source::top(app, app.reading.top, line, height);
}

/// Moves in the outline; a component is followed at once.
pub fn go_in_outline(app: &mut App, far: Distance, page: usize) {
    let rows = outline::rows(app).len();
    app.reading.outline = far.from(app.reading.outline, rows, page);
    match outline::selected(app) {
        Some(OutlineRow::Mover(at)) => {
            app.reading.mover = at;
            app.reading.component = None;
        }
        Some(OutlineRow::Component(at)) => app.reading.component = Some(at),
        _ => {}
    }
}

/// Moves among the places that break symmetry.
pub fn go_in_symmetry(app: &mut App, far: Distance, page: usize) {
    let count = symmetry::count(app);
    app.reading.symmetry = far.from(app.reading.symmetry, count, page);
}

/// Moves the cursor right.
pub fn right(app: &mut App, count: usize) -> Vec<Effect> {
    let Some(text) = app.reading.text() else {
        return Vec::new();
    };
    let offset = app.reading.cursor.offset;
    let end = text.line(app.reading.line()).end;
    let rest = text.text().get(offset..end).unwrap_or_default();
    let by: usize = rest.chars().take(count).map(char::len_utf8).sum();
    moved(app, offset + by);
    Vec::new()
}

/// Moves the cursor left.
pub fn left(app: &mut App, count: usize) -> Vec<Effect> {
    let Some(text) = app.reading.text() else {
        return Vec::new();
    };
    let offset = app.reading.cursor.offset;
    let start = text.line(app.reading.line()).start;
    let rest = text.text().get(start..offset).unwrap_or_default();
    let by: usize = rest.chars().rev().take(count).map(char::len_utf8).sum();
    moved(app, offset - by);
    Vec::new()
}

fn moved(app: &mut App, offset: usize) {
    app.reading.cursor.offset = offset;
    app.reading.goal = None;
    settle(app);
}

/// Goes to the end of the line, or from there to its start.
pub fn line_end(app: &mut App, _: usize) -> Vec<Effect> {
    let line = app.reading.text().map(|text| text.line(app.reading.line()));
    if let Some(line) = line {
        let at_end = app.reading.cursor.offset == line.end;
        moved(app, if at_end { line.start } else { line.end });
    }
    Vec::new()
}

/// Goes to the next name.
pub fn word_next(app: &mut App, count: usize) -> Vec<Effect> {
    for _ in 0..count {
        let Some(text) = app.reading.text() else {
            break;
        };
        let offset = app.reading.cursor.offset;
        let Some(at) = next_word(app, text, offset) else {
            break;
        };
        app.reading.cursor.offset = at;
    }
    moved(app, app.reading.cursor.offset);
    Vec::new()
}

/// Goes to the name before.
pub fn word_previous(app: &mut App, count: usize) -> Vec<Effect> {
    for _ in 0..count {
        let Some(text) = app.reading.text() else {
            break;
        };
        let offset = app.reading.cursor.offset;
        let Some(at) = word_before(app, text, offset) else {
            break;
        };
        app.reading.cursor.offset = at;
    }
    moved(app, app.reading.cursor.offset);
    Vec::new()
}

fn next_word(app: &App, text: &ListedText, offset: usize) -> Option<usize> {
    let mut from = offset;
    while from < text.text().len() {
        let to = boundary(text, from + PIECE);
        let mut starts = words(app, from..to).filter(|start| *start > offset);
        if let Some(start) = starts.next() {
            return Some(start);
        }
        from = to;
    }
    None
}

fn word_before(app: &App, text: &ListedText, offset: usize) -> Option<usize> {
    let mut to = offset;
    while to > 0 {
        let from = boundary(text, to.saturating_sub(PIECE));
        // One piece more: otherwise a word that a piece cuts would seem to begin there.
        let around = boundary(text, from.saturating_sub(PIECE));
        let starts = words(app, around..to).filter(|start| (from..offset).contains(start));
        if let Some(start) = starts.last() {
            return Some(start);
        }
        to = from;
    }
    None
}

/// The starts of words in a part of the shown text.
fn words(app: &App, part: Range<usize>) -> impl Iterator<Item = usize> {
    let reading = &app.reading;
    let all = reading.listing.words(reading.cursor.file, part).into_iter();
    let named = all
        .filter(|(_, kind)| !matches!(kind, WordKind::Comment | WordKind::Text | WordKind::Number));
    named.map(|(part, _)| part.start)
}

/// A place between characters, at or after an offset.
fn boundary(text: &ListedText, offset: usize) -> usize {
    let mut at = offset.min(text.text().len());
    while !text.text().is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Shows the texts on the place under the cursor in full.
pub fn remark(app: &mut App, _: usize) -> Vec<Effect> {
    let said = source::said(app);
    app.tell("Said of this place", &said.join("\n\n"));
    Vec::new()
}

/// Goes to the next remark.
pub fn remark_next(app: &mut App, count: usize) -> Vec<Effect> {
    to_remark(app, count, true)
}

/// Goes to the remark before.
pub fn remark_previous(app: &mut App, count: usize) -> Vec<Effect> {
    to_remark(app, count, false)
}

fn to_remark(app: &mut App, count: usize, forward: bool) -> Vec<Effect> {
    for _ in 0..count {
        let TextCursor { file, offset } = app.reading.cursor;
        let here = (file, offset as u32);
        // The values of a type stand together, and the type says it for all of them.
        let mut places = app.reading.listing.remarks.iter();
        let place = |r: &crate::animate::model::Remark| (r.span.file, r.span.start);
        let wanted = |r: &&crate::animate::model::Remark| r.kind != RemarkKind::Symmetric;
        let next = if forward {
            places.filter(wanted).map(place).find(|at| *at > here)
        } else {
            places.rfind(|r| wanted(r) && place(r) < here).map(place)
        };
        let Some((file, offset)) = next else {
            app.note = "there is no other remark this way".to_string();
            break;
        };
        let offset = offset as usize;
        jump(app, TextCursor { file, offset });
    }
    Vec::new()
}

/// Shows the next file.
pub fn file_next(app: &mut App, count: usize) -> Vec<Effect> {
    to_file(app, count as isize)
}

/// Shows the file before.
pub fn file_previous(app: &mut App, count: usize) -> Vec<Effect> {
    to_file(app, -(count as isize))
}

fn to_file(app: &mut App, by: isize) -> Vec<Effect> {
    let count = app.reading.listing.files.len().max(1) as isize;
    let file = (app.reading.cursor.file.0 as isize + by).rem_euclid(count);
    let file = FileId(file as u16);
    app.reading.top = 0;
    jump(app, TextCursor { file, offset: 0 });
    Vec::new()
}
