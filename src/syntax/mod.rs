//! Text to tree with spans, and tree to text.
//!
//! In: the files of a script. Out: [`ast`], or every syntax error at once.
//! Nothing here knows values or processes.

pub mod ast;
