//! Compiling patterns: their variables get places in the frame.

use super::code::Pattern;
use super::scope::Scope;
use crate::script::core::{LocalId, Pattern as Source, PatternKind as P};
use crate::source::stack::deep;
use crate::value::Interner;

/// Compiles a pattern and binds its variables.
pub(super) fn compile_pattern(store: &mut Interner, scope: &mut Scope, p: &Source) -> Pattern {
    deep(|| match &p.kind {
        P::Bind(v) => Pattern::Bind(scope.bind(*v)),
        P::Wild => Pattern::Wild,
        P::Int(i) => Pattern::Const(store.int(*i)),
        P::Bool(b) => Pattern::Const(store.bool(*b)),
        P::Char(c) => Pattern::Const(store.char(*c)),
        P::Ctor(c) => Pattern::Ctor(*c),
        P::Channel(c) => Pattern::Channel(*c),
        P::Tuple(ps) => Pattern::Tuple(patterns(store, scope, ps)),
        P::Seq(ps) => Pattern::Seq(patterns(store, scope, ps)),
        P::Concat(front, middle, back) => {
            // Places are given in the order of the text only within each of the three; nothing
            // depends on it.
            let front = patterns(store, scope, front);
            let back = patterns(store, scope, back);
            Pattern::Concat(front, Box::new(compile_pattern(store, scope, middle)), back)
        }
        P::Dot(ps) => Pattern::Dot(patterns(store, scope, ps)),
        P::EmptySet => Pattern::EmptySet,
        P::Singleton(p) => Pattern::Singleton(Box::new(compile_pattern(store, scope, p))),
        P::Both(p, q) => {
            let p = Box::new(compile_pattern(store, scope, p));
            Pattern::Both(p, Box::new(compile_pattern(store, scope, q)))
        }
    })
}

fn patterns(store: &mut Interner, scope: &mut Scope, ps: &[Source]) -> Vec<Pattern> {
    ps.iter()
        .map(|p| compile_pattern(store, scope, p))
        .collect()
}

/// The variables that a pattern binds, in order.
pub(super) fn variables_of(p: &Source) -> Vec<LocalId> {
    let all = |ps: &[Source]| ps.iter().flat_map(variables_of).collect::<Vec<_>>();
    deep(|| match &p.kind {
        P::Bind(v) => vec![*v],
        P::Tuple(ps) | P::Seq(ps) | P::Dot(ps) => all(ps),
        P::Concat(front, middle, back) => [all(front), variables_of(middle), all(back)].concat(),
        P::Singleton(p) => variables_of(p),
        P::Both(p, q) => [variables_of(p), variables_of(q)].concat(),
        _ => Vec::new(),
    })
}
