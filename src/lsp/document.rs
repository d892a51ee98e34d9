//! One open text, and what is known of it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::check::load::{Loaded, load_text};
use crate::script::core::{CtorId, Script, TypeId};
use crate::script::index::{Definition, Index, describe};
use crate::script::report;
use crate::source::hash::IndexMap;
use crate::source::positions::{self, Position};
use crate::source::{FileId, Span};

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

/// A text in an editor.
pub(super) struct Document {
    uri: String,
    path: PathBuf,
    text: String,
    analysis: Option<(Loaded, Index)>,
}

impl Document {
    pub(super) fn new(uri: &str, text: &str) -> Self {
        // A text that was never saved has no folder to include from.
        let path = positions::local_path(uri).unwrap_or_else(|| PathBuf::from(uri));
        Self {
            uri: uri.to_owned(),
            path,
            text: text.to_owned(),
            analysis: None,
        }
    }

    fn analysed(&mut self) -> &(Loaded, Index) {
        self.analysis.get_or_insert_with(|| {
            let loaded = load_text(&self.path, &self.text);
            let index = Index::new(&loaded.script);
            (loaded, index)
        })
    }

    /// The URI of a file: the editor's own for the open text.
    fn uri_of(&self, loaded: &Loaded, file: FileId) -> String {
        if file == MAIN {
            self.uri.clone()
        } else {
            positions::file_uri(&loaded.sources, file)
        }
    }

    /// What is wrong, by file. The text is read again, and so are its includes.
    pub(super) fn diagnostics(&mut self) -> IndexMap<String, Vec<Value>> {
        self.analysis = None;
        self.analysed();
        let mut found: IndexMap<String, Vec<Value>> = IndexMap::default();
        let Some((loaded, _)) = &self.analysis else {
            return found;
        };
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

    fn at(&mut self, at: Position) -> Option<(Span, Definition)> {
        let (loaded, index) = self.analysed();
        let file = loaded.sources.files().first()?;
        index.at(MAIN, positions::offset(file, at))
    }

    pub(super) fn hover(&mut self, at: Position) -> Option<Value> {
        let (span, definition) = self.at(at)?;
        let (loaded, _) = self.analysed();
        let shown = describe(&loaded.script, &loaded.types, definition);
        let what = explain(loaded, definition);
        Some(json!({
            "contents": { "kind": "markdown", "value": format!("```csp\n{shown}\n```\n{what}") },
            "range": positions::range(&loaded.sources, span),
        }))
    }

    pub(super) fn definition(&mut self, at: Position) -> Option<Value> {
        let (_, definition) = self.at(at)?;
        self.analysed();
        let (loaded, index) = self.analysis.as_ref()?;
        let place = index.place(&loaded.script, definition)?;
        Some(json!({
            "uri": self.uri_of(loaded, place.file),
            "range": positions::range(&loaded.sources, place),
        }))
    }

    /// The outline: every name of the top level, constructors below their datatypes.
    pub(super) fn symbols(&mut self) -> Value {
        let (loaded, _) = self.analysed();
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
        list.retain(|(span, _)| span.file == MAIN);
        list.sort_by_key(|(span, _)| *span);
        list.dedup_by_key(|(span, _)| *span);
        list.into_iter().map(|(_, symbol)| symbol).collect()
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
