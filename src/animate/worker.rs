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
use super::recorded::{StepAsked, StepTold};

/// Builds the engine on its thread, or says why the script cannot be used; the flag cancels that.
pub type EngineFactory = Box<dyn FnOnce(&Cancel) -> Result<Box<dyn Engine>, LoadFailure> + Send>;

/// Makes such a factory each time that the script is loaded.
pub type EngineSource = Box<dyn Fn() -> EngineFactory + Send>;

/// How long a thread that is asked to end may take before it is left behind.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the screen asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Start a process: a name or an expression.
    Open(String),
    /// Describe a state: components, transitions, representative.
    View(StateId),
    /// Explain how `ordering` comes to the representative of a state.
    Explain(StateId, TypeOrdering),
    /// Say how another strategy chooses a representative.
    Strategy(StateId, StrategyKind),
    /// Say what two states are to each other.
    Compare(StateId, StateId),
    /// The next visible event after a state, silent steps together.
    NextVisible(StateId),
    /// Say what is around a state.
    Neighbourhood(Box<NeighbourhoodRequest>),
    /// List the states of the orbit of a state.
    Members(StateId),
    /// Make the text of a file with the graph of a process.
    Picture(PictureRequest),
    /// Say how the network of a state is put together, and who waits for whom.
    Structure(StateId),
    /// Look closely at one node of that.
    Part(StateId, usize),
    /// Look for the symmetry in the structure of the process of a state.
    Symmetry(StateId),
    /// Say what a state becomes under a power of one of the generators of that, by its place in the list.
    Image(StateId, usize, u64),
    /// Say where in the text the components of a state are, and what they take in a transition.
    Places(StateId, Option<Box<TransitionView>>),
    /// Rename the values of a state.
    Rename(StateId, GivenCycles),
    /// Find the shortest way to a state of which a condition holds.
    Find(StateId, FindStart, String),
    /// Say whether a condition holds of a state.
    Holds(StateId, String),
    /// Say how an assertion is to be checked, with reduction as it asks for, on or off.
    Plan(usize, Option<bool>),
    /// Follow a counterexample, or a trace that a person gives.
    Replay(Box<Counterexample>),
    /// Follow a walk with all its branches.
    Rewalk(Box<RecordedWalk>, ReplayMode),
    /// Follow a trace of a process that a person gives.
    Trace(String, Vec<String>, ReplayMode),
    /// Say what a record of a walk has to know of these steps.
    Tell(Vec<StepAsked>),
}

/// What the engine says.
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
    /// How another strategy chooses a representative.
    Strategy(StateId, StrategyKind, Result<Box<StrategyView>, ErrorText>),
    /// What two states are to each other.
    Compared(StateId, StateId, Result<Box<StateComparison>, ErrorText>),
    /// Answers [`Request::NextVisible`].
    NextVisible(StateId, Result<Vec<VisibleWayStep>, ErrorText>),
    /// What is around a state.
    Surrounded(
        Box<NeighbourhoodRequest>,
        Result<Box<Neighbourhood>, ErrorText>,
    ),
    /// The states of the orbit of a state.
    Listed(StateId, Result<Box<OrbitMembers>, ErrorText>),
    /// The text of a file with the graph of a process.
    Pictured(PictureRequest, Result<Box<PictureText>, ErrorText>),
    /// How the network of a state is put together.
    Structured(StateId, Result<Box<StructureView>, ErrorText>),
    /// One node of that.
    PartSeen(StateId, usize, Result<Box<PartView>, ErrorText>),
    /// The symmetry in the structure of a process.
    Symmetric(StateId, Result<Box<ProcessSymmetry>, ErrorText>),
    /// What a state becomes under a power of a generator.
    Imaged(StateId, usize, u64, Result<Box<StateImage>, ErrorText>),
    /// Where in the text the components of a state are.
    Placed(
        StateId,
        Option<Box<TransitionView>>,
        Result<Box<PlacesView>, ErrorText>,
    ),
    /// The image of a state under a permutation.
    Renamed(StateId, GivenCycles, Result<StateId, ErrorText>),
    /// What a search for a state came to.
    Found(
        StateId,
        FindStart,
        String,
        Result<Box<FoundView>, ErrorText>,
    ),
    /// Whether a condition holds of a state.
    Held(StateId, String, Result<bool, ErrorText>),
    /// What is planned for an assertion.
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
    /// More of steps.
    Told(Vec<StepAsked>, Result<Vec<StepTold>, ErrorText>),
}

impl Reply {
    /// Whether it is that something could not be done.
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
            Self::Told(_, result) => result.is_err(),
        }
    }
}

/// What became of a request, or of loading the script: one answer for each, in their order. The reply says
/// what was asked.
#[derive(Debug)]
pub struct EngineAnswer {
    /// What the engine found out, or why it did not.
    pub reply: Reply,
    /// Whether it was cancelled before there was an answer: then the failure in the reply says so, and
    /// nothing was found out about what was asked.
    pub cancelled: bool,
}

impl EngineAnswer {
    /// That the script could not be loaded for a reason that is none of its own.
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
    /// Whether nothing is outstanding.
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

/// What was asked, and what cancels it.
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
    /// If the operating system refuses a thread.
    pub fn start(
        factory: EngineFactory,
        busy: Busy,
        deliver: impl Fn(EngineAnswer) + Send + 'static,
    ) -> std::io::Result<Self> {
        // The queue needs no bound: the screen asks for what it shows, and not again while that is
        // pending.
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

    /// Sends a request, which will be answered whatever happens, unless the thread is gone.
    pub fn ask(&mut self, request: Request) {
        self.busy.begin();
        // The flag stands in the queue before the request is sent: otherwise the thread could
        // answer first, and take away the flag of another request.
        let cancel = self.flags.push(Some(request.clone()));
        let sent = self.requests.as_ref().map(|to| to.send((request, cancel)));
        // The thread is gone. The flag at the back is ours: nobody else adds any while we do.
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
        // First whatever runs is told to stop; then the closed channel ends the loop of the thread.
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
            // The engine stays on this thread; what the screen shows of the script is copied out of
            // it.
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
            // Who cancels too late gets the answer, and is not told that there is none.
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
        Request::Tell(steps) => {
            let result = flat(|| engine.tell(&steps));
            Reply::Told(steps, result)
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
        Request::Tell(steps) => Reply::Told(steps, Err(failure())),
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
