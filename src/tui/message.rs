//! A text to read in lines.

use super::cutting::middle;
use super::text::{fit, wrap};

/// Longer lines are hard to read.
pub const MESSAGE_COLUMNS: u16 = 100;

/// Breaks a message into lines. Source lines keep their columns: they are cut, not broken. Other lines are broken,
/// and their continuation has the same indent.
#[must_use]
pub fn message_lines(text: &str, columns: usize) -> Vec<String> {
    let room = columns.saturating_sub(2);
    let is_source = |line: &str| {
        // A line of a script in a diagnostic has its number and a bar before it.
        let bar = line.contains(" | ") || line.ends_with(" |");
        bar || line.trim_start().starts_with("--> ") || line.starts_with(['-', '|'])
    };
    let broken = |line: &str| {
        if is_source(line) {
            // A place is recognised by its end, the line number.
            let line = if line.trim_start().starts_with("--> ") {
                middle(line, room)
            } else {
                fit(line, room)
            };
            return vec![format!(" {line}")];
        }
        let text = line.trim_start();
        // Deep margins must leave room for the text.
        let margin = (line.len() - text.len()).min(room / 2);
        let lines = wrap(text, room.saturating_sub(margin)).into_iter();
        lines
            .map(|l| format!(" {}{l}", " ".repeat(margin)))
            .collect()
    };
    text.lines().flat_map(broken).collect()
}
