//! In which order the states of a round are met: state by state of the frontier, whichever thread expanded it and when,
//! and step by step.

use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::chunk::{Batch, BatchEntry, Chunk, ROUND};
use super::store::{NO_STATE, StoredId};
use crate::reductions::sleep::Movers;

/// Successors that come one after the other in that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'c> {
    chunk: &'c Chunk,
    /// Whether that is the last one.
    is_late: bool,
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

/// As many as a round has chunks; more where states needed the evaluator.
pub(super) type ShardStretches<'c> = SmallVec<[ShardStretch<'c>; ROUND]>;

/// All successors of a round. Those of states that needed the evaluator are in the last chunk, but come where these
/// states stand in the frontier.
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
    /// How many come in the round until the last of them.
    pub(super) fn end(&self) -> usize {
        self.first + (self.to - self.from) as usize
    }

    /// What sleeps in the one that comes so late among them.
    #[inline]
    pub(super) fn sleep(&self, n: usize) -> &'c [Movers] {
        self.chunk.sleep.get(self.from as usize + n)
    }

    /// Those that belong to a shard.
    pub(super) fn of_shard(&self, shard: usize) -> ShardStretch<'c> {
        let entries = &self.chunk.batches[shard].entries;
        let place = |arrival: u32| entries.partition_point(|entry| entry.arrival < arrival);
        self.part(shard, (place(self.from), place(self.to)))
    }

    /// Some of those of its chunk.
    #[inline]
    fn part(&self, shard: usize, (from, to): (usize, usize)) -> ShardStretch<'c> {
        let Batch { bytes, entries } = &self.chunk.batches[shard];
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

/// The successors of a round that belong to a shard, without stretches that have none: as [`Stretch::of_shard`], for many.
pub(super) fn in_shard<'c>(stretches: &[Stretch<'c>], shard: usize) -> ShardStretches<'c> {
    let mut all = ShardStretches::new();
    // How many of the present chunk came before, and of the last one.
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
            // States that need the evaluator may be many, so most are short.
            false => from + entries[from..].iter().take_while(is_own).count(),
        };
        *known = to;
        if from == to {
            continue;
        }
        all.push(stretch.part(shard, (from, to)));
    }
    all
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

    /// The new ones of a stretch, with how late they come in it.
    pub(super) fn new_of(&self, stretch: &Stretch<'_>) -> impl Iterator<Item = (usize, StoredId)> {
        let ids = self.ids[stretch.first..stretch.end()].iter();
        let ids = ids.map(|id| StoredId(id.load(Ordering::Relaxed)));
        ids.enumerate().filter(|(_, id)| *id != NO_STATE)
    }
}
