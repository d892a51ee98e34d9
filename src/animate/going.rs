//! Going several steps at once: along a run that a check has found, or to the next visible event.

use super::followed::{FollowedRun, PlaceInRun, place_of};
use super::model::{Counterexample, StateId};
use super::session::Session;
use crate::report::runs::TakenStep;

impl Session {
    /// Takes several steps, one after the other, of which only the last state is shown.
    pub fn take_way(&mut self, way: &[(TakenStep, StateId)]) {
        for (taken, target) in way {
            self.last_event = Some(taken.event.clone()).filter(|event| !event.is_empty());
            self.history.step(taken.clone(), *target);
        }
        self.moved();
    }

    /// Adds the path of a counterexample as a branch and goes to its first state. `states` are those
    /// that [`super::engine::ScriptEngine::replay`] gave.
    pub fn load(&mut self, counterexample: &Counterexample, states: &[StateId]) {
        let Some((first, rest)) = states.split_first() else {
            return;
        };
        self.history.open(&counterexample.process, *first);
        let start = self.history.current();
        let mut entries = vec![start];
        for (step, state) in counterexample.steps.iter().zip(rest) {
            let taken = TakenStep::of(counterexample, step);
            entries.push(self.history.step(taken, *state));
        }
        let end = self.history.current();
        self.history.jump(end);
        let length = rest.len().min(counterexample.steps.len());
        // Back to where it begins: the first state is shown, and redo goes along the branch.
        self.history.undo(length);
        debug_assert_eq!(self.history.current(), start);
        if counterexample.is_of_assertion() {
            // The same run again has the same entries: it is kept once.
            self.runs.retain(|run| run.entries != entries);
            let path = counterexample.clone();
            self.runs.push(FollowedRun { path, entries });
        }
        self.moved();
    }

    /// Notes runs of counterexamples that are in the history already.
    pub fn load_all(&mut self, runs: &[(Counterexample, Vec<StateId>)]) {
        let here = self.history.current();
        for (counterexample, states) in runs {
            self.load(counterexample, states);
        }
        self.jump(here);
    }

    /// Goes to the first state of a run that was followed before, from where redoing leads along it; false if
    /// it was not.
    pub fn follow_again(&mut self, path: &Counterexample) -> bool {
        let Some(at) = self.runs.iter().position(|run| run.path == *path) else {
            return false;
        };
        // Several may begin with the same states: the last one counts.
        let run = self.runs.remove(at);
        let ends = run
            .entries
            .first()
            .copied()
            .zip(run.entries.last().copied());
        self.runs.push(run);
        let Some((first, last)) = ends else {
            return false;
        };
        self.jump(last);
        self.jump(first);
        true
    }

    /// The place of the user in a run that is followed.
    #[must_use]
    pub fn followed(&self) -> Option<PlaceInRun<'_>> {
        place_of(&self.runs, self.history.current())
    }
}
