//! A language server over standard input and output: diagnostics, types under the cursor, definitions
//! and an outline, for editors.
//!
//! In: the messages of an editor. Out: what the front end knows of the texts in them, saved or not.
//! Nothing here knows how anything is evaluated.

mod document;

use std::time::{Duration, Instant};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::source::hash::{IndexMap, IndexSet};
use crate::source::positions::Position;
use document::Document;

/// After a change, this long nothing is analysed: people type on.
const PAUSE: Duration = Duration::from_millis(150);

/// Serves an editor until it says goodbye or goes away.
///
/// # Errors
/// What the editor did that the protocol does not allow, or why it cannot be reached.
pub fn serve() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let result = session(&connection);
    // The threads end with the channels that they serve; after an error the editor may still hold
    // its end open, and nothing more is to be said to it.
    drop(connection);
    match result {
        Ok(()) => threads.join().map_err(|e| e.to_string()),
        error => error,
    }
}

fn session(connection: &Connection) -> Result<(), String> {
    let (id, _) = connection.initialize_start().map_err(|e| e.to_string())?;
    connection
        .initialize_finish(id, capabilities())
        .map_err(|e| e.to_string())?;
    let mut server = Server {
        connection,
        documents: IndexMap::default(),
        waiting: IndexMap::default(),
        published: IndexMap::default(),
    };
    server.run()
}

/// What this server can do. Texts are sent as a whole.
fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 1, "save": {} },
            "hoverProvider": true,
            "definitionProvider": true,
            "documentSymbolProvider": true,
        },
        "serverInfo": {
            "name": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
        },
    })
}

/// The state of a session.
struct Server<'a> {
    connection: &'a Connection,
    /// The open texts, by their URIs.
    documents: IndexMap<String, Document>,
    /// Those that changed, and when to look at them.
    waiting: IndexMap<String, Instant>,
    /// For each open text, the files that have diagnostics because of it.
    published: IndexMap<String, IndexSet<String>>,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), String> {
        loop {
            let next = match self.waiting.values().min() {
                None => self.connection.receiver.recv().ok(),
                Some(due) => match self.connection.receiver.recv_deadline(*due) {
                    Ok(message) => Some(message),
                    Err(error) if error.is_timeout() => {
                        self.analyse_waiting(Some(Instant::now()))?;
                        continue;
                    }
                    Err(_) => None,
                },
            };
            match next {
                // The editor is gone.
                None => return Ok(()),
                Some(Message::Request(request)) => {
                    let ends = self.connection.handle_shutdown(&request);
                    if ends.map_err(|e| e.to_string())? {
                        return Ok(());
                    }
                    self.request(&request)?;
                }
                Some(Message::Notification(notification)) => self.notification(&notification)?,
                Some(Message::Response(_)) => {}
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), String> {
        let sent = self.connection.sender.send(message);
        sent.map_err(|_| "the editor does not listen any more".to_owned())
    }

    fn notification(&mut self, notification: &Notification) -> Result<(), String> {
        let params = &notification.params;
        let Some(uri) = params["textDocument"]["uri"].as_str() else {
            return Ok(());
        };
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or_default();
                self.open(uri, text);
                self.analyse(uri)
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let last = changes.and_then(|list| list.last());
                if let Some(text) = last.and_then(|change| change["text"].as_str()) {
                    self.open(uri, text);
                    self.waiting.insert(uri.to_owned(), Instant::now() + PAUSE);
                }
                Ok(())
            }
            // What was saved may be included by others.
            "textDocument/didSave" => {
                let now = Instant::now();
                for uri in self.documents.keys() {
                    self.waiting.entry(uri.clone()).or_insert(now);
                }
                Ok(())
            }
            "textDocument/didClose" => self.close(uri),
            _ => Ok(()),
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        self.documents
            .insert(uri.to_owned(), Document::new(uri, text));
    }

    fn close(&mut self, uri: &str) -> Result<(), String> {
        self.documents.shift_remove(uri);
        self.waiting.shift_remove(uri);
        for file in self.published.shift_remove(uri).unwrap_or_default() {
            self.publish(&file, &[])?;
        }
        Ok(())
    }

    /// Looks at the texts that changed and are due; at all of them if no time is given.
    fn analyse_waiting(&mut self, now: Option<Instant>) -> Result<(), String> {
        let is_due = |due: &Instant| now.is_none_or(|now| *due <= now);
        let due: Vec<String> = self
            .waiting
            .iter()
            .filter(|(_, due)| is_due(due))
            .map(|(uri, _)| uri.clone())
            .collect();
        for uri in due {
            self.analyse(&uri)?;
        }
        Ok(())
    }

    /// Looks at a text and tells the editor what is wrong with it.
    fn analyse(&mut self, uri: &str) -> Result<(), String> {
        self.waiting.shift_remove(uri);
        let Some(document) = self.documents.get_mut(uri) else {
            return Ok(());
        };
        let mut found = document.diagnostics();
        // An included file that is open itself is looked at by itself.
        found.retain(|file, _| file == uri || !self.documents.contains_key(file));
        found.entry(uri.to_owned()).or_default();
        let before = self.published.shift_remove(uri).unwrap_or_default();
        for file in before.iter().filter(|file| !found.contains_key(*file)) {
            self.publish(file, &[])?;
        }
        for (file, list) in &found {
            self.publish(file, list)?;
        }
        self.published
            .insert(uri.to_owned(), found.into_keys().collect());
        Ok(())
    }

    fn publish(&self, uri: &str, list: &[Value]) -> Result<(), String> {
        let params = json!({ "uri": uri, "diagnostics": list });
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Message::Notification(Notification::new(method, params)))
    }

    fn request(&mut self, request: &Request) -> Result<(), String> {
        // Answers are about the text as it is now.
        self.analyse_waiting(None)?;
        let params = &request.params;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let document = self.documents.get_mut(uri);
        let number = |what: &str| {
            let value = params["position"][what].as_u64().unwrap_or(0);
            u32::try_from(value).unwrap_or(u32::MAX)
        };
        let at = Position {
            line: number("line"),
            character: number("character"),
        };
        let answer = match request.method.as_str() {
            "textDocument/hover" => document.and_then(|d| d.hover(at)),
            "textDocument/definition" => document.and_then(|d| d.definition(at)),
            "textDocument/documentSymbol" => document.map(Document::symbols),
            method => {
                let message = format!("`{method}` is not supported");
                let code = ErrorCode::MethodNotFound as i32;
                let response = Response::new_err(request.id.clone(), code, message);
                return self.send(Message::Response(response));
            }
        };
        let response = Response::new_ok(request.id.clone(), answer.unwrap_or(Value::Null));
        self.send(Message::Response(response))
    }
}
