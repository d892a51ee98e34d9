//! Stored progress of lessons: the card of a user, and for notes on a second terminal, the card of a presenter.
//! Small files in the folder of states, each written as a whole.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use etcetera::{BaseStrategy, choose_base_strategy};
use serde::{Deserialize, Serialize};

use crate::source::hash::IndexMap;
use crate::source::write::write_whole;
use crate::stored;

/// The progress in one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonProgress {
    /// The card that was shown last, from 0.
    pub card: usize,
    /// Whether the end was reached.
    pub done: bool,
    /// The first answer to each card's question: card, and whether it was right.
    pub answers: Vec<(usize, bool)>,
}

impl LessonProgress {
    /// Right answers, and all that were given.
    #[must_use]
    pub fn score(&self) -> (usize, usize) {
        let right = self.answers.iter().filter(|(_, right)| *right);
        (right.count(), self.answers.len())
    }
}

/// The place of a presenter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PresenterPlace {
    /// The id of the lesson.
    pub lesson: String,
    /// The card, from 0.
    pub card: usize,
    /// Whether its question is still open.
    pub asking: bool,
    /// The process that presents.
    pub process: u32,
    /// Counts the changes, so that the latest of several presenters is known: milliseconds since 1970.
    pub moved: u64,
    /// When the class began, likewise.
    pub class_began: u64,
    /// When the presentation began.
    pub began: u64,
    /// When the card was shown.
    pub arrived: u64,
}

/// The folder for lessons of one's own: `ORBITSCOPE_LESSONS_DIR`, else `orbitscope/lessons` in the
/// platform's folder for data.
#[must_use]
pub fn lessons_folder() -> Option<PathBuf> {
    let own = std::env::var_os("ORBITSCOPE_LESSONS_DIR").filter(|value| !value.is_empty());
    own.map(PathBuf::from).or_else(|| {
        let platform = choose_base_strategy().ok()?;
        Some(platform.data_dir().join("orbitscope").join("lessons"))
    })
}

/// The progress in each lesson, by id.
type AllProgress = Vec<(String, LessonProgress)>;

/// What is said to be not read if the file of progress is no such file.
const PROGRESS: &str = "progress was";

/// Reads the progress in each lesson, by id; with a note if the file could not be used.
#[must_use]
pub fn read_progress() -> (IndexMap<String, LessonProgress>, String) {
    let path = stored::place("lessons.ron");
    let (all, note): (AllProgress, _) =
        path.map_or_else(Default::default, |path| stored::read(&path, PROGRESS));
    (all.into_iter().collect(), note)
}

/// Stores the progress in one lesson; that of other instances in other lessons stays.
fn keep_progress(lesson: &str, progress: &LessonProgress) -> Result<(), String> {
    let path = stored::place("lessons.ron").ok_or_else(stored::no_folder)?;
    keep_in(&path, lesson, progress)
}

fn keep_in(path: &Path, lesson: &str, progress: &LessonProgress) -> Result<(), String> {
    stored::change(path, PROGRESS, |all: &mut AllProgress| {
        match all.iter_mut().find(|(id, _)| id == lesson) {
            Some((_, known)) => known.clone_from(progress),
            None => all.push((lesson.to_owned(), progress.clone())),
        }
    })
}

/// The data to store of a lesson in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLesson {
    /// The id of the lesson.
    pub id: String,
    /// The progress in it.
    pub progress: LessonProgress,
    /// Cards of the lesson.
    pub cards: usize,
    /// Whether it is presented: then the place is published, and answers are not scored.
    pub presenting: bool,
    /// Whether a question is open.
    pub asking: bool,
    /// Whether the lesson was left.
    pub left: bool,
    /// When the class began, in milliseconds of the screen's own time.
    pub class_began: u64,
    /// When the lesson began.
    pub began: u64,
    /// When the card was shown.
    pub arrived: u64,
    /// The present time of the screen.
    pub now: u64,
}

/// Stores the progress in a lesson, or publishes the place of a presenter; when the lesson is left, answers are
/// written to the file `to`. Returns a note for the user if something failed.
#[must_use]
pub fn keep(kept: &KeptLesson, to: Option<&Path>) -> String {
    let mut notes = Vec::new();
    if kept.presenting {
        notes.extend(present(kept).err());
    } else if let Err(error) = keep_progress(&kept.id, &kept.progress) {
        notes.push(format!("your place is not kept: {error}"));
    }
    if let Some(path) = to.filter(|_| kept.left)
        && let Err(error) = write_whole(path, report(kept).as_bytes())
    {
        notes.push(format!("{}: {error}", path.display()));
    }
    notes.join("; ")
}

/// Tells where this process presents a lesson, or that it does no longer.
fn present(kept: &KeptLesson) -> Result<(), String> {
    let process = std::process::id();
    let file = format!("presenting/{process}.ron");
    let file = stored::place(&file).ok_or_else(stored::no_folder)?;
    if kept.left {
        // If the file does not exist, the place was never published.
        let _ = std::fs::remove_file(file);
        return Ok(());
    }
    let moved = milliseconds_now();
    // The screen counts from its own start.
    let since_1970 = |then: u64| moved.saturating_sub(kept.now.saturating_sub(then));
    let place = PresenterPlace {
        lesson: kept.id.clone(),
        card: kept.progress.card,
        asking: kept.asking,
        process,
        moved,
        class_began: since_1970(kept.class_began),
        began: since_1970(kept.began),
        arrived: since_1970(kept.arrived),
    };
    stored::write(&file, &place).map_err(|error| format!("notes cannot follow: {error}"))
}

/// Milliseconds since 1970.
#[must_use]
pub fn milliseconds_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// The answers of a person, as JSON.
fn report(kept: &KeptLesson) -> String {
    let answers = kept.progress.answers.iter();
    let answers: Vec<_> = answers
        .map(|(card, right)| serde_json::json!({ "card": card + 1, "right": right }))
        .collect();
    let right = kept.progress.score().0;
    let report = serde_json::json!({
        "schema": "orbitscope.lesson/1",
        "lesson": kept.id,
        "cards": kept.cards,
        "card": kept.progress.card + 1,
        "done": kept.progress.done,
        "asked": answers.len(),
        "right": right,
        "answers": answers,
    });
    format!("{report:#}\n")
}

/// The presenters of a lesson, by their files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presenters {
    /// The running ones, the last one that moved first.
    pub here: Vec<PresenterPlace>,
    /// The number of those that ended without removing their file.
    pub gone: usize,
    /// Files that are none of this program, or were cut off.
    pub broken: usize,
}

/// Looks for presenters of a lesson, or of any.
#[must_use]
pub fn presenters(lesson: Option<&str>) -> Presenters {
    let folder = stored::place("presenting");
    folder.map_or_else(Presenters::default, |folder| presenters_in(&folder, lesson))
}

fn presenters_in(folder: &Path, lesson: Option<&str>) -> Presenters {
    let mut found = Presenters::default();
    let entries = std::fs::read_dir(folder).ok();
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        // While a file is written it has another ending.
        if path.extension().is_none_or(|ending| ending != "ron") {
            continue;
        }
        match stored::parsed::<PresenterPlace>(&path).ok() {
            None => found.broken += 1,
            Some(place) if lesson.is_some_and(|lesson| place.lesson != lesson) => {}
            Some(place) if i32::try_from(place.process).is_ok_and(stored::runs) => {
                found.here.push(place);
            }
            Some(_) => found.gone += 1,
        }
    }
    found
        .here
        .sort_by_key(|place| std::cmp::Reverse((place.moved, place.process)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let own = format!("orbitscope-lessons-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn at(card: usize) -> LessonProgress {
        LessonProgress {
            card,
            done: false,
            answers: vec![(0, true)],
        }
    }

    #[test]
    fn progress_of_two_instances_is_kept() {
        let folder = folder("two");
        let path = folder.join("deep/lessons.ron");
        keep_in(&path, "one", &at(1)).unwrap();
        keep_in(&path, "two", &at(2)).unwrap();
        keep_in(&path, "one", &at(3)).unwrap();
        let (all, note) = stored::read::<AllProgress>(&path, PROGRESS);
        assert_eq!(note, "");
        let cards: Vec<_> = all.iter().map(|(id, p)| (id.as_str(), p.card)).collect();
        assert_eq!(cards, [("one", 3), ("two", 2)]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_no_progress_is_said_and_left_alone() {
        let folder = folder("foreign");
        let path = folder.join("lessons.ron");
        for text in ["[(\"one\", (card:", "\u{1b}[2J", "{}"] {
            std::fs::write(&path, text).unwrap();
            let (all, note) = stored::read::<AllProgress>(&path, PROGRESS);
            assert!(all.is_empty() && note.contains("was not read"), "{note}");
            assert!(keep_in(&path, "one", &at(1)).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(
            stored::read::<AllProgress>(&path, PROGRESS)
                .1
                .contains("UTF-8")
        );
        // A folder that is a file cannot hold anything.
        let below = path.join("lessons.ron");
        assert!(keep_in(&below, "one", &at(1)).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn presenters_are_told_apart_from_files_that_were_left_behind() {
        let folder = folder("presenters");
        let place = |process: u32, moved: u64| PresenterPlace {
            lesson: "one".to_owned(),
            card: 2,
            asking: true,
            process,
            moved,
            ..PresenterPlace::default()
        };
        // This process runs, and so does the first one of the system; the last number is never used.
        for (process, moved) in [(std::process::id(), 5), (1, 7), (2_147_483_646, 9)] {
            let file = folder.join(format!("{process}.ron"));
            stored::write(&file, &place(process, moved)).unwrap();
        }
        std::fs::write(folder.join("8.ron"), "(lesson: \"on").unwrap();
        std::fs::write(folder.join(".9.ron.9-0.new"), "(less").unwrap();
        let found = presenters_in(&folder, Some("one"));
        let processes: Vec<_> = found.here.iter().map(|place| place.process).collect();
        if cfg!(unix) {
            assert_eq!(processes, [1, std::process::id()]);
            assert_eq!((found.gone, found.broken), (1, 1));
            assert_eq!(presenters_in(&folder, None), found);
        }
        assert!(presenters_in(&folder, Some("two")).here.is_empty());
        assert!(presenters_in(&folder.join("none"), None).here.is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
