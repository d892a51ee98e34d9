//! Records of one length in an arena, in order of insertion, found by their keys, which come first, through slots of 32
//! bits ([`IndexTable`]).

use prefetch_index::prefetch_index;

use crate::machine::pack::state_hash;
use crate::search::index_table::IndexTable;

/// Records of one segment. Segments never move: a growing vector would need twice the memory while it is copied, and
/// waste up to half of it afterwards.
const SEGMENT: usize = 1 << 12;

/// Records, each a key followed by further bytes.
#[derive(Debug, Default)]
pub(in crate::search) struct Records {
    /// Bytes of a key.
    key: usize,
    /// Bytes after it.
    value: usize,
    segments: Vec<Vec<u8>>,
    /// Segments to be used again.
    spare: Vec<Vec<u8>>,
    len: usize,
    table: IndexTable,
}

/// Whether a stored key equals this one, which may be shorter, without padding.
#[inline]
fn is_same(stored: &[u8], key: &[u8]) -> bool {
    // It is never longer: `find` checks, and a search makes room before it inserts.
    let (there, padding) = stored.split_at(key.len());
    // Word by word: a comparison of unknown length is a call.
    let ((a, rest), (b, other)) = (there.as_chunks::<8>(), key.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let differ = a
        .iter()
        .zip(b)
        .fold(0, |all, (a, b)| all | (word(a) ^ word(b)));
    let rest = rest.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    differ == 0 && rest == 0 && padding.iter().all(|b| *b == 0)
}

/// The key in a record.
fn key_of(segments: &[Vec<u8>], (key, value): (usize, usize), index: usize) -> &[u8] {
    // All records have one length, so the index determines the place.
    let at = index % SEGMENT * (key + value);
    &segments[index / SEGMENT][at..at + key]
}

impl Records {
    /// An empty arena, with keys of `key` bytes and `value` bytes after each.
    pub(in crate::search) fn new(key: usize, value: usize) -> Self {
        Self {
            key,
            value,
            ..Self::default()
        }
    }

    /// Bytes of a record.
    fn length(&self) -> usize {
        self.key + self.value
    }

    /// The number of records.
    pub(in crate::search) fn len(&self) -> usize {
        self.len
    }

    /// The bytes of a record.
    pub(in crate::search) fn record(&self, index: usize) -> &[u8] {
        let at = index % SEGMENT * self.length();
        &self.segments[index / SEGMENT][at..at + self.length()]
    }

    /// The key of a record, padded with zeros.
    pub(in crate::search) fn key(&self, index: usize) -> &[u8] {
        &self.record(index)[..self.key]
    }

    /// The bytes after the key of a record.
    pub(in crate::search) fn value(&self, index: usize) -> &[u8] {
        &self.record(index)[self.key..]
    }

    /// The bytes after the key of a record, mutably.
    pub(in crate::search) fn value_mut(&mut self, index: usize) -> &mut [u8] {
        let at = index % SEGMENT * self.length();
        &mut self.segments[index / SEGMENT][at + self.key..at + self.key + self.value]
    }

    /// Adds a record unless its key is there. Returns whether it was added. `hash` is the key's ([`state_hash`]);
    /// `write` appends the bytes after it.
    #[inline]
    pub(in crate::search) fn insert(
        &mut self,
        hash: u64,
        key: &[u8],
        write: impl FnOnce(&mut Vec<u8>),
    ) -> bool {
        if self.table.is_full() {
            self.grow();
        }
        let Self {
            segments,
            len,
            table,
            ..
        } = self;
        let lengths = (self.key, self.value);
        // The index of the record that is written below.
        let same = |index: usize| is_same(key_of(segments, lengths, index), key);
        if !table.enter(hash, *len, same) {
            return false;
        }
        self.push(key, write);
        true
    }

    /// Adds a record even if its key is there.
    pub(in crate::search) fn insert_duplicate(
        &mut self,
        hash: u64,
        key: &[u8],
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        if self.table.is_full() {
            self.grow();
        }
        self.table.enter(hash, self.len, |_| false);
        self.push(key, write);
    }

    /// Makes room for twice as many records. They are rehashed in order of insertion, which takes half as long as in
    /// that of the table. (With padding, which does not change the hash.)
    fn grow(&mut self) {
        let mut table = IndexTable::with_room(self.table.capacity() + 1);
        for index in 0..self.len {
            table.enter(state_hash(self.key(index)), index, |_| false);
        }
        self.table = table;
    }

    fn push(&mut self, key: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        let length = self.length();
        if self.len.is_multiple_of(SEGMENT) {
            // Many searches are small: their only segment grows as needed.
            let full = if self.len == 0 { 0 } else { SEGMENT };
            let spare = self.spare.pop();
            self.segments
                .push(spare.unwrap_or_else(|| Vec::with_capacity(full * length)));
        }
        // It exists: an index that begins a segment has just created it.
        if let Some(segment) = self.segments.last_mut() {
            let end = segment.len() + self.key;
            segment.extend_from_slice(key);
            segment.resize(end, 0);
            write(segment);
            debug_assert_eq!(segment.len(), end + self.value);
        }
        self.len += 1;
    }

    /// The record with a key.
    pub(in crate::search) fn find(&self, hash: u64, key: &[u8]) -> Option<usize> {
        if key.len() > self.key {
            // The key of a format that no stored state has.
            return None;
        }
        self.table.find(hash, |index| is_same(self.key(index), key))
    }

    /// All records with a key, in order of insertion.
    pub(in crate::search) fn all_with(&self, hash: u64, key: &[u8], found: &mut Vec<usize>) {
        found.clear();
        self.table.all_with(hash, |index| {
            if is_same(self.key(index), key) {
                found.push(index);
            }
        });
        found.sort_unstable();
    }

    /// Calls `each` with all indices, in the order of [`table_order`](crate::search::index_table::table_order) of their
    /// hashes, and then of their keys.
    pub(in crate::search) fn each_in_order(&self, each: impl FnMut(usize)) {
        let hash_of = |index: usize| state_hash(self.key(index));
        let compare = |one: usize, other: usize| self.key(one).cmp(self.key(other));
        self.table.each_in_order(hash_of, compare, each);
    }

    /// Prefetches the first slot for this hash.
    #[inline]
    pub(in crate::search) fn fetch_slot(&self, hash: u64) {
        self.table.fetch(hash);
    }

    /// Prefetches the record that a search compares first, once its slot is in the cache. Returns whether there is one.
    #[inline]
    pub(in crate::search) fn fetch_record(&self, hash: u64) -> bool {
        let first = self.table.peek(hash);
        if let Some(index) = first {
            self.fetch(index);
        }
        first.is_some()
    }

    /// Prefetches a record.
    #[inline]
    pub(in crate::search) fn fetch(&self, index: usize) {
        let length = self.length();
        let at = index % SEGMENT * length;
        if let Some(segment) = self.segments.get(index / SEGMENT) {
            // It may span two lines of the cache.
            prefetch_index(segment, at);
            prefetch_index(segment, at + length - 1);
        }
    }

    /// Removes all records, and keeps their memory: what is given back may still count as memory of the process.
    pub(in crate::search) fn clear(&mut self) {
        let cleared = self.segments.drain(..).map(|mut segment| {
            segment.clear();
            segment
        });
        self.spare.extend(cleared);
        self.table.clear();
        self.len = 0;
    }

    /// Bytes of the records, with what an entry of the table takes.
    pub(in crate::search) fn filled_bytes(&self) -> usize {
        const ENTRY: usize = 5;
        self.len * (self.length() + ENTRY)
    }

    /// Makes room for longer keys, and for more bytes after them; `write` appends these from the old ones.
    pub(in crate::search) fn lengthen(
        &mut self,
        key: usize,
        value: usize,
        write: impl Fn(&[u8], &mut Vec<u8>),
    ) {
        // The table stays valid: indices do not change, nor do hashes, which ignore zeros at the end.
        let (old_key, old_length) = (self.key, self.length());
        let longer = |segment: &Vec<u8>| {
            let mut bytes = Vec::with_capacity(SEGMENT * (key + value));
            for one in segment.chunks(old_length) {
                let end = bytes.len() + key;
                bytes.extend_from_slice(&one[..old_key]);
                bytes.resize(end, 0);
                write(&one[old_key..], &mut bytes);
            }
            bytes
        };
        self.segments = self.segments.iter().map(longer).collect();
        self.spare = Vec::new();
        (self.key, self.value) = (key, value);
    }

    /// Bytes held.
    pub(in crate::search) fn heap_bytes(&self) -> usize {
        let segments = self.segments.iter().chain(&self.spare);
        let segments: usize = segments.map(Vec::capacity).sum();
        segments + self.table.heap_bytes()
    }
}
