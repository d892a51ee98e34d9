//! Patterns.

use std::rc::Rc;

use super::piece::Piece;
use super::{DEPTH_MAX, literal};
use crate::source::Diagnostic;
use crate::source::stack::deep;
use crate::syntax::ast::{Pattern, PatternKind};
use crate::syntax::grammar::{Pair, Rule, parts};
use crate::syntax::words::code;

pub(super) fn pattern(piece: &Piece, pair: Pair<'_>) -> Pattern {
    deep(|| pattern_now(piece, pair))
}

fn pattern_now(piece: &Piece, pair: Pair<'_>) -> Pattern {
    let span = piece.span(&pair);
    let text = pair.as_str();
    let kind = match pair.as_rule() {
        // Each level of operators is a rule of its own, with one operand where there is no
        // operator: that operand is returned as it is.
        Rule::pattern | Rule::pat_dot | Rule::pat_concat => return pattern_row(piece, pair),
        Rule::wild => PatternKind::Wild,
        Rule::int => PatternKind::Int(piece.integer(text, span)),
        Rule::neg_int => PatternKind::Int(negative(piece, text, span)),
        Rule::bool => PatternKind::Bool(text == "true"),
        Rule::char => PatternKind::Char(literal::character(text)),
        Rule::str => PatternKind::Str(literal::string(text)),
        Rule::pat_paren => pattern_paren(piece, pair),
        Rule::pat_seq => PatternKind::Seq(patterns(piece, pair)),
        Rule::pat_set => pattern_set(piece, pair),
        _ => PatternKind::Name(Rc::from(text)),
    };
    Pattern { kind, span }
}

pub(super) fn patterns(piece: &Piece, pair: Pair<'_>) -> Vec<Pattern> {
    parts(pair).map(|p| pattern(piece, p)).collect()
}

/// A level of operators: `@@`, `.` (to the right) or `^` (to the left).
fn pattern_row(piece: &Piece, pair: Pair<'_>) -> Pattern {
    let rule = pair.as_rule();
    let span = piece.span(&pair);
    let join = |left: Pattern, right: Pattern| {
        let span = left.span.to(right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match rule {
            Rule::pat_dot => PatternKind::Dot(left, right),
            Rule::pat_concat => PatternKind::Concat(left, right),
            _ => PatternKind::Both(left, right),
        };
        Pattern { kind, span }
    };
    let row = patterns(piece, pair);
    // A row nests in the tree as deep as it is long.
    if row.len() > DEPTH_MAX {
        piece.report(Diagnostic::error(
            code::TOO_DEEP,
            span,
            "this pattern is too long",
        ));
        return Pattern {
            kind: PatternKind::Wild,
            span,
        };
    }
    // From the right, as dots in expressions: the first part is the head, and all others are
    // its rest.
    let joined = if rule == Rule::pat_dot {
        row.into_iter()
            .rev()
            .reduce(|right, left| join(left, right))
    } else {
        row.into_iter().reduce(join)
    };
    joined.unwrap_or(Pattern {
        kind: PatternKind::Wild,
        span,
    })
}

fn negative(piece: &Piece, text: &str, span: crate::source::Span) -> i64 {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    // The smallest integer has no positive counterpart.
    format!("-{digits}")
        .parse()
        .unwrap_or_else(|_| piece.integer(digits, span))
}

fn pattern_paren(piece: &Piece, pair: Pair<'_>) -> PatternKind {
    let mut inner = patterns(piece, pair);
    match (inner.len(), inner.pop()) {
        (1, Some(only)) => PatternKind::Paren(Box::new(only)),
        (_, last) => {
            inner.extend(last);
            PatternKind::Tuple(inner)
        }
    }
}

fn pattern_set(piece: &Piece, pair: Pair<'_>) -> PatternKind {
    let inner = patterns(piece, pair);
    if let [_, second, ..] = inner.as_slice() {
        piece.report(
            Diagnostic::error(
                code::PATTERN,
                second.span,
                "a set pattern has at most one element",
            )
            .label("a second element")
            .note("the elements of a set have no order, so nothing says which is which"),
        );
    }
    PatternKind::Set(inner)
}
