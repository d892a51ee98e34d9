//! The piece of a file that is lowered: where it stands, and what is wrong in it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::source::{Diagnostic, FileId, Span};
use crate::syntax::ast::Ident;
use crate::syntax::grammar::{Pair, parts};
use crate::syntax::words::code;

/// A piece of a file, as the parser was given it. This is all that patterns and written types need.
pub(super) struct Piece {
    pub(super) file: FileId,
    /// The offset of the piece in the file.
    base: usize,
    // In a cell, since the Pratt parser holds several closures at once that report.
    diagnostics: RefCell<Vec<Diagnostic>>,
}

impl Piece {
    pub(super) fn new(file: FileId, base: usize) -> Self {
        Self {
            file,
            base,
            diagnostics: RefCell::default(),
        }
    }

    /// The diagnostics in the order in which they were found.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.into_inner()
    }

    pub(super) fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        Span {
            file: self.file,
            // Pest counts from the beginning of the piece. Offsets fit 32 bits, as a script has at
            // most 16 MiB.
            start: (self.base + span.start()) as u32,
            end: (self.base + span.end()) as u32,
        }
    }

    pub(super) fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    pub(super) fn ident(&self, pair: &Pair<'_>) -> Ident {
        Ident {
            text: Rc::from(pair.as_str()),
            span: self.span(pair),
        }
    }

    pub(super) fn idents(&self, pair: Pair<'_>) -> Vec<Ident> {
        parts(pair).map(|p| self.ident(&p)).collect()
    }

    /// A name that the grammar guarantees; empty only if it did not.
    pub(super) fn ident_or_empty(&self, pair: Option<Pair<'_>>, whole: Span) -> Ident {
        pair.map_or_else(
            || Ident {
                text: Rc::from(""),
                span: whole,
            },
            |p| self.ident(&p),
        )
    }

    pub(super) fn integer(&self, digits: &str, span: Span) -> i64 {
        digits.parse().unwrap_or_else(|_| {
            self.report(
                Diagnostic::error(code::NUMBER, span, "this number is too large")
                    .label(format!("the largest integer is {}", i64::MAX)),
            );
            0
        })
    }
}
