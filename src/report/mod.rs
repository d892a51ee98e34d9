//! Outcomes of checks in words: verdicts, counterexamples, what they were reduced by, and files of them.
//!
//! In: an assertion of a script, or a finished check. Out: plain data that a screen draws, that text and
//! JSON are written from, and that is saved. Nothing here animates or draws.

pub mod checks;
pub mod counterexamples;
pub mod events;
pub mod inputs;
pub mod json;
pub mod keys;
pub mod numbers;
pub mod outcome;
pub mod plans;
pub mod reduction;
pub mod saved;
pub mod text;
pub mod words;
