//! Collapse compression of keys (Holzmann, *State compression in Spin: recursive indexing and compression training
//! runs*, 1997) with one level: keys are cut in two, and each distinct second part, the *back*, is stored once.
//!
//! The components at the end of a packed state often have few of their possible combinations, each of which occurs with
//! many states of the others. Then a number of four bytes is shorter than a back. The best cut depends on the keys:
//! none is collapsed before there are many, since it takes a tenth more time.
//!
//! The back of a key alone determines its shard, so that each back is stored in one of them. Two keys are equal if
//! fronts and numbers of backs are: states are still identified by all their bytes.

use super::shard::{BACK_NUMBER, CUT};
use super::{SHARDS, StateStore, shard_of};
use crate::machine::pack::state_hash;
use crate::source::hash::Set;

/// Bytes of a back besides its own: a slot of the table, with its share of empty ones.
const SLOT: f64 = 5.5;
/// Bytes to save for each state, at least: less is not worth the time of the look-up of backs.
const SAVED_MIN: f64 = 4.0;
/// One hash of backs in this number is sampled.
const SAMPLE: u64 = 16;
/// Cuts tried, at most.
const CUTS_MAX: usize = 8;
/// Length of keys above which fewer are sampled, since each takes longer.
const LONG: usize = 64;
/// States of the largest shard, as a multiple of the average, at most.
const UNEVEN_MAX: usize = 3;

/// Statistics of one cut, for keys whose backs are sampled.
struct CutSample {
    /// The first byte of the back.
    back: usize,
    states: usize,
    backs: Set<u64>,
    /// States of each shard, of all keys.
    shards: [usize; SHARDS],
}

impl CutSample {
    fn add(&mut self, key: &[u8]) {
        let hash = state_hash(&key[self.back..]);
        self.shards[shard_of(hash)] += 1;
        if (hash >> 48).is_multiple_of(SAMPLE) {
            self.states += 1;
            self.backs.insert(hash);
        }
    }

    /// Bytes of a key of this length.
    fn bytes(&self, key: usize) -> f64 {
        let each = self.backs.len() as f64 / self.states.max(1) as f64;
        (self.back + BACK_NUMBER) as f64 + each * ((key - self.back) as f64 + SLOT)
    }

    /// Whether shards would have about the same size: threads take one after the other, and each reserves room for its
    /// part.
    fn is_even(&self) -> bool {
        let all: usize = self.shards.iter().sum();
        let largest = self.shards.iter().max();
        largest.is_some_and(|most| *most <= all.div_ceil(SHARDS) * UNEVEN_MAX)
    }
}

impl StateStore {
    /// The best cut, if it makes records much shorter.
    #[must_use]
    pub fn best_cut(&self) -> Option<usize> {
        let key = self.layout.key;
        // Long keys are not cut at every word.
        let apart = (key / CUT).div_ceil(CUTS_MAX).max(1);
        let cuts = (CUT..key.saturating_sub(BACK_NUMBER)).step_by(CUT * apart);
        let sample = |back| CutSample {
            back,
            states: 0,
            backs: Set::default(),
            shards: [0; SHARDS],
        };
        let mut samples: Vec<CutSample> = cuts.map(sample).collect();
        let looked_at = self.reached().step_by((key / LONG).max(1));
        for id in looked_at {
            let key = self.pair(id);
            samples.iter_mut().for_each(|sample| sample.add(&key));
        }
        let even = samples.iter().filter(|sample| sample.is_even());
        let best = even.min_by(|a, b| a.bytes(key).total_cmp(&b.bytes(key)))?;
        (best.bytes(key) + SAVED_MIN <= key as f64).then_some(best.back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::store::{NO_STATE, RecordLayout, StoredId};
    use crate::source::hash::Map;
    use proptest::prelude::*;

    /// Keys of one length with few distinct ends.
    fn keys() -> impl Strategy<Value = Vec<Vec<u8>>> {
        (13..45usize).prop_flat_map(|length| {
            let end = prop::collection::vec(any::<u8>(), length - 8);
            let ends = prop::collection::vec(end, 1..6);
            let picks = prop::collection::vec((0..12u64, 0..6usize), 1..200);
            (ends, picks).prop_map(|(ends, picks)| {
                let key = |(front, end): (u64, usize)| {
                    let mut key = front.to_le_bytes().to_vec();
                    key.extend_from_slice(&ends[end % ends.len()]);
                    key
                };
                picks.into_iter().map(key).collect()
            })
        })
    }

    proptest! {
        /// For every cut, a store maps each key to the data of its first insertion.
        #[test]
        fn a_collapsed_store_is_a_map(keys in keys(), cut in 0..8usize) {
            let length = keys[0].len();
            let cuts: Vec<usize> = (CUT..length - BACK_NUMBER).step_by(CUT).collect();
            let layout = RecordLayout { key: length, pair: 0 };
            let mut store = StateStore::collapsed(layout, cuts[cut % cuts.len()]);
            let mut ids: Map<Vec<u8>, StoredId> = Map::default();
            let mut parents: Map<Vec<u8>, Option<Vec<u8>>> = Map::default();
            let mut before: Option<Vec<u8>> = None;
            for key in &keys {
                let parent = before.as_ref().map_or(NO_STATE, |key| ids[key]);
                let is_new = store.insert(key, &[], parent);
                prop_assert_eq!(is_new, !ids.contains_key(key));
                let id = store.find(key);
                prop_assert!(id.is_some());
                if is_new {
                    ids.insert(key.clone(), id.unwrap_or(NO_STATE));
                    parents.insert(key.clone(), before.clone());
                }
                before = Some(key.clone());
            }
            prop_assert_eq!(store.len(), ids.len());
            let back = store.back.unwrap_or(0);
            let different: Set<&[u8]> = keys.iter().map(|key| &key[back..]).collect();
            prop_assert_eq!(store.backs(), Some(different.len()));
            for (key, id) in &ids {
                prop_assert_eq!(&*store.pair(*id), &key[..]);
                prop_assert_eq!(store.find(key), Some(*id));
                let parent = parents[key].as_ref().map_or(NO_STATE, |parent| ids[parent]);
                prop_assert_eq!(store.parent(*id), parent);
                let mut other = key.clone();
                other[0] ^= 0x80;
                prop_assert_eq!(store.find(&other), None);
                other.clone_from(key);
                other[length - 1] ^= 1;
                prop_assert_eq!(store.find(&other), ids.get(&other).copied());
            }
        }
    }
}
