//! Assertion to verdict and counterexample: the product automaton, its search, refinement,
//! properties of one process and traces (Sec. 3).
//!
//! In: an assertion of a checked script. Out: a verdict, figures, and for a failure a counterexample
//! in the names of the unreduced system, replayed there. Nothing here knows the screen.
//!
//! Symmetry reduction is one step of [`product`]: the search is the same with it and without it
//! (Sec. 3.4: "identical to the standard algorithm, except for the application of rep").

pub mod adaptive;
mod almost;
mod arrivals;
pub mod attempts;
mod chunk;
pub(crate) mod conclude;
pub mod counterexample;
pub(crate) mod divergence;
mod diving;
pub mod doubled;
pub mod duplicates;
pub mod examined;
mod expansion;
pub mod explore;
mod figures;
pub mod find;
pub mod followed;
pub(crate) mod has_trace;
pub mod images;
mod index_table;
pub mod keeping;
pub mod look_bounds;
pub mod nearly;
mod nearly_named;
pub mod observed;
mod options;
pub mod outcome;
pub mod partial_order;
mod passing;
mod patience;
pub mod plan;
pub mod product;
mod question;
pub mod race;
pub mod reduction;
pub mod represented;
mod representing;
mod run;
pub mod search;
pub mod shared_systems;
mod silent;
mod sleep;
pub mod specification;
mod state_symmetry;
mod states;
mod step_finder;
mod store;
mod storing;
pub mod structural;
pub mod system;
mod threads;

pub use options::Options;
pub use outcome::{CheckVerdict, Outcome, StructureUse, UnmergedStates};
pub use run::Check;
