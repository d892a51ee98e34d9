//! States by their numbers, and transitions: the basis of all other data on a state.

use crate::report::parted::PartedText;
use crate::report::runs::TakenStep;
use crate::report::words::{ComponentView, EventKind};

/// A state of the animator: its network, and its number there. Equal ids are equal states, and ids of different
/// processes differ, so data kept by them cannot be mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId {
    /// Numbers the networks that an engine has opened.
    pub network: u32,
    /// The number of the state in that network.
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
    /// The representative of the target's orbit, as `orbit` of `StateView`.
    pub orbit: StateId,
    /// Components that move: index, local state before, local state after.
    pub movers: Vec<(usize, PartedText, PartedText)>,
}

impl TransitionView {
    /// The label of the transition as a history records it, from a state with these components.
    #[must_use]
    pub fn taken(&self, components: &[ComponentView]) -> TakenStep {
        let movers = self.movers.iter().map(|(index, _, after)| {
            let who = components.get(*index).map(ComponentView::label);
            (who.unwrap_or_default(), after.as_str())
        });
        TakenStep::new(self.kind, &self.event, movers)
    }
}
