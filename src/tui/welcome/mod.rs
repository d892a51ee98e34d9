//! The welcome page, shown by `orbitscope` alone: a tour, scripts to open, lessons; and the way from one script to
//! another.
//!
//! In: keys, and answers of the disk, found on a thread that may wait. Out: the script to open, or the lesson to
//! take. The stored data are one small file in the folder of states.

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
