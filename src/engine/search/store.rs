//! Seen set of a search: packed states in arenas, found through slots of 32 bits with an index and some bits of the
//! hash ([`super::index_table`]).
//!
//! States are identified by all their bytes, never by a hash. The store is divided into shards by hash, so that several
//! threads can add states at once; the shard and index of a state do not depend on the number of threads. In large
//! stores keys are collapsed ([`collapse`]).

pub mod collapse;
pub(super) mod records;
mod shard;

use std::ops::Deref;

use smallvec::SmallVec;

pub use shard::{Shard, append_short};

use super::index_table::NUMBERS_MAX;
use crate::machine::pack::state_hash;

/// A stored state: shard in the upper bits, index in the lower.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct StoredId(pub u32);

// Enough shards for some tens of threads; the other 26 bits number 67 million states in each.
const SHARD_BITS: u32 = 6;
const INDEX_BITS: u32 = 32 - SHARD_BITS;

/// Number of shards, into which states go by their hash.
pub const SHARDS: usize = 1 << SHARD_BITS;
/// Number of states that one shard can hold.
// Two less than the bits allow: the last ones of the last shard would be `NO_STATE` and `UNREACHED`.
pub const SHARD_MAX: usize = (1 << INDEX_BITS) - 2;
// The table of a shard has to hold all of them.
const _: () = assert!(SHARD_MAX <= NUMBERS_MAX);
/// The parent of an initial state.
pub const NO_STATE: StoredId = StoredId(u32::MAX);
/// The parent of a state that is stored only because another one of its orbit was reached: it is not expanded, and no
/// path leads through it.
pub const UNREACHED: StoredId = StoredId(u32::MAX - 1);

impl StoredId {
    /// Composes an id from shard and index.
    #[must_use]
    pub fn new(shard: usize, index: usize) -> Self {
        Self((shard as u32) << INDEX_BITS | index as u32)
    }
    /// The shard of the state.
    #[must_use]
    pub fn shard(self) -> usize {
        (self.0 >> INDEX_BITS) as usize
    }
    /// The index in the shard, which determines its record.
    #[must_use]
    pub fn index(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }
}

/// The shard of a hash. (The table of a shard takes its tag from the top bits and its slot from the low ones: the shard
/// must use neither.)
#[must_use]
pub fn shard_of(hash: u64) -> usize {
    (hash >> 40) as usize & (SHARDS - 1)
}

/// Lengths of the parts of a record, in bytes; all records of a store have one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RecordLayout {
    /// The key: the state itself, or a substitute.
    pub key: usize,
    /// The state to expand, if it is not the key; otherwise zero.
    pub pair: usize,
}

impl RecordLayout {
    /// Bytes of a record without its parent.
    fn bytes(self) -> usize {
        self.key + self.pair
    }
}

/// The bytes of a stored state, padded with zeros.
#[derive(Clone, Debug)]
pub enum StateBytes<'s> {
    /// A slice of its record.
    Whole(&'s [u8]),
    /// Joined from front and back.
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

/// A stored state by itself: its parts are as long as in its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateRecord {
    pub(super) key: Vec<u8>,
    /// The state to expand, if it is not the key.
    pub(super) pair: Vec<u8>,
    pub(super) parent: StoredId,
}

/// The id of a state in a store of these states alone, which are in order.
pub(super) fn place_among<T>(states: &[(StoredId, T)], id: StoredId) -> StoredId {
    let before = |id: StoredId| states.partition_point(|(one, _)| *one < id);
    let first = before(StoredId::new(id.shard(), 0));
    StoredId::new(id.shard(), before(id) - first)
}

/// The seen set of a search.
#[derive(Debug)]
pub struct StateStore {
    /// The shards; a search hands them to its threads.
    pub shards: Vec<Shard>,
    layout: RecordLayout,
    /// The first byte of the backs of keys, if they are collapsed.
    back: Option<usize>,
}

impl StateStore {
    /// An empty store for records of this layout.
    #[must_use]
    pub fn new(layout: RecordLayout) -> Self {
        Self::cut(layout, None)
    }

    /// An empty store of collapsed keys of one length, whose backs begin at byte `back` ([`collapse`]).
    #[must_use]
    pub fn collapsed(layout: RecordLayout, back: usize) -> Self {
        debug_assert_eq!(layout.pair, 0);
        Self::cut(layout, Some(back))
    }

    /// An empty store, with keys collapsed from some byte on, if any.
    fn cut(layout: RecordLayout, back: Option<usize>) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::new(layout, back)).collect(),
            layout,
            back,
        }
    }

    /// The shard of a key, and its hash there.
    #[inline]
    #[must_use]
    pub fn place(&self, key: &[u8]) -> (usize, u64) {
        let hash = state_hash(&key[self.back.unwrap_or(0)..]);
        (shard_of(hash), hash)
    }

    /// Some states, with all before them, as a store of their own; `states` has their records in order of ids. Each is in the
    /// same shard as before, in the same order.
    pub(super) fn of_states(layout: RecordLayout, states: &[(StoredId, StateRecord)]) -> Self {
        let mut store = Self::new(layout);
        for (id, StateRecord { key, pair, parent }) in states {
            let parent = match *parent {
                NO_STATE => NO_STATE,
                parent => place_among(states, parent),
            };
            store.insert(key, pair, parent);
            debug_assert_eq!(store.find(key), Some(place_among(states, *id)));
        }
        store
    }

    /// Forgets the states of a shard.
    pub(super) fn empty(&mut self, shard: usize) {
        self.shards[shard] = Shard::new(self.layout, self.back);
    }

    /// The layout of records.
    pub(super) fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// Additional bytes that records of this layout would take.
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

    /// Prefetches the record of a state.
    #[inline]
    pub fn fetch(&self, id: StoredId) {
        self.shards[id.shard()].fetch(id.index());
    }

    /// Prefetches the back of a state's key.
    #[inline]
    pub fn fetch_back(&self, id: StoredId) {
        self.shards[id.shard()].fetch_back(id.index());
    }

    /// Its record.
    pub(super) fn record(&self, id: StoredId) -> StateRecord {
        let (key, pair) = self.shards[id.shard()].key_and_pair(id.index());
        StateRecord {
            key: key.to_vec(),
            pair: pair.to_vec(),
            parent: self.parent(id),
        }
    }

    /// The state from which it was first reached.
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

    /// Adds a state unless its key is there. Returns whether it was added.
    pub fn insert(&mut self, key: &[u8], pair: &[u8], parent: StoredId) -> bool {
        let (shard, hash) = self.place(key);
        self.shards[shard].insert(hash, key, pair, parent)
    }

    /// Every reached state, in the order of shards, without those stored beside others.
    pub fn reached(&self) -> impl Iterator<Item = StoredId> + '_ {
        let all = (0..SHARDS).flat_map(|shard| {
            (0..self.shards[shard].len()).map(move |index| StoredId::new(shard, index))
        });
        all.filter(|id| self.parent(*id) != UNREACHED)
    }

    /// Number of states, including those stored beside others.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Bytes of the keys of all states, without collapsing.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.len() * self.layout.key
    }

    /// The number of distinct backs, if keys are collapsed.
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
