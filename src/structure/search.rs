//! All symmetries of a network, as a group.

use num_bigint::BigUint;

use super::blueprint::Blueprint;
use super::element::{Automorphism, PartPlaces};
use super::graph::graph;
use super::judge::judge;
use crate::group::{Colouring, PointPermutation, automorphisms};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;

/// Ends of edges that the search for automorphisms looks at for each that the graph has, where nobody waits for
/// it.
pub const LOOKS: u64 = 40;
/// The same where a search has shown that it takes long: part of a group makes it take several times as long again.
pub const LOOKS_LATE: u64 = 400;
/// The same where somebody waits for it.
pub const LOOKS_ON_DEMAND: u64 = 2_000;
/// As many edges a graph is taken to have at least.
const EDGES_MIN: u64 = 500_000;

/// What was found.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// Elements that generate the group. Each was held to Def. 29.
    pub generators: Vec<Automorphism>,
    /// Whether these are all symmetries, and not only those that were found with the work that was allowed.
    pub complete: bool,
    /// The order of the group, of which some elements may differ in events alone.
    pub order: BigUint,
    /// Vertices and edges of the structure graph.
    pub size: (usize, usize),
}

/// Finds the symmetries of a blueprint, looking so often at each edge of its graph at most ([`LOOKS`]).
///
/// # Errors
/// What `poll` reports; and if something was found that is none, which is a bug and is reported as one.
pub fn symmetries(
    blueprint: &Blueprint,
    looks: u64,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Symmetries> {
    let places = PartPlaces::new(blueprint);
    let Some(graph) = graph(blueprint) else {
        return Err(broken());
    };
    let budget = (graph.edges() as u64).max(EDGES_MIN) * looks;
    let found = automorphisms(&graph, budget, poll)?;
    let mut generators = Vec::with_capacity(found.generators.len());
    for generator in &found.generators {
        poll(places.end as usize)?;
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
        if judge(blueprint, &map).is_err() {
            return Err(broken());
        }
        generators.push(map);
    }
    Ok(Symmetries {
        generators,
        complete: found.complete,
        order: found.order,
        size: (graph.len(), graph.edges()),
    })
}

/// Whether no symmetry of a blueprint can move a component or a local state, as it takes little time to see: each
/// of them has something that no other has.
///
/// # Errors
/// What `poll` reports.
pub fn tells_states_apart(
    blueprint: &Blueprint,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<bool> {
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
