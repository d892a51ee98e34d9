//! What every message is followed by: the data are settled, and what the screen lacks is asked for; and the keys.

use crossterm::event::KeyEvent;

use super::actions::{
    animate, compare, general, graph, lesson, session, source, stops, structure, symmetry, welcome,
};
use super::app::{App, Effect, KeyPage, KeyPlace, Load, Overlay, Pane, View};
use super::requests::ask;
use super::{facts, keys, layout, lessons, overlay, panes, typing};
use crate::animate::model::{StrategyKind, TypeOrdering};
use crate::animate::session::Session;
use crate::animate::worker::Request;

/// Settles the data after every message and every line, and presses the keys that a line asks for.
pub fn settle(app: &mut App, effects: &mut Vec<Effect>) {
    settle_once(app, effects);
    while let Some(event) = next_press(app) {
        effects.extend(key(app, event));
        settle_once(app, effects);
    }
}

/// Settles the data. In this order: a walk goes on while states are known, then selections are corrected, and then
/// the requests are known.
fn settle_once(app: &mut App, effects: &mut Vec<Effect>) {
    animate::advance(app);
    follow(app);
    source::follow(app);
    effects.extend(needs(app));
    effects.extend(symmetry::give_way(app));
    effects.extend(session::keep(app));
    session::ended(app, effects);
}

/// The next key that a line of commands presses, once the requests of the one before are answered.
fn next_press(app: &mut App) -> Option<KeyEvent> {
    let waits = matches!(app.load, Load::Loading) || app.animate.walk.is_some();
    if waits || !app.pending.is_empty() {
        None
    } else {
        app.to_press.pop_front()
    }
}

/// Keeps selections within bounds.
fn follow(app: &mut App) {
    let current = app.session.as_ref().map(Session::current);
    if app.orbit.state != current {
        // Another state is explained from the beginning.
        app.orbit.state = current;
        app.orbit.frame = 0;
        app.orbit.component = 0;
        app.orbit.column = 0;
        app.orbit.playing = false;
    }
    app.answers.follow(current, app.view);
    let mut own = std::mem::take(&mut app.structure);
    if own.follow(current, app.view, structure::shown(app)) {
        app.scroll[Pane::Part as usize] = 0;
    }
    app.structure = own;
    app.playing.follow(current, app.view, &mut app.scroll);
    let groups = app.session.as_ref().map_or(0, |s| s.groups.len());
    // A filter or another state may have fewer groups.
    app.animate.group = app.animate.group.min(groups.saturating_sub(1));
    app.orbit.frame = app.orbit.frame.min(app.frames().saturating_sub(1));
}

/// Requests for data that the screen lacks.
fn needs(app: &mut App) -> Vec<Effect> {
    let plan = facts::unplanned(app).map(|(number, symmetry)| Request::Plan(number, symmetry));
    let Some(session) = &app.session else {
        return plan.and_then(|r| ask(app, r)).into_iter().collect();
    };
    let current = session.current();
    let mut wanted = Vec::new();
    // Asked after every message, but `ask` sends nothing twice.
    if !session.knows(current) {
        wanted.push(Request::View(current));
    }
    // The state before is needed to mark what the last step changed.
    let parent = session.history.here().parent;
    let parent = parent.map(|id| session.history.node(id).state);
    if let Some(parent) = parent.filter(|p| !session.knows(*p)) {
        wanted.push(Request::View(parent));
    }
    let in_orbit = app.view == View::Orbit;
    let other_order = app.orbit.order != TypeOrdering::Appearance;
    // Another order of types has its representative in the explanation, so it is needed everywhere.
    let shown = in_orbit || other_order || layout::visible(app, Pane::Why);
    let has_rep = session.view().is_some_and(|v| v.representative.is_some());
    // States that a walk only passes through need no explanation.
    let asks = has_rep && app.animate.walk.is_none();
    if shown && asks && app.explained().is_none() {
        wanted.push(Request::Explain(current, app.orbit.order));
    }
    // The shown one, and the one that checks use, to compare.
    for kind in [app.orbit.strategy, StrategyKind::default()] {
        if in_orbit && asks && app.strategy(kind).is_none() {
            wanted.push(Request::Strategy(current, kind));
        }
    }
    wanted.extend(compare::wanted(app));
    wanted.extend(graph::wanted(app));
    let panes = layout::panes(app).into_iter();
    let of_panes = panes.filter_map(|(pane, _)| panes::wanted(app, pane));
    wanted.extend(of_panes.filter(|request| app.answers.get(request).is_none()));
    wanted.extend(symmetry::wanted(app));
    wanted.extend(stops::wanted(app));
    wanted.extend(source::wanted(app));
    wanted
        .into_iter()
        .chain(plan)
        .filter_map(|r| ask(app, r))
        .collect()
}

/// Handles a key press.
pub fn key(app: &mut App, event: KeyEvent) -> Vec<Effect> {
    let Some(key) = keys::name(event) else {
        return Vec::new();
    };
    // Before everything else: it works in every state of the screen.
    if key == "ctrl-c" {
        return session::interrupted(app);
    }
    let tiny = layout::tier(app.terminal()) == layout::Tier::Tiny;
    if tiny && app.overlay != Some(Overlay::Quit) {
        return without_room(app, &key);
    }
    if let Some(room) = &mut app.lesson
        && std::mem::take(&mut room.blank)
    {
        return Vec::new();
    }
    if app.overlay.is_some() {
        return overlay::key(app, &key);
    }
    // A note stays until the next key.
    app.note.clear();
    if let Some(room) = &mut app.lesson {
        room.said.clear();
    }
    if lessons::keys::typed(app, &key) {
        return Vec::new();
    }
    welcome::typed(app, &key).unwrap_or_else(|| typing::key(app, &key))
}

/// Handles a text that was pasted: typed where a line of text is, and otherwise refused, since its letters are keys.
pub fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    let place = app.place();
    let is_line = match &app.overlay {
        Some(overlay) => matches!(
            overlay,
            Overlay::Help(_) | Overlay::Palette(_) | Overlay::Find | Overlay::Filter(_)
        ),
        None => matches!(place, KeyPlace::On(KeyPage::Path | KeyPage::Card)),
    };
    if !is_line {
        app.note = "what was pasted went nowhere: : / and f open lines that take a text".to_owned();
        return Vec::new();
    }
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut effects = Vec::new();
    for c in words.join(" ").chars().take(keys::LINE_MAX) {
        let typed = match c {
            ' ' => "space".to_owned(),
            c => c.to_string(),
        };
        effects = match (&app.overlay, place) {
            (Some(_), _) => overlay::key(app, &typed),
            (None, KeyPlace::On(KeyPage::Path)) => welcome::typed(app, &typed).unwrap_or_default(),
            (None, _) => {
                lessons::keys::typed(app, &typed);
                Vec::new()
            }
        };
    }
    effects
}

/// Handles a key while the terminal is too small to show anything: it must not change invisible data.
fn without_room(app: &mut App, key: &str) -> Vec<Effect> {
    match key {
        "ctrl-z" => vec![Effect::Suspend],
        "q" | "esc" if app.lesson.is_some() => lesson::leave(app, 1),
        "q" if app.welcome.is_some() => welcome::leave(app, 1),
        // Elsewhere `q` goes back to Animate, which would be invisible.
        "q" => {
            app.view = View::Animate;
            general::quit(app, 1)
        }
        _ => Vec::new(),
    }
}
