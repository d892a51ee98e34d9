//! A language server over standard input and output: what editors show of a script while it is
//! written.
//!
//! In: the messages of an editor. Out: what the front end knows of the texts in them, saved or not.
//! Nothing here knows how anything is evaluated. One thread reads, one writes, and each text that is looked at has
//! one of its own, which is given up when the text changes; the one that keeps the state of the session never
//! waits for any of them.
//!
//! Messages are JSON as it is, not of the types of `lsp-types`: a dozen shapes are written here, each at one
//! place and no longer than those types would be, which take seconds to build, as they are the whole
//! protocol.

mod analysis;
mod answers;
mod client;
mod colours;
mod completion;
mod context;
mod fixes;
mod folding;
mod names;
mod rename;
mod session;
mod symbols;
mod texts;
mod tokens;
mod wire;
mod worker;

pub use session::serve;

/// Codes of errors, as JSON-RPC and the protocol number them.
mod code {
    pub(super) const PARSE_ERROR: i32 = -32700;
    pub(super) const INVALID_REQUEST: i32 = -32600;
    pub(super) const METHOD_NOT_FOUND: i32 = -32601;
    pub(super) const INVALID_PARAMS: i32 = -32602;
    pub(super) const INTERNAL_ERROR: i32 = -32603;
    pub(super) const NOT_INITIALIZED: i32 = -32002;
    pub(super) const CANCELLED: i32 = -32800;
    pub(super) const CONTENT_MODIFIED: i32 = -32801;
    pub(super) const REQUEST_FAILED: i32 = -32803;
}

#[cfg(test)]
mod tests;

use orbitscope_language::{script, source, syntax};
