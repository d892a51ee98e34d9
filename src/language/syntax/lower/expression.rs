//! Operands, literals, statements and links.

use std::rc::Rc;

use super::operators::empty_links;
use super::pattern::pattern;
use super::{ExprLowering, literal};
use crate::syntax::ast::{Expr, ExprKind, Items, Links, Stmt};
use crate::syntax::grammar::{Pair, Rule, parts, plain};

/// The contents of a set, sequence or production literal.
struct Body {
    items: Items,
    stmts: Option<Vec<Stmt>>,
}

impl ExprLowering<'_> {
    pub(super) fn operand(&self, pair: Pair<'_>) -> Expr {
        let span = self.piece.span(&pair);
        let text = pair.as_str();
        let kind = match pair.as_rule() {
            Rule::bool => ExprKind::Bool(text == "true"),
            Rule::int => ExprKind::Int(self.piece.integer(text, span)),
            Rule::char => ExprKind::Char(literal::character(text)),
            Rule::str => ExprKind::Str(literal::string(text)),
            Rule::paren => self.paren(pair),
            Rule::map => ExprKind::Map(parts(pair).filter_map(|p| self.pair_of(p)).collect()),
            Rule::seq => {
                let body = self.body(pair);
                ExprKind::Seq(body.items, body.stmts)
            }
            Rule::set => {
                let body = self.body(pair);
                ExprKind::Set(body.items, body.stmts)
            }
            Rule::prods => {
                let body = self.body(pair);
                match body.items {
                    Items::List(list) => ExprKind::Productions(list, body.stmts),
                    // Cannot be: the grammar has no range in `{| … |}`.
                    Items::Range(..) => ExprKind::Productions(Vec::new(), body.stmts),
                }
            }
            _ => ExprKind::Name(Rc::from(text)),
        };
        Expr { kind, span }
    }

    // Parentheses are kept in the tree: they allow what `refuse_chain` forbids without them.
    fn paren(&self, pair: Pair<'_>) -> ExprKind {
        let mut inner: Vec<Expr> = parts(pair).map(|e| self.expr(e)).collect();
        match (inner.len(), inner.pop()) {
            (1, Some(only)) => ExprKind::Paren(Box::new(only)),
            (_, last) => {
                inner.extend(last);
                ExprKind::Tuple(inner)
            }
        }
    }

    fn body(&self, pair: Pair<'_>) -> Body {
        let mut list = Vec::new();
        let mut end = None;
        let mut stmts = None;
        for part in parts(pair) {
            match plain(part.as_rule()) {
                Rule::range_end => end = Some(parts(part).next().map(|e| Box::new(self.expr(e)))),
                Rule::stmts => stmts = Some(self.stmts(part)),
                _ => list.push(self.expr(part)),
            }
        }
        // A range has exactly one item before its dots, which is then the last of the list.
        let items = match (end, list.pop()) {
            (Some(end), Some(start)) => Items::Range(Box::new(start), end),
            (_, last) => {
                list.extend(last);
                Items::List(list)
            }
        };
        Body { items, stmts }
    }

    pub(super) fn stmts(&self, pair: Pair<'_>) -> Vec<Stmt> {
        parts(pair).filter_map(|p| self.stmt(p)).collect()
    }

    fn stmt(&self, pair: Pair<'_>) -> Option<Stmt> {
        let rule = plain(pair.as_rule());
        let mut inner = parts(pair);
        let first = inner.next()?;
        Some(if rule == Rule::generator {
            let pattern = pattern(self.piece, first);
            Stmt::Generator(pattern, self.expr(inner.next()?))
        } else {
            Stmt::Condition(self.expr(first))
        })
    }

    /// `a <- b, c <- d | stmts`, or the same with `<->`.
    pub(super) fn links(&self, pair: Pair<'_>) -> Links {
        let mut links = empty_links();
        for part in parts(pair) {
            if plain(part.as_rule()) == Rule::stmts {
                links.stmts = self.stmts(part);
            } else {
                links.pairs.extend(self.pair_of(part));
            }
        }
        links
    }

    /// Two expressions: a renaming, a link, or an entry of a map.
    pub(super) fn pair_of(&self, pair: Pair<'_>) -> Option<(Expr, Expr)> {
        let mut inner = parts(pair);
        let left = self.expr(inner.next()?);
        Some((left, self.expr(inner.next()?)))
    }
}
