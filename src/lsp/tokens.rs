//! Words of a text outside comments and strings, and what can be folded: known even of a text that no
//! parser takes.

use crate::syntax::{Lexeme, lexemes};

/// A word: its first byte and one past its last.
pub(super) type Word = (usize, usize);

/// What a text consists of, as far as editors ask.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// Names and keywords, in the order of the text.
    pub(super) words: Vec<Word>,
    /// Comments in `{-` and `-}`.
    pub(super) blocks: Vec<Word>,
    /// Comments from `--` to the end of the line.
    pub(super) notes: Vec<Word>,
    /// Strings and characters, with their quotes.
    strings: Vec<Word>,
}

impl Tokens {
    pub(super) fn new(text: &str) -> Self {
        let mut this = Self::default();
        for (lexeme, part) in lexemes(text) {
            let list = match lexeme {
                Lexeme::Word => &mut this.words,
                Lexeme::Block { .. } => &mut this.blocks,
                Lexeme::Note => &mut this.notes,
                Lexeme::Text { .. } | Lexeme::Character => &mut this.strings,
                Lexeme::Number => continue,
            };
            list.push((part.start, part.end));
        }
        this
    }

    /// The word at a byte, or just before it.
    pub(super) fn at(&self, offset: usize) -> Option<Word> {
        // Words are in order and do not overlap.
        let after = self.words.partition_point(|(start, _)| *start <= offset);
        let word = *self.words.get(after.checked_sub(1)?)?;
        // `>=`: right behind a word is still at it, where the cursor stands while it is written.
        (word.1 >= offset).then_some(word)
    }

    /// Whether a byte is inside a comment or a string.
    pub(super) fn is_quoted(&self, offset: usize) -> bool {
        let within = |(start, end): &Word| *start < offset && offset < *end;
        // A note goes on to the end of its line, so its end is inside; the end of a block or string
        // is outside.
        let noted = |(start, end): &Word| *start < offset && offset <= *end;
        self.blocks.iter().chain(&self.strings).any(within) || self.notes.iter().any(noted)
    }
}

/// The bytes of the declaration at an offset: from a line that starts at the margin to the next.
pub(super) fn declaration(text: &str, offset: usize) -> Word {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            starts.push(at);
        }
        at += line.len();
    }
    let after = starts.partition_point(|s| *s <= offset);
    // Before the first declaration: from the beginning of the text.
    let start = after.checked_sub(1).map_or(0, |n| starts[n]);
    (start, starts.get(after).copied().unwrap_or(text.len()))
}

/// Lines that can be folded, from and to, and whether they are comments.
pub(super) fn folds(text: &str) -> Vec<(usize, usize, bool)> {
    let words = Tokens::new(text);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(n, _)| n + 1))
        .collect();
    let line = |offset: usize| starts.partition_point(|s| *s <= offset) - 1;
    let mut found: Vec<(usize, usize, bool)> = words
        .blocks
        .iter()
        .map(|(start, end)| (line(*start), line(end.saturating_sub(1)), true))
        .collect();
    // Runs of lines that are comments.
    let mut run: Option<(usize, usize)> = None;
    for (start, _) in &words.notes {
        let here = line(*start);
        // A comment behind something else does not make its line a comment.
        if !text[starts[here]..*start].trim().is_empty() {
            continue;
        }
        match &mut run {
            Some((_, last)) if *last + 1 == here => *last = here,
            _ => {
                found.extend(run.map(|(from, to)| (from, to, true)));
                run = Some((here, here));
            }
        }
    }
    found.extend(run.map(|(from, to)| (from, to, true)));
    found.extend(declarations(text, &words, &starts));
    found.retain(|(from, to, _)| to > from);
    found.sort_unstable();
    found
}

/// Declarations: a line from the margin and those below that are not.
fn declarations(text: &str, words: &Tokens, starts: &[usize]) -> Vec<(usize, usize, bool)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (n, start) in starts.iter().enumerate() {
        let rest = text[*start..].split('\n').next().unwrap_or_default();
        // Blank lines at the end of a declaration are not folded with it.
        if rest.trim().is_empty() || words.blocks.iter().any(|(a, b)| a < start && start < b) {
            continue;
        }
        // A closing bracket or a bar at the margin goes on with what is above.
        let at_margin = !rest.starts_with([' ', '\t', ')', '}', ']', '|']);
        if at_margin {
            found.extend(open.map(|(from, to)| (from, to, false)));
            let comment = rest.starts_with("--") || rest.starts_with("{-");
            open = (!comment).then_some((n, n));
        } else if let Some((_, last)) = &mut open {
            *last = n;
        }
    }
    found.extend(open.map(|(from, to)| (from, to, false)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_outside_comments_and_strings() {
        let text = "P' = a -- b\n{- c {- d -} -} e('f', \"g\\\"h\") 12x y";
        let words = Tokens::new(text);
        let shown: Vec<&str> = words.words.iter().map(|(a, b)| &text[*a..*b]).collect();
        assert_eq!(shown, ["P'", "a", "e", "y"]);
        assert!(words.is_quoted(11) && words.is_quoted(16) && !words.is_quoted(4));
    }

    #[test]
    fn declarations_and_comments_fold() {
        let text = "-- a\n-- b\nP =\n  STOP\n\nQ = STOP\n{- x\ny -}\nR =\n  P\n";
        let expected = [(0, 1, true), (2, 3, false), (6, 7, true), (8, 9, false)];
        assert_eq!(folds(text), expected);
        assert_eq!(folds(""), []);
        assert_eq!(&text[declaration(text, 16).0..][..3], "P =");
    }
}
