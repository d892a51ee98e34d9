//! Process terms and their one-step transitions: the operational semantics of CSP.
//!
//! In: terms. Out: `(label, term)` pairs. Suspended expressions are opened through the `Unfold`
//! trait, which `eval` implements; nothing here knows components or symmetry.
//!
//! # The order of the files
//!
//! Each file names only those before it in this list.
//!
//! - What terms are: `term`, `parts`; what functions look at: `observation`.
//! - What is remembered of terms: `splits`, `compressions`; and with these, all terms: `store`.
//! - What is computed of terms: `shape`, `holes`, `digest`.
//! - What a rule may ask: `unfold` of the evaluator, and `rule_context` of operands.
//! - What is compared and explored to compress a process: `operand_classes`, `exploring`.
//! - The rules: `operators`, `parallel`, `priority`, `resolved`, `buffer`, `watchdog`, `compress`.
//! - Which rule is whose: `step`.

mod buffer;
mod compress;
mod compressions;
pub mod digest;
mod exploring;
mod holes;
pub mod observation;
mod operand_classes;
mod operators;
mod parallel;
pub mod parts;
mod priority;
mod resolved;
mod rule_context;
mod shape;
mod splits;
mod step;
mod store;
pub mod term;
mod unfold;
mod watchdog;

pub use holes::{HoleInfo, holes};
pub use step::transitions;
pub use store::Terms;
pub use unfold::{Unfold, Unfolded};
