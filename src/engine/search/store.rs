//! The states of a search: packed bytes in arenas, found through slots of 32 bits with an index and some bits of the
//! hash ([`super::index_table`]).
//!
//! States are identified by all their bytes, never by a hash. The store is cut into shards by hash,
//! so that several threads can add states at once; which shard and which index a state gets does not
//! depend on the number of threads. Of large stores keys are cut in two ([`collapse`]).

pub mod collapse;
mod records;
mod shard;

use std::ops::Deref;

use smallvec::SmallVec;

pub use shard::{Shard, append_short};

use super::index_table::NUMBERS_MAX;
use crate::machine::pack::state_hash;

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

/// How long the parts of a record are, in bytes; all records of a store have one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordLayout {
    /// What a state is looked up by: the state itself, or what stands for it.
    pub key: usize,
    /// The state to be expanded, where that is not the key; otherwise none.
    pub pair: usize,
}

impl RecordLayout {
    /// Bytes of a record without its parent.
    fn bytes(self) -> usize {
        self.key + self.pair
    }
}

/// The bytes of a stored state, filled up with zeros.
#[derive(Clone, Debug)]
pub enum StateBytes<'s> {
    /// As they stand in its record.
    Whole(&'s [u8]),
    /// Put together.
    Joined(SmallVec<[u8; 128]>),
}

impl Deref for StateBytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Joined(bytes) => bytes,
        }
    }
}

/// All stored states.
#[derive(Debug)]
pub struct StateStore {
    /// The shards; a search hands them to its threads.
    pub shards: Vec<Shard>,
    layout: RecordLayout,
    /// Where the backs of keys begin, if they are collapsed.
    back: Option<usize>,
}

impl StateStore {
    /// An empty store for records of this layout.
    #[must_use]
    pub fn new(layout: RecordLayout) -> Self {
        Self::cut(layout, None)
    }

    /// An empty store of keys of one length that are collapsed, with backs that begin at some byte ([`collapse`]).
    #[must_use]
    pub fn collapsed(layout: RecordLayout, back: usize) -> Self {
        debug_assert_eq!(layout.pair, 0);
        Self::cut(layout, Some(back))
    }

    /// An empty store, with keys that are collapsed from some byte on, or not.
    fn cut(layout: RecordLayout, back: Option<usize>) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::new(layout, back)).collect(),
            layout,
            back,
        }
    }

    /// Where a key belongs: its shard, and the hash by which it is looked for there.
    #[inline]
    #[must_use]
    pub fn place(&self, key: &[u8]) -> (usize, u64) {
        let hash = state_hash(&key[self.back.unwrap_or(0)..]);
        (shard_of(hash), hash)
    }

    /// Bytes that records of this layout would take besides those that are held.
    #[must_use]
    pub fn growth(&self, layout: RecordLayout) -> usize {
        let longer = layout.bytes().saturating_sub(self.layout.bytes());
        longer * self.len()
    }

    /// Makes room for longer states.
    pub fn set_layout(&mut self, layout: RecordLayout) {
        if layout != self.layout {
            self.shards.iter_mut().for_each(|s| s.set_layout(layout));
            self.layout = layout;
        }
    }

    /// The bytes of a state, padded with zeros.
    #[inline]
    #[must_use]
    pub fn pair(&self, id: StoredId) -> StateBytes<'_> {
        self.shards[id.shard()].pair(id.index())
    }

    /// Has the record of a state fetched.
    #[inline]
    pub fn fetch(&self, id: StoredId) {
        self.shards[id.shard()].fetch(id.index());
    }

    /// Has the bytes of a state fetched that do not stand in its record.
    #[inline]
    pub fn fetch_back(&self, id: StoredId) {
        self.shards[id.shard()].fetch_back(id.index());
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
        let (shard, hash) = self.place(key);
        self.shards[shard]
            .find(hash, key)
            .map(|index| StoredId::new(shard, index))
    }

    /// Adds a state unless its key is there; true if it was added.
    pub fn insert(&mut self, key: &[u8], pair: &[u8], parent: StoredId) -> bool {
        let (shard, hash) = self.place(key);
        self.shards[shard].insert(hash, key, pair, parent)
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

    /// Bytes of the keys of all states, if none is collapsed.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.len() * self.layout.key
    }

    /// How many backs are stored once, if keys are collapsed.
    #[must_use]
    pub fn backs(&self) -> Option<usize> {
        self.back?;
        Some(self.shards.iter().map(Shard::backs).sum())
    }

    /// Bytes held.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.shards.iter().map(Shard::heap_bytes).sum()
    }
}
