//! Removal of states without a predecessor by τ, by reading all steps depth by depth.

use super::joining::BACK;
use super::step_logs::{ShardLogs, StepLog, StepReader, words};
use super::{Searched, poll};
use crate::mesh::words::{Words, put};
use crate::search::distributed::Distributed;
use crate::search::distributed::ending::{Done, garbled, put_end, unless_ended};
use crate::search::silent::CycleControl;
use crate::search::state_set::StateSet;
use crate::search::store::{NO_STATE, StoredId};
use crate::source::threads::lock;

/// The states that are left once those without a predecessor by τ are removed, again and again.
pub(super) fn left_of(
    searched: &Searched<'_>,
    steps: &ShardLogs,
    control: CycleControl<'_>,
) -> Done<StateSet> {
    // At first all count as left: so these are the targets of all back steps.
    let mut back = sweep(searched, steps, None, control)?.back;
    loop {
        let mut found = sweep(searched, steps, Some(&back), control)?;
        if found.back == back {
            found.onward.extend(&back);
            return Ok(found.onward);
        }
        back = found.back;
    }
}

/// The targets of steps from states that are left.
struct SweptTargets {
    /// Of steps to the next depth.
    onward: StateSet,
    /// Of back steps.
    back: StateSet,
    /// Those that were found in the present depth, to be told to other processes, and whether back steps lead there.
    latest: Option<Vec<(StoredId, bool)>>,
}

impl SweptTargets {
    fn insert(&mut self, id: StoredId, is_back: bool) {
        let set = match is_back {
            true => &mut self.back,
            false => &mut self.onward,
        };
        if set.insert(id)
            && let Some(latest) = &mut self.latest
        {
            latest.push((id, is_back));
        }
    }
}

/// Reads the steps once, depth by depth. Returns the targets of steps to the next depth, and those of back steps, from
/// states that are left: those that a step of the depth before leads to, and those of `before`; all without `before`.
fn sweep(
    searched: &Searched<'_>,
    steps: &ShardLogs,
    before: Option<&StateSet>,
    control: CycleControl<'_>,
) -> Done<SweptTargets> {
    let mut found = SweptTargets {
        onward: searched.no_states(),
        back: searched.no_states(),
        latest: searched.others.map(|_| Vec::new()),
    };
    let held = searched.heap_bytes() + steps.heap_bytes() + 3 * found.back.heap_bytes();
    let logs: Vec<_> = steps.all().map(|(shard, log)| (shard, lock(log))).collect();
    let mut readers: Vec<StepReader> = logs.iter().map(|(_, log)| log.reader()).collect();
    for _ in 0..searched.widths.len().max(searched.early.count()) {
        let mut read = Ok(());
        for ((shard, log), reader) in logs.iter().zip(&mut readers) {
            read = read
                .and_then(|()| poll(control, held))
                .and_then(|()| read_depth((*shard, log, reader), before, &mut found));
        }
        match searched.others {
            Some(others) => add_found(others, read, &mut found)?,
            None => read?,
        }
    }
    Ok(found)
}

/// Reads the steps of a depth that lead to a shard.
fn read_depth(
    (shard, log, reader): (usize, &StepLog, &mut StepReader),
    before: Option<&StateSet>,
    found: &mut SweptTargets,
) -> Done<()> {
    while let Some(record) = reader.next(log)? {
        let (from, to) = words(record);
        if from == NO_STATE.0 {
            break;
        }
        let from = StoredId(from);
        if before.is_none_or(|before| before.contains(from) || found.onward.contains(from)) {
            let id = StoredId::new(shard, (to & !BACK) as usize);
            found.insert(id, to & BACK != 0);
        }
    }
    Ok(())
}

/// Adds what the other processes have found in a depth.
fn add_found(others: &Distributed, read: Done<()>, found: &mut SweptTargets) -> Done<()> {
    let mut message = Vec::new();
    put_end(&mut message, read.as_ref().err());
    for (id, is_back) in found.latest.take().unwrap_or_default() {
        put(&mut message, u64::from(id.0) << 1 | u64::from(is_back));
    }
    let told = others.tell_all(&message)?;
    let mut all: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, read.err()))?;
    for (process, words) in all.iter_mut().enumerate() {
        while !words.is_over() {
            let word = words.number().ok_or_else(|| garbled(process))?;
            let id = u32::try_from(word >> 1).map_err(|_| garbled(process))?;
            found.insert(StoredId(id), word & 1 != 0);
        }
    }
    found.latest = Some(Vec::new());
    Ok(())
}
