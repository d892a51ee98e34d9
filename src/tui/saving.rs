//! What the screen knows of files of its walk.

use std::path::PathBuf;

use super::app::{App, ShownState, Status, View};
use crate::animate::history::HistoryId;
use crate::animate::model::ScriptInfo;
use crate::animate::session_file::{SessionFile, SessionView};
use crate::animate::tracing::TraceRun;
use crate::report::numbers::counted;
use crate::symmetry::ordering::TypeOrdering;

/// A file, and what was in it when it was last read or written here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Where it is.
    pub path: PathBuf,
    /// The hash of its contents.
    pub hash: String,
}

/// A session that is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningSession {
    /// What it holds.
    pub session: SessionFile,
    /// Where it was read from; none if it was kept when the program ended unexpectedly.
    pub file: Option<KnownFile>,
}

/// A session that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionWriting {
    /// What is to be in the file; it has no name for the script yet, since that depends on the folder.
    pub session: SessionFile,
    /// The script, as the user gave it.
    pub script: String,
    /// The file that was asked for; otherwise the one that is known, or a new one.
    pub to: Option<PathBuf>,
    /// The file that the walk was read from, or written to before.
    pub known: Option<KnownFile>,
    /// Entries of the walk.
    pub entries: usize,
}

/// A session that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionWritten {
    /// Where it is now.
    pub file: KnownFile,
    /// Entries of the walk.
    pub entries: usize,
    /// What to say besides.
    pub remark: String,
}

/// What is to be written once the engine has told what a record needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedWriting {
    /// The entries that it was asked about.
    pub ids: Vec<HistoryId>,
    /// What for.
    pub purpose: Purpose,
}

/// What the engine is asked about steps for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To write them to this file, or to the one that is known, or to a new one.
    Write(Option<PathBuf>),
    /// To follow them with the script as it is now.
    Reload,
}

/// A script that is being loaded once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloading {
    /// When that began.
    pub since: u64,
    /// What is known of it, once it is loaded and its walk is followed.
    pub info: Option<ScriptInfo>,
}

/// What is known of files of the walk.
#[derive(Clone, Debug, Default)]
pub struct WalkFiles {
    /// A session to open once the script is there.
    pub opening: Option<Box<OpeningSession>>,
    /// The file that the walk was read from or written to last.
    pub file: Option<KnownFile>,
    /// How many entries of the history are in that file.
    pub saved: usize,
    /// Files of the script that are not as they were when they were read.
    pub changed: Vec<String>,
    /// The script is being loaded again.
    pub reloading: Option<Reloading>,
    /// What is being written.
    pub awaited: Option<AwaitedWriting>,
    /// A trace that was followed step by step as far as it went, while its silent steps are looked for.
    pub half: Option<Box<TraceRun>>,
    /// The file that keeps the walk while the program runs.
    pub keeper: Option<PathBuf>,
    /// How many entries of the history are in it.
    pub kept: usize,
    /// A walk that was left behind by a program that ended unexpectedly, and its file.
    pub left: Option<(SessionFile, PathBuf)>,
    /// The file of a walk that was left behind and is being opened.
    pub recovering: Option<PathBuf>,
    /// When the engine was last asked while it had nothing to do.
    pub busy_since: u64,
    /// Whether to end the program once it is written.
    pub quitting: bool,
}

/// Entries of the walk that no file has.
#[must_use]
pub fn unsaved(app: &App) -> usize {
    let entries = app.session.as_ref().map_or(0, |s| s.history.ids().count());
    // A process that was opened and nothing else is no work that could be lost.
    entries.saturating_sub(app.files.saved.max(1))
}

/// Steps from which on it is asked whether they are to be saved.
const ASKED_FROM: usize = 11;

/// What would be lost if the program ended now, a sentence each.
#[must_use]
pub fn at_stake(app: &App) -> Vec<String> {
    let mut lost = Vec::new();
    let waiting = app.checks.status.iter();
    let waiting = waiting.filter(|s| matches!(s, Status::Queued)).count();
    match (&app.checks.running, app.checks.active()) {
        (Some((number, _)), _) => {
            lost.push(format!("Assertion {number} is being checked: it stops."));
        }
        (None, true) => lost.push("A check is running: it stops.".to_owned()),
        (None, false) => {}
    }
    if waiting > 0 {
        let waiting = counted(waiting as u64, "check");
        lost.push(format!("Waiting: {waiting}."));
    }
    if app.race.is_active() {
        lost.push("A race is running: it stops.".to_owned());
    }
    let steps = unsaved(app);
    if steps >= ASKED_FROM {
        lost.push(format!("{steps} steps of the walk are not saved."));
    }
    lost
}

const SHOWN: [(ShownState, &str); 4] = [
    (ShownState::Both, "both"),
    (ShownState::Raw, "raw"),
    (ShownState::Rep, "rep"),
    (ShownState::Counted, "counted"),
];

/// What is shown, for a file.
#[must_use]
pub fn shown(app: &App) -> SessionView {
    let state = SHOWN.iter().find(|(shown, _)| *shown == app.animate.show);
    let session = app.session.as_ref();
    SessionView {
        view: app.view.name().to_lowercase(),
        state: state.map_or("both", |(_, name)| name).to_owned(),
        grouped: session.is_none_or(|s| s.grouped()),
        filter: session.map_or("", |s| s.filter()).to_owned(),
        identities_first: app.orbit.order == TypeOrdering::IdentitiesFirst,
    }
}

/// Shows what a file says was shown. What it does not know stays as it is; gives the view.
pub fn show_again(app: &mut App, what: &SessionView) -> View {
    if let Some((shown, _)) = SHOWN.iter().find(|(_, name)| *name == what.state) {
        app.animate.show = *shown;
    }
    if let Some(session) = &mut app.session {
        session.set_grouped(what.grouped);
        session.set_filter(&what.filter);
    }
    app.orbit.order = match what.identities_first {
        true => TypeOrdering::IdentitiesFirst,
        false => TypeOrdering::Appearance,
    };
    let mut views = View::ALL.into_iter();
    let named = views.find(|view| view.name().to_lowercase() == what.view);
    named.unwrap_or(View::Animate)
}
