//! Threads that analyse texts: one for each analysis, which then answers requests from it until it is no longer
//! needed.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use lsp_types::SymbolInformation;
use serde_json::{Value, json};

use super::analysis::{Analysis, ByFile, TextVersion};
use super::code::INVALID_REQUEST;
use super::questions::{Handler, fault, outdated};
use super::wire::{Refusal, Writer};
use crate::source::hash::IndexSet;

/// Answers requests, each once; clones answer the same ones.
#[derive(Clone)]
pub(super) struct Replies {
    pub(super) writer: Writer,
    /// The requests without an answer so far. A thread that removes one answers it.
    pending: Arc<Mutex<IndexSet<Value>>>,
}

impl Replies {
    pub(super) fn new(writer: Writer) -> Self {
        let pending = Arc::default();
        Self { writer, pending }
    }

    /// Notes that a request is to be answered.
    pub(super) fn begin(&self, id: &Value) -> Result<(), Refusal> {
        let why = "another request has this id and is not answered yet";
        let new = locked(&self.pending).insert(id.clone());
        new.then_some(()).ok_or((INVALID_REQUEST, why.to_owned()))
    }

    /// Answers a request, unless it has been answered, as one that was cancelled has.
    pub(super) fn answer(&self, id: &Value, answer: Result<Value, Refusal>) {
        if locked(&self.pending).shift_remove(id) {
            self.writer.answer(id, answer);
        }
    }

    /// Refuses all requests that have not been answered.
    pub(super) fn refuse_all(&self, why: &Refusal) {
        for id in std::mem::take(&mut *locked(&self.pending)) {
            self.writer.answer(&id, Err(why.clone()));
        }
    }
}

/// The locked value, also after a panic: the values locked here are always consistent.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request about a text.
pub(super) struct Inquiry {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) handler: Handler,
    /// The text that it is about: as it was when it was asked.
    pub(super) text: TextVersion,
}

/// A search through the names of all open texts. It is answered when the last part of it is let go, found or not.
pub(super) struct SymbolSearch {
    replies: Replies,
    id: Value,
    found: Mutex<Vec<SymbolInformation>>,
}

impl SymbolSearch {
    pub(super) fn new(replies: Replies, id: Value) -> Arc<Self> {
        let found = Mutex::default();
        Arc::new(Self { replies, id, found })
    }

    fn add(&self, more: Vec<SymbolInformation>) {
        let mut found = locked(&self.found);
        for symbol in more {
            // A file that several texts include is found in each of them.
            if !found.contains(&symbol) {
                found.push(symbol);
            }
        }
    }
}

impl Drop for SymbolSearch {
    fn drop(&mut self) {
        let found = json!(*locked(&self.found));
        self.replies.answer(&self.id, Ok(found));
    }
}

/// A job for an analyst.
enum Job {
    Answer(Inquiry),
    Search(String, Arc<SymbolSearch>),
}

/// The outcome of an analysis.
pub(super) enum AnalysisOutcome {
    /// The diagnostics of the text.
    Known(ByFile),
    /// Given up: there is a newer text.
    GivenUp,
    /// Failed, by a fault of the server.
    Fault,
}

/// An analyst: the thread of an analysis, which ends when this is dropped.
pub(super) struct Analyst(Sender<Job>);

impl Analyst {
    /// Begins to look; `report` is called when that is over.
    pub(super) fn start(
        analyse: impl FnOnce() -> Option<Analysis> + Send + 'static,
        replies: Replies,
        report: impl FnOnce(AnalysisOutcome) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, jobs) = channel();
        let run = move || {
            // A fault in the analysis of one text is no reason to leave the others.
            let known = catch_unwind(AssertUnwindSafe(analyse));
            report(match &known {
                Ok(Some(known)) => AnalysisOutcome::Known(known.diagnostics()),
                Ok(None) => AnalysisOutcome::GivenUp,
                Err(_) => AnalysisOutcome::Fault,
            });
            if let Ok(Some(known)) = known {
                serve(&known, &replies, &jobs);
            }
        };
        thread::Builder::new()
            .name("analysis".to_owned())
            .spawn(run)?;
        Ok(Self(sender))
    }

    pub(super) fn ask(&self, inquiry: Inquiry) {
        // The thread ends after this does.
        let _ = self.0.send(Job::Answer(inquiry));
    }

    pub(super) fn search(&self, query: &str, search: &Arc<SymbolSearch>) {
        let _ = self
            .0
            .send(Job::Search(query.to_owned(), Arc::clone(search)));
    }
}

/// Answers until no request can arrive any more.
fn serve(known: &Analysis, replies: &Replies, jobs: &Receiver<Job>) {
    let mut queue: VecDeque<Job> = VecDeque::new();
    loop {
        queue.extend(jobs.try_iter());
        let Some(job) = queue.pop_front().or_else(|| jobs.recv().ok()) else {
            return;
        };
        match job {
            // A person who types asks at each key: only the last answer is still of interest.
            Job::Answer(old) if queue.iter().any(|job| replaces(job, &old)) => {
                replies.answer(&old.id, Err(outdated()));
            }
            // The request is not pending any more: it was cancelled while it waited.
            Job::Answer(old) if !locked(&replies.pending).contains(&old.id) => {}
            Job::Answer(Inquiry {
                id, handler, text, ..
            }) => {
                let found = catch_unwind(AssertUnwindSafe(|| handler(known, &text)));
                let found = found.unwrap_or_else(|_| Err(fault()));
                replies.answer(&id, found);
            }
            Job::Search(query, search) => {
                let found = catch_unwind(AssertUnwindSafe(|| known.symbols_like(&query)));
                search.add(found.unwrap_or_default());
            }
        }
    }
}

/// Whether a job is the same request for a later text.
fn replaces(job: &Job, old: &Inquiry) -> bool {
    let Job::Answer(new) = job else {
        return false;
    };
    new.method == old.method && !Arc::ptr_eq(&new.text.text, &old.text.text)
}
