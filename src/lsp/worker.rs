//! The thread that analyses texts and answers what is asked about them, one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::code;
use super::document::Document;
use super::wire::Writer;
use crate::source::Cancel;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::positions::Position;

/// What is to be done.
pub(super) enum Job {
    /// A text is now this; the flag says when it is outdated.
    Text(String, Arc<str>, Cancel),
    /// A text is not open any more.
    Close(String),
    /// Tell what is wrong with a text; whether all of it is to be read again.
    Look(String, bool),
    /// Answer a request: its id, its method and its parameters.
    Ask(Value, &'static str, Value),
}

/// The requests that nobody has answered yet. Whoever takes one off answers it.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<IndexSet<String>>>);

impl Pending {
    pub(super) fn begin(&self, id: &Value) {
        self.with(|all| all.insert(id.to_string()));
    }

    /// Takes a request off; gives whether it was there.
    pub(super) fn finish(&self, id: &Value) -> bool {
        self.with(|all| all.shift_remove(&id.to_string()))
    }

    fn has(&self, id: &Value) -> bool {
        self.with(|all| all.contains(&id.to_string()))
    }

    fn with<T>(&self, work: impl FnOnce(&mut IndexSet<String>) -> T) -> T {
        // A set of ids is whole even if somebody panicked while it was locked.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Sends jobs to the thread, which ends with this.
pub(super) struct AnalysisThread(Sender<Job>);

impl AnalysisThread {
    pub(super) fn start(writer: Writer, pending: Pending) -> std::io::Result<Self> {
        let (sender, jobs) = channel();
        let run = move || {
            let mut desk = Desk {
                writer,
                pending,
                documents: IndexMap::default(),
                published: IndexMap::default(),
            };
            desk.run(&jobs);
        };
        thread::Builder::new()
            .name("analysis".to_owned())
            .spawn(run)?;
        Ok(Self(sender))
    }

    pub(super) fn send(&self, job: Job) {
        // The thread ends after this does.
        let _ = self.0.send(job);
    }
}

/// What the thread works on.
struct Desk {
    writer: Writer,
    pending: Pending,
    documents: IndexMap<String, Document>,
    /// For each open text, the files that have diagnostics because of it.
    published: IndexMap<String, IndexSet<String>>,
}

impl Desk {
    fn run(&mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            match job {
                // Nothing is analysed yet: more changes may be on the way, and a question or a look
                // begins with `prepare`.
                Job::Text(uri, text, cancel) => {
                    let document = Document::new(&uri, text, cancel);
                    self.documents.insert(uri, document);
                }
                Job::Close(uri) => self.close(&uri),
                Job::Look(uri, again) => {
                    // A fault in the analysis of one text is no reason to leave the others.
                    let _ = catch_unwind(AssertUnwindSafe(|| self.look(&uri, again)));
                }
                Job::Ask(id, method, params) => {
                    // Not pending any more: cancelled while it waited.
                    if !self.pending.has(&id) {
                        continue;
                    }
                    // After a fault the document may hold an analysis or none; both are states that
                    // `prepare` goes on from.
                    let answer = catch_unwind(AssertUnwindSafe(|| self.answer(method, &params)));
                    let fault = |_| Err((code::INTERNAL_ERROR, "a fault of the server".to_owned()));
                    let answer = answer.unwrap_or_else(fault);
                    // It may have been cancelled while it was worked on, and then it has been
                    // answered.
                    if self.pending.finish(&id) {
                        match answer {
                            Ok(result) => self.writer.result(&id, &result),
                            Err((code, why)) => self.writer.error(&id, code, &why),
                        }
                    }
                }
            }
        }
    }

    fn close(&mut self, uri: &str) {
        self.documents.shift_remove(uri);
        for file in self.published.shift_remove(uri).unwrap_or_default() {
            // An editor shows diagnostics until it is told of others, also for a text that is
            // closed.
            self.publish(&file, &[]);
        }
    }

    /// Looks at a text and tells the editor what is wrong with it.
    fn look(&mut self, uri: &str, again: bool) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        if again {
            document.forget();
        }
        if !document.prepare() {
            // There is a newer text, which will be looked at.
            return;
        }
        let mut found = document.diagnostics();
        // An included file that is open itself is looked at by itself.
        found.retain(|file, _| file == uri || !self.documents.contains_key(file));
        // Also with nothing wrong: the list that was sent before has to be replaced by an empty
        // one.
        found.entry(uri.to_owned()).or_default();
        let before = self.published.shift_remove(uri).unwrap_or_default();
        // Files that had something wrong because of this text, and have not any more.
        for file in before.iter().filter(|file| !found.contains_key(*file)) {
            self.publish(file, &[]);
        }
        for (file, list) in &found {
            self.publish(file, list);
        }
        self.published
            .insert(uri.to_owned(), found.into_keys().collect());
    }

    fn publish(&self, uri: &str, list: &[Value]) {
        let params = json!({ "uri": uri, "diagnostics": list });
        self.writer
            .notify("textDocument/publishDiagnostics", &params);
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, (i32, String)> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = self.documents.get_mut(uri) else {
            // Closed meanwhile, or never opened.
            return Ok(Value::Null);
        };
        // Needs the text only, so it does not wait for an analysis.
        if method == "textDocument/foldingRange" {
            return Ok(document.folds());
        }
        if !document.prepare() {
            // By this code an editor knows that nothing is wrong, and asks again if it still wants
            // to know.
            return Err((code::CONTENT_MODIFIED, "the text has changed".to_owned()));
        }
        let number = |what: &str| {
            let value = params["position"][what].as_u64().unwrap_or(0);
            // Beyond the end of a line or text is its end.
            u32::try_from(value).unwrap_or(u32::MAX)
        };
        let at = Position {
            line: number("line"),
            character: number("character"),
        };
        let failed = |why| (code::REQUEST_FAILED, why);
        let found = match method {
            "textDocument/hover" => document.hover(at),
            "textDocument/definition" => document.definition(at),
            "textDocument/references" => {
                let declared = params["context"]["includeDeclaration"] != json!(false);
                document.references(at, declared)
            }
            "textDocument/documentHighlight" => document.highlights(at),
            "textDocument/prepareRename" => return document.renamable(at).map_err(failed),
            "textDocument/rename" => {
                let name = params["newName"].as_str().unwrap_or_default();
                return document.rename(at, name).map_err(failed);
            }
            "textDocument/completion" => document.completion(at),
            "textDocument/semanticTokens/full" => document.semantic_tokens(),
            _ => document.symbols(),
        };
        Ok(found.unwrap_or(Value::Null))
    }
}
