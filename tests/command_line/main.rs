//! The program as it is called from a shell or an editor: output, exit codes, limits, signals.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod diagnostics;
#[cfg(unix)]
mod ends;
mod json;
mod lsp;
mod readme;
mod reports;
