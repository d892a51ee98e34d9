//! A language server over standard input and output: what editors show of a script while it is
//! written.
//!
//! In: the messages of an editor. Out: what the front end knows of the texts in them, saved or not.
//! Nothing here knows how anything is evaluated. One thread reads, one writes, and each text that is looked at has
//! one of its own, which is given up when the text changes; the one that keeps the state of the session never
//! waits for any of them.
//!
//! What is said is of the types of `lsp-types`; messages around it are JSON as it is, for the sake of those that are
//! broken.

mod analysis;
mod answers;
mod client;
mod colours;
mod completion;
mod context;
mod diagnostics;
mod fixes;
mod folding;
mod names;
mod questions;
mod rename;
mod session;
mod symbols;
mod texts;
mod tokens;
mod wire;
mod worker;

pub use diagnostics::{diagnostic, range};
pub use session::serve;

/// Codes of errors of JSON-RPC; those of the protocol are in [`lsp_types::error_codes`].
mod code {
    pub(super) const PARSE_ERROR: i64 = -32700;
    pub(super) const INVALID_REQUEST: i64 = -32600;
    pub(super) const METHOD_NOT_FOUND: i64 = -32601;
    pub(super) const INVALID_PARAMS: i64 = -32602;
    pub(super) const INTERNAL_ERROR: i64 = -32603;
}

#[cfg(test)]
mod tests;

use orbitscope_language::{script, source, syntax};
