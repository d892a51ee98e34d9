//! Patterns.

use std::rc::Rc;

use super::Lower;
use crate::source::Diagnostic;
use crate::source::stack::deep;
use crate::syntax::ast::{Pattern, PatternKind};
use crate::syntax::grammar::{Pair, Rule, parts};
use crate::syntax::words::code;

impl Lower<'_> {
    pub(super) fn pattern(&self, pair: Pair<'_>) -> Pattern {
        deep(|| self.pattern_now(pair))
    }

    fn pattern_now(&self, pair: Pair<'_>) -> Pattern {
        let span = self.span(&pair);
        let text = pair.as_str();
        let kind = match pair.as_rule() {
            // Each level of operators is a rule of its own, with one operand where there is no
            // operator: that operand is returned as it is.
            Rule::pattern | Rule::pat_dot | Rule::pat_concat => return self.pattern_row(pair),
            Rule::wild => PatternKind::Wild,
            Rule::int => PatternKind::Int(self.integer(text, span)),
            Rule::neg_int => PatternKind::Int(self.negative(text, span)),
            Rule::bool => PatternKind::Bool(text == "true"),
            Rule::char => PatternKind::Char(Self::character(text)),
            Rule::str => PatternKind::Str(Self::string(text)),
            Rule::pat_paren => self.pattern_paren(pair),
            Rule::pat_seq => PatternKind::Seq(self.patterns(pair)),
            Rule::pat_set => self.pattern_set(pair),
            _ => PatternKind::Name(Rc::from(text)),
        };
        Pattern { kind, span }
    }

    pub(super) fn patterns(&self, pair: Pair<'_>) -> Vec<Pattern> {
        parts(pair).map(|p| self.pattern(p)).collect()
    }

    /// A level of operators: `@@`, `.` (to the right) or `^` (to the left).
    fn pattern_row(&self, pair: Pair<'_>) -> Pattern {
        let rule = pair.as_rule();
        let span = self.span(&pair);
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
        let row = self.patterns(pair);
        // A row nests in the tree as deep as it is long.
        if row.len() > super::DEPTH_MAX {
            self.report(Diagnostic::error(
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

    fn negative(&self, text: &str, span: crate::source::Span) -> i64 {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        // The smallest integer has no positive counterpart.
        format!("-{digits}")
            .parse()
            .unwrap_or_else(|_| self.integer(digits, span))
    }

    fn pattern_paren(&self, pair: Pair<'_>) -> PatternKind {
        let mut inner = self.patterns(pair);
        match (inner.len(), inner.pop()) {
            (1, Some(only)) => PatternKind::Paren(Box::new(only)),
            (_, last) => {
                inner.extend(last);
                PatternKind::Tuple(inner)
            }
        }
    }

    fn pattern_set(&self, pair: Pair<'_>) -> PatternKind {
        let inner = self.patterns(pair);
        if let [_, second, ..] = inner.as_slice() {
            self.report(
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
}
