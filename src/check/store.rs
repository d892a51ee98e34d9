//! The states of a search: packed bytes in arenas, found through one-byte tags and 32-bit indices.
//!
//! States are identified by all their bytes, never by a hash. The store is cut into shards by hash,
//! so that several threads can add states at once; which shard and which index a state gets does not
//! depend on the number of threads.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A stored state: shard in the upper bits, index in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoredId(pub u32);

// Shards enough for some tens of threads; the other 26 bits count 67 million states in each.
const SHARD_BITS: u32 = 6;
const INDEX_BITS: u32 = 32 - SHARD_BITS;

/// Number of shards, into which states go by their hash.
pub const SHARDS: usize = 1 << SHARD_BITS;
/// Number of states that one shard can hold.
// One less than the bits could tell: the last index of the last shard would be `NO_STATE`.
pub const SHARD_MAX: usize = (1 << INDEX_BITS) - 1;
/// The parent of an initial state.
pub const NO_STATE: StoredId = StoredId(u32::MAX);

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

/// Which shard a hash belongs to. (hashbrown takes its tag from the top bits and its slot from the
/// low ones: the shard must use neither.)
#[must_use]
pub fn shard_of(hash: u64) -> usize {
    (hash >> 40) as usize & (SHARDS - 1)
}

/// States of one segment of a shard. Segments are never moved: a growing vector would need twice the
/// memory while it is copied, and waste up to half of it afterwards.
const SEGMENT: usize = 1 << 12;

/// The states whose hashes lead to one shard, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Shard {
    stride: usize,
    /// Records, each a state and its parent (four bytes).
    segments: Vec<Vec<u8>>,
    len: usize,
    table: HashTable<u32>,
}

/// The state in a record, and what follows it.
fn record(segments: &[Vec<u8>], stride: usize, index: usize) -> (&[u8], &[u8]) {
    // All records have one length, so the index is the place.
    let at = index % SEGMENT * (stride + 4);
    segments[index / SEGMENT][at..at + stride + 4].split_at(stride)
}

/// Whether a stored state is this one, which may be shorter than the stride.
fn is_same(stored: &[u8], state: &[u8]) -> bool {
    // Never longer than the stride: `find` asks, and a search makes room before it inserts.
    let (there, padding) = stored.split_at(state.len());
    there == state && padding.iter().all(|b| *b == 0)
}

impl Shard {
    fn state(&self, index: usize) -> &[u8] {
        record(&self.segments, self.stride, index).0
    }

    fn parent(&self, index: usize) -> StoredId {
        let bytes = record(&self.segments, self.stride, index).1;
        StoredId(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Adds a state unless it is there; true if it was added. `bytes` may be shorter than the stride.
    pub fn insert(&mut self, hash: u64, state: &[u8], parent: StoredId) -> bool {
        let Self {
            stride,
            segments,
            len,
            table,
        } = self;
        let stored = |index: &u32| record(segments, *stride, *index as usize).0;
        let same = |index: &u32| is_same(stored(index), state);
        // Growing hashes again, with padding, which makes no difference.
        match table.entry(hash, same, |index| state_hash(stored(index))) {
            Entry::Occupied(_) => return false,
            // The index of the record that is written below.
            Entry::Vacant(vacant) => vacant.insert(*len as u32),
        };
        if *len % SEGMENT == 0 {
            // Many searches are small: the first one grows as it needs to.
            let full = if *len == 0 { 0 } else { SEGMENT };
            segments.push(Vec::with_capacity(full * (*stride + 4)));
        }
        // There is one: an index that begins a segment has just made it.
        if let Some(segment) = segments.last_mut() {
            let end = segment.len() + *stride;
            segment.extend_from_slice(state);
            segment.resize(end, 0);
            segment.extend_from_slice(&parent.0.to_le_bytes());
        }
        *len += 1;
        true
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether a state is there.
    #[must_use]
    pub fn contains(&self, hash: u64, state: &[u8]) -> bool {
        self.find(hash, state).is_some()
    }

    fn find(&self, hash: u64, state: &[u8]) -> Option<u32> {
        if state.len() > self.stride {
            // Of a format that no stored state has.
            return None;
        }
        let same = |index: &u32| is_same(self.state(*index as usize), state);
        self.table.find(hash, same).copied()
    }

    fn set_stride(&mut self, stride: usize) {
        if stride == self.stride {
            return;
        }
        // The table stays as it is: indices do not change, and neither do hashes, for which zeros
        // at the end make no difference.
        let longer = |segment: &Vec<u8>| {
            let mut bytes = Vec::with_capacity(SEGMENT * (stride + 4));
            for one in segment.chunks(self.stride + 4) {
                let end = bytes.len() + stride;
                bytes.extend_from_slice(&one[..self.stride]);
                bytes.resize(end, 0);
                bytes.extend_from_slice(&one[self.stride..]);
            }
            bytes
        };
        self.segments = self.segments.iter().map(longer).collect();
        self.stride = stride;
    }

    fn heap_bytes(&self) -> usize {
        let segments: usize = self.segments.iter().map(Vec::capacity).sum();
        // An index and a tag are five bytes, and hashbrown uses seven of eight places at most.
        segments + self.table.capacity() * 5 * 8 / 7
    }
}

/// The hash of a packed state. Zeros at the end make no difference, so padding does not either: a word
/// that is zero adds nothing to the sum. The finisher spreads every bit over tag, shard and slot.
#[must_use]
pub fn state_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks();
    // Byte by byte: a copy of unknown length costs a call.
    let last = rest
        .iter()
        .rev()
        .fold(0, |word, b| word << 8 | u64::from(*b));
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
    /// An empty store for states of up to `stride` bytes.
    #[must_use]
    pub fn new(stride: usize) -> Self {
        Self {
            shards: (0..SHARDS)
                .map(|_| Shard {
                    stride,
                    ..Shard::default()
                })
                .collect(),
        }
    }

    /// Bytes that states of up to `stride` bytes would take besides those that are held.
    #[must_use]
    pub fn growth(&self, stride: usize) -> usize {
        let longer = |s: &Shard| stride.saturating_sub(s.stride) * s.len;
        self.shards.iter().map(longer).sum()
    }

    /// Makes room for longer states.
    pub fn set_stride(&mut self, stride: usize) {
        self.shards.iter_mut().for_each(|s| s.set_stride(stride));
    }

    /// The bytes of a state, padded with zeros.
    #[must_use]
    pub fn state(&self, id: StoredId) -> &[u8] {
        self.shards[id.shard()].state(id.index())
    }

    /// The state that it was first reached from.
    #[must_use]
    pub fn parent(&self, id: StoredId) -> StoredId {
        self.shards[id.shard()].parent(id.index())
    }

    /// The id of a state.
    #[must_use]
    pub fn find(&self, state: &[u8]) -> Option<StoredId> {
        let hash = state_hash(state);
        let shard = shard_of(hash);
        self.shards[shard]
            .find(hash, state)
            .map(|index| StoredId::new(shard, index as usize))
    }

    /// Number of states.
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
