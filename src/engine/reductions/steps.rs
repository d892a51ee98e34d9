//! Pairs in unpacked form, and steps to them.

use super::sleep::SleepStep;
use crate::machine::network::Successor;
use crate::machine::{EventId, FormatId, LocalId};

/// An unpacked pair.
#[derive(Clone, Copy)]
pub struct RawPair<'a> {
    /// The node of the specification; zero without one.
    pub node: u32,
    /// The format of the state.
    pub format: FormatId,
    /// Its local states.
    pub locals: &'a [LocalId],
}

/// The target of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepTarget {
    pub(crate) event: EventId,
    /// The rule that fires.
    pub(crate) rule: u32,
    /// The node of the specification after it.
    pub(crate) node: u32,
    pub(crate) format: FormatId,
    pub(crate) locals: Vec<LocalId>,
    /// The properties of the step for sleep sets.
    pub(crate) sleep: SleepStep,
}

impl StepTarget {
    pub(crate) fn new(node: u32, successor: &Successor<'_>) -> Self {
        Self {
            event: successor.event,
            rule: successor.rule,
            node,
            format: successor.format,
            locals: successor.locals.to_vec(),
            sleep: SleepStep::of(successor),
        }
    }

    pub(crate) fn pair(&self) -> RawPair<'_> {
        RawPair {
            node: self.node,
            format: self.format,
            locals: &self.locals,
        }
    }
}
