//! A lesson on the terminal: the card beside the screen that it is about, or over its lower part where there is
//! little room.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::{Clear, Paragraph};

use super::format::{Emphasis, LessonAnswer, LessonQuestion};
use super::room::LessonRoom;
use super::shelf::Shelf;
use crate::source::visible_line;
use crate::tui::app::App;
use crate::tui::language;
use crate::tui::layout::{self, Tier};
use crate::tui::panes::{Content, draw_box};
use crate::tui::text::{Row, fit, pad, width, wrap};
use crate::tui::theme::{Role, Theme};

/// Columns of the card beside the screen.
const CARD_COLUMNS: u16 = 40;
/// Columns that the screen needs beside it to show two panes.
const SCREEN_COLUMNS: u16 = 80;
/// Rows of the notes below.
const NOTES_ROWS: u16 = 10;
/// Rows below which a screen has no panes.
const SCREEN_ROWS: u16 = 16;
/// Status and hints.
const LINES_BELOW: u16 = 2;

/// Where everything is.
struct LessonLayout {
    /// The size of the lesson's screen.
    inner: (u16, u16),
    card: Rect,
    notes: Option<Rect>,
}

fn beside(size: (u16, u16)) -> bool {
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
    if beside(size) {
        let share = if room.manner.presenting { w / 2 } else { w / 3 };
        let columns = share.clamp(CARD_COLUMNS, w - 60);
        // Two panes need so much; a larger card is worth less.
        let columns = match w - columns < SCREEN_COLUMNS {
            true if !room.manner.presenting => w - SCREEN_COLUMNS,
            _ => columns,
        };
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

/// Whether the card lies over a part of the screen.
#[must_use]
pub fn covers(room: &LessonRoom, size: (u16, u16)) -> bool {
    !room.in_view && !beside(size)
}

/// How far the card can be scrolled.
#[must_use]
pub fn scroll_max(room: &LessonRoom, size: (u16, u16)) -> usize {
    let area = lesson_layout(room, size).card;
    let lines = card_lines(room, usize::from(area.width.saturating_sub(2))).len();
    lines.saturating_sub(usize::from(area.height.saturating_sub(2)))
}

/// Where the card is.
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

/// The screen of the lesson, with what is pointed at, and without what is hidden.
fn draw_screen(room: &LessonRoom, places: &LessonLayout, frame: &mut Frame) {
    let mut cells = language::cells(&room.inner);
    // What lies over the view is not about it.
    if room.inner.overlay.is_none() && !room.in_view {
        if let Some(card) = room.shown() {
            for place in &card.focus {
                point(&mut cells, &room.inner, place);
            }
            let hidden = card.hide.iter().filter(|_| room.asks());
            for place in hidden {
                hide(&mut cells, &room.inner, place);
            }
        }
    }
    let rows = match room.in_view {
        true => cells.area.height,
        // Its own status and hints have no room: the lesson's stand there.
        false => cells.area.height.saturating_sub(LINES_BELOW),
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
    // What stands in the border counts what is within.
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
    let taken = match beside(size) && !room.in_view {
        true => usize::from(lesson_layout(room, size).inner.0),
        false => 0,
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
    if !room.inner.note.is_empty() {
        return Row::new(theme).add(Role::Choice, fit(&format!(" {}", room.inner.note), columns));
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
    match (room.asks(), choice) {
        (true, true) => words.extend([("1-9", "choose"), ("Enter", "answer"), ("i", "hint")]),
        (true, false) => words.extend([("Enter", "answer"), ("Backspace", "correct")]),
        (false, _) => words.push(("n", "next")),
    }
    if !room.asks() || choice {
        words.extend([
            ("b", "back"),
            ("Tab", "try it"),
            ("N", "notes"),
            ("p", "play"),
            ("L", "large"),
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
    let mut content = Content::new(match room.finished {
        true => "The end".to_owned(),
        false => format!("Card {} of {}", room.card + 1, room.lesson().cards.len()),
    });
    content.right = match room.asks() {
        true => "predict, then watch".to_owned(),
        false => String::new(),
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

/// A text as it stands on a card: with large letters a blank stands between all of them.
fn broken(room: &LessonRoom, text: &str, columns: usize) -> Vec<String> {
    let room_for = columns.saturating_sub(2);
    if !room.big {
        return wrap(text, room_for);
    }
    let spread = |line: String| {
        let letters: Vec<String> = line.chars().map(String::from).collect();
        letters.join(" ")
    };
    wrap(text, (room_for + 1) / 2)
        .into_iter()
        .map(spread)
        .collect()
}

fn text(room: &LessonRoom, role: Role, text: &str, columns: usize, rows: &mut Vec<Row>) {
    let theme = room.inner.theme;
    for line in broken(room, text, columns) {
        rows.push(Row::new(theme).plain(" ").add(role, line));
    }
}

fn card_lines(room: &LessonRoom, columns: usize) -> Vec<Row> {
    let theme = room.inner.theme;
    let mut rows = Vec::new();
    if room.finished {
        the_end(room, columns, &mut rows);
        return rows;
    }
    let Some(card) = room.shown() else {
        return rows;
    };
    if !card.title.is_empty() {
        text(room, Role::Strong, &card.title, columns, &mut rows);
        rows.push(Row::new(theme));
    }
    // Where there is little room, the notes take the place of the text.
    if room.notes && columns > 42 {
        let notes = if card.notes.is_empty() {
            "No notes for this card."
        } else {
            &card.notes
        };
        text(
            room,
            Role::Plain,
            &format!("Notes. {notes}"),
            columns,
            &mut rows,
        );
        return rows;
    }
    text(room, Role::Plain, &card.say, columns, &mut rows);
    if let Some(ask) = &card.ask {
        rows.push(Row::new(theme));
        question(room, ask, columns, &mut rows);
    }
    for (line, why) in &room.trouble {
        rows.push(Row::new(theme));
        let what = match line.line.text.is_empty() {
            true => format!("This went wrong: {why}"),
            false => format!("`{}` went wrong: {why}", line.line.text),
        };
        text(room, Role::Fail, &visible_line(&what), columns, &mut rows);
    }
    rows
}

fn question(room: &LessonRoom, ask: &LessonQuestion, columns: usize, rows: &mut Vec<Row>) {
    let theme = room.inner.theme;
    text(room, Role::Strong, &ask.text, columns, rows);
    match &ask.answer {
        LessonAnswer::Choice(options, right) => {
            for (at, option) in options.iter().enumerate() {
                let chosen = room.asks() && at == room.chosen;
                let role = match (room.asks(), at == *right) {
                    (true, _) if chosen => Role::Selected,
                    (false, true) => Role::Ok,
                    _ => Role::Plain,
                };
                let mark = match (chosen, !room.asks() && at == *right) {
                    (true, _) => ">",
                    (_, true) => "*",
                    _ => " ",
                };
                for (n, part) in broken(room, option, columns.saturating_sub(4))
                    .into_iter()
                    .enumerate()
                {
                    let head = match n {
                        0 => format!(" {mark} {} ", at + 1),
                        _ => "     ".to_owned(),
                    };
                    rows.push(Row::new(theme).plain(head).add(role, part));
                }
            }
        }
        LessonAnswer::Number(_) | LessonAnswer::Words(_) if room.asks() => {
            let typed = format!(" > {}_", visible_line(&room.typed));
            rows.push(Row::new(theme).add(Role::Strong, fit(&typed, columns)));
        }
        LessonAnswer::Number(_) | LessonAnswer::Words(_) => {
            text(room, Role::Ok, &format!("* {}", ask.right()), columns, rows);
        }
    }
    if room.asks() {
        if room.hint {
            let hint = if ask.hint.is_empty() {
                "There is none for this question."
            } else {
                &ask.hint
            };
            text(room, Role::Choice, &format!("Hint: {hint}"), columns, rows);
        }
        return;
    }
    rows.push(Row::new(theme));
    let (role, word) = match room.answered() {
        Some(true) => (Role::Ok, "Right. "),
        Some(false) => (Role::Fail, "Not quite. "),
        None => (Role::Plain, ""),
    };
    text(room, role, &format!("{word}{}", ask.why), columns, rows);
}

fn the_end(room: &LessonRoom, columns: usize, rows: &mut Vec<Row>) {
    let theme = room.inner.theme;
    text(room, Role::Strong, &room.lesson().title, columns, rows);
    rows.push(Row::new(theme));
    let (right, all) = room.score();
    if all > 0 && !room.manner.presenting {
        let said = format!("This was the last card. {right} of {all} first answers were right.");
        text(room, Role::Plain, &said, columns, rows);
    } else {
        text(room, Role::Plain, "This was the last card.", columns, rows);
    }
    rows.push(Row::new(theme));
    text(
        room,
        Role::Plain,
        "Enter leaves the lesson; b goes back; Tab lets you go on by yourself where it ended.",
        columns,
        rows,
    );
}

/// Notes for the presenter, and an outline.
fn notes(room: &LessonRoom, columns: usize) -> Content {
    let mut content = Content::new("Presenter notes");
    let theme = room.inner.theme;
    let notes = room.shown().map_or("", |card| card.notes.as_str());
    let notes = if notes.is_empty() {
        "No notes for this card."
    } else {
        notes
    };
    content.push_text(theme, Role::Plain, notes, columns);
    content.push(Row::new(theme));
    content.push_text(
        theme,
        Role::Dim,
        &outline(room.lesson(), room.card),
        columns,
    );
    content
}

/// The cards of a lesson by their titles, in one line; the one that is shown in brackets.
#[must_use]
pub fn outline(lesson: &super::format::Lesson, shown: usize) -> String {
    let name = |(at, card): (usize, &super::format::LessonCard)| {
        let title = if card.title.is_empty() {
            "(no title)"
        } else {
            &card.title
        };
        match at == shown {
            true => format!("[{} {title}]", at + 1),
            false => format!("{} {title}", at + 1),
        }
    };
    let names: Vec<_> = lesson.cards.iter().enumerate().map(name).collect();
    format!("outline:  {}", names.join("   "))
}

/// Draws the list of lessons.
pub fn draw_list(
    theme: Theme,
    shelf: Option<&Shelf>,
    selected: usize,
    area: Rect,
    frame: &mut Frame,
) {
    let columns = area.width.min(84);
    let inside = usize::from(columns.saturating_sub(2));
    let mut content = Content::new("Lessons");
    match shelf {
        None => content.push_text(theme, Role::Dim, "looking for lessons ...", inside),
        Some(shelf) => list_lines(theme, shelf, selected, inside, &mut content),
    }
    content.footer = "Enter begins or goes on; Esc closes".to_owned();
    let rows = (content.lines.len() as u16 + 2).min(area.height);
    let place = Rect::new(
        (area.width - columns) / 2,
        (area.height - rows) / 2,
        columns,
        rows,
    );
    let room = usize::from(rows.saturating_sub(2));
    let last = content.lines.len().saturating_sub(room);
    let first = match content.at {
        Some(at) if at >= room => at.saturating_sub(room / 2).min(last),
        _ => 0,
    };
    draw_box(theme, true, &content, first, place, frame);
}

fn list_lines(theme: Theme, shelf: &Shelf, selected: usize, columns: usize, content: &mut Content) {
    let done = |id: &str| shelf.progress.get(id).is_some_and(|p| p.done);
    let count = shelf
        .lessons
        .iter()
        .filter(|known| done(&known.lesson.id))
        .count();
    content.right = format!("{} lessons, {count} done", shelf.lessons.len());
    for (at, known) in shelf.lessons.iter().enumerate() {
        let lesson = &known.lesson;
        let progress = shelf.progress.get(&lesson.id);
        let right = |answers: &[(usize, bool)]| answers.iter().filter(|(_, right)| *right).count();
        let state = match progress {
            None => String::new(),
            Some(p) if p.done => format!("done, {}/{}", right(&p.answers), p.answers.len()),
            Some(p) => format!("at card {}", p.card + 1),
        };
        let chosen = at == selected;
        if chosen {
            content.at = Some(content.lines.len());
        }
        let role = if chosen { Role::Selected } else { Role::Plain };
        let mark = if chosen { ">" } else { " " };
        let time = format!("{:>3} min", lesson.minutes);
        let room = columns.saturating_sub(28);
        let title = format!("{} {}", at + 1, visible_line(&lesson.title));
        let row = Row::new(theme)
            .plain(format!(" {mark} "))
            .add(role, pad(&title, room));
        content.push_target(row.add(Role::Dim, format!(" {time}  {state}")), at);
    }
    for unread in &shelf.unread {
        let first = unread.lines().into_iter().next().unwrap_or_default();
        let text = format!("not read: {}", visible_line(&first));
        content.push_text(theme, Role::Fail, &text, columns);
    }
    if !shelf.note.is_empty() {
        content.push_text(theme, Role::Choice, &visible_line(&shelf.note), columns);
    }
}
