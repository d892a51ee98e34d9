//! The expected type at a place that is being written, from the text before it, which can seldom be parsed.

use super::analysis::Analysis;
use crate::script::index::Definition;
use crate::syntax::{Lexeme, lexemes};

/// The expectation at a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// The type, as it is written in annotations.
    pub(super) shown: String,
    /// Whether it follows a channel or a constructor: then other types are unlikely.
    pub(super) field: bool,
    /// Whether a pattern is expected, in which names are new unless they are constructors.
    pub(super) pattern: bool,
}

/// The expectation behind a text, which is the beginning of a declaration without comments and strings.
pub(super) fn due(known: &Analysis, before: &str) -> Option<Due> {
    let before = before.trim_end();
    if let Some(shown) = field_type(known, before) {
        return Some(Due {
            shown,
            field: true,
            pattern: before.ends_with('?'),
        });
    }
    Some(Due {
        shown: within_brackets(known, before)?,
        field: false,
        pattern: false,
    })
}

/// A text with blanks for its comments and strings; bytes stay where they are.
pub(super) fn bare(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (lexeme, part) in lexemes(text) {
        if !matches!(lexeme, Lexeme::Word | Lexeme::Number) {
            bytes[part].fill(b' ');
        }
    }
    // Anything else that is not ASCII is no CSPm: blanks, too, so that bytes are characters.
    bytes
        .iter_mut()
        .filter(|b| !b.is_ascii())
        .for_each(|b| *b = b' ');
    String::from_utf8(bytes).unwrap_or_default()
}

/// The type of the field that is due behind `c.x!`, `C.`, or the set of its values behind `c?x:`.
fn field_type(known: &Analysis, before: &str) -> Option<String> {
    if let Some(chain) = before.strip_suffix(':').filter(|rest| !rest.ends_with(':')) {
        let chain = &chain[..item(chain)?];
        let shown = field_type(known, chain.trim_end())?;
        return Some(format!("{{{shown}}}"));
    }
    let mut rest = before.strip_suffix(['.', '!', '?', '$'])?;
    // `..` is a range.
    if rest.ends_with('.') {
        return None;
    }
    // Backwards from the end: the parts between the separators, back to the first of them.
    let mut parts = Vec::new();
    let head = loop {
        rest = rest.trim_end();
        let mut start = item(rest)?;
        // `?x:S`
        let front = rest[..start].trim_end();
        if let Some(front) = front
            .strip_suffix(':')
            .filter(|front| !front.ends_with(':'))
        {
            start = item(front.trim_end())?;
        }
        let part = rest[start..].trim();
        let front = rest[..start].trim_end();
        match front.strip_suffix(['.', '!', '?', '$']) {
            Some(front) => {
                parts.push(part);
                rest = front;
            }
            None => break part,
        }
    };
    let mut due = fields(known, head)?;
    due.reverse();
    for part in parts.iter().rev() {
        due.pop()?;
        // The fields of a constructor follow it.
        if let Some(mut inner) = constructor_fields(known, part) {
            inner.reverse();
            due.extend(inner);
        }
    }
    due.pop()
}

/// The start of the item that ends a text: a name with its path, a number, brackets with their arguments.
fn item(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = text.len();
    // `f(x)(y)`
    while at > 0 && matches!(bytes[at - 1], b')' | b'}' | b'>') {
        at = opening(&text[..at - 1])?;
    }
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'');
    loop {
        let end = at;
        while at > 0 && part(bytes[at - 1]) {
            at -= 1;
        }
        let path = at >= 2 && at < end && &text[at - 2..at] == "::";
        if !path {
            break;
        }
        at -= 2;
    }
    (at < text.len()).then_some(at)
}

/// The place of the bracket that is open at the end of a text.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' | b'}' | b']' => depth += 1,
            b'(' | b'{' | b'[' if depth == 0 => return Some(at),
            b'(' | b'{' | b'[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The types of the fields of a channel or a constructor.
fn fields(known: &Analysis, name: &str) -> Option<Vec<String>> {
    let simple = name.rsplit("::").next().unwrap_or(name);
    match known.named(simple)? {
        Definition::Channel(channel) => Some(left(&known.loaded.types.show_channel(channel))),
        _ => constructor_fields(known, name),
    }
}

fn constructor_fields(known: &Analysis, name: &str) -> Option<Vec<String>> {
    let simple = name.rsplit("::").next().unwrap_or(name);
    match known.named(simple)? {
        Definition::Ctor(ctor) => Some(left(&known.loaded.types.show_ctor(ctor))),
        _ => None,
    }
}

/// `A`, `B` of `A=>B=>Event`.
fn left(shown: &str) -> Vec<String> {
    let mut parts = split(shown, "=>");
    parts.pop();
    parts
}

/// The parts of a type between separators that stand in no brackets.
fn split(shown: &str, separator: &str) -> Vec<String> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0usize, 0);
    for (at, byte) in shown.bytes().enumerate() {
        match byte {
            b'(' | b'{' | b'<' => depth += 1,
            // The ends of arrows close nothing.
            b'>' if at > 0 && matches!(shown.as_bytes()[at - 1], b'=' | b'-') => {}
            b')' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at >= from && shown[at..].starts_with(separator) {
            parts.push(shown[from..at].trim().to_owned());
            from = at + separator.len();
        }
    }
    parts.push(shown.get(from..).unwrap_or_default().trim().to_owned());
    parts
}

/// The type that is due behind an opening bracket or a comma.
fn within_brackets(known: &Analysis, before: &str) -> Option<String> {
    if !before.ends_with(['(', '{', ',']) {
        return None;
    }
    let open = opening(before)?;
    let inside = &before[open + 1..];
    let front = before[..open].trim_end();
    if before.as_bytes()[open] == b'{' {
        return element(known, front, inside);
    }
    let start = item(front).unwrap_or(front.len());
    let name = &front[start..];
    if name.is_empty() || !before[..open].ends_with(name) {
        // Brackets around an expression: the expectation before them.
        return if inside.trim().is_empty() {
            due(known, front).map(|due| due.shown)
        } else {
            None
        };
    }
    let shown = function_type(known, name)?;
    // Without the conditions on type variables.
    let shown = shown.rsplit(" => ").next()?;
    let arguments = split(shown, "->").into_iter().next()?;
    let arguments = arguments.strip_prefix('(')?.strip_suffix(')')?;
    let at = split(&bare_arguments(inside), ",").len().checked_sub(1)?;
    split(arguments, ",").into_iter().nth(at)
}

/// Arguments with all that stands in brackets left out, where commas mean something else.
fn bare_arguments(inside: &str) -> String {
    let mut depth = 0usize;
    let keep = |c: &char| {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == ','
    };
    inside.chars().filter(keep).collect()
}

/// The type of the elements of a set that is being written.
fn element(known: &Analysis, front: &str, inside: &str) -> Option<String> {
    let first = inside.split(',').next().unwrap_or_default().trim();
    if let Some(Definition::Ctor(ctor)) = known.named(first) {
        let owner = known.loaded.script.ctors.get(ctor.0 as usize)?.owner;
        let owner = known.loaded.script.types.get(owner.0 as usize)?;
        return Some(owner.name.to_string());
    }
    let set = due(known, front)?.shown;
    Some(set.strip_prefix('{')?.strip_suffix('}')?.to_owned())
}

/// The type of a function of the top level or of a `let`.
fn function_type(known: &Analysis, name: &str) -> Option<String> {
    let (script, types) = (&known.loaded.script, &known.loaded.types);
    let simple = name.rsplit("::").next().unwrap_or(name);
    if let Some(Definition::Global(global)) = known.named(simple) {
        return Some(types.show(global));
    }
    let local = script.locals.iter().rposition(|local| **local == *simple)?;
    Some(types.show_local(crate::script::core::VariableId(local as u32)))
}
