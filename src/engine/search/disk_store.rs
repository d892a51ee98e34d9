//! Seen set of a search on disk (delayed duplicate detection).
//!
//! What was met is a log of all states, and sorted runs of their keys; memory is a cache of both. A successor whose key
//! is in the table of its shard is known. If a filter over the keys in runs rules it out, it is new. Otherwise it is
//! doubtful: it waits, in its place among the new ones, until the doubtful keys are looked up in the runs, in order
//! ([`DiskStore::settle`]). So states, their indices and their parents are those of a search in memory.

mod marks;
mod shard;

use std::sync::{Arc, Mutex, PoisonError};

pub(super) use marks::StoreMark;
use shard::DiskShard;

use super::arrivals::{Arrivals, Stretch, in_shard};
use super::chunk::RoundLimits;
use super::store::{RecordLayout, SHARDS, StateBytes, StateStore, StoredId, shard_of};
use super::storing::store_stretches;
use crate::machine::pack::state_hash;
use crate::source::Stop;
use crate::source::threads::{in_parallel, lock};
use crate::spill::runs::Runs;
use crate::spill::{Space, SpillError};

/// Bytes of main memory that a store takes, at most, for each of its parts.
#[derive(Clone, Copy, Debug)]
pub struct DiskBudget {
    /// Of all filters.
    pub filters: usize,
    /// Of all tables, after which they are emptied.
    pub tables: usize,
    /// Of all states that wait to be settled.
    pub pending: usize,
}

impl DiskBudget {
    /// The parts of this number of bytes. The rest is for rounds, for keys while they are sorted, for the frontier, and for
    /// what was given back and still counts as memory of the process.
    #[must_use]
    pub fn of(bytes: usize) -> Self {
        Self {
            filters: bytes / 6,
            tables: bytes / 8,
            pending: bytes / 16,
        }
    }
}

/// The seen set.
pub struct DiskStore {
    shards: Vec<DiskShard>,
    runs: Runs,
    layout: RecordLayout,
    budget: DiskBudget,
    /// Keys looked up in runs so far.
    pub(super) looked_up: u64,
    space: Arc<Space>,
}

/// The states of a round, read from disk.
#[derive(Default)]
pub(super) struct RoundRecords {
    bytes: Vec<u8>,
    stride: usize,
}

impl RoundRecords {
    pub(super) fn get(&self, at: usize) -> StateBytes<'_> {
        StateBytes::Whole(&self.bytes[at * self.stride..(at + 1) * self.stride])
    }
}

/// The shard of a key, and its hash there.
pub(super) fn place(key: &[u8]) -> (usize, u64) {
    let hash = state_hash(key);
    (shard_of(hash), hash)
}

impl DiskStore {
    /// Writes all states of a store to disk; their ids stay the same.
    ///
    /// # Errors
    /// A full or unusable disk.
    pub fn from_memory(
        space: &Arc<Space>,
        store: &StateStore,
        layout: RecordLayout,
        budget: DiskBudget,
    ) -> Result<Self, SpillError> {
        debug_assert!(store.backs().is_none(), "shards are those of whole keys");
        let filter = budget.filters / SHARDS;
        let make = |number| DiskShard::create(space, number, layout, filter);
        let mut shards = (0..SHARDS).map(make).collect::<Result<Vec<_>, _>>()?;
        for (number, shard) in shards.iter_mut().enumerate() {
            for index in 0..store.shards[number].len() {
                let id = StoredId::new(number, index);
                let (key, pair) = store.shards[number].key_and_pair(index);
                shard.add(&key, pair, store.parent(id))?;
            }
        }
        Ok(Self {
            shards,
            runs: Runs::create(space, SHARDS),
            layout,
            budget,
            looked_up: 0,
            space: Arc::clone(space),
        })
    }

    /// Number of states: those that may be stored already do not count.
    #[must_use]
    pub fn states(&self) -> usize {
        let each = |shard: &DiskShard| {
            let (pending, doubtful) = shard.waiting();
            shard.len() + pending - doubtful
        };
        self.shards.iter().map(each).sum()
    }

    /// Number of states that may be stored already.
    pub(super) fn doubtful(&self) -> usize {
        self.shards.iter().map(|shard| shard.waiting().1).sum()
    }

    /// The number of states of the fullest shard, if all that is met is new.
    pub(super) fn fullest(&self, coming: impl Fn(usize) -> usize) -> usize {
        let most = |(n, shard): (usize, &DiskShard)| shard.len() + shard.waiting().0 + coming(n);
        self.shards.iter().enumerate().map(most).max().unwrap_or(0)
    }

    /// Bytes of main memory.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let shards: usize = self.shards.iter().map(DiskShard::heap_bytes).sum();
        shards + self.runs.heap_bytes()
    }

    /// Bytes of all files.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        self.space.used()
    }

    /// Whether longer states need another layout.
    pub(super) fn grows_to(&self, layout: RecordLayout) -> bool {
        layout != self.layout
    }

    /// Makes room for longer states. Nothing may be waiting.
    pub(super) fn set_layout(&mut self, layout: RecordLayout) -> Result<(), SpillError> {
        self.layout = layout;
        let mut shards = self.shards.iter_mut();
        shards.try_for_each(|shard| shard.set_layout(layout))
    }

    /// Reads the states of a round, which are settled. Rounds are read in the order of the frontier.
    pub(super) fn read_round(
        &mut self,
        round: &[StoredId],
        records: &mut RoundRecords,
    ) -> Result<(), SpillError> {
        records.stride = state_bytes(self.layout);
        records.bytes.clear();
        for id in round {
            self.shards[id.shard()].read_next(id.index(), &mut records.bytes)?;
        }
        Ok(())
    }

    /// The bytes of a settled state, padded.
    pub(super) fn bytes(&self, id: StoredId) -> Result<Vec<u8>, SpillError> {
        let mut bytes = Vec::new();
        self.shards[id.shard()].read(id.index(), &mut bytes)?;
        Ok(bytes)
    }

    /// Takes the successors of a round: those that are not known wait to be settled.
    pub(super) fn receive(
        &mut self,
        stretches: &[Stretch<'_>],
        arrivals: &Arrivals,
        (threads, guard, has_pair): (usize, &RoundLimits<'_>, bool),
    ) -> Option<Stop> {
        let shards: Vec<Mutex<&mut DiskShard>> = self.shards.iter_mut().map(Mutex::new).collect();
        let stopped = Mutex::new(None);
        in_parallel(
            threads,
            SHARDS,
            || (),
            |(), number| {
                let own = in_shard(stretches, number);
                let note = |at: u32, index: usize| arrivals.note(at, StoredId::new(number, index));
                let target: &mut DiskShard = &mut lock(&shards[number]);
                if let Some(stop) = store_stretches(target, &own, guard, has_pair, note) {
                    *lock(&stopped) = Some(stop);
                }
            },
        );
        stopped.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so much waits that it should be settled.
    pub(super) fn is_settling_due(&self) -> bool {
        let waiting: usize = self.shards.iter().map(DiskShard::pending_bytes).sum();
        waiting >= self.budget.pending
    }

    /// Looks up all doubtful keys, and stores the states that are new. `next` has the ids of those met since the last
    /// time, in order: those of stored ones are taken out, and the others get their places. Returns which stay.
    pub(super) fn settle(
        &mut self,
        next: &mut Vec<StoredId>,
        from: usize,
        threads: usize,
    ) -> Result<Option<Vec<bool>>, SpillError> {
        self.looked_up += self.doubtful() as u64;
        let before: Vec<usize> = self.shards.iter().map(DiskShard::len).collect();
        let runs = &self.runs;
        let dropped = each_shard(&mut self.shards, threads, |number, shard| {
            shard.settle(number, runs)
        })?;
        if dropped.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        // For each shard the number of states that were dropped before the one at hand.
        let mut gone = vec![0; SHARDS];
        let mut stays = Vec::with_capacity(next.len() - from);
        let mut to = from;
        for at in from..next.len() {
            let id = next[at];
            let (shard, number) = (id.shard(), id.index() - before[id.shard()]);
            let is_dropped = dropped[shard].get(gone[shard]) == Some(&(number as u32));
            stays.push(!is_dropped);
            if is_dropped {
                gone[shard] += 1;
            } else {
                next[to] = StoredId::new(shard, id.index() - gone[shard]);
                to += 1;
            }
        }
        next.truncate(to);
        Ok(Some(stays))
    }

    /// Empties the tables into a run. Nothing may be waiting.
    pub(super) fn make_room(&mut self, threads: usize) -> Result<(), SpillError> {
        let keys = each_shard(&mut self.shards, threads, |_, shard| Ok(shard.fresh_keys()))?;
        self.runs.add(self.layout.key, &keys)?;
        each_shard(&mut self.shards, threads, |number, shard| {
            shard.empty(&keys[number]);
            Ok(())
        })?;
        drop(keys);
        self.runs.merge()
    }

    /// Whether the tables are full.
    pub(super) fn is_full(&self) -> bool {
        let tables: usize = self.shards.iter().map(DiskShard::table_bytes).sum();
        tables >= self.budget.tables
    }

    /// These states and all before them as a store in memory, and their ids there.
    pub(super) fn paths(
        &self,
        states: &[StoredId],
    ) -> Result<(StateStore, Vec<StoredId>), SpillError> {
        StateStore::of_paths(state_bytes(self.layout), states, |id| {
            let mut bytes = Vec::new();
            let parent = self.shards[id.shard()].read(id.index(), &mut bytes)?;
            Ok((parent, bytes))
        })
    }
}

/// Bytes of a state in records of this layout.
fn state_bytes(layout: RecordLayout) -> usize {
    match layout.pair {
        0 => layout.key,
        pair => pair,
    }
}

/// Applies a function to every shard, on a number of threads. The first failure is that of the first shard that failed.
fn each_shard<R: Send>(
    shards: &mut [DiskShard],
    threads: usize,
    work: impl Fn(usize, &mut DiskShard) -> Result<R, SpillError> + Sync,
) -> Result<Vec<R>, SpillError> {
    let each = |shard| Mutex::new((shard, None));
    let slots: Vec<Mutex<(&mut DiskShard, Option<_>)>> = shards.iter_mut().map(each).collect();
    in_parallel(
        threads,
        slots.len(),
        || (),
        |(), number| {
            let (shard, done) = &mut *lock(&slots[number]);
            *done = Some(work(number, shard));
        },
    );
    let done = slots.into_iter().map(|slot| {
        let (_, done) = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        done
    });
    done.flatten().collect()
}
