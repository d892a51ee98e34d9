//! The contract between the engine and the screen, as plain data.
//!
//! Everything here is text and indices; nothing refers to handles of the engine except [`StateId`].

use std::sync::Arc;

pub use super::comparison::StateComparison;
pub use super::cycles::GivenCycles;
pub use super::imaged::{ImagePart, ProcessSymmetry, StateImage};
pub use super::neighbourhood::{Neighbourhood, NeighbourhoodRequest, OrbitMembers};
pub use super::openable::OpenableProcess;
pub use super::picture::{PictureForm, PictureRequest, PictureText};
pub use super::places::{PlacesView, ScriptPlace};
pub use super::strategy::{
    AskedStrategy, ChoiceMark, StepView, StrategyRecord, StrategyView, TypePermutation,
};
pub use super::structure::{PartView, StructureView};
pub use super::transition::{StateId, TransitionView};
pub use super::uniqueness::{DisagreementView, UniquenessView, WayView};
pub use crate::report::asked::QuestionView;
pub use crate::report::both::TwoRuns;
pub use crate::report::inputs::Input;
pub use crate::report::keys::RunKeys;
use crate::report::numbers::counted;
pub use crate::report::outcome::{
    CheckOutcome, Counterexample, CounterexampleStep, Details, Ending, LeftOut, Progress, Verdict,
};
pub use crate::report::reduction::{
    Basis, PlanView, PlannedView, ReductionView, SymmetrySummary, TypeInfo,
};
pub use crate::report::words::{ComponentView, ErrorText, EventKind};
pub use crate::script::lines::{ListedText, TextCell};
pub use crate::script::listing::{
    ListedFile, ListedType, Listing, Meaning, OutlineEntry, Remark, RemarkKind, WordKind,
};
pub use crate::search::keeping::KeepingKind;
pub use crate::source::{Cancel, Stop};
pub use crate::symmetry::StrategyKind;
use crate::symmetry::StructuralKind;
pub use crate::symmetry::ordering::TypeOrdering;
use num_bigint::BigUint;

pub use crate::symmetry::trace::RepTrace;

/// Facts about a loaded script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptInfo {
    /// The path as the user gave it.
    pub path: String,
    /// Definitions that can be animated (processes without parameters first).
    pub processes: Vec<String>,
    /// The same with what is to be said of each, and functions that give processes.
    pub openable: Vec<OpenableProcess>,
    /// The assertions in order.
    pub assertions: Vec<AssertionInfo>,
    /// Every datatype with two or more atomic values.
    pub types: Vec<TypeInfo>,
    /// Warnings and errors, rendered.
    pub diagnostics: Vec<ErrorText>,
    /// Events after which the animator starts, as the script asks; empty for the initial state.
    pub trace: Vec<String>,
    /// The files that it was read from.
    pub inputs: Vec<Input>,
    /// The text, with the remarks on places in it.
    pub listing: Arc<Listing>,
}

/// Why nothing of a script can be used.
#[derive(Clone, Debug, Default)]
pub struct LoadFailure {
    /// The errors, rendered.
    pub errors: Vec<ErrorText>,
    /// The text that could be read, with the notes on places in it.
    pub listing: Arc<Listing>,
}

impl From<Vec<ErrorText>> for LoadFailure {
    fn from(errors: Vec<ErrorText>) -> Self {
        Self {
            errors,
            listing: Arc::default(),
        }
    }
}

/// An assertion, as lists of them show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionInfo {
    /// From 1, as the command line counts.
    pub number: usize,
    /// The text without `assert`.
    pub text: String,
    /// Whether it asks for symmetry reduction.
    pub symmetry: bool,
    /// The place, as `file:line:column`.
    pub place: String,
    /// Its question in plain words.
    pub question: QuestionView,
}

/// A state, its transitions, and its representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateView {
    /// Its number, by which the engine is asked about it.
    pub id: StateId,
    /// The components, in the order of the state vector.
    pub components: Vec<ComponentView>,
    /// In a fixed order.
    pub transitions: Vec<TransitionView>,
    /// The number of steps that were left out of a very long list.
    pub omitted: usize,
    /// The representative of the orbit: equal for states of one orbit, and only for those unless `orbits_known` is
    /// false.
    pub orbit: StateId,
    /// Whether states with different `orbit`, here and in the transitions, are in different orbits.
    pub orbits_known: bool,
    /// Has no transitions although it has not terminated.
    pub deadlocked: bool,
    /// Has terminated: all components are Ω, and there are no transitions.
    pub terminated: bool,
    /// Absent when no type is symmetric or the symmetry could not be verified.
    pub representative: Option<RepView>,
    /// Why there is no representative.
    pub no_representative: String,
    /// The reduction of the process.
    pub reduction: Arc<ReductionView>,
}

/// A representative, shown beside the state that it represents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepView {
    /// Its number: a representative is a state like others.
    pub id: StateId,
    /// Its components, in vector order.
    pub components: Vec<ComponentView>,
    /// `source[i]` is the component of the raw state that became component `i` (Prop. 35).
    pub source: Vec<usize>,
    /// The permutation of each symmetric type.
    pub permutation: Vec<TypePermutation>,
    /// The strategy that computed it, as `ordering`.
    pub strategy: String,
    /// The uniqueness of the representative.
    pub uniqueness: UniquenessView,
    /// Number of states of the orbit, if it was computed.
    pub orbit: Option<BigUint>,
    /// Order of the whole group.
    pub group_order: BigUint,
}

impl RepView {
    /// Whether the group was found in the structure of the network.
    #[must_use]
    pub fn is_of_structure(&self) -> bool {
        let mut all = StructuralKind::ALL.into_iter();
        all.any(|kind| kind.name() == self.strategy)
    }
}

/// The computation of a representative, for the Orbit view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The raw state's components.
    pub components: Vec<ComponentView>,
    /// The record of the algorithm.
    pub trace: RepTrace,
    /// The representative that came out, by this order of types.
    pub representative: RepView,
    /// `literal Def. 38` or `identities first`.
    pub type_order: TypeOrdering,
}

/// Default limit of the states that a search for one keeps.
pub const FOUND_STATES_MAX: usize = 2_000_000;

/// The first state of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FindStart {
    /// At the state that one is at.
    #[default]
    Here,
    /// The initial state of the process.
    Beginning,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundWord {
    /// There is a way.
    Found,
    /// No reachable state satisfies the condition: all were searched.
    Nowhere,
    /// Unknown: the search was stopped, by this.
    Stopped(Stop, String),
}

/// A step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundStepView {
    /// Silent, termination or visible.
    pub kind: EventKind,
    /// The event; for a silent one the hidden event, if there is one.
    pub event: String,
    /// Components that change, with their new states.
    pub changes: Vec<(String, String)>,
    /// The target.
    pub target: StateId,
}

/// The result of a search, with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundView {
    /// The first state.
    pub from: StateId,
    /// The result.
    pub word: FoundWord,
    /// The way, which no other one is shorter than.
    pub steps: Vec<FoundStepView>,
    /// The number of states found, representatives only if reduced.
    pub states: usize,
    /// Whether the search was reduced by symmetry.
    pub reduced: bool,
    /// Why not, if it was not.
    pub not_reduced: String,
}

impl FoundView {
    /// The result in a sentence.
    #[must_use]
    pub fn text(&self) -> String {
        let states = counted(self.states as u64, "state");
        let reduced = if self.reduced { " up to symmetry" } else { "" };
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

/// An assertion to check, with options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// The assertion, counted from 1.
    pub number: usize,
    /// `None`: as the assertion says. Otherwise on or off.
    pub symmetry: Option<bool>,
    /// Whether it is checked without reduction, too, to compare.
    pub both: bool,
    /// The number of counterexamples to find, if it fails.
    pub counterexamples: usize,
}

/// A report of a running check.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckEvent {
    /// Several times a second.
    Progress(Progress),
    /// The reduced one of two runs ended, and the other one begins.
    Reduced(Box<CheckOutcome>),
    /// Both runs ended.
    Compared(Box<TwoRuns>),
    /// Once, at the end.
    Finished(Box<CheckOutcome>),
}
