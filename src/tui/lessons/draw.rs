//! A lesson on the terminal: the card beside the screen that it is about, or over its lower part where there is
//! little room.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::{Clear, Paragraph};

use super::card::{card_lines, notes};
use super::format::{Emphasis, LessonAnswer};
use super::room::LessonRoom;
use crate::app::App;
use crate::language;
use crate::layout::{self, Tier};
use crate::panes::{Content, draw_box};
use crate::source::visible_line;
use crate::text::{Row, fit, width, wrap};
use crate::theme::Role;

/// Columns of the card beside the screen.
const CARD_COLUMNS: u16 = 40;
/// Columns that the screen needs beside it to show two panes.
const SCREEN_COLUMNS: u16 = 80;
/// Rows of the notes below.
const NOTES_ROWS: u16 = 10;
/// Rows below which a screen has no panes.
const SCREEN_ROWS: u16 = 16;
/// The number of lines below: status and hints.
const LINES_BELOW: u16 = 2;

/// The areas of a lesson's screen.
struct LessonLayout {
    /// The size of the lesson's screen.
    inner: (u16, u16),
    card: Rect,
    notes: Option<Rect>,
}

fn is_side_by_side(size: (u16, u16)) -> bool {
    size.0 >= SCREEN_COLUMNS + CARD_COLUMNS && size.1 >= SCREEN_ROWS
}

fn lesson_layout(room: &LessonRoom, size: (u16, u16)) -> LessonLayout {
    let (w, h) = size;
    // Tabs above; status and hints below.
    let body = h.saturating_sub(1 + LINES_BELOW);
    if room.in_view {
        let card = Rect::new(0, 0, 0, 0);
        return LessonLayout {
            inner: (w, h.saturating_sub(1)),
            card,
            notes: None,
        };
    }
    if is_side_by_side(size) {
        // Two panes need so much; a larger card is worth less.
        let columns = (w / 3).clamp(CARD_COLUMNS, w - SCREEN_COLUMNS);
        let rows = if h >= 30 { NOTES_ROWS } else { 6 };
        let notes = room.notes.then(|| Rect::new(0, 1 + body - rows, w, rows));
        let above = body - notes.map_or(0, |notes| notes.height);
        return LessonLayout {
            inner: (w - columns, above + 1 + LINES_BELOW),
            card: Rect::new(w - columns, 1, columns, above),
            notes,
        };
    }
    // Over the lower part: as much as the card needs, and something of the screen above it.
    let most = (body * 2 / 3).max(body.saturating_sub(8));
    let text = card_lines(room, usize::from(w.saturating_sub(2)));
    let rows = (text.len() as u16).saturating_add(2).clamp(3, most.max(3));
    let inner = (h - rows.min(h)).max(SCREEN_ROWS);
    LessonLayout {
        inner: (w, inner),
        card: Rect::new(0, (1 + body).saturating_sub(rows), w, rows),
        notes: None,
    }
}

/// The size that the screen of the lesson has.
#[must_use]
pub fn inner_size(room: &LessonRoom, size: (u16, u16)) -> (u16, u16) {
    lesson_layout(room, size).inner
}

/// Whether the card covers a part of the screen.
#[must_use]
pub fn covers(room: &LessonRoom, size: (u16, u16)) -> bool {
    !room.in_view && !is_side_by_side(size)
}

/// The largest scroll position of the card.
#[must_use]
pub fn scroll_max(room: &LessonRoom, size: (u16, u16)) -> usize {
    let area = lesson_layout(room, size).card;
    let lines = card_lines(room, usize::from(area.width.saturating_sub(2))).len();
    lines.saturating_sub(usize::from(area.height.saturating_sub(2)))
}

/// The area of the card.
#[must_use]
pub fn card_area(room: &LessonRoom, size: (u16, u16)) -> Rect {
    lesson_layout(room, size).card
}

/// Draws a lesson.
pub fn draw(room: &LessonRoom, size: (u16, u16), frame: &mut Frame) {
    let whole = frame.area();
    frame.render_widget(Clear, whole);
    if room.blank {
        return;
    }
    let theme = room.inner.theme;
    if layout::tier(size) == Tier::Tiny {
        let (w, h) = size;
        let text = format!(
            "{w}x{h} is too small: please make the terminal at least 60x16. Esc leaves the lesson."
        );
        let lines: Vec<_> = wrap(&text, w.into())
            .into_iter()
            .map(|l| Row::new(theme).plain(l).done())
            .collect();
        frame.render_widget(Paragraph::new(lines), whole);
        return;
    }
    let places = lesson_layout(room, size);
    draw_screen(room, &places, frame);
    draw_card(room, places.card, frame);
    if let Some(area) = places.notes {
        let content = notes(room, usize::from(area.width.saturating_sub(2)));
        draw_box(theme, false, &content, 0, area, frame);
    }
    title(room, size, frame);
    if room.in_view {
        line(frame, size.1.saturating_sub(1), Row::new(theme).add(Role::Focus, fit(
            " LESSON: the keys are those of the screen, and nothing that you do is kept; Esc comes back to the card",
            usize::from(size.0),
        )));
        return;
    }
    line(
        frame,
        size.1.saturating_sub(2),
        status(room, usize::from(size.0)),
    );
    line(
        frame,
        size.1.saturating_sub(1),
        hints(room, usize::from(size.0)),
    );
}

fn line(frame: &mut Frame, y: u16, row: Row) {
    let area = frame.area();
    let place = Rect::new(0, y, area.width, 1).intersection(area);
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(row.done()), place);
}

/// Draws the screen of the lesson, with emphasised parts, and without hidden ones.
fn draw_screen(room: &LessonRoom, places: &LessonLayout, frame: &mut Frame) {
    let mut cells = language::cells(&room.inner);
    // An overlay is not about the view.
    if let Some(card) = room.shown()
        && room.inner.overlay.is_none()
        && !room.in_view
    {
        for place in &card.focus {
            point(&mut cells, &room.inner, place);
        }
        let hidden = card.hide.iter().filter(|_| room.asks());
        for place in hidden {
            hide(&mut cells, &room.inner, place);
        }
    }
    let rows = if room.in_view {
        cells.area.height
    } else {
        // Its own status and hints have no room: the lesson's stand there.
        cells.area.height.saturating_sub(LINES_BELOW)
    };
    let area = frame.area();
    let buffer = frame.buffer_mut();
    for y in 0..rows.min(area.height) {
        for x in 0..places.inner.0.min(area.width).min(cells.area.width) {
            buffer[(x, y)] = cells[(x, y)].clone();
        }
    }
}

/// The cells of each place where a text stands: row, first column, and one past the last.
fn found(cells: &Buffer, text: &str) -> Vec<(u16, u16, u16)> {
    let wanted: Vec<String> = text.chars().map(String::from).collect();
    let mut places = Vec::new();
    // Tabs, status and hints are not meant.
    for y in 1..cells.area.height.saturating_sub(LINES_BELOW) {
        let mut x = 0;
        while usize::from(x) + wanted.len() <= usize::from(cells.area.width) {
            let at = |n: usize| cells[(x + n as u16, y)].symbol();
            // Only whole names: N1 is not meant by N10, nor within it.
            let inside = |symbol: &str| symbol.chars().all(|c| c.is_alphanumeric() || c == '_');
            let name = |text: Option<&String>| text.is_some_and(|c| inside(c));
            let begins = x == 0 || !(name(wanted.first()) && inside(cells[(x - 1, y)].symbol()));
            let end = x + wanted.len() as u16;
            let ends = end >= cells.area.width
                || !(name(wanted.last()) && inside(cells[(end, y)].symbol()));
            if begins && ends && (0..wanted.len()).all(|n| at(n) == wanted[n]) {
                places.push((y, x, end));
                x = end;
            } else {
                x += 1;
            }
        }
    }
    places
}

fn pane_area(app: &App, place: &Emphasis) -> Option<Rect> {
    let Emphasis::OfPane(pane) = place else {
        return None;
    };
    let mut panes = layout::panes(app).into_iter();
    panes.find(|(found, _)| found == pane).map(|(_, area)| area)
}

fn point(cells: &mut Buffer, app: &App, place: &Emphasis) {
    if let Emphasis::OfText(text) = place {
        for (y, from, to) in found(cells, text) {
            for x in from..to {
                let style = cells[(x, y)]
                    .style()
                    .add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
                cells[(x, y)].set_style(style);
            }
        }
        return;
    }
    let area = pane_area(app, place)
        .unwrap_or_default()
        .intersection(cells.area);
    // A sign at both upper corners, so that it is seen without colours.
    for x in [area.left() + 1, area.right().saturating_sub(2)] {
        if area.width > 4 {
            cells[(x, area.top())]
                .set_symbol("*")
                .set_style(app.theme.style(Role::Choice));
        }
    }
}

fn hide(cells: &mut Buffer, app: &App, place: &Emphasis) {
    if let Emphasis::OfText(text) = place {
        for (y, from, to) in found(cells, text) {
            (from..to).for_each(|x| {
                cells[(x, y)].set_symbol("?");
            });
        }
        return;
    }
    let area = pane_area(app, place)
        .unwrap_or_default()
        .intersection(cells.area);
    if area.width < 4 || area.height < 3 {
        return;
    }
    for y in area.top() + 1..area.bottom() - 1 {
        for x in area.left() + 1..area.right() - 1 {
            cells[(x, y)].reset();
        }
    }
    // The text in the border counts the lines within.
    for y in [area.top(), area.bottom() - 1] {
        for x in area.left()..area.right() {
            if cells[(x, y)].symbol().chars().all(|c| c.is_ascii_digit()) {
                cells[(x, y)].set_symbol("?");
            }
        }
    }
    let text = fit("? hidden until you answer", usize::from(area.width - 4));
    cells.set_string(
        area.left() + 2,
        area.top() + area.height / 2,
        text,
        app.theme.style(Role::Dim),
    );
}

/// Right in the line of tabs: which lesson this is.
fn title(room: &LessonRoom, size: (u16, u16), frame: &mut Frame) {
    let lesson = room.lesson();
    let text = format!(" lesson: {} ", visible_line(&lesson.title));
    let columns = usize::from(size.0);
    // Tabs come first where they stand beside it.
    let taken = if is_side_by_side(size) && !room.in_view {
        usize::from(lesson_layout(room, size).inner.0)
    } else {
        0
    };
    let text = fit(&text, columns.saturating_sub(taken));
    let at = columns.saturating_sub(width(&text)) as u16;
    if room.in_view || taken == 0 {
        return;
    }
    let style = room.inner.theme.style(Role::Strong);
    frame.buffer_mut().set_stringn(at, 0, text, columns, style);
}

fn status(room: &LessonRoom, columns: usize) -> Row {
    let theme = room.inner.theme;
    let notes = [&room.said, &room.inner.note];
    if let Some(note) = notes.into_iter().find(|note| !note.is_empty()) {
        let note = format!(" {}", visible_line(note));
        return Row::new(theme).add(Role::Choice, fit(&note, columns));
    }
    let count = room.lesson().cards.len();
    let turn = match (room.finished, room.is_busy(), room.asks()) {
        (true, ..) => "the end",
        (_, true, _) => "wait ...",
        (_, _, true) => "your turn",
        _ => "go on",
    };
    let id = &room.lesson().id;
    let left = format!(" LESSON  {id} · card {}/{count} · {turn}", room.card + 1);
    let (right, all) = room.score();
    let score = match (all, room.manner.presenting) {
        (0, _) | (_, true) => String::new(),
        _ => format!("score {right}/{all} "),
    };
    let left = fit(&left, columns);
    let at = columns.saturating_sub(width(&score));
    Row::new(theme)
        .plain(left)
        .to(at)
        .add(Role::Dim, fit(&score, columns))
}

fn hints(room: &LessonRoom, columns: usize) -> Row {
    let choice = matches!(
        room.shown()
            .and_then(|card| card.ask.as_ref())
            .map(|ask| &ask.answer),
        Some(LessonAnswer::Choice(..))
    );
    let mut words: Vec<(&str, &str)> = Vec::new();
    let wanted = room.wanted_key().filter(|_| room.asks());
    match (room.asks(), choice) {
        (true, false) if wanted.is_some() => {
            let wanted = wanted.as_deref().unwrap_or_default();
            words.extend([(wanted, "try it"), ("Right", "pass over"), ("b", "back")]);
        }
        (true, true) => words.extend([("1-9", "choose"), ("Enter", "answer"), ("i", "hint")]),
        (true, false) => words.extend([
            ("Enter", "answer"),
            ("Backspace", "correct"),
            ("Right", "pass over"),
        ]),
        (false, _) => words.push(("n", "next")),
    }
    if !room.asks() || choice {
        words.extend([
            ("b", "back"),
            ("Tab", "try it"),
            ("N", "notes"),
            ("p", "play"),
            ("B", "blank"),
            ("?", "keys"),
        ]);
    }
    words.push(("Esc", "leave"));
    let mut row = Row::new(room.inner.theme);
    let last = words.len() - 1;
    // Leaving always has a place.
    let reserve = 2 + width(words[last].0) + width(words[last].1) + 1;
    for (at, (key, word)) in words.into_iter().enumerate() {
        let long = width(key) + width(word) + 3;
        let kept = if at == last { 0 } else { reserve };
        if row.width() + long + kept > columns {
            continue;
        }
        row = row
            .plain(if at == 0 { " " } else { "  " })
            .add(Role::Strong, key)
            .add(Role::Dim, format!(" {word}"));
    }
    row
}

fn draw_card(room: &LessonRoom, area: Rect, frame: &mut Frame) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let mut content = Content::new(if room.finished {
        "The end".to_owned()
    } else {
        format!("Card {} of {}", room.card + 1, room.lesson().cards.len())
    });
    content.right = match (room.asks(), room.wants()) {
        (true, Some(_)) => "your turn".to_owned(),
        (true, None) => "predict, then watch".to_owned(),
        (false, _) => String::new(),
    };
    let rows = usize::from(area.height - 2);
    for row in card_lines(room, usize::from(area.width - 2)) {
        content.push(row);
    }
    let last = content.lines.len().saturating_sub(rows);
    if last > room.scroll {
        content.footer = "PgDn: more".to_owned();
    }
    draw_box(
        room.inner.theme,
        true,
        &content,
        room.scroll.min(last),
        area,
        frame,
    );
}
