//! The states of a search on disk, and what its commits need.

use std::ops::AddAssign;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::disk_frontier::DiskFrontier;
use super::disk_store::DiskStore;
use super::figures::{DiskFigures, Figures, RunCounts};
use super::misses::Misses;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Stop};
use crate::spill::{Space, SpillError};

/// The states of a search on disk.
pub(in crate::search) struct OnDisk {
    pub(in crate::search) store: DiskStore,
    pub(in crate::search) frontier: DiskFrontier,
    pub(in crate::search) misses: Misses,
    pub(in crate::search) commits: Commits,
    /// Whether a part of a round is counted or stored.
    pub(in crate::search) in_round: bool,
    /// The tables before the round at hand: one that is given up may have made more entries, which no commit notes.
    pub(in crate::search) tables: TableSizes,
    /// Whether it is known that there is no cycle of τ.
    pub(in crate::search) is_acyclic: bool,
}

impl OnDisk {
    pub(in crate::search) fn new(
        (store, frontier, misses): (DiskStore, DiskFrontier, Misses),
        commits: Commits,
    ) -> Self {
        Self {
            store,
            frontier,
            misses,
            commits,
            in_round: false,
            tables: TableSizes::default(),
            is_acyclic: false,
        }
    }

    /// Bytes of main memory.
    pub(in crate::search) fn heap_bytes(&self) -> usize {
        self.store.heap_bytes() + self.frontier.heap_bytes() + self.misses.heap_bytes()
    }

    /// What is told of it to the processes that share the search, with these bytes of what waits for a frontier. The first
    /// one says when a commit is due.
    pub(in crate::search) fn report(&self, is_first: bool, frontier: usize) -> DiskReport {
        DiskReport {
            doubtful: self.store.doubtful(),
            is_full: self.store.is_full() || self.store.is_settling_due(frontier),
            is_due: is_first && self.commits.are_due(),
            bytes: self.store.disk_bytes(),
            looked_up: self.store.looked_up,
        }
    }

    /// Adds what only a search on disk has to its figures.
    pub(in crate::search) fn tell(&self, figures: &mut Figures) {
        figures.disk = Some(DiskFigures {
            bytes: self.store.disk_bytes(),
            looked_up: self.store.looked_up,
            committed: self.commits.last.map(|last| last.elapsed()),
            before: self.commits.before,
        });
    }
}

/// A failure of the disk as an error.
pub(in crate::search) fn failed(error: &SpillError) -> Box<Diagnostic> {
    Box::new(Diagnostic::nowhere("E0711", error.to_string()))
}

/// The value, or the stop that a failure means: no room. Other failures are errors.
pub(in crate::search) fn or_stop<T>(
    done: std::result::Result<T, SpillError>,
) -> Result<std::result::Result<T, Stop>> {
    match done {
        Ok(value) => Ok(Ok(value)),
        Err(SpillError::Full { .. }) => Ok(Err(Stop::Disk)),
        Err(other) => Err(failed(&other)),
    }
}

/// What a process tells of its states on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::search) struct DiskReport {
    /// Those that may be stored already.
    pub(in crate::search) doubtful: usize,
    /// Whether it has no room for more that are not settled.
    pub(in crate::search) is_full: bool,
    /// Whether it is time for a commit.
    pub(in crate::search) is_due: bool,
    /// Bytes of files.
    pub(in crate::search) bytes: u64,
    /// Keys looked up in files so far.
    pub(in crate::search) looked_up: u64,
}

impl AddAssign for DiskReport {
    fn add_assign(&mut self, other: Self) {
        self.doubtful += other.doubtful;
        self.is_full |= other.is_full;
        self.is_due |= other.is_due;
        self.bytes += other.bytes;
        self.looked_up += other.looked_up;
    }
}

/// The sizes of the tables of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::search) struct TableSizes {
    pub(in crate::search) local_states: usize,
    pub(in crate::search) formats: usize,
    pub(in crate::search) nodes: Option<usize>,
}

/// A search at the time when it went to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::search) struct BegunMark {
    pub(in crate::search) states: usize,
    pub(in crate::search) transitions: u64,
    /// The checksum of the states of its frontier.
    pub(in crate::search) frontier: u64,
    /// Whether it uses sleep sets: one that does not has stored other states for other reasons.
    pub(in crate::search) sleeping: bool,
}

/// What commits need besides the states.
pub(in crate::search) struct Commits {
    pub(in crate::search) folder: SearchFolder,
    pub(in crate::search) begun: BegunMark,
    pub(in crate::search) last: Option<Instant>,
    pub(in crate::search) before: RunCounts,
}

/// The folder of a search.
#[derive(Clone, Debug)]
pub struct SearchFolder {
    /// The folder itself.
    pub space: Arc<Space>,
    /// How the search was asked for, in words for who goes on with it.
    pub asked: String,
    /// Time between two commits.
    pub commit_every: Duration,
}

impl Commits {
    pub(in crate::search) fn new(folder: &SearchFolder, begun: BegunMark) -> Self {
        Self {
            folder: folder.clone(),
            begun,
            last: None,
            before: RunCounts::default(),
        }
    }

    /// Whether enough time has passed for another one.
    pub(in crate::search) fn are_due(&self) -> bool {
        self.last
            .is_none_or(|last| last.elapsed() >= self.folder.commit_every)
    }
}
