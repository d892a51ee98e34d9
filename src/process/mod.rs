//! Process terms and their one-step transitions: the operational semantics of CSP.
//!
//! In: terms. Out: `(label, term)` pairs. Suspended expressions are opened through the `Unfold`
//! trait, which `eval` implements; nothing here knows components or symmetry.

mod buffer;
mod compress;
pub mod digest;
mod parallel;
mod priority;
mod resolved;
pub mod shape;
pub mod step;
pub mod store;
pub mod term;
mod watchdog;

pub use shape::HoleInfo;
pub use step::{Head, Unfold, transitions};
pub use store::Terms;
