//! The function `update`: the changes of the data by a message, and the effects to carry out.

use super::actions::{
    animate, check, compare, find, general, graph, lesson, orbit, race, reload, session, share,
    showing, source, starting, symmetry, welcome,
};
use super::app::{App, Effect, Msg, SEED, View};
use super::facts;
use super::lessons::course;
use super::settling::{key, paste};
use super::{check_news, mouse};
use crate::animate::cycles::cycles_text;
use crate::animate::model::{Counterexample, ErrorText, StateId};
use crate::animate::worker::{EngineAnswer, Reply};
use crate::source::visible_line;

/// Changes the data by a message. Returns the effects.
pub fn update(app: &mut App, msg: Msg) -> Vec<Effect> {
    let by_person = matches!(
        msg,
        Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_) | Msg::Terminate
    );
    let mut effects = take(app, msg);
    course::settle(app, &mut effects, by_person);
    effects
}

fn take(app: &mut App, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(event) => {
            // A key press of the user stops a line that is still pressing keys.
            app.to_press.clear();
            key(app, event)
        }
        Msg::Paste(text) => paste(app, &text),
        Msg::Mouse(event) => mouse::handle(app, event),
        Msg::Resize(width, height) => {
            match &mut app.lesson {
                Some(room) => room.parked.size = (width, height),
                None => app.size = (width, height),
            }
            Vec::new()
        }
        Msg::Engine(answer) => engine(app, *answer),
        Msg::Checks(news) => {
            check_news::learn(app, *news);
            Vec::new()
        }
        Msg::Saved(note) => {
            match &mut app.lesson {
                Some(room) => room.said = note,
                None => app.note = note,
            }
            Vec::new()
        }
        Msg::NotKept(why) => {
            // Said once: the next try would fail like this one.
            app.files.keeper = None;
            app.files.kept = 0;
            app.note = why;
            Vec::new()
        }
        Msg::SessionWritten(result) => session::written(app, result),
        Msg::DiskChanged(names) => reload::disk_changed(app, names),
        Msg::Reloading(answer) => reload::answered(app, *answer),
        Msg::Tick(now) => {
            app.now = now;
            if !app.waits() {
                app.files.busy_since = now;
            }
            orbit::tick(app);
            symmetry::tick(app);
            app.graph.tick(now, app.settings.motion);
            Vec::new()
        }
        Msg::Reached(reached) => {
            app.reached = reached;
            Vec::new()
        }
        Msg::Parked(msg) => parked(app, *msg),
        Msg::Lessons(shelf, wanted) => lesson::shelved(app, *shelf, wanted),
        Msg::Welcome(page) => welcome::show(app, page),
        Msg::Found(answer) => welcome::answered(app, *answer),
        Msg::Terminate => session::terminated(app),
    }
}

/// Handles a message for the session that is parked while a lesson is taken.
fn parked(app: &mut App, msg: Msg) -> Vec<Effect> {
    let effects = app
        .lesson
        .as_mut()
        .map(|room| update(&mut room.parked, msg));
    let effects = effects.into_iter().flatten();
    effects
        .map(|effect| Effect::Parked(Box::new(effect)))
        .collect()
}

// In one piece: one arm a reply, in the order of their definition.
fn engine(app: &mut App, answer: EngineAnswer) -> Vec<Effect> {
    let cancelled = answer.cancelled;
    if cancelled {
        // It would request the next state at once, which the user has just cancelled. After leaving the view of
        // symmetry, the walk goes on.
        if !matches!(answer.reply, Reply::Symmetry(..)) {
            app.animate.walk = None;
        }
        app.note = cancelled_note(&answer.reply);
    }
    let request = answer.reply.request();
    app.pending.retain(|r| Some(r) != request.as_ref());
    match answer.reply {
        Reply::Ready(Ok(info)) => return starting::ready(app, info),
        Reply::Ready(Err(failure)) => source::unsound(app, failure),
        Reply::Open(process, result) => {
            // The process that was open stays; the note says that the other one was not opened.
            if cancelled && app.session.is_some() {
                return Vec::new();
            }
            opened(app, &process, result);
        }
        reply @ (Reply::View(..)
        | Reply::Explain(..)
        | Reply::Strategy(..)
        | Reply::NextVisible(..)
        | Reply::Compare(..)
        | Reply::Symmetry(..)
        | Reply::Image(..)
        | Reply::Places(..)) => {
            store_reply(app, reply, cancelled);
        }
        Reply::Neighbourhood(asked, result) => graph::surrounded(app, *asked, result),
        Reply::Members(state, result) => graph::listed(app, state, result),
        Reply::Picture(asked, result) => return graph::pictured(app, asked, result, cancelled),
        Reply::Page(asked, result) => return share::made(app, &asked, result, cancelled),
        Reply::Rename(state, cycles, result) => {
            let text = cycles_text(&cycles);
            animate::renamed(app, state, &text, result);
        }
        reply @ (Reply::Find(..) | Reply::Holds(..)) => find::receive(app, reply, cancelled),
        Reply::Plan(number, symmetry, result) => {
            let planned = result.map(|planned| *planned);
            app.checks.planned.insert((number, symmetry), planned);
        }
        Reply::Replay(path, result) if !cancelled => {
            if let Some(effects) = race::followed(app, &path, &result) {
                return effects;
            }
            replayed(app, &path, result);
        }
        Reply::Replay(..) => {}
        reply @ (Reply::Rewalk(..) | Reply::Trace(..) | Reply::StepDetails(..)) => {
            return session::answer(app, reply);
        }
        // What only panes show.
        reply => app.answers.learn(reply, cancelled),
    }
    Vec::new()
}

/// Stores a reply on a state in the session.
// In one piece: one arm a reply, in the order of their definition.
fn store_reply(app: &mut App, reply: Reply, cancelled: bool) {
    match reply {
        Reply::View(state, result) => {
            if let Some(session) = &mut app.session {
                match result {
                    // Kept as a failure for now, or `needs` would ask again at once.
                    Err(failure) if cancelled => session.learn_cancelled(state, failure),
                    answer => session.learn(state, answer.map(|view| *view)),
                }
            }
        }
        Reply::Explain(state, order, result) => {
            if let Some(session) = &mut app.session {
                session.learn_explanation(state, order, result.map(|e| *e));
                if cancelled {
                    session.forget_later(state);
                }
            }
            // Only now is it known which component the step shown is about.
            orbit::settle(app);
        }
        Reply::Strategy(state, kind, result) => {
            if let Some(session) = &mut app.session {
                session.learn_strategy(state, kind, result.map(|answer| *answer));
                if cancelled {
                    session.forget_later(state);
                }
            }
        }
        Reply::NextVisible(state, result) if !cancelled => animate::arrive(app, state, result),
        Reply::Compare(a, b, by, result) => {
            if let Some(session) = &mut app.session {
                session.learn_comparison((a, b), by, result.map(|answer| *answer));
            }
            if app.compare.states() == Some((a, b)) && app.compare.by == by {
                compare::settle(app);
            }
        }
        Reply::Symmetry(state, result) => {
            app.playing
                .learn(state, result.map(|answer| *answer), cancelled);
        }
        Reply::Image(state, by, power, result) => {
            let answer = result.map(|answer| *answer);
            app.playing
                .learn_image((state, by, power), answer, cancelled);
        }
        Reply::Places(state, transition, result) => {
            app.reading.placed = Some(((state, transition), result));
        }
        _ => {}
    }
}

/// The note on a cancelled request, and how to repeat it.
fn cancelled_note(reply: &Reply) -> String {
    match reply {
        Reply::Ready(_) => "cancelled: the script was not loaded".to_string(),
        Reply::Open(process, _) => format!("cancelled: {process} was not opened"),
        Reply::View(..) => "cancelled: this state is computed when you come back to it".to_string(),
        Reply::Explain(..) | Reply::Strategy(..) => {
            "cancelled: the explanation is computed when you come back to the state".to_string()
        }
        Reply::NextVisible(..) => "cancelled: no step was taken".to_string(),
        Reply::Compare(..) => "cancelled: c compares the states once more".to_string(),
        Reply::Neighbourhood(..) => "cancelled: + and - ask for the picture once more".to_string(),
        Reply::Members(..) => "cancelled: i asks for the states once more".to_string(),
        Reply::Picture(..) | Reply::Page(..) => "cancelled: nothing was written".to_string(),
        Reply::Symmetry(..) | Reply::Image(..) => {
            "cancelled: symmetry is looked for when you come back to it".to_string()
        }
        Reply::Places(..) => "cancelled: where the components are is not known".to_string(),
        Reply::Rename(..) => "cancelled: nothing was renamed".to_string(),
        Reply::Find(..) => "cancelled: it is not known whether there is such a state".to_string(),
        Reply::Holds(..) => "walk stopped".to_string(),
        Reply::Plan(number, ..) => {
            format!("cancelled: what is planned for assertion {number} is not known")
        }
        Reply::Replay(path, _) => format!("cancelled: the {} was not followed", path.word()),
        Reply::Rewalk(..) => "cancelled: the walk was not followed".to_string(),
        Reply::Trace(..) => "cancelled: the trace was not followed".to_string(),
        Reply::StepDetails(..) => "cancelled: nothing was saved".to_string(),
        // What panes show.
        _ => "cancelled: it is computed when you come back to it".to_string(),
    }
}

fn opened(app: &mut App, process: &str, result: Result<StateId, ErrorText>) {
    match result {
        Ok(state) => {
            app.open_failure = None;
            match &mut app.session {
                Some(session) => session.open(process, state),
                None => app.session = Some(app.settings.session(process, state, SEED)),
            }
            animate::moved(app);
            // While the first one was compiled, the person may have gone to another view, such as Check.
            if !std::mem::take(&mut app.opens_first) {
                showing::show(app, View::Animate);
            }
        }
        Err(failure) => {
            app.opens_first = false;
            app.open_failure = Some(failure.clone());
            let title = format!("{} cannot be opened", visible_line(process));
            app.failed = Some(format!("{title}: {}", failure.summary));
            let is_listed = app
                .info()
                .is_some_and(|i| i.processes.iter().any(|p| p == process));
            if facts::shows_failure(app) && app.overlay.is_none() {
                // The view says all that there is to say.
            } else if is_listed || app.session.is_none() || app.overlay.is_some() {
                app.tell(&title, &failure.detail);
            } else {
                // It was typed: it is corrected where it was typed.
                general::type_again(app, process, &failure.summary);
            }
        }
    }
}

fn replayed(app: &mut App, path: &Counterexample, result: Result<Vec<StateId>, ErrorText>) {
    let states = match result {
        Ok(states) => states,
        Err(failure) => {
            let title = format!("The {} could not be followed", path.word());
            app.failed = Some(format!("{title}: {}", failure.summary));
            app.tell(&title, &failure.detail);
            return;
        }
    };
    // Not even an initial state: there is nothing to show.
    let Some(first) = states.first() else {
        return;
    };
    let session = app
        .session
        .get_or_insert_with(|| app.settings.session(&path.process, *first, SEED));
    let before = session.history.ids().count();
    session.load(path, &states);
    // The run was found by a check or is in a file, and is no work of the user.
    app.files.saved += session.history.ids().count() - before;
    if path.is_of_assertion() {
        app.graph.path.clone_from(&states);
    }
    animate::moved(app);
    showing::show(app, View::Animate);
    check::go_along(app, path);
    let along = match app.session.as_ref().and_then(|session| session.followed()) {
        Some(place) if place.steps > 0 => "u goes back along it",
        _ => "U goes along it",
    };
    app.note = format!("the counterexample is a branch of the history: {along}");
}
