//! The whole screen around the real engine, without a terminal: keys go in, what is shown is held to the raw
//! system.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use orbitscope::animate::checker::{Runners, run_from_file};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::racer::race_from_file;
use orbitscope::animate::session::Session;
use orbitscope::animate::worker::{EngineFactory, EngineSource};
use orbitscope::check::Options;
use orbitscope::lab::race::RaceOptions;
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;
use orbitscope::tui::app::{App, Effect, Load, Msg};
use orbitscope::tui::keys;
use orbitscope::tui::lessons::shelf::{Shelf, ShelvedLesson, shipped};
use orbitscope::tui::outside::{Behind, News, Outside};
use orbitscope::tui::stage::{Stage, StageEffect};
use orbitscope::tui::theme::Theme;
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
    let (checked, raced) = (path.to_path_buf(), path.to_path_buf());
    Runners {
        check: Arc::new(move |request, room, cancel, report| {
            run_from_file(&checked, request, room, (&options, cancel), report);
        }),
        race: Arc::new(move |request, cancel, report| {
            race_from_file(&raced, request, &race, cancel, report);
        }),
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

/// A script with the threads that are behind its screen.
struct Side {
    path: PathBuf,
    outside: Outside,
    heard: Receiver<News>,
    limits: Limits,
    truth: Truth,
}

impl Side {
    fn start(path: &Path, limits: Limits, pace: Pace) -> Self {
        let (to, heard) = channel();
        let behind = Behind {
            engines: engines(path, limits.clone()),
            checks: runners(path, pace),
            watches: false,
        };
        let outside = Outside::start(behind, move |news| {
            let _ = to.send(news);
        });
        Self {
            path: path.to_path_buf(),
            outside: outside.expect("threads"),
            heard,
            truth: Truth::of_engine(&limits),
            limits,
        }
    }

    /// What was heard, one message after the other.
    fn next(&self) -> Option<Option<Msg>> {
        let news = self.heard.try_recv().ok()?;
        Some(self.outside.message(news))
    }

    /// Carries out an effect; gives what is told at once because of it.
    fn carry_out(&mut self, effect: Effect) -> Result<Option<Msg>, Effect> {
        if effect == Effect::SwapEngine {
            // Another engine numbers states otherwise.
            self.truth = Truth::of_engine(&self.limits);
        }
        match self.outside.carry_out(effect) {
            Some(effect) => written(effect),
            None => Ok(None),
        }
    }
}

/// The screen, with all that is behind it.
pub struct Screen {
    stage: Stage,
    own: Side,
    lesson: Option<(u64, Side)>,
    pace: Pace,
    pub quit: bool,
    /// What was asked of the world outside, in words; for tests to look at and to clear.
    pub asked: Vec<String>,
}

impl Deref for Screen {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

impl DerefMut for Screen {
    fn deref_mut(&mut self) -> &mut Stage {
        &mut self.stage
    }
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
        Self {
            stage: Stage::new(app),
            own: Side::start(path, limits, pace),
            pace,
            lesson: None,
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
        let effects = self.stage.update(msg);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<StageEffect>) {
        for effect in effects {
            self.asked.push(format!("{effect:?}"));
            let told = match effect {
                StageEffect::Own(Effect::Quit) => {
                    self.quit = true;
                    Vec::new()
                }
                StageEffect::Own(effect) => match self.own.carry_out(effect) {
                    Ok(Some(Msg::Saved(note))) => {
                        self.stage.say(note);
                        Vec::new()
                    }
                    Ok(Some(told)) => self.stage.update(told),
                    Ok(None) | Err(_) => Vec::new(),
                },
                StageEffect::OfLesson(serial, effect) => self.of_lesson(serial, effect),
                StageEffect::Enter(serial, lesson) => {
                    let side = Side::start(&model(&lesson), Limits::default(), self.pace);
                    self.lesson = Some((serial, side));
                    Vec::new()
                }
                StageEffect::Leave => {
                    self.lesson = None;
                    Vec::new()
                }
                StageEffect::FillShelf => {
                    self.stage.shelved(shelf());
                    Vec::new()
                }
                StageEffect::Keep(_) => Vec::new(),
                StageEffect::Look(question) => {
                    let found = looked(question, &self.own.path);
                    found.map_or_else(Vec::new, |found| self.stage.answered(found))
                }
                StageEffect::Exchange(ready) => {
                    let path = PathBuf::from(&ready.path);
                    self.own = Side::start(&path, Limits::default(), self.pace);
                    self.stage.exchanged(*ready)
                }
            };
            self.carry_out(told);
        }
    }

    fn of_lesson(&mut self, serial: u64, effect: Effect) -> Vec<StageEffect> {
        let side = self.lesson.as_mut().filter(|(here, _)| *here == serial);
        match side.map(|(_, side)| side.carry_out(effect)) {
            Some(Ok(Some(Msg::Saved(note)))) => {
                self.stage.say(note);
                Vec::new()
            }
            Some(Ok(Some(told))) => self.stage.told(serial, told),
            _ => Vec::new(),
        }
    }

    fn deliver(&mut self) -> bool {
        let mut any = false;
        while let Some(msg) = self.own.next() {
            any = true;
            if let Some(msg) = msg {
                self.send(msg);
            }
        }
        while let Some((serial, side)) = &self.lesson
            && let Some(msg) = side.next()
        {
            any = true;
            let serial = *serial;
            if let Some(msg) = msg {
                let effects = self.stage.told(serial, msg);
                self.carry_out(effects);
            }
        }
        any
    }

    fn rests(&self) -> bool {
        let lesson = self.lesson.as_ref();
        self.own.outside.is_idle() && lesson.is_none_or(|(_, side)| side.outside.is_idle())
    }

    /// Whether nothing is outstanding.
    pub fn is_idle(&mut self) -> bool {
        let idle = self.rests();
        !self.deliver() && idle && self.rests()
    }

    /// Waits until nothing is outstanding.
    pub fn settle(&mut self) {
        self.wait_for("end of what was asked", |_| false);
    }

    /// Waits until something holds, or nothing is outstanding.
    pub fn wait_for(&mut self, what: &str, done: impl Fn(&App) -> bool) {
        let start = Instant::now();
        loop {
            let idle = self.rests();
            let any = self.deliver();
            if done(&self.stage.app) || (idle && !any && self.rests()) {
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
        self.send(Msg::Tick(self.stage.app.now + milliseconds));
    }

    pub fn session(&self) -> &Session {
        self.stage.app.session.as_ref().expect("a process is open")
    }

    /// What is on the screen, with its colours.
    pub fn frame(&self) -> Buffer {
        let size = self.stage.app.size;
        let backend = TestBackend::new(size.0, size.1);
        let mut terminal = Terminal::new(backend).expect("a terminal in memory");
        terminal
            .draw(|frame| self.stage.draw(frame))
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
        let sides = [Some((&self.stage.app, &mut self.own))];
        let room = self.stage.room.as_deref();
        let lesson = room.and_then(|room| {
            let (_, side) = self.lesson.as_mut()?;
            Some((&*room.inner, side))
        });
        for (app, side) in sides.into_iter().chain([lesson]).flatten() {
            if let Load::Ready(_) = &app.load {
                let compared = side.truth.compare(&side.path, app);
                compared.map_err(|error| format!("{}: {error}", side.path.display()))?;
            }
        }
        Ok(())
    }

    /// The present state in the raw system, once it was held to it; or where its process begins.
    pub fn raw(&self, beginning: bool) -> Option<(String, State)> {
        self.own.truth.raw(&self.stage.app, beginning)
    }

    /// What is wrong with what a search from a raw state has said.
    pub fn found_differs(&mut self, from: &(String, State)) -> Result<(), String> {
        self.own.truth.compare_search(from, &self.stage.app)
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
    let lessons = shipped().filter_map(|(_, lesson)| {
        Some(ShelvedLesson {
            lesson: Arc::new(lesson.ok()?),
            file: None,
        })
    });
    Shelf {
        lessons: lessons.collect(),
        ..Shelf::default()
    }
}

fn model(lesson: &ShelvedLesson) -> PathBuf {
    let name = lesson.lesson.model.trim_start_matches("builtin:");
    repository(&format!("models/{name}.csp"))
}
