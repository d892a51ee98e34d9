//! Tree to checked script: resolved names, inferred types, symmetric types (Sec. 4, Def. 23).
//!
//! In: [`crate::syntax::ast`]. Out: [`core::Script`] with [`types::Types`], and what
//! [`symmetric`] finds in them. Nothing here knows how anything is evaluated.

mod annotation;
mod check;
pub mod core;
mod dependence;
pub mod fingerprint;
pub mod index;
pub mod lines;
pub mod lints;
pub mod listing;
pub mod load;
pub mod reach;
mod reached;
pub mod report;
mod resolve;
pub mod sizes;
pub mod sound;
pub mod symmetric;
pub mod types;
pub mod uniform;
pub mod visit;

pub use check::{Checked, check, check_within};
