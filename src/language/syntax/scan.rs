//! Scanning before parsing: comments, strings, brackets.
//!
//! Comments are overwritten with blanks (same length, so all offsets stay true). They nest, and so do
//! brackets; both are handled here with explicit stacks, which lets the parser refuse a text that
//! would exhaust the native stack.

use std::ops::Range;

/// A lexical problem and the bytes that it is about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// `{-` without `-}`.
    OpenComment { start: usize },
    /// A string that does not end on its line.
    OpenString { start: usize, end: usize },
}

/// A lexeme that matters before parsing. The rest is operators, brackets and blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme {
    /// A name or a keyword.
    Word,
    /// A number, with letters that touch it: `12x` is no name.
    Number,
    /// A comment from `--` to the end of its line.
    Note,
    /// A comment in `{-` and `-}`, with the comments inside it.
    Block {
        /// Whether it ends before the text does.
        closed: bool,
    },
    /// A string with its quotes.
    Text {
        /// Whether it ends on its line.
        closed: bool,
    },
    /// A character with its quotes.
    Character,
}

/// The lexemes of a text and the bytes of each, in order. Known even of a text that cannot be parsed.
pub fn lexemes(text: &str) -> impl Iterator<Item = (Lexeme, Range<usize>)> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let from = at;
            let lexeme;
            (lexeme, at) = lexeme_at(bytes, at);
            if let Some(lexeme) = lexeme {
                return Some((lexeme, from..at));
            }
        }
        None
    })
}

/// The lexeme that begins at a byte, if any, and the offset of the next one.
fn lexeme_at(bytes: &[u8], at: usize) -> (Option<Lexeme>, usize) {
    let next = bytes.get(at + 1).copied();
    match (bytes[at], next) {
        (b'-', Some(b'-')) => (Some(Lexeme::Note), line_end(bytes, at)),
        (b'{', Some(b'-')) => {
            let end = comment_end(bytes, at);
            let closed = end.is_some();
            (Some(Lexeme::Block { closed }), end.unwrap_or(bytes.len()))
        }
        (b'"', _) => {
            let (end, closed) = string_end(bytes, at);
            (Some(Lexeme::Text { closed }), end)
        }
        // Without this, the literal `'"'` would open a string. A quote by itself is nothing.
        (b'\'', _) => match char_end(bytes, at) {
            end if end == at + 1 => (None, end),
            end => (Some(Lexeme::Character), end),
        },
        // A word is taken with its primes, so that the prime of `P'` does not begin a character.
        (b, _) if b.is_ascii_alphabetic() => (Some(Lexeme::Word), word_end(bytes, at)),
        (b, _) if is_in_word(b) => (Some(Lexeme::Number), run_end(bytes, at)),
        _ => (None, at + 1),
    }
}

/// A text without comments.
pub(crate) struct Scan {
    pub(crate) text: String,
    pub(crate) problems: Vec<Problem>,
}

/// Overwrites comments with blanks.
pub(crate) fn blank_comments(source: &str) -> Scan {
    let mut bytes = source.as_bytes().to_vec();
    let mut problems = Vec::new();
    // The mark that some editors put before UTF-8 would be a strange character to the grammar.
    // Three blanks keep all offsets.
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes[..3].fill(b' ');
    }
    for (lexeme, part) in lexemes(source) {
        match lexeme {
            Lexeme::Note | Lexeme::Block { closed: true } => bytes[part].fill(b' '),
            Lexeme::Block { closed: false } => {
                problems.push(Problem::OpenComment { start: part.start });
                bytes[part].fill(b' ');
            }
            Lexeme::Text { closed: false } => problems.push(Problem::OpenString {
                start: part.start,
                end: part.end,
            }),
            _ => {}
        }
    }
    // Only whole characters were overwritten, so this never loses anything.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Scan { text, problems }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|b| *b == b'\n')
        .map_or(bytes.len(), |n| from + n)
}

/// The end of the block comment that begins at `from`; comments nest.
fn comment_end(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut depth, mut at) = (0usize, from);
    // The opening `{-` itself makes the first level. A `-}` at depth 0 cannot be met, since the
    // loop ends there.
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"{-" => {
                depth += 1;
                at += 2;
            }
            b"-}" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

fn string_end(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from + 1;
    while let Some(b) = bytes.get(at) {
        match b {
            b'"' => return (at + 1, true),
            // The newline stays outside: the declaration ends there, and what follows can be read.
            b'\n' => return (at, false),
            // An escaped quote does not end the string; a backslash does not carry it over the end
            // of the line.
            b'\\' if bytes.get(at + 1).is_some_and(|b| *b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    (bytes.len(), false)
}

/// Past a character literal; past the quote alone if it is none.
fn char_end(bytes: &[u8], from: usize) -> usize {
    // `body` is where the closing quote has to be: behind the quote, the backslash and the
    // character.
    let body = if bytes.get(from + 1) == Some(&b'\\') {
        from + 3
    } else {
        // One character of any length.
        // Bytes of the form `10xxxxxx` continue a character in UTF-8.
        let mut end = from + 2;
        while bytes.get(end).is_some_and(|b| b & 0xC0 == 0x80) {
            end += 1;
        }
        end
    };
    // Otherwise it is no literal, and the next byte may begin anything.
    if bytes.get(body) == Some(&b'\'') && bytes.get(from + 1) != Some(&b'\n') {
        body + 1
    } else {
        from + 1
    }
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The end of the letters, digits and underscores from here.
fn run_end(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..].iter().take_while(|b| is_in_word(**b)).count();
    from + length
}

/// The end of the word that begins here, with its primes.
fn word_end(bytes: &[u8], from: usize) -> usize {
    let mut at = run_end(bytes, from);
    while bytes.get(at) == Some(&b'\'') {
        at += 1;
    }
    at
}

/// An opening bracket or word that waits for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    /// Its first byte.
    pub(crate) start: usize,
    /// `(`, `{|`, `if`…
    pub(crate) text: &'static str,
    /// The bracket that closes it.
    pub(crate) close: &'static str,
}

/// Longest first within each first character.
const OPENINGS: [(&str, &str); 9] = [
    ("(|", "|)"),
    ("(", ")"),
    ("{|", "|}"),
    ("{", "}"),
    ("[[", "]]"),
    ("[|", "|]"),
    ("[+", "+]"),
    ("/+", "+\\"),
    ("[", "]"),
];

// Longer ones first. A single `]` is tried by itself, last: see `symbol`.
const CLOSINGS: [&str; 9] = ["|)", "|}", "|]", "|>", "+]", "+\\", "]]", ")", "}"];

/// Operators that contain the characters of brackets.
// These are tried before any bracket, or `[]` would open a `[` and `->` close a `<`.
const NOT_BRACKETS: [&str; 17] = [
    "[]", "[>", "|||", "|~|", "->", "<->", "<-", "<=", ">=", "=>", "[T=", "[F=", "[FD=", "[V=",
    "[VD=", "[R=", "[RD=",
];

/// Follows brackets, `if` and `let` through a text without comments.
pub(crate) struct Brackets<'a> {
    text: &'a str,
    at: usize,
    /// Open brackets, outermost first.
    pub(crate) open: Vec<Open>,
    /// The deepest that it ever was.
    pub(crate) deepest: usize,
    /// The outermost and the innermost bracket there.
    pub(crate) deepest_at: Option<(Open, Open)>,
    /// Whether the token before was the end of an operand, so that `<` means "less than".
    after_operand: bool,
}

impl<'a> Brackets<'a> {
    /// Runs from `from` to `to`.
    pub(crate) fn run(text: &'a str, from: usize, to: usize) -> Self {
        let mut this = Self {
            text,
            at: from,
            open: Vec::new(),
            deepest: 0,
            deepest_at: None,
            after_operand: false,
        };
        while this.at < to {
            this.token();
            // Only when the depth grows: the brackets around the deepest place are for the message.
            if this.open.len() > this.deepest {
                this.deepest = this.open.len();
                let ends = this.open.first().zip(this.open.last());
                this.deepest_at = ends.map(|(first, last)| (*first, *last));
            }
        }
        this
    }

    fn token(&mut self) {
        let bytes = self.text.as_bytes();
        match bytes[self.at] {
            b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            b'"' => self.operand_to(string_end(bytes, self.at).0),
            b'\'' => self.operand_to(char_end(bytes, self.at)),
            b if b.is_ascii_alphabetic() => self.word(),
            b if b.is_ascii_digit() || b == b'_' => self.operand_to(self.at + 1),
            _ => self.symbol(),
        }
    }

    fn operand_to(&mut self, end: usize) {
        self.at = end;
        self.after_operand = true;
    }

    fn word(&mut self) {
        let start = self.at;
        let end = word_end(self.text.as_bytes(), start);
        self.at = end;
        self.after_operand = false;
        match &self.text[start..end] {
            "if" => self.push(start, "if", "else"),
            "let" => self.push(start, "let", "within"),
            // `then` needs no entry: an `if` stays open until its `else`.
            "else" => self.close("else"),
            "within" => self.close("within"),
            // After any other keyword an operand is due, so a `<` there opens a sequence.
            word if super::words::is_keyword(word) && !matches!(word, "true" | "false") => {}
            _ => self.after_operand = true,
        }
    }

    fn push(&mut self, start: usize, text: &'static str, close: &'static str) {
        self.open.push(Open { start, text, close });
    }

    /// Closes the innermost bracket of this kind, if any, with all open brackets in it.
    fn close(&mut self, close: &str) {
        // `[|A|>` is the exception operator.
        // An opening `[|` waits for `|]` in the table, as nothing tells at that point which of the
        // two comes.
        let close = if close == "|>" { "|]" } else { close };
        // Do not look too far: a stray bracket must not cost quadratic time.
        let recent = self.open.len().saturating_sub(64);
        if let Some(n) = self.open[recent..].iter().rposition(|o| o.close == close) {
            self.open.truncate(recent + n);
        }
    }

    fn symbol(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let was_operand = self.after_operand;
        self.after_operand = false;
        if let Some(op) = NOT_BRACKETS.iter().find(|op| rest.starts_with(**op)) {
            self.at += op.len();
        } else if rest.starts_with('<') {
            self.at += 1;
            // After an operand `<` compares; where an operand is due it opens a sequence.
            if !was_operand {
                self.push(start, "<", ">");
            }
        } else if rest.starts_with('>') {
            self.at += 1;
            // With anything else innermost, `>` compares: `<(x > y)>`. Directly inside a sequence
            // it closes, as it does in the grammar.
            if self.open.last().is_some_and(|o| o.close == ">") {
                self.open.pop();
                self.after_operand = true;
            }
        } else if let Some(close) = CLOSINGS.iter().find(|c| rest.starts_with(**c)) {
            self.at += close.len();
            self.closing(start, close);
        } else if let Some((text, close)) = OPENINGS.iter().find(|(o, _)| opens(rest, o)) {
            self.at += text.len();
            self.push(start, text, close);
        } else if rest.starts_with(']') {
            self.at += 1;
            self.close("]");
        } else {
            self.at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }

    fn closing(&mut self, start: usize, close: &str) {
        // `[A||B[[x<-y]]]` and `f(x)[[a<-b]]`: two single brackets or one double one?
        if close == "]]" && self.open.last().is_some_and(|o| o.close == "]") {
            self.at = start + 1;
            self.close("]");
        } else {
            self.close(close);
        }
        self.after_operand = matches!(close, ")" | "}" | "|}" | "|)" | "]]");
    }
}

// `(|` opens a map only before a blank, as in the grammar; `(|x` is a parenthesis.
fn opens(rest: &str, opening: &str) -> bool {
    rest.starts_with(opening) && (opening != "(|" || rest[2..].starts_with([' ', '\t', '\n', '\r']))
}
