//! The lessons that there are: those in the program, and those in folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::{Lesson, read_lesson};
use super::places::{self, LessonProgress};
use super::tree::{LessonFlaw, LessonPlace};
use crate::source::hash::IndexMap;
use crate::source::models;

/// Bytes of a file; the longest lesson that is shipped has a tenth of it.
const LESSON_BYTES_MAX: u64 = 256 * 1024;
/// Lessons of one folder.
const FILES_MAX: usize = 1000;

/// The lessons in the program, in the order in which they are taught.
const SHIPPED: [(&str, &str); 7] = [
    (
        "components.ron",
        include_str!("../../../assets/lessons/components.ron"),
    ),
    (
        "names.ron",
        include_str!("../../../assets/lessons/names.ron"),
    ),
    (
        "counting.ron",
        include_str!("../../../assets/lessons/counting.ron"),
    ),
    (
        "choices.ron",
        include_str!("../../../assets/lessons/choices.ron"),
    ),
    (
        "renaming.ron",
        include_str!("../../../assets/lessons/renaming.ron"),
    ),
    (
        "savings.ron",
        include_str!("../../../assets/lessons/savings.ron"),
    ),
    (
        "counterexample.ron",
        include_str!("../../../assets/lessons/counterexample.ron"),
    ),
];

/// The tour of the screen for a new user. It is taken like a lesson, and is none of those that make a class.
const TOUR: (&str, &str) = ("tour.ron", include_str!("../../../assets/lessons/tour.ron"));
/// The id of the tour.
pub const TOUR_ID: &str = "tour";

/// A lesson, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct ShelvedLesson {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// Its file, unless it is in the program.
    pub file: Option<PathBuf>,
}

impl ShelvedLesson {
    /// The file of its model, or the name of one that is part of the program.
    ///
    /// # Errors
    /// Why there is none.
    pub fn model(&self) -> Result<PathBuf, String> {
        let model = &self.lesson.model;
        if models::named(Path::new(model)).is_some() {
            return Ok(PathBuf::from(model));
        }
        let folder = self.file.as_deref().and_then(Path::parent);
        let path = folder.unwrap_or(Path::new(".")).join(model);
        if path.is_file() {
            Ok(path)
        } else {
            Err(format!("there is no model {}", path.display()))
        }
    }
}

/// A file that is no lesson, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLesson {
    /// The file, as it is named in messages.
    pub name: String,
    /// The flaws. The place of a flaw of the file as a whole is 0:0.
    pub flaws: Vec<LessonFlaw>,
}

impl UnreadLesson {
    fn whole(path: &Path, why: String) -> Self {
        let at = LessonPlace { line: 0, column: 0 };
        Self {
            name: path.display().to_string(),
            flaws: vec![LessonFlaw::new(at, why)],
        }
    }

    /// The flaws, one line each: file, line, column, message.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let name = &self.name;
        let line = |flaw: &LessonFlaw| match flaw.at.line {
            0 => format!("{name}: {}", flaw.message),
            line => format!("{name}:{line}:{}: {}", flaw.at.column, flaw.message),
        };
        self.flaws.iter().map(line).collect()
    }
}

/// The available lessons, and the progress of the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf {
    /// The lessons that can be taken.
    pub lessons: Vec<ShelvedLesson>,
    /// The walk through the screen, which is none of them.
    pub tour: Option<ShelvedLesson>,
    /// Files with flaws.
    pub unread: Vec<UnreadLesson>,
    /// The progress, by id.
    pub progress: IndexMap<String, LessonProgress>,
    /// A note on the files.
    pub note: String,
}

/// The shipped lessons, with the names of their files.
pub fn shipped() -> impl Iterator<Item = (&'static str, Result<Lesson, Vec<LessonFlaw>>)> {
    SHIPPED
        .iter()
        .map(|(name, text)| (*name, read_lesson(text)))
}

/// The tour.
///
/// # Errors
/// Its flaws: none, or a test fails.
pub fn tour() -> Result<ShelvedLesson, UnreadLesson> {
    match read_lesson(TOUR.1) {
        Ok(lesson) => Ok(ShelvedLesson {
            lesson: Arc::new(lesson),
            file: None,
        }),
        Err(flaws) => Err(UnreadLesson {
            name: TOUR.0.to_owned(),
            flaws,
        }),
    }
}

/// Reads a lesson from a file.
///
/// # Errors
/// Its flaws.
pub fn lesson_file(path: &Path) -> Result<ShelvedLesson, UnreadLesson> {
    let text =
        places::text_of(path, LESSON_BYTES_MAX).map_err(|why| UnreadLesson::whole(path, why))?;
    match read_lesson(&text) {
        Ok(lesson) => Ok(ShelvedLesson {
            lesson: Arc::new(lesson),
            file: Some(path.to_path_buf()),
        }),
        Err(flaws) => Err(UnreadLesson {
            name: path.display().to_string(),
            flaws,
        }),
    }
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
        for (name, lesson) in shipped() {
            match lesson {
                Ok(lesson) => shelf.lessons.push(ShelvedLesson {
                    lesson: Arc::new(lesson),
                    file: None,
                }),
                Err(flaws) => shelf.unread.push(UnreadLesson {
                    name: name.to_owned(),
                    flaws,
                }),
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

    /// Finds a lesson by its id or by its number; the error is a text for the user.
    ///
    /// # Errors
    /// There is no such lesson; with the nearest id.
    pub fn named(&self, name: &str) -> Result<&ShelvedLesson, String> {
        let number = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let by_number = number.and_then(|at| self.lessons.get(at));
        self.find(name).or(by_number).ok_or_else(|| {
            let ids = self.lessons.iter().map(|known| known.lesson.id.as_str());
            let near = super::format::nearest(name, ids);
            format!("there is no lesson `{name}`{near}; `orbitscope lesson list` shows all")
        })
    }
}
