//! Replay of recorded runs on the raw system. A counterexample of a file is believed only if its run can be replayed
//! on the unreduced system and violates the assertion there.

use super::counterexamples::{describe, ending};
use super::inputs::inputs;
use super::outcome::Counterexample;
use super::parted::PartedText;
use super::run_file::RunFile;
use super::runs::{
    RecordedCounterexample, RecordedEnding, RecordedEntry, RecordedRun, RecordedStep, TakenStep,
    traced,
};
use super::words::{self, EventKind, FormatId, WordCache};
use crate::check::outcome::{RawCounterexample, RunEnding};
use crate::check::{Check, Options};
use crate::script::load::Loaded;
use crate::search::counterexample::{RawRun, RawStep, steps_from, violation_of};
use crate::search::product::{ProductState, Violation};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Cancel, Diagnostic, Kind};

/// The mode in which a run is replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayMode {
    /// Each step as recorded; a state that differs now is reported.
    #[default]
    Steps,
    /// Each step as recorded, and each state has to be unchanged.
    Strict,
    /// Visible events only: silent steps between them are found, as few as possible.
    Events,
    /// A step may be another one that differs by a permutation of symmetric values.
    Orbit,
}

/// A system that runs are replayed on.
pub trait Replayable {
    /// A state, equal to another one if the same steps are possible.
    type State: Clone + PartialEq;

    /// The steps of a state, in the order of the rules, which is the same in each run of the program.
    ///
    /// # Errors
    /// Evaluation errors and limits.
    fn possible_steps(&mut self, at: &Self::State) -> Result<Vec<PossibleStep<Self::State>>>;

    /// The fingerprint that identifies a state in another run of the program.
    fn fingerprint(&mut self, state: &Self::State) -> String;
}

/// A step of a state, described so that it can be distinguished from others.
#[derive(Clone, Debug)]
pub struct PossibleStep<S> {
    /// The label.
    pub taken: TakenStep,
    /// The event as a trace has it.
    pub event: PartedText,
    /// The state that it leads to.
    pub target: S,
}

/// The states that some of these steps lead to, each once.
pub fn targets_of<S: Clone + PartialEq>(
    steps: &[PossibleStep<S>],
    some: impl Fn(&PossibleStep<S>) -> bool,
) -> Vec<S> {
    let mut targets = Vec::new();
    for step in steps.iter().filter(|step| some(step)) {
        if !targets.contains(&step.target) {
            targets.push(step.target.clone());
        }
    }
    targets
}

/// The steps that match a recorded one.
#[derive(Clone, Debug)]
pub struct MatchingSteps<S> {
    /// These steps, the most similar one first.
    pub steps: Vec<PossibleStep<S>>,
    /// Whether they lead to the recorded state, if one is recorded.
    pub is_same: bool,
    /// Whether the event is possible, to any state.
    pub is_possible: bool,
    /// The events of all steps.
    pub enabled: Vec<PartedText>,
}

/// Finds the steps of a state that match a recorded one.
///
/// # Errors
/// Evaluation errors and limits.
pub fn matching<R: Replayable>(
    system: &mut R,
    at: &R::State,
    wanted: &RecordedStep,
    mode: ReplayMode,
) -> Result<MatchingSteps<R::State>> {
    let mut steps = system.possible_steps(at)?;
    let enabled = steps.iter().map(|step| step.event.clone()).collect();
    let event = wanted.traced();
    steps.retain(|step| step.event == event);
    // An event that was hidden may be visible now, and the other way round.
    let same_kind = |step: &PossibleStep<_>| step.taken.kind == wanted.kind;
    if mode == ReplayMode::Strict || steps.iter().any(same_kind) {
        steps.retain(same_kind);
    }
    let is_possible = !steps.is_empty();
    let mut is_same = true;
    if let Some(state) = &wanted.state {
        let mut same = steps.clone();
        same.retain(|step| system.fingerprint(&step.target) == *state);
        is_same = !same.is_empty();
        if is_same || mode == ReplayMode::Strict {
            steps = same;
        }
    }
    if wanted.state.is_some() && is_same {
        steps.sort_by_key(|step| step.taken.movers != wanted.movers);
    } else {
        choose(&mut steps, wanted);
    }
    Ok(MatchingSteps {
        steps,
        is_same,
        is_possible,
        enabled,
    })
}

/// Where the states are unknown: the steps of the same components, else the one with the recorded number, else all.
fn choose<S: PartialEq>(steps: &mut Vec<PossibleStep<S>>, wanted: &RecordedStep) {
    let moved = |step: &PossibleStep<S>| step.taken.movers == wanted.movers;
    if !wanted.movers.is_empty() && steps.iter().any(moved) {
        steps.retain(moved);
    } else if let Some(number) = wanted.choice {
        let first = |n: &usize| steps[..*n].iter().all(|s| s.target != steps[*n].target);
        let different: Vec<usize> = (0..steps.len()).filter(first).collect();
        let chosen = different.get(number.max(1) - 1).or(different.first());
        if let Some(chosen) = chosen {
            *steps = vec![steps.swap_remove(*chosen)];
        }
    }
}

/// Places that a run may have led to, in layers: layer n holds those after n steps. States can look the same where
/// texts are cut short, so that a step may have led to several.
#[derive(Debug)]
pub struct Layers<P>(Vec<Vec<(P, usize)>>);

impl<P> Layers<P> {
    /// Begins with one place.
    pub fn new(first: P) -> Self {
        Self(vec![vec![(first, 0)]])
    }

    /// The number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.0.len() - 1
    }

    /// The places after the last step.
    #[must_use]
    pub fn last(&self) -> &[(P, usize)] {
        self.0.last().map_or(&[], Vec::as_slice)
    }

    /// Adds the places after one more step, each with the index of a place that it is reached from.
    pub fn push(&mut self, next: Vec<(P, usize)>) {
        self.0.push(next);
    }

    /// A path to a place after the last step, from the first place on.
    #[must_use]
    pub fn path_to(&self, place: usize) -> Vec<&P> {
        let mut at = place;
        let up = self.0.iter().rev().map_while(|layer| {
            let (place, before) = layer.get(at)?;
            at = *before;
            Some(place)
        });
        let mut path: Vec<&P> = up.collect();
        path.reverse();
        path
    }
}

/// A counterexample that was replayed to its end.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Number of the assertion in the script as it is now.
    pub assertion: usize,
    /// In words of the script as it is now.
    pub counterexample: Counterexample,
    /// Files of the script that have changed since it was saved; it fails all the same.
    pub changed: Vec<String>,
}

/// The error of a counterexample that does not come about.
fn does_not_replay(why: impl Into<String>) -> Box<Diagnostic> {
    let message = "the saved counterexample does not come about in this script";
    Box::new(Diagnostic::nowhere("E0812", message).note(why.into()))
}

impl RunFile {
    /// Replays counterexample `number` (from 1) on the unreduced system, and verifies the violation at its end.
    ///
    /// # Errors
    /// The run does not exist, or cannot be replayed (any more); limits and evaluation errors.
    pub fn verify(
        &self,
        number: usize,
        loaded: &Loaded,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Verified> {
        let changed = self.changed(&inputs(&loaded.sources));
        let mut verifier = CounterexampleVerifier::new(loaded, options.clone(), cancel);
        match verifier.verify(&self.run, number) {
            Ok((assertion, counterexample)) => Ok(Verified {
                assertion,
                counterexample,
                changed,
            }),
            Err(mut error) => {
                if error.kind == Kind::Differs {
                    error.notes.push(if changed.is_empty() {
                        "the script is as it was then: the file has been changed".to_owned()
                    } else {
                        format!("since it was saved, {} changed", changed.join(" and "))
                    });
                }
                Err(error)
            }
        }
    }
}

/// Holds counterexamples to their assertions. Those of one assertion share its compiled check.
pub struct CounterexampleVerifier<'a> {
    loaded: &'a Loaded,
    options: Options,
    cancel: &'a Cancel,
    /// Checks by the number of their assertion, and whether permutations may keep components together.
    prepared: Map<(usize, Option<bool>), Check>,
}

impl<'a> CounterexampleVerifier<'a> {
    /// Makes a verifier for a script, which has compiled nothing yet.
    #[must_use]
    pub fn new(loaded: &'a Loaded, options: Options, cancel: &'a Cancel) -> Self {
        Self {
            loaded,
            options,
            cancel,
            prepared: Map::default(),
        }
    }

    /// Replays counterexample `number` (from 1) of a run on the unreduced system, and verifies the violation at its
    /// end. Returns the number of its assertion with it.
    ///
    /// # Errors
    /// As [`RunFile::verify`].
    pub fn verify(&mut self, run: &RecordedRun, number: usize) -> Result<(usize, Counterexample)> {
        let counterexamples = &run.counterexamples;
        let Some(claim) = number.checked_sub(1).and_then(|n| counterexamples.get(n)) else {
            let count = counterexamples.len();
            let message = format!("there is no counterexample {number}: the file has {count}");
            return Err(Box::new(Diagnostic::nowhere("E0810", message)));
        };
        let assertion = assertion_of(claim, self.loaded)?;
        let found = match self.on(assertion, Some(false), run, claim) {
            // A network that changes may have other components where values are permuted, although the run is one of
            // the real system. Else the reason why it is none of the unreduced system is reported: that was the
            // question.
            Err(failed) if failed.kind == Kind::Differs => {
                let reduced = self.on(assertion, None, run, claim);
                reduced.map_err(|_| failed)?
            }
            done => done?,
        };
        Ok((assertion, found))
    }

    /// Replays on the system of a check with this option on symmetry.
    fn on(
        &mut self,
        assertion: usize,
        symmetry: Option<bool>,
        run: &RecordedRun,
        claim: &RecordedCounterexample,
    ) -> Result<Counterexample> {
        let key = (assertion, symmetry);
        let mut check = match self.prepared.remove(&key) {
            Some(check) => check,
            None => {
                let options = Options {
                    symmetry,
                    ..self.options.clone()
                };
                Check::prepare(self.loaded, assertion - 1, &options, self.cancel)?
            }
        };
        let found = follow(&mut check, run, claim)
            .and_then(|raw| describe(&mut check, self.loaded, assertion, &raw));
        self.prepared.insert(key, check);
        found
    }
}

/// The number of the assertion that a counterexample belongs to: assertions may have been added.
fn assertion_of(claim: &RecordedCounterexample, loaded: &Loaded) -> Result<usize> {
    let assertions = &loaded.script.assertions;
    let same = |n: usize| assertions.get(n).is_some_and(|a| *a.text == *claim.text);
    // The number goes first, since several assertions may have the same text.
    let there = claim.assertion.checked_sub(1).filter(|n| same(*n));
    let found = there.or_else(|| (0..assertions.len()).find(|n| same(*n)));
    let at =
        found.ok_or_else(|| does_not_replay(format!("there is no assertion `{}`", claim.text)))?;
    match loaded.in_the_way(&assertions[at]) {
        Some(error) => Err(Box::new(error)),
        None => Ok(at + 1),
    }
}

/// The two sides of a check, as a system that runs are replayed on.
struct CheckedSystem<'a> {
    check: &'a mut Check,
    words: WordCache,
}

/// A state of both sides, with the step to it.
#[derive(Clone)]
struct CheckedState {
    at: ProductState,
    by: Option<RawStep>,
}

impl PartialEq for CheckedState {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Replayable for CheckedSystem<'_> {
    type State = CheckedState;

    fn possible_steps(&mut self, before: &CheckedState) -> Result<Vec<PossibleStep<CheckedState>>> {
        self.check.machine.eval.check_time()?;
        let steps = steps_from(&mut self.check.lazy_product(), &before.at)?;
        let (machine, network) = (&mut self.check.machine, &self.check.network);
        let format = FormatId(before.at.format);
        let describe = |step: RawStep| {
            let shown = words::shown(machine, step.shown);
            let (parts, after) = (&step.parts, &step.after.locals);
            let movers = (self.words).movers(machine, network, &shown, format, parts, after);
            let movers = movers.iter().map(|(who, to)| (who.clone(), to.as_str()));
            PossibleStep {
                taken: TakenStep::new(words::kind(step.event), &shown, movers),
                event: traced(&shown),
                target: CheckedState {
                    at: step.after.clone(),
                    by: Some(step),
                },
            }
        };
        Ok(steps.into_iter().map(describe).collect())
    }

    fn fingerprint(&mut self, state: &CheckedState) -> String {
        let locals = &state.at.locals;
        self.words.fingerprint(&mut self.check.machine, locals)
    }
}

/// Replays the run of a counterexample to its end, and verifies the violation there. All states that a step may have
/// led to are followed, and the first run with the recorded violation at its end is the answer.
fn follow(
    check: &mut Check,
    run: &RecordedRun,
    claim: &RecordedCounterexample,
) -> Result<RawCounterexample> {
    let initial = check.initial();
    let words = WordCache::default();
    let mut system = CheckedSystem { check, words };
    let mut layers = Layers::new(CheckedState {
        at: initial.clone(),
        by: None,
    });
    for entry in run.path_to(claim.end).into_iter().skip(1) {
        let n = layers.steps() + 1;
        let RecordedEntry::Step(step) = &run.entries[entry] else {
            return Err(does_not_replay(format!("step {n} is no step of a process")));
        };
        let mut next: Vec<(CheckedState, usize)> = Vec::new();
        for (place, (at, _)) in layers.last().iter().enumerate() {
            for found in matching(&mut system, at, step, ReplayMode::Strict)?.steps {
                // The continuations depend on the state alone, so one way to it is enough.
                if next.iter().all(|known| known.0 != found.target) {
                    next.push((found.target, place));
                }
            }
        }
        if next.is_empty() {
            let why = format!("step {n} ({}) is not possible as told", step.traced());
            return Err(does_not_replay(why));
        }
        layers.push(next);
    }
    let further = match claim.ending {
        RecordedEnding::Divergence { lap, laps } => lap.saturating_mul(laps.saturating_sub(1)),
        _ => 0,
    };
    for place in 0..layers.last().len() {
        let path = layers.path_to(place).into_iter();
        let mut steps: Vec<RawStep> = path.filter_map(|state| state.by.clone()).collect();
        let further = steps.split_off(steps.len().saturating_sub(further));
        let run = RawRun {
            initial: initial.clone(),
            steps,
        };
        if let Some(ending) = ends(system.check, claim.ending, &run, &further)? {
            return Ok(RawCounterexample {
                ending,
                run,
                further,
            });
        }
    }
    Err(does_not_replay("at the end nothing is wrong as told"))
}

/// The violation at the end of a run, if it is the recorded one.
fn ends(
    check: &mut Check,
    recorded: RecordedEnding,
    run: &RawRun,
    further: &[RawStep],
) -> Result<Option<RunEnding>> {
    let (last, before) = match run.steps.split_last() {
        Some((last, before)) => (Some(last), before),
        None => (None, &[][..]),
    };
    // After an event that it refuses the specification is nowhere: only the last may be such.
    if before.iter().any(|step| !step.allowed) {
        return Ok(None);
    }
    if last.is_some_and(|last| !last.allowed) {
        let is_refused = recorded == RecordedEnding::Refused;
        return Ok(is_refused.then_some(RunEnding::Refused));
    }
    if let Some(answer) = check.trace_answer()? {
        // The trace is decided again: the run alone does not show whether the process has it.
        let decided = ending(check, &answer, &Vec::new())?;
        let is_same = recorded == (&decided).into() && answer.run.end() == run.end();
        return Ok(is_same.then_some(answer.ending));
    }
    // Before the search for the violation at the end: a state on a loop of τ need not have one.
    if let RecordedEnding::Divergence { lap, laps } = recorded {
        let is_loop = check.divergence_counts() && returns(run, further, lap, laps);
        return Ok(is_loop.then_some(RunEnding::Divergence { lap, laps }));
    }
    let end = last.map_or(&run.initial, |step| &step.after);
    Ok(
        match (violation_of(&mut check.lazy_product(), end)?, recorded) {
            (Some(Violation::Deadlock), RecordedEnding::Deadlock) => Some(RunEnding::Deadlock),
            (Some(Violation::Refusal), RecordedEnding::Refusal) => Some(RunEnding::Refusal),
            (Some(Violation::Revival(_)), RecordedEnding::Revival) => Some(RunEnding::Revival),
            (Some(Violation::Ambiguity(_)), RecordedEnding::Ambiguity) => {
                Some(RunEnding::Ambiguity)
            }
            _ => None,
        },
    )
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
