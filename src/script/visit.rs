//! Walking over core expressions: every mention of a name, with its place.

use super::core::{
    Builtin, ChannelId, CtorId, Expr, ExprKind, Field, Function, GlobalId, Items, Links, LocalDef,
    LocalId, Pattern, PatternKind, Stmt, TypeId,
};
use crate::source::Span;
use crate::source::stack::deep;

/// A mention of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// A variable.
    Local(LocalId),
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
    Binder(LocalId),
}

/// Calls `f` for every mention in an expression, in the order of the text (nearly).
pub fn expr(e: &Expr, f: &mut dyn FnMut(Mention, Span)) {
    deep(|| expr_here(e, f));
}

fn expr_here(e: &Expr, f: &mut dyn FnMut(Mention, Span)) {
    use ExprKind as K;
    match &e.kind {
        K::Local(l) => f(Mention::Local(*l), e.span),
        K::Global(g) => f(Mention::Global(*g), e.span),
        K::Type(t) => f(Mention::Type(*t), e.span),
        K::Ctor(c) => f(Mention::Ctor(*c), e.span),
        K::Channel(c) => f(Mention::Channel(*c), e.span),
        K::Builtin(b) => f(Mention::Builtin(*b), e.span),
        K::Int(_) | K::Bool(_) | K::Char(_) | K::Str(_) => {}
        K::Tuple(es) | K::Dot(es) => es.iter().for_each(|e| expr(e, f)),
        K::Seq(i, s) | K::Set(i, s) => {
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
        K::Prefix { head, fields, body } => {
            expr(head, f);
            fields.iter().for_each(|field| field_here(field, f));
            expr(body, f);
        }
        K::Unary(_, a) => expr(a, f),
        K::Binary(_, a, b)
        | K::Guard(a, b)
        | K::Process(_, a, b)
        | K::Hide(a, b)
        | K::Project(a, b) => all([a, b], f),
        K::If(a, b, c)
        | K::Parallel(a, b, c)
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
            links(l, f);
            stmts(s, f);
            expr(body, f);
        }
    }
}

fn all<const N: usize>(es: [&Expr; N], f: &mut dyn FnMut(Mention, Span)) {
    es.into_iter().for_each(|e| expr(e, f));
}

fn items(i: &Items, f: &mut dyn FnMut(Mention, Span)) {
    match i {
        Items::List(es) => es.iter().for_each(|e| expr(e, f)),
        Items::Range(a, b) => {
            expr(a, f);
            b.iter().for_each(|e| expr(e, f));
        }
    }
}

fn stmts(list: &[Stmt], f: &mut dyn FnMut(Mention, Span)) {
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

fn links(l: &Links, f: &mut dyn FnMut(Mention, Span)) {
    stmts(&l.stmts, f);
    for (a, b) in &l.pairs {
        expr(a, f);
        expr(b, f);
    }
}

fn field_here(field: &Field, f: &mut dyn FnMut(Mention, Span)) {
    match field {
        Field::Output(e) => expr(e, f),
        Field::Input(p, set) | Field::Nondet(p, set) => {
            set.iter().for_each(|e| expr(e, f));
            pattern(p, f);
        }
    }
}

/// All mentions in a local definition.
pub fn local_def(def: &LocalDef, f: &mut dyn FnMut(Mention, Span)) {
    match def {
        LocalDef::Function(local, function, span) => {
            f(Mention::Binder(*local), *span);
            clauses(function, f);
        }
        LocalDef::Value(p, e) => {
            pattern(p, f);
            expr(e, f);
        }
    }
}

/// All mentions in the clauses of a function.
pub fn clauses(function: &Function, f: &mut dyn FnMut(Mention, Span)) {
    for clause in &function.clauses {
        for p in clause.groups.iter().flatten() {
            pattern(p, f);
        }
        expr(&clause.body, f);
    }
}

/// All mentions in a pattern.
pub fn pattern(p: &Pattern, f: &mut dyn FnMut(Mention, Span)) {
    deep(|| match &p.kind {
        PatternKind::Bind(l) => f(Mention::Binder(*l), p.span),
        PatternKind::Ctor(c) => f(Mention::CtorPattern(*c), p.span),
        PatternKind::Channel(c) => f(Mention::ChannelPattern(*c), p.span),
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
