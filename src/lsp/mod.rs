//! A language server over standard input and output: what editors show of a script while it is
//! written.
//!
//! In: the messages of an editor. Out: what the front end knows of the texts in them, saved or not.
//! Nothing here knows how anything is evaluated. One thread reads, one writes, one analyses; the one
//! that keeps the state of the session never waits for any of them.
//!
//! Messages are JSON as it is, not of the types of `lsp-types`: a dozen shapes are written here, each at one
//! place and no longer than those types would be, which take seconds to build, as they are the whole
//! protocol.

mod document;
mod names;
mod texts;
mod tokens;
mod wire;
mod worker;

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::source::hash::IndexMap;
use texts::OpenTexts;
use wire::Writer;
use worker::{AnalysisThread, Job, Pending};

/// After a change, this long nothing is analysed: people type on.
const PAUSE: Duration = Duration::from_millis(150);

/// Codes of errors, as JSON-RPC and the protocol number them.
mod code {
    pub(super) const PARSE_ERROR: i32 = -32700;
    pub(super) const INVALID_REQUEST: i32 = -32600;
    pub(super) const METHOD_NOT_FOUND: i32 = -32601;
    pub(super) const INVALID_PARAMS: i32 = -32602;
    pub(super) const INTERNAL_ERROR: i32 = -32603;
    pub(super) const NOT_INITIALIZED: i32 = -32002;
    pub(super) const CANCELLED: i32 = -32800;
    pub(super) const CONTENT_MODIFIED: i32 = -32801;
    pub(super) const REQUEST_FAILED: i32 = -32803;
}

/// What is asked of a text.
const QUESTIONS: [&str; 10] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/completion",
    "textDocument/semanticTokens/full",
    "textDocument/foldingRange",
    "textDocument/documentSymbol",
];

/// Serves an editor until it says goodbye or goes away. Gives the exit code: 0, or 1 if the editor
/// said goodbye without announcing it.
///
/// # Errors
/// If the operating system refuses a thread.
pub fn serve() -> Result<u8, String> {
    // All threads are there before the first message is looked at: if one is refused, nothing has
    // been promised to the editor.
    let start = || {
        let (writer, written) = Writer::start()?;
        let (sender, messages) = channel();
        wire::read(sender, |message| message)?;
        let pending = Pending::default();
        let worker = AnalysisThread::start(writer.clone(), pending.clone())?;
        let server = Server {
            writer,
            worker,
            pending,
            phase: Phase::New,
            texts: OpenTexts::default(),
            waiting: IndexMap::default(),
        };
        Ok((server, messages, written))
    };
    let (mut server, messages, written) = start().map_err(|e: std::io::Error| e.to_string())?;
    let code = server.run(&messages);
    server.writer.finish(&written);
    Ok(code)
}

/// What this server can do.
fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2, "save": {} },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": {},
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": names::TOKENS, "tokenModifiers": ["defaultLibrary"] },
                "full": true,
            },
        },
        "serverInfo": {
            "name": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
        },
    })
}

/// How far a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Ready,
    ShutDown,
}

/// The state of a session.
struct Server {
    writer: Writer,
    worker: AnalysisThread,
    pending: Pending,
    phase: Phase,
    texts: OpenTexts,
    /// Texts that changed, when to look at them, and whether all is to be read again.
    waiting: IndexMap<String, (Instant, bool)>,
}

type Received = Option<Result<Value, String>>;

impl Server {
    fn run(&mut self, messages: &Receiver<Received>) -> u8 {
        loop {
            // With nothing to look at, the server sleeps until a message comes; the hour is any
            // long time.
            let due = self.waiting.values().map(|(due, _)| *due).min();
            let patience = due.map_or(Duration::from_secs(3600), |due| {
                due.saturating_duration_since(Instant::now())
            });
            match messages.recv_timeout(patience) {
                // Only when no message is left: while somebody types, messages come first, and each
                // puts off the look at its text.
                Err(RecvTimeoutError::Timeout) => self.look(),
                // The editor is gone.
                Err(RecvTimeoutError::Disconnected) | Ok(None) => return 0,
                Ok(Some(Err(wrong))) => self.writer.error(&Value::Null, code::PARSE_ERROR, &wrong),
                Ok(Some(Ok(message))) => {
                    if let Some(code) = self.message(&message) {
                        return code;
                    }
                }
            }
        }
    }

    /// Sees to a message; gives the exit code if it was the last.
    fn message(&mut self, message: &Value) -> Option<u8> {
        let id = &message["id"];
        // Requests have an id and are answered; notifications have none and never are, whatever is
        // wrong with them.
        let has_id = message.get("id").is_some();
        let named = id.is_string() || id.is_number();
        let answers = message.get("result").is_some() || message.get("error").is_some();
        let Some(method) = message["method"].as_str() else {
            // This server asks nothing, so that answers are no news.
            if !(has_id && answers) {
                let id = if named { id } else { &Value::Null };
                let wrong = "the message is neither a request nor a notification";
                self.writer.error(id, code::INVALID_REQUEST, wrong);
            }
            return None;
        };
        // An id of another kind cannot be answered to: the error goes to `null`, as JSON-RPC asks.
        if message["jsonrpc"] != "2.0" || has_id && !named {
            let id = if named { id } else { &Value::Null };
            let wrong = "a message has `jsonrpc` \"2.0\", and an id that is a string or a number";
            self.writer.error(id, code::INVALID_REQUEST, wrong);
        } else if has_id {
            self.request(id, method, &message["params"]);
        } else if method == "exit" {
            // In any phase, as the protocol wants: an editor that has not begun may leave, too.
            return Some(u8::from(self.phase != Phase::ShutDown));
        } else if self.phase == Phase::Ready {
            // In the other phases they are dropped: before `initialize` the protocol wants it so,
            // and after `shutdown` they mean nothing any more.
            self.notification(method, &message["params"]);
        }
        None
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) {
        let refuse = |code, why: &str| self.writer.error(id, code, why);
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Ready;
                self.writer.result(id, &capabilities());
            }
            (Phase::New, _) => refuse(code::NOT_INITIALIZED, "expected `initialize` first"),
            (Phase::ShutDown, _) => refuse(code::INVALID_REQUEST, "the server was shut down"),
            (Phase::Ready, "initialize") => {
                refuse(code::INVALID_REQUEST, "the server is initialized");
            }
            (Phase::Ready, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.writer.result(id, &Value::Null);
            }
            (Phase::Ready, method) => match QUESTIONS.iter().find(|q| **q == method) {
                None => {
                    let why = format!("`{method}` is not supported");
                    refuse(code::METHOD_NOT_FOUND, &why);
                }
                Some(_) if !params["textDocument"]["uri"].is_string() => {
                    refuse(code::INVALID_PARAMS, "a text is to be named by its URI");
                }
                Some(question) => {
                    // Before the job is sent: the worker answers only what is pending.
                    self.pending.begin(id);
                    // Not answered here: the worker has the analysis, and jobs come to it in the
                    // order of the messages. So a question is about the text as it was when it was
                    // asked.
                    let params = params.clone();
                    self.worker.send(Job::Ask(id.clone(), question, params));
                }
            },
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        if method == "$/cancelRequest" {
            // Whoever takes the request off answers it. If the worker was quicker, it has been
            // answered, and this comes too late.
            if self.pending.finish(&params["id"]) {
                let why = "the request was cancelled";
                self.writer.error(&params["id"], code::CANCELLED, why);
            }
            return;
        }
        let Some(uri) = params["textDocument"]["uri"].as_str() else {
            return;
        };
        let now = Instant::now();
        match method {
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or_default();
                self.changed(uri, Some(text.to_owned()));
                // At once: a text that was just opened is not being typed.
                self.waiting.insert(uri.to_owned(), (now, false));
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = self.texts.edited(uri, changes.map_or(&[], |list| list));
                if text.is_some() {
                    self.changed(uri, text);
                    // Replaces what was due: as long as changes come, nothing is looked at. That
                    // all is to be read again is forgotten too, which is right, as a changed text
                    // is read again anyway.
                    self.waiting.insert(uri.to_owned(), (now + PAUSE, false));
                }
            }
            // What was saved may be included by others.
            "textDocument/didSave" => {
                for uri in self.texts.uris() {
                    // A text that is being typed keeps its pause.
                    let due = self.waiting.get(uri).map_or(now, |(due, _)| *due);
                    self.waiting.insert(uri.clone(), (due, true));
                }
            }
            "textDocument/didClose" => {
                self.changed(uri, None);
                self.waiting.shift_remove(uri);
            }
            _ => {}
        }
    }

    /// Tells the analysis of a new text, or that there is none any more. What is being found out
    /// about the old one is given up.
    fn changed(&mut self, uri: &str, text: Option<String>) {
        let job = match text {
            Some(text) => {
                let (text, cancel) = self.texts.set(uri, text);
                Job::Text(uri.to_owned(), text, cancel)
            }
            None => {
                self.texts.remove(uri);
                Job::Close(uri.to_owned())
            }
        };
        self.worker.send(job);
    }

    /// Has the texts looked at that are due.
    fn look(&mut self) {
        let now = Instant::now();
        let due = self.waiting.iter().filter(|(_, (due, _))| *due <= now);
        // Collected, since entries are taken off below.
        let due: Vec<(String, bool)> = due.map(|(uri, (_, again))| (uri.clone(), *again)).collect();
        for (uri, again) in due {
            self.waiting.shift_remove(&uri);
            self.worker.send(Job::Look(uri, again));
        }
    }
}
