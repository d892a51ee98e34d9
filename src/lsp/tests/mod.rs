//! Answers of the server on texts, without an editor.

mod corrections;
mod properties;
mod writing;

use std::sync::Arc;

use lsp_types::{
    DocumentSymbolResponse, Position, TextDocumentContentChangeEvent, TextEdit, WorkspaceEdit,
};
use serde_json::json;

use super::analysis::{Analysis, TextVersion};
use super::client::Client;
use super::colours::LastColours;
use crate::source::Cancel;
use crate::source::positions::Units;

pub(super) const URI: &str = "file:///nowhere/a.csp";

/// An editor that can do all that matters.
pub(super) fn able() -> Client {
    Client {
        units: Units::Utf16,
        markdown: true,
        nested_symbols: true,
        versioned_edits: false,
        prepares_rename: true,
        literal_actions: true,
        watches_files: false,
    }
}

pub(super) fn version(text: &str) -> TextVersion {
    TextVersion {
        uri: URI.parse().unwrap(),
        version: 1,
        text: Arc::from(text),
    }
}

pub(super) fn analysis(text: &str) -> Analysis {
    analysis_after(text, &LastColours::default())
}

/// The analysis of a text in an editor that has some colours.
pub(super) fn analysis_after(text: &str, colours: &LastColours) -> Analysis {
    Analysis::new(&version(text), able(), colours, &Cancel::default()).unwrap()
}

/// The place where a part of a text begins.
pub(super) fn at(text: &str, part: &str) -> Position {
    let start = text.find(part).unwrap();
    let before = &text[..start];
    let line = before.rfind('\n').map_or(0, |n| n + 1);
    Position {
        line: before.matches('\n').count() as u32,
        character: before[line..].encode_utf16().count() as u32,
    }
}

/// A text after the edits of an answer.
pub(super) fn applied(text: &str, edits: &WorkspaceEdit) -> String {
    let mut edits = edits
        .changes
        .clone()
        .unwrap()
        .remove(&URI.parse().unwrap())
        .unwrap();
    // From the end, so that the places before stay where they are.
    edits.reverse();
    let change = |edit: TextEdit| TextDocumentContentChangeEvent {
        range: Some(edit.range),
        range_length: None,
        text: edit.new_text,
    };
    let changes: Vec<_> = edits.into_iter().map(change).collect();
    super::texts::edited(text, &changes, Units::Utf16)
}

#[test]
fn an_editor_says_what_it_can_do() {
    let plain = Client::new(&json!({}));
    assert_eq!((plain.units, plain.markdown), (Units::Utf16, true));
    let able = Client::new(&json!({ "capabilities": {
        "general": { "positionEncodings": ["utf-7", "utf-32", "utf-8"] },
        "textDocument": { "hover": { "contentFormat": ["plaintext", "markdown"] } },
    } }));
    assert_eq!((able.units, able.markdown), (Units::Utf32, false));
}

#[test]
fn a_text_that_is_too_long_is_refused_with_a_message() {
    let text = "-- x\n".repeat(3_400_000);
    let known = analysis(&text);
    let wrong = known.diagnostics();
    let message = &wrong[0][0].message;
    assert!(message.contains("16 MiB"), "{message}");
    assert_eq!(known.symbols(), DocumentSymbolResponse::Nested(Vec::new()));
    assert_eq!(known.folds(), []);
}
