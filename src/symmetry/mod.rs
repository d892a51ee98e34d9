//! Permutations, ordered partitions, representatives (Sec. 7) and the strategies that choose them.
//!
//! In: global states of a network that was verified to be mappable. Out: a permutation and the
//! representative that it leads to. Nothing here explores, and nothing here knows assertions.

mod cells;
pub mod context;
pub(crate) mod exact;
pub(crate) mod observe;
pub mod ordering;
mod partition;
pub(crate) mod permutation;
pub mod picks;
pub mod record;
mod refine;
pub(crate) mod sorted;
pub mod strategy;
pub mod trace;
pub mod twins;
pub(crate) mod walk;
pub(crate) mod watch;

#[cfg(test)]
mod tests;

pub(crate) use permutation::Permutation;
pub use strategy::{Representative, StrategyKind};
