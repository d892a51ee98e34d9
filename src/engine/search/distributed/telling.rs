//! What the processes tell each other of a round, and of its end.

use std::sync::Mutex;

use super::successors::write_successors;
use super::{Distributed, MissedHere, RoundReport};
use crate::mesh::MeshError;
use crate::mesh::words::{Words, put, put_bytes};
use crate::search::chunk::{Chunk, chunk_states};
use crate::search::on_disk::TableSizes;
use crate::search::store::{NO_STATE, SHARDS, StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::threads::{in_parallel, lock};
use crate::source::{Diagnostic, Stop};

/// What all processes told of a round.
#[derive(Default)]
pub(in crate::search) struct Told {
    pub(in crate::search) reports: Vec<RoundReport>,
    /// By place.
    pub(in crate::search) missed: Vec<MissedHere>,
    /// The number of successors of each state, by place.
    pub(in crate::search) counts: Vec<u32>,
    /// For each shard, what came from each process.
    pub(in crate::search) sections: Vec<Vec<Vec<u8>>>,
}

impl Told {
    /// For each state, the number of successors of the states before.
    pub(in crate::search) fn offsets(&self) -> Vec<u32> {
        let mut sum = 0;
        let before = |count: &u32| {
            sum += count;
            sum - count
        };
        self.counts.iter().map(before).collect()
    }
}

/// Why a round of several processes ends early.
pub(in crate::search) enum RoundEnd {
    Mesh(MeshError),
    Stopped(Stop),
    Failed(Box<Diagnostic>),
}

impl From<MeshError> for RoundEnd {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}

impl From<Box<Diagnostic>> for RoundEnd {
    fn from(error: Box<Diagnostic>) -> Self {
        Self::Failed(error)
    }
}

pub(in crate::search) fn garbled(process: usize) -> RoundEnd {
    RoundEnd::Mesh(MeshError::Garbled(process))
}

pub(in crate::search) fn disagreement(what: &str) -> Box<Diagnostic> {
    let text = format!("the processes of a search do not agree: {what} differ");
    Box::new(Diagnostic::nowhere("E0799", text).note("no verdict is drawn from it"))
}

/// The limit, or the error, that an early end comes to.
pub(in crate::search) fn end_of(end: RoundEnd) -> Result<Stop> {
    match end {
        RoundEnd::Stopped(stop) => Ok(stop),
        RoundEnd::Mesh(MeshError::Garbled(process)) => {
            let text = MeshError::Garbled(process).to_string();
            Err(Box::new(Diagnostic::nowhere("E0799", text)))
        }
        RoundEnd::Mesh(error) => Ok(Stop::Process(error.process() as u16)),
        RoundEnd::Failed(error) => Err(error),
    }
}

/// The own part of a round.
pub(in crate::search) struct Own<'c> {
    pub(in crate::search) chunks: Vec<&'c Chunk>,
    /// For each chunk, the places of the states that were expanded into it.
    pub(in crate::search) places: Vec<Vec<u32>>,
}

/// The places of the own states of each chunk, without those that needed the evaluator.
pub(in crate::search) fn places(
    chunks: &[&Chunk],
    frontier: &[StoredId],
    (threads, others): (usize, &Distributed),
) -> Vec<Vec<u32>> {
    let size = chunk_states(threads);
    let of_chunk = |(n, chunk): (usize, &&Chunk)| {
        let mut missed = chunk.missed.iter().map(|missed| missed.at).peekable();
        let range = n * size..frontier.len().min((n + 1) * size);
        let own = range.filter(|at| others.has(frontier[*at].shard()));
        let found = own.filter(|at| missed.next_if_eq(at).is_none());
        found.map(|at| at as u32).collect()
    };
    chunks.iter().enumerate().map(of_chunk).collect()
}

impl Own<'_> {
    /// Writes the message for each process.
    pub(in crate::search) fn write(
        &self,
        (report, missed): (&RoundReport, &[MissedHere]),
        others: &Distributed,
        threads: usize,
        messages: &mut [Vec<u8>],
    ) {
        let mut head = Vec::new();
        put_bytes(
            &mut head,
            ron::to_string(report).unwrap_or_default().as_bytes(),
        );
        put(&mut head, missed.len() as u64);
        missed.iter().for_each(|missed| missed.write(&mut head));
        for (chunk, places) in self.chunks.iter().zip(&self.places) {
            debug_assert_eq!(chunk.ends.len(), places.len());
            let mut before = 0;
            for end in &chunk.ends {
                put(&mut head, u64::from(end - before));
                before = *end;
            }
        }
        let sections: Vec<Mutex<Vec<u8>>> = (0..SHARDS).map(|_| Mutex::default()).collect();
        in_parallel(
            threads,
            SHARDS,
            || (),
            |(), shard| {
                let mut section = lock(&sections[shard]);
                let mut last = 0;
                for (chunk, places) in self.chunks.iter().zip(&self.places) {
                    write_successors(chunk, (shard, places), &mut last, &mut section);
                }
            },
        );
        for (process, message) in messages.iter_mut().enumerate() {
            message.extend_from_slice(&head);
            for (shard, section) in sections.iter().enumerate() {
                if others.owner(shard) == process {
                    put_bytes(message, &lock(section));
                }
            }
        }
    }
}

/// Reads what all processes told of a round, unless one of them ends.
pub(in crate::search) fn read_all(
    messages: &[Vec<u8>],
    frontier: &[StoredId],
    others: &Distributed,
) -> std::result::Result<Told, RoundEnd> {
    let mut all: Vec<Words<'_>> = messages.iter().map(|message| Words(message)).collect();
    let mut told = Told {
        counts: vec![0; frontier.len()],
        sections: vec![Vec::new(); SHARDS],
        ..Told::default()
    };
    for (process, words) in all.iter_mut().enumerate() {
        let text = words
            .bytes()
            .and_then(|text| std::str::from_utf8(text).ok());
        let report = text.and_then(|text| ron::from_str::<RoundReport>(text).ok());
        told.reports.push(report.ok_or_else(|| garbled(process))?);
    }
    // Before all else: a limit that one has reached may have kept its tables from being filled.
    if let Some(number) = told.reports.iter().find_map(|report| report.stop) {
        return Err(RoundEnd::Stopped(Stop::numbered(number)));
    }
    let agree = |one: &RoundReport| (one.place, one.tables);
    let mut pairs = told.reports.windows(2);
    if pairs.any(|pair| agree(&pair[0]) != agree(&pair[1])) {
        return Err(disagreement("their rounds or tables").into());
    }
    for (process, words) in all.iter_mut().enumerate() {
        let read = read_part(words, (process, frontier), others, &mut told);
        read.ok_or_else(|| garbled(process))?;
    }
    told.missed.sort_by_key(|missed| missed.at);
    Ok(told)
}

/// Reads what one process told, after its report.
fn read_part(
    words: &mut Words<'_>,
    (process, frontier): (usize, &[StoredId]),
    others: &Distributed,
    told: &mut Told,
) -> Option<()> {
    let mut missed = Vec::new();
    for _ in 0..words.number()? {
        missed.push(MissedHere::read(words)?);
    }
    let mut passed = missed.iter().map(|missed| missed.at).peekable();
    for (at, state) in frontier.iter().enumerate() {
        if others.owner(state.shard()) == process && passed.next_if_eq(&at).is_none() {
            told.counts[at] = u32::try_from(words.number()?).ok()?;
        }
    }
    told.missed.append(&mut missed);
    for shard in (0..SHARDS).filter(|shard| others.has(*shard)) {
        told.sections[shard].push(words.bytes()?.to_vec());
    }
    words.is_over().then_some(())
}

/// What is told of new states: a limit that was reached, the tables, and arrival and shard of each.
pub(in crate::search) fn write_new(
    (stop, tables): (Option<Stop>, &TableSizes),
    new: impl Iterator<Item = (usize, StoredId)>,
) -> Vec<u8> {
    let mut message = Vec::new();
    put_stop(&mut message, stop);
    let tables = ron::to_string(tables).unwrap_or_default();
    put_bytes(&mut message, tables.as_bytes());
    let mut last = 0;
    for (arrival, id) in new {
        put(&mut message, (arrival - last) as u64);
        put(&mut message, id.shard() as u64);
        last = arrival;
    }
    message
}

/// The new states of all processes, in order, unless one of them has reached a limit.
pub(in crate::search) fn read_all_new(
    messages: &[Vec<u8>],
) -> std::result::Result<Vec<(u32, u8)>, RoundEnd> {
    let (mut new, mut stop, mut tables) = (Vec::new(), None, Vec::new());
    for (process, message) in messages.iter().enumerate() {
        let read = read_new(&mut Words(message), &mut new);
        let (ended, sizes) = read.ok_or_else(|| garbled(process))?;
        stop = stop.or(ended);
        tables.push(sizes);
    }
    if let Some(stop) = stop {
        return Err(RoundEnd::Stopped(stop));
    }
    if tables.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(disagreement("their tables").into());
    }
    new.sort_unstable();
    Ok(new)
}

/// Reads which states of a process are new. Returns its limit, if it has reached one, and its tables.
fn read_new(words: &mut Words<'_>, new: &mut Vec<(u32, u8)>) -> Option<(Option<Stop>, TableSizes)> {
    let stop = read_stop(words)?;
    let tables = ron::from_str(std::str::from_utf8(words.bytes()?).ok()?).ok()?;
    let mut at = 0u32;
    while !words.is_over() {
        at = at.checked_add(u32::try_from(words.number()?).ok()?)?;
        let shard = words.number().filter(|shard| *shard < SHARDS as u64)?;
        new.push((at, shard as u8));
    }
    Some((stop, tables))
}

fn put_stop(message: &mut Vec<u8>, stop: Option<Stop>) {
    put(message, stop.map_or(0, |stop| 1 + u64::from(stop.number())));
}

fn read_stop(words: &mut Words<'_>) -> Option<Option<Stop>> {
    let number = words.number()?.checked_sub(1);
    Some(number.map(|number| Stop::numbered(number as u16)))
}

/// Ends a round in all processes where one has reached a limit.
pub(in crate::search) fn agreed(
    others: &Distributed,
    stop: Option<Stop>,
) -> std::result::Result<(), RoundEnd> {
    let mut message = Vec::new();
    put_stop(&mut message, stop);
    for (process, message) in others.tell_all(&message)?.iter().enumerate() {
        let read = read_stop(&mut Words(message)).ok_or_else(|| garbled(process))?;
        if let Some(stop) = read {
            return Err(RoundEnd::Stopped(stop));
        }
    }
    Ok(())
}

/// States with all before them, as a store of this process alone, and their ids there. All processes ask for the same.
pub(in crate::search) fn gather(
    store: &StateStore,
    others: &Distributed,
    states: &[StoredId],
) -> std::result::Result<(StateStore, Vec<StoredId>), RoundEnd> {
    let mut found: Map<StoredId, (StoredId, Vec<u8>)> = Map::default();
    let mut asked = states.to_vec();
    loop {
        asked.retain(|id| *id != NO_STATE && !found.contains_key(id));
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            break;
        }
        let mut message = Vec::new();
        for id in asked.iter().filter(|id| others.has(id.shard())) {
            put(&mut message, u64::from(store.parent(*id).0));
            put_bytes(&mut message, &store.pair(*id));
        }
        let told = others.tell_all(&message)?;
        let mut all: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
        let mut parents = Vec::new();
        for id in &asked {
            let process = others.owner(id.shard());
            let words = &mut all[process];
            let read = words.number().zip(words.bytes());
            let (parent, bytes) = read.ok_or_else(|| garbled(process))?;
            let parent = StoredId(parent as u32);
            found.insert(*id, (parent, bytes.to_vec()));
            parents.push(parent);
        }
        asked = parents;
    }
    let key = found.values().map(|(_, bytes)| bytes.len()).max();
    let read = |id: StoredId| {
        let missing = || garbled(others.owner(id.shard()));
        found.get(&id).cloned().ok_or_else(missing)
    };
    StateStore::of_paths(key.unwrap_or(0), states, read)
}
