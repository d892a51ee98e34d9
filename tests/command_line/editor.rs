//! An editor, as far as the language server can tell.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Editor {
    pub server: Child,
    pub stdin: ChildStdin,
    pub messages: Receiver<Value>,
    last: u64,
}

impl Editor {
    pub fn start() -> Self {
        let mut editor = Self::start_without_initializing();
        editor.initialize(&json!({}));
        editor
    }

    /// An editor that can do all that matters to the server.
    pub fn start_able() -> Self {
        let mut editor = Self::start_without_initializing();
        editor.initialize(&json!({
            "textDocument": {
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "rename": { "prepareSupport": true },
                "codeAction": { "codeActionLiteralSupport": {} },
            },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
        }));
        editor
    }

    pub fn initialize(&mut self, able: &Value) -> Value {
        let answer = self.ask("initialize", &json!({ "capabilities": able }));
        assert_eq!(answer["capabilities"]["hoverProvider"], true);
        self.tell("initialized", &json!({}));
        answer["capabilities"].clone()
    }

    pub fn start_without_initializing() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdin = server.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(server.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            server,
            stdin,
            messages,
            last: 0,
        }
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        self.stdin.flush().expect("it reads");
    }

    pub fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn respond(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            if message["id"] == id {
                return message;
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let response = self.respond(method, params);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    /// The next diagnostics of a file, as places and codes.
    pub fn diagnostics(&mut self, uri: &str) -> Vec<(u64, u64, String)> {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message");
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
            {
                let list = message["params"]["diagnostics"].as_array().expect("a list");
                let start =
                    |d: &Value, what: &str| d["range"]["start"][what].as_u64().expect("a number");
                let code = |d: &Value| d["code"].as_str().expect("a code").to_owned();
                return list
                    .iter()
                    .map(|d| (start(d, "line"), start(d, "character"), code(d)))
                    .collect();
            }
        }
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "csp", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri, "version": 2 },
            "contentChanges": [{ "text": text }],
        });
        self.tell("textDocument/didChange", &params);
    }

    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
        });
        self.ask(method, &params)
    }

    /// The parameters of the next notification or request of the server.
    pub fn notified(&mut self, method: &str) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message");
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// The next answer to a request.
    pub fn message(&mut self, id: &str) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).expect("it reads");
        self.stdin.flush().expect("it reads");
    }

    /// The code and the id of the next error.
    pub fn error(&mut self) -> (i64, Value) {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message");
            if let Some(code) = message["error"]["code"].as_i64() {
                return (code, message["id"].clone());
            }
        }
    }

    pub fn status(&mut self) -> Option<i32> {
        self.server.wait().expect("the server ends").code()
    }

    pub fn end(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null), Value::Null);
        self.tell("exit", &Value::Null);
        let status = self.server.wait().expect("the server ends");
        assert!(status.success(), "{status}");
    }
}

fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some(n) = line.strip_prefix("Content-Length: ") {
            length = n.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
