//! Records of equal length by number, in the order in which they were appended.
//!
//! A file is a header and blocks. The header of a block tells its length, how many records it has and how long they are; the
//! records follow, compressed. It has the checksum of the content, and one of itself and the header before: so the last one
//! vouches for all of the file.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::checksum::checksum;
use super::compressed::{compress, decompress};
use super::file::{FileContent, HEADER, SpillFile};
use super::log_block::{BLOCK_HEADER, LogBlock};
use super::{Space, SpillError};
use crate::source::threads::lock;

/// Bytes of records in a block, but for a longer record, which has a block of its own.
const BLOCK: usize = 1 << 16;

/// A block whose content was read last.
#[derive(Debug, Default)]
struct HeldBlock {
    /// The file's number, and that of the block.
    of: Option<(u64, usize)>,
    content: Vec<u8>,
}

/// Records by number.
///
/// Their length may change: from there on they form another *stretch*. Records that are not yet in a block are held in
/// memory, and all methods see them, too.
#[derive(Debug)]
pub struct Log {
    space: Arc<Space>,
    name: String,
    file: SpillFile,
    /// How often records that a mark may name were cleared. Each time another file begins.
    generation: u64,
    blocks: Vec<LogBlock>,
    /// Bytes of a record from here on.
    bytes: usize,
    /// Records that are not yet in a block.
    buffer: Vec<u8>,
    /// How many these are.
    buffered: usize,
    /// What [`Log::read`] read last: neighbours are often asked for, too.
    held: Mutex<HeldBlock>,
    /// Whether a mark names the file.
    is_named: bool,
    /// Files that were cleared since the last mark, which may name them.
    cleared: Vec<String>,
    /// Files that only marks before the last one name.
    unnamed: Vec<String>,
}

/// A log as it was when it was committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogMark {
    generation: u64,
    /// The number of the file.
    id: u64,
    /// Bytes of the file.
    length: u64,
    records: u64,
    /// Bytes of the records to come.
    bytes: u64,
    /// The checksum of the last header.
    chain: u64,
}

impl LogMark {
    /// How many records there were.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}

/// Checks the name of a log: other files of the folder must not look like one of its own.
fn check_name(space: &Space, name: &str) -> Result<(), SpillError> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match !name.is_empty() && name.bytes().all(is_good) {
        true => Ok(()),
        false => Err(SpillError::misuse(&space.path(name), "is no name of a log")),
    }
}

/// The name of a file of a log.
fn file_name(name: &str, generation: u64) -> String {
    match generation {
        0 => name.to_owned(),
        _ => format!("{name}.{generation}"),
    }
}

/// Removes the files of a log but for one.
fn remove_others(space: &Space, name: &str, kept: &str) -> Result<(), SpillError> {
    let is_of_log = |file: &str| {
        let rest = file.strip_prefix(name);
        let generation = rest.and_then(|rest| rest.strip_prefix('.'));
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        file == name || generation.is_some_and(is_number)
    };
    for file in space.names()? {
        if file != kept && is_of_log(&file) {
            space.remove(&file)?;
        }
    }
    Ok(())
}

impl Log {
    /// An empty log, with records of no bytes until [`Log::begin_stretch`]. One of the same name is replaced, and marks of
    /// it are void. A name consists of letters, digits and `-`.
    ///
    /// # Errors
    /// [`SpillError::Full`] and [`SpillError::Io`].
    pub fn create(space: &Arc<Space>, name: &str) -> Result<Self, SpillError> {
        check_name(space, name)?;
        remove_others(space, name, name)?;
        let file = SpillFile::create(space, name, FileContent::Log)?;
        Ok(Self::over(space, name, file))
    }

    /// A log over a file, without blocks.
    fn over(space: &Arc<Space>, name: &str, file: SpillFile) -> Self {
        Self {
            space: Arc::clone(space),
            name: name.to_owned(),
            file,
            generation: 0,
            blocks: Vec::new(),
            bytes: 0,
            buffer: Vec::new(),
            buffered: 0,
            held: Mutex::default(),
            is_named: false,
            cleared: Vec::new(),
            unnamed: Vec::new(),
        }
    }

    /// From here on records have `bytes` bytes.
    ///
    /// # Errors
    /// [`SpillError::Full`] and [`SpillError::Io`]. Then the length is as it was.
    pub fn begin_stretch(&mut self, bytes: usize) -> Result<(), SpillError> {
        if bytes == self.bytes {
            return Ok(());
        }
        if u32::try_from(bytes).is_err() {
            let why = format!("records of {bytes} bytes are too long");
            return Err(SpillError::misuse(self.file.path(), why));
        }
        self.write_block()?;
        self.bytes = bytes;
        Ok(())
    }

    /// Appends a record, which must have the length of the stretch.
    ///
    /// # Errors
    /// [`SpillError::Full`] and [`SpillError::Io`]. Then the record is not in the log, and all others are.
    pub fn push(&mut self, record: &[u8]) -> Result<(), SpillError> {
        if record.len() != self.bytes {
            let (is, must) = (record.len(), self.bytes);
            let why = format!("a record has {is} bytes where all have {must}");
            return Err(SpillError::misuse(self.file.path(), why));
        }
        let end = self.buffer.len() + record.len();
        // The second is for records without bytes: the number of records has 32 bits.
        if self.buffered > 0 && end > BLOCK || self.buffered >= BLOCK {
            self.write_block()?;
        } else if end > self.buffer.capacity() && end <= BLOCK {
            // Doubled, but never beyond a block.
            let room = (2 * self.buffer.capacity()).clamp(end, BLOCK);
            self.buffer.reserve_exact(room - self.buffer.len());
        }
        self.buffer.extend_from_slice(record);
        self.buffered += 1;
        Ok(())
    }

    /// Writes the records of the buffer as a block.
    fn write_block(&mut self) -> Result<(), SpillError> {
        if self.buffered == 0 {
            return Ok(());
        }
        let mut bytes = vec![0; BLOCK_HEADER];
        compress(&self.buffer, &mut bytes);
        let mut block = LogBlock {
            first: self.written(),
            at: self.file.length(),
            stored: (bytes.len() - BLOCK_HEADER) as u32,
            count: self.buffered as u32,
            bytes: self.bytes as u32,
            sum: checksum(&[], &bytes[BLOCK_HEADER..]),
            chain: 0,
        };
        block.chain = block.chained(self.chain());
        bytes[..BLOCK_HEADER].copy_from_slice(&block.header());
        self.file.append(&bytes)?;
        self.blocks.push(block);
        self.buffer.clear();
        self.buffered = 0;
        Ok(())
    }

    /// The checksum of the last header; the number of the file if there is none.
    fn chain(&self) -> u64 {
        let last = self.blocks.last();
        last.map_or(self.file.id(), |block| block.chain)
    }

    /// How many records are in blocks.
    fn written(&self) -> usize {
        self.blocks.last().map_or(0, LogBlock::end)
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.written() + self.buffered
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces `into` by the record with a number. The block with the record is kept for the next call.
    ///
    /// # Errors
    /// [`SpillError::Damaged`], and [`SpillError::Io`], also if there is no such record.
    pub fn read(&self, number: usize, into: &mut Vec<u8>) -> Result<(), SpillError> {
        into.clear();
        if let Some(record) = self.in_buffer(number) {
            into.extend_from_slice(record);
            return Ok(());
        }
        let Some(block) = self.block_of(number) else {
            let why = format!("there is no record {number}");
            return Err(SpillError::misuse(self.file.path(), why));
        };
        let mut held = lock(&self.held);
        self.hold(block, &mut held)?;
        into.extend_from_slice(self.in_block(block, number, &held.content));
        Ok(())
    }

    /// A record of the buffer.
    fn in_buffer(&self, number: usize) -> Option<&[u8]> {
        let index = number.checked_sub(self.written())?;
        let from = index * self.bytes;
        (index < self.buffered).then(|| &self.buffer[from..from + self.bytes])
    }

    /// The block with a record that is not in the buffer.
    fn block_of(&self, number: usize) -> Option<usize> {
        let block = self.blocks.partition_point(|block| block.end() <= number);
        (block < self.blocks.len()).then_some(block)
    }

    /// A record of a block with this content.
    fn in_block<'a>(&self, block: usize, number: usize, content: &'a [u8]) -> &'a [u8] {
        let LogBlock { first, bytes, .. } = self.blocks[block];
        let from = (number - first) * bytes as usize;
        &content[from..from + bytes as usize]
    }

    /// Reads the content of a block unless it is held.
    fn hold(&self, block: usize, held: &mut HeldBlock) -> Result<(), SpillError> {
        let of = Some((self.file.id(), block));
        if held.of == of {
            return Ok(());
        }
        held.of = None;
        let entry = &self.blocks[block];
        let mut stored = vec![0; entry.stored as usize];
        self.file.read(entry.content_at(), &mut stored)?;
        // Content of the right checksum has the right length, so memory is asked for what is there.
        if checksum(&[], &stored) != entry.sum
            || !decompress(&stored, entry.content(), &mut held.content)
        {
            let why = format!("does not match its checksum in block {block}");
            return Err(self.file.damaged(why));
        }
        held.of = of;
        Ok(())
    }

    /// Reads records one after the other, from the one with this number on.
    #[must_use]
    pub fn reader(&self, from: usize) -> LogReader {
        LogReader {
            next: from,
            held: HeldBlock::default(),
        }
    }

    /// Removes all records. The length of records stays.
    ///
    /// If a mark names the file, it stays until [`Log::sweep`], and another one begins.
    ///
    /// # Errors
    /// [`SpillError::Full`]: then the log is as it was. [`SpillError::Io`].
    pub fn clear(&mut self) -> Result<(), SpillError> {
        if !self.blocks.is_empty() {
            let generation = self.generation + 1;
            let name = file_name(&self.name, generation);
            let next = SpillFile::create(&self.space, &name, FileContent::Log)?;
            let before = std::mem::replace(&mut self.file, next);
            self.generation = generation;
            self.blocks = Vec::new();
            *lock(&self.held) = HeldBlock::default();
            if std::mem::take(&mut self.is_named) {
                self.cleared.push(before.name().to_owned());
            } else {
                self.space.remove(before.name())?;
            }
        }
        self.buffer.clear();
        self.buffered = 0;
        Ok(())
    }

    /// Bytes of a record from here on.
    #[must_use]
    pub fn record_bytes(&self) -> usize {
        self.bytes
    }

    /// Removes the file. No mark may name it.
    ///
    /// # Errors
    /// [`SpillError::Io`].
    pub fn remove(self) -> Result<(), SpillError> {
        debug_assert!(!self.is_named);
        self.space.remove(self.file.name())
    }

    /// The error that says what is wrong with the file, where what it holds shows that.
    #[must_use]
    pub fn damaged(&self, why: &str) -> SpillError {
        self.file.damaged(why)
    }

    /// Bytes held in memory.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let blocks = self.blocks.capacity() * size_of::<LogBlock>();
        self.buffer.capacity() + blocks + lock(&self.held).content.capacity()
    }

    /// Writes what is in memory, and waits until all of it is on the disk. Threads may commit several logs at once, which
    /// takes less time than one after the other.
    ///
    /// # Errors
    /// [`SpillError::Full`] and [`SpillError::Io`]. After an error of syncing, no commit of this log succeeds.
    pub fn commit(&mut self) -> Result<LogMark, SpillError> {
        self.write_block()?;
        self.file.sync()?;
        self.space.sync_names()?;
        self.is_named = true;
        self.unnamed.append(&mut self.cleared);
        Ok(LogMark {
            generation: self.generation,
            id: self.file.id(),
            length: self.file.length(),
            records: self.len() as u64,
            bytes: self.bytes as u64,
            chain: self.chain(),
        })
    }

    /// Removes files of records that were cleared before the last commit. To be called only once a manifest with its
    /// mark stands.
    ///
    /// # Errors
    /// [`SpillError::Io`].
    pub fn sweep(&mut self) -> Result<(), SpillError> {
        while let Some(name) = self.unnamed.last() {
            self.space.remove(name)?;
            self.unnamed.pop();
        }
        Ok(())
    }

    /// The log as it was at a mark. What was appended after that is cut off.
    ///
    /// # Errors
    /// [`SpillError::Damaged`] if the file is missing, shorter or not what it was; what is wrong within a block is found
    /// when it is read. [`SpillError::Io`].
    pub fn reopen(space: &Arc<Space>, name: &str, mark: &LogMark) -> Result<Self, SpillError> {
        check_name(space, name)?;
        let kept = file_name(name, mark.generation);
        let file = SpillFile::reopen(space, &kept, FileContent::Log, (mark.id, mark.length))?;
        let mut log = Self::over(space, name, file);
        log.generation = mark.generation;
        log.bytes = usize::try_from(mark.bytes).unwrap_or(usize::MAX);
        log.is_named = true;
        log.read_headers(mark)?;
        remove_others(space, name, &kept)?;
        Ok(log)
    }

    /// Reads the headers of all blocks, and holds them to the mark.
    fn read_headers(&mut self, mark: &LogMark) -> Result<(), SpillError> {
        let mut at = HEADER;
        while at < mark.length {
            let mut header = [0; BLOCK_HEADER];
            self.file.read(at, &mut header)?;
            let place = (self.written(), at);
            let Some(block) = LogBlock::of_header(&header, self.chain(), place) else {
                let number = self.blocks.len();
                let why = format!("does not match its checksum in the header of block {number}");
                return Err(self.file.damaged(why));
            };
            at = block.end_at();
            self.blocks.push(block);
        }
        match self.chain() == mark.chain {
            true => Ok(()),
            false => Err(self.file.damaged("has other blocks than it had")),
        }
    }
}

/// Reads the records of a log one after the other.
///
/// It holds the content of one block. Records that are appended meanwhile are read in their turn; if the log is cleared,
/// reading goes on with the number that would have come.
#[derive(Debug)]
pub struct LogReader {
    next: usize,
    held: HeldBlock,
}

impl LogReader {
    /// The next record of `log`, the log that this reads. There may be none yet.
    ///
    /// # Errors
    /// [`SpillError::Damaged`] and [`SpillError::Io`]. Then the next call tries the same record.
    pub fn next(&mut self, log: &Log) -> Result<Option<&[u8]>, SpillError> {
        let number = self.next;
        if let Some(record) = log.in_buffer(number) {
            self.held.of = None;
            self.held.content.clear();
            self.held.content.extend_from_slice(record);
            self.next += 1;
            return Ok(Some(&self.held.content));
        }
        let Some(block) = self.block(log) else {
            return Ok(None);
        };
        log.hold(block, &mut self.held)?;
        self.next += 1;
        Ok(Some(log.in_block(block, number, &self.held.content)))
    }

    /// The block with the next record: usually the one that is held.
    fn block(&self, log: &Log) -> Option<usize> {
        let held = self.held.of.map(|(_, block)| block);
        let block = held.and_then(|block| Some((block, log.blocks.get(block)?)));
        match block {
            Some((block, entry)) if (entry.first..entry.end()).contains(&self.next) => Some(block),
            _ => log.block_of(self.next),
        }
    }

    /// Bytes held in memory.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.held.content.capacity()
    }
}
