//! What is behind the screen: the engine and the checks, on threads of their own, and what effects do there.

use std::io;

use super::app::{Effect, Msg};
use crate::animate::checker::{Checker, Runners};
use crate::animate::model::{CheckOutcome, PictureRequest, PictureText};
use crate::animate::worker::{Busy, EngineFactory, EngineWorker};
use crate::report::numbers::thousands;
use crate::report::saved;
use crate::source::write::write_whole;

/// What they are made of.
pub(super) struct Behind {
    /// Builds the engine.
    pub engine: EngineFactory,
    /// Run checks and races.
    pub checks: Runners,
}

/// What they tell, from their threads.
pub(super) enum News {
    /// The engine answered.
    Msg(Msg),
    /// [`Outside::check_news`] has something to tell.
    ChecksChanged,
}

/// The engine and the checks; dropping it ends their threads.
pub(super) struct Outside {
    worker: EngineWorker,
    checker: Checker,
    busy: Busy,
}

impl Outside {
    /// Starts the threads; `tell` is called on them.
    pub fn start(behind: Behind, tell: impl Fn(News) + Clone + Send + 'static) -> io::Result<Self> {
        // One count for both, for whoever waits until nothing is under way.
        let busy = Busy::default();
        let to = tell.clone();
        let worker = EngineWorker::start(behind.engine, busy.clone(), move |answer| {
            to(News::Msg(Msg::Engine(Box::new(answer))));
        })?;
        let checker = Checker::start(behind.checks, busy.clone(), move || {
            tell(News::ChecksChanged);
        })?;
        Ok(Self {
            worker,
            checker,
            busy,
        })
    }

    /// Whether nothing is under way. What was told before this is so may still have to be received.
    pub fn is_idle(&self) -> bool {
        self.busy.is_idle()
    }

    /// What has happened to the checks.
    pub fn check_news(&self) -> Msg {
        Msg::Checks(Box::new(self.checker.news()))
    }

    /// Stops all that is under way.
    pub fn cancel_all(&self) {
        self.worker.cancel_all();
        self.checker.cancel_all();
    }

    /// Carries out an effect if it is one on the engine or the checks; otherwise gives it back.
    pub fn carry_out(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Ask(request) => self.worker.ask(request),
            Effect::CancelRequests => self.worker.cancel_all(),
            Effect::Check(request) => self.checker.submit(request),
            Effect::Race(request) => self.checker.submit_race(request),
            Effect::CancelChecks => self.checker.cancel_all(),
            other => return Some(other),
        }
        None
    }
}

/// Saves counterexamples; gives what to say about it.
pub(super) fn save(script: &str, outcome: &CheckOutcome) -> String {
    let path = saved::unused_name(script, outcome.number);
    let name = path.display();
    match saved::save(&path, [outcome]) {
        Ok(0) => "there is no counterexample".to_string(),
        Ok(1) => format!("the counterexample was saved to {name}"),
        Ok(n) => format!("{n} counterexamples were saved to {name}"),
        Err(error) => format!("nothing was saved: {name} cannot be written: {error}"),
    }
}

/// Writes a graph to a new file; gives what to say about it.
pub(super) fn save_picture(script: &str, asked: &PictureRequest, made: &PictureText) -> String {
    let path = saved::unused_picture(script, &asked.process, asked.full, asked.form.ending());
    let name = path.display();
    match write_whole(&path, made.text.as_bytes()) {
        Err(error) => format!("nothing was written: {name} cannot be written: {error}"),
        Ok(()) => {
            let count = thousands(made.vertices as u128);
            let what = if asked.full { "states" } else { "orbits" };
            let cut = if made.is_whole { "" } else { ", cut there" };
            format!("wrote {name}: {count} {what}{cut}")
        }
    }
}
