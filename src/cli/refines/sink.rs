//! What a format of results has to write, and when.

use super::behaviour::FdrResult;
use crate::prints::Printed;
use crate::source::{Diagnostic, SourceMap};
use orbitscope_language::script::load::Loaded;

/// A script that was read, before its assertions are checked.
pub struct ReadScript<'a> {
    /// The name that was given.
    pub name: &'a str,
    /// The script.
    pub loaded: &'a Loaded,
    /// The values of its `print` expressions.
    pub printed: &'a [Printed],
}

/// A format of results: makes texts, which are written as soon as they are made.
pub trait ResultSink {
    /// The text at the beginning of the output.
    fn start(&mut self) -> String;
    /// The text on a script that was read.
    fn script(&mut self, script: &ReadScript<'_>) -> String;
    /// The text on a result.
    fn result(&mut self, result: &FdrResult<'_>) -> String;
    /// The text after the last result of a script.
    fn end_script(&mut self) -> String;
}

/// A diagnostic in lines: `file:line:column: message`, and its notes.
pub fn in_lines(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = diagnostic
        .span
        .map(|span| format!("{}: ", sources.place(span)));
    let place = place.unwrap_or_default();
    let mut text = format!("{place}{}", diagnostic.message);
    for note in &diagnostic.notes {
        text.push('\n');
        text.push_str(note);
    }
    text
}
