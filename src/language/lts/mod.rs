//! Explicit transition systems, and the compressions of them.
//!
//! In: states and events as numbers. Out: a smaller system with the same traces, stable failures and
//! divergences, each of its states named by states of the old one ([`Name`]). Nothing here knows what
//! states and events mean, except for τ and ✓.
//!
//! All compressions preserve all divergences, not only the minimal ones, so none depends on whether the model is T, F
//! or FD. Bisimulations (`sbisim`, `wbisim`, `dbisim`, `tau_loop_factor`) also preserve revivals and refusal testing;
//! `diamond` (`model_compress` is the same) and `normal` do not, and are skipped there.

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
