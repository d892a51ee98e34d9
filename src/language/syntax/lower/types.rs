//! Written types.

use std::rc::Rc;

use super::piece::Piece;
use crate::source::Diagnostic;
use crate::source::stack::deep;
use crate::syntax::ast::{Ident, TypeExpr, TypeKind, TypeScheme};
use crate::syntax::grammar::{Pair, Rule, parts};
use crate::syntax::words::code;

pub(super) fn scheme(piece: &Piece, pair: Pair<'_>) -> TypeScheme {
    let whole = piece.span(&pair);
    let mut scheme = TypeScheme {
        constraints: Vec::new(),
        body: TypeExpr {
            kind: TypeKind::Tuple(Vec::new()),
            span: whole,
        },
    };
    for part in pair.into_inner() {
        if part.as_rule() == Rule::maps_to {
            continue;
        }
        if part.as_rule() == Rule::constraints {
            scheme.constraints = part
                .into_inner()
                .filter_map(|c| constraint(piece, c))
                .collect();
        } else {
            scheme.body = type_expr(piece, part);
        }
    }
    scheme
}

fn constraint(piece: &Piece, pair: Pair<'_>) -> Option<(Ident, Ident)> {
    let mut inner = pair.into_inner();
    let class = piece.ident(&inner.next()?);
    Some((class, piece.ident(&inner.next()?)))
}

fn type_expr(piece: &Piece, pair: Pair<'_>) -> TypeExpr {
    deep(|| type_now(piece, pair))
}

fn type_now(piece: &Piece, pair: Pair<'_>) -> TypeExpr {
    let span = piece.span(&pair);
    let kind = match pair.as_rule() {
        Rule::type_expr => return type_row(piece, pair),
        Rule::type_dot => return type_dot(piece, pair),
        Rule::type_set => type_args(piece, pair)
            .pop()
            .map(|t| TypeKind::Set(Box::new(t))),
        Rule::type_seq => type_args(piece, pair)
            .pop()
            .map(|t| TypeKind::Seq(Box::new(t))),
        Rule::type_tuple => Some(TypeKind::Tuple(type_args(piece, pair))),
        Rule::type_map => {
            let mut args = type_args(piece, pair).into_iter();
            args.next()
                .zip(args.next())
                .map(|(k, v)| TypeKind::Map(Box::new(k), Box::new(v)))
        }
        _ => Some(TypeKind::Name(Rc::from(pair.as_str()))),
    };
    TypeExpr {
        kind: kind.unwrap_or(TypeKind::Tuple(Vec::new())),
        span,
    }
}

fn type_args(piece: &Piece, pair: Pair<'_>) -> Vec<TypeExpr> {
    parts(pair).map(|t| type_expr(piece, t)).collect()
}

fn type_dot(piece: &Piece, pair: Pair<'_>) -> TypeExpr {
    let span = piece.span(&pair);
    pair.into_inner()
        .filter(|p| p.as_rule() != Rule::dot)
        .map(|t| type_expr(piece, t))
        .collect::<Vec<_>>()
        .into_iter()
        // Collected first, so that the parts are lowered, and their errors reported, in the
        // order of the text. Only then they are joined from the end.
        .rev()
        .reduce(|right, left| TypeExpr {
            span: left.span.to(right.span),
            kind: TypeKind::Dot(Box::new(left), Box::new(right)),
        })
        .unwrap_or(TypeExpr {
            kind: TypeKind::Tuple(Vec::new()),
            span,
        })
}

/// `t => u =>* v -> w`: the arrow is loosest, all nest to the right.
fn type_row(piece: &Piece, pair: Pair<'_>) -> TypeExpr {
    let mut row = Vec::new();
    let mut operator = None;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::arrow | Rule::dotable | Rule::extendable => operator = Some(part),
            _ => row.push((operator.take(), type_expr(piece, part))),
        }
    }
    // The grammar lets at most the last operator be an arrow.
    let result = row.pop_if(|(op, _)| op.as_ref().is_some_and(|o| o.as_rule() == Rule::arrow));
    // The type so far, with the operator to its left that still needs a left side.
    let mut right: Option<(Option<Pair<'_>>, TypeExpr)> = None;
    while let Some((op, left)) = row.pop() {
        let joined = match right.take() {
            Some((Some(between), r)) => type_join(piece, left, &between, r),
            _ => left,
        };
        right = Some((op, joined));
    }
    match (right, result) {
        (Some((_, from)), Some((Some(arrow), to))) => type_join(piece, from, &arrow, to),
        (Some((_, whole)), _) => whole,
        (None, _) => TypeExpr {
            kind: TypeKind::Tuple(Vec::new()),
            span: crate::source::Span {
                file: piece.file,
                start: 0,
                end: 0,
            },
        },
    }
}

fn type_join(piece: &Piece, left: TypeExpr, operator: &Pair<'_>, right: TypeExpr) -> TypeExpr {
    let span = left.span.to(right.span);
    let kind = match (operator.as_rule(), left.kind) {
        // The parentheses before an arrow are the list of arguments, no tuple.
        (Rule::arrow, TypeKind::Tuple(args)) => TypeKind::Function(args, Box::new(right)),
        (rule, kind) => {
            let left = Box::new(TypeExpr {
                kind,
                span: left.span,
            });
            match rule {
                Rule::dotable => TypeKind::Dotable(left, Box::new(right)),
                Rule::extendable => TypeKind::Extendable(left, Box::new(right)),
                _ => {
                    piece.report(
                        Diagnostic::error(
                            code::TYPE,
                            left.span,
                            "the argument types of a function stand in parentheses",
                        )
                        .note("write `(Int) -> Bool`, not `Int -> Bool`"),
                    );
                    TypeKind::Function(vec![*left], Box::new(right))
                }
            }
        }
    };
    TypeExpr { kind, span }
}
