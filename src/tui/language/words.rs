//! A line in words, each with its place.

use crate::source::edit_distance;
use std::ops::Range;

use super::line::Mistake;

/// A word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineWord<'a> {
    pub text: &'a str,
    /// The first character, as an index into the line.
    pub at: usize,
}

impl LineWord<'_> {
    /// The columns that it takes.
    pub fn columns(&self) -> Range<usize> {
        self.at..self.at + self.text.chars().count()
    }

    /// Makes a mistake at this word.
    pub fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake {
            columns: self.columns(),
            message: message.into(),
        }
    }
}

/// The rest of a line: words are taken from the front.
#[derive(Clone, Debug)]
pub(super) struct LineWords<'a> {
    rest: &'a str,
    /// The column where the rest begins.
    at: usize,
}

impl<'a> LineWords<'a> {
    pub fn new(line: &'a str) -> Self {
        let mut words = Self { rest: line, at: 0 };
        words.trim();
        words.rest = words.rest.trim_end();
        words
    }

    fn trim(&mut self) {
        let rest = self.rest.trim_start();
        let blanks = &self.rest[..self.rest.len() - rest.len()];
        self.at += blanks.chars().count();
        self.rest = rest;
    }

    /// Whether the line is at its end.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next word, taken off.
    pub fn next(&mut self) -> Option<LineWord<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(char::is_whitespace);
        let end = end.unwrap_or(self.rest.len());
        let word = LineWord {
            text: &self.rest[..end],
            at: self.at,
        };
        self.at += word.text.chars().count();
        self.rest = &self.rest[end..];
        self.trim();
        Some(word)
    }

    /// The next word; a mistake if it is missing.
    pub fn need(&mut self, what: &str) -> Result<LineWord<'a>, Mistake> {
        let at = self.at;
        self.next().ok_or_else(|| missing(at, what))
    }

    /// The rest, as one text.
    pub fn rest(&mut self) -> Option<LineWord<'a>> {
        let all = LineWord {
            text: self.rest,
            at: self.at,
        };
        self.at += self.rest.chars().count();
        self.rest = "";
        (!all.text.is_empty()).then_some(all)
    }

    /// The rest as one text; a mistake if it is missing. Quotes around all of it are removed: they keep blanks at
    /// its ends.
    pub fn need_text(&mut self, what: &str) -> Result<LineWord<'a>, Mistake> {
        let at = self.at;
        let mut all = self.rest().ok_or_else(|| missing(at, what))?;
        let quoted = all.text.strip_prefix('"');
        if let Some(inner) = quoted.and_then(|text| text.strip_suffix('"')) {
            all = LineWord {
                text: inner,
                at: all.at + 1,
            };
        }
        Ok(all)
    }

    /// Checks that nothing follows.
    pub fn end(&mut self) -> Result<(), Mistake> {
        match self.rest() {
            None => Ok(()),
            Some(rest) => {
                Err(rest.mistake(format!("nothing may follow here, but `{}` does", rest.text)))
            }
        }
    }
}

fn missing(at: usize, what: &str) -> Mistake {
    Mistake {
        columns: at..at,
        message: format!("{what} is missing"),
    }
}

/// Parses a number; a mistake names the expected one.
pub(super) fn number(word: LineWord<'_>, what: &str) -> Result<usize, Mistake> {
    let parsed = word.text.parse();
    parsed.map_err(|_| word.mistake(format!("`{}` is not {what}", word.text)))
}

/// The name that a word most likely means: it differs in few letters, or begins with the word.
pub(super) fn near<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let scored = names.filter_map(|name| {
        let lower = name.to_lowercase();
        if !word.is_empty() && lower.starts_with(&word) {
            return Some((0, name));
        }
        // A third of the letters may be wrong.
        let most = (word.chars().count().max(lower.chars().count()) / 3).max(1);
        let far = edit_distance(&word, &lower);
        (far <= most).then_some((far, name))
    });
    scored.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// `; did you mean X?`, or nothing.
#[must_use]
pub fn hint<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    match near(word, names.into_iter()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}
