//! What filled the tables of a search on disk: states that needed the evaluator, in the order in which they were
//! expanded, and random runs between depths. To do that again fills the tables as they were.

use std::sync::Arc;

use crate::reductions::sleep::Movers;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::spill::log::{Log, LogMark};
use crate::spill::{Space, SpillError};

/// Bytes of a record. A state takes several, the last of them padded with zeros.
const RECORD: usize = 16;
/// Bytes before the state: its length, the length of its sleep set, and how it is expanded.
const HEAD: usize = 7;
/// It has a sleep set.
const SLEEPS: u8 = 1;
/// A stubborn set is searched for.
const LOOKS: u8 = 2;
/// An entry of random runs: the bytes of its state are the number of stored states at which they were made.
const RUNS: u8 = 4;

const NAME: &str = "misses";

/// The mark of a commit.
pub(super) type MissesMark = LogMark;

/// An entry of the log.
pub(super) enum NotedMiss<'a> {
    /// A state with its sleep set, if there are any, and whether a stubborn set was searched for.
    State(&'a [u8], Option<&'a [Movers]>, bool),
    /// Random runs, when so many states were stored.
    Runs(usize),
}

/// The noted states and runs.
pub(super) struct Misses {
    log: Log,
    entry: Vec<u8>,
}

impl Misses {
    /// None yet.
    pub(super) fn create(space: &Arc<Space>) -> std::result::Result<Self, SpillError> {
        let mut log = Log::create(space, NAME)?;
        log.begin_stretch(RECORD)?;
        Ok(Self {
            log,
            entry: Vec::new(),
        })
    }

    pub(super) fn reopen(
        space: &Arc<Space>,
        mark: &MissesMark,
    ) -> std::result::Result<Self, SpillError> {
        Ok(Self {
            log: Log::reopen(space, NAME, mark)?,
            entry: Vec::new(),
        })
    }

    /// Bytes of main memory.
    pub(super) fn heap_bytes(&self) -> usize {
        self.log.heap_bytes()
    }

    pub(super) fn commit(&mut self) -> std::result::Result<MissesMark, SpillError> {
        self.log.commit()
    }

    /// Notes a state with its sleep set, if there are any, and whether a stubborn set is searched for.
    pub(super) fn note(
        &mut self,
        state: &[u8],
        (sleep, looks): (Option<&[Movers]>, bool),
    ) -> std::result::Result<(), SpillError> {
        let sleeps = if sleep.is_some() { SLEEPS } else { 0 };
        let how = sleeps | if looks { LOOKS } else { 0 };
        self.push(state, sleep.unwrap_or(&[]), how)
    }

    /// Notes random runs that were made when so many states were stored.
    pub(super) fn note_runs(&mut self, stored: usize) -> std::result::Result<(), SpillError> {
        self.push(&(stored as u64).to_le_bytes(), &[], RUNS)
    }

    fn push(
        &mut self,
        state: &[u8],
        movers: &[Movers],
        how: u8,
    ) -> std::result::Result<(), SpillError> {
        let entry = &mut self.entry;
        entry.clear();
        entry.extend_from_slice(&(state.len() as u32).to_le_bytes());
        entry.extend_from_slice(&(movers.len() as u16).to_le_bytes());
        entry.push(how);
        debug_assert_eq!(entry.len(), HEAD);
        entry.extend_from_slice(state);
        for one in movers {
            entry.extend_from_slice(&one.to_bytes());
        }
        entry.resize(entry.len().next_multiple_of(RECORD), 0);
        entry
            .chunks_exact(RECORD)
            .try_for_each(|record| self.log.push(record))
    }

    /// Calls a function for each entry, in order.
    pub(super) fn replay(
        &mut self,
        mut each: impl FnMut(NotedMiss<'_>) -> Result<()>,
    ) -> Result<()> {
        let failed = |error: SpillError| Diagnostic::nowhere("E0711", error.to_string());
        let (mut reader, mut entry) = (self.log.reader(0), Vec::new());
        let mut sleep = Vec::new();
        while let Some(record) = reader.next(&self.log).map_err(failed)? {
            entry.extend_from_slice(record);
            let Some((head, rest)) = entry.split_first_chunk::<HEAD>() else {
                continue;
            };
            let [a, b, c, d, e, f, how] = *head;
            let state = u32::from_le_bytes([a, b, c, d]) as usize;
            let movers = usize::from(u16::from_le_bytes([e, f]));
            let Some((state, after)) = rest.split_at_checked(state) else {
                continue;
            };
            if after.len() < movers * 2 {
                continue;
            }
            sleep.clear();
            let pairs = after.as_chunks::<2>().0.iter().take(movers);
            sleep.extend(pairs.map(|bytes| Movers::from_bytes(*bytes)));
            let asleep = (how & SLEEPS != 0).then_some(&sleep[..]);
            each(match state.try_into() {
                Ok(stored) if how & RUNS != 0 => {
                    NotedMiss::Runs(u64::from_le_bytes(stored) as usize)
                }
                _ => NotedMiss::State(state, asleep, how & LOOKS != 0),
            })?;
            entry.clear();
        }
        Ok(())
    }
}
