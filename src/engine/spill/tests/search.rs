//! A search in small, which says at each of its steps what its files must hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::log::{Log, LogMark};
use super::super::runs::{Runs, RunsMark};
use super::super::{Space, SpillError, manifest};
use super::first_bytes;

const SHARDS: usize = 2;
/// How much there is in a step.
const SCALE: usize = 12;
/// Bytes of the long records.
const WIDE: usize = 40;

#[derive(Serialize, Deserialize)]
struct Manifest {
    step: usize,
    log: LogMark,
    pending: LogMark,
    runs: RunsMark,
}

/// The files of the search, and the steps that it has made.
pub(super) struct Search {
    space: Arc<Space>,
    log: Log,
    pending: Log,
    runs: Runs,
    pub(super) step: usize,
}

/// Bytes of records at a step.
fn record_bytes(step: usize) -> usize {
    5 + step / 2 * 3
}

/// The records of a step: some long ones, and then others.
fn records(step: usize, scale: usize) -> impl Iterator<Item = Vec<u8>> {
    let lengths = std::iter::repeat_n(WIDE + step, 2);
    let lengths = lengths.chain(std::iter::repeat_n(
        record_bytes(step),
        scale * (1 + step % 3),
    ));
    lengths.enumerate().map(move |(number, bytes)| {
        let byte = |at: usize| ((number * 37 + step) >> (at % 5 * 2)) as u8 % 9;
        (0..bytes).map(byte).collect()
    })
}

/// Appends the records of a step. The first block of them is written before they are committed.
fn push(log: &mut Log, step: usize, scale: usize) -> Result<(), SpillError> {
    for record in records(step, scale) {
        log.begin_stretch(record.len())?;
        log.push(&record)?;
    }
    Ok(())
}

/// What is pending after some steps: it is cleared before each second one.
fn pending(steps: usize) -> impl Iterator<Item = Vec<u8>> {
    (steps.saturating_sub(1) / 2 * 2..steps).flat_map(move |step| records(step, SCALE / 2))
}

/// The keys that a step adds to a shard in its first or second half.
fn keys(step: usize, half: usize, shard: usize) -> BTreeSet<Vec<u8>> {
    let from = (2 * step + half) * SCALE;
    let number = |n: usize| n * 2_654_435_761 % 1_000_003 * 4 + 2 * shard;
    let key = |number: usize| {
        let mut key = number.to_be_bytes()[4..].to_vec();
        key.resize(key_bytes(step), 0);
        key
    };
    (from..from + SCALE).map(number).map(key).collect()
}

/// Bytes of keys at a step.
fn key_bytes(step: usize) -> usize {
    4 + step / 3
}

fn without_zeros(key: &[u8]) -> Vec<u8> {
    let end = key.iter().rposition(|byte| *byte != 0);
    key[..end.map_or(0, |end| end + 1)].to_vec()
}

impl Search {
    /// Begins, or goes on from the last commit.
    pub(super) fn open(space: &Arc<Space>) -> Result<Self, SpillError> {
        let space = Arc::clone(space);
        Ok(match manifest::read::<Manifest>(space.folder())? {
            None => Self {
                log: Log::create(&space, "log")?,
                pending: Log::create(&space, "pending")?,
                runs: Runs::create(&space, SHARDS, first_bytes),
                step: 0,
                space,
            },
            Some(manifest) => Self {
                log: Log::reopen(&space, "log", &manifest.log)?,
                pending: Log::reopen(&space, "pending", &manifest.pending)?,
                runs: Runs::reopen(&space, (SHARDS, first_bytes), &manifest.runs)?,
                step: manifest.step,
                space,
            },
        })
    }

    /// Makes a step, and commits it.
    pub(super) fn go_on(&mut self) -> Result<(), SpillError> {
        let step = self.step;
        if step.is_multiple_of(2) {
            // Also what no mark names is cleared.
            push(&mut self.pending, step, SCALE)?;
            self.pending.clear()?;
        }
        push(&mut self.log, step, SCALE)?;
        push(&mut self.pending, step, SCALE / 2)?;
        for half in 0..2 {
            let shards = (0..SHARDS).map(|shard| keys(step, half, shard));
            let joined: Vec<Vec<u8>> = shards
                .map(|keys| keys.into_iter().collect::<Vec<_>>().concat())
                .collect();
            self.runs.add(key_bytes(step), &joined)?;
            self.runs.merge()?;
        }
        self.commit()
    }

    fn commit(&mut self) -> Result<(), SpillError> {
        let manifest = Manifest {
            step: self.step + 1,
            log: self.log.commit()?,
            pending: self.pending.commit()?,
            runs: self.runs.commit()?,
        };
        manifest::write(&self.space, &manifest)?;
        self.step += 1;
        self.pending.sweep()?;
        self.runs.sweep()
    }

    /// Reads all there is. It must be what it is to be at this step.
    pub(super) fn look(&self) -> Result<(), SpillError> {
        let step = self.step;
        assert_log(&self.log, (0..step).flat_map(|step| records(step, SCALE)))?;
        assert_log(&self.pending, pending(step))?;
        for shard in 0..SHARDS {
            let halves = (0..step).flat_map(|step| [(step, 0), (step, 1)]);
            let all: BTreeSet<Vec<u8>> = halves
                .flat_map(|(step, half)| keys(step, half, shard))
                .map(|key| without_zeros(&key))
                .collect();
            let mut found = BTreeSet::new();
            let each = &mut |key: &[u8]| assert!(found.insert(without_zeros(key)), "twice");
            self.runs.each(shard, each)?;
            assert_eq!(found, all);
            assert_found(&self.runs, shard, &all)?;
        }
        Ok(())
    }
}

fn assert_log(log: &Log, records: impl Iterator<Item = Vec<u8>>) -> Result<(), SpillError> {
    let mut reader = log.reader(0);
    let (mut found, mut count) = (Vec::new(), 0);
    for record in records {
        assert_eq!(reader.next(log)?, Some(record.as_slice()));
        if count % 13 == 0 {
            log.read(count, &mut found)?;
            assert_eq!(found, record);
        }
        count += 1;
    }
    assert_eq!(reader.next(log)?, None);
    assert_eq!(log.len(), count);
    Ok(())
}

/// Looks for the keys, and for the numbers after them, which are no keys.
fn assert_found(runs: &Runs, shard: usize, all: &BTreeSet<Vec<u8>>) -> Result<(), SpillError> {
    const LONG: usize = 9;
    let mut wanted = BTreeSet::new();
    for key in all {
        let mut key = key.clone();
        key.resize(LONG, 0);
        wanted.insert(key.clone());
        key[3] |= 1;
        wanted.insert(key);
    }
    let wanted: Vec<Vec<u8>> = wanted.into_iter().collect();
    let mut found = BTreeSet::new();
    let each = &mut |place: usize| {
        assert!(found.insert(without_zeros(&wanted[place])), "twice");
    };
    runs.find(shard, LONG, &wanted.concat(), each)?;
    assert_eq!(&found, all);
    Ok(())
}
