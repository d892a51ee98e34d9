//! Storing of the successors of a round.

use super::arrivals::{Arrivals, ShardStretch, Stretch, in_shard};
use super::chunk::{Batch, BatchEntry, Pace, RoundLimits};
use super::keeping::Kept;
use super::store::{SHARDS, Shard, StateStore, StoredId, append_short};
use crate::machine::pack::state_hash;
use crate::source::Stop;

/// States added to a shard between two polls of the limits.
pub(super) const POLL_EVERY: usize = 1 << 12;

/// Stores successors, stretch by stretch and in each by shard, until `room` new ones are stored and another one
/// follows.
pub(super) fn store_up_to(
    store: &mut StateStore,
    (stretches, arrivals): (&[Stretch<'_>], &Arrivals),
    mut room: usize,
    (guard, has_pair): (&RoundLimits<'_>, bool),
) -> Option<Stop> {
    for stretch in stretches {
        for shard in 0..SHARDS {
            let own = stretch.of_shard(shard);
            let mut from = own.begin;
            for (n, entry) in own.entries.iter().enumerate() {
                let to = entry.end as usize;
                let (key, pair) = Kept::split(&own.bytes[from..to], has_pair);
                from = to;
                // Not at the first one: most batches are short, and each chunk ends with a poll.
                if n % POLL_EVERY == POLL_EVERY - 1
                    && let Some(stop) = guard.limits.reached(guard.cancel, 0)
                {
                    return Some(stop);
                }
                // Known states do not reach the limit, however many follow.
                if room == 0 {
                    if !store.shards[shard].contains(entry.hash, key) {
                        return Some(Stop::States);
                    }
                } else if store.shards[shard].insert(entry.hash, key, pair, entry.parent) {
                    let id = StoredId::new(shard, store.shards[shard].len() - 1);
                    arrivals.note(own.ahead.wrapping_add(entry.arrival), id);
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

/// Look-ups between prefetching a slot, prefetching its record, and reading both.
pub(super) const FETCHED_AHEAD: usize = 12;

/// Prefetching for a sequence of look-ups by hash: the slot of the table first, and its record once the slot is there.
/// Consecutive equal hashes are fetched once.
struct FetchingAhead<I> {
    slots: I,
    records: I,
    /// The last slot and record fetched.
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

    /// Called before each look-up.
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

/// Buffers of a thread that stores successors.
#[derive(Default)]
pub(super) struct ShardBuffers {
    /// The successors of a shard with collapsed keys.
    short: Batch,
    pace: Pace,
}

/// Stores the successors of one shard, in the order of the frontier: so a state has the same index, and of several
/// parents the same one, with any number of threads.
pub(super) fn store_shard(
    target: &mut Shard,
    (stretches, shard): (&[Stretch<'_>], usize),
    (guard, has_pair): (&RoundLimits<'_>, bool),
    (ShardBuffers { short, pace }, arrivals): (&mut ShardBuffers, &Arrivals),
) -> Option<Stop> {
    // Another shard may have reached a limit.
    if pace.is_due()
        && let Some(stop) = guard.limits.reached(guard.cancel, 0)
    {
        pace.look_next();
        return Some(stop);
    }
    let own = in_shard(stretches, shard);
    let note = |at: u32, index: usize| arrivals.note(at, StoredId::new(shard, index));
    let Some(back) = target.back() else {
        return store_stretches(target, &own, guard, has_pair, note);
    };
    if let Some(stop) = shorten_all(target, back, &own, guard, short) {
        return Some(stop);
    }
    let all = ShardStretch {
        entries: &short.entries,
        begin: 0,
        bytes: &short.bytes,
        ahead: 0,
    };
    store_stretches(target, &[all], guard, has_pair, note)
}

/// Finds the numbers of the backs of keys, which begin at `back`, and adds new backs.
fn shorten_all(
    target: &mut Shard,
    back: usize,
    stretches: &[ShardStretch<'_>],
    guard: &RoundLimits<'_>,
    short: &mut Batch,
) -> Option<Stop> {
    short.bytes.clear();
    short.entries.clear();
    let hashes = stretches.iter().flat_map(|own| own.entries);
    let hashes = hashes.map(|entry| entry.hash);
    let slot = |target: &Shard, hash| target.fetch_back_slot(hash);
    let record = |target: &Shard, hash| target.fetch_back_record(hash);
    let mut ahead = FetchingAhead::new(&hashes, |h| slot(target, h), |h| record(target, h));
    let mut last: (u64, &[u8], u32) = (0, &[], 0);
    for own in stretches {
        let mut from = own.begin;
        for entry in own.entries {
            let (to, hash) = (entry.end as usize, entry.hash);
            let at = short.entries.len() + 1;
            if at.is_multiple_of(POLL_EVERY)
                && let Some(stop) = guard.limits.reached(guard.cancel, 0)
            {
                return Some(stop);
            }
            ahead.next(|h| slot(target, h), |h| record(target, h));
            let key = &own.bytes[from..to];
            // Steps that leave the back unchanged are often consecutive.
            if hash != last.0 || key[back..] != *last.1 {
                last = (hash, &key[back..], target.back_number(hash, key));
            }
            let begin = short.bytes.len();
            append_short(&key[..back], last.2, &mut |piece| {
                short.bytes.extend_from_slice(piece);
            });
            let hash = state_hash(&short.bytes[begin..]);
            let end = short.bytes.len() as u32;
            let arrival = own.ahead.wrapping_add(entry.arrival);
            short.entries.push(BatchEntry {
                end,
                hash,
                arrival,
                ..*entry
            });
            from = to;
        }
    }
    None
}

/// A shard that takes states one by one.
pub(super) trait Receiving {
    /// Prefetches the slot for a hash.
    fn fetch_slot(&self, hash: u64);

    /// Prefetches the record that is compared first, once its slot is in the cache, or what is asked where there is none.
    fn fetch_record(&self, hash: u64);

    /// Number of states, those included that may turn out to be stored already.
    fn met(&self) -> usize;

    /// Adds a state by its key as in a record, unless it is known. Returns the index of a state that was added.
    fn receive(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) -> Option<usize>;
}

impl Receiving for Shard {
    #[inline]
    fn fetch_slot(&self, hash: u64) {
        Shard::fetch_slot(self, hash);
    }

    #[inline]
    fn fetch_record(&self, hash: u64) {
        Shard::fetch_record(self, hash);
    }

    fn met(&self) -> usize {
        self.len()
    }

    #[inline]
    fn receive(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) -> Option<usize> {
        self.insert_short(hash, key, pair, parent)
            .then(|| self.len() - 1)
    }
}

/// Stores states by their keys as in records.
pub(super) fn store_stretches<S: Receiving>(
    target: &mut S,
    stretches: &[ShardStretch<'_>],
    guard: &RoundLimits<'_>,
    has_pair: bool,
    note: impl Fn(u32, usize),
) -> Option<Stop> {
    let hashes = stretches.iter().flat_map(|own| own.entries);
    let hashes = hashes.map(|entry| entry.hash);
    let slot = |target: &S, hash| target.fetch_slot(hash);
    let record = |target: &S, hash| target.fetch_record(hash);
    let mut ahead = FetchingAhead::new(&hashes, |h| slot(target, h), |h| record(target, h));
    let mut at = 0usize;
    for own in stretches {
        let mut from = own.begin;
        for entry in own.entries {
            at += 1;
            if at.is_multiple_of(POLL_EVERY)
                && let Some(stop) = guard.limits.reached(guard.cancel, 0)
            {
                return Some(stop);
            }
            ahead.next(|h| slot(target, h), |h| record(target, h));
            let to = entry.end as usize;
            let (key, pair) = Kept::split(&own.bytes[from..to], has_pair);
            if let Some(index) = target.receive(entry.hash, key, pair, entry.parent) {
                note(own.ahead.wrapping_add(entry.arrival), index);
            }
            from = to;
        }
    }
    None
}
