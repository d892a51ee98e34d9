//! Writes a run key by key.

use std::sync::Arc;

use super::file::{FileContent, HEADER, SpillFile};
use super::run::{DIRECTORY, INDEX, INDEX_ENTRY, KeyBlock, KeyRun};
use super::run::{ShardIndex, StoredPiece, block_keys, compare};
use super::run::{file_name, sum_of};
use super::{Space, SpillError};

/// Bytes that are written at once.
const WRITE: usize = 1 << 18;

/// A run that is being written.
#[derive(Debug)]
pub(super) struct RunWriter {
    run: KeyRun,
    /// Keys that are not yet written: those of the last block begin at `begun`.
    buffer: Vec<u8>,
    begun: usize,
    /// The last key and its hash.
    last: (u64, Vec<u8>),
    /// The hash of the first key of the block.
    first: u64,
    /// How many keys the block has.
    count: u32,
    /// How many keys the shard has before it.
    before: u32,
}

impl RunWriter {
    /// Begins a run with keys of `bytes` bytes each.
    pub(super) fn new(space: &Arc<Space>, number: u64, bytes: usize) -> Result<Self, SpillError> {
        let file = SpillFile::create(space, &file_name(number), FileContent::Run)?;
        let directory = StoredPiece {
            at: 0,
            bytes: 0,
            sum: 0,
        };
        let shard = ShardIndex {
            at: HEADER,
            blocks: Vec::new(),
        };
        Ok(Self {
            run: KeyRun {
                file,
                number,
                bytes,
                keys: 0,
                shards: vec![shard],
                directory,
                is_named: false,
            },
            buffer: Vec::new(),
            begun: 0,
            last: (0, Vec::new()),
            first: 0,
            count: 0,
            before: 0,
        })
    }

    /// Appends a key of this hash to the shard, with zeros if it is too short. In the order of hashes, and then of keys, it
    /// comes after the one before.
    pub(super) fn push(&mut self, hash: u64, key: &[u8]) -> Result<(), SpillError> {
        if key.len() > self.run.bytes {
            return Err(self.misuse("a key of a run is too long"));
        }
        if !self.is_empty() {
            let (last, before) = &self.last;
            let order = last.cmp(&hash).then_with(|| compare(before, key));
            if order.is_ge() {
                return Err(self.misuse("keys of a run do not ascend"));
            }
        }
        // Keys of one hash are in one block, so it is known in which one a key is.
        if self.count as usize >= block_keys(self.run.bytes) && hash != self.last.0 {
            self.end_block()?;
        }
        if self.count == 0 {
            self.first = hash;
        }
        let end = self.buffer.len() + self.run.bytes;
        self.buffer.extend_from_slice(key);
        self.buffer.resize(end, 0);
        self.last.0 = hash;
        self.last.1.clear();
        self.last.1.extend_from_slice(key);
        self.count += 1;
        self.run.keys += 1;
        Ok(())
    }

    /// Whether the shard has no key yet.
    fn is_empty(&self) -> bool {
        self.before == 0 && self.count == 0
    }

    /// Whether this is the last key of the shard so far.
    pub(super) fn is_last(&self, hash: u64, key: &[u8]) -> bool {
        !self.is_empty() && self.last.0 == hash && compare(&self.last.1, key).is_eq()
    }

    fn misuse(&self, why: &str) -> SpillError {
        SpillError::misuse(self.run.file.path(), why)
    }

    /// Ends the block, if it has a key.
    fn end_block(&mut self) -> Result<(), SpillError> {
        if self.count == 0 {
            return Ok(());
        }
        let shard = self.run.shards.len() as u64 - 1;
        let number = self.run.shards.last().map_or(0, |shard| shard.blocks.len());
        let place = (shard, number as u64);
        let block = KeyBlock {
            first: self.first,
            sum: sum_of(self.run.file.id(), place, &self.buffer[self.begun..]),
            before: self.before,
            count: self.count,
        };
        let before = self.before.checked_add(self.count);
        self.before = before.ok_or_else(|| self.misuse("a shard of a run has too many keys"))?;
        self.count = 0;
        self.begun = self.buffer.len();
        if let Some(shard) = self.run.shards.last_mut() {
            shard.blocks.push(block);
        }
        if self.buffer.len() >= WRITE {
            self.write()?;
        }
        Ok(())
    }

    /// Ends the shard: keys that follow are of the next one.
    pub(super) fn end_shard(&mut self) -> Result<(), SpillError> {
        self.end_block()?;
        self.before = 0;
        if let Some(shard) = self.run.shards.last_mut() {
            shard.blocks.shrink_to_fit();
        }
        self.run.shards.push(ShardIndex {
            at: self.end(),
            blocks: Vec::new(),
        });
        Ok(())
    }

    /// Where in the file the next byte comes.
    fn end(&self) -> u64 {
        self.run.file.length() + self.buffer.len() as u64
    }

    /// Appends a piece of the file that is no block of keys.
    fn append(&mut self, place: (u64, u64), content: &[u8]) -> Result<StoredPiece, SpillError> {
        let bytes = u32::try_from(content.len());
        let piece = StoredPiece {
            at: self.end(),
            bytes: bytes.map_err(|_| self.misuse("a piece of a run is too long"))?,
            sum: sum_of(self.run.file.id(), place, content),
        };
        self.buffer.extend_from_slice(content);
        if self.buffer.len() >= WRITE {
            self.write()?;
        }
        Ok(piece)
    }

    /// Writes the buffer.
    fn write(&mut self) -> Result<(), SpillError> {
        self.run.file.append(&self.buffer)?;
        self.buffer.clear();
        self.begun = 0;
        Ok(())
    }

    /// Ends the run after the last shard.
    pub(super) fn finish(mut self) -> Result<KeyRun, SpillError> {
        // Each shard was ended, so an empty one has begun.
        self.run.shards.pop();
        self.run.shards.shrink_to_fit();
        let shards = std::mem::take(&mut self.run.shards);
        let mut entries = Vec::with_capacity(shards.len() * INDEX_ENTRY);
        for (number, shard) in shards.iter().enumerate() {
            let mut content = Vec::new();
            for block in &shard.blocks {
                content.extend_from_slice(&block.first.to_le_bytes());
                content.extend_from_slice(&block.sum.to_le_bytes());
                content.extend_from_slice(&block.count.to_le_bytes());
            }
            let piece = self.append((number as u64, INDEX), &content)?;
            entries.extend_from_slice(&piece.at.to_le_bytes());
            entries.extend_from_slice(&piece.bytes.to_le_bytes());
            entries.extend_from_slice(&piece.sum.to_le_bytes());
        }
        self.run.directory = self.append((DIRECTORY, INDEX), &entries)?;
        self.write()?;
        self.run.shards = shards;
        Ok(self.run)
    }
}
