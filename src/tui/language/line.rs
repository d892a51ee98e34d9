//! Parsed lines of commands.

use std::ops::Range;
use std::path::PathBuf;

use crate::animate::model::{GivenCycles, StrategyKind};
use crate::app::ShownState;
use crate::views::{Pane, View};

/// A line that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLine {
    /// The instruction.
    pub instruction: Instruction,
    /// The line as it was written, without blanks around it.
    pub text: String,
}

/// Why a line cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The characters of the line that are wrong, counted from 0; empty at the end of a line where something
    /// is missing.
    pub columns: Range<usize>,
    /// The message, in a sentence without a full stop.
    pub message: String,
}

/// The instruction of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// None: the line is empty or a comment.
    Nothing,
    /// A command of the registry, so many times.
    Command {
        /// The id of the command.
        id: &'static str,
        /// The number of repetitions.
        count: usize,
    },
    /// Show a view.
    View(View),
    /// Focus a pane.
    Focus(Pane),
    /// Take the transition with an event.
    Take(String),
    /// Follow these events from the initial state of the open process.
    Trace(Vec<String>),
    /// Go to a step of the line of the history, counted from 0.
    Goto(usize),
    /// Open a process.
    Open(String),
    /// Check the assertion with this number, or all.
    Check(Option<usize>),
    /// Go on with the check that was interrupted in a folder.
    Resume(PathBuf),
    /// Give the present state a letter.
    Mark(char),
    /// Go to the state with a letter.
    ToMark(char),
    /// Compare the state with a letter to that with another, or to the present one.
    Compare(char, Option<char>),
    /// Copy the text with this key in the menu.
    Yank(char),
    /// Write the walk to a file.
    Write(PathBuf),
    /// Show only items that contain a text.
    Filter(String),
    /// Go to a state where a condition holds.
    Find(String),
    /// Set the form in which the state is shown.
    Show(ShownState),
    /// Show a step of the algorithm in Orbit.
    OrbitGoto(StepName),
    /// Let the steps advance by themselves.
    OrbitPlay {
        /// The last step to show; the end without.
        to: Option<StepName>,
        /// The speed, as an index into [`crate::app::SPEEDS`].
        speed: Option<usize>,
        /// From the first step on, instead of from where they are.
        anew: bool,
    },
    /// Show how a strategy chooses the representative.
    OrbitStrategy(StrategyKind),
    /// Rename the values of the present state, in cycles.
    Permute(GivenCycles),
    /// Press keys, one after the other, each after the requests of the one before are answered.
    Keys(Vec<String>),
    /// Give the screen another size.
    Size(u16, u16),
    /// Wait until nothing is under way.
    Wait,
    /// Let so many milliseconds pass in a recording.
    Pause(u64),
    /// Show the screen as text, or save it under a name.
    Frame(Option<String>),
    /// Hold the screen to a text that has to be on it, or must not.
    Expect {
        /// The text.
        text: String,
        /// Whether it has to be on the screen, or must not be.
        there: bool,
    },
    /// Hold the representative to that of the state before.
    ExpectSameRepresentative,
}

impl Instruction {
    /// Whether it searches for a text on the screen.
    #[must_use]
    pub fn looks_for_text(&self) -> bool {
        matches!(self, Self::Expect { .. })
    }
}

/// A step of the algorithm, as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepName {
    /// By its number, from 1.
    Number(usize),
    /// The first step.
    First,
    /// The last step.
    Last,
    /// By its name, or the beginning of it: `step2.1`, `step2.1.split`.
    Named(String),
}
