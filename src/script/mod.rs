//! Tree to checked script: resolved names, inferred types, symmetric types (Sec. 4, Def. 23).
//!
//! In: [`crate::syntax::ast`]. Out: [`core::Script`]. Nothing here knows how anything is evaluated.

pub mod core;
