//! Errors of evaluation that need nothing but a place.

use crate::source::{Diagnostic, FileId, Span};

/// The place of generated code. Reports of errors omit it.
pub(super) fn nowhere() -> Span {
    Span {
        file: FileId(0),
        start: 0,
        end: 0,
    }
}

/// An error with a code, in words.
pub(super) fn fail(code: &'static str, text: impl Into<String>, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, span, text))
}

/// The compiler and the evaluator disagree: no script may bring this about.
pub(super) fn internal(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0499", span, "internal error: code of the wrong kind")
            .note("please report this script"),
    )
}

/// Name resolution lets no variable be used where it is not bound, so this is an internal error too.
pub(super) fn unbound(span: Span) -> Box<Diagnostic> {
    fail("E0499", "a variable was used before it was bound", span)
}

/// The evaluation of something asks for its own result.
pub(super) fn depends_on_itself(what: &str, span: Span) -> Box<Diagnostic> {
    fail("E0410", format!("{what} depends on itself"), span)
}
