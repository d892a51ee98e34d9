//! The built-in functions on sets, sequences and maps.

use super::compare::equal;
use super::fail::fail;
use super::force::Force;
use super::relations::relation_builtin;
use super::sequence;
use super::values::Values;
use super::whole::whole;
use crate::script::core::Builtin;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::{Data, LazySet, Value, algebra};

/// Items looked at between two looks at the limits.
const POLL_EVERY: usize = 4096;

/// The degree of evaluation that a built-in function needs of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing: it becomes a part of the result.
    Nothing,
    /// The value, but not its parts.
    Value,
    /// The value with all its parts.
    Whole,
}

/// The degree of evaluation that a function needs of the argument with this number, from 0.
pub(super) fn need(b: Builtin, argument: usize) -> Need {
    match (b, argument) {
        // The value of a map may be needed by nobody, or mention the map.
        (Builtin::MapUpdate, 2) => Need::Nothing,
        (
            Builtin::Head
            | Builtin::Tail
            | Builtin::Null
            | Builtin::Length
            | Builtin::Concat
            | Builtin::MapFromList
            | Builtin::MapToList
            | Builtin::Error,
            _,
        )
        | (Builtin::Elem, 1)
        | (
            Builtin::MapLookup
            | Builtin::MapMember
            | Builtin::MapUpdate
            | Builtin::MapDelete
            | Builtin::MapUpdateMultiple,
            0,
        )
        | (Builtin::MapUpdateMultiple, 1) => Need::Value,
        _ => Need::Whole,
    }
}

/// The built-in functions on data, for arguments that are evaluated as [`need`] requires; none if the name or the
/// number of arguments is wrong.
pub(super) fn data_builtin(
    force: &mut impl Force,
    b: Builtin,
    args: &[Value],
    span: Span,
) -> Result<Option<Value>> {
    // Each of these knows its own functions; no function belongs to two of them.
    if let Some(v) = sequence_builtin(force, b, args, span)? {
        return Ok(Some(v));
    }
    if let Some(v) = map_builtin(force, b, args, span)? {
        return Ok(Some(v));
    }
    let values = force.values();
    if let Some(v) = relation_builtin(values, b, args, span)? {
        return Ok(Some(v));
    }
    match args {
        [x] => unary_set_builtin(values, b, *x, span),
        [x, y] => binary_set_builtin(values, b, *x, *y, span),
        _ => Ok(None),
    }
}

/// Functions of one set.
fn unary_set_builtin(
    values: &mut Values,
    b: Builtin,
    x: Value,
    span: Span,
) -> Result<Option<Value>> {
    // The argument is read as a set only for these: for others it may be anything.
    let known = matches!(
        b,
        Builtin::BigUnion
            | Builtin::BigInter
            | Builtin::Card
            | Builtin::Empty
            | Builtin::Powerset
            | Builtin::SeqsOver
            | Builtin::SeqOf
    );
    if !known {
        return Ok(None);
    }
    let set = values.set_from(x, span)?;
    let store = &mut values.store;
    let result = match b {
        Builtin::BigUnion => algebra::big_union(&mut store.sets(), set),
        Builtin::BigInter => algebra::big_inter(&mut store.sets(), set),
        Builtin::Card => store.sets().card(set).map(|n| store.int(n)),
        Builtin::Empty => store.sets().is_empty(set).map(|b| store.bool(b)),
        Builtin::Powerset => {
            let all = store.lazy(LazySet::Powerset(set));
            store.sets().settle(all)
        }
        Builtin::SeqsOver => {
            let all = store.lazy(LazySet::Seqs(set));
            store.sets().settle(all)
        }
        _ => store
            .sets()
            .elements(set)
            .map(|items| store.seq(items.as_ref())),
    };
    values.at(result, span).map(Some)
}

/// Functions of two sets, or of an element and a set.
fn binary_set_builtin(
    values: &mut Values,
    b: Builtin,
    x: Value,
    y: Value,
    span: Span,
) -> Result<Option<Value>> {
    let result = match b {
        Builtin::Union | Builtin::Inter | Builtin::Diff | Builtin::MapsOver => {
            let (s, t) = (values.set_from(x, span)?, values.set_from(y, span)?);
            let store = &mut values.store;
            match b {
                Builtin::Union => algebra::union(&mut store.sets(), s, t),
                Builtin::Inter => algebra::inter(&mut store.sets(), s, t),
                Builtin::Diff => algebra::diff(&mut store.sets(), s, t),
                _ => {
                    let all = store.lazy(LazySet::Maps(s, t));
                    store.sets().settle(all)
                }
            }
        }
        Builtin::Member => {
            let set = values.set_from(y, span)?;
            let store = &mut values.store;
            store.sets().contains(set, x).map(|b| store.bool(b))
        }
        _ => return Ok(None),
    };
    values.at(result, span).map(Some)
}

fn sequence_builtin(
    force: &mut impl Force,
    b: Builtin,
    args: &[Value],
    span: Span,
) -> Result<Option<Value>> {
    let none = |name: &str| {
        let text = format!("`{name}` of the empty sequence");
        Err(fail("E0406", text, span))
    };
    Ok(Some(match (b, args) {
        (Builtin::Length, [s]) => {
            let length = sequence::length(force, *s, span)?;
            force.values().store.int(length as i64)
        }
        (Builtin::Null, [s]) => {
            let empty = sequence::take(force, *s, 1, span)?.is_none();
            force.values().store.bool(empty)
        }
        (Builtin::Head, [s]) => match sequence::take(force, *s, 1, span)? {
            Some((items, _)) => force.settled(items[0], span)?,
            None => return none("head"),
        },
        (Builtin::Tail, [s]) => match sequence::take(force, *s, 1, span)? {
            Some((_, rest)) => force.settled(rest, span)?,
            None => return none("tail"),
        },
        (Builtin::Concat, [s]) => sequence::concat(force, *s, span)?,
        (Builtin::Elem, [v, s]) => {
            let found = occurs(force, *v, *s, span)?;
            force.values().store.bool(found)
        }
        (Builtin::SetOf, [s]) => {
            let items = sequence::listed(force, *s, span)?;
            let values = force.values();
            let set = values.store.sets().of(items.to_vec());
            values.at(set, span)?
        }
        _ => return Ok(None),
    }))
}

/// `elem(v, s)`: the search ends at the first item that is equal.
fn occurs(force: &mut impl Force, v: Value, s: Value, span: Span) -> Result<bool> {
    let mut rest = Some(s);
    let mut seen = 0;
    while let Some(next) = rest {
        let next = force.settled(next, span)?;
        let values = force.values();
        let store = &values.store;
        // Of a sequence that counts up it is known without looking.
        if let (Data::From(n), Data::Int(i)) = (store.data(next), store.data(v)) {
            return Ok(i >= n);
        }
        if let Some(length) = store.known_length(next) {
            return occurs_among(force, v, next, length, span);
        }
        let (items, after) = sequence::step(values, next, span)?;
        for item in items.iter() {
            if equal(force, v, *item, span)? {
                return Ok(true);
            }
        }
        seen += items.len();
        if seen > force.values().elements_max() {
            let text = format!("not found among the first {seen} elements");
            return Err(fail("E0403", text, span));
        }
        rest = after;
    }
    Ok(false)
}

/// [`occurs`] for a sequence of this length.
fn occurs_among(
    force: &mut impl Force,
    v: Value,
    s: Value,
    length: usize,
    span: Span,
) -> Result<bool> {
    for i in 0..length {
        let values = force.values();
        if i % POLL_EVERY == POLL_EVERY - 1 {
            values.poll(span)?;
        }
        if let Some(item) = values.store.known_item(s, i)
            && equal(force, v, item, span)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn map_builtin(
    force: &mut impl Force,
    b: Builtin,
    args: &[Value],
    span: Span,
) -> Result<Option<Value>> {
    Ok(Some(match (b, args) {
        (Builtin::MapFromList, [list]) => {
            let pairs = pairs_in(force, *list, span)?;
            force.values().store.map(pairs)
        }
        (Builtin::MapToList, [map]) => {
            let values = force.values();
            let pairs = map_pairs(values, *map, span)?;
            let store = &mut values.store;
            let items = pairs.into_iter();
            let items: Vec<Value> = items.map(|(k, v)| store.tuple(vec![k, v])).collect();
            store.seq(items)
        }
        (Builtin::MapLookup, [map, key]) => map_lookup(force, *map, *key, span)?,
        (Builtin::MapMember, [map, key]) => {
            let values = force.values();
            let place = values.at(values.store.map_position(*map, *key), span)?;
            values.store.bool(place.is_ok())
        }
        (Builtin::MapDelete, [map, key]) => {
            let values = force.values();
            // A key that is not there is nothing to delete.
            let mut pairs = map_pairs(values, *map, span)?;
            if let Ok(at) = values.at(values.store.map_position(*map, *key), span)? {
                pairs.remove(at);
            }
            values.store.map(pairs)
        }
        (Builtin::MapUpdate, [map, key, value]) => {
            let values = force.values();
            let mut pairs = map_pairs(values, *map, span)?;
            match values.at(values.store.map_position(*map, *key), span)? {
                Ok(at) => pairs[at].1 = *value,
                // The place keeps the keys in order.
                Err(at) => pairs.insert(at, (*key, *value)),
            }
            values.store.map(pairs)
        }
        (Builtin::MapUpdateMultiple, [map, list]) => {
            let mut pairs = map_pairs(force.values(), *map, span)?;
            // The first pair with a key counts, as if the last were inserted first.
            let mut more = pairs_in(force, *list, span)?;
            more.reverse();
            pairs.extend(more);
            force.values().store.map(pairs)
        }
        _ => return Ok(None),
    }))
}

/// The pairs of a map, to be changed.
fn map_pairs(values: &Values, map: Value, span: Span) -> Result<Vec<(Value, Value)>> {
    Ok(values.at(values.store.as_map(map), span)?.to_vec())
}

fn map_lookup(force: &mut impl Force, map: Value, key: Value, span: Span) -> Result<Value> {
    let values = force.values();
    match values.at(values.store.map_position(map, key), span)? {
        Ok(at) => {
            let v = values.at(values.store.as_map(map), span)?[at].1;
            force.settled(v, span)
        }
        Err(_) => {
            let text = format!("the map has no key `{}`", values.short(key));
            Err(fail("E0406", text, span))
        }
    }
}

/// The pairs of a sequence of pairs: the first parts evaluated, since they become keys.
fn pairs_in(force: &mut impl Force, list: Value, span: Span) -> Result<Vec<(Value, Value)>> {
    let items = sequence::listed(force, list, span)?;
    let mut pairs = Vec::with_capacity(items.len());
    for item in items.iter() {
        let item = force.settled(*item, span)?;
        let (key, value) = force.values().pair(item, span)?;
        // It was the part of a pair, which may be suspended.
        let key = force.settled(key, span)?;
        pairs.push((whole(force, key, span)?, value));
    }
    Ok(pairs)
}

/// A sequence of characters as text, anything else as shown.
pub(super) fn plain_text(force: &mut impl Force, v: Value, span: Span) -> Result<String> {
    let v = whole(force, v, span)?;
    let values = force.values();
    let store = &values.store;
    let chars = store.as_seq(v).ok().and_then(|items| {
        let chars = items.iter().map(|c| match store.data(*c) {
            Data::Char(c) => Some(*c),
            _ => None,
        });
        chars.collect::<Option<String>>()
    });
    Ok(chars.unwrap_or_else(|| values.short(v)))
}
