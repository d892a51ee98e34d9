//! Compiling patterns: their variables get places in the frame.

use super::code::PatternCode;
use super::scope::Scope;
use crate::script::core::{Pattern as Source, PatternKind as P, VariableId};
use crate::source::stack::deep;
use crate::value::Interner;

/// Compiles a pattern and binds its variables.
pub(super) fn compile_pattern(store: &mut Interner, scope: &mut Scope, p: &Source) -> PatternCode {
    deep(|| match &p.kind {
        P::Bind(v) => PatternCode::Bind(scope.bind(*v)),
        P::Wild => PatternCode::Wild,
        P::Int(i) => PatternCode::Const(store.int(*i)),
        P::Bool(b) => PatternCode::Const(store.bool(*b)),
        P::Char(c) => PatternCode::Const(store.char(*c)),
        P::Ctor(c) => PatternCode::Ctor(*c),
        P::Channel(c) => PatternCode::Channel(*c),
        P::Tuple(ps) => PatternCode::Tuple(patterns(store, scope, ps)),
        P::Seq(ps) => PatternCode::Seq(patterns(store, scope, ps)),
        P::Concat(front, middle, back) => {
            // Places are given in the order of the text only within each of the three; nothing
            // depends on it.
            let front = patterns(store, scope, front);
            let back = patterns(store, scope, back);
            PatternCode::Concat(front, Box::new(compile_pattern(store, scope, middle)), back)
        }
        P::Dot(ps) => PatternCode::Dot(patterns(store, scope, ps)),
        P::EmptySet => PatternCode::EmptySet,
        P::Singleton(p) => PatternCode::Singleton(Box::new(compile_pattern(store, scope, p))),
        P::Both(p, q) => {
            let p = Box::new(compile_pattern(store, scope, p));
            PatternCode::Both(p, Box::new(compile_pattern(store, scope, q)))
        }
    })
}

fn patterns(store: &mut Interner, scope: &mut Scope, ps: &[Source]) -> Vec<PatternCode> {
    ps.iter()
        .map(|p| compile_pattern(store, scope, p))
        .collect()
}

/// The variables that a pattern binds, in order.
pub(super) fn variables_of(p: &Source) -> Vec<VariableId> {
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
