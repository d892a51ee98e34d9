//! Questions of the page to the disk, and their answers: both are data, and answering may take long.

use super::memory::{self, WelcomeMemory};
use super::paths::{self, PathOffers, ReadyScript};
use crate::lessons::places::LessonProgress;
use crate::lessons::shelf::{self, Shelf};
use crate::source::models;

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

/// Finds it out. This may take as long as a disk takes.
#[must_use]
pub fn answer(question: WelcomeQuestion) -> Option<WelcomeAnswer> {
    let not_kept = |result: Result<(), String>| {
        let why = result.err()?;
        Some(WelcomeAnswer::NotKept(format!("not remembered: {why}")))
    };
    match question {
        WelcomeQuestion::Everything => Some(WelcomeAnswer::Everything(Box::new(everything()))),
        WelcomeQuestion::Offers(typed) => Some(WelcomeAnswer::Offers(paths::offers(&typed))),
        WelcomeQuestion::Script(asked) => {
            let ready = paths::ready(&asked).map(Box::new);
            Some(WelcomeAnswer::Script(asked, ready))
        }
        // A failure to store is no reason to disturb a user who wants to see the script.
        WelcomeQuestion::Opened(script) => {
            let _ = memory::remember(&script);
            None
        }
        WelcomeQuestion::Skip(skip) => not_kept(memory::skip(skip)),
    }
}

fn everything() -> WelcomeFound {
    let (WelcomeMemory { skip, recent }, mut note) = memory::remembered();
    let shelf = Shelf::filled(None);
    if note.is_empty() {
        note.clone_from(&shelf.note);
    }
    let taken = |id: &str| shelf.progress.get(id).is_some_and(|p| p.done);
    let done = shelf.lessons.iter().filter(|l| taken(&l.lesson.id)).count();
    let is_there = |path: &String| models::readable(path.as_ref()).is_ok();
    let recent = recent.into_iter().map(|path| RecentScript {
        is_there: is_there(&path),
        path,
    });
    let cards = shelf::tour().ok().map(|tour| tour.lesson.cards.len());
    let tour = shelf.progress.get(shelf::TOUR_ID);
    WelcomeFound {
        skip,
        recent: recent.collect(),
        lessons: shelf.lessons.len(),
        done,
        tour: tour.cloned().zip(cards),
        note,
    }
}
