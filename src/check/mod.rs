//! Assertion to verdict and counterexample: the product automaton, its search, refinement,
//! properties of one process and traces (Sec. 3).
//!
//! In: an assertion of a checked script. Out: a verdict, figures, and for a failure a counterexample
//! in the names of the unreduced system, replayed there. Nothing here knows the screen.
//!
//! Symmetry reduction is one step of [`product`]: the search is the same with it and without it
//! (Sec. 3.4: "identical to the standard algorithm, except for the application of rep").

mod chunk;
pub mod conclude;
pub mod counterexample;
pub mod divergence;
pub mod has_trace;
mod options;
pub mod outcome;
pub mod plan;
pub mod product;
mod question;
pub mod reduction;
pub mod represented;
pub mod run;
pub mod search;
pub mod specification;
pub mod states;
pub mod store;
pub mod system;

pub use options::Options;
pub use outcome::{CheckVerdict, Outcome, RawCounterexample, Statistics};
pub use run::Check;
