//! Layout of panes: a function of the size of the terminal and of the focus.

use ratatui::layout::Rect;

use super::app::{App, Pane, ShownState, View};
use super::facts;
use super::panes::{components, drawn, runs};
use super::views::Aside;
use crate::animate::session::Session;

/// The size class of a terminal, by the panes that it has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Room for all panes of a view side by side.
    Wide,
    /// Two panes, one above the other.
    Two,
    /// The focused pane alone.
    One,
    /// Too little for any.
    Tiny,
}

/// The tier of a terminal.
#[must_use]
pub fn tier(size: (u16, u16)) -> Tier {
    match size {
        // Smaller than this, `tiny` draws a sentence instead of panes.
        (w, h) if w < 60 || h < 16 => Tier::Tiny,
        (w, _) if w >= 110 => Tier::Wide,
        (w, _) if w >= 80 => Tier::Two,
        _ => Tier::One,
    }
}

/// The part between the tabs above and the two lines below.
#[must_use]
pub fn body((w, h): (u16, u16)) -> Rect {
    Rect::new(0, 1, w, h.saturating_sub(3))
}

/// The panes that can be focused.
#[must_use]
pub fn reachable(app: &App) -> Vec<Pane> {
    // Where two panes fit, the state pane shows the representative itself (`State both`).
    let symmetric = is_symmetric(app);
    let hidden = |pane: &Pane| match pane {
        Pane::Representative | Pane::Why if !symmetric => true,
        Pane::State if !symmetric => false,
        Pane::State => app.animate.show == ShownState::Rep && tier(app.size) == Tier::Wide,
        Pane::Representative => match (app.animate.show, tier(app.size)) {
            (ShownState::Raw | ShownState::Counted, _) => true,
            (ShownState::Both, Tier::Wide) if !app.zoom => is_folded(app),
            (_, tier) => tier != Tier::Wide,
        },
        Pane::NValues => !app.orbit.has_table(),
        Pane::Edges => !app.orbit.has_edges(),
        Pane::Counterexample => !has_path(app),
        Pane::Both => facts::pair(app).is_none(),
        Pane::Racing => app.race.request.is_none(),
        Pane::Sizes => app.sizes.request.is_none(),
        Pane::WhatIf => runs::has_none(app),
        Pane::Doubled => app.race.row().is_none(),
        _ => false,
    };
    let panes = app.view.panes().iter().copied();
    panes.filter(|pane| !hidden(pane)).collect()
}

/// The pane in which one finds what a pane shows: where the state and its representative have one place, that is
/// either of them. None if the view does not show it at any size of the terminal.
#[must_use]
pub fn place_of(app: &App, pane: Pane) -> Option<Pane> {
    let reachable = reachable(app);
    let other = match pane {
        Pane::Representative => Pane::State,
        Pane::State => Pane::Representative,
        other => other,
    };
    [pane, other]
        .into_iter()
        .find(|pane| reachable.contains(pane))
}

/// Whether the open process is reduced by symmetry, so that there are representatives; also true while that is
/// unknown.
#[must_use]
pub fn is_symmetric(app: &App) -> bool {
    let reduction = app.session.as_ref().and_then(Session::reduction);
    reduction.is_none_or(|reduction| reduction.used.is_some())
}

/// Whether there is a counterexample to show.
fn has_path(app: &App) -> bool {
    let outcome = app.checks.outcome();
    outcome.is_some_and(|outcome| outcome.counterexample.is_some())
}

/// The panes drawn and their places.
#[must_use]
pub fn panes(app: &App) -> Vec<(Pane, Rect)> {
    let body = body(app.size);
    let focused = app.pane();
    match tier(app.size) {
        Tier::Tiny => Vec::new(),
        _ if app.zoom => vec![(focused, body)],
        _ if facts::shows_failure(app) => failure(app, body),
        Tier::One => vec![(focused, body)],
        Tier::Two => two(app, body),
        Tier::Wide => match app.view {
            View::Animate if docks(app) => {
                let (own, source) = docked(body);
                let mut places = animate(app, own);
                if !places.iter().any(|(pane, _)| *pane == Pane::Source) {
                    places.push((Pane::Source, source));
                }
                places
            }
            View::Animate => animate(app, body),
            View::Orbit => orbit(app, body),
            View::Compare => compare(app, body),
            View::Check => check(app, body),
            view => view
                .aside()
                .map_or_else(Vec::new, |places| aside(app, body, places)),
        },
    }
}

/// Whether the text of the script is shown beside the state: it takes a wide terminal.
#[must_use]
pub fn docks(app: &App) -> bool {
    app.size.0 >= 160 && app.view == View::Animate && !app.reading.listing.files.is_empty()
}

/// Whether a pane is drawn.
#[must_use]
pub fn visible(app: &App, pane: Pane) -> bool {
    panes(app).iter().any(|(p, _)| *p == pane)
}

/// The inner size of a pane; that of the body if it is not drawn.
#[must_use]
pub fn inner(app: &App, pane: Pane) -> (u16, u16) {
    let place = panes(app).into_iter().find(|(p, _)| *p == pane);
    let rect = place.map_or(body(app.size), |(_, rect)| rect);
    (rect.width.saturating_sub(2), rect.height.saturating_sub(2))
}

/// Lines that fit into a pane.
#[must_use]
pub fn height(app: &App, pane: Pane) -> usize {
    usize::from(inner(app, pane).1)
}

/// Where there is no state: why, and in Animate how one came there.
fn failure(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    if app.view != View::Animate || app.session.is_none() || tier(app.size) == Tier::One {
        return vec![(app.pane(), body)];
    }
    let (above, below) = rows(body, 18, 33);
    let focused = Some(app.pane()).filter(|pane| *pane != Pane::History);
    vec![
        (focused.unwrap_or(Pane::Transitions), above),
        (Pane::History, below),
    ]
}

fn two(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    let main = app.view.panes().first().copied();
    let share = match app.pane() {
        // A counterexample or a long table leaves few rows for the assertions.
        Pane::Counterexample | Pane::Racing | Pane::Doubled | Pane::Sizes => 5,
        _ => app.view.share(),
    };
    let (above, below) = split(body, spared(app, rows(body, share, 21)));
    // A table that is drawn says more than its rows and the cycles below.
    let draws = |area| drawn::is_drawn(app, area);
    if app.pane() == Pane::Drawing && !draws(above) && draws(body) {
        return vec![(Pane::Drawing, body)];
    }
    let lower = app.lower[app.view as usize];
    let lower = match (lower, app.view) {
        // The focus of a wide screen, or of another strategy, may have no place here.
        (Pane::Representative, _) => Pane::State,
        (Pane::Counterexample, _) if !has_path(app) => Pane::Explanation,
        (Pane::Both, _) if facts::pair(app).is_none() => Pane::Explanation,
        (Pane::Doubled, _) if app.race.row().is_none() => Pane::Racing,
        (Pane::NValues | Pane::Edges, _) if !app.orbit.counts() => Pane::Steps,
        (pane, _) => pane,
    };
    main.map(|main| vec![(main, above), (lower, below)])
        .unwrap_or_default()
}

/// The height of the upper pane where two are drawn: a short list of transitions leaves rows to a long state.
fn spared(app: &App, (above, below): (Rect, Rect)) -> u16 {
    let session = app.session.as_ref().filter(|_| app.view == View::Animate);
    let Some((session, view)) = session.and_then(|s| Some((s, s.view()?))) else {
        return above.height;
    };
    // A blank line, the preview and the border; below, the permutation, the trace and the border.
    let wanted = (session.groups.len() + 5).max(7);
    let spare = usize::from(above.height).saturating_sub(wanted);
    let missing = (components::rows(view) + 6).saturating_sub(usize::from(below.height));
    above.height - spare.min(missing) as u16
}

/// The part of the view, which is as wide as on a terminal of 120 columns, and that of the docked text.
fn docked(body: Rect) -> (Rect, Rect) {
    columns(body, 2, 3)
}

/// The upper and the lower part of the Animate view.
fn halves(app: &App, body: Rect) -> (Rect, Rect) {
    match app.size.1 {
        24.. => rows(body, 18, 33),
        _ => (body, Rect::default()),
    }
}

fn animate(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    // Shares of 33 and of 120: the rows of the body and the columns of a terminal of 120x36. Below
    // 30 rows the explanation has no room, below 24 the history, below 20 the representative.
    let tall = app.size.1;
    let (above, below) = halves(app, body);
    let (left, right) = columns(above, TRANSITIONS.0, TRANSITIONS.1);
    let mut places = vec![(Pane::Transitions, left)];
    let symmetric = is_symmetric(app);
    match app.animate.show {
        // Without representatives the state has their room.
        _ if !symmetric => places.push((Pane::State, right)),
        ShownState::Both if tall >= 20 => match representative_beside(app, right) {
            Beside::Right => {
                let (raw, rep) = columns(right, BESIDE.0, BESIDE.1);
                places.extend([(Pane::State, raw), (Pane::Representative, rep)]);
            }
            Beside::Below(rows_above) => {
                let (raw, rep) = rows(right, rows_above, right.height.max(1));
                places.extend([(Pane::State, raw), (Pane::Representative, rep)]);
            }
            Beside::No => places.push((Pane::State, right)),
        },
        ShownState::Rep => places.push((Pane::Representative, right)),
        ShownState::Both | ShownState::Raw | ShownState::Counted => {
            places.push((Pane::State, right));
        }
    }
    if tall >= 30 && symmetric {
        let (history, why) = columns(below, 44, 120);
        places.extend([(Pane::History, history), (Pane::Why, why)]);
    } else if tall >= 24 {
        places.push((Pane::History, below));
    }
    with_focus(app, places)
}

/// The share of the list of transitions.
const TRANSITIONS: (u16, u16) = (47, 120);
/// The state's share of the columns that the list of transitions leaves of 120.
const BESIDE: (u16, u16) = (35, 73);

/// The place of the representative, by what fits.
enum Beside {
    /// Right of the state: no local state is cut much.
    Right,
    /// Below the state, which gets this number of rows.
    Below(u16),
    /// Nowhere: the state needs the room.
    No,
}

/// Whether a representative is to be shown beside the state, and gives way to it.
#[must_use]
pub fn is_folded(app: &App) -> bool {
    if app.animate.show != ShownState::Both || tier(app.size) != Tier::Wide || !is_symmetric(app) {
        return false;
    }
    let own = match docks(app) {
        true => docked(body(app.size)).0,
        false => body(app.size),
    };
    let right = columns(halves(app, own).0, TRANSITIONS.0, TRANSITIONS.1).1;
    matches!(representative_beside(app, right), Beside::No)
}

fn representative_beside(app: &App, area: Rect) -> Beside {
    let Some(view) = app.session.as_ref().and_then(Session::view) else {
        return Beside::Right;
    };
    let narrow = usize::from(area.width * BESIDE.0 / BESIDE.1).saturating_sub(2);
    let widest = components::widest(&view.components);
    if widest <= narrow {
        return Beside::Right;
    }
    let list = components::rows(view);
    let kinds = app.session.as_ref().and_then(Session::reduction);
    let kinds = kinds.and_then(|found| found.used.as_ref());
    let permutation = kinds.map_or(1, |used| used.types.len().max(1));
    // With the states before the last step and a border; with the permutation and a border.
    let changed = app
        .session
        .as_ref()
        .map_or(0, |s| s.changed().iter().flatten().count());
    let (above, below) = (list + changed + 2, list + permutation + 2);
    if above + below <= usize::from(area.height) {
        Beside::Below(area.height - below as u16)
    } else if widest <= narrow + narrow / 3 {
        // A quarter may be cut.
        Beside::Right
    } else {
        Beside::No
    }
}

/// A focused pane that has no place takes that of the last one.
fn with_focus(app: &App, mut places: Vec<(Pane, Rect)>) -> Vec<(Pane, Rect)> {
    let focused = app.pane();
    // A docked pane needs no place among those of the view.
    let is_docked = focused == Pane::Source && docks(app);
    if !is_docked
        && !places.iter().any(|(pane, _)| *pane == focused)
        && let Some(last) = places.last_mut()
    {
        // So every pane that keys can reach is visible.
        last.0 = app.pane();
    }
    places
}

fn orbit(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    let shown = (app.orbit.has_table(), app.orbit.has_edges());
    let (above, below) = match shown {
        (false, false) => (body, Rect::default()),
        _ => rows(body, 17, 33),
    };
    let (steps, partition) = columns(above, 30, 120);
    // The main pane comes first, although it stands on the right.
    let mut places = vec![(Pane::Partition, partition), (Pane::Steps, steps)];
    match shown {
        (true, true) => {
            let (left, right) = columns(below, 74, 120);
            places.extend([(Pane::NValues, left), (Pane::Edges, right)]);
        }
        (true, false) => places.push((Pane::NValues, below)),
        (false, true) => places.push((Pane::Edges, below)),
        (false, false) => {}
    }
    places
}

fn compare(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    // Of 33 rows: the two states, the verdict, and below it the runs and the results of other picks. On low
    // terminals there is no room for the last one.
    let tall = app.size.1 >= 30;
    let (above, rest) = if tall {
        // The components, the representative below them, and the border.
        rows(body, (components(app) + 5).clamp(10, 13), 33)
    } else {
        rows(body, 4, 10)
    };
    let (a, b) = columns(above, 1, 2);
    if !tall {
        let (left, right) = columns(rest, 1, 2);
        let places = [
            (Pane::StateA, a),
            (Pane::StateB, b),
            (Pane::SideBySide, right),
            (Pane::Verdict, left),
        ];
        return with_focus(app, places.to_vec());
    }
    let (verdict, below) = rows(rest, 8, 20);
    let mut places = vec![
        (Pane::Verdict, verdict),
        (Pane::StateA, a),
        (Pane::StateB, b),
    ];
    if runs::has_none(app) {
        places.push((Pane::SideBySide, below));
        return places;
    }
    // Where nothing was picked, its pane has a sentence, and the runs have its room.
    let says_little = runs::what_if(app, usize::from(below.width / 3)).lines.len() <= 4;
    let (left, right) = if says_little {
        columns(below, 2, 3)
    } else {
        columns(below, 1, 2)
    };
    places.extend([(Pane::SideBySide, left), (Pane::WhatIf, right)]);
    places
}

/// The number of components of the two states, if it is known.
fn components(app: &App) -> u16 {
    let count = match facts::compared(app) {
        Some(Ok(found)) => found.a.components.len().max(found.b.components.len()),
        _ => 0,
    };
    count.min(100) as u16
}

fn check(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    let reading = app.pane() == Pane::Counterexample;
    let racing = shows_race(app);
    let sizes = app.lower[View::Check as usize] == Pane::Sizes && app.sizes.request.is_some();
    let share = match &app.checks.running {
        _ if reading || racing || sizes => 8,
        // Its files and its processes have lines, too.
        Some((_, running)) if running.disk.is_some() || !running.processes.is_empty() => 19,
        _ => 11,
    };
    let (above, below) = rows(body, share, 33);
    let (assertions, progress) = columns(above, 70, 120);
    let mut places = vec![(Pane::Assertions, assertions), (Pane::Progress, progress)];
    if racing {
        places.extend(race(app, below));
    } else if sizes {
        places.push((Pane::Sizes, below));
    } else if !has_path(app) {
        places.extend(meaning(app, below));
    } else if app.size.1 >= 28 && !reading {
        // Two runs side by side take more lines than a sentence or two.
        let share = if facts::pair(app).is_some() { 11 } else { 13 };
        let (path, explanation) = rows(below, share, 22);
        places.push((Pane::Counterexample, path));
        places.extend(meaning(app, explanation));
    } else {
        let lower = match app.lower[app.view as usize] {
            lower @ (Pane::Explanation | Pane::Both) if !reading => lower,
            _ => Pane::Counterexample,
        };
        places.push((lower, below));
    }
    with_focus(app, places)
}

/// Whether the last result shown is that of the race.
fn shows_race(app: &App) -> bool {
    let lower = app.lower[View::Check as usize];
    matches!(lower, Pane::Racing | Pane::Doubled) && app.race.request.is_some()
}

/// The strategies that race, and below them the text on the selected one.
fn race(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    if app.race.row().is_none() || app.size.1 < 28 {
        return vec![(app.lower[View::Check as usize], area)];
    }
    // The lines, their heads and the border.
    let lines = app.race.names.len() as u16 + 3;
    let (table, rest) = rows(area, lines.min(area.height * 2 / 3), area.height);
    vec![(Pane::Racing, table), (Pane::Doubled, rest)]
}

/// The explanation of the outcome, and beside it the figures with and without reduction, if they were asked for.
fn meaning(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    if facts::pair(app).is_none() {
        return vec![(Pane::Explanation, area)];
    }
    let (left, right) = columns(area, 56, 120);
    vec![(Pane::Explanation, left), (Pane::Both, right)]
}

/// The main pane, and beside it the second one, or two.
fn aside(app: &App, body: Rect, places: Aside) -> Vec<(Pane, Rect)> {
    let panes = app.view.panes();
    let (left, right) = columns(body, places.main, 120);
    if app.size.1 < places.rows_min || panes.len() < 3 {
        let second = app.view.second_pane();
        return with_focus(app, vec![(panes[0], left), (second, right)]);
    }
    let (upper, lower) = rows(right, places.upper, 33);
    let areas = [left, upper, lower];
    panes.iter().copied().zip(areas).collect()
}

fn rows(area: Rect, share: u16, of: u16) -> (Rect, Rect) {
    // In 32 bits: the product may be larger than `u16`. The quotient is not, since `share` is at
    // most `of`.
    let above = (u32::from(area.height) * u32::from(share) / u32::from(of)) as u16;
    split(area, above)
}

/// The upper rows of an area, and the rest.
fn split(area: Rect, above: u16) -> (Rect, Rect) {
    (
        Rect {
            height: above,
            ..area
        },
        Rect {
            y: area.y + above,
            height: area.height - above,
            ..area
        },
    )
}

fn columns(area: Rect, share: u16, of: u16) -> (Rect, Rect) {
    let left = (u32::from(area.width) * u32::from(share) / u32::from(of)) as u16;
    (
        Rect {
            width: left,
            ..area
        },
        Rect {
            x: area.x + left,
            width: area.width - left,
            ..area
        },
    )
}
