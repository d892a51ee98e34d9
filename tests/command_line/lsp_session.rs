//! What an editor and the language server owe each other, whatever is said: columns as agreed, each request
//! answered once, and at the end the truth about the last text.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::editor::{Editor, PATIENCE};
use crate::support;

const URI: &str = "file:///nowhere/s.csp";

fn document(uri: &str) -> Value {
    json!({ "uri": uri })
}

#[test]
fn columns_are_counted_as_the_editor_wants() {
    for (wanted, named, column) in [
        (json!(["utf-8", "utf-16"]), "utf-8", 16),
        (json!(["utf-32"]), "utf-32", 13),
        (json!(["utf-7", "utf-16"]), "utf-16", 14),
        (json!([]), "utf-16", 14),
    ] {
        let mut editor = Editor::start_without_initializing();
        let able = editor.initialize(&json!({ "general": { "positionEncodings": wanted } }));
        assert_eq!(able["positionEncoding"], named);
        editor.open(URI, "{- 𝔸 -} P =  Undefined\n");
        assert_eq!(editor.diagnostics(URI), [(0, column, "E0201".to_owned())]);
        // And so are those of its changes.
        let range = json!({
            "start": { "line": 0, "character": column },
            "end": { "line": 0, "character": column + 9 },
        });
        let changes = json!([{ "range": range, "text": "STOP" }]);
        let version = json!({ "uri": URI, "version": 2 });
        let params = json!({ "textDocument": version, "contentChanges": changes });
        editor.tell("textDocument/didChange", &params);
        assert_eq!(editor.diagnostics(URI), []);
        let hover = editor.at("textDocument/hover", URI, 0, column as u32 + 1);
        assert_eq!(hover["range"]["start"]["character"], column);
        assert_eq!(hover["range"]["end"]["character"], column + 4);
        editor.end();
    }
}

#[test]
fn an_editor_gets_the_forms_that_it_knows() {
    let mut plain = Editor::start_without_initializing();
    let able = plain.initialize(&json!({
        "textDocument": { "hover": { "contentFormat": ["plaintext"] } },
    }));
    // What it did not say that it can take is not sent.
    assert_eq!(able["codeActionProvider"], false);
    assert_eq!(able["renameProvider"], true);
    plain.open(URI, "datatype T = A\nP = STOP\n");
    let hover = plain.at("textDocument/hover", URI, 1, 0);
    let shown = json!({ "kind": "plaintext", "value": "P :: Proc" });
    assert_eq!(hover["contents"], shown);
    let params = json!({ "textDocument": document(URI) });
    let symbols = plain.ask("textDocument/documentSymbol", &params);
    let place = |symbol: &Value| symbol["location"]["range"]["start"]["character"].clone();
    let shown: Vec<_> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .map(|s| (s["name"].clone(), place(s)))
        .collect();
    assert_eq!(
        shown,
        [
            (json!("T"), json!(9)),
            (json!("A"), json!(13)),
            (json!("P"), json!(0))
        ]
    );
    plain.end();

    let mut able = Editor::start_able();
    able.open(URI, "P = STOP\nQ = P\n");
    let params = json!({
        "textDocument": document(URI), "position": { "line": 1, "character": 4 }, "newName": "R",
    });
    let edit = able.ask("textDocument/rename", &params);
    // Whoever has typed meanwhile does not get changes for another text.
    assert_eq!(
        edit["documentChanges"][0]["textDocument"],
        json!({ "uri": URI, "version": 1 })
    );
    assert_eq!(
        edit["documentChanges"][0]["edits"].as_array().map(Vec::len),
        Some(2)
    );
    able.end();
}

#[test]
fn what_is_wrong_with_a_message_is_said() {
    let mut editor = Editor::start();
    editor.open(URI, "P = Q\n");
    assert_eq!(editor.diagnostics(URI), [(0, 4, "E0201".to_owned())]);
    for (method, params) in [
        (
            "textDocument/hover",
            json!({ "textDocument": document(URI) }),
        ),
        (
            "textDocument/hover",
            json!({ "textDocument": document(URI), "position": { "line": -1, "character": 0 } }),
        ),
        (
            "textDocument/rename",
            json!({ "textDocument": document(URI), "position": { "line": 0, "character": 0 } }),
        ),
        (
            "textDocument/semanticTokens/range",
            json!({ "textDocument": document(URI), "range": {} }),
        ),
        ("workspace/symbol", json!({})),
    ] {
        assert_eq!(
            editor.respond(method, &params)["error"]["code"],
            -32602,
            "{method} {params}"
        );
    }
    for method in [
        "textDocument/formatting",
        "$/unknown",
        "workspace/executeCommand",
    ] {
        let params = json!({ "textDocument": document(URI) });
        assert_eq!(
            editor.respond(method, &params)["error"]["code"],
            -32601,
            "{method}"
        );
    }
    editor.tell("$/setTrace", &json!({ "value": "off" }));
    editor.tell("textDocument/willSave", &json!(null));
    // A change that is none changes nothing, and the editor is told.
    for change in [
        json!({ "range": {}, "text": "x" }),
        json!({ "range": null }),
        json!(7),
    ] {
        let version = json!({ "uri": URI, "version": 2 });
        let params =
            json!({ "textDocument": version, "contentChanges": [{ "text": "P = STOP" }, change] });
        editor.tell("textDocument/didChange", &params);
        let said = editor.notified("window/logMessage");
        assert!(
            said["message"]
                .as_str()
                .is_some_and(|m| m.contains("passed over")),
            "{said}"
        );
    }
    assert!(editor.at("textDocument/hover", URI, 0, 4).is_null());
    // A text that is not open has no answers, and one that is deleted has.
    for (uri, known) in [("file:///nowhere/else.csp", false), (URI, true)] {
        let params = json!({ "textDocument": document(uri) });
        let found = editor.ask("textDocument/documentSymbol", &params);
        assert_eq!(found.is_array(), known, "{uri}");
    }
    // Two requests of one name cannot both be answered.
    let slow = json!({ "textDocument": document(URI), "position": { "line": 0, "character": 0 } });
    editor.change(URI, "P = STOP\n");
    for _ in 0..2 {
        editor.send(&json!({ "jsonrpc": "2.0", "id": "twice", "method": "textDocument/definition", "params": slow }));
    }
    let codes =
        [editor.message("twice"), editor.message("twice")].map(|m| m["error"]["code"].as_i64());
    assert!(
        codes.contains(&Some(-32600)) || codes == [None, None],
        "{codes:?}"
    );
    editor.end();
}

#[test]
fn a_shutdown_leaves_no_request_open() {
    let mut editor = Editor::start();
    let text = "channel a\n".to_owned() + &"P(x) = a -> P(x * 2 + 1)\n".repeat(4000);
    editor.open(URI, &text);
    for id in 0..5 {
        let params = json!({ "textDocument": document(URI) });
        editor.send(&json!({ "jsonrpc": "2.0", "id": format!("s{id}"), "method": "textDocument/semanticTokens/full", "params": params }));
    }
    editor.send(&json!({ "jsonrpc": "2.0", "id": "names", "method": "workspace/symbol", "params": { "query": "" } }));
    editor.send(&json!({ "jsonrpc": "2.0", "id": "end", "method": "shutdown" }));
    let mut answered = BTreeMap::new();
    while !answered.contains_key("\"end\"") {
        let message = editor.messages.recv_timeout(PATIENCE).expect("an answer");
        if message.get("method").is_none() {
            *answered.entry(message["id"].to_string()).or_insert(0) += 1;
        }
    }
    assert_eq!(answered.len(), 7, "{answered:?}");
    assert!(answered.values().all(|times| *times == 1), "{answered:?}");
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.status(), Some(0));
}

/// Each function doubles the type of the one before, so that checking the types would take all memory there is.
#[test]
fn a_text_whose_types_have_no_end_is_given_up() {
    let doubling = |n: u32| format!("d{n} = \\x @ d{0}(d{0}(x))\n", n - 1);
    let functions: String = (1..=20).map(doubling).collect();
    let text = format!("d0 = \\x @ (x, x)\n{functions}k = d20(\\z @ z)\n");
    let mut editor = Editor::start();
    editor.open(URI, &text);
    let said = editor.diagnostics(URI);
    let limits = ["E0702", "E0707"];
    assert!(
        said.iter().any(|d| limits.contains(&d.2.as_str())),
        "{said:?}"
    );
    let peak = support::hard::peak(editor.server.id());
    assert!(peak < 800 << 20, "{} MB", peak >> 20);
    // What is small is looked at as before.
    editor.change(URI, "P = STOP\n");
    assert_eq!(editor.diagnostics(URI), []);
    editor.end();
}

#[test]
fn a_uri_may_have_characters_that_none_should_have() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/a [1] é.csp";
    editor.open(uri, "P = Q\n");
    let right = "file:///nowhere/a%20%5B1%5D%20%C3%A9.csp";
    assert_eq!(editor.diagnostics(right), [(0, 4, "E0201".to_owned())]);
    for uri in [uri, right] {
        assert!(editor.at("textDocument/hover", uri, 0, 0).is_object());
    }
    editor.end();
}

#[test]
fn names_of_all_open_texts_are_searched() {
    let part = support::script("lsp_names_part.csp", "channel inner\n");
    let folder = part
        .parent()
        .expect("a folder")
        .display()
        .to_string()
        .replace(' ', "%20");
    let mut editor = Editor::start();
    let main = format!("file://{folder}/lsp_names_main.csp");
    editor.open(
        &main,
        "include \"lsp_names_part.csp\"\nSpinner = inner -> STOP\n",
    );
    editor.open("file:///nowhere/t.csp", "datatype T = Inner | Outer\n");
    let mut names = |query: &str| {
        let found = editor.ask("workspace/symbol", &json!({ "query": query }));
        let name = |one: &Value| one["name"].as_str().expect("a name").to_owned();
        let mut all: Vec<String> = found.as_array().expect("a list").iter().map(name).collect();
        all.sort();
        all
    };
    assert_eq!(names("inr"), ["Inner", "Spinner", "inner"]);
    assert_eq!(names("T"), ["Outer", "T"]);
    assert_eq!(names("zzz"), [""; 0]);
    editor.end();
}

#[test]
fn files_that_come_and_go_are_noticed() {
    let part = support::script("lsp_watched_part.csp", "channel a\n");
    let folder = part
        .parent()
        .expect("a folder")
        .display()
        .to_string()
        .replace(' ', "%20");
    let mut editor = Editor::start_without_initializing();
    editor.initialize(
        &json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } }),
    );
    let asked = editor.notified("client/registerCapability");
    assert_eq!(
        asked["registrations"][0]["method"],
        "workspace/didChangeWatchedFiles"
    );
    editor.send(&json!({ "jsonrpc": "2.0", "id": "watch-scripts", "result": null }));
    let main = format!("file://{folder}/lsp_watched_main.csp");
    editor.open(&main, "include \"lsp_watched_part.csp\"\nP = a -> STOP\n");
    assert_eq!(editor.diagnostics(&main), []);
    std::fs::remove_file(&part).expect("it is there");
    editor.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [] }));
    assert_eq!(
        editor.diagnostics(&main).first().map(|d| d.2.as_str()),
        Some("E0801")
    );
    std::fs::write(&part, "channel a\n").expect("it can be written");
    editor.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [] }));
    assert_eq!(editor.diagnostics(&main), []);
    editor.end();
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % most as u64) as usize
    }
}

#[test]
fn a_storm_of_changes_ends_with_the_last_text_and_leaves_no_request_open() {
    let methods = [
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/references",
        "textDocument/documentSymbol",
        "textDocument/semanticTokens/full",
        "textDocument/foldingRange",
        "workspace/symbol",
        "textDocument/rename",
        "textDocument/codeAction",
    ];
    let mut editor = Editor::start_able();
    let mut dice = Dice(7);
    let base = "datatype T = A | B\nchannel c : T.{0..3}\n-- é𝔸\nP(i) = c!i?x -> P(i)\n".to_owned();
    editor.open(URI, &base);
    let mut asked = 0;
    for round in 2..300 {
        match dice.below(5) {
            0 | 1 => {
                // Small changes, most of which break something for a while.
                let (line, column) = (dice.below(5), dice.below(20));
                let place = json!({ "line": line, "character": column });
                let end = json!({ "line": line, "character": column + dice.below(3) });
                let new = ["x", "", "\n", "𝔸", "STOP", "Q(0) = ", "{-"][dice.below(7)];
                let change = json!({ "range": { "start": place, "end": end }, "text": new });
                let version = json!({ "uri": URI, "version": round });
                let params = json!({ "textDocument": version, "contentChanges": [change] });
                editor.tell("textDocument/didChange", &params);
            }
            2 => {
                // Answered or not: one that was never asked, too.
                let id = dice.below(asked + 2);
                editor.tell("$/cancelRequest", &json!({ "id": format!("q{id}") }));
            }
            _ => {
                let place = json!({ "line": dice.below(5), "character": dice.below(20) });
                let params = json!({
                    "textDocument": document(URI), "position": place, "newName": "fresh", "query": "P",
                    "range": { "start": place, "end": place }, "context": {},
                });
                let method = methods[dice.below(methods.len())];
                editor.send(&json!({ "jsonrpc": "2.0", "id": format!("q{asked}"), "method": method, "params": params }));
                asked += 1;
            }
        }
        if round % 50 == 0 {
            std::thread::sleep(Duration::from_millis(200));
        }
    }
    let version = json!({ "uri": URI, "version": 1000 });
    let last = json!({ "textDocument": version, "contentChanges": [{ "text": format!("{base}Q = R\n") }] });
    editor.tell("textDocument/didChange", &last);
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    let until = Instant::now() + PATIENCE;
    let told = loop {
        let left = until.saturating_duration_since(Instant::now());
        let message = editor
            .messages
            .recv_timeout(left)
            .expect("the last diagnostics");
        if message.get("method").is_none() {
            *answered.entry(message["id"].to_string()).or_default() += 1;
        }
        // Nothing comes after this: what was asked before has been answered.
        if message["params"]["version"] == 1000 {
            break message;
        }
    };
    let codes: Vec<&Value> = told["params"]["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|d| &d["code"])
        .collect();
    assert_eq!(codes, ["E0201"]);
    // A last question, whose answer comes last.
    let _ = editor.at("textDocument/hover", URI, 0, 0);
    for id in 0..asked {
        assert_eq!(
            answered.get(&format!("\"q{id}\"")),
            Some(&1),
            "q{id} of {asked}: {answered:?}"
        );
    }
    assert_eq!(answered.len(), asked);
    editor.end();
}
