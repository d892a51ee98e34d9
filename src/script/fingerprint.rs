//! Hashes of assertions with all that they reach by name: what is equal in two scripts has the same hash, wherever
//! it stands.
//!
//! A declaration is hashed as Rust writes it out for debugging. What derives that leaves nothing out, so no field of
//! the core language can be forgotten here, not even one that is added later. Places are taken out of it, variables
//! are numbered from the beginning of the declaration, and other declarations go by their names. Comments and layout
//! are no part of it.

use sha2::{Digest as _, Sha256};

use super::core::{ChannelId, CtorId, Expr, GlobalId, Script, TypeId};
use super::reach::TopLevel;
use crate::source::hash::{IndexMap, IndexSet, Map};

/// A strong hash: nobody finds two texts with the same one.
pub type StrongHash = [u8; 32];

/// Hashes the assertions of a script.
pub struct Fingerprints<'a> {
    script: &'a Script,
    names: DeclaredNames,
    /// What is known of declarations by now.
    known: Map<TopLevel, DeclarationHash>,
}

/// A declaration alone.
struct DeclarationHash {
    hash: StrongHash,
    mentions: Vec<TopLevel>,
}

/// Names of declarations that tell them apart: several may have the same one.
struct DeclaredNames {
    globals: Vec<String>,
    channels: Vec<String>,
    types: Vec<String>,
}

impl DeclaredNames {
    fn new(script: &Script) -> Self {
        fn numbered<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
            let mut met: Map<&str, usize> = Map::default();
            let mut number = |name: &'n str| {
                let times = met.entry(name).or_default();
                *times += 1;
                format!("{name}#{times}")
            };
            names.map(&mut number).collect()
        }
        Self {
            globals: numbered(script.globals.iter().map(|g| &*g.name)),
            channels: numbered(script.channels.iter().map(|c| &*c.name)),
            types: numbered(script.types.iter().map(|t| &*t.name)),
        }
    }

    fn of(&self, node: TopLevel) -> (&'static str, &str) {
        let (kind, names, at) = match node {
            TopLevel::Global(g) => ("definition", &self.globals, g.0),
            TopLevel::Channel(c) => ("channel", &self.channels, c.0),
            TopLevel::Type(t) => ("type", &self.types, t.0),
        };
        (kind, names.get(at as usize).map_or("", String::as_str))
    }
}

impl<'a> Fingerprints<'a> {
    /// For a script.
    #[must_use]
    pub fn new(script: &'a Script) -> Self {
        Self {
            script,
            names: DeclaredNames::new(script),
            known: Map::default(),
        }
    }

    /// Of assertion `index` (from 0) with all that it reaches, and of all datatypes with what these reach: which are
    /// symmetric is a matter of all of them. None if there is no such assertion.
    pub fn of_assertion(&mut self, index: usize) -> Option<StrongHash> {
        let assertion = self.script.assertions.get(index)?;
        let own = self.hashed(&format!("{assertion:?}"));
        let types = 0..self.script.types.len() as u32;
        let types = types.map(|t| TopLevel::Type(TypeId(t)));
        let mut reached: IndexSet<TopLevel> = own.mentions.iter().copied().chain(types).collect();
        let mut done = 0;
        // What is found is also what is left to do.
        while let Some(node) = reached.get_index(done).copied() {
            done += 1;
            reached.extend(self.declaration(node).mentions.iter().copied());
        }
        // In the order of the script, since that is also the order of values, and so one of searches.
        reached.sort_unstable();
        let mut hasher = Sha256::new();
        hasher.update(own.hash);
        for node in reached {
            let (kind, name) = self.names.of(node);
            let length = (name.len() as u64).to_le_bytes();
            hasher.update(kind);
            hasher.update(length);
            hasher.update(name);
            hasher.update(self.declaration(node).hash);
        }
        Some(hasher.finalize().into())
    }

    /// Of an expression without variables alone: two that are written alike have the same one.
    #[must_use]
    pub fn of_expr(&self, e: &Expr) -> StrongHash {
        self.hashed(&format!("{e:?}")).hash
    }

    fn declaration(&mut self, node: TopLevel) -> &DeclarationHash {
        if !self.known.contains_key(&node) {
            let script = self.script;
            let written = match node {
                TopLevel::Global(g) => format!("{:?}", script.globals[g.0 as usize]),
                TopLevel::Channel(c) => format!("{:?}", script.channels[c.0 as usize]),
                TopLevel::Type(t) => {
                    let datatype = &script.types[t.0 as usize];
                    // With what is written of each constructor elsewhere.
                    let ctors = datatype.clauses.iter();
                    let ctors = ctors.map(|(c, _)| &script.ctors[c.0 as usize]);
                    format!("{datatype:?} {:?}", ctors.collect::<Vec<_>>())
                }
            };
            let hashed = self.hashed(&written);
            self.known.insert(node, hashed);
        }
        &self.known[&node]
    }

    fn hashed(&self, written: &str) -> DeclarationHash {
        let mut reader = WrittenReader {
            script: self.script,
            names: &self.names,
            out: String::with_capacity(written.len()),
            variables: IndexMap::default(),
            mentions: IndexSet::default(),
        };
        reader.read(written);
        DeclarationHash {
            hash: Sha256::digest(reader.out.as_bytes()).into(),
            mentions: reader.mentions.into_iter().collect(),
        }
    }
}

/// Goes through what was written out for debugging.
struct WrittenReader<'a> {
    script: &'a Script,
    names: &'a DeclaredNames,
    out: String,
    /// Variables by number, in the order in which they are met.
    variables: IndexMap<u32, ()>,
    mentions: IndexSet<TopLevel>,
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
                (_, Some(length)) if self.id(token, &behind[..length]) => rest = &behind[length..],
                _ => self.out.push_str(token),
            }
        }
    }

    /// An id by what it stands for, if it is one; `number` has its brackets.
    fn id(&mut self, kind: &str, number: &str) -> bool {
        // Every channel is in it.
        if (kind, number) == ("Builtin", "(Events)") {
            let all = 0..self.script.channels.len() as u32;
            self.mentions
                .extend(all.map(|c| TopLevel::Channel(ChannelId(c))));
            return false;
        }
        let number = number.strip_prefix('(').and_then(|n| n.strip_suffix(')'));
        let Some(number) = number.and_then(|n| n.parse::<u32>().ok()) else {
            return false;
        };
        let node = match kind {
            "GlobalId" => TopLevel::Global(GlobalId(number)),
            "ChannelId" => TopLevel::Channel(ChannelId(number)),
            "TypeId" => TopLevel::Type(TypeId(number)),
            "CtorId" => {
                let CtorId(at) = CtorId(number);
                let Some(ctor) = self.script.ctors.get(at as usize) else {
                    return false;
                };
                self.out
                    .push_str(&format!("constructor {:?} of ", ctor.name));
                TopLevel::Type(ctor.owner)
            }
            "VariableId" => {
                let at = self.variables.insert_full(number, ()).0;
                let name = self.script.locals.get(number as usize);
                self.out.push_str(&format!("variable {at} {name:?}"));
                return true;
            }
            _ => return false,
        };
        let (kind, name) = self.names.of(node);
        self.out.push_str(&format!("{kind} {name:?}"));
        self.mentions.insert(node);
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

    fn hashes(text: &str) -> Vec<StrongHash> {
        let loaded = load_text(Path::new("x.csp"), text);
        let mut prints = Fingerprints::new(&loaded.script);
        let all = 0..loaded.script.assertions.len();
        all.filter_map(|n| prints.of_assertion(n)).collect()
    }

    const SCRIPT: &str = "channel a : {0..2}\nN = 2\nP(x) = a!x -> P((x + 1) % N)\n\
                          Q = a?x -> (let y = x within a!y -> STOP)\n\
                          assert P(0) :[deadlock free]\nassert Q :[deadlock free]\n";

    #[test]
    fn only_what_is_reached_counts_and_not_where_it_stands() {
        let [p, q] = hashes(SCRIPT)[..] else {
            panic!("two assertions");
        };
        assert_ne!(p, q);
        let elsewhere = format!("-- a comment\nR = a.1 -> R\nSpan = 3\n\n{SCRIPT}");
        assert_eq!(hashes(&elsewhere), [p, q]);
        let laid_out = SCRIPT.replace(" -> ", "\n   -> {- Span -} ");
        assert_eq!(hashes(&laid_out), [p, q]);
        for (from, to, of_p, of_q) in [
            ("N = 2", "N = 1", false, true),
            ("y = x", "y = 2 - x", true, false),
            ("let y = x within a!y", "let z = x within a!z", true, false),
            ("{0..2}", "{0..3}", false, false),
            ("P(0) :", "P(1) :", false, true),
            ("Q :[deadlock", "Q :[divergence", true, false),
            ("channel a", "datatype T = A | B\nchannel a", false, false),
            ("assert Q", "assert not Q", true, false),
        ] {
            let changed = SCRIPT.replacen(from, to, 1);
            assert_ne!(changed, SCRIPT, "{from}");
            let found: Vec<bool> = hashes(&changed)
                .iter()
                .zip([p, q])
                .map(|(a, b)| *a == b)
                .collect();
            assert_eq!(found, [of_p, of_q], "{from} to {to}");
        }
    }

    #[test]
    fn a_literal_is_nothing_but_itself() {
        let with = |text: &str| {
            let text = format!(
                "channel a : Char\nS = \"{text}\"\nP = a?x:set(S) -> P\nassert P :[deadlock free]\n"
            );
            hashes(&text)
        };
        assert_ne!(with("Span { start: 1 }"), with("Span { start: 2 }"));
        assert_ne!(with("GlobalId(0)"), with("GlobalId(1)"));
        assert_ne!(with("\\\" Span { 1 }"), with("\\\" Span { 2 }"));
        assert_eq!(with("Span { start: 1 }"), with("Span { start: 1 }"));
    }
}
