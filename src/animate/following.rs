//! Runs of checks that are followed on the networks that the animator has opened, by their states and events
//! themselves.

use super::engine::ScriptEngine;
use super::model::{ErrorText, EventKind, RunKeys, StateId};
use super::opened::{AnimatedProcess, Opening};
use crate::machine::digests::Digest;
use crate::report::follow::{PossibleStep, Replayable, targets_of};
use crate::report::runs::SILENT;
use crate::source::WorkStage;
use crate::source::diagnostic::Result as Checked;

impl ScriptEngine {
    /// Replays a run from the initial state of its process, which is opened by a plan. Returns the states of the
    /// run.
    ///
    /// # Errors
    /// Says which step could not be followed: then the process was opened as another network.
    pub(super) fn follow_keys(
        &mut self,
        process: &str,
        keys: &RunKeys,
        opening: &Opening,
    ) -> Result<Vec<StateId>, ErrorText> {
        let mut at = self.open_as(process, opening)?;
        let lost = |n: usize| match n {
            0 => ErrorText::line("the counterexample begins in another state"),
            n => ErrorText::line(format!("step {n} of the counterexample is not possible")),
        };
        // Another network than that of the check: no step needs to be tried.
        if self.at(at, |open| Ok(open.digest(at)))? != keys.initial {
            return Err(lost(0));
        }
        let mut visited = vec![at];
        for (n, step) in keys.steps.iter().enumerate() {
            self.budget.cancel.reach(WorkStage::Replaying, n);
            let next = self.at(at, |open| open.step_by(at, *step))?;
            at = next.ok_or_else(|| lost(n + 1))?;
            visited.push(at);
        }
        Ok(visited)
    }
}

impl AnimatedProcess {
    /// The digest that identifies a state.
    fn digest(&mut self, id: StateId) -> Digest {
        let (format, locals) = self.state(id);
        self.machine
            .digest_state((&self.network, format), &locals, &mut self.digests)
    }

    /// The target of the step with this event and digest, if there is one.
    fn step_by(
        &mut self,
        id: StateId,
        (event, target): (Digest, Digest),
    ) -> Checked<Option<StateId>> {
        let (format, _) = self.state(id);
        // The whole list, although a list on the screen would be cut: the step may be any of them.
        let (raw, _) = self.raw_transitions(id, usize::MAX)?;
        for step in raw {
            let rule = self.network.format(format).rules().rule(step.rule);
            let known = &mut self.digests;
            // The event is cheap to look up and rules most steps out.
            if self.machine.digest_event(rule.shown, known) != event {
                continue;
            }
            let (format, locals) = &step.target;
            let of_network = (&self.network, *format);
            if self.machine.digest_state(of_network, locals, known) == target {
                return Ok(Some(self.intern(*format, locals)));
            }
        }
        Ok(None)
    }
}

impl ScriptEngine {
    /// The trace of a run through these states, made so that it leads to the last of them and to no other: a step
    /// that is not the only one with its event has a number.
    ///
    /// # Errors
    /// An evaluation error, or a state that no step leads to from the one before.
    pub fn trace_through(&mut self, states: &[StateId]) -> Result<Vec<String>, ErrorText> {
        let mut trace = Vec::with_capacity(states.len());
        for pair in states.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let steps = self.at(from, |open| open.possible_steps(&from))?;
            let leads = steps.iter().filter(|step| step.target == to);
            let ways = leads.map(|step| {
                let event = &*step.taken.event;
                let is_silent = step.taken.kind == EventKind::Tau && !event.is_empty();
                let like = |other: &PossibleStep<_>| {
                    let is_like = !is_silent || other.taken.kind == EventKind::Tau;
                    other.event == step.event && is_like
                };
                let targets = targets_of(&steps, like);
                let place = targets.iter().position(|target| *target == to);
                let event = match event {
                    "" => SILENT.to_owned(),
                    event if is_silent => format!("{SILENT} ({event})"),
                    event => event.to_owned(),
                };
                (targets.len(), event, place.unwrap_or(0) + 1)
            });
            // Best one that needs no number.
            let Some((number, event, place)) = ways.min_by_key(|(number, ..)| *number) else {
                return Err(ErrorText::line("a step of the run is not possible"));
            };
            trace.push(match number {
                1 => event,
                _ => format!("{event}#{place}"),
            });
        }
        Ok(trace)
    }
}
