//! Sets of integers: each has one form, and so one handle.

use super::interner::Interner;
use super::{Data, Intervals, LazySet, Value};

/// Lazy sets of at most this many elements are listed as soon as they are made, so that they equal
/// the same set written out.
pub(super) const EAGER_MAX: u128 = 4096;
/// A set of integers that is not small is kept as intervals if there are at most so many elements
/// to an interval.
const DENSE: u128 = 8;

impl Interner {
    /// The integers from one to another; an absent bound means that there is none.
    pub fn int_range(&mut self, from: Option<i64>, to: Option<i64>) -> Value {
        self.int_set(Intervals::range(from, to))
    }

    /// The set of some integers: listed if it is small.
    pub(super) fn int_set(&mut self, ints: Intervals) -> Value {
        match ints.size() {
            // Which form a set of integers takes depends on the set alone, not on how it was made.
            // So two equal sets have the same form and the same handle.
            Some(n) if n <= EAGER_MAX || n < DENSE * ints.pieces() as u128 => {
                let items: Box<[Value]> = ints.numbers().map(|n| self.int(n)).collect();
                self.intern(Data::Set(items))
            }
            _ => self.lazy(LazySet::Ints(ints)),
        }
    }

    /// The set of some values in order, without duplicates.
    pub(super) fn ascending_set(&mut self, items: Vec<Value>) -> Value {
        // A long set that was written out may be a range all the same; then it has to take the form
        // that the range has. Below this size `int_set` would list it again.
        if items.len() as u128 > EAGER_MAX
            && let Some(ints) = integers(self, &items)
        {
            return self.int_set(ints);
        }
        self.intern(Data::Set(items.into()))
    }
}

/// Ascending integers as intervals; none if there is anything else among them.
fn integers(values: &Interner, items: &[Value]) -> Option<Intervals> {
    let ints = items.iter().map(|v| match values.data(*v) {
        Data::Int(i) => Some(*i),
        _ => None,
    });
    // They are in order, so the last is an integer only if all are.
    if !matches!(values.data(*items.last()?), Data::Int(_)) {
        return None;
    }
    Some(Intervals::of_ascending(ints.collect::<Option<Vec<i64>>>()?))
}

/// A set of integers as intervals.
pub(super) fn as_intervals(values: &Interner, set: Value) -> Option<Intervals> {
    match values.data(set) {
        Data::Lazy(LazySet::Ints(ints)) => Some(ints.clone()),
        Data::Set(items) if items.is_empty() => Some(Intervals::of_ascending([])),
        Data::Set(items) => integers(values, items),
        _ => None,
    }
}

/// Both sets as intervals, if one of them is not listed and both are sets of integers.
pub(super) fn both_intervals(
    values: &Interner,
    a: Value,
    b: Value,
) -> Option<(Intervals, Intervals)> {
    let kept = |v: Value| matches!(values.data(v), Data::Lazy(LazySet::Ints(_)));
    // Two listed sets are better merged as they are.
    if kept(a) || kept(b) {
        Some((as_intervals(values, a)?, as_intervals(values, b)?))
    } else {
        None
    }
}
