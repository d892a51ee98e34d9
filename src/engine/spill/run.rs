//! A run: a file with the keys of each shard in the order of their hashes, which never changes.
//!
//! After the header come the keys of all shards, one shard after the other, then the index of each shard, then the
//! directory, which says where the indices are. The mark of a run has the checksum of the directory, the directory has
//! those of the indices, and these have those of the blocks of keys.
//!
//! Keys stand there as they are. In the order of the keys they would share their beginnings and could be compressed to a
//! half, but sorting, packing and unpacking took more time than all else that a search did on disk.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checksum::checksum;
use super::file::{FileContent, HEADER, SpillFile, long_number, number};
use super::{Space, SpillError};

/// Bytes of a block of keys, about: a page. It is read for one key, mostly.
const BLOCK: usize = 1 << 12;
/// Keys of a block at least: the index has an entry for each block, and is in memory.
const KEYS_LEAST: usize = 8;
/// Bytes of a block in an index: the hash of its first key, its checksum and the number of its keys.
pub(super) const BLOCK_ENTRY: usize = 20;
/// Bytes of an index in the directory: its place, its length and its checksum.
pub(super) const INDEX_ENTRY: usize = 20;
/// The place of the directory, as the number of a shard.
pub(super) const DIRECTORY: u64 = u64::MAX;
/// The place of an index, as the number of a block.
pub(super) const INDEX: u64 = u64::MAX;

/// Keys of a block, if they have so many bytes each: more where the last of them have one hash, and less at the end of a
/// shard.
pub(super) fn block_keys(bytes: usize) -> usize {
    (BLOCK / bytes.max(1)).max(KEYS_LEAST)
}

/// The hash of a key. Zeros at its end must make no difference.
pub type KeyHash = fn(&[u8]) -> u64;

/// Compares keys as if both had zeros without end behind them.
pub(super) fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let common = one.len().min(other.len());
    let has_more = |rest: &[u8]| rest.iter().any(|byte| *byte != 0);
    one[..common].cmp(&other[..common]).then_with(|| {
        // At most one of them has more bytes.
        has_more(&one[common..]).cmp(&has_more(&other[common..]))
    })
}

/// A piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredPiece {
    /// Its place in the file.
    pub(super) at: u64,
    pub(super) bytes: u32,
    /// The checksum over what is stored, and where.
    pub(super) sum: u64,
}

/// A block of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyBlock {
    /// The hash of its first key. No key of the block before has it.
    pub(super) first: u64,
    /// The checksum over its keys, and where they are.
    pub(super) sum: u64,
    /// How many keys of the shard come before it.
    pub(super) before: u32,
    /// How many keys it has.
    pub(super) count: u32,
}

/// Where the keys of a shard are.
#[derive(Debug, Default)]
pub(super) struct ShardIndex {
    /// The place of the first key in the file.
    pub(super) at: u64,
    pub(super) blocks: Vec<KeyBlock>,
}

/// A run whose index is in memory.
#[derive(Debug)]
pub(super) struct KeyRun {
    pub(super) file: SpillFile,
    pub(super) number: u64,
    /// Bytes of a key.
    pub(super) bytes: usize,
    /// How many keys it has.
    pub(super) keys: u64,
    pub(super) shards: Vec<ShardIndex>,
    pub(super) directory: StoredPiece,
    /// Whether a mark names it.
    pub(super) is_named: bool,
}

/// A run as it was when it was committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunMark {
    pub(super) number: u64,
    /// The number of the file.
    id: u64,
    /// Bytes of the file.
    length: u64,
    bytes: u64,
    keys: u64,
    /// The place of the directory, its bytes and its checksum.
    directory: (u64, u32, u64),
}

/// The name of the file of a run.
pub(super) fn file_name(number: u64) -> String {
    format!("run-{number:06}")
}

/// Whether a file is one of a run.
pub(super) fn is_file_name(name: &str) -> bool {
    let number = name.strip_prefix("run-");
    number.is_some_and(|n| n.len() >= 6 && n.bytes().all(|b| b.is_ascii_digit()))
}

impl KeyBlock {
    /// How many keys of the shard are in it or before it.
    fn end(&self) -> u32 {
        self.before.saturating_add(self.count)
    }
}

impl KeyRun {
    /// Bytes of the file.
    pub(super) fn length(&self) -> u64 {
        self.file.length()
    }

    /// Bytes held in memory.
    pub(super) fn heap_bytes(&self) -> usize {
        let of_shard = |shard: &ShardIndex| shard.blocks.capacity() * size_of::<KeyBlock>();
        let shards = self.shards.capacity() * size_of::<ShardIndex>();
        shards + self.shards.iter().map(of_shard).sum::<usize>()
    }

    /// Waits until the file is on the disk.
    pub(super) fn commit(&mut self) -> Result<RunMark, SpillError> {
        self.file.sync()?;
        let StoredPiece { at, bytes, sum } = self.directory;
        Ok(RunMark {
            number: self.number,
            id: self.file.id(),
            length: self.file.length(),
            bytes: self.bytes as u64,
            keys: self.keys,
            directory: (at, bytes, sum),
        })
    }

    /// Reads a piece. `place` are the shard and the number in it.
    pub(super) fn read(
        &self,
        place: (u64, u64),
        piece: StoredPiece,
        into: &mut Vec<u8>,
    ) -> Result<(), SpillError> {
        let end = piece.at.saturating_add(u64::from(piece.bytes));
        if end > self.file.length() {
            return Err(self.file.damaged("is shorter than it was"));
        }
        into.resize(piece.bytes as usize, 0);
        self.file.read(piece.at, into)?;
        if sum_of(self.file.id(), place, into) != piece.sum {
            let (shard, number) = place;
            let why = match (shard, number) {
                (DIRECTORY, _) => "does not match its checksum in the directory".to_owned(),
                (_, INDEX) => format!("does not match its checksum in the index of shard {shard}"),
                _ => format!("does not match its checksum in block {number} of shard {shard}"),
            };
            return Err(self.file.damaged(why));
        }
        Ok(())
    }

    /// Reads a block of keys.
    pub(super) fn read_block(
        &self,
        (shard, number): (usize, usize),
        into: &mut Vec<u8>,
    ) -> Result<(), SpillError> {
        let index = &self.shards[shard];
        let KeyBlock {
            sum, before, count, ..
        } = index.blocks[number];
        let width = self.bytes as u64;
        let bytes = u32::try_from(u64::from(count).saturating_mul(width));
        let piece = StoredPiece {
            at: index.at.saturating_add(width.saturating_mul(before.into())),
            bytes: bytes.map_err(|_| self.file.damaged("has a block that is too long"))?,
            sum,
        };
        self.read((shard as u64, number as u64), piece, into)
    }

    /// The run with a mark.
    pub(super) fn reopen(
        space: &Arc<Space>,
        shards: usize,
        mark: &RunMark,
    ) -> Result<Self, SpillError> {
        let name = file_name(mark.number);
        let file = SpillFile::reopen(space, &name, FileContent::Run, (mark.id, mark.length))?;
        let (at, bytes, sum) = mark.directory;
        let directory = StoredPiece { at, bytes, sum };
        let mut run = Self {
            file,
            number: mark.number,
            bytes: usize::try_from(mark.bytes).unwrap_or(usize::MAX),
            keys: mark.keys,
            shards: Vec::new(),
            directory,
            is_named: true,
        };
        let (mut entries, mut content) = (Vec::new(), Vec::new());
        run.read((DIRECTORY, INDEX), directory, &mut entries)?;
        if entries.len() != shards * INDEX_ENTRY {
            return Err(run.file.damaged("has another number of shards"));
        }
        // The keys of a shard follow those of the shard before.
        let mut at = HEADER;
        for (shard, entry) in entries.chunks_exact(INDEX_ENTRY).enumerate() {
            let piece = StoredPiece {
                at: long_number(entry, 0),
                bytes: number(entry, 8),
                sum: long_number(entry, 12),
            };
            run.read((shard as u64, INDEX), piece, &mut content)?;
            let index = run.index_of(&content, at)?;
            let keys = index.blocks.last().map_or(0, KeyBlock::end);
            at = at.saturating_add(u64::from(keys).saturating_mul(run.bytes as u64));
            run.shards.push(index);
        }
        Ok(run)
    }

    /// The index of a shard from its content; `at` is the place of its first key.
    fn index_of(&self, content: &[u8], at: u64) -> Result<ShardIndex, SpillError> {
        let damaged = || self.file.damaged("has an index of a wrong length");
        if !content.len().is_multiple_of(BLOCK_ENTRY) {
            return Err(damaged());
        }
        let mut blocks = Vec::with_capacity(content.len() / BLOCK_ENTRY);
        let mut before = 0u32;
        for entry in content.chunks_exact(BLOCK_ENTRY) {
            let block = KeyBlock {
                first: long_number(entry, 0),
                sum: long_number(entry, 8),
                before,
                count: number(entry, 16),
            };
            before = before.checked_add(block.count).ok_or_else(damaged)?;
            blocks.push(block);
        }
        Ok(ShardIndex { at, blocks })
    }
}

/// The checksum of what is stored at a place: a shard and a number in it.
pub(super) fn sum_of(id: u64, (shard, number): (u64, u64), stored: &[u8]) -> u64 {
    checksum(&[id, shard, number], stored)
}
