//! Chunks of a round: parts of the frontier with their successors, sorted by shard; and the limits within a round.

use std::time::{Duration, Instant};

use super::figures::StepCounts;
use super::product::Violation;
use super::store::{SHARDS, StoredId};
use crate::reductions::sleep::SleepSets;
use crate::source::{Cancel, Limits, Stop};

/// States of one chunk, the unit of work of a thread, if there are many threads.
const CHUNK: usize = 512;
/// Chunks of one round, at most.
// A round bounds the memory of successors: all are held until it ends, also those already stored. With four times as
// many they leave the cache before they are stored, and an unreduced search takes a tenth longer; with fewer, threads
// wait for each other more often.
pub(super) const ROUND: usize = 32;
/// States of one round.
pub(super) const ROUND_STATES: usize = CHUNK * ROUND;

/// States of one chunk. Large chunks save overhead, and a single thread waits for no other. Results and their order do
/// not depend on the size.
pub(super) fn chunk_states(threads: usize) -> usize {
    match threads {
        ..=1 => 8 * CHUNK,
        2 => 2 * CHUNK,
        _ => CHUNK,
    }
}

/// Successors from one chunk in one shard.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<BatchEntry>,
}

/// A successor in a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchEntry {
    /// Its end in the bytes of the batch.
    pub(super) end: u32,
    pub(super) parent: StoredId,
    pub(super) hash: u64,
    /// The number of successors of its chunk before it.
    pub(super) arrival: u32,
    /// The place in the round of the state that it comes from.
    pub(super) at: u32,
}

impl Default for Batch {
    /// Reserves about the bytes that a chunk has for each shard, since small searches would spend as much time on
    /// growth as on the search.
    fn default() -> Self {
        Self {
            bytes: Vec::with_capacity(1024),
            entries: Vec::with_capacity(32),
        }
    }
}

impl Batch {
    /// Adds a state that consists of its key.
    pub(super) fn push(&mut self, key: &[u8], hash: u64, parent: StoredId) {
        self.bytes.extend_from_slice(key);
        self.entries.push(BatchEntry {
            end: self.bytes.len() as u32,
            parent,
            hash,
            arrival: 0,
            at: 0,
        });
    }
}

/// A state that needs the evaluator.
#[derive(Clone, Copy, Debug)]
pub(super) struct MissedState {
    /// Its position in the frontier.
    pub(super) at: usize,
    /// The number of successors of its chunk before it.
    pub(super) arrived: u32,
}

/// Successors and counters of one chunk.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) batches: Vec<Batch>,
    /// Counts of all states expanded.
    pub(super) steps: StepCounts,
    /// States that violate a demand: position in the frontier, id and violation.
    pub(super) violations: Vec<(usize, StoredId, Violation)>,
    /// States that need the evaluator.
    pub(super) missed: Vec<MissedState>,
    /// Bytes of the batches, now and at the last poll of the limits.
    pub(super) waiting: usize,
    pub(super) looked: usize,
    /// The reason why it was abandoned.
    pub(super) stop: Option<Stop>,
    /// The number of successors, and the number before the state being expanded.
    pub(super) arrived: u32,
    pub(super) arrived_before: u32,
    /// The sleep sets of the successors, in this order, if there are any.
    pub(super) sleep: SleepSets,
    /// The number of successors after each state that needed the evaluator; where several processes share a search, after
    /// each state.
    pub(super) ends: Vec<u32>,
}

/// Transitions of one state between two polls of the limits: some representatives take long.
pub(super) const PATIENCE: u32 = 1 << 7;
/// Bytes of successors between two polls of the limits.
pub(super) const BITE: usize = 1 << 18;

/// Limits within a round.
pub(super) struct RoundLimits<'a> {
    pub(super) limits: &'a Limits,
    pub(super) cancel: &'a Cancel,
    /// Bytes of the store.
    pub(super) held: usize,
}

impl RoundLimits<'_> {
    /// Whether a chunk has to be abandoned; it records the reason.
    pub(super) fn gives_up(&self, chunk: &mut Chunk) -> bool {
        let held = self.held.saturating_add(chunk.waiting);
        // Ends of entries have 32 bits: half of that leaves room until the next poll.
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

/// The pace at which a thread polls the limits between units of work, such as states. A poll costs a good part of a
/// state with few steps, so fast units are polled less often.
pub(super) struct Pace {
    /// Units until the next poll, and in all between the last two.
    left: u32,
    stride: u32,
    /// The time of the last poll.
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
    /// If the units between two polls take less than `QUICK`, their number doubles; if more than `SLOW`, it falls to
    /// the initial one.
    const QUICK: Duration = Duration::from_micros(40);
    const SLOW: Duration = Duration::from_millis(1);

    /// Whether to poll before the next unit; true for the first.
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

    /// Makes the next unit poll as well: a limit that was reached ends that one too.
    pub(super) fn look_next(&mut self) {
        self.left = 1;
    }
}

impl Chunk {
    pub(super) fn clear(&mut self) {
        // Creates the batches the first time. Later they are emptied and keep their memory, since rounds need about the
        // same.
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
            // States are expanded one by one, so all successors of this one are at the end.
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
        // Otherwise `waiting - looked` would underflow at the next successor.
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
        // Slow units are polled as often as at the beginning, even after fast ones.
        std::thread::sleep(2 * Pace::SLOW);
        while !pace.is_due() {}
        let until = (1..=Pace::MOST).find(|_| pace.is_due());
        assert_eq!(until, Some(Pace::LEAST));
    }
}
