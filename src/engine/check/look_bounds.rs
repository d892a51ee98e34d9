//! Bounds on the search for structural symmetry.
//!
//! Work is counted in steps, so that the result does not depend on the machine: a step is one look-up of the image of a
//! point or of an end of an edge, or takes as long. Every algorithm reports its steps to a [`Looking`], which ends it
//! with an error above the bound. By default the bound is some hundredths of a second at first; a later attempt may add
//! half of what the search of the check has taken, so that it never takes longer than that.

use std::cell::Cell;

use crate::machine::Machine;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, WorkStage};

/// Bounds on one search for structural symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookBounds {
    /// Event labels at most: very many similar ones have very many permutations.
    pub labels: usize,
    /// Nodes of the specification tied to events, at most; with more, every event is fixed.
    pub tied: usize,
    /// Steps of work.
    pub work: u64,
    /// Steps of these that may go into the specification.
    pub tying: u64,
    /// The groups that are wanted where the check is reduced by permutations of values and copies already.
    pub wanted: WantedGroup,
}

/// A condition on a structural group: how it is related to the group of the permutations of values and copies in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedGroup {
    /// Any.
    Any,
    /// It contains that group.
    Contains,
    /// It contains that group, and more.
    ContainsMore,
    /// It contains that group and more, or has more elements: not if states were stored under that group.
    IsLarger,
}

impl LookBounds {
    /// The default, when no option asks for structural symmetry.
    pub const BY_ITSELF: Self = Self {
        labels: 1_500,
        tied: 2_000,
        work: 12_000_000,
        tying: 4_000_000,
        wanted: WantedGroup::ContainsMore,
    };
    /// The default before a search that permutes values already, so that less is to be gained: some milliseconds. If events have to be fixed, a group that contains permutations of values cannot be found.
    #[must_use]
    pub fn beside_others(fixes_events: bool) -> Self {
        Self {
            work: 1_500_000,
            tying: 450_000,
            wanted: match fixes_events {
                true => WantedGroup::IsLarger,
                false => WantedGroup::ContainsMore,
            },
            ..Self::BY_ITSELF
        }
    }

    /// When an option or a view asks for structural symmetry.
    pub const ON_DEMAND: Self = Self {
        labels: usize::MAX,
        tied: 100_000,
        work: 8_000_000_000,
        tying: 60_000_000,
        wanted: WantedGroup::Any,
    };

    /// Before the states of a search leave memory: on disk, or shared by processes, they are not reduced any more.
    pub const BEFORE_LEAVING: Self = Self {
        wanted: Self::BY_ITSELF.wanted,
        ..Self::ON_DEMAND
    };

    /// When a group is wanted that contains the permutations in use, whether it contains more or not.
    pub const IN_USE_TOO: Self = Self {
        wanted: WantedGroup::Contains,
        ..Self::ON_DEMAND
    };

    /// When an option asks for structural symmetry, before the search: the search may need few nodes of a large
    /// specification, so it is not normalised completely yet.
    pub const DEMANDED_FIRST: Self = Self {
        tying: Self::BY_ITSELF.tying,
        ..Self::ON_DEMAND
    };

    /// The default for a later attempt, after a search of `searched` steps that has not ended. Less is to be gained if
    /// it permutes values.
    #[must_use]
    pub fn late(searched: u64, permutes: bool) -> Self {
        if permutes {
            return Self {
                tied: 20_000,
                work: (searched / 6).min(Self::ON_DEMAND.work),
                tying: (searched / 18).min(Self::ON_DEMAND.tying),
                ..Self::BY_ITSELF
            };
        }
        let part = |first: u64, most: u64, share: u64| (first + searched / share).min(most);
        Self {
            tied: 20_000,
            work: part(Self::BY_ITSELF.work, Self::ON_DEMAND.work, 2),
            tying: part(Self::BY_ITSELF.tying, Self::ON_DEMAND.tying, 6),
            ..Self::BY_ITSELF
        }
    }

    /// Whether a later attempt may put more work into the specification.
    #[must_use]
    pub fn may_tie_more(&self) -> bool {
        self.tying < Self::ON_DEMAND.tying
    }

    /// Steps of work of the check after which the next attempt is made, if the last one took `looked` steps without a
    /// result.
    #[must_use]
    pub fn again_after(looked: u64, permutes: bool) -> u64 {
        looked.saturating_mul(if permutes { 8 } else { 4 })
    }
}

/// Work between two polls of the clock.
const LOOK_EVERY: u64 = 1 << 16;

/// A search for structural symmetry in progress.
#[derive(Debug)]
pub struct Looking {
    /// The bounds.
    pub bounds: LookBounds,
    done: Cell<u64>,
    over: Cell<bool>,
    looked: Cell<u64>,
}

impl Looking {
    /// Starts counting work from zero.
    #[must_use]
    pub fn new(bounds: LookBounds) -> Self {
        Self {
            bounds,
            done: Cell::new(0),
            over: Cell::new(false),
            looked: Cell::new(0),
        }
    }

    /// Steps of work so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// Whether the bound was exceeded.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Ends the search as if the bound was exceeded.
    pub fn give_up(&self) {
        self.over.set(true);
    }

    /// Adds steps of work, done or about to be done.
    ///
    /// # Errors
    /// The bound is exceeded ([`Looking::is_over`]); a limit.
    pub fn work(&self, machine: &Machine, steps: usize) -> Result<()> {
        let done = self.done().saturating_add(steps as u64);
        self.done.set(done.min(self.bounds.work));
        if self.is_over() || done > self.bounds.work {
            self.over.set(true);
            let message = "looking for symmetry in the structure takes too much work";
            return Err(Box::new(Diagnostic::nowhere("E0706", message)));
        }
        if self.done() - self.looked.get() >= LOOK_EVERY {
            self.looked.set(self.done());
            machine.eval.reach(WorkStage::Looking, self.done() as usize);
            machine.eval.check_time()?;
        }
        Ok(())
    }
}

/// The result of a search, or `None` if its bound was exceeded.
///
/// # Errors
/// Any other error.
pub fn unless_over<T>(looking: &Looking, found: Result<Option<T>>) -> Result<Option<T>> {
    match found {
        Err(_) if looking.is_over() => Ok(None),
        other => other,
    }
}
