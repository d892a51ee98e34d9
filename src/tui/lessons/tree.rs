//! RON with places: a file of a lesson as a tree in which every part knows where it stands.
//!
//! Deserialising a file into a type stops at the first error, and forgets places. An author of a lesson wants all
//! mistakes at once, so [`ron`] reads it level by level here, each value as a part of the text, and `format` reports
//! the flaws of each part. The configuration is read in the same way.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use ron::Options;
use ron::error::{Error, SpannedError};
use ron::value::RawValue;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::source::visible_line;

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LessonPlace {
    /// The line number.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

/// A flaw of a file, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonFlaw {
    /// The place.
    pub at: LessonPlace,
    /// The message, in a sentence without a full stop.
    pub message: String,
}

impl LessonFlaw {
    /// A flaw at a place.
    pub fn new(at: LessonPlace, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }
}

/// A part of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct RonNode {
    /// The start; for a text that of its first character.
    pub at: LessonPlace,
    /// The value.
    pub tree: RonTree,
}

/// The value of a part of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum RonTree {
    /// A text, `"a text"`.
    Text(String),
    /// A number, `12`.
    Number(i64),
    /// A word that stands alone, as `true`.
    Word(String),
    /// A list, `[a, b]`.
    List(Vec<RonNode>),
    /// `Name(field: a)`, where the name may be left out.
    Record(Option<String>, Vec<RonField>),
    /// `{ "name": a }`
    Map(Vec<RonField>),
}

/// A field of a record, as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct RonField {
    /// The place of its name.
    pub at: LessonPlace,
    /// Its name; a value without one has none.
    pub name: String,
    /// The value.
    pub value: RonNode,
}

impl RonTree {
    /// The name of the kind in messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Word(_) => "a word",
            Self::List(_) => "a list",
            Self::Record(..) => "a record",
            Self::Map(_) => "a map",
        }
    }
}

/// Levels of brackets, which [`ron`] counts twice; a lesson needs five.
const DEPTH_MAX: usize = 40;
const BEGINNING: LessonPlace = LessonPlace { line: 1, column: 1 };

/// Parses a file.
///
/// # Errors
/// The first place where it is no RON.
pub fn read_tree(text: &str) -> Result<RonNode, LessonFlaw> {
    // A raw value may not end in a comment without an end of line.
    let text = &format!("{text}\n");
    let reader = RonReader {
        text,
        options: Options::default().with_recursion_limit(DEPTH_MAX),
        last: Cell::new((0, BEGINNING)),
    };
    reader.node(reader.read(text)?)
}

struct RonReader<'a> {
    text: &'a str,
    options: Options,
    /// The part that was asked for last, by its first byte, and its place.
    last: Cell<(usize, LessonPlace)>,
}

impl<'a> RonReader<'a> {
    /// The place where a part of the text begins.
    fn place(&self, part: &str) -> LessonPlace {
        let to = part.as_ptr().addr() - self.text.as_ptr().addr();
        // Parts are mostly asked for in their order: long files are not counted from the beginning each time.
        let (from, mut at) = match self.last.get() {
            (from, at) if from <= to => (from, at),
            _ => (0, BEGINNING),
        };
        for c in self.text[from..to].chars() {
            at = match c {
                '\n' => LessonPlace {
                    line: at.line + 1,
                    column: 1,
                },
                _ => LessonPlace {
                    column: at.column + 1,
                    ..at
                },
            };
        }
        self.last.set((to, at));
        at
    }

    /// Reads a part of the text as `T`.
    fn read<T: Deserialize<'a>>(&self, part: &'a str) -> Result<T, LessonFlaw> {
        let read = self.options.from_str(part);
        read.map_err(|error| self.flaw(part, &error))
    }

    fn flaw(&self, part: &str, error: &SpannedError) -> LessonFlaw {
        let at = error.span.start;
        let lines = part.split_inclusive('\n').take(at.line - 1);
        let line = &part[lines.map(str::len).sum()..];
        let column = line.char_indices().nth(at.col - 1);
        let rest = &line[column.map_or(line.len(), |(at, _)| at)..];
        let rest = match rest.trim_start() {
            "" => rest,
            found => found,
        };
        LessonFlaw::new(self.place(rest), error_text(&error.code, rest.trim_start()))
    }

    fn node(&self, raw: &'a RawValue) -> Result<RonNode, LessonFlaw> {
        let part = raw.trim().get_ron();
        let behind = part.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let name = &part[..part.len() - behind.len()];
        let mut at = self.place(part);
        let tree = match part.as_bytes()[0] {
            b'"' | b'r' if behind.starts_with(['"', '#']) => {
                at.column += part.find('"').map_or(0, |quote| quote + 1);
                RonTree::Text(self.read(part)?)
            }
            b'[' => {
                let items: Vec<&RawValue> = self.read(part)?;
                let items = items.into_iter().map(|item| self.node(item));
                RonTree::List(items.collect::<Result<_, _>>()?)
            }
            b'{' => RonTree::Map(self.entries(part)?),
            b'0'..=b'9' | b'+' | b'-' => {
                let number = part.replace('_', "").parse();
                RonTree::Number(number.map_err(|_| {
                    let message = format!("`{part}` is no whole number that a lesson can hold");
                    LessonFlaw::new(at, message)
                })?)
            }
            // `Some(x)` is `x`: strict RON writes options so.
            _ if name == "Some" => {
                let (only,): (&RawValue,) = self.read(behind)?;
                return self.node(only);
            }
            _ if behind.is_empty() => RonTree::Word(name.to_owned()),
            _ if part.ends_with(')') => {
                let called = (!name.is_empty()).then(|| name.to_owned());
                RonTree::Record(called, self.fields(part)?)
            }
            _ => {
                let message = format!("`{}` cannot stand here", visible_line(part));
                return Err(LessonFlaw::new(at, message));
            }
        };
        Ok(RonNode { at, tree })
    }

    fn fields(&self, part: &'a str) -> Result<Vec<RonField>, LessonFlaw> {
        let Entries(entries): Entries<&str> = self.read(part)?;
        let field = |(name, value): (Option<&str>, &'a RawValue)| {
            Ok(RonField {
                at: self.place(name.unwrap_or(value.trim().get_ron())),
                name: name.unwrap_or_default().to_owned(),
                value: self.node(value)?,
            })
        };
        entries.into_iter().map(field).collect()
    }

    fn entries(&self, part: &'a str) -> Result<Vec<RonField>, LessonFlaw> {
        let Entries(entries): Entries<&RawValue> = self.read(part)?;
        let entry = |(key, value): (Option<&'a RawValue>, _)| {
            // In braces each value has a key.
            let RonNode { at, tree } = self.node(key.unwrap_or(value))?;
            let (RonTree::Text(name) | RonTree::Word(name)) = tree else {
                let message = format!("here a name should stand, and not {}", tree.kind());
                return Err(LessonFlaw::new(at, message));
            };
            let value = self.node(value)?;
            Ok(RonField { at, name, value })
        };
        entries.into_iter().map(entry).collect()
    }
}

/// Describes a mistake in a file, by the text that follows it.
fn error_text(error: &Error, rest: &str) -> String {
    let next = rest.chars().next().map(|c| c.escape_default().to_string());
    match (error, next.as_deref()) {
        (Error::Eof | Error::ExpectedComma | Error::ExpectedMapColon, None) => {
            "the file ends here, in the middle of it".to_owned()
        }
        (Error::ExpectedComma, Some(":")) => {
            "here only some of the values have names, and all need one".to_owned()
        }
        (Error::ExpectedComma, Some(next)) => {
            format!("here `,` or a closing bracket is missing, before `{next}`")
        }
        (Error::ExpectedMapColon, Some(next)) => format!("here `:` is missing, before `{next}`"),
        (Error::ExpectedStringEnd, _) => "this text has no end".to_owned(),
        (Error::UnclosedBlockComment, _) => "this comment has no end".to_owned(),
        (Error::TrailingCharacters, Some(next)) => format!("`{next}` after the end"),
        (
            Error::UnexpectedChar(_) | Error::ExpectedIdentifier | Error::SuggestRawIdentifier(_),
            Some(next),
        ) => format!("`{next}` cannot stand here"),
        (Error::InvalidEscape(_), _) => {
            "after `\\` only `n`, `r`, `t`, `0`, `\"`, `'`, `\\`, `x..` and `u{..}` may stand"
                .to_owned()
        }
        (Error::ExceededRecursionLimit, _) => "brackets are nested too deeply".to_owned(),
        (error, _) => visible_line(&error.to_string()).into_owned(),
    }
}

/// The entries of a record or a map, in order; values of a record may lack a name.
struct Entries<'a, K>(Vec<(Option<K>, &'a RawValue)>);

impl<'de, K: Deserialize<'de>> Deserialize<'de> for Entries<'de, K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<K>(PhantomData<K>);

impl<'de, K: Deserialize<'de>> Visitor<'de> for EntriesVisitor<K> {
    type Value = Entries<'de, K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values with names")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Entries(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = values.next_element()? {
            all.push((None, value));
        }
        Ok(Entries(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            all.push((Some(key), value));
        }
        Ok(Entries(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw(text: &str) -> (usize, usize, String) {
        let flaw = read_tree(text).unwrap_err();
        (flaw.at.line, flaw.at.column, flaw.message)
    }

    #[test]
    fn what_ron_reads_is_read() {
        let text = "#![enable(implicit_some)]\n// c\nLesson(a: \"x\\n\\u{e9}\", /* /* b */ */ b: [1, -2,], c: Some(r#\"q\"r\"#), d: true,)";
        let RonTree::Record(name, fields) = read_tree(text).unwrap().tree else {
            panic!("no record");
        };
        assert_eq!(name.as_deref(), Some("Lesson"));
        assert_eq!(fields[0].value.tree, RonTree::Text("x\né".to_owned()));
        assert_eq!(fields[2].value.tree, RonTree::Text("q\"r".to_owned()));
        assert_eq!((fields[1].at.line, fields[1].at.column), (3, 38));
        let RonTree::Record(_, fields) = read_tree("Card(\"x\") // c").unwrap().tree else {
            panic!("no record");
        };
        assert_eq!((fields[0].name.as_str(), fields[0].at.column), ("", 6));
    }

    #[test]
    fn what_is_no_ron_has_a_place() {
        assert_eq!(flaw("(a: \"x\n").2, "this text has no end");
        assert_eq!((flaw("(a: 1\nb: 2)").0, flaw("(a: 1\nb: 2)").1), (2, 1));
        assert!(flaw("(a: [1, 2").2.contains("file ends"));
        assert!(flaw("").2.contains("file ends"));
        assert!(flaw("(a: 1) x").2.contains("after the end"));
        assert!(flaw(&"[".repeat(10_000)).2.contains("nested"));
        assert!(flaw("(a: 99999999999999999999)").2.contains("whole number"));
        assert!(flaw("\0\u{1b}[2J").2.contains("cannot stand"));
        assert!(flaw("(a: \"\\q\")").2.contains("after `\\`"));
        assert!(flaw("(\"x\", a: 1)").2.contains("only some"));
        assert!(flaw("(b: 1, a = 1)").2.contains("`:` is missing"));
        assert_eq!(flaw("(a: /* c */ 'x')").1, 13);
    }
}
