//! The text of a card: its message, the question, and the result; and the notes beside it.

use super::keys;
use super::lesson::{Lesson, LessonAnswer, LessonCard, LessonQuestion};
use super::room::LessonRoom;
use crate::app::App;
use crate::panes::Content;
use crate::source::visible_line;
use crate::text::{Row, fit, wrap};
use crate::theme::Role;

fn text(app: &App, role: Role, text: &str, columns: usize, rows: &mut Vec<Row>) {
    let theme = app.theme;
    for line in wrap(text, columns.saturating_sub(2)) {
        rows.push(Row::new(theme).plain(" ").add(role, line));
    }
}

/// The lines of the card that is shown.
pub(super) fn card_lines(app: &App, room: &LessonRoom, columns: usize) -> Vec<Row> {
    let theme = app.theme;
    let mut rows = Vec::new();
    if room.finished {
        the_end(app, room, columns, &mut rows);
        return rows;
    }
    let Some(card) = room.shown() else {
        return rows;
    };
    if !card.title.is_empty() {
        text(app, Role::Strong, &card.title, columns, &mut rows);
        rows.push(Row::new(theme));
    }
    // With little room, the notes replace the text.
    if room.notes && columns > 42 {
        let notes = if card.notes.is_empty() {
            "No notes for this card."
        } else {
            &card.notes
        };
        text(
            app,
            Role::Plain,
            &format!("Notes. {notes}"),
            columns,
            &mut rows,
        );
        return rows;
    }
    text(app, Role::Plain, &card.say, columns, &mut rows);
    if let Some(ask) = &card.ask {
        rows.push(Row::new(theme));
        question(app, room, ask, columns, &mut rows);
    }
    for (line, why) in &room.trouble {
        rows.push(Row::new(theme));
        let what = if line.line.text.is_empty() {
            format!("This went wrong: {why}")
        } else {
            format!("`{}` went wrong: {why}", line.line.text)
        };
        text(app, Role::Fail, &visible_line(&what), columns, &mut rows);
    }
    rows
}

fn question(
    app: &App,
    room: &LessonRoom,
    ask: &LessonQuestion,
    columns: usize,
    rows: &mut Vec<Row>,
) {
    let theme = app.theme;
    let key = keys::wanted_key(app, room).unwrap_or_else(|| keys::right(ask));
    text(app, Role::Strong, &ask.asked(&key), columns, rows);
    match &ask.answer {
        LessonAnswer::Choice(options, _) => {
            for (at, option) in options.iter().enumerate() {
                choice(app, room, ask, (at, option), columns, rows);
            }
        }
        LessonAnswer::Press(_) => {}
        LessonAnswer::Number(_) | LessonAnswer::Words(_) if room.asks() => {
            let typed = format!(" > {}_", visible_line(&room.typed));
            rows.push(Row::new(theme).add(Role::Strong, fit(&typed, columns)));
        }
        LessonAnswer::Number(_) | LessonAnswer::Words(_) => {
            text(
                app,
                Role::Ok,
                &format!("* {}", keys::right(ask)),
                columns,
                rows,
            );
        }
    }
    if room.asks() {
        if room.hint {
            let hint = match ask.hint.as_str() {
                "" => "There is none for this question.",
                hint => hint,
            };
            text(app, Role::Choice, &format!("Hint: {hint}"), columns, rows);
        }
        return;
    }
    rows.push(Row::new(theme));
    let (role, word) = match room.answered() {
        Some(true) => (Role::Ok, "Right. "),
        Some(false) => (Role::Fail, "Not quite. "),
        None => (Role::Plain, ""),
    };
    text(app, role, &format!("{word}{}", ask.why), columns, rows);
}

/// An option of a question, with a mark where it is chosen or right.
fn choice(
    app: &App,
    room: &LessonRoom,
    ask: &LessonQuestion,
    (at, option): (usize, &str),
    columns: usize,
    rows: &mut Vec<Row>,
) {
    let is_right = ask.is_right(at, "");
    let (mark, role) = match (room.asks(), at == room.chosen, is_right) {
        (true, true, _) => (">", Role::Selected),
        (false, _, true) => ("*", Role::Ok),
        _ => (" ", Role::Plain),
    };
    for (n, part) in wrap(option, columns.saturating_sub(6))
        .into_iter()
        .enumerate()
    {
        let head = match n {
            0 => format!(" {mark} {} ", at + 1),
            _ => "     ".to_owned(),
        };
        rows.push(Row::new(app.theme).plain(head).add(role, part));
    }
}

fn the_end(app: &App, room: &LessonRoom, columns: usize, rows: &mut Vec<Row>) {
    let theme = app.theme;
    text(app, Role::Strong, &room.lesson().title, columns, rows);
    rows.push(Row::new(theme));
    let (right, all) = room.score();
    if all > 0 && !room.manner.presenting {
        let said = format!("This was the last card. {right} of {all} first answers were right.");
        text(app, Role::Plain, &said, columns, rows);
    } else {
        text(app, Role::Plain, "This was the last card.", columns, rows);
    }
    rows.push(Row::new(theme));
    text(
        app,
        Role::Plain,
        "Enter leaves the lesson; b goes back; Tab lets you go on by yourself where it ended.",
        columns,
        rows,
    );
}

/// Notes for the presenter, and an outline.
pub(super) fn notes(app: &App, room: &LessonRoom, columns: usize) -> Content {
    let mut content = Content::new("Presenter notes");
    let theme = app.theme;
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
pub fn outline(lesson: &Lesson, shown: usize) -> String {
    let name = |(at, card): (usize, &LessonCard)| {
        let title = if card.title.is_empty() {
            "(no title)"
        } else {
            &card.title
        };
        if at == shown {
            format!("[{} {title}]", at + 1)
        } else {
            format!("{} {title}", at + 1)
        }
    };
    let names: Vec<_> = lesson.cards.iter().enumerate().map(name).collect();
    format!("outline:  {}", names.join("   "))
}
