//! The neighbourhood of the present state as boxes in layers, with the lines between them.

use super::box_texts::{BoxStates, box_texts};
use super::{Content, absent};
use crate::animate::model::{ComponentView, EventKind};
use crate::animate::neighbourhood::{BOXES_MAX, NeighbourBox, NeighbourEdge};
use crate::app::App;
use crate::canvas::{BoxStyle, Canvas};
use crate::drawing::{DRAWN_MAX, DrawnEdge, GraphPicture, Item, neighbourhood, picture};
use crate::report::numbers::grouped;
use crate::report::words::stop_text;
use crate::sketch::{Sketch, Spot};
use crate::text::{fit, width};
use crate::theme::Role;

/// Builds the pane.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let title = if app.graph.full {
        "Graph (states)"
    } else {
        "Graph (states up to symmetry)"
    };
    let Some(picture) = picture(app) else {
        return Content {
            title: title.to_string(),
            ..instead(app, columns)
        };
    };
    let title = if picture.around.reduces {
        title
    } else {
        "Graph (states: nothing is permuted)"
    };
    let mut content = Content::new(title);
    content.footer = footer(app, &picture);
    let (sheet, texts) = sheet(app, &picture, columns, rows);
    let (x, y) = window(app, &picture, &sheet, columns, rows);
    let canvas = drawn(app, &picture, &sheet, &texts);
    // A drawing that is smaller than the pane stands in its middle.
    let indent = " ".repeat(columns.saturating_sub(sheet.width) / 2);
    for line in y..sheet.height.min(y + rows) {
        let row = crate::text::Row::new(app.theme).plain(indent.clone());
        content.push(row.append(canvas.line(line, x, columns)));
    }
    content
}

/// The text while there is no picture.
fn instead(app: &App, columns: usize) -> Content {
    match neighbourhood(app) {
        Some(Err(failure)) => {
            let mut content = Content::default();
            let text = format!("There is no picture: {}", failure.summary);
            content.push_text(app.theme, Role::Fail, &text, columns);
            let more = "Another radius (+, -) asks once more; u goes back.";
            content.push_text(app.theme, Role::Dim, more, columns);
            content
        }
        _ if app.session.is_some() => {
            let mut content = Content::default();
            content.push_text(app.theme, Role::Dim, "computing ...", columns);
            content
        }
        _ => absent(app, columns),
    }
}

/// The number of missing boxes, in words.
fn footer(app: &App, picture: &GraphPicture<'_>) -> String {
    let around = picture.around;
    let mut parts = Vec::new();
    if let Some(stop) = around.stop {
        parts.push(stop_text(stop).to_string());
    }
    if around.is_cut {
        parts.push(format!("cut: at most {BOXES_MAX} are computed"));
    }
    if picture.undrawn > 0 {
        parts.push(format!(
            "{} more than the {DRAWN_MAX} drawn",
            picture.undrawn
        ));
    }
    if picture.filtered > 0 {
        let filter = app.graph.filter.trim();
        parts.push(format!(
            "{} left out by the filter {filter}",
            picture.filtered
        ));
    }
    if !around.orbits_known {
        parts.push("two boxes may be one orbit".to_string());
    }
    parts.join(", ")
}

/// The first column and row of the part that is shown: the selected box is in its middle.
fn window(
    app: &App,
    picture: &GraphPicture<'_>,
    sheet: &Sketch,
    columns: usize,
    rows: usize,
) -> (usize, usize) {
    let Some(spot) = sheet.spots.get(picture.selected(app)) else {
        return (0, 0);
    };
    let middle = |at: usize, size: usize, room: usize, all: usize| {
        (at + size / 2)
            .saturating_sub(room / 2)
            .min(all.saturating_sub(room))
    };
    let x = middle(spot.x, spot.width, columns, sheet.width);
    let y = middle(spot.y, spot.height, rows, sheet.height);
    (x, y)
}

/// The item at a place of the pane.
#[must_use]
pub fn hit(app: &App, (columns, rows): (usize, usize), x: usize, y: usize) -> Option<usize> {
    let picture = picture(app)?;
    let (sheet, _) = sheet(app, &picture, columns, rows);
    let (left, top) = window(app, &picture, &sheet, columns, rows);
    let indent = columns.saturating_sub(sheet.width) / 2;
    sheet.at((left + x).checked_sub(indent)?, top + y)
}

/// Boxes and lines on a sheet for a pane of so many columns and rows, with the text of each box: the boxes of a row are
/// as wide and as high as their texts want and the pane allows.
fn sheet(
    app: &App,
    picture: &GraphPicture<'_>,
    columns: usize,
    rows: usize,
) -> (Sketch, Vec<Vec<String>>) {
    let items = 0..picture.items.len();
    let mut states: Vec<Vec<String>> = items.map(|n| what(picture, n)).collect();
    without_module(&mut states);
    let sizes = picture.rows.iter().map(|row| {
        let wanted = row
            .iter()
            .map(|n| wanted_width(app, picture, *n, &states[*n]));
        let wanted = wanted.max().unwrap_or(0).max(WIDTH_MIN);
        let fits = (columns.saturating_sub(2) / row.len().max(1)).saturating_sub(2);
        // A row that does not fit anyhow need not be squeezed.
        let most = if fits < WIDTH_FITTED {
            WIDTH_SQUEEZED
        } else {
            fits
        };
        (wanted.min(most).min(columns), 1)
    });
    let mut sizes: Vec<(usize, usize)> = sizes.collect();
    let boxes = states.into_iter().enumerate().map(|(n, states)| BoxStates {
        states,
        columns: sizes[picture.row(n)].0.saturating_sub(2),
        lines: 1,
    });
    let mut boxes: Vec<BoxStates> = boxes.collect();
    let labels = if rows < 18 { 1 } else { 2 };
    let flat = picture.sketch(&sizes, labels);
    // The rows that are left go to boxes that have more to say, one each in turn.
    let mut left = rows.saturating_sub(flat.height);
    for lines in 2..=LINES_MAX {
        for (row, size) in picture.rows.iter().zip(&mut sizes) {
            let has_more = row
                .iter()
                .any(|n| boxes[*n].lines + 1 == lines && !boxes[*n].fits());
            if left > 0 && has_more {
                left -= 1;
                size.1 = lines;
                row.iter().for_each(|n| boxes[*n].lines = lines);
            }
        }
    }
    (picture.sketch(&sizes, labels), box_texts(&boxes))
}

/// Leaves out the name of a module that all local states have.
fn without_module(boxes: &mut [Vec<String>]) {
    let first = boxes.iter().flatten().next();
    let Some((before, _)) = first.and_then(|state| state.split_once("::")) else {
        return;
    };
    let mut names = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    let module = format!("{}::", names.next().unwrap_or_default());
    if boxes.iter().flatten().all(|state| state.contains(&module)) {
        let all = boxes.iter_mut().flatten();
        all.for_each(|state| *state = state.replacen(&module, "", 1));
    }
}

/// Columns that a box may take where there is room, at least and at most; of one in a row that just fits, at least; and
/// of one in a row that does not.
const WIDTH_MIN: usize = 16;
const WIDTH_MAX: usize = 44;
const WIDTH_FITTED: usize = 14;
const WIDTH_SQUEEZED: usize = 20;
/// Lines of text in a box at most.
const LINES_MAX: usize = 4;

/// Columns that a box would take for all of its text and that of the lines to it.
fn wanted_width(app: &App, picture: &GraphPicture<'_>, item: usize, states: &[String]) -> usize {
    let text: usize = states.iter().map(|state| width(state) + 2).sum();
    let heading = width(&heading(app, picture, item)) + 7;
    let signs = width(&signs(app, picture, item).1) + 2;
    let several = picture.from_above(item).count() > 1;
    let labels = picture.from_above(item).map(|edge| {
        let before = before_label(app, picture, edge, several);
        // The lines to the box stand before the labels.
        width(&edge_label(picture, edge, &before, WIDTH_MAX)) + 7
    });
    let others = labels.max().unwrap_or(0).max(heading).max(signs);
    text.max(others).min(WIDTH_MAX)
}

fn drawn(app: &App, picture: &GraphPicture<'_>, sheet: &Sketch, texts: &[Vec<String>]) -> Canvas {
    let mut canvas = Canvas::new(app.theme, sheet.width, sheet.height);
    let selected = picture.selected(app);
    for (item, (spot, text)) in sheet.spots.iter().zip(texts).enumerate() {
        draw_box(
            app,
            (picture, item, text),
            spot,
            item == selected,
            &mut canvas,
        );
    }
    let touches = |from: usize, to: usize| from == selected || to == selected;
    canvas.draw_wires(&sheet.wires, &sheet.spots, |wire| {
        if touches(wire.from, wire.to) {
            Role::Strong
        } else {
            Role::Plain
        }
    });
    draw_labels(app, picture, sheet, &mut canvas);
    canvas
}

fn draw_box(
    app: &App,
    (picture, item, text): (&GraphPicture<'_>, usize, &[String]),
    spot: &Spot,
    selected: bool,
    canvas: &mut Canvas,
) {
    let place = picture.place(item);
    let (Item::Place(at) | Item::Member(at, _)) = picture.items[item];
    let current =
        at == picture.around.current && !matches!(picture.items[item], Item::Member(_, 1..));
    let (style, role) = match (current, place.on_path) {
        (true, _) => (BoxStyle::Double, Role::Focus),
        (false, true) => (BoxStyle::Dashed, Role::Plain),
        (false, false) => (BoxStyle::Plain, Role::Plain),
    };
    canvas.draw_box(spot, style, role);
    let room = spot.width.saturating_sub(4);
    let head = if selected {
        format!("> {}", heading(app, picture, item))
    } else {
        heading(app, picture, item)
    };
    let role = if selected {
        Role::Selected
    } else {
        Role::Strong
    };
    let head = format!(" {} ", fit(&head, room.saturating_sub(1)));
    canvas.write(spot.x + 1, spot.y, spot.width - 2, role, &head);
    let inner = spot.width - 2;
    let signs_at = spot.y + spot.height - 2;
    for (line, y) in text.iter().zip(spot.y + 1..signs_at) {
        canvas.write(spot.x + 1, y, inner, Role::Plain, line);
    }
    if picture.member(item).is_none() {
        let (role, text) = signs(app, picture, item);
        canvas.write(spot.x + 1, signs_at, inner, role, &fit(&text, inner));
    } else if matches!(picture.items[item], Item::Member(_, 0)) {
        canvas.write(spot.x + 1, signs_at, inner, Role::Dim, "reached first");
    }
}

/// `q7 x1,080`, and of a state of a box that is taken apart `q7 3/24`.
fn heading(app: &App, picture: &GraphPicture<'_>, item: usize) -> String {
    let place = picture.place(item);
    let name = app.graph.name(place);
    if let Item::Member(_, number) = picture.items[item] {
        return format!("{name} {}/{}", number + 1, size(place));
    }
    match app.graph.full {
        // Without symmetry, each orbit is one state.
        _ if !picture.around.reduces => name,
        true => name,
        false => format!("{name} x{}", size(place)),
    }
}

/// The size of a box's orbit, in words.
#[must_use]
pub fn size(place: &NeighbourBox) -> String {
    place.size.as_ref().map_or_else(|| "?".to_string(), grouped)
}

/// A component in few columns: its label is left out where its local state has its index in it.
fn short(component: &ComponentView) -> String {
    let (label, text) = (component.label(), &component.text);
    let has_index =
        !component.index.is_empty() && component.args.iter().any(|(_, a)| *a == component.index);
    if *text == label || has_index || text.starts_with(&component.family) {
        text.clone()
    } else {
        format!("{label} {text}")
    }
}

/// The difference of a box from its neighbours: the local states of the components that moved.
fn what(picture: &GraphPicture<'_>, item: usize) -> Vec<String> {
    let place = picture.place(item);
    let of = |components: &[ComponentView], at: usize| components.get(at).map(short);
    if let Some(member) = picture.member(item) {
        let first = &place.components;
        let differs = |(at, c): (usize, &ComponentView)| {
            let same = first.get(at).is_some_and(|f| f.text == c.text);
            (!same).then(|| of(&member.components, at)).flatten()
        };
        let parts: Vec<String> = member
            .components
            .iter()
            .enumerate()
            .filter_map(differs)
            .collect();
        if !parts.is_empty() {
            return parts;
        }
    }
    let moved = place
        .moved
        .iter()
        .filter_map(|at| of(&place.components, *at));
    let moved: Vec<String> = moved.collect();
    if !moved.is_empty() {
        return moved;
    }
    let all = (0..place.components.len()).filter_map(|at| of(&place.components, at));
    all.collect()
}

/// The signs of a box, the most important first.
fn signs(app: &App, picture: &GraphPicture<'_>, item: usize) -> (Role, String) {
    let place = picture.place(item);
    let end = match (&place.failure, place.deadlocked, place.terminated) {
        (Some(_), ..) => Some((Role::Fail, "ERROR")),
        (_, true, _) => Some((Role::Fail, "DEADLOCK")),
        (_, _, true) => Some((Role::Fail, "TERMINATED")),
        _ => None,
    };
    let mut parts: Vec<String> = end.iter().map(|(_, word)| (*word).to_string()).collect();
    match (place.expanded, place.more) {
        (false, _) if place.failure.is_none() => parts.push("(not looked at)".to_string()),
        (true, 1..) => parts.push(format!("({} more)", place.more)),
        _ => {}
    }
    if place.omitted > 0 {
        parts.push(format!("+{} steps", place.omitted));
    }
    parts.extend(marks(app, place));
    parts.extend(elsewhere(app, picture, item));
    if was_visited(app, place) {
        parts.push("seen".to_string());
    }
    (end.map_or(Role::Dim, |(role, _)| role), parts.join(" "))
}

/// The letters of marks on states of a box.
#[must_use]
pub fn marks(app: &App, place: &NeighbourBox) -> Vec<String> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let history = &session.history;
    let here = |state| {
        if app.graph.full {
            state == place.state
        } else {
            session.orbit_visited(state) == Some(place.orbit) || state == place.state
        }
    };
    let marks = history
        .marks()
        .filter(|(_, id)| here(history.node(*id).state));
    marks.map(|(letter, _)| format!("'{letter}")).collect()
}

/// Whether the state was visited.
#[must_use]
pub fn was_visited(app: &App, place: &NeighbourBox) -> bool {
    let session = app.session.as_ref();
    session.is_some_and(|session| {
        if app.graph.full {
            session.was_at(place.state)
        } else {
            session.was_in_orbit(place.orbit)
        }
    })
}

/// Edges without a line: `^q3` for those that lead up or aside; `loop` for a loop.
fn elsewhere(app: &App, picture: &GraphPicture<'_>, item: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut others = Vec::new();
    for edge in picture.edges.iter().filter(|edge| edge.from == item) {
        if edge.to == item {
            parts.push("loop".to_string());
        } else if picture.row(edge.to) != picture.row(item) + 1 {
            others.push(app.graph.name(picture.place(edge.to)));
        }
    }
    others.dedup();
    if let Some(first) = others.first() {
        let more = match others.len() {
            1 => String::new(),
            n => format!("+{}", n - 1),
        };
        parts.push(format!("->{first}{more}"));
    }
    parts
}

/// `tau getTop x8`, `push.T0.A`, `tick`.
#[must_use]
pub fn label(edge: &NeighbourEdge, event: &str) -> String {
    match edge.kind {
        EventKind::Tick => "tick".to_string(),
        EventKind::Tau if event.is_empty() => "tau".to_string(),
        EventKind::Tau => format!("tau {event}"),
        EventKind::Visible => event.to_string(),
    }
}

/// The label of an edge for so many columns: the whole event if there is room, otherwise the channel.
fn edge_label(picture: &GraphPicture<'_>, edge: &DrawnEdge, before: &str, room: usize) -> String {
    let Some(first) = edge.of.first().and_then(|at| picture.around.edges.get(*at)) else {
        return String::new();
    };
    let count = match edge.count {
        1 => String::new(),
        n => format!(" x{n}"),
    };
    let others = match edge.of.len() {
        1 => String::new(),
        n => format!(" +{}", n - 1),
    };
    let text = |event: &str| format!("{before}{}{others}{count}", label(first, event));
    let whole = text(&first.event);
    if width(&whole) <= room {
        return whole;
    }
    let short = text(&first.channel);
    if width(&short) <= room {
        return short;
    }
    // The number of transitions is always shown.
    let tail = format!("{others}{count}");
    let head = format!("{before}{}", label(first, &first.channel));
    fit(&head, room.saturating_sub(width(&tail))) + &tail
}

/// The name of the box that an edge comes from, where there are others.
fn before_label(app: &App, picture: &GraphPicture<'_>, edge: &DrawnEdge, several: bool) -> String {
    match several {
        true => format!("{} ", app.graph.name(picture.place(edge.from))),
        false => String::new(),
    }
}

fn draw_labels(app: &App, picture: &GraphPicture<'_>, sheet: &Sketch, canvas: &mut Canvas) {
    for item in 0..picture.items.len() {
        let mut edges: Vec<&DrawnEdge> = picture.from_above(item).collect();
        edges.sort_by_key(|edge| sheet.spots[edge.from].x);
        let several = edges.len() > 1;
        let lines: Vec<_> = sheet.labels.iter().filter(|l| l.to == item).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(edge) = edges.get(at) else { break };
            let before = before_label(app, picture, edge, several);
            let left = edges.len() - lines.len();
            let rest = if left > 0 && at + 1 == lines.len() {
                format!(" & {left}")
            } else {
                String::new()
            };
            let room = line.width.saturating_sub(width(&rest));
            let text = edge_label(picture, edge, &before, room) + &rest;
            canvas.write(line.x, line.y, line.width, Role::Plain, &text);
        }
    }
}

/// The text on the status line: the picture, and the share that is shown.
#[must_use]
pub fn status(app: &App) -> Vec<String> {
    let mut parts = vec![if app.graph.full {
        "states".to_string()
    } else {
        "orbits".to_string()
    }];
    if let Some(picture) = picture(app) {
        let places = picture.around.boxes.len() - picture.filtered - picture.undrawn;
        parts.push(format!("{places} of {} met shown", app.graph.boxes_found()));
    }
    parts.push(format!("radius {}", app.graph.radius));
    parts
}
