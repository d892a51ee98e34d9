//! The keys of a lesson.

use super::format::LessonAnswer;
use super::room::LessonRoom;
use crate::app::Effect;
use crate::command::Command;
use crate::keys;
use crate::registry;

/// The result of a key.
pub enum LessonKey {
    /// The key was handled; these effects are of the lesson's screen.
    Done(Vec<Effect>),
    /// The key is meant for the lesson's screen.
    ForScreen,
    /// The lesson is to be left.
    Leave,
}

/// The keys, as they are listed.
pub const LESSON_KEYS: [(&str, &str); 12] = [
    (
        "n, Right, Space",
        "the next card; a question may be passed over",
    ),
    (
        "b, Left",
        "the card before, with the screen as it was there",
    ),
    ("1-9, j, k", "choose an answer"),
    ("Enter", "answer, or the next card"),
    ("i", "a hint"),
    (
        "PgDn, PgUp",
        "scroll the card; j and k do, too, where there is nothing to choose",
    ),
    (
        "Tab",
        "use the screen yourself, with all its keys; Esc comes back to the card",
    ),
    (
        "p, +, -",
        "play the steps of Orbit once more, faster or more slowly",
    ),
    ("N", "notes"),
    ("B", "a blank screen, until the next key"),
    ("?", "these keys"),
    ("Esc, q", "leave the lesson; the place is kept"),
];

impl LessonRoom {
    /// Handles a key.
    pub fn key(&mut self, key: &str) -> LessonKey {
        self.said.clear();
        if self.blank {
            self.blank = false;
            return LessonKey::Done(Vec::new());
        }
        if matches!(key, "ctrl-z" | "ctrl-l") {
            return LessonKey::ForScreen;
        }
        if self.inner.overlay.is_some() && !self.in_view {
            // A text that was shown by `?` or by the screen itself.
            return LessonKey::ForScreen;
        }
        if self.in_view {
            let free = self.inner.overlay.is_none() && self.inner.typed.prefix.is_none();
            if key == "esc" && free {
                self.in_view = false;
                return LessonKey::Done(Vec::new());
            }
            return LessonKey::ForScreen;
        }
        if self.types(key) {
            return LessonKey::Done(Vec::new());
        }
        if let Some(command) = self.wants()
            && registry::keys_of(&self.inner, command).contains(&key)
        {
            command.id.clone_into(&mut self.typed);
            return LessonKey::Done(self.answer());
        }
        if self.finished && matches!(key, "enter" | "n" | "right" | "space") {
            return LessonKey::Leave;
        }
        self.card_key(key)
    }

    fn card_key(&mut self, key: &str) -> LessonKey {
        let choice = self.options();
        let effects = match key {
            "enter" | "space" if self.wants().is_some() => {
                let wanted = self.wanted_key().unwrap_or_default();
                self.inner.note = format!("this card waits for {wanted}; Right passes over it");
                Vec::new()
            }
            "enter" if self.asks() => self.answer(),
            "n" | "right" | "space" | "enter" => self.go_on(),
            "b" | "left" => self.back(),
            "j" | "down" if choice > 0 => self.choose(self.chosen + 1),
            "k" | "up" if choice > 0 => self.choose(self.chosen.saturating_sub(1)),
            "j" | "down" => self.scroll_by(1),
            "k" | "up" => self.scroll_by(-1),
            "pgdn" | "ctrl-d" => self.scroll_by(5),
            "pgup" | "ctrl-u" => self.scroll_by(-5),
            "i" => {
                self.hint = !self.hint;
                Vec::new()
            }
            "tab" => {
                self.in_view = true;
                Vec::new()
            }
            "p" | "+" | "=" | "-" => self.playing(key),
            "N" => {
                self.notes = !self.notes;
                Vec::new()
            }
            "B" => {
                self.blank = true;
                Vec::new()
            }
            "?" | "f1" => {
                let line = |(key, what): &(&str, &str)| format!("{key:<16} {what}");
                let lines: Vec<_> = LESSON_KEYS.iter().map(line).collect();
                self.inner.tell("Keys of a lesson", &lines.join("\n"));
                Vec::new()
            }
            "esc" | "q" => return LessonKey::Leave,
            _ => {
                if let Some(digit) = keys::digit(key).filter(|d| (1..=choice).contains(d)) {
                    self.choose(digit - 1);
                } else {
                    let shown = keys::shown(key);
                    self.inner.note = format!(
                        "{shown} does nothing on a card; ? shows what works, Tab goes to the screen"
                    );
                }
                Vec::new()
            }
        };
        LessonKey::Done(effects)
    }

    /// The command whose key the card waits for.
    #[must_use]
    pub fn wants(&self) -> Option<&'static Command> {
        let ask = self.shown().and_then(|card| card.ask.as_ref());
        ask.filter(|_| self.asks())?.command()
    }

    /// The text of that key for users.
    #[must_use]
    pub fn wanted_key(&self) -> Option<String> {
        let command = self.shown()?.ask.as_ref()?.command()?;
        Some(keys::shown(registry::key_of(&self.inner, command)))
    }

    /// The number of options of the open question.
    fn options(&self) -> usize {
        let ask = self.shown().and_then(|card| card.ask.as_ref());
        match ask.filter(|_| self.asks()).map(|ask| &ask.answer) {
            Some(LessonAnswer::Choice(options, _)) => options.len(),
            _ => 0,
        }
    }

    /// Whether a key is part of a typed answer.
    fn types(&mut self, key: &str) -> bool {
        let ask = self.shown().and_then(|card| card.ask.as_ref());
        let typed = match ask.filter(|_| self.asks()).map(|ask| &ask.answer) {
            Some(LessonAnswer::Number(_)) => |c: char| c.is_ascii_digit() || c == ',',
            Some(LessonAnswer::Words(_)) => |c: char| !c.is_control(),
            _ => return false,
        };
        if key == "backspace" {
            self.typed.pop();
            return true;
        }
        // The first blank goes on to the next card, as everywhere.
        if key == "space" && !self.typed.is_empty() {
            self.typed.push(' ');
            return true;
        }
        let mut chars = key.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if typed(c) => {
                // The text that fits into one line of a card.
                if self.typed.chars().count() < 40 {
                    self.typed.push(c);
                }
                true
            }
            _ => false,
        }
    }

    fn choose(&mut self, option: usize) -> Vec<Effect> {
        self.chosen = option.min(self.options().saturating_sub(1));
        Vec::new()
    }

    /// Scrolls the card.
    pub fn scroll_by(&mut self, lines: isize) -> Vec<Effect> {
        // Too far is corrected by the drawing, which knows the size of the card.
        self.scroll = self.scroll.saturating_add_signed(lines);
        Vec::new()
    }

    /// A key that Orbit knows.
    fn playing(&mut self, key: &str) -> Vec<Effect> {
        let id = match key {
            "p" => "play",
            "-" => "slower",
            _ => "faster",
        };
        registry::by_id(id).map_or_else(Vec::new, |command| {
            registry::run(&mut self.inner, command, 1)
        })
    }
}
