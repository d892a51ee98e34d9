//! A text to read in lines.

use super::cutting::middle;
use super::text::{fit, wrap};

/// Longer lines are hard to read.
pub const MESSAGE_COLUMNS: u16 = 100;

/// Source lines keep their columns: they are cut, not broken. Other lines are broken, and what follows is
/// as far from the margin.
#[must_use]
pub fn message_lines(text: &str, columns: usize) -> Vec<String> {
    let room = columns.saturating_sub(2);
    let is_source = |line: &str| {
        // As diagnostics draw lines of a script, with the number and a bar before them.
        let bar = line.contains(" | ") || line.ends_with(" |");
        bar || line.trim_start().starts_with("--> ") || line.starts_with(['-', '|'])
    };
    let broken = |line: &str| {
        if is_source(line) {
            // A place is told by its end, where the number of the line stands.
            let line = match line.trim_start().starts_with("--> ") {
                true => middle(line, room),
                false => fit(line, room),
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
