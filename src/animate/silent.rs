//! Silent steps taken together: the shortest way to a visible event.

use super::engine::ScriptEngine;
use super::model::{ErrorText, EventKind, StateId};
use super::opened::AnimatedProcess;
use crate::report::follow::Replayable;
use crate::report::numbers::{natural, thousands};
use crate::report::runs::TakenStep;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::IndexMap;

/// Largest number of states searched.
const STATES_MAX: usize = 50_000;

/// The result of a search for a visible event.
enum VisibleSearch {
    /// The steps of the way, the visible one last, with their states.
    Found(Vec<(TakenStep, StateId)>),
    /// None: all states that silent steps lead to were searched.
    None(usize),
    /// There were too many.
    TooMany,
}

impl ScriptEngine {
    /// The fewest silent steps after which a visible event is possible, and that event.
    ///
    /// # Errors
    /// There is no visible event, or none was found.
    pub fn next_visible(&mut self, from: StateId) -> Result<Vec<(TakenStep, StateId)>, ErrorText> {
        let none = |summary: String| Err(ErrorText::line(summary));
        match self.at(from, |open| open.search_visible(from))? {
            VisibleSearch::Found(way) => Ok(way),
            VisibleSearch::None(0 | 1) => {
                none("no visible event is possible, and no silent step".to_owned())
            }
            VisibleSearch::None(states) => none(format!(
                "no visible event can follow: silent steps lead to {} states, and none of them offers one",
                thousands(states as u128)
            )),
            VisibleSearch::TooMany => none(format!(
                "no visible event was found within {} states",
                thousands(STATES_MAX as u128)
            )),
        }
    }
}

impl AnimatedProcess {
    /// Breadth first along silent steps.
    fn search_visible(&mut self, from: StateId) -> Checked<VisibleSearch> {
        // Each state with the index of its predecessor, and the step from there.
        let mut seen: IndexMap<StateId, (usize, TakenStep)> = IndexMap::default();
        seen.insert(from, (0, TakenStep::default()));
        let mut next = 0;
        while let Some((state, _)) = seen.get_index(next) {
            let state = *state;
            let steps = self.possible_steps(&state)?;
            let (silent, mut visible): (Vec<_>, Vec<_>) = steps
                .into_iter()
                .partition(|step| step.taken.kind == EventKind::Tau);
            visible.sort_by(|a, b| natural(&a.taken.event, &b.taken.event));
            if let Some(last) = visible.into_iter().next() {
                let mut way = vec![(last.taken, last.target)];
                let mut at = next;
                // Index 0 is where the way begins.
                while let Some((state, (before, taken))) = seen.get_index(at).filter(|_| at > 0) {
                    way.push((taken.clone(), *state));
                    at = *before;
                }
                way.reverse();
                return Ok(VisibleSearch::Found(way));
            }
            for step in silent {
                seen.entry(step.target).or_insert((next, step.taken));
            }
            if seen.len() > STATES_MAX {
                return Ok(VisibleSearch::TooMany);
            }
            next += 1;
        }
        Ok(VisibleSearch::None(seen.len()))
    }
}
