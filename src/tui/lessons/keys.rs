//! Keys that a question of a lesson takes: those of the answer, and the one that a card waits for.

use super::lesson::{LessonAnswer, LessonQuestion};
use super::room::LessonRoom;
use crate::app::App;
use crate::command::Command;
use crate::keys;
use crate::registry;
use crate::text_line::TextLine;

/// Columns of a typed answer, which fit into one line of a card.
const TYPED_MAX: usize = 40;

/// The command whose key a question asks for.
#[must_use]
pub fn command(question: &LessonQuestion) -> Option<&'static Command> {
    match &question.answer {
        LessonAnswer::Press(line) => registry::by_id(&line.line.text),
        _ => None,
    }
}

/// The right answer, as people write it.
#[must_use]
pub fn right(question: &LessonQuestion) -> String {
    match &question.answer {
        LessonAnswer::Choice(options, right) => options.get(*right).cloned(),
        LessonAnswer::Number(number) => Some(number.to_string()),
        LessonAnswer::Words(words) => words.first().cloned(),
        LessonAnswer::Press(_) => command(question).map(|command| keys::shown(command.key())),
    }
    .unwrap_or_default()
}

/// The command whose key the card waits for.
#[must_use]
pub fn wants(room: &LessonRoom) -> Option<&'static Command> {
    command(room.shown()?.ask.as_ref()?).filter(|_| room.asks())
}

/// The text for users of the key that the card is about.
#[must_use]
pub fn wanted_key(app: &App, room: &LessonRoom) -> Option<String> {
    let command = command(room.shown()?.ask.as_ref()?)?;
    Some(keys::shown(registry::key_of(app, command)))
}

/// Handles a key as a part of an answer, or as the way back from the views. Returns whether it was that.
pub fn typed(app: &mut App, key: &str) -> bool {
    let Some(mut room) = app.lesson.take() else {
        return false;
    };
    let taken = if room.in_view {
        let back = key == "esc" && app.typed.prefix.is_none();
        room.in_view &= !back;
        back
    } else if let Some(command) = wants(&room) {
        let pressed = registry::keys_of(app, command).contains(&key);
        let waits = matches!(key, "enter" | "space");
        if pressed {
            command.id.clone_into(&mut room.typed);
            room.answer();
        } else if waits {
            let wanted = wanted_key(app, &room).unwrap_or_default();
            app.note = format!("this card waits for {wanted}; Right passes over it");
        }
        pressed || waits
    } else {
        types(&mut room, &mut app.line, key)
    };
    app.lesson = Some(room);
    taken
}

/// Handles a key as a part of a typed answer. Returns whether it was one.
fn types(room: &mut LessonRoom, line: &mut TextLine, key: &str) -> bool {
    let takes = takes(room, key);
    if takes && (key == "backspace" || room.typed.chars().count() < TYPED_MAX) {
        line.edit(&mut room.typed, key);
    }
    takes
}

/// Whether a key is part of a typed answer.
#[must_use]
pub fn takes(room: &LessonRoom, key: &str) -> bool {
    let ask = room.shown().and_then(|card| card.ask.as_ref());
    let fits = match ask.filter(|_| room.asks()).map(|ask| &ask.answer) {
        Some(LessonAnswer::Number(_)) => |c: char| c.is_ascii_digit() || c == ',',
        Some(LessonAnswer::Words(_)) => |c: char| !c.is_control(),
        _ => return false,
    };
    // The first blank goes on to the next card, as everywhere.
    let edits = key == "backspace" || (key == "space" && !room.typed.is_empty());
    let mut chars = key.chars();
    edits || (chars.next().is_some_and(fits) && chars.next().is_none())
}
