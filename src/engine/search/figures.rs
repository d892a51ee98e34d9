//! What a search counts.

use std::ops::AddAssign;

/// Counters of the steps of expanded states. A reduction that leaves out steps adds one of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Transitions found.
    pub transitions: u64,
    /// Representatives that were taken of successors.
    pub representatives: u64,
    /// Of these, how many by something else than the strategy is named for.
    pub fallbacks: u64,
    /// Leaves of the searches for least images among them, at least one for each
    /// ([`Representative::leaves`](crate::symmetry::Representative::leaves)).
    pub leaves: u64,
    /// Steps that were not followed, as where they lead is met from another state ([`crate::reductions::sleep`]).
    pub slept: u64,
    /// Steps that state symmetry left out ([`super::state_symmetry`]).
    pub alike: u64,
    /// Steps that partial order reduction left out.
    pub left_out: u64,
    /// States that it passed without storing them.
    pub passed: u64,
    /// Transitions of the states of which it did not look what can be left out ([`crate::reductions::partial_order::Looks`]).
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
            passed,
            unlooked,
        } = other;
        // One by one, and only what is not zero: else compilers read them in pairs, and a processor waits for its memory
        // if what it has just written in two pieces is read in one.
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
        add(&mut self.passed, passed);
        add(&mut self.unlooked, unlooked);
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Plies of the breadth-first search that were expanded as a whole.
    pub ply: usize,
    /// States stored.
    pub states: usize,
    /// What the steps of the expanded states came to.
    pub steps: StepCounts,
    /// States not expanded yet.
    pub frontier: usize,
    /// Bytes of the store and the buffers.
    pub bytes: usize,
    /// Of the representatives, how many are known to be what every state of their orbit leads to. None where
    /// the strategy does not tell, or where the specification holds values in an order that means nothing.
    pub unique: Option<u64>,
    /// Ends of stored states that stand once each, wherever several states end with one ([`super::store`]); none where
    /// all stand in full.
    pub ends: Option<usize>,
    /// Of the states stored, how many are only remembered: another one of their orbit was reached.
    pub beside: usize,
}

impl Figures {
    /// Transitions that take about as long as a representative.
    const REPRESENTATIVE: u64 = 4;
    /// Transitions that take about as long as a search for the least image takes to come to a leaf.
    pub const LEAF: u64 = 16;

    /// Steps of work of a search: its transitions, and what its representatives took.
    #[must_use]
    pub fn work(&self) -> u64 {
        let steps = &self.steps;
        steps.transitions + Self::REPRESENTATIVE * steps.representatives + Self::LEAF * steps.leaves
    }
}

/// Steps of work that expanding a state takes in a search, and following one of its transitions, with so many components:
/// less than it really takes.
#[must_use]
pub fn search_work(states: u64, transitions: u64, components: usize) -> u64 {
    let each = 64 + components as u64;
    states.saturating_add(transitions).saturating_mul(each)
}
