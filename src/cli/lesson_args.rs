//! What can be written after `lesson`.

use std::path::PathBuf;

use clap::{Args, Subcommand as Nested};

/// Arguments of `lesson`.
#[derive(Clone, Debug, Args)]
pub struct LessonArgs {
    /// What to do with lessons.
    #[command(subcommand)]
    pub action: LessonAction,
}

/// What can be done with lessons.
#[derive(Clone, Debug, Nested)]
pub enum LessonAction {
    /// List all lessons, and how far you are.
    List(LessonFolder),
    /// Take a lesson: cards beside the real screen, with questions before answers.
    Run(TakenLesson),
    /// Show a lesson to a room: no score, no notes.
    Present(NamedLesson),
    /// Print the presenter's notes; with --follow, those of the card that is being presented, of any lesson.
    Notes(FollowedLesson),
    /// Find all that is wrong with lessons: in the file, and when they are gone through.
    #[command(after_help = CHECK_CODES)]
    Check(CheckedLessons),
}

const CHECK_CODES: &str = "Exit codes:
  0 nothing is wrong         1 something is wrong with a lesson
  2 usage or I/O error       130 interrupted";

/// Where lessons are looked for.
#[derive(Clone, Debug, Args)]
pub struct LessonFolder {
    /// A folder with more lessons, besides orbitscope/lessons in the folder for data.
    #[arg(long = "dir", value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// A lesson by name.
#[derive(Clone, Debug, Args)]
pub struct NamedLesson {
    /// Its id or its number in `lesson list`, or a file.
    pub lesson: String,
    /// Where lessons are looked for.
    #[command(flatten)]
    pub folder: LessonFolder,
}

/// A lesson that is taken.
#[derive(Clone, Debug, Args)]
pub struct TakenLesson {
    /// Which one.
    #[command(flatten)]
    pub named: NamedLesson,
    /// Write the answers to a file when the lesson is left, as JSON.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Begin at the first card, whatever was done before.
    #[arg(long)]
    pub again: bool,
}

/// A lesson whose notes are printed.
#[derive(Clone, Debug, Args)]
pub struct FollowedLesson {
    /// Its id or its number in `lesson list`, or a file; without it, --follow follows whatever is presented.
    #[arg(required_unless_present = "follow")]
    pub lesson: Option<String>,
    /// Where lessons are looked for.
    #[command(flatten)]
    pub folder: LessonFolder,
    /// Show the notes of the card that `lesson present` shows in another terminal, until Ctrl-C.
    #[arg(long)]
    pub follow: bool,
}

/// Lessons that are checked.
#[derive(Clone, Debug, Args)]
pub struct CheckedLessons {
    /// A file or a folder. Default: the lessons of the program.
    pub path: Option<PathBuf>,
    /// Look at the files only, and do not go through the lessons with their models.
    #[arg(long)]
    pub no_run: bool,
}
