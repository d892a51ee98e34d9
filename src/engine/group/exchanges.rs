//! Groups with exchanges of two points, of which these tell much.
//!
//! That the exchange of two points is an element is an equivalence: (a c) is (a b) after (b c) after (a b). Elements
//! map its classes to classes, so they are blocks, and in each of them all permutations are done independently of
//! the others. If there is one class, the group is the symmetric group, however its other generators look.

use super::blocks::joined_blocks;
use super::permutation::PointPermutation;
use super::{Poll, orbits::PointOrbits};
use crate::source::diagnostic::Result;

/// Whether permutations of `0..degree` are seen to generate all permutations: each two points are exchanged by an
/// element that exchanges nothing else, as follows from those generators that do so. If none does, nothing is seen.
///
/// # Errors
/// What `poll` reports.
pub(super) fn exchanges_generate_all(
    degree: u32,
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<bool> {
    let exchanges = generators.iter().filter(|g| g.moved().len() == 2);
    let pairs: Vec<(u32, u32)> = exchanges.map(|g| (g.moved()[0], g.moved()[1])).collect();
    if pairs.is_empty() || degree < 2 {
        return Ok(false);
    }
    let mut classes = PointOrbits::new(degree);
    for (a, b) in &pairs {
        classes.unite(*a, *b);
    }
    poll(pairs.len())?;
    // Mostly these lead everywhere; if not, their images may.
    if classes.size_of(0) == degree {
        return Ok(true);
    }
    let blocks = joined_blocks(degree, generators, &pairs, poll)?;
    Ok(blocks.iter().all(|block| *block == 0))
}
