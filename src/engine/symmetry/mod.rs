//! Permutations, ordered partitions, representatives (Sec. 7) and the strategies that choose them.
//!
//! In: global states of a network that was verified to be mappable. Out: a permutation and the
//! representative that it leads to. This module explores no states, and knows no assertions.

mod acting;
pub mod bubble;
mod cells;
pub mod certificate;
mod climbing;
mod columns;
pub mod compare;
pub mod context;
pub mod counters;
mod descent;
pub mod element;
pub mod exact;
mod factor_method;
mod joint;
pub mod marker;
pub mod matching;
mod met;
mod names;
pub mod nvalues;
pub mod observe;
pub mod ordering;
pub mod parting;
pub mod partition;
pub mod permutation;
pub mod picks;
mod point_colours;
pub mod record;
mod refine;
mod refute;
mod scratch;
pub mod sorted;
pub mod strategy;
mod strategy_kind;
pub mod structural;
pub mod structural_certificate;
pub mod structural_compare;
mod structural_kind;
pub mod systems;
pub mod trace;
pub mod twins;
mod unreached;
pub mod walk;
pub mod watch;
mod whole_group;
pub mod witness;

#[cfg(test)]
mod tests;

pub use element::GroupElement;
pub use permutation::Permutation;
pub use strategy::Representative;
pub use strategy_kind::StrategyKind;
pub use structural_kind::StructuralKind;
