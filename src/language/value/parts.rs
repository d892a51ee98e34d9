//! The direct parts of a value: to walk over them, and to replace them.

use super::{Data, LazySet, Value};

/// The values inside a lazy set.
pub(super) fn lazy_children(set: &LazySet) -> Vec<Value> {
    match set {
        LazySet::Ints(_)
        | LazySet::Chars
        | LazySet::Processes
        | LazySet::Events
        | LazySet::Datatype(_) => Vec::new(),
        LazySet::Seqs(s) | LazySet::Powerset(s) => vec![*s],
        LazySet::Productions(vs) | LazySet::Product(vs) | LazySet::Tuples(vs) => vs.to_vec(),
        LazySet::Union(a, b) | LazySet::Diff(a, b) | LazySet::Inter(a, b) | LazySet::Maps(a, b) => {
            vec![*a, *b]
        }
    }
}

/// Calls `f` for every direct part of a value.
pub(crate) fn for_each_child(data: &Data, f: &mut dyn FnMut(Value)) {
    match data {
        Data::Tuple(vs) | Data::Seq(vs) | Data::Dot(vs) | Data::Set(vs) => {
            vs.iter().for_each(|v| f(*v));
        }
        Data::Closure { env, .. } | Data::Suspended { env, .. } | Data::Applied(_, env) => {
            env.iter().for_each(|v| f(*v));
        }
        Data::Stream { items, rest } => {
            items.iter().for_each(|v| f(*v));
            f(*rest);
        }
        Data::Map(pairs) => pairs.iter().for_each(|(k, v)| {
            f(*k);
            f(*v);
        }),
        // The rest have no parts, or parts that others walk over: those of a process belong to
        // `process`, the items of a view to its buffer.
        Data::Lazy(set) => lazy_children(set).into_iter().for_each(f),
        _ => {}
    }
}

/// The same data with its direct parts replaced, in order.
pub(crate) fn map_children(data: &Data, f: &mut dyn FnMut(Value) -> Value) -> Data {
    use LazySet as L;
    let mut all = |vs: &[Value]| vs.iter().map(|v| f(*v)).collect::<Box<[Value]>>();
    match data {
        Data::Tuple(vs) => Data::Tuple(all(vs)),
        Data::Seq(vs) => Data::Seq(all(vs)),
        Data::Dot(vs) => Data::Dot(all(vs)),
        Data::Set(vs) => Data::Set(all(vs)),
        Data::Map(pairs) => Data::Map(pairs.iter().map(|(k, v)| (f(*k), f(*v))).collect()),
        Data::Closure { code, env } => Data::Closure {
            code: *code,
            env: all(env),
        },
        Data::Suspended { code, env } => Data::Suspended {
            code: *code,
            env: all(env),
        },
        Data::Applied(builtin, args) => Data::Applied(*builtin, all(args)),
        Data::Stream { items, rest } => Data::Stream {
            items: all(items),
            rest: f(*rest),
        },
        Data::Lazy(set) => Data::Lazy(match set {
            L::Seqs(s) => L::Seqs(f(*s)),
            L::Powerset(s) => L::Powerset(f(*s)),
            L::Productions(vs) => L::Productions(all(vs)),
            L::Product(vs) => L::Product(all(vs)),
            L::Tuples(vs) => L::Tuples(all(vs)),
            L::Union(a, b) => L::Union(f(*a), f(*b)),
            L::Diff(a, b) => L::Diff(f(*a), f(*b)),
            L::Inter(a, b) => L::Inter(f(*a), f(*b)),
            L::Maps(a, b) => L::Maps(f(*a), f(*b)),
            other => other.clone(),
        }),
        // Numbers, heads, processes, views and holes have no direct parts that could be replaced.
        // (The items of a view belong to its buffer.)
        other => other.clone(),
    }
}
