//! Successors of a round on their way to the process that has their shard.

use std::collections::VecDeque;
use std::slice;

use smallvec::SmallVec;

use super::{read_sleep, write_sleep};
use crate::machine::pack::state_hash;
use crate::mesh::words::{Words, put, put_bytes};
use crate::reductions::sleep::{Movers, SleepSets};
use crate::search::arrivals::Arrivals;
use crate::search::chunk::{BatchEntry, Chunk, RoundLimits};
use crate::search::keeping::Kept;
use crate::search::store::{SHARD_MAX, StoredId};
use crate::search::storing::{FETCHED_AHEAD, POLL_EVERY, Receiving};
use crate::source::Stop;

/// A successor in a shard.
struct Coming<'c> {
    /// The place in the round of the state that it comes from.
    at: u32,
    /// The number of successors before it: of that state on the way, of the round where it is stored.
    number: u32,
    hash: u64,
    /// As it is stored: its key, and the state if that differs.
    bytes: &'c [u8],
    sleep: ComingSleep<'c>,
}

/// A sleep set, which is read only where it is needed: sets are far from the successors of one shard in memory.
#[derive(Clone, Copy)]
enum ComingSleep<'c> {
    /// That of this place.
    Here(&'c SleepSets, u32),
    Told(&'c [u8]),
}

impl ComingSleep<'_> {
    /// Adds the set, if it is not empty. Returns whether it did.
    fn push_to(self, sets: &mut SleepSets) -> bool {
        let told: SmallVec<[Movers; 16]>;
        let set = match self {
            Self::Here(all, at) => all.get(at as usize),
            Self::Told(bytes) => {
                told = read_sleep(bytes).collect();
                &told
            }
        };
        if !set.is_empty() {
            sets.push(set);
        }
        !set.is_empty()
    }

    fn write(self, section: &mut Vec<u8>) {
        match self {
            Self::Here(all, at) => write_sleep(section, all.get(at as usize)),
            Self::Told(bytes) => put_bytes(section, bytes),
        }
    }
}

/// Chunks of a round, with the difference between the numbers that their successors are to have and those in the chunk
/// (modulo 2^32), by the place of the state that they come from.
#[derive(Clone, Copy)]
pub(in crate::search) struct NumberedChunks<'c> {
    pub(in crate::search) chunks: &'c [&'c Chunk],
    pub(in crate::search) ahead: &'c [u32],
}

impl<'c> NumberedChunks<'c> {
    /// The successors in one shard, in order.
    fn in_shard(self, shard: usize) -> FromChunks<'c> {
        FromChunks {
            shard,
            chunks: self.chunks.iter(),
            ahead: self.ahead,
            now: None,
        }
    }
}

/// The successors of chunks in one shard.
struct FromChunks<'c> {
    shard: usize,
    chunks: slice::Iter<'c, &'c Chunk>,
    ahead: &'c [u32],
    now: Option<FromChunk<'c>>,
}

/// The same of one chunk.
struct FromChunk<'c> {
    entries: slice::Iter<'c, BatchEntry>,
    bytes: &'c [u8],
    /// Where the bytes of the next entry begin.
    from: usize,
    sleep: &'c SleepSets,
}

impl<'c> Iterator for FromChunks<'c> {
    type Item = Coming<'c>;

    #[inline]
    fn next(&mut self) -> Option<Coming<'c>> {
        loop {
            if let Some(now) = &mut self.now
                && let Some(entry) = now.entries.next()
            {
                let end = entry.end as usize;
                let from = std::mem::replace(&mut now.from, end);
                return Some(Coming {
                    at: entry.at,
                    number: entry.arrival.wrapping_add(self.ahead[entry.at as usize]),
                    hash: entry.hash,
                    bytes: &now.bytes[from..end],
                    sleep: ComingSleep::Here(now.sleep, entry.arrival),
                });
            }
            let chunk = self.chunks.next()?;
            let batch = &chunk.batches[self.shard];
            self.now = Some(FromChunk {
                entries: batch.entries.iter(),
                bytes: &batch.bytes,
                from: 0,
                sleep: &chunk.sleep,
            });
        }
    }
}

/// The successors in one shard that another process told, in order.
struct FromMessage<'m> {
    /// What is left.
    words: Words<'m>,
    /// For each state of the round, the number of successors of the states before.
    offsets: &'m [u32],
    has_pair: bool,
    at: u32,
}

impl<'m> FromMessage<'m> {
    fn read(&mut self) -> Option<Coming<'m>> {
        let words = &mut self.words;
        self.at = self.at.checked_add(u32::try_from(words.number()?).ok()?)?;
        let before = *self.offsets.get(self.at as usize)?;
        let number = before.checked_add(u32::try_from(words.number()?).ok()?)?;
        let bytes = words.bytes()?;
        Some(Coming {
            at: self.at,
            number,
            hash: hash_of(bytes, self.has_pair),
            bytes,
            sleep: ComingSleep::Told(words.bytes()?),
        })
    }
}

/// Where successors come from.
enum ComingSource<'c> {
    Here(FromChunks<'c>),
    Told(FromMessage<'c>),
}

/// A section that cannot be read.
struct Garbled;

impl<'c> ComingSource<'c> {
    #[inline]
    fn next(&mut self) -> Result<Option<Coming<'c>>, Garbled> {
        match self {
            Self::Here(chunks) => Ok(chunks.next()),
            Self::Told(message) if message.words.is_over() => Ok(None),
            Self::Told(message) => message.read().map(Some).ok_or(Garbled),
        }
    }
}

/// The successors written to a section lately: most duplicates come soon after one another, and are not worth sending.
#[derive(Default)]
pub(in crate::search) struct WrittenLately {
    /// By hash: the hash of a successor, and where its bytes are in the section.
    slots: Vec<Option<(u64, u32, u32)>>,
}

impl WrittenLately {
    const BITS: u32 = 10;

    fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(1 << Self::BITS, None);
    }

    #[inline]
    fn slot(&mut self, hash: u64) -> &mut Option<(u64, u32, u32)> {
        // Those of one shard share some of the bits.
        let at = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Self::BITS);
        &mut self.slots[at as usize]
    }
}

/// Writes the successors of chunks in one shard, numbered by state, without those that have come shortly before: they
/// cannot be new.
pub(in crate::search) fn write_successors(
    chunks: NumberedChunks<'_>,
    shard: usize,
    (section, written): (&mut Vec<u8>, &mut WrittenLately),
) {
    debug_assert!(section.is_empty());
    written.clear();
    // About what it takes: growing step by step would copy it several times.
    let batches = chunks.chunks.iter().map(|chunk| &chunk.batches[shard]);
    section.reserve(
        batches
            .map(|batch| batch.bytes.len() + 8 * batch.entries.len())
            .sum(),
    );
    let mut last = 0;
    for coming in chunks.in_shard(shard) {
        let slot = written.slot(coming.hash);
        if let Some((hash, from, to)) = *slot
            && hash == coming.hash
            && section[from as usize..to as usize] == *coming.bytes
        {
            continue;
        }
        put(section, u64::from(coming.at - last));
        last = coming.at;
        put(section, u64::from(coming.number));
        put_bytes(section, coming.bytes);
        let to = section.len();
        *slot = Some((coming.hash, (to - coming.bytes.len()) as u32, to as u32));
        coming.sleep.write(section);
    }
}

/// The sleep sets of new states of a shard that are not empty, by arrival.
#[derive(Default)]
pub(in crate::search) struct NewSleeps {
    arrivals: Vec<u32>,
    sets: SleepSets,
}

impl NewSleeps {
    /// The sleep set of the state that arrived then, if it is the next: `at` counts those taken.
    #[inline]
    pub(in crate::search) fn take(&self, at: &mut usize, arrival: u32) -> Option<&[Movers]> {
        if self.arrivals.get(*at) != Some(&arrival) {
            return None;
        }
        *at += 1;
        Some(self.sets.get(*at - 1))
    }
}

/// What storing comes to: the sleep sets of new states, or a limit.
pub(in crate::search) type Stored = Result<NewSleeps, Stop>;

/// Where the successors in one shard come from.
#[derive(Clone, Copy)]
pub(in crate::search) struct ComingSources<'c> {
    /// The chunks of this process.
    pub(in crate::search) own: NumberedChunks<'c>,
    /// The chunk of the states that needed the evaluator, which all processes expand.
    pub(in crate::search) late: NumberedChunks<'c>,
    /// What each other process told.
    pub(in crate::search) sections: &'c [&'c [u8]],
    /// For each state of the round, the number of successors of the states before.
    pub(in crate::search) offsets: &'c [u32],
}

impl ComingSources<'_> {
    /// No fewer than the successors in this shard.
    fn count(&self, shard: usize) -> usize {
        let here = self.own.chunks.iter().chain(self.late.chunks);
        let here = here.map(|chunk| chunk.batches[shard].entries.len());
        // Each takes several bytes.
        let told = self.sections.iter().map(|section| section.len());
        here.chain(told).sum()
    }
}

/// Successors of several sources, by number.
struct InOrder<'c> {
    heads: SmallVec<[(Coming<'c>, ComingSource<'c>); 4]>,
    /// Whether a section cannot be read.
    is_garbled: bool,
}

impl<'c> InOrder<'c> {
    fn new((sources, shard): (ComingSources<'c>, usize), has_pair: bool) -> Self {
        let mut this = Self {
            heads: SmallVec::new(),
            is_garbled: false,
        };
        for chunks in [sources.own, sources.late] {
            this.add(ComingSource::Here(chunks.in_shard(shard)));
        }
        for section in sources.sections {
            this.add(ComingSource::Told(FromMessage {
                words: Words(section),
                offsets: sources.offsets,
                has_pair,
                at: 0,
            }));
        }
        this
    }

    fn add(&mut self, mut source: ComingSource<'c>) {
        match source.next() {
            Ok(Some(first)) => self.heads.push((first, source)),
            Ok(None) => {}
            Err(Garbled) => self.is_garbled = true,
        }
    }
}

impl<'c> Iterator for InOrder<'c> {
    type Item = Coming<'c>;

    #[inline]
    fn next(&mut self) -> Option<Coming<'c>> {
        let first = (0..self.heads.len()).min_by_key(|n| self.heads[*n].0.number)?;
        let (coming, source) = &mut self.heads[first];
        let next = source.next();
        if let Ok(Some(next)) = next {
            debug_assert!(next.number > coming.number, "each source is in order");
            return Some(std::mem::replace(coming, next));
        }
        self.is_garbled |= next.is_err();
        Some(self.heads.swap_remove(first).0)
    }
}

/// Stores what came to a shard from all processes, in the order of one process. Returns the sleep sets of new states, or
/// the limit that was reached; `None` if a section cannot be read.
pub(in crate::search) fn store_coming(
    (target, shard): (&mut impl Receiving, usize),
    (sources, frontier): (ComingSources<'_>, &[StoredId]),
    (guard, has_pair, arrivals): (&RoundLimits<'_>, bool, &Arrivals),
) -> Option<Stored> {
    if target.met() + sources.count(shard) > SHARD_MAX {
        return Some(Err(Stop::States));
    }
    let mut all = InOrder::new((sources, shard), has_pair);
    let mut new = NewSleeps::default();
    let mut ahead = VecDeque::with_capacity(2 * FETCHED_AHEAD);
    let mut received = 0usize;
    loop {
        while ahead.len() < 2 * FETCHED_AHEAD
            && let Some(coming) = all.next()
        {
            debug_assert_eq!(coming.hash, hash_of(coming.bytes, has_pair));
            target.fetch_slot(coming.hash);
            ahead.push_back(coming);
        }
        if let Some(later) = ahead.get(FETCHED_AHEAD) {
            target.fetch_record(later.hash);
        }
        let Some(coming) = ahead.pop_front() else {
            return (!all.is_garbled).then_some(Ok(new));
        };
        received += 1;
        if received.is_multiple_of(POLL_EVERY)
            && let Some(stop) = guard.limits.reached(guard.cancel, 0)
        {
            return Some(Err(stop));
        }
        let (key, pair) = Kept::split(coming.bytes, has_pair);
        let parent = frontier[coming.at as usize];
        if let Some(index) = target.receive(coming.hash, key, pair, parent) {
            arrivals.note(coming.number, StoredId::new(shard, index));
            if coming.sleep.push_to(&mut new.sets) {
                new.arrivals.push(coming.number);
            }
        }
    }
}

/// The hash of a successor, by the key in its bytes.
fn hash_of(bytes: &[u8], has_pair: bool) -> u64 {
    let (key, _) = Kept::split(bytes, has_pair);
    state_hash(key)
}
