//! The table of reductions ([`table`]), and those that depend on the network alone: partial order reduction,
//! intermediate states that are skipped, and sleep sets.

pub mod partial_order;
pub(crate) mod skipping;
pub(crate) mod sleep;
pub(crate) mod steps;
pub mod table;
