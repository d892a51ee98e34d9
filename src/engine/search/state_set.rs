//! A set of stored states, with one bit for each state.

use super::store::{SHARDS, StoredId};

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// A set of the states of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateSet {
    shards: Vec<Vec<u64>>,
}

impl StateSet {
    /// An empty set of states of shards with these numbers of states.
    pub(super) fn new(lengths: impl Iterator<Item = usize>) -> Self {
        Self {
            shards: lengths
                .map(|states| vec![0; states.div_ceil(BITS)])
                .collect(),
        }
    }

    /// Adds a state. Returns whether it is new.
    pub(super) fn insert(&mut self, id: StoredId) -> bool {
        let word = &mut self.shards[id.shard()][id.index() / BITS];
        let bit = 1 << (id.index() % BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub(super) fn contains(&self, id: StoredId) -> bool {
        self.shards[id.shard()][id.index() / BITS] & 1 << (id.index() % BITS) != 0
    }

    /// Adds the states of a set of the same store.
    pub(super) fn extend(&mut self, other: &Self) {
        for (own, others) in self.shards.iter_mut().zip(&other.shards) {
            for (word, more) in own.iter_mut().zip(others) {
                *word |= more;
            }
        }
    }

    /// The number of states.
    pub(super) fn count(&self) -> usize {
        (0..SHARDS).map(|shard| self.count_in(shard)).sum()
    }

    /// The number of states of a shard.
    pub(super) fn count_in(&self, shard: usize) -> usize {
        let words = self.shards[shard].iter();
        words.map(|word| word.count_ones() as usize).sum()
    }

    /// The states of a shard, by index.
    pub(super) fn of_shard(&self, shard: usize) -> impl Iterator<Item = StoredId> {
        let words = self.shards[shard].iter().enumerate();
        words.flat_map(move |(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < BITS).then(|| StoredId::new(shard, at * BITS + bit))
            })
        })
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> usize {
        self.shards
            .iter()
            .map(|words| size_of_val(&words[..]))
            .sum()
    }
}

/// The places of the states of a set in their shards, without those that are not in it.
pub(super) struct PlacesInSet<'s> {
    set: &'s StateSet,
    /// For each word of a shard, the states before it.
    before: Vec<Vec<u32>>,
}

impl<'s> PlacesInSet<'s> {
    pub(super) fn new(set: &'s StateSet) -> Self {
        let before = |words: &Vec<u64>| {
            let mut sum = 0;
            let counts = words.iter().map(|word| {
                let before = sum;
                sum += word.count_ones();
                before
            });
            counts.collect()
        };
        Self {
            set,
            before: set.shards.iter().map(before).collect(),
        }
    }

    /// The id of a state of the set in a store of these states alone.
    pub(super) fn place(&self, id: StoredId) -> StoredId {
        debug_assert!(self.set.contains(id));
        let (shard, at) = (id.shard(), id.index() / BITS);
        let lower = self.set.shards[shard][at] & ((1 << (id.index() % BITS)) - 1);
        let before = self.before[shard][at] + lower.count_ones();
        StoredId::new(shard, before as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_was_added() {
        let mut set = StateSet::new((0..SHARDS).map(|shard| 100 + shard));
        let some = [(0, 0), (0, 63), (0, 64), (5, 99), (5, 104), (63, 162)];
        let some = some.map(|(shard, index)| StoredId::new(shard, index));
        for id in some {
            assert!(!set.contains(id));
            assert!(set.insert(id) && !set.insert(id));
            assert!(set.contains(id));
        }
        let all: Vec<StoredId> = (0..SHARDS).flat_map(|shard| set.of_shard(shard)).collect();
        assert_eq!(all, some);
        assert_eq!((set.count(), set.count_in(5)), (some.len(), 2));
        let places = PlacesInSet::new(&set);
        let found = some.map(|id| places.place(id));
        let expected = [(0, 0), (0, 1), (0, 2), (5, 0), (5, 1), (63, 0)];
        assert_eq!(found, expected.map(|(shard, at)| StoredId::new(shard, at)));
        let mut other = StateSet::new((0..SHARDS).map(|shard| 100 + shard));
        other.insert(StoredId::new(7, 1));
        other.extend(&set);
        assert_eq!(other.count(), some.len() + 1);
    }
}
