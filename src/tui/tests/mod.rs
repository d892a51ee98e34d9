//! The screen as a whole, driven by keys against an engine made by hand.

mod ascii;
mod behaviour;
mod check;
mod compare;
mod fake;
mod find;
mod graph;
mod harmless;
mod language;
mod lessons;
mod monkey;
mod orbit;
mod race;
mod registry;
mod screens;
mod source;
mod structure;
mod symmetry;
mod terminal;
mod terms;
mod trail;
mod welcome;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::app::{App, Effect, Msg};
use super::theme::{Palette, Theme};
use super::update::update;
use super::{keys, panes};
use crate::animate::checker::{Checker, Runners, run_from_file};
use crate::animate::engine::ScriptEngine;
use crate::animate::model::Engine;
use crate::animate::racer::race_from_file;
use crate::animate::worker::{Busy, EngineFactory, EngineWorker};
use crate::check::Options;
use crate::lab::race::RaceOptions;
use crate::source::Cancel;

pub const PLAIN: Theme = Theme {
    palette: Palette::Mono,
    ascii: false,
};

enum Incoming {
    Msg(Msg),
    Checks,
}

/// The data, the real worker and checker around it, and a terminal in memory.
pub struct Harness {
    pub app: App,
    worker: EngineWorker,
    checker: Checker,
    incoming: Receiver<Incoming>,
    busy: Busy,
    pub quit: bool,
    pub others: Vec<Effect>,
}

impl Harness {
    pub fn new(size: (u16, u16)) -> Self {
        let mut harness = Self::loading(size, None, fake::engine(), fake::checks());
        harness.settle();
        harness
    }

    pub fn opened(size: (u16, u16), process: &str) -> Self {
        let process = Some(process.to_string());
        let mut harness = Self::loading(size, process, fake::engine(), fake::checks());
        harness.settle();
        harness
    }

    pub fn loading(
        size: (u16, u16),
        process: Option<String>,
        engine: EngineFactory,
        checks: Runners,
    ) -> Self {
        let (to, incoming) = channel();
        // Shared by both threads, as in the real loop: zero means that nothing is under way.
        let busy = Busy::default();
        let answers = to.clone();
        let worker = EngineWorker::start(engine, busy.clone(), move |answer| {
            let _ = answers.send(Incoming::Msg(Msg::Engine(Box::new(answer))));
        });
        let checker = Checker::start(checks, busy.clone(), move || {
            let _ = to.send(Incoming::Checks);
        });
        Self {
            app: App::new("models/liststack.csp", process, PLAIN, size),
            worker: worker.unwrap(),
            checker: checker.unwrap(),
            incoming,
            busy,
            quit: false,
            others: Vec::new(),
        }
    }

    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    pub fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Ask(request) => {
                    self.worker.ask(request);
                }
                Effect::CancelRequests => self.worker.cancel_all(),
                Effect::CancelRequest(request) => self.worker.cancel(&request),
                Effect::Check(request) => self.checker.submit(request),
                Effect::Race(request) => self.checker.submit_race(request),
                Effect::CancelChecks => self.checker.cancel_all(),
                Effect::Quit => self.quit = true,
                // What would act on a terminal or on files is only noted.
                // Nothing on the disk is looked at.
                Effect::LookAt(_) => {}
                other => self.others.push(other),
            }
        }
    }

    /// Delivers what the threads have said so far; whether there was anything.
    fn deliver(&mut self) -> bool {
        let mut any = false;
        while let Ok(incoming) = self.incoming.try_recv() {
            any = true;
            match incoming {
                Incoming::Msg(msg) => self.send(msg),
                Incoming::Checks => {
                    let news = self.checker.news();
                    self.send(Msg::Checks(Box::new(news)));
                }
            }
        }
        any
    }

    /// Waits until nothing is outstanding.
    pub fn settle(&mut self) {
        self.wait_for("idle", |_| false);
    }

    /// Waits until something holds, or until nothing is outstanding.
    pub fn wait_for(&mut self, what: &str, done: impl Fn(&App) -> bool) {
        let start = Instant::now();
        loop {
            // Read before the messages are delivered: an answer is sent before the count goes down.
            // So if nobody was busy and there was no message, there is none on its way; what the
            // messages asked for shows in the second look.
            let idle = self.busy.is_idle();
            let any = self.deliver();
            if done(&self.app) || (idle && !any && self.busy.is_idle()) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "no {what}");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Presses keys without waiting: names separated by spaces; words that are no key are typed.
    pub fn press_only(&mut self, text: &str) {
        for word in text.split(' ') {
            match keys::press(word) {
                Some(event) => {
                    self.send(Msg::Key(event));
                    // Who presses the number of a view looks at it before the next key.
                    if keys::digit(word).is_some_and(|digit| digit > 0) {
                        self.send(Msg::Tick(self.app.now + 1000));
                    }
                }
                None => {
                    for c in word.chars() {
                        self.send(Msg::Key(keys::press(&c.to_string()).unwrap()));
                    }
                }
            }
        }
    }

    pub fn press(&mut self, text: &str) {
        for word in text.split(' ') {
            self.press_only(word);
            self.settle();
        }
    }

    pub fn screen(&self) -> String {
        screen(&self.app)
    }
}

/// The text of the whole screen.
pub use super::language::screen_text as screen;

/// The text of one pane.
pub fn pane(app: &App, pane: super::app::Pane, columns: usize, rows: usize) -> String {
    let content = panes::build(app, pane, columns, rows);
    let mut text = format!(
        "{} | {} | {}\n",
        content.title, content.right, content.footer
    );
    for line in &content.lines {
        let line: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
        // A line of a pane is one line: a break within would shift what clicks select.
        assert!(line.lines().count() <= 1);
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// As many steps as lead to the state with 17 transitions.
pub fn at_the_seventeen(size: (u16, u16)) -> Harness {
    let mut harness = Harness::new(size);
    for _ in 0..14 {
        harness.press("enter");
    }
    harness
}

/// The file of a model that comes with the program.
pub fn model(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    // The tests are built from within a folder of the repository.
    let mut found = path
        .ancestors()
        .map(|folder| folder.join(format!("models/{name}.csp")));
    found.find(|path| path.is_file()).unwrap()
}

/// The real engine with one of the models, and real checks.
pub fn real(name: &str, process: Option<&str>) -> Harness {
    real_within(name, process, Options::default())
}

/// The same with bounds on checks.
pub fn real_within(name: &str, process: Option<&str>, options: Options) -> Harness {
    real_file(&model(name), process, options)
}

/// The same with any script.
pub fn real_file(path: &Path, process: Option<&str>, options: Options) -> Harness {
    let path = path.to_path_buf();
    let (engine, checked, raced) = (path.clone(), path.clone(), path.clone());
    let of_checks = options.clone();
    let runners = Runners {
        check: Arc::new(move |request, room, cancel, report| {
            run_from_file(&checked, request, room, (&of_checks, cancel), report);
        }),
        race: Arc::new(move |request, cancel, report| {
            let race = RaceOptions {
                strategies: Vec::new(),
                options: options.clone(),
                timeout: None,
                deadline: None,
            };
            race_from_file(&raced, request, &race, cancel, report);
        }),
    };
    let engine = Box::new(move |_: &Cancel| {
        ScriptEngine::load(engine).map(|engine| Box::new(engine) as Box<dyn Engine>)
    });
    let process = process.map(str::to_owned);
    let mut harness = Harness::loading((120, 36), process, engine, runners);
    harness.app.path = path.display().to_string();
    harness.settle();
    harness
}
