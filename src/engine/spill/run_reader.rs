//! Reads the keys of a run.

use std::cmp::Ordering;

use super::SpillError;
use super::difference::{MASKED, places};
use super::file::number;
use super::run::{KeyRun, STRIDE, WHOLE_ENTRY};

/// Compares keys as if both had zeros without end behind them.
pub(super) fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let common = one.len().min(other.len());
    let has_more = |rest: &[u8]| rest.iter().any(|byte| *byte != 0);
    one[..common].cmp(&other[..common]).then_with(|| {
        // At most one of them has more bytes.
        has_more(&one[common..]).cmp(&has_more(&other[common..]))
    })
}

/// Reads the keys of a block one after the other.
#[derive(Debug, Default)]
pub(super) struct BlockReader {
    stored: Vec<u8>,
    content: Vec<u8>,
    /// The key that is read, padded with zeros if keys are to be longer than those of the run.
    key: Vec<u8>,
    /// How many keys have masks.
    masked: usize,
    /// Bytes of the keys that are there as a whole, which come first.
    whole: usize,
    /// The end of all masks.
    masks: usize,
    /// The place of the bytes in which the next key differs.
    differing: usize,
    /// How many keys follow.
    left: usize,
}

impl BlockReader {
    /// Reads a block, up to its first key. Keys are padded to `length` bytes.
    pub(super) fn open(
        &mut self,
        run: &KeyRun,
        (shard, block): (usize, usize),
        length: usize,
    ) -> Result<(), SpillError> {
        let index = &run.shards[shard];
        let entry = &index.blocks[block];
        let buffers = (&mut self.stored, &mut self.content);
        run.read((shard as u64, block as u64), &entry.piece, buffers)?;
        self.key.clear();
        self.key.extend_from_slice(index.first(block, run.bytes));
        self.key.resize(length.max(run.bytes), 0);
        self.left = (entry.count as usize).saturating_sub(1);
        self.masked = self.left;
        self.whole = self.masked / STRIDE * (run.bytes + WHOLE_ENTRY);
        self.masks = self.whole + run.bytes.div_ceil(MASKED) * self.masked;
        self.differing = self.masks;
        match self.differing <= self.content.len() {
            true => Ok(()),
            false => Err(run.file.damaged("has a block of a wrong length")),
        }
    }

    /// The present key.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Goes on to the next key of the block. Returns whether there is one.
    pub(super) fn next(&mut self, run: &KeyRun) -> Result<bool, SpillError> {
        if self.left == 0 {
            return Ok(false);
        }
        let changed = self.change_key();
        self.left -= 1;
        match changed {
            Some(()) => Ok(true),
            None => Err(run.file.damaged("has a block of a wrong length")),
        }
    }

    /// Goes on to the last of the keys that are there as a whole and not greater than `wanted`, if it comes later.
    fn approach(&mut self, run: &KeyRun, wanted: &[u8]) {
        let (before, _) = self.content.split_at(self.whole);
        let all = before.chunks_exact(run.bytes + WHOLE_ENTRY);
        let entry = |number: usize| {
            let bytes = all.clone().nth(number)?;
            Some(bytes.split_at(run.bytes))
        };
        // The entry with number n is that of the key with number (n + 1) * STRIDE.
        let mut low = (self.masked - self.left) / STRIDE;
        let (mut high, mut last) = (all.len(), None);
        while low < high {
            let middle = low + (high - low) / 2;
            match entry(middle).filter(|(key, _)| compare(key, wanted).is_le()) {
                Some(found) => {
                    last = Some((middle, found));
                    low = middle + 1;
                }
                None => high = middle,
            }
        }
        if let Some((at, (key, place))) = last {
            self.key[..key.len()].copy_from_slice(key);
            self.left = self.masked - (at + 1) * STRIDE;
            self.differing = self.masks + number(place, 0) as usize;
        }
    }

    /// Puts the bytes that differ into the key. Nothing if they are not there.
    fn change_key(&mut self) -> Option<()> {
        let first = self.whole + self.masked - self.left;
        let masks = self.content.get(first..self.masks)?;
        let masks = masks.iter().step_by(self.masked);
        let mut differing = self.content.get(self.differing..)?.iter();
        for (key, mask) in self.key.chunks_mut(MASKED).zip(masks) {
            for at in places(*mask) {
                *key.get_mut(at)? = *differing.next()?;
            }
        }
        self.differing = self.content.len() - differing.len();
        Some(())
    }
}

/// Reads all keys of a shard of a run one after the other.
#[derive(Debug)]
pub(super) struct ShardReader<'a> {
    run: &'a KeyRun,
    shard: usize,
    /// The block after the present one.
    next: usize,
    /// Bytes of a key.
    length: usize,
    block: BlockReader,
}

impl<'a> ShardReader<'a> {
    /// Begins before the first key. Keys are padded to `length` bytes.
    pub(super) fn new(run: &'a KeyRun, shard: usize, length: usize) -> Self {
        Self {
            run,
            shard,
            next: 0,
            length,
            block: BlockReader::default(),
        }
    }

    /// The present key.
    pub(super) fn key(&self) -> &[u8] {
        self.block.key()
    }

    /// Goes on to the next key. Returns whether there is one.
    pub(super) fn next(&mut self) -> Result<bool, SpillError> {
        if self.block.next(self.run)? {
            return Ok(true);
        }
        if self.next == self.run.shards[self.shard].blocks.len() {
            return Ok(false);
        }
        let place = (self.shard, self.next);
        self.block.open(self.run, place, self.length)?;
        self.next += 1;
        Ok(true)
    }
}

/// The keys that are looked for in a shard: sorted, distinct, joined, and `bytes` long each.
#[derive(Clone, Copy)]
pub(super) struct WantedKeys<'a> {
    pub(super) keys: &'a [u8],
    pub(super) bytes: usize,
}

impl<'a> WantedKeys<'a> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.keys.len().checked_div(self.bytes).unwrap_or(0)
    }

    /// Whether they are sorted and distinct.
    pub(super) fn ascend(&self) -> bool {
        (1..self.count()).all(|place| self.key(place - 1) < self.key(place))
    }

    /// The key at a place.
    fn key(&self, place: usize) -> &'a [u8] {
        &self.keys[place * self.bytes..(place + 1) * self.bytes]
    }
}

/// Looks for keys in a shard of a run, reading each block at most once. `places` are those of the keys that are looked
/// for; those that are found are told to `found` and removed.
pub(super) fn find(
    (run, shard): (&KeyRun, usize),
    wanted: WantedKeys<'_>,
    places: &mut Vec<usize>,
    reader: &mut BlockReader,
    found: &mut dyn FnMut(usize),
) -> Result<(), SpillError> {
    // The block that is open, and whether it has a key that is not yet compared.
    let (mut open, mut has_key) = (None, false);
    let mut kept = 0;
    for at in 0..places.len() {
        let place = places[at];
        let key = wanted.key(place);
        let block = block_of(run, shard, key, open.unwrap_or(0));
        if let Some(block) = block.filter(|block| open != Some(*block)) {
            reader.open(run, (shard, block), run.bytes)?;
            (open, has_key) = (Some(block), true);
        }
        let mut order = Ordering::Greater;
        if block.is_some() && has_key {
            reader.approach(run, key);
        }
        while block.is_some() && has_key {
            order = compare(reader.key(), key);
            if order != Ordering::Less {
                break;
            }
            has_key = reader.next(run)?;
        }
        if block.is_some() && has_key && order == Ordering::Equal {
            found(place);
        } else {
            places[kept] = place;
            kept += 1;
        }
    }
    places.truncate(kept);
    Ok(())
}

/// The only block that may have a key: the last one whose first key is not greater. Blocks before `from` need not be
/// looked at.
fn block_of(run: &KeyRun, shard: usize, key: &[u8], from: usize) -> Option<usize> {
    let index = &run.shards[shard];
    let is_before = |block: usize| compare(index.first(block, run.bytes), key).is_le();
    // Neighbours are often in one block, or in the next: so the steps double.
    let (mut low, mut step) = (from, 1);
    if low >= index.blocks.len() || !is_before(low) {
        return None;
    }
    while low + step < index.blocks.len() && is_before(low + step) {
        low += step;
        step *= 2;
    }
    // The block at `low` is not greater, the one at `high` is, or is behind the last.
    let mut high = (low + step).min(index.blocks.len());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match is_before(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    Some(low)
}
