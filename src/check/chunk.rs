//! What one round of a search holds besides the store: chunks of the frontier with their successors,
//! sorted by shard, and what ends the search within a round.

use super::keeping::Kept;
use super::product::Violation;
use super::store::{SHARDS, Shard, StateStore, StoredId};
use crate::source::{Cancel, Limits, Stop};

/// Successors of one chunk that belong to one shard.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    /// End in `bytes`, hash and parent of each.
    pub(super) entries: Vec<(u32, u64, StoredId)>,
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

/// What one chunk came to.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) batches: Vec<Batch>,
    pub(super) transitions: u64,
    /// Representatives taken, and how many of them by something else than the strategy is named for.
    pub(super) representatives: u64,
    pub(super) fallbacks: u64,
    /// Steps left out by partial order reduction.
    pub(super) left_out: u64,
    pub(super) passed: u64,
    /// Positions in the frontier of states that violate what is demanded, which, and how.
    pub(super) violations: Vec<(usize, StoredId, Violation)>,
    /// Positions in the frontier of states that need the evaluator.
    pub(super) missed: Vec<usize>,
    /// Bytes of the batches, and how many there were when the limits were last looked at.
    pub(super) waiting: usize,
    pub(super) looked: usize,
    /// Why it was given up.
    pub(super) stop: Option<Stop>,
}

/// States that are expanded between two looks at the limits.
pub(super) const STATES: usize = 8;
/// Transitions of one state between two looks at the limits: some representatives take long.
pub(super) const PATIENCE: u32 = 1 << 7;
/// Bytes that a chunk takes on between two looks at the limits.
pub(super) const BITE: usize = 1 << 18;
/// States that a shard takes on between two looks at the limits.
const POLL_EVERY: usize = 1 << 12;

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
        chunk.stop = if chunk.waiting >= u32::MAX as usize / 2 {
            Some(Stop::Memory)
        } else {
            self.limits.reached(self.cancel, held)
        };
        chunk.stop.is_some()
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
        self.transitions = 0;
        self.representatives = 0;
        self.fallbacks = 0;
        self.left_out = 0;
        self.passed = 0;
        self.violations.clear();
        self.missed.clear();
        (self.waiting, self.looked) = (0, 0);
        self.stop = None;
    }

    pub(super) fn roll_back(&mut self, parent: StoredId) {
        for batch in &mut self.batches {
            let (entries, bytes) = (batch.entries.len(), batch.bytes.len());
            // States are expanded one after the other, so all that came of this one is at the end.
            while batch.entries.last().is_some_and(|e| e.2 == parent) {
                batch.entries.pop();
            }
            let end = batch.entries.last().map_or(0, |e| e.0 as usize);
            batch.bytes.truncate(end);
            let gone = (entries - batch.entries.len()) * ENTRY + (bytes - end);
            self.waiting = self.waiting.saturating_sub(gone);
        }
        // Else `waiting - looked` would underflow when the next successor comes.
        self.looked = self.looked.min(self.waiting);
    }
}

/// Bytes of a successor besides its state.
pub(super) const ENTRY: usize = size_of::<(u32, u64, StoredId)>();

/// Stores successors, chunk by chunk and in each shard by shard, until `room` new ones are stored and
/// there is one more.
pub(super) fn store_up_to(
    store: &mut StateStore,
    chunks: &[&Chunk],
    mut room: usize,
    (guard, has_pair): (&RoundLimits<'_>, bool),
) -> Option<Stop> {
    for chunk in chunks {
        for (shard, batch) in chunk.batches.iter().enumerate() {
            let mut from = 0;
            for (n, (to, hash, parent)) in batch.entries.iter().enumerate() {
                let (key, pair) = Kept::split(&batch.bytes[from..*to as usize], has_pair);
                from = *to as usize;
                // Not at the first one: most batches are short, and each chunk ends with a look.
                if n % POLL_EVERY == POLL_EVERY - 1
                    && let Some(stop) = guard.limits.reached(guard.cancel, 0)
                {
                    return Some(stop);
                }
                // The limit is not reached by states that are there already, however many still
                // come.
                if room == 0 {
                    if !store.shards[shard].contains(*hash, key) {
                        return Some(Stop::States);
                    }
                } else if store.shards[shard].insert(*hash, key, pair, *parent) {
                    room -= 1;
                }
            }
        }
        if let Some(stop) = guard.limits.reached(guard.cancel, 0) {
            return Some(stop);
        }
    }
    None
}

/// Insertions between fetching a slot of a table, fetching the record that it leads to, and looking at both.
const FETCHED_AHEAD: usize = 12;

/// Stores what came for one shard, in the order of the frontier, whichever thread it is: so a state has the same index,
/// and of several parents the same one, with any number of threads.
pub(super) fn store_shard(
    target: &mut Shard,
    chunks: &[&Chunk],
    shard: usize,
    (guard, has_pair): (&RoundLimits<'_>, bool),
) -> Option<Stop> {
    let batches = || chunks.iter().map(|chunk| &chunk.batches[shard]);
    let hashes = || batches().flat_map(|batch| batch.entries.iter().map(|entry| entry.1));
    // What an insertion looks at is fetched some insertions before: the slot of the table first, and the record once
    // the slot is there.
    let (mut slots, mut records) = (hashes(), hashes());
    let ahead = slots.by_ref().take(2 * FETCHED_AHEAD);
    ahead.for_each(|hash| target.fetch_slot(hash));
    let ahead = records.by_ref().take(FETCHED_AHEAD);
    ahead.for_each(|hash| target.fetch_record(hash));
    let mut at = 0usize;
    for batch in batches() {
        let mut from = 0;
        for (to, hash, parent) in &batch.entries {
            // From the first on: another shard may have come to the end of what is allowed.
            if at.is_multiple_of(POLL_EVERY)
                && let Some(stop) = guard.limits.reached(guard.cancel, 0)
            {
                return Some(stop);
            }
            at += 1;
            if let Some(hash) = slots.next() {
                target.fetch_slot(hash);
            }
            if let Some(hash) = records.next() {
                target.fetch_record(hash);
            }
            let (key, pair) = Kept::split(&batch.bytes[from..*to as usize], has_pair);
            target.insert(*hash, key, pair, *parent);
            from = *to as usize;
        }
    }
    None
}
