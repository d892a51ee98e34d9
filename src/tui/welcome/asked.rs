//! What the page asks of the disk, and the answers: both are data, and whoever answers may take long.

use super::memory::{self, WelcomeMemory};
use super::paths::{self, PathOffers, ReadyScript};
use crate::lessons::places::LessonProgress;
use crate::lessons::shelf::{self, Shelf};
use crate::source::models;

/// What is to be found out, or done, on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WelcomeQuestion {
    /// What is remembered, which scripts of it are still there, and how far the person is in lessons.
    Everything,
    /// How a path can go on.
    Offers(String),
    /// Whether a script can be opened.
    Script(String),
    /// A script was opened: that is to be remembered.
    Opened(String),
    /// Whether to leave the page out at the start is to be remembered.
    Skip(bool),
}

/// A script that was opened before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentScript {
    /// Where it is.
    pub path: String,
    /// Whether it is still there.
    pub is_there: bool,
}

/// What was found on disk for the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WelcomeFound {
    /// Whether the page is left out at the start.
    pub skip: bool,
    /// Scripts that were opened before, latest first.
    pub recent: Vec<RecentScript>,
    /// How many lessons there are.
    pub lessons: usize,
    /// How many of them were taken to their end.
    pub done: usize,
    /// How far the person is in the tour, and how many cards it has.
    pub tour: Option<(LessonProgress, usize)>,
    /// What to say beside.
    pub note: String,
}

impl WelcomeQuestion {
    /// Whether it is about what is remembered from one run of the program to the next.
    #[must_use]
    pub fn is_of_memory(&self) -> bool {
        matches!(self, Self::Everything | Self::Opened(_) | Self::Skip(_))
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum WelcomeAnswer {
    /// What the page shows.
    Everything(Box<WelcomeFound>),
    /// How a path can go on.
    Offers(PathOffers),
    /// The script that was asked for, or what is wrong: with what was asked for.
    Script(String, Result<Box<ReadyScript>, String>),
    /// What was to be remembered could not be.
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
        // That it is not remembered is no reason to disturb whoever wants to see it.
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
