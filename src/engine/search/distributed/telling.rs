//! What the processes tell each other of a round.

use std::ops::Range;
use std::sync::Mutex;

use super::ending::{Done, RoundEnd, disagreement, garbled, put_end, unless_ended};
use super::successors::{NumberedChunks, WrittenLately, write_successors};
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
    /// For each state that was expanded here, less the number of successors of its chunk before it (modulo 2^32), by place.
    pub(in crate::search) behind: Vec<u32>,
    /// By process.
    messages: Vec<Vec<u8>>,
    /// For each shard of this process, where the other ones told of successors there: the process, and the bytes of its
    /// message.
    sections: Vec<Vec<(usize, Range<usize>)>>,
}

impl Told {
    /// The sleep set of a state that needed the evaluator.
    pub(in crate::search) fn sleep_of(&self, at: usize) -> Option<&[Movers]> {
        let found = self.missed.binary_search_by_key(&at, |missed| missed.at);
        self.missed[found.ok()?].sleep.as_deref()
    }

    /// What the other processes told of successors in a shard.
    pub(in crate::search) fn sections(&self, shard: usize) -> impl Iterator<Item = &[u8]> {
        let sections = self.sections[shard].iter();
        sections.map(|(process, section)| &self.messages[*process][section.clone()])
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

/// Writes the message for each process: to the others also the successors in their shards. Returns [`Told::behind`].
pub(in crate::search) fn write_own(
    (chunks, frontier): (&[&Chunk], &[StoredId]),
    (report, missed): (&RoundReport, &[MissedHere]),
    (others, threads): (&Distributed, usize),
    messages: &mut [Vec<u8>],
) -> Vec<u32> {
    let mut head = Vec::new();
    put_end(&mut head, None);
    let report = ron::to_string(report).unwrap_or_default();
    put_bytes(&mut head, report.as_bytes());
    put(&mut head, missed.len() as u64);
    missed.iter().for_each(|missed| missed.write(&mut head));
    let behind = write_counts((chunks, frontier), (others, threads), &mut head);
    let numbered = NumberedChunks {
        chunks,
        ahead: &behind,
    };
    let sections: Vec<Mutex<Vec<u8>>> = (0..SHARDS).map(|_| Mutex::default()).collect();
    in_parallel(threads, SHARDS, WrittenLately::default, |written, shard| {
        if !others.has(shard) {
            let section = &mut lock(&sections[shard]);
            write_successors(numbered, shard, (section, written));
        }
    });
    let lengths = sections.iter().map(|section| lock(section).len());
    let most = head.len() + lengths.map(|length| length + 8).sum::<usize>();
    for (process, message) in messages.iter_mut().enumerate() {
        if process == others.own() {
            message.extend_from_slice(&head);
            continue;
        }
        message.reserve(most);
        message.extend_from_slice(&head);
        for (shard, section) in sections.iter().enumerate() {
            if others.owner(shard) == process {
                put_bytes(message, &lock(section));
            }
        }
    }
    behind
}

/// Writes the numbers of successors of the states that were expanded here. Returns [`Told::behind`].
fn write_counts(
    (chunks, frontier): (&[&Chunk], &[StoredId]),
    (others, threads): (&Distributed, usize),
    head: &mut Vec<u8>,
) -> Vec<u32> {
    let mut behind = vec![0; frontier.len()];
    let size = chunk_states(threads);
    for (n, chunk) in chunks.iter().enumerate() {
        let mut missed = chunk.missed.iter().map(|missed| missed.at).peekable();
        let range = n * size..frontier.len().min((n + 1) * size);
        let own = range.filter(|at| others.has(frontier[*at].shard()));
        let found = own.filter(|at| missed.next_if_eq(at).is_none());
        let mut before = 0;
        for (at, end) in found.zip(&chunk.ends) {
            put(head, u64::from(end - before));
            behind[at] = before.wrapping_neg();
            before = *end;
        }
        debug_assert_eq!(before, chunk.arrived);
    }
    behind
}

/// Reads what all processes told of a round, unless one of them ends.
pub(in crate::search) fn read_all(
    messages: Vec<Vec<u8>>,
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
        let missed = read_missed(words).ok_or_else(|| garbled(process))?;
        told.missed.extend(missed);
    }
    told.missed.sort_by_key(|missed| missed.at);
    let mut missed = told.missed.iter().map(|missed| missed.at).peekable();
    for (at, state) in frontier.iter().enumerate() {
        if missed.next_if_eq(&at).is_none() {
            let process = others.owner(state.shard());
            let count = all[process].number().map(u32::try_from);
            told.counts[at] = count.and_then(Result::ok).ok_or_else(|| garbled(process))?;
        }
    }
    for (process, words) in all.iter_mut().enumerate() {
        let of = (process, messages[process].len());
        read_sections(words, of, others, &mut told.sections).ok_or_else(|| garbled(process))?;
    }
    told.messages = messages;
    Ok(told)
}

/// Reads the states of one process that needed the evaluator.
fn read_missed(words: &mut Words<'_>) -> Option<Vec<MissedHere>> {
    let mut missed = Vec::new();
    for _ in 0..words.number()? {
        missed.push(MissedHere::read(words)?);
    }
    Some(missed)
}

/// Reads where the successors of one process are in its message of this length.
fn read_sections(
    words: &mut Words<'_>,
    (process, length): (usize, usize),
    others: &Distributed,
    sections: &mut [Vec<(usize, Range<usize>)>],
) -> Option<()> {
    if process != others.own() {
        for shard in (0..SHARDS).filter(|shard| others.has(*shard)) {
            let section = words.bytes()?;
            let end = length - words.0.len();
            sections[shard].push((process, end - section.len()..end));
        }
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
    // What each process told is in order already, so a stable sort merges it.
    new.sort();
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
