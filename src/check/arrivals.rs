//! In which order the states of a round are met: state by state of the frontier, whichever thread expanded it and when,
//! and step by step.

use std::sync::atomic::{AtomicU32, Ordering};

use super::chunk::{Batch, BatchEntry, Chunk};
use super::sleep::Movers;
use super::store::{NO_STATE, StoredId};

/// Successors that come one after the other in that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'c> {
    chunk: &'c Chunk,
    /// Which of those of the chunk they are, in the order in which it has them.
    from: u32,
    to: u32,
    /// How many come before them in the round.
    first: usize,
}

/// Successors that belong to one shard, in that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShardStretch<'c> {
    pub(super) entries: &'c [BatchEntry],
    /// The bytes of the first begin there.
    pub(super) begin: usize,
    pub(super) bytes: &'c [u8],
    /// What has to be added to when an entry comes in its chunk for when it comes in the round.
    pub(super) ahead: u32,
}

/// All successors of a round. Those of states that needed the evaluator are in the last chunk, but come where these
/// states stand in the frontier.
pub(super) fn stretches<'c>(chunks: &[&'c Chunk]) -> Vec<Stretch<'c>> {
    let mut all: Vec<Stretch<'c>> = Vec::new();
    let mut add = |chunk: &'c Chunk, from: u32, to: u32| {
        let first = all.last().map_or(0, Stretch::end);
        if from < to {
            all.push(Stretch {
                chunk,
                from,
                to,
                first,
            });
        }
    };
    let Some((late, others)) = chunks.split_last() else {
        return all;
    };
    let mut ends = late.ends.iter();
    let mut late_from = 0;
    for chunk in others {
        let mut from = 0;
        for missed in &chunk.missed {
            add(chunk, from, missed.arrived);
            from = missed.arrived;
            if let Some(end) = ends.next() {
                add(late, late_from, *end);
                late_from = *end;
            }
        }
        add(chunk, from, chunk.arrived);
    }
    debug_assert_eq!(late_from, late.arrived);
    all
}

impl<'c> Stretch<'c> {
    /// How many come in the round until the last of them.
    pub(super) fn end(&self) -> usize {
        self.first + (self.to - self.from) as usize
    }

    /// What sleeps in the one that comes so late in the round.
    pub(super) fn sleep(&self, at: usize) -> &'c [Movers] {
        self.chunk.sleep.get(self.from as usize + at - self.first)
    }

    /// Those that belong to a shard.
    #[inline]
    pub(super) fn of_shard(&self, shard: usize) -> ShardStretch<'c> {
        let Batch { bytes, entries } = &self.chunk.batches[shard];
        let place = |arrival: u32| {
            if arrival == 0 || arrival == self.chunk.arrived {
                return if arrival == 0 { 0 } else { entries.len() };
            }
            entries.partition_point(|entry| entry.arrival < arrival)
        };
        let (from, to) = (place(self.from), place(self.to));
        let before = from.checked_sub(1).map(|last| &entries[last]);
        ShardStretch {
            entries: &entries[from..to],
            begin: before.map_or(0, |entry| entry.end as usize),
            bytes,
            // Less than nothing, modulo 2^32, if it comes earlier than in its chunk.
            ahead: (self.first as u32).wrapping_sub(self.from),
        }
    }
}

/// Which successors of a round are new, by when they come.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    ids: Vec<AtomicU32>,
}

impl Arrivals {
    /// Makes room for so many, of which none is new.
    pub(super) fn clear(&mut self, count: usize) {
        self.ids.clear();
        self.ids.resize_with(count, || AtomicU32::new(NO_STATE.0));
    }

    /// Takes note of a new one.
    #[inline]
    pub(super) fn note(&self, at: u32, id: StoredId) {
        // Each place is written once, and read when all threads are done.
        self.ids[at as usize].store(id.0, Ordering::Relaxed);
    }

    /// The new ones, with when they come.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, StoredId)> {
        let ids = self.ids.iter();
        let ids = ids.map(|id| StoredId(id.load(Ordering::Relaxed)));
        ids.enumerate().filter(|(_, id)| *id != NO_STATE)
    }
}
