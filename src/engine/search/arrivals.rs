//! Order in which the successors of a round arrive: by the frontier state that they come from, whichever thread
//! expanded it and when, and by step.

use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::chunk::{Batch, BatchEntry, Chunk, ROUND};
use super::store::{NO_STATE, StoredId};
use crate::reductions::sleep::Movers;

/// Successors that are consecutive in that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'c> {
    chunk: &'c Chunk,
    /// Whether that is the last chunk of the round, of states that needed the evaluator.
    is_late: bool,
    /// Their range in the order of the chunk.
    from: u32,
    to: u32,
    /// The number of successors of the round before them.
    first: usize,
}

/// Successors in one shard that are consecutive in that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShardStretch<'c> {
    pub(super) entries: &'c [BatchEntry],
    /// The offset of the first in the bytes.
    pub(super) begin: usize,
    pub(super) bytes: &'c [u8],
    /// The difference between arrival numbers in the round and in the chunk.
    pub(super) ahead: u32,
}

/// About one for each chunk of a round; more where states needed the evaluator.
pub(super) type ShardStretches<'c> = SmallVec<[ShardStretch<'c>; ROUND]>;

/// All successors of a round. Those of states that needed the evaluator are in the last chunk, but ordered by the
/// position of these states in the frontier.
pub(super) fn stretches<'c>(chunks: &[&'c Chunk]) -> Vec<Stretch<'c>> {
    let mut all: Vec<Stretch<'c>> = Vec::new();
    let Some((late, others)) = chunks.split_last() else {
        return all;
    };
    let mut add = |chunk: &'c Chunk, from: u32, to: u32| {
        let first = all.last().map_or(0, Stretch::end);
        if from < to {
            all.push(Stretch {
                chunk,
                is_late: std::ptr::eq(chunk, *late),
                from,
                to,
                first,
            });
        }
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
    /// The number of successors of the round up to the last of them.
    pub(super) fn end(&self) -> usize {
        self.first + (self.to - self.from) as usize
    }

    /// The sleep set of the `n`th of them.
    #[inline]
    pub(super) fn sleep(&self, n: usize) -> &'c [Movers] {
        self.chunk.sleep.get(self.from as usize + n)
    }

    /// The part in one shard.
    pub(super) fn of_shard(&self, shard: usize) -> ShardStretch<'c> {
        let entries = &self.chunk.batches[shard].entries;
        let place = |arrival: u32| entries.partition_point(|entry| entry.arrival < arrival);
        self.part(shard, place(self.from), place(self.to))
    }

    /// The part between two entries of the batch.
    #[inline]
    fn part(&self, shard: usize, from: usize, to: usize) -> ShardStretch<'c> {
        let Batch { bytes, entries } = &self.chunk.batches[shard];
        let before = from.checked_sub(1).map(|last| &entries[last]);
        ShardStretch {
            entries: &entries[from..to],
            begin: before.map_or(0, |entry| entry.end as usize),
            bytes,
            // Modulo 2^32, so that it may be negative.
            ahead: (self.first as u32).wrapping_sub(self.from),
        }
    }
}

/// The successors of a round in one shard, without empty stretches; as [`Stretch::of_shard`], for many.
pub(super) fn in_shard<'c>(stretches: &[Stretch<'c>], shard: usize) -> ShardStretches<'c> {
    let mut all = ShardStretches::new();
    // The numbers of entries before, in the present chunk and in the last one.
    let (mut own, mut late) = (0, 0);
    for stretch in stretches {
        let entries = &stretch.chunk.batches[shard].entries;
        let known = match (stretch.is_late, stretch.from) {
            (true, _) => &mut late,
            (false, 0) => {
                own = 0;
                &mut own
            }
            (false, _) => &mut own,
        };
        let from = *known;
        let is_own = |entry: &&BatchEntry| entry.arrival < stretch.to;
        let to = match stretch.to == stretch.chunk.arrived {
            true => entries.len(),
            // States that need the evaluator may be many, so most stretches are short.
            false => from + entries[from..].iter().take_while(is_own).count(),
        };
        *known = to;
        if from == to {
            continue;
        }
        all.push(stretch.part(shard, from, to));
    }
    all
}

/// The new successors of a round, by arrival number.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    ids: Vec<AtomicU32>,
}

impl Arrivals {
    /// Clears it, for `count` successors.
    pub(super) fn clear(&mut self, count: usize) {
        self.ids.clear();
        self.ids.resize_with(count, || AtomicU32::new(NO_STATE.0));
    }

    /// Records a new successor.
    #[inline]
    pub(super) fn note(&self, at: u32, id: StoredId) {
        // Each entry is written once, and read after all threads are joined.
        self.ids[at as usize].store(id.0, Ordering::Relaxed);
    }

    /// All new successors, with their arrival numbers.
    pub(super) fn all_new(&self) -> impl Iterator<Item = (usize, StoredId)> {
        let ids = self.ids.iter();
        let ids = ids.map(|id| StoredId(id.load(Ordering::Relaxed)));
        ids.enumerate().filter(|(_, id)| *id != NO_STATE)
    }

    /// The new successors of a stretch, with their positions in it.
    pub(super) fn new_of(&self, stretch: &Stretch<'_>) -> impl Iterator<Item = (usize, StoredId)> {
        let ids = self.ids[stretch.first..stretch.end()].iter();
        let ids = ids.map(|id| StoredId(id.load(Ordering::Relaxed)));
        ids.enumerate().filter(|(_, id)| *id != NO_STATE)
    }
}
