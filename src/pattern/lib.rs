//! Regular symmetry patterns and regular invariants of families of systems that are given as automata, after *Regular
//! symmetry patterns* by Lin, Nguyen, Rümmer and Sun (VMCAI 2016).
//!
//! In: the text of a family, whose configurations are words and whose steps are a regular relation. Out: whether a
//! relation is a symmetry pattern of every size, a pattern or an invariant that a solver has found and that was then
//! verified, or words that show the contrary. Nothing here knows CSPm, and nothing writes.

pub mod alphabet;
pub mod automaton;
mod blocks;
pub mod builtin;
pub mod conditions;
pub mod expression;
pub mod format;
pub mod invariant;
mod letters;
pub mod library;
pub mod limits;
pub mod model;
pub mod relation;
pub mod request;
mod sat;
mod shortest;
pub mod small_sizes;
pub mod synthesis;
mod tokens;
mod unknown_automaton;
pub mod verify;
pub mod write;

use orbitscope_language::source;
