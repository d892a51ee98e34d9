//! Finite groups of permutations, and automorphisms of coloured graphs.
//!
//! In: numbers of points, permutations of them, graphs. Out: generators, orders, orbits, stabiliser chains,
//! factors, names. This module does not know the meaning of points.
//!
//! Results are deterministic: random choices have a fixed seed, and their results are proved. Work is
//! bounded by counts, never by a clock: everything that takes longer than reading its input reports its work at
//! intervals to a closure ([`Poll`]), and ends with the error that this returns.

use crate::source::diagnostic::Result;

mod blocks;
mod bounds;
mod chain;
mod exchanges;
mod factors;
mod graph;
mod hamming;
mod linked;
mod names;
mod orbits;
mod permutation;
mod refine;
mod search;
#[cfg(test)]
mod tests;
mod transversal;

pub use blocks::{action_on_blocks, block_systems};
pub use chain::{ChainElements, StabiliserChain};
pub use factors::{WreathProduct, factors, is_symmetric, symmetric_columns, wreath_product};
pub use graph::{ColouredGraph, GraphBuilder};
pub use linked::{LinkedOrbits, linked_orbits};
pub use names::{GroupName, name_of};
pub use orbits::PointOrbits;
pub use permutation::PointPermutation;
pub use refine::Colouring;
pub use search::{AutomorphismGroup, automorphisms};

/// Receives the work done since its last call, in images of points and ends of edges that were
/// looked up. An error ends the work.
pub type Poll<'a> = &'a dyn Fn(usize) -> Result<()>;
