//! Groups with transpositions, which determine much of them.
//!
//! Points whose transposition is in the group are equivalent: (a c) is (a b) conjugated by (b c). Elements
//! map equivalence classes to classes, so they are blocks, and the group has the symmetric group of each, independently
//! of the others. If there is one class, it is the symmetric group; the other generators add nothing.

use super::blocks::joined_blocks;
use super::permutation::PointPermutation;
use super::{Poll, orbits::PointOrbits};
use crate::source::diagnostic::Result;

/// Whether permutations of `0..degree` evidently generate the symmetric group: the transpositions among them, with
/// their conjugates, connect all points. False says nothing.
///
/// # Errors
/// Any error of `poll`.
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
    // Mostly these connect all points; if not, their images may.
    if classes.size_of(0) == degree {
        return Ok(true);
    }
    let blocks = joined_blocks(degree, generators, &pairs, poll)?;
    Ok(blocks.iter().all(|block| *block == 0))
}
