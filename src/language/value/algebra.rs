//! Union, intersection and difference of sets, listed or not. Sets that are equal come out as the same
//! handle wherever their form allows it.

use super::dots::is_extension;
use super::integers::both_intervals;
use super::sets::{Sets, is_listed};
use super::{Data, LazySet, Value, ValueResult};

/// `union(a, b)`
///
/// # Errors
/// If one of them is not a set.
pub fn union(sets: &mut Sets<'_>, a: Value, b: Value) -> ValueResult<Value> {
    sets.values.expect_set(a)?;
    sets.values.expect_set(b)?;
    if a == b {
        return Ok(a);
    }
    if let Some((x, y)) = both_intervals(sets.values, a, b) {
        return Ok(sets.values.int_set(x.union(&y)));
    }
    // After this a set is lazy only because it is large or its size is not known.
    let (a, b) = (sets.settle(a)?, sets.settle(b)?);
    match (sets.values.data(a).clone(), sets.values.data(b).clone()) {
        (Data::Set(x), Data::Set(y)) => {
            let all = x.iter().chain(&y).copied().collect();
            sets.of(all)
        }
        // The order of the sides must not show in the result, as union is commutative.
        (Data::Lazy(lazy), Data::Set(items)) => union_with_listed(sets, a, &lazy, &items),
        (Data::Set(items), Data::Lazy(lazy)) => union_with_listed(sets, b, &lazy, &items),
        (Data::Lazy(LazySet::Productions(x)), Data::Lazy(LazySet::Productions(y))) => {
            productions(sets, [&*x, &*y].concat())
        }
        _ => {
            // Union is commutative; one order makes equal unions equal handles.
            let (a, b) = if sets.values.compare(a, b).is_le() {
                (a, b)
            } else {
                (b, a)
            };
            Ok(sets.values.lazy(LazySet::Union(a, b)))
        }
    }
}

/// The union of a set that is not listed with one that is: only what it adds is kept.
fn union_with_listed(
    sets: &mut Sets<'_>,
    set: Value,
    lazy: &LazySet,
    items: &[Value],
) -> ValueResult<Value> {
    let added = sets.keep(items, set, false)?;
    if added.is_empty() {
        return Ok(set);
    }
    let added = sets.values.ascending_set(added);
    match *lazy {
        // `diff(s, t)` with some of `t` added is the difference with fewer.
        LazySet::Diff(all, without) if is_listed(sets.values, without) => {
            // With `A` for what is added: `(s \ t) ∪ A` is `(s \ (t \ A)) ∪ (A \ s)`. So taking
            // an element out and putting it back gives the set that there was before, with its
            // handle.
            let without = diff(sets, without, added)?;
            let fewer = diff(sets, all, without)?;
            let outside = diff(sets, added, all)?;
            if sets.values.data(outside) == &Data::Set([].into()) {
                return Ok(fewer);
            }
            Ok(sets.values.lazy(LazySet::Union(outside, fewer)))
        }
        LazySet::Union(some, rest) if is_listed(sets.values, some) => {
            // All listed elements of a union are kept in one listed set, on its left.
            let some = union(sets, some, added)?;
            Ok(sets.values.lazy(LazySet::Union(some, rest)))
        }
        _ => Ok(sets.values.lazy(LazySet::Union(added, set))),
    }
}

/// `inter(a, b)`
///
/// # Errors
/// If one of them is not a set.
pub fn inter(sets: &mut Sets<'_>, a: Value, b: Value) -> ValueResult<Value> {
    sets.values.expect_set(a)?;
    sets.values.expect_set(b)?;
    if a == b {
        return Ok(a);
    }
    if let Some((x, y)) = both_intervals(sets.values, a, b) {
        return Ok(sets.values.int_set(x.inter(&y)));
    }
    // With one side listed, the other only has to answer questions of membership: it may be
    // infinite.
    let listed = match (is_listed(sets.values, a), is_listed(sets.values, b)) {
        (true, _) => Some((a, b)),
        (_, true) => Some((b, a)),
        _ => None,
    };
    if let Some((listed, other)) = listed {
        let elements = sets.elements(listed)?;
        let kept = sets.keep(&elements, other, true)?;
        return Ok(sets.values.ascending_set(kept));
    }
    let both = match (sets.values.data(a).clone(), sets.values.data(b).clone()) {
        (Data::Lazy(LazySet::Productions(x)), Data::Lazy(LazySet::Productions(y))) => {
            // Of two partial events one of which extends the other, the longer counts.
            let heads = x.iter().flat_map(|h| y.iter().map(move |k| (*h, *k)));
            let heads = heads.filter_map(|(h, k)| {
                if is_extension(sets.values, h, k) {
                    Some(k)
                } else {
                    is_extension(sets.values, k, h).then_some(h)
                }
            });
            return productions(sets, heads.collect());
        }
        (Data::Lazy(LazySet::Seqs(x)), Data::Lazy(LazySet::Seqs(y))) => {
            // These two distribute over intersection (and do not over union: `<1, 2>` is in
            // neither `Seq({1})` nor `Seq({2})`).
            LazySet::Seqs(inter(sets, x, y)?)
        }
        (Data::Lazy(LazySet::Powerset(x)), Data::Lazy(LazySet::Powerset(y))) => {
            LazySet::Powerset(inter(sets, x, y)?)
        }
        // One order of the sides, as for unions.
        _ if sets.values.compare(a, b).is_le() => LazySet::Inter(a, b),
        _ => LazySet::Inter(b, a),
    };
    let both = sets.values.lazy(both);
    sets.settle(both)
}

/// `diff(a, b)`
///
/// # Errors
/// If one of them is not a set.
pub fn diff(sets: &mut Sets<'_>, a: Value, b: Value) -> ValueResult<Value> {
    sets.values.expect_set(a)?;
    sets.values.expect_set(b)?;
    if a == b {
        return Ok(sets.values.set(Vec::new()));
    }
    if let Some((x, y)) = both_intervals(sets.values, a, b) {
        return Ok(sets.values.int_set(x.diff(&y)));
    }
    if is_listed(sets.values, a) {
        let elements = sets.elements(a)?;
        let kept = sets.keep(&elements, b, false)?;
        return Ok(sets.values.ascending_set(kept));
    }
    if !is_listed(sets.values, b) {
        let rest = sets.values.lazy(LazySet::Diff(a, b));
        return sets.settle(rest);
    }
    let elements = sets.elements(b)?;
    // Only what `a` has: differences that take away the same elements get the same handle.
    let removed = sets.keep(&elements, a, true)?;
    if removed.is_empty() {
        return Ok(a);
    }
    let removed = sets.values.ascending_set(removed);
    let rest = match *sets.values.data(a) {
        Data::Lazy(LazySet::Diff(all, without)) if is_listed(sets.values, without) => {
            // Flat instead of nested: a set from which one element after another is taken stays
            // two sets deep.
            LazySet::Diff(all, union(sets, without, removed)?)
        }
        Data::Lazy(LazySet::Union(some, rest)) if is_listed(sets.values, some) => {
            let (some, rest) = (diff(sets, some, removed)?, diff(sets, rest, removed)?);
            return union(sets, some, rest);
        }
        _ => LazySet::Diff(a, removed),
    };
    let rest = sets.values.lazy(rest);
    sets.settle(rest)
}

/// `Union(A)`
///
/// # Errors
/// If it is not a finite set of sets.
pub fn big_union(sets: &mut Sets<'_>, family: Value) -> ValueResult<Value> {
    let elements = sets.elements(family)?;
    // One sort of all elements instead of a union for each set, whose cost would be quadratic.
    if elements.iter().all(|s| is_listed(sets.values, *s)) {
        let mut all = Vec::new();
        for set in elements.iter() {
            if let Data::Set(items) = sets.values.data(*set) {
                all.extend_from_slice(items);
            }
            sets.poll_at(all.len())?;
        }
        return sets.of(all);
    }
    let mut all = sets.values.set(Vec::new());
    for (i, set) in elements.iter().enumerate() {
        sets.poll_at(i)?;
        all = union(sets, all, *set)?;
    }
    Ok(all)
}

/// `Inter(A)`; the intersection of no sets is empty, as for FDR4.
///
/// # Errors
/// If it is not a finite set of sets.
pub fn big_inter(sets: &mut Sets<'_>, family: Value) -> ValueResult<Value> {
    let elements = sets.elements(family)?;
    let Some((first, rest)) = elements.split_first() else {
        return Ok(sets.values.set(Vec::new()));
    };
    let mut all = *first;
    for (i, set) in rest.iter().enumerate() {
        sets.poll_at(i)?;
        all = inter(sets, all, *set)?;
    }
    Ok(all)
}

/// All complete extensions of these values: listed if there are few, lazy otherwise.
///
/// # Errors
/// If listing fails.
pub fn productions(sets: &mut Sets<'_>, mut heads: Vec<Value>) -> ValueResult<Value> {
    sets.values.sort(&mut heads);
    heads.dedup();
    // In this order what begins another comes before it.
    let mut needed: Vec<Value> = Vec::with_capacity(heads.len());
    for head in heads {
        // Looking at the last one suffices: what lies between a prefix and its extensions in
        // this order extends it too.
        let covered = |last: &Value| is_extension(sets.values, *last, head);
        if !needed.last().is_some_and(covered) {
            needed.push(head);
        }
    }
    let set = sets.values.lazy(LazySet::Productions(needed.into()));
    sets.settle(set)
}
