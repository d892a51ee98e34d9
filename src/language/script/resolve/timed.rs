//! Processes of Timed sections, as processes with an explicit `tock`.
//!
//! A prefix lets time pass until it happens, and then takes as long as its event lasts: inside a
//! section, `e -> P` is a process X with `X = tock -> X [] e -> tock -> … -> P`. Everything that
//! stands side by side agrees on `tock`: parallel operators synchronise on it, choices and
//! interrupts are not resolved by it. `STOP` and `SKIP` let time pass.

use std::rc::Rc;

use super::bodies::Bodies;
use super::names::broken;
use super::section::constant;
use super::timing::Section;
use crate::script::core::{
    Builtin, Expr, ExprKind, Field, Items, LocalDef, Pattern, PatternKind, ProcOp, RepOp, Stmt,
    VariableId,
};
use crate::source::{Diagnostic, Span};
use crate::syntax::ast;

fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Bodies {
    /// The section whose translation is to be applied.
    fn section(&self) -> Option<Section> {
        self.timed().filter(|s| s.tock.is_some())
    }

    /// A synchronisation set as it is to be here: with `tock` in a Timed section.
    pub(super) fn sync_set(&mut self, e: &ast::Expr) -> Box<Expr> {
        let own = self.expr(e);
        let Some(section) = self.section() else {
            return Box::new(own);
        };
        let span = own.span;
        let union = Box::new(at(ExprKind::Builtin(Builtin::Union), span));
        let tock = self.tocks(section).tock_set(span);
        Box::new(at(ExprKind::Apply(union, vec![own, *tock]), span))
    }

    /// `P [] Q` and the like.
    pub(super) fn process(
        &mut self,
        op: ProcOp,
        p: &ast::Expr,
        q: &ast::Expr,
        span: Span,
    ) -> ExprKind {
        let (p, q) = (Box::new(self.expr(p)), Box::new(self.expr(q)));
        let Some(section) = self.section() else {
            return ExprKind::Process(op, p, q);
        };
        match op {
            ProcOp::ExtChoice => ExprKind::SyncChoice(p, self.tocks(section).tock_set(span), q),
            ProcOp::Interleave => ExprKind::Parallel(p, self.tocks(section).tock_set(span), q),
            ProcOp::Interrupt => ExprKind::SyncInterrupt(p, self.tocks(section).tock_set(span), q),
            ProcOp::IntChoice | ProcOp::Seq | ProcOp::Sliding => ExprKind::Process(op, p, q),
        }
    }

    /// `b & P`: without the guard, time passes.
    pub(super) fn guard(&mut self, b: &ast::Expr, p: &ast::Expr, span: Span) -> ExprKind {
        let (b, p) = (Box::new(self.expr(b)), Box::new(self.expr(p)));
        match self.section() {
            None => ExprKind::Guard(b, p),
            Some(_) => {
                let stop = self.mentions().builtin_name(Builtin::Stop, span);
                ExprKind::If(b, p, Box::new(stop))
            }
        }
    }

    /// A replicated operator. Without operands, time passes.
    pub(super) fn replicated_here(
        &mut self,
        op: RepOp,
        set: Option<&ast::Expr>,
        stmts: &[ast::Stmt],
        body: &ast::Expr,
        span: Span,
    ) -> ExprKind {
        let Some(section) = self.section() else {
            return self.replicated(op, set, stmts, body);
        };
        // The set of operands is drawn once more, only to be compared with nothing: `if empty({0 |
        // x <- S}) then STOP else [] x:S @ P`.
        let (empty, none) = match op {
            RepOp::IntChoice => return self.replicated(op, set, stmts, body),
            RepOp::Seq => {
                let drawn = self.drawn(stmts);
                let zero = Items::List(vec![at(ExprKind::Int(0), span)]);
                let display = at(ExprKind::Seq(zero, drawn), span);
                ((Builtin::Null, display), Builtin::Skip)
            }
            _ => {
                let drawn = self.drawn(stmts);
                let zero = Items::List(vec![at(ExprKind::Int(0), span)]);
                let display = at(ExprKind::Set(zero, drawn), span);
                ((Builtin::Empty, display), Builtin::Stop)
            }
        };
        // External choice is not resolved by `tock`, and what is interleaved agrees on it.
        let kind = match self.replicated(op, set, stmts, body) {
            ExprKind::Replicated {
                op: op @ (RepOp::ExtChoice | RepOp::Interleave),
                stmts,
                body,
                ..
            } => ExprKind::Replicated {
                op: match op {
                    RepOp::ExtChoice => RepOp::SyncChoice,
                    _ => RepOp::Parallel,
                },
                set: Some(self.tocks(section).tock_set(span)),
                stmts,
                body,
            },
            other => other,
        };
        let test = at(ExprKind::Builtin(empty.0), span);
        let test = at(ExprKind::Apply(Box::new(test), vec![empty.1]), span);
        let none = self.mentions().builtin_name(none, span);
        ExprKind::If(Box::new(test), Box::new(none), Box::new(at(kind, span)))
    }

    /// Statements once more, to be looked at by themselves; what is wrong is reported elsewhere.
    fn drawn(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        self.again(|r| r.in_stmts(stmts, |_| ()).0)
    }

    /// Resolves something for a second time, without saying again what is wrong with it.
    fn again<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (reports, notes) = (self.names.errors.count(), self.annotations.count());
        let result = f(self);
        self.names.errors.truncate(reports);
        self.annotations.truncate(notes);
        result
    }

    /// Reports a construct that Timed sections do not have.
    pub(super) fn not_in_timed(&mut self, what: &str, code: &'static str, span: Span) {
        if let Some(section) = self.timed() {
            let message = format!("{what} cannot be used in a Timed section");
            self.report(
                Diagnostic::error(code, span, message)
                    .label("time cannot pass in it")
                    .also(section.span, "the section starts here"),
            );
        }
    }

    /// A prefix.
    pub(super) fn prefix(
        &mut self,
        head: &ast::Expr,
        fields: &[ast::Field],
        body: &ast::Expr,
        span: Span,
        whole: bool,
    ) -> ExprKind {
        self.nondet_first(fields);
        for field in fields {
            if let ast::Field::Nondet(p, _) = field {
                self.not_in_timed("a choice with `$`", "E0224", p.span);
            }
        }
        // The head does not see the variables of the fields.
        let resolved = Box::new(self.expr(head));
        let Some(section) = self.section() else {
            self.names.scopes.push();
            let fields = fields.iter().map(|f| self.field(f)).collect();
            let body = Box::new(self.expr(body));
            self.names.scopes.pop();
            return ExprKind::Prefix {
                head: resolved,
                fields,
                body,
            };
        };
        // How its states are shown: while it waits, and while the event lasts.
        let channel = channel_name(head);
        let name: Rc<str> = match whole {
            true => Rc::clone(self.definition()),
            false => format!("{}.{channel}", self.definition()).into(),
        };
        let after = self
            .locals
            .fresh(&format!("{} after {channel}", self.definition()).into());
        let (fields, body) = self.timed_body(section, head, fields, body, after);
        let prefix = at(
            ExprKind::Prefix {
                head: resolved,
                fields,
                body: Box::new(body),
            },
            span,
        );
        // let X = tock -> X [] e -> … within X
        let waiting = self.locals.fresh(&name);
        let again = at(ExprKind::Local(waiting), span);
        let idle = Box::new(self.tocks(section).after_tock(again));
        let choice = ExprKind::Process(ProcOp::ExtChoice, idle, Box::new(prefix));
        let pattern = Pattern {
            kind: PatternKind::Bind(waiting),
            span,
        };
        let def = LocalDef::Value(pattern, at(choice, span));
        ExprKind::Let(vec![def], Box::new(at(ExprKind::Local(waiting), span)))
    }

    /// The fields of a prefix, and what follows it: first as many tocks as its event lasts.
    fn timed_body(
        &mut self,
        section: Section,
        head: &ast::Expr,
        fields: &[ast::Field],
        body: &ast::Expr,
        rest: VariableId,
    ) -> (Vec<Field>, Expr) {
        self.names.scopes.push();
        let mut event = Vec::new();
        // What happened is needed as a value, to be asked how long it takes.
        if section.durations.is_some() {
            event.push(self.again(|r| r.expr(head)));
        }
        let mut resolved = Vec::new();
        for field in fields {
            let mut this = self.field(field);
            if section.durations.is_some() {
                event.push(match (&mut this, field) {
                    (Field::Input(p, _) | Field::Nondet(p, _), _) => {
                        let local = self.locals.named(p);
                        at(ExprKind::Local(local), p.span)
                    }
                    (Field::Output(_), ast::Field::Output(e)) => self.again(|r| r.expr(e)),
                    (Field::Output(e), _) => broken(e.span, "not an output"),
                });
            }
            resolved.push(this);
        }
        let after = self.expr(body);
        self.names.scopes.pop();
        let span = after.span;
        let label = Rc::clone(self.locals.name(rest));
        let this = |args: Vec<Expr>| {
            let f = Box::new(at(ExprKind::Local(rest), span));
            at(ExprKind::Apply(f, args), span)
        };
        let (function, args) = match section.durations {
            None => {
                // Without durations, every event takes one tock.
                let body = self.tocks(section).after_tock(after);
                (constant(label, body), Vec::new())
            }
            Some(durations) => {
                let place = event[0].span;
                let event = match event.len() {
                    1 => event.remove(0),
                    _ => at(ExprKind::Dot(event), place),
                };
                let function = self.tocks(section).countdown(label, after, this);
                (function, vec![durations.call(vec![event], place)])
            }
        };
        let def = LocalDef::Function(rest, Rc::new(function), span);
        let body = at(ExprKind::Let(vec![def], Box::new(this(args))), span);
        (resolved, body)
    }
}

/// The name of the channel (or what stands in its place) of an event.
fn channel_name(head: &ast::Expr) -> Rc<str> {
    let mut first = head;
    loop {
        first = match &first.kind {
            ast::ExprKind::Dot(a, _) | ast::ExprKind::Apply(a, _) => a,
            ast::ExprKind::Paren(a) => a,
            ast::ExprKind::Name(n) => return Rc::clone(n),
            _ => return "…".into(),
        };
    }
}
