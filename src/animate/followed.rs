//! Runs that were found by a check and are now followed: where in one of them a person is.

use super::history::HistoryId;
use super::model::{Counterexample, Ending};

/// A run that is a branch of the history.
#[derive(Clone, Debug)]
pub struct FollowedRun {
    /// The run itself.
    pub path: Counterexample,
    /// The entries of the history with its states, the initial one first.
    pub entries: Vec<HistoryId>,
}

/// The place of the user in a run.
#[derive(Clone, Copy, Debug)]
pub struct PlaceInRun<'a> {
    /// The run.
    pub path: &'a Counterexample,
    /// The number of steps taken.
    pub steps: usize,
}

impl PlaceInRun<'_> {
    /// Whether it is the place of the violation.
    #[must_use]
    pub fn is_violation(&self) -> bool {
        self.path.ending != Ending::Performed && self.steps == self.path.steps.len()
    }

    /// The state of the specification, or that it has none since it does not allow the last event; nothing
    /// if there is no specification.
    #[must_use]
    pub fn specification(&self) -> Option<&str> {
        if self.path.initial_spec.is_empty() {
            return None;
        }
        let last = self
            .steps
            .checked_sub(1)
            .and_then(|at| self.path.steps.get(at));
        Some(match last {
            None => &self.path.initial_spec,
            Some(step) => step.spec.as_deref().unwrap_or("X does not allow this step"),
        })
    }

    /// Whether the specification does not allow the last event.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        let before = self.steps.checked_sub(1);
        let last = before.and_then(|at| self.path.steps.get(at));
        last.is_some_and(|step| step.spec.is_none())
    }
}

/// Finds an entry of the history in runs; in the last, if several have it.
#[must_use]
pub fn place_of(runs: &[FollowedRun], entry: HistoryId) -> Option<PlaceInRun<'_>> {
    runs.iter().rev().find_map(|run| {
        let steps = run.entries.iter().position(|known| *known == entry)?;
        let path = &run.path;
        Some(PlaceInRun { path, steps })
    })
}
