//! The texts as they are in the editor, changed as it says, and who has looked at them.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::analysis::TextVersion;
use super::colours::LastColours;
use super::worker::{Analyst, ByFile, Inquiry, SymbolSearch};
use crate::source::Cancel;
use crate::source::hash::IndexSet;
use crate::source::positions::Units;

/// An open text.
pub(super) struct OpenText {
    /// As it is now.
    pub(super) now: TextVersion,
    /// Which look is wanted: one for each text, and for the same text with other files around it.
    pub(super) number: u64,
    /// Gives up the look at the text as it is.
    pub(super) outdated: Cancel,
    /// Who is looking, and at what: perhaps at an earlier text, and about to give up.
    pub(super) running: Option<(u64, Analyst)>,
    /// Who has looked at the text as it is.
    pub(super) ready: Option<Analyst>,
    /// Who has looked at the latest text before.
    pub(super) last: Option<Analyst>,
    /// Questions that nobody can answer yet, and until when they wait for the best answer.
    pub(super) waiting: Vec<(Option<Instant>, Inquiry)>,
    /// Searches that this text has to be looked at for.
    pub(super) searches: Vec<(String, Arc<SymbolSearch>)>,
    /// When to tell what is wrong with it.
    pub(super) due: Option<Instant>,
    /// What is wrong with it and was not told yet.
    pub(super) wrong: Option<ByFile>,
    /// The files that have diagnostics because of it.
    pub(super) published: IndexSet<String>,
    /// What the editor knows of its colours.
    pub(super) colours: LastColours,
}

impl OpenText {
    pub(super) fn new(now: TextVersion, number: u64) -> Self {
        Self {
            now,
            number,
            outdated: Cancel::default(),
            running: None,
            ready: None,
            last: None,
            waiting: Vec::new(),
            searches: Vec::new(),
            due: None,
            wrong: None,
            published: IndexSet::default(),
            colours: LastColours::default(),
        }
    }

    /// What was found out does not hold any more; what is to be found out now has a number of its own.
    pub(super) fn forget(&mut self, number: u64) {
        self.outdated.cancel();
        self.outdated = Cancel::default();
        self.number = number;
        self.wrong = None;
        if let Some(ready) = self.ready.take() {
            self.last = Some(ready);
        }
    }
}

impl Drop for OpenText {
    fn drop(&mut self) {
        self.outdated.cancel();
    }
}

/// A text after some changes, each of which is about the text after those before it.
///
/// # Errors
/// What is wrong with a change; then none of them counts.
pub(super) fn edited(text: &str, changes: &[Value], units: Units) -> Result<String, &'static str> {
    let mut text = text.to_owned();
    for change in changes {
        let new = change["text"].as_str().ok_or("a change has no text")?;
        match change.get("range").filter(|range| !range.is_null()) {
            // Without a range it is the whole text.
            None => new.clone_into(&mut text),
            Some(range) => {
                let wrong = "the range of a change has no start or end";
                let start = offset(&text, &range["start"], units).ok_or(wrong)?;
                // A range may be backwards, for which `replace_range` would panic.
                let end = offset(&text, &range["end"], units).ok_or(wrong)?.max(start);
                text.replace_range(start..end, new);
            }
        }
    }
    Ok(text)
}

/// The byte of a place; beyond the end of a line, the end of the line.
fn offset(text: &str, place: &Value, units: Units) -> Option<usize> {
    let number = |what: &str| {
        let given = place[what].as_u64()?;
        Some(usize::try_from(given).unwrap_or(usize::MAX))
    };
    let (line, character) = (number("line")?, number("character")?);
    let mut start = 0;
    for _ in 0..line {
        match text[start..].find('\n') {
            Some(n) => start += n + 1,
            None => return Some(text.len()),
        }
    }
    let line = text[start..].split('\n').next().unwrap_or_default();
    // A position behind the end of a line is its end, before both characters of the line end.
    let line = line.strip_suffix('\r').unwrap_or(line);
    Some(start + units.byte(line, character))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_apply_one_after_the_other() {
        let text = "one\r\n𝔸two\nthree";
        let at = |line: u32, character: u32| json!({ "line": line, "character": character });
        let change = |from: Value, to: Value, text: &str| json!({ "range": { "start": from, "end": to }, "text": text });
        let edited_utf16 = |changes: &[Value]| edited(text, changes, Units::Utf16);
        let whole = edited_utf16(&[
            change(at(1, 2), at(1, 3), "T"),
            change(at(0, 9), at(1, 0), "! "),
            change(at(1, 0), at(99, 0), ""),
        ]);
        assert_eq!(whole.as_deref(), Ok("one! 𝔸Two\n"));
        // Backwards, and in the middle of a character.
        let odd = edited_utf16(&[
            change(at(2, 3), at(0, 0), "-"),
            change(at(1, 1), at(1, 1), "x"),
        ]);
        assert_eq!(odd.as_deref(), Ok("one\r\n𝔸xtwo\nthr-ee"));
        assert_eq!(
            edited_utf16(&[json!({ "text": "new" })]).as_deref(),
            Ok("new")
        );
        // What is no change changes nothing, nor what comes with it.
        let none = edited_utf16(&[json!({ "text": "new" }), json!({ "no": 1 })]);
        assert!(none.is_err());
        assert!(edited_utf16(&[json!({ "range": {}, "text": "new" })]).is_err());
        let minus = json!({ "line": -1, "character": 0 });
        assert!(edited_utf16(&[change(minus, at(0, 0), "x")]).is_err());
        let bytes = edited(text, &[change(at(1, 4), at(1, 5), "T")], Units::Utf8);
        assert_eq!(bytes.as_deref(), Ok("one\r\n𝔸Two\nthree"));
    }
}
