//! Words and signs of a file of a family, or of a regular expression, with their places.

use crate::alphabet::PADDING;
use crate::source::{Diagnostic, FileId, Span, alternatives, nearest};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternTokenKind {
    /// A keyword, or the name of a letter, a state or an action; also a number.
    Name,
    /// One character of punctuation.
    Sign(char),
    /// `->`
    Arrow,
    /// Behind the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub struct PatternToken<'t> {
    /// Its kind.
    pub kind: PatternTokenKind,
    /// Its text.
    pub text: &'t str,
    /// Its place.
    pub span: Span,
}

/// What reading some tokens gives.
pub type TokenResult<T> = Result<T, Box<Diagnostic>>;

const SIGNS: &str = "{}()[]:;,./|*+?";

/// All tokens of a text, of which the last one is [`PatternTokenKind::End`]. Comments are as in C.
///
/// # Errors
/// A character that means nothing, or a comment that is not closed.
pub fn tokens(file: FileId, text: &str) -> Result<Vec<PatternToken<'_>>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut at = 0;
    let span = |start: usize, end: usize| Span {
        file,
        start: start as u32,
        end: end as u32,
    };
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            let Some(length) = rest.find("*/") else {
                let place = span(at, at + 2);
                let diagnostic = Diagnostic::error("E0901", place, "this comment is never closed");
                return Err(Box::new(diagnostic.label("it begins here")));
            };
            at += length + 2;
            continue;
        } else if rest.starts_with("->") {
            (PatternTokenKind::Arrow, 2)
        } else if SIGNS.contains(c) {
            (PatternTokenKind::Sign(c), 1)
        } else if is_name(c) {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            (PatternTokenKind::Name, length)
        } else {
            let place = span(at, at + c.len_utf8());
            let message = "this character means nothing here";
            let note = "names are made of letters, digits, `_`, `'` and `#`";
            let diagnostic = Diagnostic::error("E0901", place, message);
            return Err(Box::new(diagnostic.note(note)));
        };
        found.push(PatternToken {
            kind,
            text: &rest[..length],
            span: span(at, at + length),
        });
        at += length;
    }
    found.push(PatternToken {
        kind: PatternTokenKind::End,
        text: "",
        span: span(text.len(), text.len()),
    });
    Ok(found)
}

fn is_name(c: char) -> bool {
    let is_sign = c.is_ascii() && !matches!(c, '_' | '\'' | '#');
    c.is_alphanumeric() || !is_sign && !c.is_whitespace() && !c.is_control()
}

/// Reads tokens one after the other.
#[derive(Clone, Copy, Debug)]
pub struct TokenReader<'t> {
    tokens: &'t [PatternToken<'t>],
    at: usize,
}

impl<'t> TokenReader<'t> {
    /// Begins at the first of these, of which the last one is the end.
    #[must_use]
    pub fn new(tokens: &'t [PatternToken<'t>]) -> Self {
        Self { tokens, at: 0 }
    }

    /// The token that comes next.
    #[must_use]
    pub fn peek(&self) -> PatternToken<'t> {
        self.token(self.at)
    }

    /// The one behind it.
    #[must_use]
    pub fn peek_second(&self) -> PatternToken<'t> {
        self.token(self.at + 1)
    }

    fn token(&self, at: usize) -> PatternToken<'t> {
        // The end is met again and again.
        self.tokens[at.min(self.tokens.len() - 1)]
    }

    /// Whether a sign comes next.
    #[must_use]
    pub fn is_at(&self, sign: char) -> bool {
        self.peek().kind == PatternTokenKind::Sign(sign)
    }

    /// Whether nothing comes any more.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.peek().kind == PatternTokenKind::End
    }

    /// Takes the next token.
    pub fn take(&mut self) -> PatternToken<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes a sign, if it comes next.
    pub fn take_sign(&mut self, sign: char) -> bool {
        let is_next = self.is_at(sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes a sign that has to come next.
    ///
    /// # Errors
    /// Something else comes.
    pub fn require(&mut self, sign: char) -> Result<PatternToken<'t>, Box<Diagnostic>> {
        match self.is_at(sign) {
            true => Ok(self.take()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    /// Takes a name that has to come next.
    ///
    /// # Errors
    /// Something else comes.
    pub fn name(&mut self, what: &str) -> Result<PatternToken<'t>, Box<Diagnostic>> {
        match self.peek().kind {
            PatternTokenKind::Name => Ok(self.take()),
            _ => Err(self.expected(what)),
        }
    }

    /// The error that something else comes next than what is expected.
    #[must_use]
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let found = match token.kind {
            PatternTokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", token.text),
        };
        let message = format!("expected {what}, found {found}");
        Box::new(Diagnostic::error("E0901", token.span, message))
    }
}

/// The error that a word is not one of those that may stand here.
pub(crate) fn unknown(token: PatternToken<'_>, known: &[&str]) -> Box<Diagnostic> {
    let message = match token.text {
        PADDING => "`#` means nothing here".to_owned(),
        text => format!("`{text}` means nothing here"),
    };
    let diagnostic = Diagnostic::error("E0901", token.span, message);
    let near = nearest(token.text, known.iter().copied());
    Box::new(match near.first() {
        Some(name) => diagnostic.did_you_mean(name),
        None => diagnostic.note(format!("here may stand {}", alternatives(known))),
    })
}
