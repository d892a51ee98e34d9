//! Lines of text that a person types: the caret, the keys that edit, and lines that were entered before.

use tui_input::{Input, InputRequest};

use super::keys::LINE_MAX;
use super::text::{Row, width};
use super::theme::Role;

/// Keys that move in a line and delete parts of it, as shells have them.
const EDITS: [(&str, InputRequest); 19] = [
    ("left", InputRequest::GoToPrevChar),
    ("right", InputRequest::GoToNextChar),
    ("ctrl-left", InputRequest::GoToPrevWord),
    ("alt-left", InputRequest::GoToPrevWord),
    ("alt-b", InputRequest::GoToPrevWord),
    ("ctrl-right", InputRequest::GoToNextWord),
    ("alt-right", InputRequest::GoToNextWord),
    ("alt-f", InputRequest::GoToNextWord),
    ("home", InputRequest::GoToStart),
    ("ctrl-a", InputRequest::GoToStart),
    ("end", InputRequest::GoToEnd),
    ("ctrl-e", InputRequest::GoToEnd),
    ("delete", InputRequest::DeleteNextChar),
    ("ctrl-h", InputRequest::DeletePrevChar),
    ("ctrl-w", InputRequest::DeletePrevWord),
    ("alt-backspace", InputRequest::DeletePrevWord),
    ("alt-d", InputRequest::DeleteNextWord),
    ("ctrl-u", InputRequest::DeleteLine),
    ("ctrl-k", InputRequest::DeleteTillEnd),
];

/// The number of entered lines that are remembered.
const REMEMBERED: usize = 100;

/// The kinds of lines, each with lines entered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Commands behind `:`.
    Command,
    /// Conditions of states.
    Condition,
    /// Filters and searches of a view.
    Filter,
}

/// The line that is being typed; its text is where it is needed.
#[derive(Clone, Debug, Default)]
pub struct TextLine {
    /// Characters behind the caret.
    behind: usize,
    /// Lines that were entered, the latest last.
    entered: Vec<(LineKind, String)>,
    /// The one of these that is shown.
    recalled: Option<usize>,
}

impl TextLine {
    /// Begins another line, at its end.
    pub fn begin(&mut self) {
        (self.behind, self.recalled) = (0, None);
    }

    /// Edits the line. Returns whether this key edits: characters always do, other keys where there is a text.
    pub fn edit(&mut self, text: &mut String, key: &str) -> bool {
        let mut typed = key.chars();
        let request = match (key, typed.next(), typed.next()) {
            ("space", ..) => InputRequest::InsertChar(' '),
            ("backspace", ..) => InputRequest::DeletePrevChar,
            (_, Some(c), None) => InputRequest::InsertChar(c),
            _ if text.is_empty() => return false,
            _ => match EDITS.into_iter().find(|(name, _)| *name == key) {
                Some((_, request)) => request,
                None => return false,
            },
        };
        if matches!(request, InputRequest::InsertChar(_)) && text.len() >= LINE_MAX {
            return true;
        }
        let mut input = self.input(text);
        input.handle(request);
        let (value, caret) = (input.value().to_owned(), input.cursor());
        self.behind = Input::new(value.clone()).cursor() - caret;
        *text = value;
        true
    }

    fn input(&self, text: &str) -> Input {
        let input = Input::new(text.to_owned());
        let caret = input.cursor().saturating_sub(self.behind);
        input.with_cursor(caret)
    }

    /// Remembers a line that was entered.
    pub fn enter(&mut self, kind: LineKind, text: &str) {
        let text = text.trim();
        self.recalled = None;
        if text.is_empty() {
            return;
        }
        self.entered.retain(|(k, line)| *k != kind || line != text);
        self.entered.push((kind, text.to_owned()));
        if self.entered.len() > REMEMBERED {
            self.entered.remove(0);
        }
    }

    /// Shows the line entered before the shown one, or after it. Returns whether there is one.
    pub fn recall(&mut self, kind: LineKind, text: &mut String, older: bool) -> bool {
        let is_shown = |at: &usize| self.entered.get(*at).is_some_and(|(_, line)| line == text);
        let shown = self.recalled.filter(is_shown);
        if shown.is_none() && (!older || !text.is_empty()) {
            return false;
        }
        let is_kind = |at: &usize| self.entered[*at].0 == kind;
        let end = self.entered.len();
        self.recalled = match (older, shown) {
            (true, shown) => (0..shown.unwrap_or(end)).rev().find(is_kind).or(shown),
            (false, Some(shown)) => (shown + 1..end).find(is_kind),
            (false, None) => None,
        };
        *text = match self.recalled {
            Some(at) => self.entered[at].1.clone(),
            None => String::new(),
        };
        self.behind = 0;
        true
    }

    /// Adds the text with its caret to a row that has this number of columns left: a `_` at the end, else the marked
    /// character. The part around the caret stays in sight.
    #[must_use]
    pub fn add_to(&self, row: Row, text: &str, columns: usize) -> Row {
        let mut left = self.input(text);
        left.handle(InputRequest::DeleteTillEnd);
        let mut before = left.value();
        let mut behind = text[before.len()..].chars();
        // A column for the caret, and some of what follows.
        let room = columns.saturating_sub(1 + width(behind.as_str()).min(columns / 4));
        let is_cut = width(before) > room;
        while is_cut && width(before) + 2 > room && !before.is_empty() {
            let mut rest = before.chars();
            rest.next();
            before = rest.as_str();
        }
        let row = row.add(Role::Strong, if is_cut { ".." } else { "" });
        let row = row.add(Role::Strong, before.to_owned());
        match behind.next() {
            None => row.add(Role::Strong, "_"),
            Some(at) => {
                let row = row.add(Role::Selected, at.to_string());
                row.add(Role::Strong, behind.as_str().to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;

    fn after(text: &str, keys: &str) -> String {
        let (mut line, mut text) = (TextLine::default(), text.to_owned());
        for key in keys.split(' ') {
            line.edit(&mut text, key);
        }
        let row = line.add_to(Row::new(Theme::new(false, false)), &text, 80);
        let parts = row.done().spans.into_iter().map(|span| {
            let mark = match span.style == Theme::new(false, false).style(Role::Selected) {
                true => "|",
                false => "",
            };
            format!("{mark}{}", span.content)
        });
        parts.collect()
    }

    #[test]
    fn keys_edit_as_in_a_shell() {
        assert_eq!(after("go on", "x"), "go onx_");
        assert_eq!(after("go on", "left left x"), "go x|on");
        assert_eq!(after("go far on", "alt-b ctrl-left y"), "go y|far on");
        assert_eq!(after("go far on", "ctrl-w"), "go far _");
        assert_eq!(after("go far on", "home alt-d"), "|far on");
        assert_eq!(after("go far on", "ctrl-a ctrl-right ctrl-k"), "go _");
        assert_eq!(after("go", "ctrl-u"), "_");
        assert_eq!(after("né", "left delete space"), "n _");
    }

    #[test]
    fn without_a_text_other_keys_are_free() {
        let (mut line, mut text) = (TextLine::default(), String::new());
        for key in ["left", "home", "ctrl-u", "down", "enter"] {
            assert!(!line.edit(&mut text, key), "{key}");
        }
        assert!(line.edit(&mut text, "space") && text == " ");
        assert!(!line.edit(&mut text, "enter"));
    }

    #[test]
    fn the_caret_stays_in_sight() {
        let row = |text: &str, left: usize| {
            let (mut line, mut text) = (TextLine::default(), text.to_owned());
            (0..left).for_each(|_| assert!(line.edit(&mut text, "left")));
            let row = line.add_to(Row::new(Theme::new(false, false)), &text, 10);
            let parts = row.done().spans.into_iter();
            parts
                .map(|span| span.content.into_owned())
                .collect::<String>()
        };
        assert_eq!(row("abcdefghi", 0), "abcdefghi_");
        assert_eq!(row("abcdefghijkl", 0), "..fghijkl_");
        assert!(row("abcdefghijkl", 3).starts_with("..efghij"));
    }

    #[test]
    fn lines_come_back() {
        let mut line = TextLine::default();
        let mut text = String::new();
        line.enter(LineKind::Command, "first");
        line.enter(LineKind::Filter, "other");
        line.enter(LineKind::Command, "second");
        line.enter(LineKind::Command, "first");
        let mut recall = |text: &mut String, older| line.recall(LineKind::Command, text, older);
        assert!(recall(&mut text, true) && text == "first");
        assert!(recall(&mut text, true) && text == "second");
        assert!(recall(&mut text, true) && text == "second");
        assert!(recall(&mut text, false) && text == "first");
        assert!(recall(&mut text, false) && text.is_empty());
        assert!(!recall(&mut text, false));
        let mut own = "typed".to_owned();
        assert!(!recall(&mut own, true));
    }
}
