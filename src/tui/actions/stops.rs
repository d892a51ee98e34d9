//! Stop conditions of random walks.

use crate::animate::model::{EventKind, StateId, TransitionView};
use crate::animate::worker::Request;
use crate::app::{App, Effect};
use crate::facts;
use crate::finding::StopAt;

/// Stops random walks at the last condition, then at visible events, then at nothing.
pub fn stop_at(app: &mut App, _: usize) -> Vec<Effect> {
    let text = app.find.text.trim().to_string();
    match app.find.stop {
        StopAt::Nothing if !text.is_empty() => {
            app.find.watch(&text);
            app.note = format!("random walks stop where {text}");
        }
        StopAt::Nothing | StopAt::Condition => {
            app.find.stop = StopAt::Visible;
            app.note = "random walks stop after a visible event".to_string();
        }
        StopAt::Visible => {
            app.find.stop = StopAt::Nothing;
            app.note = "random walks stop at nothing".to_string();
        }
    }
    Vec::new()
}

/// Handles a step that a random walk has taken.
pub fn walked(app: &mut App, step: &TransitionView) {
    app.find.has_walked = true;
    if app.find.stop == StopAt::Visible && step.kind == EventKind::Visible {
        app.animate.walk = None;
        app.note = format!("stopped after {}", step.event);
    }
}

/// Whether a walk may go on from a state: not if the stop condition holds of it, and not while that is unknown.
pub fn may_go_on(app: &mut App, state: StateId) -> bool {
    // The first state of a walk does not stop it.
    if app.find.watched().is_none() || !app.find.has_walked {
        return true;
    }
    match app.find.known(state) {
        Some(Ok(false)) => true,
        Some(Ok(true)) => {
            app.animate.walk = None;
            app.note = format!("stopped: {}", app.find.watched().unwrap_or_default());
            false
        }
        Some(Err(failure)) => {
            app.note = format!("stopped: {}", failure.summary);
            app.animate.walk = None;
            app.find.forget_failures();
            false
        }
        None => false,
    }
}

/// The request on the stop condition of a walk, if it is needed.
#[must_use]
pub fn wanted(app: &App) -> Option<Request> {
    let text = app.find.watched()?;
    app.animate.walk.filter(|_| app.find.has_walked)?;
    let state = app.session.as_ref()?.current();
    match app.find.known(state) {
        None if facts::has_session(app).is_ok() => Some(Request::Holds(state, text.to_string())),
        _ => None,
    }
}
