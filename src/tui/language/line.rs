//! What a line of commands says, once it is read: data only.

use std::ops::Range;
use std::path::PathBuf;

use crate::animate::model::{GivenCycles, StrategyKind};
use crate::app::ShownState;
use crate::views::{Pane, View};

/// A line that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLine {
    /// What it asks for.
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
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// Nothing: the line is empty or a comment.
    Nothing,
    /// A command of the registry, so many times.
    Command {
        /// Its id.
        id: &'static str,
        /// How often.
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
    /// Give the present state a letter.
    Mark(char),
    /// Go to the state with a letter.
    ToMark(char),
    /// Compare the state with a letter to that with another, or to the present one.
    Compare(char, Option<char>),
    /// Copy what this key of the menu stands for.
    Yank(char),
    /// Write the walk to a file.
    Write(PathBuf),
    /// Show only what contains a text.
    Filter(String),
    /// Go to a state where a condition holds.
    Find(String),
    /// What is shown of the state.
    Show(ShownState),
    /// Show a step of the algorithm in Orbit.
    OrbitGoto(StepName),
    /// Let the steps advance by themselves.
    OrbitPlay {
        /// Where they stop; at the end without.
        to: Option<StepName>,
        /// How fast, as a place in [`crate::app::SPEEDS`].
        speed: Option<usize>,
        /// From the first step on, instead of from where they are.
        anew: bool,
    },
    /// Show how a strategy chooses the representative.
    OrbitStrategy(StrategyKind),
    /// Rename the values of the present state, in cycles.
    Permute(GivenCycles),
    /// Press keys, one after the other, each when what the one before asked for is there.
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
        /// Whether it has to be there.
        there: bool,
    },
    /// Hold the representative to that of the state before.
    ExpectSameRepresentative,
}

impl Instruction {
    /// Whether it looks for a text on the screen.
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
    /// The first one.
    First,
    /// The last one.
    Last,
    /// By its name, or the beginning of it: `step2.1`, `step2.1.split`.
    Named(String),
}
