//! Divergence of a search on disk: the states that may lie on a cycle of τ.
//!
//! As in [`super::silent`], states without a predecessor by τ are removed with their steps, until none is left or each
//! has one. The steps are in files, and only sets of states are in memory.
//!
//! 1. All states are expanded again, depth by depth: their τ steps are listed by the shard of the target, with its key.
//! 2. Shard by shard, keys are replaced by indices. A step that does not lead to the next depth is a *back step*. Each
//!    cycle has one, so without back steps there is no cycle.
//! 3. The steps are read depth by depth. A state is left if a step of the depth before leads to it from a state that is
//!    left, or if a back step did in the last pass, from a state that was left then. This is repeated until the targets
//!    of back steps stay the same. Chains of steps are removed in one pass, however long they are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::chunk::ROUND_STATES;
use super::disk_store::{DiskStore, RoundRecords, place};
use super::index_table::NUMBERS_MAX;
use super::on_disk::{OnDisk, or_stop};
use super::product::Product;
use super::silent::{CycleControl, SilentScratch, note_unmet, silent_targets};
use super::state_set::StateSet;
use super::store::records::Records;
use super::store::{NO_STATE, SHARDS, StoredId};
use crate::machine::pack::state_hash;
use crate::search::breadth_first::LazyProduct;
use crate::source::diagnostic::Result;
use crate::source::threads::{in_parallel, lock};
use crate::source::{Diagnostic, Stop};
use crate::spill::SpillError;
use crate::spill::log::Log;

/// States of one unit of work of a thread.
const CHUNK: usize = 512;
/// Records between two polls of the limits.
const POLL_EVERY: usize = 1 << 14;
/// Bytes of a listed step before the key of its target: the state that it leads from, and the end of the next depth in
/// the mark that begins a depth.
const HEAD: usize = 8;
/// Bytes of a step whose target is known.
const STEP: usize = 8;
/// A bit of a target that no index has: a back step leads there.
const BACK: u32 = 1 << 31;
const _: () = assert!(NUMBERS_MAX < BACK as usize);

/// Why a pass ended early.
enum PassEnd {
    Stopped(Stop),
    Disk(SpillError),
    Other(Box<Diagnostic>),
}

impl From<SpillError> for PassEnd {
    fn from(error: SpillError) -> Self {
        Self::Disk(error)
    }
}

impl From<Box<Diagnostic>> for PassEnd {
    fn from(error: Box<Diagnostic>) -> Self {
        Self::Other(error)
    }
}

type Passed<T> = std::result::Result<T, PassEnd>;

/// Finds the states from which all cycles of τ are reachable, and all on a cycle; none if there is no cycle. `widths`
/// are the numbers of states of all depths.
///
/// # Errors
/// An evaluation error, or a disk that fails.
pub(super) fn states_on_cycles(
    lazy: &mut LazyProduct<'_>,
    disk: &mut OnDisk,
    widths: &[usize],
    control: CycleControl<'_>,
) -> Result<std::result::Result<StateSet, Stop>> {
    disk.store.forget_tables();
    match in_passes(lazy, disk, widths, control) {
        Ok(left) => Ok(Ok(left)),
        Err(PassEnd::Stopped(stop)) => Ok(Err(stop)),
        Err(PassEnd::Disk(error)) => or_stop(Err(error)),
        Err(PassEnd::Other(error)) => Err(error),
    }
}

fn in_passes(
    lazy: &mut LazyProduct<'_>,
    disk: &mut OnDisk,
    widths: &[usize],
    control: CycleControl<'_>,
) -> Passed<StateSet> {
    let early = EarlyDepths::of(disk)?;
    let listed = ShardLogs::create(disk, "silent", HEAD + disk.store.layout().key)?;
    list_steps(lazy, disk, (&listed, &early), widths, control)?;
    let steps = ShardLogs::create(disk, "steps", STEP)?;
    let join = Join {
        store: &disk.store,
        early: &early,
        product: &lazy.product(),
        control,
        has_back: AtomicBool::new(false),
    };
    join.all(&listed, &steps)?;
    listed.remove()?;
    let left = match join.has_back.into_inner() {
        true => left_of(&disk.store, &steps, widths.len(), control)?,
        false => disk.store.no_states(),
    };
    steps.remove()?;
    Ok(left)
}

/// Ends a pass at a limit.
fn poll(control: CycleControl<'_>, held: usize) -> Passed<()> {
    match control.limits.reached(control.cancel, held) {
        Some(stop) => Err(PassEnd::Stopped(stop)),
        None => Ok(()),
    }
}

/// A log of steps for each shard, by that of the target.
struct ShardLogs(Vec<Mutex<Log>>);

impl ShardLogs {
    fn create(disk: &OnDisk, kind: &str, bytes: usize) -> Passed<Self> {
        let make = |shard| {
            let space = &disk.commits.folder.space;
            let mut log = Log::create(space, &format!("{kind}-{shard:02}"))?;
            log.begin_stretch(bytes)?;
            Ok(Mutex::new(log))
        };
        (0..SHARDS).map(make).collect::<Passed<_>>().map(Self)
    }

    fn remove(self) -> Passed<()> {
        for log in self.0 {
            let log = log.into_inner();
            log.unwrap_or_else(std::sync::PoisonError::into_inner)
                .remove()?;
        }
        Ok(())
    }
}

/// The depths of the states that were expanded before the search went to disk.
struct EarlyDepths {
    /// By shard and index.
    depths: Vec<Vec<u32>>,
    /// The number of these depths.
    count: u32,
}

impl EarlyDepths {
    fn of(disk: &OnDisk) -> Passed<Self> {
        const UNKNOWN: u32 = u32::MAX;
        let mut parents = Vec::with_capacity(SHARDS);
        for (shard, count) in disk.frontier.first().iter().enumerate() {
            parents.push(disk.store.parents(shard, *count as usize)?);
        }
        let mut depths: Vec<Vec<u32>> = parents.iter().map(|p| vec![UNKNOWN; p.len()]).collect();
        let mut path = Vec::new();
        for (shard, own) in parents.iter().enumerate() {
            for index in 0..own.len() {
                let mut at = StoredId::new(shard, index);
                while at != NO_STATE && depths[at.shard()][at.index()] == UNKNOWN {
                    path.push(at);
                    at = parents[at.shard()][at.index()];
                }
                let mut depth = match at {
                    NO_STATE => 0,
                    known => depths[known.shard()][known.index()] + 1,
                };
                while let Some(state) = path.pop() {
                    depths[state.shard()][state.index()] = depth;
                    depth += 1;
                }
            }
        }
        let deepest = depths.iter().flatten().max();
        let count = deepest.map_or(0, |deepest| deepest + 1);
        Ok(Self { depths, count })
    }

    /// The states, by depth.
    fn by_depth(&self) -> Vec<Vec<StoredId>> {
        let mut all = vec![Vec::new(); self.count as usize];
        for (shard, depths) in self.depths.iter().enumerate() {
            for (index, depth) in depths.iter().enumerate() {
                all[*depth as usize].push(StoredId::new(shard, index));
            }
        }
        all
    }

    /// The depth of a state, if it is one of these.
    fn get(&self, shard: usize, index: usize) -> Option<u32> {
        self.depths[shard].get(index).copied()
    }
}

/// Lists the steps of all states, depth by depth.
fn list_steps(
    lazy: &mut LazyProduct<'_>,
    disk: &mut OnDisk,
    (logs, early): (&ShardLogs, &EarlyDepths),
    widths: &[usize],
    control: CycleControl<'_>,
) -> Passed<()> {
    let mut records = RoundRecords::default();
    for depth in early.by_depth() {
        begin_depth(logs, |_| 0)?;
        for round in depth.chunks(ROUND_STATES) {
            records.ids.clear();
            records.ids.extend_from_slice(round);
            list_round(lazy, &mut disk.store, &mut records, logs, control)?;
        }
    }
    let mut cursor = disk.frontier.beginning();
    let mut ahead = disk.frontier.beginning();
    for width in &widths[widths.len().min(early.count as usize)..] {
        disk.frontier.skip(&mut ahead, *width)?;
        begin_depth(logs, |shard| ahead.index(shard))?;
        let mut left = *width;
        while left > 0 {
            let most = left.min(ROUND_STATES);
            let into = (&mut records.ids, &mut records.asleep);
            disk.frontier.read_at(&mut cursor, most, into)?;
            left -= most;
            list_round(lazy, &mut disk.store, &mut records, logs, control)?;
        }
    }
    Ok(())
}

/// Marks that steps of the next depth follow; `end` is the index after the states of that depth in each shard.
fn begin_depth(logs: &ShardLogs, end: impl Fn(usize) -> u32) -> Passed<()> {
    for (shard, log) in logs.0.iter().enumerate() {
        let mut log = lock(log);
        let mut mark = NO_STATE.0.to_le_bytes().to_vec();
        mark.extend_from_slice(&end(shard).to_le_bytes());
        mark.resize(log.record_bytes(), 0);
        log.push(&mark)?;
    }
    Ok(())
}

/// The records of the steps of some states, by the shard of the target, and states that missed table entries.
struct ListedChunk {
    shards: Vec<Vec<u8>>,
    missed: Vec<usize>,
}

impl ListedChunk {
    /// Adds the steps of a state.
    fn add(
        &mut self,
        product: &Product<'_>,
        (state, bytes): (StoredId, &[u8]),
        scratch: &mut (SilentScratch, Vec<Vec<u8>>),
        width: usize,
    ) -> std::result::Result<(), super::product::ProductMiss> {
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

/// Lists the steps of the states of a round.
fn list_round(
    lazy: &mut LazyProduct<'_>,
    store: &mut DiskStore,
    records: &mut RoundRecords,
    logs: &ShardLogs,
    control: CycleControl<'_>,
) -> Passed<()> {
    poll(control, store.heap_bytes())?;
    store.read_round(records)?;
    let (records, width) = (&*records, HEAD + store.layout().key);
    let make = || {
        Mutex::new(ListedChunk {
            shards: vec![Vec::new(); SHARDS],
            missed: Vec::new(),
        })
    };
    let chunks = records.ids.len().div_ceil(CHUNK);
    let chunks: Vec<Mutex<ListedChunk>> = std::iter::repeat_with(make).take(chunks).collect();
    let product = lazy.product();
    in_parallel(
        control.threads,
        chunks.len(),
        || (SilentScratch::default(), Vec::new()),
        |scratch, n| {
            let mut chunk = lock(&chunks[n]);
            for (at, id) in records.ids.iter().enumerate().skip(n * CHUNK).take(CHUNK) {
                let state = (*id, &*records.get(at));
                if chunk.add(&product, state, scratch, width).is_err() {
                    chunk.missed.push(at);
                }
            }
        },
    );
    for chunk in &chunks {
        let mut chunk = lock(chunk);
        let mut scratch = Default::default();
        for at in std::mem::take(&mut chunk.missed) {
            let state = (records.ids[at], &*records.get(at));
            lazy.complete(|product| chunk.add(product, state, &mut scratch, width))?;
        }
    }
    write_round(&chunks, width, logs, control)
}

/// Writes the steps of the states of a round.
fn write_round(
    chunks: &[Mutex<ListedChunk>],
    width: usize,
    logs: &ShardLogs,
    control: CycleControl<'_>,
) -> Passed<()> {
    let failed: Mutex<Option<SpillError>> = Mutex::default();
    in_parallel(
        control.threads,
        SHARDS,
        || (),
        |(), shard| {
            let mut log = lock(&logs.0[shard]);
            for chunk in chunks {
                let chunk = lock(chunk);
                let mut each = chunk.shards[shard].chunks_exact(width);
                if let Err(error) = each.try_for_each(|record| log.push(record)) {
                    *lock(&failed) = Some(error);
                    return;
                }
            }
        },
    );
    match lock(&failed).take() {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// The two words at the beginning of a record.
fn words(record: &[u8]) -> (u32, u32) {
    let word = |at: usize| {
        let bytes = record.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    (word(0), word(4))
}

/// Replaces the keys of targets by indices.
struct Join<'j> {
    store: &'j DiskStore,
    early: &'j EarlyDepths,
    product: &'j Product<'j>,
    control: CycleControl<'j>,
    has_back: AtomicBool,
}

impl Join<'_> {
    fn all(&self, listed: &ShardLogs, steps: &ShardLogs) -> Passed<()> {
        // The keys of a shard are in memory while it is joined, and those of few shards at a time.
        let each = self.store.largest_shard() * (self.store.layout().key + 2 * size_of::<u32>());
        let (limits, cancel) = (self.control.limits, self.control.cancel);
        let held = self.store.heap_bytes();
        let fits = |threads: usize| limits.reached_with(cancel, held, threads * each);
        let threads = match fits(self.control.threads) {
            None => self.control.threads,
            Some(_) => 1,
        };
        if let Some(stop) = fits(threads) {
            return Err(PassEnd::Stopped(stop));
        }
        let ended: Mutex<Option<PassEnd>> = Mutex::default();
        in_parallel(
            threads,
            SHARDS,
            || (),
            |(), shard| {
                if lock(&ended).is_none()
                    && let Err(end) = self.shard(shard, &lock(&listed.0[shard]), &steps.0[shard])
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

    fn shard(&self, shard: usize, listed: &Log, steps: &Mutex<Log>) -> Passed<()> {
        let mut table = Records::new(self.store.layout().key, 0);
        self.store.each_key(shard, &mut |key| {
            table.insert(state_hash(key), key, |_| ());
        })?;
        let mut steps = lock(steps);
        let mark = [NO_STATE.0.to_le_bytes(), [0; 4]].concat();
        let mut reader = listed.reader(0);
        // The number of depths that began, and the index after the states of the present one.
        let (mut depths, mut end) = (0, 0);
        let mut count = 0usize;
        while let Some(record) = reader.next(listed)? {
            count += 1;
            if count.is_multiple_of(POLL_EVERY) {
                poll(self.control, self.store.heap_bytes() + table.heap_bytes())?;
            }
            let (from, second) = words(record);
            if from == NO_STATE.0 {
                if depths > 0 {
                    steps.push(&mark)?;
                }
                (depths, end) = (depths + 1, second);
                continue;
            }
            let key = &record[HEAD..];
            let Some(index) = table.find(state_hash(key), key) else {
                note_unmet(self.product);
                continue;
            };
            let leads_on = match depths <= self.early.count {
                true => self.early.get(shard, index).is_none_or(|to| to == depths),
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

/// The states that are left once those without a predecessor by τ are removed, again and again.
fn left_of(
    store: &DiskStore,
    steps: &ShardLogs,
    depths: usize,
    control: CycleControl<'_>,
) -> Passed<StateSet> {
    // At first all count as left: so these are the targets of all back steps.
    let (_, mut back) = sweep((store, steps), depths, None, control)?;
    loop {
        let (mut onward, now) = sweep((store, steps), depths, Some(&back), control)?;
        if now == back {
            onward.extend(&back);
            return Ok(onward);
        }
        back = now;
    }
}

/// Reads the steps once, depth by depth. Returns the targets of steps to the next depth, and those of back steps, from
/// states that are left: those that a step of the depth before leads to, and those of `before`; all without `before`.
fn sweep(
    (store, steps): (&DiskStore, &ShardLogs),
    depths: usize,
    before: Option<&StateSet>,
    control: CycleControl<'_>,
) -> Passed<(StateSet, StateSet)> {
    let (mut onward, mut back) = (store.no_states(), store.no_states());
    let held = store.heap_bytes() + 3 * back.heap_bytes();
    let logs: Vec<_> = steps.0.iter().map(lock).collect();
    let mut readers: Vec<_> = logs.iter().map(|log| log.reader(0)).collect();
    for _ in 0..depths {
        for (shard, (log, reader)) in logs.iter().zip(&mut readers).enumerate() {
            poll(control, held)?;
            while let Some(record) = reader.next(log)? {
                let (from, to) = words(record);
                if from == NO_STATE.0 {
                    break;
                }
                let from = StoredId(from);
                if before.is_some_and(|before| !before.contains(from) && !onward.contains(from)) {
                    continue;
                }
                let id = StoredId::new(shard, (to & !BACK) as usize);
                match to & BACK {
                    0 => onward.insert(id),
                    _ => back.insert(id),
                };
            }
        }
    }
    Ok((onward, back))
}
