//! What commands do, view by view.

pub mod animate;
pub mod check;
pub mod compare;
pub mod general;
pub mod graph;
pub mod motion;
pub mod orbit;
pub mod race;
pub mod reload;
pub mod session;
pub mod yank;
