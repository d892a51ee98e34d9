//! Outcomes of checks in words: verdicts, counterexamples, what they were reduced by, and files of them.
//!
//! In: an assertion of a script, or a finished check. Out: plain data that a screen draws, that text and
//! JSON are written from, and that is saved. Nothing here animates or draws.

pub(crate) mod both;
mod brief;
pub(crate) mod changed;
pub mod checks;
pub(crate) mod counterexamples;
pub(crate) mod events;
mod follow;
pub mod graph;
pub(crate) mod inputs;
pub mod json;
pub(crate) mod keys;
pub(crate) mod numbers;
pub(crate) mod outcome;
mod paint;
pub(crate) mod plans;
pub(crate) mod race;
pub(crate) mod reduction;
pub mod saved;
mod steps;
pub mod structure;
pub(crate) mod summary;
pub(crate) mod text;
pub(crate) mod words;
