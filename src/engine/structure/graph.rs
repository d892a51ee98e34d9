//! The structure graph: a coloured graph whose automorphisms are the symmetries of a network.
//!
//! Vertices are components, points, labels, events of the network and nodes of its specification, in the order
//! of [`super::element::PartPlaces`], and after them transitions and rules. A transition has edges to its
//! source, its target and its label; a label to its component; a rule to its labels and its result; a
//! component to its initial point. So an automorphism that preserves colours of vertices and edges maps
//! transitions to transitions and rules to rules, and every symmetry is one.

use super::element::PartPlaces;
use super::network_structure::NetworkStructure;
use crate::group::{ColouredGraph, GraphBuilder};
use crate::machine::EventId;

/// Kinds of vertices; colours for further distinctions follow them.
#[derive(Clone, Copy)]
enum VertexKind {
    Component,
    Point,
    Label,
    Tau,
    Tick,
    Visible,
    Step,
    Rule,
    FirstNode,
    Edge,
    EventSet,
    /// Colour of the first fixed event; each further one has the next number. Nodes come after
    /// them, and then the classes of rules.
    Named,
}

/// Kinds of edges.
#[derive(Clone, Copy)]
enum EdgeKind {
    Initial,
    From,
    To,
    By,
    Of,
    Result,
}

/// The structure graph of a network. The first vertices are those of [`PartPlaces`].
#[must_use]
pub fn graph(structure: &NetworkStructure) -> Option<ColouredGraph> {
    let places = PartPlaces::new(structure);
    let mut graph = GraphBuilder::default();
    let vertices = |kind: VertexKind, count: usize, graph: &mut GraphBuilder| {
        for _ in 0..count {
            graph.vertex(kind as u32);
        }
    };
    vertices(
        VertexKind::Component,
        structure.points.components(),
        &mut graph,
    );
    vertices(VertexKind::Point, structure.points.count(), &mut graph);
    vertices(VertexKind::Label, structure.labels.len(), &mut graph);
    for (number, (event, fixed)) in structure.results.iter().zip(&structure.fixed).enumerate() {
        graph.vertex(match (*event, fixed) {
            (EventId::TAU, _) => VertexKind::Tau as u32,
            (EventId::TICK, _) => VertexKind::Tick as u32,
            (_, true) => VertexKind::Named as u32 + number as u32,
            (_, false) => VertexKind::Visible as u32,
        });
    }
    let after_named = VertexKind::Named as u32 + structure.results.len() as u32;
    let colours = structure.nodes.iter().map(|node| node.colour + 1).max();
    let after_nodes = after_named + colours.unwrap_or(0);
    for (number, node) in structure.nodes.iter().enumerate() {
        graph.vertex(match number {
            0 => VertexKind::FirstNode as u32,
            _ => after_named + node.colour,
        });
    }
    add_components(structure, places, &mut graph);
    add_rules(structure, places, after_nodes, &mut graph);
    add_specification(structure, places, &mut graph);
    graph.finish()
}

fn add_components(structure: &NetworkStructure, places: PartPlaces, graph: &mut GraphBuilder) {
    for (component, initial) in structure.initial.iter().enumerate() {
        graph.edge(
            component as u32,
            places.points + initial,
            EdgeKind::Initial as u32,
        );
    }
    // A local state without transitions would have no component: any, if initial states do not matter, or one that only
    // local states lead to for which others stand.
    let points = &structure.points;
    let mut is_placed = vec![false; points.count()];
    for initial in &structure.initial {
        is_placed[*initial as usize] = true;
    }
    if !structure.initial.is_empty() {
        for (from, _, to) in &structure.steps {
            is_placed[*from as usize] = true;
            is_placed[*to as usize] = true;
        }
    }
    for component in 0..points.components() {
        for point in points.range(component).filter(|p| !is_placed[*p as usize]) {
            graph.edge(places.points + point, component as u32, EdgeKind::Of as u32);
        }
    }
    for (label, component) in structure.labels.iter().enumerate() {
        graph.edge(
            places.labels + label as u32,
            u32::from(*component),
            EdgeKind::Of as u32,
        );
    }
    for (from, label, to) in &structure.steps {
        let step = graph.vertex(VertexKind::Step as u32);
        graph.edge(step, places.points + from, EdgeKind::From as u32);
        graph.edge(step, places.points + to, EdgeKind::To as u32);
        graph.edge(step, places.labels + label, EdgeKind::By as u32);
    }
}

/// Adds rules: the first class has the colour of rules, and the others have the next ones.
fn add_rules(
    structure: &NetworkStructure,
    places: PartPlaces,
    other: u32,
    graph: &mut GraphBuilder,
) {
    for (number, (labels, result)) in structure.rules.iter().enumerate() {
        let rule = graph.vertex(match structure.class(number) {
            0 => VertexKind::Rule as u32,
            class => other + class,
        });
        for label in labels {
            graph.edge(rule, places.labels + label, EdgeKind::By as u32);
        }
        graph.edge(rule, places.results + result, EdgeKind::Result as u32);
    }
}

fn add_specification(structure: &NetworkStructure, places: PartPlaces, graph: &mut GraphBuilder) {
    let result = |event: &EventId| {
        let number = structure.results.get_index_of(event)?;
        Some(places.results + number as u32)
    };
    for (number, node) in (places.nodes..).zip(&structure.nodes) {
        for (event, to) in &node.edges {
            let edge = graph.vertex(VertexKind::Edge as u32);
            graph.edge(edge, number, EdgeKind::From as u32);
            graph.edge(edge, places.nodes + to, EdgeKind::To as u32);
            if let Some(event) = result(event) {
                graph.edge(edge, event, EdgeKind::By as u32);
            }
        }
        for set in &node.sets {
            let vertex = graph.vertex(VertexKind::EventSet as u32);
            graph.edge(vertex, number, EdgeKind::Of as u32);
            for event in set.iter().filter_map(result) {
                graph.edge(vertex, event, EdgeKind::By as u32);
            }
        }
    }
}
