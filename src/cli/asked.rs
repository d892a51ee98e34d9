//! What subcommands share that ask about states of one process: a loaded script within limits, and the
//! state after a trace.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::script::bounded_by;
use super::signals::Signals;
use super::units::Memory;
use super::{FULL, LATE, SCRIPT, USAGE, check, complain};
use crate::animate::engine::ScriptEngine;
use crate::animate::model::{
    Counterexample, Engine, ErrorText, EventKind, StateId, TransitionView,
};
use crate::animate::session::Session;
use crate::source::{Bounds, Cancel, Limits, Stop, visible};

/// A script that questions are asked about.
pub struct AskedScript {
    /// The script.
    pub engine: ScriptEngine,
    signals: Signals,
    cancel: Cancel,
    limits: Limits,
}

/// The bounds that the arguments set.
pub fn limits(memory: Option<Memory>, timeout: Option<Duration>) -> Limits {
    let limits = match memory {
        None => check::default_limits(),
        Some(Memory::Unlimited) => Limits::default().with_all_memory(),
        Some(Memory::Bytes(bytes)) => Limits::default().with_memory(bytes),
    };
    match timeout {
        Some(timeout) => limits.with_timeout(timeout),
        None => limits,
    }
}

impl AskedScript {
    /// Loads a script; what is wrong with it is told, and its exit code given.
    pub fn load(file: &Path, limits: Limits) -> Result<Self, u8> {
        let cancel = Cancel::default();
        let signals = Signals::cancelling(&cancel);
        // Asked here for the exit code: to the engine it would be an error like those of scripts.
        if let Err(error) = std::fs::metadata(file) {
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
            Err(failures) => Err(refused(&failures, &signals, &cancel, &limits)),
        }
    }

    /// Tells what went wrong, and gives the exit code for it.
    pub fn refused(&self, failures: &[ErrorText]) -> u8 {
        refused(failures, &self.signals, &self.cancel, &self.limits)
    }

    /// The process that is meant where none is named.
    pub fn first_process(&self) -> String {
        let processes = &self.engine.info().processes;
        processes.first().cloned().unwrap_or_default()
    }

    /// The state after a trace, in which hidden events may be named.
    pub fn after(&mut self, process: &str, trace: &[String]) -> Result<StateId, ErrorText> {
        let run = Counterexample::given(process, trace);
        let states = self.engine.replay(&run)?;
        match states.last() {
            Some(last) => Ok(*last),
            // After no event at all the process is where it begins.
            None => self.engine.open(process),
        }
    }

    /// The state after some steps, drawn as the animator draws them, and these; fewer if there is nothing
    /// to draw.
    pub fn walk(
        &mut self,
        process: &str,
        steps: usize,
        seed: u64,
    ) -> Result<(StateId, Vec<String>), ErrorText> {
        let engine = &mut self.engine;
        let first = engine.open(process)?;
        let mut session = Session::new(process, first, seed);
        let mut path = Vec::new();
        for _ in 0..steps {
            let here = session.current();
            session.learn(here, engine.view(here));
            if let Some(Err(failure)) = session.fetched() {
                return Err(failure.clone());
            }
            let Some(step) = session.draw() else { break };
            path.push(event_text(&step));
            session.take(&step);
        }
        Ok((session.current(), path))
    }
}

/// `tau` where nothing is known of a silent step.
fn event_text(step: &TransitionView) -> String {
    match step.kind {
        EventKind::Tau if step.event.is_empty() => "tau".to_owned(),
        EventKind::Tau => format!("tau ({})", step.event),
        EventKind::Tick | EventKind::Visible => step.event.clone(),
    }
}

fn refused(failures: &[ErrorText], signals: &Signals, cancel: &Cancel, limits: &Limits) -> u8 {
    for failure in failures {
        complain_of(failure);
    }
    // Failures are nothing but words here, so the limits are asked again which of them it was.
    let stopped = limits.reached(cancel, 0).map(|stop| match stop {
        Stop::Memory => FULL,
        Stop::Time | Stop::States | Stop::Cancelled => LATE,
    });
    signals.code().or(stopped).unwrap_or(SCRIPT)
}

fn complain_of(failure: &ErrorText) {
    let text = if failure.detail.is_empty() {
        &failure.summary
    } else {
        &failure.detail
    };
    match text.contains('\n') {
        // What points into a script has lines of its own.
        true => {
            let _ = writeln!(std::io::stderr(), "{}", visible(text.trim_end()));
        }
        false => complain(text),
    }
}
