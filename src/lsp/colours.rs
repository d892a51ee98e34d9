//! Semantic tokens for colours: of the whole text, of some lines, or the changes.

use std::sync::{Arc, Mutex, PoisonError};

use lsp_types::{
    Range, SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensEdit,
    SemanticTokensFullDeltaResult,
};

use super::analysis::{Analysis, MAIN};
use super::names;
use crate::source::Span;
use crate::source::positions::{Position, Ruler};
use crate::syntax::KEYWORDS;

/// The tokens that were last sent to an editor, and the name of that answer.
#[derive(Clone, Default)]
pub(super) struct LastColours(Arc<Mutex<(u64, Vec<SemanticToken>)>>);

/// The number of integers for a token.
const EACH: u32 = 5;

impl Analysis {
    /// The tokens of the whole text.
    pub(super) fn semantic_tokens(&self) -> SemanticTokens {
        let data = self.colours((0, self.text().len()));
        let (name, _) = self.last_colours.replace(data.clone());
        let result_id = Some(name);
        SemanticTokens { result_id, data }
    }

    /// The words of some lines.
    pub(super) fn semantic_tokens_in(&self, part: Range) -> SemanticTokens {
        let data = self.colours((self.offset(part.start), self.offset(part.end)));
        let result_id = None;
        SemanticTokens { result_id, data }
    }

    /// The changes since the answer that the editor names, or all tokens if that is not the last one.
    pub(super) fn semantic_tokens_since(&self, named: &str) -> SemanticTokensFullDeltaResult {
        let new = self.colours((0, self.text().len()));
        let (name, (before, old)) = self.last_colours.replace(new.clone());
        let result_id = Some(name);
        if before != named {
            return SemanticTokens {
                result_id,
                data: new,
            }
            .into();
        }
        let front = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let ends = old[front..].iter().rev().zip(new[front..].iter().rev());
        let back = ends.take_while(|(a, b)| a == b).count();
        let (gone, come) = (old.len() - front - back, &new[front..new.len() - back]);
        let edit = SemanticTokensEdit {
            start: front as u32 * EACH,
            delete_count: gone as u32 * EACH,
            data: Some(come.to_vec()),
        };
        let edits = Vec::from_iter((gone > 0 || !come.is_empty()).then_some(edit));
        SemanticTokensDelta { result_id, edits }.into()
    }

    /// The kinds of all names and keywords that touch a part of the text, in the numbers of the protocol.
    fn colours(&self, part: (usize, usize)) -> Vec<SemanticToken> {
        let mut data = Vec::new();
        let Some(file) = self.file() else {
            return data;
        };
        let mut ruler = Ruler::new(file, self.client.units);
        let mut before = Position::default();
        // Words are in order.
        let first = self.words.words.partition_point(|(_, end)| *end <= part.0);
        for (start, end) in &self.words.words[first..] {
            if *start >= part.1 {
                break;
            }
            let word = self.text().get(*start..*end).unwrap_or_default();
            let span = Span {
                file: MAIN,
                start: *start as u32,
                end: *end as u32,
            };
            let kind = if KEYWORDS.contains(&word) {
                Some((names::KEYWORD, 0))
            } else {
                let found = self.meaning(span);
                found.map(|(_, definition)| names::token(&self.loaded.script, definition))
            };
            let Some((kind, modifiers)) = kind else {
                continue;
            };
            let here = ruler.position(span.start);
            let line = here.line - before.line;
            // Tokens are given as distances from the one before: in the same line from its start, otherwise from the
            // start of the line.
            let from = if line == 0 { before.character } else { 0 };
            data.push(SemanticToken {
                delta_line: line,
                delta_start: here.character - from,
                // Words are ASCII: bytes are units.
                length: (end - start) as u32,
                token_type: kind,
                token_modifiers_bitset: modifiers,
            });
            before = here;
        }
        data
    }
}

impl LastColours {
    /// Puts a new answer in the place of the last one. Gives its name, and the last one with its name.
    fn replace(&self, data: Vec<SemanticToken>) -> (String, (String, Vec<SemanticToken>)) {
        // The locked value is replaced as a whole, so it is valid even after a panic.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = last.0 + 1;
        let (before, old) = std::mem::replace(&mut *last, (number, data));
        (number.to_string(), (before.to_string(), old))
    }
}
