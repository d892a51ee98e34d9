//! The language server, driven as an editor drives it.

use crate::support;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

struct Editor {
    server: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    last: u64,
}

impl Editor {
    fn start() -> Self {
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
        let mut editor = Self {
            server,
            stdin,
            messages,
            last: 0,
        };
        let able = editor.ask("initialize", &json!({ "capabilities": {} }));
        assert_eq!(able["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", &json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        self.stdin.flush().expect("it reads");
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn respond(&mut self, method: &str, params: &Value) -> Value {
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

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let response = self.respond(method, params);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    /// The next diagnostics of a file, as places and codes.
    fn diagnostics(&mut self, uri: &str) -> Vec<(u64, u64, String)> {
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

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "csp", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri, "version": 2 },
            "contentChanges": [{ "text": text }],
        });
        self.tell("textDocument/didChange", &params);
    }

    fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
        });
        self.ask(method, &params)
    }

    fn end(mut self) {
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

const SCRIPT: &str = "datatype Id = A | B | C
channel c : Id.{0..3}
-- é𝔸
P(i, n) = let m = (n + 1) % 4 within c!i?x -> P(i, m)
System = ||| i : Id @ P(i, 0)
limit = 3
";

#[test]
fn diagnostics_follow_the_text() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/a.csp";
    editor.open(uri, "channel c : {0..3}\n{- é𝔸 -} P = c!true -> Q\n");
    let expected = vec![(1, 16, "E0301".to_owned()), (1, 24, "E0201".to_owned())];
    assert_eq!(editor.diagnostics(uri), expected);
    // Several changes in a row are looked at once, as the last of them left the text.
    for text in ["P = ", "P = Q", "P = (STOP"] {
        editor.change(uri, text);
    }
    assert_eq!(editor.diagnostics(uri), [(0, 4, "E0103".to_owned())]);
    editor.change(uri, SCRIPT);
    assert_eq!(editor.diagnostics(uri), []);
    editor.change(uri, "P = Q");
    editor.tell(
        "textDocument/didClose",
        &json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(editor.diagnostics(uri), []);
    editor.end();
}

#[test]
fn types_and_definitions_are_known() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/b.csp";
    editor.open(uri, SCRIPT);
    let mut hover = |line, character| {
        let found = editor.at("textDocument/hover", uri, line, character);
        found["contents"]["value"].as_str().map(ToOwned::to_owned)
    };
    assert_eq!(
        hover(4, 23).as_deref(),
        Some("```csp\nP :: (Id, Int) -> Proc\n```\n")
    );
    assert_eq!(
        hover(3, 39).as_deref(),
        Some("```csp\ni :: Id\n```\nvariable")
    );
    assert_eq!(
        hover(3, 51).as_deref(),
        Some("```csp\nm :: Int\n```\nvariable")
    );
    assert_eq!(hover(2, 3), None);
    assert_eq!(hover(99, 3), None);
    let type_of = hover(4, 18).expect("something");
    assert!(
        type_of.contains("symmetric in `Id` (3 of 3 values)"),
        "{type_of}"
    );
    let mut definition = |line, character| {
        let found = editor.at("textDocument/definition", uri, line, character);
        let start = &found["range"]["start"];
        (start["line"].as_u64(), start["character"].as_u64())
    };
    assert_eq!(definition(4, 23), (Some(3), Some(0)));
    assert_eq!(definition(3, 37), (Some(1), Some(8)));
    assert_eq!(definition(3, 51), (Some(3), Some(14)));
    assert_eq!(definition(2, 3), (None, None));
    // The answer is about the text as it is now, without a pause.
    editor.change(uri, &format!("\n{SCRIPT}"));
    let moved = editor.at("textDocument/definition", uri, 5, 23);
    assert_eq!(moved["range"]["start"]["line"], 4);
    editor.end();
}

#[test]
fn the_outline_has_every_name() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/c.csp";
    editor.open(uri, SCRIPT);
    let params = json!({ "textDocument": { "uri": uri } });
    let symbols = editor.ask("textDocument/documentSymbol", &params);
    let symbols = symbols.as_array().expect("a list");
    let shown: Vec<String> = symbols
        .iter()
        .map(|s| format!("{} {} {}", s["name"], s["kind"], s["detail"]))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    "Id" 10 ""
    "c" 24 "Id=>Int=>Event"
    "P" 12 "(Id, Int) -> Proc"
    "System" 14 "Proc"
    "limit" 14 "Int"
    "#);
    let members = symbols[0]["children"].as_array().map(Vec::len);
    assert_eq!(members, Some(3));
    let unknown = editor.respond("textDocument/rename", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    editor.end();
}

#[test]
fn includes_are_found_beside_the_text() {
    let part = support::script("lsp_part.csp", "channel a\nQ = b -> Q\n");
    let folder = part.parent().expect("a folder");
    let uri = |name: &str| {
        let path = folder.join(name).display().to_string().replace(' ', "%20");
        format!("file://{path}")
    };
    let mut editor = Editor::start();
    let main = uri("lsp_main.csp");
    editor.open(&main, "include \"lsp_part.csp\"\nP = a -> Q\n");
    // The error is in the file that is included.
    assert_eq!(editor.diagnostics(&main), []);
    let found = editor.at("textDocument/definition", &main, 1, 4);
    assert_eq!(found["uri"], uri("lsp_part.csp"));
    std::fs::write(&part, "channel a, b\nQ = b -> Q\n").expect("it can be written");
    editor.tell(
        "textDocument/didSave",
        &json!({ "textDocument": { "uri": main } }),
    );
    assert_eq!(editor.diagnostics(&uri("lsp_part.csp")), []);
    editor.end();
}

#[test]
fn an_editor_that_goes_away_is_no_fault() {
    let editor = Editor::start();
    let Editor {
        mut server, stdin, ..
    } = editor;
    drop(stdin);
    let status = server.wait().expect("the server ends");
    assert!(status.success(), "{status}");
}
