//! Conditions on states, as people type them: `assets/manual/find.md` has their meaning.
//!
//! ```text
//! condition = condition "or" condition | condition "and" condition | "not" condition | "(" condition ")"
//!           | "deadlock" | "terminated" | "stable"
//!           | "offers" event | "can" event
//!           | who ("is" | "=") state
//! who       = component | "some" family | "every" family | "no" family
//! ```

/// A condition on states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Conjunction.
    All(Vec<Condition>),
    /// Disjunction.
    Any(Vec<Condition>),
    /// Negation.
    Not(Box<Condition>),
    /// A single claim.
    Claim(Claim, ClaimColumns),
}

/// Columns in the text: the first character and the one behind the last.
pub type ClaimColumns = (usize, usize);

/// A claim on a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No transition is possible, and not all components have terminated.
    Deadlock,
    /// No transition is possible, and all components have terminated.
    Terminated,
    /// Neither a silent step nor termination is possible.
    Stable,
    /// An event is possible that is visible and begins with these fields.
    Offers(Vec<FieldPattern>),
    /// An event of this form is possible, hidden ones included, by their names before hiding.
    Can(Vec<FieldPattern>),
    /// Components are in a local state.
    Is(ComponentPattern, LocalPattern),
}

/// A field of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldPattern {
    /// Any value, `_`.
    Any,
    /// One of these values.
    OneOf(Vec<String>),
}

/// The components of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentPattern {
    /// A component by its label, as `Thread[T0]`.
    Component(String),
    /// At least one of a family.
    Some(String),
    /// Every component of a family.
    Every(String),
    /// None of a family.
    No(String),
}

/// A pattern of local states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalPattern {
    /// By its whole text, given in quotes.
    Text(String),
    /// By its name and, unless they are left out, its values; `_` is any.
    Named(String, Option<Vec<Option<String>>>),
}

/// An error in a condition, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError {
    /// The place in the text, in characters.
    pub at: ClaimColumns,
    /// The message.
    pub message: String,
}

/// Words that no component and no local state can be called in a condition.
const WORDS: [&str; 3] = ["and", "or", "not"];
/// Brackets within brackets that are read.
const DEPTH_MAX: usize = 100;

/// Parses a condition.
///
/// # Errors
/// The place of an error, and the reason.
pub fn parse(text: &str) -> Result<Condition, ConditionError> {
    let mut reader = ConditionReader {
        chars: text.chars().collect(),
        at: 0,
        depth: 0,
    };
    let found = reader.any()?;
    reader.blanks();
    if reader.at == reader.chars.len() {
        Ok(found)
    } else {
        Err(reader.error("`and`, `or` or the end is expected here"))
    }
}

struct ConditionReader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, ConditionError>;

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

impl ConditionReader {
    fn error(&self, message: &str) -> ConditionError {
        let end = self.at + 1;
        ConditionError {
            at: (self.at, end),
            message: message.to_owned(),
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Goes behind a word, if it stands here.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let end = self.at + word.chars().count();
        let is_here = self
            .chars
            .get(self.at..end)
            .is_some_and(|c| c.iter().copied().eq(word.chars()));
        let ends = self.chars.get(end).is_none_or(|c| !is_word(*c));
        if is_here && ends {
            self.at = end;
        }
        is_here && ends
    }

    fn any(&mut self) -> Read<Condition> {
        let mut parts = vec![self.all()?];
        while self.word("or") {
            parts.push(self.all()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Condition::Any(parts),
        })
    }

    fn all(&mut self) -> Read<Condition> {
        let mut parts = vec![self.single()?];
        while self.word("and") {
            parts.push(self.single()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Condition::All(parts),
        })
    }

    fn single(&mut self) -> Read<Condition> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error("there are too many brackets within brackets"));
        }
        let found = self.single_here();
        self.depth -= 1;
        found
    }

    fn single_here(&mut self) -> Read<Condition> {
        if self.word("not") {
            return Ok(Condition::Not(Box::new(self.single()?)));
        }
        self.blanks();
        if self.peek() == Some('(') {
            self.at += 1;
            let inner = self.any()?;
            self.blanks();
            if self.peek() != Some(')') {
                return Err(self.error("a closing bracket is missing"));
            }
            self.at += 1;
            return Ok(inner);
        }
        let from = self.at;
        let claim = self.claim()?;
        Ok(Condition::Claim(claim, (from, self.at)))
    }

    fn claim(&mut self) -> Read<Claim> {
        for (word, claim) in [
            ("deadlock", Claim::Deadlock),
            ("terminated", Claim::Terminated),
            ("stable", Claim::Stable),
        ] {
            if self.word(word) {
                return Ok(claim);
            }
        }
        if self.word("offers") {
            return Ok(Claim::Offers(self.event()?));
        }
        if self.word("can") {
            return Ok(Claim::Can(self.event()?));
        }
        let who = match () {
            () if self.word("some") => ComponentPattern::Some(self.family()?),
            () if self.word("every") => ComponentPattern::Every(self.family()?),
            () if self.word("no") => ComponentPattern::No(self.family()?),
            () => ComponentPattern::Component(self.component()?),
        };
        self.blanks();
        if self.peek() == Some('=') {
            self.at += 1;
            // Comparison as in CSPm.
            if self.peek() == Some('=') {
                self.at += 1;
            }
        } else if !self.word("is") {
            return Err(self.error("`is` or `=` and a local state are expected here"));
        }
        Ok(Claim::Is(who, self.local()?))
    }

    /// Text up to a blank outside of brackets, or one of some characters there.
    fn piece(&mut self, ends: &[char]) -> Read<String> {
        self.blanks();
        let (from, mut open, mut quoted) = (self.at, Vec::new(), false);
        while let Some(c) = self.peek() {
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                '(' | '[' | '{' | '<' => open.push(c),
                ')' | ']' | '}' | '>' if !open.is_empty() => {
                    open.pop();
                }
                _ if open.is_empty() && (c.is_whitespace() || c == ')' || ends.contains(&c)) => {
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        if !open.is_empty() || quoted {
            return Err(ConditionError {
                at: (from, self.at),
                message: "this is not closed".to_owned(),
            });
        }
        let text: String = self.chars[from..self.at].iter().collect();
        let compact: String = text.split_whitespace().collect();
        if compact.is_empty() || WORDS.contains(&compact.as_str()) {
            self.at = from;
            Err(self.error(
                "a condition is expected here, such as `deadlock`, `offers a.b` or `P is Q`",
            ))
        } else {
            Ok(compact)
        }
    }

    fn family(&mut self) -> Read<String> {
        self.piece(&['=', '('])
    }

    fn component(&mut self) -> Read<String> {
        self.piece(&['='])
    }

    fn event(&mut self) -> Read<Vec<FieldPattern>> {
        let text = self.piece(&[])?;
        let field = |field: &&str| match *field {
            "_" | "*" => FieldPattern::Any,
            one => FieldPattern::OneOf(
                match one.strip_prefix('{').and_then(|f| f.strip_suffix('}')) {
                    Some(several) => several.split(',').map(str::to_owned).collect(),
                    None => vec![one.to_owned()],
                },
            ),
        };
        Ok(split_outside(&text, '.').iter().map(field).collect())
    }

    fn local(&mut self) -> Read<LocalPattern> {
        self.blanks();
        if self.peek() == Some('"') {
            let from = self.at + 1;
            let length = self.chars[from..].iter().position(|c| *c == '"');
            let Some(length) = length else {
                return Err(self.error("this is not closed"));
            };
            self.at = from + length + 1;
            let text: String = self.chars[from..from + length].iter().collect();
            return Ok(LocalPattern::Text(text.split_whitespace().collect()));
        }
        let name = self.piece(&[])?;
        let Some((name, rest)) = name.split_once('(') else {
            return Ok(LocalPattern::Named(name, None));
        };
        let inner = rest.strip_suffix(')').unwrap_or(rest);
        let value = |value: &str| match value {
            "_" | "*" => None,
            other => Some(other.to_owned()),
        };
        let args = if inner.is_empty() {
            Vec::new()
        } else {
            split_outside(inner, ',').into_iter().map(value).collect()
        };
        Ok(LocalPattern::Named(name.to_owned(), Some(args)))
    }
}

/// Splits a text at a separator outside of brackets and strings.
pub(super) fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut quoted, mut from) = (Vec::new(), 0_usize, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

impl Condition {
    /// The condition with each text replaced.
    #[must_use]
    pub fn map(&self, f: &mut impl FnMut(&str) -> String) -> Self {
        match self {
            Self::All(parts) => Self::All(parts.iter().map(|p| p.map(f)).collect()),
            Self::Any(parts) => Self::Any(parts.iter().map(|p| p.map(f)).collect()),
            Self::Not(inner) => Self::Not(Box::new(inner.map(f))),
            Self::Claim(claim, at) => Self::Claim(claim.map(f), *at),
        }
    }

    /// The claims of the condition, with their places.
    pub fn claims(&self) -> Vec<(&Claim, ClaimColumns)> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::claims).collect(),
            Self::Not(inner) => inner.claims(),
            Self::Claim(claim, at) => vec![(claim, *at)],
        }
    }

    /// Evaluates the condition from the values of its claims.
    pub fn holds<E>(&self, test: &mut impl FnMut(&Claim) -> Result<bool, E>) -> Result<bool, E> {
        match self {
            Self::All(parts) => {
                for part in parts {
                    if !part.holds(test)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(parts) => {
                for part in parts {
                    if part.holds(test)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Not(inner) => Ok(!inner.holds(test)?),
            Self::Claim(claim, _) => test(claim),
        }
    }
}

impl Claim {
    fn map(&self, f: &mut impl FnMut(&str) -> String) -> Self {
        let mut of = |fields: &[FieldPattern]| -> Vec<FieldPattern> {
            let field = |field: &FieldPattern| match field {
                FieldPattern::Any => FieldPattern::Any,
                FieldPattern::OneOf(values) => {
                    FieldPattern::OneOf(values.iter().map(|v| f(v)).collect())
                }
            };
            fields.iter().map(field).collect()
        };
        match self {
            Self::Deadlock | Self::Terminated | Self::Stable => self.clone(),
            Self::Offers(fields) => Self::Offers(of(fields)),
            Self::Can(fields) => Self::Can(of(fields)),
            Self::Is(who, local) => {
                let who = match who {
                    // Families are called after definitions, which nothing permutes.
                    ComponentPattern::Component(label) => ComponentPattern::Component(f(label)),
                    other => other.clone(),
                };
                let local = match local {
                    LocalPattern::Text(text) => LocalPattern::Text(f(text)),
                    LocalPattern::Named(name, args) => {
                        let mut value = |v: &Option<String>| v.as_ref().map(|v| f(v));
                        let args = args.as_ref().map(|a| a.iter().map(&mut value).collect());
                        LocalPattern::Named(name.clone(), args)
                    }
                };
                Self::Is(who, local)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let read = |text: &str| parse(text).map_err(|e| (e.at, e.message));
        assert!(read("deadlock").is_ok());
        assert!(read("Thread[T0] = Choose(T0, _) and not (offers pop._.A or stable)").is_ok());
        assert!(read("some Thread is Choose or every Node is Node(_, {A}, <N0, N1>)").is_ok());
        assert!(read("no Lock is \"(a -> STOP)\"").is_ok());
        let Ok(Condition::Any(parts)) = read("deadlock and stable or terminated") else {
            panic!("`and` binds tighter");
        };
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn events_are_cut_outside_of_brackets_and_strings() {
        let cut = |text| split_outside(text, '.');
        assert_eq!(cut("c.1.<A.1,B>.N0"), ["c", "1", "<A.1,B>", "N0"]);
        assert_eq!(cut("c.\"x.y\".(1.2)"), ["c", "\"x.y\"", "(1.2)"]);
        assert_eq!(cut(""), [""]);
        let trace = crate::engine::split_trace("<a, c.\"x,y\".(1, 2)>");
        assert_eq!(trace, ["a", "c.\"x,y\".(1,2)"]);
    }

    #[test]
    fn mistakes_have_places() {
        let at = |text: &str| parse(text).map_or_else(|e| e.at.0, |c| panic!("{c:?}"));
        assert_eq!(at(""), 0);
        assert_eq!(at("deadlock and"), 12);
        assert_eq!(at("deadlock stable"), 9);
        assert_eq!(at("(deadlock"), 9);
        assert_eq!(at("some Thread Choose"), 12);
        assert_eq!(at("P = Q(a"), 4);
        assert_eq!(at("offers and"), 7);
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&"not ".repeat(100_000)).is_err());
    }

    proptest::proptest! {
        /// Any text either parses, or has an error with a place within the text.
        #[test]
        fn any_text_is_read_or_refused(text in "[a-zA-Z0-9 ()\\[\\]{}<>=_.,\"é]{0,60}") {
            if let Err(error) = parse(&text) {
                proptest::prop_assert!(error.at.0 <= text.chars().count());
            }
        }
    }
}
