//! Commands of the Animate view.

use super::stops;
use crate::animate::model::{ErrorText, StateId, TransitionView};
use crate::animate::session::Session;
use crate::animate::worker::Request;
use crate::app::{App, Effect, ListedComponents, Overlay, Pane, PendingSteps, ShownState, View};
use crate::report::numbers::counted;
use crate::report::runs::TakenStep;
use crate::{facts, layout, panes, requests};

/// Longest walk that one command takes.
const WALK_MAX: usize = 10_000;

/// To be called when the present state is another one.
pub fn moved(app: &mut App) {
    (app.animate.group, app.animate.member) = (0, 0);
    app.animate.history = None;
    app.animate.component = None;
    for pane in [Pane::State, Pane::Representative, Pane::Why] {
        app.scroll[pane as usize] = 0;
    }
}

/// Takes the selected transition.
pub fn take(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some(transition) = facts::selected(app).cloned() {
        step(app, &transition);
    }
    Vec::new()
}

/// Takes a transition of the present state.
pub fn step(app: &mut App, transition: &TransitionView) {
    if let Some(session) = &mut app.session {
        session.take(transition);
        moved(app);
    }
}

/// Asks for the next visible event.
pub fn next_visible(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(state) = app.session.as_ref().map(Session::current) else {
        return Vec::new();
    };
    app.animate.walk = None;
    requests::ask(app, Request::NextVisible(state))
        .into_iter()
        .collect()
}

/// Goes the way to a visible event, unless the person has gone elsewhere meanwhile.
pub fn arrive(app: &mut App, from: StateId, told: Result<Vec<(TakenStep, StateId)>, ErrorText>) {
    let Some(session) = app.session.as_mut().filter(|s| s.current() == from) else {
        return;
    };
    match told {
        Ok(way) => {
            session.take_way(&way);
            let event = way.last().map_or("", |step| step.0.event.as_str());
            let silent = way.len().saturating_sub(1) as u64;
            app.note = match silent {
                0 => format!("{event}: a visible event was possible at once"),
                n => format!(
                    "{event}, after {}: u goes back along them",
                    counted(n, "silent step")
                ),
            };
            moved(app);
        }
        Err(failure) => app.note = failure.summary,
    }
}

/// The present state was renamed by hand, or could not be.
pub fn renamed(app: &mut App, state: StateId, cycles: &str, result: Result<StateId, ErrorText>) {
    match (result, &mut app.session) {
        (Err(failure), _) => {
            app.note.clone_from(&failure.summary);
            app.failed = Some(failure.summary);
        }
        // The person went on meanwhile: there nothing was to be renamed.
        (Ok(_), Some(session)) if session.current() != state => {}
        (Ok(to), Some(session)) => {
            session.rename(cycles, to);
            app.animate.walk = None;
            moved(app);
            app.note = if to == state {
                format!("{cycles} leaves this state as it is; u goes back")
            } else {
                format!("renamed by {cycles}: no step was taken, u goes back")
            };
        }
        (Ok(_), None) => {}
    }
}

/// Goes to the selected step of the history.
pub fn jump(app: &mut App, _: usize) -> Vec<Effect> {
    let at = panes::history::selected(app);
    if let Some(session) = &mut app.session {
        // The selection is a place on the present line, which goes on to where redo leads.
        let to = session.history.line().get(at).copied();
        if let Some(to) = to {
            session.jump(to);
            moved(app);
        }
    }
    Vec::new()
}

/// Goes back by so many steps; a walk ends.
pub fn undo(app: &mut App, count: usize) -> Vec<Effect> {
    app.animate.walk = None;
    if let Some(session) = &mut app.session {
        session.undo(count);
        moved(app);
    }
    Vec::new()
}

/// Goes forward again by so many steps.
pub fn redo(app: &mut App, count: usize) -> Vec<Effect> {
    if let Some(session) = &mut app.session {
        session.redo(count);
        moved(app);
    }
    Vec::new()
}

/// Goes to the next branch.
pub fn branch(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some(session) = &mut app.session {
        session.next_branch();
        moved(app);
    }
    Vec::new()
}

/// Groups or lists the transitions.
pub fn group(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some(session) = &mut app.session {
        session.set_grouped(!session.grouped());
        (app.animate.group, app.animate.member) = (0, 0);
    }
    Vec::new()
}

/// Raw, representative, counted, both in turn.
pub fn show(app: &mut App, _: usize) -> Vec<Effect> {
    app.animate.show = match app.animate.show {
        // Without representatives there are two forms.
        ShownState::Both | ShownState::Raw | ShownState::Rep if !layout::is_symmetric(app) => {
            ShownState::Counted
        }
        // Where the representative has no room beside the state, that is the state already.
        ShownState::Both if layout::is_folded(app) => ShownState::Rep,
        ShownState::Both => ShownState::Raw,
        ShownState::Raw => ShownState::Rep,
        ShownState::Rep => ShownState::Counted,
        ShownState::Counted => ShownState::Both,
    };
    refocus(app);
    Vec::new()
}

/// Called when the state is shown in another form: the focused pane may be gone.
pub fn refocus(app: &mut App) {
    let panes = layout::reachable(app);
    if !panes.contains(&app.pane())
        && let Some(pane) = panes.first()
    {
        app.focus_on(*pane);
    }
}

/// Takes silent steps of the history together, or lists each.
pub fn fold_silent(app: &mut App, _: usize) -> Vec<Effect> {
    app.animate.fold_silent = !app.animate.fold_silent;
    // Where no two of them are adjacent, the screen does not show a difference.
    app.note = if app.animate.fold_silent {
        "silent steps that follow one another are one line now".to_string()
    } else {
        "each silent step is a line of its own now".to_string()
    };
    Vec::new()
}

/// Goes on to the next choice of components to list.
pub fn list_others(app: &mut App, _: usize) -> Vec<Effect> {
    app.animate.listed = match app.animate.listed {
        ListedComponents::Folded => ListedComponents::Changed,
        ListedComponents::Changed => ListedComponents::All,
        ListedComponents::All => ListedComponents::Folded,
    };
    app.note = match app.animate.listed {
        ListedComponents::Folded => "components at rest are a count where the list is long",
        ListedComponents::Changed => "the components that the last step changed",
        ListedComponents::All => "all components",
    }
    .to_owned();
    app.scroll[Pane::State as usize] = 0;
    Vec::new()
}

/// Opens the Orbit view.
pub fn why(app: &mut App, _: usize) -> Vec<Effect> {
    super::showing::show(app, View::Orbit)
}

/// Next member of the group.
pub fn member_next(app: &mut App, count: usize) -> Vec<Effect> {
    walk_members(app, count as isize)
}

/// Member of the group before.
pub fn member_previous(app: &mut App, count: usize) -> Vec<Effect> {
    walk_members(app, -(count as isize))
}

fn walk_members(app: &mut App, by: isize) -> Vec<Effect> {
    let group = app
        .session
        .as_ref()
        .and_then(|s| s.groups.get(app.animate.group));
    let size = group.map_or(1, |g| g.members.len()).max(1) as isize;
    // Round and round, in both directions.
    app.animate.member = (app.animate.member as isize + by).rem_euclid(size) as usize;
    Vec::new()
}

/// Begins a random walk.
pub fn random(app: &mut App, count: usize) -> Vec<Effect> {
    app.animate.walk = Some(PendingSteps::Random(count.min(WALK_MAX)));
    app.find.has_walked = false;
    advance(app);
    Vec::new()
}

/// Takes the last event again.
pub fn repeat(app: &mut App, count: usize) -> Vec<Effect> {
    app.animate.walk = Some(PendingSteps::Repeat(count.min(WALK_MAX)));
    advance(app);
    Vec::new()
}

/// Takes the steps of a walk while the states are known.
pub fn advance(app: &mut App) {
    while let Some(walk) = app.animate.walk {
        let Some(session) = &mut app.session else {
            app.animate.walk = None;
            return;
        };
        match session.fetched() {
            // The engine is asked for this state; the walk goes on when it has answered (`update`).
            None => return,
            Some(Err(_)) => {
                app.animate.walk = None;
                app.note = "stopped: this state could not be evaluated".to_string();
                return;
            }
            Some(Ok(_)) => {}
        }
        let here = session.current();
        if matches!(walk, PendingSteps::Random(_)) && !stops::may_go_on(app, here) {
            return;
        }
        let Some(session) = &mut app.session else {
            return;
        };
        let (next, rest) = match walk {
            PendingSteps::Random(0) | PendingSteps::Repeat(0) => {
                app.animate.walk = None;
                return;
            }
            PendingSteps::Random(n) => (session.draw(), PendingSteps::Random(n - 1)),
            PendingSteps::Repeat(n) => (session.repeatable().cloned(), PendingSteps::Repeat(n - 1)),
        };
        match next {
            Some(transition) => {
                // Before the step, which may lead to a state that is known: then the loop goes on
                // with the rest.
                app.animate.walk = Some(rest);
                step(app, &transition);
                if matches!(walk, PendingSteps::Random(_)) {
                    stops::walked(app, &transition);
                }
            }
            None => {
                app.animate.walk = None;
                app.note = stopped(walk).to_string();
            }
        }
    }
}

fn stopped(walk: PendingSteps) -> &'static str {
    match walk {
        PendingSteps::Random(_) => "stopped: there is no transition",
        PendingSteps::Repeat(_) => "stopped: the event is not possible here",
    }
}

/// Shows the history, in a window if it has no pane.
pub fn history(app: &mut App, _: usize) -> Vec<Effect> {
    if layout::visible(app, Pane::History) {
        app.focus_on(Pane::History);
    } else {
        app.animate.history = None;
        app.overlay = Some(Overlay::History);
    }
    Vec::new()
}

/// Shows why the present state could not be evaluated.
pub fn failure(app: &mut App, _: usize) -> Vec<Effect> {
    let fetched = app.session.as_ref().and_then(Session::fetched);
    if let Some(Err(failure)) = fetched {
        let text = failure.detail.clone();
        app.tell("This state could not be evaluated", &text);
    }
    Vec::new()
}
