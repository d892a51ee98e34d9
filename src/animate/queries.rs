//! The requests of the screen and the replies of the engine: one line for each. A reply repeats its request.

use super::engine::ScriptEngine;
use super::model::{
    AskedStrategy, Counterexample, ErrorText, Explanation, FindStart, FoundView, GivenCycles,
    LoadFailure, Neighbourhood, NeighbourhoodRequest, OrbitMembers, PartView, PictureRequest,
    PictureText, PlacesView, PlannedView, ProcessSymmetry, ScriptInfo, StateComparison, StateId,
    StateImage, StateView, StrategyKind, StrategyView, StructureView, TransitionView, TypeOrdering,
};
use super::panics::guarded;
use super::replayed::{Rewalked, StepDetails, StepQuery, TraceRun};
use super::sharing::PageRequest;
use crate::report::follow::ReplayMode;
use crate::report::runs::{RecordedRun, TakenStep};

/// A panic that left the screen as it was.
fn still_there(mut panic: ErrorText) -> ErrorText {
    panic.detail += " The state before is still there.";
    panic
}

/// Declares requests with the same replies: `Name(arguments) -> result = call`.
macro_rules! requests {
    ($engine:ident: $(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $call:expr;
    )*) => {
        /// A request of the screen.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Request {
            $($(#[$doc])* $name($($type),*),)*
        }

        /// A reply of the engine.
        #[derive(Debug)]
        pub enum Reply {
            /// The script is loaded, or cannot be.
            Ready(Result<ScriptInfo, LoadFailure>),
            $($(#[$doc])* $name($($type,)* Result<$result, ErrorText>),)*
        }

        impl Request {
            /// The reply of an engine. A panic becomes a failure.
            pub(super) fn answered_by(self, $engine: &mut ScriptEngine) -> Reply {
                match self {
                    $(Self::$name($($arg),*) => {
                        let result = guarded(|| $call).map_err(still_there).and_then(|result| result);
                        Reply::$name($($arg,)* result)
                    })*
                }
            }

            /// The reply that there is no answer, and why.
            pub(super) fn refused(self, why: &str) -> Reply {
                match self {
                    $(Self::$name($($arg),*) => Reply::$name($($arg,)* Err(ErrorText::line(why))),)*
                }
            }
        }

        impl Reply {
            /// The request that it is the reply to; `None` if it is about loading.
            #[must_use]
            pub fn request(&self) -> Option<Request> {
                match self {
                    Self::Ready(_) => None,
                    $(Self::$name($($arg,)* _) => Some(Request::$name($($arg.clone()),*)),)*
                }
            }

            /// Whether the request failed.
            #[must_use]
            pub fn is_failure(&self) -> bool {
                match self {
                    Self::Ready(result) => result.is_err(),
                    $(Self::$name(.., result) => result.is_err(),)*
                }
            }
        }
    };
}

requests! {
    engine:
    /// Start a process: a name or an expression.
    Open(process: String) -> StateId = engine.open(&process);
    /// Describe a state: components, transitions, representative.
    View(state: StateId) -> Box<StateView> = engine.view(state).map(Box::new);
    /// Explain how `ordering` chooses the representative of a state.
    Explain(state: StateId, order: TypeOrdering) -> Box<Explanation> = engine.explain(state, order).map(Box::new);
    /// Say how another strategy chooses a representative.
    Strategy(state: StateId, kind: StrategyKind) -> Box<StrategyView> = engine.strategy(state, kind).map(Box::new);
    /// Compare two states, and their representatives by a strategy.
    Compare(a: StateId, b: StateId, by: AskedStrategy) -> Box<StateComparison> =
        engine.compare(a, b, by).map(Box::new);
    /// The next visible event after a state, silent steps together.
    NextVisible(state: StateId) -> Vec<(TakenStep, StateId)> = engine.next_visible(state);
    /// Compute the neighbourhood of a state.
    Neighbourhood(asked: Box<NeighbourhoodRequest>) -> Box<Neighbourhood> = engine.neighbourhood(&asked).map(Box::new);
    /// List the states of the orbit of a state.
    Members(state: StateId) -> Box<OrbitMembers> = engine.members(state).map(Box::new);
    /// Make the text of a file with the graph of a process.
    Picture(asked: PictureRequest) -> Box<PictureText> = engine.picture(&asked).map(Box::new);
    /// Make the text of a page to share.
    Page(asked: Box<PageRequest>) -> String = engine.page(&asked);
    /// Describe the structure of a state's network, and its wait-for graph.
    Structure(state: StateId) -> Box<StructureView> = engine.structure(state).map(Box::new);
    /// Describe a node of that structure in detail.
    Part(state: StateId, node: usize) -> Box<PartView> = engine.part(state, node).map(Box::new);
    /// Look for the symmetry in the structure of the process of a state.
    Symmetry(state: StateId) -> Box<ProcessSymmetry> = engine.symmetry_of(state).map(Box::new);
    /// Compute the image of a state under a power of one of those generators, by its place in the list.
    Image(state: StateId, by: usize, power: u64) -> Box<StateImage> = engine.image(state, by, power).map(Box::new);
    /// Find the components of a state in the text, and the parts that they take in a transition.
    Places(state: StateId, transition: Option<Box<TransitionView>>) -> Box<PlacesView> =
        engine.places(state, transition.as_deref()).map(Box::new);
    /// Rename the values of a state.
    Rename(state: StateId, cycles: GivenCycles) -> StateId = engine.rename(state, &cycles);
    /// Find the shortest way to a state of which a condition holds.
    Find(state: StateId, start: FindStart, text: String) -> Box<FoundView> =
        engine.find(state, start, &text).map(Box::new);
    /// Say whether a condition holds of a state.
    Holds(state: StateId, text: String) -> bool = engine.holds(state, &text);
    /// Say how an assertion is to be checked, with reduction as it asks for, on or off.
    Plan(number: usize, symmetry: Option<bool>) -> Box<PlannedView> = engine.planned(number, symmetry).map(Box::new);
    /// Follow a counterexample.
    Replay(path: Box<Counterexample>) -> Vec<StateId> = engine.replay(&path);
    /// Follow a walk with all its branches.
    Rewalk(walk: Box<RecordedRun>, mode: ReplayMode) -> Box<Rewalked> = engine.rewalk(&walk, mode).map(Box::new);
    /// Follow a trace of a process from the user.
    Trace(process: String, trace: Vec<String>, mode: ReplayMode) -> Box<TraceRun> =
        engine.trace(&process, &trace, mode).map(Box::new);
    /// Describe these steps for the record of a walk.
    StepDetails(steps: Vec<StepQuery>) -> Vec<StepDetails> = engine.step_details(&steps);
}
