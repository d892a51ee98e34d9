//! Finite groups of permutations, and automorphisms of coloured graphs.
//!
//! In: numbers of points, permutations of them, graphs. Out: generators, orders, orbits, chains of stabilisers,
//! factors, names. Nothing here knows what points stand for.
//!
//! Nothing depends on chance either: what is random has a fixed seed, and is proved before it is told. Work is
//! bounded by counts, never by a clock: all that takes longer than its input tells a closure now and then how much
//! it did since it told it the last time ([`Poll`]), and ends with the error that this returns.

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

/// Is told how much work was done since it was told the last time: images of points and ends of edges that were
/// looked up. May be an error, which ends the work.
pub type Poll<'a> = &'a dyn Fn(usize) -> Result<()>;
