//! Wreath products: equal blocks that are permuted in all ways, and in each of them, independently, a group that
//! moves nothing else. Clients of equal servers are an example.
//!
//! A group with a block system is a subgroup of the wreath product of its action in one block by
//! its action on the blocks. If the orders are equal, it is the whole product.

use num_bigint::BigUint;

use super::element::PartPlaces;
use super::network_structure::NetworkStructure;
use super::search::SymmetryPart;
use crate::group::{
    PointOrbits, PointPermutation, Poll, StabiliserChain, action_on_blocks, block_systems, factors,
    is_symmetric, symmetric_columns,
};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Set};

/// Images visited to find the block of each part, at most.
const LOOKS_MAX: usize = 1 << 24;

/// Blocks that a group permutes in all ways, and its action in one.
#[derive(Clone, Debug)]
pub(super) struct WreathBlocks {
    /// The parts of each block. The first is ascending, and parts at the same place correspond.
    pub(super) blocks: Vec<Vec<u32>>,
    /// Generators of the action in the first block, which fix all other parts.
    pub(super) bottom: Vec<PointPermutation>,
    /// The order of that group.
    bottom_order: BigUint,
}

impl WreathBlocks {
    /// The factors of the action in the first block.
    pub(super) fn parts(&self, places: PartPlaces) -> Vec<SymmetryPart> {
        let groups = factors(places.end, &self.bottom);
        let is_one = groups.len() == 1;
        let part = |group: Vec<usize>| SymmetryPart {
            maps: group.iter().map(|at| self.bottom[*at].clone()).collect(),
            order: is_one.then(|| self.bottom_order.clone()),
        };
        groups.into_iter().map(part).collect()
    }
}

/// The blocks of a group, if it is a wreath product over blocks of components that do not refer to one another.
///
/// # Errors
/// Any error of `poll`.
pub(super) fn wreath_blocks(
    structure: &NetworkStructure,
    part: &SymmetryPart,
    poll: Poll<'_>,
) -> Result<Option<WreathBlocks>> {
    let (own, Some(order)) = (&part.maps[..], &part.order) else {
        return Ok(None);
    };
    let places = PartPlaces::new(structure);
    let mut orbits = PointOrbits::of(places.end, own).orbits();
    orbits.retain(|orbit| orbit[0] < places.points);
    orbits.sort_by_key(|orbit| std::cmp::Reverse(orbit.len()));
    for orbit in orbits {
        poll(places.end as usize + orbit.len() * own.len())?;
        let restricted: Option<Vec<_>> = own.iter().map(|map| map.restricted(&orbit)).collect();
        let Some(restricted) = restricted else {
            continue;
        };
        // The fewest blocks first: their contents are decomposed in turn.
        for system in block_systems(&restricted, poll)?.iter().rev() {
            poll(orbit.len() * own.len())?;
            let top = action_on_blocks(&restricted, system);
            let count = system.len() as u32;
            if top.len() != own.len() || !is_symmetric(count, &top, poll)? {
                continue;
            }
            let named = |at: &u32| orbit[*at as usize];
            let system: Vec<Vec<u32>> = system
                .iter()
                .map(|block| block.iter().map(named).collect())
                .collect();
            let Some(block_of) = spread(places, own, &top, &system) else {
                continue;
            };
            poll(own.iter().map(|map| map.moved().len()).sum())?;
            if !are_apart(structure, places, own, &block_of) {
                continue;
            }
            let Some(mut found) = aligned(places, own, &top, &block_of) else {
                continue;
            };
            poll(2 * places.end as usize * own.len())?;
            let all: BigUint = (1..=count).product();
            let Some(bottom) = order_of(places, &found.bottom, poll)? else {
                continue;
            };
            if bottom.pow(count) * all == *order {
                found.bottom_order = bottom;
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// The order of a permutation group, by generators, if its chain is not too large.
fn order_of(
    places: PartPlaces,
    maps: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<Option<BigUint>> {
    if let Some(columns) = symmetric_columns(places.end, maps, poll)? {
        return Ok(Some((1..=columns.len()).product()));
    }
    let acting: Vec<u32> = (0..places.labels).collect();
    let chain = StabiliserChain::new(places.end, maps, &acting, None, poll)?;
    Ok(chain.map(|chain| chain.order().clone()))
}

/// Extends given blocks, of the components of one orbit, to all moved parts, such that each permutation acts on them as
/// on the given ones; `None` if that is impossible.
fn spread(
    places: PartPlaces,
    own: &[PointPermutation],
    top: &[PointPermutation],
    system: &[Vec<u32>],
) -> Option<Vec<Option<u32>>> {
    let orbits = PointOrbits::of(places.end, own).orbits();
    let moved: usize = orbits.iter().map(Vec::len).sum();
    if moved.saturating_mul(own.len()) > LOOKS_MAX {
        return None;
    }
    let mut block_of: Vec<Option<u32>> = vec![None; places.end as usize];
    for (block, members) in (0..).zip(system) {
        members
            .iter()
            .for_each(|at| block_of[*at as usize] = Some(block));
    }
    // An element that moves only the components of one block moves only parts of that block.
    let mut inner = Vec::new();
    for (map, top) in own.iter().zip(top) {
        let mut touched = map.moved().iter().filter_map(|at| block_of[*at as usize]);
        if let Some(first) = touched.next()
            && top.is_identity()
            && touched.all(|other| other == first)
        {
            inner.extend(map.moved().iter().map(|at| (*at, first)));
        }
    }
    for (at, block) in inner {
        if *block_of[at as usize].get_or_insert(block) != block {
            return None;
        }
    }
    for orbit in &orbits {
        let known = orbit
            .iter()
            .find_map(|at| block_of[*at as usize].map(|block| (*at, block)));
        let candidates = match known {
            Some(known) => vec![known],
            None => (0..system.len() as u32).map(|b| (orbit[0], b)).collect(),
        };
        let mut all = candidates.into_iter();
        let found = all.find_map(|from| spread_from(from, own, top, &block_of))?;
        for (at, block) in found {
            block_of[at as usize] = Some(block);
        }
    }
    Some(block_of)
}

/// The blocks of an orbit, if that of one member is given; `None` if they are inconsistent.
fn spread_from(
    from: (u32, u32),
    own: &[PointPermutation],
    top: &[PointPermutation],
    known: &[Option<u32>],
) -> Option<Vec<(u32, u32)>> {
    let mut found: IndexMap<u32, u32> = IndexMap::default();
    found.insert(from.0, from.1);
    let mut next = 0;
    while let Some((at, block)) = found.get_index(next).map(|(at, block)| (*at, *block)) {
        next += 1;
        if known[at as usize].is_some_and(|known| known != block) {
            return None;
        }
        for (map, top) in own.iter().zip(top) {
            let to = (map.apply(at), top.apply(block));
            if *found.entry(to.0).or_insert(to.1) != to.1 {
                return None;
            }
        }
    }
    Some(found.into_iter().collect())
}

/// Whether no node is moved, and the local states of each component are in its own block.
fn are_apart(
    structure: &NetworkStructure,
    places: PartPlaces,
    own: &[PointPermutation],
    block_of: &[Option<u32>],
) -> bool {
    let moves_node = |map: &PointPermutation| map.moved().iter().any(|at| *at >= places.nodes);
    let mut components = 0..structure.points.components();
    !own.iter().any(moves_node)
        && components.all(|component| {
            let mut points = structure.points.range(component);
            let of = block_of[component];
            points.all(|point| block_of[(places.points + point) as usize] == of)
        })
}

/// Aligns the blocks, so that parts at the same place correspond, and restricts the group to the first.
fn aligned(
    places: PartPlaces,
    own: &[PointPermutation],
    top: &[PointPermutation],
    block_of: &[Option<u32>],
) -> Option<WreathBlocks> {
    let count = top.first()?.degree() as usize;
    let all = 0..places.end;
    let first: Vec<u32> = all.filter(|at| block_of[*at as usize] == Some(0)).collect();
    let mut ways: Vec<Option<Vec<u32>>> = vec![None; count];
    ways[0] = Some(first.clone());
    let mut open = vec![0usize];
    while let Some(from) = open.pop() {
        for (map, top) in own.iter().zip(top) {
            let to = top.apply(from as u32) as usize;
            if ways[to].is_none() {
                let way = ways[from].iter().flatten();
                ways[to] = Some(way.map(|at| map.apply(*at)).collect());
                open.push(to);
            }
        }
    }
    let blocks: Vec<Vec<u32>> = ways.into_iter().collect::<Option<_>>()?;
    // Schreier's generators of what maps the first block to itself, in it.
    let mut known: Set<PointPermutation> = Set::default();
    for (from, way) in blocks.iter().enumerate() {
        for (map, top) in own.iter().zip(top) {
            let to = &blocks[top.apply(from as u32) as usize];
            let mut back: Vec<(u32, u32)> = to.iter().copied().zip(first.iter().copied()).collect();
            back.sort_unstable();
            let image = |at: &u32| {
                let there = map.apply(*at);
                let found = back.binary_search_by_key(&there, |pair| pair.0);
                found.ok().map(|found| back[found].1)
            };
            let images = way.iter().map(image).collect::<Option<Vec<u32>>>()?;
            let moves = first.iter().copied().zip(images);
            known.insert(PointPermutation::of_moves(places.end, moves)?);
        }
    }
    known.retain(|map| !map.is_identity());
    let mut bottom: Vec<PointPermutation> = known.into_iter().collect();
    bottom.sort_unstable_by(|a, b| a.moves().cmp(b.moves()));
    Some(WreathBlocks {
        blocks,
        bottom,
        bottom_order: BigUint::from(1u32),
    })
}
