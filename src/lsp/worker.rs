//! The threads that look at texts: one for each look, which then answers what is asked about what it has seen,
//! until nobody needs that any more.

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

/// What is locked, also if somebody panicked meanwhile: what is locked here is whole at any time.
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
            // What several texts include is found in each of them.
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

/// What is wanted of whoever has looked at a text.
enum Wish {
    Answer(Inquiry),
    Search(String, Arc<SymbolSearch>),
}

/// What came of a look.
pub(super) enum LookOutcome {
    /// What is wrong with the text.
    Known(ByFile),
    /// Nothing: there is a newer text.
    GivenUp,
    /// Nothing, by a fault of the server.
    Fault,
}

/// Somebody who looks at a text, or has. The thread ends with this.
pub(super) struct Analyst(Sender<Wish>);

impl Analyst {
    /// Begins to look; `report` is called when that is over.
    pub(super) fn start(
        look: impl FnOnce() -> Option<Analysis> + Send + 'static,
        replies: Replies,
        report: impl FnOnce(LookOutcome) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, wishes) = channel();
        let run = move || {
            // A fault in the analysis of one text is no reason to leave the others.
            let known = catch_unwind(AssertUnwindSafe(look));
            report(match &known {
                Ok(Some(known)) => LookOutcome::Known(known.diagnostics()),
                Ok(None) => LookOutcome::GivenUp,
                Err(_) => LookOutcome::Fault,
            });
            if let Ok(Some(known)) = known {
                serve(&known, &replies, &wishes);
            }
        };
        thread::Builder::new()
            .name("analysis".to_owned())
            .spawn(run)?;
        Ok(Self(sender))
    }

    pub(super) fn ask(&self, inquiry: Inquiry) {
        // The thread ends after this does.
        let _ = self.0.send(Wish::Answer(inquiry));
    }

    pub(super) fn search(&self, query: &str, search: &Arc<SymbolSearch>) {
        let _ = self
            .0
            .send(Wish::Search(query.to_owned(), Arc::clone(search)));
    }
}

/// Answers until nobody can ask any more.
fn serve(known: &Analysis, replies: &Replies, wishes: &Receiver<Wish>) {
    let mut queue: VecDeque<Wish> = VecDeque::new();
    loop {
        queue.extend(wishes.try_iter());
        let Some(wish) = queue.pop_front().or_else(|| wishes.recv().ok()) else {
            return;
        };
        match wish {
            // Somebody who types asks at each key: only the last answer is still of interest.
            Wish::Answer(old) if queue.iter().any(|wish| replaces(wish, &old)) => {
                replies.answer(&old.id, Err(outdated()));
            }
            // Not pending any more: cancelled while it waited.
            Wish::Answer(old) if !locked(&replies.pending).contains(&old.id) => {}
            Wish::Answer(Inquiry {
                id, handler, text, ..
            }) => {
                let found = catch_unwind(AssertUnwindSafe(|| handler(known, &text)));
                let found = found.unwrap_or_else(|_| Err(fault()));
                replies.answer(&id, found);
            }
            Wish::Search(query, search) => {
                let found = catch_unwind(AssertUnwindSafe(|| known.symbols_like(&query)));
                search.add(found.unwrap_or_default());
            }
        }
    }
}

/// Whether a wish is the same question about a later text.
fn replaces(wish: &Wish, old: &Inquiry) -> bool {
    let Wish::Answer(new) = wish else {
        return false;
    };
    new.method == old.method && !Arc::ptr_eq(&new.text.text, &old.text.text)
}
