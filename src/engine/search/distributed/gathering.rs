//! States of several processes, taken to each of them.

use super::Distributed;
use super::ending::{Done, RoundEnd, garbled, put_end, unless_ended};
use crate::mesh::words::{Words, put, put_bytes};
use crate::search::store::{
    NO_STATE, RecordLayout, StateRecord, StateStore, StoredId, place_among,
};
use crate::source::hash::Map;

/// Some states with all before them, as a store of this process alone, and their ids there. All processes ask for the same;
/// `record` reads one that is here.
pub(in crate::search) fn gather(
    others: &Distributed,
    (states, layout): (&[StoredId], RecordLayout),
    record: impl Fn(StoredId) -> Done<StateRecord>,
) -> Done<(StateStore, Vec<StoredId>)> {
    let mut found: Map<StoredId, StateRecord> = Map::default();
    let mut asked = states.to_vec();
    loop {
        asked.retain(|id| *id != NO_STATE && !found.contains_key(id));
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            break;
        }
        let own = asked.iter().filter(|id| others.has(id.shard()));
        let own: Done<Vec<StateRecord>> = own.map(|id| record(*id)).collect();
        let told = others.tell_all(&written(own.as_ref().map(|own| &own[..])))?;
        let mut all: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
        unless_ended(&mut all, (others, own.err()))?;
        let mut parents = Vec::new();
        for id in &asked {
            let process = others.owner(id.shard());
            let one = read(&mut all[process]).ok_or_else(|| garbled(process))?;
            parents.push(one.parent);
            found.insert(*id, one);
        }
        asked = parents;
    }
    let mut all: Vec<(StoredId, StateRecord)> = found.into_iter().collect();
    all.sort_unstable_by_key(|(id, _)| *id);
    let places = states.iter().map(|id| place_among(&all, *id)).collect();
    Ok((StateStore::of_states(layout, &all), places))
}

fn written(own: Result<&[StateRecord], &RoundEnd>) -> Vec<u8> {
    let mut message = Vec::new();
    put_end(&mut message, own.err());
    for one in own.unwrap_or_default() {
        put(&mut message, u64::from(one.parent.0));
        put_bytes(&mut message, &one.key);
        put_bytes(&mut message, &one.pair);
    }
    message
}

fn read(words: &mut Words<'_>) -> Option<StateRecord> {
    Some(StateRecord {
        parent: StoredId(u32::try_from(words.number()?).ok()?),
        key: words.bytes()?.to_vec(),
        pair: words.bytes()?.to_vec(),
    })
}
