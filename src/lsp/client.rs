//! Capabilities: those that the editor announces at the beginning, and those of the server for it. The former are
//! read member by member, since an editor may leave out any of them, and name some that the types of the protocol do
//! not know.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CompletionOptions, InitializeResult, OneOf,
    PositionEncodingKind, RenameOptions, SaveOptions, SemanticTokenModifier,
    SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities,
    ServerInfo, TextDocumentSyncKind, TextDocumentSyncOptions, WorkDoneProgressOptions,
};
use serde_json::Value;

use super::names;
use crate::source::positions::Units;

/// The editor's capabilities that matter to the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// The unit of columns that both sides use.
    pub(super) units: Units,
    /// Whether it shows Markdown in hover texts.
    pub(super) markdown: bool,
    /// Whether outlines may have levels.
    pub(super) nested_symbols: bool,
    /// Whether edits may have the version of their text.
    pub(super) versioned_edits: bool,
    /// Whether it asks if a name can be renamed.
    pub(super) prepares_rename: bool,
    /// Whether corrections may be sent as code actions, not only as commands.
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

    /// The capabilities of this server for it.
    pub(super) fn capabilities(self) -> InitializeResult {
        let synchronised = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(SaveOptions::default().into()),
            ..TextDocumentSyncOptions::default()
        };
        let rename = RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        };
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        };
        let tokens = SemanticTokensOptions {
            legend: SemanticTokensLegend {
                token_types: names::TOKENS.into(),
                token_modifiers: vec![SemanticTokenModifier::DEFAULT_LIBRARY],
            },
            range: Some(true),
            full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
            ..SemanticTokensOptions::default()
        };
        let capabilities = ServerCapabilities {
            position_encoding: Some(PositionEncodingKind::new(self.units.name())),
            text_document_sync: Some(synchronised.into()),
            hover_provider: Some(true.into()),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            document_highlight_provider: Some(OneOf::Left(true)),
            rename_provider: Some(if self.prepares_rename {
                OneOf::Right(rename)
            } else {
                OneOf::Left(true)
            }),
            code_action_provider: Some(if self.literal_actions {
                actions.into()
            } else {
                false.into()
            }),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some([".", "!", "?"].map(str::to_owned).to_vec()),
                ..CompletionOptions::default()
            }),
            document_symbol_provider: Some(OneOf::Left(true)),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            folding_range_provider: Some(true.into()),
            semantic_tokens_provider: Some(tokens.into()),
            ..ServerCapabilities::default()
        };
        let server_info = Some(ServerInfo {
            name: "orbitscope".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        });
        InitializeResult {
            capabilities,
            server_info,
        }
    }
}
