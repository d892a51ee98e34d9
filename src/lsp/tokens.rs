//! Words of a text outside comments and strings: known even of a text that no parser takes.

use crate::syntax::{Lexeme, lexemes};

/// A word: its first byte and one past its last.
pub(super) type Word = (usize, usize);

/// The words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let all = lexemes(text).filter(|(lexeme, _)| *lexeme == Lexeme::Word);
    all.map(|(_, part)| (part.start, part.end))
}

/// Whether a word is one of the notation for assertions, and so no name: that of a semantic model or of a property, as in
/// `P [T= Q` and `P :[deadlock free [F]] :[tau priority]: E`.
pub(super) fn is_of_assertion(text: &str, (start, end): Word) -> bool {
    text[..start].ends_with('[') && text[end..].starts_with('=') || is_of_property(text, start)
}

/// Whether a byte stands between `:[` and the first `]`.
fn is_of_property(text: &str, at: usize) -> bool {
    // No property is longer, and a text of many words may be long.
    const LONGEST: usize = 200;
    let before = &text.as_bytes()[at.saturating_sub(LONGEST)..at];
    let inside = |b: &u8| b.is_ascii_alphabetic() || b.is_ascii_whitespace() || b"-[".contains(b);
    let outside = before.iter().rposition(|byte| !inside(byte));
    outside.is_some_and(|colon| {
        before[colon] == b':' && before[colon + 1..].trim_ascii_start().starts_with(b"[")
    })
}

/// Tokens of a text that editors ask for.
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
        // A note goes on to the end of its line, so its end is inside; the end of a block or string
        // is outside.
        let noted = last_before(&self.notes, offset).is_some_and(|(_, end)| offset <= end);
        noted || within(&self.blocks, offset) || within(&self.strings, offset)
    }
}

/// The last of some parts, which are in order, that begins before a byte.
fn last_before(parts: &[Word], offset: usize) -> Option<Word> {
    let before = parts.partition_point(|(start, _)| *start < offset);
    before.checked_sub(1).map(|n| parts[n])
}

/// Whether a byte is inside one of some parts.
pub(super) fn within(parts: &[Word], offset: usize) -> bool {
    last_before(parts, offset).is_some_and(|(_, end)| offset < end)
}

/// The bytes of the declaration at an offset: from a line that starts at the margin to the next.
pub(super) fn declaration(text: &str, offset: usize) -> Word {
    let begins = |at: usize| {
        let first = text.as_bytes().get(at);
        first.is_some_and(u8::is_ascii_alphabetic)
    };
    // From the offset to both sides: texts can be long.
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut start = text[..end].rfind('\n').map_or(0, |n| n + 1);
    while start > 0 && !begins(start) {
        start = text[..start - 1].rfind('\n').map_or(0, |n| n + 1);
    }
    loop {
        end = match text[end..].find('\n') {
            Some(n) => end + n + 1,
            None => return (start, text.len()),
        };
        if begins(end) {
            return (start, end);
        }
    }
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
    fn words_of_assertions_are_no_names() {
        let text = "assert P[a] [FD= Q\nassert P :[deadlock-free [F]] : [ tau\n  priority over ]: free(tau)\nx = x : [";
        let no_names = words(text).filter(|word| is_of_assertion(text, *word));
        let no_names: Vec<&str> = no_names.map(|(a, b)| &text[a..b]).collect();
        assert_eq!(
            no_names,
            ["FD", "deadlock", "free", "F", "tau", "priority", "over"]
        );
    }

    #[test]
    fn declarations_begin_at_the_margin() {
        let text = "-- a\n-- b\nP =\n  STOP\n\nQ = STOP\n{- x\ny -}\nR =\n  P\n";
        for at in 10..22 {
            let (start, end) = declaration(text, at);
            assert_eq!(&text[start..end], "P =\n  STOP\n\n", "{at}");
        }
        assert_eq!(declaration(text, 3), (0, 10));
        assert_eq!(declaration("", 0), (0, 0));
    }
}
