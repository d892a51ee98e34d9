//! Finite groups of permutations, and automorphisms of coloured graphs.
//!
//! In: numbers of points, permutations of them, graphs. Out: generators, orders, orbits, chains of stabilisers,
//! names. Nothing here knows what points stand for.

mod chain;
mod graph;
mod orbits;
mod permutation;
mod refine;
mod search;
#[cfg(test)]
mod tests;
mod transversal;

pub use chain::{ChainElements, StabiliserChain};
pub use graph::{ColouredGraph, GraphBuilder};
pub use orbits::PointOrbits;
pub use permutation::PointPermutation;
pub use refine::Colouring;
pub use search::{AutomorphismGroup, automorphisms};
