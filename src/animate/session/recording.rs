//! A session as plain data, and a session that goes on from such data.

use super::{History, Session, StateView};
use crate::history::{HistoryId, Origin};
use crate::replayed::{StepDetails, StepQuery, TraceRun};
use crate::report::runs::{RecordedRun, fingerprint};

impl Session {
    /// A session that goes on in a history.
    #[must_use]
    pub fn resumed(history: History, seed: u64) -> Self {
        let state = history.here().state;
        let mut session = Self::new("", state, seed);
        session.history = history;
        session
    }

    /// Adds a trace that was followed as a branch, and goes to its end.
    pub fn walk_along(&mut self, process: &str, run: &TraceRun) {
        let Some(first) = run.first else { return };
        self.history.open(process, first);
        for (taken, state) in &run.steps {
            self.history.step(taken.clone(), *state);
        }
        self.moved();
    }

    /// Notes the fingerprint of a state, as long as its view is cached.
    pub(super) fn note_print(&mut self, view: &StateView) {
        let print = || fingerprint(view.components.iter().map(|c| &*c.text));
        self.prints.entry(view.id).or_insert_with(print);
    }

    /// The whole walk, with the known details of its steps.
    #[must_use]
    pub fn record(&self) -> RecordedRun {
        self.history.record(|id| {
            if let Some(details) = self.details.get(&id) {
                return (details.choice, Some(details.state.clone()));
            }
            let state = self.history.node(id).state;
            (None, self.prints.get(&state).cloned())
        })
    }

    /// The steps of which a record has to know more, by their entries.
    #[must_use]
    pub fn without_details(&self) -> (Vec<HistoryId>, Vec<StepQuery>) {
        let ids = self
            .history
            .ids()
            .filter(|id| !self.details.contains_key(id));
        let asked = ids.filter_map(|id| {
            let node = self.history.node(id);
            let (Origin::Step(taken), Some(parent)) = (&node.origin, node.parent) else {
                return None;
            };
            let step = StepQuery {
                from: self.history.node(parent).state,
                taken: taken.clone(),
                to: node.state,
            };
            Some((id, step))
        });
        asked.unzip()
    }

    /// Notes more of steps.
    pub fn learn_steps(&mut self, ids: &[HistoryId], details: Vec<StepDetails>) {
        self.details.extend(ids.iter().copied().zip(details));
    }
}
