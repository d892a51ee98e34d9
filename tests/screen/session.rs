//! The whole screen around the real engine, without a terminal: keys go in, what is shown is held to the raw
//! system.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use orbitscope::animate::checker::{Runners, run_from_file};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::racer::race_from_file;
use orbitscope::animate::session::Session;
use orbitscope::animate::sizes::sizes_from_file;
use orbitscope::animate::worker::{EngineFactory, EngineSource};
use orbitscope::check::Options;
use orbitscope::lab::race::RaceOptions;
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;
use orbitscope::tui::app::{App, Effect, Load, Msg};
use orbitscope::tui::keys;
use orbitscope::tui::lessons::lesson::Shelf;
use orbitscope::tui::lessons::shelf::{shipped, tour};
use orbitscope::tui::outside::{Behind, News};
use orbitscope::tui::screen::draw;
use orbitscope::tui::theme::Theme;
use orbitscope::tui::threads::Threads;
use orbitscope::tui::update::update;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::files::{looked, written};
use super::net::State;
use super::support::repository;
use super::truth::Truth;

/// How much a check may look at, and how long it and a strategy of a race may take.
#[derive(Clone, Copy)]
pub struct Pace {
    states: usize,
    check: Duration,
    race: Duration,
}

/// Enough for the models.
const USUAL: Pace = Pace {
    states: 20_000,
    check: Duration::from_secs(2),
    race: Duration::from_millis(200),
};
/// Where what a check finds is needed, however busy the machine is.
pub const PATIENT: Pace = Pace {
    states: 20_000,
    check: Duration::from_secs(20),
    race: Duration::from_secs(3),
};
/// Where checks are begun again and again.
pub const HASTY: Pace = Pace {
    states: 2_000,
    check: Duration::from_millis(200),
    race: Duration::from_millis(40),
};

/// Checks and races as the program runs them, with limits that keep tests short.
fn runners(path: &Path, pace: Pace) -> Runners {
    let limits = Limits {
        states_max: pace.states,
        ..Limits::default()
    };
    let options = Options {
        keeping: StrategyKind::Walk.into(),
        threads: 1,
        limits: limits.with_timeout(pace.check),
        ..Options::default()
    };
    let race = RaceOptions {
        // Enough for a race, and soon over.
        strategies: vec![
            KeepingKind::default(),
            StrategyKind::Ordering.into(),
            KeepingKind::Flood,
        ],
        options: options.clone(),
        timeout: Some(pace.race),
        deadline: None,
    };
    let [checked, raced, sized] = std::array::from_fn(|_| path.to_path_buf());
    let sizes = options.clone();
    Runners {
        check: Arc::new(move |request, room, cancel, report| {
            run_from_file(&checked, request, room, (&options, cancel), report);
        }),
        race: Arc::new(move |request, cancel, report| {
            race_from_file(&raced, request, &race, cancel, report);
        }),
        sizes: Arc::new(move |request, cancel, report| {
            sizes_from_file(&sized, request, (&sizes, Some(pace.race)), cancel, report);
        }),
        stored: None,
    }
}

fn engines(path: &Path, limits: Limits) -> EngineSource {
    let path = path.to_path_buf();
    Box::new(move || {
        let (path, limits) = (path.clone(), limits.clone());
        Box::new(move |cancel: &Cancel| {
            // As the program does: time is counted from here.
            let engine = ScriptEngine::load_within(path, limits.from_now(), cancel)?;
            Ok(Box::new(engine))
        }) as EngineFactory
    })
}

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The screen, with all that is behind it.
pub struct Screen {
    pub app: App,
    threads: Threads,
    heard: Receiver<(u64, News)>,
    /// The scripts that are open, the one on the screen last, and what is true of each.
    truths: Vec<(PathBuf, Truth)>,
    limits: Limits,
    pub quit: bool,
    /// What was asked of the world outside, in words; for tests to look at and to clear.
    pub asked: Vec<String>,
}

impl Screen {
    /// A screen whose script is being loaded.
    pub fn start(path: &Path, process: Option<&str>, limits: Limits) -> Self {
        let shown = path.display().to_string();
        let theme = Theme::new(false, false);
        let app = App::new(&shown, process.map(str::to_owned), theme, (120, 36));
        Self::around(app, path, (limits, USUAL))
    }

    /// The same, where checks are begun again and again.
    pub fn hasty(path: &Path, limits: Limits) -> Self {
        let shown = path.display().to_string();
        let app = App::new(&shown, None, Theme::new(false, false), (120, 36));
        Self::around(app, path, (limits, HASTY))
    }

    /// A screen that was made by somebody else.
    pub fn around(app: App, path: &Path, (limits, pace): (Limits, Pace)) -> Self {
        let (to, heard) = channel();
        let to = Mutex::new(to);
        // Other scripts have the usual limits.
        let workshop = move |path: &Path| {
            let path = model(path);
            (engines(&path, Limits::default()), runners(&path, pace))
        };
        let mut threads = Threads::none(Arc::new(workshop), move |number, news| {
            let _ = to.lock().expect("no panic").send((number, news));
        });
        let behind = Behind {
            engines: engines(path, limits.clone()),
            checks: runners(path, pace),
            watches: false,
        };
        threads.start(behind).expect("threads");
        Self {
            app,
            threads,
            heard,
            truths: vec![(path.to_path_buf(), Truth::of_engine(&limits))],
            limits,
            quit: false,
            asked: Vec::new(),
        }
    }

    /// A screen on which a process is open.
    pub fn open_at(path: &Path, process: Option<&str>) -> Self {
        let mut screen = Self::start(path, process, Limits::default());
        screen.settle();
        screen
    }

    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        for effect in effects {
            self.asked.push(format!("{effect:?}"));
            self.know(&effect);
            let told = match self.threads.carry_out(effect) {
                Ok(told) => told,
                Err(effect) => self.answer(effect),
            };
            if let Some(told) = told {
                self.send(told);
            }
        }
    }

    /// Takes note of which scripts are open.
    fn know(&mut self, effect: &Effect) {
        match effect {
            Effect::Start(path, _) => {
                let truth = Truth::of_engine(&Limits::default());
                self.truths.push((model(path), truth));
            }
            Effect::Stop => {
                self.truths.pop();
            }
            // Another engine numbers states otherwise.
            Effect::SwapEngine => {
                let last = self.truths.len() - 1;
                self.truths[last].1 = Truth::of_engine(&self.limits);
            }
            Effect::Parked(effect) if **effect == Effect::SwapEngine => {
                self.truths[0].1 = Truth::of_engine(&self.limits);
            }
            _ => {}
        }
    }

    /// What is told of an effect that is none on threads.
    fn answer(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Quit => self.quit = true,
            Effect::Lessons(wanted) => {
                return Some(Msg::Lessons(Box::new(shelf()), wanted));
            }
            Effect::Welcome(page) => return Some(Msg::Welcome(page)),
            Effect::Look(question) => {
                let (script, _) = self.truths.last()?;
                let found = looked(question, script)?;
                return Some(Msg::Found(Box::new(found)));
            }
            effect => return written(effect).ok().flatten(),
        }
        None
    }

    fn deliver(&mut self) -> bool {
        let mut any = false;
        while let Ok((number, news)) = self.heard.try_recv() {
            any = true;
            if let Some(msg) = self.threads.message(number, news) {
                self.send(msg);
            }
        }
        any
    }

    /// Whether nothing is outstanding.
    pub fn is_idle(&mut self) -> bool {
        let idle = self.threads.is_idle();
        !self.deliver() && idle && self.threads.is_idle()
    }

    /// Waits until nothing is outstanding.
    pub fn settle(&mut self) {
        self.wait_for("end of what was asked", |_| false);
    }

    /// Waits until something holds, or nothing is outstanding.
    pub fn wait_for(&mut self, what: &str, done: impl Fn(&App) -> bool) {
        let start = Instant::now();
        loop {
            let idle = self.threads.is_idle();
            let any = self.deliver();
            if done(&self.app) || (idle && !any && self.threads.is_idle()) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "no {what}: {}", self.text());
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Presses a key by its name and does not wait.
    pub fn key(&mut self, name: &str) {
        self.send(Msg::Key(keys::press(name).expect("a key")));
    }

    /// Types a text, a key a character.
    pub fn write(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                ' ' => self.key("space"),
                c => self.key(&c.to_string()),
            }
        }
    }

    /// Opens a process as a person does, and does not wait.
    pub fn ask_for(&mut self, process: &str) {
        self.key("O");
        self.write(process);
        self.key("enter");
    }

    pub fn open(&mut self, process: &str) {
        self.ask_for(process);
        self.settle();
    }

    /// Presses keys, waiting after each.
    pub fn press(&mut self, names: &str) {
        for name in names.split(' ') {
            self.key(name);
            self.settle();
            // Who presses the number of a view looks at it before the next key.
            if keys::digit(name).is_some() {
                self.pass(1000);
            }
        }
    }

    /// Lets time pass, in milliseconds.
    pub fn pass(&mut self, milliseconds: u64) {
        self.send(Msg::Tick(self.app.now + milliseconds));
    }

    pub fn session(&self) -> &Session {
        self.app.session.as_ref().expect("a process is open")
    }

    /// What is on the screen, with its colours.
    pub fn frame(&self) -> Buffer {
        let size = self.app.terminal();
        let backend = TestBackend::new(size.0, size.1);
        let mut terminal = Terminal::new(backend).expect("a terminal in memory");
        terminal
            .draw(|frame| draw(&self.app, frame))
            .expect("it can be drawn");
        terminal.backend().buffer().clone()
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        let buffer = self.frame();
        let row = |y| -> String {
            let cells = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol());
            cells.collect::<String>().trim_end().to_owned() + "\n"
        };
        (0..buffer.area.height).map(row).collect()
    }

    /// What is wrong with what is said of states, if anything.
    pub fn differs(&mut self) -> Result<(), String> {
        let parked = self.app.lesson.as_ref().map(|room| &room.parked);
        let apps = parked.into_iter().chain([&self.app]);
        for (app, (path, truth)) in apps.zip(&mut self.truths) {
            if let Load::Ready(_) = &app.load {
                let compared = truth.compare(path, app);
                compared.map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        Ok(())
    }

    /// The present state in the raw system, once it was held to it; or where its process begins.
    pub fn raw(&self, beginning: bool) -> Option<(String, State)> {
        let (_, truth) = self.truths.last()?;
        truth.raw(&self.app, beginning)
    }

    /// What is wrong with what a search from a raw state has said.
    pub fn found_differs(&mut self, from: &(String, State)) -> Result<(), String> {
        let (_, truth) = self.truths.last_mut().expect("a script is open");
        truth.compare_search(from, &self.app)
    }

    /// Holds what is said of states to the raw system.
    #[track_caller]
    pub fn compare(&mut self) {
        if let Err(error) = self.differs() {
            panic!("{error}\n{}", self.text());
        }
    }
}

/// The lessons of the program.
fn shelf() -> Shelf {
    Shelf {
        lessons: shipped().flatten().collect(),
        tour: tour().ok(),
        ..Shelf::default()
    }
}

/// The file of a model of the program, or another script.
fn model(path: &Path) -> PathBuf {
    match path.to_str().and_then(|path| path.strip_prefix("builtin:")) {
        Some(name) => repository(&format!("models/{name}.csp")),
        None => path.to_path_buf(),
    }
}
