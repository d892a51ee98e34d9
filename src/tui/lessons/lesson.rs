//! Lessons as data: cards, questions, and the lessons that there are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::places::LessonProgress;
use super::tree::{LessonFlaw, LessonPlace};
use crate::language::CommandLine;
use crate::source::hash::IndexMap;
use crate::source::models;
use crate::views::Pane;

/// A lesson, read and found sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// By which it is called on the command line.
    pub id: String,
    /// The title for users.
    pub title: String,
    /// `builtin:` and a name, or a path as seen from the file.
    pub model: String,
    /// The process to open, if not the one that the model opens by itself.
    pub process: Option<String>,
    /// The planned duration.
    pub minutes: u64,
    /// The cards, in order.
    pub cards: Vec<LessonCard>,
}

/// A page of a lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonCard {
    /// The place in the file.
    pub at: LessonPlace,
    /// Its heading, by which outlines name it.
    pub title: String,
    /// The text, to be read aloud.
    pub say: String,
    /// The lines that are run when the card is shown.
    pub act: Vec<CardLine>,
    /// The emphasised parts of the screen.
    pub focus: Vec<Emphasis>,
    /// The parts that are hidden until the question is answered.
    pub hide: Vec<Emphasis>,
    /// The question to the listener.
    pub ask: Option<LessonQuestion>,
    /// The lines that are run once the question was answered.
    pub then: Vec<CardLine>,
    /// Claims that have to hold in the end, for the card to be true.
    pub expect: Vec<CardLine>,
    /// The notes for the presenter alone.
    pub notes: String,
}

/// A line of commands, with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct CardLine {
    /// The place in the file.
    pub at: LessonPlace,
    /// The parsed line.
    pub line: CommandLine,
}

/// Something on the screen that a card points at or hides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// A whole pane.
    OfPane(Pane),
    /// A text, wherever it stands.
    OfText(String),
}

/// A question to the listener.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonQuestion {
    /// The text of the question.
    pub text: String,
    /// The right answer.
    pub answer: LessonAnswer,
    /// The hint.
    pub hint: String,
    /// Why the answer is the answer.
    pub why: String,
}

/// The right answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonAnswer {
    /// One of several: the texts, and the right one counted from 0.
    Choice(Vec<String>, usize),
    /// A number.
    Number(i64),
    /// A word or a few.
    Words(Vec<String>),
    /// The key of a command, by the line with its id. The line is run on the screen of the lesson: when the user
    /// presses the key, or when the question is skipped. `{key}` in the question is replaced by the key.
    Press(CardLine),
}

impl LessonQuestion {
    /// The question, where a key is called like that.
    #[must_use]
    pub fn asked(&self, key: &str) -> String {
        self.text.replace("{key}", key)
    }

    /// Whether the choice or the typed text is the right answer.
    #[must_use]
    pub fn is_right(&self, chosen: usize, typed: &str) -> bool {
        let folded = |text: &str| {
            let words: Vec<_> = text.split_whitespace().collect();
            words.join(" ").to_lowercase()
        };
        match &self.answer {
            LessonAnswer::Choice(_, right) => chosen == *right,
            LessonAnswer::Number(number) => {
                let digits: String = typed.chars().filter(|c| !" ,_".contains(*c)).collect();
                digits.parse() == Ok(*number)
            }
            LessonAnswer::Words(words) => words.iter().any(|w| folded(w) == folded(typed)),
            LessonAnswer::Press(line) => line.line.text == typed,
        }
    }
}

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
    pub(super) fn whole(path: &Path, why: String) -> Self {
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
