//! The states of a search: packed bytes in arenas, found through one-byte tags and 32-bit indices.
//!
//! States are identified by all their bytes, never by a hash. The store is cut into shards by hash,
//! so that several threads can add states at once; which shard and which index a state gets does not
//! depend on the number of threads.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use crate::source::hash::Fx;

/// A stored state: shard in the upper bits, index in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

const SHARD_BITS: u32 = 6;
const INDEX_BITS: u32 = 32 - SHARD_BITS;

/// Number of shards.
pub const SHARDS: usize = 1 << SHARD_BITS;
/// Number of states that one shard can hold.
pub const SHARD_MAX: usize = (1 << INDEX_BITS) - 1;
/// The parent of an initial state.
pub const NO_STATE: StateId = StateId(u32::MAX);

impl StateId {
    /// From shard and index.
    #[must_use]
    pub fn new(shard: usize, index: usize) -> Self {
        Self((shard as u32) << INDEX_BITS | index as u32)
    }
    /// Which shard.
    #[must_use]
    pub fn shard(self) -> usize {
        (self.0 >> INDEX_BITS) as usize
    }
    /// Index in the shard.
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

/// One shard.
#[derive(Debug, Default)]
pub struct Shard {
    stride: usize,
    bytes: Vec<u8>,
    parents: Vec<StateId>,
    table: HashTable<u32>,
}

impl Shard {
    fn state(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.stride..(index + 1) * self.stride]
    }

    /// Adds a state unless it is there; true if it was added. `bytes` may be shorter than the stride.
    pub fn insert(&mut self, hash: u64, state: &[u8], parent: StateId) -> bool {
        let Self {
            stride,
            bytes,
            parents,
            table,
        } = self;
        let stored = |index: u32| {
            let at = index as usize * *stride;
            &bytes[at..at + *stride]
        };
        let same = |index: &u32| {
            let there = stored(*index);
            there[..state.len()] == *state && there[state.len()..].iter().all(|b| *b == 0)
        };
        if table.find(hash, same).is_some() {
            return false;
        }
        let index = parents.len() as u32;
        // Growing re-hashes: the hash is of the bytes without padding, so recompute it likewise.
        let stride_now = *stride;
        let all = &*bytes;
        table.insert_unique(hash, index, |i| {
            let at = *i as usize * stride_now;
            state_hash(&all[at..at + stride_now])
        });
        bytes.extend_from_slice(state);
        bytes.resize((index as usize + 1) * stride_now, 0);
        parents.push(parent);
        true
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    fn find(&self, hash: u64, state: &[u8]) -> Option<u32> {
        let same = |index: &u32| {
            let there = self.state(*index as usize);
            there[..state.len()] == *state && there[state.len()..].iter().all(|b| *b == 0)
        };
        self.table.find(hash, same).copied()
    }

    fn set_stride(&mut self, stride: usize) {
        if stride == self.stride {
            return;
        }
        let mut bytes = Vec::with_capacity(self.parents.len() * stride);
        for index in 0..self.parents.len() {
            bytes.extend_from_slice(self.state(index));
            bytes.resize((index + 1) * stride, 0);
        }
        self.bytes = bytes;
        self.stride = stride;
    }

    fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.parents.capacity() * 4 + self.table.capacity() * 5 * 8 / 7
    }
}

/// Zero padding and trailing zero codes are the same thing to the hash.
fn trim(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    &bytes[..end]
}

/// The hash of a packed state, independent of padding. The finisher spreads every bit of the product
/// over tag, shard and slot.
#[must_use]
pub fn state_hash(bytes: &[u8]) -> u64 {
    let mut hasher = Fx.build_hasher();
    hasher.write(trim(bytes));
    let hash = hasher.finish();
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// All stored states.
#[derive(Debug)]
pub struct Store {
    /// The shards; a search hands them to its threads.
    pub shards: Vec<Shard>,
}

impl Store {
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

    /// Makes room for longer states.
    pub fn set_stride(&mut self, stride: usize) {
        self.shards.iter_mut().for_each(|s| s.set_stride(stride));
    }

    /// The bytes of a state, padded with zeros.
    #[must_use]
    pub fn state(&self, id: StateId) -> &[u8] {
        self.shards[id.shard()].state(id.index())
    }

    /// The state that it was first reached from.
    #[must_use]
    pub fn parent(&self, id: StateId) -> StateId {
        self.shards[id.shard()].parents[id.index()]
    }

    /// The id of a state.
    #[must_use]
    pub fn find(&self, state: &[u8]) -> Option<StateId> {
        let hash = state_hash(state);
        let shard = shard_of(hash);
        self.shards[shard]
            .find(hash, state)
            .map(|index| StateId::new(shard, index as usize))
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(Shard::is_empty)
    }

    /// Bytes held.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.shards.iter().map(Shard::heap_bytes).sum()
    }
}
