//! What a person looks at, as plain data: the contract between the engine and the screen.
//!
//! Everything here is text and indices; nothing refers to handles of the engine except [`StateId`].

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use super::keys::RunKeys;
pub use super::reduction::{Basis, PlanView, PlannedView, ReductionView, TypeInfo};
pub use super::strategy::{Mark, StepView, StrategyView};
pub use super::uniqueness::{Disagreement, Uniqueness, WayView};
pub use crate::source::{Cancel, Stop};
pub use crate::symmetry::StrategyKind;
pub use crate::symmetry::ordering::TypeOrdering;
use num_bigint::BigUint;

pub use crate::symmetry::trace::RepTrace;

/// A state that the animator has met: the network that it is of, and its number there. Equal ids are
/// equal states; whatever is kept by them cannot be taken for what another process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId {
    /// Numbers the networks that an engine has opened.
    pub network: u32,
    /// Numbers the states of that network.
    pub number: u32,
}

impl StateId {
    /// A state of a network.
    #[must_use]
    pub fn new(network: u32, number: u32) -> Self {
        Self { network, number }
    }
}

/// What went wrong, ready to show: one line, and the full rendering with source lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One line, with `file:line:column` where there is one.
    pub summary: String,
    /// Several lines, no colour.
    pub detail: String,
}

impl Failure {
    /// Whether the full rendering says more than the line.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.detail.trim() != self.summary.trim()
    }
}

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
    pub diagnostics: Vec<Failure>,
    /// Events after which the animator starts, as the script asks; empty for the initial state.
    pub trace: Vec<String>,
}

/// An assertion.
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

/// One component of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentView {
    /// The family it belongs to, as `Node`; components of one symmetric set share it.
    pub family: String,
    /// Its identity within the family, as `N0`; empty for a lone component.
    pub index: String,
    /// Its local state, as `Node(N1, B, Null)`.
    pub text: String,
    /// Name part of `text`.
    pub name: String,
    /// Variables and values, in order.
    pub args: Vec<(String, String)>,
}

impl ComponentView {
    /// `Node[N0]`, or `Top` for a lone component.
    #[must_use]
    pub fn label(&self) -> String {
        if self.index.is_empty() {
            self.family.clone()
        } else {
            format!("{}[{}]", self.family, self.index)
        }
    }
}

/// What kind of label a transition carries.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// Hidden or internal.
    Tau,
    /// Termination.
    Tick,
    /// Visible.
    #[default]
    Visible,
}

/// A transition of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionView {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event; for τ the event that was hidden, as `initNode.T1.N0.A.N4`, or empty.
    pub event: String,
    /// Where it leads.
    pub target: StateId,
    /// Of the target's orbit, the one state that stands for all, as [`StateView::orbit`].
    pub orbit: StateId,
    /// Components that move: index, local state before, local state after.
    pub movers: Vec<(usize, String, String)>,
}

/// A state, its transitions, and its representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateView {
    /// Which.
    pub id: StateId,
    /// In vector order.
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
    /// Has terminated.
    pub terminated: bool,
    /// Absent when no type is symmetric or the symmetry could not be verified.
    pub representative: Option<RepView>,
    /// Why there is no representative.
    pub no_representative: String,
    /// What the process that it is a state of is reduced by.
    pub reduction: Arc<ReductionView>,
}

/// A representative beside the state that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepView {
    /// Which.
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
    pub uniqueness: Uniqueness,
    /// Number of states of the orbit, if it was computed.
    pub orbit: Option<BigUint>,
    /// Order of the whole group.
    pub group_order: BigUint,
}

/// A permutation of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePermutation {
    /// The type's name.
    pub name: String,
    /// Cycle notation without fixed points, as `(N1 N5 N3 N2)`; `id` if there are no others.
    pub cycles: String,
    /// Every value and its image, in order of declaration.
    pub map: Vec<(String, String)>,
}

/// The computation of a representative, for the Orbit view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The raw state's components.
    pub components: Vec<ComponentView>,
    /// What the algorithm did.
    pub trace: RepTrace,
    /// The result.
    pub representative: RepView,
    /// `literal Def. 38` or `identities first`.
    pub type_order: TypeOrdering,
}

/// What the animator asks of the engine. It runs on a thread of its own: see `worker`.
pub trait Engine {
    /// The loaded script.
    fn info(&self) -> &ScriptInfo;

    /// Says what cancels the requests that follow: to be called before each of them, with a flag of its
    /// own.
    fn cancelled_by(&mut self, _cancel: &Cancel) {}

    /// Starts a process: a name, or any process expression over the script. The same process, opened
    /// in the same way, is the same network, however often it is opened.
    ///
    /// # Errors
    /// A diagnostic of the expression or of its first evaluation.
    fn open(&mut self, process: &str) -> Result<StateId, Failure>;

    /// A state with its transitions and representative.
    ///
    /// # Errors
    /// An evaluation error in one of the successors.
    fn view(&mut self, state: StateId) -> Result<StateView, Failure>;

    /// How the representative of a state was computed.
    ///
    /// # Errors
    /// As [`Engine::view`], or why there is no symmetry.
    fn explain(&mut self, state: StateId, order: TypeOrdering) -> Result<Explanation, Failure>;

    /// How a strategy chooses the representative of a state.
    ///
    /// # Errors
    /// As [`Engine::explain`].
    fn strategy(&mut self, state: StateId, kind: StrategyKind) -> Result<StrategyView, Failure>;

    /// How an assertion (from 1) is to be checked with reduction as it asks for, on or off.
    ///
    /// # Errors
    /// Why it cannot be checked.
    fn planned(&mut self, number: usize, symmetry: Option<bool>) -> Result<PlannedView, Failure>;

    /// Follows a counterexample from the initial state of its process; gives the states met, of
    /// which the first is the initial one.
    ///
    /// # Errors
    /// Says which step could not be followed.
    fn replay(&mut self, counterexample: &Counterexample) -> Result<Vec<StateId>, Failure>;
}

/// Which assertion to check, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// From 1.
    pub number: usize,
    /// `None`: as the assertion says. Otherwise on or off.
    pub symmetry: Option<bool>,
}

/// What a running check reports.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckEvent {
    /// Several times a second.
    Progress(Progress),
    /// Once, at the end.
    Finished(Box<CheckOutcome>),
}

/// How far a check is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Depth of the breadth-first search.
    pub ply: usize,
    /// States stored.
    pub states: u64,
    /// Transitions found.
    pub transitions: u64,
    /// States still to expand.
    pub frontier: u64,
    /// Since the start.
    pub seconds: f64,
    /// Bytes held by the search.
    pub bytes: u64,
}

/// The end of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOutcome {
    /// From 1.
    pub number: usize,
    /// As written.
    pub text: String,
    /// What came out.
    pub verdict: Verdict,
    /// Final figures.
    pub progress: Progress,
    /// The reduction, if there was one.
    pub symmetry: Option<SymmetrySummary>,
    /// What that rests on, or why there was none, or not more; absent if it did not come to that.
    pub plan: Option<PlanView>,
    /// Why it fails.
    pub counterexample: Option<Counterexample>,
    /// Further counterexamples, if they were asked for: no shorter, each to another state or event.
    pub others: Vec<Counterexample>,
    /// Why it could not be checked, or not to the end, or what in the text makes it fail.
    pub diagnostic: Option<Box<crate::source::Diagnostic>>,
    /// Why an assertion about the text fails, for people.
    pub explanation: Option<Failure>,
    /// What ended it early, if something did.
    pub stopped: Option<Stop>,
    /// What was asked for and is not here, with the limit that came first, though there is a verdict.
    pub missing: Vec<String>,
    /// Sizes and times.
    pub details: Option<Details>,
    /// States and transitions of the unreduced system, if they were counted.
    pub represented: Option<(BigUint, BigUint)>,
    /// The files that were checked.
    pub inputs: Vec<Input>,
}

impl CheckOutcome {
    /// An outcome of which nothing but the verdict is known.
    #[must_use]
    pub fn new(number: usize, text: String, verdict: Verdict) -> Self {
        Self {
            number,
            text,
            verdict,
            progress: Progress::default(),
            symmetry: None,
            plan: None,
            counterexample: None,
            others: Vec::new(),
            diagnostic: None,
            explanation: None,
            stopped: None,
            missing: Vec::new(),
            details: None,
            represented: None,
            inputs: Vec::new(),
        }
    }

    /// All counterexamples, shortest first.
    pub fn counterexamples(&self) -> impl Iterator<Item = &Counterexample> {
        self.counterexample.iter().chain(&self.others)
    }
}

/// Sizes and times of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// Local states given to the evaluator: one an orbit.
    pub evaluated: usize,
    /// Representatives that the search took.
    pub representatives: u64,
    /// Of these, how many by something else than the strategy is named for; and what that was.
    pub fallbacks: (u64, &'static str),
    /// Local states in all.
    pub local_states: usize,
    /// Of those, how many a bisimilar one stands for; once for each component.
    pub merged: usize,
    /// Nodes of the specification that were made, if there is one.
    pub nodes: Option<usize>,
    /// Whether these are known to be those of the normal form, with no two bisimilar.
    pub normal: bool,
    /// Components of the initial state.
    pub components: usize,
    /// Rules of all formats.
    pub rules: usize,
    /// Formats: structures of parallel operators that were met.
    pub formats: usize,
    /// Whether the components may be others than those of an unreduced check: parallel compositions that
    /// permutations move stay inside of one.
    pub kept_together: bool,
    /// Seconds until the search began.
    pub compile_seconds: f64,
    /// Seconds of the search.
    pub search_seconds: f64,
    /// The most bytes of the whole process so far, where the operating system tells.
    pub peak: Option<usize>,
}

/// A file of a script as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// As the user, or the file that includes it, names it.
    pub path: String,
    /// Of its text: equal texts have equal hashes.
    pub hash: String,
}

/// The answer to an assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// A limit was reached, or it was cancelled: the text says which.
    Inconclusive(String),
    /// It could not be checked.
    Error(Failure),
}

/// What a reduction used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetrySummary {
    /// Name and number of values of each type.
    pub types: Vec<(String, usize)>,
    /// First state and number of each set of identical components that are exchanged.
    pub copies: Vec<(String, usize)>,
    /// Product of the factorials.
    pub group_order: BigUint,
    /// The strategy.
    pub strategy: String,
}

/// What is wrong at the end of a counterexample. Sets of events are in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// Nothing is said to be wrong: it is a trace that somebody gave.
    #[default]
    Given,
    /// The specification does not allow the last event.
    Refused {
        /// That event.
        event: String,
        /// What it does allow.
        allowed: String,
    },
    /// There are no transitions.
    Deadlock,
    /// The last state refuses more than the specification does.
    Refusal {
        /// What it offers.
        offered: String,
        /// What the specification may offer at least.
        acceptances: Vec<String>,
    },
    /// The last state refuses what is possible after the same trace.
    Ambiguity {
        /// That.
        refused: String,
        /// What it offers.
        offered: String,
    },
    /// Nothing: the run performs the trace that was asked for.
    Performed,
    /// The run performs as much of the trace that was asked for as can be.
    Unable {
        /// What should come next.
        event: String,
        /// What can come next.
        offered: String,
    },
    /// The last state refuses the next event of the trace that was asked for.
    Reluctant {
        /// That event.
        event: String,
        /// What it offers.
        offered: String,
    },
    /// The last steps, all τ, can be repeated for ever.
    Divergence {
        /// How many steps.
        lap: usize,
        /// How often until the state is the same: names are other ones each time.
        laps: usize,
    },
}

/// A violation, in the names of the unreduced system (Sec. 3.5), already replayed there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    /// The implementation, as an expression over the script.
    pub process: String,
    /// Labels of the components, as `Node[N0]`.
    pub components: Vec<String>,
    /// Their local states at the start.
    pub initial: Vec<String>,
    /// The specification's state at the start; empty if there is no specification.
    pub initial_spec: String,
    /// One entry a transition.
    pub steps: Vec<CounterexampleStep>,
    /// What is wrong at the end, as one or two sentences.
    pub reason: String,
    /// What is wrong at the end.
    pub ending: Ending,
    /// For a divergence whose loop closes after several laps: the steps of the laps after the first
    /// (none if they are very many).
    pub further: Vec<CounterexampleStep>,
    /// Length of the path in the reduced automaton; equal to `steps.len()`.
    pub quotient: Vec<String>,
    /// Its states and events themselves, if it comes from a check and not from a file.
    #[serde(skip)]
    pub keys: Option<RunKeys>,
}

impl Counterexample {
    /// A trace that somebody gave, to be followed from the initial state of a process.
    #[must_use]
    pub fn given(process: &str, trace: &[String]) -> Self {
        let step = |event: &String| CounterexampleStep {
            event: event.clone(),
            ..CounterexampleStep::default()
        };
        Self {
            process: process.to_owned(),
            steps: trace.iter().map(step).collect(),
            ..Self::default()
        }
    }

    /// The components of the state after a step: they are others where the network has changed.
    #[must_use]
    pub fn components_after<'a>(&'a self, step: &'a CounterexampleStep) -> &'a [String] {
        step.components.as_ref().unwrap_or(&self.components)
    }

    /// Whether it came from [`Counterexample::given`]: then steps may be hidden, whatever their kind.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.components.is_empty()
    }
}

/// One transition of a counterexample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterexampleStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// As [`TransitionView::event`].
    pub event: String,
    /// Components that move, with their local state after. Where the step leads to other components, all
    /// of these.
    pub changes: Vec<(usize, String)>,
    /// The event that each of them performs itself, before renaming and hiding; empty for τ. None where
    /// the step leads to other components.
    pub events: Vec<(usize, String)>,
    /// The components of the state afterwards, if they are others than those that the run begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<Vec<String>>,
    /// The specification's state after; `None` if it cannot follow.
    pub spec: Option<String>,
}
