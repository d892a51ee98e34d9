//! Listing of the τ steps of all states, depth by depth, by the shard of the target.

use std::sync::{Mutex, PoisonError};

use super::step_logs::{HEAD, ShardLogs};
use super::{Searched, StatesHere, poll};
use crate::mesh::words::{Words, put, put_bytes};
use crate::search::breadth_first::LazyProduct;
use crate::search::chunk::ROUND_STATES;
use crate::search::disk_store::{RoundRecords, place};
use crate::search::distributed::Distributed;
use crate::search::distributed::ending::{
    Done, RoundEnd, agreed, disagreement, garbled, put_end, unless_ended,
};
use crate::search::product::{Product, ProductMiss};
use crate::search::silent::{CycleControl, SilentScratch, silent_targets};
use crate::search::store::{SHARDS, StoredId};
use crate::source::threads::{in_parallel, lock};
use crate::spill::SpillError;

/// States of one unit of work of a thread.
const CHUNK: usize = 512;

/// Lists the steps of all states.
pub(super) fn list_steps(
    lazy: &mut LazyProduct<'_>,
    searched: &mut Searched<'_>,
    logs: &ShardLogs,
    control: CycleControl<'_>,
) -> Done<()> {
    let mut records = RoundRecords::default();
    let mut begun = Ok(());
    for depth in searched.early.all() {
        begun = begun.and_then(|()| logs.begin_depth(|_| 0));
        for round in depth.chunks(ROUND_STATES) {
            records.ids.clear();
            records.ids.extend_from_slice(round);
            let read = std::mem::replace(&mut begun, Ok(())).map_err(RoundEnd::from);
            list_round(lazy, searched, (&mut records, read), logs, control)?;
        }
    }
    let StatesHere::Disk(disk) = &searched.states else {
        return agreed(searched.others, begun.map_err(RoundEnd::from));
    };
    let mut cursor = disk.frontier.beginning();
    let mut ahead = disk.frontier.beginning();
    for width in &searched.widths[searched.widths.len().min(searched.early.count())..] {
        let mut left = *width;
        if let StatesHere::Disk(disk) = &searched.states {
            let skipped = disk.frontier.skip(&mut ahead, *width);
            begun = begun
                .and(skipped)
                .and_then(|()| logs.begin_depth(|shard| ahead.index(shard)));
        }
        while left > 0 {
            let most = left.min(ROUND_STATES);
            let mut read = std::mem::replace(&mut begun, Ok(()));
            if let StatesHere::Disk(disk) = &searched.states {
                let into = (&mut records.ids, &mut records.asleep);
                read = read.and_then(|()| disk.frontier.read_at(&mut cursor, most, into));
            }
            left -= most;
            let read = read.map_err(RoundEnd::from);
            list_round(lazy, searched, (&mut records, read), logs, control)?;
        }
    }
    agreed(searched.others, begun.map_err(RoundEnd::from))
}

/// The records of the steps of some states, by the shard of the target, and states that missed table entries.
struct ListedChunk {
    shards: Vec<Vec<u8>>,
    missed: Vec<usize>,
}

impl Default for ListedChunk {
    fn default() -> Self {
        Self {
            shards: vec![Vec::new(); SHARDS],
            missed: Vec::new(),
        }
    }
}

/// Buffers of a thread, for expansion and for keys of targets.
type ListScratch = (SilentScratch, Vec<Vec<u8>>);

impl ListedChunk {
    /// Adds the steps of a state.
    fn add(
        &mut self,
        product: &Product<'_>,
        (state, bytes): (StoredId, &[u8]),
        scratch: &mut ListScratch,
        width: usize,
    ) -> Result<(), ProductMiss> {
        let (scratch, keys) = scratch;
        let mut count = 0;
        silent_targets(product, bytes, scratch, &mut |kept| {
            if count == keys.len() {
                keys.push(Vec::new());
            }
            keys[count].clone_from(&kept.key);
            count += 1;
        })?;
        for key in &keys[..count] {
            let records = &mut self.shards[place(key).0];
            let end = records.len() + width;
            records.extend_from_slice(&state.0.to_le_bytes());
            records.extend_from_slice(&[0; HEAD - 4]);
            records.extend_from_slice(key);
            records.resize(end, 0);
        }
        Ok(())
    }
}

/// Lists the steps of the states of a round, unless something kept this process from reading which these are.
fn list_round(
    lazy: &mut LazyProduct<'_>,
    searched: &mut Searched<'_>,
    (records, read): (&mut RoundRecords, Done<()>),
    logs: &ShardLogs,
    control: CycleControl<'_>,
) -> Done<()> {
    let held = searched.heap_bytes() + logs.heap_bytes();
    let read = read.and_then(|()| poll(control, held));
    let read = read.and_then(|()| searched.read_round(records));
    let width = HEAD + searched.layout().key;
    let mut chunks = Vec::new();
    if read.is_ok() {
        chunks = expanded(&lazy.product(), searched, (records, width), control.threads);
    }
    let mut missed = Vec::new();
    for chunk in &mut chunks {
        let of_chunk = std::mem::take(&mut chunk.missed).into_iter();
        missed.extend(of_chunk.map(|at| (records.ids[at], records.get(at).to_vec())));
    }
    let Some(others) = searched.others else {
        read?;
        chunks.push(late_steps(lazy, &missed, width)?);
        let sections = |shard: usize| chunks.iter().map(move |chunk| &chunk.shards[shard][..]);
        return Ok(written(sections, width, (logs, control))?);
    };
    let told = dealt_out(
        others,
        read,
        (lazy.machine.locals().len(), &missed, &chunks),
    )?;
    let listed = late_steps(lazy, &told.missed, width).and_then(|late| {
        let sections = |shard: usize| {
            let came = told.sections[shard].iter().map(|section| &section[..]);
            came.chain(std::iter::once(&late.shards[shard][..]))
        };
        Ok(written(sections, width, (logs, control))?)
    });
    agreed(Some(others), listed)
}

/// A state that missed table entries, and its bytes.
type LateState = (StoredId, Vec<u8>);

/// Expands the states of a round that are here, as far as the tables suffice.
fn expanded(
    product: &Product<'_>,
    searched: &Searched<'_>,
    (records, width): (&RoundRecords, usize),
    threads: usize,
) -> Vec<ListedChunk> {
    let chunks = records.ids.len().div_ceil(CHUNK);
    let chunks: Vec<Mutex<ListedChunk>> = std::iter::repeat_with(Mutex::default)
        .take(chunks)
        .collect();
    in_parallel(threads, chunks.len(), ListScratch::default, |scratch, n| {
        let mut chunk = lock(&chunks[n]);
        for (at, id) in records.ids.iter().enumerate().skip(n * CHUNK).take(CHUNK) {
            let state = (*id, &*records.get(at));
            if searched.has(id.shard()) && chunk.add(product, state, scratch, width).is_err() {
                chunk.missed.push(at);
            }
        }
    });
    let chunks = chunks.into_iter().map(Mutex::into_inner);
    chunks
        .map(|chunk| chunk.unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// The steps of states that missed table entries, which are filled in.
fn late_steps(lazy: &mut LazyProduct<'_>, missed: &[LateState], width: usize) -> Done<ListedChunk> {
    let (mut late, mut scratch) = (ListedChunk::default(), ListScratch::default());
    for (id, bytes) in missed {
        lazy.complete(|product| late.add(product, (*id, bytes), &mut scratch, width))?;
    }
    Ok(late)
}

/// What all processes told of a round.
struct ToldSteps {
    /// The states of all processes that missed table entries.
    missed: Vec<LateState>,
    /// For each shard of this process, the steps that lead there.
    sections: Vec<Vec<Vec<u8>>>,
}

/// Takes each step to the process that has the shard of its target. `tables` is the number of local states that are known
/// here: that of all has to be the same.
fn dealt_out(
    others: &Distributed,
    read: Done<()>,
    (tables, missed, chunks): (usize, &[LateState], &[ListedChunk]),
) -> Done<ToldSteps> {
    let mut head = Vec::new();
    put_end(&mut head, read.as_ref().err());
    put(&mut head, tables as u64);
    put(&mut head, missed.len() as u64);
    for (id, bytes) in missed {
        put(&mut head, u64::from(id.0));
        put_bytes(&mut head, bytes);
    }
    let mut messages = vec![head; others.processes()];
    for shard in 0..SHARDS {
        let section: Vec<&[u8]> = chunks
            .iter()
            .map(|chunk| &chunk.shards[shard][..])
            .collect();
        put_bytes(&mut messages[others.owner(shard)], &section.concat());
    }
    others.exchange(&mut messages)?;
    let mut all: Vec<Words<'_>> = messages.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, read.err()))?;
    let mut told = ToldSteps {
        missed: Vec::new(),
        sections: vec![Vec::new(); SHARDS],
    };
    for (process, words) in all.iter_mut().enumerate() {
        let known = read_part(words, others, &mut told);
        if known.ok_or_else(|| garbled(process))? != tables {
            return Err(disagreement("their tables").into());
        }
    }
    Ok(told)
}

/// Reads what one process told. Returns the number of local states that it knows.
fn read_part(words: &mut Words<'_>, others: &Distributed, told: &mut ToldSteps) -> Option<usize> {
    let tables = words.size()?;
    for _ in 0..words.number()? {
        let id = StoredId(u32::try_from(words.number()?).ok()?);
        told.missed.push((id, words.bytes()?.to_vec()));
    }
    for shard in (0..SHARDS).filter(|shard| others.has(*shard)) {
        told.sections[shard].push(words.bytes()?.to_vec());
    }
    words.is_over().then_some(tables)
}

/// Appends the steps of a round, those that lead to each shard of this process.
fn written<'s, I: Iterator<Item = &'s [u8]>>(
    sections: impl Fn(usize) -> I + Sync,
    width: usize,
    (logs, control): (&ShardLogs, CycleControl<'_>),
) -> Result<(), SpillError> {
    let failed: Mutex<Option<SpillError>> = Mutex::default();
    in_parallel(
        control.threads,
        SHARDS,
        || (),
        |(), shard| {
            let Some(log) = logs.of(shard) else {
                return;
            };
            let mut log = lock(log);
            let records = sections(shard).flat_map(|section| section.chunks_exact(width));
            for record in records {
                if let Err(error) = log.push(record) {
                    *lock(&failed) = Some(error);
                    return;
                }
            }
        },
    );
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), Err)
}
