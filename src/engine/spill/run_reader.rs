//! Reads the keys of a run.

use super::SpillError;
use super::run::{KeyHash, KeyRun, compare};

/// Reads all keys of a shard of a run one after the other.
#[derive(Debug)]
pub(super) struct ShardReader<'a> {
    run: &'a KeyRun,
    shard: usize,
    hash_of: KeyHash,
    /// The block after the present one.
    next: usize,
    /// The keys of the present block.
    keys: Vec<u8>,
    /// Where in them the present key ends.
    end: usize,
    /// Its hash.
    hash: u64,
}

impl<'a> ShardReader<'a> {
    /// Begins before the first key.
    pub(super) fn new(run: &'a KeyRun, shard: usize, hash_of: KeyHash) -> Self {
        Self {
            run,
            shard,
            hash_of,
            next: 0,
            keys: Vec::new(),
            end: 0,
            hash: 0,
        }
    }

    /// The present key.
    pub(super) fn key(&self) -> &[u8] {
        &self.keys[self.end - self.run.bytes..self.end]
    }

    /// The hash of the present key.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Goes on to the next key. Returns whether there is one.
    pub(super) fn next(&mut self) -> Result<bool, SpillError> {
        if self.end == self.keys.len() {
            if self.next == self.run.shards[self.shard].blocks.len() {
                return Ok(false);
            }
            self.run
                .read_block((self.shard, self.next), &mut self.keys)?;
            self.next += 1;
            self.end = 0;
        }
        self.end += self.run.bytes;
        self.hash = (self.hash_of)(self.key());
        Ok(true)
    }
}

/// The keys that are looked for in a shard: distinct, in the order of hashes and then of keys, joined, and `bytes` long
/// each.
#[derive(Clone, Copy)]
pub(super) struct WantedKeys<'a> {
    pub(super) keys: &'a [u8],
    pub(super) bytes: usize,
    pub(super) hash_of: KeyHash,
}

impl<'a> WantedKeys<'a> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.keys.len().checked_div(self.bytes).unwrap_or(0)
    }

    /// Whether they are sorted and distinct.
    pub(super) fn ascend(&self) -> bool {
        let place = |place| ((self.hash_of)(self.key(place)), self.key(place));
        (1..self.count()).all(|next| place(next - 1) < place(next))
    }

    /// The key at a place.
    fn key(&self, place: usize) -> &'a [u8] {
        &self.keys[place * self.bytes..(place + 1) * self.bytes]
    }
}

/// Looks for keys in a shard of a run, reading each block at most once, into `block`. `places` are those of the keys that
/// are looked for; those that are found are told to `found` and removed.
pub(super) fn find(
    (run, shard): (&KeyRun, usize),
    wanted: WantedKeys<'_>,
    places: &mut Vec<usize>,
    block: &mut Vec<u8>,
    found: &mut dyn FnMut(usize),
) -> Result<(), SpillError> {
    // The block that is there, and how many of its keys come before all that are still looked for.
    let (mut open, mut from) = (None, 0);
    let mut kept = 0;
    for at in 0..places.len() {
        let place = places[at];
        let key = wanted.key(place);
        let hash = (wanted.hash_of)(key);
        let mut is_there = false;
        if let Some(number) = block_of(run, shard, hash, open.unwrap_or(0)) {
            if open != Some(number) {
                run.read_block((shard, number), block)?;
                (open, from) = (Some(number), 0);
            }
            let keys = HashedKeys {
                bytes: block,
                width: run.bytes,
                hash_of: wanted.hash_of,
            };
            from = keys.first_from(from, hash);
            let mut alike = keys.alike(from, hash);
            is_there = alike.any(|other| compare(other, key).is_eq());
        }
        if is_there {
            found(place);
        } else {
            places[kept] = place;
            kept += 1;
        }
    }
    places.truncate(kept);
    Ok(())
}

/// Keys in the order of their hashes, joined.
struct HashedKeys<'a> {
    bytes: &'a [u8],
    width: usize,
    hash_of: KeyHash,
}

impl<'a> HashedKeys<'a> {
    fn key(&self, number: usize) -> &'a [u8] {
        &self.bytes[number * self.width..(number + 1) * self.width]
    }

    /// The number of the first key from this number on whose hash is not less.
    fn first_from(&self, from: usize, hash: u64) -> usize {
        let (mut low, mut high) = (from, self.bytes.len() / self.width);
        while low < high {
            let middle = low + (high - low) / 2;
            match (self.hash_of)(self.key(middle)) < hash {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The keys from this number on that have the hash.
    fn alike(&self, from: usize, hash: u64) -> impl Iterator<Item = &'a [u8]> {
        let rest = self.bytes.get(from * self.width..).unwrap_or_default();
        let keys = rest.chunks_exact(self.width);
        keys.take_while(move |key| (self.hash_of)(key) == hash)
    }
}

/// The only block that may have a key of a hash: the last one whose first hash is not greater. Blocks before `from` need
/// not be looked at.
fn block_of(run: &KeyRun, shard: usize, hash: u64, from: usize) -> Option<usize> {
    let blocks = &run.shards[shard].blocks;
    let is_before = |block: usize| blocks[block].first <= hash;
    // Neighbours are often in one block, or in the next: so the steps double.
    let (mut low, mut step) = (from, 1);
    if low >= blocks.len() || !is_before(low) {
        return None;
    }
    while low + step < blocks.len() && is_before(low + step) {
        low += step;
        step *= 2;
    }
    // The block at `low` is not greater, the one at `high` is, or is behind the last.
    let mut high = (low + step).min(blocks.len());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match is_before(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    Some(low)
}
