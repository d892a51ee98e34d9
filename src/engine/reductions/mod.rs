//! The table of reductions ([`table`]), and those that depend on the network alone: partial order reduction,
//! intermediate states that are passed over, and sleep sets.

pub mod partial_order;
pub(crate) mod passing;
pub(crate) mod sleep;
pub(crate) mod steps;
pub mod table;
