//! `==`, `<` and so on: numeric, prefix order on sequences, inclusion on sets and maps,
//! lexicographic on tuples.

use std::cmp::Ordering;

use super::fail::fail;
use super::force::Force;
use super::sequence::{short_step, stream};
use crate::script::core::BinOp;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::source::stack::deep;
use crate::value::{Data, Value};

/// Items compared between two looks at the limits.
const POLL_EVERY: usize = 4096;

/// The truth of `x op y` for an operator that compares.
pub(super) fn comparison(
    force: &mut impl Force,
    op: BinOp,
    x: Value,
    y: Value,
    span: Span,
) -> Result<bool> {
    match op {
        BinOp::Eq => equal(force, x, y, span),
        BinOp::Ne => equal(force, x, y, span).map(|b| !b),
        BinOp::Le => at_most(force, x, y, span),
        BinOp::Ge => at_most(force, y, x, span),
        // Orders are partial: not `y <= x` is something else.
        BinOp::Lt => Ok(!equal(force, x, y, span)? && at_most(force, x, y, span)?),
        _ => Ok(!equal(force, x, y, span)? && at_most(force, y, x, span)?),
    }
}

/// Pairs of parts that are known to be equal. Values share parts, so each pair is compared only once.
type EqualPairs = Set<(Value, Value)>;

/// Whether two values are equal. Of what is not evaluated yet no more is evaluated than it takes to
/// find a difference.
pub(super) fn equal(force: &mut impl Force, x: Value, y: Value, span: Span) -> Result<bool> {
    are_equal(force, &mut EqualPairs::default(), x, y, span)
}

fn are_equal(
    force: &mut impl Force,
    known: &mut EqualPairs,
    x: Value,
    y: Value,
    span: Span,
) -> Result<bool> {
    let (x, y) = (force.settled(x, span)?, force.settled(y, span)?);
    let values = force.values();
    let store = &mut values.store;
    // Before anything else: whether two functions are equal must not depend on their handles.
    for v in [x, y] {
        let what = match store.data(v) {
            Data::Process(_) => "data to compare, not a process",
            Data::Closure { .. } | Data::Builtin(_) | Data::Applied(..) => {
                "data to compare, not a function"
            }
            _ => continue,
        };
        return Err(values.unexpected(what, v, span));
    }
    if x == y || known.contains(&(x, y)) {
        return Ok(true);
    }
    if store.flags(x).is_plain() && store.flags(y).is_plain() {
        return Ok(false);
    }
    let equal = match (store.data(x).clone(), store.data(y).clone()) {
        // Two listed sets were compared by their handles already.
        (Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) | (Data::Set(_), Data::Lazy(_)) => {
            let equal = store.sets().equal(x, y);
            values.at(equal, span)?
        }
        (Data::Tuple(s), Data::Tuple(t)) => all_equal(force, known, &s, &t, span)?,
        (Data::Map(s), Data::Map(t)) => {
            // Keys are evaluated completely and in order, so equal maps have equal keys at equal
            // places.
            if s.len() != t.len() || s.iter().zip(&t).any(|(a, b)| a.0 != b.0) {
                return Ok(false);
            }
            let values = |pairs: &[(Value, Value)]| -> Vec<Value> {
                pairs.iter().map(|pair| pair.1).collect()
            };
            all_equal(force, known, &values(&s), &values(&t), span)?
        }
        (
            Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
            Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
        ) => compare_sequences(force, known, x, y, span)? == Some(Ordering::Equal),
        _ => false,
    };
    if equal {
        force.values().look(span)?;
        known.insert((x, y));
    }
    Ok(equal)
}

fn all_equal(
    force: &mut impl Force,
    known: &mut EqualPairs,
    s: &[Value],
    t: &[Value],
    span: Span,
) -> Result<bool> {
    if s.len() != t.len() {
        return Ok(false);
    }
    for (x, y) in s.iter().zip(t) {
        if !deep(|| are_equal(force, known, *x, *y, span))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Prefix order: none if neither is the beginning of the other.
fn compare_sequences(
    force: &mut impl Force,
    known: &mut EqualPairs,
    x: Value,
    y: Value,
    span: Span,
) -> Result<Option<Ordering>> {
    let (mut x, mut y) = (x, y);
    let mut seen = 0;
    loop {
        // A common rest need not be evaluated.
        if x == y {
            return Ok(Some(Ordering::Equal));
        }
        let values = force.values();
        let store = &values.store;
        if let (Some(m), Some(n)) = (store.known_length(x), store.known_length(y)) {
            return compare_known(force, known, x, m, y, n, span);
        }
        // Both count up for ever: neither is the beginning of the other.
        if let (Data::From(a), Data::From(b)) = (store.data(x), store.data(y)) {
            return Ok((a == b).then_some(Ordering::Equal));
        }
        // A few items at a time: most comparisons are decided by the first.
        let (s, s_rest) = short_step(values, x, span)?;
        let (t, t_rest) = short_step(values, y, span)?;
        let common = s.len().min(t.len());
        if !all_equal(force, known, &s[..common], &t[..common], span)? {
            return Ok(None);
        }
        seen += common;
        if seen > force.values().elements_max() {
            let text = format!("the first {seen} elements of two infinite sequences are equal");
            return Err(fail("E0423", text, span));
        }
        let (s_left, t_left) = (&s[common..], &t[common..]);
        match (
            left(force, s_left, s_rest, span)?,
            left(force, t_left, t_rest, span)?,
        ) {
            (None, None) => return Ok(Some(Ordering::Equal)),
            (None, Some(_)) => return Ok(Some(Ordering::Less)),
            (Some(_), None) => return Ok(Some(Ordering::Greater)),
            (Some(a), Some(b)) => (x, y) = (a, b),
        }
    }
}

/// [`compare_sequences`] of two with these lengths.
fn compare_known(
    force: &mut impl Force,
    known: &mut EqualPairs,
    x: Value,
    m: usize,
    y: Value,
    n: usize,
    span: Span,
) -> Result<Option<Ordering>> {
    for i in 0..m.min(n) {
        let values = force.values();
        if i % POLL_EVERY == POLL_EVERY - 1 {
            values.poll(span)?;
        }
        let items = (values.store.known_item(x, i), values.store.known_item(y, i));
        if let (Some(a), Some(b)) = items
            && !deep(|| are_equal(force, known, a, b, span))?
        {
            return Ok(None);
        }
    }
    Ok(Some(m.cmp(&n)))
}

/// The rest of a sequence; none if it is empty.
fn left(
    force: &mut impl Force,
    items: &[Value],
    rest: Option<Value>,
    span: Span,
) -> Result<Option<Value>> {
    let v = stream(force, items.to_vec(), rest, span)?;
    let empty = matches!(force.values().store.data(v), Data::Seq(items) if items.is_empty());
    Ok((!empty).then_some(v))
}

/// `x <= y`
fn at_most(force: &mut impl Force, x: Value, y: Value, span: Span) -> Result<bool> {
    let (x, y) = (force.settled(x, span)?, force.settled(y, span)?);
    let values = force.values();
    let store = &mut values.store;
    let (a, b) = (store.data(x).clone(), store.data(y).clone());
    match (&a, &b) {
        (Data::Int(_), Data::Int(_))
        | (Data::Char(_), Data::Char(_))
        | (Data::Bool(_), Data::Bool(_)) => Ok(store.compare(x, y).is_le()),
        (
            Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
            Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
        ) => {
            let order = compare_sequences(force, &mut EqualPairs::default(), x, y, span)?;
            Ok(matches!(order, Some(Ordering::Less | Ordering::Equal)))
        }
        (Data::Set(_) | Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) => {
            let inside = store.sets().subset(x, y);
            values.at(inside, span)
        }
        (Data::Map(s), Data::Map(t)) => submap(force, s, t, span),
        (Data::Tuple(s), Data::Tuple(t)) => {
            let known = &mut EqualPairs::default();
            for (v, w) in s.iter().zip(t) {
                if !are_equal(force, known, *v, *w, span)? {
                    return deep(|| at_most(force, *v, *w, span));
                }
            }
            Ok(true)
        }
        // Constructed values and events have no order but equality.
        (Data::Dot(_) | Data::Ctor(_) | Data::Channel(_), _) => equal(force, x, y, span),
        _ => Err(values.unexpected("values that have an order", x, span)),
    }
}

/// `<=` on maps: every key of the first is one of the second, with a value at most as large.
fn submap(
    force: &mut impl Force,
    s: &[(Value, Value)],
    t: &[(Value, Value)],
    span: Span,
) -> Result<bool> {
    for (key, v) in s {
        let store = &force.values().store;
        // Keys of a map are in order.
        let found = t.binary_search_by(|pair| store.compare(pair.0, *key));
        let Ok(at) = found else {
            return Ok(false);
        };
        if !equal(force, *v, t[at].1, span)? && !at_most(force, *v, t[at].1, span)? {
            return Ok(false);
        }
    }
    Ok(true)
}
