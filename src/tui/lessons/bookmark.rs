//! Bookmarks: the place of a lesson's screen, to return to.

use crate::animate::history::HistoryId;
use crate::app::{Animate, App, Orbit, PendingKeys};
use crate::comparing::CompareData;
use crate::views::{Pane, View};

/// The view and the state. Results of the engine are kept when a user goes back.
#[derive(Clone, Debug)]
pub(super) struct Bookmark {
    place: Option<(HistoryId, bool, String)>,
    view: View,
    focus: [Pane; View::COUNT],
    lower: [Pane; View::COUNT],
    animate: Animate,
    orbit: Orbit,
    compare: CompareData,
    check: usize,
}

impl Bookmark {
    /// Records where a person is in the history, and what the views show.
    pub(super) fn of(app: &App) -> Self {
        let place = app.session.as_ref().map(|session| {
            let filter = session.filter().to_owned();
            (session.history.current(), session.grouped(), filter)
        });
        Self {
            place,
            view: app.view,
            focus: app.focus,
            lower: app.lower,
            animate: app.animate.clone(),
            orbit: app.orbit.clone(),
            compare: app.compare.clone(),
            check: app.checks.selected,
        }
    }

    /// Brings a screen back there. The history is a tree that forgets nothing, so the state is still known.
    pub(super) fn restore(&self, app: &mut App) {
        if let (Some(session), Some((place, grouped, filter))) = (&mut app.session, &self.place) {
            session.jump(*place);
            session.set_grouped(*grouped);
            session.set_filter(filter);
        }
        app.view = self.view;
        app.focus = self.focus;
        app.lower = self.lower;
        app.animate = self.animate.clone();
        app.animate.walk = None;
        app.orbit = self.orbit.clone();
        app.orbit.playing = false;
        app.compare = self.compare.clone();
        app.checks.selected = self.check;
        app.overlay = None;
        app.typed = PendingKeys::default();
        app.note.clear();
    }
}
