//! The depths of states.

use crate::search::disk_store::DiskStore;
use crate::search::store::{NO_STATE, SHARDS, StateStore, StoredId};
use crate::spill::SpillError;

/// The depths of the first states of a search.
#[derive(Debug, Default)]
pub(in crate::search) struct Depths {
    /// Of states that were expanded in the memory of one process, by shard and index. A late reduction has stored them in
    /// another order than that of depths.
    early: Vec<Vec<u32>>,
    /// The number of their depths.
    count: usize,
    /// For each depth after these that is noted, and each shard, the number of states up to its end.
    ends: Vec<[u32; SHARDS]>,
}

impl Depths {
    /// Of the first states of a store in memory: `lengths` of each shard.
    pub(in crate::search) fn of_memory(store: &StateStore, lengths: &[usize; SHARDS]) -> Self {
        let parents = |shard: usize| {
            let each = (0..lengths[shard]).map(|index| store.parent(StoredId::new(shard, index)));
            each.collect()
        };
        Self::of_parents(&(0..SHARDS).map(parents).collect::<Vec<_>>())
    }

    /// Of the first states of a store on disk: `lengths` of each shard.
    pub(in crate::search) fn of_disk(
        store: &DiskStore,
        lengths: &[u32],
    ) -> Result<Self, SpillError> {
        let parents = lengths.iter().enumerate();
        let parents = parents.map(|(shard, count)| store.parents(shard, *count as usize));
        Ok(Self::of_parents(&parents.collect::<Result<Vec<_>, _>>()?))
    }

    /// Of states whose predecessors are among them.
    fn of_parents(parents: &[Vec<StoredId>]) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        let mut early: Vec<Vec<u32>> = parents.iter().map(|p| vec![UNKNOWN; p.len()]).collect();
        let mut path = Vec::new();
        for (shard, own) in parents.iter().enumerate() {
            for index in 0..own.len() {
                let mut at = StoredId::new(shard, index);
                while at != NO_STATE && early[at.shard()][at.index()] == UNKNOWN {
                    path.push(at);
                    at = parents[at.shard()][at.index()];
                }
                let mut depth = match at {
                    NO_STATE => 0,
                    known => early[known.shard()][known.index()] + 1,
                };
                while let Some(state) = path.pop() {
                    early[state.shard()][state.index()] = depth;
                    depth += 1;
                }
            }
        }
        let deepest = early.iter().flatten().max();
        Self {
            count: deepest.map_or(0, |deepest| *deepest as usize + 1),
            early,
            ends: Vec::new(),
        }
    }

    /// Notes the next depth, given the number of states of each shard up to its end.
    pub(in crate::search) fn push(&mut self, ends: &[usize; SHARDS]) {
        self.ends.push(ends.map(|states| states as u32));
    }

    /// The number of these depths.
    pub(super) fn count(&self) -> usize {
        self.count + self.ends.len()
    }

    /// The depth of a state, if it is one of these.
    pub(super) fn of(&self, shard: usize, index: usize) -> Option<usize> {
        if let Some(depth) = self.early[shard].get(index) {
            return Some(*depth as usize);
        }
        let is_before = |ends: &[u32; SHARDS]| ends[shard] as usize <= index;
        let later = self.ends.partition_point(is_before);
        (later < self.ends.len()).then_some(self.count + later)
    }

    /// The states of all these depths.
    pub(super) fn all(&self) -> impl Iterator<Item = Vec<StoredId>> {
        let mut early = vec![Vec::new(); self.count];
        for (shard, depths) in self.early.iter().enumerate() {
            for (index, depth) in depths.iter().enumerate() {
                early[*depth as usize].push(StoredId::new(shard, index));
            }
        }
        let later = (0..self.ends.len()).map(|depth| {
            let of_shard = |shard: usize| {
                let from = match depth.checked_sub(1) {
                    Some(before) => self.ends[before][shard] as usize,
                    None => self.early[shard].len(),
                };
                let range = from..self.ends[depth][shard] as usize;
                range.map(move |index| StoredId::new(shard, index))
            };
            (0..SHARDS).flat_map(of_shard).collect()
        });
        early.into_iter().chain(later)
    }
}
