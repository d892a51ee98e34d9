//! Hashes of expressions of one script: two that are written alike have the same one, wherever they stand.
//!
//! An expression is hashed as Rust writes it out for debugging. What derives that leaves nothing out, so no field of
//! the core language can be forgotten here, not even one that is added later. Places are taken out of it, and
//! variables are numbered by first occurrence. Comments and layout are no part of it.

use sha2::{Digest as _, Sha256};

use super::core::{Expr, Script};
use crate::source::hash::IndexMap;

/// A cryptographic hash: collisions are infeasible.
pub type StrongHash = [u8; 32];

/// Hashes expressions of a script.
pub struct Fingerprints<'a> {
    script: &'a Script,
}

impl<'a> Fingerprints<'a> {
    /// For a script.
    #[must_use]
    pub fn new(script: &'a Script) -> Self {
        Self { script }
    }

    /// Hashes an expression by its text and without the definitions of its names, which are unique in one script.
    #[must_use]
    pub fn of_expr(&self, e: &Expr) -> StrongHash {
        let written = format!("{e:?}");
        let mut reader = WrittenReader {
            script: self.script,
            out: String::with_capacity(written.len()),
            variables: IndexMap::default(),
        };
        reader.read(&written);
        Sha256::digest(reader.out.as_bytes()).into()
    }
}

/// Goes through what was written out for debugging.
struct WrittenReader<'a> {
    script: &'a Script,
    out: String,
    /// Variables by number, in the order of first occurrence.
    variables: IndexMap<u32, ()>,
}

impl WrittenReader<'_> {
    fn read(&mut self, written: &str) {
        let mut rest = written;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                // Nothing in a literal of the script counts as anything but itself.
                '"' | '\'' => quoted(rest, first),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let (token, behind) = rest.split_at(length);
            rest = behind;
            match (token, inside(behind)) {
                ("Span", Some(skipped)) => rest = &behind[skipped..],
                (_, Some(length)) if self.variable(token, &behind[..length]) => {
                    rest = &behind[length..];
                }
                _ => self.out.push_str(token),
            }
        }
    }

    /// Replaces a variable by its place in the order of first occurrence; `number` has its brackets.
    fn variable(&mut self, kind: &str, number: &str) -> bool {
        let number = number.strip_prefix('(').and_then(|n| n.strip_suffix(')'));
        let number = number.and_then(|n| n.parse::<u32>().ok());
        let Some(number) = number.filter(|_| kind == "VariableId") else {
            return false;
        };
        let at = self.variables.insert_full(number, ()).0;
        let name = self.script.locals.get(number as usize);
        self.out.push_str(&format!("variable {at} {name:?}"));
        true
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The bytes of a literal at the beginning of a text.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The bytes of the brackets that a text begins with: those of a span or of a number.
fn inside(text: &str) -> Option<usize> {
    let opens = text.trim_start_matches(' ');
    let close = match opens.chars().next()? {
        '{' => '}',
        '(' => ')',
        _ => return None,
    };
    // Neither has such brackets inside of it.
    Some(text.find(close)? + close.len_utf8())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::script::load::load_text;

    /// Those of the processes that a script's assertions are about.
    fn hashes(text: &str) -> Vec<StrongHash> {
        let loaded = load_text(Path::new("x.csp"), text);
        let prints = Fingerprints::new(&loaded.script);
        let assertions = loaded.script.assertions.iter();
        assertions.map(|a| prints.of_expr(a.subject())).collect()
    }

    #[test]
    fn what_is_written_alike_has_one_hash_wherever_it_stands() {
        let alike = |one: &str, other: &str| {
            let text = format!(
                "channel a : {{0..2}}\nN = 2\nM = 2\nP(x) = a!x -> P(x)\n\
                 assert {one} :[deadlock free]\nassert {other} :[divergence free]\n"
            );
            let found = hashes(&text);
            assert_eq!(found.len(), 2, "{text}");
            found[0] == found[1]
        };
        assert!(alike("P(N)", "P( {- Span -} N )"));
        assert!(alike("(a?x -> P(x))", "(a?x -> P(x))"));
        assert!(alike("(let y = N within P(y))", "(let y = N within P(y))"));
        // Names are shown, and what they stand for is not looked at.
        assert!(!alike("(a?x -> P(x))", "(a?y -> P(y))"));
        assert!(!alike("P(N)", "P(M)"));
        assert!(!alike("P(0)", "P(1)"));
        assert!(!alike("(a?x -> a?y -> P(x))", "(a?x -> a?y -> P(y))"));
    }

    #[test]
    fn a_literal_is_nothing_but_itself() {
        let with = |text: &str| {
            let text = format!(
                "channel a : Char\nP(s) = a?x:set(s) -> P(s)\nassert P(\"{text}\") :[deadlock free]\n"
            );
            hashes(&text)
        };
        assert_ne!(with("Span { start: 1 }"), with("Span { start: 2 }"));
        assert_ne!(with("VariableId(0)"), with("VariableId(1)"));
        assert_ne!(with("\\\" Span { 1 }"), with("\\\" Span { 2 }"));
        assert_eq!(with("Span { start: 1 }"), with("Span { start: 1 }"));
    }
}
