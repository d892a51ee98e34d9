//! What one round of a search holds besides the store: chunks of the frontier with their successors,
//! sorted by shard, and what ends the search within a round.

use super::keeping::Kept;
use super::product::Violation;
use super::store::{SHARDS, Shard, StateStore, StoredId, append_short, state_hash};
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

impl Batch {
    /// Adds a state that is all of its key.
    pub(super) fn push(&mut self, key: &[u8], hash: u64, parent: StoredId) {
        self.bytes.extend_from_slice(key);
        self.entries.push((self.bytes.len() as u32, hash, parent));
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

/// Has what a look at each of some hashes needs fetched some looks before: the slot of the table first, and the record
/// once the slot is there. What comes several times in a row is fetched once.
struct FetchingAhead<I> {
    slots: I,
    records: I,
    /// What was fetched last, a slot and a record.
    last: (u64, u64),
}

impl<I: Iterator<Item = u64> + Clone> FetchingAhead<I> {
    fn new(hashes: &I, slot: impl Fn(u64), record: impl Fn(u64)) -> Self {
        let (mut slots, mut records) = (hashes.clone(), hashes.clone());
        slots.by_ref().take(2 * FETCHED_AHEAD).for_each(slot);
        records.by_ref().take(FETCHED_AHEAD).for_each(record);
        Self {
            slots,
            records,
            last: (0, 0),
        }
    }

    /// Before each look.
    #[inline]
    fn next(&mut self, slot: impl Fn(u64), record: impl Fn(u64)) {
        if let Some(hash) = self.slots.next()
            && std::mem::replace(&mut self.last.0, hash) != hash
        {
            slot(hash);
        }
        if let Some(hash) = self.records.next()
            && std::mem::replace(&mut self.last.1, hash) != hash
        {
            record(hash);
        }
    }
}

/// Stores what came for one shard, in the order of the frontier, whichever thread it is: so a state has the same index,
/// and of several parents the same one, with any number of threads. `short` is overwritten.
pub(super) fn store_shard(
    target: &mut Shard,
    (chunks, shard): (&[&Chunk], usize),
    (guard, has_pair): (&RoundLimits<'_>, bool),
    short: &mut Batch,
) -> Option<Stop> {
    let batches = chunks.iter().map(|chunk| &chunk.batches[shard]);
    let Some(back) = target.back() else {
        return store_batches(target, batches, (guard, has_pair));
    };
    if let Some(stop) = shorten_all((target, back), batches, guard, short) {
        return Some(stop);
    }
    store_batches(target, std::iter::once(&*short), (guard, has_pair))
}

/// Finds the numbers of the backs of keys, which begin at `back`, and adds those that are new.
fn shorten_all<'b>(
    (target, back): (&mut Shard, usize),
    batches: impl Iterator<Item = &'b Batch> + Clone,
    guard: &RoundLimits<'_>,
    short: &mut Batch,
) -> Option<Stop> {
    short.bytes.clear();
    short.entries.clear();
    let hashes = batches.clone().flat_map(|batch| batch.entries.iter());
    let hashes = hashes.map(|entry| entry.1);
    let slot = |target: &Shard, hash| target.fetch_back_slot(hash);
    let record = |target: &Shard, hash| target.fetch_back_record(hash);
    let mut ahead = FetchingAhead::new(&hashes, |h| slot(target, h), |h| record(target, h));
    let mut last: (u64, &[u8], u32) = (0, &[], 0);
    for batch in batches {
        let mut from = 0;
        for (to, hash, parent) in &batch.entries {
            let at = short.entries.len();
            if at.is_multiple_of(POLL_EVERY)
                && let Some(stop) = guard.limits.reached(guard.cancel, 0)
            {
                return Some(stop);
            }
            ahead.next(|h| slot(target, h), |h| record(target, h));
            let key = &batch.bytes[from..*to as usize];
            // Steps that leave the back alone come one after the other.
            if *hash != last.0 || key[back..] != *last.1 {
                last = (*hash, &key[back..], target.back_number(*hash, key));
            }
            let begin = short.bytes.len();
            append_short(&key[..back], last.2, &mut |piece| {
                short.bytes.extend_from_slice(piece);
            });
            let hash = state_hash(&short.bytes[begin..]);
            let end = short.bytes.len() as u32;
            short.entries.push((end, hash, *parent));
            from = *to as usize;
        }
    }
    None
}

/// Stores states by their keys as they stand in records.
fn store_batches<'b>(
    target: &mut Shard,
    batches: impl Iterator<Item = &'b Batch> + Clone,
    (guard, has_pair): (&RoundLimits<'_>, bool),
) -> Option<Stop> {
    let hashes = batches.clone().flat_map(|batch| batch.entries.iter());
    let hashes = hashes.map(|entry| entry.1);
    let slot = |target: &Shard, hash| target.fetch_slot(hash);
    let record = |target: &Shard, hash| target.fetch_record(hash);
    let mut ahead = FetchingAhead::new(&hashes, |h| slot(target, h), |h| record(target, h));
    let mut at = 0usize;
    for batch in batches {
        let mut from = 0;
        for (to, hash, parent) in &batch.entries {
            // From the first on: another shard may have come to the end of what is allowed.
            if at.is_multiple_of(POLL_EVERY)
                && let Some(stop) = guard.limits.reached(guard.cancel, 0)
            {
                return Some(stop);
            }
            at += 1;
            ahead.next(|h| slot(target, h), |h| record(target, h));
            let (key, pair) = Kept::split(&batch.bytes[from..*to as usize], has_pair);
            target.insert_short(*hash, key, pair, *parent);
            from = *to as usize;
        }
    }
    None
}
