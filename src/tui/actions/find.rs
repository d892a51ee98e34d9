//! Commands that search for a state, and stop random walks at one.

use super::{animate, showing};
use crate::animate::history::HistoryId;
use crate::animate::model::ErrorText;
use crate::animate::model::{FindStart, FoundView};
use crate::animate::session::Session;
use crate::animate::worker::{Reply, Request};
use crate::app::{App, Effect, Overlay, View};
use crate::command::Availability;
use crate::facts;
use crate::finding::FindQuestion;
use crate::panes;
use crate::report::runs::TakenStep;
use crate::requests::ask;
use crate::text_line::LineKind;

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
    app.find.text.clear();
    app.line.begin();
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
        "ctrl-p" | "ctrl-n" => {
            let older = key == "ctrl-p";
            app.line
                .recall(LineKind::Condition, &mut app.find.text, older);
        }
        _ if app.line.edit(&mut app.find.text, key) => app.find.failure = None,
        _ => {}
    }
    Vec::new()
}

/// Completes the word that is being typed with the common beginning of its candidates.
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

/// Searches for the typed condition.
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
    app.line.enter(LineKind::Condition, &question.text);
    app.find.question = Some(question);
    app.find.said.clear();
    app.overlay = None;
    ask(app, request).into_iter().collect()
}

/// Handles the engine's replies on conditions.
pub fn receive(app: &mut App, reply: Reply, cancelled: bool) {
    match reply {
        Reply::Find(.., result) => found(app, result.map(|found| *found), cancelled),
        Reply::Holds(state, text, result) if !cancelled => {
            app.find.learn_holds(state, &text, result);
        }
        _ => {}
    }
}

/// Handles the result of a search: the path becomes a branch of the history.
fn found(app: &mut App, answer: Result<FoundView, ErrorText>, cancelled: bool) {
    let is_mistake = answer.is_err() && !cancelled;
    let way = app.find.learn(answer);
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
    follow(session, question.place, &way);
    app.animate.walk = None;
    animate::moved(app);
    if !way.steps.is_empty() {
        app.note.push_str("; u goes back along the way");
    }
    showing::show(app, View::Animate);
}

/// Adds the way that a search has found as a branch, and goes to its end: from an entry, or from where the
/// process begins.
fn follow(session: &mut Session, from: HistoryId, found: &FoundView) {
    let history = &mut session.history;
    if history.node(from).state == found.from {
        history.jump(from);
    } else {
        // The person may be elsewhere by now, in another process.
        let process = history.process_of(from).to_string();
        history.open(&process, found.from);
    }
    for step in &found.steps {
        let changes = step.changes.iter();
        let changes = changes.map(|(who, after)| (who.clone(), after.as_str()));
        let taken = TakenStep::new(step.kind, &step.event, changes);
        history.step(taken, step.target);
    }
    let end = history.current();
    session.jump(end);
}
