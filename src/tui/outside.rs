//! The outside of the screen: the threads of the engine and of the checks, and the effects on them.

use std::io;
use std::thread;

use super::app::{App, Effect, Msg, WorkReached};
use super::disk::DiskWatch;
use super::files;
use super::kept::{self, KeepTurn};
use super::lessons::places;
use crate::animate::checker::{Checker, Runners};
use crate::animate::model::{CheckOutcome, PictureRequest, PictureText};
use crate::animate::worker::{Busy, EngineAnswer, EngineSource, EngineWorker};
use crate::report::numbers::thousands;
use crate::report::run_file::{self, ENDING, unused_name};
use crate::source::write::write_own;

/// The parts of the outside.
pub struct Behind {
    /// Build the engine, as often as the script is loaded.
    pub engines: EngineSource,
    /// Run checks and races.
    pub checks: Runners,
    /// Whether the files of the script are watched for changes.
    pub watches: bool,
}

/// News from the threads.
pub enum News {
    /// The engine with this number answered.
    Engine(u64, Box<EngineAnswer>),
    /// Files of the script changed: these are others now.
    Disk(Vec<String>),
    /// The walk was not kept: why.
    NotKept(String),
    /// Something happened to the checks.
    ChecksChanged,
}

/// Tells the screen something, from any thread.
type Tell = Box<dyn Fn(News) + Send>;

/// The engine and the checks; dropping it ends their threads.
pub struct Outside {
    worker: EngineWorker,
    checker: Checker,
    busy: Busy,
    disk: Option<DiskWatch>,
    /// The engine that loads the script once more, if one does.
    next: Option<EngineWorker>,
    /// The number of the engine that is used, and that of the last one that was made.
    used: u64,
    last: u64,
    engines: EngineSource,
    /// Makes another channel for an engine's news.
    teller: Box<dyn Fn() -> Tell>,
}

impl Outside {
    /// Starts the threads; `tell` is called on them.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub fn start(behind: Behind, tell: impl Fn(News) + Clone + Send + 'static) -> io::Result<Self> {
        // One count for both, for waiting until no request is outstanding.
        let busy = Busy::default();
        let to = tell.clone();
        let teller = Box::new(move || Box::new(to.clone()) as Tell);
        let worker = start_engine(&behind.engines, 0, &busy, teller())?;
        let to = tell.clone();
        let checker = Checker::start(behind.checks, busy.clone(), move || {
            to(News::ChecksChanged);
        })?;
        let report = move |names| {
            tell(News::Disk(names));
            true
        };
        Ok(Self {
            worker,
            checker,
            busy,
            disk: behind.watches.then(|| DiskWatch::start(report)),
            next: None,
            used: 0,
            last: 0,
            engines: behind.engines,
            teller,
        })
    }

    /// Loads the script once more, beside the engine that is used.
    fn reload(&mut self) {
        self.drop_next();
        self.last += 1;
        let made = start_engine(&self.engines, self.last, &self.busy, (self.teller)());
        match made {
            Ok(next) => self.next = Some(next),
            // No thread can be started: that is reported like any other reason not to load.
            Err(error) => (self.teller)()(News::Engine(
                self.last,
                Box::new(EngineAnswer::not_loaded(&error.to_string())),
            )),
        }
    }

    /// Drops the engine that loads the script; its further news are ignored.
    fn drop_next(&mut self) {
        self.last += 1;
        end_later(self.next.take());
    }

    /// The engine that was loaded last takes the place of the one that is used.
    fn swap(&mut self) {
        if let Some(next) = self.next.take() {
            self.used = self.last;
            end_later(Some(std::mem::replace(&mut self.worker, next)));
        }
    }

    /// Converts news to a message; `None` if they are of an engine that is not needed any more.
    pub fn message(&self, news: News) -> Option<Msg> {
        match news {
            News::Engine(number, answer) if number == self.used => Some(Msg::Engine(answer)),
            News::Engine(number, answer) => (number == self.last).then_some(Msg::Reloading(answer)),
            News::Disk(names) => Some(Msg::DiskChanged(names)),
            News::NotKept(why) => Some(Msg::NotKept(why)),
            News::ChecksChanged => Some(self.check_news()),
        }
    }

    /// How far the threads are with what they do.
    pub fn reached(&self) -> WorkReached {
        WorkReached {
            engine: self.worker.reached(),
            checks: self.checker.reached(),
        }
    }

    /// Whether no request is outstanding. News that were sent before may still have to be received.
    pub fn is_idle(&self) -> bool {
        self.busy.is_idle()
    }

    /// The news of the checks.
    fn check_news(&self) -> Msg {
        Msg::Checks(Box::new(self.checker.news()))
    }

    /// Stops all that is under way.
    pub fn cancel_all(&self) {
        self.worker.cancel_all();
        self.checker.cancel_all();
    }

    /// Ends all threads without waiting for them.
    pub fn end_later(self) {
        self.cancel_all();
        let (worker, next, checker) = (self.worker, self.next, self.checker);
        in_background(move || drop((worker, next, checker)));
    }

    /// Carries out an effect if it is one on the engine or the checks; otherwise returns it.
    pub fn carry_out(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Ask(request) => self.worker.ask(request),
            Effect::CancelRequests => self.worker.cancel_all(),
            Effect::CancelRequest(request) => self.worker.cancel(&request),
            Effect::Check(request) => self.checker.submit(request),
            Effect::Resume(folder) => self.checker.submit_resume(folder),
            Effect::Race(request) => self.checker.submit_race(request),
            Effect::Sizes(request) => self.checker.submit_sizes(request),
            Effect::CancelChecks => self.checker.cancel_all(),
            Effect::Reload => self.reload(),
            Effect::AskNext(request) => {
                if let Some(next) = &mut self.next {
                    next.ask(request);
                }
            }
            Effect::CancelReload => {
                if let Some(next) = &self.next {
                    next.cancel_all();
                }
            }
            Effect::DropNext => self.drop_next(),
            Effect::SwapEngine => self.swap(),
            Effect::LookAt(inputs) => {
                if let Some(disk) = &self.disk {
                    disk.watch_files(&inputs);
                }
            }
            Effect::Keep(session, path, false) => {
                // The loop must not wait for a disk.
                let tell = (self.teller)();
                let turn = KeepTurn::next();
                let write = move || {
                    if let Err(why) = kept::keep(&path, &session, turn) {
                        tell(News::NotKept(why));
                    }
                };
                // Without a thread it is written with the next steps.
                let _ = thread::Builder::new().spawn(write);
            }
            other => return Some(other),
        }
        None
    }
}

/// Runs work that may take long, on a thread beside the screen. Without a thread it is left out: ends come by
/// themselves with the program, and requests can be repeated.
pub(super) fn in_background(work: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().spawn(work);
}

/// Ends an engine without waiting for it.
fn end_later(worker: Option<EngineWorker>) {
    if let Some(worker) = worker {
        worker.cancel_all();
        // If no thread can be started, it is dropped here.
        let _ = thread::Builder::new().spawn(move || drop(worker));
    }
}

fn start_engine(
    engines: &EngineSource,
    number: u64,
    busy: &Busy,
    tell: Tell,
) -> io::Result<EngineWorker> {
    EngineWorker::start(engines(), busy.clone(), move |answer| {
        tell(News::Engine(number, Box::new(answer)));
    })
}

/// Carries out an effect if it is one on files. Returns the message on its result, or else the effect.
pub(super) fn on_files(app: &App, effect: Effect) -> Result<Option<Msg>, Effect> {
    match effect {
        Effect::Save(outcome) => Ok(Some(Msg::Saved(save(&app.path, &outcome)))),
        Effect::SavePicture(made) => {
            Ok(Some(Msg::Saved(save_picture(&app.path, &made.0, &made.1))))
        }
        Effect::WriteSession(writing) => {
            Ok(Some(Msg::SessionWritten(files::write_session(&writing))))
        }
        Effect::Keep(session, path, _) => {
            // If it fails now, nothing can show it any more.
            let _ = kept::keep(&path, &session, KeepTurn::next());
            Ok(None)
        }
        Effect::CopyToFile(what, ending, text) => {
            let message = files::write_text(&app.path, what, ending, &text);
            Ok(Some(Msg::Saved(message)))
        }
        // Without a terminal there is no clipboard: callers with a terminal handle this effect before.
        Effect::Copy(what, _) => Ok(Some(Msg::Saved(format!(
            "the {what} was not copied: there is no terminal"
        )))),
        Effect::Forget(path) => {
            kept::forget(&path);
            Ok(None)
        }
        Effect::Parked(effect) => {
            let parked = app.lesson.as_ref().map_or(app, |room| &room.parked);
            on_files(parked, *effect).map(|msg| match msg {
                // It is said where the person is.
                Some(Msg::Saved(note)) => Some(Msg::Saved(note)),
                msg => msg.map(|msg| Msg::Parked(Box::new(msg))),
            })
        }
        Effect::KeepLesson(lesson) => {
            let note = places::keep(&lesson, app.settings.report.as_deref());
            Ok((!note.is_empty()).then_some(Msg::Saved(note)))
        }
        other => Err(other),
    }
}

/// Saves counterexamples. Returns the note on it.
fn save(script: &str, outcome: &CheckOutcome) -> String {
    let path = unused_name(script, &format!("-{}", outcome.number), ENDING);
    let name = path.display();
    match run_file::save(&path, [outcome], write_own) {
        Ok(0) => "there is no counterexample".to_string(),
        Ok(1) => format!("the counterexample was saved to {name}"),
        Ok(n) => format!("{n} counterexamples were saved to {name}"),
        Err(error) => format!("nothing was saved: {name} cannot be written: {error}"),
    }
}

/// Writes a graph to a new file. Returns the note on it.
fn save_picture(script: &str, asked: &PictureRequest, made: &PictureText) -> String {
    // Any expression can be opened; only the part that is valid in file names is used.
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let process: String = asked.process.chars().map(word).take(40).collect();
    let kind = if asked.full { "states" } else { "orbits" };
    let ending = format!(".{}", asked.form.ending());
    let path = unused_name(script, &format!("-{process}-{kind}"), &ending);
    let name = path.display();
    match write_own(&path, made.text.as_bytes()) {
        Err(error) => format!("nothing was written: {name} cannot be written: {error}"),
        Ok(()) => {
            let count = thousands(made.vertices as u128);
            let cut = if made.is_whole { "" } else { ", cut there" };
            format!("wrote {name}: {count} {kind}{cut}")
        }
    }
}
