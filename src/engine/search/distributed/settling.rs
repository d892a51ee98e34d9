//! What processes tell each other of states that turned out to be stored already, and of their commits.

use super::Distributed;
use super::ending::{Done, RoundEnd, garbled, put_end, unless_ended};
use crate::mesh::words::{Words, put, put_bytes};
use crate::search::store::SHARDS;

/// For each shard, the numbers of the states that turned out to be stored already, among those met since the last time:
/// `own` has those of the own shards.
pub(in crate::search) fn dropped_of_all(
    others: &Distributed,
    own: Done<Vec<Vec<u32>>>,
) -> Done<Vec<Vec<u32>>> {
    let mut message = Vec::new();
    put_end(&mut message, own.as_ref().err());
    let shards = own.as_deref().unwrap_or_default().iter().enumerate();
    for (_, numbers) in shards.filter(|(shard, _)| others.has(*shard)) {
        put(&mut message, numbers.len() as u64);
        let mut last = 0;
        for number in numbers {
            put(&mut message, u64::from(number - last));
            last = *number;
        }
    }
    let told = others.tell_all(&message)?;
    let mut all: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, own.err()))?;
    let of_shard = |shard: usize| {
        let process = others.owner(shard);
        read_numbers(&mut all[process]).ok_or_else(|| garbled(process))
    };
    (0..SHARDS).map(of_shard).collect()
}

fn read_numbers(words: &mut Words<'_>) -> Option<Vec<u32>> {
    let mut last = 0u32;
    let mut next = |words: &mut Words<'_>| {
        last = last.checked_add(u32::try_from(words.number()?).ok()?)?;
        Some(last)
    };
    (0..words.number()?).map(|_| next(words)).collect()
}

/// Takes the texts of all processes to the first one, by process; none to the others.
pub(in crate::search) fn to_the_first(
    others: &Distributed,
    own: Done<String>,
) -> Done<Vec<String>> {
    let mut messages = vec![Vec::new(); others.processes()];
    for (process, message) in messages.iter_mut().enumerate() {
        put_end(message, own.as_ref().err());
        if let Ok(text) = &own
            && process == 0
        {
            put_bytes(message, text.as_bytes());
        }
    }
    others.exchange(&mut messages)?;
    let mut all: Vec<Words<'_>> = messages.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, own.err()))?;
    match others.own() {
        0 => {
            let each = all.iter_mut().enumerate();
            each.map(|(process, words)| text(words, process)).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// Takes to each process its text from the first one, which alone has any; `None` if there is none.
pub(in crate::search) fn from_the_first(
    others: &Distributed,
    own: Done<Vec<String>>,
) -> Done<Option<String>> {
    let mut messages = vec![Vec::new(); others.processes()];
    for (process, message) in messages.iter_mut().enumerate() {
        put_end(message, own.as_ref().err());
        let text = own.as_ref().ok().and_then(|texts| texts.get(process));
        put_bytes(message, text.map_or(&[], |text| text.as_bytes()));
    }
    others.exchange(&mut messages)?;
    let mut all: Vec<Words<'_>> = messages.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, own.err()))?;
    let text = text(&mut all[0], 0)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn text(words: &mut Words<'_>, process: usize) -> Result<String, RoundEnd> {
    let read = words
        .bytes()
        .and_then(|text| std::str::from_utf8(text).ok());
    read.map(str::to_owned).ok_or_else(|| garbled(process))
}
