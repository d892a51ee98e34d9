//! What a search counts.

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Plies of the breadth-first search that were expanded as a whole.
    pub ply: usize,
    /// States stored.
    pub states: usize,
    /// Transitions found.
    pub transitions: u64,
    /// States not expanded yet.
    pub frontier: usize,
    /// Bytes of the store and the buffers.
    pub bytes: usize,
    /// Representatives that were taken of successors.
    pub representatives: u64,
    /// Of these, how many by something else than the strategy is named for.
    pub fallbacks: u64,
    /// Leaves of the searches for least images among them, at least one for each.
    pub leaves: u64,
    /// Of the representatives, how many are known to be what every state of their orbit leads to. None where
    /// the strategy does not tell, or where the specification holds values in an order that means nothing.
    pub unique: Option<u64>,
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
        self.transitions + Self::REPRESENTATIVE * self.representatives + Self::LEAF * self.leaves
    }
}

/// Steps of work that expanding a state takes in a search, and following one of its transitions, with so many components:
/// less than it really takes.
#[must_use]
pub fn search_work(states: u64, transitions: u64, components: usize) -> u64 {
    let each = 64 + components as u64;
    states.saturating_add(transitions).saturating_mul(each)
}
