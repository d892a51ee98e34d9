//! The group of all symmetries of a network.

use num_bigint::BigUint;

use super::element::{Automorphism, PartPlaces};
use super::graph::graph;
use super::network_structure::NetworkStructure;
use super::parts::Decomposition;
use super::verify::Verifier;
use crate::group::{AutomorphismGroup, Colouring, PointPermutation, Poll, automorphisms, factors};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;

/// Default bound on the work of the search, in edge ends visited.
pub const LOOKS: u64 = 20_000_000;
/// Steps of work for each part that a generator moves, to verify it.
const MOVED_WORK: usize = 16;

/// Result of the search.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// Generators of the group, each verified by Def. 29.
    pub generators: Vec<Automorphism>,
    /// Its factors: they move disjoint parts, and the group is their direct product.
    pub parts: Vec<SymmetryPart>,
    /// Whether these are all symmetries, and not only those found within the bound.
    pub complete: bool,
    /// The order of the group found; some elements may differ in events only.
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

/// Finds the symmetries of a structure, within a bound on the edge ends visited in its graph. Beyond it the result
/// is a subgroup.
///
/// # Errors
/// The error of `poll`; or a map that is no symmetry, which is a bug and is reported as one.
pub fn symmetries(structure: &NetworkStructure, looks: u64, poll: Poll<'_>) -> Result<Symmetries> {
    FoundSymmetries::new(structure, looks, poll)?.verified(structure, poll)
}

/// Symmetries as they were found, not verified yet.
pub struct FoundSymmetries(Symmetries);

impl FoundSymmetries {
    /// Searches for the symmetries of a structure, within a bound on the edge ends visited in its graph.
    ///
    /// # Errors
    /// The error of `poll`.
    pub fn new(structure: &NetworkStructure, looks: u64, poll: Poll<'_>) -> Result<Self> {
        let places = PartPlaces::new(structure);
        let graph = graph(structure).ok_or_else(broken)?;
        poll(graph.len() + graph.edges())?;
        let found = automorphisms(&graph, looks, poll)?;
        let mut generators = Vec::with_capacity(found.generators.len());
        for generator in &found.generators {
            let moves = generator.moves();
            let moves = moves.take_while(|(vertex, _)| *vertex < places.end);
            let map = PointPermutation::of_moves(places.end, moves).ok_or_else(broken)?;
            // A map that moves only transitions and rules: no two of these are equal, so there should be none.
            if !map.is_identity() {
                generators.push(Automorphism::new(places, map));
            }
        }
        Ok(Self(Symmetries {
            parts: parts(places, &found, poll)?,
            generators,
            complete: found.complete,
            order: found.order,
            size: (graph.len(), graph.edges()),
        }))
    }

    /// Whether these are all symmetries, and not only those found within the bound.
    #[must_use]
    pub fn are_complete(&self) -> bool {
        self.0.complete
    }

    /// The order of the group found; some elements may differ in events only.
    #[must_use]
    pub fn order(&self) -> &BigUint {
        &self.0.order
    }

    /// As [`Symmetries::factors`].
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn factors(&self, structure: &NetworkStructure, poll: Poll<'_>) -> Result<Decomposition> {
        self.0.factors(structure, poll)
    }

    /// The same, each generator verified.
    ///
    /// # Errors
    /// As [`symmetries`].
    pub fn verified(self, structure: &NetworkStructure, poll: Poll<'_>) -> Result<Symmetries> {
        let verifier = Verifier::new(structure);
        for map in &self.0.generators {
            poll(MOVED_WORK * map.map().moved().len())?;
            verifier.verify(map).map_err(|_| broken())?;
        }
        Ok(self.0)
    }
}

/// Splits the group into factors. If each base point is moved by one factor only, the orbits of these
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
    // An incomplete search ends at the first incomplete level, from below; its base has the orbits found by then.
    let mut orders = Some(vec![BigUint::from(1u32); groups.len()]);
    for (vertex, length) in &found.base {
        // A transition or a rule may be moved by several factors: then their orders are not known.
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

/// Whether refinement alone shows, in little time, that no symmetry moves a component or a local state: each
/// of them has a colour of its own.
///
/// # Errors
/// Any error of `poll`.
pub fn tells_states_apart(structure: &NetworkStructure, poll: Poll<'_>) -> Result<bool> {
    let Some(graph) = graph(structure) else {
        return Err(broken());
    };
    let (colouring, _) = Colouring::refined(&graph, poll)?;
    let alone = |v| colouring.members(colouring.cell_of(v)).len() == 1;
    Ok((0..PartPlaces::new(structure).labels).all(alone))
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
