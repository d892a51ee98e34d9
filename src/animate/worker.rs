//! The engine on a thread of its own: requests go in, answers come out, in order.
//!
//! The engine is built on that thread and never leaves it. [`Busy`] counts requests that are not
//! answered yet; it is raised before a request is sent and lowered after its answer was delivered, so
//! that zero means idle.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::model::{
    Counterexample, Engine, Explanation, Failure, ScriptInfo, StateId, StateView, TypeOrdering,
};

/// Builds the engine on its thread, or says why the script cannot be used.
pub type EngineFactory = Box<dyn FnOnce() -> Result<Box<dyn Engine>, Vec<Failure>> + Send>;

/// How long a thread that is asked to end may take before it is left behind.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the screen asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Start a process.
    Open(String),
    /// Describe a state.
    View(StateId),
    /// Explain a representative.
    Explain(StateId, TypeOrdering),
    /// Follow a counterexample.
    Replay(Box<Counterexample>),
}

/// What the engine says.
#[derive(Debug)]
pub enum Reply {
    /// The script is loaded, or cannot be.
    Ready(Result<ScriptInfo, Vec<Failure>>),
    /// A process was started.
    Opened(String, Result<StateId, Failure>),
    /// A state was described.
    Viewed(StateId, Result<Box<StateView>, Failure>),
    /// A representative was explained.
    Explained(StateId, TypeOrdering, Result<Box<Explanation>, Failure>),
    /// A counterexample was followed.
    Replayed(Box<Counterexample>, Result<Vec<StateId>, Failure>),
}

/// A reply and the request it belongs to; loading the script is request 0.
#[derive(Debug)]
pub struct Answer {
    /// As [`Worker::ask`] gave it.
    pub id: u64,
    /// What was said.
    pub reply: Reply,
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

/// The engine's thread.
#[derive(Debug)]
pub struct Worker {
    requests: Option<Sender<(u64, Request)>>,
    thread: Option<JoinHandle<()>>,
    busy: Busy,
    last: u64,
}

impl Worker {
    /// Starts the thread, which builds the engine and then answers through `deliver`.
    ///
    /// # Errors
    /// If the operating system refuses a thread.
    pub fn start(
        factory: EngineFactory,
        busy: Busy,
        deliver: impl Fn(Answer) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (requests, incoming) = channel();
        busy.begin();
        let done = busy.clone();
        let run = move || {
            let engine = load(factory, &deliver);
            done.end();
            serve(engine, &incoming, &done, &deliver);
        };
        let thread = thread::Builder::new()
            .name("engine".to_string())
            .spawn(run)?;
        Ok(Self {
            requests: Some(requests),
            thread: Some(thread),
            busy,
            last: 0,
        })
    }

    /// Sends a request; its answer will carry the number given.
    pub fn ask(&mut self, request: Request) -> u64 {
        self.last += 1;
        self.busy.begin();
        let sent = self
            .requests
            .as_ref()
            .map(|to| to.send((self.last, request)));
        if !matches!(sent, Some(Ok(()))) {
            self.busy.end();
        }
        self.last
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
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

fn load(factory: EngineFactory, deliver: &impl Fn(Answer)) -> Option<Box<dyn Engine>> {
    let built = guarded(factory).unwrap_or_else(|failure| Err(vec![failure]));
    let (engine, ready) = match built {
        Ok(engine) => {
            let info = engine.info().clone();
            (Some(engine), Ok(info))
        }
        Err(failures) => (None, Err(failures)),
    };
    deliver(Answer {
        id: 0,
        reply: Reply::Ready(ready),
    });
    engine
}

fn serve(
    mut engine: Option<Box<dyn Engine>>,
    incoming: &Receiver<(u64, Request)>,
    busy: &Busy,
    deliver: &impl Fn(Answer),
) {
    while let Ok((id, request)) = incoming.recv() {
        let reply = match &mut engine {
            Some(engine) => answer(engine.as_mut(), request),
            None => refuse(request),
        };
        deliver(Answer { id, reply });
        busy.end();
    }
}

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
        Request::Replay(path) => {
            let result = flat(|| engine.replay(&path));
            Reply::Replayed(path, result)
        }
    }
}

fn refuse(request: Request) -> Reply {
    let failure = || Failure {
        summary: "the script is not loaded".to_string(),
        detail: "The script is not loaded.".to_string(),
    };
    match request {
        Request::Open(process) => Reply::Opened(process, Err(failure())),
        Request::View(state) => Reply::Viewed(state, Err(failure())),
        Request::Explain(state, order) => Reply::Explained(state, order, Err(failure())),
        Request::Replay(path) => Reply::Replayed(path, Err(failure())),
    }
}

fn flat<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    guarded(work).and_then(|result| result)
}

/// Runs something; a panic becomes a failure that can be shown.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Failure {
        summary: format!("internal error: {}", panic_text(panic.as_ref())),
        detail: format!(
            "Internal error: {}\n\nThis is a fault of the program, not of the script. \
             The state before is still there.",
            panic_text(panic.as_ref())
        ),
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
