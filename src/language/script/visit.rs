//! Walking over core expressions: every mention of a name, with its place.

use super::core::{
    Builtin, ChannelId, CtorId, Expr, ExprKind, Field, Function, GlobalId, Items, Links, LocalDef,
    Pattern, PatternKind, Stmt, TypeId, VariableId, no_operator,
};
use crate::source::Span;
use crate::source::stack::deep;

/// A mention of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// A variable.
    Local(VariableId),
    /// A top-level definition.
    Global(GlobalId),
    /// A datatype as a set.
    Type(TypeId),
    /// A constructor in an expression.
    Ctor(CtorId),
    /// A channel in an expression.
    Channel(ChannelId),
    /// A built-in.
    Builtin(Builtin),
    /// A constructor as a constant in a pattern.
    CtorPattern(CtorId),
    /// A channel as a constant in a pattern.
    ChannelPattern(ChannelId),
    /// A variable bound by a pattern or a local definition.
    Binder(VariableId),
}

/// A visitor of expressions; closures over mentions are visitors.
pub trait Visit {
    /// A name stands here.
    fn mention(&mut self, mention: Mention, span: Span);
    /// Whether to look into an expression.
    fn enters(&self, _: &Expr) -> bool {
        true
    }
    /// An expression that was entered.
    fn expression(&mut self, _: &Expr) {}
    /// The clauses of a function, before they are looked into.
    fn function(&mut self, _: &Function) {}
}

impl<F: FnMut(Mention, Span)> Visit for F {
    fn mention(&mut self, mention: Mention, span: Span) {
        self(mention, span);
    }
}

/// Calls `f` for every mention in an expression, in the order of the text (nearly).
pub fn expr(e: &Expr, f: &mut dyn Visit) {
    if f.enters(e) {
        f.expression(e);
        deep(|| expr_here(e, f));
    }
}

fn expr_here(e: &Expr, f: &mut dyn Visit) {
    use ExprKind as K;
    match &e.kind {
        K::Local(l) => f.mention(Mention::Local(*l), e.span),
        K::Global(g) => f.mention(Mention::Global(*g), e.span),
        K::Type(t) => f.mention(Mention::Type(*t), e.span),
        K::Ctor(c) => f.mention(Mention::Ctor(*c), e.span),
        K::Channel(c) => f.mention(Mention::Channel(*c), e.span),
        K::Builtin(b) => f.mention(Mention::Builtin(*b), e.span),
        K::Int(_) | K::Bool(_) | K::Char(_) | K::Str(_) => {}
        K::Tuple(es) | K::Dot(es) => es.iter().for_each(|e| expr(e, f)),
        K::Seq(i, s) | K::Set(i, s) => {
            // Generators stand behind what they bind variables for, but are looked at first: they
            // bind.
            stmts(s, f);
            items(i, f);
        }
        K::Productions(es, s) => {
            stmts(s, f);
            es.iter().for_each(|e| expr(e, f));
        }
        K::Map(pairs) => pairs.iter().for_each(|(k, v)| {
            expr(k, f);
            expr(v, f);
        }),
        K::Apply(g, args) => {
            expr(g, f);
            args.iter().for_each(|e| expr(e, f));
        }
        K::Let(defs, body) => {
            defs.iter().for_each(|d| local_def(d, f));
            expr(body, f);
        }
        K::Lambda(function) => clauses(function, f),
        K::Unary(_, a) => expr(a, f),
        K::Binary(_, a, b) => all([a, b], f),
        K::If(a, b, c) => all([a, b, c], f),
        _ => process(e, f),
    }
}

/// An expression whose outermost form is a process operator.
fn process(e: &Expr, f: &mut dyn Visit) {
    use ExprKind as K;
    match &e.kind {
        K::Prefix { head, fields, body } => {
            expr(head, f);
            fields.iter().for_each(|field| field_here(field, f));
            expr(body, f);
        }
        K::Guard(a, b) | K::Process(_, a, b) | K::Hide(a, b) | K::Project(a, b) => all([a, b], f),
        K::Parallel(a, b, c)
        | K::Exception(a, b, c)
        | K::SyncChoice(a, b, c)
        | K::SyncInterrupt(a, b, c) => all([a, b, c], f),
        K::AlphaParallel(a, b, c, d) => all([a, b, c, d], f),
        K::Link(p, l, q) => {
            expr(p, f);
            links(l, f);
            expr(q, f);
        }
        K::Rename(p, l) => {
            expr(p, f);
            links(l, f);
        }
        K::Replicated {
            set,
            stmts: s,
            body,
            ..
        } => {
            stmts(s, f);
            set.iter().for_each(|e| expr(e, f));
            expr(body, f);
        }
        K::ReplicatedLink {
            links: l,
            stmts: s,
            body,
        } => {
            stmts(s, f);
            links(l, f);
            expr(body, f);
        }
        no_operator!() => {}
    }
}

fn all<const N: usize>(es: [&Expr; N], f: &mut dyn Visit) {
    es.into_iter().for_each(|e| expr(e, f));
}

fn items(i: &Items, f: &mut dyn Visit) {
    match i {
        Items::List(es) => es.iter().for_each(|e| expr(e, f)),
        Items::Range(a, b) => {
            expr(a, f);
            b.iter().for_each(|e| expr(e, f));
        }
    }
}

fn stmts(list: &[Stmt], f: &mut dyn Visit) {
    for stmt in list {
        match stmt {
            Stmt::Condition(e) => expr(e, f),
            Stmt::Generator(p, e) => {
                expr(e, f);
                pattern(p, f);
            }
        }
    }
}

fn links(l: &Links, f: &mut dyn Visit) {
    stmts(&l.stmts, f);
    for (a, b) in &l.pairs {
        expr(a, f);
        expr(b, f);
    }
}

fn field_here(field: &Field, f: &mut dyn Visit) {
    match field {
        Field::Output(e) => expr(e, f),
        Field::Input(p, set) | Field::Nondet(p, set) => {
            set.iter().for_each(|e| expr(e, f));
            pattern(p, f);
        }
    }
}

/// All mentions in a local definition.
pub fn local_def(def: &LocalDef, f: &mut dyn Visit) {
    match def {
        LocalDef::Function(local, function, span) => {
            f.mention(Mention::Binder(*local), *span);
            clauses(function, f);
        }
        LocalDef::Value(p, e) => {
            pattern(p, f);
            expr(e, f);
        }
    }
}

/// All mentions in the clauses of a function.
pub fn clauses(function: &Function, f: &mut dyn Visit) {
    f.function(function);
    for clause in &function.clauses {
        for p in clause.groups.iter().flatten() {
            pattern(p, f);
        }
        expr(&clause.body, f);
    }
}

/// All mentions in a pattern.
pub fn pattern(p: &Pattern, f: &mut dyn Visit) {
    deep(|| match &p.kind {
        PatternKind::Bind(l) => f.mention(Mention::Binder(*l), p.span),
        PatternKind::Ctor(c) => f.mention(Mention::CtorPattern(*c), p.span),
        PatternKind::Channel(c) => f.mention(Mention::ChannelPattern(*c), p.span),
        PatternKind::Tuple(ps) | PatternKind::Seq(ps) | PatternKind::Dot(ps) => {
            ps.iter().for_each(|p| pattern(p, f));
        }
        PatternKind::Concat(front, middle, back) => {
            front.iter().for_each(|p| pattern(p, f));
            pattern(middle, f);
            back.iter().for_each(|p| pattern(p, f));
        }
        PatternKind::Singleton(p) => pattern(p, f),
        PatternKind::Both(a, b) => {
            pattern(a, f);
            pattern(b, f);
        }
        PatternKind::Wild
        | PatternKind::Int(_)
        | PatternKind::Bool(_)
        | PatternKind::Char(_)
        | PatternKind::EmptySet => {}
    });
}
