//! The welcome page, shown by `orbitscope` alone: a tour, scripts to open, lessons; and the way from one script to
//! another. It lies over the views, and its keys are commands of the registry.
//!
//! In: keys, and answers of the disk, found on a thread that may wait. Out: the script to open, or the lesson to
//! take. The stored data are one small file in the folder of states.

pub mod answering;
pub mod asked;
pub mod draw;
pub mod memory;
pub mod page;
pub mod paths;

pub use answering::answer;
pub use asked::{WelcomeAnswer, WelcomePage, WelcomeQuestion};
pub use page::WelcomeScreen;
