//! Blocks of bytes as they are on disk: compressed where that makes them shorter.

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

/// Appends a block as it is stored. What would not become shorter is stored as it is: so a block is compressed if and
/// only if it is shorter than its content.
pub(super) fn compress(content: &[u8], into: &mut Vec<u8>) {
    let from = into.len();
    into.resize(from + get_maximum_output_size(content.len()), 0);
    // It does not fail, for there is room for the longest result.
    let length = compress_into(content, &mut into[from..]).unwrap_or(content.len());
    into.truncate(from + length);
    if length >= content.len() {
        into.truncate(from);
        into.extend_from_slice(content);
    }
}

/// Replaces `into` by the content of a stored block, which has `length` bytes. Returns whether it has.
pub(super) fn decompress(stored: &[u8], length: usize, into: &mut Vec<u8>) -> bool {
    // Not cleared first: what is there is overwritten, and need not be zero.
    into.resize(length, 0);
    if stored.len() == length {
        into.copy_from_slice(stored);
        return true;
    }
    decompress_into(stored, into).is_ok_and(|found| found == length)
}
