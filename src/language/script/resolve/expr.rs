//! Expressions: one core form for each form of the tree.

use std::rc::Rc;

use super::bodies::Bodies;
use super::join::FunctionClauses;
use super::local;
use super::names::broken;
use super::pattern::Binder;
use crate::script::core::{Clause, Expr, ExprKind, Field, Function, Items, Links, Stmt};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast;

impl Bodies {
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        if self.names.errors.is_over(Some(e.span)) {
            return broken(e.span, "left out");
        }
        deep(|| match &e.kind {
            ast::ExprKind::Paren(inner) => {
                let mut inner = self.expr(inner);
                // Messages point at what was written, brackets included.
                inner.span = e.span;
                inner
            }
            ast::ExprKind::Name(name) => self.name(name, e.span),
            _ => Expr {
                kind: self.expr_kind(e),
                span: e.span,
            },
        })
    }

    /// The whole right side of a definition.
    pub(super) fn whole(&mut self, e: &ast::Expr) -> Expr {
        let mut bare = e;
        while let ast::ExprKind::Paren(inner) = &bare.kind {
            bare = inner;
        }
        match &bare.kind {
            ast::ExprKind::Prefix { head, fields, body } => Expr {
                kind: self.prefix(head, fields, body, bare.span, true),
                span: e.span,
            },
            _ => self.expr(e),
        }
    }

    fn boxed(&mut self, e: &ast::Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    pub(super) fn exprs(&mut self, es: &[ast::Expr]) -> Vec<Expr> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    fn name(&mut self, name: &Rc<str>, span: Span) -> Expr {
        match self.names.scopes.lookup(name) {
            Some(entity) => self.mentions().entity(entity, name, span),
            None => {
                let message = self.names.unbound(name, span);
                broken(span, &message)
            }
        }
    }

    fn expr_kind(&mut self, e: &ast::Expr) -> ExprKind {
        use ast::ExprKind as A;
        match &e.kind {
            // Dealt with by the caller.
            A::Name(_) | A::Paren(_) => self.expr(e).kind,
            A::Int(i) => ExprKind::Int(*i),
            A::Bool(b) => ExprKind::Bool(*b),
            A::Char(c) => ExprKind::Char(*c),
            A::Str(s) => ExprKind::Str(Rc::clone(s)),
            A::Tuple(es) => ExprKind::Tuple(self.exprs(es)),
            A::Seq(items, stmts) => {
                let (items, stmts) = self.display(items, stmts.as_deref());
                ExprKind::Seq(items, stmts)
            }
            A::Set(items, stmts) => {
                let (items, stmts) = self.display(items, stmts.as_deref());
                ExprKind::Set(items, stmts)
            }
            A::Productions(es, stmts) => {
                let (stmts, es) = self.in_stmts(stmts.as_deref().unwrap_or(&[]), |r| r.exprs(es));
                ExprKind::Productions(es, stmts)
            }
            A::Map(pairs) => ExprKind::Map(
                pairs
                    .iter()
                    .map(|(k, v)| (self.expr(k), self.expr(v)))
                    .collect(),
            ),
            A::Apply(f, args) => ExprKind::Apply(self.boxed(f), self.exprs(args)),
            A::Binary(op, a, b) => ExprKind::Binary(*op, self.boxed(a), self.boxed(b)),
            A::Unary(op, a) => ExprKind::Unary(*op, self.boxed(a)),
            A::Dot(..) => {
                let mut leaves = Vec::new();
                dot_leaves(e, &mut leaves);
                ExprKind::Dot(leaves.into_iter().map(|l| self.expr(l)).collect())
            }
            A::If(c, a, b) => ExprKind::If(self.boxed(c), self.boxed(a), self.boxed(b)),
            A::Let(decls, body) => local::resolve(self, decls, body),
            A::Lambda(ps, body) => self.lambda(ps, body, e.span),
            A::Prefix { head, fields, body } => self.prefix(head, fields, body, e.span, false),
            A::Guard(b, p) => self.guard(b, p, e.span),
            _ => self.process_kind(e),
        }
    }

    /// The process operators. It is long because it ends without `_`, so that the compiler sees that none is
    /// missing.
    fn process_kind(&mut self, e: &ast::Expr) -> ExprKind {
        use ast::ExprKind as A;
        match &e.kind {
            A::Process(op, p, q) => self.process(*op, p, q, e.span),
            A::Parallel(p, a, q) => {
                ExprKind::Parallel(self.boxed(p), self.sync_set(a), self.boxed(q))
            }
            A::AlphaParallel(p, a, b, q) => {
                let (p, q) = (self.boxed(p), self.boxed(q));
                ExprKind::AlphaParallel(p, self.sync_set(a), self.sync_set(b), q)
            }
            A::Exception(p, a, q) => {
                ExprKind::Exception(self.boxed(p), self.boxed(a), self.boxed(q))
            }
            A::SyncChoice(p, a, q) => {
                ExprKind::SyncChoice(self.boxed(p), self.sync_set(a), self.boxed(q))
            }
            A::SyncInterrupt(p, a, q) => {
                ExprKind::SyncInterrupt(self.boxed(p), self.sync_set(a), self.boxed(q))
            }
            A::Link(p, links, q) => {
                self.not_in_timed("linked parallel", "E0225", e.span);
                let p = self.boxed(p);
                let links = Box::new(self.links(links));
                ExprKind::Link(p, links, self.boxed(q))
            }
            A::Hide(p, a) => ExprKind::Hide(self.boxed(p), self.boxed(a)),
            A::Project(p, a) => ExprKind::Project(self.boxed(p), self.boxed(a)),
            A::Rename(p, links) => {
                let p = self.boxed(p);
                ExprKind::Rename(p, Box::new(self.links(links)))
            }
            A::Replicated {
                op,
                set,
                stmts,
                body,
            } => self.replicated_here(*op, set.as_deref(), stmts, body, e.span),
            A::ReplicatedLink { links, stmts, body } => {
                self.not_in_timed("linked parallel", "E0225", e.span);
                let (stmts, (links, body)) =
                    self.in_stmts(stmts, |r| (Box::new(r.links(links)), r.boxed(body)));
                ExprKind::ReplicatedLink { links, stmts, body }
            }
            // Dealt with by the caller.
            A::Name(_)
            | A::Paren(_)
            | A::Int(_)
            | A::Bool(_)
            | A::Char(_)
            | A::Str(_)
            | A::Tuple(_)
            | A::Seq(..)
            | A::Set(..)
            | A::Productions(..)
            | A::Map(_)
            | A::Apply(..)
            | A::Binary(..)
            | A::Unary(..)
            | A::Dot(..)
            | A::If(..)
            | A::Let(..)
            | A::Lambda(..)
            | A::Prefix { .. }
            | A::Guard(..) => broken(e.span, "not an operator").kind,
        }
    }

    /// Only the alphabet of `|| x:S @ [A] P` sees the variables.
    pub(super) fn replicated(
        &mut self,
        op: ast::RepOp,
        set: Option<&ast::Expr>,
        stmts: &[ast::Stmt],
        body: &ast::Expr,
    ) -> ExprKind {
        // `|| x:S @ [A(x)] P` needs the variables in its alphabet, `[|A|] x:S @ P` does not have
        // them there.
        let outside = match (op, set) {
            (ast::RepOp::AlphaParallel, _) | (_, None) => None,
            (_, Some(s)) => Some(self.sync_set(s)),
        };
        let (stmts, (inside, body)) = self.in_stmts(stmts, |r| {
            let inside = match (op, set) {
                (ast::RepOp::AlphaParallel, Some(s)) => Some(r.sync_set(s)),
                _ => None,
            };
            (inside, r.boxed(body))
        });
        ExprKind::Replicated {
            op,
            set: outside.or(inside),
            stmts,
            body,
        }
    }

    fn display(&mut self, items: &ast::Items, stmts: Option<&[ast::Stmt]>) -> (Items, Vec<Stmt>) {
        let (stmts, items) = self.in_stmts(stmts.unwrap_or(&[]), |r| match items {
            ast::Items::List(es) => Items::List(r.exprs(es)),
            ast::Items::Range(a, b) => Items::Range(r.boxed(a), b.as_ref().map(|b| r.boxed(b))),
        });
        (items, stmts)
    }

    /// Statements left to right, and then something that sees their variables.
    pub(super) fn in_stmts<T>(
        &mut self,
        stmts: &[ast::Stmt],
        inside: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<Stmt>, T) {
        self.names.scopes.push();
        let stmts = stmts.iter().map(|s| self.stmt(s)).collect();
        let result = inside(self);
        self.names.scopes.pop();
        (stmts, result)
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Stmt {
        match stmt {
            ast::Stmt::Condition(e) => Stmt::Condition(self.expr(e)),
            ast::Stmt::Generator(p, e) => {
                let e = self.expr(e);
                Stmt::Generator(self.pattern(p, Binder::Fresh), e)
            }
        }
    }

    fn links(&mut self, links: &ast::Links) -> Links {
        let (stmts, pairs) = self.in_stmts(&links.stmts, |r| {
            links
                .pairs
                .iter()
                .map(|(a, b)| (r.expr(a), r.expr(b)))
                .collect()
        });
        Links { pairs, stmts }
    }

    /// The internal choices of a prefix are made before anything is offered.
    pub(super) fn nondet_first(&mut self, fields: &[ast::Field]) {
        let after = fields
            .iter()
            .skip_while(|f| matches!(f, ast::Field::Nondet(..)));
        for field in after {
            if let ast::Field::Nondet(p, _) = field {
                self.report(
                    Diagnostic::error("E0218", p.span, "a `$` field stands after a `?` or `!`")
                        .note("the fields with `$` come first"),
                );
            }
        }
    }

    fn lambda(&mut self, ps: &[ast::Pattern], body: &ast::Expr, span: Span) -> ExprKind {
        let clause = self.clause(&[ps.to_vec()], body, span);
        ExprKind::Lambda(Rc::new(Function {
            name: "\\".into(),
            arity: vec![ps.len()],
            clauses: vec![clause],
        }))
    }

    /// One clause in a scope of its own; a variable may occur once in all its groups.
    pub(super) fn clause(
        &mut self,
        groups: &[Vec<ast::Pattern>],
        body: &ast::Expr,
        span: Span,
    ) -> Clause {
        self.names.scopes.push();
        let groups = groups
            .iter()
            .map(|g| g.iter().map(|p| self.pattern(p, Binder::Fresh)).collect())
            .collect();
        let body = self.whole(body);
        self.names.scopes.pop();
        Clause { groups, body, span }
    }

    /// Clauses whose parameters differ in number from those of the first are reported and left out.
    pub(super) fn function(&mut self, clauses: &FunctionClauses, name: Rc<str>) -> Function {
        let shape = |groups: &[Vec<ast::Pattern>]| groups.iter().map(Vec::len).collect();
        let mut arity: Option<(Vec<usize>, Span)> = None;
        let mut list = Vec::new();
        for (groups, body, span) in &clauses.list {
            let this: Vec<usize> = shape(groups);
            let clause = self.clause(groups, body, *span);
            match &arity {
                Some((first, place)) if *first != this => {
                    let message = format!("the clauses of `{name}` differ in their parameters");
                    self.report(
                        Diagnostic::error("E0204", *span, message)
                            .label(format!("{} here", parameters(&this)))
                            .also(*place, format!("{} here", parameters(first))),
                    );
                }
                // The body of a clause that is left out was resolved all the same, so that its
                // errors are found.
                Some(_) => list.push(clause),
                None => {
                    arity = Some((this, *span));
                    list.push(clause);
                }
            }
        }
        Function {
            name,
            arity: arity.map(|a| a.0).unwrap_or_default(),
            clauses: list,
        }
    }

    /// Pattern variables of a field are fresh ones.
    pub(super) fn field(&mut self, field: &ast::Field) -> Field {
        match field {
            ast::Field::Output(e) => Field::Output(self.expr(e)),
            ast::Field::Input(p, set) => {
                let set = set.as_ref().map(|s| self.expr(s));
                Field::Input(self.pattern(p, Binder::Fresh), set)
            }
            ast::Field::Nondet(p, set) => {
                let set = set.as_ref().map(|s| self.expr(s));
                Field::Nondet(self.pattern(p, Binder::Fresh), set)
            }
        }
    }
}

fn parameters(shape: &[usize]) -> String {
    let groups: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match shape {
        [1] => "1 parameter".to_owned(),
        _ => format!("{} parameters", groups.join(" and then ")),
    }
}

/// `.` is associative on values, so brackets inside do not matter.
fn dot_leaves<'a>(e: &'a ast::Expr, out: &mut Vec<&'a ast::Expr>) {
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        match &e.kind {
            ast::ExprKind::Dot(a, b) => todo.extend([&**b, &**a]),
            // Last part first onto the stack, so that the first comes off first.
            ast::ExprKind::Paren(a) if is_dotted(a) => todo.push(a),
            _ => out.push(e),
        }
    }
}

fn is_dotted(e: &ast::Expr) -> bool {
    let mut e = e;
    while let ast::ExprKind::Paren(inner) = &e.kind {
        e = inner;
    }
    matches!(e.kind, ast::ExprKind::Dot(..))
}
