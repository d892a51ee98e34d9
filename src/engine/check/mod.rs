//! Checks, from assertion to verdict and counterexample (Sec. 3): the question, its reduction, the run of a check, and
//! the conclusion from its search.
//!
//! In: an assertion of a checked script. Out: a verdict, figures, and for a failure a counterexample
//! in the names of the unreduced system, replayed there. Nothing here knows the screen.

pub mod adaptive;
pub mod attempts;
mod conclude;
pub mod coverability;
pub mod families;
mod has_trace;
pub mod look_bounds;
pub mod observed;
mod options;
pub mod outcome;
mod patience;
pub mod permutations_in_use;
pub mod plan;
pub(crate) mod question;
pub mod reduction;
pub(crate) mod run;
pub mod shared_systems;
mod simulation;
pub mod structural;
pub mod system;

pub use options::{Options, ProcessPlan, StorePlan};
pub use outcome::{CheckVerdict, Outcome, StructureUse, UnmergedStates};
pub use run::Check;
