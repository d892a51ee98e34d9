//! The selected box of the graph in detail.

use super::graph::{label, marks, size, was_visited};
use super::{Content, absent};
use crate::animate::model::ComponentView;
use crate::animate::neighbourhood::{NeighbourBox, NeighbourEdge};
use crate::app::App;
use crate::drawing::{GraphPicture, Item, is_reached, picture};
use crate::report::numbers::{counted, thousands};
use crate::text::{Row, wrap};
use crate::theme::Role;

/// Columns of the words before the facts.
const WORDS: usize = 9;
/// Largest number of components before the other facts about a box.
const COMPONENTS_FIRST: usize = 12;

/// The pane of the selected box.
#[must_use]
// In one piece: one paragraph after the other, as they stand in the pane.
pub fn build(app: &App, columns: usize) -> Content {
    let Some(picture) = picture(app) else {
        let inner = match app.session {
            Some(_) => Content::default(),
            None => absent(app, columns),
        };
        return Content {
            title: "Node".to_string(),
            ..inner
        };
    };
    let item = picture.selected(app);
    let Some(Item::Place(at) | Item::Member(at, _)) = picture.items.get(item).copied() else {
        return Content::new("Node");
    };
    let place = &picture.around.boxes[at];
    let mut content = Content::new(format!("Node {}", app.graph.name(place)));
    if let Some(member) = picture.member(item) {
        content.title += " (one of its states)";
        let all: Vec<usize> = (0..member.components.len()).collect();
        components(app, &mut content, &member.components, &[], &all, columns);
        if !is_reached(&picture, item) {
            let text = "No transition in this picture leads to this very state: Enter goes to \
                        those that one leads to.";
            content.push_text(app.theme, Role::Dim, text, columns);
        }
        return content;
    }
    // With very many components, the other facts come before the components that did not move.
    let many = place.components.len() > COMPONENTS_FIRST;
    let moved = |at: &usize| place.moved.contains(at);
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..place.components.len()).partition(moved);
    components(
        app,
        &mut content,
        &place.components,
        &place.moved,
        &first,
        columns,
    );
    if !many {
        components(
            app,
            &mut content,
            &place.components,
            &place.moved,
            &rest,
            columns,
        );
    }
    content.push(Row::new(app.theme));
    facts(app, &picture, at, place, &mut content, columns);
    edges(app, &picture, at, &mut content, columns);
    if many {
        content.push(Row::new(app.theme));
        components(
            app,
            &mut content,
            &place.components,
            &place.moved,
            &rest,
            columns,
        );
    }
    content
}

/// Some of the components of a state, with a sign at those that moved.
fn components(
    app: &App,
    content: &mut Content,
    components: &[ComponentView],
    moved: &[usize],
    which: &[usize],
    columns: usize,
) {
    for at in which.iter().copied() {
        let Some(component) = components.get(at) else {
            continue;
        };
        let text = if component.text == component.label() {
            component.text.clone()
        } else {
            format!("{} = {}", component.label(), component.text)
        };
        let (sign, role) = if moved.contains(&at) {
            ("~", Role::Changed)
        } else {
            (" ", Role::Plain)
        };
        for (nth, line) in wrap(&text, columns.saturating_sub(4))
            .into_iter()
            .enumerate()
        {
            let sign = if nth == 0 { sign } else { " " };
            content.push(
                Row::new(app.theme)
                    .add(role, format!("{sign} "))
                    .plain(line),
            );
        }
    }
}

fn line(app: &App, content: &mut Content, word: &str, role: Role, text: &str, columns: usize) {
    let lines = wrap(text, columns.saturating_sub(WORDS + 1));
    for (at, line) in lines.into_iter().enumerate() {
        let word = if at == 0 { word } else { "" };
        let row = Row::new(app.theme).add(Role::Dim, format!("{word:<WORDS$}"));
        content.push(row.add(role, line));
    }
}

/// Everything about a box that is no component.
fn facts(
    app: &App,
    picture: &GraphPicture<'_>,
    at: usize,
    place: &NeighbourBox,
    content: &mut Content,
    columns: usize,
) {
    let mut say = |word: &str, text: &str| line(app, content, word, Role::Plain, text, columns);
    let orbit = match (&place.size, picture.around.reduces) {
        (_, false) => "nothing is permuted: one state".to_string(),
        (None, _) => "its size is not known: the search for it was given up".to_string(),
        (Some(_), _) if size(place) == "1" => "1 state".to_string(),
        (Some(_), _) => format!("{} states", size(place)),
    };
    say("orbit", &orbit);
    let session = app.session.as_ref();
    if picture.around.reduces {
        let known = session.and_then(|s| s.view_of(place.state));
        let unique = known.map(|view| match &view.representative {
            Some(rep) => rep.uniqueness.badge().to_owned(),
            None => view.no_representative.clone(),
        });
        say("rep", &unique.unwrap_or_else(|| "not told yet".to_string()));
    }
    say("reached", &reached(app, picture, at));
    if let Some(session) = session {
        let here = picture.around.boxes[picture.around.current].layer;
        let depth = session.history.depth() + place.layer;
        let depth = thousands(depth.saturating_sub(here) as u128);
        say(
            "step",
            &format!("{depth}, as the history and this picture go"),
        );
    }
    let marks = marks(app, place);
    let marks = if marks.is_empty() {
        "none".to_string()
    } else {
        marks.join(" ")
    };
    say("marks", &marks);
    if was_visited(app, place) {
        say("visited", "yes");
    }
    if place.on_path {
        say("cex", "a state of the counterexample is in it");
    }
    ends(app, place, content, columns);
}

/// The transitions that leave a box, or the reason why there are none.
fn ends(app: &App, place: &NeighbourBox, content: &mut Content, columns: usize) {
    let mut say = |word: &str, text: &str| line(app, content, word, Role::Plain, text, columns);
    let out = match (&place.failure, place.expanded) {
        (Some(_), _) => "not known".to_string(),
        (None, false) => "not looked at".to_string(),
        (None, true) => counted((place.transitions + place.omitted) as u64, "transition"),
    };
    say("leaving", &out);
    let end = match (&place.failure, place.deadlocked, place.terminated) {
        (Some(failure), ..) => Some(format!("ERROR: {}", failure.summary)),
        (_, true, _) => Some("DEADLOCK".to_string()),
        (_, _, true) => Some("TERMINATED".to_string()),
        _ => None,
    };
    if let Some(end) = end {
        line(app, content, "end", Role::Fail, &end, columns);
    }
}

/// The way by which a box was reached.
fn reached(app: &App, picture: &GraphPicture<'_>, at: usize) -> String {
    let around = picture.around;
    let place = &around.boxes[at];
    if at == around.current {
        return "you are here".to_string();
    }
    let Some((from, step)) = &place.way else {
        return "you came through it".to_string();
    };
    let mut edges = around.arriving(at).filter(|edge| edge.from == *from);
    let edge = edges.find(|edge| edge.steps.contains(step));
    let name = app.graph.name(&around.boxes[*from]);
    edge.map_or_else(
        || format!("from {name}"),
        |edge| {
            format!(
                "from {name} by {} x{}",
                label(edge, &edge.event),
                edge.multiplicity()
            )
        },
    )
}

/// The edges of a box, also those without a line.
fn edges(app: &App, picture: &GraphPicture<'_>, at: usize, content: &mut Content, columns: usize) {
    let around = picture.around;
    let place = &around.boxes[at];
    let text = |edge: &NeighbourEdge, other: usize, word: &str| {
        let other = app.graph.name(&around.boxes[other]);
        let count = match edge.multiplicity() {
            1 => String::new(),
            n => format!(" x{n}"),
        };
        format!("{word} {other}  {}{count}", label(edge, &edge.event))
    };
    let mut push = |text: String| {
        for (nth, line) in wrap(&text, columns.saturating_sub(5))
            .into_iter()
            .enumerate()
        {
            let margin = if nth == 0 { " " } else { "     " };
            content.push(Row::new(app.theme).plain(margin).plain(line));
        }
    };
    push(String::new());
    for edge in around.leaving(at) {
        push(text(edge, edge.to, "->"));
    }
    if place.outside > 0 {
        let what = if app.graph.full { "state" } else { "orbit" };
        push(format!(
            "-> {} to {} beyond the picture",
            counted(place.outside as u64, "transition"),
            counted(place.more as u64, what)
        ));
    }
    if place.omitted > 0 {
        push(format!(
            "-> {} more were not looked at",
            thousands(place.omitted as u128)
        ));
    }
    for edge in around.arriving(at).filter(|edge| edge.from != at) {
        push(text(edge, edge.from, "<-"));
    }
}
