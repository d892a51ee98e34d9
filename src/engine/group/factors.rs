//! Groups that are put together of smaller ones: direct products, one group on columns, wreath products.

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

/// Points up to which a chain tells whether a group without exchanges among its generators does all permutations.
const CHAIN_POINTS_MAX: u32 = 64;

/// The finest partition of permutations, by their places, such that those of different parts move no point
/// in common: the group that they generate is the direct product of those that the parts generate. The
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

/// The columns that a group permutes in all ways, if that is all that it does: each has one point of every
/// orbit of two points and more.
///
/// The group does the same on all these orbits ([`linked_orbits`]) and all permutations on the first; so it does all
/// of them to the columns, and nothing else.
///
/// # Errors
/// What `poll` reports.
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

/// Whether permutations generate all permutations of `0..degree`: as exchanges tell, or a chain where there are few
/// points.
///
/// # Errors
/// What `poll` reports.
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

/// A transitive group that is the wreath product of two: in each block of a system, independently, one of
/// the bottom group is done, and the blocks are permuted by one of the top group.
#[derive(Clone, Debug)]
pub struct WreathProduct {
    /// The blocks.
    pub blocks: Vec<Vec<u32>>,
    /// Generators of what is done to the first block by what maps it to itself, by places in it.
    pub bottom: Vec<PointPermutation>,
    /// The order of that group.
    pub bottom_order: BigUint,
    /// Generators of what is done to the blocks, by their numbers.
    pub top: Vec<PointPermutation>,
    /// The order of that group.
    pub top_order: BigUint,
}

/// Whether a transitive group on `0..degree` is a wreath product on a block system: whether it has as many
/// elements as the wreath product, of which it is a part in any case. What is no block system of such a group
/// gives nothing.
///
/// # Errors
/// What `poll` reports.
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
