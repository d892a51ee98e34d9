//! Long sequences that are walked or built item by item.
//!
//! A handle denotes a whole sequence, so a traversal by `tail` would store every suffix. Instead, a part of a long
//! sequence is a *view*: a range of a buffer (see `buffers`) that other views share. Items may be added at both ends
//! of a buffer, but never change, so a walk and a construction take a constant number of steps for each item.
//!
//! Two views may be equal and have different handles. So a view is like a value that is not evaluated yet
//! ([`super::ValueFlags::is_partial`]): views are removed from values that become part of a state, a set or an
//! event, or are compared by handle ([`without_views`]).

use super::buffers::BufferRange;
use super::interner::Interner;
use super::parts::map_children;
use super::{Data, Value};
use crate::source::stack::deep;

/// Sequences of at most so many items are never views.
// Copying so few is cheaper than a buffer, and a short sequence keeps the one handle that makes
// equality quick.
const SHORT: usize = 32;

impl Interner {
    /// The number of items of a sequence all of which are known (but perhaps not evaluated).
    #[must_use]
    pub fn known_length(&self, v: Value) -> Option<usize> {
        match self.data(v) {
            Data::Seq(items) => Some(items.len()),
            Data::View { start, end, .. } => usize::try_from(end - start).ok(),
            _ => None,
        }
    }

    /// An item of a sequence all of which are known.
    #[must_use]
    pub fn known_item(&self, v: Value, i: usize) -> Option<Value> {
        match *self.data(v) {
            Data::Seq(ref items) => items.get(i).copied(),
            Data::View { buffer, start, end } => {
                let range = BufferRange { buffer, start, end };
                self.buffers.item(range, start + i as i64)
            }
            _ => None,
        }
    }

    /// Some items of a sequence all of which are known.
    #[must_use]
    pub fn known_items(&self, v: Value, from: usize, to: usize) -> Vec<Value> {
        match *self.data(v) {
            Data::Seq(ref items) => items.get(from..to).unwrap_or(&[]).to_vec(),
            Data::View { buffer, start, .. } => {
                let (start, end) = (start + from as i64, start + to as i64);
                self.buffers.items(BufferRange { buffer, start, end })
            }
            _ => Vec::new(),
        }
    }
}

/// All items of a sequence all of which are known.
pub(super) fn listed_items(values: &Interner, data: &Data) -> Option<Vec<Value>> {
    match *data {
        Data::Seq(ref items) => Some(items.to_vec()),
        Data::View { buffer, start, end } => {
            let range = BufferRange { buffer, start, end };
            Some(values.buffers.items(range))
        }
        _ => None,
    }
}

/// The items from one to another of a sequence all of which are known, as a sequence.
pub fn slice(values: &mut Interner, v: Value, from: usize, to: usize) -> Value {
    let length = values.known_length(v).unwrap_or(0);
    // Also for short sequences: the whole keeps its handle.
    if from == 0 && to == length {
        return v;
    }
    if to.saturating_sub(from) <= SHORT {
        let items = values.known_items(v, from, to);
        return values.seq(items);
    }
    // No item is copied, unless this is the first part ever taken of a sequence that is no view.
    let whole = range(values, v);
    let (start, end) = (whole.start + from as i64, whole.start + to as i64);
    view(
        values,
        BufferRange {
            start,
            end,
            ..whole
        },
    )
}

/// One sequence after another, all items of both being known.
pub fn joined(values: &mut Interner, a: Value, b: Value) -> Value {
    let lengths = (values.known_length(a), values.known_length(b));
    let (Some(m), Some(n)) = lengths else {
        return a;
    };
    if m == 0 {
        return b;
    }
    if n == 0 {
        return a;
    }
    let range = if m + n <= SHORT {
        None
    } else if m <= n {
        // The shorter one goes into the buffer of the longer: a loop that adds one item at a time
        // takes constant time for each.
        let items = values.known_items(a, 0, m);
        before(values, &items, b)
    } else {
        let items = values.known_items(b, 0, n);
        after(values, a, &items)
    };
    match range {
        Some(range) => view(values, range),
        None => {
            let mut all = values.known_items(a, 0, m);
            all.extend(values.known_items(b, 0, n));
            values.seq(all)
        }
    }
}

/// Puts items before a view: into its buffer if it has room there, or the same items already.
fn before(values: &mut Interner, items: &[Value], v: Value) -> Option<BufferRange> {
    let mut range = range(values, v);
    // From the view outwards. Places inside the buffer come before free ones, so a clash shows before
    // anything is added: others keep what they have put there, and the caller copies into a new
    // sequence.
    for item in items.iter().rev() {
        range.start -= 1;
        let flags = values.flags(*item);
        let buffers = &mut values.buffers;
        if !buffers.put(range.buffer, range.start, *item, flags) {
            return None;
        }
    }
    Some(range)
}

/// Puts items behind a view, in the same way.
fn after(values: &mut Interner, v: Value, items: &[Value]) -> Option<BufferRange> {
    let mut range = range(values, v);
    for item in items {
        let flags = values.flags(*item);
        let buffers = &mut values.buffers;
        if !buffers.put(range.buffer, range.end, *item, flags) {
            return None;
        }
        range.end += 1;
    }
    Some(range)
}

/// The buffer range of a sequence.
fn range(values: &mut Interner, v: Value) -> BufferRange {
    if let Data::View { buffer, start, end } = *values.data(v) {
        return BufferRange { buffer, start, end };
    }
    let length = values.known_length(v).unwrap_or(0);
    // One buffer for a sequence, however often it is taken apart.
    let buffer = match values.buffers.of(v) {
        Some(buffer) => buffer,
        None => {
            let (items, flags) = (values.known_items(v, 0, length), values.flags(v));
            values.buffers.make(v, items, flags)
        }
    };
    let (start, end) = (0, length as i64);
    BufferRange { buffer, start, end }
}

fn view(values: &mut Interner, BufferRange { buffer, start, end }: BufferRange) -> Value {
    values.intern(Data::View { buffer, start, end })
}

/// The same value without views: its handle is that of all equal values if it is plain.
pub fn without_views(values: &mut Interner, v: Value) -> Value {
    if !values.flags(v).has_view() {
        return v;
    }
    // This never gets stale: the items of a view do not change once they are there.
    if let Some(known) = values.buffers.without_views(v) {
        return known;
    }
    let data = match values.data(v) {
        Data::View { .. } => {
            let length = values.known_length(v).unwrap_or(0);
            Data::Seq(values.known_items(v, 0, length).into())
        }
        data => data.clone(),
    };
    // The items of the sequence may contain views in turn. Sets and maps need no new order, because
    // the order counts a view as its sequence.
    let data = deep(|| map_children(&data, &mut |child| without_views(values, child)));
    let plain = values.intern(data);
    values.buffers.keep_without_views(v, plain);
    plain
}
