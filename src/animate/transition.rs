//! A state by its number, and a transition: what everything else that is told of a state is made of.

use crate::report::parted::PartedText;
use crate::report::words::EventKind;

/// A state that the animator has met: the network that it is of, and its number there. Equal ids are
/// equal states; whatever is kept by them cannot be taken for what another process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId {
    /// Numbers the networks that an engine has opened.
    pub network: u32,
    /// Numbers the states of that network.
    pub number: u32,
}

impl StateId {
    /// A state of a network.
    #[must_use]
    pub fn new(network: u32, number: u32) -> Self {
        Self { network, number }
    }
}

/// A transition of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionView {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event; for τ the event that was hidden, as `initNode.T1.N0.A.N4`, or empty.
    pub event: PartedText,
    /// The state that it leads to.
    pub target: StateId,
    /// Of the target's orbit, the one state that stands for all, as `orbit` of `StateView`.
    pub orbit: StateId,
    /// Components that move: index, local state before, local state after.
    pub movers: Vec<(usize, PartedText, PartedText)>,
}

/// A step of a way that is taken as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleWayStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event, as in a transition.
    pub event: String,
    /// Who moved, where there is no event to tell.
    pub movers: String,
    /// The state that it leads to.
    pub target: StateId,
}
