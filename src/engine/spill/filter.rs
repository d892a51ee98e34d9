//! A blocked Bloom filter: a set of hashes of fixed size that may hold more than was added, never less.
//!
//! All bits of a hash are in one block of 64 bytes, so that a look-up touches one line of the cache (Putze, Sanders and
//! Singler, *Cache-, hash- and space-efficient Bloom filters*, 2007).

use prefetch_index::prefetch_index;

/// Bits of a block.
const BLOCK_BITS: usize = 512;
/// Bits that are set for a hash. Best near 7 bits a key, and good from 4 to 16: a filter of fixed size starts almost
/// empty and ends crowded.
const BITS: u32 = 5;
/// Bits of a place within a block.
const PLACE_BITS: u32 = BLOCK_BITS.ilog2();

/// A filter has a multiple of so many blocks, if it has that many: so it can be halved a few times.
const HALVES: usize = 1 << 6;

/// Aligned to a line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct FilterBlock([u64; BLOCK_BITS / 64]);

/// A set of hashes that may seem to hold more than it does.
#[derive(Clone, Debug)]
pub struct Filter {
    blocks: Vec<FilterBlock>,
}

impl Filter {
    /// An empty filter of about so many bytes, at least of one block.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<FilterBlock>()).max(1);
        let count = match count {
            HALVES.. => count / HALVES * HALVES,
            _ => count,
        };
        Self {
            blocks: vec![FilterBlock([0; BLOCK_BITS / 64]); count],
        }
    }

    /// Adds a hash.
    pub fn add(&mut self, hash: u64) {
        let (block, places) = self.place(hash);
        let FilterBlock(words) = &mut self.blocks[block];
        for (word, bit) in bits(places) {
            words[word] |= bit;
        }
    }

    /// Whether a hash may have been added: true for all that were, and for few others.
    #[must_use]
    pub fn may_hold(&self, hash: u64) -> bool {
        let (block, places) = self.place(hash);
        let FilterBlock(words) = &self.blocks[block];
        // Without a branch for each bit.
        bits(places).fold(true, |all, (word, bit)| all & (words[word] & bit != 0))
    }

    /// Takes half the bytes, and seems to hold more from now on. One of an odd number of blocks stays as it is.
    pub fn halve(&mut self) {
        if !self.blocks.len().is_multiple_of(2) {
            return;
        }
        // The block of a hash is a fraction of their number, rounded down: so two neighbours become one.
        let half = self.blocks.len() / 2;
        for to in 0..half {
            let FilterBlock(other) = self.blocks[2 * to + 1].clone();
            self.blocks.swap(to, 2 * to);
            let FilterBlock(words) = &mut self.blocks[to];
            for (word, more) in words.iter_mut().zip(other) {
                *word |= more;
            }
        }
        self.blocks.truncate(half);
        self.blocks.shrink_to_fit();
    }

    /// Prefetches the block of a hash.
    pub fn fetch(&self, hash: u64) {
        prefetch_index(&self.blocks, self.place(hash).0);
    }

    /// Bytes held.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<FilterBlock>()
    }

    /// The block of a hash, and random bits for the places in it.
    fn place(&self, hash: u64) -> (usize, u64) {
        // Spread first: all hashes of a shard may have some bits in common.
        let spread = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let spread = spread ^ (spread >> 32);
        let block = (u128::from(spread) * self.blocks.len() as u128) >> 64;
        // The block says much about the high bits. The product depends on all of them.
        let places = spread.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (block as usize, places)
    }
}

/// The words and bits in a block for some random bits, of which the highest are taken.
fn bits(places: u64) -> impl Iterator<Item = (usize, u64)> {
    (1..=BITS).map(move |n| {
        let place = (places >> (64 - n * PLACE_BITS)) as usize % BLOCK_BITS;
        (place / 64, 1 << (place % 64))
    })
}
