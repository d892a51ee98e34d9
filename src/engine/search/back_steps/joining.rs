//! Joining of listed steps with the states that they lead to: keys are replaced by indices.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::step_logs::{HEAD, ShardLogs, StepLog, words};
use super::{POLL_EVERY, Searched, StatesHere, poll};
use crate::machine::pack::state_hash;
use crate::mesh::words::{Words, put};
use crate::search::distributed::Distributed;
use crate::search::distributed::ending::{Done, RoundEnd, garbled, put_end, unless_ended};
use crate::search::index_table::NUMBERS_MAX;
use crate::search::product::Product;
use crate::search::silent::{CycleControl, note_unmet};
use crate::search::store::records::Records;
use crate::search::store::{NO_STATE, SHARDS, StateStore};
use crate::source::threads::{in_parallel, lock};

/// A bit of a target that no index has: a back step leads there.
pub(super) const BACK: u32 = 1 << 31;
const _: () = assert!(NUMBERS_MAX < BACK as usize);

/// Replaces the keys of targets by indices.
pub(super) struct Join<'j> {
    searched: &'j Searched<'j>,
    product: &'j Product<'j>,
    control: CycleControl<'j>,
    has_back: AtomicBool,
}

/// The states of a shard, by key.
enum Targets<'t> {
    Memory(&'t StateStore),
    Read(Records),
}

impl Targets<'_> {
    fn index(&self, shard: usize, key: &[u8]) -> Option<usize> {
        match self {
            Self::Memory(store) => {
                let found = store.find(key).filter(|id| id.shard() == shard);
                found.map(|id| id.index())
            }
            Self::Read(table) => table.find(state_hash(key), key),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Memory(_) => 0,
            Self::Read(table) => table.heap_bytes(),
        }
    }
}

impl<'j> Join<'j> {
    pub(super) fn new(
        searched: &'j Searched<'j>,
        product: &'j Product<'j>,
        control: CycleControl<'j>,
    ) -> Self {
        Self {
            searched,
            product,
            control,
            has_back: AtomicBool::new(false),
        }
    }

    /// Joins the lists of all shards. Returns whether there is a back step.
    pub(super) fn all(&self, listed: &ShardLogs, steps: &ShardLogs) -> Done<bool> {
        let joined = self.own(listed, steps);
        let has_back = self.has_back.load(Ordering::Relaxed);
        let Some(others) = self.searched.others else {
            return joined.map(|()| has_back);
        };
        let unmet = self.product.unmet.load(Ordering::Relaxed);
        let (has_back, unmet) = of_all(others, joined, (has_back, unmet))?;
        if unmet {
            self.product.unmet.store(true, Ordering::Relaxed);
        }
        Ok(has_back)
    }

    fn own(&self, listed: &ShardLogs, steps: &ShardLogs) -> Done<()> {
        let (limits, cancel) = (self.control.limits, self.control.cancel);
        let mut threads = self.control.threads;
        if let StatesHere::Disk(disk) = &self.searched.states {
            // The keys of a shard are in memory while it is joined, and those of few shards at a time.
            let key = self.searched.layout().key;
            let each = disk.store.largest_shard() * (key + 2 * size_of::<u32>());
            let held = self.searched.heap_bytes();
            let fits = |threads: usize| limits.reached_with(cancel, held, threads * each);
            if fits(threads).is_some() {
                threads = 1;
            }
            if let Some(stop) = fits(threads) {
                return Err(stop.into());
            }
        }
        let ended: Mutex<Option<RoundEnd>> = Mutex::default();
        in_parallel(
            threads,
            SHARDS,
            || (),
            |(), shard| {
                if let Some((from, to)) = listed.of(shard).zip(steps.of(shard))
                    && lock(&ended).is_none()
                    && let Err(end) = self.shard(shard, &lock(from), &mut lock(to))
                {
                    *lock(&ended) = Some(end);
                }
            },
        );
        match lock(&ended).take() {
            Some(end) => Err(end),
            None => Ok(()),
        }
    }

    fn targets(&self, shard: usize) -> Done<Targets<'_>> {
        Ok(match &self.searched.states {
            StatesHere::Memory(store) => Targets::Memory(store),
            StatesHere::Disk(disk) => {
                let mut table = Records::new(self.searched.layout().key, 0);
                disk.store.each_key(shard, &mut |key| {
                    table.insert(state_hash(key), key, |_| ());
                })?;
                Targets::Read(table)
            }
        })
    }

    fn shard(&self, shard: usize, listed: &StepLog, steps: &mut StepLog) -> Done<()> {
        let targets = self.targets(shard)?;
        let early = self.searched.early;
        let mark = [NO_STATE.0.to_le_bytes(), [0; 4]].concat();
        let mut reader = listed.reader();
        // The number of depths that began, and the index after the states of the present one.
        let (mut depths, mut end) = (0, 0);
        let mut count = 0usize;
        while let Some(record) = reader.next(listed)? {
            count += 1;
            if count.is_multiple_of(POLL_EVERY) {
                poll(
                    self.control,
                    self.searched.heap_bytes() + targets.heap_bytes(),
                )?;
            }
            let (from, second) = words(record);
            if from == NO_STATE.0 {
                if depths > 0 {
                    steps.push(&mark)?;
                }
                (depths, end) = (depths + 1, second);
                continue;
            }
            let Some(index) = targets.index(shard, &record[HEAD..]) else {
                note_unmet(self.product);
                continue;
            };
            let leads_on = match depths <= early.count() {
                true => early.of(shard, index).is_none_or(|to| to == depths),
                false => index >= end as usize,
            };
            let mut to = index as u32;
            if !leads_on {
                to |= BACK;
                self.has_back.store(true, Ordering::Relaxed);
            }
            steps.push(&[from.to_le_bytes(), to.to_le_bytes()].concat())?;
        }
        steps.push(&mark)?;
        Ok(())
    }
}

/// Whether something holds for one of the processes.
fn of_all(
    others: &Distributed,
    own: Done<()>,
    (has_back, unmet): (bool, bool),
) -> Done<(bool, bool)> {
    let mut message = Vec::new();
    put_end(&mut message, own.as_ref().err());
    put(&mut message, u64::from(has_back));
    put(&mut message, u64::from(unmet));
    let told = others.tell_all(&message)?;
    let mut all: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, own.err()))?;
    let mut found = (false, false);
    for (process, words) in all.iter_mut().enumerate() {
        let read = words.number().zip(words.number());
        let (back, unmet) = read.ok_or_else(|| garbled(process))?;
        found = (found.0 || back != 0, found.1 || unmet != 0);
    }
    Ok(found)
}
