//! CSPm as it is read: sources, syntax, types, values, processes and their evaluation.

pub mod eval;
pub mod lts;
pub mod process;
pub mod script;
pub mod source;
pub mod syntax;
pub mod value;

#[cfg(test)]
#[path = "../../tests/support/tiers.rs"]
#[allow(dead_code, reason = "each kind of test uses a part")]
mod tiers;
