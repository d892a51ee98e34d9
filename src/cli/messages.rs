//! Diagnostics on the standard error stream, the same for every subcommand.

use std::io::Write;

use super::output::fenced;
use super::{FULL, LATE, SCRIPT, USAGE, failure};
use crate::source::{Diagnostic, Kind, Severity, SourceMap, Stop, codes, render};

/// Writes diagnostics, and where to read more.
pub fn diagnostics(list: &[Diagnostic], sources: &SourceMap, colour: bool) {
    failure::note_diagnostics(list, sources);
    let text = render::render_all(list, sources, colour);
    let text = fenced(&text, colour);
    let _ = write!(std::io::stderr(), "{text}");
}

/// Writes where to read more about the reported codes.
pub fn hint<'a>(list: impl IntoIterator<Item = &'a Diagnostic>) {
    if let Some(hint) = codes::hint(list) {
        let _ = writeln!(std::io::stderr(), "\n{hint}");
    }
}

/// The exit code for a script that has errors, or that could not be read to the end within limits.
pub fn exit_code(list: &[Diagnostic]) -> u8 {
    let errors = || list.iter().filter(|d| d.severity == Severity::Error);
    let stop = errors().find_map(|d| match d.kind {
        Kind::Stopped(stop) => Some(stop),
        _ => None,
    });
    if errors().any(|d| d.kind == Kind::Usage && d.span.is_none()) {
        USAGE
    } else if let Some(stop) = stop {
        match stop {
            Stop::Memory => FULL,
            Stop::Time | Stop::States | Stop::Disk | Stop::Process(_) | Stop::Cancelled => LATE,
        }
    } else if errors().next().is_some() {
        SCRIPT
    } else {
        0
    }
}
