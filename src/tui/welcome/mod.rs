//! What `orbitscope` alone shows: a tour, scripts to open, lessons; and the way from one script to another.
//!
//! In: keys, and what was found on disk by somebody who may wait for it. Out: which script is to be opened, or
//! which lesson is to be taken. What is remembered is one small file in the folder of states.

pub mod asked;
pub mod draw;
pub mod keys;
pub mod memory;
pub mod page;
pub mod paths;
mod which;

pub use asked::{WelcomeAnswer, WelcomeQuestion, answer};
pub use page::WelcomeScreen;
pub use which::WelcomePage;
