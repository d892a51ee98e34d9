//! The language server, driven as an editor drives it.

use crate::editor::Editor;
use crate::support;

use serde_json::{Value, json};

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
        Some("```cspm\nP :: (Id, Int) -> Proc\n```\n")
    );
    assert_eq!(
        hover(3, 39).as_deref(),
        Some("```cspm\ni :: Id\n```\nvariable")
    );
    assert_eq!(
        hover(3, 51).as_deref(),
        Some("```cspm\nm :: Int\n```\nvariable")
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
    let mut editor = Editor::start_able();
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
    let unknown = editor.respond("textDocument/implementation", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let nameless = editor.respond("textDocument/rename", &json!({}));
    assert_eq!(nameless["error"]["code"], -32602);
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

#[test]
fn what_is_no_message_is_answered_and_passed_over() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/d.csp";
    editor.open(uri, SCRIPT);
    let frame = |text: &str, length: usize| format!("Content-Length: {length}\r\n\r\n{text}");
    let call = r#"{"jsonrpc":"2.0","id":77,"method":"textDocument/foldingRange","params":{}}"#;
    for (bytes, code, id) in [
        (frame("{\"jsonrpc\":", 11), -32700, Value::Null),
        (frame("{}", 40), -32700, Value::Null),
        (frame(call, call.len() - 9), -32700, Value::Null),
        ("Content-Length: x\r\n\r\n".to_owned(), -32700, Value::Null),
        (frame("[]", 2), -32600, Value::Null),
        (frame("17", 2), -32600, Value::Null),
        (frame("{\"id\":5}", 8), -32600, json!(5)),
        (
            frame(&call.replace("77", "{}"), call.len()),
            -32600,
            Value::Null,
        ),
        (frame(call, call.len()), -32602, json!(77)),
    ] {
        editor.raw(&bytes);
        // Needed where more was announced than came.
        editor.tell("$/nothing", &json!({}));
        assert_eq!(editor.error(), (code, id), "{bytes}");
        let found = editor.at("textDocument/hover", uri, 4, 23);
        assert!(found.is_object(), "after {bytes}");
    }
    // Ids beyond 32 bits are ids.
    let big = 1_u64 << 40;
    editor.send(&json!({ "jsonrpc": "2.0", "id": big, "method": "initialize" }));
    assert_eq!(editor.error(), (-32600, json!(big)));
    editor.end();
}

#[test]
fn a_session_has_an_order() {
    let mut editor = Editor::start();
    assert_eq!(editor.ask("shutdown", &Value::Null), Value::Null);
    let late = editor.respond("textDocument/hover", &json!({}));
    assert_eq!(late["error"]["code"], -32600);
    let again = editor.respond("shutdown", &Value::Null);
    assert_eq!(again["error"]["code"], -32600);
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.status(), Some(0));

    let mut editor = Editor::start();
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.status(), Some(1));

    let mut editor = Editor::start_without_initializing();
    let early = editor.respond("textDocument/hover", &json!({}));
    assert_eq!(early["error"]["code"], -32002);
    editor.tell("textDocument/didOpen", &json!({}));
    assert!(editor.ask("initialize", &json!({})).is_object());
    editor.end();
}

#[test]
fn changes_are_sent_in_parts() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/e.csp";
    editor.open(uri, SCRIPT);
    assert_eq!(editor.diagnostics(uri), []);
    let part = |line: u32, from: u32, to: u32, text: &str| {
        json!({
            "range": {
                "start": { "line": line, "character": from },
                "end": { "line": line, "character": to },
            },
            "text": text,
        })
    };
    let edit = |editor: &mut Editor, changes: Value| {
        let document = json!({ "uri": uri, "version": 3 });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        editor.tell("textDocument/didChange", &params);
    };
    // One unit of the file's character beyond 16 bits, and then the line is another.
    edit(
        &mut editor,
        json!([part(2, 4, 6, "x"), part(2, 0, 5, "limit2 = limit3")]),
    );
    assert_eq!(editor.diagnostics(uri), [(2, 9, "E0201".to_owned())]);
    edit(&mut editor, json!([part(2, 14, 15, "")]));
    assert_eq!(editor.diagnostics(uri), []);
    let found = editor.at("textDocument/definition", uri, 2, 11);
    assert_eq!(found["range"]["start"]["line"], 5);
    editor.end();
}

/// A script that takes seconds to read.
fn long_script() -> String {
    let mut text = String::from("channel a\n");
    for n in 0..6000 {
        text.push_str(&format!(
            "P{n}(x, y) = if x + {n} > y then a -> P{n}(x + 1, y) else a -> P{n}(y, x * (x + y))\n"
        ));
    }
    text
}

#[test]
fn analysis_waits_for_nobody_and_can_be_given_up() {
    let mut editor = Editor::start();
    let (uri, small) = ("file:///nowhere/f.csp", "file:///nowhere/g.csp");
    editor.open(uri, &long_script());
    let params =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 5, "character": 1 } });
    editor.send(&json!({ "jsonrpc": "2.0", "id": "slow", "method": "textDocument/hover", "params": params }));
    // The session goes on meanwhile: this comes before the answer.
    editor.send(&json!({ "jsonrpc": "2.0", "id": "wrong", "method": "nonsense" }));
    assert_eq!(editor.error(), (-32601, json!("wrong")));
    editor.tell("$/cancelRequest", &json!({ "id": "slow" }));
    assert_eq!(editor.error(), (-32800, json!("slow")));
    // Of what is outdated nothing is said; the last text counts.
    for _ in 0..5 {
        editor.change(uri, &long_script());
    }
    editor.change(uri, "P = Q");
    editor.open(small, "P = STOP\n");
    assert_eq!(editor.diagnostics(uri), [(0, 4, "E0201".to_owned())]);
    editor.end();
}

const NAMES: &str = "datatype T = A | B | C
subtype S = A | B
channel c : T.{0..2}
f(0) = STOP
f(n) = c.A!n -> f(n - 1)
-- f is not f here
P = let g(x) = c!x!0 -> SKIP within g(A) ; f(2)
n = 1
union2 = union({A}, S)
";

#[test]
fn names_are_found_and_renamed() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/h.csp";
    editor.open(uri, NAMES);
    let starts = |list: &Value| -> Vec<(u64, u64)> {
        let list = list.as_array().expect("a list");
        let number = |v: &Value| v.as_u64().expect("a number");
        list.iter()
            .map(|one| &one["range"]["start"])
            .map(|at| (number(&at["line"]), number(&at["character"])))
            .collect()
    };
    // Both clauses, from either of them.
    for (line, character) in [(3, 0), (4, 0), (6, 43)] {
        let found = editor.at("textDocument/references", uri, line, character);
        assert_eq!(starts(&found), [(3, 0), (4, 0), (4, 16), (6, 43)]);
    }
    let found = editor.at("textDocument/documentHighlight", uri, 4, 2);
    assert_eq!(starts(&found), [(4, 2), (4, 11), (4, 18)]);
    let mut rename = |line: u32, character: u32, name: &str| {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
            "newName": name,
        });
        let answer = editor.respond("textDocument/rename", &params);
        match answer["error"]["code"].as_i64() {
            Some(code) => Err(code),
            None => Ok(starts(&answer["result"]["changes"][uri])),
        }
    };
    assert_eq!(
        rename(3, 0, "go"),
        Ok(vec![(3, 0), (4, 0), (4, 16), (6, 43)])
    );
    assert_eq!(
        rename(0, 13, "Zed"),
        Ok(vec![(0, 13), (1, 12), (4, 9), (6, 38), (8, 16)])
    );
    assert_eq!(rename(6, 8, "go"), Ok(vec![(6, 8), (6, 36)]));
    assert_eq!(rename(7, 0, "m"), Ok(vec![(7, 0)]));
    // Taken, or caught by another name; no name; built in; nothing.
    assert_eq!(rename(3, 0, "P"), Err(-32803));
    assert_eq!(rename(6, 8, "f"), Err(-32803));
    assert_eq!(rename(3, 0, "within"), Err(-32803));
    assert_eq!(rename(3, 0, "2x"), Err(-32803));
    assert_eq!(rename(8, 10, "u"), Err(-32803));
    assert_eq!(rename(5, 4, "u"), Err(-32803));
    let builtin =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 8, "character": 10 } });
    let refused = editor.respond("textDocument/prepareRename", &builtin);
    assert_eq!(refused["error"]["code"], -32803);
    let able = editor.at("textDocument/prepareRename", uri, 4, 0);
    assert_eq!(able["end"]["character"], 1);
    // In a script with errors nothing is renamed.
    editor.change(uri, &format!("{NAMES}Q = R\n"));
    let refused = editor.respond(
        "textDocument/prepareRename",
        &json!({
            "textDocument": { "uri": uri }, "position": { "line": 3, "character": 0 },
        }),
    );
    assert_eq!(refused["error"]["code"], -32803);
    editor.end();
}

#[test]
fn completion_tokens_and_folding() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/i.csp";
    editor.open(uri, NAMES);
    let labels = |list: &Value| -> Vec<String> {
        let list = list["items"].as_array().expect("a list");
        let label = |one: &Value| one["label"].as_str().expect("a label").to_owned();
        list.iter().map(label).collect()
    };
    let all = labels(&editor.at("textDocument/completion", uri, 6, 36));
    for name in ["A", "T", "c", "f", "P", "g", "x", "within", "union", "STOP"] {
        assert!(all.iter().any(|one| one == name), "{name} in {all:?}");
    }
    let inside_comment = editor.at("textDocument/completion", uri, 5, 6);
    assert_eq!(labels(&inside_comment), [""; 0]);
    // Variables of a declaration that is not whole yet.
    editor.change(uri, &format!("{NAMES}Q(first, second) = if fi"));
    let all = labels(&editor.at("textDocument/completion", uri, 9, 24));
    assert!(all.iter().any(|one| one == "first"), "{all:?}");
    assert!(!all.iter().any(|one| one == "fi" || one == "x"), "{all:?}");

    editor.change(uri, "channel c\nP = c ->\n  STOP\n");
    let params = json!({ "textDocument": { "uri": uri } });
    let tokens = editor.ask("textDocument/semanticTokens/full", &params);
    let expected = json!([
        0, 0, 7, 0, 0, 0, 8, 1, 5, 0, 1, 0, 1, 2, 0, 0, 4, 1, 5, 0, 1, 2, 4, 1, 1
    ]);
    assert_eq!(tokens["data"], expected);
    let named = &tokens["resultId"];
    // Some lines of it, and what has changed since.
    let at = |line: u32| json!({ "line": line, "character": 0 });
    let lines =
        json!({ "textDocument": { "uri": uri }, "range": { "start": at(1), "end": at(2) } });
    let some = editor.ask("textDocument/semanticTokens/range", &lines);
    assert_eq!(some["data"], json!([1, 0, 1, 2, 0, 0, 4, 1, 5, 0]));
    editor.change(uri, "channel c\nP = c ->\n  c -> STOP\n");
    let since = json!({ "textDocument": { "uri": uri }, "previousResultId": named });
    let delta = editor.ask("textDocument/semanticTokens/full/delta", &since);
    let edit = json!([{ "start": 20, "deleteCount": 5, "data": [1, 2, 1, 5, 0, 0, 5, 4, 1, 1] }]);
    assert_eq!(delta["edits"], edit);
    // Of another answer nothing is known: all is told.
    let delta = editor.ask("textDocument/semanticTokens/full/delta", &since);
    assert_eq!(delta["data"].as_array().map(Vec::len), Some(30));
    editor.change(uri, "channel c\nP = c ->\n  STOP\n");
    let folds = editor.ask("textDocument/foldingRange", &params);
    assert_eq!(
        folds,
        json!([{ "startLine": 1, "endLine": 2, "kind": "region" }])
    );
    editor.end();
}
