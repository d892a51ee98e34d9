//! A run: a file with the keys of each shard in ascending order, which never changes.
//!
//! After the header come the blocks of all shards, one shard after the other, then the index of each shard, then the
//! directory, which says where the indices are. The mark of a run has the checksum of the directory, the directory has
//! those of the indices, and these have those of the blocks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checksum::checksum;
use super::compressed::decompress;
use super::file::{FileContent, HEADER, SpillFile, long_number, number};
use super::{Space, SpillError};

/// Keys of a block, but for the last one of a shard.
pub(super) const KEYS: usize = 256;
/// Every so many keys of a block, a key is there as a whole: one that is looked for is read up to from there.
pub(super) const STRIDE: usize = 64;
/// Bytes of such a key beside its own: the place of the bytes in which the next one differs.
pub(super) const WHOLE_ENTRY: usize = 4;
/// Bytes of a block in an index, beside its first key.
pub(super) const BLOCK_ENTRY: usize = 20;
/// Bytes of an index in the directory.
pub(super) const INDEX_ENTRY: usize = 24;
/// The place of the directory, as the number of a shard.
pub(super) const DIRECTORY: u64 = u64::MAX;
/// The place of an index, as the number of a block.
pub(super) const INDEX: u64 = u64::MAX;

/// A piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredPiece {
    /// Its place in the file.
    pub(super) at: u64,
    /// Bytes as stored.
    pub(super) stored: u32,
    /// Bytes of its content.
    pub(super) content: u32,
    /// The checksum over what is stored, and where.
    pub(super) sum: u64,
}

/// A block of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyBlock {
    pub(super) piece: StoredPiece,
    /// How many keys it has.
    pub(super) count: u32,
}

/// Where the keys of a shard are.
#[derive(Debug, Default)]
pub(super) struct ShardIndex {
    /// The first keys of all blocks, joined.
    pub(super) firsts: Vec<u8>,
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
    /// The place of the directory, its bytes as stored and its checksum.
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

impl ShardIndex {
    /// The first key of a block, each having so many bytes.
    pub(super) fn first(&self, block: usize, bytes: usize) -> &[u8] {
        &self.firsts[block * bytes..(block + 1) * bytes]
    }
}

impl KeyRun {
    /// Bytes of the file.
    pub(super) fn length(&self) -> u64 {
        self.file.length()
    }

    /// Bytes held in memory.
    pub(super) fn heap_bytes(&self) -> usize {
        let of_shard = |shard: &ShardIndex| {
            shard.firsts.capacity() + shard.blocks.capacity() * size_of::<KeyBlock>()
        };
        let shards = self.shards.capacity() * size_of::<ShardIndex>();
        shards + self.shards.iter().map(of_shard).sum::<usize>()
    }

    /// Waits until the file is on the disk.
    pub(super) fn commit(&mut self) -> Result<RunMark, SpillError> {
        self.file.sync()?;
        let StoredPiece {
            at, stored, sum, ..
        } = self.directory;
        Ok(RunMark {
            number: self.number,
            id: self.file.id(),
            length: self.file.length(),
            bytes: self.bytes as u64,
            keys: self.keys,
            directory: (at, stored, sum),
        })
    }

    /// Reads a piece into `content`. `place` are the shard and the number in it.
    pub(super) fn read(
        &self,
        place: (u64, u64),
        piece: &StoredPiece,
        (stored, content): (&mut Vec<u8>, &mut Vec<u8>),
    ) -> Result<(), SpillError> {
        let end = piece.at.saturating_add(u64::from(piece.stored));
        if end > self.file.length() {
            return Err(self.file.damaged("is shorter than it was"));
        }
        stored.resize(piece.stored as usize, 0);
        self.file.read(piece.at, stored)?;
        // Content of the right checksum has the right length, so memory is asked for what is there.
        let sum = sum_of(self.file.id(), place, piece.content, stored);
        if sum != piece.sum || !decompress(stored, piece.content as usize, content) {
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

    /// The run with a mark.
    pub(super) fn reopen(
        space: &Arc<Space>,
        shards: usize,
        mark: &RunMark,
    ) -> Result<Self, SpillError> {
        let name = file_name(mark.number);
        let file = SpillFile::reopen(space, &name, FileContent::Run, (mark.id, mark.length))?;
        let (at, stored, sum) = mark.directory;
        let directory = StoredPiece {
            at,
            stored,
            content: (shards * INDEX_ENTRY) as u32,
            sum,
        };
        let mut run = Self {
            file,
            number: mark.number,
            bytes: usize::try_from(mark.bytes).unwrap_or(usize::MAX),
            keys: mark.keys,
            shards: Vec::new(),
            directory,
            is_named: true,
        };
        let (mut scratch, mut entries) = (Vec::new(), Vec::new());
        run.read((DIRECTORY, INDEX), &directory, (&mut scratch, &mut entries))?;
        let mut index = Vec::new();
        // The first block of a shard follows the last one of the shard before.
        let mut at = HEADER;
        for (shard, entry) in entries.chunks(INDEX_ENTRY).enumerate() {
            let piece = StoredPiece {
                at: long_number(entry, 0),
                stored: number(entry, 8),
                content: number(entry, 12),
                sum: long_number(entry, 16),
            };
            let place = (shard as u64, INDEX);
            run.read(place, &piece, (&mut scratch, &mut index))?;
            let shard = run.index_of(&index, &mut at)?;
            run.shards.push(shard);
        }
        Ok(run)
    }

    /// The index of a shard from its content. `at` is the place of its first block, and becomes that of the next
    /// shard's.
    fn index_of(&self, content: &[u8], at: &mut u64) -> Result<ShardIndex, SpillError> {
        let whole = BLOCK_ENTRY.saturating_add(self.bytes);
        let count = content.len() / whole;
        if count * whole != content.len() {
            return Err(self.file.damaged("has an index of a wrong length"));
        }
        let (entries, firsts) = content.split_at(count * BLOCK_ENTRY);
        let mut blocks = Vec::with_capacity(count);
        for entry in entries.chunks(BLOCK_ENTRY) {
            let piece = StoredPiece {
                at: *at,
                stored: number(entry, 0),
                content: number(entry, 4),
                sum: long_number(entry, 8),
            };
            *at = at.saturating_add(u64::from(piece.stored));
            let count = number(entry, 16);
            blocks.push(KeyBlock { piece, count });
        }
        Ok(ShardIndex {
            firsts: firsts.to_vec(),
            blocks,
        })
    }
}

/// The checksum of what is stored at a place: a shard and a number in it.
pub(super) fn sum_of(id: u64, (shard, number): (u64, u64), content: u32, stored: &[u8]) -> u64 {
    checksum(&[id, shard, number, u64::from(content)], stored)
}
