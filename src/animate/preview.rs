//! Previews of steps: the facts known before a step is taken.

use super::history::HistoryId;
use crate::report::parted::PartedText;

/// The effect of taking a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Label, local state before, local state after.
    pub movers: Vec<(String, PartedText, PartedText)>,
    /// The number of components that stay as they are.
    pub unchanged: usize,
    /// The kind of target.
    pub target: Target,
    /// The entry where it was visited, or another state of its orbit; not the present entry.
    pub visited: Option<HistoryId>,
}

/// The kind of a transition's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// No state of its orbit was visited.
    New,
    /// A state of its orbit was visited.
    VisitedOrbit,
    /// The state itself was visited.
    VisitedState,
    /// The present state.
    Here,
    /// A known deadlock.
    Deadlock,
}
