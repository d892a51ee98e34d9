//! A block of a log: what its header tells.

use super::checksum::checksum;
use super::file::{long_number, number};

/// Bytes before the content of a block.
pub(super) const BLOCK_HEADER: usize = FIELDS + 8;
/// Bytes of a header without its checksum.
const FIELDS: usize = 20;

/// A block on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogBlock {
    /// The number of its first record.
    pub(super) first: usize,
    /// The place of its header in the file.
    pub(super) at: u64,
    /// Bytes of its content as stored.
    pub(super) stored: u32,
    /// How many records it has.
    pub(super) count: u32,
    /// Bytes of a record.
    pub(super) bytes: u32,
    /// The checksum of its content as stored.
    pub(super) sum: u64,
    /// The checksum of its header, and through that of the block before, of all headers until here.
    pub(super) chain: u64,
}

impl LogBlock {
    /// One after its last record.
    pub(super) fn end(&self) -> usize {
        self.first + self.count as usize
    }

    /// The place of its content in the file.
    pub(super) fn content_at(&self) -> u64 {
        self.at + BLOCK_HEADER as u64
    }

    /// The place after it in the file.
    pub(super) fn end_at(&self) -> u64 {
        self.content_at() + u64::from(self.stored)
    }

    /// Bytes of its content.
    pub(super) fn content(&self) -> usize {
        self.count as usize * self.bytes as usize
    }

    /// The header as it is on disk, but for the checksum of it.
    fn fields(&self) -> [u8; FIELDS] {
        let mut fields = [0; FIELDS];
        fields[..4].copy_from_slice(&self.stored.to_le_bytes());
        fields[4..8].copy_from_slice(&self.count.to_le_bytes());
        fields[8..12].copy_from_slice(&self.bytes.to_le_bytes());
        fields[12..].copy_from_slice(&self.sum.to_le_bytes());
        fields
    }

    /// The checksum of the header. `before` is that of the block before.
    pub(super) fn chained(&self, before: u64) -> u64 {
        checksum(&[before], &self.fields())
    }

    /// The header as it is on disk.
    pub(super) fn header(&self) -> [u8; BLOCK_HEADER] {
        let mut header = [0; BLOCK_HEADER];
        header[..FIELDS].copy_from_slice(&self.fields());
        header[FIELDS..].copy_from_slice(&self.chain.to_le_bytes());
        header
    }

    /// The block with a header that was read, unless that is damaged.
    pub(super) fn of_header(
        header: &[u8; BLOCK_HEADER],
        before: u64,
        (first, at): (usize, u64),
    ) -> Option<Self> {
        let block = Self {
            first,
            at,
            stored: number(header, 0),
            count: number(header, 4),
            bytes: number(header, 8),
            sum: long_number(header, 12),
            chain: long_number(header, FIELDS),
        };
        (block.chain == block.chained(before)).then_some(block)
    }
}
