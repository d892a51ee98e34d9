//! One shard of a store: the states whose hashes belong to it, in order of insertion.

use smallvec::SmallVec;

use super::records::Records;
use super::{RecordLayout, StateBytes, StoredId};
use crate::machine::pack::state_hash;

/// Bytes of a parent.
const PARENT: usize = 4;
/// Bytes of the number of a back.
pub(super) const BACK_NUMBER: usize = 4;
/// Keys are cut at multiples of this number of bytes.
pub(super) const CUT: usize = 8;

/// A collapsed key as in a record: its front, and the number of its back.
type ShortKey = SmallVec<[u8; 64]>;

/// The states of one shard.
#[derive(Debug, Default)]
pub struct Shard {
    layout: RecordLayout,
    /// After each key, the state if that differs, and the parent.
    states: Records,
    /// The backs of the keys, if they are collapsed.
    backs: Option<Backs>,
}

/// The distinct backs of keys.
#[derive(Debug)]
struct Backs {
    /// Their first byte in a key.
    from: usize,
    all: Records,
}

impl Shard {
    /// An empty shard. If keys are collapsed, their backs begin at `back`.
    pub(super) fn new(layout: RecordLayout, back: Option<usize>) -> Self {
        let key = back.map_or(layout.key, |from| from + BACK_NUMBER);
        Self {
            layout,
            states: Records::new(key, layout.pair + PARENT),
            backs: back.map(|from| Backs {
                from,
                all: Records::new(layout.key - from, 0),
            }),
        }
    }

    /// The state with this index.
    #[must_use]
    pub fn pair(&self, index: usize) -> StateBytes<'_> {
        let RecordLayout { key, pair } = self.layout;
        let record = self.states.record(index);
        match &self.backs {
            None => {
                // If the pair takes no bytes, the key is the state.
                let from = if pair == 0 { 0 } else { key };
                StateBytes::Whole(&record[from..key + pair])
            }
            Some(backs) => {
                let (front, number) = record.split_at(backs.from);
                let mut joined = SmallVec::from_slice(front);
                joined.extend_from_slice(backs.all.record(number_of(number)));
                StateBytes::Joined(joined)
            }
        }
    }

    /// The key of the state with this index, and the state itself if that differs.
    #[must_use]
    pub fn key_and_pair(&self, index: usize) -> (StateBytes<'_>, &[u8]) {
        match self.layout {
            RecordLayout { pair: 0, .. } => (self.pair(index), &[]),
            RecordLayout { key, pair } => {
                let record = self.states.record(index);
                (StateBytes::Whole(&record[..key]), &record[key..key + pair])
            }
        }
    }

    /// Prefetches the record of a state.
    #[inline]
    pub(super) fn fetch(&self, index: usize) {
        self.states.fetch(index);
    }

    /// Prefetches the back of a state's key.
    #[inline]
    pub(super) fn fetch_back(&self, index: usize) {
        if let Some(backs) = &self.backs {
            let number = &self.states.record(index)[backs.from..];
            backs.all.fetch(number_of(number));
        }
    }

    /// The state from which this one was first reached.
    #[must_use]
    pub fn parent(&self, index: usize) -> StoredId {
        let value = self.states.value(index);
        StoredId(number_of(&value[self.layout.pair..]) as u32)
    }

    /// Sets the state from which this one was first reached.
    pub fn set_parent(&mut self, index: usize, parent: StoredId) {
        let from = self.layout.pair;
        self.states.value_mut(index)[from..].copy_from_slice(&parent.0.to_le_bytes());
    }

    /// Adds a state unless its key is there. Returns whether it was added. `hash` is that of
    /// [`super::StateStore::place`]. `key` and `pair` may be shorter than their parts of a record; `pair` is empty if
    /// the key is the state.
    pub fn insert(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) -> bool {
        let Some(from) = self.back() else {
            return self.insert_short(hash, key, pair, parent);
        };
        let number = self.back_number(hash, key);
        let short = short_key(&key[..from], number);
        self.insert_short(state_hash(&short), &short, pair, parent)
    }

    /// Adds a state by its key as in a record, and the hash of that, unless it is there.
    #[inline]
    pub fn insert_short(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) -> bool {
        let end = self.layout.pair;
        let write = |bytes: &mut Vec<u8>| write_value(bytes, pair, end, parent);
        self.states.insert(hash, key, write)
    }

    /// Adds a state even if its key is there.
    pub fn insert_duplicate(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) {
        debug_assert!(self.backs.is_none(), "keys are all there is to a state");
        let end = self.layout.pair;
        let write = |bytes: &mut Vec<u8>| write_value(bytes, pair, end, parent);
        self.states.insert_duplicate(hash, key, write);
    }

    /// The first byte of the backs, if keys are collapsed: then they are looked up by the numbers of their backs.
    #[must_use]
    pub fn back(&self) -> Option<usize> {
        self.backs.as_ref().map(|backs| backs.from)
    }

    /// The number of a key's back, which is added if new; `hash` is the back's.
    #[inline]
    pub fn back_number(&mut self, hash: u64, key: &[u8]) -> u32 {
        let Some(backs) = &mut self.backs else {
            debug_assert!(false, "keys are not collapsed");
            return 0;
        };
        let back = &key[backs.from..];
        let known = backs.all.find(hash, back);
        let number = known.unwrap_or_else(|| {
            backs.all.insert_duplicate(hash, back, |_| {});
            backs.all.len() - 1
        });
        number as u32
    }

    /// Prefetches the first slot for a key as in a record.
    #[inline]
    pub fn fetch_slot(&self, hash: u64) {
        self.states.fetch_slot(hash);
    }

    /// Prefetches the record that a search compares first, once its slot is in the cache.
    #[inline]
    pub fn fetch_record(&self, hash: u64) {
        self.states.fetch_record(hash);
    }

    /// As [`Shard::fetch_slot`], for a back.
    #[inline]
    pub fn fetch_back_slot(&self, hash: u64) {
        if let Some(backs) = &self.backs {
            backs.all.fetch_slot(hash);
        }
    }

    /// As [`Shard::fetch_record`], for a back.
    #[inline]
    pub fn fetch_back_record(&self, hash: u64) {
        if let Some(backs) = &self.backs {
            backs.all.fetch_record(hash);
        }
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Number of distinct backs.
    pub(super) fn backs(&self) -> usize {
        self.backs.as_ref().map_or(0, |backs| backs.all.len())
    }

    /// Whether a key is there.
    #[must_use]
    pub fn contains(&self, hash: u64, key: &[u8]) -> bool {
        self.find(hash, key).is_some()
    }

    /// The index of a key.
    pub(super) fn find(&self, hash: u64, key: &[u8]) -> Option<usize> {
        let Some(backs) = &self.backs else {
            return self.states.find(hash, key);
        };
        let (front, back) = key.split_at(backs.from);
        let number = backs.all.find(hash, back)?;
        let short = short_key(front, number as u32);
        self.states.find(state_hash(&short), &short)
    }

    /// All states with a key, in order of insertion.
    pub fn all_with(&self, hash: u64, key: &[u8], found: &mut Vec<usize>) {
        debug_assert!(self.backs.is_none(), "keys are all there is to a state");
        self.states.all_with(hash, key, found);
    }

    /// Makes room for longer states.
    pub(super) fn set_layout(&mut self, layout: RecordLayout) {
        // A network with collapsed states keeps its format.
        assert!(
            self.backs.is_none(),
            "states that were collapsed are longer"
        );
        let before = self.layout;
        let write = |value: &[u8], bytes: &mut Vec<u8>| {
            let (pair, parent) = value.split_at(before.pair);
            write_value(bytes, pair, layout.pair, StoredId(number_of(parent) as u32));
        };
        self.states
            .lengthen(layout.key, layout.pair + PARENT, write);
        self.layout = layout;
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> usize {
        let backs = self.backs.as_ref();
        self.states.heap_bytes() + backs.map_or(0, |backs| backs.all.heap_bytes())
    }
}

/// Appends a state, padded with zeros to a length, and its parent.
#[inline]
fn write_value(bytes: &mut Vec<u8>, pair: &[u8], length: usize, parent: StoredId) {
    let end = bytes.len() + length;
    if length > 0 {
        bytes.extend_from_slice(pair);
        bytes.resize(end, 0);
    }
    bytes.extend_from_slice(&parent.0.to_le_bytes());
}

/// Appends a key as in a record.
#[inline]
pub fn append_short(front: &[u8], back: u32, append: &mut impl FnMut(&[u8])) {
    // Word by word, without remainder: a copy of unknown length is a call.
    let (words, rest) = front.as_chunks::<CUT>();
    debug_assert!(rest.is_empty());
    words.iter().for_each(|word| append(word));
    append(&back.to_le_bytes());
}

/// A collapsed key as in a record.
fn short_key(front: &[u8], back: u32) -> ShortKey {
    let mut short = ShortKey::new();
    append_short(front, back, &mut |piece| short.extend_from_slice(piece));
    short
}

/// The number in the first four bytes.
#[inline]
fn number_of(bytes: &[u8]) -> usize {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
}
