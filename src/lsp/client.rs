//! What the editor can do, as it says at the beginning.

use serde_json::Value;

use crate::source::positions::Units;

/// What of the editor's abilities matters to a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// What both sides count columns in.
    pub(super) units: Units,
    /// Whether it shows Markdown where something is explained.
    pub(super) markdown: bool,
    /// Whether outlines may have levels.
    pub(super) nested_symbols: bool,
    /// Whether changes may say which version of a text they are for.
    pub(super) versioned_edits: bool,
    /// Whether it asks if something can be renamed.
    pub(super) prepares_rename: bool,
    /// Whether corrections may be sent as what they are.
    pub(super) literal_actions: bool,
    /// Whether it can be asked to watch files.
    pub(super) watches_files: bool,
}

impl Client {
    /// From the parameters of `initialize`.
    pub(super) fn new(params: &Value) -> Self {
        let able = &params["capabilities"];
        let text = &able["textDocument"];
        let workspace = &able["workspace"];
        let is = |value: &Value| value.as_bool().unwrap_or(false);
        let first = |list: &Value| list.as_array().and_then(|list| list.first()).cloned();
        // The editor lists them in the order of its liking.
        let encodings = able["general"]["positionEncodings"].as_array();
        let units = encodings.and_then(|list| {
            let names = list.iter().filter_map(Value::as_str);
            names.filter_map(Units::named).next()
        });
        let hover = first(&text["hover"]["contentFormat"]);
        Self {
            // Every editor has to know these.
            units: units.unwrap_or(Units::Utf16),
            markdown: hover.is_none_or(|format| format == "markdown"),
            nested_symbols: is(&text["documentSymbol"]["hierarchicalDocumentSymbolSupport"]),
            versioned_edits: is(&workspace["workspaceEdit"]["documentChanges"]),
            prepares_rename: is(&text["rename"]["prepareSupport"]),
            literal_actions: text["codeAction"]["codeActionLiteralSupport"].is_object(),
            watches_files: is(&workspace["didChangeWatchedFiles"]["dynamicRegistration"]),
        }
    }
}
