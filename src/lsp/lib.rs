//! A language server over standard input and output, for editors.
//!
//! In: the messages of an editor. Out: the analyses of the texts in them, saved or not. Nothing here knows how
//! anything is evaluated. One thread reads, one writes, and each analysis of a text has one of its own, which is
//! given up when the text changes; the one that keeps the state of the session never waits for any of them.
//!
//! Answers have the types of `lsp-types`; the messages around them are plain JSON, so that broken ones can be
//! handled.

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
