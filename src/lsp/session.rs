//! A session with an editor: its messages in order, and the analyses that they need.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use lsp_types::error_codes::{REQUEST_CANCELLED, SERVER_NOT_INITIALIZED};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, Exit, Initialized, LogMessage, Notification,
    PublishDiagnostics,
};
use lsp_types::request::{
    Completion, HoverRequest, Initialize, RegisterCapability, Request, Shutdown,
    WorkspaceSymbolRequest,
};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidChangeWatchedFilesRegistrationOptions,
    FileSystemWatcher, GlobPattern, LogMessageParams, MessageType, PublishDiagnosticsParams,
    Registration, RegistrationParams, TextDocumentPositionParams, Uri, WorkspaceSymbolParams,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::analysis::{Analysis, ByFile, TextVersion};
use super::client::Client;
use super::code;
use super::completion::completion;
use super::questions::{Handler, fault, handler, outdated};
use super::texts::{OpenText, edited};
use super::wire::{self, Refusal, Writer};
use super::worker::{AnalysisOutcome, Analyst, Inquiry, Replies, SymbolSearch};
use crate::source::hash::IndexMap;
use crate::source::positions;

/// Time after a change in which no diagnostics are sent: people type on.
const PAUSE: Duration = Duration::from_millis(150);
/// Time that a request waits for the analysis of the present text while a person is writing; then an earlier
/// analysis has to do.
const PATIENCE: Duration = Duration::from_millis(120);
/// Largest number of analyses at once.
const ANALYSES_MAX: usize = 2;

/// The path in a message to the text that it names.
const URI: &str = "/params/textDocument/uri";
/// The bytes that a URI may contain besides letters and digits. Some editors leave other bytes of a path as they
/// are.
const URI_BYTES: &[u8] = b"-._~:/?#@!$&'()*+,;=%";

/// Methods called at every key, which are answered although the text is being changed.
const WHILE_WRITING: [&str; 2] = [HoverRequest::METHOD, Completion::METHOD];

/// Serves an editor until it says goodbye or goes away. Returns the exit code: 0, or 1 if the editor said goodbye
/// without announcing it.
///
/// # Errors
/// If the operating system refuses to start a thread.
pub fn serve() -> Result<u8, String> {
    // The threads of both directions are started before the first message is read: if one is refused, nothing has
    // been promised to the editor.
    let start = || {
        let (writer, written) = Writer::start()?;
        let (events, received) = channel();
        wire::read(events.clone(), Event::Message)?;
        let server = Server {
            replies: Replies::new(writer),
            events,
            phase: Phase::New,
            client: Client::new(&Value::Null),
            texts: IndexMap::default(),
            numbers: 0,
        };
        Ok((server, received, written))
    };
    let (mut server, events, written) = start().map_err(|e: std::io::Error| e.to_string())?;
    let code = server.run(&events);
    server.replies.writer.finish(&written);
    Ok(code)
}

/// The phase of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Ready,
    ShutDown,
}

type Received = Option<Result<Value, String>>;

/// An event that the session handles.
enum Event {
    Message(Received),
    /// The outcome of the analysis with that number of a text.
    Analysed(String, u64, AnalysisOutcome),
}

/// The state of a session.
struct Server {
    replies: Replies,
    /// The channel on which analysts report.
    events: Sender<Event>,
    phase: Phase,
    client: Client,
    texts: IndexMap<String, OpenText>,
    /// The last number of a look.
    numbers: u64,
}

impl Server {
    fn run(&mut self, events: &Receiver<Event>) -> u8 {
        loop {
            let now = Instant::now();
            self.attend(now);
            // With nothing to do, the server sleeps until an event arrives; the hour is any long time. Work that is
            // due and was not done above waits for a report.
            let texts = self.texts.values();
            let times = texts.flat_map(|text| {
                let questions = text.waiting.iter().filter_map(|(until, _)| *until);
                questions.chain(text.due)
            });
            let next = times.filter(|time| *time > now).min();
            let patience = next.map_or(Duration::from_secs(3600), |next| {
                next.saturating_duration_since(now)
            });
            match events.recv_timeout(patience) {
                Err(RecvTimeoutError::Timeout) => {}
                // The editor is gone.
                Err(RecvTimeoutError::Disconnected) | Ok(Event::Message(None)) => return 0,
                Ok(Event::Message(Some(Err(wrong)))) => {
                    let answer = Err((code::PARSE_ERROR, wrong));
                    self.replies.writer.answer(&Value::Null, answer);
                }
                Ok(Event::Message(Some(Ok(message)))) => {
                    if let Some(code) = self.message(message) {
                        return code;
                    }
                }
                Ok(Event::Analysed(uri, number, outcome)) => self.analysed(&uri, number, outcome),
            }
        }
    }

    /// Handles a message. Returns the exit code if it was the last.
    fn message(&mut self, mut message: Value) -> Option<u8> {
        if let Some(Value::String(uri)) = message.pointer_mut(URI) {
            *uri = positions::escaped(uri, URI_BYTES);
        }
        let (method, params) = (message["method"].as_str(), &message["params"]);
        // Requests have an id and are answered; notifications have none and never are, even with errors.
        let request = message.get("id").is_some();
        // An id of another kind cannot be answered to: the error goes to `null`, as JSON-RPC asks.
        let named = message["id"].is_string() || message["id"].is_number();
        let id = if named { &message["id"] } else { &Value::Null };
        let answers = message.get("result").is_some() || message.get("error").is_some();
        let wrong = |why: &str| Err((code::INVALID_REQUEST, why.to_owned()));
        let answer = match method {
            // The editor's responses are of no interest here.
            None if request && answers => Ok(None),
            None => wrong("the message is neither a request nor a notification"),
            Some(_) if message["jsonrpc"] != "2.0" || request && !named => {
                wrong("a message has `jsonrpc` \"2.0\", and an id that is a string or a number")
            }
            Some(method) if request => self.request(id, method, params),
            // In any phase, as the protocol wants: an editor that has not begun may leave, too.
            Some(Exit::METHOD) => return Some(u8::from(self.phase != Phase::ShutDown)),
            Some(method) => {
                // In the other phases they are dropped: before `initialize` the protocol wants it so,
                // and after `shutdown` they mean nothing any more.
                if self.phase == Phase::Ready {
                    self.notification(method, params);
                }
                Ok(None)
            }
        };
        if let Some(answer) = answer.transpose() {
            self.replies.writer.answer(id, answer);
        }
        None
    }

    /// Handles a request. Returns the answer if that is available at once.
    fn request(
        &mut self,
        id: &Value,
        method: &str,
        params: &Value,
    ) -> Result<Option<Value>, Refusal> {
        let refused = |code, why: &str| Err((code, why.to_owned()));
        match (self.phase, method) {
            (Phase::New, Initialize::METHOD) => {
                self.phase = Phase::Ready;
                self.client = Client::new(params);
                return Ok(Some(json!(self.client.capabilities())));
            }
            (Phase::New, _) => {
                return refused(SERVER_NOT_INITIALIZED, "expected `initialize` first");
            }
            (Phase::ShutDown, _) => {
                return refused(code::INVALID_REQUEST, "the server was shut down");
            }
            (Phase::Ready, Initialize::METHOD) => {
                return refused(code::INVALID_REQUEST, "the server is initialized");
            }
            (Phase::Ready, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                self.texts.clear();
                // These will never be answered.
                let why = "the server is shut down".to_owned();
                self.replies.refuse_all(&(REQUEST_CANCELLED, why));
                return Ok(Some(Value::Null));
            }
            (Phase::Ready, WorkspaceSymbolRequest::METHOD) => {
                let asked = WorkspaceSymbolParams::deserialize(params);
                let asked = asked.map_err(|error| (code::INVALID_PARAMS, error.to_string()))?;
                self.replies.begin(id)?;
                self.search(id, &asked.query);
            }
            (Phase::Ready, method) => {
                let handler = handler(method, params)?;
                self.replies.begin(id)?;
                self.question(id, method, params, handler);
            }
        }
        Ok(None)
    }

    fn question(&mut self, id: &Value, method: &str, params: &Value, handler: Handler) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(text) = self.texts.get_mut(uri) else {
            // Closed meanwhile, or never opened.
            self.replies.answer(id, Ok(Value::Null));
            return;
        };
        let inquiry = Inquiry {
            id: id.clone(),
            method: method.to_owned(),
            params: params.clone(),
            handler,
            text: text.now.clone(),
        };
        match &text.ready {
            Some(ready) => ready.ask(inquiry),
            None => {
                let writing = WHILE_WRITING.contains(&method);
                let until = writing.then(|| Instant::now() + PATIENCE);
                text.waiting.push((until, inquiry));
            }
        }
    }

    /// Asks all open texts for names.
    fn search(&mut self, id: &Value, query: &str) {
        let search = SymbolSearch::new(self.replies.clone(), id.clone());
        for text in self.texts.values_mut() {
            match &text.ready {
                Some(ready) => ready.search(query, &search),
                None => text.searches.push((query.to_owned(), Arc::clone(&search))),
            }
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let now = Instant::now();
        match method {
            Cancel::METHOD => {
                let why = "the request was cancelled".to_owned();
                // If the answer was sent before, this comes too late.
                let why = Err((REQUEST_CANCELLED, why));
                self.replies.answer(&params["id"], why);
            }
            Initialized::METHOD if self.client.watches_files => self.watch(),
            // A file that was saved, created or deleted may be included by others.
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                for text in self.texts.values_mut() {
                    self.numbers += 1;
                    text.forget(self.numbers);
                    // A text that is being typed keeps its pause.
                    text.due = text.due.or(Some(now));
                }
            }
            DidOpenTextDocument::METHOD => {
                let Some(opened) = self.read::<DidOpenTextDocument>(params) else {
                    return;
                };
                self.close(uri);
                let document = opened.text_document;
                let version = TextVersion {
                    uri: document.uri,
                    version: document.version,
                    text: Arc::from(document.text),
                };
                self.numbers += 1;
                let mut open = OpenText::new(version, self.numbers);
                // At once: a text that was just opened is not being typed.
                open.due = Some(now);
                self.texts.insert(uri.to_owned(), open);
            }
            DidChangeTextDocument::METHOD => {
                if let Some(changed) = self.read::<DidChangeTextDocument>(params) {
                    self.change(uri, &changed);
                }
            }
            DidCloseTextDocument::METHOD => self.close(uri),
            _ => {}
        }
    }

    /// Asks the editor to report scripts that are created, deleted or changed on disk.
    fn watch(&self) {
        let watcher = |pattern: &str| FileSystemWatcher {
            glob_pattern: GlobPattern::String(pattern.to_owned()),
            kind: None,
        };
        let watchers = vec![watcher("**/*.csp"), watcher("**/*.cspm")];
        let options = DidChangeWatchedFilesRegistrationOptions { watchers };
        let registration = Registration {
            id: "scripts".to_owned(),
            method: DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: Some(json!(options)),
        };
        let registrations = vec![registration];
        let writer = &self.replies.writer;
        writer
            .request::<RegisterCapability>("watch-scripts", &RegistrationParams { registrations });
    }

    /// Parses a notification. It has no answer that could report an error.
    fn read<N: Notification>(&self, params: &Value) -> Option<N::Params> {
        let read = N::Params::deserialize(params);
        let parsed = read.map_err(|why| {
            let (typ, method) = (MessageType::ERROR, N::METHOD);
            let message = format!("`{method}` was passed over: {why}");
            let writer = &self.replies.writer;
            writer.notify::<LogMessage>(&LogMessageParams { typ, message });
        });
        parsed.ok()
    }

    fn change(&mut self, uri: &str, changed: &DidChangeTextDocumentParams) {
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        let new = edited(&text.now.text, &changed.content_changes, self.client.units);
        self.numbers += 1;
        text.forget(self.numbers);
        // Requests on the earlier text.
        for (_, inquiry) in std::mem::take(&mut text.waiting) {
            if let Some(inquiry) = hurried(inquiry, text, self.client, &self.replies) {
                self.replies.answer(&inquiry.id, Err(outdated()));
            }
        }
        text.now.text = Arc::from(new);
        text.now.version = changed.text_document.version;
        // Replaces the pending diagnostics: while changes arrive, none are sent.
        text.due = Some(Instant::now() + PAUSE);
    }

    fn close(&mut self, uri: &str) {
        let Some(mut text) = self.texts.shift_remove(uri) else {
            return;
        };
        for (_, inquiry) in std::mem::take(&mut text.waiting) {
            self.replies.answer(&inquiry.id, Ok(Value::Null));
        }
        for file in std::mem::take(&mut text.published) {
            // An editor shows diagnostics until it gets others, also for a text that is closed.
            self.publish(file, Vec::new());
        }
    }

    /// Does the work that is due: analyses, and requests that have waited long enough.
    fn attend(&mut self, now: Instant) {
        let uris: Vec<String> = self.texts.keys().cloned().collect();
        for uri in &uris {
            let Some(text) = self.texts.get_mut(uri) else {
                continue;
            };
            let (late, early): (Vec<_>, Vec<_>) = std::mem::take(&mut text.waiting)
                .into_iter()
                .partition(|(until, _)| until.is_some_and(|until| until <= now));
            text.waiting = early;
            for (_, inquiry) in late {
                if let Some(inquiry) = hurried(inquiry, text, self.client, &self.replies) {
                    // There is no analysis at all: the request waits for the first.
                    text.waiting.push((None, inquiry));
                }
            }
            let due = text.due.is_some_and(|due| due <= now);
            if due && let Some(wrong) = text.wrong.take() {
                text.due = None;
                self.tell(uri, wrong);
            } else if due && text.ready.is_some() {
                // Told, and nothing has changed.
                text.due = None;
            }
        }
        for uri in &uris {
            self.start(uri, now);
        }
    }

    /// Starts an analysis of a text, if it is wanted and possible.
    fn start(&mut self, uri: &str, now: Instant) {
        let running = self.texts.values().filter(|text| text.running.is_some());
        if running.count() >= ANALYSES_MAX {
            return;
        }
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        let due = text.due.is_some_and(|due| due <= now);
        let wanted = due || !text.waiting.is_empty() || !text.searches.is_empty();
        if !wanted || text.ready.is_some() || text.running.is_some() {
            return;
        }
        let (client, number) = (self.client, text.number);
        let (now, colours) = (text.now.clone(), text.colours.clone());
        let outdated = text.outdated.clone();
        let analyse = move || Analysis::new(&now, client, &colours, &outdated);
        let (events, analysed) = (self.events.clone(), uri.to_owned());
        let report = move |outcome| {
            // The session may be over.
            let _ = events.send(Event::Analysed(analysed, number, outcome));
        };
        match Analyst::start(analyse, self.replies.clone(), report) {
            Ok(analyst) => text.running = Some((number, analyst)),
            Err(_) => self.failed(uri),
        }
    }

    /// Handles the end of an analysis, which may have been given up.
    fn analysed(&mut self, uri: &str, number: u64, outcome: AnalysisOutcome) {
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        // A text that was closed and opened again may have older ones.
        let Some((_, analyst)) = text.running.take_if(|(running, _)| *running == number) else {
            return;
        };
        let current = number == text.number;
        match outcome {
            AnalysisOutcome::Known(wrong) if current => {
                text.last = None;
                text.wrong = Some(wrong);
                for (query, search) in std::mem::take(&mut text.searches) {
                    analyst.search(&query, &search);
                }
                for (_, inquiry) in std::mem::take(&mut text.waiting) {
                    analyst.ask(inquiry);
                }
                text.ready = Some(analyst);
            }
            AnalysisOutcome::Known(_) => text.last = Some(analyst),
            AnalysisOutcome::Fault if current => self.failed(uri),
            AnalysisOutcome::GivenUp | AnalysisOutcome::Fault => {}
        }
    }

    /// Handles a failed analysis: it is not repeated before the text changes.
    fn failed(&mut self, uri: &str) {
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        text.due = None;
        text.searches.clear();
        for (_, inquiry) in std::mem::take(&mut text.waiting) {
            self.replies.answer(&inquiry.id, Err(fault()));
        }
    }

    /// Sends the diagnostics of a text to the editor.
    fn tell(&mut self, uri: &str, mut found: ByFile) {
        // An included file that is open itself has an analysis of its own.
        found.retain(|file, _| file.as_str() == uri || !self.texts.contains_key(file.as_str()));
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        // Also with nothing wrong: the list that was sent before has to be replaced by an empty
        // one.
        found.entry(text.now.uri.clone()).or_default();
        let published = found.keys().cloned().collect();
        let before = std::mem::replace(&mut text.published, published);
        // Files that had something wrong because of this text, and have not any more.
        let gone = before.into_iter().filter(|file| !found.contains_key(file));
        gone.for_each(|file| self.publish(file, Vec::new()));
        for (file, list) in found {
            self.publish(file, list);
        }
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<Diagnostic>) {
        let version = self.texts.get(uri.as_str()).map(|text| text.now.version);
        let params = PublishDiagnosticsParams::new(uri, diagnostics, version);
        self.replies.writer.notify::<PublishDiagnostics>(&params);
    }
}

/// Answers a request from an earlier analysis, if it is one that is sent while writing; otherwise returns it.
fn hurried(
    inquiry: Inquiry,
    text: &OpenText,
    client: Client,
    replies: &Replies,
) -> Option<Inquiry> {
    if !WHILE_WRITING.contains(&&*inquiry.method) {
        return Some(inquiry);
    }
    if let Some(last) = &text.last {
        last.ask(inquiry);
        return None;
    }
    if inquiry.method != Completion::METHOD {
        return Some(inquiry);
    }
    let Ok(place) = TextDocumentPositionParams::deserialize(&inquiry.params) else {
        return Some(inquiry);
    };
    // Words of the text and built-in names: only the declaration is read.
    let found = completion(None, client, &inquiry.text, place.position);
    replies.answer(&inquiry.id, Ok(json!(found)));
    None
}
