//! A run by its states and events themselves, so that what one machine found is followed in another
//! without a look at words: two states can look the same.

use super::engine::ScriptEngine;
use super::model::{Failure, StateId};
use super::opened::{Opened, Opening};
use crate::check::Check;
use crate::check::counterexample::{RawRun, RawStep};
use crate::check::plan::PlanKey;
use crate::check::product::Pair;
use crate::machine::digests::{Digest, Known};
use crate::source::diagnostic::Result as Checked;

/// What identifies the states and events of a run in every machine of its script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunKeys {
    /// How the process was checked.
    pub plan: PlanKey,
    /// The first state.
    pub initial: Digest,
    /// Of each step the event, before it was hidden, and the state that it leads to.
    pub steps: Vec<(Digest, Digest)>,
}

impl RunKeys {
    /// Of a run that a check has found.
    #[must_use]
    pub fn of(check: &mut Check, run: &RawRun) -> Self {
        let mut known = Known::default();
        let machine = &mut check.machine;
        let mut state = |pair: &Pair, known: &mut Known| machine.digest_state(&pair.locals, known);
        let initial = state(&run.initial, &mut known);
        let after: Vec<Digest> = run
            .steps
            .iter()
            .map(|s| state(&s.after, &mut known))
            .collect();
        let machine = &check.machine;
        let event = |step: &RawStep| machine.digest_event(step.shown, &mut known);
        let events: Vec<Digest> = run.steps.iter().map(event).collect();
        Self {
            plan: check.plan().clone(),
            initial,
            steps: events.into_iter().zip(after).collect(),
        }
    }
}

impl ScriptEngine {
    /// Follows a run from the initial state of its process, which is opened by a plan; gives the states
    /// met.
    ///
    /// # Errors
    /// Says which step could not be followed: then the process was opened as another network.
    pub(super) fn follow_keys(
        &mut self,
        process: &str,
        keys: &RunKeys,
        opening: &Opening,
    ) -> Result<Vec<StateId>, Failure> {
        let mut at = self.open_as(process, opening)?;
        let lost = |n: usize| {
            let summary = match n {
                0 => "the counterexample begins in another state".to_owned(),
                n => format!("step {n} of the counterexample is not possible"),
            };
            let detail = summary.clone();
            Failure { summary, detail }
        };
        if self.at(at, |open| Ok(open.digest(at)))? != keys.initial {
            return Err(lost(0));
        }
        let mut visited = vec![at];
        for (n, step) in keys.steps.iter().enumerate() {
            let next = self.at(at, |open| open.step_by(at, *step))?;
            at = next.ok_or_else(|| lost(n + 1))?;
            visited.push(at);
        }
        Ok(visited)
    }
}

impl Opened {
    /// What identifies a state.
    fn digest(&mut self, id: StateId) -> Digest {
        let (_, locals) = self.state(id);
        self.machine.digest_state(&locals, &mut self.digests)
    }

    /// Where the step with this event and this target leads, if there is one.
    fn step_by(
        &mut self,
        id: StateId,
        (event, target): (Digest, Digest),
    ) -> Checked<Option<StateId>> {
        let (format, _) = self.state(id);
        let (raw, _) = self.raw_transitions(id, usize::MAX)?;
        for step in raw {
            let rule = &self.network.formats[format.0 as usize].rules.list[step.rule as usize];
            let known = &mut self.digests;
            if self.machine.digest_event(rule.shown, known) == event
                && self.machine.digest_state(&step.target.1, known) == target
            {
                return Ok(Some(self.intern(step.target.0, &step.target.1)));
            }
        }
        Ok(None)
    }
}
