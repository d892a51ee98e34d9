//! What is known of a step before it is taken.

use super::history::HistoryId;
use crate::report::parted::PartedText;

/// What taking a transition would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Label, local state before, local state after.
    pub movers: Vec<(String, PartedText, PartedText)>,
    /// How many components stay as they are.
    pub unchanged: usize,
    /// What is known of the target.
    pub target: Target,
    /// Where it was met, or another state of its orbit; not at the present entry.
    pub met: Option<HistoryId>,
}

/// What is known of the target of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// No state of its orbit was visited.
    New,
    /// A state of its orbit was visited.
    VisitedOrbit,
    /// The state itself was visited.
    VisitedState,
    /// It is the present state.
    Here,
    /// It is known to be deadlocked.
    Deadlock,
}
