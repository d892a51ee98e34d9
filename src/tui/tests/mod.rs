//! The screen as a whole, driven by keys against the real engine on small scripts.

mod ascii;
mod behaviour;
mod check;
mod compare;
mod find;
mod graph;
mod harmless;
mod language;
mod lessons;
mod monkey;
mod orbit;
mod presenting;
mod race;
mod registry;
mod screens;
mod share;
mod sizes;
mod source;
mod steady;
mod structure;
mod symmetry;
mod terminal;
mod terms;
mod trail;
mod welcome;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::app::{App, Effect, Msg};
use super::theme::{Palette, Theme};
use super::update::update;
use super::{keys, panes};
use crate::animate::checker::{Checker, Runners, run_from_file};
use crate::animate::engine::ScriptEngine;
use crate::animate::history::Origin;
use crate::animate::model::KeepingKind;
use crate::animate::racer::race_from_file;
use crate::animate::sizes::sizes_from_file;
use crate::animate::worker::{Busy, EngineFactory, EngineWorker};
use crate::check::Options;
use crate::lab::race::RaceOptions;
use crate::source::{Cancel, Limits};
use steady::{held, steady, steady_answer};

pub const PLAIN: Theme = Theme {
    palette: Palette::Mono,
    background: None,
    ascii: false,
};

enum Incoming {
    Msg(Msg),
    Checks,
}

/// The data, the worker and the checker around it, and a terminal in memory.
pub struct Harness {
    pub app: App,
    worker: EngineWorker,
    checker: Checker,
    incoming: Receiver<Incoming>,
    busy: Busy,
    pub quit: bool,
    pub others: Vec<Effect>,
    _script: Option<TemporaryScript>,
}

impl Harness {
    /// The list stack, where it begins.
    pub fn new(size: (u16, u16)) -> Self {
        Self::opened(size, "System")
    }

    /// Another process of that script.
    pub fn opened(size: (u16, u16), process: &str) -> Self {
        let mut harness = Self::loading(size, process);
        harness.settle();
        harness
    }

    /// The same before anything was answered.
    pub fn loading(size: (u16, u16), process: &str) -> Self {
        let path = Path::new(LIST_STACK);
        let limits = Limits {
            states_max: 40_000,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        let checks = steady(runners(path, &options, &RACING));
        Self::start(size, (path, Some(process)), engine(path), checks)
    }

    /// The list stack without a limit, where a check that takes long stands still until it is cancelled.
    pub fn held(size: (u16, u16)) -> Self {
        let path = Path::new(LIST_STACK);
        let checks = held(runners(path, &Options::default(), &RACING));
        let mut harness = Self::start(size, (path, Some("System")), engine(path), checks);
        harness.settle();
        harness
    }

    pub fn start(
        size: (u16, u16),
        (path, process): (&Path, Option<&str>),
        engine: EngineFactory,
        checks: Runners,
    ) -> Self {
        let (to, incoming) = channel();
        // Shared by both threads, as in the real loop: zero means that nothing is under way.
        let busy = Busy::default();
        let answers = to.clone();
        let worker = EngineWorker::start(engine, busy.clone(), move |answer| {
            let answer = steady_answer(answer);
            let _ = answers.send(Incoming::Msg(Msg::Engine(Box::new(answer))));
        });
        let checker = Checker::start(checks, busy.clone(), move || {
            let _ = to.send(Incoming::Checks);
        });
        let (path, process) = (path.display().to_string(), process.map(str::to_owned));
        Self {
            app: App::new(&path, process, PLAIN, size),
            worker: worker.unwrap(),
            checker: checker.unwrap(),
            incoming,
            busy,
            quit: false,
            others: Vec::new(),
            _script: None,
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
                Effect::Resume(folder) => self.checker.submit_resume(folder),
                Effect::Race(request) => self.checker.submit_race(request),
                Effect::Sizes(request) => self.checker.submit_sizes(request),
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
            assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
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

/// The script that most tests open, from the folder that tests are run in: its path is on the screen.
pub const LIST_STACK: &str = "../data/screens/liststack.csp";

/// A script that cannot be used, and one that is not there.
pub const UNSOUND: &str = "../data/screens/unsound.csp";
pub const MISSING: &str = "../data/screens/missing.csp";

/// Steps to the state of the list stack that has 17 transitions in 4 orbits.
const TO_THE_SEVENTEEN: [&str; 14] = [
    "lock.T0",
    "getTop.T0.Null",
    "initNode.T0.N1.B.Null",
    "setTop.T0.N1",
    "push.T0.B",
    "unlock.T0",
    "lock.T2",
    "getTop.T2.N1",
    "initNode.T2.N4.C.N1",
    "setTop.T2.N4",
    "push.T2.C",
    "unlock.T2",
    "lock.T1",
    "getTop.T1.N4",
];

/// The list stack after these steps.
pub fn at_the_seventeen(size: (u16, u16)) -> Harness {
    let mut harness = Harness::new(size);
    for event in TO_THE_SEVENTEEN {
        harness.line(&format!("take {event}")).unwrap();
    }
    harness
}

/// How many steps lead to where one is.
pub fn step(harness: &Harness) -> usize {
    harness.app.session.as_ref().unwrap().history.depth()
}

/// The steps that lead there, hidden ones too.
pub fn events(harness: &Harness) -> Vec<String> {
    let history = &harness.app.session.as_ref().unwrap().history;
    let origins = history.path().into_iter();
    let taken = origins.filter_map(|id| match &history.node(id).origin {
        Origin::Step(taken) => Some(taken.event.to_string()),
        _ => None,
    });
    taken.collect()
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

/// One of the models.
pub fn real(name: &str, process: Option<&str>) -> Harness {
    real_within(name, process, &Options::default())
}

/// The same with bounds on checks.
pub fn real_within(name: &str, process: Option<&str>, options: &Options) -> Harness {
    real_file(&model(name), process, options)
}

/// The same with any script.
pub fn real_file(path: &Path, process: Option<&str>, options: &Options) -> Harness {
    let checks = steady(runners(path, options, &[]));
    let mut harness = Harness::start((120, 36), (path, process), engine(path), checks);
    harness.settle();
    harness
}

/// A script of this text.
pub fn scripted(text: &str, process: Option<&str>) -> Harness {
    let script = TemporaryScript::new(text);
    let mut harness = real_file(&script.file(), process, &Options::default());
    harness._script = Some(script);
    harness
}

/// A file that is there as long as a screen shows it.
struct TemporaryScript(PathBuf);

impl TemporaryScript {
    fn new(text: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("orbitscope-screens-{}-{count}", std::process::id());
        let script = Self(std::env::temp_dir().join(name));
        std::fs::create_dir_all(&script.0).unwrap();
        std::fs::write(script.file(), text).unwrap();
        script
    }

    fn file(&self) -> PathBuf {
        self.0.join("script.csp")
    }
}

impl Drop for TemporaryScript {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn engine(path: &Path) -> EngineFactory {
    let path = path.to_path_buf();
    Box::new(move |cancel: &Cancel| {
        let engine = ScriptEngine::load_within(path, Limits::default(), cancel)?;
        Ok(Box::new(engine))
    })
}

/// Strategies that race on the list stack: some that are quick, one that keeps several states of an orbit, one
/// that cannot be used, and one that takes for ever.
const RACING: [&str; 6] = ["exact", "walk", "ordering", "sorted", "counters", "flood"];

/// Checks and races as the program runs them; of all strategies, if none is named.
pub fn runners(path: &Path, options: &Options, strategies: &[&str]) -> Runners {
    let [checked, raced, sized] = std::array::from_fn(|_| path.to_path_buf());
    // On one thread what was counted when a limit comes is always the same.
    let options = Options {
        threads: 1,
        ..options.clone()
    };
    let race = RaceOptions {
        strategies: strategies
            .iter()
            .map(|name| KeepingKind::named(name).unwrap())
            .collect(),
        options: options.clone(),
        timeout: None,
        deadline: None,
    };
    let sizes = options.clone();
    Runners {
        check: Arc::new(move |request, room, cancel, report| {
            run_from_file(&checked, request, room, (&options, cancel), report);
        }),
        race: Arc::new(move |request, cancel, report| {
            race_from_file(&raced, request, &race, cancel, report);
        }),
        sizes: Arc::new(move |request, cancel, report| {
            sizes_from_file(&sized, request, (&sizes, None), cancel, report);
        }),
        stored: None,
    }
}
