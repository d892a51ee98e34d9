//! The bytes of a script, as text.

use std::io::Read as _;
use std::path::Path;

use super::words::code;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, FileId, Span, alternatives, models, nearest, read as reading};

/// The name that stands for standard input.
const STDIN: &str = "-";
/// More bytes are refused, in one file or in all files of a script together.
pub(crate) const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a file contains.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
}

/// How it was written.
pub(crate) enum Encoding {
    Utf8,
    /// Not in UTF-8, as the byte here shows; taken for Latin-1.
    Latin1 {
        at: usize,
        offset: usize,
    },
    Utf16,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            encoding: Encoding::Utf8,
        }
    }
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// Reads a file, or standard input where that can be meant. What is included must be a regular file:
/// reading from a device or a pipe may never end. `so_far` bytes of the script have been read.
pub(crate) fn read(path: &Path, included: bool, so_far: u64) -> Result<Text> {
    if !included && is_stdin(path) {
        return limited(std::io::stdin().lock(), so_far, "standard input");
    }
    if let Some(name) = models::named(path).filter(|_| !included) {
        let found = models::model(name).map(|model| Text::from(model.text));
        return found.ok_or_else(|| no_model(name));
    }
    let shown = format!("`{}`", path.display());
    // Asked before the file is opened: to open a pipe may wait for ever.
    let about = std::fs::metadata(path).map_err(|e| unreadable(&shown, &e))?;
    let refuse = |code, message: &str| Err(Box::new(Diagnostic::nowhere(code, message)));
    if about.is_dir() {
        return refuse(code::DIRECTORY, &format!("{shown} is a directory"));
    }
    if included && !about.is_file() {
        let message = format!("{shown} is a device or a pipe and cannot be included");
        return refuse(code::UNREADABLE, &message);
    }
    // For a quick answer about huge files; `limited` is what holds, since a file may grow and
    // devices have no length.
    if about.len().saturating_add(so_far) > BYTES_MAX {
        return Err(too_large(&shown, so_far));
    }
    let file = reading::open(path).map_err(|e| unreadable(&shown, &e))?;
    limited(file, so_far, &shown)
}

/// All that can be read, if it is not too much.
fn limited(from: impl std::io::Read, so_far: u64, shown: &str) -> Result<Text> {
    let rest = BYTES_MAX.saturating_sub(so_far);
    let mut bytes = Vec::new();
    // One byte more than allowed shows that there are too many.
    match from.take(rest + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > rest => Err(too_large(shown, so_far)),
        Ok(_) => Ok(decode(bytes)),
        Err(e) => Err(unreadable(shown, &e)),
    }
}

pub(crate) fn too_large(shown: &str, so_far: u64) -> Box<Diagnostic> {
    let with = if so_far > 0 {
        " together with what was read before"
    } else {
        ""
    };
    let megabytes = BYTES_MAX / 1024 / 1024;
    Box::new(
        Diagnostic::nowhere(code::TOO_LARGE, format!("{shown} is too large{with}"))
            .note(format!("a script may have {megabytes} MiB in all")),
    )
}

/// That no model of this name is part of the program.
fn no_model(name: &str) -> Box<Diagnostic> {
    let all = models::MODELS.iter().map(|model| model.name);
    let near = nearest(name, all.clone());
    let help = match near.is_empty() {
        true => format!("there are {}", all.collect::<Vec<_>>().join(", ")),
        false => format!("is {} meant?", alternatives(&near)),
    };
    let message = format!("there is no built-in model `{name}`");
    Box::new(Diagnostic::nowhere(code::UNREADABLE, message).note(help))
}

fn unreadable(shown: &str, error: &std::io::Error) -> Box<Diagnostic> {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    let message = format!("cannot read {shown}: {why}");
    Box::new(Diagnostic::nowhere(code::UNREADABLE, message))
}

/// UTF-8, or UTF-16 with its mark; what is neither is taken for Latin-1, which old scripts are
/// written in.
pub(crate) fn decode(bytes: Vec<u8>) -> Text {
    // UTF-16 only with its mark: without, it can hardly be told from other encodings, and its NULs
    // are reported by `strange`.
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Option<Vec<u16>> = match bytes.get(..2) {
        Some(b"\xFF\xFE") => Some(pairs.iter().map(|b| u16::from_le_bytes(*b)).collect()),
        Some(b"\xFE\xFF") => Some(pairs.iter().map(|b| u16::from_be_bytes(*b)).collect()),
        _ => None,
    };
    // An odd number of bytes is no UTF-16, whatever its first two bytes say.
    if let Some(units) = units.filter(|_| rest.is_empty()) {
        return Text {
            text: String::from_utf16_lossy(&units),
            encoding: Encoding::Utf16,
        };
    }
    match String::from_utf8(bytes) {
        Ok(text) => Text {
            text,
            encoding: Encoding::Utf8,
        },
        Err(e) => {
            let offset = e.utf8_error().valid_up_to();
            // Latin-1 is the first 256 characters of Unicode, so a byte is its own code.
            let text = e.as_bytes().iter().map(|b| char::from(*b)).collect();
            // Before the first odd byte all bytes beyond ASCII have become two.
            let shift = e.as_bytes()[..offset]
                .iter()
                .filter(|b| !b.is_ascii())
                .count();
            Text {
                text,
                encoding: Encoding::Latin1 {
                    at: offset + shift,
                    offset,
                },
            }
        }
    }
}

/// Line ends of old systems (a carriage return alone) become newlines.
pub(crate) fn normal_newlines(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // `\r\n` stays as it is: the grammar takes `\r` for a blank.
        let alone = c == '\r' && chars.peek() != Some(&'\n');
        out.push(if alone { '\n' } else { c });
    }
    out
}

impl Encoding {
    /// What is to be said about it.
    pub(crate) fn warning(&self, file: FileId) -> Option<Diagnostic> {
        let span = |start: usize, len: usize| Span {
            file,
            start: start as u32,
            end: (start + len) as u32,
        };
        match self {
            Self::Utf8 => None,
            Self::Latin1 { at, offset } => Some(
                // A character of Latin-1 that is not ASCII takes two bytes here.
                Diagnostic::warning(code::NOT_UTF8, span(*at, 2), "this file is not UTF-8")
                    .label(format!("the first odd byte, at offset {offset}"))
                    .note("it is read as Latin-1; save it as UTF-8 to be safe"),
            ),
            Self::Utf16 => Some(
                Diagnostic::warning(code::NOT_UTF8, span(0, 0), "this file is UTF-16, not UTF-8")
                    .note("it is read as such; save it as UTF-8 to be safe"),
            ),
        }
    }
}

/// Files that are no scripts at all.
pub(crate) fn strange(file: FileId, text: &str) -> Option<Diagnostic> {
    let span = |at: usize, len: usize| Span {
        file,
        start: at as u32,
        end: (at + len) as u32,
    };
    if text.starts_with("{\\rtf") {
        let message = "this is a rich text file, not plain text";
        return Some(
            Diagnostic::error(code::RTF, span(0, 5), message)
                .note("save it as plain text in the program that wrote it"),
        );
    }
    // The parser would refuse it anyway, but with a syntax error in what is no text.
    let nul = text.find('\0')?;
    Some(
        Diagnostic::error(code::NUL, span(nul, 1), "this file contains a NUL byte")
            .label(format!("at offset {nul}"))
            .note("it is not a text file, or it is UTF-16; save it as UTF-8"),
    )
}
