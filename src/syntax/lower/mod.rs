//! From pest's flat tree to [`ast`](super::ast), one file a kind of construct.

mod assertion;
mod declaration;
mod expression;
mod operators;
mod pattern;
mod types;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::ast::{Expr, ExprKind, Ident};
use super::files::Session;
use super::grammar::{Pair, parts};
use super::words::code;
use crate::source::{Diagnostic, FileId, Span};

/// How deeply expressions may nest. Everything after the parser (including the release of the
/// tree) recurses over it, so this bounds the native stack that they need.
// Not a matter of the parser, whose limit is that of brackets: `a -> a -> a …` nests without any.
pub(crate) const DEPTH_MAX: usize = 10_000;

/// Where a list of declarations stands; this decides what may be declared.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    pub(crate) in_let: bool,
    pub(crate) in_module: bool,
    pub(crate) in_timed: bool,
}

/// Lowers one piece of a file.
pub(crate) struct Lower<'a> {
    /// Reads the files that the piece includes, and knows the bounds.
    pub(crate) session: &'a Session,
    pub(crate) file: FileId,
    /// Where the parsed piece begins in the file.
    pub(crate) base: usize,
    pub(crate) diagnostics: RefCell<Vec<Diagnostic>>,
    /// Operators between the root and the current expression.
    depth: Cell<usize>,
    place: Cell<Place>,
}

impl<'a> Lower<'a> {
    pub(crate) fn new(session: &'a Session, file: FileId, base: usize) -> Self {
        Self {
            session,
            file,
            base,
            diagnostics: RefCell::default(),
            depth: Cell::new(0),
            place: Cell::default(),
        }
    }

    pub(crate) fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        Span {
            file: self.file,
            // Pest counts from the beginning of the piece. Offsets fit 32 bits, as a script has at
            // most 16 MiB.
            start: (self.base + span.start()) as u32,
            end: (self.base + span.end()) as u32,
        }
    }

    fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Stands for what could not be lowered; an error has been reported.
    fn hole(&self, span: Span) -> Expr {
        Expr {
            // An empty tuple cannot be written, so nothing else looks like this. It is never
            // evaluated, since there is an error.
            kind: ExprKind::Tuple(Vec::new()),
            span,
        }
    }

    fn ident(&self, pair: &Pair<'_>) -> Ident {
        Ident {
            text: Rc::from(pair.as_str()),
            span: self.span(pair),
        }
    }

    fn idents(&self, pair: Pair<'_>) -> Vec<Ident> {
        parts(pair).map(|p| self.ident(&p)).collect()
    }

    /// A name that the grammar guarantees; empty only if it did not.
    fn ident_or_empty(&self, pair: Option<Pair<'_>>, whole: Span) -> Ident {
        pair.map_or_else(
            || Ident {
                text: Rc::from(""),
                span: whole,
            },
            |p| self.ident(&p),
        )
    }

    fn integer(&self, digits: &str, span: Span) -> i64 {
        digits.parse().unwrap_or_else(|_| {
            self.report(
                Diagnostic::error(code::NUMBER, span, "this number is too large")
                    .label(format!("the largest integer is {}", i64::MAX)),
            );
            0
        })
    }

    /// The character of `'c'` or `'\n'`.
    fn character(text: &str) -> char {
        let mut inner = text.chars().skip(1);
        match inner.next() {
            Some('\\') => match inner.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            Some(c) => c,
            // Cannot be: the grammar gives two quotes with something in between.
            None => '\'',
        }
    }

    /// The text of `"…"`. Escapes other than `\n \r \t \\` stand for the character itself.
    pub(crate) fn string(text: &str) -> Rc<str> {
        let inner = text
            .get(1..text.len().saturating_sub(1))
            .unwrap_or_default();
        let mut out = String::with_capacity(inner.len());
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            // A backslash at the very end cannot be: it would have escaped the closing quote.
            match (c, c == '\\') {
                (_, true) => out.extend(chars.next().map(|e| match e {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                })),
                (c, false) => out.push(c),
            }
        }
        Rc::from(out)
    }
}
