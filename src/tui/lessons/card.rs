//! The text of a card: its message, the question, and the result; and the notes beside it.

use super::keys;
use super::lesson::{Lesson, LessonAnswer, LessonCard, LessonQuestion};
use super::room::LessonRoom;
use crate::app::App;
use crate::panes::Content;
use crate::source::visible_line;
use crate::text::{Row, fit, wrap};
use crate::theme::Role;

/// The text of a card, as it is put together for a number of columns.
struct CardText<'a> {
    app: &'a App,
    room: &'a LessonRoom,
    columns: usize,
    content: Content,
}

impl CardText<'_> {
    fn say(&mut self, role: Role, text: &str) {
        let theme = self.app.theme;
        self.content.push_text(theme, role, text, self.columns);
    }

    fn blank_line(&mut self) {
        self.content.push(Row::new(self.app.theme));
    }

    fn question(&mut self, ask: &LessonQuestion) {
        let (app, room) = (self.app, self.room);
        let key = keys::wanted_key(app, room).unwrap_or_else(|| keys::right(ask));
        self.say(Role::Strong, &ask.asked(&key));
        match &ask.answer {
            LessonAnswer::Choice(options, right) => {
                for (at, option) in options.iter().enumerate() {
                    self.option(at, option, at == *right);
                }
            }
            LessonAnswer::Press(_) => {}
            LessonAnswer::Number(_) | LessonAnswer::Words(_) if room.asks() => {
                let typed = fit(&format!(" > {}_", visible_line(&room.typed)), self.columns);
                let row = Row::new(app.theme).add(Role::Strong, typed);
                self.content.push(row);
            }
            LessonAnswer::Number(_) | LessonAnswer::Words(_) => {
                self.say(Role::Ok, &format!("* {}", keys::right(ask)));
            }
        }
        if !room.asks() {
            // A presenter shows the answer, and is not examined.
            let scored = room.answered().filter(|_| !room.manner.presenting);
            let (role, word) = match scored {
                Some(true) => (Role::Ok, "Right. "),
                Some(false) => (Role::Fail, "Not quite. "),
                None => (Role::Plain, ""),
            };
            self.blank_line();
            self.say(role, &format!("{word}{}", ask.why));
        } else if room.hint {
            self.say(Role::Choice, &format!("Hint: {}", ask.hint));
        }
    }

    /// An option of a question, with a mark where it is chosen or right.
    fn option(&mut self, at: usize, option: &str, is_right: bool) {
        let (mark, role) = match (self.room.asks(), at == self.room.chosen, is_right) {
            (true, true, _) => (">", Role::Selected),
            (false, _, true) => ("*", Role::Ok),
            _ => (" ", Role::Plain),
        };
        let mut head = format!(" {mark} {} ", at + 1);
        for part in wrap(option, self.columns.saturating_sub(6)) {
            let row = Row::new(self.app.theme).plain(head).add(role, part);
            self.content.push(row);
            head = "     ".to_owned();
        }
    }

    fn the_end(&mut self) {
        self.say(Role::Strong, &self.room.lesson().title);
        self.blank_line();
        let mut said = "This was the last card.".to_owned();
        let (right, all) = self.room.score();
        if all > 0 && !self.room.manner.presenting {
            said += &format!(" {right} of {all} first answers were right.");
        }
        self.say(Role::Plain, &said);
        self.blank_line();
        let keys = match self.room.class.following.first() {
            None => "Enter leaves the lesson; b goes back;".to_owned(),
            Some((next, _)) => {
                let title = &next.lesson.title;
                format!("Enter goes on with the next lesson, \"{title}\"; Esc leaves; b goes back;")
            }
        };
        let all = format!("{keys} Tab lets you go on by yourself where it ended.");
        self.say(Role::Plain, &all);
    }
}

/// A text, or another one if it is empty.
fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

/// The notes of a card.
fn notes_of(card: &LessonCard) -> &str {
    or(&card.notes, "No notes for this card.")
}

/// The card that is shown, and at its end the notes if they have no place of their own.
pub(super) fn content(app: &App, room: &LessonRoom, with_notes: bool, columns: usize) -> Content {
    let count = room.lesson().cards.len();
    let title = match room.finished {
        true => "The end".to_owned(),
        false => format!("Card {} of {count}", room.card + 1),
    };
    let mut text = CardText {
        app,
        room,
        columns,
        content: Content::new(title),
    };
    let turn = match (room.asks(), keys::wants(room)) {
        (true, Some(_)) => "your turn",
        (true, None) => "predict, then watch",
        (false, _) => "",
    };
    turn.clone_into(&mut text.content.right);
    match room.shown() {
        _ if room.finished => text.the_end(),
        None => {}
        Some(card) => {
            if !card.title.is_empty() {
                text.say(Role::Strong, &card.title);
                text.blank_line();
            }
            text.say(Role::Plain, &card.say);
            if let Some(ask) = &card.ask {
                text.blank_line();
                text.question(ask);
            }
            for (line, why) in &room.trouble {
                let what = match line.line.text.as_str() {
                    "" => format!("This went wrong: {why}"),
                    line => format!("`{line}` went wrong: {why}"),
                };
                text.blank_line();
                text.say(Role::Fail, &visible_line(&what));
            }
            if with_notes {
                text.blank_line();
                text.say(Role::Choice, &format!("Notes: {}", notes_of(card)));
            }
        }
    }
    text.content
}

/// Notes for the presenter, and an outline.
pub(super) fn notes(app: &App, room: &LessonRoom, columns: usize) -> Content {
    let mut content = Content::new("Presenter notes");
    let notes = room.shown().map_or("", notes_of);
    content.push_text(app.theme, Role::Plain, notes, columns);
    content.push(Row::new(app.theme));
    for (at, card) in room.lesson().cards.iter().enumerate() {
        let (mark, role) = match at == room.card {
            true => (">", Role::Strong),
            false => (" ", Role::Dim),
        };
        let title = format!("{mark} {} {}", at + 1, titled(card));
        let row = Row::new(app.theme).add(role, fit(&title, columns));
        content.push(row);
    }
    content
}

/// The title of a card.
fn titled(card: &LessonCard) -> &str {
    or(&card.title, "(no title)")
}

/// The cards of a lesson by their titles, in one line; the one that is shown in brackets.
#[must_use]
pub fn outline(lesson: &Lesson, shown: usize) -> String {
    let name = |(at, card): (usize, &LessonCard)| {
        let name = format!("{} {}", at + 1, titled(card));
        match at == shown {
            true => format!("[{name}]"),
            false => name,
        }
    };
    let names: Vec<_> = lesson.cards.iter().enumerate().map(name).collect();
    format!("outline:  {}", names.join("   "))
}
