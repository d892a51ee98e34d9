//! Races of strategies, in the Check view.

use super::{animate, compare};
use crate::animate::model::{AskedStrategy, Counterexample, ErrorText, KeepingKind, StateId};
use crate::animate::racer::RaceRequest;
use crate::animate::worker::Request;
use crate::app::{App, Effect, Pane, View};
use crate::command::Availability;
use crate::comparing::Comparand;
use crate::facts;
use crate::racing::FollowedPair;
use crate::report::race::DoubledView;

/// Letters of the marks that two states of one orbit get.
const MARKS: [char; 2] = ['a', 'b'];

/// Whether a race may begin.
fn is_free(app: &App) -> Availability {
    if app.race.is_active() {
        Err("a race is going on; X stops it".to_string())
    } else {
        Ok(())
    }
}

/// Whether strategies can race through the open process.
pub fn can_race_process(app: &App) -> Availability {
    facts::has_session(app)?;
    is_free(app)
}

/// Whether strategies can race through the search of the selected assertion.
pub fn can_race_assertion(app: &App) -> Availability {
    facts::has_assertions(app)?;
    is_free(app)
}

/// The two states of one orbit that the selected strategy keeps apart.
#[must_use]
pub fn doubled(app: &App) -> Option<&DoubledView> {
    app.race.row()?.doubled.as_ref()
}

/// Whether the selected strategy has two states of one orbit.
pub fn has_doubled(app: &App) -> Availability {
    match (doubled(app), app.race.row()) {
        (Some(_), _) => Ok(()),
        (None, Some(row)) => Err(format!("{} has nothing to compare", row.strategy)),
        (None, None) => Err("there is nothing to compare yet".to_string()),
    }
}

/// Lets strategies race through all states of the open process.
pub fn race_process(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let request = RaceRequest::Process(session.history.process().to_string());
    begin(app, request)
}

/// Lets strategies race through the search of the selected assertion.
pub fn race_assertion(app: &mut App, _: usize) -> Vec<Effect> {
    let selected = app.checks.selected;
    let number = app
        .info()
        .and_then(|info| Some(info.assertions.get(selected)?.number));
    match number {
        Some(number) => begin(app, RaceRequest::Assertion(number)),
        None => Vec::new(),
    }
}

/// Shows the panes in Check that a race, or what holds for other sizes, covers.
pub fn put_away(app: &mut App) {
    let check = View::Check as usize;
    if matches!(app.lower[check], Pane::Racing | Pane::Doubled | Pane::Sizes) {
        app.focus[check] = View::Check.main_pane();
        app.lower[check] = View::Check.second_pane();
    }
}

fn begin(app: &mut App, request: RaceRequest) -> Vec<Effect> {
    app.race.ask(request.clone());
    app.scroll[Pane::Doubled as usize] = 0;
    app.focus_on(Pane::Racing);
    vec![Effect::Race(request)]
}

/// Follows the runs to both states, to compare these.
pub fn compare(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(found) = doubled(app) else {
        return Vec::new();
    };
    let [a, b] = &found.states;
    let runs = [a.run.clone(), b.run.clone()];
    let request = Request::Replay(Box::new(runs[0].clone()));
    if app.pending.contains(&request) {
        return Vec::new();
    }
    let kind = app
        .race
        .row()
        .and_then(|row| KeepingKind::named(row.strategy));
    let by = kind.and_then(|kind| AskedStrategy::try_from(kind).ok());
    app.race.following = Some(FollowedPair {
        runs,
        by: by.unwrap_or_default(),
        first: None,
    });
    app.note = "following the runs to both states".to_string();
    app.pending.push(request.clone());
    vec![Effect::Ask(request)]
}

/// The request after a run was followed; `None` if it is none of those to two states of one orbit.
pub fn followed(
    app: &mut App,
    run: &Counterexample,
    result: &Result<Vec<StateId>, ErrorText>,
) -> Option<Vec<Effect>> {
    let pair = app.race.following.take()?;
    let at = usize::from(pair.first.is_some());
    if pair.runs[at] != *run {
        app.race.following = Some(pair);
        return None;
    }
    let states = match result {
        Ok(states) => states,
        Err(failure) => {
            app.tell("The state could not be reached", &failure.detail);
            return Some(Vec::new());
        }
    };
    let first = states.first()?;
    let session = app
        .session
        .get_or_insert_with(|| app.settings.session(&run.process, *first, 0));
    session.load(run, states);
    session.redo(states.len());
    let place = session.history.current();
    session.history.mark(MARKS[at]);
    animate::moved(app);
    let Some(before) = pair.first else {
        let next = Request::Replay(Box::new(pair.runs[1].clone()));
        app.race.following = Some(FollowedPair {
            first: Some(place),
            ..pair
        });
        app.pending.push(next.clone());
        return Some(vec![Effect::Ask(next)]);
    };
    let held = |app: &App, place| {
        let node = app.session.as_ref().map(|s| s.history.node(place).state);
        node.map(|state| Comparand {
            state,
            place,
            by: None,
        })
    };
    let effects = match (held(app, before), held(app, place)) {
        (Some(a), Some(b)) => compare::begin_with(app, (a, b), pair.by),
        _ => Vec::new(),
    };
    app.note = "'a and 'b mark two states of one orbit with different representatives".to_string();
    Some(effects)
}
