//! A lesson on the terminal: the card beside the screen that it is about, or over its lower part where there is
//! little room.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Clear;

use super::card;
use super::lesson::{Emphasis, LessonCard};
use super::room::LessonRoom;
use crate::app::App;
use crate::language;
use crate::layout::{self, Tier};
use crate::panes::{Content, draw_box};
use crate::text::{Row, fit};
use crate::theme::Role;
use crate::view;
use crate::views::Pane;

/// Columns of the card beside the screen: fewer are too narrow to read, and more are no easier.
const CARD_COLUMNS: (u16, u16) = (40, 60);
/// Columns that the screen needs beside it to show two panes.
const SCREEN_COLUMNS: u16 = 80;
/// Columns with which the screen shows all panes of a view.
const WIDE_COLUMNS: u16 = 110;
/// Rows below which a screen has no panes.
const SCREEN_ROWS: u16 = 16;
/// Rows of the views that are left above a card with a question.
const ROWS_ABOVE: u16 = 5;
/// The number of lines below: status and hints.
const LINES_BELOW: u16 = 2;

/// The areas of a lesson's screen.
#[derive(Default)]
struct LessonLayout {
    /// The size of the views.
    views: (u16, u16),
    card: Rect,
    notes: Option<Rect>,
}

fn is_side_by_side(size: (u16, u16)) -> bool {
    size.0 >= SCREEN_COLUMNS + CARD_COLUMNS.0 && size.1 >= SCREEN_ROWS
}

fn lesson_layout(app: &App, room: &LessonRoom) -> LessonLayout {
    let (w, h) = room.parked.size;
    if room.in_view {
        return LessonLayout {
            views: (w, h.saturating_sub(1).max(SCREEN_ROWS)),
            ..LessonLayout::default()
        };
    }
    // Tabs above; status and hints below.
    let body = h.saturating_sub(1 + LINES_BELOW);
    if is_side_by_side((w, h)) {
        return beside(app, room, Rect::new(0, 1, w, body));
    }
    // Over the lower part: as much as the card needs, and something of the screen above it.
    let most = (body * 2 / 3).max(body.saturating_sub(8)).max(3);
    let text = card_content(app, room, w);
    let rows = |lines: usize| (lines as u16).saturating_add(2);
    let filled = text.lines.iter().filter(|line| line.width() > 0).count();
    // A question that is not seen is not answered.
    let most = match room.asks() {
        true => rows(filled).min(body.saturating_sub(ROWS_ABOVE)).max(most),
        false => most,
    };
    let rows = rows(text.lines.len()).clamp(3, most);
    LessonLayout {
        views: (w, (h - rows.min(h)).max(SCREEN_ROWS)),
        card: Rect::new(0, (1 + body).saturating_sub(rows), w, rows),
        notes: None,
    }
}

/// The card beside the screen, and notes beside the card, or below it where there is no room.
fn beside(app: &App, room: &LessonRoom, body: Rect) -> LessonLayout {
    let (least, most) = CARD_COLUMNS;
    let has_column = room.notes && body.width >= SCREEN_COLUMNS + 2 * least;
    let columns = match has_column {
        true => least,
        // All panes of a view are worth more than a wide card.
        false if body.width >= WIDE_COLUMNS + least => {
            (body.width / 3).min(body.width - WIDE_COLUMNS)
        }
        false => body.width / 3,
    };
    let columns = columns.clamp(least, most);
    let notes_columns = if has_column { least } else { 0 };
    let mut card = Rect {
        x: body.width - columns - notes_columns,
        width: columns,
        ..body
    };
    let mut notes = room.notes.then_some(Rect {
        x: body.width - least,
        width: least,
        ..body
    });
    if let Some(notes) = notes.as_mut().filter(|_| !has_column) {
        let rows = |content: &Content| content.lines.len() as u16 + 2;
        let card_rows = rows(&card_content(app, room, columns));
        let all = rows(&card::notes(app, room, usize::from(columns - 2)));
        // What the card leaves; if that is too little, a part of the card is scrolled.
        let left = body.height.saturating_sub(card_rows).max(body.height / 3);
        card.height = body.height - all.min(left);
        *notes = Rect {
            y: card.bottom(),
            height: body.height - card.height,
            ..card
        };
    }
    LessonLayout {
        views: (card.x, body.height + 1 + LINES_BELOW),
        card,
        notes,
    }
}

/// The text of the card for a box of so many columns. Where the notes have no box, they are a part of it.
fn card_content(app: &App, room: &LessonRoom, columns: u16) -> Content {
    let with_notes = room.notes && !is_side_by_side(room.parked.size);
    card::content(app, room, with_notes, columns.saturating_sub(2).into())
}

/// The text of the card for its box. Where that is too low, blank lines give way first: the question is at the end.
fn fitted_card(app: &App, room: &LessonRoom, area: Rect) -> Content {
    let mut content = card_content(app, room, area.width);
    let mut surplus = content
        .lines
        .len()
        .saturating_sub((area.height.max(2) - 2).into());
    content.lines.retain(|line| {
        let gives_way = surplus > 0 && line.width() == 0;
        surplus -= usize::from(gives_way);
        !gives_way
    });
    content
}

/// Gives the views the size that the card leaves them, and shows the pane that the card points at. Where the card
/// covers a part of the screen, they show one pane. Returns whether another pane is shown.
pub fn fit_views(app: &mut App, room: &mut LessonRoom) -> bool {
    if room.manner.strict {
        app.size = room.parked.size;
        return false;
    }
    let places = lesson_layout(app, room);
    app.size = places.views;
    let content = fitted_card(app, room, places.card);
    let rows = usize::from(places.card.height.saturating_sub(2));
    room.scroll = room.scroll.min(content.lines.len().saturating_sub(rows));
    let covers = !room.in_view && !is_side_by_side(room.parked.size);
    if covers != room.covers {
        (room.covers, app.zoom) = (covers, covers);
    }
    let Some(card) = room.shown().filter(|_| !room.in_view && !room.finished) else {
        return false;
    };
    // After the answer, its lines may have chosen another one.
    let pane = Some(card).filter(|card| room.asks() || card.then.is_empty());
    let pane = pane.and_then(|card| shown_pane(app, card));
    if let Some(pane) = pane {
        app.focus_on(pane);
    }
    if covers && !missing(app, &card.focus).is_empty() {
        // A higher pane may have room for it; its row is then moved to where it is seen.
        app.size.1 = room.parked.size.1.max(SCREEN_ROWS);
    }
    pane.is_some()
}

/// The pane of the present view that a card points at, if it points at no pane that is drawn.
fn shown_pane(app: &App, card: &LessonCard) -> Option<Pane> {
    let panes = card.focus.iter().filter_map(|place| match place {
        Emphasis::OfPane(pane) if app.view.panes().contains(pane) => Some(*pane),
        _ => None,
    });
    let panes: Vec<_> = panes.collect();
    let is_seen = |pane: &Pane| area_of(app, *pane).is_some();
    let first = panes.first().filter(|_| !panes.iter().any(is_seen));
    first.and_then(|pane| layout::place_of(app, *pane))
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
    draw_views(app, room, places.card.top(), frame);
    if room.in_view {
        let text = match app.overlay {
            None => " LESSON  Esc comes back to the card; nothing here is kept",
            Some(_) => " LESSON  Esc closes this; once more, back to the card",
        };
        let row = Row::new(app.theme).add(Role::Focus, fit(text, size.0.into()));
        view::line(app, frame, size.1.saturating_sub(1), row.done());
        return;
    }
    draw_card(app, room, places.card, frame);
    if let Some(area) = places.notes {
        let content = card::notes(app, room, usize::from(area.width.saturating_sub(2)));
        draw_box(app.theme, false, &content, 0, area, frame);
    }
    view::line(app, frame, 0, view::tabs(app));
    view::lines_below(app, frame);
}

/// Draws the views, with emphasised parts, and without hidden ones.
fn draw_views(app: &App, room: &LessonRoom, card_top: u16, frame: &mut Frame) {
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
    let buffer = frame.buffer_mut();
    // On a card, its own status and hints stand where those of the views would.
    let below = if room.in_view { 0 } else { LINES_BELOW };
    let height = cells.area.height.saturating_sub(below);
    let mut rows: Vec<u16> = (0..height).collect();
    if room.covers {
        rows.truncate(card_top.into());
        let wanted = rows_pointed_at(&cells, room);
        let holds = |area: &Rect| {
            wanted
                .first()
                .is_some_and(|y| (area.top()..area.bottom()).contains(y))
        };
        let panes = layout::panes(app).into_iter().map(|(_, area)| area);
        let border = panes.filter(holds).map(|area| area.top()).min();
        gather(&mut rows, &wanted, height, border.unwrap_or(1));
    }
    for (y, from) in (0..buffer.area.height).zip(rows) {
        for x in 0..cells.area.width.min(buffer.area.width) {
            buffer[(x, y)] = cells[(x, from)].clone();
        }
    }
}

/// The first row of each text that the card points at.
fn rows_pointed_at(cells: &Buffer, room: &LessonRoom) -> Vec<u16> {
    let card = room.shown().filter(|_| !room.finished);
    let places = card.map_or(&[][..], |card| &card.focus).iter();
    let mut rows: Vec<u16> = places
        .filter_map(|place| match place {
            Emphasis::OfText(text) => found(cells, text).first().map(|(y, ..)| *y),
            Emphasis::OfPane(_) => None,
        })
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Exchanges rows so that the wanted ones are among them: those between two wanted ones give way first. The tabs and
/// the upper border of their pane stay.
fn gather(rows: &mut Vec<u16>, wanted: &[u16], height: u16, border: u16) {
    let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
        return;
    };
    let count = rows.len();
    if count <= 2 || usize::from(*last) < count {
        return;
    }
    *rows = vec![0, border];
    rows.extend(wanted.iter().filter(|row| **row > border));
    let around = (*first..height).chain((border..*first).rev());
    for row in around {
        if rows.len() < count && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.truncate(count);
    rows.sort_unstable();
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

/// The place of a pane, or of the one in which it is shown, if that is drawn.
fn area_of(app: &App, pane: Pane) -> Option<Rect> {
    let panes = layout::panes(app);
    let area = |pane: Pane| panes.iter().find(|(found, _)| *found == pane);
    let found = area(pane).or_else(|| area(layout::place_of(app, pane)?));
    found.map(|(_, area)| *area)
}

/// The places that the views do not show, each as a sentence.
pub(super) fn missing(app: &App, places: &[Emphasis]) -> Vec<String> {
    let cells = language::buffer(app.size, |frame| view::views(app, frame));
    let told = places.iter().filter_map(|place| match place {
        Emphasis::OfText(text) if found(&cells, text).is_empty() => {
            Some(format!("the screen does not show `{text}`"))
        }
        Emphasis::OfPane(pane) if area_of(app, *pane).is_none() => {
            let view = app.view.name();
            Some(format!(
                "the view {view} does not show the pane `{}`",
                pane.name()
            ))
        }
        _ => None,
    });
    told.collect()
}

/// Points at a place in one colour: a pane has a frame of it and an arrow before its title, a text is underlined.
fn point(cells: &mut Buffer, app: &App, place: &Emphasis) {
    let style = app.theme.style(Role::Choice);
    match place {
        Emphasis::OfText(text) => {
            for (y, from, to) in found(cells, text) {
                let text = Rect::new(from, y, to - from, 1);
                cells.set_style(text, style.add_modifier(Modifier::UNDERLINED));
            }
        }
        Emphasis::OfPane(pane) => {
            let area = area_of(app, *pane).unwrap_or_default();
            let area = area.intersection(cells.area);
            if area.width < 4 || area.height < 2 {
                return;
            }
            for at in area.positions() {
                let columns = area.left() + 1..area.right() - 1;
                let rows = area.top() + 1..area.bottom() - 1;
                if !columns.contains(&at.x) || !rows.contains(&at.y) {
                    cells[at].set_style(style);
                }
            }
            cells[(area.left() + 1, area.top())].set_symbol("→");
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
    let Emphasis::OfPane(pane) = place else {
        return;
    };
    let area = area_of(app, *pane).unwrap_or_default();
    let area = area.intersection(cells.area);
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

fn draw_card(app: &App, room: &LessonRoom, area: Rect, frame: &mut Frame) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let rows = usize::from(area.height - 2);
    let mut content = fitted_card(app, room, area);
    let last = content.lines.len().saturating_sub(rows);
    if last > room.scroll {
        content.footer = "PgDn: more".to_owned();
    }
    let first = room.scroll.min(last);
    let has_keys = app.overlay.is_none();
    draw_box(app.theme, has_keys, &content, first, area, frame);
}
