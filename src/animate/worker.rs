//! The engine on a thread of its own: requests go in, answers come out, in order.
//!
//! The engine is built on that thread and never leaves it. [`Busy`] counts requests that are not
//! answered yet; it is raised before a request is sent and lowered after its answer was delivered, so
//! that zero means idle. Each request has a flag that cancels it, whether it is being answered or waits.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::model::{
    Cancel, Counterexample, Engine, ErrorText, Explanation, FindStart, FoundView, GivenCycles,
    LoadFailure, Neighbourhood, NeighbourhoodRequest, OrbitMembers, PartView, PictureRequest,
    PictureText, PlacesView, PlannedView, ProcessSymmetry, ScriptInfo, StateComparison, StateId,
    StateImage, StateView, StrategyKind, StrategyView, StructureView, TransitionView, TypeOrdering,
    VisibleWayStep,
};
use super::recorded::TraceRun;
use super::recorded::{RecordedWalk, ReplayMode, Rewalked};
use super::recorded::{StepDetails, StepQuery};

/// Builds the engine on its thread, or says why the script cannot be used; the flag cancels that.
pub type EngineFactory = Box<dyn FnOnce(&Cancel) -> Result<Box<dyn Engine>, LoadFailure> + Send>;

/// Makes such a factory each time that the script is loaded.
pub type EngineSource = Box<dyn Fn() -> EngineFactory + Send>;

/// Time that a thread may take to end before it is left behind.
const PATIENCE: Duration = Duration::from_millis(500);

/// A request of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Start a process: a name or an expression.
    Open(String),
    /// Describe a state: components, transitions, representative.
    View(StateId),
    /// Explain how `ordering` chooses the representative of a state.
    Explain(StateId, TypeOrdering),
    /// Say how another strategy chooses a representative.
    Strategy(StateId, StrategyKind),
    /// Compare two states.
    Compare(StateId, StateId),
    /// The next visible event after a state, silent steps together.
    NextVisible(StateId),
    /// Compute the neighbourhood of a state.
    Neighbourhood(Box<NeighbourhoodRequest>),
    /// List the states of the orbit of a state.
    Members(StateId),
    /// Make the text of a file with the graph of a process.
    Picture(PictureRequest),
    /// Describe the structure of a state's network, and its wait-for graph.
    Structure(StateId),
    /// Describe a node of that structure in detail.
    Part(StateId, usize),
    /// Look for the symmetry in the structure of the process of a state.
    Symmetry(StateId),
    /// Compute the image of a state under a power of one of those generators, by its place in the list.
    Image(StateId, usize, u64),
    /// Find the components of a state in the text, and the parts that they take in a transition.
    Places(StateId, Option<Box<TransitionView>>),
    /// Rename the values of a state.
    Rename(StateId, GivenCycles),
    /// Find the shortest way to a state of which a condition holds.
    Find(StateId, FindStart, String),
    /// Say whether a condition holds of a state.
    Holds(StateId, String),
    /// Say how an assertion is to be checked, with reduction as it asks for, on or off.
    Plan(usize, Option<bool>),
    /// Follow a counterexample, or a trace from the user.
    Replay(Box<Counterexample>),
    /// Follow a walk with all its branches.
    Rewalk(Box<RecordedWalk>, ReplayMode),
    /// Follow a trace of a process from the user.
    Trace(String, Vec<String>, ReplayMode),
    /// Describe these steps for the record of a walk.
    StepDetails(Vec<StepQuery>),
}

/// A reply of the engine.
#[derive(Debug)]
pub enum Reply {
    /// The script is loaded, or cannot be.
    Ready(Result<ScriptInfo, LoadFailure>),
    /// A process was started.
    Opened(String, Result<StateId, ErrorText>),
    /// A state was described.
    Viewed(StateId, Result<Box<StateView>, ErrorText>),
    /// A representative was explained.
    Explained(StateId, TypeOrdering, Result<Box<Explanation>, ErrorText>),
    /// The choice of another strategy.
    Strategy(StateId, StrategyKind, Result<Box<StrategyView>, ErrorText>),
    /// The comparison of two states.
    Compared(StateId, StateId, Result<Box<StateComparison>, ErrorText>),
    /// The reply to [`Request::NextVisible`].
    NextVisible(StateId, Result<Vec<VisibleWayStep>, ErrorText>),
    /// The neighbourhood of a state.
    Surrounded(
        Box<NeighbourhoodRequest>,
        Result<Box<Neighbourhood>, ErrorText>,
    ),
    /// The states of the orbit of a state.
    Listed(StateId, Result<Box<OrbitMembers>, ErrorText>),
    /// The text of a file with the graph of a process.
    Pictured(PictureRequest, Result<Box<PictureText>, ErrorText>),
    /// The structure of a state's network.
    Structured(StateId, Result<Box<StructureView>, ErrorText>),
    /// A node of that structure in detail.
    PartSeen(StateId, usize, Result<Box<PartView>, ErrorText>),
    /// The symmetry in the structure of a process.
    Symmetric(StateId, Result<Box<ProcessSymmetry>, ErrorText>),
    /// The image of a state under a power of a generator.
    Imaged(StateId, usize, u64, Result<Box<StateImage>, ErrorText>),
    /// The places in the text of a state's components.
    Placed(
        StateId,
        Option<Box<TransitionView>>,
        Result<Box<PlacesView>, ErrorText>,
    ),
    /// The image of a state under a permutation.
    Renamed(StateId, GivenCycles, Result<StateId, ErrorText>),
    /// The result of a search for a state.
    Found(
        StateId,
        FindStart,
        String,
        Result<Box<FoundView>, ErrorText>,
    ),
    /// Whether a condition holds of a state.
    Held(StateId, String, Result<bool, ErrorText>),
    /// The plan for an assertion.
    Planned(usize, Option<bool>, Result<Box<PlannedView>, ErrorText>),
    /// A counterexample was followed.
    Replayed(Box<Counterexample>, Result<Vec<StateId>, ErrorText>),
    /// A walk was followed.
    Rewalked(
        Box<RecordedWalk>,
        ReplayMode,
        Result<Box<Rewalked>, ErrorText>,
    ),
    /// A trace was followed.
    Traced(
        String,
        Vec<String>,
        ReplayMode,
        Result<Box<TraceRun>, ErrorText>,
    ),
    /// Details of steps.
    StepDetails(Vec<StepQuery>, Result<Vec<StepDetails>, ErrorText>),
}

impl Reply {
    /// Whether the request failed.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Ready(result) => result.is_err(),
            Self::Opened(_, result) => result.is_err(),
            Self::Viewed(_, result) => result.is_err(),
            Self::Explained(_, _, result) => result.is_err(),
            Self::Strategy(_, _, result) => result.is_err(),
            Self::Compared(_, _, result) => result.is_err(),
            Self::NextVisible(_, result) => result.is_err(),
            Self::Surrounded(_, result) => result.is_err(),
            Self::Listed(_, result) => result.is_err(),
            Self::Pictured(_, result) => result.is_err(),
            Self::Structured(_, result) => result.is_err(),
            Self::PartSeen(_, _, result) => result.is_err(),
            Self::Symmetric(_, result) => result.is_err(),
            Self::Imaged(_, _, _, result) => result.is_err(),
            Self::Placed(_, _, result) => result.is_err(),
            Self::Renamed(_, _, result) => result.is_err(),
            Self::Found(_, _, _, result) => result.is_err(),
            Self::Held(_, _, result) => result.is_err(),
            Self::Planned(_, _, result) => result.is_err(),
            Self::Replayed(_, result) => result.is_err(),
            Self::Rewalked(_, _, result) => result.is_err(),
            Self::Traced(_, _, _, result) => result.is_err(),
            Self::StepDetails(_, result) => result.is_err(),
        }
    }
}

/// The answer to a request, or to loading the script: one for each, in their order. The reply repeats the request.
#[derive(Debug)]
pub struct EngineAnswer {
    /// The result, or the reason for the failure.
    pub reply: Reply,
    /// Whether it was cancelled before there was an answer: then the failure in the reply says so, and nothing is
    /// known of the subject.
    pub cancelled: bool,
}

impl EngineAnswer {
    /// The script could not be loaded for a reason outside of it.
    #[must_use]
    pub fn not_loaded(why: &str) -> Self {
        Self {
            reply: Reply::Ready(Err(vec![ErrorText::line(why)].into())),
            cancelled: false,
        }
    }
}

/// Counts work that has been asked for and not been answered. Clones share the count.
#[derive(Clone, Debug, Default)]
pub struct Busy(Arc<AtomicUsize>);

impl Busy {
    /// Whether no request is outstanding.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }

    pub(super) fn begin(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn end(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The requests that are not answered, the oldest first, each with its flag; loading is none of them.
#[derive(Clone, Debug, Default)]
struct Flags(Arc<Mutex<VecDeque<FlaggedRequest>>>);

/// A request with the flag that cancels it.
type FlaggedRequest = (Option<Request>, Cancel);

impl Flags {
    /// A lock whose holder panicked is still good: every change under it is a single one.
    fn lock(&self) -> MutexGuard<'_, VecDeque<FlaggedRequest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flag of a request that is made now.
    fn push(&self, request: Option<Request>) -> Cancel {
        let cancel = Cancel::default();
        self.lock().push_back((request, cancel.clone()));
        cancel
    }
}

/// The screen's end of the engine's thread; dropping it ends the thread.
#[derive(Debug)]
pub struct EngineWorker {
    requests: Option<Sender<(Request, Cancel)>>,
    flags: Flags,
    thread: Option<JoinHandle<()>>,
    busy: Busy,
}

impl EngineWorker {
    /// Starts the thread, which builds the engine and then answers through `deliver`.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub fn start(
        factory: EngineFactory,
        busy: Busy,
        deliver: impl Fn(EngineAnswer) + Send + 'static,
    ) -> std::io::Result<Self> {
        // The queue needs no bound: the screen requests the data that it shows, and not again while that is pending.
        let (requests, incoming) = channel();
        busy.begin();
        let flags = Flags::default();
        // Loading can be cancelled like a request: its flag is the first in the queue.
        let loading = flags.push(None);
        let (done, theirs) = (busy.clone(), flags.clone());
        let run = move || {
            // From here on this is the engine's thread.
            let engine = load(factory, &loading, &deliver);
            theirs.lock().pop_front();
            done.end();
            serve(engine, &incoming, &theirs, &done, &deliver);
        };
        let thread = thread::Builder::new()
            .name("engine".to_string())
            .spawn(run)?;
        Ok(Self {
            requests: Some(requests),
            flags,
            thread: Some(thread),
            busy,
        })
    }

    /// Sends a request, which will always be answered, unless the thread is gone.
    pub fn ask(&mut self, request: Request) {
        self.busy.begin();
        // The flag stands in the queue before the request is sent: otherwise the thread could
        // answer first, and take away the flag of another request.
        let cancel = self.flags.push(Some(request.clone()));
        let sent = self.requests.as_ref().map(|to| to.send((request, cancel)));
        // The thread is gone. The flag at the back is that of this request: only this thread adds flags.
        if !matches!(sent, Some(Ok(()))) {
            self.flags.lock().pop_back();
            self.busy.end();
        }
    }

    /// Cancels the request that is being answered and those that wait. They are answered all the same,
    /// soon.
    pub fn cancel_all(&self) {
        let flags = self.flags.lock();
        flags.iter().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Cancels one request, if it is not answered yet; the others go on.
    pub fn cancel(&self, request: &Request) {
        let flags = self.flags.lock();
        let is_it = |asked: &Option<Request>| asked.as_ref() == Some(request);
        let its = flags.iter().filter(|(asked, _)| is_it(asked));
        its.for_each(|(_, cancel)| cancel.cancel());
    }
}

impl Drop for EngineWorker {
    fn drop(&mut self) {
        // First the running request is cancelled; then the closed channel ends the loop of the thread.
        self.cancel_all();
        self.requests = None;
        join(self.thread.take());
    }
}

/// Waits for a thread for a while: a long evaluation must not keep the program from ending.
pub(super) fn join(thread: Option<JoinHandle<()>>) {
    let Some(thread) = thread else { return };
    let start = Instant::now();
    while !thread.is_finished() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(2));
    }
    if thread.is_finished() {
        // A panic of that thread was already reported by the hook.
        let _ = thread.join();
    }
}

fn load(
    factory: EngineFactory,
    cancel: &Cancel,
    deliver: &impl Fn(EngineAnswer),
) -> Option<Box<dyn Engine>> {
    // A panic while loading is one more reason why the script cannot be used.
    let built = guarded(|| factory(cancel)).unwrap_or_else(|failure| Err(vec![failure].into()));
    let (engine, ready) = match built {
        Ok(engine) => {
            // The engine stays on this thread; the screen gets a copy of the facts about the script.
            let info = engine.info().clone();
            (Some(engine), Ok(info))
        }
        Err(failures) => (None, Err(failures)),
    };
    deliver(EngineAnswer {
        cancelled: ready.is_err() && cancel.is_cancelled(),
        reply: Reply::Ready(ready),
    });
    engine
}

fn serve(
    mut engine: Option<Box<dyn Engine>>,
    incoming: &Receiver<(Request, Cancel)>,
    flags: &Flags,
    busy: &Busy,
    deliver: &impl Fn(EngineAnswer),
) {
    while let Ok((request, cancel)) = incoming.recv() {
        let reply = match &mut engine {
            // Cancelled while it waited. It is answered all the same: the screen counts it as
            // pending.
            _ if cancel.is_cancelled() => refuse(request, "cancelled"),
            Some(engine) => {
                // A new flag for each request: cancelling one must not stop the next.
                engine.cancelled_by(&cancel);
                answer(engine.as_mut(), request)
            }
            None => refuse(request, "the script is not loaded"),
        };
        flags.lock().pop_front();
        deliver(EngineAnswer {
            // A request that is cancelled too late gets its answer, and is not marked as cancelled.
            cancelled: cancel.is_cancelled() && reply.is_failure(),
            reply,
        });
        busy.end();
    }
}

// In one piece: one arm a request, in the order of their definition.
fn answer(engine: &mut dyn Engine, request: Request) -> Reply {
    match request {
        Request::Open(process) => {
            let result = flat(|| engine.open(&process));
            Reply::Opened(process, result)
        }
        Request::View(state) => Reply::Viewed(state, flat(|| engine.view(state)).map(Box::new)),
        Request::Explain(state, order) => {
            let result = flat(|| engine.explain(state, order));
            Reply::Explained(state, order, result.map(Box::new))
        }
        Request::Strategy(state, kind) => {
            let result = flat(|| engine.strategy(state, kind));
            Reply::Strategy(state, kind, result.map(Box::new))
        }
        Request::Compare(a, b) => {
            let result = flat(|| engine.compare(a, b));
            Reply::Compared(a, b, result.map(Box::new))
        }
        Request::NextVisible(state) => {
            let result = flat(|| engine.next_visible(state));
            Reply::NextVisible(state, result)
        }
        Request::Neighbourhood(asked) => {
            let result = flat(|| engine.neighbourhood(&asked)).map(Box::new);
            Reply::Surrounded(asked, result)
        }
        Request::Members(state) => {
            Reply::Listed(state, flat(|| engine.members(state)).map(Box::new))
        }
        Request::Picture(asked) => {
            let result = flat(|| engine.picture(&asked));
            Reply::Pictured(asked, result.map(Box::new))
        }

        Request::Structure(state) => {
            let result = flat(|| engine.structure(state));
            Reply::Structured(state, result.map(Box::new))
        }
        Request::Part(state, node) => {
            let result = flat(|| engine.part(state, node));
            Reply::PartSeen(state, node, result.map(Box::new))
        }
        Request::Symmetry(state) => {
            let result = flat(|| engine.symmetry_of(state));
            Reply::Symmetric(state, result.map(Box::new))
        }
        Request::Image(state, by, power) => {
            let result = flat(|| engine.image(state, by, power));
            Reply::Imaged(state, by, power, result.map(Box::new))
        }
        Request::Places(state, transition) => {
            let result = flat(|| engine.places(state, transition.as_deref()));
            Reply::Placed(state, transition, result.map(Box::new))
        }
        Request::Rename(state, cycles) => {
            let result = flat(|| engine.rename(state, &cycles));
            Reply::Renamed(state, cycles, result)
        }
        Request::Find(state, start, text) => {
            let result = flat(|| engine.find(state, start, &text));
            Reply::Found(state, start, text, result.map(Box::new))
        }
        Request::Holds(state, text) => {
            let result = flat(|| engine.holds(state, &text));
            Reply::Held(state, text, result)
        }
        Request::Plan(number, symmetry) => {
            let result = flat(|| engine.planned(number, symmetry));
            Reply::Planned(number, symmetry, result.map(Box::new))
        }
        Request::Replay(path) => {
            let result = flat(|| engine.replay(&path));
            Reply::Replayed(path, result)
        }
        Request::Rewalk(walk, mode) => {
            let result = flat(|| engine.rewalk(&walk, mode));
            Reply::Rewalked(walk, mode, result.map(Box::new))
        }
        Request::Trace(process, trace, mode) => {
            let result = flat(|| engine.trace(&process, &trace, mode));
            Reply::Traced(process, trace, mode, result.map(Box::new))
        }
        Request::StepDetails(steps) => {
            let result = flat(|| engine.step_details(&steps));
            Reply::StepDetails(steps, result)
        }
    }
}

fn refuse(request: Request, why: &str) -> Reply {
    let failure = || ErrorText::line(why);
    match request {
        Request::Open(process) => Reply::Opened(process, Err(failure())),
        Request::View(state) => Reply::Viewed(state, Err(failure())),
        Request::Explain(state, order) => Reply::Explained(state, order, Err(failure())),
        Request::Strategy(state, kind) => Reply::Strategy(state, kind, Err(failure())),
        Request::Compare(a, b) => Reply::Compared(a, b, Err(failure())),
        Request::NextVisible(state) => Reply::NextVisible(state, Err(failure())),
        Request::Neighbourhood(asked) => Reply::Surrounded(asked, Err(failure())),
        Request::Members(state) => Reply::Listed(state, Err(failure())),
        Request::Picture(asked) => Reply::Pictured(asked, Err(failure())),
        Request::Structure(state) => Reply::Structured(state, Err(failure())),
        Request::Part(state, node) => Reply::PartSeen(state, node, Err(failure())),
        Request::Symmetry(state) => Reply::Symmetric(state, Err(failure())),
        Request::Image(state, by, power) => Reply::Imaged(state, by, power, Err(failure())),
        Request::Places(state, transition) => Reply::Placed(state, transition, Err(failure())),
        Request::Rename(state, cycles) => Reply::Renamed(state, cycles, Err(failure())),
        Request::Find(state, start, text) => Reply::Found(state, start, text, Err(failure())),
        Request::Holds(state, text) => Reply::Held(state, text, Err(failure())),
        Request::Plan(number, symmetry) => Reply::Planned(number, symmetry, Err(failure())),
        Request::Replay(path) => Reply::Replayed(path, Err(failure())),
        Request::Rewalk(walk, mode) => Reply::Rewalked(walk, mode, Err(failure())),
        Request::Trace(process, trace, mode) => Reply::Traced(process, trace, mode, Err(failure())),
        Request::StepDetails(steps) => Reply::StepDetails(steps, Err(failure())),
    }
}

fn flat<T>(work: impl FnOnce() -> Result<T, ErrorText>) -> Result<T, ErrorText> {
    guarded(work).and_then(|result| result)
}

/// Runs something; a panic becomes a failure that can be shown.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, ErrorText> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let what = panic_text(panic.as_ref());
        let detail = format!(
            "Internal error: {what}\n\nThis is a fault of the program, not of the script. \
             The state before is still there."
        );
        ErrorText::new(format!("internal error: {what}"), detail)
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        // `panic!` with arguments carries a `String`, without arguments a `&str`.
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
