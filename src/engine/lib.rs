//! Networks of processes, their symmetry, and refinement checks.

pub mod check;
pub mod group;
pub mod lab;
pub mod machine;
pub mod mesh;
pub mod reductions;
pub mod search;
pub mod specification;
pub mod spill;
pub mod structure;
pub mod symmetry;

use orbitscope_language::{eval, lts, process, script, source, value};

#[cfg(test)]
#[path = "../../tests/support/tiers.rs"]
#[allow(dead_code, reason = "each kind of test uses a part")]
mod tiers;
