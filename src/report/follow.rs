//! Replay of a described run on the unreduced system: a file is believed only if its run can be followed.

use super::counterexamples::{changes, ending};
use super::outcome::{Counterexample, CounterexampleStep, Ending};
use super::words::{self, EventKind, WordCache};
use crate::check::Check;
use crate::check::outcome::{RawCounterexample, RunEnding};
use crate::search::counterexample::{RawRun, RawStep, steps_from, violation_of};
use crate::search::product::{ProductState, Violation};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;

/// The error of a counterexample that does not come about.
pub(super) fn does_not_replay(why: impl Into<String>) -> Box<Diagnostic> {
    let message = "the saved counterexample does not come about in this script";
    Box::new(Diagnostic::nowhere("E0812", message).note(why.into()))
}

/// Follows the run of a counterexample to its end, and verifies the violation there.
///
/// # Errors
/// The run cannot be followed as described; limits and evaluation errors.
pub(super) fn follow(check: &mut Check, described: &Counterexample) -> Result<RawCounterexample> {
    let words = WordCache::default();
    Follower { check, words }.follow(described)
}

/// A search for the runs that fit a description in words.
struct Follower<'a> {
    check: &'a mut Check,
    words: WordCache,
}

/// A state that a run may have led to, with the step to it and the place in the layer before.
struct FollowedState {
    at: ProductState,
    came: Option<(usize, RawStep)>,
}

impl Follower<'_> {
    /// Follows the run. States can look the same where texts are cut short: all states that a step may have led to
    /// are followed, and the first run with the described violation at its end is the answer.
    fn follow(&mut self, described: &Counterexample) -> Result<RawCounterexample> {
        let initial = self.begins(described)?;
        let start = FollowedState {
            at: initial.clone(),
            came: None,
        };
        // Layer n holds the states that the first n steps may have led to.
        let mut layers = vec![vec![start]];
        for (n, step) in described.steps.iter().chain(&described.further).enumerate() {
            let next = self.step(&layers[n], step)?;
            if next.is_empty() {
                let event = match &*step.event {
                    "" => "tau",
                    event => event,
                };
                let why = format!("step {} ({event}) is not possible as told", n + 1);
                return Err(does_not_replay(why));
            }
            layers.push(next);
        }
        let mut wrong = None;
        for place in 0..layers[layers.len() - 1].len() {
            let mut steps = steps_to(&layers, place);
            let further = steps.split_off(described.steps.len());
            let run = RawRun {
                initial: initial.clone(),
                steps,
            };
            match self.ends(&described.ending, &run, &further) {
                Ok(ending) => {
                    return Ok(RawCounterexample {
                        ending,
                        run,
                        further,
                    });
                }
                Err(error) => wrong = Some(error),
            }
        }
        Err(wrong.unwrap_or_else(|| does_not_replay("it leads nowhere")))
    }

    fn begins(&mut self, described: &Counterexample) -> Result<ProductState> {
        let initial = self.check.initial();
        let machine = &mut self.check.machine;
        let locals = initial.locals.iter();
        let texts: Vec<_> = locals.map(|l| self.words.text(machine, *l)).collect();
        if texts == described.initial {
            Ok(initial)
        } else {
            Err(does_not_replay("the process begins in another state"))
        }
    }

    /// The states that a step may lead to.
    fn step(
        &mut self,
        layer: &[FollowedState],
        described: &CounterexampleStep,
    ) -> Result<Vec<FollowedState>> {
        self.check.machine.eval.check_time()?;
        let mut next: Vec<FollowedState> = Vec::new();
        for (place, FollowedState { at, .. }) in layer.iter().enumerate() {
            for step in steps_from(&mut self.check.sides(), at)? {
                // The continuations depend on the state alone, so one way to it is enough.
                let known = |p: &FollowedState| p.at == step.after;
                if self.is(described, at, &step) && !next.iter().any(known) {
                    let at = step.after.clone();
                    let came = Some((place, step));
                    next.push(FollowedState { at, came });
                }
            }
        }
        Ok(next)
    }

    fn is(
        &mut self,
        described: &CounterexampleStep,
        before: &ProductState,
        step: &RawStep,
    ) -> bool {
        let followed = step.allowed && self.check.specification.is_some();
        // Compared as texts: the numbers of events and states were those of another machine.
        if words::kind(step.event) != described.kind
            || words::shown(&self.check.machine, step.shown) != described.event
            || followed != described.spec.is_some()
        {
            return false;
        }
        let machine = &mut self.check.machine;
        changes(machine, &mut self.words, before, step) == described.changes
    }

    /// Whether the described end is true of this run.
    fn ends(&mut self, described: &Ending, run: &RawRun, further: &[RawStep]) -> Result<RunEnding> {
        let wrong = || does_not_replay("at the end nothing is wrong as told");
        let (last, before) = match run.steps.split_last() {
            Some((last, before)) => (Some(last), before),
            None => (None, &[][..]),
        };
        // After an event that it refuses the specification is nowhere: only the last may be such.
        if before.iter().any(|step| !step.allowed) {
            return Err(wrong());
        }
        if let Some(last) = last
            && !last.allowed
        {
            return match described {
                Ending::Refused { .. } => Ok(RunEnding::Refused),
                _ => Err(wrong()),
            };
        }
        if let Some(answer) = self.check.trace_answer()? {
            // The trace is decided again: the run alone does not show whether the process has it.
            return if ending(self.check, &answer, &Vec::new())? == *described
                && answer.run.end() == run.end()
            {
                Ok(answer.ending)
            } else {
                Err(wrong())
            };
        }
        // Before the search for the violation at the end: a state on a loop of τ need not have one.
        if let Ending::Divergence { lap, laps } = *described {
            return if self.check.divergence_counts() && returns(run, further, lap, laps) {
                Ok(RunEnding::Divergence { lap, laps })
            } else {
                Err(wrong())
            };
        }
        let end = last.map_or(&run.initial, |step| &step.after);
        let violation = violation_of(&mut self.check.sides(), end)?;
        // The kind alone: its sets of events are texts for people, and are made anew.
        match (violation, described) {
            (Some(Violation::Deadlock), Ending::Deadlock) => Ok(RunEnding::Deadlock),
            (Some(Violation::Refusal), Ending::Refusal { .. }) => Ok(RunEnding::Refusal),
            (Some(Violation::Revival(_)), Ending::Revival { .. }) => Ok(RunEnding::Revival),
            (Some(Violation::Ambiguity(_)), Ending::Ambiguity { .. }) => Ok(RunEnding::Ambiguity),
            _ => Err(wrong()),
        }
    }
}

/// The steps to a place of the last layer.
fn steps_to(layers: &[Vec<FollowedState>], place: usize) -> Vec<RawStep> {
    let mut steps = Vec::with_capacity(layers.len());
    let mut place = place;
    for layer in layers.iter().rev() {
        if let Some((before, step)) = &layer[place].came {
            steps.push(step.clone());
            place = *before;
        }
    }
    steps.reverse();
    steps
}

/// Whether the last steps are a loop of τ that returns to its beginning.
fn returns(run: &RawRun, further: &[RawStep], lap: usize, laps: usize) -> bool {
    // `lap` and `laps` come from a file: they may be any numbers.
    let Some(door) = run.steps.len().checked_sub(lap) else {
        return false;
    };
    let start = match door {
        0 => &run.initial,
        n => &run.steps[n - 1].after,
    };
    let looped: Vec<&RawStep> = run.steps[door..].iter().chain(further).collect();
    let quiet = |step: &&RawStep| words::kind(step.event) == EventKind::Tau;
    let whole = lap.checked_mul(laps) == Some(looped.len());
    whole && looped.iter().all(quiet) && looped.last().is_some_and(|s| s.after == *start)
}
