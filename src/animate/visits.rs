//! Where a person has met which state and which orbit.

use super::history::{History, HistoryId};
use super::model::StateId;
use crate::source::hash::Map;

/// The states where the person was, and their orbits.
#[derive(Debug, Default)]
pub(super) struct Visits {
    /// The state that stands for the orbit of each of them.
    orbits: Map<StateId, StateId>,
    /// The entries of the history where a state was met first, and an orbit, by the state that stands for
    /// it.
    first: Map<StateId, HistoryId>,
    first_of_orbit: Map<StateId, HistoryId>,
}

impl Visits {
    /// The person is at a state.
    pub fn record(&mut self, state: StateId, orbit: StateId, at: HistoryId) {
        self.orbits.insert(state, orbit);
        self.first.entry(state).or_insert(at);
        self.first_of_orbit.entry(orbit).or_insert(at);
    }

    /// Whether the person was at a state.
    pub fn has(&self, state: StateId) -> bool {
        self.first.contains_key(&state)
    }

    /// Whether the person was at a state of an orbit.
    pub fn has_orbit(&self, orbit: StateId) -> bool {
        self.first_of_orbit.contains_key(&orbit)
    }

    /// An entry with a state, or with one of its orbit: the nearest one of the present line, which the
    /// person sees; otherwise the first that there was.
    pub fn nearest(&self, history: &History, state: StateId, orbit: StateId) -> Option<HistoryId> {
        let here = history.current();
        let line = history.line();
        let depth = line.iter().position(|id| *id == here).unwrap_or(0);
        let nearest = |holds: &dyn Fn(StateId) -> bool| {
            let found = line.iter().enumerate().filter(|(_, id)| {
                // The present entry is no other one.
                **id != here && holds(history.node(**id).state)
            });
            found
                .min_by_key(|(at, _)| at.abs_diff(depth))
                .map(|(_, id)| *id)
        };
        let other = |first: Option<&HistoryId>| first.copied().filter(|id| *id != here);
        nearest(&|met| met == state && self.has(met))
            .or_else(|| other(self.first.get(&state)))
            .or_else(|| nearest(&|met| self.orbits.get(&met) == Some(&orbit)))
            .or_else(|| other(self.first_of_orbit.get(&orbit)))
    }
}
