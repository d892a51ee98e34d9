//! Runs that are followed on the networks that the animator has opened: those of a check by their states and events
//! themselves, those of a person or a file in words.

use super::engine::ScriptEngine;
use super::model::{ComponentView, Counterexample, Ending, ErrorText, EventKind, RunKeys, StateId};
use super::opened::{AnimatedProcess, Opening};
use super::raw::WordedStep;
use super::recorded::WalkParting;
use super::rewalk::traced;
use super::tracing::GivenStep;
use crate::machine::digests::Digest;
use crate::report::parted::{PartedText, compact};
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

/// The possible targets of a given step, each once.
fn given_targets(text: &str, steps: &[WordedStep]) -> Vec<StateId> {
    let given = GivenStep::new(text);
    let all = alike(steps, &given.event);
    match given.number {
        Some(number) => all.into_iter().skip(number.max(1) - 1).take(1).collect(),
        None => all,
    }
}

/// The targets of the steps with an event, in the order of the steps, each once.
fn alike(steps: &[WordedStep], event: &str) -> Vec<StateId> {
    let mut targets = Vec::new();
    for step in steps.iter().filter(|step| traced(&step.event) == event) {
        if !targets.contains(&step.target) {
            targets.push(step.target);
        }
    }
    targets
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
            let steps = self.at(from, |open| open.steps(from))?;
            let leads = steps.iter().filter(|step| step.target == to);
            let ways = leads.map(|step| {
                let event = traced(&step.event);
                let targets = alike(&steps, &event);
                let place = targets.iter().position(|target| *target == to);
                (targets.len(), event, place.unwrap_or(0) + 1)
            });
            // Best one that needs no number.
            let Some((number, event, place)) = ways.min_by_key(|(number, ..)| *number) else {
                return Err(ErrorText::line("a step of the run is not possible"));
            };
            trace.push(match number {
                1 => event.into(),
                _ => format!("{event}#{place}"),
            });
        }
        Ok(trace)
    }
}

impl ScriptEngine {
    /// Replays a run that a person or a file describes in words, of a process that is opened by this plan. Two
    /// states can look the same where texts are cut short, so all states that the steps may have led to are
    /// followed; the first run that reaches the end is the answer.
    pub(super) fn follow(
        &mut self,
        counterexample: &Counterexample,
        opening: &Opening,
    ) -> Result<Vec<StateId>, ErrorText> {
        let first = self.open_as(&counterexample.process, opening)?;
        // Breadth first. Each state has the index, in the ply before, of the one that it was first
        // reached from; the number of states of a ply is bounded by those that look alike.
        let mut plies = vec![vec![(first, 0)]];
        for n in 0..counterexample.steps.len() {
            let mut next: Vec<(StateId, usize)> = Vec::new();
            for (parent, (at, _)) in plies[n].clone().into_iter().enumerate() {
                for target in self.after_step(at, counterexample, n)? {
                    // One way to each state is enough, since the continuations depend on the state alone.
                    if next.iter().all(|known| known.0 != target) {
                        next.push((target, parent));
                    }
                }
            }
            if next.is_empty() {
                return Err(self.not_possible(plies[n][0].0, counterexample, n));
            }
            plies.push(next);
        }
        // Backwards from the states of the last ply that fit the end of the run. States with equal components under
        // other operators look the same, too.
        let mut parent = 0;
        if counterexample.ending == Ending::Deadlock {
            for (place, (state, _)) in plies[plies.len() - 1].iter().enumerate() {
                if self.at(*state, |open| open.steps(*state))?.is_empty() {
                    parent = place;
                    break;
                }
            }
        }
        let mut visited: Vec<StateId> = Vec::with_capacity(plies.len());
        for ply in plies.iter().rev() {
            let (state, before) = ply[parent];
            visited.push(state);
            parent = before;
        }
        visited.reverse();
        Ok(visited)
    }

    /// The states that step `n` of a counterexample may lead to.
    fn after_step(
        &mut self,
        at: StateId,
        counterexample: &Counterexample,
        n: usize,
    ) -> Result<Vec<StateId>, ErrorText> {
        let step = &counterexample.steps[n];
        // A user gives events alone, without kinds or components.
        let given = counterexample.is_given();
        if given {
            let steps = self.at(at, |open| open.steps(at))?;
            return Ok(given_targets(&step.event, &steps));
        }
        let mut targets = Vec::new();
        let (before, steps) = self.at(at, |open| Ok((open.components_of(at), open.steps(at)?)))?;
        for transition in &steps {
            let possible =
                compact(&transition.event) == compact(&step.event) && transition.kind == step.kind;
            // Before the components are put into words, which is the expensive part.
            if !possible {
                continue;
            }
            let to = transition.target;
            let after = self.at(to, |open| Ok(open.components_of(to)))?;
            if reaches(&step.changes, &before, &after) {
                targets.push(transition.target);
            }
        }
        Ok(targets)
    }

    fn not_possible(
        &mut self,
        at: StateId,
        counterexample: &Counterexample,
        n: usize,
    ) -> ErrorText {
        let what = counterexample.word();
        let event = &counterexample.steps[n].event;
        let summary = format!("step {} of the {what} ({event}) is not possible", n + 1);
        let mut detail = summary.clone();
        if let Ok(steps) = self.at(at, |open| open.steps(at)) {
            let enabled = steps.iter().map(|step| traced(&step.event)).collect();
            let parting = WalkParting::of(n, n + 1, event.to_string(), enabled);
            detail = format!("the {what} cannot be followed: {}", parting.text());
            // Hidden events are ordinary steps here, and have to be given.
            let silent = steps.iter().any(|step| step.kind == EventKind::Tau);
            if counterexample.is_given() && silent {
                detail += "; silent steps are steps of a trace, too: `orbitscope replay --mode events` finds them";
            }
        }
        ErrorText::new(summary, detail)
    }
}

/// Whether a step changes exactly the named components. The same event may be performed by other components, so
/// those that are not named must not change, unless the step leads to another number of components.
fn reaches(
    changes: &[(usize, PartedText)],
    before: &[ComponentView],
    after: &[ComponentView],
) -> bool {
    let named = |c: usize| changes.iter().find(|change| change.0 == c);
    let any = before.len() != after.len();
    changes.iter().all(|(c, _)| *c < after.len())
        && after.iter().enumerate().all(|(c, now)| match named(c) {
            Some((_, text)) => *text == now.text,
            None => any || before[c].text == now.text,
        })
}
