//! Counters of a search.

use std::ops::AddAssign;
use std::time::Duration;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::source::Stop;

/// Counters of the steps of expanded states. A reduction of steps adds its own counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepCounts {
    /// Transitions found.
    pub transitions: u64,
    /// Representatives computed for successors.
    pub representatives: u64,
    /// Of these, those by a fallback of the strategy.
    pub fallbacks: u64,
    /// Leaves of the searches for least images, at least one for each
    /// ([`Representative::leaves`](crate::symmetry::Representative::leaves)).
    pub leaves: u64,
    /// Steps that sleep sets left out ([`crate::reductions::sleep`]).
    pub slept: u64,
    /// Steps that state symmetry left out ([`super::state_symmetry`]).
    pub alike: u64,
    /// Steps that partial order reduction left out.
    pub left_out: u64,
    /// States that it skipped without storing them.
    pub skipped: u64,
    /// Transitions of states without a search for a stubborn set ([`crate::reductions::partial_order::Looks`]).
    pub unlooked: u64,
}

impl AddAssign for StepCounts {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        let Self {
            transitions,
            representatives,
            fallbacks,
            leaves,
            slept,
            alike,
            left_out,
            skipped,
            unlooked,
        } = other;
        // One by one, and only if not zero: otherwise compilers combine pairs of reads, and the processor stalls on a
        // read of what was just written in two pieces.
        let add = |sum: &mut u64, count: u64| {
            if count > 0 {
                *sum += count;
            }
        };
        add(&mut self.transitions, transitions);
        add(&mut self.representatives, representatives);
        add(&mut self.fallbacks, fallbacks);
        add(&mut self.leaves, leaves);
        add(&mut self.slept, slept);
        add(&mut self.alike, alike);
        add(&mut self.left_out, left_out);
        add(&mut self.skipped, skipped);
        add(&mut self.unlooked, unlooked);
    }
}

/// What the files of a search on disk come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskFigures {
    /// Their bytes.
    pub bytes: u64,
    /// Keys that were looked up in them: those that neither the tables nor the filter settled.
    pub looked_up: u64,
    /// Time since the last commit, if there was one.
    pub committed: Option<Duration>,
    /// What runs before this one came to, if the search goes on where it was interrupted.
    pub before: RunCounts,
}

/// What some runs of a search came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// States stored.
    pub states: u64,
    /// Transitions found.
    pub transitions: u64,
    /// Representatives computed.
    pub representatives: u64,
}

/// What the processes of a search have exchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessFigures {
    /// Their number.
    pub processes: usize,
    /// Bytes that the first one has sent to the others.
    pub sent: u64,
    /// Seconds that it has waited for them.
    pub waited: f64,
}

/// States and transitions of the unreduced system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Represented {
    /// Pairs `(p, q)`.
    pub states: BigUint,
    /// Transitions.
    pub transitions: BigUint,
}

/// The result of counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The sum over all stored pairs.
    Exactly(Represented),
    /// Some stabiliser is unknown.
    Unknown,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// Progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Depths of the breadth-first search that were expanded completely.
    pub ply: usize,
    /// States stored.
    pub states: usize,
    /// Counters of the steps of expanded states.
    pub steps: StepCounts,
    /// States not expanded yet.
    pub frontier: usize,
    /// Bytes of the store and the buffers.
    pub bytes: usize,
    /// Representatives known to be the unique ones of their orbits. `None` if the strategy does not tell, or if the
    /// specification holds values in an arbitrary order.
    pub unique: Option<u64>,
    /// Backs of keys stored once for several states ([`super::store`]); `None` if no keys are collapsed.
    pub ends: Option<usize>,
    /// Stored states that were not reached: another one of their orbit was.
    pub unreached: usize,
    /// What the files of a search on disk come to; `None` in memory.
    pub disk: Option<DiskFigures>,
    /// What several processes have exchanged; `None` for one.
    pub processes: Option<ProcessFigures>,
}

impl Figures {
    /// Transitions that take about as long as a representative.
    const REPRESENTATIVE: u64 = 4;
    /// Transitions that take about as long as a leaf in the search for a least image.
    pub const LEAF: u64 = 16;

    /// Steps of work of a search: its transitions, and the cost of its representatives.
    #[must_use]
    pub fn work(&self) -> u64 {
        let steps = &self.steps;
        steps.transitions + Self::REPRESENTATIVE * steps.representatives + Self::LEAF * steps.leaves
    }
}

/// A lower bound on the steps of work of expanding states and following transitions, with this number of components.
#[must_use]
pub fn search_work(states: u64, transitions: u64, components: usize) -> u64 {
    let each = 64 + components as u64;
    states.saturating_add(transitions).saturating_mul(each)
}
