//! Expansion of the states of a round.

use super::{LazyProduct, OngoingSearch};
use crate::reductions::sleep::{Movers, SleepSets};
use crate::search::chunk::{
    BITE, BatchEntry, Chunk, ENTRY, MissedState, PATIENCE, Pace, RoundLimits, chunk_states,
};
use crate::search::disk_store::RoundRecords;
use crate::search::product::{Expansion, Product, ProductMiss, ProductScratch};
use crate::search::store::{StateBytes, StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::source::threads::{PooledScratch, in_parallel, lock};

/// Number of states ahead for which the back of a key is prefetched, if it stands apart; its record is prefetched twice
/// as far ahead. States of a frontier are spread over all shards.
const FETCHED_SOON: usize = 4;

/// The sleep set of each state of a round, if there are sleep sets; and whether to search for a stubborn set.
pub(super) type OfState<'s> = &'s (dyn Fn(usize) -> (Option<&'s [Movers]>, bool) + Sync);

/// Where the states of a round are, and the places of their successors.
pub(super) trait RoundStates: Sync {
    /// Whether to note the number of successors of each state.
    const COUNTS_EACH: bool = false;

    /// Whether this process expands a state.
    #[inline]
    fn is_here(&self, _state: StoredId) -> bool {
        true
    }

    /// The bytes of the state at this place in the round.
    fn bytes(&self, at: usize, state: StoredId) -> StateBytes<'_>;

    /// Prefetches what will be read of the states that follow in the round.
    fn fetch_after(&self, _round: &[StoredId], _at: usize) {}

    /// Prefetches a state.
    fn fetch(&self, _state: StoredId) {}

    /// The shard of a key, and its hash there.
    fn place(&self, key: &[u8]) -> (usize, u64);

    /// Whether a key is not stored.
    fn is_fresh(&self, key: &[u8]) -> bool;
}

impl RoundStates for StateStore {
    #[inline]
    fn bytes(&self, _: usize, state: StoredId) -> StateBytes<'_> {
        self.pair(state)
    }

    #[inline]
    fn fetch_after(&self, round: &[StoredId], at: usize) {
        if let Some(later) = round.get(at + 2 * FETCHED_SOON) {
            self.fetch(*later);
        }
        if let Some(soon) = round.get(at + FETCHED_SOON) {
            self.fetch_back(*soon);
        }
    }

    #[inline]
    fn fetch(&self, state: StoredId) {
        StateStore::fetch(self, state);
    }

    #[inline]
    fn place(&self, key: &[u8]) -> (usize, u64) {
        StateStore::place(self, key)
    }

    fn is_fresh(&self, key: &[u8]) -> bool {
        self.find(key).is_none()
    }
}

/// A part of a frontier.
pub(super) struct FrontierRound<'r> {
    pub(super) states: &'r [StoredId],
    /// The place of the first in the frontier.
    pub(super) first: usize,
    /// Sleep sets, from the place `sets` on those of the states.
    pub(super) asleep: &'r SleepSets,
    pub(super) sets: usize,
    /// The states themselves, if they are on disk.
    pub(super) records: Option<&'r RoundRecords>,
}

impl<'r> FrontierRound<'r> {
    /// At most `size` states of a frontier in memory, from the place `first` on.
    pub(super) fn of(
        (frontier, asleep): (&'r [StoredId], &'r SleepSets),
        first: usize,
        size: usize,
    ) -> Self {
        Self {
            states: &frontier[first..frontier.len().min(first + size)],
            first,
            asleep,
            sets: first,
            records: None,
        }
    }
}

impl OngoingSearch {
    /// Expands the states of a round, wherever they are.
    pub(super) fn expand_round(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        round: &FrontierRound<'_>,
        of_state: OfState<'_>,
        threads: usize,
        guard: &RoundLimits<'_>,
    ) -> Result<()> {
        let used = round.states.len().div_ceil(chunk_states(threads));
        match round.records {
            None => {
                let states = (&self.store, round.states);
                self.expand_all(&lazy.product(), states, of_state, threads, guard);
                let missed = self.missed(used);
                self.expand_missed(lazy, states, of_state, (used, &missed), guard)
            }
            Some(records) => {
                let states = (records, round.states);
                self.expand_all(&lazy.product(), states, of_state, threads, guard);
                let missed = self.missed(used);
                self.expand_missed(lazy, states, of_state, (used, &missed), guard)
            }
        }
    }

    /// Expands states on a number of threads, with the tables read-only.
    pub(super) fn expand_all<S: RoundStates>(
        &self,
        product: &Product<'_>,
        (states, frontier): (&S, &[StoredId]),
        of_state: OfState<'_>,
        threads: usize,
        guard: &RoundLimits<'_>,
    ) {
        let size = chunk_states(threads);
        let chunks = frontier.len().div_ceil(size);
        let own = || {
            let scratch = PooledScratch::take(&self.buffers.pool, ProductScratch::default);
            (scratch, Pace::default())
        };
        in_parallel(threads, chunks, own, |(scratch, pace), n| {
            let scratch = &mut **scratch;
            // Only one thread takes this chunk: the lock never waits.
            let mut chunk = lock(&self.buffers.chunks[n]);
            chunk.clear();
            for (at, state) in frontier.iter().enumerate().skip(n * size).take(size) {
                if !states.is_here(*state) {
                    continue;
                }
                if pace.is_due() && guard.gives_up(&mut chunk) {
                    return pace.look_next();
                }
                states.fetch_after(frontier, at);
                let (sleep, looks) = of_state(at);
                let into = (&mut *chunk, guard);
                let one = (at, *state, (sleep, looks));
                match expand_into(product, states, one, scratch, into) {
                    Ok(expansion) => {
                        note(&mut chunk, at, *state, looks, expansion);
                        if S::COUNTS_EACH {
                            let arrived = chunk.arrived;
                            chunk.ends.push(arrived);
                        }
                    }
                    // The chunk has the reason, and `round` reads it.
                    Err(ProductMiss::Enough) => return,
                    Err(_) => {
                        // The missing entry is not noted: one thread expands the state again, and by then entries made
                        // for another state may suffice.
                        chunk.roll_back(*state);
                        let arrived = chunk.arrived;
                        chunk.missed.push(MissedState { at, arrived });
                    }
                }
            }
        });
    }

    /// Expands the states that missed entries, one by one, in order: the only place where the tables grow.
    pub(super) fn expand_missed(
        &self,
        lazy: &mut LazyProduct<'_>,
        (states, frontier): (&impl RoundStates, &[StoredId]),
        of_state: OfState<'_>,
        (used, missed): (usize, &[usize]),
        guard: &RoundLimits<'_>,
    ) -> Result<()> {
        // The chunk after those of the frontier: it is collected and stored last, whichever thread had which chunk.
        let mut chunk = lock(&self.buffers.chunks[used]);
        chunk.clear();
        let mut scratch = ProductScratch::default();
        for at in missed.iter().copied() {
            let state = frontier[at];
            let expansion = lazy.complete(|product| {
                // Each attempt follows work of the evaluator, which may have taken long.
                if guard.gives_up(&mut chunk) {
                    return Ok(None);
                }
                let into = (&mut *chunk, guard);
                let one = (at, state, of_state(at));
                match expand_into(product, states, one, &mut scratch, into) {
                    Ok(expansion) => Ok(Some(expansion)),
                    Err(ProductMiss::Enough) => Ok(None),
                    Err(miss) => {
                        chunk.roll_back(state);
                        Err(miss)
                    }
                }
            })?;
            let Some(expansion) = expansion else {
                return Ok(());
            };
            note(&mut chunk, at, state, of_state(at).1, expansion);
            let arrived = chunk.arrived;
            chunk.ends.push(arrived);
        }
        Ok(())
    }

    /// The places of the states of a round that missed entries, in order.
    pub(super) fn missed(&self, used: usize) -> Vec<usize> {
        let mut places = Vec::new();
        for chunk in &self.buffers.chunks[..used] {
            places.extend(lock(chunk).missed.iter().map(|missed| missed.at));
        }
        places
    }
}

fn expand_into(
    product: &Product<'_>,
    states: &impl RoundStates,
    (at, state, (sleep, looks)): (usize, StoredId, (Option<&[Movers]>, bool)),
    scratch: &mut ProductScratch,
    (chunk, guard): (&mut Chunk, &RoundLimits<'_>),
) -> std::result::Result<Expansion, ProductMiss> {
    let mut transitions = 0u32;
    chunk.arrived_before = chunk.arrived;
    let is_fresh = |key: &[u8]| states.is_fresh(key);
    product.expand_for_search(
        (&states.bytes(at, state), sleep),
        scratch,
        looks.then_some(&is_fresh),
        |_, kept| {
            transitions = transitions.wrapping_add(1);
            if transitions.is_multiple_of(PATIENCE) && guard.gives_up(chunk) {
                return Err(ProductMiss::Enough);
            }
            // No state is stored after ✓ or a refused event; the latter is a violation.
            let Some(kept) = kept else {
                return Ok(());
            };
            let (shard, hash) = states.place(&kept.key);
            let batch = &mut chunk.batches[shard];
            let before = batch.bytes.len();
            kept.write(&mut batch.bytes);
            // The end fits 32 bits: a chunk is abandoned at half as much, and checked after each `BITE`.
            batch.entries.push(BatchEntry {
                end: batch.bytes.len() as u32,
                parent: state,
                hash,
                arrival: chunk.arrived,
                at: at as u32,
            });
            chunk.arrived += 1;
            if sleep.is_some() {
                chunk.sleep.push(&kept.sleep);
            }
            chunk.waiting += batch.bytes.len() - before + ENTRY;
            if chunk.waiting - chunk.looked >= BITE {
                chunk.looked = chunk.waiting;
                if guard.gives_up(chunk) {
                    return Err(ProductMiss::Enough);
                }
            }
            Ok(())
        },
    )
}

fn note(chunk: &mut Chunk, at: usize, state: StoredId, looks: bool, expansion: Expansion) {
    let mut steps = expansion.steps;
    if !looks {
        steps.unlooked = steps.transitions;
    }
    chunk.steps += steps;
    if let Some(violation) = expansion.violation {
        chunk.violations.push((at, state, violation));
    }
}
