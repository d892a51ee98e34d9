//! The processes that the translation of a Timed section needs.

use std::rc::Rc;

use super::locals::Variables;
use super::mention::Mentioning;
use super::names::broken;
use super::timing::{Callee, HELPERS, Section};
use crate::script::annotation::{Annotated, Annotation};
use crate::script::core::{
    BinOp, Builtin, Clause, Expr, ExprKind, Function, Items, LocalDef, Pattern, PatternKind,
    ProcOp, VariableId,
};
use crate::source::Span;
use crate::syntax::ast::{Ident, TypeExpr, TypeKind, TypeScheme};

/// Makes what the translation of a section needs.
pub(super) struct Tocks<'r> {
    pub section: Section,
    pub mentions: Mentioning<'r>,
    pub locals: &'r mut Variables,
}

fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Tocks<'_> {
    /// The processes of a section in a `let`, as definitions beside it.
    pub fn local_helpers(&mut self) -> Vec<LocalDef> {
        let mut defs = Vec::new();
        for (which, callee) in HELPERS.into_iter().zip(self.section.helpers) {
            if let Callee::Local(id) = callee {
                let function = Rc::new(self.helper(which));
                defs.push(LocalDef::Function(id, function, self.section.span));
            }
        }
        defs
    }

    pub fn helper(&mut self, which: Builtin) -> Function {
        let span = self.section.span;
        let callee = self.section.helper(which);
        let this = |args: Vec<Expr>| match callee {
            Some(callee) => callee.call(args, span),
            None => broken(span, "not a helper"),
        };
        let clauses = match which {
            // TSTOP() = tock -> TSTOP()
            Builtin::TStop => {
                let body = self.after_tock(this(Vec::new()));
                vec![clause(Vec::new(), body, span)]
            }
            // TSKIP() = tock -> TSKIP() [] SKIP
            Builtin::TSkip => {
                let wait = Box::new(self.after_tock(this(Vec::new())));
                let skip = Box::new(at(ExprKind::Builtin(Builtin::Skip), span));
                let body = at(ExprKind::Process(ProcOp::ExtChoice, wait, skip), span);
                vec![clause(Vec::new(), body, span)]
            }
            // WAIT(0) = TSKIP(), WAIT(n) = tock -> WAIT(n - 1)
            Builtin::Wait => {
                let done = match self.section.helper(Builtin::TSkip) {
                    Some(skip) => skip.call(Vec::new(), span),
                    None => broken(span, "not a helper"),
                };
                return self.countdown(which.name().into(), done, this);
            }
            _ => {
                // timed_priority(P) = prioritise(P, <{}, {tock}>): time passes only when nothing
                // else can happen.
                let process = self.locals.fresh(&"P".into());
                let tock = self.tock_expr(span);
                let levels = at(
                    ExprKind::Seq(
                        Items::List(vec![set(Vec::new(), span), set(vec![tock], span)]),
                        Vec::new(),
                    ),
                    span,
                );
                let prioritise = Box::new(at(ExprKind::Builtin(Builtin::Prioritise), span));
                let args = vec![at(ExprKind::Local(process), span), levels];
                let body = at(ExprKind::Apply(prioritise, args), span);
                vec![clause(vec![bind(process, span)], body, span)]
            }
        };
        let arity = clauses[0].groups[0].len();
        Function {
            name: which.name().into(),
            arity: vec![arity],
            clauses,
        }
    }

    /// `f(0) = done` and `f(n) = tock -> f(n - 1)`.
    pub fn countdown(
        &mut self,
        name: Rc<str>,
        done: Expr,
        this: impl Fn(Vec<Expr>) -> Expr,
    ) -> Function {
        let span = self.section.span;
        let number = |i| at(ExprKind::Int(i), span);
        let left = self.locals.fresh(&"left".into());
        let left_expr = || Box::new(at(ExprKind::Local(left), span));
        let more = at(
            ExprKind::Binary(BinOp::Sub, left_expr(), Box::new(number(1))),
            span,
        );
        let positive = at(
            ExprKind::Binary(BinOp::Gt, left_expr(), Box::new(number(0))),
            span,
        );
        let tock = self.tock_expr(span);
        let negative = broken(span, "a time is negative");
        // `if left > 0 then tock else error(…)`, in the place of the event: a negative number never
        // comes to 0, and would let time pass for ever.
        let head = ExprKind::If(Box::new(positive), Box::new(tock), Box::new(negative));
        let body = at(
            ExprKind::Prefix {
                head: Box::new(at(head, span)),
                fields: Vec::new(),
                body: Box::new(this(vec![more])),
            },
            span,
        );
        let zero = Pattern {
            kind: PatternKind::Int(0),
            span,
        };
        Function {
            name,
            arity: vec![1],
            clauses: vec![
                clause(vec![zero], done, span),
                clause(vec![bind(left, span)], body, span),
            ],
        }
    }

    /// The event `tock` of a self.section.
    pub fn tock_expr(&mut self, span: Span) -> Expr {
        match self.section.tock {
            Some(entity) => self.mentions.entity(entity, "tock", span),
            None => broken(span, "`tock` is not defined"),
        }
    }

    /// `tock -> after`.
    pub fn after_tock(&mut self, after: Expr) -> Expr {
        let span = after.span;
        at(
            ExprKind::Prefix {
                head: Box::new(self.tock_expr(span)),
                fields: Vec::new(),
                body: Box::new(after),
            },
            span,
        )
    }

    /// The set of `tock` alone.
    pub fn tock_set(&mut self, span: Span) -> Box<Expr> {
        let tock = self.tock_expr(span);
        Box::new(set(vec![tock], span))
    }
}

fn clause(patterns: Vec<Pattern>, body: Expr, span: Span) -> Clause {
    Clause {
        groups: vec![patterns],
        body,
        span,
    }
}

fn bind(local: VariableId, span: Span) -> Pattern {
    Pattern {
        kind: PatternKind::Bind(local),
        span,
    }
}

/// `f() = body`.
pub(super) fn constant(name: Rc<str>, body: Expr) -> Function {
    let span = body.span;
    Function {
        name,
        arity: vec![0],
        clauses: vec![clause(Vec::new(), body, span)],
    }
}

/// A set display.
pub(super) fn set(elements: Vec<Expr>, span: Span) -> Expr {
    let items = Items::List(elements);
    at(ExprKind::Set(items, Vec::new()), span)
}

/// `(Event) -> Int`.
pub(super) fn duration_type(target: Annotated, span: Span) -> Annotation {
    let named = |name: &str| TypeExpr {
        kind: TypeKind::Name(name.into()),
        span,
    };
    let body = TypeExpr {
        kind: TypeKind::Function(vec![named("Event")], Box::new(named("Int"))),
        span,
    };
    let constraints = Vec::<(Ident, Ident)>::new();
    Annotation {
        target,
        scheme: TypeScheme { constraints, body },
        span,
    }
}
