//! RON with places: a file of a lesson as a tree in which every part knows where it stands.
//!
//! The usual reader of RON stops at the first thing that does not fit and forgets places. Who writes a lesson
//! wants all mistakes at once, so the tree is read here, and `format` says of each part what is wrong with it. The
//! configuration is read in the same way.

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LessonPlace {
    /// The line.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonFlaw {
    /// Where.
    pub at: LessonPlace,
    /// What, in a sentence without a full stop.
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
    /// Where it begins; for a text where its first character stands.
    pub at: LessonPlace,
    /// What it is.
    pub tree: RonTree,
}

/// What a part of a file is.
#[derive(Clone, Debug, PartialEq)]
pub enum RonTree {
    /// `"a text"`
    Text(String),
    /// `12`
    Number(i64),
    /// A word that stands alone, as `true`.
    Word(String),
    /// `[a, b]`
    List(Vec<RonNode>),
    /// `Name(field: a)`, where the name may be left out.
    Record(Option<String>, Vec<RonField>),
    /// `{ "name": a }`
    Map(Vec<RonField>),
}

/// A field of a record, as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct RonField {
    /// Where its name stands.
    pub at: LessonPlace,
    /// Its name; a value without one has none.
    pub name: String,
    /// Its value.
    pub value: RonNode,
}

impl RonTree {
    /// What it is called in messages.
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

/// Brackets within brackets; a lesson needs five.
const DEPTH_MAX: usize = 20;

/// Reads a file.
///
/// # Errors
/// The first place where it is no RON.
pub fn read_tree(text: &str) -> Result<RonNode, LessonFlaw> {
    let mut reader = RonReader {
        rest: text.chars().collect(),
        next: 0,
        at: LessonPlace { line: 1, column: 1 },
        depth: 0,
    };
    reader.attributes()?;
    let node = reader.node()?;
    reader.blank()?;
    match reader.peek() {
        None => Ok(node),
        Some(c) => Err(reader.flaw(format!("`{c}` after the end"))),
    }
}

struct RonReader {
    rest: Vec<char>,
    next: usize,
    at: LessonPlace,
    depth: usize,
}

impl RonReader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.next).copied()
    }

    fn ahead(&self, by: usize) -> Option<char> {
        self.rest.get(self.next + by).copied()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.next += 1;
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn flaw(&self, message: impl Into<String>) -> LessonFlaw {
        LessonFlaw::new(self.at, message)
    }

    /// White space and comments.
    fn blank(&mut self) -> Result<(), LessonFlaw> {
        loop {
            match (self.peek(), self.ahead(1)) {
                (Some(c), _) if c.is_whitespace() => {
                    self.take();
                }
                (Some('/'), Some('/')) => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.take();
                    }
                }
                (Some('/'), Some('*')) => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// A comment in brackets; they nest in RON.
    fn comment(&mut self) -> Result<(), LessonFlaw> {
        let begin = self.at;
        let mut open = 0usize;
        loop {
            match (self.peek(), self.ahead(1)) {
                (Some('/'), Some('*')) => {
                    open += 1;
                    self.take();
                }
                (Some('*'), Some('/')) => {
                    open -= 1;
                    self.take();
                }
                (None, _) => return Err(LessonFlaw::new(begin, "this comment has no end")),
                _ => {}
            }
            self.take();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// `#![enable(..)]` at the beginning means nothing here: values are always as after `implicit_some`.
    fn attributes(&mut self) -> Result<(), LessonFlaw> {
        self.blank()?;
        while self.peek() == Some('#') {
            let begin = self.at;
            while self.peek().is_some_and(|c| c != ']') {
                self.take();
            }
            if self.take().is_none() {
                return Err(LessonFlaw::new(begin, "this attribute has no end"));
            }
            self.blank()?;
        }
        Ok(())
    }

    fn node(&mut self) -> Result<RonNode, LessonFlaw> {
        self.blank()?;
        let at = self.at;
        let raw = matches!(self.ahead(1), Some('"' | '#'));
        match self.peek() {
            None => Err(self.flaw("the file ends here, in the middle of it")),
            Some('"') => self.text(),
            Some('r') if raw => {
                self.take();
                let mut hashes = 0;
                while self.peek() == Some('#') {
                    self.take();
                    hashes += 1;
                }
                match self.peek() {
                    Some('"') => self.raw_text(hashes),
                    _ => Err(self.flaw("here a text should begin")),
                }
            }
            Some('[') => self.deeper(at, Self::list),
            Some('(') => self.deeper(at, |reader| reader.record(None)),
            Some('{') => self.deeper(at, Self::map),
            Some(c) if c.is_ascii_digit() || c == '-' || c == '+' => self.number(at),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(at),
            Some(c) => Err(self.flaw(format!("`{}` cannot stand here", c.escape_default()))),
        }
    }

    fn deeper(
        &mut self,
        at: LessonPlace,
        inside: impl FnOnce(&mut Self) -> Result<RonTree, LessonFlaw>,
    ) -> Result<RonNode, LessonFlaw> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.flaw("brackets are nested too deeply"));
        }
        self.take();
        let tree = inside(self)?;
        self.depth -= 1;
        Ok(RonNode { at, tree })
    }

    fn text(&mut self) -> Result<RonNode, LessonFlaw> {
        let begin = self.at;
        self.take();
        let at = self.at;
        let mut text = String::new();
        loop {
            match self.take() {
                None => return Err(LessonFlaw::new(begin, "this text has no end")),
                Some('"') => break,
                Some('\\') => text.push(self.escaped()?),
                Some(c) => text.push(c),
            }
        }
        Ok(RonNode {
            at,
            tree: RonTree::Text(text),
        })
    }

    fn escaped(&mut self) -> Result<char, LessonFlaw> {
        let wrong = |reader: &Self| {
            let message = "after `\\` only `n`, `t`, `\"`, `'`, `\\` and `u{..}` may stand";
            reader.flaw(message)
        };
        match self.peek() {
            Some('n') => self.take().map(|_| '\n'),
            Some('t') => self.take().map(|_| '\t'),
            Some('"' | '\\' | '\'') => self.take(),
            Some('u') if self.ahead(1) == Some('{') => {
                self.take();
                self.take();
                let mut code = 0u32;
                while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                    code = code.saturating_mul(16).saturating_add(digit);
                    self.take();
                }
                match (self.take(), char::from_u32(code)) {
                    (Some('}'), found) => found,
                    _ => None,
                }
            }
            _ => None,
        }
        .ok_or_else(|| wrong(self))
    }

    fn raw_text(&mut self, hashes: usize) -> Result<RonNode, LessonFlaw> {
        let begin = self.at;
        self.take();
        let at = self.at;
        let mut text = String::new();
        loop {
            let ends = self.peek() == Some('"') && (1..=hashes).all(|n| self.ahead(n) == Some('#'));
            if ends {
                (0..=hashes).for_each(|_| {
                    self.take();
                });
                break;
            }
            match self.take() {
                None => return Err(LessonFlaw::new(begin, "this text has no end")),
                Some(c) => text.push(c),
            }
        }
        Ok(RonNode {
            at,
            tree: RonTree::Text(text),
        })
    }

    fn number(&mut self, at: LessonPlace) -> Result<RonNode, LessonFlaw> {
        let mut digits = String::new();
        while let Some(c) = self
            .peek()
            .filter(|c| "+-_.".contains(*c) || c.is_alphanumeric())
        {
            digits.push(c);
            self.take();
        }
        let parsed = digits.replace('_', "").parse();
        let number = parsed.map_err(|_| {
            let message = format!("`{digits}` is no whole number that a lesson can hold");
            LessonFlaw::new(at, message)
        })?;
        Ok(RonNode {
            at,
            tree: RonTree::Number(number),
        })
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
            name.push(c);
            self.take();
        }
        name
    }

    fn word(&mut self, at: LessonPlace) -> Result<RonNode, LessonFlaw> {
        let name = self.name();
        self.blank()?;
        if self.peek() != Some('(') {
            let tree = RonTree::Word(name);
            return Ok(RonNode { at, tree });
        }
        let node = self.deeper(at, |reader| reader.record(Some(name)))?;
        // `Some(x)` is `x`: who writes it wrote RON in its strict form.
        match node.tree {
            RonTree::Record(Some(name), mut fields) if name == "Some" && fields.len() == 1 => {
                let only = fields.remove(0);
                Ok(only.value)
            }
            tree => Ok(RonNode { at, tree }),
        }
    }

    fn list(&mut self) -> Result<RonTree, LessonFlaw> {
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some(']') {
                self.take();
                return Ok(RonTree::List(items));
            }
            items.push(self.node()?);
            self.between(']')?;
        }
    }

    fn record(&mut self, name: Option<String>) -> Result<RonTree, LessonFlaw> {
        let mut fields = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some(')') {
                self.take();
                return Ok(RonTree::Record(name, fields));
            }
            let at = self.at;
            let before = (self.next, self.at);
            let field = self.name();
            self.blank()?;
            let named = self.peek() == Some(':') && !field.is_empty();
            if named {
                self.take();
            } else {
                // A value without a name: read again from its beginning.
                (self.next, self.at) = before;
            }
            fields.push(RonField {
                at,
                name: if named { field } else { String::new() },
                value: self.node()?,
            });
            self.between(')')?;
        }
    }

    fn map(&mut self) -> Result<RonTree, LessonFlaw> {
        let mut entries = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some('}') {
                self.take();
                return Ok(RonTree::Map(entries));
            }
            let key = self.node()?;
            let (RonTree::Text(name) | RonTree::Word(name)) = key.tree else {
                let kind = key.tree.kind();
                let message = format!("here a name should stand, and not {kind}");
                return Err(LessonFlaw::new(key.at, message));
            };
            self.blank()?;
            if self.peek() != Some(':') {
                return Err(self.flaw(format!("here `:` is missing, after `{name}`")));
            }
            self.take();
            entries.push(RonField {
                at: key.at,
                name,
                value: self.node()?,
            });
            self.between('}')?;
        }
    }

    /// A comma, or the end of what it would go on.
    fn between(&mut self, end: char) -> Result<(), LessonFlaw> {
        self.blank()?;
        match self.peek() {
            Some(',') => {
                self.take();
                Ok(())
            }
            Some(c) if c == end => Ok(()),
            Some(c) => {
                let c = c.escape_default();
                Err(self.flaw(format!("here `,` or `{end}` is missing, before `{c}`")))
            }
            None => Err(self.flaw(format!("the file ends here, and `{end}` is missing"))),
        }
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
    }
}
