//! Search of the product automaton: the seen set, ways to store states, counterexamples and divergence.
//!
//! Symmetry reduction is one step of [`product`]: the search is the same with it and without it
//! (Sec. 3.4: "identical to the standard algorithm, except for the application of rep").

mod arrivals;
mod back_steps;
pub mod breadth_first;
mod chunk;
pub mod counterexample;
mod disk_frontier;
pub mod disk_store;
mod distributed;
pub(crate) mod divergence;
mod expansion;
pub mod figures;
pub mod followed;
mod index_table;
pub mod keeping;
mod misses;
pub mod on_disk;
pub mod product;
pub mod represented;
mod representing;
mod silent;
mod state_set;
mod state_symmetry;
pub(crate) mod store;
mod storing;
