//! All symmetries of a network, as a group.

use num_bigint::BigUint;

use super::blueprint::Blueprint;
use super::element::{Automorphism, PartPlaces};
use super::graph::graph;
use super::judge::Judge;
use crate::group::{AutomorphismGroup, Colouring, PointPermutation, Poll, automorphisms, factors};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;

/// Ends of edges of a graph that are looked at where nothing else is said.
pub const LOOKS: u64 = 20_000_000;
/// Steps of work for each thing that a generator moves, which is held to the definition.
const MOVED_WORK: usize = 16;

/// What was found.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// Elements that generate the group. Each was held to Def. 29.
    pub generators: Vec<Automorphism>,
    /// Those of the same factor: factors move different things, and the group is their direct product.
    pub parts: Vec<SymmetryPart>,
    /// Whether these are all symmetries, and not only those that were found with the work that was allowed.
    pub complete: bool,
    /// The order of the group that was found, of which some elements may differ in events alone.
    pub order: BigUint,
    /// Vertices and edges of the structure graph.
    pub size: (usize, usize),
}

/// A factor of a group of symmetries.
#[derive(Clone, Debug)]
pub struct SymmetryPart {
    /// Its generators.
    pub maps: Vec<PointPermutation>,
    /// Its order, if that is known.
    pub order: Option<BigUint>,
}

/// Finds the symmetries of a blueprint, looking at so many ends of edges of its graph at most. What is known by then
/// is part of the group.
///
/// # Errors
/// What `poll` reports; and if something was found that is none, which is a bug and is reported as one.
pub fn symmetries(blueprint: &Blueprint, looks: u64, poll: Poll<'_>) -> Result<Symmetries> {
    let places = PartPlaces::new(blueprint);
    let Some(graph) = graph(blueprint) else {
        return Err(broken());
    };
    poll(graph.len() + graph.edges())?;
    let found = automorphisms(&graph, looks, poll)?;
    let judge = Judge::new(blueprint);
    let mut generators = Vec::with_capacity(found.generators.len());
    for generator in &found.generators {
        poll(MOVED_WORK * generator.moved().len())?;
        let moves = generator
            .moves()
            .take_while(|(vertex, _)| *vertex < places.end);
        let Some(map) = PointPermutation::of_moves(places.end, moves) else {
            return Err(broken());
        };
        // Transitions and rules may have been the only ones to move: there are no two alike, but who knows.
        if map.is_identity() {
            continue;
        }
        let map = Automorphism::new(places, map);
        if judge.judge(&map).is_err() {
            return Err(broken());
        }
        generators.push(map);
    }
    Ok(Symmetries {
        parts: parts(places, &found, poll)?,
        generators,
        complete: found.complete,
        order: found.order,
        size: (graph.len(), graph.edges()),
    })
}

/// The factors of the group that was found. Where each point of its base is moved by one of them, the orbits of these
/// points are those of this factor, and their lengths multiply to its order.
fn parts(
    places: PartPlaces,
    found: &AutomorphismGroup,
    poll: Poll<'_>,
) -> Result<Vec<SymmetryPart>> {
    let moved = |generator: &PointPermutation| {
        let moves = generator.moves().take_while(|(at, _)| *at < places.end);
        PointPermutation::of_moves(places.end, moves)
    };
    let maps: Vec<PointPermutation> = found.generators.iter().filter_map(moved).collect();
    let groups = factors(places.end, &maps);
    poll(2 * maps.iter().map(|map| map.moved().len()).sum::<usize>())?;
    let mut part_of = vec![None; places.end as usize];
    for (part, group) in groups.iter().enumerate() {
        let moved = group.iter().flat_map(|at| maps[*at].moved());
        moved.for_each(|place| part_of[*place as usize] = Some(part));
    }
    // What was found above a level of which not all is known leaves no less known below it.
    let mut orders = Some(vec![BigUint::from(1u32); groups.len()]);
    for (vertex, length) in &found.base {
        // A transition or a rule may be moved by several.
        let part = part_of.get(*vertex as usize).copied().flatten();
        orders = orders.zip(part).map(|(mut orders, part)| {
            orders[part] *= *length;
            orders
        });
    }
    let part = |(at, group): (usize, &Vec<usize>)| SymmetryPart {
        maps: group.iter().map(|number| maps[*number].clone()).collect(),
        order: orders.as_ref().map(|orders| orders[at].clone()),
    };
    Ok(groups.iter().enumerate().map(part).collect())
}

/// Whether no symmetry of a blueprint can move a component or a local state, as it takes little time to see: each
/// of them has something that no other has.
///
/// # Errors
/// What `poll` reports.
pub fn tells_states_apart(blueprint: &Blueprint, poll: Poll<'_>) -> Result<bool> {
    let Some(graph) = graph(blueprint) else {
        return Err(broken());
    };
    let (colouring, _) = Colouring::refined(&graph, poll)?;
    let alone = |v| colouring.members(colouring.cell_of(v)).len() == 1;
    Ok((0..PartPlaces::new(blueprint).labels).all(alone))
}

fn broken() -> Box<Diagnostic> {
    Box::new(
        Diagnostic::nowhere(
            "E0799",
            "internal error: a symmetry was found in the structure that is none",
        )
        .note("please report this with the script; `--symmetry types` does without it"),
    )
}
