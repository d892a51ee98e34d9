//! Lazy sequences, whose rest may be suspended: access and concatenation.

use std::rc::Rc;

use super::code::{APPEND, CONCAT, RANGE};
use super::fail::fail;
use super::force::Force;
use super::values::Values;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::views::{joined, slice};
use crate::value::{Data, Interner, Value, ValueError};

/// Numbers of an infinite or long range that are listed at a time.
const CHUNK: i64 = 256;
/// Ranges of at most this many numbers are listed at once.
const RANGE_MAX: i128 = 4096;

/// Items of a sequence that are copied to put others before them, if not all of it is known.
const COPIED_MAX: usize = 32;

/// The beginning of a sequence, and the sequence that follows, if anything can.
pub(super) type SeqStep = (Rc<[Value]>, Option<Value>);

/// A sequence that begins with these items and goes on with `rest`, which may be suspended.
pub(super) fn stream(
    force: &mut impl Force,
    items: Vec<Value>,
    rest: Option<Value>,
    span: Span,
) -> Result<Value> {
    let values = force.values();
    let Some(rest) = rest else {
        values.check_length(items.len(), span)?;
        return Ok(values.store.seq(items));
    };
    // A stream has at least one item, so what is left is the sequence itself.
    if items.is_empty() {
        return force.settled(rest, span);
    }
    let store = &mut values.store;
    if let Some(more) = store.known_length(rest) {
        values.check_length(items.len() + more, span)?;
        let store = &mut values.store;
        // A short sequence is copied; a long one shares a buffer with what it was put before, so
        // that a list that is built item by item takes linear time.
        if items.len() + more <= COPIED_MAX {
            let more = store.known_items(rest, 0, more);
            return Ok(store.seq([items, more].concat()));
        }
        let items = store.seq(items);
        return Ok(joined(store, items, rest));
    }
    Ok(match store.data(rest) {
        // One that goes on as numbers do has a shortest form; of others, long ones are not copied.
        Data::Stream {
            items: more,
            rest: after,
        } if more.len() <= COPIED_MAX || !store.flags(rest).is_partial() => {
            let (items, rest) = ([&items[..], more].concat().into(), *after);
            store.intern(Data::Stream { items, rest })
        }
        Data::From(n) => {
            let n = *n;
            counting(store, items, n)
        }
        _ => {
            let items = items.into();
            store.intern(Data::Stream { items, rest })
        }
    })
}

/// `items^<n..>`, in its shortest form.
fn counting(store: &mut Interner, mut items: Vec<Value>, mut n: i64) -> Value {
    while let Some(last) = items.last()
        && n.checked_sub(1).map(Data::Int).as_ref() == Some(store.data(*last))
    {
        items.pop();
        n -= 1;
    }
    let rest = store.intern(Data::From(n));
    if items.is_empty() {
        return rest;
    }
    let items = items.into();
    store.intern(Data::Stream { items, rest })
}

/// The items of a sequence that are known, and what follows them.
pub(super) fn step(values: &mut Values, v: Value, span: Span) -> Result<SeqStep> {
    let store = &mut values.store;
    match store.data(v) {
        Data::Seq(items) => Ok((items.as_ref().into(), None)),
        Data::View { .. } => {
            let length = store.known_length(v).unwrap_or(0);
            Ok((store.known_items(v, 0, length).into(), None))
        }
        Data::Stream { items, rest } => Ok((items.as_ref().into(), Some(*rest))),
        Data::From(n) => {
            let n = *n;
            // All of it has no end, and number by number would be slow: some at a time.
            let end = n.saturating_add(CHUNK);
            // Numbers have 64 bits; a range that has to go on beyond is an overflow like any other.
            if end == i64::MAX {
                return Err(values.fail_value(&ValueError::Overflow(".."), span));
            }
            let items: Vec<Value> = (n..end).map(|i| store.int(i)).collect();
            Ok((items.into(), Some(store.intern(Data::From(end)))))
        }
        _ => Err(values.unexpected("a sequence", v, span)),
    }
}

/// As [`step`], but of a long sequence a few items only.
pub(super) fn short_step(values: &mut Values, v: Value, span: Span) -> Result<SeqStep> {
    let store = &mut values.store;
    match store.known_length(v) {
        Some(length) if length > COPIED_MAX => {
            let items = store.known_items(v, 0, COPIED_MAX);
            let rest = slice(store, v, COPIED_MAX, length);
            Ok((items.into(), Some(rest)))
        }
        _ => step(values, v, span),
    }
}

/// The number of items of a sequence, which must come to an end.
pub(super) fn length(force: &mut impl Force, v: Value, span: Span) -> Result<usize> {
    match force.values().store.known_length(v) {
        Some(length) => Ok(length),
        None => Ok(listed(force, v, span)?.len()),
    }
}

/// All items of a sequence, which must come to an end.
pub(super) fn listed(force: &mut impl Force, v: Value, span: Span) -> Result<Rc<[Value]>> {
    // A sequence that is known to its end is returned as it is, without a copy of the items.
    let (first, mut rest) = step(force.values(), v, span)?;
    if rest.is_none() {
        return Ok(first);
    }
    let mut items = first.to_vec();
    while let Some(next) = rest {
        let next = force.settled(next, span)?;
        let values = force.values();
        if matches!(values.store.data(next), Data::From(_)) {
            let shown = values.short(v);
            let text = format!("the sequence `{shown}` is infinite and cannot be listed");
            return Err(fail("E0402", text, span));
        }
        let (more, after) = step(values, next, span)?;
        items.extend_from_slice(&more);
        // Here, not at the end: the sequence may have none.
        values.check_length(items.len(), span)?;
        rest = after;
    }
    Ok(items.into())
}

/// The first `n` items of a sequence and what follows them; none if there are fewer.
pub(super) fn take(
    force: &mut impl Force,
    v: Value,
    n: usize,
    span: Span,
) -> Result<Option<(Vec<Value>, Value)>> {
    let v = force.settled(v, span)?;
    let store = &mut force.values().store;
    if let Data::From(from) = *store.data(v) {
        let end = from.saturating_add(n as i64);
        let items = (from..end).map(|i| store.int(i)).collect();
        return Ok(Some((items, store.intern(Data::From(end)))));
    }
    if let Some(length) = store.known_length(v) {
        if length < n {
            return Ok(None);
        }
        let items = store.known_items(v, 0, n);
        return Ok(Some((items, slice(store, v, n, length))));
    }
    let (first, mut rest) = step(force.values(), v, span)?;
    let mut items = first.to_vec();
    while items.len() < n
        && let Some(next) = rest
    {
        let next = force.settled(next, span)?;
        // What counts up has no end to run into, and `step` would list more of it than is wanted.
        if let Data::From(_) = force.values().store.data(next) {
            let wanted = n - items.len();
            return Ok(take(force, next, wanted, span)?.map(|(more, after)| {
                items.extend(more);
                (items, after)
            }));
        }
        let (more, after) = step(force.values(), next, span)?;
        items.extend_from_slice(&more);
        rest = after;
    }
    if items.len() < n {
        return Ok(None);
    }
    // The last step may have brought more items than were wanted.
    let left = items.split_off(n);
    let after = match rest {
        Some(rest) if left.is_empty() => rest,
        rest => stream(force, left, rest, span)?,
    };
    Ok(Some((items, after)))
}

/// `s^t`, where `t` may be suspended.
pub(super) fn append(force: &mut impl Force, s: Value, t: Value, span: Span) -> Result<Value> {
    let values = force.values();
    if let Some(first) = values.store.known_length(s) {
        if let Some(more) = values.store.known_length(t) {
            values.check_length(first + more, span)?;
            return Ok(joined(&mut values.store, s, t));
        }
        let items = values.store.known_items(s, 0, first);
        return stream(force, items, Some(t), span);
    }
    match values.store.data(s).clone() {
        // Nothing comes after what has no end.
        Data::From(_) => Ok(s),
        Data::Stream { items, rest } => {
            if matches!(values.store.data(rest), Data::From(_)) {
                return Ok(s);
            }
            let env = [rest, t].into();
            let code = APPEND;
            let rest = values.store.intern(Data::Suspended { code, env });
            stream(force, items.into_vec(), Some(rest), span)
        }
        _ => Err(values.unexpected("a sequence", s, span)),
    }
}

/// `<a..b>` or `<a..>`. Of a long one the beginning is listed, and the rest suspended.
pub(super) fn range(
    force: &mut impl Force,
    from: i64,
    to: Option<i64>,
    span: Span,
) -> Result<Value> {
    let store = &mut force.values().store;
    let Some(to) = to else {
        return Ok(store.intern(Data::From(from)));
    };
    if i128::from(to) - i128::from(from) < RANGE_MAX {
        let items: Vec<Value> = (from..=to).map(|i| store.int(i)).collect();
        return Ok(store.seq(items));
    }
    // The bounds are far apart, so this does not overflow.
    let end = from + CHUNK;
    let items: Vec<Value> = (from..end).map(|i| store.int(i)).collect();
    let env = [store.int(end), store.int(to)].into();
    let rest = store.intern(Data::Suspended { code: RANGE, env });
    stream(force, items, Some(rest), span)
}

/// `concat(s)`: later sequences are not looked at before they are needed.
pub(super) fn concat(force: &mut impl Force, s: Value, span: Span) -> Result<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut source = s;
    loop {
        // Empty sequences in a source without end must not outlast an experiment.
        force.values().count_call(span)?;
        let (items, rest) = step(force.values(), source, span)?;
        for (i, item) in items.iter().enumerate() {
            let inner = match force.settled(*item, span) {
                Ok(inner) => inner,
                Err(error) if all.is_empty() => return Err(error),
                // What was found stands; the error is one of whoever needs what comes next.
                Err(_) => {
                    force.values().poll(span)?;
                    let left = remaining(force, &items[i..], rest, span)?;
                    let later = suspend_concat(&mut force.values().store, left);
                    return stream(force, all, Some(later), span);
                }
            };
            let values = force.values();
            // A sequence that counts up is not listed at all: it becomes the rest as it is.
            let (more, inner_rest) = match values.store.data(inner) {
                Data::From(_) => ([].into(), Some(inner)),
                _ => step(values, inner, span)?,
            };
            all.extend_from_slice(&more);
            if let Some(inner_rest) = inner_rest {
                let left = remaining(force, &items[i + 1..], rest, span)?;
                let store = &mut force.values().store;
                let later = suspend_concat(store, left);
                let rest = suspend_append(store, inner_rest, later);
                return stream(force, all, Some(rest), span);
            }
            force.values().check_length(all.len(), span)?;
        }
        match rest {
            None => return stream(force, all, None, span),
            Some(rest) if !all.is_empty() => {
                let later = suspend_concat(&mut force.values().store, rest);
                return stream(force, all, Some(later), span);
            }
            Some(rest) => source = force.settled(rest, span)?,
        }
    }
}

/// The rest of a source: some items and the sequence after them.
pub(super) fn remaining(
    force: &mut impl Force,
    items: &[Value],
    rest: Option<Value>,
    span: Span,
) -> Result<Value> {
    match rest {
        Some(rest) if items.is_empty() => Ok(rest),
        rest => stream(force, items.to_vec(), rest, span),
    }
}

fn suspend_concat(store: &mut Interner, s: Value) -> Value {
    let (code, env) = (CONCAT, [s].into());
    store.intern(Data::Suspended { code, env })
}

/// `s^t`, not evaluated yet.
pub(super) fn suspend_append(store: &mut Interner, s: Value, t: Value) -> Value {
    if matches!(store.data(s), Data::From(_)) {
        return s;
    }
    let (code, env) = (APPEND, [s, t].into());
    store.intern(Data::Suspended { code, env })
}
