//! Reading the script that the arguments name.

use std::path::Path;
use std::time::Instant;

use crate::script::load::{Loaded, load, load_bytes, load_text};
use crate::source::read::{Source, Unread, bounded};
use crate::source::{Cancel, Diagnostic};
use crate::syntax::BYTES_MAX;

/// Loads a script. What is no regular file (a pipe, standard input, a device) may have nothing to say for
/// a long time: there a signal or the time limit ends the waiting.
pub fn read(path: &Path, cancel: &Cancel, deadline: Option<Instant>) -> Loaded {
    let stdin = path == Path::new("-");
    let waits = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    if !stdin && !std::fs::metadata(path).is_ok_and(waits) {
        return match load(path, None) {
            Ok(loaded) => loaded,
            Err(errors) => unread(path, errors.diagnostics),
        };
    }
    let source = if stdin {
        Source::Stdin
    } else {
        Source::File(path)
    };
    let shown = path.display();
    let failed = |why: String| {
        let message = format!("cannot read `{shown}`: {why}");
        unread(path, vec![Diagnostic::nowhere("E0801", message)])
    };
    match bounded(source, BYTES_MAX, cancel, deadline) {
        Ok(bytes) => load_bytes(path, bytes),
        Err(Unread::TooLong) => {
            let megabytes = BYTES_MAX / 1024 / 1024;
            let error = Diagnostic::nowhere("E0805", format!("`{shown}` is too large"))
                .note(format!("a script may have {megabytes} MiB in all"));
            unread(path, vec![error])
        }
        Err(Unread::Failed(error)) => failed(error.to_string()),
        Err(Unread::Irregular) => failed("it is no regular file".to_owned()),
        Err(Unread::Stopped(stop)) => {
            let why = match stop {
                crate::source::Stop::Time => "the time allowed is over",
                _ => "interrupted",
            };
            failed(why.to_owned())
        }
    }
}

/// An empty script, with the reasons.
fn unread(path: &Path, reasons: Vec<Diagnostic>) -> Loaded {
    let mut loaded = load_text(path, "");
    loaded.diagnostics = reasons;
    loaded
}
