//! What must be known of a text before it is parsed: comments, strings, brackets.
//!
//! Comments are overwritten with blanks (same length, so all offsets stay true). They nest, and so do
//! brackets; both are handled here with explicit stacks, which lets the parser refuse a text that
//! would exhaust the native stack.

/// A lexical problem and the bytes that it is about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// `{-` without `-}`.
    OpenComment { start: usize },
    /// A string that does not end on its line.
    OpenString { start: usize, end: usize },
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
    let mut at = 0;
    // The mark that some editors put before UTF-8 would be a strange character to the grammar.
    // Three blanks keep all offsets.
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes[..3].fill(b' ');
        at = 3;
    }
    while at < bytes.len() {
        let (from, next) = (at, bytes.get(at + 1).copied());
        match (bytes[at], next) {
            (b'-', Some(b'-')) => {
                at = line_end(&bytes, at);
                bytes[from..at].fill(b' ');
            }
            (b'{', Some(b'-')) => {
                at = match comment_end(&bytes, at) {
                    Some(end) => end,
                    None => {
                        problems.push(Problem::OpenComment { start: from });
                        bytes.len()
                    }
                };
                bytes[from..at].fill(b' ');
            }
            (b'"', _) => {
                let (end, closed) = string_end(&bytes, at);
                if !closed {
                    problems.push(Problem::OpenString { start: from, end });
                }
                at = end;
            }
            // Without this, the literal `'"'` would open a string.
            (b'\'', _) => at = char_end(&bytes, at),
            // A word is taken with its primes, so that the prime of `P'` does not begin a
            // character.
            (b, _) if b.is_ascii_alphabetic() => at = word_end(&bytes, at),
            _ => at += 1,
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

fn word_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while bytes
        .get(at)
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    {
        at += 1;
    }
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
    /// What would close it.
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
    /// What is open, outermost first.
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

    /// Closes the innermost bracket of this kind, if any, and whatever is still open in it.
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
