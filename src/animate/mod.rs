//! What a person is looking at: session, history tree, grouping, filters.
//!
//! In: the engine's states. Out: plain data for the screen. Nothing here draws.

pub mod model;
