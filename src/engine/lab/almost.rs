//! Search for near misses of symmetry: with one condition of a symmetry dropped, or suggested by names.

use super::nearly::{Hindrance, NearMiss, images, with_nodes};
use super::nearly_named::by_names;
use crate::check::look_bounds::{LookBounds, Looking, unless_over};
use crate::check::system::System;
use crate::group::{PointPermutation, StabiliserChain};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::search::{LOOKS, Symmetries, symmetries};
use crate::structure::verify::{Broken, verify};

/// Vertices and edges of a structure graph that is searched for near misses, at most.
const GRAPH_MAX: usize = 400_000;
/// Near misses reported, at most.
const MISSES_MAX: usize = 6;
/// Powers of a generator compared for display, at most.
const POWERS_MAX: u32 = 200;
/// Generators up to which redundant ones are removed.
const TOLD_MAX: usize = 12;
/// Degree of permutations up to which this is done.
const DEGREE_MAX: u32 = 20_000;

/// Searches for near misses.
///
/// # Errors
/// A limit.
pub(super) fn near_misses(
    system: &mut System,
    structure: &NetworkStructure,
    found: &Symmetries,
) -> Result<Vec<NearMiss>> {
    let (vertices, edges) = found.size;
    // Near misses of an incomplete group are unknown.
    if vertices + edges > GRAPH_MAX || !found.complete {
        return Ok(Vec::new());
    }
    let mut misses = new_ones(
        system,
        structure,
        found,
        other_beginnings(system, structure)?,
    )?;
    if misses.is_empty() {
        misses = new_ones(system, structure, found, other_names(system, structure)?)?;
    }
    if misses.is_empty() {
        let named = by_names(system, structure, found)?;
        misses = new_ones(system, structure, found, named)?;
    }
    misses.truncate(MISSES_MAX);
    Ok(misses)
}

/// Removes candidates that act on components as some symmetry does: these are no near misses. Returns none if the group
/// of components takes too much work to find.
fn new_ones(
    system: &System,
    structure: &NetworkStructure,
    found: &Symmetries,
    mut misses: Vec<NearMiss>,
) -> Result<Vec<NearMiss>> {
    if misses.is_empty() {
        return Ok(misses);
    }
    let count = structure.points.components() as u32;
    let all: Vec<u32> = (0..count).collect();
    let generators = found.generators.iter();
    let generators = generators.filter_map(|g| g.map().restricted(&all));
    let generators: Vec<PointPermutation> = generators.collect();
    let looking = Looking::new(LookBounds::ON_DEMAND);
    let poll = |steps| looking.work(&system.machine, steps);
    // The order of the group on components is at most that.
    let most = Some(&found.order);
    let chain = StabiliserChain::new(count, &generators, &all, most, &poll);
    let Some(chain) = unless_over(&looking, chain)? else {
        return Ok(Vec::new());
    };
    misses.retain(|miss| {
        let images: Vec<u32> = miss.components.iter().map(|c| *c as u32).collect();
        PointPermutation::new(&images).is_some_and(|p| !chain.contains(&p))
    });
    Ok(misses)
}

fn found_in(system: &System, structure: &NetworkStructure) -> Result<Symmetries> {
    let machine = &system.machine;
    let poll = |_| machine.eval.check_time();
    let found = symmetries(structure, LOOKS, &poll);
    machine.during("looking for what almost is a symmetry", None, found)
}

/// Symmetries of the network without the condition on initial local states.
fn other_beginnings(system: &System, structure: &NetworkStructure) -> Result<Vec<NearMiss>> {
    let mut relaxed = structure.clone();
    relaxed.initial.clear();
    let more = found_in(system, &relaxed)?;
    let mut misses: Vec<NearMiss> = Vec::new();
    for generator in &told_generators(system, structure, &more)? {
        system.machine.eval.check_time()?;
        if !matches!(verify(structure, generator), Err(Broken::Initial { .. })) {
            continue;
        }
        let hindrances = begins_otherwise(structure, generator);
        let components = images(structure, generator);
        let is_new = misses.iter().all(|miss| miss.components != components);
        let moves = components.iter().enumerate().any(|(c, to)| c != *to);
        if is_new && moves {
            misses.push(NearMiss {
                components,
                hindrances,
                all: true,
            });
        }
    }
    Ok(misses)
}

/// The components whose initial local state is not mapped to that of their image.
fn begins_otherwise(structure: &NetworkStructure, map: &Automorphism) -> Vec<Hindrance> {
    let mut all = Vec::new();
    for (component, initial) in structure.initial.iter().enumerate() {
        let image = map.component(component);
        if structure.initial[image] != map.point(*initial) {
            all.push(Hindrance::Begins { component, image });
        }
    }
    all
}

/// Generators of a group for display: of the elements that generate the same cyclic group, the one that maps most
/// components to their neighbours, as a rotation of a ring does; without redundant ones.
///
/// # Errors
/// A limit.
pub(super) fn told_generators(
    system: &System,
    structure: &NetworkStructure,
    found: &Symmetries,
) -> Result<Vec<Automorphism>> {
    let mut told: Vec<Automorphism> = found
        .generators
        .iter()
        .map(|g| nicest(structure, g))
        .collect();
    let places = PartPlaces::new(structure);
    if told.len() > TOLD_MAX || places.end > DEGREE_MAX || !found.complete {
        return Ok(told);
    }
    let machine = &system.machine;
    let looking = Looking::new(LookBounds::ON_DEMAND);
    let poll = |steps| looking.work(machine, steps);
    let mut at = 0;
    while told.len() > 1 && at < told.len() {
        let others = told.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<PointPermutation> = others.map(|(_, g)| g.map().clone()).collect();
        let chain = StabiliserChain::new(places.end, &others, &[], None, &poll);
        match unless_over(&looking, chain)? {
            Some(chain) if *chain.order() == found.order => {
                told.remove(at);
            }
            _ => at += 1,
        }
    }
    Ok(told)
}

/// The power of a map that generates the same cyclic group and maps most components to their neighbours.
fn nicest(structure: &NetworkStructure, map: &Automorphism) -> Automorphism {
    let neighbours = |map: &Automorphism| {
        let images = images(structure, map);
        let next = images.iter().enumerate();
        next.filter(|(c, to)| **to == c + 1).count()
    };
    let order = u32::try_from(map.map().order()).unwrap_or(u32::MAX);
    let mut best = (neighbours(map), map.clone());
    if order > POWERS_MAX {
        return best.1;
    }
    let mut power = map.clone();
    for exponent in 2..order {
        power = power.then(map);
        let count = neighbours(&power);
        if count > best.0 && common_divisor(exponent, order) == 1 {
            best = (count, power.clone());
        }
    }
    best.1
}

fn common_divisor(a: u32, b: u32) -> u32 {
    match b {
        0 => a,
        _ => common_divisor(b, a % b),
    }
}

/// Symmetries of the network without the condition on names of events.
fn other_names(system: &System, structure: &NetworkStructure) -> Result<Vec<NearMiss>> {
    if structure.nodes.is_empty() && structure.fixed.iter().all(|fixed| !fixed) {
        return Ok(Vec::new());
    }
    let mut relaxed = structure.clone();
    relaxed.nodes.clear();
    relaxed.node_of = Map::default();
    for (event, fixed) in relaxed.results.iter().zip(&mut relaxed.fixed) {
        *fixed = !event.is_visible();
    }
    let more = found_in(system, &relaxed)?;
    let mut misses = Vec::new();
    for generator in &told_generators(system, &relaxed, &more)? {
        system.machine.eval.check_time()?;
        let components = images(structure, generator);
        if components.iter().enumerate().all(|(c, to)| c == *to) {
            continue;
        }
        // Nodes come after all other points.
        let moves: Vec<(u32, u32)> = generator.map().moves().collect();
        if let Some(hindrance) = with_nodes(system, structure, &moves) {
            misses.push(NearMiss {
                components,
                hindrances: vec![hindrance],
                all: true,
            });
        }
    }
    Ok(misses)
}
