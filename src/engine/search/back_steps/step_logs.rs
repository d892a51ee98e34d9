//! Lists of steps, by the shard of the target: in files, or in memory where the states are.

use std::sync::{Mutex, PoisonError};

use super::{Searched, StatesHere};
use crate::search::distributed::ending::{Done, RoundEnd, agreed};
use crate::search::store::{NO_STATE, SHARDS};
use crate::source::threads::lock;
use crate::spill::SpillError;
use crate::spill::log::{Log, LogReader};

/// Bytes of a listed step before the key of its target: the state that it leads from, and the end of the next depth in
/// the mark that begins a depth.
pub(super) const HEAD: usize = 8;
/// Bytes of a step whose target is known.
pub(super) const STEP: usize = 8;

/// A list of records of one length.
pub(super) enum StepLog {
    Memory { records: Vec<u8>, width: usize },
    Disk(Box<Log>),
}

/// Reads a list from its beginning.
pub(super) enum StepReader {
    /// The place of the next record.
    Memory(usize),
    Disk(LogReader),
}

impl StepLog {
    pub(super) fn push(&mut self, record: &[u8]) -> Result<(), SpillError> {
        match self {
            Self::Memory { records, width } => {
                debug_assert_eq!(record.len(), *width);
                records.extend_from_slice(record);
                Ok(())
            }
            Self::Disk(log) => log.push(record),
        }
    }

    pub(super) fn width(&self) -> usize {
        match self {
            Self::Memory { width, .. } => *width,
            Self::Disk(log) => log.record_bytes(),
        }
    }

    pub(super) fn reader(&self) -> StepReader {
        match self {
            Self::Memory { .. } => StepReader::Memory(0),
            Self::Disk(log) => StepReader::Disk(log.reader(0)),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Memory { records, .. } => records.capacity(),
            Self::Disk(log) => log.heap_bytes(),
        }
    }
}

impl StepReader {
    /// The next record of `log`, the list that this reads.
    pub(super) fn next<'r>(&'r mut self, log: &'r StepLog) -> Result<Option<&'r [u8]>, SpillError> {
        match (self, log) {
            (Self::Disk(reader), StepLog::Disk(log)) => reader.next(log),
            (Self::Memory(at), StepLog::Memory { records, width }) => {
                let record = records.get(*at..*at + width);
                *at += width;
                Ok(record)
            }
            _ => Ok(None),
        }
    }
}

/// The two words at the beginning of a record.
pub(super) fn words(record: &[u8]) -> (u32, u32) {
    let word = |at: usize| {
        let bytes = record.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    (word(0), word(4))
}

/// A list of steps for each shard of this process, by that of the target.
pub(super) struct ShardLogs(Vec<Option<Mutex<StepLog>>>);

impl ShardLogs {
    /// Empty lists, of records of so many bytes.
    pub(super) fn create(searched: &Searched<'_>, kind: &str, bytes: usize) -> Done<Self> {
        let make = |shard: usize| {
            if !searched.has(shard) {
                return Ok(None);
            }
            let log = match &searched.states {
                StatesHere::Memory(_) => StepLog::Memory {
                    records: Vec::new(),
                    width: bytes,
                },
                StatesHere::Disk(disk) => {
                    let space = &disk.commits.folder.space;
                    let mut log = Log::create(space, &format!("{kind}-{shard:02}"))?;
                    log.begin_stretch(bytes)?;
                    StepLog::Disk(Box::new(log))
                }
            };
            Ok(Some(Mutex::new(log)))
        };
        let made = (0..SHARDS).map(make).collect::<Result<_, SpillError>>();
        agreed(searched.others, made.map_err(RoundEnd::from)).map(Self)
    }

    /// The list of a shard, if this process has it.
    pub(super) fn of(&self, shard: usize) -> Option<&Mutex<StepLog>> {
        self.0[shard].as_ref()
    }

    /// All lists, with their shards.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Mutex<StepLog>)> {
        let each = self.0.iter().enumerate();
        each.filter_map(|(shard, log)| Some((shard, log.as_ref()?)))
    }

    /// Marks that steps of the next depth follow; `end` is the index after the states of that depth in each shard.
    pub(super) fn begin_depth(&self, end: impl Fn(usize) -> u32) -> Result<(), SpillError> {
        for (shard, log) in self.all() {
            let mut log = lock(log);
            let mut mark = NO_STATE.0.to_le_bytes().to_vec();
            mark.extend_from_slice(&end(shard).to_le_bytes());
            mark.resize(log.width(), 0);
            log.push(&mark)?;
        }
        Ok(())
    }

    /// Bytes of main memory.
    pub(super) fn heap_bytes(&self) -> usize {
        self.all().map(|(_, log)| lock(log).heap_bytes()).sum()
    }

    /// Removes the files. A file that stays does no harm.
    pub(super) fn remove(self) {
        for log in self.0.into_iter().flatten() {
            let log = log.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let StepLog::Disk(log) = log {
                let _ = log.remove();
            }
        }
    }
}
