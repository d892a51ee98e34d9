//! The JSON document of a command that fails before it has written its result.
//!
//! Messages on stderr are recorded here as well. If a command ends, or is ended, without output, they become the
//! document.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::args::{ResultFormat, Subcommand};
use super::output::{Output, has_written};
use super::{BROKEN_PIPE, BUG, FULL, LATE, SCRIPT, USAGE};
use crate::report::words::ErrorText;
use crate::source::{Diagnostic, Severity, SourceMap, render};

/// The document written instead of an answer, while one is expected.
static EXPECTED: Mutex<Option<Expected>> = Mutex::new(None);

/// An answer in JSON that was not given yet.
struct Expected {
    command: &'static str,
    /// Whether each document is a line.
    in_lines: bool,
    errors: Vec<Value>,
}

/// Applies a function to the noted failure, if an answer is expected.
fn with(work: impl FnOnce(&mut Option<Expected>)) {
    work(&mut EXPECTED.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Expects an answer of a command whose answer is one JSON document or a stream of them.
pub fn expect(command: &Subcommand) {
    let Some((command, in_lines)) = answers_in_json(command) else {
        return;
    };
    with(|expected| {
        *expected = Some(Expected {
            command,
            in_lines,
            errors: Vec::new(),
        });
    });
}

/// The name of a command that is to write JSON to standard output, and whether it writes lines.
fn answers_in_json(command: &Subcommand) -> Option<(&'static str, bool)> {
    use super::args::{GraphFormat, OutputFormat};
    let (name, format) = match command {
        Subcommand::Check(args) => {
            let in_lines = args.format == ResultFormat::Ndjson;
            return (args.format != ResultFormat::Text).then_some(("check", in_lines));
        }
        Subcommand::Graph(args) => {
            let is_json = args.format == Some(GraphFormat::Json) && args.output.is_none();
            return is_json.then_some(("graph", false));
        }
        Subcommand::Explain(args) => ("explain", args.answer.format),
        Subcommand::Compare(args) => ("compare", args.answer.format),
        Subcommand::Structure(args) => ("structure", args.answer.format),
        Subcommand::Symmetry(args) => ("symmetry", args.answer.format),
        Subcommand::Find(args) => ("find", args.answer.format),
        Subcommand::Typecheck(args) => ("typecheck", args.format),
        Subcommand::Race(args) => ("race", args.format),
        Subcommand::Family(args) => ("family", args.format),
        Subcommand::Replay(args) => ("replay", args.format),
        Subcommand::Pattern(args) => ("pattern", args.command.answer().format),
        _ => return None,
    };
    (format == OutputFormat::Json).then_some((name, false))
}

fn note(error: impl FnOnce() -> Value) {
    with(|expected| {
        if let Some(expected) = expected {
            expected.errors.push(error());
        }
    });
}

/// Notes a message without a place.
pub fn note_message(message: &str) {
    note(|| json!({ "code": null, "message": message, "place": null }));
}

/// Notes the errors among diagnostics, in the form of `check`.
pub fn note_diagnostics(list: &[Diagnostic], sources: &SourceMap) {
    for diagnostic in list.iter().filter(|d| d.severity == Severity::Error) {
        note(|| render::to_json(diagnostic, sources));
    }
}

/// Notes an error of the engine, which names its place in its line.
pub fn note_failure(failure: &ErrorText) {
    note(|| {
        let parts = failure.parts.as_ref();
        let message = parts.map_or(&failure.summary, |parts| &parts.message);
        let code = parts.map(|parts| parts.code);
        let place = parts.and_then(|parts| parts.place.as_ref());
        let place = place
            .map(|(file, line, column)| json!({ "file": file, "line": line, "column": column }));
        json!({ "code": code, "message": message, "place": place, "detail": failure.detail })
    });
}

/// Writes the document of the schema `orbitscope.failure/1` where an answer is still expected.
pub fn finish(code: u8) {
    let mut open = None;
    with(|expected| open = expected.take());
    let is_answered = code == 0 || code == BROKEN_PIPE || has_written();
    let Some(expected) = open.filter(|_| !is_answered) else {
        return;
    };
    let (status, limit) = match code {
        USAGE => ("usage", None),
        SCRIPT => ("error", None),
        LATE => ("limit", Some("time")),
        FULL => ("limit", Some("memory")),
        BUG => ("fault", None),
        129.. => ("interrupted", None),
        _ => ("differs", None),
    };
    let document = json!({
        "schema": "orbitscope.failure/1",
        "command": expected.command,
        "status": status,
        "limit": limit,
        "exit_code": code,
        "errors": expected.errors,
    });
    let text = if expected.in_lines {
        format!("{document}\n")
    } else {
        format!("{document:#}\n")
    };
    Output::default().json(&text);
}
