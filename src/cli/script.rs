//! Reading the script that the arguments name.

use std::path::Path;

use super::messages;
use super::signals::Signals;
use super::watchdog::{Watched, watched};
use crate::source::read::{self, Source, Unread};
use crate::source::{Bounds, Cancel, Diagnostic, Limits, SourceMap};
use crate::syntax::BYTES_MAX;
use orbitscope_language::script::load::{Loaded, load_bytes, load_text, load_within};

/// Loads a script. One that is no regular file (a pipe, standard input, a device) may deliver nothing for a long
/// time: there a signal or the time limit ends the waiting.
pub fn read(path: &Path, signals: &Signals, cancel: &Cancel, limits: &Limits) -> Loaded {
    read_or_end(path, signals, cancel, limits, &|_, _| {})
}

/// Loads a script where output is still to be written (besides the message) if the program has to end at once:
/// `written` gets a script with the reason alone, and the exit code.
pub fn read_or_end(
    path: &Path,
    signals: &Signals,
    cancel: &Cancel,
    limits: &Limits,
    written: &(dyn Fn(&Loaded, u8) + Sync),
) -> Loaded {
    let bounds = Bounds::new(limits, cancel);
    let by = Watched {
        limits,
        cancel,
        signals,
        bounds: &bounds,
        last_words: &|diagnostic, code| {
            // On the watching thread. This output is the last of all: the program ends behind it.
            let unread = unread(path, vec![diagnostic]);
            say(&unread.diagnostics);
            written(&unread, code);
        },
    };
    watched(&by, || read_within(path, cancel, limits, &bounds))
}

/// Reads a script by a function that observes `bounds`.
pub fn bounded_by<R>(
    signals: &Signals,
    cancel: &Cancel,
    limits: &Limits,
    bounds: &Bounds,
    work: impl FnOnce() -> R,
) -> R {
    let by = Watched {
        limits,
        cancel,
        signals,
        bounds,
        last_words: &|diagnostic, _| say(&[diagnostic]),
    };
    watched(&by, work)
}

/// Why the program ends, for people.
fn say(all: &[Diagnostic]) {
    let colour = super::stderr_colour(super::args::Colour::Auto);
    messages::diagnostics(all, &SourceMap::default(), colour);
    messages::hint(all);
}

/// Does something with a script that does not look at bounds itself, such as a report on symmetry.
pub fn bounded<R>(
    signals: &Signals,
    cancel: &Cancel,
    limits: &Limits,
    work: impl FnOnce() -> R,
) -> R {
    bounded_by(signals, cancel, limits, &Bounds::default(), work)
}

fn read_within(path: &Path, cancel: &Cancel, limits: &Limits, bounds: &Bounds) -> Loaded {
    let stdin = path == Path::new("-");
    let waits = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    // Files and folders, and missing ones, do not block.
    if !stdin && !std::fs::metadata(path).is_ok_and(waits) {
        return match load_within(path, None, bounds) {
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
    match read::bounded(source, BYTES_MAX, cancel, limits.deadline) {
        Ok(bytes) => load_bytes(path, bytes, bounds),
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
    // With the given name, which documents show.
    let mut loaded = load_text(path, "");
    loaded.diagnostics = reasons;
    loaded
}
