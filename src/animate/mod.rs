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
pub mod cycles;
pub mod engine;
pub mod finding;
pub mod followed;
mod following;
mod going;
mod graphs;
pub(crate) mod groups;
pub mod history;
pub mod model;
pub mod neighbourhood;
mod neighbours;
mod opened;
pub mod picture;
mod placed;
pub mod places;
mod preview;
pub mod racer;
mod raw;
mod renaming;
mod rounds;
pub mod sentences;
pub mod session;
mod sets;
mod silent;
pub(crate) mod standing;
mod strategies;
mod strategy;
pub mod structure;
mod structured;
pub(crate) mod summary;
pub mod transition;
mod uniqueness;
mod verdict;
mod view;
mod visits;
pub mod worker;
