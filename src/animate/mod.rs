//! What a person is looking at: session, history tree, grouping, filters.
//!
//! In: the engine's states. Out: plain data for the screen. Nothing here draws.

pub mod checker;
pub mod checks;
mod claims;
pub mod counterexamples;
mod courses;
pub mod engine;
pub mod events;
pub mod groups;
pub mod history;
mod keys;
pub mod model;
mod opened;
mod plans;
mod raw;
pub mod reduction;
pub mod saved;
pub mod sentences;
pub mod session;
mod strategies;
pub mod strategy;
pub mod summary;
pub mod uniqueness;
pub mod words;
pub mod worker;
