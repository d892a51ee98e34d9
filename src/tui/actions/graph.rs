//! Commands of the Graph view.

use super::distance::Distance;
use super::{animate, share};
use crate::animate::model::{
    ErrorText, Neighbourhood, NeighbourhoodRequest, OrbitMembers, PictureForm, PictureRequest,
    PictureText, StateId,
};
use crate::animate::neighbourhood::NeighbourStep;
use crate::animate::worker::Request;
use crate::app::{App, Effect, Pane, View};
use crate::canvas::BoxStyle;
use crate::command::Availability;
use crate::drawing::{self, GraphPicture, GraphWay, Item, MEMBERS_DRAWN_MAX, picture, way};
use crate::facts;
use crate::graphing::{Chosen, FRAME_TIME, RADIUS_MAX, Unfolding};
use crate::report::numbers::thousands;
use crate::requests::ask;
use crate::text::pad;

/// States of a file that is written without a question.
const LARGE: usize = 2_000;

/// Whether there is a picture.
pub fn has_picture(app: &App) -> Availability {
    match drawing::neighbourhood(app) {
        Some(Ok(_)) => Ok(()),
        Some(Err(failure)) => Err(failure.summary.clone()),
        None => facts::has_session(app).and(Err("the picture is not known yet".to_string())),
    }
}

/// Whether Enter leads from the present state to the selected one.
pub fn can_go(app: &App) -> Availability {
    has_picture(app)?;
    let Some(picture) = picture(app) else {
        return Ok(());
    };
    let item = picture.selected(app);
    match way(&picture, item) {
        Some(GraphWay::Here) => Err("you are here".to_string()),
        Some(_) => Ok(()),
        None => Err("no transition in the picture leads to this very state".to_string()),
    }
}

/// Whether the selected box can be taken apart.
pub fn can_unfold(app: &App) -> Availability {
    has_picture(app)?;
    if app.graph.full {
        Err("each box is a state already; o puts orbits together".to_string())
    } else {
        Ok(())
    }
}

/// Whether orbits can be shown.
pub fn can_turn(app: &App) -> Availability {
    facts::has_session(app)
}

/// Requests for data that the view lacks.
#[must_use]
pub fn wanted(app: &App) -> Vec<Request> {
    if app.view != View::Graph {
        return Vec::new();
    }
    let Some(asked) = drawing::wanted(app) else {
        return Vec::new();
    };
    let Some(answer) = app.graph.around(&asked) else {
        return vec![Request::Neighbourhood(Box::new(asked))];
    };
    let mut wanted = Vec::new();
    if let Some(unfolding) = app.graph.unfolding.as_ref().filter(|u| u.members.is_none()) {
        wanted.push(Request::Members(unfolding.state));
    }
    // The uniqueness of representatives is shown for the selected box alone.
    if let (Ok(_), Some(picture), Some(session)) = (answer, picture(app), &app.session) {
        let item = picture.selected(app);
        if item < picture.items.len() && picture.member(item).is_none() {
            let place = picture.place(item);
            if !session.knows(place.state) && place.failure.is_none() {
                wanted.push(Request::View(place.state));
            }
        }
    }
    wanted
}

/// Handles the engine's reply on a neighbourhood.
pub fn surrounded(
    app: &mut App,
    asked: NeighbourhoodRequest,
    answer: Result<Box<Neighbourhood>, ErrorText>,
) {
    app.graph.learn(asked, answer.map(|answer| *answer));
}

/// Handles the engine's reply on the states of an orbit.
pub fn listed(app: &mut App, state: StateId, answer: Result<Box<OrbitMembers>, ErrorText>) {
    let now = app.now;
    let Some(unfolding) = app.graph.unfolding.as_mut().filter(|u| u.state == state) else {
        return;
    };
    match answer {
        Ok(answer) => {
            let count = answer.members.len();
            let more = match (answer.is_cut, count > MEMBERS_DRAWN_MAX) {
                (false, false) => String::new(),
                _ => format!("; {MEMBERS_DRAWN_MAX} of them are drawn"),
            };
            app.note = match (count, answer.is_cut) {
                (1, false) => "the orbit is this one state".to_string(),
                (_, true) => format!("more than {count} states{more}"),
                (_, false) => format!("{count} states{more}"),
            };
            unfolding.members = Some(Ok(std::rc::Rc::new(*answer)));
            unfolding.frame = 1;
            unfolding.due = now + FRAME_TIME;
        }
        Err(failure) => {
            app.note = failure.summary;
            app.graph.unfolding = None;
        }
    }
}

/// The engine made the text of a file.
pub fn pictured(
    app: &mut App,
    asked: PictureRequest,
    answer: Result<Box<PictureText>, ErrorText>,
    cancelled: bool,
) -> Vec<Effect> {
    match answer {
        Ok(answer) => {
            let bytes = answer.text.len();
            let word = if asked.full { "states" } else { "orbits" };
            let cut = if answer.is_whole { "" } else { " (cut there)" };
            let states = format!("{} {word}{cut}", thousands(answer.vertices as u128));
            let many = bytes > share::LARGE || answer.vertices > LARGE;
            let many = if many { states.as_str() } else { "" };
            let effect = Effect::SavePicture(Box::new((asked, *answer)));
            share::write(app, effect, bytes, many)
        }
        Err(_) if cancelled => Vec::new(),
        Err(failure) => {
            app.note = format!("nothing was written: {}", failure.summary);
            Vec::new()
        }
    }
}

/// Goes to the selected state: along transitions of the raw system, or back in the history.
pub fn go(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(shown) = picture(app) else {
        return Vec::new();
    };
    let item = shown.selected(app);
    let moves: Result<Vec<NeighbourStep>, StateId> = match way(&shown, item) {
        Some(GraphWay::Along(steps)) => Ok(steps.into_iter().cloned().collect()),
        Some(GraphWay::Back(state)) => Err(state),
        Some(GraphWay::Here) | None => return Vec::new(),
    };
    let target = match moves.as_ref().map(|steps| steps.last()) {
        Ok(last) => last.map(|step| step.target),
        Err(state) => Some(*state),
    };
    let place = shown.place(item);
    let key = app.graph.key(place);
    let Some(session) = &mut app.session else {
        return Vec::new();
    };
    app.animate.walk = None;
    match moves {
        Ok(steps) => session.go_along(&steps),
        Err(state) => {
            let history = &session.history;
            let path = history.path();
            let mut back = path.iter().rev().skip(1);
            let entry = back.find(|id| history.node(**id).state == state).copied();
            if let Some(entry) = entry {
                session.jump(entry);
            }
        }
    }
    // In the graph of all states a box that was taken apart is none.
    app.graph.chosen = target.map(|state| {
        if app.graph.full {
            Chosen::Place(state)
        } else {
            Chosen::Place(key)
        }
    });
    app.graph.unfolding = None;
    animate::moved(app);
    Vec::new()
}

/// Tells what the signs of the graph mean.
pub fn signs(app: &mut App, _: usize) -> Vec<Effect> {
    let corners = |style: BoxStyle| {
        let [a, b, _, _, across, _] = style.signs(app.theme.ascii);
        format!("{a}{across}{across}{b}")
    };
    let (plain, unit) = match app.graph.full {
        true => ("s3", "a state, and its number"),
        false => ("q3 x8", "an orbit: 8 states that are alike up to symmetry"),
    };
    let signs = [
        (plain, unit),
        (&corners(BoxStyle::Double), "where you are"),
        (&corners(BoxStyle::Dashed), "on the counterexample"),
        (
            "Top(N0)",
            "in a box: the local states that the step to it has changed",
        ),
        ("+3", "three more local states, which Node lists"),
        ("a x8", "at a line: 8 transitions with the event a"),
        ("tau a", "a silent transition: the event a is hidden"),
        ("& 2", "lines from 2 other boxes end here, too"),
        (
            "(n more)",
            "transitions lead to n boxes beyond this picture",
        ),
        ("->q3", "transitions lead up or aside to q3"),
        ("seen", "you were there"),
        (
            "boxes above",
            "the states you came through; others may lead here",
        ),
    ];
    let lines = signs.map(|(sign, meaning)| format!("{}{meaning}", pad(sign, 13)));
    let filter = "/ shows only boxes with a text: event a*, comp T, state S, or any text.";
    let text = format!("{}\n\n{filter}", lines.join("\n"));
    app.tell("What the signs mean", &text);
    Vec::new()
}

/// Selects the next box of the row.
pub fn right(app: &mut App, count: usize) -> Vec<Effect> {
    aside(app, count as isize)
}

/// Selects the box before in the row.
pub fn left(app: &mut App, count: usize) -> Vec<Effect> {
    aside(app, -(count as isize))
}

/// Whether there is a box to the right of the selected one.
pub fn has_right(app: &App) -> Availability {
    has_picture(app)?;
    beside(app, 1)
        .map(drop)
        .ok_or("it is the last box of the row".to_string())
}

/// Whether there is a box to the left of the selected one.
pub fn has_left(app: &App) -> Availability {
    has_picture(app)?;
    beside(app, -1)
        .map(drop)
        .ok_or("it is the first box of the row".to_string())
}

/// Another box of the row.
fn beside(app: &App, by: isize) -> Option<Chosen> {
    let picture = picture(app)?;
    let item = picture.selected(app);
    let row = picture.rows.get(picture.row(item))?;
    let at = row.iter().position(|n| *n == item)?;
    let to = row.get(at.saturating_add_signed(by).min(row.len() - 1))?;
    (*to != item).then(|| picture.chosen_by(app, *to))
}

fn aside(app: &mut App, by: isize) -> Vec<Effect> {
    let found = beside(app, by);
    choose(app, found);
    Vec::new()
}

/// Selects an item that was found, if there is one.
fn choose(app: &mut App, found: Option<Chosen>) {
    if found.is_some() {
        app.graph.chosen = found;
        app.scroll[Pane::Node as usize] = 0;
    }
}

/// Selects an item, as a click does.
pub fn select(app: &mut App, item: usize) {
    let found = picture(app).filter(|p| item < p.items.len());
    let found = found.map(|picture| picture.chosen_by(app, item));
    choose(app, found);
}

/// Goes along lines, down or up.
pub fn along(app: &mut App, far: Distance) {
    let found = picture(app).and_then(|picture| {
        let mut item = picture.selected(app);
        let last = picture.rows.len().saturating_sub(1);
        let steps = match far {
            Distance::Rows(n) => n,
            Distance::Pages(n) => n.saturating_mul(2),
            Distance::Top => -(last as isize),
            Distance::Bottom => last as isize,
        };
        for _ in 0..steps.unsigned_abs().min(last) {
            item = next(&picture, item, steps > 0)?;
        }
        Some(picture.chosen_by(app, item))
    });
    match found {
        Some(_) => choose(app, found),
        None if has_picture(app).is_ok() => {
            app.note = "no line leads further that way".to_string();
        }
        None => {}
    }
}

/// The box that a line leads to, or that it comes from: the one nearest to the middle of those.
fn next(picture: &GraphPicture<'_>, item: usize, down: bool) -> Option<usize> {
    let row = picture.row(item);
    let to = if down { row + 1 } else { row.checked_sub(1)? };
    let mut others: Vec<usize> = picture
        .edges
        .iter()
        .filter_map(|edge| {
            if down {
                (edge.from == item).then_some(edge.to)
            } else {
                (edge.to == item).then_some(edge.from)
            }
        })
        .filter(|other| picture.row(*other) == to)
        .collect();
    // Other states of a box that is taken apart have their lines at the one that was reached.
    if others.is_empty()
        && let Item::Member(at, _) = picture.items[item]
    {
        let first = picture
            .items
            .iter()
            .position(|i| *i == Item::Member(at, 0))?;
        return (first != item)
            .then(|| next(picture, first, down))
            .flatten();
    }
    // No line is drawn there, since predecessors are known by the history alone.
    if others.is_empty() && !down {
        others.extend(picture.rows.get(to)?.first());
    }
    let place = |n: &usize| {
        picture
            .rows
            .get(to)
            .and_then(|r| r.iter().position(|o| o == n))
    };
    others.sort_by_key(place);
    others.get((others.len().saturating_sub(1)) / 2).copied()
}

/// Increases the radius around the present state.
pub fn wider(app: &mut App, _: usize) -> Vec<Effect> {
    if app.graph.radius < RADIUS_MAX {
        app.graph.radius += 1;
    } else {
        app.note = format!("{RADIUS_MAX} steps are the most");
    }
    Vec::new()
}

/// Decreases the radius.
pub fn narrower(app: &mut App, _: usize) -> Vec<Effect> {
    if app.graph.radius > 1 {
        app.graph.radius -= 1;
    } else {
        app.note = "one step is the least".to_string();
    }
    Vec::new()
}

/// Orbits, or all states.
pub fn turn(app: &mut App, _: usize) -> Vec<Effect> {
    app.graph.full = !app.graph.full;
    app.graph.unfolding = None;
    app.graph.chosen = None;
    app.scroll[Pane::Node as usize] = 0;
    Vec::new()
}

/// Takes the selected box apart, or puts it together again.
pub fn unfold(app: &mut App, _: usize) -> Vec<Effect> {
    let found = picture(app).map(|picture| {
        let place = picture.place(picture.selected(app));
        (place.orbit, place.state)
    });
    let Some((orbit, state)) = found else {
        return Vec::new();
    };
    let due = app.now + FRAME_TIME;
    match &mut app.graph.unfolding {
        Some(open) if open.orbit == orbit && open.members.is_some() => {
            open.folds = !open.folds;
            open.due = due;
            // If one of its states was selected, the box is selected again.
            if open.folds {
                app.graph.chosen = Some(Chosen::Place(orbit));
            }
        }
        _ => {
            app.graph.chosen = Some(Chosen::Place(orbit));
            app.graph.unfolding = Some(Unfolding {
                orbit,
                state,
                frame: 0,
                folds: false,
                due,
                members: None,
            });
        }
    }
    Vec::new()
}

fn export(app: &mut App, form: PictureForm) -> Vec<Effect> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let process = session.history.process().to_owned();
    let full = app.graph.full;
    let request = PictureRequest {
        process,
        full,
        form,
    };
    ask(app, Request::Picture(request)).into_iter().collect()
}

/// Exports all states to a file for graphviz.
pub fn export_dot(app: &mut App, _: usize) -> Vec<Effect> {
    export(app, PictureForm::Dot)
}

/// Exports all states to a drawing.
pub fn export_svg(app: &mut App, _: usize) -> Vec<Effect> {
    export(app, PictureForm::Svg)
}

/// Exports all states to a transition system.
pub fn export_aut(app: &mut App, _: usize) -> Vec<Effect> {
    export(app, PictureForm::Aut)
}

/// Exports all states as JSON, with all data.
pub fn export_json(app: &mut App, _: usize) -> Vec<Effect> {
    export(app, PictureForm::Json)
}

/// Exports all states to a file for graph editors.
pub fn export_graphml(app: &mut App, _: usize) -> Vec<Effect> {
    export(app, PictureForm::Graphml)
}
