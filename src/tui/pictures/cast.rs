//! Frames one after the other, as asciinema plays them (asciicast, version 2).

use std::fmt::Write;

use ratatui::buffer::Buffer;
use serde_json::{Value, json};

use super::colours::sequence;

/// A recording: the output to a terminal, with times.
#[derive(Debug, Default)]
pub struct Recording {
    /// Columns and rows at the beginning.
    size: Option<(u16, u16)>,
    /// Milliseconds, kind and data.
    events: Vec<(u64, char, String)>,
    /// The last frame.
    last: Option<Buffer>,
}

impl Recording {
    /// Adds a frame unless it is the one that is to be seen already.
    pub fn frame(&mut self, buffer: Buffer, milliseconds: u64) {
        let size = (buffer.area.width, buffer.area.height);
        let same_size = self
            .last
            .as_ref()
            .is_some_and(|last| last.area == buffer.area);
        let mut data = String::new();
        if !same_size {
            if self.size.is_none() {
                self.size = Some(size);
            } else {
                self.events
                    .push((milliseconds, 'r', format!("{}x{}", size.0, size.1)));
            }
            // No cursor, and an empty screen.
            data.push_str("\x1b[?25l\x1b[0m\x1b[2J");
            self.last = Some(Buffer::empty(buffer.area));
        }
        if let Some(last) = &self.last {
            changes(&mut data, last, &buffer);
        }
        if !data.is_empty() {
            self.events.push((milliseconds, 'o', data));
        }
        self.last = Some(buffer);
    }

    /// The file: a line for the header and one for each event.
    #[must_use]
    pub fn text(&self, title: &str) -> String {
        let (width, height) = self.size.unwrap_or((80, 24));
        let header = json!({"version": 2, "width": width, "height": height, "title": title});
        let mut text = format!("{header}\n");
        for (milliseconds, kind, data) in &self.events {
            let seconds = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
            let data = Value::from(data.as_str());
            let _ = writeln!(text, "[{seconds}, \"{kind}\", {data}]");
        }
        text
    }
}

/// Writes the sequence that turns one frame into the next.
fn changes(data: &mut String, before: &Buffer, after: &Buffer) {
    // The position of the next character, and its style.
    let (mut at, mut style) = (None, String::new());
    for (x, y, cell) in before.diff(after) {
        if at != Some((x, y)) {
            let _ = write!(data, "\x1b[{};{}H", y + 1, x + 1);
        }
        let wanted = sequence(cell);
        if wanted != style {
            let _ = write!(data, "\x1b[{wanted}m");
            style = wanted;
        }
        data.push_str(cell.symbol());
        let columns = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1);
        at = Some((x + columns as u16, y));
    }
}
