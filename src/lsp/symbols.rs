//! Outlines: what a text defines, and what all open texts define.

use serde_json::{Value, json};

use super::analysis::{Analysis, MAIN};
use crate::script::core::{ChannelId, CtorId, GlobalId, GlobalKind, TypeId};
use crate::source::positions::Ruler;
use crate::source::{SourceFile, Span};

/// Kinds of symbols, as the protocol numbers them.
mod kind {
    pub(super) const ENUM: u8 = 10;
    pub(super) const FUNCTION: u8 = 12;
    pub(super) const CONSTANT: u8 = 14;
    pub(super) const ENUM_MEMBER: u8 = 22;
    pub(super) const EVENT: u8 = 24;
}

/// Something that is defined.
struct OutlineSymbol {
    name: String,
    kind: u8,
    /// Its type.
    detail: String,
    /// Its name.
    place: Span,
    /// All of it.
    whole: Span,
    /// The constructors of a datatype.
    inner: Vec<OutlineSymbol>,
}

impl Analysis {
    /// The outline of this text: every name of the top level, constructors below their datatypes.
    pub(super) fn symbols(&self) -> Option<Value> {
        let mut list = self.outline();
        // Includes have outlines of their own.
        list.retain(|symbol| symbol.place.file == MAIN);
        let mut ruler = Ruler::new(self.file()?, self.client.units);
        if self.client.nested_symbols {
            return Some(list.iter().map(|one| nested(&mut ruler, one)).collect());
        }
        Some(Value::Array(
            self.flat(&list, self.file()?, &|_: &str| true),
        ))
    }

    /// What is defined here or in an included file, and has the letters of a query in its name, in that order.
    pub(super) fn symbols_like(&self, query: &str) -> Vec<Value> {
        let mut list = self.outline();
        let mut found = Vec::new();
        let fits = |name: &str| has_letters(name, query);
        for (n, file) in self.loaded.sources.files().iter().enumerate() {
            let here = |symbol: &OutlineSymbol| usize::from(symbol.place.file.0) == n;
            let (of_file, rest) = list.into_iter().partition(here);
            list = rest;
            found.extend(self.flat(&of_file, file, &fits));
        }
        found
    }

    /// Symbols of one file without levels.
    fn flat(
        &self,
        list: &[OutlineSymbol],
        file: &SourceFile,
        fits: &dyn Fn(&str) -> bool,
    ) -> Vec<Value> {
        let mut ruler = Ruler::new(file, self.client.units);
        let mut found = Vec::new();
        let Some(uri) = list.first().map(|one| self.uri_of(one.place.file)) else {
            return found;
        };
        for symbol in list {
            let mut add = |one: &OutlineSymbol, container: &str| {
                if fits(&one.name) {
                    let location = json!({ "uri": uri, "range": ruler.range(one.place) });
                    found.push(json!({
                        "name": one.name,
                        "kind": one.kind,
                        "location": location,
                        "containerName": container,
                    }));
                }
            };
            add(symbol, "");
            symbol.inner.iter().for_each(|one| add(one, &symbol.name));
        }
        found
    }

    /// Everything that is defined, in the order of the text.
    fn outline(&self) -> Vec<OutlineSymbol> {
        let (script, types) = (&self.loaded.script, &self.loaded.types);
        let symbol = |name: &str, kind, detail: String, place, whole| OutlineSymbol {
            name: name.to_owned(),
            kind,
            detail,
            place,
            whole,
            inner: Vec::new(),
        };
        let mut list = Vec::new();
        let written = script.globals.iter().enumerate().filter(|(_, g)| !g.made);
        for (n, global) in written {
            let shown = types.show(GlobalId(n as u32));
            let kind = match shown.contains("->") {
                true => kind::FUNCTION,
                false => kind::CONSTANT,
            };
            let whole = match &global.kind {
                GlobalKind::Value(e) | GlobalKind::Nametype(e) => global.span.to(e.span),
                GlobalKind::Function(function) => {
                    let clauses = function.clauses.iter();
                    clauses.fold(global.span, |all, clause| all.to(clause.span))
                }
                GlobalKind::Part { binding, .. } => global.span.to(binding.1.span),
            };
            list.push(symbol(&global.name, kind, shown, global.span, whole));
        }
        for (n, channel) in script.channels.iter().enumerate() {
            let shown = types.show_channel(ChannelId(n as u32));
            let place = channel.span;
            list.push(symbol(&channel.name, kind::EVENT, shown, place, place));
        }
        for id in (0..script.types.len()).map(|n| TypeId(n as u32)) {
            let datatype = &script.types[id.0 as usize];
            let place = datatype.span;
            let mut entry = symbol(&datatype.name, kind::ENUM, String::new(), place, place);
            for (CtorId(n), fields) in &datatype.clauses {
                // The constructors of a subtype belong to its datatype, and are shown there.
                if datatype.subtype_of.is_some() {
                    continue;
                }
                let ctor = &script.ctors[*n as usize];
                let whole = fields.as_ref().map_or(ctor.span, |e| ctor.span.to(e.span));
                let shown = types.show_ctor(CtorId(*n));
                let kind = kind::ENUM_MEMBER;
                entry.whole = entry.whole.to(whole);
                let inner = symbol(&ctor.name, kind, shown, ctor.span, whole);
                entry.inner.push(inner);
            }
            list.push(entry);
        }
        list.sort_by_key(|one| one.place);
        // One entry for a place, whatever is defined there: instances of a module repeat it.
        list.dedup_by_key(|one| one.place);
        list
    }
}

fn nested(ruler: &mut Ruler<'_>, symbol: &OutlineSymbol) -> Value {
    let whole = ruler.range(symbol.whole);
    let place = ruler.range(symbol.place);
    let inner: Vec<Value> = symbol.inner.iter().map(|one| nested(ruler, one)).collect();
    let mut shown = json!({
        "name": symbol.name,
        "kind": symbol.kind,
        "detail": symbol.detail,
        "range": whole,
        "selectionRange": place,
    });
    if symbol.kind == kind::ENUM {
        shown["children"] = Value::Array(inner);
    }
    shown
}

/// Whether a name has the letters of a query in their order, small or capital.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars();
    query
        .chars()
        .all(|wanted| letters.any(|c| c.eq_ignore_ascii_case(&wanted)))
}
