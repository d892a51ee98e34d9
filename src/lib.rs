#![doc = include_str!("ARCHITECTURE.md")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the page is the map of the whole crate, and most of its modules are private"
)]

pub mod animate;
pub mod check;
pub mod cli;
pub mod eval;
pub mod group;
mod lsp;
pub mod lts;
pub mod machine;
pub mod process;
pub mod report;
pub mod script;
pub mod source;
pub mod structure;
pub mod symmetry;
pub mod syntax;
pub mod tui;
pub mod value;

#[cfg(test)]
#[path = "../tests/support/tiers.rs"]
#[allow(dead_code, reason = "each kind of test uses a part")]
mod tiers;
