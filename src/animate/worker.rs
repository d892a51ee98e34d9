//! The engine on a thread of its own: requests go in, answers come out, in order.
//!
//! The engine is built on that thread and never leaves it. [`Busy`] counts requests that are not
//! answered yet; it is raised before a request is sent and lowered after its answer was delivered, so
//! that zero means idle. Each request has a flag that cancels it, whether it is being answered or waits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::engine::ScriptEngine;
use super::model::{Cancel, ErrorText, LoadFailure};
use super::panics::guarded;
pub use super::queries::{Reply, Request};
use crate::source::WorkStage;

/// Builds the engine on its thread, or says why the script cannot be used; the flag cancels that.
pub type EngineFactory = Box<dyn FnOnce(&Cancel) -> Result<Box<ScriptEngine>, LoadFailure> + Send>;

/// Makes such a factory each time that the script is loaded.
pub type EngineSource = Box<dyn Fn() -> EngineFactory + Send>;

/// A stage of long work, and what it has counted.
pub type ReachedStage = (WorkStage, u64);

/// Time that a thread may take to end before it is left behind.
const PATIENCE: Duration = Duration::from_millis(500);

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

    /// How far the request is that is being answered.
    #[must_use]
    pub fn reached(&self) -> Option<ReachedStage> {
        self.flags.lock().front()?.1.reached()
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
) -> Option<Box<ScriptEngine>> {
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
    mut engine: Option<Box<ScriptEngine>>,
    incoming: &Receiver<(Request, Cancel)>,
    flags: &Flags,
    busy: &Busy,
    deliver: &impl Fn(EngineAnswer),
) {
    while let Ok((request, cancel)) = incoming.recv() {
        let reply = match &mut engine {
            // Cancelled while it waited. It is answered all the same: the screen counts it as
            // pending.
            _ if cancel.is_cancelled() => request.refused("cancelled"),
            Some(engine) => {
                // A new flag for each request: cancelling one must not stop the next.
                engine.cancelled_by(&cancel);
                request.answered_by(engine)
            }
            None => request.refused("the script is not loaded"),
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
