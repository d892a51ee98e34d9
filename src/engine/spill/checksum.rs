//! Checksums of 64 bits over bytes on disk.

/// An odd number without pattern: multiplying by it loses nothing.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds a word. One-to-one in each of both for any value of the other: so a change of one word always changes the
/// result, whatever follows.
fn add(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(FACTOR)
}

/// Spreads every bit over all others.
fn finish(sum: u64) -> u64 {
    let sum = (sum ^ (sum >> 32)).wrapping_mul(FACTOR);
    sum ^ (sum >> 29)
}

/// The checksum of some numbers and bytes, which say where the bytes belong and what they are. Equal on all machines
/// and in all versions with the same format of files.
pub fn checksum(place: &[u64], bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    // Both lengths: otherwise zeros at an end could be left out.
    let mut sum = add(add(FACTOR, place.len() as u64), bytes.len() as u64);
    for word in place {
        sum = add(sum, *word);
    }
    // Four sums at once: each waits for itself alone.
    let (fours, words) = words.as_chunks::<4>();
    let mut sums = [0, 1, 2, 3].map(|lane| add(sum, lane));
    for four in fours {
        for (sum, word) in sums.iter_mut().zip(four) {
            *sum = add(*sum, u64::from_le_bytes(*word));
        }
    }
    for word in sums {
        sum = add(sum, word);
    }
    for word in words {
        sum = add(sum, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    finish(add(sum, u64::from_le_bytes(last)))
}
