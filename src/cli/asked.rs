//! Common parts of subcommands on states of one process: a loaded script within limits, and the state after a trace.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::args::Colour;
use super::replay::{self, SavedRun};
use super::script::bounded_by;
use super::signals::Signals;
use super::units::Memory;
use super::{BUG, FULL, LATE, SCRIPT, USAGE, complain, complain_on_stderr, failure, limits};
use crate::animate::engine::{ScriptEngine, split_trace};
use crate::animate::history::Origin;
use crate::animate::model::{AskedStrategy, Counterexample, ErrorText, KeepingKind, StateId};
use crate::animate::replayed::WalkParting;
use crate::animate::session::Session;
use crate::report::follow::ReplayMode;
use crate::report::numbers;
use crate::report::runs::{RecordedEntry, RecordedRun, TakenStep};
use crate::source::{Bounds, Cancel, Limits, Stop, models, visible};

/// A script that questions are asked about.
pub struct AskedScript {
    /// The engine with the script.
    pub engine: ScriptEngine,
    signals: Signals,
    cancel: Cancel,
    limits: Limits,
}

/// The bounds that the arguments set.
pub fn limits(memory: Option<Memory>, timeout: Option<Duration>) -> Limits {
    let limits = match memory {
        None => limits::default_limits(),
        Some(Memory::Unlimited) => Limits::default().with_all_memory(),
        Some(Memory::Bytes(bytes)) => Limits::default().with_memory(bytes),
    };
    match timeout {
        Some(timeout) => limits.with_timeout(timeout),
        None => limits,
    }
}

/// The strategy that `--rep` names; a message and an exit code if it chooses no representatives.
pub fn strategy(name: Option<&str>) -> Result<AskedStrategy, u8> {
    let kind = name.and_then(KeepingKind::named);
    let asked = kind.map_or(Ok(AskedStrategy::Usual), AskedStrategy::try_from);
    asked.map_err(|message| {
        complain(&message);
        USAGE
    })
}

/// A state as an argument describes it.
pub enum GivenState {
    /// The state after these events.
    After(Vec<String>),
    /// After so many steps drawn at random, by a seed.
    Walk(u64, usize),
    /// After so many steps of a saved counterexample.
    Step(Box<Counterexample>, usize),
    /// An entry of a saved walk.
    Entry(Box<RecordedRun>, usize),
}

impl AskedScript {
    /// The state that an argument names; a message and an exit code if there is none.
    pub fn state(
        &self,
        script: &Path,
        text: &str,
        timeout: Option<Duration>,
    ) -> Result<GivenState, u8> {
        if let Some(walk) = text.strip_prefix("walk:") {
            let numbers = walk.split_once(',').and_then(|(seed, steps)| {
                let seed: u64 = seed.trim().parse().ok()?;
                let steps: usize = steps.trim().parse().ok()?;
                Some((seed, steps))
            });
            let Some((seed, steps)) = numbers else {
                complain(&format!("`{text}` is no walk, which is as walk:SEED,STEPS"));
                return Err(USAGE);
            };
            return Ok(GivenState::Walk(seed, steps));
        }
        let Some((run, step)) = saved_step(text) else {
            return Ok(GivenState::After(split_trace(text)));
        };
        let mut limits = self.limits.clone();
        if let Some(timeout) = timeout {
            limits = limits.with_timeout(timeout);
        }
        let none = |steps: usize| {
            complain(&format!(
                "there is no step {step} in {run}: the run has {}",
                numbers::counted(steps as u64, "step")
            ));
            USAGE
        };
        let saved = SavedRun::read(run, Colour::Auto)?;
        if saved.is_walk() {
            let walk = saved.file.run;
            let path = walk.path_to(walk.here);
            let entry = *path.get(step).ok_or_else(|| none(path.len() - 1))?;
            return Ok(GivenState::Entry(Box::new(walk), entry));
        }
        let found = saved.verified(script, limits, Colour::Auto);
        // If the run cannot be followed, the state cannot be reached.
        let (_, found) = found.map_err(|code| {
            if code == replay::DIFFERS {
                SCRIPT
            } else {
                code
            }
        })?;
        let steps = found.counterexample.steps.len();
        if step > steps {
            return Err(none(steps));
        }
        Ok(GivenState::Step(Box::new(found.counterexample), step))
    }

    /// The process that states are of: that of the saved runs, the one that is named, or the first one.
    pub fn process_of(&self, named: Option<String>, states: &[GivenState]) -> Result<String, u8> {
        let mut process = named;
        for state in states {
            let of = match state {
                GivenState::Step(run, _) => &run.process,
                GivenState::Entry(run, entry) => run.process_of(*entry),
                GivenState::After(_) | GivenState::Walk(..) => continue,
            };
            match &process {
                None => process = Some(of.to_owned()),
                Some(other) if other != of => {
                    complain(&format!(
                        "states of different processes: a saved run is one of {of}, and not of {other}"
                    ));
                    return Err(USAGE);
                }
                Some(_) => {}
            }
        }
        Ok(process.unwrap_or_else(|| self.first_process()))
    }

    /// Goes to a state. Returns also the trace that leads there, and to no other state.
    pub fn reach(
        &mut self,
        process: &str,
        state: &GivenState,
    ) -> Result<(StateId, Vec<String>), u8> {
        let way = self.way(process, state)?;
        let trace = match state {
            GivenState::After(trace) => Ok(trace.clone()),
            _ => self.trace_of(&way),
        };
        let trace = trace.map_err(|failure| self.refused(&[failure]))?;
        match way.last() {
            Some((_, state)) => Ok((*state, trace)),
            // Each way has the state that it begins with.
            None => Err(BUG),
        }
    }

    /// The trace of a way, which leads to its end and to no other state.
    fn trace_of(&mut self, way: &[(Origin, StateId)]) -> Result<Vec<String>, ErrorText> {
        let mut trace = Vec::new();
        for pair in way.windows(2) {
            match &pair[1].0 {
                // No event leads from a state to its image under a permutation.
                Origin::Renamed(by) => trace.push(format!("renamed by {by}")),
                _ => trace.extend(self.engine.trace_through(&[pair[0].1, pair[1].1])?),
            }
        }
        Ok(trace)
    }

    /// The way to a state: how each state on it was reached, the first one being that of the process.
    pub fn way(&mut self, process: &str, state: &GivenState) -> Result<Vec<(Origin, StateId)>, u8> {
        let reached = match state {
            GivenState::After(trace) => self.engine.way_after(process, trace),
            GivenState::Walk(seed, steps) => {
                let session = self.walked(process, *steps, *seed);
                session.map(|session| session.history.way())
            }
            GivenState::Step(run, step) => self.engine.replay(run).map(|states| {
                let steps = run.steps.iter();
                let steps = steps.map(|step| Origin::Step(TakenStep::of(run, step)));
                let origins = std::iter::once(Origin::Opened(run.process.clone())).chain(steps);
                origins.zip(states).take(step + 1).collect()
            }),
            GivenState::Entry(run, entry) => self.entry_way(run, *entry),
        };
        reached.map_err(|failure| self.refused(&[failure]))
    }

    /// The states of a walk from the beginning of its process to an entry.
    fn entry_way(
        &mut self,
        run: &RecordedRun,
        entry: usize,
    ) -> Result<Vec<(Origin, StateId)>, ErrorText> {
        let found = self.engine.rewalk(run, ReplayMode::Strict)?;
        let path = run.path_to(entry).into_iter();
        let way = path.map(|n| {
            let Some(place) = &found.places[n] else {
                let parted = found.partings.first().map(WalkParting::text);
                return Err(ErrorText::line(parted.unwrap_or_default()));
            };
            let origin = match (&run.entries[n], &place.taken) {
                (RecordedEntry::Opened(process), _) => Origin::Opened(process.clone()),
                (RecordedEntry::Renamed(renaming), _) => Origin::Renamed(renaming.by.clone()),
                (RecordedEntry::Step(_), taken) => Origin::Step(taken.clone().unwrap_or_default()),
            };
            Ok((origin, place.state))
        });
        way.collect()
    }

    /// Loads a script; reports its errors, and returns their exit code.
    pub fn load(file: &Path, limits: Limits) -> Result<Self, u8> {
        let cancel = Cancel::default();
        let signals = Signals::cancelling(&cancel);
        // Asked here for the exit code: to the engine it would be an error like those of scripts.
        if let Err(error) = models::readable(file) {
            complain(&format!("cannot read {}: {error}", file.display()));
            return Err(USAGE);
        }
        let bounds = Bounds::new(&limits, &cancel);
        let engine = bounded_by(&signals, &cancel, &limits, &bounds, || {
            ScriptEngine::load_bounded(file.to_path_buf(), limits.clone(), &cancel, &bounds)
        });
        match engine {
            Ok(engine) => Ok(Self {
                engine,
                signals,
                cancel,
                limits,
            }),
            Err(failure) => Err(refused(&failure.errors, &signals, &cancel, &limits)),
        }
    }

    /// The exit code of the signal that came, if one did.
    pub fn interrupted(&self) -> Option<u8> {
        self.signals.code()
    }

    /// The flag that signals set.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether a limit was reached, or a signal arrived.
    pub fn is_over(&self) -> bool {
        self.limits.reached(&self.cancel, 0).is_some()
    }

    /// Reports errors, and returns their exit code.
    pub fn refused(&self, failures: &[ErrorText]) -> u8 {
        refused(failures, &self.signals, &self.cancel, &self.limits)
    }

    /// The process that is meant where none is named.
    pub fn first_process(&self) -> String {
        let processes = &self.engine.info().processes;
        processes.first().cloned().unwrap_or_default()
    }

    /// A session after some steps, drawn as the animator draws them; fewer if there is nothing to draw.
    fn walked(&mut self, process: &str, steps: usize, seed: u64) -> Result<Session, ErrorText> {
        let engine = &mut self.engine;
        let first = engine.open(process)?;
        let mut session = Session::new(process, first, seed);
        for _ in 0..steps {
            let here = session.current();
            session.learn(here, engine.view(here));
            if let Some(Err(failure)) = session.fetched() {
                return Err(failure.clone());
            }
            let Some(step) = session.draw() else { break };
            session.take(&step);
        }
        Ok(session)
    }
}

/// The saved run and the step that an argument as `run.json#2@12` means.
fn saved_step(text: &str) -> Option<(&str, usize)> {
    let (run, step) = text.rsplit_once('@')?;
    let step = step.parse().ok()?;
    // A trace may hold anything, but it begins with a bracket.
    (!text.starts_with('<')).then_some((run, step))
}

/// Whether an argument names a state, and not a process.
pub fn is_state(text: &str) -> bool {
    text.starts_with('<') || text.starts_with("walk:") || saved_step(text).is_some()
}

fn refused(failures: &[ErrorText], signals: &Signals, cancel: &Cancel, limits: &Limits) -> u8 {
    for failure in failures {
        complain_of(failure);
    }
    // Failures are nothing but words here, so the limits are asked again which of them it was.
    let stopped = limits.reached(cancel, 0).map(|stop| match stop {
        Stop::Memory => FULL,
        Stop::Time | Stop::States | Stop::Disk | Stop::Process(_) | Stop::Cancelled => LATE,
    });
    signals.code().or(stopped).unwrap_or(SCRIPT)
}

fn complain_of(failure: &ErrorText) {
    failure::note_failure(failure);
    let text = if failure.detail.is_empty() {
        &failure.summary
    } else {
        &failure.detail
    };
    if text.contains('\n') {
        // An error with a place in a script has lines of its own.
        let _ = writeln!(std::io::stderr(), "{}", visible(text.trim_end()));
    } else {
        complain_on_stderr(text);
    }
}
