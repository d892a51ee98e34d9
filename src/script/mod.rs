//! Tree to checked script: resolved names, inferred types, symmetric types (Sec. 4, Def. 23).
//!
//! In: [`crate::syntax::ast`]. Out: [`core::Script`] with [`types::Types`], and what
//! [`symmetric`] finds in them. Nothing here knows how anything is evaluated.

mod annotation;
mod check;
pub mod core;
mod dependence;
pub(crate) mod fingerprint;
pub(crate) mod index;
pub(crate) mod lines;
pub(crate) mod lints;
pub(crate) mod listing;
pub mod load;
pub(crate) mod reach;
mod reached;
pub mod report;
mod resolve;
pub(crate) mod sound;
pub mod symmetric;
pub(crate) mod types;
pub(crate) mod visit;

pub use check::{Checked, check, check_within};
