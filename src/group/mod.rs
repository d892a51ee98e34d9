//! Finite groups of permutations, and automorphisms of coloured graphs.
//!
//! In: numbers of points, permutations of them, graphs. Out: generators, orders, orbits. Nothing here
//! knows what points stand for.

mod graph;
mod orbits;
mod permutation;
mod refine;
mod search;

pub use graph::{ColouredGraph, GraphBuilder};
pub use orbits::PointOrbits;
pub use permutation::PointPermutation;
pub use refine::Colouring;
pub use search::{AutomorphismGroup, automorphisms};
