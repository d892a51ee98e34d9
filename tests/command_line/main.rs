//! The program as it is called from a shell or an editor: output, exit codes, limits, signals.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
#[cfg(unix)]
mod bounded;
mod certificates;
mod changes;
mod claims;
mod compare;
mod compared;
mod config;
mod diagnostics;
mod editor;
#[cfg(unix)]
mod ends;
mod explain;
mod export;
mod export_in_browser;
mod failures;
mod family;
mod generated;
mod graph;
mod group_strategies;
#[cfg(target_os = "linux")]
mod hard;
mod json;
mod keeping;
mod lessons;
mod limits;
mod lsp;
mod lsp_session;
mod many;
#[cfg(unix)]
mod own_files;
mod plain_names;
mod printed;
mod processes;
mod race;
mod readme;
mod reductions;
mod refines;
mod reports;
mod shared_values;
mod store;
mod structure;
mod symmetry;
mod walks;
mod welcome;
mod worth;
