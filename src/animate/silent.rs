//! Silent steps taken together: the shortest way to a visible event.

use super::engine::ScriptEngine;
use super::history::TakenStep;
use super::model::{ComponentView, ErrorText, EventKind, StateId, VisibleWayStep};
use super::opened::AnimatedProcess;
use super::raw::WordedStep;
use crate::report::numbers::{natural, thousands};
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::IndexMap;

/// Largest number of states searched.
const STATES_MAX: usize = 50_000;

/// The result of a search for a visible event.
enum VisibleSearch {
    /// The states of the way, from the one after the first step on, and the step at its end.
    Found(Vec<StateId>, WordedStep),
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
    pub fn next_visible(&mut self, from: StateId) -> Result<Vec<VisibleWayStep>, ErrorText> {
        let none = |summary: String| Err(ErrorText::line(summary));
        match self.at(from, |open| open.search_visible(from))? {
            VisibleSearch::Found(states, last) => {
                self.at(from, |open| open.path_steps(from, &states, &last))
            }
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
        // Each state with the index of its predecessor.
        let mut seen: IndexMap<StateId, usize> = IndexMap::default();
        seen.insert(from, 0);
        let mut next = 0;
        while let Some((state, _)) = seen.get_index(next) {
            let state = *state;
            let steps = self.steps(state)?;
            let (silent, mut visible): (Vec<_>, Vec<_>) = steps
                .into_iter()
                .partition(|step| step.kind == EventKind::Tau);
            visible.sort_by(|a, b| natural(&a.event, &b.event));
            if let Some(last) = visible.into_iter().next() {
                let mut states = Vec::new();
                let mut at = next;
                // Index 0 is where the way begins.
                while let Some((state, before)) = seen.get_index(at).filter(|_| at > 0) {
                    states.push(*state);
                    at = *before;
                }
                states.reverse();
                return Ok(VisibleSearch::Found(states, last));
            }
            for step in silent {
                seen.entry(step.target).or_insert(next);
            }
            if seen.len() > STATES_MAX {
                return Ok(VisibleSearch::TooMany);
            }
            next += 1;
        }
        Ok(VisibleSearch::None(seen.len()))
    }

    /// The way as the history has it.
    fn path_steps(
        &mut self,
        from: StateId,
        states: &[StateId],
        last: &WordedStep,
    ) -> Checked<Vec<VisibleWayStep>> {
        let mut way = Vec::with_capacity(states.len() + 1);
        let mut at = from;
        for target in states {
            let steps = self.steps(at)?;
            let silent = |step: &&WordedStep| step.kind == EventKind::Tau && step.target == *target;
            let event = steps.iter().find(silent).map_or("", |step| &step.event);
            way.push(self.taken(EventKind::Tau, event, at, *target));
            at = *target;
        }
        way.push(self.taken(last.kind, &last.event, at, last.target));
        Ok(way)
    }

    fn taken(
        &mut self,
        kind: EventKind,
        event: &str,
        from: StateId,
        to: StateId,
    ) -> VisibleWayStep {
        let (before, after) = (self.components_of(from), self.components_of(to));
        let moved = |(at, now): (usize, &ComponentView)| {
            let same = before.get(at).is_some_and(|old| old.text == now.text);
            (!same).then(|| (now.label(), at))
        };
        let moved: Vec<(String, usize)> = after.iter().enumerate().filter_map(moved).collect();
        let movers = moved
            .into_iter()
            .map(|(label, at)| (label, after[at].text.as_str()));
        // The same words as in the history for a step that is taken alone.
        let taken = TakenStep::new(kind, event, movers);
        VisibleWayStep {
            kind,
            event: taken.event,
            movers: taken.movers,
            target: to,
        }
    }
}
