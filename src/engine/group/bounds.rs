//! Upper bounds on the order of a group, which are cheap to compute from its generators.

use num_bigint::BigUint;

use super::Poll;
use super::blocks::{action_in_block, action_on_blocks, block_systems};
use super::linked::linked_orbits;
use super::permutation::{PointPermutation, product};
use crate::source::diagnostic::Result;

/// Points of a group that is bounded, at most, counting linked orbits once.
const POINTS_MAX: usize = 2_000;

/// An upper bound on the order of a permutation group; `None` if it has large orbits.
///
/// On an orbit, the group is a subgroup of the symmetric group, or of the alternating group if its generators are
/// even there; and of the wreath product of its action in a block by that on the blocks of a system. Its
/// action on linked orbits counts once.
///
/// # Errors
/// Any error of `poll`.
pub(super) fn order_at_most(
    degree: u32,
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<Option<BigUint>> {
    let linked = linked_orbits(degree, generators, poll)?;
    let points: usize = linked.iter().map(|l| l.orbits[0].len()).sum();
    if points > POINTS_MAX {
        return Ok(None);
    }
    let mut bound = BigUint::from(1u32);
    for orbits in &linked {
        let orbit = &orbits.orbits[0];
        poll(orbit.len() * generators.len())?;
        let restricted = generators.iter().filter_map(|g| g.restricted(orbit));
        let restricted: Vec<PointPermutation> = restricted.collect();
        bound *= of_transitive(orbit.len(), &restricted, poll)?;
    }
    Ok(Some(bound))
}

/// The same for a group that is transitive on this many points.
fn of_transitive(
    points: usize,
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<BigUint> {
    let mut bound = factorial(points);
    if points > 1 && generators.iter().all(is_even) {
        bound /= 2u32;
    }
    // The finest system alone: coarser ones show in the action on its blocks.
    if let Some(blocks) = block_systems(generators, poll)?.first() {
        let top = action_on_blocks(generators, blocks);
        let bottom = action_in_block(generators, &top, blocks, poll)?;
        let within = of_transitive(blocks[0].len(), &bottom, poll)?.pow(blocks.len() as u32);
        bound = bound.min(within * of_transitive(blocks.len(), &top, poll)?);
    }
    Ok(bound)
}

/// Whether a permutation is a product of an even number of exchanges.
fn is_even(p: &PointPermutation) -> bool {
    let cycles = p.cycles();
    cycles.iter().map(|cycle| cycle.len() - 1).sum::<usize>() % 2 == 0
}

/// Number of permutations of so many points.
pub(super) fn factorial(points: usize) -> BigUint {
    product(&(1..=points).collect::<Vec<usize>>())
}
