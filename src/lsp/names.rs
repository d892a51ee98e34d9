//! Names: where they stand, whether they can be changed, and which could be written.

use serde_json::{Value, json};

use super::tokens::{Tokens, declaration};
use crate::script::core::{Builtin, ChannelId, CtorId, GlobalId, GlobalKind, Script, TypeId};
use crate::script::index::{Definition, Index, describe};
use crate::script::load::Loaded;
use crate::source::hash::IndexMap;
use crate::source::{FileId, Span};
use crate::syntax::KEYWORDS;

/// The file that is open.
const MAIN: FileId = FileId(0);
/// Kinds of tokens; their numbers are places in this list.
pub(super) const TOKENS: [&str; 7] = [
    "keyword",
    "function",
    "variable",
    "type",
    "enumMember",
    "event",
    "parameter",
];
/// The kind of keywords.
pub(super) const KEYWORD: u32 = 0;

/// The name of something as it is written where it is defined.
pub(super) fn simple(script: &Script, definition: Definition) -> &str {
    let whole = match definition {
        Definition::Global(g) => &*script.globals[g.0 as usize].name,
        Definition::Type(t) => &*script.types[t.0 as usize].name,
        Definition::Ctor(c) => &*script.ctors[c.0 as usize].name,
        Definition::Channel(c) => &*script.channels[c.0 as usize].name,
        Definition::Local(l) => &*script.locals[l.0 as usize],
        Definition::Builtin(b) => b.name(),
    };
    // Inside its module a name is written without the module.
    whole.rsplit("::").next().unwrap_or(whole)
}

/// Everything of the top level that somebody wrote.
fn top(script: &Script) -> impl Iterator<Item = Definition> + '_ {
    let globals = script.globals.iter().enumerate();
    let written = globals.filter(|(_, g)| !g.made);
    let globals = written.map(|(n, _)| Definition::Global(GlobalId(n as u32)));
    let types = (0..script.types.len()).map(|n| Definition::Type(TypeId(n as u32)));
    let ctors = (0..script.ctors.len()).map(|n| Definition::Ctor(CtorId(n as u32)));
    let channels = (0..script.channels.len()).map(|n| Definition::Channel(ChannelId(n as u32)));
    globals.chain(types).chain(ctors).chain(channels)
}

/// What of the top level has a name, if only one thing has.
pub(super) fn named(script: &Script, name: &str) -> Option<Definition> {
    // With two of the same simple name, in two modules, the text alone does not tell which is
    // meant.
    let mut all = top(script).filter(|d| simple(script, *d) == name);
    let found = all.next()?;
    all.next().is_none().then_some(found)
}

/// Every place of a name: those that are resolved, and those which are not looked up since they stand
/// for what they repeat: further clauses of a function, exports, constructors of subtypes.
pub(super) fn places(loaded: &Loaded, index: &Index, definition: Definition) -> Vec<Span> {
    let name = simple(&loaded.script, definition);
    let own = index.place(&loaded.script, definition);
    let unique = named(&loaded.script, name);
    let mut found = Vec::new();
    for (n, file) in loaded.sources.files().iter().enumerate() {
        let file_id = FileId(n as u16);
        // Clauses of a local function stand in the declaration around it.
        let within = match (definition, own) {
            (Definition::Local(_), Some(place)) if place.file == file_id => {
                Some(declaration(&file.text, place.start as usize))
            }
            (Definition::Local(_), _) => None,
            _ => Some((0, file.text.len())),
        };
        // Words of the text, not places of the index: the index has only what was looked up.
        for (start, end) in Tokens::new(&file.text).words {
            let span = Span {
                file: file_id,
                start: start as u32,
                end: end as u32,
            };
            if file.text.get(start..end) != Some(name) {
                continue;
            }
            let resolved = index
                .at(file_id, span.start)
                .filter(|(s, d)| {
                    s.start <= span.start && span.end <= s.end && simple(&loaded.script, *d) == name
                })
                .map(|(_, d)| d);
            // A word that was not looked up is taken for a repetition only if nothing else of the
            // top level has the name.
            let repeats = within.is_some_and(|(from, to)| from <= start && end <= to)
                && match definition {
                    Definition::Local(_) => unique.is_none(),
                    _ => unique == Some(definition),
                };
            if resolved == Some(definition) || resolved.is_none() && repeats {
                found.push(span);
            }
        }
    }
    found
}

/// The places to change for another name, or why that cannot be.
pub(super) fn to_rename(
    loaded: &Loaded,
    index: &Index,
    definition: Definition,
) -> Result<Vec<Span>, String> {
    let name = simple(&loaded.script, definition);
    if matches!(definition, Definition::Builtin(_)) {
        return Err(format!("`{name}` is built in"));
    }
    if loaded.has_errors() {
        return Err("the script has errors; correct them first".to_owned());
    }
    let places = places(loaded, index, definition);
    // The other way round: a use that no word accounts for (made from something else) would be left
    // with the old name.
    let all_known = index.places(definition).all(|known| {
        let covers =
            |p: &Span| p.file == known.file && known.start <= p.start && p.end <= known.end;
        places.iter().any(covers)
    });
    if !all_known {
        return Err(format!("not every place that means `{name}` names it"));
    }
    if places.iter().any(|span| span.file != MAIN) {
        return Err(format!("`{name}` is also named in an included file"));
    }
    Ok(places)
}

/// Whether a text can be a name.
pub(super) fn is_name(text: &str) -> bool {
    // By the same scanner that finds names in texts.
    let whole = Tokens::new(text).words.first() == Some(&(0, text.len()));
    whole && !KEYWORDS.contains(&text)
}

/// The kind of a name, and whether it is built in, as the protocol numbers them.
pub(super) fn token(loaded: &Loaded, definition: Definition) -> (u32, u32) {
    match definition {
        Definition::Global(g) => match loaded.script.globals[g.0 as usize].kind {
            GlobalKind::Function(_) => (1, 0),
            GlobalKind::Nametype(_) => (3, 0),
            _ => (2, 0),
        },
        Definition::Type(_) => (3, 0),
        Definition::Ctor(_) => (4, 0),
        Definition::Channel(_) => (5, 0),
        Definition::Local(_) => (6, 0),
        Definition::Builtin(_) => (1, 1),
    }
}

/// What could be written: names of the script with their types, words of the declaration around,
/// built-in names and keywords.
pub(super) fn proposals<'a>(loaded: &Loaded, around: impl Iterator<Item = &'a str>) -> Value {
    let script = &loaded.script;
    let mut found: IndexMap<String, (u8, String)> = IndexMap::default();
    let types = &loaded.types;
    for definition in top(script) {
        let shown = describe(script, types, definition);
        let (name, detail) = shown.split_once(" :: ").unwrap_or((&shown, ""));
        let kind = match definition {
            Definition::Global(_) if detail.contains("->") => 3,
            Definition::Global(_) => 21,
            Definition::Type(_) => 13,
            Definition::Ctor(_) => 20,
            _ => 23,
        };
        found.insert(name.to_owned(), (kind, detail.to_owned()));
    }
    for builtin in Builtin::ALL {
        let entry = found.entry(builtin.name().to_owned());
        // A name of the script hides the built-in one.
        entry.or_insert_with(|| (3, "built in".to_owned()));
    }
    for keyword in KEYWORDS {
        found.insert(keyword.to_owned(), (14, String::new()));
    }
    // Variables: those of a declaration that is being written are known by their looks alone.
    for word in around {
        let entry = found.entry(word.to_owned());
        entry.or_insert_with(|| (6, String::new()));
    }
    found
        .into_iter()
        .map(|(name, (kind, detail))| json!({ "label": name, "kind": kind, "detail": detail }))
        .collect()
}
