//! The tree of an expression out of its flat row of operators and operands.

use super::pattern::pattern;
use super::{Around, DEPTH_MAX, DeclLowering, ExprLowering, hole};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{BinOp, Expr, ExprKind, Field, Links, ProcOp, RepOp, UnOp};
use crate::syntax::files::PHASE;
use crate::syntax::grammar::{Pair, Rule, is_operand, parts, plain};
use crate::syntax::precedence::TABLE;
use crate::syntax::words::code;

/// Native stack that one operator may need while the tree is built, generously.
const STACK_PER_OPERATOR: usize = 2048;

/// Operators of one row.
const OPERATORS_MAX: usize = 10 * DEPTH_MAX;

/// Runs what builds the tree of a row with so much native stack: the Pratt parser recurses up to once for each operator
/// of a row without asking for any.
fn with_stack<T>(stack: usize, build: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(stack + 128 * 1024, stack + 2 * 1024 * 1024, build)
}

/// The depth of the tree of a row, operands not counted.
fn depth_of(row: &Pair<'_>) -> usize {
    TABLE
        .map_primary(|_| 0)
        .map_prefix(|_, body: usize| body + 1)
        .map_postfix(|item, _| item + 1)
        .map_infix(|left: usize, _, right| left.max(right) + 1)
        .parse(row.clone().into_inner())
}

/// An expression with the fields that follow it, which only `->` can use up.
struct Fielded {
    expr: Expr,
    fields: Vec<Field>,
    /// The bytes of the expression and its fields together.
    span: Span,
}

impl From<Expr> for Fielded {
    fn from(expr: Expr) -> Self {
        Self {
            span: expr.span,
            expr,
            fields: Vec::new(),
        }
    }
}

impl ExprLowering<'_> {
    /// An expression, whichever of the four rules it was read with.
    pub(super) fn expr(&self, pair: Pair<'_>) -> Expr {
        let operators = pair
            .clone()
            .into_inner()
            .filter(|p| !is_operand(p.as_rule()))
            .count();
        if operators > OPERATORS_MAX {
            return self.too_deep(&pair, &format!("more than {OPERATORS_MAX} operators"));
        }
        let stack = operators.saturating_mul(STACK_PER_OPERATOR);
        let depth = self.around.depth;
        // A row of n operators may become a tree of depth n, but few do.
        let deepest = match depth + operators > DEPTH_MAX {
            true => with_stack(stack, || depth_of(&pair)),
            false => operators,
        };
        if depth + deepest > DEPTH_MAX {
            return self.too_deep(&pair, &format!("more than {DEPTH_MAX} operators deep"));
        }
        let span = self.piece.span(&pair);
        // Without a report: the bounds have their own diagnostic, which is added when the script is
        // finished.
        if self.around.script.bounds.over(PHASE, Some(span)) {
            return hole(span);
        }
        let around = Around {
            depth: depth + deepest + 1,
            ..self.around
        };
        let inside = Self { around, ..*self };
        // Short rows have room in the reserve of `deep`.
        if operators > 32 {
            with_stack(stack, || inside.row(pair))
        } else {
            deep(|| inside.row(pair))
        }
    }

    fn too_deep(&self, pair: &Pair<'_>, how: &str) -> Expr {
        let whole = self.piece.span(pair);
        self.piece.report(
            Diagnostic::error(
                code::TOO_DEEP,
                Span {
                    end: whole.start + 1,
                    ..whole
                },
                "this expression nests too deeply",
            )
            .label(how.to_owned())
            .note("give parts of it names, or use a replicated operator"),
        );
        hole(whole)
    }

    fn row(&self, pair: Pair<'_>) -> Expr {
        let item = TABLE
            // Everything is an item with fields for as long as an arrow may follow. `done` ends
            // that: whoever uses an item in another way calls it.
            .map_primary(|p| Fielded::from(self.operand(p)))
            .map_prefix(|op, body| self.prefix(op, body).into())
            .map_postfix(|item, op| self.postfix(item, op))
            .map_infix(|left, op, right| self.infix(left, op, right).into())
            .parse(pair.into_inner());
        self.done(item)
    }

    /// An item that is no left side of an arrow must have no fields.
    fn done(&self, item: Fielded) -> Expr {
        if !item.fields.is_empty() {
            self.piece.report(
                Diagnostic::error(
                    code::FIELD,
                    item.span,
                    "a communication must be followed by `->` and a process",
                )
                .label("`?`, `!` and `$` are only allowed before `->`"),
            );
        }
        item.expr
    }

    fn prefix(&self, op: Pair<'_>, body: Fielded) -> Expr {
        let span = self.piece.span(&op).to(body.span);
        let body = Box::new(self.done(body));
        let rule = plain(op.as_rule());
        let kind = match rule {
            Rule::negate => ExprKind::Unary(UnOp::Neg, body),
            Rule::not => ExprKind::Unary(UnOp::Not, body),
            Rule::length => ExprKind::Unary(UnOp::Length, body),
            Rule::let_within => {
                let Self { piece, around } = *self;
                let inner = DeclLowering { piece, around };
                let decls = parts(op).flat_map(|d| inner.let_decls(d)).collect();
                ExprKind::Let(decls, body)
            }
            Rule::lambda => {
                ExprKind::Lambda(parts(op).map(|p| pattern(self.piece, p)).collect(), body)
            }
            // The `else` belongs to the prefix; the body is what follows it.
            Rule::if_then => return self.conditional(op, body, span),
            _ => return self.replicated(rule, op, body, span),
        };
        Expr { kind, span }
    }

    fn conditional(&self, op: Pair<'_>, otherwise: Box<Expr>, span: Span) -> Expr {
        // In a `data` expression the same rule is wrapped once more.
        let op = if op.as_rule() == Rule::data_if_then {
            match parts(op).next() {
                Some(inner) => inner,
                None => return hole(span),
            }
        } else {
            op
        };
        let mut inner = parts(op);
        match (inner.next(), inner.next()) {
            (Some(c), Some(t)) => Expr {
                kind: ExprKind::If(Box::new(self.expr(c)), Box::new(self.expr(t)), otherwise),
                span,
            },
            _ => hole(span),
        }
    }

    fn replicated(&self, rule: Rule, op: Pair<'_>, body: Box<Expr>, span: Span) -> Expr {
        let mut set = None;
        let mut links = None;
        let mut stmts = Vec::new();
        for part in parts(op) {
            match plain(part.as_rule()) {
                Rule::stmts => stmts = self.stmts(part),
                // Only a replicated link has these, so they tell it from all others below.
                Rule::links => links = Some(self.links(part)),
                // The alphabet comes after the `@`, the set of `[|A|]` before the statements. No
                // operator has both.
                Rule::alphabet => set = parts(part).next().map(|e| Box::new(self.expr(e))),
                _ => set = Some(Box::new(self.expr(part))),
            }
        }
        let op = match rule {
            Rule::rep_ext_choice => RepOp::ExtChoice,
            Rule::rep_int_choice => RepOp::IntChoice,
            Rule::rep_seq => RepOp::Seq,
            Rule::rep_interleave => RepOp::Interleave,
            Rule::rep_alpha => RepOp::AlphaParallel,
            Rule::rep_parallel => RepOp::Parallel,
            _ => RepOp::SyncChoice,
        };
        let kind = match links {
            Some(links) => ExprKind::ReplicatedLink {
                links: Box::new(links),
                stmts,
                body,
            },
            None => ExprKind::Replicated {
                op,
                set,
                stmts,
                body,
            },
        };
        Expr { kind, span }
    }

    fn postfix(&self, mut item: Fielded, op: Pair<'_>) -> Fielded {
        let span = item.span.to(self.piece.span(&op));
        let rule = plain(op.as_rule());
        // Fields stay outside the expression: `c?x!y` has no value of its own, and `->` needs them
        // with their head.
        if let Rule::input | Rule::output | Rule::nondet = rule {
            item.fields.extend(self.field(rule, op));
            item.span = span;
            return item;
        }
        let left = Box::new(self.done(item));
        let kind = match rule {
            Rule::apply => ExprKind::Apply(left, parts(op).map(|e| self.expr(e)).collect()),
            Rule::rename => {
                let links = parts(op).next().map(|l| self.links(l));
                ExprKind::Rename(left, Box::new(links.unwrap_or_else(empty_links)))
            }
            other => {
                let set = match parts(op).next() {
                    Some(set) => Box::new(self.expr(set)),
                    None => Box::new(hole(span)),
                };
                if other == Rule::hide {
                    ExprKind::Hide(left, set)
                } else {
                    ExprKind::Project(left, set)
                }
            }
        };
        Expr { kind, span }.into()
    }

    fn field(&self, rule: Rule, op: Pair<'_>) -> Option<Field> {
        let mut inner = parts(op);
        let first = inner.next()?;
        Some(match rule {
            Rule::output => Field::Output(self.expr(first)),
            Rule::input => Field::Input(
                pattern(self.piece, first),
                inner.next().map(|e| self.expr(e)),
            ),
            _ => Field::Nondet(
                pattern(self.piece, first),
                inner.next().map(|e| self.expr(e)),
            ),
        })
    }

    fn infix(&self, left: Fielded, op: Pair<'_>, right: Fielded) -> Expr {
        let span = left.span.to(right.span);
        // The only operator whose left side may have fields: `left` is not `done`.
        if op.as_rule() == Rule::arrow {
            let body = Box::new(self.done(right));
            let kind = ExprKind::Prefix {
                head: Box::new(left.expr),
                fields: left.fields,
                body,
            };
            return Expr { kind, span };
        }
        let left = Box::new(self.done(left));
        let right = Box::new(self.done(right));
        // The table says that these group to the left, as it cannot say that they do not group.
        self.refuse_chain(&left, &op, &right);
        let kind = match op.as_rule() {
            Rule::guard => ExprKind::Guard(left, right),
            Rule::dot => ExprKind::Dot(left, right),
            rule => {
                if let Some(binary) = data_operator(rule) {
                    ExprKind::Binary(binary, left, right)
                } else if let Some(process) = process_operator(rule) {
                    ExprKind::Process(process, left, right)
                } else {
                    return self.bracketed(left, op, right, span);
                }
            }
        };
        Expr { kind, span }
    }

    /// The operators that carry operands of their own in brackets.
    fn bracketed(&self, left: Box<Expr>, op: Pair<'_>, right: Box<Expr>, span: Span) -> Expr {
        let rule = op.as_rule();
        // Asked of all children, since `parts` leaves closing brackets out, and `|]` and `|>` are
        // all that differs.
        let exception = op
            .clone()
            .into_inner()
            .any(|p| p.as_rule() == Rule::close_except);
        let mut inner = parts(op);
        let Some(set) = inner.next() else {
            return hole(span);
        };
        let set = Box::new(self.expr(set));
        let kind = match (rule, inner.next()) {
            (Rule::sync_choice, _) => ExprKind::SyncChoice(left, set, right),
            (Rule::sync_interrupt, _) => ExprKind::SyncInterrupt(left, set, right),
            (_, Some(rest)) if rest.as_rule() == Rule::alpha_rest => match parts(rest).next() {
                Some(other) => {
                    ExprKind::AlphaParallel(left, set, Box::new(self.expr(other)), right)
                }
                None => return hole(span),
            },
            // `[A || B]` and `[a <-> b]` begin alike: one rule reads the first expression, and what
            // follows it decides.
            (_, Some(rest)) => ExprKind::Link(left, Box::new(self.link_rest(*set, rest)), right),
            (_, None) if exception => ExprKind::Exception(left, set, right),
            (_, None) => ExprKind::Parallel(left, set, right),
        };
        Expr { kind, span }
    }

    fn link_rest(&self, first: Expr, rest: Pair<'_>) -> Links {
        let mut links = empty_links();
        // The left side of the first pair has been read already; its right side is the first
        // expression in here.
        let mut first = Some(first);
        for part in parts(rest) {
            match plain(part.as_rule()) {
                Rule::link => links.pairs.extend(self.pair_of(part)),
                Rule::stmts => links.stmts = self.stmts(part),
                _ => links
                    .pairs
                    .extend(first.take().map(|left| (left, self.expr(part)))),
            }
        }
        links
    }

    /// Comparisons and bracketed parallels do not chain without parentheses.
    fn refuse_chain(&self, left: &Expr, op: &Pair<'_>, right: &Expr) {
        let (what, clash): (&str, fn(&Expr) -> bool) = match op.as_rule() {
            Rule::eq | Rule::ne | Rule::lt | Rule::gt | Rule::le | Rule::ge => {
                ("comparisons", is_comparison)
            }
            Rule::parallel | Rule::link_or_alpha => {
                ("parallel operators with alphabets", is_parallel)
            }
            _ => return,
        };
        // Parentheses make a node of their own, so what they hold is not seen here.
        if clash(left) || clash(right) {
            let hint = if what == "comparisons" {
                "write `x < y and y < z`"
            } else {
                "write `(P [|A|] Q) [|B|] R` or `P [|A|] (Q [|B|] R)`"
            };
            self.piece.report(
                Diagnostic::error(
                    code::CHAIN,
                    self.piece.span(op),
                    format!("{what} cannot be chained without parentheses"),
                )
                .label("second operator")
                .also(left.span, "first one in here")
                .note(hint),
            );
        }
    }
}

pub(super) fn empty_links() -> Links {
    Links {
        pairs: Vec::new(),
        stmts: Vec::new(),
    }
}

fn is_comparison(e: &Expr) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(e.kind, ExprKind::Binary(Eq | Ne | Lt | Gt | Le | Ge, ..))
}

fn is_parallel(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Parallel(..)
            | ExprKind::AlphaParallel(..)
            | ExprKind::Exception(..)
            | ExprKind::Link(..)
    )
}

fn data_operator(rule: Rule) -> Option<BinOp> {
    Some(match rule {
        Rule::plus => BinOp::Add,
        Rule::minus => BinOp::Sub,
        Rule::times => BinOp::Mul,
        Rule::divide => BinOp::Div,
        Rule::modulo => BinOp::Mod,
        Rule::eq => BinOp::Eq,
        Rule::ne => BinOp::Ne,
        Rule::lt => BinOp::Lt,
        Rule::gt => BinOp::Gt,
        Rule::le => BinOp::Le,
        Rule::ge => BinOp::Ge,
        Rule::and => BinOp::And,
        Rule::or => BinOp::Or,
        Rule::concat => BinOp::Concat,
        _ => return None,
    })
}

fn process_operator(rule: Rule) -> Option<ProcOp> {
    Some(match rule {
        Rule::ext_choice => ProcOp::ExtChoice,
        Rule::int_choice => ProcOp::IntChoice,
        Rule::seq_comp => ProcOp::Seq,
        Rule::interleave => ProcOp::Interleave,
        Rule::interrupt => ProcOp::Interrupt,
        Rule::sliding => ProcOp::Sliding,
        _ => return None,
    })
}
