//! Numbered lists, in few bytes each.
//!
//! An [`IndexSet`](super::hash::IndexSet) of boxed slices takes an allocation and some fifty bytes a list besides its
//! elements; here the elements of all lists stand in one array, and a list takes about fifteen.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::HashTable;

use super::hash::Fx;

/// A set of lists, each with a head; most have the head `()`. The number of a list is how many were added before.
#[derive(Clone, Debug)]
pub struct ListSet<T, H = ()> {
    /// Where each list ends in `elements`; it begins where the one before ends.
    ends: Vec<usize>,
    heads: Vec<H>,
    elements: Vec<T>,
    /// Numbers of lists, by the hash of head and elements.
    table: HashTable<u32>,
}

impl<T, H> Default for ListSet<T, H> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            heads: Vec::new(),
            elements: Vec::new(),
            table: HashTable::new(),
        }
    }
}

impl<T: Copy + Eq + Hash, H: Copy + Eq + Hash> ListSet<T, H> {
    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The elements of a list.
    #[inline]
    #[must_use]
    pub fn list(&self, number: u32) -> &[T] {
        let at = number as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.elements[from..self.ends[at]]
    }

    /// The head of a list.
    #[inline]
    #[must_use]
    pub fn head(&self, number: u32) -> H {
        self.heads[number as usize]
    }

    /// The number of a list.
    #[must_use]
    pub fn find(&self, head: H, list: &[T]) -> Option<u32> {
        let is_same = |number: &u32| self.head(*number) == head && self.list(*number) == list;
        self.table.find(hash(head, list), is_same).copied()
    }

    /// The number of a list, which is added if it is new.
    pub fn insert(&mut self, head: H, list: &[T]) -> u32 {
        if let Some(found) = self.find(head, list) {
            return found;
        }
        let number = self.len() as u32;
        self.elements.extend_from_slice(list);
        self.ends.push(self.elements.len());
        self.heads.push(head);
        // The table is taken out while it reads the lists.
        let mut table = std::mem::take(&mut self.table);
        let rehash = |number: &u32| hash(self.head(*number), self.list(*number));
        table.insert_unique(rehash(&number), number, rehash);
        self.table = table;
        number
    }
}

fn hash<T: Hash, H: Hash>(head: H, list: &[T]) -> u64 {
    let mut hasher = Fx.build_hasher();
    head.hash(&mut hasher);
    list.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_are_numbered_as_by_an_index_set(
            lists in prop::collection::vec((0u8..2, prop::collection::vec(0u16..3, 0..4)), 0..80)
        ) {
            let mut set = ListSet::default();
            let mut expected = crate::source::hash::IndexSet::default();
            for (head, list) in &lists {
                let number = expected.get_index_of(&(*head, list)).map(|at| at as u32);
                prop_assert_eq!(set.find(*head, list), number);
                let at = expected.insert_full((*head, list)).0;
                prop_assert_eq!(set.insert(*head, list), at as u32);
            }
            prop_assert_eq!(set.len(), expected.len());
            for (number, (head, list)) in (0..).zip(&expected) {
                prop_assert_eq!((set.head(number), set.list(number)), (*head, &list[..]));
            }
        }
    }
}
