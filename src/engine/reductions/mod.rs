//! The table of reductions ([`table`]), and those that go by what is known of a network alone: partial order reduction,
//! intermediate states that are skipped, and sleep sets.

pub mod partial_order;
pub(crate) mod passing;
pub(crate) mod sleep;
pub(crate) mod steps;
pub mod table;
