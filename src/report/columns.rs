//! Texts and the columns of a terminal that they take.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most `columns` of a text; `..` at the end says that it was cut.
#[must_use]
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let room = columns.saturating_sub(2);
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(c);
    }
    // With less room than for both dots, as many as fit.
    kept + &".."[..columns.min(2)]
}

/// Exactly `columns` of a text, cut or followed by spaces.
#[must_use]
pub fn pad(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    // A wide character that was cut may leave a column over.
    let missing = columns.saturating_sub(width(&text));
    text + &" ".repeat(missing)
}

/// A text followed by spaces up to `columns`; a longer one stays whole.
#[must_use]
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Breaks a text at spaces into lines of at most `columns`; longer words are cut.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let needed = width(&line) + usize::from(!line.is_empty()) + width(word);
            if !line.is_empty() && needed > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            // A word longer than a line. Each turn takes at least one character off, so it ends.
            // What is left is not measured, since that may be very long.
            loop {
                let (head, tail) = cut(&line, columns);
                if tail.is_empty() {
                    break;
                }
                lines.push(head);
                line = tail;
            }
        }
        lines.push(line);
    }
    lines
}

fn cut(text: &str, columns: usize) -> (String, String) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        // A first character that is too wide stays all the same.
        if used > columns && at > 0 {
            return (text[..at].to_string(), text[at..].to_string());
        }
    }
    (text.to_string(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
