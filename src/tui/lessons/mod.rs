//! Lessons: cards that say something, do it on the screen, and ask before they show.
//!
//! In: files in RON, some of them in the program. Out: lines of commands ([`crate::language`]) that are run on the
//! screen while the person's own session is parked, a card beside the views, and the progress to store. A test can
//! run a lesson from its first card to its last without a key press.

mod bookmark;
pub mod card;
pub mod course;
pub mod draw;
pub mod format;
pub mod keys;
pub mod lesson;
pub mod list;
pub mod places;
pub mod rehearsal;
pub mod room;
pub mod shelf;
pub mod timing;
pub mod tree;
