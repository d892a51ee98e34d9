//! Commands of the Graph view.

use crate::actions::graph;
use crate::app::{Pane, View};
use crate::command::Command;
use crate::facts;
use crate::menu_group::MenuGroup::{Explain, Keep, Look};

const GRAPH: &[View] = &[View::Graph];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_GRAPH: &[Command] = &[
    Command::new("graph-go", "go to this state", &["enter"], graph::go,
        "Go to the selected state: along the transitions that lead there, or back in the history.")
        .views(GRAPH).hint("go").when(graph::can_go),
    Command::new("graph-left", "box to the left", &["h", "left"], graph::left,
        "Select the box before in the row; j and k go along the lines.")
        .views(GRAPH).panes(&[Pane::Graph]).counts().hint("left").when(graph::has_left),
    Command::new("graph-right", "box to the right", &["l", "right"], graph::right,
        "Select the next box of the row; j and k go along the lines.")
        .views(GRAPH).panes(&[Pane::Graph]).counts().hint("right").when(graph::has_right),
    Command::new("wider", "one step more", &["+", "="], graph::wider,
        "Show what is one step further away, too.")
        .views(GRAPH).hint("wider").when(facts::has_session).menu(Look),
    Command::new("narrower", "one step less", &["-"], graph::narrower,
        "Leave out what is furthest away.")
        .views(GRAPH).hint("narrower").when(facts::has_session).menu(Look),
    Command::new("quotient-full", "orbits or states", &["o"], graph::turn,
        "Let each box be an orbit, or a state: the same surroundings, not reduced.")
        .views(GRAPH).hint("orbits/states").when(graph::can_turn).menu(Look),
    Command::new("unfold-box", "unfold the box into states", &["i"], graph::unfold,
        "Take the selected box apart into the states that it stands for, or put it together again.")
        .views(GRAPH).hint("unfold").when(graph::can_unfold).menu(Look),
    Command::new("graph-signs", "what the signs mean", &["K"], graph::signs,
        "Tell what boxes, lines, numbers and words of the graph mean.")
        .views(GRAPH).hint("signs").menu(Explain),
    Command::new("export-dot", "export as DOT", &["e d"], graph::export_dot,
        "Write all states of the process, orbits or each by itself as the view shows, to a file for graphviz.")
        .views(GRAPH).hint("export").when(facts::has_session).menu(Keep),
    Command::new("export-svg", "export as SVG", &["e s"], graph::export_svg,
        "Write all states of the process, orbits or each by itself as the view shows, as a drawing.")
        .views(GRAPH).when(facts::has_session).menu(Keep),
    Command::new("export-aut", "export as AUT", &["e a"], graph::export_aut,
        "Write all states of the process, orbits or each by itself as the view shows, as a transition system in Aldebaran's format.")
        .views(GRAPH).when(facts::has_session).menu(Keep),
    Command::new("export-json", "export as JSON", &["e j"], graph::export_json,
        "Write all states of the process, orbits or each by itself as the view shows, with all that is known of them.")
        .views(GRAPH).when(facts::has_session).menu(Keep),
    Command::new("export-graphml", "export as GraphML", &["e g"], graph::export_graphml,
        "Write all states of the process, orbits or each by itself as the view shows, to a file for editors of graphs.")
        .views(GRAPH).when(facts::has_session).menu(Keep),
];
