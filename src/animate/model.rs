//! What a person looks at, as plain data: the contract between the engine and the screen.
//!
//! Everything here is text and indices; nothing refers to handles of the engine except [`StateId`].

use std::sync::Arc;

pub use super::comparison::StateComparison;
pub use super::cycles::GivenCycles;
pub use super::imaged::{ImagePart, ProcessSymmetry, StateImage};
pub use super::neighbourhood::{Neighbourhood, NeighbourhoodRequest, OrbitMembers};
pub use super::picture::{PictureForm, PictureRequest, PictureText};
pub use super::places::{PlacesView, ScriptPlace};
use super::recorded::{RecordedWalk, ReplayMode, Rewalked, StepAsked, StepTold, TraceRun};
pub use super::strategy::{ChoiceMark, StepView, StrategyView, TypePermutation};
pub use super::structure::{PartView, StructureView};
pub use super::transition::{StateId, TransitionView, VisibleWayStep};
pub use super::uniqueness::{DisagreementView, UniquenessView, WayView};
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
pub use crate::symmetry::ordering::TypeOrdering;
use num_bigint::BigUint;

pub use crate::symmetry::trace::RepTrace;

/// What is known of a script once it is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptInfo {
    /// As the user gave it.
    pub path: String,
    /// Definitions that can be animated (processes without parameters first).
    pub processes: Vec<String>,
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
    /// Its text, and what is said of places in it.
    pub listing: Arc<Listing>,
}

/// Why nothing of a script can be used.
#[derive(Clone, Debug, Default)]
pub struct LoadFailure {
    /// Its errors, rendered.
    pub errors: Vec<ErrorText>,
    /// Its text, as far as it could be read, and what is said of places in it.
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
    /// As written, without `assert`.
    pub text: String,
    /// Whether it asks for symmetry reduction.
    pub symmetry: bool,
    /// `file:line:column`.
    pub place: String,
}

/// A state, its transitions, and its representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateView {
    /// Its number, by which the engine is asked about it.
    pub id: StateId,
    /// One view a component, in the order of the state vector.
    pub components: Vec<ComponentView>,
    /// In a fixed order.
    pub transitions: Vec<TransitionView>,
    /// How many steps were left out of the list because there are so very many.
    pub omitted: usize,
    /// Of its orbit, the one state that stands for all: equal for states of one orbit, and only for
    /// those unless `orbits_known` is false.
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
    /// What the process that it is a state of is reduced by.
    pub reduction: Arc<ReductionView>,
}

/// What the strategy is called by which groups that were found in the structure choose.
pub const STRUCTURE: &str = crate::symmetry::structural::NAME;

/// A representative beside the state that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepView {
    /// Its number: a representative is a state like others.
    pub id: StateId,
    /// Its components, in vector order.
    pub components: Vec<ComponentView>,
    /// `source[i]` is the component of the raw state that became component `i` (Prop. 35).
    pub source: Vec<usize>,
    /// One entry a symmetric type.
    pub permutation: Vec<TypePermutation>,
    /// The strategy that computed it, as `ordering`.
    pub strategy: String,
    /// What is known about uniqueness.
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
        self.strategy == STRUCTURE
    }
}

/// The computation of a representative, for the Orbit view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The raw state's components.
    pub components: Vec<ComponentView>,
    /// What the algorithm did.
    pub trace: RepTrace,
    /// The representative that came out, by this order of types.
    pub representative: RepView,
    /// `literal Def. 38` or `identities first`.
    pub type_order: TypeOrdering,
}

/// States that are kept in a search for one at most, unless somebody asks for others.
pub const FOUND_STATES_MAX: usize = 2_000_000;

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

/// What the animator asks of the engine. It runs on a thread of its own: see `worker`.
pub trait Engine {
    /// What is known of the script that was loaded.
    fn info(&self) -> &ScriptInfo;

    /// Says what cancels the requests that follow: to be called before each of them, with a flag of its
    /// own.
    fn cancelled_by(&mut self, cancel: &Cancel);

    /// Starts a process: a name, or any process expression over the script. The same process, opened
    /// in the same way, is the same network, however often it is opened.
    ///
    /// # Errors
    /// A diagnostic of the expression or of its first evaluation.
    fn open(&mut self, process: &str) -> Result<StateId, ErrorText>;

    /// A state with its transitions and representative.
    ///
    /// # Errors
    /// An evaluation error in one of the successors.
    fn view(&mut self, state: StateId) -> Result<StateView, ErrorText>;

    /// How the representative of a state was computed.
    ///
    /// # Errors
    /// As [`Engine::view`], or why there is no symmetry.
    fn explain(&mut self, state: StateId, order: TypeOrdering) -> Result<Explanation, ErrorText>;

    /// How a strategy chooses the representative of a state.
    ///
    /// # Errors
    /// As [`Engine::explain`].
    fn strategy(&mut self, state: StateId, kind: StrategyKind) -> Result<StrategyView, ErrorText>;

    /// What two states of one process are to each other: of one orbit, by which permutation, or why not.
    ///
    /// # Errors
    /// As [`Engine::explain`]; and if they are of different processes.
    fn compare(&mut self, a: StateId, b: StateId) -> Result<StateComparison, ErrorText>;

    /// What is around a state.
    ///
    /// # Errors
    /// That the state cannot be described, or that it was cancelled.
    fn neighbourhood(&mut self, asked: &NeighbourhoodRequest) -> Result<Neighbourhood, ErrorText>;

    /// The states of the orbit of a state.
    ///
    /// # Errors
    /// As [`Engine::explain`].
    fn members(&mut self, state: StateId) -> Result<OrbitMembers, ErrorText>;

    /// The graph of a process as the text of a file.
    ///
    /// # Errors
    /// As [`Engine::open`]; and that it cannot be drawn in this form.
    fn picture(&mut self, asked: &PictureRequest) -> Result<PictureText, ErrorText>;
    /// How the network of a state is put together, and who waits for whom in it.
    ///
    /// # Errors
    /// As [`Engine::view`].
    fn structure(&mut self, state: StateId) -> Result<StructureView, ErrorText>;

    /// One node of that tree, by its place in the list, looked at closely.
    ///
    /// # Errors
    /// As [`Engine::view`]; and if there is no such node.
    fn part(&mut self, state: StateId, node: usize) -> Result<PartView, ErrorText>;

    /// All the symmetry in the structure of the process that a state is one of. It is looked for once.
    ///
    /// # Errors
    /// That the process cannot be compiled, or a limit.
    fn symmetry_of(&mut self, state: StateId) -> Result<ProcessSymmetry, ErrorText>;

    /// The image of a state under a power of one of the generators that [`Engine::symmetry_of`] tells. No step
    /// is taken.
    ///
    /// # Errors
    /// As there; and why there is no image.
    fn image(&mut self, of: StateId, by: usize, power: u64) -> Result<StateImage, ErrorText>;

    /// Where in the text the components of a state are, and which part of it each component that moves in a
    /// transition takes.
    ///
    /// # Errors
    /// As [`Engine::view`].
    fn places(
        &mut self,
        state: StateId,
        transition: Option<&TransitionView>,
    ) -> Result<PlacesView, ErrorText>;

    /// The image of a state under a permutation of symmetric values that a person gives. No step is taken.
    ///
    /// # Errors
    /// Why there is none: values that are not there, or not symmetric in the process.
    fn rename(&mut self, state: StateId, cycles: &GivenCycles) -> Result<StateId, ErrorText>;

    /// The shortest way to a state of which a condition holds.
    ///
    /// # Errors
    /// What is wrong with the condition, or as [`Engine::view`].
    fn find(
        &mut self,
        state: StateId,
        start: FindStart,
        condition: &str,
    ) -> Result<FoundView, ErrorText>;

    /// Whether a condition holds of a state.
    ///
    /// # Errors
    /// As [`Engine::find`].
    fn holds(&mut self, state: StateId, condition: &str) -> Result<bool, ErrorText>;

    /// How an assertion (from 1) is to be checked with reduction as it asks for, on or off.
    ///
    /// # Errors
    /// Why it cannot be checked.
    fn planned(&mut self, number: usize, symmetry: Option<bool>) -> Result<PlannedView, ErrorText>;

    /// The fewest silent steps after which a visible event is possible, and that event.
    ///
    /// # Errors
    /// That there is no such event, or none was found.
    fn next_visible(&mut self, state: StateId) -> Result<Vec<VisibleWayStep>, ErrorText>;

    /// Follows a counterexample from the initial state of its process; gives the states met, of
    /// which the first is the initial one.
    ///
    /// # Errors
    /// Says which step could not be followed.
    fn replay(&mut self, counterexample: &Counterexample) -> Result<Vec<StateId>, ErrorText>;

    /// Follows a walk with all its branches as far as it goes.
    ///
    /// # Errors
    /// If it was cancelled.
    fn rewalk(&mut self, walk: &RecordedWalk, mode: ReplayMode) -> Result<Rewalked, ErrorText>;

    /// Follows a trace that a person gives, as far as it goes.
    ///
    /// # Errors
    /// If the process cannot be opened, and if it was cancelled.
    fn trace(
        &mut self,
        process: &str,
        trace: &[String],
        mode: ReplayMode,
    ) -> Result<TraceRun, ErrorText>;

    /// What a record of a walk has to say of steps that were taken.
    ///
    /// # Errors
    /// As [`Engine::view`].
    fn tell(&mut self, asked: &[StepAsked]) -> Result<Vec<StepTold>, ErrorText>;
}

/// Which assertion to check, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// The assertion, counted from 1.
    pub number: usize,
    /// `None`: as the assertion says. Otherwise on or off.
    pub symmetry: Option<bool>,
    /// Whether it is checked without reduction, too, to compare.
    pub both: bool,
    /// How many counterexamples are looked for, if it fails.
    pub counterexamples: usize,
}

/// What a running check reports.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckEvent {
    /// Several times a second.
    Progress(Progress),
    /// Of two runs the one with reduction is over, and the other one begins.
    Reduced(Box<CheckOutcome>),
    /// What the two came to.
    Compared(Box<TwoRuns>),
    /// Once, at the end.
    Finished(Box<CheckOutcome>),
}
