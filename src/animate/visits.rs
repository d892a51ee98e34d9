//! States and orbits that were visited, with their places in the history.

use super::history::{History, HistoryId};
use super::model::StateId;
use crate::source::hash::Map;

/// The states where the person was, and their orbits.
#[derive(Debug, Default)]
pub(super) struct Visits {
    /// The representative of the orbit of each of them.
    orbits: Map<StateId, StateId>,
    /// The first entries of each state and, by representative, of each orbit.
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

    /// Whether a state was visited.
    pub fn has(&self, state: StateId) -> bool {
        self.first.contains_key(&state)
    }

    /// The representative of the orbit of a visited state.
    pub fn orbit(&self, state: StateId) -> Option<StateId> {
        self.orbits.get(&state).copied()
    }

    /// Whether an orbit was visited.
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
        nearest(&|visited| visited == state && self.has(visited))
            .or_else(|| other(self.first.get(&state)))
            .or_else(|| nearest(&|visited| self.orbits.get(&visited) == Some(&orbit)))
            .or_else(|| other(self.first_of_orbit.get(&orbit)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::EventKind;
    use super::*;
    use crate::report::runs::TakenStep;

    fn state(number: u32) -> StateId {
        StateId::new(0, number)
    }

    /// A line of states, all of one orbit but the first; the person is at the end of it.
    #[test]
    fn the_nearest_entry_of_the_line_is_told() {
        let mut history = History::new("P", state(0));
        let mut visits = Visits::default();
        visits.record(state(0), state(0), history.current());
        let mut ids = vec![history.current()];
        for number in 1..5 {
            let taken = TakenStep::new(EventKind::Visible, "a", std::iter::empty());
            ids.push(history.step(taken, state(number)));
            visits.record(state(number), state(1), history.current());
        }
        // The state itself first, then the nearest of its orbit; never the present entry.
        assert_eq!(visits.nearest(&history, state(1), state(1)), Some(ids[1]));
        assert_eq!(visits.nearest(&history, state(4), state(1)), Some(ids[3]));
        assert_eq!(visits.nearest(&history, state(9), state(1)), Some(ids[3]));
        assert_eq!(visits.nearest(&history, state(0), state(0)), Some(ids[0]));
        assert_eq!(visits.nearest(&history, state(8), state(8)), None);
        // A state that is not on the line has the entry of its first visit.
        history.jump(ids[0]);
        let taken = TakenStep::new(EventKind::Visible, "b", std::iter::empty());
        history.step(taken, state(7));
        assert_eq!(visits.nearest(&history, state(9), state(1)), Some(ids[1]));
        assert!(visits.has(state(4)) && !visits.has(state(7)));
        assert!(visits.has_orbit(state(1)) && !visits.has_orbit(state(7)));
    }
}
