//! The bytes of a script, as text.

use std::io::Read as _;
use std::path::Path;

use super::words::code;
use crate::source::diagnostic::Result;
use crate::source::encoding::{Encoding, Text, decode};
use crate::source::{Diagnostic, FileId, Span, alternatives, models, nearest, read as reading};

/// The name of standard input.
const STDIN: &str = "-";
/// More bytes are refused, in one file or in all files of a script together.
pub(crate) const BYTES_MAX: u64 = 16 * 1024 * 1024;

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
    // For a quick answer about huge files; `limited` is what holds, since a file may grow and
    // devices have no length.
    if about.len().saturating_add(so_far) > BYTES_MAX {
        return Err(too_large(&shown, so_far));
    }
    let opened = match included {
        true => reading::open_regular(path),
        false => reading::open(path).map(Some),
    };
    match opened.map_err(|e| unreadable(&shown, &e))? {
        Some(file) => limited(file, so_far, &shown),
        None => {
            let message = format!("{shown} is a device or a pipe and cannot be included");
            refuse(code::UNREADABLE, &message)
        }
    }
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

/// The error that no built-in model has this name.
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

impl Encoding {
    /// The warning about its encoding, if it needs one.
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
