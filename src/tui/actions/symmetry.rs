//! Commands of the Symmetry view.

use crate::animate::model::{ProcessSymmetry, StateId, StateImage};
use crate::animate::session::Fetched;
use crate::animate::worker::Request;
use crate::app::{App, Effect, SPEEDS, View};
use crate::command::Availability;
use crate::facts;
use crate::playing::root;
use crate::report::structure::{GeneratorView, StructureGroupView};
use crate::settings::Motion;

/// The symmetry of the open process, if it is known, and the present state.
#[must_use]
pub fn shown(app: &App) -> Option<(StateId, &ProcessSymmetry)> {
    let state = app.session.as_ref()?.current();
    Some((state, app.playing.found(state)?))
}

/// The group, if one was searched.
#[must_use]
pub fn group(app: &App) -> Option<&StructureGroupView> {
    shown(app)?.1.told.found.as_ref().ok()
}

/// The number of generators.
#[must_use]
pub fn generators(app: &App) -> usize {
    group(app).map_or(0, |group| group.generators.len())
}

/// The selected generator.
#[must_use]
pub fn selected(app: &App) -> Option<&GeneratorView> {
    group(app)?.generators.get(app.playing.generator)
}

/// After how many applications of it every state is as it was.
#[must_use]
pub fn order(app: &App) -> u64 {
    let state = app.session.as_ref().map(|s| s.current());
    let order = state.and_then(|state| app.playing.order(state, app.playing.generator));
    order.unwrap_or(0)
}

/// The image of the present state to be shown, if the engine has replied.
#[must_use]
pub fn image(app: &App) -> Option<&Fetched<StateImage>> {
    let (state, _) = shown(app)?;
    let playing = &app.playing;
    playing.image((state, playing.generator, playing.power))
}

/// Requests for data that the view lacks.
#[must_use]
pub fn wanted(app: &App) -> Vec<Request> {
    let session = app.session.as_ref().filter(|_| app.view == View::Symmetry);
    let Some(state) = session.map(|s| s.current()) else {
        return Vec::new();
    };
    if app.playing.fetched(state).is_none() {
        return vec![Request::Symmetry(root(state))];
    }
    if selected(app).is_none() {
        return Vec::new();
    }
    // The next image of an animation is requested ahead.
    let ahead = u64::from(app.playing.plays);
    let last = app.playing.power.saturating_add(ahead).min(order(app));
    let powers = app.playing.power..=last;
    let keys = powers.map(|power| (state, app.playing.generator, power));
    let unknown = keys.filter(|key| app.playing.image(*key).is_none());
    unknown
        .map(|(state, by, power)| Request::Image(state, by, power))
        .collect()
}

/// Cancels the search for symmetry once the view is left, or there is another request: it may take long, and all
/// others would wait for it. Where the view is still shown it is then repeated.
pub fn give_way(app: &mut App) -> Option<Effect> {
    let is_looking = |request: &Request| matches!(request, Request::Symmetry(_));
    let at = app.pending.iter().position(is_looking)?;
    let waits = app.pending.len() > at + 1;
    if app.playing.left || (app.view == View::Symmetry && !waits) {
        return None;
    }
    let effect = Effect::CancelRequest(app.pending[at].clone());
    app.playing.left = true;
    Some(effect)
}

/// Whether there is a generator to apply.
pub fn has_generators(app: &App) -> Availability {
    facts::has_session(app)?;
    let Some((_, found)) = shown(app) else {
        return Err("the symmetry of the process is not known yet".to_string());
    };
    match (&found.told.found, selected(app)) {
        (Err(why), _) => Err(why.clone()),
        (_, None) => Err("there is no symmetry".to_string()),
        _ => Ok(()),
    }
}

/// Whether the generator is applied at least once.
pub fn is_applied(app: &App) -> Availability {
    has_generators(app)?;
    match app.playing.power {
        0 => Err("this is the present state".to_string()),
        _ => Ok(()),
    }
}

/// Whether one more application shows another state.
pub fn has_next_power(app: &App) -> Availability {
    has_generators(app)?;
    match order(app) {
        0 => Err("the order of the generator is not known yet".to_string()),
        order if app.playing.power >= order => {
            Err("every state is as it was: 0 begins anew".to_string())
        }
        _ => Ok(()),
    }
}

/// Whether there are several generators.
pub fn has_others(app: &App) -> Availability {
    has_generators(app)?;
    match generators(app) {
        1 => Err("there is one generator".to_string()),
        _ => Ok(()),
    }
}

fn turn(app: &mut App, by: usize) -> Vec<Effect> {
    let count = generators(app).max(1);
    let to = (app.playing.generator + by) % count;
    if count == 1 {
        app.note = "there is one generator only".to_string();
    }
    app.playing.select(to);
    Vec::new()
}

/// Selects the next generator.
pub fn next(app: &mut App, _: usize) -> Vec<Effect> {
    turn(app, 1)
}

/// Selects the generator before.
pub fn previous(app: &mut App, _: usize) -> Vec<Effect> {
    let count = generators(app).max(1);
    turn(app, count - 1)
}

/// Applies the generator so many times more; playing stops.
pub fn forward(app: &mut App, count: usize) -> Vec<Effect> {
    app.playing.plays = false;
    let to = app.playing.power.saturating_add(count as u64);
    app.playing.power = to.min(order(app));
    Vec::new()
}

/// Applies the generator so many times less; playing stops.
pub fn back(app: &mut App, count: usize) -> Vec<Effect> {
    app.playing.plays = false;
    app.playing.power = app.playing.power.saturating_sub(count as u64);
    Vec::new()
}

/// Shows the present state itself.
pub fn first(app: &mut App, _: usize) -> Vec<Effect> {
    app.playing.plays = false;
    app.playing.power = 0;
    Vec::new()
}

/// Applies the generator again and again, or stops that.
pub fn play(app: &mut App, _: usize) -> Vec<Effect> {
    app.playing.plays = !app.playing.plays;
    // Played from the end, it begins anew.
    if app.playing.plays && app.playing.power >= order(app) {
        app.playing.power = 0;
    }
    app.playing.due = app.now + SPEEDS[app.playing.speed].1;
    // Without motion there is nothing to wait for.
    if app.settings.motion == Motion::Off {
        tick(app);
    }
    Vec::new()
}

/// To be called as time passes.
pub fn tick(app: &mut App) {
    let motion = app.settings.motion;
    if !app.playing.plays || (app.now < app.playing.due && motion != Motion::Off) {
        return;
    }
    let order = order(app);
    app.playing.power = match motion {
        // An image that was not shown yet must not be skipped.
        Motion::Full if image(app).is_none() => return,
        Motion::Full => app.playing.power.saturating_add(1).min(order),
        Motion::Reduced | Motion::Off => order,
    };
    app.playing.due = app.now + SPEEDS[app.playing.speed].1;
    app.playing.plays = app.playing.power < order;
}

/// The next higher of the [`SPEEDS`].
pub fn faster(app: &mut App, _: usize) -> Vec<Effect> {
    speed(app, (app.playing.speed + 1).min(SPEEDS.len() - 1))
}

/// The next lower of the [`SPEEDS`].
pub fn slower(app: &mut App, _: usize) -> Vec<Effect> {
    speed(app, app.playing.speed.saturating_sub(1))
}

fn speed(app: &mut App, to: usize) -> Vec<Effect> {
    app.playing.speed = to;
    app.note = format!("speed {}", SPEEDS[to].0);
    Vec::new()
}
