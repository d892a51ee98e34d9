//! What a person is looking at: session, history tree, grouping, filters.
//!
//! In: the engine's states. Out: plain data for the screen. Nothing here draws.

pub mod checker;
mod claims;
mod compared;
pub mod comparison;
pub mod counted;
mod courses;
pub mod engine;
mod following;
mod graphs;
pub(crate) mod groups;
pub mod history;
pub mod model;
pub mod neighbourhood;
mod neighbours;
mod opened;
pub mod partings;
pub mod racer;
mod raw;
pub mod recorded;
pub mod renaming;
pub mod rewalk;
mod rounds;
pub mod sentences;
pub mod session;
pub mod session_file;
mod strategies;
mod strategy;
pub(crate) mod summary;
pub mod tracing;
mod uniqueness;
mod verdict;
mod view;
mod visits;
pub mod worker;
