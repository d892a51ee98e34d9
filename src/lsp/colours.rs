//! What every word of a text is, for colours: all of them, some lines, or what has changed.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::analysis::{Analysis, MAIN};
use super::names;
use crate::source::Span;
use crate::source::positions::{Position, Ruler};
use crate::syntax::KEYWORDS;

/// The words that an editor has been told of last, and the name of that answer.
#[derive(Clone, Default)]
pub(super) struct LastColours(Arc<Mutex<(u64, Vec<u32>)>>);

/// So many numbers tell one word.
const EACH: usize = 5;

impl Analysis {
    /// All words.
    pub(super) fn semantic_tokens(&self, last: &LastColours) -> Value {
        let data = self.colours((0, self.text().len()));
        let shown = json!(data);
        let name = last.replace(data).0;
        json!({ "resultId": name.to_string(), "data": shown })
    }

    /// The words of some lines.
    pub(super) fn semantic_tokens_in(&self, from: Position, to: Position) -> Value {
        let part = (self.offset(from), self.offset(to));
        json!({ "data": self.colours(part) })
    }

    /// What is different from the answer that the editor names, or all words if that is another one than the
    /// last.
    pub(super) fn semantic_tokens_since(&self, named: &str, last: &LastColours) -> Value {
        let data = self.colours((0, self.text().len()));
        let (name, (before_name, before)) = last.replace(data.clone());
        let name = name.to_string();
        if before_name.to_string() != named {
            return json!({ "resultId": name, "data": data });
        }
        // By whole words, so that an edit tells words.
        let (old, new) = (before.as_chunks::<EACH>().0, data.as_chunks::<EACH>().0);
        let same = |pair: &(&[u32; EACH], &[u32; EACH])| pair.0 == pair.1;
        let front = old.iter().zip(new).take_while(same).count();
        let ends = old[front..].iter().rev().zip(new[front..].iter().rev());
        let back = ends.take_while(same).count();
        let (gone, come) = (old.len() - front - back, new.len() - front - back);
        if gone == 0 && come == 0 {
            return json!({ "resultId": name, "edits": [] });
        }
        let edit = json!({
            "start": front * EACH,
            "deleteCount": gone * EACH,
            "data": data[front * EACH..(front + come) * EACH],
        });
        json!({ "resultId": name, "edits": [edit] })
    }

    /// The kinds of all names and keywords that touch a part of the text, in the numbers of the protocol.
    fn colours(&self, part: (usize, usize)) -> Vec<u32> {
        let mut data: Vec<u32> = Vec::new();
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
            // Tokens are told as distances from the one before: in the same line from its start,
            // otherwise from the start of the line.
            let from = if line == 0 { before.character } else { 0 };
            // Words are ASCII: bytes are units.
            let length = (end - start) as u32;
            data.extend([line, here.character - from, length, kind, modifiers]);
            before = here;
        }
        data
    }
}

impl LastColours {
    /// Puts a new answer in the place of the last one. Gives its name, and the last one with its name.
    fn replace(&self, data: Vec<u32>) -> (u64, (u64, Vec<u32>)) {
        // What is locked is replaced as a whole, also if somebody panicked.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = last.0 + 1;
        (name, std::mem::replace(&mut *last, (name, data)))
    }
}
