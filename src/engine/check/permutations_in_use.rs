//! The permutations of values and the exchanges of copies as automorphisms of a structure.
//!
//! A check with symmetric types reduces by these before the structure of its network is known to be more symmetric.
//! A structural group replaces them only if it contains them all: then every state stored so far is one of an orbit
//! of the larger group, and the search can go on with it.

use num_bigint::BigUint;

use super::look_bounds::{LookBounds, Looking};
use crate::group::{PointPermutation, Poll, StabiliserChain};
use crate::machine::generators::{Generator, generators};
use crate::machine::{EventId, Format, LocalId, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Map};
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::verify::Verifier;
use crate::symmetry::permutation::whole_order;
use crate::symmetry::structural::StructuralGroup;

/// The permutations that a check reduces by without a structural group; by default none.
#[derive(Debug, Default)]
pub(crate) struct PermutationsInUse {
    /// Automorphisms that generate their group.
    pub(crate) generators: Vec<Automorphism>,
    /// The types whose permutations move a component, a local state or a node, and whether they move components.
    pub(crate) kinds: IndexMap<u8, bool>,
    /// The number of permutations of values and copies, some of which may act alike.
    order: BigUint,
}

impl PermutationsInUse {
    /// The generators of the permutations of a format; `None` if one of them is no automorphism of the structure, as
    /// where events are fixed.
    pub(crate) fn new(
        machine: &mut Machine,
        format: &Format,
        structure: &NetworkStructure,
    ) -> Option<Self> {
        let mut maps = Vec::new();
        let mut kinds: IndexMap<u8, bool> = IndexMap::default();
        let places = PartPlaces::new(structure);
        for generator in generators(machine.atoms()) {
            let map = of_values(machine, format, structure, &generator)?;
            let mut moved = map.map().moved().iter();
            if moved.any(|at| *at < places.labels || *at >= places.nodes) {
                let moves_components = map.map().moved().iter().any(|at| *at < places.points);
                *kinds.entry(generator.kind as u8).or_default() |= moves_components;
            }
            maps.push(map);
        }
        for set in format.copies().sets() {
            for pair in set.windows(2) {
                let exchanged = (usize::from(pair[0]), usize::from(pair[1]));
                maps.push(of_copies(format, structure, exchanged)?);
            }
        }
        maps.retain(|map| !map.map().is_identity());
        let verifier = Verifier::new(structure);
        let all_verified = maps.iter().all(|map| verifier.verify(map).is_ok());
        all_verified.then(|| Self {
            generators: maps,
            kinds,
            order: whole_order(machine.atoms(), format).to_big(),
        })
    }

    /// The order of their action on components, local states and nodes; `None` if that takes too much room.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub(crate) fn acting_order(
        &self,
        structure: &NetworkStructure,
        poll: Poll<'_>,
    ) -> Result<Option<BigUint>> {
        if self.generators.is_empty() {
            return Ok(Some(BigUint::from(1u8)));
        }
        let places = PartPlaces::new(structure);
        let maps: Vec<PointPermutation> = self.generators.iter().map(|g| g.map().clone()).collect();
        let acting: Vec<u32> = (0..places.labels).chain(places.nodes..places.end).collect();
        let chain = StabiliserChain::new(places.end, &maps, &acting, Some(&self.order), poll)?;
        Ok(chain.map(|chain| chain.order_on(chain.preferred_levels())))
    }
}

/// Whether a group moves components in more ways than permutations of values and copies do, so that it shows in
/// pictures of states even if local states are taken for what they are called. It has to contain these permutations.
#[must_use]
pub fn moves_components_further(
    machine: &mut Machine,
    format: &Format,
    group: &StructuralGroup,
) -> bool {
    if machine.atoms().is_empty() {
        return true;
    }
    let in_use = PermutationsInUse::new(machine, format, group.structure());
    let looking = Looking::new(LookBounds::BY_ITSELF);
    let poll = |steps| looking.work(machine, steps);
    let components = format.components().len() as u32;
    let all: Vec<u32> = (0..components).collect();
    let order = |maps: &[Automorphism]| {
        let maps = maps.iter().filter_map(|map| map.map().restricted(&all));
        let maps: Vec<PointPermutation> = maps.filter(|map| !map.is_identity()).collect();
        let chain = StabiliserChain::new(components, &maps, &[], None, &poll);
        chain.ok().flatten().map(|chain| chain.order().clone())
    };
    in_use.is_some_and(|in_use| order(group.generators()) > order(&in_use.generators))
}

/// The images of all parts of a structure, from those of components, local states and events (Def. 29).
fn automorphism(
    structure: &NetworkStructure,
    component: impl Fn(usize) -> Option<usize>,
    mut local: impl FnMut(LocalId) -> LocalId,
    mut event: impl FnMut(EventId) -> EventId,
) -> Option<Automorphism> {
    let places = PartPlaces::new(structure);
    let mut images = Vec::with_capacity(places.end as usize);
    let components = structure.points.components();
    let to: Vec<usize> = (0..components).map(component).collect::<Option<_>>()?;
    images.extend(to.iter().map(|to| *to as u32));
    for (from, to) in to.iter().enumerate() {
        for point in structure.points.range(from) {
            let image = local(structure.points.local(point));
            images.push(places.points + structure.points.point(*to, image)?);
        }
    }
    for (from, example) in structure.labels.iter().zip(&structure.events) {
        let image = structure.label_of[to[usize::from(*from)]].get(&event(*example))?;
        images.push(places.labels + image);
    }
    for (number, result) in structure.results.iter().enumerate() {
        // Where one event represents all visible ones, its image may be another of them.
        let image = structure.results.get_index_of(&event(*result));
        images.push(places.results + image.unwrap_or(number) as u32);
    }
    let nodes = images_of_nodes(structure, event)?;
    images.extend(nodes.iter().map(|node| places.nodes + node));
    Some(Automorphism::new(places, PointPermutation::new(&images)?))
}

/// The images of the nodes of a specification, from the initial one on: nodes are deterministic.
fn images_of_nodes(
    structure: &NetworkStructure,
    mut event: impl FnMut(EventId) -> EventId,
) -> Option<Vec<u32>> {
    if structure.nodes.is_empty() {
        return Some(Vec::new());
    }
    let edges = structure
        .nodes
        .iter()
        .map(|node| node.edges.iter().copied());
    let edges: Vec<Map<EventId, u32>> = edges.map(Iterator::collect).collect();
    let mut images = vec![None; structure.nodes.len()];
    images[0] = Some(0);
    let mut waiting = vec![0];
    while let Some(node) = waiting.pop() {
        let image: u32 = images[node]?;
        for (by, to) in &structure.nodes[node].edges {
            let to = *to as usize;
            let next = *edges[image as usize].get(&event(*by))?;
            match images[to] {
                Some(known) if known != next => return None,
                Some(_) => {}
                None => {
                    images[to] = Some(next);
                    waiting.push(to);
                }
            }
        }
    }
    images.into_iter().collect()
}

/// The automorphism of a permutation of values.
fn of_values(
    machine: &mut Machine,
    format: &Format,
    structure: &NetworkStructure,
    generator: &Generator,
) -> Option<Automorphism> {
    let image = &generator.image;
    let mut component = Vec::with_capacity(format.components().len());
    for of in format.components() {
        component.push(format.labelled(machine.permute_local(of.initial, image), of.inst));
    }
    // Both closures below would borrow the machine: it is asked for all images first.
    let points = 0..structure.points.count() as u32;
    let locals = points.map(|point| structure.points.local(point));
    let locals: Map<LocalId, LocalId> = locals
        .map(|local| (local, machine.permute_local(local, image)))
        .collect();
    automorphism(
        structure,
        |of| component[of],
        |local| locals[&local],
        |event| machine.permute_event(event, image),
    )
}

/// The automorphism that exchanges two copies.
fn of_copies(
    format: &Format,
    structure: &NetworkStructure,
    (one, other): (usize, usize),
) -> Option<Automorphism> {
    debug_assert_eq!(
        format.components()[one].initial,
        format.components()[other].initial
    );
    let exchanged = |component| match component {
        c if c == one => other,
        c if c == other => one,
        c => c,
    };
    automorphism(
        structure,
        |component| Some(exchanged(component)),
        |local| local,
        |event| event,
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::check::{Check, Options};
    use crate::script::load::load_text;
    use crate::source::Cancel;
    use crate::structure::network_structure::Results;

    /// Whether the permutations of three users are automorphisms of their network with these results.
    fn are_automorphisms(results: Results) -> bool {
        let text = "datatype T = A | B | C\nchannel a : T\nP(x) = a.x -> P(x)\n\
                    assert RUN({|a|}) [T= ||| x : T @ P(x)";
        let loaded = load_text(Path::new("users.csp"), text);
        let how = Options {
            merging: false,
            ..Options::default()
        };
        let check = Check::prepare(&loaded, 0, &how, &Cancel::default());
        let mut check = check.expect("it compiles");
        assert_eq!(check.machine.atoms().kinds(), 1, "T is symmetric");
        let format = check.network.first().clone();
        let structure = NetworkStructure::new(&check.machine, &format, results, Vec::new());
        let structure = structure.expect("no limit").expect("it is known");
        let found = PermutationsInUse::new(&mut check.machine, &format, &structure);
        found.is_some_and(|found| found.kinds.values().all(|moves| *moves))
    }

    /// The images of what is looked at are all there in both: only verification tells that events are fixed.
    #[test]
    fn permutations_that_move_fixed_events_are_no_automorphisms() {
        assert!(are_automorphisms(Results::Free));
        assert!(!are_automorphisms(Results::Fixed));
    }
}
