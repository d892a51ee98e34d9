//! Types of expressions.

use super::Use;
use super::builtins;
use super::demand::constraint;
use super::infer::{Infer, subject};
use super::report::Because;
use super::ty::{Kind, PHASE, Ty};
use crate::script::core::{BinOp, Builtin, Expr, ExprKind, GlobalKind, Items, Stmt, UnOp};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};

/// What generators draw from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Draw {
    Set,
    Seq,
    Either,
}

fn is_error(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Builtin(Builtin::Error))
}

impl Infer<'_> {
    /// Infers, and demands a type. Branches are looked at one by one, for the better place.
    pub fn check(&mut self, e: &Expr, expected: Ty, why: Because) {
        if self.store.bounds.over(PHASE, Some(e.span)) {
            return;
        }
        deep(|| match &e.kind {
            ExprKind::If(c, a, b) => {
                self.check(c, Ty::BOOL, None);
                self.check(a, expected, why);
                let why = why.or(Some((a.span, "the other branch")));
                self.check(b, expected, why);
            }
            ExprKind::Let(defs, body) => {
                self.local_defs(defs);
                self.check(body, expected, why);
            }
            _ => {
                let t = self.infer(e);
                self.subject = subject(e);
                self.agree(e.span, t, expected, why);
                self.subject = None;
            }
        });
    }

    pub fn infer(&mut self, e: &Expr) -> Ty {
        if self.store.bounds.over(PHASE, Some(e.span)) {
            return Ty::ANY;
        }
        deep(|| self.infer_here(e))
    }

    fn infer_here(&mut self, e: &Expr) -> Ty {
        match &e.kind {
            // What is broken and reported fits everything.
            ExprKind::Apply(f, _) if f.span == e.span && is_error(f) => Ty::ANY,
            ExprKind::Local(l) => match self.locals[l.0 as usize].clone() {
                Some(scheme) => self.instantiate(&scheme, e.span),
                None => Ty::ANY,
            },
            ExprKind::Global(g) => {
                let scheme = self.globals[g.0 as usize].clone();
                self.instantiate(&scheme, e.span)
            }
            ExprKind::Type(t) => {
                let t = self.store.data(self.script.owner(*t));
                self.store.set(t)
            }
            ExprKind::Ctor(c) => self.ctors[c.0 as usize],
            ExprKind::Channel(c) => self.channels[c.0 as usize],
            ExprKind::Builtin(b) => self.builtin(*b, e.span),
            ExprKind::Int(_) => Ty::INT,
            ExprKind::Bool(_) => Ty::BOOL,
            ExprKind::Char(_) => Ty::CHAR,
            ExprKind::Str(_) => self.store.seq(Ty::CHAR),
            ExprKind::Tuple(es) => {
                let ts: Vec<Ty> = es.iter().map(|e| self.infer(e)).collect();
                self.store.tuple(ts)
            }
            ExprKind::Seq(items, stmts) => {
                self.stmts(stmts, Draw::Seq);
                let element = self.items(items, 0);
                self.store.seq(element)
            }
            ExprKind::Set(items, stmts) => {
                self.stmts(stmts, Draw::Set);
                let element = self.items(items, constraint::SET);
                self.store.set(element)
            }
            ExprKind::Productions(es, stmts) => {
                self.stmts(stmts, Draw::Set);
                self.productions(es)
            }
            ExprKind::Map(pairs) => self.map(pairs),
            ExprKind::Apply(f, args) => self.apply(f, args, e.span),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Dot(parts) => {
                let ts: Vec<Ty> = parts.iter().map(|p| self.infer(p)).collect();
                let spans: Vec<Span> = parts.iter().map(|p| p.span).collect();
                self.dotted(&ts, &spans, e.span)
            }
            ExprKind::If(..) | ExprKind::Let(..) => {
                let t = self.store.fresh();
                self.check(e, t, None);
                t
            }
            ExprKind::Lambda(f) => self.lambda(f),
            _ => {
                self.process(e);
                Ty::PROC
            }
        }
    }

    fn builtin(&mut self, b: Builtin, span: Span) -> Ty {
        let (t, sees) = builtins::type_of(b, &mut self.store);
        if let Some(ty) = sees {
            self.uses.push(Use {
                at: span,
                origin: span,
                builtin: b,
                ty,
            });
        }
        t
    }

    /// `p.q.r` from the types of its parts, put together as far as it is certain.
    pub fn dotted(&mut self, ts: &[Ty], spans: &[Span], whole: Span) -> Ty {
        let (mut parts, mut places) = (Vec::new(), Vec::new());
        for (t, span) in ts.iter().zip(spans) {
            parts.extend(self.store.parts(*t));
            places.resize(parts.len(), *span);
        }
        // What is wrong already may take all that follows.
        if parts.first() == Some(&Ty::ANY) {
            return Ty::ANY;
        }
        self.store.here = Some(whole);
        match self.store.join(parts) {
            Ok(t) => t,
            Err((at, mismatch)) => {
                let span = places.get(at).copied().unwrap_or(whole);
                let head = spans.first().filter(|s| **s != span);
                let why = head.map(|s| (*s, super::report::FIELDS));
                self.misfit(span, Ty::ANY, &mismatch, why);
                Ty::ANY
            }
        }
    }

    /// What the elements of a display have in common.
    fn items(&mut self, items: &Items, wanted: u8) -> Ty {
        match items {
            // Nothing else has to fit its type: see `lambda`.
            Items::List(es) if es.len() == 1 => {
                let t = self.infer(&es[0]);
                self.subject = subject(&es[0]);
                let fits = self.require(es[0].span, t, wanted);
                self.subject = None;
                if fits { t } else { Ty::ANY }
            }
            Items::List(es) => {
                let element = self.store.fresh_with(wanted);
                for e in es {
                    let first = es.first().map(|f| (f.span, "as this one"));
                    self.check(e, element, first);
                }
                element
            }
            Items::Range(a, b) => {
                self.check(a, Ty::INT, None);
                if let Some(b) = b {
                    self.check(b, Ty::INT, None);
                }
                Ty::INT
            }
        }
    }

    pub fn stmts(&mut self, stmts: &[Stmt], draw: Draw) {
        for stmt in stmts {
            match stmt {
                Stmt::Condition(e) => self.check(e, Ty::BOOL, None),
                Stmt::Generator(p, e) => {
                    let t = self.infer(e);
                    let element = self.drawn(t, e.span, draw);
                    let t = self.pattern(p);
                    self.agree(p.span, element, t, Some((e.span, "drawn from this")));
                }
            }
        }
    }

    /// The type of the elements of what a generator draws from.
    fn drawn(&mut self, t: Ty, span: Span, draw: Draw) -> Ty {
        match (self.store.look(t), draw) {
            (Kind::Any, _) => Ty::ANY,
            (Kind::Seq(e), Draw::Seq | Draw::Either) | (Kind::Set(e), Draw::Either) => e,
            (_, Draw::Seq | Draw::Either) => {
                let element = self.store.fresh();
                let whole = self.store.seq(element);
                self.agree(span, t, whole, None);
                element
            }
            (_, Draw::Set) => self.element_of(t, span),
        }
    }

    /// The type of the elements of a set; a product of sets is a set of products.
    pub fn element_of(&mut self, t: Ty, span: Span) -> Ty {
        match self.store.look(t) {
            Kind::Set(e) => return e,
            Kind::Any => return Ty::ANY,
            Kind::Dots(_) => {
                let parts = self.store.parts(t);
                let elements: Option<Vec<Ty>> = parts
                    .iter()
                    .map(|part| match self.store.look(*part) {
                        Kind::Set(e) => Some(e),
                        _ => None,
                    })
                    .collect();
                if let Some(elements) = elements {
                    return self.store.dots(&elements);
                }
            }
            _ => {}
        }
        let element = self.store.fresh();
        let whole = self.store.set(element);
        if self.agree(span, t, whole, None) {
            element
        } else {
            Ty::ANY
        }
    }

    /// `{| e, f |}`: sets of what the parts become when completed.
    fn productions(&mut self, es: &[Expr]) -> Ty {
        let whole = self.store.fresh_with(constraint::YIELD);
        for e in es {
            let t = self.infer(e);
            let v = self.store.fresh_var(0, None);
            let wanted = self.store.make(Kind::Extendable(whole, v));
            let first = es.first().map(|f| (f.span, "as this one"));
            self.agree(e.span, t, wanted, first);
        }
        self.store.set(whole)
    }

    fn map(&mut self, pairs: &[(Expr, Expr)]) -> Ty {
        let (k, v) = (self.store.fresh_with(constraint::SET), self.store.fresh());
        for (key, value) in pairs {
            self.check(key, k, pairs.first().map(|p| (p.0.span, "as this key")));
            self.check(value, v, pairs.first().map(|p| (p.1.span, "as this value")));
        }
        self.store.map(k, v)
    }

    fn apply(&mut self, f: &Expr, args: &[Expr], span: Span) -> Ty {
        let t = self.infer(f);
        match self.store.look(t) {
            Kind::Fun(params, result) => {
                if params.len() != args.len() {
                    self.wrong_count(f, &params, args.len(), span);
                }
                for (i, arg) in args.iter().enumerate() {
                    match params.get(i) {
                        Some(param) => self.argument(f, i, arg, *param),
                        None => {
                            self.infer(arg);
                        }
                    }
                }
                result
            }
            Kind::Var(_) => {
                let params: Vec<Ty> = args.iter().map(|_| self.store.fresh()).collect();
                let result = self.store.fresh();
                let whole = self.store.fun(params.clone(), result);
                self.agree(f.span, t, whole, None);
                for (i, (arg, param)) in args.iter().zip(params).enumerate() {
                    self.argument(f, i, arg, param);
                }
                result
            }
            kind => {
                args.iter().for_each(|a| {
                    self.infer(a);
                });
                if kind != Kind::Any {
                    self.no_function(f, t);
                }
                Ty::ANY
            }
        }
    }

    /// An argument; no product is split for it.
    fn argument(&mut self, f: &Expr, at: usize, arg: &Expr, param: Ty) {
        let t = self.infer(arg);
        let t = self.evaluate(arg.span, t);
        self.store.here = Some(arg.span);
        let param = self.store.evaluate(param).unwrap_or(param);
        let why = self
            .parameter(f, at)
            .map(|s| (s, "the parameter that it is for"));
        self.subject = subject(arg);
        self.expect_whole(arg.span, t, param, why);
        self.subject = None;
    }

    /// Where the parameter of a top-level function is declared.
    fn parameter(&self, f: &Expr, at: usize) -> Option<Span> {
        let ExprKind::Global(g) = &f.kind else {
            return None;
        };
        match &self.script.globals[g.0 as usize].kind {
            GlobalKind::Function(f) => {
                let clause = f.clauses.first()?;
                clause.groups.first()?.get(at).map(|p| p.span)
            }
            _ => None,
        }
    }

    fn no_function(&mut self, f: &Expr, t: Ty) {
        let shown = self.show(&[t]);
        let message = format!("{} is not a function", self.quoted(f.span));
        let mut diagnostic = Diagnostic::error("E0304", f.span, message)
            .label(format!("this has type {}", shown[0]));
        if let ExprKind::Global(g) = &f.kind {
            let place = self.script.globals[g.0 as usize].span;
            diagnostic = diagnostic.also(place, "defined here");
        }
        self.push(diagnostic);
    }

    fn wrong_count(&mut self, f: &Expr, params: &[Ty], given: usize, span: Span) {
        let wanted = params.len();
        let plural = if wanted == 1 { "" } else { "s" };
        let name = self.quoted(f.span);
        let are = if given == 1 { "is" } else { "are" };
        let message = format!("{name} takes {wanted} argument{plural}, but {given} {are} given");
        let mut diagnostic = Diagnostic::error("E0305", span, message);
        let shown = self.show(params).join(", ");
        diagnostic = match &f.kind {
            ExprKind::Global(g) => {
                let place = self.script.globals[g.0 as usize].span;
                diagnostic.also(place, format!("defined here, for ({shown})"))
            }
            ExprKind::Local(l) => match self.binders.get(l) {
                Some(place) => diagnostic.also(*place, format!("defined here, for ({shown})")),
                None => diagnostic,
            },
            _ => diagnostic.note(format!("its arguments are ({shown})")),
        };
        self.push(diagnostic);
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Ty {
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => {
                self.check(a, Ty::INT, None);
                self.check(b, Ty::INT, None);
                Ty::INT
            }
            BinOp::And | BinOp::Or => {
                self.check(a, Ty::BOOL, None);
                self.check(b, Ty::BOOL, None);
                Ty::BOOL
            }
            BinOp::Concat => {
                let element = self.store.fresh();
                let t = self.store.seq(element);
                self.check(a, t, None);
                self.check(b, t, Some((a.span, "joined to this")));
                t
            }
            BinOp::Eq | BinOp::Ne => {
                self.compared(a, b, constraint::EQ);
                Ty::BOOL
            }
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => {
                self.compared(a, b, constraint::ORD);
                Ty::BOOL
            }
        }
    }

    fn compared(&mut self, a: &Expr, b: &Expr, wanted: u8) {
        let t = self.infer(a);
        self.check(b, t, Some((a.span, "compared with this")));
        self.subject = subject(a);
        self.require(a.span, t, wanted);
        self.subject = None;
    }

    fn unary(&mut self, op: UnOp, a: &Expr) -> Ty {
        match op {
            UnOp::Neg => {
                self.check(a, Ty::INT, None);
                Ty::INT
            }
            UnOp::Not => {
                self.check(a, Ty::BOOL, None);
                Ty::BOOL
            }
            UnOp::Length => {
                let element = self.store.fresh();
                let whole = self.store.seq(element);
                self.check(a, whole, None);
                Ty::INT
            }
        }
    }
}
