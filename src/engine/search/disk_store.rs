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
use shard::{DiskShard, run_order};

use super::arrivals::{Arrivals, Stretch, in_shard};
use super::chunk::RoundLimits;
use super::state_set::{PlacesInSet, StateSet};
use super::store::{
    NO_STATE, RecordLayout, SHARDS, StateBytes, StateRecord, StateStore, StoredId, shard_of,
};
use super::storing::{Receiving, store_stretches};
use crate::machine::pack::state_hash;
use crate::reductions::sleep::SleepSets;
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
    /// The part of the tables that stays.
    const LEAST: usize = 8;

    /// The parts of this number of bytes. The rest is for rounds, for keys while they are sorted and merged, for slots of
    /// tables, and for what was given back and still counts as memory of the process.
    #[must_use]
    pub fn of(bytes: usize) -> Self {
        // The buffers of files.
        const BUFFERS: usize = 16 << 20;
        let bytes = bytes.saturating_sub(BUFFERS);
        Self {
            filters: bytes / 5,
            tables: bytes / 6,
            pending: bytes / 16,
        }
    }

    /// What is left of the tables and of what waits if `short` of their bytes are needed elsewhere. Some stay, so that runs
    /// are not written for every few states.
    fn less(self, short: usize) -> Self {
        let least = self.tables / Self::LEAST;
        let tables = self.tables.saturating_sub(short).max(least);
        Self {
            tables,
            pending: self.pending / Self::LEAST * tables.div_ceil(least.max(1)).min(Self::LEAST),
            ..self
        }
    }
}

/// The seen set.
pub struct DiskStore {
    shards: Vec<DiskShard>,
    runs: Runs,
    layout: RecordLayout,
    /// What it may take where main memory is plentiful.
    most: DiskBudget,
    /// What it may take now.
    budget: DiskBudget,
    /// The fewest bytes that were free in main memory after a round.
    least_free: usize,
    /// Keys looked up in runs so far.
    pub(super) looked_up: u64,
    space: Arc<Space>,
}

/// The states of a round, read from disk.
#[derive(Default)]
pub(super) struct RoundRecords {
    pub(super) ids: Vec<StoredId>,
    pub(super) asleep: SleepSets,
    bytes: Vec<u8>,
    stride: usize,
}

impl RoundRecords {
    /// Takes the states of a round from a store in memory: those of the shards that are here.
    pub(super) fn take_from(&mut self, store: &StateStore, is_here: impl Fn(usize) -> bool) {
        self.stride = state_bytes(store.layout());
        self.bytes.clear();
        for (at, id) in self.ids.iter().enumerate() {
            match is_here(id.shard()) {
                true => self.bytes.extend_from_slice(&store.pair(*id)),
                false => self.bytes.resize((at + 1) * self.stride, 0),
            }
        }
    }

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
    /// Writes all states of a store to disk; their ids stay the same. The tables are empty until [`Self::fill_tables`],
    /// before which the store can be dropped: both would be twice the memory.
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
                shard.write(&key, pair, store.parent(id))?;
            }
        }
        Ok(Self {
            shards,
            runs: Runs::create(space, SHARDS, run_order),
            layout,
            most: budget,
            budget,
            least_free: usize::MAX,
            looked_up: 0,
            space: Arc::clone(space),
        })
    }

    /// Fills the tables with all keys that are in no run.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub(super) fn fill_tables(&mut self) -> Result<(), SpillError> {
        self.shards.iter_mut().try_for_each(DiskShard::fill_table)
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

    /// Reads the states of a round, which are settled: those of the shards that are here. Rounds are read in the order of
    /// the frontier.
    pub(super) fn read_round(
        &mut self,
        records: &mut RoundRecords,
        is_here: impl Fn(usize) -> bool,
    ) -> Result<(), SpillError> {
        records.stride = state_bytes(self.layout);
        records.bytes.clear();
        for (at, id) in records.ids.iter().enumerate() {
            match is_here(id.shard()) {
                true => self.shards[id.shard()].read_next(id.index(), &mut records.bytes)?,
                false => records.bytes.resize((at + 1) * records.stride, 0),
            }
        }
        Ok(())
    }

    /// A settled state by itself.
    pub(super) fn record(&self, id: StoredId) -> Result<StateRecord, SpillError> {
        let mut key = Vec::new();
        let parent = self.shards[id.shard()].read_record(id.index(), &mut key)?;
        let pair = key.split_off(self.layout.key);
        Ok(StateRecord { key, pair, parent })
    }

    /// All shards, which take states.
    pub(super) fn shards(&mut self) -> &mut [impl Receiving + Send + use<>] {
        &mut self.shards
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

    /// Takes less main memory from now on where only so many bytes are free: the tables of the network and of the
    /// specification grow with the search. Memory that is given back mostly stays with the process, which uses it again;
    /// so what counts is by how much less is free than ever before.
    pub(super) fn fit(&mut self, free: usize) {
        if free >= self.least_free {
            return;
        }
        self.least_free = free;
        let reserve = self.most.tables;
        self.budget = self.most.less(reserve.saturating_sub(free));
        let least = reserve / DiskBudget::LEAST;
        if free < least {
            // Tables that are as small as may be are not enough. Filters that hold too much only take time.
            for shard in &mut self.shards {
                shard.halve_filter();
            }
            // What that has freed is used before they are halved again.
            self.least_free = free.saturating_sub(least / 2);
        }
    }

    /// Whether so much waits that it should be settled, with these bytes of the frontier.
    pub(super) fn is_settling_due(&self, frontier: usize) -> bool {
        let waiting: usize = self.shards.iter().map(DiskShard::pending_bytes).sum();
        waiting + frontier >= self.budget.pending
    }

    /// Looks up all doubtful keys, and stores the states that are new. Returns, for each shard, the numbers of the others
    /// among those met since the last time.
    pub(super) fn settle(&mut self, threads: usize) -> Result<Vec<Vec<u32>>, SpillError> {
        self.looked_up += self.doubtful() as u64;
        let runs = &self.runs;
        each_shard(&mut self.shards, threads, |number, shard| {
            shard.settle(number, runs)
        })
    }

    /// The last state of each shard.
    pub(super) fn last_states(&self) -> impl Iterator<Item = StoredId> {
        let last = |(number, shard): (usize, &DiskShard)| {
            let index = shard.len().checked_sub(1)?;
            Some(StoredId::new(number, index))
        };
        self.shards.iter().enumerate().filter_map(last)
    }

    /// Empties the tables into a run. Nothing may be waiting.
    pub(super) fn make_room(&mut self, threads: usize) -> Result<(), SpillError> {
        // The keys of few shards at a time are beside the tables.
        let shards = &self.shards;
        self.runs.add_by(self.layout.key, &mut |from| {
            let keys: Vec<Mutex<Vec<u8>>> = (from..SHARDS.min(from + threads.max(1)))
                .map(|_| Mutex::default())
                .collect();
            in_parallel(
                threads,
                keys.len(),
                || (),
                |(), n| *lock(&keys[n]) = shards[from + n].fresh_keys(),
            );
            let keys = keys.into_iter().map(Mutex::into_inner);
            keys.map(|keys| keys.unwrap_or_else(PoisonError::into_inner))
                .collect()
        })?;
        // Where less may be taken than before, what was taken has to go first.
        let gives_back = self.budget.tables < self.most.tables;
        each_shard(&mut self.shards, threads, |_, shard| {
            shard.empty();
            if gives_back {
                shard.give_back();
            }
            Ok(())
        })?;
        self.runs.merge()
    }

    /// Whether the tables are full.
    pub(super) fn is_full(&self) -> bool {
        let tables: usize = self.shards.iter().map(DiskShard::table_bytes).sum();
        tables >= self.budget.tables
    }

    /// Calls `each` with the states of a shard and their bytes, by index, until it returns false.
    pub(super) fn each_state(
        &self,
        shard: usize,
        each: &mut impl FnMut(StoredId, &[u8]) -> bool,
    ) -> Result<(), SpillError> {
        let mut bytes = Vec::new();
        self.shards[shard].each_record(0, &mut |index, record| {
            bytes.clear();
            record.append_state(self.layout, &mut bytes);
            each(StoredId::new(shard, index), &bytes)
        })
    }

    /// Calls `each` with the keys of a shard, by index.
    pub(super) fn each_key(
        &self,
        shard: usize,
        each: &mut impl FnMut(&[u8]),
    ) -> Result<(), SpillError> {
        self.shards[shard].each_record(0, &mut |_, record| {
            each(record.key());
            true
        })
    }

    /// The states from which the first ones of a shard were reached first.
    pub(super) fn parents(&self, shard: usize, count: usize) -> Result<Vec<StoredId>, SpillError> {
        let mut parents = Vec::with_capacity(count);
        self.shards[shard].each_record(0, &mut |index, record| {
            if index < count {
                parents.push(record.parent());
            }
            index + 1 < count
        })?;
        Ok(parents)
    }

    /// The layout of records.
    pub(super) fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// The number of states of the largest shard.
    pub(super) fn largest_shard(&self) -> usize {
        self.shards.iter().map(DiskShard::len).max().unwrap_or(0)
    }

    /// An empty set of settled states.
    pub(super) fn no_states(&self) -> StateSet {
        StateSet::new(self.shards.iter().map(DiskShard::len))
    }

    /// Adds the states on the paths to those of a set.
    pub(super) fn add_paths(&self, set: &mut StateSet) -> Result<(), SpillError> {
        let mut latest: Vec<StoredId> = (0..SHARDS).flat_map(|s| set.of_shard(s)).collect();
        let mut bytes = Vec::new();
        while !latest.is_empty() {
            // In order, so that neighbours are read from one block.
            let mut before = Vec::new();
            for id in latest {
                let parent = self.shards[id.shard()].read(id.index(), &mut bytes)?;
                if parent != NO_STATE && set.insert(parent) {
                    before.push(parent);
                }
            }
            before.sort_unstable();
            latest = before;
        }
        Ok(())
    }

    /// The states of a set, which has all on the paths to them, as a store in memory, in the same order.
    pub(super) fn in_memory(&self, set: &StateSet) -> Result<StateStore, SpillError> {
        let mut store = StateStore::new(self.layout);
        let places = PlacesInSet::new(set);
        let mut record = Vec::new();
        for (number, shard) in self.shards.iter().enumerate() {
            for id in set.of_shard(number) {
                let parent = shard.read_record(id.index(), &mut record)?;
                let (key, pair) = record.split_at(self.layout.key);
                let parent = match parent {
                    NO_STATE => NO_STATE,
                    parent => places.place(parent),
                };
                store.insert(key, pair, parent);
                debug_assert_eq!(store.find(key), Some(places.place(id)));
            }
        }
        Ok(store)
    }

    /// Bytes that these states take in main memory, about.
    pub(super) fn bytes_in_memory(&self, set: &StateSet) -> usize {
        const WITH_SLOT: usize = 16;
        set.count() * (self.layout.key + self.layout.pair + WITH_SLOT)
    }

    /// Gives back the memory of tables and filters. Nothing can be stored after that.
    pub(super) fn forget_tables(&mut self) {
        self.shards.iter_mut().for_each(DiskShard::forget_table);
    }
}

/// Calls `stays` with the place and the shard of each state that was met and not stored before. `met` has those met since
/// the last settling, in order, and `dropped` what [`DiskStore::settle`] returned.
pub(super) fn each_new(
    met: &[StoredId],
    dropped: &[Vec<u32>],
    stays: &mut dyn FnMut(usize, usize) -> Result<(), SpillError>,
) -> Result<(), SpillError> {
    let mut dropped: Vec<_> = dropped.iter().map(|own| own.iter().peekable()).collect();
    let mut numbers = [0; SHARDS];
    for (n, id) in met.iter().enumerate() {
        let shard = id.shard();
        let number = numbers[shard];
        numbers[shard] += 1;
        if dropped[shard].next_if(|gone| **gone == number).is_none() {
            stays(n, shard)?;
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_give_way_byte_by_byte_down_to_an_eighth() {
        let most = DiskBudget::of(1 << 30);
        let same = most.less(0);
        assert_eq!((same.tables, same.filters), (most.tables, most.filters));
        assert!(same.pending <= most.pending);
        let mut before = same;
        for short in (0..=2 * most.tables).step_by(most.tables / 40) {
            let now = most.less(short);
            assert!(now.tables <= before.tables && now.pending <= before.pending);
            assert_eq!(
                now.tables,
                (most.tables - short.min(most.tables)).max(most.tables / 8)
            );
            assert!(now.pending > 0 && now.filters == most.filters);
            before = now;
        }
        assert_eq!(before.tables, most.tables / 8);
    }

    /// Only where tables that are as small as may be leave too little, and not in each round after that.
    #[test]
    fn filters_give_way_at_last() {
        let name = format!("orbitscope-filters-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let space = Space::open(&folder, None).expect("a folder");
        let (layout, budget) = (RecordLayout { key: 8, pair: 0 }, DiskBudget::of(256 << 20));
        let none = StateStore::new(layout);
        let mut store = DiskStore::from_memory(&space, &none, layout, budget).expect("room");
        for n in 0..5_000u64 {
            let key = n.to_le_bytes();
            let shard = &mut store.shards[place(&key).0];
            shard.write(&key, &[], StoredId::new(0, 0)).expect("room");
        }
        store.fill_tables().expect("they are there");
        store.make_room(1).expect("room");
        let least = budget.tables / 8;
        let all = store.heap_bytes();
        let filters = budget.filters / SHARDS / 4096 * 4096 * SHARDS;
        for (free, halved) in [
            (budget.tables, 0),
            (least, 0),
            (least - 1, 1),
            (least - 2, 1),
            (least / 2 - 2, 2),
            (least / 2 - 2, 2),
        ] {
            store.fit(free);
            assert_eq!(
                all - store.heap_bytes(),
                filters - (filters >> halved),
                "{free}"
            );
        }
        store.space.clear().expect("it goes");
    }
}
