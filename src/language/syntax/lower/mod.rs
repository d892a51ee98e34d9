//! From pest's flat tree to [`ast`](super::ast), one file a kind of construct.
//!
//! Patterns and written types are functions of a [`Piece`]. Expressions and declarations contain each
//! other and know more: what is [`Around`] them. Each hands on to its parts what holds inside it, so nothing
//! has to be set back afterwards.

mod assertion;
mod declaration;
mod expression;
mod literal;
mod operators;
mod pattern;
mod piece;
mod types;

use super::ast::{Decl, Expr, ExprKind};
use super::files::ScriptReader;
use super::grammar::Pair;
use crate::source::{Diagnostic, FileId, Span};
use piece::Piece;

/// Maximum nesting of expressions. Everything after the parser (including the release of the tree) recurses over it,
/// so this bounds the native stack that they need.
// Not a matter of the parser, whose limit is that of brackets: `a -> a -> a …` nests without any.
pub(crate) const DEPTH_MAX: usize = 10_000;

/// Lowers one piece of a file.
pub(crate) struct Lower<'a> {
    script: &'a ScriptReader,
    piece: Piece,
}

impl<'a> Lower<'a> {
    /// Lowers what was parsed from the place `base` of a file on.
    pub(crate) fn new(script: &'a ScriptReader, file: FileId, base: usize) -> Self {
        Self {
            script,
            piece: Piece::new(file, base),
        }
    }

    /// One declaration of the grammar: none or several of the tree, because of includes.
    pub(crate) fn decl(&self, pair: Pair<'_>) -> Vec<Decl> {
        let (piece, around) = (&self.piece, self.outermost());
        DeclLowering { piece, around }.decl(pair)
    }

    /// An expression that is not part of a declaration.
    pub(crate) fn expr(&self, pair: Pair<'_>) -> Expr {
        let (piece, around) = (&self.piece, self.outermost());
        ExprLowering { piece, around }.expr(pair)
    }

    /// The diagnostics of all declarations.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.piece.into_diagnostics()
    }

    fn outermost(&self) -> Around<'a> {
        Around {
            script: self.script,
            enclosing: Enclosing::default(),
            depth: 0,
        }
    }
}

/// The context of a declaration or an expression.
#[derive(Clone, Copy)]
struct Around<'a> {
    /// Reads the files that are included, and knows the bounds.
    script: &'a ScriptReader,
    enclosing: Enclosing,
    /// Operators between the root of the tree and here.
    depth: usize,
}

/// The enclosing construct of a list of declarations; it decides which are allowed.
#[derive(Clone, Copy, Default)]
struct Enclosing {
    in_let: bool,
    in_module: bool,
    in_timed: bool,
}

/// Lowers declarations. In `declaration`.
struct DeclLowering<'a> {
    piece: &'a Piece,
    around: Around<'a>,
}

/// Lowers expressions. In `expression` and, for their operators, in `operators`.
struct ExprLowering<'a> {
    piece: &'a Piece,
    around: Around<'a>,
}

/// Stands for what could not be lowered; an error has been reported.
fn hole(span: Span) -> Expr {
    Expr {
        // An empty tuple cannot be written, so nothing else looks like this. It is never
        // evaluated, since there is an error.
        kind: ExprKind::Tuple(Vec::new()),
        span,
    }
}
