//! Outlines: the definitions of a text, and those of all open texts.

use lsp_types::{DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind};

use super::analysis::{Analysis, MAIN};
use super::diagnostics::range_by;
use crate::script::core::{ChannelId, GlobalId, GlobalKind};
use crate::source::FileId;
use crate::source::positions::Ruler;

impl Analysis {
    /// The outline of this text. Includes have outlines of their own.
    pub(super) fn symbols(&self) -> DocumentSymbolResponse {
        if self.client.nested_symbols {
            self.outline(MAIN).into()
        } else {
            self.flat(MAIN).into()
        }
    }

    /// Definitions here or in included files whose name has the letters of a query in this order.
    pub(super) fn symbols_like(&self, query: &str) -> Vec<SymbolInformation> {
        let files = 0..self.loaded.sources.files().len();
        let all = files.flat_map(|n| self.flat(FileId(n as u16)));
        all.filter(|symbol| has_letters(&symbol.name, query))
            .collect()
    }

    /// The outline of a file without levels.
    fn flat(&self, file: FileId) -> Vec<SymbolInformation> {
        let mut found = Vec::new();
        let Some(uri) = self.uri_of(file) else {
            return found;
        };
        let mut add = |symbol: DocumentSymbol, container: &str| {
            #[expect(deprecated, reason = "what is deprecated is a field, too")]
            found.push(SymbolInformation {
                name: symbol.name,
                kind: symbol.kind,
                tags: None,
                deprecated: None,
                location: Location::new(uri.clone(), symbol.selection_range),
                container_name: Some(container.to_owned()),
            });
        };
        for mut symbol in self.outline(file) {
            let (name, inner) = (symbol.name.clone(), symbol.children.take());
            add(symbol, "");
            inner.into_iter().flatten().for_each(|one| add(one, &name));
        }
        found
    }

    /// Every name of the top level that a file defines, in the order of the text, constructors below their datatypes.
    fn outline(&self, id: FileId) -> Vec<DocumentSymbol> {
        let (script, types) = (&self.loaded.script, &self.loaded.types);
        let mut list = Vec::new();
        let Some(file) = self.loaded.sources.files().get(usize::from(id.0)) else {
            return list;
        };
        let mut ruler = Ruler::new(file, self.client.units);
        #[expect(deprecated, reason = "what is deprecated is a field, too")]
        let mut symbol = |name: &str, kind, shown, place, whole, children| DocumentSymbol {
            name: name.to_owned(),
            detail: Some(shown),
            kind,
            tags: None,
            deprecated: None,
            range: range_by(&mut ruler, whole),
            selection_range: range_by(&mut ruler, place),
            children,
        };
        let globals = script.globals.iter().enumerate();
        for (n, global) in globals.filter(|(_, g)| !g.made && g.span.file == id) {
            let shown = types.show(GlobalId(n as u32));
            let kind = match shown.contains("->") {
                true => SymbolKind::FUNCTION,
                false => SymbolKind::CONSTANT,
            };
            let whole = match &global.kind {
                GlobalKind::Value(e) | GlobalKind::Nametype(e) => global.span.to(e.span),
                GlobalKind::Function(function) => {
                    let clauses = function.clauses.iter();
                    clauses.fold(global.span, |all, clause| all.to(clause.span))
                }
                GlobalKind::Part { binding, .. } => global.span.to(binding.1.span),
            };
            list.push(symbol(&global.name, kind, shown, global.span, whole, None));
        }
        let channels = script.channels.iter().enumerate();
        for (n, channel) in channels.filter(|(_, c)| c.span.file == id) {
            let shown = types.show_channel(ChannelId(n as u32));
            let (kind, place) = (SymbolKind::EVENT, channel.span);
            list.push(symbol(&channel.name, kind, shown, place, place, None));
        }
        for datatype in script.types.iter().filter(|t| t.span.file == id) {
            let (mut all, mut inner) = (datatype.span, Vec::new());
            // The constructors of a subtype belong to its datatype, and are shown there.
            let own = datatype.subtype_of.is_none();
            for (id, fields) in datatype.clauses.iter().filter(|_| own) {
                let ctor = &script.ctors[id.0 as usize];
                let whole = fields.as_ref().map_or(ctor.span, |e| ctor.span.to(e.span));
                all = all.to(whole);
                let (kind, shown) = (SymbolKind::ENUM_MEMBER, types.show_ctor(*id));
                inner.push(symbol(&ctor.name, kind, shown, ctor.span, whole, None));
            }
            let (kind, shown, place) = (SymbolKind::ENUM, String::new(), datatype.span);
            list.push(symbol(&datatype.name, kind, shown, place, all, Some(inner)));
        }
        list.sort_by_key(|one| (one.selection_range.start, one.selection_range.end));
        // One entry for a place, even for several definitions: instances of a module repeat it.
        list.dedup_by_key(|one| one.selection_range);
        list
    }
}

/// Whether a name has the letters of a query in their order, ignoring case.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars();
    query
        .chars()
        .all(|wanted| letters.any(|c| c.eq_ignore_ascii_case(&wanted)))
}
