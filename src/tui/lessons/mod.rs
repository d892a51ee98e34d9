//! Lessons: cards that say something, do it on a screen of their own, and ask before they show.
//!
//! In: files in RON, some of them in the program. Out: data of a screen with a card beside it, and what to
//! remember. What a card does is written in lines of commands ([`crate::language`]), so a lesson can be
//! tried from its first card to its last without anybody pressing keys.

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
