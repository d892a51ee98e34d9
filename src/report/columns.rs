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
