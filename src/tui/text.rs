//! Fitting text into columns.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar;

use super::theme::{Role, Theme};

pub use crate::report::columns::{fit, pad, width, wrap};

/// At most `columns` of a text, cut in the middle: texts often differ at their ends.
#[must_use]
pub fn fit_middle(text: &str, columns: usize) -> String {
    if width(text) <= columns || columns < 8 {
        return fit(text, columns);
    }
    let room = columns - 2;
    let mut tail = String::new();
    let mut used = 0;
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > room / 2 {
            break;
        }
        tail.insert(0, c);
    }
    let mut head = String::new();
    let mut taken = width(&tail);
    for c in text.chars() {
        taken += c.width().unwrap_or(0);
        if taken > room {
            break;
        }
        head.push(c);
    }
    format!("{head}..{tail}")
}

/// Builds lines out of texts with roles.
#[derive(Clone, Debug)]
pub struct Row {
    theme: Theme,
    spans: Vec<Span<'static>>,
}

impl Row {
    /// An empty line, whose texts will look as this theme says.
    #[must_use]
    pub fn new(theme: Theme) -> Self {
        Self {
            theme,
            spans: Vec::new(),
        }
    }

    /// Adds a text, which looks as its role says.
    #[must_use]
    pub fn add(mut self, role: Role, text: impl Into<String>) -> Self {
        let text: String = text.into();
        self.spans
            .push(Span::styled(clean(text), self.theme.style(role)));
        self
    }

    /// Adds a text with a style, for texts with several roles at once.
    #[must_use]
    pub fn styled(mut self, style: Style, text: impl Into<String>) -> Self {
        self.spans.push(Span::styled(clean(text.into()), style));
        self
    }

    /// Adds a text without a role.
    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Self {
        self.add(Role::Plain, text)
    }

    /// Adds the texts of another line.
    #[must_use]
    pub fn append(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// The width of the texts so far, in columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// Spaces up to a column, at least one.
    #[must_use]
    pub fn to(self, column: usize) -> Self {
        let missing = column.saturating_sub(self.width()).max(1);
        self.plain(" ".repeat(missing))
    }

    /// The line, ready to be drawn.
    #[must_use]
    pub fn done(self) -> Line<'static> {
        Line::from(self.spans)
    }
}

/// Control characters would move the cursor: they are shown as `?`.
fn clean(text: String) -> String {
    if text.chars().any(char::is_control) {
        text.chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect()
    } else {
        text
    }
}

/// The score of a fuzzy match, if all characters of `needle` occur in `text` in order; smaller is better.
#[must_use]
pub fn fuzzy(needle: &str, text: &str) -> Option<usize> {
    let text = text.to_lowercase();
    let needle = needle.trim().to_lowercase();
    if let Some(at) = text.find(&needle) {
        // Less than any match of scattered letters, which begin at 100.
        return Some(at.min(99));
    }
    let (mut from, mut gaps) = (0, 0);
    for c in needle.chars().filter(|c| *c != ' ') {
        let at = text[from..].find(c)?;
        gaps += at;
        // Behind the character that was found: a byte offset at the beginning of a character.
        from += at + c.len_utf8();
    }
    Some(100 + gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcd..");
        assert_eq!(fit("abc", 1), ".");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(pad("ab", 4), "ab  ");
    }

    #[test]
    fn fuzzy_prefers_whole_words() {
        assert!(fuzzy("deadl", "check System :[deadlock free]") < fuzzy("dlk", "deadlock"));
        assert_eq!(fuzzy("zzz", "deadlock"), None);
        assert_eq!(fuzzy("", "x"), Some(0));
    }
}
