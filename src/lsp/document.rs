//! One open text, and what is known of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::names;
use super::tokens::{Tokens, declaration, folds};
use crate::script::core::{CtorId, Script, TypeId};
use crate::script::index::{Definition, Index, describe};
use crate::script::load::{Loaded, load_text_within};
use crate::script::report;
use crate::source::hash::IndexMap;
use crate::source::positions::{self, Position};
use crate::source::{Bounds, Cancel, FileId, Limits, Span, memory};
use crate::syntax::KEYWORDS;

/// The file that is open; its includes follow.
const MAIN: FileId = FileId(0);

/// Kinds of symbols, as the protocol numbers them.
mod kind {
    pub(super) const ENUM: u8 = 10;
    pub(super) const FUNCTION: u8 = 12;
    pub(super) const CONSTANT: u8 = 14;
    pub(super) const ENUM_MEMBER: u8 = 22;
    pub(super) const EVENT: u8 = 24;
}

/// What is known of a text. It does not leave the thread that found it out.
struct Analysis {
    loaded: Loaded,
    index: Index,
    words: Tokens,
}

/// Reads and checks a text: the only place that takes long. Nothing if it was cancelled.
fn analyse(path: &Path, text: &str, cancel: &Cancel) -> Option<(Loaded, Index)> {
    if cancel.is_cancelled() {
        return None;
    }
    // Half of what is free: the editor and other servers are on the same machine.
    let limits = match memory::available() {
        Some(bytes) => Limits::default().protecting(bytes / 2),
        None => Limits::default(),
    };
    // When cancelled, this ends early with part of the script, which is then thrown away below.
    let loaded = load_text_within(path, text, &Bounds::new(&limits, cancel));
    let index = Index::new(&loaded.script);
    (!cancel.is_cancelled()).then_some((loaded, index))
}

/// A text in an editor.
pub(super) struct Document {
    uri: String,
    path: PathBuf,
    text: Arc<str>,
    /// Set when the text has changed again.
    cancel: Cancel,
    analysis: Option<Analysis>,
}

impl Document {
    pub(super) fn new(uri: &str, text: Arc<str>, cancel: Cancel) -> Self {
        // A text that was never saved has no folder to include from.
        let path = positions::local_path(uri).unwrap_or_else(|| PathBuf::from(uri));
        Self {
            uri: uri.to_owned(),
            path,
            text,
            cancel,
            analysis: None,
        }
    }

    /// Forgets what is known, since an included file may have changed.
    pub(super) fn forget(&mut self) {
        self.analysis = None;
    }

    /// Analyses the text unless that is done; gives whether it was not cancelled.
    pub(super) fn prepare(&mut self) -> bool {
        if self.analysis.is_none() {
            self.analysis =
                analyse(&self.path, &self.text, &self.cancel).map(|(loaded, index)| Analysis {
                    loaded,
                    index,
                    words: Tokens::new(&self.text),
                });
        }
        self.analysis.is_some()
    }

    /// The URI of a file: the editor's own for the open text.
    fn uri_of(&self, loaded: &Loaded, file: FileId) -> String {
        if file == MAIN {
            self.uri.clone()
        } else {
            positions::file_uri(&loaded.sources, file)
        }
    }

    /// What is wrong, by file.
    pub(super) fn diagnostics(&self) -> IndexMap<String, Vec<Value>> {
        let mut found: IndexMap<String, Vec<Value>> = IndexMap::default();
        let Some(Analysis { loaded, .. }) = &self.analysis else {
            return found;
        };
        // The URI that follows from the path may differ from that of the editor, which may write
        // the same path with other escapes.
        let main = positions::file_uri(&loaded.sources, MAIN);
        for diagnostic in &loaded.diagnostics {
            let file = diagnostic.span.map_or(MAIN, |s| s.file);
            let mut shown = positions::diagnostic(diagnostic, &loaded.sources);
            // Labels in the open text are where the editor thinks it is.
            if let Some(related) = shown["relatedInformation"].as_array_mut() {
                for place in related {
                    if place["location"]["uri"] == json!(main) {
                        place["location"]["uri"] = json!(self.uri);
                    }
                }
            }
            let uri = self.uri_of(loaded, file);
            found.entry(uri).or_default().push(shown);
        }
        found
    }

    /// The name at a place, and what it stands for.
    fn at(&self, at: Position) -> Option<(&Analysis, Span, Definition)> {
        let known = self.analysis.as_ref()?;
        let file = known.loaded.sources.files().first()?;
        let offset = positions::offset(file, at);
        // The word in the text, and then what the index knows there: the index has whole
        // expressions, such as `M::x`, where the word is a part.
        let (start, end) = known.words.at(offset as usize)?;
        let span = Span {
            file: MAIN,
            start: start as u32,
            end: end as u32,
        };
        if let Some((found, definition)) = known.index.at(MAIN, span.start)
            && found.start <= span.start
            && span.end <= found.end
            && self.text.get(start..end)? == names::simple(&known.loaded.script, definition)
        {
            return Some((known, span, definition));
        }
        // A later clause of a function, an export, a constructor of a subtype.
        let definition = names::named(&known.loaded.script, self.text.get(start..end)?)?;
        Some((known, span, definition))
    }

    pub(super) fn hover(&self, at: Position) -> Option<Value> {
        let (known, span, definition) = self.at(at)?;
        let loaded = &known.loaded;
        let shown = describe(&loaded.script, &loaded.types, definition);
        let what = explain(loaded, definition);
        Some(json!({
            "contents": { "kind": "markdown", "value": format!("```csp\n{shown}\n```\n{what}") },
            "range": positions::range(&loaded.sources, span),
        }))
    }

    pub(super) fn definition(&self, at: Position) -> Option<Value> {
        let (known, _, definition) = self.at(at)?;
        let place = known.index.place(&known.loaded.script, definition)?;
        Some(json!({
            "uri": self.uri_of(&known.loaded, place.file),
            "range": positions::range(&known.loaded.sources, place),
        }))
    }

    /// Every place of the name at a place, with its definition or without.
    pub(super) fn references(&self, at: Position, declared: bool) -> Option<Value> {
        let (known, _, definition) = self.at(at)?;
        let own = known.index.place(&known.loaded.script, definition);
        let places = names::places(&known.loaded, &known.index, definition);
        let shown = places
            .into_iter()
            .filter(|span| declared || Some(*span) != own)
            .map(|span| {
                json!({
                    "uri": self.uri_of(&known.loaded, span.file),
                    "range": positions::range(&known.loaded.sources, span),
                })
            });
        Some(shown.collect())
    }

    /// The places in this text.
    pub(super) fn highlights(&self, at: Position) -> Option<Value> {
        let (known, _, definition) = self.at(at)?;
        let places = names::places(&known.loaded, &known.index, definition);
        let here = places.into_iter().filter(|span| span.file == MAIN);
        let shown =
            here.map(|span| json!({ "range": positions::range(&known.loaded.sources, span) }));
        Some(shown.collect())
    }

    /// What would be renamed, or why nothing can be.
    pub(super) fn renamable(&self, at: Position) -> Result<Value, String> {
        let (known, span, definition) = self.at(at).ok_or("there is no name here")?;
        names::to_rename(&known.loaded, &known.index, definition)?;
        Ok(positions::range(&known.loaded.sources, span))
    }

    /// The changes that give the name at a place another one. They are tried first: everything must
    /// mean what it meant before.
    pub(super) fn rename(&self, at: Position, name: &str) -> Result<Value, String> {
        let (known, _, definition) = self.at(at).ok_or("there is no name here")?;
        let places = names::to_rename(&known.loaded, &known.index, definition)?;
        if !names::is_name(name) {
            return Err(format!("`{name}` is no name"));
        }
        let mut text = self.text.to_string();
        // From the end, so that the places before stay where they are.
        for span in places.iter().rev() {
            text.replace_range(span.start as usize..span.end as usize, name);
        }
        let (loaded, index) =
            analyse(&self.path, &text, &self.cancel).ok_or("the text has changed")?;
        // The new name may be taken, or hide another one, at any of the places. To compare what all
        // names mean finds that without knowing the rules.
        if loaded.has_errors() || !index.means_the_same(&known.index) {
            return Err(format!(
                "with the name `{name}` the script would mean something else"
            ));
        }
        let edits: Vec<Value> = places
            .into_iter()
            .map(|span| {
                let range = positions::range(&known.loaded.sources, span);
                json!({ "range": range, "newText": name })
            })
            .collect();
        let mut changes = serde_json::Map::new();
        changes.insert(self.uri.clone(), Value::Array(edits));
        Ok(json!({ "changes": changes }))
    }

    /// What could be written at a place.
    pub(super) fn completion(&self, at: Position) -> Option<Value> {
        let known = self.analysis.as_ref()?;
        let offset = positions::offset(known.loaded.sources.files().first()?, at) as usize;
        if known.words.is_quoted(offset) {
            return Some(json!([]));
        }
        let around = declaration(&self.text, offset);
        let own = known.words.at(offset);
        let inside = known
            .words
            .words
            .iter()
            // The word that is being written is no proposal for itself.
            .filter(|word| around.0 <= word.0 && word.1 <= around.1 && Some(**word) != own);
        let words = inside.filter_map(|(start, end)| self.text.get(*start..*end));
        Some(names::proposals(&known.loaded, words))
    }

    /// The kinds of all names and keywords, in the numbers of the protocol.
    pub(super) fn semantic_tokens(&self) -> Option<Value> {
        let known = self.analysis.as_ref()?;
        let file = known.loaded.sources.files().first()?;
        let mut data: Vec<u32> = Vec::new();
        let mut before = Position {
            line: 0,
            character: 0,
        };
        for (start, end) in &known.words.words {
            let word = self.text.get(*start..*end)?;
            let here = positions::position(file, *start as u32);
            let found = || {
                self.at(here)
                    .map(|(_, _, definition)| names::token(&known.loaded, definition))
            };
            let kind = if KEYWORDS.contains(&word) {
                Some((names::KEYWORD, 0))
            } else {
                found()
            };
            let Some((kind, modifiers)) = kind else {
                continue;
            };
            let line = here.line - before.line;
            // Tokens are told as distances from the one before: in the same line from its start,
            // otherwise from the start of the line.
            let from = if line == 0 { before.character } else { 0 };
            // Words are ASCII: bytes are units.
            let length = (end - start) as u32;
            data.extend([line, here.character - from, length, kind, modifiers]);
            before = here;
        }
        Some(json!({ "data": data }))
    }

    /// What can be folded. This needs no analysis.
    pub(super) fn folds(&self) -> Value {
        folds(&self.text)
            .into_iter()
            .map(|(from, to, comment)| {
                let kind = if comment { "comment" } else { "region" };
                json!({ "startLine": from, "endLine": to, "kind": kind })
            })
            .collect()
    }

    /// The outline: every name of the top level, constructors below their datatypes.
    pub(super) fn symbols(&self) -> Option<Value> {
        let Analysis { loaded, .. } = self.analysis.as_ref()?;
        let script = &loaded.script;
        let mut list: Vec<(Span, Value)> = Vec::new();
        for typed in report::typed(script, &loaded.types) {
            let kind = match typed.kind {
                "channel" => kind::EVENT,
                "definition" if typed.shown.contains("->") => kind::FUNCTION,
                "definition" => kind::CONSTANT,
                _ => continue,
            };
            let range = positions::range(&loaded.sources, typed.span);
            list.push((typed.span, symbol(&typed.name, kind, &typed.shown, &range)));
        }
        for id in (0..script.types.len()).map(|i| TypeId(i as u32)) {
            list.push(datatype(loaded, id));
        }
        // Includes have outlines of their own.
        list.retain(|(span, _)| span.file == MAIN);
        list.sort_by_key(|(span, _)| *span);
        // One entry for a place, whatever is defined there.
        list.dedup_by_key(|(span, _)| *span);
        Some(list.into_iter().map(|(_, symbol)| symbol).collect())
    }
}

fn symbol(name: &str, kind: u8, detail: &str, range: &Value) -> Value {
    json!({
        "name": name,
        "kind": kind,
        "detail": detail,
        "range": range,
        "selectionRange": range,
    })
}

/// A datatype and its constructors.
fn datatype(loaded: &Loaded, id: TypeId) -> (Span, Value) {
    let script = &loaded.script;
    let datatype = &script.types[id.0 as usize];
    let mut whole = datatype.span;
    let mut children = Vec::new();
    for (ctor, _) in &datatype.clauses {
        let CtorId(n) = *ctor;
        let ctor = &script.ctors[n as usize];
        // The constructors of a subtype belong to its datatype, and are shown there.
        if datatype.subtype_of.is_none() {
            whole = whole.to(ctor.span);
            let range = positions::range(&loaded.sources, ctor.span);
            let shown = loaded.types.show_ctor(CtorId(n));
            children.push(symbol(&ctor.name, kind::ENUM_MEMBER, &shown, &range));
        }
    }
    let range = positions::range(&loaded.sources, datatype.span);
    let mut entry = symbol(&datatype.name, kind::ENUM, "", &range);
    entry["range"] = positions::range(&loaded.sources, whole);
    entry["children"] = Value::Array(children);
    (datatype.span, entry)
}

/// What something is, in a sentence.
fn explain(loaded: &Loaded, definition: Definition) -> String {
    let script: &Script = &loaded.script;
    match definition {
        Definition::Global(_) => String::new(),
        Definition::Local(_) => "variable".to_owned(),
        Definition::Builtin(_) => "built in".to_owned(),
        Definition::Channel(_) => "channel".to_owned(),
        Definition::Ctor(c) => {
            let owner = script.ctors[c.0 as usize].owner;
            format!("constructor of `{}`", script.types[owner.0 as usize].name)
        }
        Definition::Type(t) => {
            let name = &*script.types[t.0 as usize].name;
            let all = report::whole(script, &loaded.types);
            match all.iter().find(|one| one.name == name) {
                Some(one) if one.members.len() >= 2 => format!(
                    "datatype, symmetric in `{}` ({} of {} values)",
                    one.shown,
                    one.members.len(),
                    one.of
                ),
                _ => "datatype".to_owned(),
            }
        }
    }
}
