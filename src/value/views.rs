//! Long sequences that are walked or built item by item.
//!
//! A handle stands for a whole sequence, so a walk by `tail` would store every suffix. Instead, a part
//! of a long sequence is a *view*: a range of a buffer that other views share. Items may be added at
//! both ends of a buffer, but never change, so a walk and a construction take a constant number of
//! steps for each item.
//!
//! Two views may be equal and have different handles. So a view is like a value that is not evaluated
//! yet ([`Store::is_partial`]): whatever becomes part of a state, a set or an event, and what is
//! compared by handle, is without views ([`Store::without_views`]).

use std::collections::VecDeque;

use super::atoms::map_children;
use super::{Data, Store, Value};
use crate::source::hash::Map;
use crate::source::stack::deep;

/// Sequences of at most so many items are never views.
// Copying so few is cheaper than a buffer, and a short sequence keeps the one handle that makes
// equality quick.
const SHORT: usize = 32;

/// Items that views share. Positions stay the same when items are added at either end.
#[derive(Debug)]
struct Buffer {
    items: VecDeque<Value>,
    /// The position of the first item.
    start: i64,
    /// Of all items together.
    flags: u8,
}

impl Buffer {
    fn end(&self) -> i64 {
        self.start + self.items.len() as i64
    }

    fn get(&self, position: i64) -> Option<Value> {
        let index = usize::try_from(position - self.start).ok()?;
        self.items.get(index).copied()
    }

    fn range(&self, from: i64, to: i64) -> impl Iterator<Item = Value> {
        let at = |position: i64| {
            let index = usize::try_from(position - self.start).unwrap_or(0);
            index.min(self.items.len())
        };
        self.items.range(at(from)..at(to).max(at(from))).copied()
    }
}

/// The buffers of a store.
#[derive(Debug, Default)]
pub(super) struct Views {
    buffers: Vec<Buffer>,
    /// The buffers of sequences that are no views themselves.
    of: Map<Value, u32>,
    /// What has views, without.
    without: Map<Value, Value>,
}

impl Views {
    /// The flags of all items of a buffer.
    pub(super) fn flags(&self, buffer: u32) -> u8 {
        self.buffers.get(buffer as usize).map_or(0, |b| b.flags)
    }
}

/// A range of a buffer.
#[derive(Clone, Copy)]
struct Range {
    buffer: u32,
    start: i64,
    end: i64,
}

impl Store {
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
        match self.data(v) {
            Data::Seq(items) => items.get(i).copied(),
            Data::View { buffer, start, end } => {
                // The buffer may go on behind the view with items of others: its end is checked,
                // not that of the buffer.
                let position = start + i as i64;
                let buffer = self.views.buffers.get(*buffer as usize)?;
                (position < *end).then(|| buffer.get(position))?
            }
            _ => None,
        }
    }

    /// Some items of a sequence all of which are known.
    #[must_use]
    pub fn known_items(&self, v: Value, from: usize, to: usize) -> Vec<Value> {
        match self.data(v) {
            Data::Seq(items) => items.get(from..to).unwrap_or(&[]).to_vec(),
            Data::View { buffer, start, .. } => {
                let (from, to) = (start + from as i64, start + to as i64);
                let buffer = self.views.buffers.get(*buffer as usize);
                buffer.map_or_else(Vec::new, |b| b.range(from, to).collect())
            }
            _ => Vec::new(),
        }
    }

    /// All items of a sequence all of which are known.
    pub(super) fn listed_items(&self, data: &Data) -> Option<Vec<Value>> {
        match data {
            Data::Seq(items) => Some(items.to_vec()),
            Data::View { buffer, start, end } => {
                let buffer = self.views.buffers.get(*buffer as usize)?;
                Some(buffer.range(*start, *end).collect())
            }
            _ => None,
        }
    }

    /// The items from one to another of a sequence all of which are known, as a sequence.
    pub fn slice(&mut self, v: Value, from: usize, to: usize) -> Value {
        let length = self.known_length(v).unwrap_or(0);
        // Also for short sequences: the whole keeps its handle.
        if from == 0 && to == length {
            return v;
        }
        if to.saturating_sub(from) <= SHORT {
            let items = self.known_items(v, from, to);
            return self.seq(items);
        }
        // No item is copied, unless this is the first part ever taken of a sequence that is no
        // view.
        let whole = self.range(v);
        let (start, end) = (whole.start + from as i64, whole.start + to as i64);
        self.view(Range {
            start,
            end,
            ..whole
        })
    }

    /// One sequence after another, all items of both being known.
    pub fn joined(&mut self, a: Value, b: Value) -> Value {
        let lengths = (self.known_length(a), self.known_length(b));
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
            // The shorter one goes into the buffer of the longer: a loop that adds one item at a
            // time takes constant time for each.
            let items = self.known_items(a, 0, m);
            self.before(&items, b)
        } else {
            let items = self.known_items(b, 0, n);
            self.after(a, &items)
        };
        match range {
            Some(range) => self.view(range),
            None => {
                let mut all = self.known_items(a, 0, m);
                all.extend(self.known_items(b, 0, n));
                self.seq(all)
            }
        }
    }

    /// Puts items before a view: into its buffer if it has room there, or the same items already.
    fn before(&mut self, items: &[Value], v: Value) -> Option<Range> {
        let range = self.range(v);
        let mut start = range.start;
        for item in items.iter().rev() {
            // From the view outwards. Places inside the buffer come before free ones, so a clash
            // shows before anything is added.
            start -= 1;
            let buffer = self.views.buffers.get_mut(range.buffer as usize)?;
            if start < buffer.start {
                buffer.items.push_front(*item);
                buffer.start = start;
                self.added(range.buffer, *item);
            } else if buffer.get(start) != Some(*item) {
                // Somebody else has put other items there before. They stay, and the caller copies
                // into a new sequence. The same item there is as good as a new one: the same
                // construction made twice is shared.
                return None;
            }
        }
        Some(Range { start, ..range })
    }

    /// Puts items behind a view, in the same way.
    fn after(&mut self, v: Value, items: &[Value]) -> Option<Range> {
        let range = self.range(v);
        let mut end = range.end;
        for item in items {
            let buffer = self.views.buffers.get_mut(range.buffer as usize)?;
            if end >= buffer.end() {
                buffer.items.push_back(*item);
                self.added(range.buffer, *item);
            } else if buffer.get(end) != Some(*item) {
                return None;
            }
            end += 1;
        }
        Some(Range { end, ..range })
    }

    fn added(&mut self, buffer: u32, item: Value) {
        let flags = self.flags_at(item);
        if let Some(buffer) = self.views.buffers.get_mut(buffer as usize) {
            // For views that are interned from now on. Those that exist keep the flags that they
            // were interned with, which cover their items.
            buffer.flags |= flags;
        }
        self.count_bytes(size_of::<Value>());
    }

    /// Where the items of a sequence are.
    fn range(&mut self, v: Value) -> Range {
        if let Data::View { buffer, start, end } = *self.data(v) {
            return Range { buffer, start, end };
        }
        let length = self.known_length(v).unwrap_or(0);
        // One buffer for a sequence, however often it is taken apart.
        let buffer = match self.views.of.get(&v) {
            Some(buffer) => *buffer,
            None => {
                let items = self.known_items(v, 0, length);
                self.count_bytes(length * size_of::<Value>());
                let buffer = self.views.buffers.len() as u32;
                self.views.buffers.push(Buffer {
                    items: items.into(),
                    start: 0,
                    flags: self.flags_at(v),
                });
                self.views.of.insert(v, buffer);
                buffer
            }
        };
        let (start, end) = (0, length as i64);
        Range { buffer, start, end }
    }

    fn view(&mut self, Range { buffer, start, end }: Range) -> Value {
        self.intern(Data::View { buffer, start, end })
    }

    /// The same value without views: its handle is that of all equal values if it is plain.
    pub fn without_views(&mut self, v: Value) -> Value {
        if !self.has_view(v) {
            return v;
        }
        // This never gets stale: the items of a view do not change once they are there.
        if let Some(known) = self.views.without.get(&v) {
            return *known;
        }
        let data = match self.data(v) {
            Data::View { .. } => {
                let length = self.known_length(v).unwrap_or(0);
                Data::Seq(self.known_items(v, 0, length).into())
            }
            data => data.clone(),
        };
        // The items of the sequence may contain views in turn. Sets and maps need no new order,
        // because the order counts a view as its sequence.
        let data = deep(|| map_children(&data, &mut |child| self.without_views(child)));
        let plain = self.intern(data);
        self.views.without.insert(v, plain);
        plain
    }
}
