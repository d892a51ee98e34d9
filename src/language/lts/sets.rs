//! Sets of numbers that share their parts.
//!
//! The sets that are reachable from the states of a long run of τs differ little from one state to the next: listed
//! one by one they take space quadratic in its length. Here a set is a binary trie over the bits of its members,
//! with bitmaps at the leaves, and equal tries are stored once. So equal sets have equal handles, and a union goes
//! only where its operands differ.

use crate::source::hash::{IndexSet, Map};

/// A set, by number. Sets are equal if and only if their handles are.
pub(super) type SetId = u32;
/// The empty set.
pub(super) const EMPTY: SetId = 0;

/// Members that a leaf has room for, as a power of two: the bits of a word.
const LEAF_BITS: u32 = 6;
/// Unions that are remembered: beyond that all are forgotten, and found again if need be.
const UNIONS_MAX: usize = 1 << 20;
/// Parts up to which nothing is thrown away.
const PARTS_KEPT: usize = 1 << 18;

/// All sets of numbers below some bound.
#[derive(Debug)]
pub(super) struct SharedSets {
    /// The number of levels above the leaves.
    height: u32,
    leaves: IndexSet<u64>,
    /// The halves of sets, each a pair or a leaf of the level below.
    pairs: IndexSet<(SetId, SetId)>,
    /// By level and operands, the lesser handle first.
    unions: Map<(u32, SetId, SetId), SetId>,
    /// The number of parts from which garbage collection pays.
    parts_max: usize,
    /// Parts of sets that were looked at so far.
    pub work: usize,
}

impl SharedSets {
    /// For numbers below a bound.
    pub fn new(bound: usize) -> Self {
        let bits = usize::BITS - bound.saturating_sub(1).leading_zeros();
        Self {
            height: bits.saturating_sub(LEAF_BITS),
            // The empty set is number 0 on every level.
            leaves: [0].into_iter().collect(),
            pairs: [(EMPTY, EMPTY)].into_iter().collect(),
            unions: Map::default(),
            parts_max: PARTS_KEPT,
            work: 0,
        }
    }

    /// The total size of all sets.
    pub fn size(&self) -> usize {
        self.leaves.len() + self.pairs.len() + self.unions.len()
    }

    /// The set of one number.
    pub fn single(&mut self, member: u32) -> SetId {
        self.work += 1;
        let bit = 1 << (member & ((1 << LEAF_BITS) - 1));
        let mut set = self.leaves.insert_full(bit).0 as SetId;
        for level in 0..self.height {
            let pair = match is_right(member, level) {
                true => (EMPTY, set),
                false => (set, EMPTY),
            };
            set = self.pairs.insert_full(pair).0 as SetId;
        }
        set
    }

    /// The union of two sets.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if self.unions.len() >= UNIONS_MAX {
            self.unions = Map::default();
        }
        self.union_at(self.height, a, b)
    }

    fn union_at(&mut self, level: u32, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        self.work += 1;
        if level == 0 {
            let both = self.leaves[a as usize] | self.leaves[b as usize];
            return self.leaves.insert_full(both).0 as SetId;
        }
        let key = (level, a.min(b), a.max(b));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let (x, y) = (self.pairs[a as usize], self.pairs[b as usize]);
        let left = self.union_at(level - 1, x.0, y.0);
        let right = self.union_at(level - 1, x.1, y.1);
        let union = self.pairs.insert_full((left, right)).0 as SetId;
        self.unions.insert(key, union);
        union
    }

    /// Whether a set has a number.
    pub fn contains(&self, mut set: SetId, member: u32) -> bool {
        for level in (0..self.height).rev() {
            let (left, right) = self.pairs[set as usize];
            set = if is_right(member, level) { right } else { left };
        }
        self.leaves[set as usize] >> (member & ((1 << LEAF_BITS) - 1)) & 1 == 1
    }

    /// Whether so many parts were made that most of them are likely not to be needed any longer.
    pub fn is_full(&self) -> bool {
        self.leaves.len() + self.pairs.len() >= self.parts_max
    }

    /// Throws away all sets but those that `keep` asks its argument for: it is given the old handle of a set, and
    /// gives the new one.
    pub fn retain(&mut self, keep: impl FnOnce(&mut dyn FnMut(SetId) -> SetId)) {
        let mut kept = Self {
            height: self.height,
            ..Self::new(0)
        };
        let mut moved = Map::default();
        keep(&mut |set| kept.copy(self, self.height, set, &mut moved));
        kept.work = self.work;
        kept.parts_max = (2 * (kept.leaves.len() + kept.pairs.len())).max(PARTS_KEPT);
        *self = kept;
    }

    fn copy(
        &mut self,
        old: &Self,
        level: u32,
        set: SetId,
        moved: &mut Map<(u32, SetId), SetId>,
    ) -> SetId {
        if set == EMPTY {
            return EMPTY;
        }
        if level == 0 {
            return self.leaves.insert_full(old.leaves[set as usize]).0 as SetId;
        }
        if let Some(known) = moved.get(&(level, set)) {
            return *known;
        }
        let (left, right) = old.pairs[set as usize];
        let left = self.copy(old, level - 1, left, moved);
        let right = self.copy(old, level - 1, right, moved);
        let copy = self.pairs.insert_full((left, right)).0 as SetId;
        moved.insert((level, set), copy);
        copy
    }
}

/// Whether a number is in the right half of a set that has so many levels of pairs below it.
fn is_right(member: u32, level: u32) -> bool {
    member >> (LEAF_BITS + level) & 1 == 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn made(sets: &mut SharedSets, members: &BTreeSet<u32>) -> SetId {
        members.iter().fold(EMPTY, |set, member| {
            let single = sets.single(*member);
            sets.union(single, set)
        })
    }

    proptest! {
        #[test]
        fn they_are_sets(
            bound in 1u32..700,
            lists in proptest::collection::vec(proptest::collection::btree_set(0u32..700, 0..40), 1..6),
        ) {
            let mut sets = SharedSets::new(bound as usize);
            let lists: Vec<BTreeSet<u32>> =
                lists.iter().map(|list| list.iter().map(|m| m % bound).collect()).collect();
            let mut handles: Vec<SetId> = lists.iter().map(|list| made(&mut sets, list)).collect();
            for again in [false, true] {
                for (a, of_a) in lists.iter().zip(&handles) {
                    for member in 0..bound {
                        prop_assert_eq!(sets.contains(*of_a, member), a.contains(&member));
                    }
                    for (b, of_b) in lists.iter().zip(&handles) {
                        prop_assert_eq!(of_a == of_b, a == b);
                        let union = made(&mut sets, &a.union(b).copied().collect());
                        prop_assert_eq!(sets.union(*of_a, *of_b), union);
                    }
                }
                // The same holds of what is left when the rest is thrown away.
                if !again {
                    sets.retain(|new| handles.iter_mut().for_each(|set| *set = new(*set)));
                }
            }
        }
    }
}
