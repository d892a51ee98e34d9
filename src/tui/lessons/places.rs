//! Stored progress of lessons: the card of a user, and for notes on a second terminal, the card of a presenter.
//! Small files in the folder of states, each written as a whole.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use etcetera::{BaseStrategy, choose_base_strategy};
use serde::{Deserialize, Serialize};

use crate::source::Cancel;
use crate::source::hash::IndexMap;
use crate::source::read::{Source, Unread, bounded};
use crate::source::write::{write_own, write_whole};

/// Largest size of a file of this program.
const BYTES_MAX: u64 = 1024 * 1024;

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
}

/// `ORBITSCOPE_STATE_DIR`, else `orbitscope` in the platform's folder for states.
#[must_use]
pub fn state_folder() -> Option<PathBuf> {
    let own = std::env::var_os("ORBITSCOPE_STATE_DIR").filter(|value| !value.is_empty());
    own.map(PathBuf::from).or_else(|| {
        let platform = choose_base_strategy().ok()?;
        let folder = platform.state_dir().unwrap_or_else(|| platform.data_dir());
        Some(folder.join("orbitscope"))
    })
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

/// Reads a file's text.
///
/// # Errors
/// Why there is none.
pub fn text_of(path: &Path, most: u64) -> Result<String, String> {
    match bounded(Source::Regular(path), most, &Cancel::default(), None) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("it is no text: byte {at} is not UTF-8")
        }),
        Err(Unread::Failed(error)) => Err(error.to_string()),
        Err(Unread::TooLong) => Err(format!("it has more than {most} bytes")),
        Err(Unread::Irregular | Unread::Stopped(_)) => Err("it is no regular file".to_owned()),
    }
}

fn progress_file() -> Option<PathBuf> {
    Some(state_folder()?.join("lessons.ron"))
}

/// Reads the progress in each lesson, by id; with a note if the file could not be used.
#[must_use]
pub fn read_progress() -> (IndexMap<String, LessonProgress>, String) {
    progress_file().map_or_else(Default::default, |path| progress_in(&path))
}

fn progress_in(path: &Path) -> (IndexMap<String, LessonProgress>, String) {
    if !path.exists() {
        return (IndexMap::default(), String::new());
    }
    let read = text_of(path, BYTES_MAX).and_then(|text| {
        ron::from_str::<Vec<(String, LessonProgress)>>(&text)
            .map_err(|error| format!("{}: {}", error.span.start, error.code))
    });
    match read {
        Ok(all) => (all.into_iter().collect(), String::new()),
        Err(why) => {
            let note = format!("progress was not read: {}: {why}", path.display());
            (IndexMap::default(), note)
        }
    }
}

/// Stores the progress in one lesson. The file is read again just before, so that the progress of other instances in
/// other lessons stays.
fn keep_progress(lesson: &str, progress: &LessonProgress) -> io::Result<()> {
    let path = progress_file().ok_or(io::ErrorKind::NotFound)?;
    keep_in(&path, lesson, progress)
}

fn keep_in(path: &Path, lesson: &str, progress: &LessonProgress) -> io::Result<()> {
    let (mut all, trouble) = progress_in(path);
    if !trouble.is_empty() {
        // A file that a person may have written is not overwritten.
        return Err(io::Error::other(trouble));
    }
    all.insert(lesson.to_owned(), progress.clone());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let all: Vec<_> = all.into_iter().collect();
    let text = ron::to_string(&all).map_err(io::Error::other)?;
    write_own(path, text.as_bytes())
}

fn presenters_folder() -> Option<PathBuf> {
    Some(state_folder()?.join("presenting"))
}

/// Tells where this presenter is.
fn tell_place(place: &PresenterPlace) -> io::Result<()> {
    let folder = presenters_folder().ok_or(io::ErrorKind::NotFound)?;
    tell_in(&folder, place)
}

fn tell_in(folder: &Path, place: &PresenterPlace) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let text = ron::to_string(place).map_err(io::Error::other)?;
    write_own(
        &folder.join(format!("{}.ron", place.process)),
        text.as_bytes(),
    )
}

/// Takes it back: the presenter has ended.
fn forget_place(process: u32) {
    if let Some(folder) = presenters_folder() {
        // If the file does not exist, the place was never published.
        let _ = std::fs::remove_file(folder.join(format!("{process}.ron")));
    }
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
    if kept.left {
        forget_place(process);
        return Ok(());
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let place = PresenterPlace {
        lesson: kept.id.clone(),
        card: kept.progress.card,
        asking: kept.asking,
        process,
        moved: since.map_or(0, |since| since.as_millis() as u64),
    };
    tell_place(&place).map_err(|error| format!("notes cannot follow: {error}"))
}

/// The answers of a person, as JSON.
fn report(kept: &KeptLesson) -> String {
    let answers = kept.progress.answers.iter();
    let answers: Vec<_> = answers
        .map(|(card, right)| serde_json::json!({ "card": card + 1, "right": right }))
        .collect();
    let right = kept
        .progress
        .answers
        .iter()
        .filter(|(_, right)| *right)
        .count();
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

/// Looks for presenters of a lesson.
#[must_use]
pub fn presenters(lesson: &str) -> Presenters {
    presenters_folder().map_or_else(Presenters::default, |folder| presenters_in(&folder, lesson))
}

fn presenters_in(folder: &Path, lesson: &str) -> Presenters {
    let mut found = Presenters::default();
    let entries = std::fs::read_dir(folder).ok();
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        // While a file is written it has another ending.
        if path.extension().is_none_or(|ending| ending != "ron") {
            continue;
        }
        let read = text_of(&path, BYTES_MAX);
        match read
            .ok()
            .and_then(|text| ron::from_str::<PresenterPlace>(&text).ok())
        {
            None => found.broken += 1,
            Some(place) if place.lesson != lesson => {}
            Some(place) if runs(place.process) => found.here.push(place),
            Some(_) => found.gone += 1,
        }
    }
    found
        .here
        .sort_by_key(|place| std::cmp::Reverse((place.moved, place.process)));
    found
}

/// Whether a process is running.
#[cfg(unix)]
fn runs(process: u32) -> bool {
    let Some(process) = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    else {
        return false;
    };
    // A process of another user may not be signalled, but is running.
    rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
}

#[cfg(not(unix))]
fn runs(_: u32) -> bool {
    true
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
        let (all, note) = progress_in(&path);
        assert_eq!(note, "");
        assert_eq!((all["one"].card, all["two"].card), (3, 2));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_no_progress_is_said_and_left_alone() {
        let folder = folder("foreign");
        let path = folder.join("lessons.ron");
        for text in ["[(\"one\", (card:", "\u{1b}[2J", "{}"] {
            std::fs::write(&path, text).unwrap();
            let (all, note) = progress_in(&path);
            assert!(all.is_empty() && note.contains("was not read"), "{note}");
            assert!(keep_in(&path, "one", &at(1)).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(progress_in(&path).1.contains("UTF-8"));
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
        };
        // This process runs, and so does the first one of the system; the last number is never used.
        tell_in(&folder, &place(std::process::id(), 5)).unwrap();
        tell_in(&folder, &place(1, 7)).unwrap();
        tell_in(&folder, &place(2_147_483_646, 9)).unwrap();
        std::fs::write(folder.join("8.ron"), "(lesson: \"on").unwrap();
        std::fs::write(folder.join(".9.ron.9-0.new"), "(less").unwrap();
        let found = presenters_in(&folder, "one");
        let processes: Vec<_> = found.here.iter().map(|place| place.process).collect();
        if cfg!(unix) {
            assert_eq!(processes, [1, std::process::id()]);
            assert_eq!((found.gone, found.broken), (1, 1));
        }
        assert!(presenters_in(&folder, "two").here.is_empty());
        assert!(presenters_in(&folder.join("none"), "one").here.is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
