//! Replay of runs on the networks that the animator has opened, and the details of steps that a record needs.

use super::engine::ScriptEngine;
use super::model::{ErrorText, StateId};
use super::opened::{AnimatedProcess, Opening};
use super::replayed::{Place, Rewalked, StepDetails, StepQuery, WalkParting};
use crate::check::Options;
use crate::report::follow::{
    CounterexampleVerifier, PossibleStep, ReplayMode, Replayable, matching, targets_of,
};
use crate::report::runs::{RecordedEntry, RecordedRun, RecordedStep, TakenStep, traced};
use crate::report::words;
use crate::source::WorkStage;
use crate::source::diagnostic::Result as Checked;

impl Replayable for AnimatedProcess {
    type State = StateId;

    fn possible_steps(&mut self, at: &StateId) -> Checked<Vec<PossibleStep<StateId>>> {
        let (format, _) = self.state(*at);
        let (raw, _) = self.raw_transitions(*at, usize::MAX)?;
        let mut steps = Vec::with_capacity(raw.len());
        for step in raw {
            let rule = self.network.format(format).rules().rule(step.rule);
            let (parts, shown) = (rule.parts.clone(), rule.shown);
            let event = words::shown(&self.machine, shown);
            let (machine, network) = (&mut self.machine, &self.network);
            let after = &step.target.1;
            let movers = (self.words).movers(machine, network, &event, format, &parts, after);
            let movers = movers.iter().map(|(who, to)| (who.clone(), to.as_str()));
            steps.push(PossibleStep {
                taken: TakenStep::new(words::kind(step.event), &event, movers),
                event: traced(&event),
                target: self.intern(step.target.0, &step.target.1),
            });
        }
        Ok(steps)
    }

    fn fingerprint(&mut self, state: &StateId) -> String {
        let (_, locals) = self.state(*state);
        self.words.fingerprint(&mut self.machine, &locals)
    }
}

impl ScriptEngine {
    /// Describes steps that were taken, for the record of a walk.
    ///
    /// # Errors
    /// The errors of [`Self::view`].
    pub fn step_details(&mut self, asked: &[StepQuery]) -> Result<Vec<StepDetails>, ErrorText> {
        let mut details = Vec::with_capacity(asked.len());
        for step in asked {
            let wanted = RecordedStep::new(step.taken.clone(), None);
            let steps = self.at(step.from, |open| open.possible_steps(&step.from))?;
            let all = targets_of(&steps, |other| {
                other.taken.kind == wanted.kind && other.event == wanted.traced()
            });
            let place = all.iter().position(|target| *target == step.to);
            details.push(StepDetails {
                choice: place.filter(|_| all.len() > 1).map(|n| n + 1),
                state: self.at(step.to, |open| Ok(open.fingerprint(&step.to)))?,
            });
        }
        Ok(details)
    }

    /// Verifies the counterexamples of a run. Their paths are then those of the checks, in the networks of these.
    fn verify_all(&mut self, run: &RecordedRun, found: &mut Rewalked) {
        let options = Options {
            limits: self.budget.limits.clone(),
            ..Options::default()
        };
        let cancel = self.budget.cancel.clone();
        let mut verifier = CounterexampleVerifier::new(self.loaded(), options, &cancel);
        let all = 1..=run.counterexamples.len();
        let all: Vec<_> = all.map(|number| verifier.verify(run, number)).collect();
        for (claim, verified) in run.counterexamples.iter().zip(all) {
            let verified = verified.map_err(|error| {
                let notes = error.notes.join("; ");
                format!("{}: {notes}", error.message)
            });
            let states = verified.and_then(|(_, counterexample)| {
                let states = self.replay(&counterexample);
                let states = states.map_err(|failure| failure.summary)?;
                Ok((counterexample, states))
            });
            match states {
                Ok((counterexample, states)) => {
                    let steps = counterexample.steps.iter();
                    let taken = steps.map(|step| Some(TakenStep::of(&counterexample, step)));
                    let taken = [None].into_iter().chain(taken);
                    let path = run.path_to(claim.end).into_iter();
                    for (entry, (state, taken)) in path.zip(states.iter().zip(taken)) {
                        let state = *state;
                        found.places[entry] = Some(Place { state, taken });
                    }
                    found.counterexamples.push((counterexample, states));
                }
                Err(why) => found
                    .unverified
                    .push(format!("Not a counterexample of {}: {why}.", claim.text)),
            }
        }
    }

    /// Replays runs with all their branches until they cannot be followed further. Counterexamples are held to their
    /// assertions.
    ///
    /// # Errors
    /// If the request was cancelled.
    pub fn rewalk(&mut self, run: &RecordedRun, mode: ReplayMode) -> Result<Rewalked, ErrorText> {
        let mut found = Rewalked {
            places: vec![None; run.entries.len()],
            ..Rewalked::default()
        };
        self.verify_all(run, &mut found);
        for (n, entry) in run.entries.iter().enumerate() {
            if self.budget.cancel.is_cancelled() {
                break;
            }
            self.budget.cancel.reach(WorkStage::Replaying, n);
            let before = run.before(n).and_then(|from| found.places[from].as_ref());
            let at = before.map(|place| place.state);
            let reached = match (entry, at) {
                _ if found.places[n].is_some() => continue,
                (RecordedEntry::Opened(process), _) => self.open_again(process),
                // An entry after one that was not reached was reported with that one.
                (_, None) => continue,
                (RecordedEntry::Renamed(by), Some(at)) => self.rename_again(at, &by.by),
                (RecordedEntry::Step(step), Some(at)) => {
                    let again = self.step_again(at, step, mode);
                    if matches!(again, Ok((_, false))) {
                        found.differing.push(n);
                    }
                    again.map(|(place, _)| place)
                }
            };
            match reached {
                Ok(place) => found.places[n] = Some(place),
                Err(parting) => found.partings.push(WalkParting {
                    entry: n,
                    step: run.path_to(n).len() - 1,
                    ..parting
                }),
            }
        }
        if self.budget.cancel.is_cancelled() {
            return Err(ErrorText::line("cancelled"));
        }
        Ok(found)
    }

    fn open_again(&mut self, process: &str) -> Result<Place, WalkParting> {
        let opened = self.open_as(process, &Opening::Best);
        let lost = |error: ErrorText| WalkParting {
            wanted: if process.is_empty() {
                "the process".to_owned()
            } else {
                process.to_owned()
            },
            why: format!("it cannot be opened: {}", error.summary),
            ..WalkParting::default()
        };
        opened
            .map(|state| Place { state, taken: None })
            .map_err(lost)
    }

    fn rename_again(&mut self, at: StateId, cycles: &str) -> Result<Place, WalkParting> {
        let renamed = self.rename(at, &given_cycles(cycles));
        let lost = |error: ErrorText| WalkParting {
            wanted: format!("renaming by {cycles}"),
            why: error.summary,
            ..WalkParting::default()
        };
        renamed
            .map(|state| Place { state, taken: None })
            .map_err(lost)
    }

    /// Takes a step again; also returns whether its state is unchanged, where that is known.
    fn step_again(
        &mut self,
        at: StateId,
        step: &RecordedStep,
        mode: ReplayMode,
    ) -> Result<(Place, bool), WalkParting> {
        let found = self.at(at, |open| matching(open, &at, step, mode));
        let found = found.map_err(|error| WalkParting {
            wanted: step.text(),
            why: format!("the steps there cannot be told: {}", error.summary),
            ..WalkParting::default()
        })?;
        match found.steps.into_iter().next() {
            Some(chosen) => {
                let same = found.is_same && chosen.taken.kind == step.kind;
                let place = Place {
                    state: chosen.target,
                    taken: Some(chosen.taken),
                };
                Ok((place, same))
            }
            None if found.is_possible => Err(WalkParting {
                wanted: step.text(),
                why: "it leads to another state than it did".to_owned(),
                ..WalkParting::default()
            }),
            None => Err(WalkParting::of(0, 0, step.text(), found.enabled)),
        }
    }
}

/// The cycles of `(N0 N3)(A B)`.
fn given_cycles(text: &str) -> Vec<Vec<String>> {
    let cycles = text.split(['(', ')']);
    let values = cycles.map(|cycle| cycle.split_whitespace().map(str::to_owned).collect());
    values
        .filter(|cycle: &Vec<String>| !cycle.is_empty())
        .collect()
}
