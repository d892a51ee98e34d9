//! Outcomes of checks in words: verdicts, counterexamples, the reductions used, and files of counterexamples.
//!
//! In: an assertion of a script, or a finished check. Out: plain data that a screen draws, that text and
//! JSON are written from, and that is saved. Nothing here animates or draws.

pub mod any_number;
pub mod asked;
pub mod both;
pub mod both_document;
mod brief;
pub mod changed;
pub mod checks;
pub mod columns;
pub(crate) mod counterexamples;
pub mod document;
pub mod events;
pub mod families;
pub mod family_proofs;
pub mod follow;
pub mod graph;
pub mod inputs;
pub mod json;
pub mod keys;
pub mod numbers;
pub mod outcome;
pub mod page;
mod paint;
pub mod parted;
pub mod pattern_words;
pub mod plans;
mod progress;
pub mod race;
pub mod race_document;
pub mod reduction;
pub mod ring_proofs;
pub mod rings;
pub mod run_file;
pub mod runs;
mod steps;
pub mod structure;
pub mod summary;
pub mod text;
pub mod together;
pub mod trail;
pub mod words;

use orbitscope_engine::{check, group, lab, machine, search, specification};
use orbitscope_language::{script, source, value};
