//! What a search for a state came to: plain data.

use super::model::{EventKind, StateId};
use crate::report::numbers::counted;
use crate::source::Stop;

/// Where a search begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FindStart {
    /// At the state that one is at.
    #[default]
    Here,
    /// Where the process begins.
    Beginning,
}

/// What it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundWord {
    /// There is a way.
    Found,
    /// No state that can be reached meets the condition: all were looked at.
    Nowhere,
    /// Not known, since the search was stopped, and by what.
    Stopped(Stop, String),
}

/// A step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundStepView {
    /// Silent, termination or visible.
    pub kind: EventKind,
    /// The event; for a silent one that which was hidden, or nothing.
    pub event: String,
    /// Components that change, with what they become.
    pub changes: Vec<(String, String)>,
    /// Where it leads.
    pub target: StateId,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundView {
    /// Where it began.
    pub from: StateId,
    /// What it came to.
    pub word: FoundWord,
    /// The way, which no other one is shorter than.
    pub steps: Vec<FoundStepView>,
    /// States that were met, of those that stand for others.
    pub states: usize,
    /// Whether it was reduced by symmetry.
    pub reduced: bool,
    /// Why not, if it was not.
    pub not_reduced: String,
}

impl FoundView {
    /// In a sentence.
    #[must_use]
    pub fn text(&self) -> String {
        let states = counted(self.states as u64, "state");
        let reduced = match self.reduced {
            true => " up to symmetry",
            false => "",
        };
        match &self.word {
            FoundWord::Found if self.steps.is_empty() => {
                "the condition holds where the search begins".to_owned()
            }
            FoundWord::Found => {
                let steps = counted(self.steps.len() as u64, "step");
                format!("found after {steps}, none fewer ({states}{reduced} met)")
            }
            FoundWord::Nowhere => format!("not reachable: all {states}{reduced} were looked at"),
            FoundWord::Stopped(_, why) => {
                format!("not found within {states}{reduced}: {why}")
            }
        }
    }
}
