//! A session with an editor: what it says, in the order in which it says it, and who has to look at what.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::analysis::TextVersion;
use super::client::Client;
use super::code;
use super::completion::completion;
use super::names;
use super::texts::{OpenText, edited};
use super::wire::{self, Writer};
use super::worker::{
    Analyst, ByFile, Inquiry, LookOutcome, Looked, Pending, Replies, SymbolSearch, Task, position,
};
use crate::source::hash::IndexMap;

/// After a change, this long nothing is said of a text: people type on.
const PAUSE: Duration = Duration::from_millis(150);
/// So long a person waits while writing for what is known of the text as it is; then what was known of it before
/// has to do.
const PATIENCE: Duration = Duration::from_millis(120);
/// So many texts are looked at at once.
const LOOKS_MAX: usize = 2;

/// What is asked of a text, and what has to come with it.
const QUESTIONS: [(&str, &[&str]); 13] = [
    ("textDocument/hover", &["position"]),
    ("textDocument/definition", &["position"]),
    ("textDocument/references", &["position"]),
    ("textDocument/documentHighlight", &["position"]),
    ("textDocument/prepareRename", &["position"]),
    ("textDocument/rename", &["position", "newName"]),
    ("textDocument/completion", &["position"]),
    ("textDocument/codeAction", &["range"]),
    ("textDocument/semanticTokens/full", &[]),
    (
        "textDocument/semanticTokens/full/delta",
        &["previousResultId"],
    ),
    ("textDocument/semanticTokens/range", &["range"]),
    ("textDocument/foldingRange", &[]),
    ("textDocument/documentSymbol", &[]),
];

/// Those that are asked at every key, and are answered although the text is being changed.
const WHILE_WRITING: [&str; 2] = ["textDocument/hover", "textDocument/completion"];

/// Serves an editor until it says goodbye or goes away. Gives the exit code: 0, or 1 if the editor
/// said goodbye without announcing it.
///
/// # Errors
/// If the operating system refuses a thread.
pub fn serve() -> Result<u8, String> {
    // The threads of both directions are there before the first message is looked at: if one is refused, nothing
    // has been promised to the editor.
    let start = || {
        let (writer, written) = Writer::start()?;
        let (events, received) = channel();
        wire::read(events.clone(), Event::Message)?;
        let pending = Pending::default();
        let server = Server {
            replies: Replies { writer, pending },
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

/// What this server can do for an editor.
fn capabilities(client: Client) -> Value {
    let rename = match client.prepares_rename {
        true => json!({ "prepareProvider": true }),
        false => json!(true),
    };
    let actions = match client.literal_actions {
        true => json!({ "codeActionKinds": ["quickfix"] }),
        false => json!(false),
    };
    json!({
        "capabilities": {
            "positionEncoding": client.units.name(),
            "textDocumentSync": { "openClose": true, "change": 2, "save": {} },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": rename,
            "codeActionProvider": actions,
            "completionProvider": { "triggerCharacters": [".", "!", "?"] },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "foldingRangeProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": names::TOKENS, "tokenModifiers": ["defaultLibrary"] },
                "range": true,
                "full": { "delta": true },
            },
        },
        "serverInfo": {
            "name": "orbitscope",
            "version": env!("CARGO_PKG_VERSION"),
        },
    })
}

/// What is missing in the parameters of a question.
fn missing(params: &Value, needed: &[&str]) -> Option<String> {
    let whole = |place: &Value| place["line"].is_u64() && place["character"].is_u64();
    let there = |what: &str| {
        let value = &params[what];
        match what {
            "position" => whole(value),
            "range" => whole(&value["start"]) && whole(&value["end"]),
            _ => value.is_string(),
        }
    };
    if !params["textDocument"]["uri"].is_string() {
        return Some("a text is to be named by its URI".to_owned());
    }
    let absent = needed.iter().find(|what| !there(what))?;
    Some(format!("`{absent}` is missing, or not what it should be"))
}

/// How far a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Ready,
    ShutDown,
}

type Received = Option<Result<Value, String>>;

/// What the session reacts to.
enum Event {
    Message(Received),
    Looked(Looked),
}

/// The state of a session.
struct Server {
    replies: Replies,
    /// Where those who look at texts report.
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
            // With nothing to do, the server sleeps until something comes; the hour is any long time. What is
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
                    let writer = &self.replies.writer;
                    writer.error(&Value::Null, code::PARSE_ERROR, &wrong);
                }
                Ok(Event::Message(Some(Ok(message)))) => {
                    if let Some(code) = self.message(&message) {
                        return code;
                    }
                }
                Ok(Event::Looked(looked)) => self.looked(looked),
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
        let writer = &self.replies.writer;
        let Some(method) = message["method"].as_str() else {
            // What the editor answers is of no interest here.
            if !(has_id && answers) {
                let id = if named { id } else { &Value::Null };
                let wrong = "the message is neither a request nor a notification";
                writer.error(id, code::INVALID_REQUEST, wrong);
            }
            return None;
        };
        // An id of another kind cannot be answered to: the error goes to `null`, as JSON-RPC asks.
        if message["jsonrpc"] != "2.0" || has_id && !named {
            let id = if named { id } else { &Value::Null };
            let wrong = "a message has `jsonrpc` \"2.0\", and an id that is a string or a number";
            writer.error(id, code::INVALID_REQUEST, wrong);
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
        let refuse = |code, why: &str| self.replies.writer.error(id, code, why);
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Ready;
                self.client = Client::new(params);
                self.replies.writer.result(id, &capabilities(self.client));
            }
            (Phase::New, _) => refuse(code::NOT_INITIALIZED, "expected `initialize` first"),
            (Phase::ShutDown, _) => refuse(code::INVALID_REQUEST, "the server was shut down"),
            (Phase::Ready, "initialize") => {
                refuse(code::INVALID_REQUEST, "the server is initialized");
            }
            (Phase::Ready, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.texts.clear();
                // Nobody will answer these any more.
                for open in self.replies.pending.finish_all() {
                    let why = "the server is shut down";
                    self.replies.writer.error(&open, code::CANCELLED, why);
                }
                self.replies.writer.result(id, &Value::Null);
            }
            (Phase::Ready, "workspace/symbol") => match params["query"].as_str() {
                None => refuse(code::INVALID_PARAMS, "`query` is missing"),
                Some(query) => {
                    if self.begin(id) {
                        self.search(id, query);
                    }
                }
            },
            (Phase::Ready, method) => match QUESTIONS.iter().find(|(q, _)| *q == method) {
                None => {
                    let why = format!("`{method}` is not supported");
                    refuse(code::METHOD_NOT_FOUND, &why);
                }
                Some((question, needed)) => match missing(params, needed) {
                    Some(why) => refuse(code::INVALID_PARAMS, &why),
                    None => {
                        if self.begin(id) {
                            self.question(id, question, params);
                        }
                    }
                },
            },
        }
    }

    /// Notes that a request is to be answered.
    fn begin(&self, id: &Value) -> bool {
        let new = self.replies.pending.begin(id);
        if !new {
            let why = "another request has this id and is not answered yet";
            self.replies.writer.error(id, code::INVALID_REQUEST, why);
        }
        new
    }

    fn question(&mut self, id: &Value, method: &'static str, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(text) = self.texts.get_mut(uri) else {
            // Closed meanwhile, or never opened.
            self.replies.answer(id, Ok(Value::Null));
            return;
        };
        let inquiry = Inquiry {
            id: id.clone(),
            method,
            params: params.clone(),
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
        let uri = params["textDocument"]["uri"].as_str();
        let now = Instant::now();
        match (method, uri) {
            ("$/cancelRequest", _) => {
                let why = (code::CANCELLED, "the request was cancelled".to_owned());
                // If somebody was quicker, it has been answered, and this comes too late.
                self.replies.answer(&params["id"], Err(why));
            }
            ("initialized", _) if self.client.watches_files => self.watch(),
            // What was saved, came or went may be included by others.
            ("textDocument/didSave" | "workspace/didChangeWatchedFiles", _) => {
                for text in self.texts.values_mut() {
                    self.numbers += 1;
                    text.forget(self.numbers);
                    // A text that is being typed keeps its pause.
                    text.due = text.due.or(Some(now));
                }
            }
            ("textDocument/didOpen", Some(uri)) => {
                let document = &params["textDocument"];
                let text = document["text"].as_str().unwrap_or_default();
                self.close(uri);
                let version = TextVersion {
                    uri: uri.to_owned(),
                    version: document["version"].as_i64(),
                    text: Arc::from(text),
                };
                self.numbers += 1;
                let mut open = OpenText::new(version, self.numbers);
                // At once: a text that was just opened is not being typed.
                open.due = Some(now);
                self.texts.insert(uri.to_owned(), open);
            }
            ("textDocument/didChange", Some(uri)) => {
                let changes = params["contentChanges"].as_array();
                let version = params["textDocument"]["version"].as_i64();
                self.change(uri, version, changes.map_or(&[], |list| list));
            }
            ("textDocument/didClose", Some(uri)) => self.close(uri),
            _ => {}
        }
    }

    /// Asks the editor to tell of scripts that come, go or change on disk.
    fn watch(&self) {
        let watchers = json!([{ "globPattern": "**/*.csp" }, { "globPattern": "**/*.cspm" }]);
        let method = "workspace/didChangeWatchedFiles";
        let options = json!({ "watchers": watchers });
        let registration = json!({ "id": "scripts", "method": method, "registerOptions": options });
        let params = json!({ "registrations": [registration] });
        let writer = &self.replies.writer;
        writer.request("watch-scripts", "client/registerCapability", &params);
    }

    fn change(&mut self, uri: &str, version: Option<i64>, changes: &[Value]) {
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        let new = match edited(&text.now.text, changes, self.client.units) {
            Ok(new) => new,
            Err(why) => {
                let message = format!("a change of {uri} was passed over: {why}");
                let params = json!({ "type": 1, "message": message });
                self.replies.writer.notify("window/logMessage", &params);
                return;
            }
        };
        self.numbers += 1;
        text.forget(self.numbers);
        // What was asked about the text before.
        for (_, inquiry) in std::mem::take(&mut text.waiting) {
            if let Some(inquiry) = hurried(inquiry, text, self.client, &self.replies) {
                // By this code an editor knows that nothing is wrong, and asks again if it still wants to know.
                let why = (code::CONTENT_MODIFIED, "the text has changed".to_owned());
                self.replies.answer(&inquiry.id, Err(why));
            }
        }
        text.now.text = Arc::from(new);
        text.now.version = version.or(text.now.version);
        // Replaces what was due: as long as changes come, nothing is said.
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
            // An editor shows diagnostics until it is told of others, also for a text that is
            // closed.
            self.publish(&file, &[]);
        }
    }

    /// Sees to what can be done now: looks that are due, and questions that have waited long enough.
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
                    // Nothing is known at all: it waits for that.
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

    /// Has a text looked at, if that is wanted and can be.
    fn start(&mut self, uri: &str, now: Instant) {
        let looks = self.texts.values().filter(|text| text.running.is_some());
        if looks.count() >= LOOKS_MAX {
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
        let task = Task {
            text: text.now.clone(),
            number: text.number,
            client: self.client,
            outdated: text.outdated.clone(),
            colours: text.colours.clone(),
            replies: self.replies.clone(),
        };
        let events = self.events.clone();
        let report = move |looked| {
            // The session may be over.
            let _ = events.send(Event::Looked(looked));
        };
        match Analyst::start(task, report) {
            Ok(analyst) => text.running = Some((text.number, analyst)),
            Err(_) => self.failed(uri),
        }
    }

    /// Somebody has looked at a text, or has given up.
    fn looked(&mut self, looked: Looked) {
        let Looked {
            uri,
            number,
            outcome,
        } = looked;
        let Some(text) = self.texts.get_mut(&uri) else {
            return;
        };
        // Of a text that was closed and opened again there may be older ones.
        let Some((_, analyst)) = text.running.take_if(|(running, _)| *running == number) else {
            return;
        };
        let current = number == text.number;
        match outcome {
            LookOutcome::Known(wrong) if current => {
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
            LookOutcome::Known(_) => text.last = Some(analyst),
            LookOutcome::Fault if current => self.failed(&uri),
            LookOutcome::GivenUp | LookOutcome::Fault => {}
        }
    }

    /// A text cannot be looked at: nothing is tried again before it changes.
    fn failed(&mut self, uri: &str) {
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        text.due = None;
        text.searches.clear();
        for (_, inquiry) in std::mem::take(&mut text.waiting) {
            let why = (code::INTERNAL_ERROR, "a fault of the server".to_owned());
            self.replies.answer(&inquiry.id, Err(why));
        }
    }

    /// Tells the editor what is wrong with a text.
    fn tell(&mut self, uri: &str, mut found: ByFile) {
        // An included file that is open itself is looked at by itself.
        found.retain(|file, _| file == uri || !self.texts.contains_key(file));
        // Also with nothing wrong: the list that was sent before has to be replaced by an empty
        // one.
        found.entry(uri.to_owned()).or_default();
        let Some(text) = self.texts.get_mut(uri) else {
            return;
        };
        let before = std::mem::take(&mut text.published);
        text.published = found.keys().cloned().collect();
        // Files that had something wrong because of this text, and have not any more.
        for file in before.iter().filter(|file| !found.contains_key(*file)) {
            self.publish(file, &[]);
        }
        for (file, list) in &found {
            self.publish(file, list);
        }
    }

    fn publish(&self, uri: &str, list: &[Value]) {
        let mut params = json!({ "uri": uri, "diagnostics": list });
        let version = self.texts.get(uri).and_then(|text| text.now.version);
        if let Some(version) = version {
            params["version"] = json!(version);
        }
        let writer = &self.replies.writer;
        writer.notify("textDocument/publishDiagnostics", &params);
    }
}

/// Answers a question by what was known of a text before, if it is one that is asked while writing; otherwise it is
/// given back.
fn hurried(
    inquiry: Inquiry,
    text: &OpenText,
    client: Client,
    replies: &Replies,
) -> Option<Inquiry> {
    if !WHILE_WRITING.contains(&inquiry.method) {
        return Some(inquiry);
    }
    if let Some(last) = &text.last {
        last.ask(inquiry);
        return None;
    }
    if inquiry.method != "textDocument/completion" {
        return Some(inquiry);
    }
    // The words around and what is always there: only the declaration is looked at.
    let at = position(&inquiry.params["position"]);
    let found = completion(None, client, &inquiry.text, at);
    replies.answer(&inquiry.id, Ok(found));
    None
}
