//! Decompositions of groups: direct products, one group acting on columns, wreath products.

use num_bigint::BigUint;

use super::Poll;
use super::blocks::{action_in_block, action_on_blocks, is_block_system};
use super::bounds::factorial;
use super::chain::StabiliserChain;
use super::exchanges::exchanges_generate_all;
use super::linked::linked_orbits;
use super::orbits::PointOrbits;
use super::permutation::PointPermutation;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;

/// Points up to which a chain decides whether a group without transpositions among its generators is symmetric.
const CHAIN_POINTS_MAX: u32 = 64;

/// Direct factors: the finest partition of permutations, by index, such that those of different parts move disjoint
/// sets of points. The group that they generate is the direct product of those that the parts generate. The
/// identity is in none.
#[must_use]
pub fn factors(degree: u32, generators: &[PointPermutation]) -> Vec<Vec<usize>> {
    let mut supports = PointOrbits::new(degree);
    for generator in generators {
        for pair in generator.moved().windows(2) {
            supports.unite(pair[0], pair[1]);
        }
    }
    let mut number: Map<u32, usize> = Map::default();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (at, generator) in generators.iter().enumerate() {
        let Some(point) = generator.moved().first() else {
            continue;
        };
        let part = *number
            .entry(supports.root_of(*point))
            .or_insert(parts.len());
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(at);
    }
    parts
}

/// The columns that a group permutes in all ways, if it does nothing else: each has one point of every
/// nontrivial orbit.
///
/// The actions on all these orbits are equivalent ([`linked_orbits`]), and symmetric on the first; so the group is the
/// symmetric group on the columns.
///
/// # Errors
/// Any error of `poll`.
pub fn symmetric_columns(
    degree: u32,
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<Option<Vec<Vec<u32>>>> {
    poll(degree as usize)?;
    let orbits = PointOrbits::of(degree, generators).orbits();
    if orbits.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Ok(None);
    }
    let linked = linked_orbits(degree, generators, poll)?;
    let [all] = linked.as_slice() else {
        return Ok(None);
    };
    poll(all.orbits[0].len() * generators.len())?;
    let restricted = generators
        .iter()
        .filter_map(|g| g.restricted(&all.orbits[0]));
    let restricted: Vec<PointPermutation> = restricted.collect();
    let columns = all.orbits[0].len() as u32;
    let are_all = is_symmetric(columns, &restricted, poll)?;
    Ok(are_all.then(|| all.columns()))
}

/// Whether permutations generate the symmetric group on `0..degree`, judged by transpositions, or by a chain where
/// there are few points.
///
/// # Errors
/// Any error of `poll`.
pub fn is_symmetric(degree: u32, generators: &[PointPermutation], poll: Poll<'_>) -> Result<bool> {
    if exchanges_generate_all(degree, generators, poll)? {
        return Ok(true);
    }
    if degree > CHAIN_POINTS_MAX {
        return Ok(false);
    }
    let chain = StabiliserChain::new(degree, generators, &[], None, poll)?;
    Ok(chain.is_some_and(|chain| *chain.order() == factorial(degree as usize)))
}

/// A transitive group that is a wreath product: the bottom group acts independently in each block of a system, and
/// the top group permutes the blocks.
#[derive(Clone, Debug)]
pub struct WreathProduct {
    /// The blocks.
    pub blocks: Vec<Vec<u32>>,
    /// Generators of the action of the first block's stabiliser in it, by places.
    pub bottom: Vec<PointPermutation>,
    /// The order of the bottom group.
    pub bottom_order: BigUint,
    /// Generators of the action on the blocks, by number.
    pub top: Vec<PointPermutation>,
    /// The order of the top group.
    pub top_order: BigUint,
}

/// The wreath product on a block system, if a transitive group on `0..degree` is one: if it has the order of the
/// wreath product that contains it in any case. `None`, too, if the blocks are no block system of the group.
///
/// # Errors
/// Any error of `poll`.
pub fn wreath_product(
    generators: &[PointPermutation],
    blocks: &[Vec<u32>],
    order: &BigUint,
    poll: Poll<'_>,
) -> Result<Option<WreathProduct>> {
    if !is_block_system(generators, blocks) {
        return Ok(None);
    }
    let top = action_on_blocks(generators, blocks);
    let size = blocks.first().map_or(0, Vec::len) as u32;
    let count = blocks.len() as u32;
    let Some(top_chain) = StabiliserChain::new(count, &top, &[], None, poll)? else {
        return Ok(None);
    };
    let bottom = action_in_block(generators, &top, blocks, poll)?;
    let Some(bottom_chain) = StabiliserChain::new(size, &bottom, &[], None, poll)? else {
        return Ok(None);
    };
    let whole = bottom_chain.order().pow(count) * top_chain.order();
    Ok((whole == *order).then(|| WreathProduct {
        blocks: blocks.to_vec(),
        bottom,
        bottom_order: bottom_chain.order().clone(),
        top,
        top_order: top_chain.order().clone(),
    }))
}
