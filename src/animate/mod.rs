//! What a person is looking at: session, history tree, grouping, filters.
//!
//! In: the engine's states. Out: plain data for the screen. Nothing here draws.

mod bound;
pub mod checker;
mod claims;
mod compared;
pub mod comparison;
pub mod conditions;
pub mod counted;
mod courses;
pub mod engine;
pub mod finding;
mod following;
mod graphs;
pub(crate) mod groups;
pub mod history;
pub mod model;
pub mod neighbourhood;
mod neighbours;
mod opened;
pub mod racer;
mod raw;
pub mod renaming;
mod rounds;
pub mod sentences;
pub mod session;
pub(crate) mod standing;
mod strategies;
mod strategy;
pub mod structure;
mod structured;
pub(crate) mod summary;
mod uniqueness;
mod verdict;
mod view;
mod visits;
pub mod worker;
