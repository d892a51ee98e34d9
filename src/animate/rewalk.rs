//! Replay of walks, entry by entry, and the details of steps that a record of a walk needs.

use super::engine::ScriptEngine;
use super::history::TakenStep;
use super::model::{ErrorText, EventKind, StateId};
use super::opened::{AnimatedProcess, Opening};
use super::recorded::{
    Place, RecordedEntry, RecordedStep, RecordedWalk, ReplayMode, Rewalked, SILENT, StepDetails,
    StepQuery, WalkParting, fingerprint,
};
use crate::report::parted::{PartedText, compact};
use crate::report::words;
use crate::source::diagnostic::Result as Checked;

/// A step of a state, described so that it can be distinguished from others.
#[derive(Clone, Debug)]
pub(super) struct DescribedStep {
    pub(super) taken: TakenStep,
    /// The event without white space, or the sign for a silent step without one.
    pub(super) event: PartedText,
    pub(super) target: StateId,
}

/// An event as a trace has it: without white space, or the sign for a silent step without one.
#[must_use]
pub fn traced(event: &PartedText) -> PartedText {
    if event.is_empty() {
        SILENT.into()
    } else {
        event.compact()
    }
}

impl AnimatedProcess {
    /// The steps of a state, in the order of the rules, which is the same in each run of the program.
    pub(super) fn described_steps(&mut self, id: StateId) -> Checked<Vec<DescribedStep>> {
        let (format, _) = self.state(id);
        let (raw, _) = self.raw_transitions(id, usize::MAX)?;
        let mut labels: Option<Vec<String>> = None;
        let mut steps = Vec::with_capacity(raw.len());
        for step in raw {
            let rule = self.network.format(format).rules().rule(step.rule);
            let (parts, shown) = (rule.parts.clone(), rule.shown);
            let event = words::shown(&self.machine, shown);
            let mut movers = Vec::new();
            // Only needed where there is no event to show.
            if event.is_empty() {
                if labels.is_none() {
                    let all = self.components_of(id);
                    labels = Some(all.iter().map(|c| c.label()).collect());
                }
                for (component, _) in &parts {
                    let at = *component as usize;
                    let label = labels.as_ref().and_then(|all| all.get(at).cloned());
                    let after = match step.target.1.get(at) {
                        Some(local) => self.words.text(&mut self.machine, *local),
                        None => PartedText::default(),
                    };
                    movers.push((label.unwrap_or_default(), after));
                }
            }
            let movers = movers
                .iter()
                .map(|(who, after)| (who.clone(), after.as_str()));
            steps.push(DescribedStep {
                taken: TakenStep::new(words::kind(step.event), &event, movers),
                event: traced(&event),
                target: self.intern(step.target.0, &step.target.1),
            });
        }
        Ok(steps)
    }

    /// The fingerprint that identifies a state in another run of the program.
    pub(super) fn fingerprint(&mut self, id: StateId) -> String {
        fingerprint(&self.components_of(id))
    }
}

/// The different states that steps with one event lead to, in the order of the steps.
fn choices(steps: &[DescribedStep], kind: EventKind, event: &str) -> Vec<StateId> {
    let mut targets = Vec::new();
    for step in steps {
        let same = step.taken.kind == kind && step.event == event;
        if same && !targets.contains(&step.target) {
            targets.push(step.target);
        }
    }
    targets
}

fn asked_event(event: &str) -> String {
    if event.is_empty() {
        SILENT.to_owned()
    } else {
        compact(event)
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
            let steps = self.at(step.from, |open| open.described_steps(step.from))?;
            let all = choices(&steps, step.taken.kind, &asked_event(&step.taken.event));
            let place = all.iter().position(|target| *target == step.to);
            details.push(StepDetails {
                choice: place.filter(|_| all.len() > 1).map(|n| n + 1),
                state: self.at(step.to, |open| Ok(open.fingerprint(step.to)))?,
            });
        }
        Ok(details)
    }

    /// Replays a walk with all its branches until it cannot be followed further.
    ///
    /// # Errors
    /// If the request was cancelled.
    pub fn rewalk(&mut self, walk: &RecordedWalk, mode: ReplayMode) -> Result<Rewalked, ErrorText> {
        let mut found = Rewalked::default();
        // Number of steps from the beginning of the branch.
        let mut depths: Vec<usize> = Vec::with_capacity(walk.entries.len());
        // The steps of the state that was asked about last: most branches go on where they were.
        let mut last: Option<(StateId, Vec<DescribedStep>)> = None;
        for (n, entry) in walk.entries.iter().enumerate() {
            if self.budget.cancel.is_cancelled() {
                return Err(ErrorText::line("cancelled"));
            }
            let before = match entry {
                RecordedEntry::Opened(_) => None,
                RecordedEntry::Step { from, .. } | RecordedEntry::Renamed { from, .. } => {
                    Some(*from)
                }
            };
            let depth = before.map_or(0, |from| depths.get(from).map_or(1, |depth| depth + 1));
            let at = before.and_then(|from| found.places.get(from)?.as_ref());
            let at = at.map(|place| place.state);
            let reached = match (entry, at) {
                (RecordedEntry::Opened(process), _) => Some(self.open_again(process)),
                // An entry after one that was not reached was reported with that one.
                (_, None) => None,
                (RecordedEntry::Renamed { cycles, .. }, Some(at)) => {
                    Some(self.rename_again(at, cycles))
                }
                (RecordedEntry::Step { step, .. }, Some(at)) => {
                    let again = self.step_again(at, step, mode, &mut last);
                    if matches!(again, Ok((_, false))) {
                        found.differing.push(n);
                    }
                    Some(again.map(|(place, _)| place))
                }
            };
            depths.push(depth);
            let place = match reached {
                Some(Ok(place)) => Some(place),
                Some(Err(parting)) => {
                    found.partings.push(WalkParting {
                        entry: n,
                        step: depth,
                        ..parting
                    });
                    None
                }
                None => None,
            };
            found.places.push(place);
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
        last: &mut Option<(StateId, Vec<DescribedStep>)>,
    ) -> Result<(Place, bool), WalkParting> {
        let failed = |error: ErrorText| WalkParting {
            wanted: step.text(),
            why: format!("the steps there cannot be told: {}", error.summary),
            ..WalkParting::default()
        };
        if last.as_ref().is_none_or(|(state, _)| *state != at) {
            let steps = self
                .at(at, |open| open.described_steps(at))
                .map_err(failed)?;
            *last = Some((at, steps));
        }
        let steps = last.as_ref().map_or(&[][..], |(_, steps)| steps);
        let event = asked_event(&step.event);
        let same_event = |other: &&DescribedStep| other.event == event;
        // An event that was hidden may be visible now, and the other way round.
        let mut all: Vec<&DescribedStep> = steps
            .iter()
            .filter(|s| same_event(s) && s.taken.kind == step.kind)
            .collect();
        if all.is_empty() && mode != ReplayMode::Strict {
            all = steps.iter().filter(same_event).collect();
        }
        let same = self.same_state(&all, step).map_err(failed)?;
        let kept = same.is_some() || step.state.is_none();
        let chosen = match same {
            Some(same) => Some(same),
            None if mode == ReplayMode::Strict && step.state.is_some() && !all.is_empty() => {
                return Err(WalkParting {
                    wanted: step.text(),
                    why: "it leads to another state than it did".to_owned(),
                    ..WalkParting::default()
                });
            }
            None => by_choice(&all, step),
        };
        match chosen {
            Some(chosen) => {
                let place = Place {
                    state: chosen.target,
                    taken: Some(chosen.taken.clone()),
                };
                Ok((place, kept && chosen.taken.kind == step.kind))
            }
            None => {
                let enabled = steps.iter().map(|step| step.event.clone()).collect();
                Err(WalkParting::of(0, 0, step.text(), enabled))
            }
        }
    }

    /// The step that leads to the state that is recorded; of several the one where the same components moved.
    fn same_state<'a>(
        &mut self,
        all: &[&'a DescribedStep],
        step: &RecordedStep,
    ) -> Result<Option<&'a DescribedStep>, ErrorText> {
        let mut same = None;
        let Some(state) = &step.state else {
            return Ok(same);
        };
        for other in all {
            let target = other.target;
            if self.at(target, |open| Ok(open.fingerprint(target)))? == *state {
                if other.taken.movers == step.movers {
                    return Ok(Some(*other));
                }
                same = same.or(Some(*other));
            }
        }
        Ok(same)
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

/// The recorded step where the states are unknown: where the same components moved, else by its number.
fn by_choice<'a>(all: &[&'a DescribedStep], step: &RecordedStep) -> Option<&'a DescribedStep> {
    let movers = all.iter().find(|s| s.taken.movers == step.movers);
    if let (Some(same), false) = (movers, step.movers.is_empty()) {
        return Some(same);
    }
    let mut different: Vec<&DescribedStep> = Vec::new();
    for other in all {
        if different.iter().all(|d| d.target != other.target) {
            different.push(other);
        }
    }
    let number = step.choice.unwrap_or(1).max(1) - 1;
    different.get(number).or(different.first()).copied()
}
