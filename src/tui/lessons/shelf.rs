//! The lessons that there are: those in the program, and those in folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::read_lesson;
use super::lesson::{Shelf, ShelvedLesson, UnreadLesson};
use super::places::{self, LessonProgress};
use crate::language::hint;
use crate::stored;

/// Bytes of a file; the longest lesson that is shipped has a tenth of it.
const LESSON_BYTES_MAX: u64 = 256 * 1024;
/// Lessons of one folder.
const FILES_MAX: usize = 1000;

/// A lesson of the program: its file, and the text.
macro_rules! shipped_lesson {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../assets/lessons/", $name)),
        )
    };
}

/// The lessons in the program, in the order in which they are taught.
const SHIPPED: [(&str, &str); 9] = [
    shipped_lesson!("components.ron"),
    shipped_lesson!("names.ron"),
    shipped_lesson!("counting.ron"),
    shipped_lesson!("choices.ron"),
    shipped_lesson!("renaming.ron"),
    shipped_lesson!("savings.ron"),
    shipped_lesson!("counterexample.ron"),
    shipped_lesson!("data.ron"),
    shipped_lesson!("every-n.ron"),
];

/// The tour of the screen for a new user. It is taken like a lesson, and is none of those that make a class.
const TOUR: (&str, &str) = shipped_lesson!("tour.ron");
/// The id of the tour.
pub const TOUR_ID: &str = "tour";

/// Reads the text of a lesson with this name in messages.
fn read(name: String, text: &str, file: Option<&Path>) -> Result<ShelvedLesson, UnreadLesson> {
    match read_lesson(text) {
        Ok(lesson) => Ok(ShelvedLesson {
            lesson: Arc::new(lesson),
            file: file.map(Path::to_path_buf),
        }),
        Err(flaws) => Err(UnreadLesson { name, flaws }),
    }
}

/// The shipped lessons.
pub fn shipped() -> impl Iterator<Item = Result<ShelvedLesson, UnreadLesson>> {
    let all = SHIPPED.iter();
    all.map(|(name, text)| read((*name).to_owned(), text, None))
}

/// The tour.
///
/// # Errors
/// Its flaws: none, or a test fails.
pub fn tour() -> Result<ShelvedLesson, UnreadLesson> {
    read(TOUR.0.to_owned(), TOUR.1, None)
}

/// Reads a lesson from a file.
///
/// # Errors
/// Its flaws.
pub fn lesson_file(path: &Path) -> Result<ShelvedLesson, UnreadLesson> {
    let text =
        stored::text_of(path, LESSON_BYTES_MAX).map_err(|why| UnreadLesson::whole(path, why))?;
    read(path.display().to_string(), &text, Some(path))
}

/// The files of a folder that may be lessons, in order of their names.
///
/// # Errors
/// Why the folder cannot be read.
pub fn lesson_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .take(FILES_MAX)
        .collect();
    found.sort();
    Ok(found)
}

impl Shelf {
    /// Reads all lessons: the shipped ones, those of the usual folder and those of another one.
    #[must_use]
    pub fn filled(folder: Option<&Path>) -> Self {
        let mut shelf = Self::default();
        for lesson in shipped() {
            match lesson {
                Ok(lesson) => shelf.lessons.push(lesson),
                Err(unread) => shelf.unread.push(unread),
            }
        }
        match tour() {
            Ok(tour) => shelf.tour = Some(tour),
            Err(unread) => shelf.unread.push(unread),
        }
        let usual = places::lessons_folder().filter(|folder| folder.is_dir());
        for folder in usual.iter().map(PathBuf::as_path).chain(folder) {
            shelf.add(folder);
        }
        let (progress, note) = places::read_progress();
        shelf.progress = progress;
        if shelf.note.is_empty() {
            shelf.note = note;
        }
        shelf
    }

    fn add(&mut self, folder: &Path) {
        let files = match lesson_files(folder) {
            Ok(files) => files,
            Err(why) => {
                self.note = why;
                return;
            }
        };
        for path in files {
            match lesson_file(&path) {
                Err(unread) => self.unread.push(unread),
                Ok(found) => match self.find(&found.lesson.id) {
                    None => self.lessons.push(found),
                    Some(other) => {
                        let id = &found.lesson.id;
                        let title = &other.lesson.title;
                        let why = format!("its id `{id}` is that of \"{title}\"");
                        self.unread.push(UnreadLesson::whole(&path, why));
                    }
                },
            }
        }
    }

    /// A lesson, or the tour, by its id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&ShelvedLesson> {
        let mut all = self.lessons.iter().chain(&self.tour);
        all.find(|known| known.lesson.id == id)
    }

    /// The lessons of the program after one of them, which make a class with it, and the progress in each.
    #[must_use]
    pub fn after(&self, shelved: &ShelvedLesson) -> Vec<(ShelvedLesson, LessonProgress)> {
        let of_program = self.lessons.iter().filter(|known| known.file.is_none());
        let from_it = of_program.skip_while(|known| *known != shelved);
        let progress = |known: &ShelvedLesson| self.progress.get(&known.lesson.id).cloned();
        let with_progress = from_it.skip(1).map(|known| {
            let progress = progress(known).unwrap_or_default();
            (known.clone(), progress)
        });
        with_progress.collect()
    }

    /// Finds a lesson by its id or by its number; the error is a text for the user.
    ///
    /// # Errors
    /// There is no such lesson; with the nearest id.
    pub fn named(&self, name: &str) -> Result<&ShelvedLesson, String> {
        let number = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let by_number = number.and_then(|at| self.lessons.get(at));
        self.find(name).or(by_number).ok_or_else(|| {
            let ids = self.lessons.iter().map(|known| known.lesson.id.as_str());
            let near = hint(name, ids);
            format!("there is no lesson `{name}`{near}; `orbitscope lesson list` shows all")
        })
    }
}
