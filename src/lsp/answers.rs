//! Answers on the name at a place: its type, its definition, its references.

use lsp_types::{
    DocumentHighlight, GotoDefinitionResponse, Hover, HoverContents, Location, MarkupContent,
    MarkupKind, Position, Range,
};

use super::analysis::{Analysis, MAIN, TextVersion};
use super::diagnostics::{offset, range_by};
use super::names;
use super::tokens::{declaration, is_of_assertion, words};
use crate::script::index::{Definition, describe};
use crate::script::load::Loaded;
use crate::script::report;
use crate::source::positions::{Ruler, Units};
use crate::source::{FileId, Span};

impl Analysis {
    /// The hover text of the name at a place of a text, which may have changed elsewhere since its analysis.
    pub(super) fn hover(&self, now: &TextVersion, at: Position) -> Option<Hover> {
        let (start, word, column) = word_at(&now.text, at, self.client.units)?;
        let begin = self.earlier(now)(start)?;
        let place = |start: usize| Span {
            file: MAIN,
            start: start as u32,
            end: (start + word.len()) as u32,
        };
        if self.text().get(begin..begin + word.len()) != Some(word)
            || self.words.at(begin) != Some((begin, begin + word.len()))
        {
            return None;
        }
        let (_, definition) = self.meaning(place(begin))?;
        let shown = describe(&self.loaded.script, &self.loaded.types, definition);
        let what = self.explain(definition);
        let (kind, value) = if self.client.markdown {
            let value = format!("```cspm\n{shown}\n```\n{what}");
            (MarkupKind::Markdown, value)
        } else {
            let both = format!("{shown}\n{what}");
            (MarkupKind::PlainText, both.trim_end().to_owned())
        };
        // Words are ASCII: bytes are units.
        let end = column + word.len() as u32;
        let place = |column| Position::new(at.line, column);
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(Range::new(place(column), place(end))),
        })
    }

    pub(super) fn definition(&self, at: Position) -> Option<GotoDefinitionResponse> {
        let (_, definition) = self.at(at)?;
        let place = self.index.place(&self.loaded.script, definition)?;
        let location = Location::new(self.uri_of(place.file)?, self.range(place));
        Some(GotoDefinitionResponse::Scalar(location))
    }

    /// Every place of the name at a place, with its definition or without.
    pub(super) fn references(&self, at: Position, declared: bool) -> Option<Vec<Location>> {
        let (_, definition) = self.at(at)?;
        let own = self.index.place(&self.loaded.script, definition);
        let mut places = self.places(definition);
        places.retain(|span| declared || Some(*span) != own);
        Some(self.locations(&places))
    }

    /// The places in this text.
    pub(super) fn highlights(&self, at: Position) -> Option<Vec<DocumentHighlight>> {
        let (_, definition) = self.at(at)?;
        let mut ruler = Ruler::new(self.file()?, self.client.units);
        let places = self.places(definition);
        let here = places.into_iter().filter(|span| span.file == MAIN);
        let ranges = here.map(|span| range_by(&mut ruler, span));
        Some(
            ranges
                .map(|range| DocumentHighlight { range, kind: None })
                .collect(),
        )
    }

    /// The references of a name: those that are resolved, and those which are not looked up since they repeat it:
    /// further clauses of a function, exports, constructors of subtypes.
    pub(super) fn places(&self, definition: Definition) -> Vec<Span> {
        let (loaded, index) = (&self.loaded, &self.index);
        let name = names::simple(&loaded.script, definition);
        let own = index.place(&loaded.script, definition);
        let unique = self.named(name);
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
            // Words of the text, not places of the index: the index has only resolved names.
            for (start, end) in words(&file.text) {
                let span = Span {
                    file: file_id,
                    start: start as u32,
                    end: end as u32,
                };
                if file.text.get(start..end) != Some(name)
                    || is_of_assertion(&file.text, (start, end))
                {
                    continue;
                }
                let resolved = index
                    .at(file_id, span.start)
                    .filter(|(s, d)| {
                        s.start <= span.start
                            && span.end <= s.end
                            && names::simple(&loaded.script, *d) == name
                    })
                    .map(|(_, d)| d);
                // A word that was not looked up is taken for a repetition only if nothing else of the
                // top level has the name.
                let repeats = within.is_some_and(|(from, to)| from <= start && end <= to)
                    && match definition {
                        Definition::Local(_) => unique.is_none(),
                        _ => unique == Some(definition),
                    };
                // In another instance of its module it is another definition, written in the same place.
                let is_same = |one: Definition| {
                    one == definition || own.is_some() && index.place(&loaded.script, one) == own
                };
                if resolved.map_or(repeats, is_same) {
                    found.push(span);
                }
            }
        }
        found
    }

    /// A sentence on a definition.
    fn explain(&self, definition: Definition) -> String {
        let (script, types) = (&self.loaded.script, &self.loaded.types);
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
                let all = report::whole(script, types);
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

    /// The name of a place for users, in this text or another file: `line 3`, `line 3 of other.csp`.
    pub(super) fn place(&self, span: Span) -> String {
        Self::place_in(&self.loaded, span)
    }

    /// The name of a place in another reading of the script.
    pub(super) fn place_in(loaded: &Loaded, span: Span) -> String {
        let Some(file) = loaded.sources.files().get(usize::from(span.file.0)) else {
            return "another file".to_owned();
        };
        let line = Ruler::new(file, Units::Utf8).position(span.start).line + 1;
        match span.file {
            FileId(0) => format!("line {line}"),
            _ => format!("line {line} of {}", file.path.display()),
        }
    }
}

/// The word at a place of a text, with its first byte and the column of that. The caller excludes comments and
/// strings.
fn word_at(text: &str, at: Position, units: Units) -> Option<(usize, &str, u32)> {
    let line = offset(text, Position::new(at.line, 0), units);
    let here = offset(text, at, units);
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'');
    let start = text[..here].trim_end_matches(part).len();
    let after = text[here..].find(|c| !part(c));
    let word = &text[start..after.map_or(text.len(), |after| here + after)];
    // Behind the last line there is nothing, although its end is the byte that is meant.
    let before = text.get(line..start)?;
    (!word.is_empty()).then_some((start, word, units.count(before) as u32))
}
