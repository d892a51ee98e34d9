//! A hash table from keys that stand elsewhere to their numbers, in four bytes a slot.
//!
//! A slot holds some bits of the hash beside the number, so one access to memory tells of nearly every key that it
//! is another one. Where a key is looked for first is told by its hash alone: whoever is about to look for many keys
//! can have these places fetched before, so that their ways from memory overlap ([`IndexTable::fetch`]).

use prefetch_index::prefetch_index;

/// Bits of a number in a slot; the rest are bits of the hash.
const NUMBER_BITS: u32 = 26;
/// The number in a slot.
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;
/// One more than the largest number that can be entered: the next would be that of an empty slot.
pub(super) const NUMBERS_MAX: usize = NUMBER as usize;
/// An empty slot.
// Not zero. The system makes a page of zeros only when something is written to it. A search reads a page before that,
// and then the system has to interrupt all other threads when it makes it.
const EMPTY: u32 = u32::MAX;
/// Slots from which on a table grows by half or a third, and not to twice its size: it is made anew more often then,
/// and less of it is empty.
const LARGE: usize = 1 << 17;

/// Numbers by hashes; keys are compared by whoever has them.
#[derive(Debug, Default)]
pub(super) struct IndexTable {
    /// None, or a power of two of them, or three quarters of one. Some are empty, so every search ends.
    slots: Vec<u32>,
    len: usize,
}

/// The bits of a hash that a slot holds. (The slot is told by the lower half, the shard of a store by some in the
/// middle of the upper one.)
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32 & !NUMBER
}

impl IndexTable {
    /// One into which so many keys can be entered before it is full.
    pub(super) fn with_room(count: usize) -> Self {
        let least = (count * 16).div_ceil(13);
        let twice = least.next_power_of_two().max(4);
        let between = twice / 4 * 3;
        let slots = match between >= least && between > LARGE {
            true => between,
            false => twice,
        };
        Self {
            slots: vec![EMPTY; slots],
            len: 0,
        }
    }

    /// How many keys it holds before it is full.
    pub(super) fn capacity(&self) -> usize {
        self.slots.len() * 13 / 16
    }

    /// Where a search begins: the lowest half of the hash as a fraction of the table.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        ((u64::from(hash as u32) * self.slots.len() as u64) >> 32) as usize
    }

    /// Whether another table is needed before anything is entered.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len == self.capacity()
    }

    /// The numbers that were entered with hashes like this, and the empty slot behind them.
    #[inline]
    fn candidates(&self, hash: u64, mut each: impl FnMut(usize) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.first(hash);
        loop {
            let Some(slot) = self.slots.get(at) else {
                at = 0;
                continue;
            };
            if *slot == EMPTY {
                return Some(at);
            }
            if (slot ^ tag(hash)) & !NUMBER == 0 && each((slot & NUMBER) as usize) {
                return None;
            }
            at += 1;
        }
    }

    /// The number of a key.
    #[inline]
    pub(super) fn find(&self, hash: u64, is_same: impl Fn(usize) -> bool) -> Option<usize> {
        let mut found = None;
        self.candidates(hash, |number| {
            found = is_same(number).then_some(number);
            found.is_some()
        });
        found
    }

    /// Enters a number for a key unless the key is there; true if it was entered. It must not be full.
    #[inline]
    pub(super) fn enter(
        &mut self,
        hash: u64,
        number: usize,
        is_same: impl Fn(usize) -> bool,
    ) -> bool {
        debug_assert!(!self.is_full() && number < NUMBERS_MAX);
        let Some(empty) = self.candidates(hash, is_same) else {
            return false;
        };
        self.slots[empty] = tag(hash) | number as u32;
        self.len += 1;
        true
    }

    /// Calls `each` for the numbers of keys that may have this hash, in no order.
    pub(super) fn all_with(&self, hash: u64, mut each: impl FnMut(usize)) {
        self.candidates(hash, |number| {
            each(number);
            false
        });
    }

    /// Has the place fetched at which a search for a key begins.
    #[inline]
    pub(super) fn fetch(&self, hash: u64) {
        prefetch_index(&self.slots, self.first(hash));
    }

    /// The first number that a search for a key would compare, if there is one.
    #[inline]
    pub(super) fn peek(&self, hash: u64) -> Option<usize> {
        self.find(hash, |_| true)
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::hash::Map;
    use proptest::prelude::*;

    /// Hashes that mostly agree in the slot, in the tag or in both.
    fn hash() -> impl Strategy<Value = u64> {
        (0..4u64, 0..3u64, 0..2u64).prop_map(|(slot, tag, other)| {
            // The last slots of small tables, from which a search goes on at the first.
            let slot = slot.wrapping_sub(2) & 0xffff_ffff;
            slot | tag << 58 | other << 50
        })
    }

    #[test]
    fn a_table_has_room_and_not_much_more() {
        for count in (1..200).chain([159_744, 159_745, 212_993, 2_416_600]) {
            let table = IndexTable::with_room(count);
            assert!(table.capacity() >= count && table.capacity() < table.slots.len());
            // The next smaller one would have been full.
            let less = if count > 200 { 3 } else { 2 };
            assert!(table.capacity() < 4 || table.capacity() / less * (less - 1) <= count);
        }
    }

    proptest! {
        /// It finds what a map does, while it is filled and grown: each key by its hash, of which many agree.
        #[test]
        fn it_is_a_map(keys in prop::collection::vec((0..40u32, any::<bool>()), 0..120), hashes in prop::collection::vec(hash(), 40)) {
            let of = |key: u32| hashes[key as usize];
            let mut table = IndexTable::default();
            let mut list: Vec<u32> = Vec::new();
            let mut map: Map<u32, usize> = Map::default();
            for (key, again) in keys {
                if table.is_full() {
                    let mut larger = IndexTable::with_room(table.capacity() + 1);
                    for (number, key) in list.iter().enumerate() {
                        prop_assert!(larger.enter(of(*key), number, |_| false));
                    }
                    prop_assert!(larger.capacity() > table.capacity());
                    table = larger;
                }
                let number = list.len();
                // Several numbers of one key, where that is asked for.
                let is_same = |n: usize| !again && list[n] == key;
                let is_new = table.enter(of(key), number, is_same);
                prop_assert_eq!(is_new, again || !map.contains_key(&key));
                if is_new {
                    list.push(key);
                    map.entry(key).or_insert(number);
                }
                for key in 0..40 {
                    let is_same = |n: usize| list[n] == key;
                    // Of several the one that was entered first: what follows never comes to stand before it.
                    prop_assert_eq!(table.find(of(key), is_same), map.get(&key).copied());
                    let mut all = Vec::new();
                    table.all_with(of(key), |n| if is_same(n) { all.push(n) });
                    all.sort_unstable();
                    let expected: Vec<usize> = (0..list.len()).filter(|n| is_same(*n)).collect();
                    prop_assert_eq!(all, expected);
                    // One with the same bits of the hash, and there is one where the key is there.
                    let peeked = table.peek(of(key));
                    prop_assert!(peeked.is_none_or(|n| tag(of(list[n])) == tag(of(key))));
                    prop_assert!(peeked.is_some() || !map.contains_key(&key));
                }
            }
        }
    }
}
