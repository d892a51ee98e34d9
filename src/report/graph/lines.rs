//! Lines of text in a drawing, whose width has to be known before they are drawn.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::xml::XmlText;
use crate::source::visible_line;

/// Columns of a line in a box or at a curve; the rest shows when the pointer rests on it.
const COLUMNS_MAX: usize = 36;
/// Width of a column of the font.
pub const COLUMN: f64 = 6.7;
/// From one line to the next.
pub const LINE: f64 = 14.0;

/// Columns of a line as it is shown.
pub fn columns(text: &str) -> usize {
    visible_line(text).width()
}

/// A line, cut to the width that fits.
pub fn clipped(text: &str) -> String {
    if columns(text) <= COLUMNS_MAX {
        return text.to_owned();
    }
    let (mut kept, mut width) = (String::new(), 1);
    for c in visible_line(text).chars() {
        width += c.width().unwrap_or(0);
        if width > COLUMNS_MAX {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// Adds a line at some place.
pub fn plain(text: &mut String, class: &str, x: f64, y: f64, line: &str) {
    let line = XmlText(line);
    let _ = writeln!(
        text,
        "  <text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{line}</text>"
    );
}
