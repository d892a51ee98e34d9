//! A lesson on the terminal: the card beside the screen that it is about, or over its lower part where there is
//! little room.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Clear;

use super::card;
use super::lesson::Emphasis;
use super::room::LessonRoom;
use crate::app::App;
use crate::language;
use crate::layout::{self, Tier};
use crate::panes::draw_box;
use crate::source::visible_line;
use crate::text::{Row, fit, width};
use crate::theme::Role;
use crate::view;

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
    /// The size of the views.
    views: (u16, u16),
    card: Rect,
    notes: Option<Rect>,
}

fn is_side_by_side(size: (u16, u16)) -> bool {
    size.0 >= SCREEN_COLUMNS + CARD_COLUMNS && size.1 >= SCREEN_ROWS
}

fn lesson_layout(app: &App, room: &LessonRoom) -> LessonLayout {
    let size = room.parked.size;
    let (w, h) = size;
    // Tabs above; status and hints below.
    let body = h.saturating_sub(1 + LINES_BELOW);
    if room.in_view {
        let card = Rect::new(0, 0, 0, 0);
        return LessonLayout {
            views: (w, h.saturating_sub(1).max(SCREEN_ROWS)),
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
            views: (w - columns, above + 1 + LINES_BELOW),
            card: Rect::new(w - columns, 1, columns, above),
            notes,
        };
    }
    // Over the lower part: as much as the card needs, and something of the screen above it.
    let most = (body * 2 / 3).max(body.saturating_sub(8));
    let text = card::content(app, room, usize::from(w.saturating_sub(2)));
    let rows = (text.lines.len() as u16)
        .saturating_add(2)
        .clamp(3, most.max(3));
    LessonLayout {
        views: (w, (h - rows.min(h)).max(SCREEN_ROWS)),
        card: Rect::new(0, (1 + body).saturating_sub(rows), w, rows),
        notes: None,
    }
}

/// Gives the views the size that the card leaves them; where it covers a part of the screen, they show one pane.
pub fn fit_views(app: &mut App, room: &mut LessonRoom) {
    if room.manner.strict {
        app.size = room.parked.size;
        return;
    }
    let places = lesson_layout(app, room);
    app.size = places.views;
    let content = card::content(app, room, places.card.width.saturating_sub(2).into());
    let rows = usize::from(places.card.height.saturating_sub(2));
    room.scroll = room.scroll.min(content.lines.len().saturating_sub(rows));
    let covers = !room.in_view && !is_side_by_side(room.parked.size);
    if covers != room.covers {
        (room.covers, app.zoom) = (covers, covers);
    }
}

/// The area of the card.
#[must_use]
pub fn card_area(app: &App, room: &LessonRoom) -> Rect {
    lesson_layout(app, room).card
}

/// Draws a lesson.
pub fn draw(app: &App, room: &LessonRoom, frame: &mut Frame) {
    let size = room.parked.size;
    let area = frame.area();
    frame.render_widget(Clear, area);
    if room.blank {
        return;
    }
    frame.buffer_mut().set_style(area, app.theme.ground());
    if layout::tier(size) == Tier::Tiny {
        view::tiny(app, frame);
        return;
    }
    let places = lesson_layout(app, room);
    draw_views(app, room, frame);
    if room.in_view {
        let text = " LESSON: the keys are those of the screen, and nothing that you do is kept; Esc comes back to the card";
        let row = Row::new(app.theme).add(Role::Focus, fit(text, size.0.into()));
        view::line(app, frame, size.1.saturating_sub(1), row.done());
        return;
    }
    draw_card(app, room, places.card, frame);
    if let Some(area) = places.notes {
        let content = card::notes(app, room, usize::from(area.width.saturating_sub(2)));
        draw_box(app.theme, false, &content, 0, area, frame);
    }
    title(app, room, frame);
    view::lines_below(app, frame);
}

/// Draws the views, with emphasised parts, and without hidden ones.
fn draw_views(app: &App, room: &LessonRoom, frame: &mut Frame) {
    let mut cells = language::buffer(app.size, |frame| view::views(app, frame));
    // An overlay is not about the view.
    if let Some(card) = room.shown()
        && app.overlay.is_none()
        && !room.in_view
    {
        for place in &card.focus {
            point(&mut cells, app, place);
        }
        let hidden = card.hide.iter().filter(|_| room.asks());
        for place in hidden {
            hide(&mut cells, app, place);
        }
    }
    // On a card, its own status and hints stand where those of the views would.
    let below = if room.in_view { 0 } else { LINES_BELOW };
    let drawn = Rect {
        height: cells.area.height.saturating_sub(below),
        ..cells.area
    };
    let drawn = drawn.intersection(frame.area());
    let buffer = frame.buffer_mut();
    for place in drawn.positions() {
        buffer[place] = cells[place].clone();
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
fn title(app: &App, room: &LessonRoom, frame: &mut Frame) {
    let size = room.parked.size;
    if !is_side_by_side(size) {
        return;
    }
    let columns = usize::from(size.0);
    let text = format!(" lesson: {} ", visible_line(&room.lesson().title));
    // Tabs come first.
    let text = fit(&text, columns.saturating_sub(app.size.0.into()));
    let at = columns.saturating_sub(width(&text)) as u16;
    let style = app.theme.style(Role::Strong);
    frame.buffer_mut().set_stringn(at, 0, text, columns, style);
}

fn draw_card(app: &App, room: &LessonRoom, area: Rect, frame: &mut Frame) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let rows = usize::from(area.height - 2);
    let mut content = card::content(app, room, usize::from(area.width - 2));
    let last = content.lines.len().saturating_sub(rows);
    if last > room.scroll {
        content.footer = "PgDn: more".to_owned();
    }
    let first = room.scroll.min(last);
    draw_box(app.theme, true, &content, first, area, frame);
}
