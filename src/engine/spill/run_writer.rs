//! Writes a run key by key.
//!
//! A key is stored as the bytes that differ from the key before. A block has for each key but the first, which is in the
//! index, masks that say which bytes differ: the first mask of all keys, then the second of all, and so on. Then come the
//! bytes that differ, key by key. All of that is compressed: in sorted keys mostly the same bytes differ, so that columns of
//! masks nearly vanish. Before that stands every 64th key as a whole, so that not all keys have to be made to find one.

use std::sync::Arc;

use super::compressed::compress;
use super::difference::{MASKED, mask, places};
use super::file::{FileContent, SpillFile};
use super::run::{DIRECTORY, INDEX, INDEX_ENTRY, KEYS, KeyBlock, KeyRun, STRIDE};
use super::run::{ShardIndex, StoredPiece};
use super::run::{file_name, sum_of};
use super::{Space, SpillError};

/// Bytes that are written at once.
const WRITE: usize = 1 << 18;

/// A run that is being written.
#[derive(Debug)]
pub(super) struct RunWriter {
    run: KeyRun,
    /// Pieces that are not yet written.
    buffer: Vec<u8>,
    /// The last key.
    last: Vec<u8>,
    /// Keys of the block as a whole, each with the place of the bytes in which the next one differs.
    whole: Vec<u8>,
    /// Which bytes differ, key by key, of the keys of the block but the first.
    masks: Vec<u8>,
    /// The bytes that differ.
    differing: Vec<u8>,
    /// The content of a block, to be used again.
    content: Vec<u8>,
    /// How many keys the block has.
    count: u32,
    /// Whether the last key is of this shard.
    has_keys: bool,
}

impl RunWriter {
    /// Begins a run with keys of `bytes` bytes each.
    pub(super) fn new(space: &Arc<Space>, number: u64, bytes: usize) -> Result<Self, SpillError> {
        let file = SpillFile::create(space, &file_name(number), FileContent::Run)?;
        let directory = StoredPiece {
            at: 0,
            stored: 0,
            content: 0,
            sum: 0,
        };
        Ok(Self {
            run: KeyRun {
                file,
                number,
                bytes,
                keys: 0,
                shards: vec![ShardIndex::default()],
                directory,
                is_named: false,
            },
            buffer: Vec::new(),
            last: vec![0; bytes],
            whole: Vec::new(),
            masks: Vec::new(),
            differing: Vec::new(),
            content: Vec::new(),
            count: 0,
            has_keys: false,
        })
    }

    /// Appends a key to the shard. It must be greater than the one before.
    pub(super) fn push(&mut self, key: &[u8]) -> Result<(), SpillError> {
        if self.has_keys && self.last.as_slice() >= key {
            let why = "keys of a run do not ascend";
            return Err(SpillError::misuse(self.run.file.path(), why));
        }
        if self.count as usize == KEYS {
            self.end_block()?;
        }
        if self.count == 0 {
            if let Some(shard) = self.run.shards.last_mut() {
                shard.firsts.extend_from_slice(key);
            }
        } else {
            self.push_differing(key);
            if (self.count as usize).is_multiple_of(STRIDE) {
                self.whole.extend_from_slice(key);
                let place = self.differing.len() as u32;
                self.whole.extend_from_slice(&place.to_le_bytes());
            }
        }
        self.last.copy_from_slice(key);
        self.has_keys = true;
        self.count += 1;
        self.run.keys += 1;
        Ok(())
    }

    /// Notes the bytes of a key that differ from the last one.
    fn push_differing(&mut self, key: &[u8]) {
        for (new, old) in key.chunks(MASKED).zip(self.last.chunks(MASKED)) {
            let mask = mask(new, old);
            self.differing.extend(places(mask).map(|at| new[at]));
            self.masks.push(mask);
        }
    }

    /// Ends the block, if it has a key.
    fn end_block(&mut self) -> Result<(), SpillError> {
        if self.count == 0 {
            return Ok(());
        }
        let shard = self.run.shards.len() as u64 - 1;
        let number = self.run.shards.last().map_or(0, |shard| shard.blocks.len());
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        content.append(&mut self.whole);
        let width = self.run.bytes.div_ceil(MASKED);
        for column in 0..width {
            content.extend(self.masks.iter().skip(column).step_by(width));
        }
        content.append(&mut self.differing);
        self.masks.clear();
        let piece = self.append((shard, number as u64), &content)?;
        self.content = content;
        let count = std::mem::take(&mut self.count);
        if let Some(shard) = self.run.shards.last_mut() {
            shard.blocks.push(KeyBlock { piece, count });
        }
        Ok(())
    }

    /// Ends the shard: keys that follow are of the next one.
    pub(super) fn end_shard(&mut self) -> Result<(), SpillError> {
        self.end_block()?;
        self.has_keys = false;
        if let Some(shard) = self.run.shards.last_mut() {
            shard.firsts.shrink_to_fit();
            shard.blocks.shrink_to_fit();
        }
        self.run.shards.push(ShardIndex::default());
        Ok(())
    }

    /// Appends a piece of the file.
    fn append(&mut self, place: (u64, u64), content: &[u8]) -> Result<StoredPiece, SpillError> {
        let (Ok(length), from) = (u32::try_from(content.len()), self.buffer.len()) else {
            let why = "a piece of a run is too long";
            return Err(SpillError::misuse(self.run.file.path(), why));
        };
        compress(content, &mut self.buffer);
        let stored = &self.buffer[from..];
        let piece = StoredPiece {
            at: self.run.file.length() + from as u64,
            stored: stored.len() as u32,
            content: length,
            sum: sum_of(self.run.file.id(), place, length, stored),
        };
        if self.buffer.len() >= WRITE {
            self.write()?;
        }
        Ok(piece)
    }

    /// Writes the buffer.
    fn write(&mut self) -> Result<(), SpillError> {
        self.run.file.append(&self.buffer)?;
        self.buffer.clear();
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
            for KeyBlock { piece, count } in &shard.blocks {
                content.extend_from_slice(&piece.stored.to_le_bytes());
                content.extend_from_slice(&piece.content.to_le_bytes());
                content.extend_from_slice(&piece.sum.to_le_bytes());
                content.extend_from_slice(&count.to_le_bytes());
            }
            content.extend_from_slice(&shard.firsts);
            let piece = self.append((number as u64, INDEX), &content)?;
            entries.extend_from_slice(&piece.at.to_le_bytes());
            entries.extend_from_slice(&piece.stored.to_le_bytes());
            entries.extend_from_slice(&piece.content.to_le_bytes());
            entries.extend_from_slice(&piece.sum.to_le_bytes());
        }
        self.run.directory = self.append((DIRECTORY, INDEX), &entries)?;
        self.write()?;
        self.run.shards = shards;
        Ok(self.run)
    }
}
