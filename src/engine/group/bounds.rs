//! How many elements a group can have at most, from what is seen of its generators at a glance.

use num_bigint::BigUint;

use super::Poll;
use super::blocks::{action_in_block, action_on_blocks, block_systems};
use super::linked::linked_orbits;
use super::permutation::{PointPermutation, product};
use crate::source::diagnostic::Result;

/// Orbits with more points are not looked at.
const POINTS_MAX: usize = 2_000;

/// A bound for the order of the group that permutations generate, or nothing if it has large orbits.
///
/// On an orbit it can do no more than all permutations of the points, or all even ones if its generators are
/// even there; nor more than permute the blocks of a system, and do in each what its elements do in one. What
/// it does on orbits that are linked counts once.
///
/// # Errors
/// What `poll` reports.
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

/// The same of a group that is transitive on so many points.
fn of_transitive(
    points: usize,
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<BigUint> {
    let mut bound = factorial(points);
    if points > 1 && generators.iter().all(is_even) {
        bound /= 2u32;
    }
    // The finest system alone: what is coarser shows in what is done to its blocks.
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

/// How many permutations so many points have.
pub(super) fn factorial(points: usize) -> BigUint {
    product(&(1..=points).collect::<Vec<usize>>())
}
