//! What a person looks at, as plain data: the contract between the engine and the screen.
//!
//! Everything here is text and indices; nothing refers to handles of the engine except [`StateId`].

pub use crate::symmetry::ordering::TypeOrdering;
pub use crate::symmetry::trace::RepTrace;

/// A state that the animator has met; equal ids are equal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// What went wrong, ready to show: one line, and the full rendering with source lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One line, with `file:line:column` where there is one.
    pub summary: String,
    /// Several lines, no colour.
    pub detail: String,
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

/// The symmetry of one datatype (Def. 23).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// Its name.
    pub name: String,
    /// The interchangeable values.
    pub members: Vec<String>,
    /// The values left out, each with why and where: `("Null", "named at x.csp:8:3")`.
    pub excluded: Vec<(String, String)>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Hidden or internal.
    Tau,
    /// Termination.
    Tick,
    /// Visible.
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
    /// The representative of the target: equal for targets of one orbit (when it is unique).
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
    /// Has no transitions although it has not terminated.
    pub deadlocked: bool,
    /// Has terminated.
    pub terminated: bool,
    /// Absent when no type is symmetric or the symmetry could not be verified.
    pub representative: Option<RepView>,
    /// Why there is no representative.
    pub no_representative: String,
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
    pub orbit: Option<u128>,
    /// Order of the whole group.
    pub group_order: u128,
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

/// Whether all states of the orbit get this representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// Proved; the text says by what, as `Prop 50`.
    Unique(String),
    /// Not proved; the text says why.
    Unknown(String),
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

    /// Starts a process: a name, or any process expression over the script.
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
    /// Why it fails.
    pub counterexample: Option<Counterexample>,
    /// Why it could not be checked, or not to the end, or what in the text makes it fail.
    pub diagnostic: Option<Box<crate::source::Diagnostic>>,
    /// Why an assertion about the text fails, for people.
    pub explanation: Option<Failure>,
    /// Local states given to the evaluator (one an orbit), and local states in all.
    pub statistics: Option<(usize, usize)>,
    /// States and transitions of the unreduced system, if they were counted.
    pub represented: Option<(u128, u128)>,
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
    /// Product of the factorials.
    pub group_order: u128,
    /// The strategy.
    pub strategy: String,
}

/// A violation, in the names of the unreduced system (Sec. 3.5), already replayed there.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Length of the path in the reduced automaton; equal to `steps.len()`.
    pub quotient: Vec<String>,
}

impl Counterexample {
    /// A trace that somebody gave, to be followed from the initial state of a process.
    #[must_use]
    pub fn given(process: &str, trace: &[String]) -> Self {
        let step = |event: &String| CounterexampleStep {
            kind: EventKind::Visible,
            event: event.clone(),
            changes: Vec::new(),
            spec: None,
        };
        Self {
            process: process.to_owned(),
            components: Vec::new(),
            initial: Vec::new(),
            initial_spec: String::new(),
            steps: trace.iter().map(step).collect(),
            reason: String::new(),
            quotient: Vec::new(),
        }
    }

    /// Whether it came from [`Counterexample::given`]: then steps may be hidden, whatever their kind.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.components.is_empty()
    }
}

/// One transition of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterexampleStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// As [`TransitionView::event`].
    pub event: String,
    /// Components that move, with their local state after.
    pub changes: Vec<(usize, String)>,
    /// The specification's state after; `None` if it cannot follow.
    pub spec: Option<String>,
}
