//! Lessons: cards that say something, do it on a screen of their own, and ask before they show.
//!
//! In: files in RON, some of them in the program. Out: data of a screen with a card beside it, and the progress to
//! store. Cards act by lines of commands ([`crate::language`]), so a test can run a lesson from its first card to
//! its last without a key press.

mod bookmark;
pub mod card;
pub mod draw;
pub mod format;
pub mod keys;
pub mod list;
pub mod places;
pub mod rehearsal;
pub mod room;
pub mod shelf;
pub mod timing;
pub mod tree;
