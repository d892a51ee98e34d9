//! Unsaved data, and the settings of the screen in a file.

use super::app::{App, Effect, ShownState, Status, View};
use super::saving::Reloading;
use crate::report::numbers::counted;
use crate::report::run_file::RunView;
use crate::symmetry::ordering::TypeOrdering;

/// Starts the engine that loads the script once more.
pub fn begin_reload(app: &mut App) -> Vec<Effect> {
    app.files.reloading = Some(Reloading {
        since: app.now,
        info: None,
    });
    vec![Effect::Reload]
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

/// Whether the unsaved part of the walk is long enough to ask before quitting.
#[must_use]
pub fn is_long(app: &App) -> bool {
    unsaved(app) >= ASKED_FROM
}

/// The losses if the program ended now, a sentence each.
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
    if app.sizes.stage.is_active() {
        lost.push("Other sizes are being looked at: that stops.".to_owned());
    }
    if is_long(app) {
        let steps = unsaved(app);
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

/// The settings of the screen, for a file.
#[must_use]
pub fn shown(app: &App) -> RunView {
    let state = SHOWN.iter().find(|(shown, _)| *shown == app.animate.show);
    let session = app.session.as_ref();
    RunView {
        view: app.view.name().to_lowercase(),
        state: state.map_or("both", |(_, name)| name).to_owned(),
        grouped: session.is_none_or(|s| s.grouped()),
        filter: session.map_or("", |s| s.filter()).to_owned(),
        identities_first: app.orbit.order == TypeOrdering::IdentitiesFirst,
    }
}

/// Restores the settings of a file. Unknown ones are ignored. Returns the view.
pub fn show_again(app: &mut App, what: &RunView) -> View {
    if let Some((shown, _)) = SHOWN.iter().find(|(_, name)| *name == what.state) {
        app.animate.show = *shown;
    }
    if let Some(session) = &mut app.session {
        session.set_grouped(what.grouped);
        session.set_filter(&what.filter);
    }
    app.orbit.order = if what.identities_first {
        TypeOrdering::IdentitiesFirst
    } else {
        TypeOrdering::Appearance
    };
    let mut views = View::ALL.into_iter();
    let named = views.find(|view| view.name().to_lowercase() == what.view);
    named.unwrap_or(View::Animate)
}
