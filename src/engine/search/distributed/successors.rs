//! Successors of a round on their way to the process that has their shard.

use super::{read_sleep, write_sleep};
use crate::machine::pack::state_hash;
use crate::mesh::words::{Words, put, put_bytes};
use crate::reductions::sleep::Movers;
use crate::search::arrivals::{Arrivals, ShardStretch};
use crate::search::chunk::{Batch, BatchEntry, Chunk, RoundLimits};
use crate::search::keeping::Kept;
use crate::search::store::{NO_STATE, SHARD_MAX, StoredId};
use crate::search::storing::{Receiving, store_stretches};
use crate::source::Stop;

/// Appends the successors of a chunk in one shard; `at` has the places of the states that were expanded into it, and
/// `last` the one of the successor before.
pub(in crate::search) fn write_successors(
    chunk: &Chunk,
    (shard, at): (usize, &[u32]),
    last: &mut u32,
    bytes: &mut Vec<u8>,
) {
    debug_assert_eq!(chunk.ends.len(), at.len());
    let batch = &chunk.batches[shard];
    let (mut state, mut from) = (0, 0);
    for entry in &batch.entries {
        while chunk.ends[state] <= entry.arrival {
            state += 1;
        }
        let begin = match state {
            0 => 0,
            _ => chunk.ends[state - 1],
        };
        put(bytes, u64::from(at[state] - *last));
        *last = at[state];
        put(bytes, u64::from(entry.arrival - begin));
        put_bytes(bytes, &batch.bytes[from..entry.end as usize]);
        write_sleep(bytes, chunk.sleep.get(entry.arrival as usize));
        from = entry.end as usize;
    }
}

/// A successor that comes to a shard.
struct Coming<'m> {
    /// Its number among the successors of the round.
    arrival: u32,
    parent: StoredId,
    /// As it is stored: its key, and the state if that differs.
    bytes: &'m [u8],
    sleep: &'m [u8],
}

/// The round that successors are of.
#[derive(Clone, Copy)]
pub(in crate::search) struct RoundPlaces<'r> {
    pub(in crate::search) frontier: &'r [StoredId],
    /// For each of its states, the number of successors of the states before.
    pub(in crate::search) offsets: &'r [u32],
}

fn read_successors<'m>(
    section: &'m [u8],
    round: RoundPlaces<'_>,
    all: &mut Vec<Coming<'m>>,
) -> Option<()> {
    let (mut words, mut at) = (Words(section), 0);
    while !words.is_over() {
        at += words.size()?;
        let step = u32::try_from(words.number()?).ok()?;
        all.push(Coming {
            arrival: round.offsets.get(at)?.checked_add(step)?,
            parent: *round.frontier.get(at)?,
            bytes: words.bytes()?,
            sleep: words.bytes()?,
        });
    }
    Some(())
}

/// What storing comes to: the sleep sets of new states, or a limit.
pub(in crate::search) type Stored = Result<NewSleeps, Stop>;

/// The sleep sets of new states, by arrival.
pub(in crate::search) type NewSleeps = Vec<(u32, Vec<Movers>)>;

/// Stores what came to a shard from all processes, in the order of one process. Returns the sleep sets of new states, or
/// the limit that was reached; `None` if a section cannot be read.
pub(in crate::search) fn store_coming(
    (target, shard): (&mut impl Receiving, usize),
    sections: &[&[u8]],
    round: RoundPlaces<'_>,
    (guard, has_pair, arrivals): (&RoundLimits<'_>, bool, &Arrivals),
) -> Option<Stored> {
    let bytes: usize = sections.iter().map(|section| section.len()).sum();
    // Each successor takes several bytes.
    if target.met() + bytes > SHARD_MAX {
        return Some(Err(Stop::States));
    }
    let mut all = Vec::new();
    for section in sections {
        read_successors(section, round, &mut all)?;
    }
    // Those of each process are in order already.
    all.sort_by_key(|coming| coming.arrival);
    let mut batch = Batch::default();
    for coming in &all {
        batch.bytes.extend_from_slice(coming.bytes);
        batch.entries.push(BatchEntry {
            end: batch.bytes.len() as u32,
            parent: coming.parent,
            hash: hash_of(coming.bytes, has_pair),
            arrival: coming.arrival,
        });
    }
    let whole = ShardStretch {
        entries: &batch.entries,
        begin: 0,
        bytes: &batch.bytes,
        ahead: 0,
    };
    let mut new = Vec::new();
    let note = |at: u32, index: usize| {
        arrivals.note(at, StoredId::new(shard, index));
    };
    if let Some(stop) = store_stretches(target, &[whole], guard, has_pair, note) {
        return Some(Err(stop));
    }
    for coming in all.iter().filter(|coming| !coming.sleep.is_empty()) {
        if arrivals.get(coming.arrival) != NO_STATE {
            new.push((coming.arrival, read_sleep(coming.sleep).collect()));
        }
    }
    Some(Ok(new))
}

/// The hash of a successor, by the key in its bytes.
fn hash_of(bytes: &[u8], has_pair: bool) -> u64 {
    let (key, _) = Kept::split(bytes, has_pair);
    state_hash(key)
}
