//! The actions of commands, view by view.

pub mod animate;
pub mod check;
pub mod compare;
pub mod components;
pub mod counterexamples;
pub mod distance;
pub mod find;
pub mod general;
pub mod graph;
pub mod lesson;
pub mod motion;
pub mod orbit;
pub mod race;
pub mod reload;
pub mod search;
pub mod session;
pub mod share;
pub mod showing;
pub mod source;
pub mod starting;
pub mod stops;
pub mod structure;
pub mod symmetry;
pub mod trail;
pub mod welcome;
pub mod yank;
