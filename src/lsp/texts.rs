//! The texts in the editor, with its changes, and their analysts.

use std::sync::Arc;
use std::time::Instant;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::analysis::{ByFile, TextVersion};
use super::colours::LastColours;
use super::diagnostics::offset;
use super::worker::{Analyst, Inquiry, SymbolSearch};
use crate::source::Cancel;
use crate::source::hash::IndexSet;
use crate::source::positions::Units;

/// A text that is open in the editor.
pub(super) struct OpenText {
    /// The present version.
    pub(super) now: TextVersion,
    /// The number of the wanted analysis: another for each text, and for the same text with other files around it.
    pub(super) number: u64,
    /// Gives up the look at the text as it is.
    pub(super) outdated: Cancel,
    /// The analyst at work, and its number: perhaps on an earlier text, and about to give up.
    pub(super) running: Option<(u64, Analyst)>,
    /// The analyst of the present text.
    pub(super) ready: Option<Analyst>,
    /// The analyst of the latest text before.
    pub(super) last: Option<Analyst>,
    /// Requests that cannot be answered yet, and the time until which they wait for the best answer.
    pub(super) waiting: Vec<(Option<Instant>, Inquiry)>,
    /// Searches that wait for an analysis of this text.
    pub(super) searches: Vec<(String, Arc<SymbolSearch>)>,
    /// The time when its diagnostics are due.
    pub(super) due: Option<Instant>,
    /// Diagnostics that were not sent yet.
    pub(super) wrong: Option<ByFile>,
    /// The files that have diagnostics because of it.
    pub(super) published: IndexSet<Uri>,
    /// The colours that the editor knows.
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

    /// Marks the analysis as outdated; the new one has this number.
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
pub(super) fn edited(
    text: &str,
    changes: &[TextDocumentContentChangeEvent],
    units: Units,
) -> String {
    let mut text = text.to_owned();
    for change in changes {
        match change.range {
            // Without a range it is the whole text.
            None => change.text.clone_into(&mut text),
            Some(range) => {
                let start = offset(&text, range.start, units);
                // A range may be backwards, for which `replace_range` would panic.
                let end = offset(&text, range.end, units).max(start);
                text.replace_range(start..end, &change.text);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    #[test]
    fn changes_apply_one_after_the_other() {
        let text = "one\r\n𝔸two\nthree";
        let change = |from: (u32, u32), to: (u32, u32), text: &str| {
            let place = |(line, character)| Position { line, character };
            TextDocumentContentChangeEvent {
                range: Some(Range::new(place(from), place(to))),
                range_length: None,
                text: text.to_owned(),
            }
        };
        let edited_utf16 = |changes: &[_]| edited(text, changes, Units::Utf16);
        let whole = edited_utf16(&[
            change((1, 2), (1, 3), "T"),
            change((0, 9), (1, 0), "! "),
            change((1, 0), (99, 0), ""),
        ]);
        assert_eq!(whole, "one! 𝔸Two\n");
        // Backwards, and in the middle of a character.
        let odd = edited_utf16(&[change((2, 3), (0, 0), "-"), change((1, 1), (1, 1), "x")]);
        assert_eq!(odd, "one\r\n𝔸xtwo\nthr-ee");
        let mut new = change((0, 0), (0, 0), "new");
        new.range = None;
        assert_eq!(edited_utf16(&[new]), "new");
        let bytes = edited(text, &[change((1, 4), (1, 5), "T")], Units::Utf8);
        assert_eq!(bytes, "one\r\n𝔸Two\nthree");
    }
}
