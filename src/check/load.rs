//! A script from disk, ready to be checked or animated.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::script::core::{Assertion, Expr, Script};
use crate::script::symmetric::roots;
use crate::script::types::Types;
use crate::script::{lints, sound};
use crate::source::{Diagnostic, Severity, SourceMap, Span};
use crate::syntax::{ExprErrors, Parsed, parse_expression, parse_file, parse_file_and, parse_text};

/// The name under which an expression that was given beside the script is defined.
pub const GIVEN: &str = "given__expression";

/// A script whose names are resolved and types inferred, with everything there is to say about it.
pub struct Loaded {
    /// The script; definitions with errors fail when they are evaluated.
    pub script: Rc<Script>,
    /// Its types.
    pub types: Types,
    /// Where it came from.
    pub sources: Arc<SourceMap>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read and what was not.
    text: sound::Text,
}

impl Loaded {
    /// What keeps an assertion from being checked: errors in something that it reaches.
    #[must_use]
    pub fn in_the_way(&self, assertion: &Assertion) -> Option<Diagnostic> {
        self.between(assertion.span, &roots(assertion))
    }

    /// The same for an expression of the script.
    #[must_use]
    pub fn in_the_way_of(&self, e: &Expr) -> Option<Diagnostic> {
        self.between(e.span, &[e])
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

/// Reads and checks a script, with an expression defined as [`GIVEN`] on a line of its own after the
/// end if there is one.
///
/// # Errors
/// The syntax errors of the expression, which is not part of any file of the script.
pub fn load(path: &Path, given: Option<&str>) -> Result<Loaded, ExprErrors> {
    if let Some(expression) = given {
        parse_expression(expression)?;
        let more = format!("\n{GIVEN} = {expression}\n");
        return Ok(finish(parse_file_and(path, &more)));
    }
    Ok(finish(parse_file(path)))
}

/// Checks a script that is not on disk; `name` is shown in messages, and includes are relative to it.
#[must_use]
pub fn load_text(name: &Path, text: &str) -> Loaded {
    finish(parse_text(name, text))
}

fn finish(parsed: Parsed) -> Loaded {
    let mut diagnostics = parsed.diagnostics;
    let checked = crate::script::check(parsed.file, Arc::clone(&parsed.sources));
    diagnostics.extend(checked.diagnostics);
    // Of a script with errors, too much is unknown.
    if diagnostics.iter().all(|d| d.severity != Severity::Error) {
        diagnostics.extend(lints::run(&checked.script, &checked.types));
    }
    Loaded {
        script: Rc::new(checked.script),
        types: checked.types,
        sources: parsed.sources,
        diagnostics,
        text: checked.text,
    }
}
