//! Types of expressions.

use super::builtins;
use super::constraint;
use super::constraints::Draw;
use super::terms::TermInference;
use super::ty::{Ty, TyKind};
use super::words::SecondPlace;
use crate::script::core::{BinOp, Builtin, Expr, ExprKind, GlobalKind, Items, Script, Stmt, UnOp};
use crate::source::Span;
use crate::source::stack::deep;

fn is_error(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Builtin(Builtin::Error))
}

impl TermInference<'_> {
    /// Infers, and demands a type. Branches are looked at one by one, for the better place.
    pub fn check(&mut self, e: &Expr, expected: Ty, why: SecondPlace) {
        // Inference of one definition can take long, so each expression asks.
        if self.store().is_over_at(e.span) {
            return;
        }
        deep(|| match &e.kind {
            ExprKind::If(c, a, b) => {
                self.check(c, Ty::BOOL, None);
                self.check(a, expected, why);
                // If nobody outside wants the type, the first branch is the reason why the second
                // should have it.
                let why = why.or(Some((a.span, "the other branch")));
                self.check(b, expected, why);
            }
            ExprKind::Let(defs, body) => {
                self.local_defs(defs);
                self.check(body, expected, why);
            }
            _ => {
                let t = self.infer(e);
                let subject = self.subject(e);
                self.types
                    .about(subject, |types| types.agree(e.span, t, expected, why));
            }
        });
    }

    pub fn infer(&mut self, e: &Expr) -> Ty {
        if self.store().is_over_at(e.span) {
            return Ty::ANY;
        }
        deep(|| self.infer_here(e))
    }

    fn infer_here(&mut self, e: &Expr) -> Ty {
        match &e.kind {
            // What is broken and reported fits everything.
            ExprKind::Apply(f, _) if f.span == e.span && is_error(f) => Ty::ANY,
            ExprKind::Tuple(es) => {
                let ts = self.infer_each(es);
                self.store().tuple(ts)
            }
            ExprKind::Seq(items, stmts) => {
                self.stmts(stmts, Draw::Seq);
                let element = self.items(items, 0);
                self.store().seq(element)
            }
            ExprKind::Set(items, stmts) => {
                self.stmts(stmts, Draw::Set);
                let element = self.items(items, constraint::SET);
                self.store().set(element)
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
                let ts = self.infer_each(parts);
                let spans: Vec<Span> = parts.iter().map(|p| p.span).collect();
                self.types.dotted(&ts, &spans, e.span)
            }
            ExprKind::If(..) | ExprKind::Let(..) => {
                let t = self.store().fresh();
                self.check(e, t, None);
                t
            }
            ExprKind::Lambda(f) => self.lambda(f),
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Type(_)
            | ExprKind::Ctor(_)
            | ExprKind::Channel(_)
            | ExprKind::Builtin(_)
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_) => self.infer_leaf(e),
            _ => {
                self.process(e);
                Ty::PROC
            }
        }
    }

    /// A name or a literal.
    fn infer_leaf(&mut self, e: &Expr) -> Ty {
        match &e.kind {
            ExprKind::Local(l) => match self.names.local(*l) {
                Some(scheme) => self.uses.instantiate(scheme, e.span, self.types.store()),
                None => Ty::ANY,
            },
            ExprKind::Global(g) => {
                let scheme = self.names.global(*g);
                self.uses.instantiate(scheme, e.span, self.types.store())
            }
            ExprKind::Type(t) => {
                let owner = self.script.owner(*t);
                let t = self.store().data(owner);
                self.store().set(t)
            }
            ExprKind::Ctor(c) => self.types.unifier.datatypes.ctor(*c),
            ExprKind::Channel(c) => self.names.channel(*c),
            ExprKind::Builtin(b) => self.builtin(*b, e.span),
            ExprKind::Int(_) => Ty::INT,
            ExprKind::Bool(_) => Ty::BOOL,
            ExprKind::Char(_) => Ty::CHAR,
            ExprKind::Str(_) => self.store().seq(Ty::CHAR),
            _ => Ty::ANY,
        }
    }

    fn infer_each(&mut self, es: &[Expr]) -> Vec<Ty> {
        es.iter().map(|e| self.infer(e)).collect()
    }

    fn builtin(&mut self, b: Builtin, span: Span) -> Ty {
        let (t, sees) = builtins::type_of(b, self.store());
        if let Some(ty) = sees {
            self.uses.of_builtin(b, ty, span);
        }
        t
    }

    /// The common type of the elements of a display.
    fn items(&mut self, items: &Items, wanted: u8) -> Ty {
        match items {
            // Nothing else has to fit its type: see `lambda`.
            Items::List(es) if es.len() == 1 => {
                let t = self.infer(&es[0]);
                let subject = self.subject(&es[0]);
                let fits = self
                    .types
                    .about(subject, |types| types.require(es[0].span, t, wanted));
                if fits { t } else { Ty::ANY }
            }
            Items::List(es) => {
                let element = self.store().fresh_with(wanted);
                for e in es {
                    // All elements have one type. The first decides, so the others point at it.
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
                    let element = self.types.drawn(t, e.span, draw);
                    let t = self.pattern(p);
                    self.types
                        .agree(p.span, element, t, Some((e.span, "drawn from this")));
                }
            }
        }
    }

    /// `{| e, f |}`: sets of what the parts become when completed.
    fn productions(&mut self, es: &[Expr]) -> Ty {
        let whole = self.store().fresh_with(constraint::YIELD);
        for e in es {
            let t = self.infer(e);
            // Whatever fields are missing: `{| c |}` and `{| c.0 |}` are sets of events both.
            let v = self.store().vars_mut().add(0, None);
            let wanted = self.store().make(TyKind::Extendable(whole, v));
            let first = es.first().map(|f| (f.span, "as this one"));
            self.types.agree(e.span, t, wanted, first);
        }
        self.store().set(whole)
    }

    fn map(&mut self, pairs: &[(Expr, Expr)]) -> Ty {
        let (k, v) = (
            self.store().fresh_with(constraint::SET),
            self.store().fresh(),
        );
        for (key, value) in pairs {
            self.check(key, k, pairs.first().map(|p| (p.0.span, "as this key")));
            self.check(value, v, pairs.first().map(|p| (p.1.span, "as this value")));
        }
        self.store().map(k, v)
    }

    fn apply(&mut self, f: &Expr, args: &[Expr], span: Span) -> Ty {
        let t = self.infer(f);
        match self.store().look(t) {
            TyKind::Fun(params, result) => {
                if params.len() != args.len() {
                    let binder = self.names.binder(f);
                    let mut words = self.types.words();
                    let wrong = words.wrong_count(f, binder, &params, args.len(), span);
                    self.types.push(wrong);
                }
                for (i, arg) in args.iter().enumerate() {
                    match params.get(i) {
                        Some(param) => self.argument(f, i, arg, *param),
                        None => {
                            // Too many arguments were reported; this one is looked at for its own
                            // mistakes, with no type to fit.
                            self.infer(arg);
                        }
                    }
                }
                result
            }
            // A parameter that is applied: what is known of it from here on is that it is a
            // function of so many arguments.
            TyKind::Var(_) => {
                let params: Vec<Ty> = args.iter().map(|_| self.store().fresh()).collect();
                let result = self.store().fresh();
                let whole = self.store().fun(params.clone(), result);
                self.types.agree(f.span, t, whole, None);
                for (i, (arg, param)) in args.iter().zip(params).enumerate() {
                    self.argument(f, i, arg, param);
                }
                result
            }
            // This is no function. Its arguments may have mistakes of their own.
            kind => {
                args.iter().for_each(|a| {
                    self.infer(a);
                });
                if kind != TyKind::Any {
                    let wrong = self.types.words().no_function(f, t);
                    self.types.push(wrong);
                }
                Ty::ANY
            }
        }
    }

    /// An argument; no product is split for it.
    fn argument(&mut self, f: &Expr, at: usize, arg: &Expr, param: Ty) {
        let t = self.infer(arg);
        // An argument is a value by itself: `f(c.x)` hands over what `c.x` comes to, however the
        // parameter is used.
        let t = self.types.evaluate(arg.span, t);
        // What is wrong with the parameter alone was reported where it is declared.
        let known = self.types.unifier.at(arg.span).evaluate(param);
        let param = known.unwrap_or(param);
        let place = parameter(self.script, f, at);
        let why = place.map(|s| (s, "the parameter that it is for"));
        let subject = self.subject(arg);
        self.types
            .about(subject, |types| types.expect_whole(arg.span, t, param, why));
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
            // Written out instead of demanding that both have one type, so that messages speak of
            // sequences.
            BinOp::Concat => {
                let element = self.store().fresh();
                let t = self.store().seq(element);
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
        // The type of the left side is what the right one should have; whether such values can be
        // compared is asked last, as by then more is known of the type.
        self.check(b, t, Some((a.span, "compared with this")));
        // `s == <>` asks whether a sequence is empty, and looks at no element.
        let is_empty = |e: &Expr| {
            let empty = |items: &Items| matches!(items, Items::List(all) if all.is_empty());
            matches!(&e.kind, ExprKind::Seq(items, stmts) if empty(items) && stmts.is_empty())
        };
        let looks_at_none = wanted == constraint::EQ && (is_empty(a) || is_empty(b));
        if self.types.unifier.datatypes.forbids() && looks_at_none {
            return;
        }
        let subject = self.subject(a);
        self.types
            .about(subject, |types| types.require(a.span, t, wanted));
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
                let element = self.store().fresh();
                let whole = self.store().seq(element);
                self.check(a, whole, None);
                Ty::INT
            }
        }
    }
}

/// The place of a parameter of a top-level function.
fn parameter(script: &Script, f: &Expr, at: usize) -> Option<Span> {
    let ExprKind::Global(g) = &f.kind else {
        return None;
    };
    match &script.globals[g.0 as usize].kind {
        GlobalKind::Function(f) => {
            let clause = f.clauses.first()?;
            clause.groups.first()?.get(at).map(|p| p.span)
        }
        _ => None,
    }
}
