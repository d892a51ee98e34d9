//! Words of a text outside comments and strings, and what can be folded: known even of a text that no
//! parser takes.

/// A word: its first byte and one past its last.
pub(super) type Word = (usize, usize);

/// Words that no name may be.
pub(super) const KEYWORDS: [&str; 24] = [
    "and",
    "assert",
    "channel",
    "datatype",
    "else",
    "endmodule",
    "exports",
    "external",
    "false",
    "if",
    "include",
    "instance",
    "let",
    "module",
    "nametype",
    "not",
    "or",
    "print",
    "subtype",
    "then",
    "Timed",
    "transparent",
    "true",
    "within",
];

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

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Tokens {
    pub(super) fn new(text: &str) -> Self {
        let mut this = Self::default();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let from = at;
            match bytes[at] {
                b'-' if bytes.get(at + 1) == Some(&b'-') => {
                    at = until(bytes, at, b'\n');
                    this.notes.push((from, at));
                }
                b'{' if bytes.get(at + 1) == Some(&b'-') => {
                    at = block_end(bytes, at);
                    this.blocks.push((from, at));
                }
                b'"' => {
                    at = quoted_end(bytes, at);
                    this.strings.push((from, at));
                }
                b'\'' => {
                    // Any other quote stands by itself.
                    at = char_end(text, at);
                    this.strings.push((from, at));
                }
                b if b.is_ascii_alphabetic() => {
                    while bytes.get(at).copied().is_some_and(is_word) {
                        at += 1;
                    }
                    while bytes.get(at) == Some(&b'\'') {
                        at += 1;
                    }
                    this.words.push((from, at));
                }
                // A number, with letters that touch it: `12x` is no name.
                b if is_word(b) => {
                    while bytes.get(at).copied().is_some_and(is_word) {
                        at += 1;
                    }
                }
                _ => at += 1,
            }
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

fn until(bytes: &[u8], from: usize, stop: u8) -> usize {
    let found = bytes[from..].iter().position(|b| *b == stop);
    found.map_or(bytes.len(), |n| from + n)
}

/// The end of the block comment at `from`, with the comments inside it.
fn block_end(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0_usize);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"{-" => depth += 1,
            b"-}" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn quoted_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' if bytes.get(at + 1).is_some_and(|b| *b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn char_end(text: &str, from: usize) -> usize {
    let mut rest = text[from + 1..].char_indices();
    let first = match rest.next() {
        Some((_, '\\')) => rest.next(),
        first => first,
    };
    match (first, rest.next()) {
        (Some((_, c)), Some((n, '\''))) if c != '\n' => from + 1 + n + 1,
        _ => from + 1,
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
