//! Experiments with the parts of a check: races of strategies, states that are stored twice, graphs of states, searches
//! for a state, and which symmetries a structure has or almost has.

mod almost;
pub mod doubled;
pub mod duplicates;
pub mod examined;
pub mod explore;
pub mod find;
pub mod images;
pub mod nearly;
mod nearly_named;
pub mod race;
pub mod ring;
