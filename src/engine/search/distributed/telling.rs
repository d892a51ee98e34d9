//! What the processes tell each other of a round.

use std::sync::Mutex;

use super::ending::{Done, RoundEnd, disagreement, garbled, put_end, unless_ended};
use super::successors::write_successors;
use super::{AfterRound, Distributed, MissedHere, RoundReport};
use crate::mesh::words::{Words, put, put_bytes};
use crate::reductions::sleep::Movers;
use crate::search::chunk::{Chunk, chunk_states};
use crate::search::store::{SHARDS, StoredId};
use crate::source::threads::{in_parallel, lock};

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
    /// The sleep set of a state that needed the evaluator.
    pub(in crate::search) fn sleep_of(&self, at: usize) -> Option<&[Movers]> {
        let found = self.missed.binary_search_by_key(&at, |missed| missed.at);
        self.missed[found.ok()?].sleep.as_deref()
    }

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
        put_end(&mut head, None);
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
    (others, own): (&Distributed, Option<RoundEnd>),
) -> Done<Told> {
    let mut all: Vec<Words<'_>> = messages.iter().map(|message| Words(message)).collect();
    // Before all else: a limit that one has reached may have kept its tables from being filled.
    unless_ended(&mut all, (others, own))?;
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

/// The arrival of a new state, and its shard.
type NewState = (u32, u8);

/// What is told of new states: why the process cannot go on, or arrival and shard of each.
pub(in crate::search) fn write_new(
    (end, after): (Option<&RoundEnd>, &AfterRound),
    new: impl Iterator<Item = (usize, StoredId)>,
) -> Vec<u8> {
    let mut message = Vec::new();
    put_end(&mut message, end);
    let after = ron::to_string(after).unwrap_or_default();
    put_bytes(&mut message, after.as_bytes());
    let mut last = 0;
    for (arrival, id) in new {
        put(&mut message, (arrival - last) as u64);
        put(&mut message, id.shard() as u64);
        last = arrival;
    }
    message
}

/// The new states of all processes, in order, and what each process told besides; unless one of them ends.
pub(in crate::search) fn read_all_new(
    messages: &[Vec<u8>],
    (others, own): (&Distributed, Option<RoundEnd>),
) -> Done<(Vec<NewState>, Vec<AfterRound>)> {
    let (mut new, mut after) = (Vec::new(), Vec::new());
    let mut all: Vec<Words<'_>> = messages.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, own))?;
    for (process, words) in all.iter_mut().enumerate() {
        let read = read_new(words, &mut new);
        after.push(read.ok_or_else(|| garbled(process))?);
    }
    if after
        .windows(2)
        .any(|pair| pair[0].tables != pair[1].tables)
    {
        return Err(disagreement("their tables").into());
    }
    new.sort_unstable();
    Ok((new, after))
}

/// Reads which states of a process are new. Returns what it told besides.
fn read_new(words: &mut Words<'_>, new: &mut Vec<NewState>) -> Option<AfterRound> {
    let after = ron::from_str(std::str::from_utf8(words.bytes()?).ok()?).ok()?;
    let mut at = 0u32;
    while !words.is_over() {
        at = at.checked_add(u32::try_from(words.number()?).ok()?)?;
        let shard = words.number().filter(|shard| *shard < SHARDS as u64)?;
        new.push((at, shard as u8));
    }
    Some(after)
}
