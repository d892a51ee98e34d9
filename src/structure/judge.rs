//! Whether a map is a symmetry (Def. 29), and the initial state its own image.
//!
//! Whoever finds maps may be wrong: a reduction takes only what passes here. So nothing of how they are found
//! is used.

use super::blueprint::Blueprint;
use super::element::{Automorphism, PartPlaces};
use crate::machine::EventId;

/// What a map does not respect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It takes a component, a point or an event to something else.
    Kinds,
    /// A component begins otherwise than the one that it becomes.
    Initial {
        /// The component.
        component: usize,
    },
    /// A component can do something that the one that it becomes cannot.
    Step {
        /// Number of the step in the blueprint.
        step: usize,
    },
    /// A rule has no image.
    Rule {
        /// Number of the rule in the blueprint.
        rule: usize,
    },
    /// An event whose name matters is taken to another one.
    Result {
        /// Number of the event in the blueprint.
        result: usize,
    },
    /// A node of the specification and the one that it becomes allow different things.
    Node {
        /// Number of the node.
        node: usize,
    },
}

/// Holds a map to the definition.
///
/// # Errors
/// The first thing that it does not respect.
pub fn judge(blueprint: &Blueprint, map: &Automorphism) -> Result<(), Broken> {
    kinds(blueprint, map)?;
    for (component, initial) in blueprint.initial.iter().enumerate() {
        if blueprint.initial[map.component(component)] != map.point(*initial) {
            return Err(Broken::Initial { component });
        }
    }
    // Maps are one to one and there are finitely many of each, so if every image is there, every one is an image.
    for (step, (from, label, to)) in blueprint.steps.iter().enumerate() {
        let image = (map.point(*from), map.label(*label), map.point(*to));
        if !blueprint.steps.contains(&image) {
            return Err(Broken::Step { step });
        }
    }
    for (rule, (labels, result)) in blueprint.rules.iter().enumerate() {
        let mut image: Vec<u32> = labels.iter().map(|label| map.label(*label)).collect();
        image.sort_unstable();
        let image = (image.into(), map.result(*result));
        let image = blueprint.rules.get_index_of(&image);
        if image.is_none_or(|image| blueprint.class(image) != blueprint.class(rule)) {
            return Err(Broken::Rule { rule });
        }
    }
    for (result, fixed) in blueprint.fixed.iter().enumerate() {
        let image = map.result(result as u32) as usize;
        if image != result && (*fixed || blueprint.fixed[image]) {
            return Err(Broken::Result { result });
        }
    }
    nodes(blueprint, map)
}

/// That components become components, and what belongs to one belongs to its image.
fn kinds(blueprint: &Blueprint, map: &Automorphism) -> Result<(), Broken> {
    let points = &blueprint.points;
    let mut whole = map.map().degree() == PartPlaces::new(blueprint).end;
    let components = points.components();
    whole = whole && (0..components).all(|component| map.component(component) < components);
    let belongs = |component: usize| {
        let image = points.range(map.component(component));
        points
            .range(component)
            .all(|point| image.contains(&map.point(point)))
    };
    whole = whole && (0..components).all(belongs);
    let label = |(label, component): (usize, &u16)| {
        let image = blueprint.labels.get(map.label(label as u32) as usize);
        image.is_some_and(|c| usize::from(*c) == map.component(usize::from(*component)))
    };
    whole = whole && blueprint.labels.iter().enumerate().all(label);
    let results = blueprint.results.len() as u32;
    whole = whole && (0..results).all(|result| map.result(result) < results);
    if whole { Ok(()) } else { Err(Broken::Kinds) }
}

/// Sets of events, each ascending, in ascending order.
fn sorted_sets(sets: &[Vec<EventId>], image: &dyn Fn(EventId) -> EventId) -> Vec<Vec<EventId>> {
    let sorted = |set: &Vec<EventId>| {
        let mut set: Vec<EventId> = set.iter().map(|event| image(*event)).collect();
        set.sort_unstable();
        set
    };
    let mut sets: Vec<Vec<EventId>> = sets.iter().map(sorted).collect();
    sets.sort_unstable();
    sets
}

/// That the tied specification is mapped to itself.
fn nodes(blueprint: &Blueprint, map: &Automorphism) -> Result<(), Broken> {
    let image = |event| map.event(blueprint, event);
    for (node, tied) in blueprint.nodes.iter().enumerate() {
        let to = map.node(node as u32) as usize;
        let broken = Broken::Node { node };
        let Some(other) = blueprint.nodes.get(to) else {
            return Err(broken);
        };
        let moved = |(event, next): &(EventId, u32)| (image(*event), map.node(*next));
        let mut edges: Vec<(EventId, u32)> = tied.edges.iter().map(moved).collect();
        let mut others = other.edges.clone();
        edges.sort_unstable();
        others.sort_unstable();
        let same_sets = sorted_sets(&tied.sets, &image) == sorted_sets(&other.sets, &|e| e);
        let starts = (node == 0) == (to == 0);
        if edges != others || !same_sets || tied.looks != other.looks || !starts {
            return Err(broken);
        }
    }
    Ok(())
}
