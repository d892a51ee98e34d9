//! Requests on a text: parsed as the protocol has it, and answered from its analysis.

use lsp_types::error_codes::CONTENT_MODIFIED;
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentHighlightRequest, DocumentSymbolRequest,
    FoldingRangeRequest, GotoDefinition, HoverRequest, PrepareRenameRequest, References, Rename,
    Request, SemanticTokensFullDeltaRequest, SemanticTokensFullRequest, SemanticTokensRangeRequest,
};
use lsp_types::{
    CodeActionKind, DocumentSymbolParams, PrepareRenameResponse, RenameParams,
    SemanticTokensDeltaParams, SemanticTokensRangeParams, TextDocumentPositionParams,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::analysis::{Analysis, TextVersion};
use super::code;
use super::completion::completion;
use super::wire::Refusal;

/// Parameters of most requests: a text, and a place or a part of it. The others, which some editors leave out, are
/// not read.
type TextParams = DocumentSymbolParams;
type PositionParams = TextDocumentPositionParams;
type RangeParams = SemanticTokensRangeParams;

/// Answers a request from an analysis, perhaps of an earlier text than the present one.
pub(super) type Handler = Box<dyn FnOnce(&Analysis, &TextVersion) -> Result<Value, Refusal> + Send>;

/// The refusal if the text has changed. By its code an editor knows that there is no error, and asks again if it
/// still needs the answer.
pub(super) fn outdated() -> Refusal {
    (CONTENT_MODIFIED, "the text has changed".to_owned())
}

/// The refusal after a fault of the server.
pub(super) fn fault() -> Refusal {
    (code::INTERNAL_ERROR, "a fault of the server".to_owned())
}

/// Finds the handler of a request by its method.
struct Dispatcher<'a> {
    method: &'a str,
    params: &'a Value,
    handler: Result<Handler, Refusal>,
}

impl Dispatcher<'_> {
    /// Takes this handler if the request is of this kind. The answer has the type that belongs to the request.
    fn on<R: Request, P: DeserializeOwned + Send + 'static>(
        mut self,
        answer: impl FnOnce(&Analysis, &TextVersion, P) -> Result<R::Result, Refusal> + Send + 'static,
    ) -> Self {
        if self.method == R::METHOD {
            let read = P::deserialize(self.params);
            let read = read.map_err(|error| (code::INVALID_PARAMS, error.to_string()));
            self.handler = read.map(|params| -> Handler {
                Box::new(move |known, now| {
                    let found = answer(known, now, params)?;
                    serde_json::to_value(found).map_err(|_| fault())
                })
            });
        }
        self
    }
}

/// The handler of a request that asks something of a text.
pub(super) fn handler(method: &str, params: &Value) -> Result<Handler, Refusal> {
    let context = &params["context"];
    let declared = context["includeDeclaration"] != false;
    let only = Option::<Vec<CodeActionKind>>::deserialize(&context["only"]).unwrap_or_default();
    let why = format!("`{method}` is not supported");
    let unsupported = Dispatcher {
        method,
        params,
        handler: Err((code::METHOD_NOT_FOUND, why)),
    };
    unsupported
        .on::<HoverRequest, PositionParams>(|known, now, p| Ok(known.hover(now, p.position)))
        .on::<GotoDefinition, PositionParams>(|known, _, p| Ok(known.definition(p.position)))
        .on::<References, PositionParams>(move |known, _, p| {
            Ok(known.references(p.position, declared))
        })
        .on::<DocumentHighlightRequest, PositionParams>(|known, _, p| {
            Ok(known.highlights(p.position))
        })
        .on::<PrepareRenameRequest, PositionParams>(|known, _, p| {
            let range = known.renamable(p.position)?;
            Ok(Some(PrepareRenameResponse::Range(range)))
        })
        .on::<Rename, RenameParams>(|known, _, p| {
            let at = p.text_document_position.position;
            known.rename(at, &p.new_name).map(Some)
        })
        .on::<Completion, PositionParams>(|known, now, p| {
            let found = completion(Some(known), known.client, now, p.position);
            Ok(Some(found.into()))
        })
        .on::<CodeActionRequest, RangeParams>(move |known, _, p| {
            known.corrections(p.range, only.as_deref()).map(Some)
        })
        .on::<SemanticTokensFullRequest, TextParams>(|known, _, _| {
            Ok(Some(known.semantic_tokens().into()))
        })
        .on::<SemanticTokensRangeRequest, RangeParams>(|known, _, p| {
            Ok(Some(known.semantic_tokens_in(p.range).into()))
        })
        .on::<SemanticTokensFullDeltaRequest, SemanticTokensDeltaParams>(|known, _, p| {
            Ok(Some(known.semantic_tokens_since(&p.previous_result_id)))
        })
        .on::<FoldingRangeRequest, TextParams>(|known, _, _| Ok(Some(known.folds())))
        .on::<DocumentSymbolRequest, TextParams>(|known, _, _| Ok(Some(known.symbols())))
        .handler
}
