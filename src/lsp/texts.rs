//! The texts as they are in the editor, changed as it says.

use std::sync::Arc;

use serde_json::Value;

use crate::source::Cancel;
use crate::source::hash::IndexMap;

/// The open texts, by their URIs, and what gives up the analysis of each.
#[derive(Default)]
pub(super) struct OpenTexts(IndexMap<String, (Arc<str>, Cancel)>);

impl OpenTexts {
    pub(super) fn uris(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Replaces a text; the analysis of the old one is given up.
    pub(super) fn set(&mut self, uri: &str, text: String) -> (Arc<str>, Cancel) {
        // Cancels what is being found out about the old text.
        self.remove(uri);
        let entry = (Arc::from(text), Cancel::default());
        self.0.insert(uri.to_owned(), entry.clone());
        entry
    }

    pub(super) fn remove(&mut self, uri: &str) {
        if let Some((_, cancel)) = self.0.shift_remove(uri) {
            cancel.cancel();
        }
    }

    /// The text after some changes, each of which is about the text after those before it.
    pub(super) fn edited(&self, uri: &str, changes: &[Value]) -> Option<String> {
        let mut text = self.0.get(uri)?.0.to_string();
        for change in changes {
            let Some(new) = change["text"].as_str() else {
                continue;
            };
            match change.get("range").filter(|range| !range.is_null()) {
                // Without a range it is the whole text.
                None => new.clone_into(&mut text),
                Some(range) => {
                    let start = offset(&text, &range["start"]);
                    // A range may be backwards, for which `replace_range` would panic.
                    let end = offset(&text, &range["end"]).max(start);
                    text.replace_range(start..end, new);
                }
            }
        }
        Some(text)
    }
}

/// The byte of a place; beyond the end of a line, the end of the line.
fn offset(text: &str, place: &Value) -> usize {
    let number = |what: &str| {
        let given = place[what].as_u64().unwrap_or(0);
        usize::try_from(given).unwrap_or(usize::MAX)
    };
    let mut start = 0;
    for _ in 0..number("line") {
        match text[start..].find('\n') {
            Some(n) => start += n + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].split('\n').next().unwrap_or_default();
    // A position behind the end of a line is its end, before both characters of the line end.
    let line = line.strip_suffix('\r').unwrap_or(line);
    let wanted = number("character");
    let mut units = 0;
    for (n, c) in line.char_indices() {
        if units >= wanted {
            // `>=`: between the two units of one character means the place after it.
            return start + n;
        }
        units += c.len_utf16();
    }
    start + line.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_apply_one_after_the_other() {
        let mut texts = OpenTexts::default();
        let (_, cancel) = texts.set("a", "one\r\n𝔸two\nthree".to_owned());
        let at = |line: u32, character: u32| json!({ "line": line, "character": character });
        let change = |from: Value, to: Value, text: &str| json!({ "range": { "start": from, "end": to }, "text": text });
        let edited = |changes: &[Value]| texts.edited("a", changes);
        let whole = edited(&[
            change(at(1, 2), at(1, 3), "T"),
            change(at(0, 9), at(1, 0), "! "),
            change(at(1, 0), at(99, 0), ""),
        ]);
        assert_eq!(whole.as_deref(), Some("one! 𝔸Two\n"));
        // Backwards, and in the middle of a character.
        let odd = edited(&[
            change(at(2, 3), at(0, 0), "-"),
            change(at(1, 1), at(1, 1), "x"),
        ]);
        assert_eq!(odd.as_deref(), Some("one\r\n𝔸xtwo\nthr-ee"));
        let all = edited(&[json!({ "text": "new" }), json!({ "no": 1 })]);
        assert_eq!(all.as_deref(), Some("new"));
        assert_eq!(texts.edited("b", &[]), None);
        texts.set("a", String::new());
        assert!(cancel.is_cancelled());
    }
}
