//! Commands that search for a state, and stop random walks at one.

use super::{animate, motion};
use crate::animate::found::{FindStart, FoundView};
use crate::animate::model::{ErrorText, EventKind, StateId, TransitionView};
use crate::animate::worker::{Reply, Request};
use crate::tui::app::{App, Effect, Overlay, View};
use crate::tui::command::Availability;
use crate::tui::facts;
use crate::tui::finding::{FindQuestion, StopAt};
use crate::tui::panes;
use crate::tui::requests::ask;

/// Whether a search can begin.
pub fn can_find(app: &App) -> Availability {
    facts::has_session(app)?;
    match app.find.question {
        Some(_) => Err("a search is going on; Esc cancels it".to_string()),
        None => Ok(()),
    }
}

/// Begins to type a condition.
pub fn find(app: &mut App, _: usize) -> Vec<Effect> {
    app.overlay = Some(Overlay::Find);
    Vec::new()
}

/// A key while a condition is typed.
pub fn typing(app: &mut App, key: &str) -> Vec<Effect> {
    app.overlay = Some(Overlay::Find);
    match key {
        "esc" => app.overlay = None,
        "enter" => return search(app),
        "tab" => complete(app),
        "up" => app.find.start = FindStart::Here,
        "down" => app.find.start = FindStart::Beginning,
        "ctrl-u" => app.find.text.clear(),
        _ => {
            crate::tui::overlay::type_into(&mut app.find.text, key);
            app.find.failure = None;
        }
    }
    Vec::new()
}

/// Completes the word that is being typed, as far as all that it may be agree.
fn complete(app: &mut App) {
    let names = panes::find::candidates(app);
    let Some(first) = names.first() else { return };
    let agreed = |n: usize| names.iter().all(|name| name.get(..n) == first.get(..n));
    let longest = (0..=first.len()).rev();
    let longest = longest
        .filter(|n| first.is_char_boundary(*n))
        .find(|n| agreed(*n));
    let from = panes::find::last_word(&app.find.text);
    app.find.text.truncate(from);
    app.find.text.push_str(&first[..longest.unwrap_or(0)]);
}

/// Searches for what was typed.
pub fn search(app: &mut App) -> Vec<Effect> {
    let text = app.find.text.trim().to_string();
    if text.is_empty() || app.find.question.is_some() {
        return Vec::new();
    }
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let question = FindQuestion {
        place: session.history.current(),
        state: session.current(),
        start: app.find.start,
        text: text.clone(),
    };
    let request = Request::Find(question.state, question.start, text);
    app.find.question = Some(question);
    app.find.said.clear();
    app.overlay = None;
    ask(app, request).into_iter().collect()
}

/// What the engine says of conditions.
pub fn told(app: &mut App, reply: Reply, cancelled: bool) {
    match reply {
        Reply::Found(state, start, text, result) => {
            let request = Request::Find(state, start, text);
            app.pending.retain(|r| *r != request);
            found(app, result.map(|found| *found), cancelled);
        }
        Reply::Held(state, text, result) => {
            let request = Request::Holds(state, text.clone());
            app.pending.retain(|r| *r != request);
            if !cancelled {
                app.find.learn_holds(state, &text, result);
            }
        }
        _ => {}
    }
}

/// What a search came to: the way is a branch of the history.
fn found(app: &mut App, told: Result<FoundView, ErrorText>, cancelled: bool) {
    let is_mistake = told.is_err() && !cancelled;
    let way = app.find.learn(told);
    if is_mistake {
        // There it can be mended.
        app.overlay = Some(Overlay::Find);
        app.failed = Some(app.find.said.clone());
        return;
    }
    if cancelled {
        return;
    }
    app.note = app.find.said.clone();
    let (Some((question, way)), Some(session)) = (way, &mut app.session) else {
        app.failed = Some(app.find.said.clone());
        return;
    };
    if session.history.node(question.place).state != question.state {
        return;
    }
    session.follow(question.place, &way);
    app.animate.walk = None;
    animate::moved(app);
    if !way.steps.is_empty() {
        app.note.push_str("; u goes back along the way");
    }
    motion::show(app, View::Animate);
}

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

/// What a random walk does at a step that it has taken.
pub fn walked(app: &mut App, step: &TransitionView) {
    app.find.has_walked = true;
    if app.find.stop == StopAt::Visible && step.kind == EventKind::Visible {
        app.animate.walk = None;
        app.note = format!("stopped after {}", step.event);
    }
}

/// Whether a walk may go on from a state that it came to: not where it is to stop, and not while that is not
/// known.
pub fn may_go_on(app: &mut App, state: StateId) -> bool {
    // Where the walk began it has not come to anything yet.
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

/// What the engine has to be asked for a walk that is to stop somewhere.
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
