//! What one round of a search holds besides the store: chunks of the frontier with their successors,
//! sorted by shard, and what ends the search within a round.

use std::time::{Duration, Instant};

use super::figures::StepCounts;
use super::product::Violation;
use super::store::{SHARDS, StoredId};
use crate::reductions::sleep::SleepSets;
use crate::source::{Cancel, Limits, Stop};

/// States of one chunk, the unit of work of a thread, where there are many threads.
const CHUNK: usize = 512;
/// Chunks of one round, at most.
// A round bounds what waits in memory: its successors are all held, also those that are stored
// already, until the round ends. With four times as many they leave the cache before they are stored, so that
// an unreduced search takes a tenth longer; but the fewer there are, the oftener threads wait for each other.
pub(super) const ROUND: usize = 32;
/// States of one round.
pub(super) const ROUND_STATES: usize = CHUNK * ROUND;

/// States of one chunk. Large chunks are fewer to put together, and one thread waits for nobody who has the last of them.
/// What is found, and in which order, does not depend on their size.
pub(super) fn chunk_states(threads: usize) -> usize {
    match threads {
        ..=1 => 8 * CHUNK,
        2 => 2 * CHUNK,
        _ => CHUNK,
    }
}

/// Successors of one chunk that belong to one shard.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<BatchEntry>,
}

/// One of the successors.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchEntry {
    /// Its end in the bytes of the batch.
    pub(super) end: u32,
    pub(super) parent: StoredId,
    pub(super) hash: u64,
    /// How many successors its chunk had before.
    pub(super) arrival: u32,
}

impl Default for Batch {
    /// With room for about as many as a chunk has for each shard: small searches would spend as much on growing these as on
    /// what they are for.
    fn default() -> Self {
        Self {
            bytes: Vec::with_capacity(1024),
            entries: Vec::with_capacity(32),
        }
    }
}

impl Batch {
    /// Adds a state that is all of its key.
    pub(super) fn push(&mut self, key: &[u8], hash: u64, parent: StoredId) {
        self.bytes.extend_from_slice(key);
        self.entries.push(BatchEntry {
            end: self.bytes.len() as u32,
            parent,
            hash,
            arrival: 0,
        });
    }
}

/// A state that needs the evaluator.
#[derive(Clone, Copy, Debug)]
pub(super) struct MissedState {
    /// Its position in the frontier.
    pub(super) at: usize,
    /// How many successors its chunk had before.
    pub(super) arrived: u32,
}

/// What one chunk came to.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) batches: Vec<Batch>,
    /// Of all states that it expanded.
    pub(super) steps: StepCounts,
    /// Positions in the frontier of states that violate what is demanded, which, and how.
    pub(super) violations: Vec<(usize, StoredId, Violation)>,
    /// States that need the evaluator.
    pub(super) missed: Vec<MissedState>,
    /// Bytes of the batches, and how many there were when the limits were last looked at.
    pub(super) waiting: usize,
    pub(super) looked: usize,
    /// Why it was given up.
    pub(super) stop: Option<Stop>,
    /// How many successors there are, and how many there were before the state that is being expanded.
    pub(super) arrived: u32,
    pub(super) arrived_before: u32,
    /// What sleeps in each of them, in this order, if steps sleep.
    pub(super) sleep: SleepSets,
    /// Of the states that needed the evaluator: how many successors there are after each.
    pub(super) ends: Vec<u32>,
}

/// Transitions of one state between two looks at the limits: some representatives take long.
pub(super) const PATIENCE: u32 = 1 << 7;
/// Bytes that a chunk takes on between two looks at the limits.
pub(super) const BITE: usize = 1 << 18;

/// What ends a search in the middle of a round.
pub(super) struct RoundLimits<'a> {
    pub(super) limits: &'a Limits,
    pub(super) cancel: &'a Cancel,
    /// Bytes of the store.
    pub(super) held: usize,
}

impl RoundLimits<'_> {
    /// Whether a chunk has to be given up; it then knows why.
    pub(super) fn gives_up(&self, chunk: &mut Chunk) -> bool {
        let held = self.held.saturating_add(chunk.waiting);
        // Ends of entries have 32 bits: half of that leaves room for what comes until the next
        // look.
        let half = u32::MAX as usize / 2;
        let is_full = |batch: &Batch| batch.bytes.len() >= half;
        chunk.stop = if chunk.waiting >= half && chunk.batches.iter().any(is_full) {
            Some(Stop::Memory)
        } else {
            self.limits.reached(self.cancel, held)
        };
        chunk.stop.is_some()
    }
}

/// When a thread looks at the limits. It does one thing after the other, expands states, say. A look costs a good part of
/// what a state with few steps takes, so where they are quick, more of them are done between two looks.
pub(super) struct Pace {
    /// How many things are done until the next look, and how many were to be done since the last one.
    left: u32,
    stride: u32,
    /// When that was.
    looked: Instant,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            left: 1,
            stride: Self::LEAST,
            looked: Instant::now(),
        }
    }
}

impl Pace {
    const LEAST: u32 = 8;
    const MOST: u32 = 64;
    /// If the things between two looks took less than the first, there are twice as many before the next one; if they
    /// took longer than the second, as few as at the beginning.
    const QUICK: Duration = Duration::from_micros(40);
    const SLOW: Duration = Duration::from_millis(1);

    /// Whether to look before the next thing is done: the first time for certain.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.go_on()
    }

    #[cold]
    fn go_on(&mut self) -> bool {
        let now = Instant::now();
        let took = now - std::mem::replace(&mut self.looked, now);
        if took < Self::QUICK {
            self.stride = Self::MOST.min(2 * self.stride);
        } else if took > Self::SLOW {
            self.stride = Self::LEAST;
        }
        self.left = self.stride;
        true
    }

    /// Has it look before the next thing as well: a limit that was reached ends that one, too.
    pub(super) fn look_next(&mut self) {
        self.left = 1;
    }
}

impl Chunk {
    pub(super) fn clear(&mut self) {
        // Makes the batches the first time. Later they are emptied and keep their memory: the next
        // round takes about as much.
        self.batches.resize_with(SHARDS, Batch::default);
        for batch in &mut self.batches {
            batch.bytes.clear();
            batch.entries.clear();
        }
        self.steps = StepCounts::default();
        self.violations.clear();
        self.missed.clear();
        (self.waiting, self.looked) = (0, 0);
        self.stop = None;
        (self.arrived, self.arrived_before) = (0, 0);
        self.sleep.truncate(0);
        self.ends.clear();
    }

    pub(super) fn roll_back(&mut self, parent: StoredId) {
        for batch in &mut self.batches {
            let (entries, bytes) = (batch.entries.len(), batch.bytes.len());
            // States are expanded one after the other, so all that came of this one is at the end.
            while batch.entries.last().is_some_and(|e| e.parent == parent) {
                batch.entries.pop();
            }
            let end = batch.entries.last().map_or(0, |e| e.end as usize);
            batch.bytes.truncate(end);
            let gone = (entries - batch.entries.len()) * ENTRY + (bytes - end);
            self.waiting = self.waiting.saturating_sub(gone);
        }
        self.arrived = self.arrived_before;
        self.sleep.truncate(self.arrived as usize);
        // Else `waiting - looked` would underflow when the next successor comes.
        self.looked = self.looked.min(self.waiting);
    }
}

/// Bytes of a successor besides its state.
pub(super) const ENTRY: usize = size_of::<BatchEntry>();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_looked_at_first_and_then_before_long() {
        let mut pace = Pace::default();
        assert!(pace.is_due(), "the first time");
        for _ in 0..20 {
            let until = (1..=Pace::MOST).find(|_| pace.is_due());
            assert!(until.is_some_and(|n| n >= Pace::LEAST), "{until:?}");
        }
        pace.look_next();
        assert!(pace.is_due(), "once a limit was reached");
        // Slow things are looked at as often as at the beginning, however quick they were before.
        std::thread::sleep(2 * Pace::SLOW);
        while !pace.is_due() {}
        let until = (1..=Pace::MOST).find(|_| pace.is_due());
        assert_eq!(until, Some(Pace::LEAST));
    }
}
