//! The states of a search: packed bytes in arenas, found through slots of 32 bits with an index and some bits of the
//! hash ([`super::index_table`]).
//!
//! States are identified by all their bytes, never by a hash. The store is cut into shards by hash,
//! so that several threads can add states at once; which shard and which index a state gets does not
//! depend on the number of threads.

use prefetch_index::prefetch_index;

use super::index_table::{IndexTable, NUMBERS_MAX};
use crate::machine::pack::last_word;

/// A stored state: shard in the upper bits, index in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoredId(pub u32);

// Shards enough for some tens of threads; the other 26 bits count 67 million states in each.
const SHARD_BITS: u32 = 6;
const INDEX_BITS: u32 = 32 - SHARD_BITS;

/// Number of shards, into which states go by their hash.
pub const SHARDS: usize = 1 << SHARD_BITS;
/// Number of states that one shard can hold.
// Two less than the bits could tell: the last ones of the last shard would be `NO_STATE` and `BESIDE`.
pub const SHARD_MAX: usize = (1 << INDEX_BITS) - 2;
// The table of a shard has to hold all of them.
const _: () = assert!(SHARD_MAX <= NUMBERS_MAX);
/// The parent of an initial state.
pub const NO_STATE: StoredId = StoredId(u32::MAX);
/// The parent of a state that is remembered only because another one of its orbit was reached: it is not
/// expanded, and no path leads through it.
pub const BESIDE: StoredId = StoredId(u32::MAX - 1);

impl StoredId {
    /// From shard and index.
    #[must_use]
    pub fn new(shard: usize, index: usize) -> Self {
        Self((shard as u32) << INDEX_BITS | index as u32)
    }
    /// The shard that it is in.
    #[must_use]
    pub fn shard(self) -> usize {
        (self.0 >> INDEX_BITS) as usize
    }
    /// Its place in the shard, by which its record is found.
    #[must_use]
    pub fn index(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }
}

/// Which shard a hash belongs to. (The table of a shard takes its tag from the top bits and its slot from the
/// low ones: the shard must use neither.)
#[must_use]
pub fn shard_of(hash: u64) -> usize {
    (hash >> 40) as usize & (SHARDS - 1)
}

/// States of one segment of a shard. Segments are never moved: a growing vector would need twice the
/// memory while it is copied, and waste up to half of it afterwards.
const SEGMENT: usize = 1 << 12;

/// How long the parts of a record are, in bytes; all records of a store have one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordLayout {
    /// What a state is looked up by: the state itself, or what stands for it.
    pub key: usize,
    /// The state to be expanded, where that is not the key; otherwise none.
    pub pair: usize,
}

impl RecordLayout {
    /// Bytes of a record, with its parent.
    fn record(self) -> usize {
        self.key + self.pair + 4
    }
}

/// The states whose hashes lead to one shard, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Shard {
    layout: RecordLayout,
    /// Records: key, state if that is another, and parent (four bytes).
    segments: Vec<Vec<u8>>,
    len: usize,
    table: IndexTable,
}

/// A record.
fn record(segments: &[Vec<u8>], layout: RecordLayout, index: usize) -> &[u8] {
    // All records have one length, so the index is the place.
    let at = index % SEGMENT * layout.record();
    &segments[index / SEGMENT][at..at + layout.record()]
}

/// The key in a record.
fn key_of(segments: &[Vec<u8>], layout: RecordLayout, index: usize) -> &[u8] {
    &record(segments, layout, index)[..layout.key]
}

/// Whether a stored key is this one, which may be shorter than its part of the record.
#[inline]
fn is_same(stored: &[u8], key: &[u8]) -> bool {
    // Never longer than that: `find` asks, and a search makes room before it inserts.
    let (there, padding) = stored.split_at(key.len());
    // Word by word: to compare what has no known length costs a call.
    let ((a, rest), (b, other)) = (there.as_chunks::<8>(), key.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let differ = a
        .iter()
        .zip(b)
        .fold(0, |all, (a, b)| all | (word(a) ^ word(b)));
    let rest = rest.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    differ == 0 && rest == 0 && padding.iter().all(|b| *b == 0)
}

impl Shard {
    fn key(&self, index: usize) -> &[u8] {
        key_of(&self.segments, self.layout, index)
    }

    fn pair(&self, index: usize) -> &[u8] {
        let RecordLayout { key, pair } = self.layout;
        let record = record(&self.segments, self.layout, index);
        // Without a part of its own the state is the key.
        let from = if pair == 0 { 0 } else { key };
        &record[from..key + pair]
    }

    fn parent(&self, index: usize) -> StoredId {
        let record = record(&self.segments, self.layout, index);
        let bytes = &record[record.len() - 4..];
        StoredId(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Adds a state unless its key is there; true if it was added. `key` and `pair` may be shorter than
    /// their parts of a record; `pair` is empty where the key is the state.
    pub fn insert(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) -> bool {
        if self.table.is_full() {
            self.grow();
        }
        let Self {
            layout,
            segments,
            len,
            table,
        } = self;
        let same = |index: usize| is_same(key_of(segments, *layout, index), key);
        // The index of the record that is written below.
        if !table.enter(hash, *len, same) {
            return false;
        }
        self.push_record(key, pair, parent);
        true
    }

    /// Makes room for twice as many states. They are hashed again in the order in which they stand, which takes half
    /// as long as in that of the table. (With padding, which makes no difference.)
    fn grow(&mut self) {
        let mut table = IndexTable::with_room(self.table.capacity() + 1);
        for index in 0..self.len {
            table.enter(state_hash(self.key(index)), index, |_| false);
        }
        self.table = table;
    }

    /// Has the place in the table fetched at which a search for this hash begins.
    #[inline]
    pub fn fetch_slot(&self, hash: u64) {
        self.table.fetch(hash);
    }

    /// Has the record fetched that the search will look at first, once its place in the table is there.
    #[inline]
    pub fn fetch_record(&self, hash: u64) {
        let Some(number) = self.table.peek(hash) else {
            return;
        };
        let length = self.layout.record();
        let at = number % SEGMENT * length;
        if let Some(segment) = self.segments.get(number / SEGMENT) {
            // It may begin in one line of the cache and end in the next.
            prefetch_index(segment, at);
            prefetch_index(segment, at + length - 1);
        }
    }

    /// Adds a state, although its key may be there.
    pub fn insert_beside(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) {
        if self.table.is_full() {
            self.grow();
        }
        self.table.enter(hash, self.len, |_| false);
        self.push_record(key, pair, parent);
    }

    fn push_record(&mut self, key: &[u8], pair: &[u8], parent: StoredId) {
        let layout = self.layout;
        if self.len.is_multiple_of(SEGMENT) {
            // Many searches are small: the first one grows as it needs to.
            let full = if self.len == 0 { 0 } else { SEGMENT };
            self.segments
                .push(Vec::with_capacity(full * layout.record()));
        }
        // There is one: an index that begins a segment has just made it.
        if let Some(segment) = self.segments.last_mut() {
            let end = segment.len() + layout.key;
            segment.extend_from_slice(key);
            segment.resize(end, 0);
            if layout.pair > 0 {
                segment.extend_from_slice(pair);
                segment.resize(end + layout.pair, 0);
            }
            segment.extend_from_slice(&parent.0.to_le_bytes());
        }
        self.len += 1;
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether a key is there.
    #[must_use]
    pub fn contains(&self, hash: u64, key: &[u8]) -> bool {
        self.find(hash, key).is_some()
    }

    fn find(&self, hash: u64, key: &[u8]) -> Option<usize> {
        if key.len() > self.layout.key {
            // Of a format that no stored state has.
            return None;
        }
        let same = |index: usize| is_same(self.key(index), key);
        self.table.find(hash, same)
    }

    /// All states with a key, in the order in which they were added.
    pub fn all_with(&self, hash: u64, key: &[u8], found: &mut Vec<usize>) {
        found.clear();
        self.table.all_with(hash, |index| {
            if is_same(self.key(index), key) {
                found.push(index);
            }
        });
        found.sort_unstable();
    }

    fn set_layout(&mut self, layout: RecordLayout) {
        if layout == self.layout {
            return;
        }
        // The table stays as it is: indices do not change, and neither do hashes, for which zeros
        // at the end make no difference.
        let before = self.layout;
        let longer = |segment: &Vec<u8>| {
            let mut bytes = Vec::with_capacity(SEGMENT * layout.record());
            for one in segment.chunks(before.record()) {
                let (key, rest) = one.split_at(before.key);
                let (pair, parent) = rest.split_at(before.pair);
                let end = bytes.len() + layout.key;
                bytes.extend_from_slice(key);
                bytes.resize(end, 0);
                bytes.extend_from_slice(pair);
                bytes.resize(end + layout.pair, 0);
                bytes.extend_from_slice(parent);
            }
            bytes
        };
        self.segments = self.segments.iter().map(longer).collect();
        self.layout = layout;
    }

    fn heap_bytes(&self) -> usize {
        let segments: usize = self.segments.iter().map(Vec::capacity).sum();
        segments + self.table.heap_bytes()
    }
}

/// The hash of a packed state. Zeros at the end make no difference, so padding does not either: a word
/// that is zero adds nothing to the sum. The finisher spreads every bit over tag, shard and slot.
#[must_use]
pub fn state_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks();
    let last = last_word(rest);
    let (mut sum, mut factor) = (0u64, FACTOR);
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    for word in words.chain(std::iter::once(last)) {
        let product = u128::from(word) * u128::from(factor);
        sum = sum.wrapping_add(product as u64 ^ (product >> 64) as u64);
        // Each word has a factor of its own: else words that change places would leave the sum as
        // it is.
        factor = factor.wrapping_add(FACTOR << 1);
    }
    let hash = (sum ^ (sum >> 32)).wrapping_mul(FACTOR);
    hash ^ (hash >> 29)
}

/// All stored states.
#[derive(Debug)]
pub struct StateStore {
    /// The shards; a search hands them to its threads.
    pub shards: Vec<Shard>,
}

impl StateStore {
    /// An empty store for records of this layout.
    #[must_use]
    pub fn new(layout: RecordLayout) -> Self {
        let shard = |_| Shard {
            layout,
            ..Shard::default()
        };
        Self {
            shards: (0..SHARDS).map(shard).collect(),
        }
    }

    /// Bytes that records of this layout would take besides those that are held.
    #[must_use]
    pub fn growth(&self, layout: RecordLayout) -> usize {
        let longer = |s: &Shard| layout.record().saturating_sub(s.layout.record()) * s.len;
        self.shards.iter().map(longer).sum()
    }

    /// Makes room for longer states.
    pub fn set_layout(&mut self, layout: RecordLayout) {
        self.shards.iter_mut().for_each(|s| s.set_layout(layout));
    }

    /// The bytes of a state, padded with zeros.
    #[must_use]
    pub fn pair(&self, id: StoredId) -> &[u8] {
        self.shards[id.shard()].pair(id.index())
    }

    /// The state that it was first reached from.
    #[must_use]
    pub fn parent(&self, id: StoredId) -> StoredId {
        self.shards[id.shard()].parent(id.index())
    }

    /// Whether it is the initial state.
    #[must_use]
    pub fn is_first(&self, id: StoredId) -> bool {
        self.parent(id) == NO_STATE
    }

    /// The id of a state with this key.
    #[must_use]
    pub fn find(&self, key: &[u8]) -> Option<StoredId> {
        let hash = state_hash(key);
        let shard = shard_of(hash);
        self.shards[shard]
            .find(hash, key)
            .map(|index| StoredId::new(shard, index))
    }

    /// Adds a state unless its key is there; true if it was added.
    pub fn insert(&mut self, key: &[u8], pair: &[u8], parent: StoredId) -> bool {
        let hash = state_hash(key);
        self.shards[shard_of(hash)].insert(hash, key, pair, parent)
    }

    /// Every state that was reached, in the order of shards: not those that are remembered beside them.
    pub fn reached(&self) -> impl Iterator<Item = StoredId> + '_ {
        let all = (0..SHARDS).flat_map(|shard| {
            (0..self.shards[shard].len()).map(move |index| StoredId::new(shard, index))
        });
        all.filter(|id| self.parent(*id) != BESIDE)
    }

    /// Number of states, with those that are remembered beside others.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.shards.iter().map(Shard::heap_bytes).sum()
    }
}
