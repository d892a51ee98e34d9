//! The total order of values.

use std::cmp::Ordering;

use super::interner::Interner;
use super::parts::lazy_children;
use super::views::listed_items;
use super::{Data, LazySet, Value};
use crate::source::stack::deep;

impl Interner {
    /// Sorts by [`Interner::compare`].
    pub fn sort(&self, items: &mut [Value]) {
        items.sort_by(|a, b| self.compare(*a, *b));
    }

    /// The total order of values: by structure, never by handle, so it is the same on every run.
    /// Integers are ordered by size, constructors and channels by declaration, the rest
    /// lexicographically.
    #[must_use]
    pub fn compare(&self, a: Value, b: Value) -> Ordering {
        if a == b {
            // Shared parts have equal handles, so there is only something to walk over where the
            // values differ.
            return Ordering::Equal;
        }
        deep(|| match (self.data(a), self.data(b)) {
            // A value that is not dotted counts as its own only part, so that the constructors of a
            // type are in order whether they have fields or not.
            (Data::Dot(x), y) if !matches!(y, Data::Dot(_)) => self.compare_slices(x, &[b]),
            (x, Data::Dot(y)) if !matches!(x, Data::Dot(_)) => self.compare_slices(&[a], y),
            (x, y) => compare_data(self, x, y),
        })
    }

    /// [`Interner::compare`] on slices, lexicographically.
    #[must_use]
    pub fn compare_slices(&self, a: &[Value], b: &[Value]) -> Ordering {
        for (x, y) in a.iter().zip(b) {
            let order = self.compare(*x, *y);
            if order.is_ne() {
                return order;
            }
        }
        a.len().cmp(&b.len())
    }
}

fn compare_data(values: &Interner, a: &Data, b: &Data) -> Ordering {
    match (a, b) {
        (Data::Int(x), Data::Int(y)) => x.cmp(y),
        (Data::Bool(x), Data::Bool(y)) => x.cmp(y),
        (Data::Char(x), Data::Char(y)) => x.cmp(y),
        (Data::Ctor(x), Data::Ctor(y)) => x.cmp(y),
        (Data::Channel(x), Data::Channel(y)) => x.cmp(y),
        (Data::Builtin(x), Data::Builtin(y)) => x.cmp(y),
        (Data::Process(x), Data::Process(y)) => x.cmp(y),
        (Data::Tuple(x), Data::Tuple(y))
        | (Data::Seq(x), Data::Seq(y))
        | (Data::Dot(x), Data::Dot(y))
        | (Data::Set(x), Data::Set(y)) => values.compare_slices(x, y),
        (Data::Map(x), Data::Map(y)) => compare_maps(values, x, y),
        (Data::Lazy(x), Data::Lazy(y)) => compare_lazy(values, x, y),
        (Data::From(x), Data::From(y)) => x.cmp(y),
        (Data::Stream { items: x, rest: r }, Data::Stream { items: y, rest: s }) => values
            .compare_slices(x, y)
            .then_with(|| values.compare(*r, *s)),
        (Data::Applied(f, x), Data::Applied(g, y)) => {
            f.cmp(g).then_with(|| values.compare_slices(x, y))
        }
        (Data::Closure { code: c, env: x }, Data::Closure { code: d, env: y })
        | (Data::Suspended { code: c, env: x }, Data::Suspended { code: d, env: y }) => {
            c.cmp(d).then_with(|| values.compare_slices(x, y))
        }
        // The type before the position: holes of one symmetric type stand together.
        (Data::Hole { kind: j, index: x }, Data::Hole { kind: k, index: y }) => (j, x).cmp(&(k, y)),
        // Sequence against view, or the reverse: a view is no kind of its own in this order.
        (Data::View { .. }, _) | (_, Data::View { .. }) => compare_views(values, a, b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Compares views as the sequences that they denote.
fn compare_views(values: &Interner, a: &Data, b: &Data) -> Ordering {
    match (listed_items(values, a), listed_items(values, b)) {
        (Some(x), Some(y)) => values.compare_slices(&x, &y),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn compare_maps(values: &Interner, a: &[(Value, Value)], b: &[(Value, Value)]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        let order = values
            .compare(x.0, y.0)
            .then_with(|| values.compare(x.1, y.1));
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

fn compare_lazy(values: &Interner, a: &LazySet, b: &LazySet) -> Ordering {
    let by_rank = lazy_rank(a).cmp(&lazy_rank(b));
    if by_rank.is_ne() {
        return by_rank;
    }
    match (a, b) {
        (LazySet::Ints(x), LazySet::Ints(y)) => x.cmp(y),
        (LazySet::Datatype(x), LazySet::Datatype(y)) => x.cmp(y),
        _ => values.compare_slices(&lazy_children(a), &lazy_children(b)),
    }
}

/// The order of the kinds of data among each other.
/// Holes come first: the paper puts distinguished values before the other values of their supertype
/// (Def. 36, step 1).
fn rank(data: &Data) -> u8 {
    match data {
        Data::Hole { .. } => 0,
        Data::Int(_) => 1,
        Data::Bool(_) => 2,
        Data::Char(_) => 3,
        Data::Ctor(_) => 4,
        Data::Channel(_) => 5,
        Data::Dot(_) => 6,
        Data::Tuple(_) => 7,
        // A view is compared as the sequence that it stands for.
        Data::Seq(_) | Data::View { .. } => 8,
        Data::Set(_) => 9,
        Data::Map(_) => 10,
        // The numbers decide the order of elements in sets, and so the order of events and states
        // that a reader sees. To renumber them would move results.
        Data::Lazy(_) => 11,
        Data::Builtin(_) => 12,
        Data::Closure { .. } => 13,
        Data::Process(_) => 14,
        Data::From(_) => 15,
        Data::Stream { .. } => 16,
        Data::Applied(..) => 17,
        Data::Suspended { .. } => 18,
    }
}

fn lazy_rank(set: &LazySet) -> u8 {
    match set {
        LazySet::Ints(_) => 0,
        // Only the order of the numbers counts, not that there are gaps.
        LazySet::Chars => 2,
        LazySet::Seqs(_) => 3,
        LazySet::Events => 4,
        LazySet::Productions(_) => 5,
        LazySet::Datatype(_) => 6,
        LazySet::Product(_) => 7,
        LazySet::Tuples(_) => 8,
        LazySet::Powerset(_) => 9,
        LazySet::Union(..) => 10,
        LazySet::Diff(..) => 11,
        LazySet::Inter(..) => 12,
        LazySet::Maps(..) => 13,
        LazySet::Processes => 14,
    }
}
