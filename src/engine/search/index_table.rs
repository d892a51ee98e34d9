//! Hash table from keys stored elsewhere to their numbers, with four bytes a slot.
//!
//! A slot holds some bits of the hash beside the number, so one memory access rejects nearly every other key. The first
//! slot of a key depends on its hash alone: before many look-ups, these slots can be prefetched, so that their memory
//! accesses overlap ([`IndexTable::fetch`]).

use std::cmp::Ordering;

use prefetch_index::prefetch_index;

/// Bits of a number in a slot; the rest are bits of the hash.
const NUMBER_BITS: u32 = 26;
/// The number in a slot.
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;
/// One more than the largest number: the next one would be that of an empty slot.
pub(super) const NUMBERS_MAX: usize = NUMBER as usize;
/// An empty slot.
// Not zero. The system makes a page of zeros only when something is written to it. A search reads a page before that,
// and then the system has to interrupt all other threads when it makes it.
const EMPTY: u32 = u32::MAX;
/// Slots from which a table grows by half or a third instead of doubling: it is rebuilt more often then, but less of it
/// is empty.
const LARGE: usize = 1 << 17;

/// Numbers by hashes; the caller compares keys.
#[derive(Debug, Default)]
pub(super) struct IndexTable {
    /// Zero slots, a power of two, or three quarters of one. Some are empty, so every search ends.
    slots: Vec<u32>,
    len: usize,
}

/// The bits of a hash in a slot. (The lower half determines the slot, some bits in the middle of the upper one the
/// shard of a store.)
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32 & !NUMBER
}

/// The place of a hash in the order in which tables hold them: a number whose order is that of first slots, in tables of
/// all sizes.
#[must_use]
pub(in crate::search) fn table_order(hash: u64) -> u64 {
    hash.rotate_left(32)
}

impl IndexTable {
    /// A table with room for `count` keys.
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

    /// Number of keys when it is full.
    pub(super) fn capacity(&self) -> usize {
        self.slots.len() * 13 / 16
    }

    /// Removes all entries, and keeps its slots.
    pub(super) fn clear(&mut self) {
        self.slots.fill(EMPTY);
        self.len = 0;
    }

    /// The first slot of a search: the lower half of the hash as a fraction of the table.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        ((u64::from(hash as u32) * self.slots.len() as u64) >> 32) as usize
    }

    /// Whether the table has to grow before the next entry.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len == self.capacity()
    }

    /// Calls `each` for the numbers whose hashes have these bits, until it returns true. Returns the empty slot after
    /// them otherwise.
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

    /// Enters a number for a key unless the key is there. Returns whether it was entered. The table must not be full.
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

    /// Calls `each` for the numbers of keys that may have this hash, in no particular order.
    pub(super) fn all_with(&self, hash: u64, mut each: impl FnMut(usize)) {
        self.candidates(hash, |number| {
            each(number);
            false
        });
    }

    /// Calls `each` with all numbers in the order of [`table_order`] of their hashes, and those of one hash in the order of
    /// `compare`.
    pub(super) fn each_in_order(
        &self,
        hash_of: impl Fn(usize) -> u64,
        compare: impl Fn(usize, usize) -> Ordering,
        mut each: impl FnMut(usize),
    ) {
        // First slots whose numbers are sorted together.
        const TOGETHER: usize = 1 << 10;
        let mut together: Vec<(u64, usize)> = Vec::with_capacity(TOGETHER);
        for from in (0..self.slots.len()).step_by(TOGETHER) {
            let own = from..(from + TOGETHER).min(self.slots.len());
            // Where a first slot was taken, the number is behind it, maybe after the last slot and from the beginning on; but
            // no slot between them is empty.
            let all = self.slots[from..].iter().chain(&self.slots[..from]);
            for (after, slot) in all.enumerate() {
                if *slot == EMPTY && after + 1 >= own.len() {
                    break;
                }
                if *slot != EMPTY {
                    let number = (slot & NUMBER) as usize;
                    let hash = hash_of(number);
                    if own.contains(&self.first(hash)) {
                        together.push((table_order(hash), number));
                    }
                }
            }
            together.sort_unstable_by(|(a, one), (b, other)| {
                a.cmp(b).then_with(|| compare(*one, *other))
            });
            together.drain(..).for_each(|(_, number)| each(number));
        }
    }

    /// Prefetches the first slot for a hash.
    #[inline]
    pub(super) fn fetch(&self, hash: u64) {
        prefetch_index(&self.slots, self.first(hash));
    }

    /// The first number that a search would compare, if there is one.
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

    /// Hashes that often agree in the slot, in the tag or in both.
    fn hash() -> impl Strategy<Value = u64> {
        (0..4u64, 0..3u64, 0..2u64).prop_map(|(slot, tag, other)| {
            // The last slots of small tables, after which a search wraps around.
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

    /// With thousands of slots, and many numbers whose first slots are the last ones of the table, or near to these.
    #[test]
    fn all_come_in_order() {
        for (count, crowded) in [(3_000, 5), (9_000, 700), (200_000, 3_000)] {
            let mut table = IndexTable::with_room(count);
            let hash_of = |n: usize| match n % 7 {
                0 if n < 7 * crowded => u64::MAX - ((n as u64 % 5) << 40),
                1 if n < 7 * crowded => 0x3fff_ffff + ((n as u64 % 11) << 20),
                _ => (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            };
            for number in 0..count {
                assert!(table.enter(hash_of(number), number, |_| false));
            }
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|n| (table_order(hash_of(*n)), *n));
            let mut told = Vec::new();
            table.each_in_order(hash_of, |a, b| a.cmp(&b), |n| told.push(n));
            assert_eq!(told, expected, "{count}");
        }
    }

    proptest! {
        /// It agrees with a map while it is filled and grown, with many equal hashes.
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
                // Several numbers for one key, if requested.
                let is_same = |n: usize| !again && list[n] == key;
                let is_new = table.enter(of(key), number, is_same);
                prop_assert_eq!(is_new, again || !map.contains_key(&key));
                if is_new {
                    list.push(key);
                    map.entry(key).or_insert(number);
                }
                let mut in_order: Vec<usize> = (0..list.len()).collect();
                in_order.sort_by_key(|n| (table_order(of(list[*n])), std::cmp::Reverse(*n)));
                let mut told = Vec::new();
                table.each_in_order(|n| of(list[n]), |a, b| b.cmp(&a), |n| told.push(n));
                prop_assert_eq!(told, in_order);
                for key in 0..40 {
                    let is_same = |n: usize| list[n] == key;
                    // Of several the one entered first: later ones never come before it.
                    prop_assert_eq!(table.find(of(key), is_same), map.get(&key).copied());
                    let mut all = Vec::new();
                    table.all_with(of(key), |n| if is_same(n) { all.push(n) });
                    all.sort_unstable();
                    let expected: Vec<usize> = (0..list.len()).filter(|n| is_same(*n)).collect();
                    prop_assert_eq!(all, expected);
                    // A number with the same bits of the hash, and some number if the key is there.
                    let peeked = table.peek(of(key));
                    prop_assert!(peeked.is_none_or(|n| tag(of(list[n])) == tag(of(key))));
                    prop_assert!(peeked.is_some() || !map.contains_key(&key));
                }
            }
        }
    }
}
