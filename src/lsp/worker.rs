//! The threads that look at texts: one for each look, which then answers what is asked about what it has seen,
//! until nobody needs that any more.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::analysis::{Analysis, TextVersion};
use super::client::Client;
use super::code;
use super::colours::LastColours;
use super::completion::completion;
use super::rename::Refusal;
use super::wire::Writer;
use crate::source::Cancel;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::positions::Position;

/// Diagnostics by the files that they are about.
pub(super) type ByFile = IndexMap<String, Vec<Value>>;

/// The requests that nobody has answered yet. Whoever takes one off answers it.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<IndexSet<String>>>);

impl Pending {
    /// Puts a request in; gives whether there was none of this id.
    pub(super) fn begin(&self, id: &Value) -> bool {
        self.with(|all| all.insert(id.to_string()))
    }

    /// Takes a request off; gives whether it was there.
    pub(super) fn finish(&self, id: &Value) -> bool {
        self.with(|all| all.shift_remove(&id.to_string()))
    }

    /// Takes all requests off.
    pub(super) fn finish_all(&self) -> Vec<Value> {
        let all = self.with(std::mem::take);
        let ids = all.iter().map(|id| serde_json::from_str(id));
        ids.flatten().collect()
    }

    fn has(&self, id: &Value) -> bool {
        self.with(|all| all.contains(&id.to_string()))
    }

    fn with<T>(&self, work: impl FnOnce(&mut IndexSet<String>) -> T) -> T {
        // A set of ids is whole even if somebody panicked while it was locked.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Answers requests, each once.
#[derive(Clone)]
pub(super) struct Replies {
    pub(super) writer: Writer,
    pub(super) pending: Pending,
}

impl Replies {
    /// Answers a request, unless it has been answered, as one that was cancelled has.
    pub(super) fn answer(&self, id: &Value, answer: Result<Value, Refusal>) {
        if self.pending.finish(id) {
            match answer {
                Ok(result) => self.writer.result(id, &result),
                Err((code, why)) => self.writer.error(id, code, &why),
            }
        }
    }
}

/// A request about a text.
pub(super) struct Inquiry {
    pub(super) id: Value,
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// The text that it is about: as it was when it was asked.
    pub(super) text: TextVersion,
}

/// A search through the names of all open texts. It is answered when the last part of it is let go, found or not.
pub(super) struct SymbolSearch {
    replies: Replies,
    id: Value,
    found: Mutex<Vec<Value>>,
}

impl SymbolSearch {
    pub(super) fn new(replies: Replies, id: Value) -> Arc<Self> {
        let found = Mutex::default();
        Arc::new(Self { replies, id, found })
    }

    fn add(&self, more: Vec<Value>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
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
        let found = self.found.get_mut().unwrap_or_else(PoisonError::into_inner);
        let found = std::mem::take(found);
        self.replies.answer(&self.id, Ok(Value::Array(found)));
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

/// That a look is over.
pub(super) struct Looked {
    pub(super) uri: String,
    /// Which look it was.
    pub(super) number: u64,
    pub(super) outcome: LookOutcome,
}

/// What a look needs.
pub(super) struct Task {
    pub(super) text: TextVersion,
    pub(super) number: u64,
    pub(super) client: Client,
    /// Set when the text has changed again.
    pub(super) outdated: Cancel,
    pub(super) colours: LastColours,
    pub(super) replies: Replies,
}

/// Somebody who looks at a text, or has. The thread ends with this.
pub(super) struct Analyst(Sender<Wish>);

impl Analyst {
    /// Begins to look; `report` is called when that is over.
    pub(super) fn start(
        task: Task,
        report: impl FnOnce(Looked) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, wishes) = channel();
        let run = move || {
            // A fault in the analysis of one text is no reason to leave the others.
            let look = || Analysis::new(&task.text, task.client, &task.outdated);
            let known = catch_unwind(AssertUnwindSafe(look));
            let (known, outcome) = match known {
                Ok(Some(known)) => {
                    let wrong = known.diagnostics();
                    (Some(known), LookOutcome::Known(wrong))
                }
                Ok(None) => (None, LookOutcome::GivenUp),
                Err(_) => (None, LookOutcome::Fault),
            };
            let (uri, number) = (task.text.uri.clone(), task.number);
            report(Looked {
                uri,
                number,
                outcome,
            });
            if let Some(known) = known {
                serve(&known, &task, &wishes);
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
fn serve(known: &Analysis, task: &Task, wishes: &Receiver<Wish>) {
    while let Ok(wish) = wishes.recv() {
        match wish {
            Wish::Answer(inquiry) => {
                // Not pending any more: cancelled while it waited.
                if !task.replies.pending.has(&inquiry.id) {
                    continue;
                }
                let work = || answer(known, &task.colours, &inquiry);
                let fault = |_| Err((code::INTERNAL_ERROR, "a fault of the server".to_owned()));
                let found = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(fault);
                task.replies.answer(&inquiry.id, found);
            }
            Wish::Search(query, search) => {
                let found = catch_unwind(AssertUnwindSafe(|| known.symbols_like(&query)));
                search.add(found.unwrap_or_default());
            }
        }
    }
}

/// A position among the parameters of a request.
pub(super) fn position(place: &Value) -> Position {
    let number = |what: &str| {
        let value = place[what].as_u64().unwrap_or(0);
        // Beyond the end of a line or text is its end.
        u32::try_from(value).unwrap_or(u32::MAX)
    };
    Position {
        line: number("line"),
        character: number("character"),
    }
}

fn answer(known: &Analysis, colours: &LastColours, inquiry: &Inquiry) -> Result<Value, Refusal> {
    let params = &inquiry.params;
    let at = position(&params["position"]);
    let range = &params["range"];
    let (from, to) = (position(&range["start"]), position(&range["end"]));
    let found = match inquiry.method {
        "textDocument/hover" => known.hover(&inquiry.text, at),
        "textDocument/definition" => known.definition(at),
        "textDocument/references" => {
            let declared = params["context"]["includeDeclaration"] != json!(false);
            known.references(at, declared)
        }
        "textDocument/documentHighlight" => known.highlights(at),
        "textDocument/prepareRename" => return known.renamable(at),
        "textDocument/rename" => {
            return known.rename(at, params["newName"].as_str().unwrap_or_default());
        }
        "textDocument/codeAction" => return known.corrections(from, to, &params["context"]),
        "textDocument/completion" => Some(completion(Some(known), known.client, &inquiry.text, at)),
        "textDocument/semanticTokens/full" => Some(known.semantic_tokens(colours)),
        "textDocument/semanticTokens/range" => Some(known.semantic_tokens_in(from, to)),
        "textDocument/semanticTokens/full/delta" => {
            let named = params["previousResultId"].as_str().unwrap_or_default();
            Some(known.semantic_tokens_since(named, colours))
        }
        "textDocument/foldingRange" => Some(known.folds()),
        _ => known.symbols(),
    };
    Ok(found.unwrap_or(Value::Null))
}
