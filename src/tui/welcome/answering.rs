//! Answers of the disk to the questions of the page.

use super::asked::{RecentScript, WelcomeAnswer, WelcomeFound, WelcomeQuestion};
use super::memory::{self, WelcomeMemory};
use super::paths;
use crate::lessons::lesson::Shelf;
use crate::lessons::shelf;
use crate::source::models;

/// Answers a question. This may take as long as a disk takes.
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
