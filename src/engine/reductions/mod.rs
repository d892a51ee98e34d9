//! Steps that a search need not follow, by what is known of a network alone: partial order reduction, intermediate
//! states that are skipped, and sleep sets.

pub mod partial_order;
pub mod passing;
pub mod sleep;
pub mod steps;
