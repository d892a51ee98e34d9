//! Written types.

use std::rc::Rc;

use super::Lower;
use crate::source::Diagnostic;
use crate::source::stack::deep;
use crate::syntax::ast::{Ident, TypeExpr, TypeKind, TypeScheme};
use crate::syntax::grammar::{Pair, Rule};
use crate::syntax::words::code;

impl Lower<'_> {
    pub(super) fn scheme(&self, pair: Pair<'_>) -> TypeScheme {
        let whole = self.span(&pair);
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
                    .filter_map(|c| self.constraint(c))
                    .collect();
            } else {
                scheme.body = self.type_expr(part);
            }
        }
        scheme
    }

    fn constraint(&self, pair: Pair<'_>) -> Option<(Ident, Ident)> {
        let mut inner = pair.into_inner();
        let class = self.ident(&inner.next()?);
        Some((class, self.ident(&inner.next()?)))
    }

    fn type_expr(&self, pair: Pair<'_>) -> TypeExpr {
        deep(|| self.type_now(pair))
    }

    fn type_now(&self, pair: Pair<'_>) -> TypeExpr {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::type_expr => return self.type_row(pair),
            Rule::type_dot => return self.type_dot(pair),
            Rule::type_set => self
                .type_args(pair)
                .pop()
                .map(|t| TypeKind::Set(Box::new(t))),
            Rule::type_seq => self
                .type_args(pair)
                .pop()
                .map(|t| TypeKind::Seq(Box::new(t))),
            Rule::type_tuple => Some(TypeKind::Tuple(self.type_args(pair))),
            Rule::type_map => {
                let mut args = self.type_args(pair).into_iter();
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

    fn type_args(&self, pair: Pair<'_>) -> Vec<TypeExpr> {
        crate::syntax::grammar::parts(pair)
            .map(|t| self.type_expr(t))
            .collect()
    }

    fn type_dot(&self, pair: Pair<'_>) -> TypeExpr {
        let span = self.span(&pair);
        pair.into_inner()
            .filter(|p| p.as_rule() != Rule::dot)
            .map(|t| self.type_expr(t))
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
    fn type_row(&self, pair: Pair<'_>) -> TypeExpr {
        let mut row = Vec::new();
        let mut operator = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::arrow | Rule::dotable | Rule::extendable => operator = Some(part),
                _ => row.push((operator.take(), self.type_expr(part))),
            }
        }
        // The grammar lets at most the last operator be an arrow.
        let result = row.pop_if(|(op, _)| op.as_ref().is_some_and(|o| o.as_rule() == Rule::arrow));
        // The type so far, with the operator to its left that still needs a left side.
        let mut right: Option<(Option<Pair<'_>>, TypeExpr)> = None;
        while let Some((op, left)) = row.pop() {
            let joined = match right.take() {
                Some((Some(between), r)) => self.type_join(left, &between, r),
                _ => left,
            };
            right = Some((op, joined));
        }
        match (right, result) {
            (Some((_, from)), Some((Some(arrow), to))) => self.type_join(from, &arrow, to),
            (Some((_, whole)), _) => whole,
            (None, _) => TypeExpr {
                kind: TypeKind::Tuple(Vec::new()),
                span: crate::source::Span {
                    file: self.file,
                    start: 0,
                    end: 0,
                },
            },
        }
    }

    fn type_join(&self, left: TypeExpr, operator: &Pair<'_>, right: TypeExpr) -> TypeExpr {
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
                        self.report(
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
}
