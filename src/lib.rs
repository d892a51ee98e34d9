#![doc = include_str!("ARCHITECTURE.md")]

pub use orbitscope_animate as animate;
pub use orbitscope_cli as cli;
pub use orbitscope_engine::{
    check, group, lab, machine, mesh, reductions, search, specification, spill, structure, symmetry,
};
pub use orbitscope_language::{eval, lts, process, script, source, syntax, value};
pub use orbitscope_lsp as lsp;
pub use orbitscope_pattern as pattern;
pub use orbitscope_report as report;
pub use orbitscope_tui as tui;
