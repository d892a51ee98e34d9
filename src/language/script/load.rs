//! The entry point of the front end: loads a script from disk or from a text, ready to be checked or animated.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::check::{Checked, check_comparing, check_within};
use super::core::{Assertion, AssertionKind, Expr, GlobalKind, Script};
use super::types::Types;
use super::{lints, sound};
use crate::source::{Bounds, Diagnostic, Severity, SourceMap, Span};
use crate::syntax::{
    ExprErrors, Parsed, parse_bytes, parse_file_and, parse_file_within, parse_sent,
    parse_text_within,
};

/// The internal name of an expression that was given beside the script. It is never shown: the expression is named
/// by its text, or [`UNNAMED`] if that is long.
const GIVEN: &str = "given__expression";

/// The shown name of an expression that is too long to be its own name.
const UNNAMED: &str = "(expression)";

/// Characters of an expression that is its own name.
const NAME_MAX: usize = 30;

/// A script whose names are resolved and types inferred, with everything there is to say about it.
pub struct Loaded {
    /// The script; definitions with errors fail when they are evaluated.
    pub script: Rc<Script>,
    /// The types of all that it declares.
    pub types: Types,
    /// The source files.
    pub sources: Arc<SourceMap>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the text that were read, and those that were not.
    text: sound::ReadText,
    /// The definition of the expression that was given, by its place among the globals.
    given: Option<usize>,
}

impl Loaded {
    /// The error that keeps an assertion from being checked, in a declaration that it reaches.
    #[must_use]
    pub fn in_the_way(&self, assertion: &Assertion) -> Option<Diagnostic> {
        self.between(assertion.span, &assertion.roots())
    }

    /// The same for an expression of the script.
    #[must_use]
    pub fn in_the_way_of(&self, e: &Expr) -> Option<Diagnostic> {
        self.between(e.span, &[e])
    }

    /// The expression that was given beside the script, if one was and nothing is wrong with its form.
    #[must_use]
    pub fn given(&self) -> Option<&Expr> {
        match &self.script.globals.get(self.given?)?.kind {
            GlobalKind::Value(body) => Some(body),
            _ => None,
        }
    }

    /// The process with a name or text: a definition by name, else a process in an assertion by its text.
    #[must_use]
    pub fn process(&self, process: &str) -> Option<&Expr> {
        let mut globals = self.script.globals.iter();
        match globals.find(|g| *g.name == *process).map(|g| &g.kind) {
            Some(GlobalKind::Value(body)) => Some(body),
            _ => self.asserted(process),
        }
    }

    /// The process of an assertion that has this text.
    fn asserted(&self, process: &str) -> Option<&Expr> {
        for assertion in &self.script.assertions {
            let (first, second) = match &assertion.kind {
                AssertionKind::Refinement { spec, imp, .. } => (spec, Some(imp)),
                _ => (assertion.subject(), None),
            };
            let found = [Some(first), second].into_iter().flatten();
            if let Some(e) = found.into_iter().find(|e| self.words_of(e) == process) {
                return Some(e);
            }
        }
        None
    }

    /// The text of an expression in one line. White space means nothing in a text that a person types.
    #[must_use]
    pub fn words_of(&self, e: &Expr) -> String {
        let words = self.sources.text(e.span).split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }

    fn between(&self, place: Span, roots: &[&Expr]) -> Option<Diagnostic> {
        sound::in_the_way(&self.script, &self.text, &self.diagnostics, place, roots)
    }

    /// Whether the script is not sound as a whole.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// Reads and checks a script, with an expression after its end if there is one: see
/// [`Loaded::given`].
///
/// # Errors
/// The syntax errors of the expression, which is not part of any file of the script.
pub fn load(path: &Path, given: Option<&str>) -> Result<Loaded, ExprErrors> {
    load_within(path, given, &Bounds::default())
}

/// The same within bounds: if one is reached, that is the only thing that is said, and nothing of the
/// script can be used.
///
/// # Errors
/// As [`load`].
pub fn load_within(
    path: &Path,
    given: Option<&str>,
    bounds: &Bounds,
) -> Result<Loaded, ExprErrors> {
    if let Some(expression) = given {
        let parsed = parse_file_and(path, GIVEN, expression, bounds)?;
        return Ok(finish(parsed, Some(expression), bounds));
    }
    Ok(finish(parse_file_within(path, bounds), None, bounds))
}

/// Checks a script that is not on disk; `name` is shown in messages, and includes are relative to it.
#[must_use]
pub fn load_text(name: &Path, text: &str) -> Loaded {
    load_text_within(name, text, &Bounds::default())
}

/// Loads a script from a text within bounds, as [`load_within`] does from a file.
#[must_use]
pub fn load_text_within(name: &Path, text: &str, bounds: &Bounds) -> Loaded {
    finish(parse_text_within(name, text, bounds), None, bounds)
}

/// Checks a script from the bytes of its main file, as in [`load_within`].
#[must_use]
pub fn load_bytes(path: &Path, bytes: Vec<u8>, bounds: &Bounds) -> Loaded {
    finish(parse_bytes(path, bytes, bounds), None, bounds)
}

/// Checks a script whose files were sent by another process: names and texts, the main file first and includes in the order
/// in which they are read. Nothing is read from disk.
#[must_use]
pub fn load_sent(files: Vec<(PathBuf, String)>, bounds: &Bounds) -> Loaded {
    finish(parse_sent(files, bounds), None, bounds)
}

/// Checks a script from its syntax tree. If a datatype is given by its place, it is an error to compare its values.
pub(super) fn load_parsed(parsed: Parsed, bounds: &Bounds, uncompared: Option<Span>) -> Loaded {
    let sources = Arc::clone(&parsed.sources);
    let checked = check_comparing(parsed.file, sources, bounds, uncompared);
    finished(checked, parsed.sources, parsed.diagnostics, None)
}

fn finish(parsed: Parsed, given: Option<&str>, bounds: &Bounds) -> Loaded {
    let checked = check_within(parsed.file, Arc::clone(&parsed.sources), bounds);
    finished(checked, parsed.sources, parsed.diagnostics, given)
}

fn finished(
    mut checked: Checked,
    sources: Arc<SourceMap>,
    mut diagnostics: Vec<Diagnostic>,
    given: Option<&str>,
) -> Loaded {
    diagnostics.extend(checked.diagnostics);
    // Of a script with errors, too much is unknown.
    if diagnostics.iter().all(|d| d.severity != Severity::Error) {
        diagnostics.extend(lints::run(&checked.script, &checked.types));
    }
    let given = given.and_then(|text| {
        let name = shown_as(text);
        diagnostics.iter_mut().for_each(|d| rename(d, &name));
        let globals = &mut checked.script.globals;
        let at = globals.iter().position(|g| *g.name == *GIVEN)?;
        globals[at].name = name.into();
        Some(at)
    });
    Loaded {
        given,
        script: Rc::new(checked.script),
        types: checked.types,
        sources,
        diagnostics,
        text: checked.text,
    }
}

/// The name of an expression.
fn shown_as(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.chars().count() <= NAME_MAX && !folded.contains("--") {
        folded
    } else {
        UNNAMED.to_owned()
    }
}

/// Calls the expression by its name in all words of a message.
fn rename(diagnostic: &mut Diagnostic, name: &str) {
    let labels = diagnostic.labels.iter_mut().map(|l| &mut l.text);
    let trace = diagnostic.trace.iter_mut().map(|t| &mut t.0);
    let words = [&mut diagnostic.message, &mut diagnostic.label];
    let notes = diagnostic.notes.iter_mut();
    for text in words.into_iter().chain(labels).chain(trace).chain(notes) {
        if text.contains(GIVEN) {
            *text = text.replace(GIVEN, name);
        }
    }
}
