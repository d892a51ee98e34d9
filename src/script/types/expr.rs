//! Types of expressions.

use super::Use;
use super::builtins;
use super::infer::{Because, Infer};
use super::ty::{Mismatch, Ty, constraint, dots, fun, seq, set};
use crate::script::core::{BinOp, Builtin, Expr, ExprKind, Function, Items, Pattern, Stmt, UnOp};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};

/// What generators draw from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Draw {
    Set,
    Seq,
    Either,
}

impl Infer<'_> {
    /// Infers, and demands a type. Branches are looked at one by one, for the better place.
    pub fn check(&mut self, e: &Expr, expected: &Ty, why: Because) {
        deep(|| match &e.kind {
            ExprKind::If(c, a, b) => {
                self.check(c, &Ty::Bool, None);
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
                self.expect(e.span, &t, expected, why);
            }
        });
    }

    pub fn infer(&mut self, e: &Expr) -> Ty {
        deep(|| self.infer_here(e))
    }

    fn infer_here(&mut self, e: &Expr) -> Ty {
        match &e.kind {
            ExprKind::Local(l) => match self.locals[l.0 as usize].clone() {
                Some(scheme) => self.instantiate(&scheme, e.span),
                None => Ty::Any,
            },
            ExprKind::Global(g) => {
                let scheme = self.globals[g.0 as usize].clone();
                self.instantiate(&scheme, e.span)
            }
            ExprKind::Type(t) => set(Ty::Data(self.owner(*t))),
            ExprKind::Ctor(c) => self.ctors[c.0 as usize].clone(),
            ExprKind::Channel(c) => self.channels[c.0 as usize].clone(),
            ExprKind::Builtin(b) => self.builtin(*b, e.span),
            ExprKind::Int(_) => Ty::Int,
            ExprKind::Bool(_) => Ty::Bool,
            ExprKind::Char(_) => Ty::Char,
            ExprKind::Str(_) => seq(Ty::Char),
            ExprKind::Tuple(es) => {
                let ts: Vec<Ty> = es.iter().map(|e| self.infer(e)).collect();
                Ty::Tuple(ts.into())
            }
            ExprKind::Seq(items, stmts) => {
                self.stmts(stmts, Draw::Seq);
                seq(self.items(items))
            }
            ExprKind::Set(items, stmts) => {
                self.stmts(stmts, Draw::Set);
                let element = self.items(items);
                self.require(e.span, &element, constraint::SET);
                set(element)
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
                self.check(e, &t, None);
                t
            }
            ExprKind::Lambda(f) => self.function(f, None),
            _ => {
                self.process(e);
                Ty::Proc
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

    /// `p.q.r` from the types of its parts.
    pub fn dotted(&mut self, ts: &[Ty], spans: &[Span], whole: Span) -> Ty {
        match self.store.reduce(ts) {
            Ok(t) => t,
            Err(mismatch) => {
                self.bad_field(ts, spans, whole, &mismatch);
                Ty::Any
            }
        }
    }

    /// Points at the part that does not fit, if it can be told which it is.
    fn bad_field(&mut self, ts: &[Ty], spans: &[Span], whole: Span, mismatch: &Mismatch) {
        let Mismatch::Differ(expected, actual) = mismatch else {
            self.mismatch(whole, &Ty::Any, &Ty::Any, mismatch, None);
            return;
        };
        let found = self.show(&[actual]);
        let at = (1..ts.len()).find(|i| self.show(&[&ts[*i]]) == found);
        let span = at.map_or(whole, |i| spans[i]);
        let head = spans
            .first()
            .map(|s| (*s, "the fields are those declared for this"));
        self.mismatch(span, actual, expected, mismatch, head);
    }

    /// What the elements of a display have in common.
    fn items(&mut self, items: &Items) -> Ty {
        match items {
            Items::List(es) => {
                let element = self.store.fresh();
                for e in es {
                    let first = es.first().map(|f| (f.span, "as this one"));
                    self.check(e, &element, first);
                }
                element
            }
            Items::Range(a, b) => {
                self.check(a, &Ty::Int, None);
                if let Some(b) = b {
                    self.check(b, &Ty::Int, None);
                }
                Ty::Int
            }
        }
    }

    pub fn stmts(&mut self, stmts: &[Stmt], draw: Draw) {
        for stmt in stmts {
            match stmt {
                Stmt::Condition(e) => self.check(e, &Ty::Bool, None),
                Stmt::Generator(p, e) => {
                    let t = self.infer(e);
                    let element = self.drawn(&t, e.span, draw);
                    let t = self.pattern(p);
                    self.expect(p.span, &t, &element, Some((e.span, "drawn from this")));
                }
            }
        }
    }

    /// The type of the elements of what a generator draws from.
    fn drawn(&mut self, t: &Ty, span: Span, draw: Draw) -> Ty {
        let normal = self.store.norm(t).unwrap_or(Ty::Any);
        match (&normal, draw) {
            (Ty::Seq(e), Draw::Seq | Draw::Either) => (**e).clone(),
            (Ty::Seq(_), Draw::Set) | (_, Draw::Set) => self.element_of(&normal, span),
            (Ty::Set(e), Draw::Either) => (**e).clone(),
            (Ty::Var(_) | Ty::Any, Draw::Either) => {
                let element = self.store.fresh();
                self.store.blur(&element);
                element
            }
            _ => {
                let element = self.store.fresh();
                self.expect(span, &normal, &seq(element.clone()), None);
                element
            }
        }
    }

    /// The type of the elements of a set; a product of sets is a set of products.
    pub fn element_of(&mut self, t: &Ty, span: Span) -> Ty {
        let normal = self.store.norm(t).unwrap_or(Ty::Any);
        match &normal {
            Ty::Set(e) => (**e).clone(),
            Ty::Any => Ty::Any,
            Ty::Dots(parts) => match self.store.elements(parts) {
                Some(element) => element,
                None => self.not_a_set(&normal, span),
            },
            _ => self.not_a_set(&normal, span),
        }
    }

    fn not_a_set(&mut self, t: &Ty, span: Span) -> Ty {
        let element = self.store.fresh();
        if self.expect(span, t, &set(element.clone()), None) {
            element
        } else {
            Ty::Any
        }
    }

    /// The set of an expression where types are declared: there, tuples of sets are sets too.
    pub fn declared_set(&mut self, e: &Expr) -> Ty {
        let t = self.infer(e);
        self.declared_element(&t, e.span)
    }

    fn declared_element(&mut self, t: &Ty, span: Span) -> Ty {
        deep(|| match self.store.norm(t) {
            Ok(Ty::Tuple(ts)) => {
                let es: Vec<Ty> = ts.iter().map(|t| self.declared_element(t, span)).collect();
                Ty::Tuple(es.into())
            }
            Ok(Ty::Dots(ts)) => {
                let es: Vec<Ty> = ts.iter().map(|t| self.declared_element(t, span)).collect();
                dots(es)
            }
            Ok(t) => self.element_of(&t, span),
            Err(_) => Ty::Any,
        })
    }

    /// `{| e, f |}`: sets of what the parts become when completed.
    fn productions(&mut self, es: &[Expr]) -> Ty {
        let whole = self.store.fresh();
        for e in es {
            let t = self.infer(e);
            let done = self.completed(&t);
            let first = es.first().map(|f| (f.span, "as this one"));
            self.expect(e.span, &done, &whole, first);
        }
        set(whole)
    }

    /// What a partial event or value becomes when it is completed.
    fn completed(&mut self, t: &Ty) -> Ty {
        match self.store.norm(t) {
            Ok(Ty::Dotable(_, r)) => (*r).clone(),
            Ok(Ty::Dots(parts)) => match self.store.shallow(&parts[0]) {
                Ty::Dotable(_, r) => (*r).clone(),
                _ => self.vague(),
            },
            Ok(v @ Ty::Var(_)) => {
                self.store.blur(&v);
                self.vague()
            }
            Ok(t) => t,
            Err(_) => Ty::Any,
        }
    }

    fn vague(&mut self) -> Ty {
        self.store.fresh_with(0, true)
    }

    fn map(&mut self, pairs: &[(Expr, Expr)]) -> Ty {
        let (k, v) = (self.store.fresh(), self.store.fresh());
        for (key, value) in pairs {
            self.require(key.span, &k, constraint::SET);
            self.check(key, &k, pairs.first().map(|p| (p.0.span, "as this key")));
            self.check(
                value,
                &v,
                pairs.first().map(|p| (p.1.span, "as this value")),
            );
        }
        Ty::Map(k.into(), v.into())
    }

    fn apply(&mut self, f: &Expr, args: &[Expr], span: Span) -> Ty {
        if let (ExprKind::Builtin(b @ (Builtin::Extensions | Builtin::Productions)), [arg]) =
            (&f.kind, args)
        {
            return self.extend(*b, arg);
        }
        let t = self.infer(f);
        match self.store.norm(&t).unwrap_or(Ty::Any) {
            Ty::Fun(params, result) => {
                if params.len() != args.len() {
                    self.wrong_count(f, params.len(), args.len(), span);
                }
                for (arg, param) in args.iter().zip(params.iter()) {
                    self.check(arg, param, None);
                }
                for arg in args.iter().skip(params.len()) {
                    self.infer(arg);
                }
                (*result).clone()
            }
            Ty::Any => {
                args.iter().for_each(|a| {
                    self.infer(a);
                });
                Ty::Any
            }
            v @ Ty::Var(_) => {
                let params: Vec<Ty> = args.iter().map(|a| self.infer(a)).collect();
                let result = self.store.fresh();
                self.expect(f.span, &v, &fun(params, result.clone()), None);
                result
            }
            other => {
                args.iter().for_each(|a| {
                    self.infer(a);
                });
                let shown = self.show(&[&other]);
                let message = format!("{} is not a function", self.quoted(f.span));
                self.push(
                    Diagnostic::error("E0304", f.span, message)
                        .label(format!("this has type {}", shown[0])),
                );
                Ty::Any
            }
        }
    }

    /// A short piece of source text for a message.
    pub fn quoted(&self, span: Span) -> String {
        let text = self.script.sources.text(span);
        if text.len() <= 30 && !text.contains('\n') && !text.is_empty() {
            format!("`{text}`")
        } else {
            "this".to_owned()
        }
    }

    fn wrong_count(&mut self, f: &Expr, wanted: usize, given: usize, span: Span) {
        let plural = if wanted == 1 { "" } else { "s" };
        let name = self.quoted(f.span);
        let message = format!("{name} takes {wanted} argument{plural}, but {given} are given");
        let mut diagnostic = Diagnostic::error("E0305", span, message.replace("1 are", "1 is"));
        if let ExprKind::Global(g) = &f.kind {
            let place = self.script.globals[g.0 as usize].span;
            diagnostic = diagnostic.also(place, "defined here");
        }
        self.push(diagnostic);
    }

    /// `extensions(e)` and `productions(e)` depend on how much of `e` is there.
    fn extend(&mut self, b: Builtin, arg: &Expr) -> Ty {
        let t = self.infer(arg);
        if b == Builtin::Productions {
            let done = self.completed(&t);
            return set(done);
        }
        match self.store.norm(&t) {
            Ok(Ty::Dotable(fields, _)) => set(dots(fields.to_vec())),
            _ => set(Ty::Any),
        }
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Ty {
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => {
                self.check(a, &Ty::Int, None);
                self.check(b, &Ty::Int, None);
                Ty::Int
            }
            BinOp::And | BinOp::Or => {
                self.check(a, &Ty::Bool, None);
                self.check(b, &Ty::Bool, None);
                Ty::Bool
            }
            BinOp::Concat => {
                let t = seq(self.store.fresh());
                self.check(a, &t, None);
                self.check(b, &t, Some((a.span, "joined to this")));
                t
            }
            BinOp::Eq | BinOp::Ne => {
                self.compared(a, b, constraint::EQ);
                Ty::Bool
            }
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => {
                self.compared(a, b, constraint::ORD);
                Ty::Bool
            }
        }
    }

    fn compared(&mut self, a: &Expr, b: &Expr, wanted: u8) {
        let t = self.infer(a);
        self.check(b, &t, Some((a.span, "compared with this")));
        self.require(a.span, &t, wanted);
    }

    fn unary(&mut self, op: UnOp, a: &Expr) -> Ty {
        match op {
            UnOp::Neg => {
                self.check(a, &Ty::Int, None);
                Ty::Int
            }
            UnOp::Not => {
                self.check(a, &Ty::Bool, None);
                Ty::Bool
            }
            UnOp::Length => {
                let element = self.store.fresh();
                self.check(a, &seq(element), None);
                Ty::Int
            }
        }
    }

    /// A function from its clauses. With `known`, the type is demanded before the bodies are
    /// inferred.
    pub fn function(&mut self, f: &Function, known: Option<&Ty>) -> Ty {
        let groups: Vec<Vec<Ty>> = f
            .arity
            .iter()
            .map(|n| (0..*n).map(|_| self.store.fresh()).collect())
            .collect();
        let result = self.store.fresh();
        let whole = groups
            .iter()
            .rev()
            .fold(result.clone(), |r, g| fun(g.clone(), r));
        if let (Some(known), Some(first)) = (known, f.clauses.first()) {
            self.expect(first.span, &whole, known, None);
        }
        for clause in &f.clauses {
            for (at, (patterns, types)) in clause.groups.iter().zip(&groups).enumerate() {
                self.parameters(patterns, types, f.clauses.first().map(|c| &c.groups[at]));
            }
            let why = f
                .clauses
                .first()
                .filter(|c| c.span != clause.span)
                .map(|c| (c.body.span, "the first clause gives this"));
            self.check(&clause.body, &result, why);
        }
        whole
    }

    fn parameters(&mut self, patterns: &[Pattern], types: &[Ty], first: Option<&Vec<Pattern>>) {
        for (i, (p, expected)) in patterns.iter().zip(types).enumerate() {
            let t = self.pattern(p);
            let why = first
                .and_then(|ps| ps.get(i))
                .map(|q| (q.span, "the first clause has this"));
            self.expect(p.span, &t, expected, why);
        }
    }
}
