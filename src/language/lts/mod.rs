//! Explicit transition systems, and the compressions of them.
//!
//! In: states and events as numbers. Out: a smaller system with the same traces, stable failures and
//! divergences, each of its states named by states of the old one ([`Name`]). Nothing here knows what
//! states and events stand for, except for τ and ✓.

mod bisim;
mod compress;
mod diamond;
mod graph;
mod normal;
mod sets;
mod tau;
#[cfg(test)]
mod testing;
mod weak;

pub use bisim::bisimulation;
pub use compress::{Compression, Work, compress};
pub use graph::{Builder, Lts, Name, Part, Partition, Reduced, State, TAU, TICK};
pub use tau::silent_components;
pub use weak::{Weak, weak_bisimulation};
