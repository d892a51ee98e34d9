//! Everything that the screen shows: data only. `update` changes it, `view` draws it.

use std::collections::{BTreeMap, VecDeque};

use crate::animate::model::{
    CheckOutcome, Counterexample, ErrorText, Explanation, PlannedView, Progress, RepView,
    ScriptInfo, StrategyKind, StrategyView, TypeOrdering,
};
use crate::animate::session::{Fetched, Session};
use crate::animate::worker::Request;
use crate::source::hash::Map;

use super::answers::Answers;
use super::comparing::CompareData;
pub use super::effect::{Effect, Msg, WantedLesson, WorkReached};
use super::finding::FindData;
use super::graphing::GraphData;
use super::lessons::lesson::Shelf;
use super::lessons::room::LessonRoom;
use super::menu_group::MenuGroup;
pub use super::orbiting::{Orbit, SPEEDS};
use super::paired::CheckPair;
use super::playing::PlayingData;
use super::racing::RaceData;
use super::reading::ReadingData;
use super::saving::WalkFiles;
use super::settings::Settings;
use super::sizing::SizesData;
use super::structuring::StructureData;
use super::text_line::TextLine;
use super::theme::Theme;
use super::trail::TrailPlace;
pub use super::views::{KeyPage, KeyPlace, ListedComponents, Pane, ShownState, View};
use super::welcome::WelcomeScreen;
use super::welcome::paths::ReadyScript;

/// The state of loading the script.
#[derive(Clone, Debug)]
pub enum Load {
    /// The engine is being built.
    Loading,
    /// The script can be used.
    Ready(ScriptInfo),
    /// The script cannot be used, for these reasons.
    Failed(Vec<ErrorText>),
}

/// Steps that are still to be taken one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingSteps {
    /// This many random steps.
    Random(usize),
    /// The last event again, so many times.
    Repeat(usize),
}

/// The Animate view's own data.
#[derive(Clone, Debug)]
pub struct Animate {
    /// Selected group, as an index into those of the session.
    pub group: usize,
    /// Selected member of the group.
    pub member: usize,
    /// Selected line of the history; `None` follows the present place.
    pub history: Option<usize>,
    /// Raw, representative or both.
    pub show: ShownState,
    /// The components that are listed.
    pub listed: ListedComponents,
    /// Only components that contain this.
    pub state_filter: String,
    /// The selected component, if one was selected.
    pub component: Option<usize>,
    /// Whether silent steps in a row are one line of the history.
    pub fold_silent: bool,
    /// Steps still to be taken.
    pub walk: Option<PendingSteps>,
}

/// The status of an assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Not checked yet.
    Idle,
    /// The check waits for others.
    Queued,
    /// The check is running.
    Running,
    /// The check ended.
    Done(Box<CheckOutcome>),
    /// Was checked before the script was changed: it may be otherwise now.
    Stale(Box<CheckOutcome>),
}

/// The Check view's own data.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// The status of each assertion.
    pub status: Vec<Status>,
    /// Selected assertion, as an index into those of the script.
    pub selected: usize,
    /// The plans of assertions, by number and requested reduction.
    pub planned: Map<(usize, Option<bool>), Result<PlannedView, ErrorText>>,
    /// Whether the first failure is to be selected: all assertions were asked for, and none was selected since.
    pub seeks_failure: bool,
    /// Assertions that are checked with reduction and without it, by number.
    pub pairs: Map<usize, CheckPair>,
    /// Number of the running check and its progress.
    pub running: Option<(usize, Progress)>,
    /// When it began, in milliseconds since the start of the screen.
    pub began: u64,
    /// States a second, latest last.
    pub rates: Vec<f64>,
    /// The largest queue that was seen.
    pub peak: u64,
    /// `None`: as the assertion says.
    pub reduction: Option<bool>,
    /// The place of the user in the counterexample.
    pub trail: TrailPlace,
    /// Whether only visible events have columns in the counterexample.
    pub visible_only: bool,
    /// The path in the reduced automaton instead.
    pub quotient: bool,
    /// Only rows that contain this.
    pub filter: String,
    /// Folders in which a check of the script was interrupted.
    pub interrupted: Vec<String>,
}

impl Checks {
    /// The outcome of the selected assertion.
    #[must_use]
    pub fn outcome(&self) -> Option<&CheckOutcome> {
        match self.status.get(self.selected) {
            Some(Status::Done(outcome) | Status::Stale(outcome)) => Some(outcome),
            _ => None,
        }
    }

    /// Whether a check is running or waits.
    #[must_use]
    pub fn active(&self) -> bool {
        self.status
            .iter()
            .any(|s| matches!(s, Status::Queued | Status::Running))
            || self.pairs.values().any(CheckPair::is_active)
    }
}

/// A searchable list: its query and the selected entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSearch {
    /// The typed query; empty for all entries.
    pub query: String,
    /// The selected entry of the filtered list, from 0.
    pub selected: usize,
    /// Why what was typed could not be done; empty once it is changed.
    pub wrong: String,
}

/// Something drawn over the view that takes the keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Overlay {
    /// The commands that work here.
    Help(ListSearch),
    /// The palette: all commands, with processes and assertions of the script.
    Palette(ListSearch),
    /// The groups of commands, or the commands of one group.
    Menu(Option<MenuGroup>),
    /// A text to read.
    Message {
        /// The heading.
        title: String,
        /// The text.
        text: String,
        /// The first line shown.
        scroll: usize,
    },
    /// The history, where it has no pane.
    History,
    /// A condition on states is being typed.
    Find,
    /// The states to compare with, and the selected entry.
    Compare(usize),
    /// A filter is being typed; the text before it is kept for Esc.
    Filter(String),
    /// The texts to copy, and whether to a file.
    Yank {
        /// To a file, and not to the clipboard.
        to_file: bool,
    },
    /// The lessons, and the selected one.
    Lessons(Box<Shelf>, usize),
    /// Open this script although something would be lost?
    Exchange(Box<ReadyScript>),
    /// Write this file although it is large? The text says how large.
    Write(Box<Effect>, String),
    /// Quit although a check is running?
    Quit,
}

/// Keys that do not act yet.
#[derive(Clone, Debug, Default)]
pub struct PendingKeys {
    /// Digits of a count.
    pub count: String,
    /// The digits since `origin`, of which some have acted as keys.
    pub chain: String,
    /// When the last digit was typed.
    pub at: u64,
    /// First key of a sequence.
    pub prefix: Option<String>,
    /// The view in which the count began, if its digits were numbers of views.
    pub origin: Option<View>,
}

/// Seed of random walks.
pub const SEED: u64 = 0;

/// The data of the screen.
#[derive(Debug)]
pub struct App {
    /// Columns and rows of the views: of the terminal, or of the part that a lesson leaves them.
    pub size: (u16, u16),
    /// Colours and characters of borders.
    pub theme: Theme,
    /// Whether the mouse is captured.
    pub mouse: bool,
    /// The user's settings.
    pub settings: Settings,
    /// Milliseconds since the start.
    pub now: u64,
    /// The script, as the user gave it.
    pub path: String,
    /// The process to open first.
    pub process: Option<String>,
    /// Events to perform first, if some were given.
    pub trace: Option<Vec<String>>,
    /// A counterexample to open instead of a process, if one was given.
    pub counterexample: Option<Counterexample>,
    /// The state of loading the script.
    pub load: Load,
    /// The animation, once a process was opened.
    pub session: Option<Session>,
    /// Whether the process that is being opened is the first one, which nobody asked for.
    pub opens_first: bool,
    /// Why the last process could not be opened.
    pub open_failure: Option<ErrorText>,
    /// Requests that are not answered.
    pub pending: Vec<Request>,
    /// The view shown.
    pub view: View,
    /// The focused pane of each view.
    pub focus: [Pane; View::COUNT],
    /// The pane in the lower half of each view, where only two fit.
    pub lower: [Pane; View::COUNT],
    /// Whether the focused pane fills the screen.
    pub zoom: bool,
    /// The overlay over the view.
    pub overlay: Option<Overlay>,
    /// Keys that do not act yet.
    pub typed: PendingKeys,
    /// The letter that the command which runs was given, as `a` of `ma`.
    pub letter: Option<char>,
    /// A short message until the next key.
    pub note: String,
    /// The stages of the work that goes on.
    pub reached: WorkReached,
    /// Keys that a line of commands presses, as soon as nothing is asked of the engine.
    pub to_press: VecDeque<crossterm::event::KeyEvent>,
    /// The last failed request of the user, until the next line of commands.
    pub failed: Option<String>,
    /// The number of hints on the keys of commands, by command id, for a user who did not press them.
    pub taught: BTreeMap<&'static str, u8>,
    /// Scroll offsets of panes without a selection.
    pub scroll: [usize; Pane::COUNT],
    /// Place and time of the last click.
    pub click: Option<(u16, u16, u64)>,
    /// The data of the Animate view.
    pub animate: Animate,
    /// The data of the Orbit view.
    pub orbit: Orbit,
    /// The data of the Compare view.
    pub compare: CompareData,
    /// The data of the Check view.
    pub checks: Checks,
    /// The data of the Graph view.
    pub graph: GraphData,
    /// The data of the Source view.
    pub reading: ReadingData,
    /// The race that was asked for last.
    pub race: RaceData,
    /// What was asked about other sizes last.
    pub sizes: SizesData,
    /// The files of the walk.
    pub files: WalkFiles,
    /// The answers of the engine that panes show.
    pub answers: Answers,
    /// The data of the Structure view.
    pub structure: StructureData,
    /// The data of the Symmetry view.
    pub playing: PlayingData,
    /// The data of the search for a state.
    pub find: FindData,
    /// The line of text that is being typed.
    pub line: TextLine,
    /// The welcome page over the views.
    pub welcome: Option<Box<WelcomeScreen>>,
    /// The lesson over the views, which are those of its model.
    pub lesson: Option<Box<LessonRoom>>,
}

impl App {
    /// A screen on which the script is loading.
    #[must_use]
    // In one piece: the first screen, field by field.
    pub fn new(path: &str, process: Option<String>, theme: Theme, size: (u16, u16)) -> Self {
        Self {
            size,
            theme,
            mouse: true,
            settings: Settings::default(),
            now: 0,
            path: path.to_string(),
            process,
            trace: None,
            counterexample: None,
            load: Load::Loading,
            session: None,
            opens_first: false,
            open_failure: None,
            pending: Vec::new(),
            view: View::Animate,
            focus: View::ALL.map(View::main_pane),
            lower: View::ALL.map(View::second_pane),
            zoom: false,
            overlay: None,
            typed: PendingKeys::default(),
            letter: None,
            note: String::new(),
            reached: WorkReached::default(),
            to_press: VecDeque::new(),
            failed: None,
            taught: BTreeMap::new(),
            scroll: [0; Pane::COUNT],
            click: None,
            animate: Animate {
                group: 0,
                member: 0,
                history: None,
                show: ShownState::Both,
                listed: ListedComponents::default(),
                state_filter: String::new(),
                component: None,
                fold_silent: false,
                walk: None,
            },
            orbit: Orbit {
                state: None,
                frame: 0,
                component: 0,
                column: 0,
                table: true,
                edges: true,
                playing: false,
                speed: 1,
                due: 0,
                counted: None,
                until: None,
                order: TypeOrdering::Appearance,
                strategy: StrategyKind::Ordering,
            },
            compare: CompareData::default(),
            checks: Checks::default(),
            graph: GraphData::default(),
            reading: ReadingData::default(),
            race: RaceData::default(),
            sizes: SizesData::default(),
            files: WalkFiles::default(),
            answers: Answers::default(),
            structure: StructureData::default(),
            playing: PlayingData::default(),
            find: FindData::default(),
            line: TextLine::default(),
            welcome: None,
            lesson: None,
        }
    }

    /// A screen on which another script is loading, in the same terminal.
    #[must_use]
    pub fn beside(&self, path: &str, process: Option<String>) -> Self {
        let mut app = Self::new(path, process, self.theme, self.terminal());
        app.settings.clone_from(&self.settings);
        app.keep_up(self);
        app
    }

    /// Takes over from another screen of the same terminal what belongs to the person and not to the script.
    pub fn keep_up(&mut self, other: &Self) {
        self.theme = other.theme;
        self.mouse = other.mouse;
        self.now = other.now;
        self.taught.clone_from(&other.taught);
    }

    /// Whether a script is open, or is being opened.
    #[must_use]
    pub fn has_script(&self) -> bool {
        !self.path.is_empty()
    }

    /// Columns and rows of the terminal.
    #[must_use]
    pub fn terminal(&self) -> (u16, u16) {
        self.lesson
            .as_ref()
            .map_or(self.size, |room| room.parked.size)
    }

    /// The place where keys have a meaning now.
    #[must_use]
    pub fn place(&self) -> KeyPlace {
        match (&self.lesson, &self.welcome) {
            (Some(room), _) if !room.in_view => KeyPlace::On(KeyPage::Card),
            (None, Some(screen)) => KeyPlace::On(screen.key_page()),
            _ => KeyPlace::In(self.view, self.pane()),
        }
    }

    /// The script, once it is loaded.
    #[must_use]
    pub fn info(&self) -> Option<&ScriptInfo> {
        match &self.load {
            Load::Ready(info) => Some(info),
            _ => None,
        }
    }

    /// The focused pane of the present view.
    #[must_use]
    pub fn pane(&self) -> Pane {
        self.focus[self.view as usize]
    }

    /// Focuses a pane of the present view.
    pub fn focus_on(&mut self, pane: Pane) {
        let view = self.view as usize;
        self.focus[view] = pane;
        if self.view.panes().first() != Some(&pane) {
            self.lower[view] = pane;
        }
    }

    /// The explanation of the present state's representative, if the engine has given one.
    #[must_use]
    pub fn explained(&self) -> Option<&Fetched<Explanation>> {
        let session = self.session.as_ref()?;
        session.explanation(session.current(), self.orbit.order)
    }

    /// The explanation, if it could be computed.
    #[must_use]
    pub fn explanation(&self) -> Option<&Explanation> {
        self.explained()?.as_ref().ok().map(AsRef::as_ref)
    }

    /// The choice of a strategy for the present state, if the engine has replied.
    #[must_use]
    pub fn strategy(&self, kind: StrategyKind) -> Option<&Fetched<StrategyView>> {
        let session = self.session.as_ref()?;
        session.strategy(session.current(), kind)
    }

    /// The choice of the strategy that Orbit shows, if it is not `ordering`.
    #[must_use]
    pub fn other_strategy(&self) -> Option<&StrategyView> {
        let kind = Some(self.orbit.strategy).filter(|_| !self.orbit.counts());
        self.strategy(kind?)?.as_ref().ok().map(AsRef::as_ref)
    }

    /// Whether a check, a race or a question about other sizes is running or waits.
    #[must_use]
    pub fn is_checking(&self) -> bool {
        self.checks.active() || self.race.is_active() || self.sizes.stage.is_active()
    }

    /// Steps of the strategy that Orbit shows.
    #[must_use]
    pub fn frames(&self) -> usize {
        if self.orbit.counts() {
            self.explanation().map_or(0, |e| e.trace.steps.len())
        } else {
            self.other_strategy().map_or(0, |s| s.steps.len())
        }
    }

    /// The representative of the present state, types ordered as in the explanation beside it; none while
    /// that is not known.
    #[must_use]
    pub fn representative(&self) -> Option<&RepView> {
        let view = self.session.as_ref()?.view()?;
        match self.orbit.order {
            TypeOrdering::Appearance => view.representative.as_ref(),
            TypeOrdering::IdentitiesFirst => {
                view.representative.as_ref()?;
                Some(&self.explanation()?.representative)
            }
        }
    }

    /// Whether the data must be updated as time passes.
    #[must_use]
    pub fn wants_ticks(&self) -> bool {
        // A running request shows its time.
        let moves = self.orbit.playing
            || self.playing.plays
            || self.graph.moves()
            || self.files.reloading.is_some()
            || self.waits();
        self.has_script() && moves
    }

    /// Whether there is work whose stage is to be looked at now and then.
    #[must_use]
    pub fn watches_work(&self) -> bool {
        self.has_script() && (self.waits() || self.checks.running.is_some())
    }

    /// Milliseconds until the clock of a presentation shows the next second; none where there is no clock.
    #[must_use]
    pub fn next_second(&self) -> Option<u64> {
        let room = self.lesson.as_ref()?;
        room.clock(self.now)?;
        Some(1_000 - self.now.saturating_sub(room.began) % 1_000)
    }

    /// Whether a request or the loading of the script is outstanding.
    #[must_use]
    pub fn waits(&self) -> bool {
        !self.pending.is_empty() || matches!(self.load, Load::Loading)
    }

    /// Shows a text to read.
    pub fn tell(&mut self, title: &str, text: &str) {
        self.overlay = Some(Overlay::Message {
            title: title.to_string(),
            text: text.to_string(),
            scroll: 0,
        });
    }
}
