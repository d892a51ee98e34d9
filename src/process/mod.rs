//! Process terms and their one-step transitions: the operational semantics of CSP.
//!
//! In: terms. Out: `(label, term)` pairs. Suspended expressions are opened through the `Unfold`
//! trait, which `eval` implements; nothing here knows components or symmetry.

pub mod term;
