//! Questions of the page to the disk, and their answers: both are data.

use super::paths::{PathOffers, ReadyScript};
use crate::lessons::places::LessonProgress;

/// A list of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WelcomePage {
    /// The main page.
    #[default]
    Main,
    /// A path to type, and scripts to choose.
    Open,
}

/// A question or a task for the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WelcomeQuestion {
    /// The stored data, the scripts among it that still exist, and the progress in lessons.
    Everything,
    /// The completions of a path.
    Offers(String),
    /// Whether a script can be opened.
    Script(String),
    /// A script was opened: that is to be remembered.
    Opened(String),
    /// Store whether the page is left out at the start.
    Skip(bool),
}

/// A script that was opened before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentScript {
    /// The path.
    pub path: String,
    /// Whether it still exists.
    pub is_there: bool,
}

/// The data of the page that are on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WelcomeFound {
    /// Whether the page is left out at the start.
    pub skip: bool,
    /// Scripts that were opened before, latest first.
    pub recent: Vec<RecentScript>,
    /// The number of lessons.
    pub lessons: usize,
    /// The number of finished lessons.
    pub done: usize,
    /// The progress in the tour, and the number of its cards.
    pub tour: Option<(LessonProgress, usize)>,
    /// A note for the user.
    pub note: String,
}

impl WelcomeQuestion {
    /// Whether it is about the data that are stored from one run of the program to the next.
    #[must_use]
    pub fn is_of_memory(&self) -> bool {
        matches!(self, Self::Everything | Self::Opened(_) | Self::Skip(_))
    }
}

/// An answer of the disk.
#[derive(Clone, Debug, PartialEq)]
pub enum WelcomeAnswer {
    /// The data of the page.
    Everything(Box<WelcomeFound>),
    /// The completions of a path.
    Offers(PathOffers),
    /// The script that was requested, or the error: with the requested path.
    Script(String, Result<Box<ReadyScript>, String>),
    /// The data could not be stored.
    NotKept(String),
}
