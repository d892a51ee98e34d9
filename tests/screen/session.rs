//! The screen around the real engine, without a terminal: keys go in, what is shown is held to the raw
//! system.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use orbitscope::animate::checker::run_from_file;
use orbitscope::animate::checker::{Checker, Runners};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::history::{HistoryId, Origin};
use orbitscope::animate::model::{Engine, UniquenessView};
use orbitscope::animate::racer::race_from_file;
use orbitscope::animate::session::{Session, Target};
use orbitscope::animate::worker::{Busy, EngineWorker};
use orbitscope::check::Options;
use orbitscope::check::keeping::KeepingKind;
use orbitscope::check::race::RaceOptions;
use orbitscope::source::Limits;
use orbitscope::symmetry::StrategyKind;
use orbitscope::tui::app::{App, Effect, Load, Msg};
use orbitscope::tui::keys;
use orbitscope::tui::theme::Theme;
use orbitscope::tui::update::update;
use orbitscope::tui::view::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::oracle::{Oracle, State};

/// Checks and races as the program runs them, with limits that keep tests short.
fn runners(path: &Path) -> Runners {
    let limits = Limits {
        states_max: 20_000,
        ..Limits::default()
    };
    let options = Options {
        keeping: StrategyKind::Walk.into(),
        threads: 1,
        limits: limits.with_timeout(Duration::from_secs(2)),
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
        timeout: Some(Duration::from_millis(200)),
    };
    let (checked, raced) = (path.to_path_buf(), path.to_path_buf());
    Runners {
        check: Arc::new(move |request, cancel, report| {
            run_from_file(&checked, request, &options, cancel, report);
        }),
        race: Arc::new(move |request, cancel, report| {
            race_from_file(&raced, request, &race, cancel, report);
        }),
    }
}

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

enum Incoming {
    Msg(Msg),
    Checks,
}

/// The screen, with the threads that are behind it.
pub struct Screen {
    pub app: App,
    path: PathBuf,
    worker: EngineWorker,
    checker: Checker,
    incoming: Receiver<Incoming>,
    busy: Busy,
    pub quit: bool,
    truth: Truth,
}

impl Screen {
    /// A screen whose script is being loaded.
    pub fn start(path: &Path, process: Option<&str>, limits: Limits) -> Self {
        let (to, incoming) = channel();
        let busy = Busy::default();
        let answers = to.clone();
        let script = path.to_path_buf();
        let engine = Box::new(move |cancel: &_| {
            let engine = ScriptEngine::load_within(script, limits, cancel)?;
            Ok(Box::new(engine) as Box<dyn Engine>)
        });
        let worker = EngineWorker::start(engine, busy.clone(), move |answer| {
            let _ = answers.send(Incoming::Msg(Msg::Engine(Box::new(answer))));
        });
        let checker = Checker::start(runners(path), busy.clone(), move || {
            let _ = to.send(Incoming::Checks);
        });
        let theme = Theme::new(false, false);
        let shown = path.display().to_string();
        Self {
            app: App::new(&shown, process.map(str::to_owned), theme, (120, 36)),
            path: path.to_path_buf(),
            worker: worker.expect("a thread"),
            checker: checker.expect("a thread"),
            incoming,
            busy,
            quit: false,
            truth: Truth::default(),
        }
    }

    /// A screen on which a process is open.
    pub fn open_at(path: &Path, process: Option<&str>) -> Self {
        let mut screen = Self::start(path, process, Limits::default());
        screen.settle();
        screen
    }

    pub fn send(&mut self, msg: Msg) {
        for effect in update(&mut self.app, msg) {
            match effect {
                Effect::Ask(request) => {
                    self.worker.ask(request);
                }
                Effect::CancelRequests => self.worker.cancel_all(),
                Effect::Check(request) => self.checker.submit(request),
                Effect::Race(request) => self.checker.submit_race(request),
                Effect::CancelChecks => self.checker.cancel_all(),
                Effect::Quit => self.quit = true,
                _ => {}
            }
        }
    }

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

    /// Whether nothing is outstanding.
    pub fn is_idle(&mut self) -> bool {
        let idle = self.busy.is_idle();
        !self.deliver() && idle && self.busy.is_idle()
    }

    /// Waits until nothing is outstanding.
    pub fn settle(&mut self) {
        self.wait_for("end of what was asked", |_| false);
    }

    /// Waits until something holds, or nothing is outstanding.
    pub fn wait_for(&mut self, what: &str, done: impl Fn(&App) -> bool) {
        let start = Instant::now();
        loop {
            let idle = self.busy.is_idle();
            let any = self.deliver();
            if done(&self.app) || (idle && !any && self.busy.is_idle()) {
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
                self.send(Msg::Tick(self.app.now + 1000));
            }
        }
    }

    pub fn session(&self) -> &Session {
        self.app.session.as_ref().expect("a process is open")
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        let backend = TestBackend::new(self.app.size.0, self.app.size.1);
        let mut terminal = Terminal::new(backend).expect("a terminal in memory");
        terminal
            .draw(|frame| view(&self.app, frame))
            .expect("it can be drawn");
        let buffer = terminal.backend().buffer();
        let row = |y| -> String {
            let cells = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol());
            cells.collect::<String>().trim_end().to_owned() + "\n"
        };
        (0..buffer.area.height).map(row).collect()
    }

    /// Holds what is said of the present state to the raw system.
    #[track_caller]
    pub fn compare(&mut self) {
        if let (Load::Ready(_), Some(session)) = (&self.app.load, &self.app.session)
            && let Err(error) = self.truth.compare(&self.path, session)
        {
            panic!("{}: {error}\n{}", self.path.display(), self.text());
        }
    }
}

/// The raw system beside a session.
#[derive(Default)]
struct Truth {
    /// By process: none for those that cannot be compared.
    oracles: BTreeMap<String, Option<Oracle>>,
    /// The raw states that a place of the history may stand for.
    places: BTreeMap<HistoryId, Vec<State>>,
    /// The process of each network.
    processes: BTreeMap<u32, String>,
    /// Where the test saw the person: network, and texts of state and orbit.
    visited: BTreeSet<(u32, Vec<String>)>,
    orbits: BTreeSet<(u32, Vec<String>)>,
}

impl Truth {
    fn compare(&mut self, path: &Path, session: &Session) -> Result<(), String> {
        let process = session.history.process().to_owned();
        let network = session.current().network;
        let before = self.processes.entry(network).or_insert(process.clone());
        if *before != process {
            return Err(format!("{before} and {process} are one network"));
        }
        let oracles = &mut self.oracles;
        if !oracles.contains_key(&process) {
            oracles.insert(process.clone(), Oracle::open(path, &process));
        }
        let Some(Some(oracle)) = oracles.get_mut(&process) else {
            return Ok(());
        };
        let here = session.history.current();
        let places = &mut self.places;
        let history = &session.history;
        for place in history
            .ids()
            .filter(|id| history.node(*id).state.network == network)
        {
            raw_states(oracle, places, session, place);
        }
        let Some(view) = session.view() else {
            return Ok(());
        };
        let shown: Vec<String> = view.components.iter().map(|c| c.text.clone()).collect();
        if shown.iter().any(|text| text.contains("(expression)")) {
            // It is called otherwise where it is a definition of its own.
            return Ok(());
        }
        let candidates = places.get_mut(&here).ok_or("no place")?;
        candidates.retain(|state| oracle.raw.texts(state) == shown);
        let Some(state) = candidates.first().cloned() else {
            return Err(format!("{shown:?} is not where the history leads"));
        };
        oracle.compare(&state, view)?;
        if let Some(rep) = &view.representative
            && matches!(
                rep.uniqueness,
                UniquenessView::Proved(_) | UniquenessView::AllPicksAgree(_)
            )
            && oracle.several_representatives(&shown)
        {
            return Err(format!("{}, but it is not", rep.uniqueness.badge()));
        }
        self.visited.insert((network, shown.clone()));
        let orbit = oracle.orbit_of(&shown);
        self.orbits.extend(orbit.map(|(least, _)| (network, least)));
        self.compare_targets(session, &process, &state)
    }

    /// Where transitions lead: to what was visited, or not.
    fn compare_targets(
        &mut self,
        session: &Session,
        process: &str,
        state: &State,
    ) -> Result<(), String> {
        let network = session.current().network;
        let Some(Some(oracle)) = self.oracles.get_mut(process) else {
            return Ok(());
        };
        let Some(view) = session.view() else {
            return Ok(());
        };
        let passed: BTreeSet<Vec<String>> = session
            .history
            .ids()
            .filter(|id| session.history.node(*id).state.network == network)
            .filter_map(|id| self.places.get(&id))
            .flatten()
            .map(|state| oracle.raw.texts(state))
            .collect();
        let here = oracle.raw.texts(state);
        let steps = oracle.raw.steps(state).unwrap_or_default();
        for transition in &view.transitions {
            let said = session.preview(transition).target;
            let target = steps.iter().find(|((kind, event, texts), _)| {
                *kind == transition.kind
                    && *event == transition.event
                    && transition
                        .movers
                        .iter()
                        .all(|(at, _, after)| texts.get(*at) == Some(after))
            });
            let Some(((_, event, texts), target)) = target else {
                continue;
            };
            let alone = steps
                .iter()
                .filter(|((_, e, t), _)| e == event && t != texts)
                .count()
                == 0;
            if !alone && transition.movers.len() < texts.len() {
                // Another step with the same event may be meant.
                continue;
            }
            let orbit = oracle.orbit_of(texts).map(|(least, _)| least);
            let seen = self.visited.contains(&(network, texts.clone()));
            let orbit_seen = orbit
                .as_ref()
                .is_some_and(|o| self.orbits.contains(&(network, o.clone())));
            let wrong = match said {
                Target::Here => *texts != here,
                Target::Deadlock => oracle.raw.steps(target).is_some_and(|s| !s.is_empty()),
                Target::VisitedState => !passed.contains(texts),
                Target::VisitedOrbit => {
                    orbit.is_some()
                        && !orbit_seen
                        && passed.iter().all(|p| {
                            oracle
                                .orbit_of(p)
                                .is_some_and(|(least, _)| Some(least) != orbit)
                        })
                }
                Target::New => seen || orbit_seen,
            };
            if wrong {
                return Err(format!("{event} to {texts:?}: {said:?} is said"));
            }
        }
        Ok(())
    }
}

/// The raw states that the steps of the history to a place may lead to.
fn raw_states(
    oracle: &mut Oracle,
    places: &mut BTreeMap<HistoryId, Vec<State>>,
    session: &Session,
    place: HistoryId,
) {
    if places.contains_key(&place) {
        return;
    }
    let node = session.history.node(place);
    let states = match (&node.origin, node.parent) {
        (Origin::Step(taken), Some(parent)) => {
            let mut states: Vec<State> = Vec::new();
            for before in places.get(&parent).cloned().unwrap_or_default() {
                for ((kind, event, _), after) in oracle.raw.steps(&before).unwrap_or_default() {
                    let same = event.split_whitespace().eq(taken.event.split_whitespace());
                    let kinds = kind == taken.kind || taken.kind == Default::default();
                    if same && kinds && !states.contains(&after) {
                        states.push(after);
                    }
                }
            }
            states
        }
        _ => vec![oracle.raw.initial()],
    };
    places.insert(place, states);
}
