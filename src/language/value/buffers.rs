//! Buffers: the items of long sequences, which views share (see [`super::views`]).

use std::collections::VecDeque;

use super::Value;
use super::flags::ValueFlags;
use crate::source::hash::Map;

/// Items that views share. Positions stay the same when items are added at either end.
#[derive(Clone, Debug)]
struct Buffer {
    items: VecDeque<Value>,
    /// The position of the first item.
    start: i64,
    /// Of all items together.
    flags: ValueFlags,
}

impl Buffer {
    fn end(&self) -> i64 {
        self.start + self.items.len() as i64
    }

    fn get(&self, position: i64) -> Option<Value> {
        let index = usize::try_from(position - self.start).ok()?;
        self.items.get(index).copied()
    }
}

/// A range of a buffer: what a view is.
#[derive(Clone, Copy)]
pub(super) struct BufferRange {
    pub(super) buffer: u32,
    /// The position of the first item.
    pub(super) start: i64,
    /// The position behind the last.
    pub(super) end: i64,
}

/// All buffers. Items are added to them, and never change.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    buffers: Vec<Buffer>,
    /// The buffers of sequences that are no views themselves.
    of: Map<Value, u32>,
    /// Values that have views, and the same values without.
    without_views: Map<Value, Value>,
    /// The number of items in all buffers.
    items: usize,
}

impl Buffers {
    /// The flags of all items of a buffer.
    pub(super) fn flags(&self, buffer: u32) -> ValueFlags {
        let buffer = self.buffers.get(buffer as usize);
        buffer.map_or_else(ValueFlags::default, |b| b.flags)
    }

    /// Bytes taken by the items.
    pub(super) fn bytes(&self) -> usize {
        self.items * size_of::<Value>()
    }

    /// The item at a position of a range.
    pub(super) fn item(&self, range: BufferRange, position: i64) -> Option<Value> {
        // The buffer may go on behind the range with items of others: its end is checked, not that
        // of the buffer.
        let buffer = self.buffers.get(range.buffer as usize)?;
        (position < range.end).then(|| buffer.get(position))?
    }

    /// The items of a range.
    pub(super) fn items(&self, range: BufferRange) -> Vec<Value> {
        let Some(buffer) = self.buffers.get(range.buffer as usize) else {
            return Vec::new();
        };
        let at = |position: i64| {
            let index = usize::try_from(position - buffer.start).unwrap_or(0);
            index.min(buffer.items.len())
        };
        let (start, end) = (at(range.start), at(range.end));
        buffer.items.range(start..end.max(start)).copied().collect()
    }

    /// The buffer of a sequence that is no view, if it has one.
    pub(super) fn of(&self, sequence: Value) -> Option<u32> {
        self.of.get(&sequence).copied()
    }

    /// The same value without views, if it was made already.
    pub(super) fn without_views(&self, v: Value) -> Option<Value> {
        self.without_views.get(&v).copied()
    }

    /// Remembers what a value is without views.
    pub(super) fn keep_without_views(&mut self, v: Value, plain: Value) {
        self.without_views.insert(v, plain);
    }

    /// A buffer for a sequence that is no view; `flags` are those of the items together.
    pub(super) fn make(&mut self, sequence: Value, items: Vec<Value>, flags: ValueFlags) -> u32 {
        let buffer = self.buffers.len() as u32;
        self.items += items.len();
        self.buffers.push(Buffer {
            items: items.into(),
            start: 0,
            flags,
        });
        self.of.insert(sequence, buffer);
        #[cfg(debug_assertions)]
        self.assert_consistent(buffer);
        buffer
    }

    /// Puts an item at a position in a buffer or next to it. Whether the item stands there then: a
    /// place that has another item keeps it.
    pub(super) fn put(
        &mut self,
        buffer: u32,
        position: i64,
        item: Value,
        flags: ValueFlags,
    ) -> bool {
        let Some(found) = self.buffers.get_mut(buffer as usize) else {
            return false;
        };
        if position >= found.start && position < found.end() {
            // The same item there is as good as a new one: the same construction made twice is
            // shared.
            return found.get(position) == Some(item);
        }
        if position < found.start {
            debug_assert_eq!(position + 1, found.start, "a buffer has no gaps");
            found.items.push_front(item);
            found.start = position;
        } else {
            debug_assert_eq!(position, found.end(), "a buffer has no gaps");
            found.items.push_back(item);
        }
        // For views that are interned from now on. Those that exist keep the flags that they were
        // interned with, which cover their items.
        found.flags = found.flags.or(flags);
        self.items += 1;
        #[cfg(debug_assertions)]
        self.assert_consistent(buffer);
        true
    }

    /// Checks that a buffer still has its original items, from position 0 on, and is counted.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, buffer: u32) {
        let found = self.buffers.get(buffer as usize);
        assert!(found.is_some_and(|b| b.start <= 0 && b.end() >= 0));
        assert!(found.is_some_and(|b| b.items.len() <= self.items));
    }
}
