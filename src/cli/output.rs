//! Standard output, and the exit code when it cannot be written to.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::OutputFormat;
use super::{BROKEN_PIPE, USAGE, complain};
use crate::report::document::Document;
use crate::source::{visible, visible_line};

/// Whether any result was written.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Whether the program has written to standard output, or has tried.
pub fn has_written() -> bool {
    WRITTEN.load(Ordering::Relaxed)
}

/// Results go through here, and nothing in them does anything to a terminal. After the first write that
/// fails nothing more is written.
#[derive(Debug, Default)]
pub struct Output {
    colour: bool,
    failed: Option<u8>,
}

impl Output {
    /// An output that lets colours through or not.
    pub fn coloured(colour: bool) -> Self {
        Self {
            colour,
            failed: None,
        }
    }

    /// Writes and flushes text that may hold words of a script.
    pub fn write(&mut self, text: &str) {
        self.raw(&fenced(text, self.colour));
    }

    /// Writes and flushes a JSON text.
    pub fn json(&mut self, text: &str) {
        self.raw(&escaped(text));
    }

    /// Writes and flushes a text that has been made harmless.
    pub fn made(&mut self, text: &str) {
        self.raw(text);
    }

    /// Writes a document. Returns the exit code, which is `code` unless it did not arrive.
    pub fn document(mut self, document: &Document, format: OutputFormat, code: u8) -> u8 {
        match format {
            OutputFormat::Text => self.write(&visible(&document.text())),
            OutputFormat::Json => self.json(&format!("{:#}\n", document.json())),
        }
        self.code(code)
    }

    /// Writes a text in the place of everything that is on a terminal, in one piece, so that it does not flicker.
    pub fn replace(&mut self, text: &str) {
        let text = fenced(text, self.colour);
        self.raw(&format!("\x1b[H\x1b[2J\x1b[3J{text}"));
    }

    /// Writes and flushes. An error is reported once, except a reader that is gone.
    fn raw(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        WRITTEN.store(true, Ordering::Relaxed);
        // Flushed each time: a reader of a stream wants each line when it is known, and an error of writing shows
        // while it can still be reported.
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // No message: the one who closed the pipe knows that.
                self.failed = Some(BROKEN_PIPE);
            }
            Err(error) => {
                complain(&format!("the results cannot be written: {error}"));
                self.failed = Some(USAGE);
            }
        }
    }

    /// Whether an error of writing occurred.
    pub fn is_broken(&self) -> bool {
        self.failed.is_some()
    }

    /// The exit code: that of the work, unless its results did not arrive.
    pub fn code(&self, code: u8) -> u8 {
        self.failed.unwrap_or(code)
    }
}

/// A text that this program has made, with colours if it uses any. Words of a script in it have been made
/// harmless where they were put in; this is the last fence, which lets through `ESC [ … m` at most.
pub fn fenced(text: &str, colour: bool) -> String {
    if !colour {
        return visible(text).into_owned();
    }
    let mut out = String::with_capacity(text.len());
    // Each piece but the first follows an escape.
    for (n, piece) in text.split('\u{1b}').enumerate() {
        match colour_length(piece) {
            // The escape is shown and not sent, since it began something else than a colour.
            0 if n > 0 => out.push_str(&visible(&format!("\u{1b}{piece}"))),
            length => {
                if n > 0 {
                    out.push('\u{1b}');
                }
                out.push_str(&piece[..length]);
                out.push_str(&visible(&piece[length..]));
            }
        }
    }
    out
}

/// The bytes of `[1;32m` at the beginning of a text.
fn colour_length(text: &str) -> usize {
    let Some(inner) = text.strip_prefix('[') else {
        return 0;
    };
    match inner.find(|c: char| !(c.is_ascii_digit() || c == ';')) {
        // With the bracket before and the `m` behind.
        Some(end) if inner[end..].starts_with('m') => end + 2,
        _ => 0,
    }
}

/// A JSON text without control characters for a terminal. They occur in strings only, where they can be escaped.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Line feeds are let through: outside of strings they lay the text out, and inside they were escaped when
        // the text was made.
        let harmless = matches!(c, ' '..='~' | '\n')
            || match visible_line(c.encode_utf8(&mut [0; 4])) {
                std::borrow::Cow::Borrowed(_) => true,
                std::borrow::Cow::Owned(_) => c == '\n',
            };
        if harmless {
            out.push(c);
            continue;
        }
        // JSON escapes units of UTF-16: two for characters beyond the first plane.
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_pass_the_fence() {
        let own = "\u{1b}[1;32mholds\u{1b}[0m\n[a]";
        assert_eq!(fenced(own, true), own);
        assert_eq!(fenced(own, false), "\\u{1b}[1;32mholds\\u{1b}[0m\n[a]");
        let bad = "[2mx\u{1b}[2K\u{1b}]0;x\u{7}\u{1b}";
        let seen = "[2mx\\u{1b}[2K\\u{1b}]0;x\\u{7}\\u{1b}";
        assert_eq!(fenced(bad, true), seen);
    }

    #[test]
    fn json_stays_what_it_is() {
        let value = serde_json::json!({ "a\u{9b}": ["\u{1b}\u{7f}\u{2028}\u{e0001}", "\n"] });
        let text = escaped(&format!("{value:#}\n"));
        assert!(text.is_ascii(), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, value);
    }
}
