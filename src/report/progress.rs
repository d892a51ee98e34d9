//! How far a check is, as plain data.

use super::numbers;
use crate::check::ProcessLine;
use crate::search::figures::{DiskFigures, RunCounts};

/// Progress of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Depth of the breadth-first search.
    pub ply: usize,
    /// The number of stored states.
    pub states: u64,
    /// The number of transitions found.
    pub transitions: u64,
    /// States still to expand.
    pub frontier: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// Bytes held by the search.
    pub bytes: u64,
    /// Representatives that were taken of successors; none without reduction.
    pub representatives: u64,
    /// The number of these that are known to be unique representatives of their orbit; `None` if that is unknown of
    /// the strategy, or of the specification.
    pub unique: Option<u64>,
    /// Resident memory of the whole program in bytes, where the operating system reports it.
    pub resident: Option<u64>,
    /// What the files of a search on disk come to; `None` in memory.
    pub disk: Option<DiskFigures>,
    /// What the processes that share the search told of themselves last, by process; none for one.
    pub processes: Vec<ProcessLine>,
}

impl Progress {
    /// A line on each of the processes that share the search, by process.
    pub fn by_process(&self) -> impl Iterator<Item = String> {
        self.processes.iter().map(|line| {
            format!(
                "{} states  {}  {} sent  {:.1} % waiting",
                numbers::thousands(line.states.into()),
                numbers::bytes(line.memory),
                numbers::bytes(line.sent),
                100.0 * line.waiting(),
            )
        })
    }

    /// States, transitions and representatives of this run alone, without those before it was interrupted.
    #[must_use]
    pub fn of_this_run(&self) -> RunCounts {
        let before = self.disk.map_or(RunCounts::default(), |disk| disk.before);
        RunCounts {
            states: self.states.saturating_sub(before.states),
            transitions: self.transitions.saturating_sub(before.transitions),
            representatives: self.representatives.saturating_sub(before.representatives),
        }
    }

    /// The files of a search on disk in words: their size, the share of the transitions whose targets were looked up in
    /// them, and the time since the last commit.
    #[must_use]
    pub fn on_disk(&self) -> Option<String> {
        let disk = self.disk?;
        let share = 100.0 * disk.looked_up as f64 / self.transitions.max(1) as f64;
        let committed = disk.committed.map_or(String::new(), |since| {
            format!(", committed {} s ago", since.as_secs())
        });
        let bytes = numbers::bytes(disk.bytes);
        Some(format!(
            "{bytes} on disk, {share:.1} % looked up{committed}"
        ))
    }
}
