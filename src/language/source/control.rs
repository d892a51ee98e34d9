//! Limits and cancellation. No thread is started here; long work polls a [`Cancel`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{memory, watchdog};

/// A flag that asks long work to stop, and the stage that the work has reached, for other threads to show. Clones
/// share both.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    reached: Arc<AtomicU64>,
}

impl Cancel {
    /// Asks for a stop.
    pub fn cancel(&self) {
        // Relaxed, as the flag is the whole message: no other memory is handed over with it.
        self.flag.store(true, Ordering::Relaxed);
    }
    /// Whether a stop was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
    /// The flag itself, for handlers of signals.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
    /// Notes how far the work is. Cheap enough to be called wherever limits are looked at.
    pub fn reach(&self, stage: WorkStage, count: usize) {
        // One number for both, so that a count is never read as one of another stage.
        let count = (count as u64).min(COUNT_MAX);
        self.reached
            .store((stage as u64) << COUNT_BITS | count, Ordering::Relaxed);
    }
    /// The latest call of [`Cancel::reach`]; `None` before the first.
    #[must_use]
    pub fn reached(&self) -> Option<(WorkStage, u64)> {
        let reached = self.reached.load(Ordering::Relaxed);
        let mut stages = WorkStage::ALL.into_iter();
        let stage = stages.find(|stage| *stage as u64 == reached >> COUNT_BITS)?;
        Some((stage, reached & COUNT_MAX))
    }
}

/// Bits of a count in [`Cancel::reach`].
const COUNT_BITS: u32 = 56;
const COUNT_MAX: u64 = (1 << COUNT_BITS) - 1;

/// A stage of long work, with the things that it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkStage {
    /// A script is read: lines.
    Reading = 1,
    /// Types are inferred: declarations.
    Typing,
    /// Components are compiled: local states.
    Compiling,
    /// A process is explored to be compressed: its states.
    Compressing,
    /// A specification is normalised: nodes.
    Normalising,
    /// Symmetry is looked for in the structure: steps of work.
    Looking,
    /// A search runs: states.
    Searching,
    /// Cycles of τ are looked for among the states of a search: steps.
    Diverging,
    /// A run is replayed: steps.
    Replaying,
}

impl WorkStage {
    const ALL: [Self; 9] = [
        Self::Reading,
        Self::Typing,
        Self::Compiling,
        Self::Compressing,
        Self::Normalising,
        Self::Looking,
        Self::Searching,
        Self::Diverging,
        Self::Replaying,
    ];
}

/// A reason to end long work early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// It was requested through a [`Cancel`].
    Cancelled,
    /// The deadline has passed.
    Time,
    /// More states than there may be, or more of what grows like them: components of a network, forms
    /// that it takes.
    States,
    /// The bytes that are counted, or those of the whole process, exceed a limit.
    Memory,
    /// The files of a search have no room left: the disk is full, or they take as much as they may.
    Disk,
    /// Another process of the search, of this number, is lost or has ended early.
    Process(u16),
}

impl Stop {
    /// The number of the first process.
    const FIRST: u16 = 16;

    /// A number for it, to be told to another process.
    #[must_use]
    pub fn number(self) -> u16 {
        match self {
            Self::Cancelled => 0,
            Self::Time => 1,
            Self::States => 2,
            Self::Memory => 3,
            Self::Disk => 4,
            Self::Process(process) => Self::FIRST + process,
        }
    }

    /// What has this number.
    #[must_use]
    pub fn numbered(number: u16) -> Self {
        let first = [
            Self::Cancelled,
            Self::Time,
            Self::States,
            Self::Memory,
            Self::Disk,
        ];
        let process = || Self::Process(number.saturating_sub(Self::FIRST));
        first
            .get(usize::from(number))
            .copied()
            .unwrap_or_else(process)
    }
}

/// Bounds on long work.
#[derive(Clone, Debug)]
pub struct Limits {
    /// States stored by a check.
    pub states_max: usize,
    /// States that fall short after which a check ends; at least one.
    pub violations_max: usize,
    /// Bytes of states held by a check, by its own count.
    pub memory_max: usize,
    /// Bytes of the whole process in main memory, where the operating system tells.
    pub resident_max: usize,
    /// When a check must end.
    pub deadline: Option<Instant>,
    /// Elements of one enumerated set or sequence.
    pub elements_max: usize,
    /// Calls of functions by one evaluator, from its beginning.
    pub calls_max: u64,
    /// Nesting of evaluation (calls within calls).
    pub depth_max: usize,
    /// Bytes of the values of all evaluations, roughly. By default it keeps an infinite recursion from filling the
    /// memory of the machine.
    pub values_max: usize,
    /// Local states of one component.
    pub local_states_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // States are numbered with 32 bits.
            states_max: u32::MAX as usize,
            violations_max: 1,
            memory_max: usize::MAX,
            resident_max: usize::MAX,
            deadline: None,
            elements_max: 5_000_000,
            calls_max: u64::MAX,
            depth_max: 250_000,
            values_max: 2 << 30,
            local_states_max: 500_000,
        }
    }
}

impl Limits {
    /// The same limits, ending at most `time` from now.
    #[must_use]
    pub fn with_timeout(mut self, time: Duration) -> Self {
        // A time so long that it cannot be added is no limit.
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// The same limits with one on memory: on what is counted as well as on the process as a whole.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory_max = bytes;
        self.resident_max = bytes;
        self.values_max = bytes;
        self
    }

    /// The default limits on a machine with so many free bytes: they bound the process as a whole, and leave the
    /// limit on values as it is.
    #[must_use]
    pub fn protecting(self, bytes: usize) -> Self {
        let values_max = self.values_max.min(bytes);
        Self {
            values_max,
            ..self.with_memory(bytes)
        }
    }

    /// The same limits without any on memory.
    #[must_use]
    pub fn with_all_memory(self) -> Self {
        self.with_memory(usize::MAX)
    }

    /// The limits for work that begins now. What earlier work has given back may still count as memory of
    /// the process although it will be used again: it does not keep new work from beginning.
    #[must_use]
    pub fn from_now(&self) -> Self {
        let before = match self.resident_max {
            // Without a limit nothing is measured.
            usize::MAX => 0,
            _ => memory::resident().unwrap_or(0),
        };
        Self {
            resident_max: self
                .resident_max
                // At least a quarter of the limit is for the new work, however much the process
                // occupies.
                .max(before.saturating_add(self.resident_max / 4)),
            ..self.clone()
        }
    }

    /// Why work that holds `bytes` by its own count has to stop now, if it has to. Cheap enough to be
    /// asked some thousand times a second.
    #[must_use]
    pub fn reached(&self, cancel: &Cancel, bytes: usize) -> Option<Stop> {
        watchdog::looked();
        // The cheap questions first; whoever asked for a stop is to be told of that and not of a
        // limit.
        if cancel.is_cancelled() {
            Some(Stop::Cancelled)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d) {
            Some(Stop::Time)
        } else if bytes >= self.memory_max || self.resident_reached() {
            Some(Stop::Memory)
        } else {
            None
        }
    }

    /// As [`Limits::reached`], of work that is about to take `more` bytes at once.
    #[must_use]
    pub fn reached_with(&self, cancel: &Cancel, bytes: usize, more: usize) -> Option<Stop> {
        let fits = self.resident_max == usize::MAX
            // Where the operating system does not tell, only what is counted limits.
            || memory::resident_lately().is_none_or(|r| r.saturating_add(more) < self.resident_max);
        let stop = self.reached(cancel, bytes.saturating_add(more));
        // A stop that holds without the new bytes is the better reason.
        stop.or((!fits).then_some(Stop::Memory))
    }

    /// Bytes that may be taken besides `bytes` that are held, before a limit is reached.
    #[must_use]
    pub fn room(&self, bytes: usize) -> usize {
        let counted = self.memory_max.saturating_sub(bytes);
        match memory::resident_lately() {
            Some(resident) => counted.min(self.resident_max.saturating_sub(resident)),
            None => counted,
        }
    }

    fn resident_reached(&self) -> bool {
        self.resident_max != usize::MAX
            && memory::resident_lately().is_some_and(|r| r >= self.resident_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_stage_is_told_to_all_who_share_it() {
        let cancel = Cancel::default();
        let shown = cancel.clone();
        assert_eq!(shown.reached(), None);
        for stage in WorkStage::ALL {
            cancel.reach(stage, 70_000);
            assert_eq!(shown.reached(), Some((stage, 70_000)));
        }
        cancel.reach(WorkStage::Looking, usize::MAX);
        assert_eq!(shown.reached(), Some((WorkStage::Looking, COUNT_MAX)));
        assert!(!shown.is_cancelled());
    }

    #[test]
    fn values_may_take_what_is_given_and_no_more_than_usual_if_nothing_is() {
        let usual = Limits::default().values_max;
        assert_eq!(Limits::default().with_memory(3 << 30).values_max, 3 << 30);
        assert_eq!(Limits::default().protecting(64 << 30).values_max, usual);
        assert_eq!(Limits::default().protecting(1 << 20).values_max, 1 << 20);
        assert_eq!(Limits::default().protecting(1 << 20).resident_max, 1 << 20);
        assert_eq!(Limits::default().with_all_memory().values_max, usize::MAX);
    }

    #[test]
    fn what_is_about_to_be_taken_counts() {
        let cancel = Cancel::default();
        let limits = Limits::default().with_memory(1 << 40);
        assert_eq!(limits.reached_with(&cancel, 0, 1 << 20), None);
        assert_eq!(limits.reached_with(&cancel, 0, 1 << 40), Some(Stop::Memory));
        assert_eq!(Limits::default().reached_with(&cancel, 0, 1 << 40), None);
    }
}
