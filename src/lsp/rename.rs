//! Another name for something: the places to change, or why that cannot be.

use lsp_types::error_codes::REQUEST_FAILED;
use lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use super::analysis::{Analysis, MAIN};
use super::diagnostics::range_by;
use super::names;
use super::questions::outdated;
use super::tokens::words;
use super::wire::Refusal;
use crate::script::index::{Definition, Index};
use crate::script::load::Loaded;
use crate::source::positions::Ruler;
use crate::source::{Kind, Severity, Span};
use crate::syntax::KEYWORDS;

fn refused<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err((REQUEST_FAILED, why.into()))
}

impl Analysis {
    /// The range that would be renamed, or the reason why it cannot be.
    pub(super) fn renamable(&self, at: Position) -> Result<Range, Refusal> {
        let Some((span, definition)) = self.at(at) else {
            return refused(self.no_name(at));
        };
        self.to_rename(definition)?;
        Ok(self.range(span))
    }

    /// Why there is nothing to rename at a place.
    fn no_name(&self, at: Position) -> String {
        let word = self.words.at(self.offset(at));
        match word.and_then(|(start, end)| self.text().get(start..end)) {
            Some(word) if KEYWORDS.contains(&word) => format!("`{word}` is a reserved word"),
            Some(word) => format!("it is not known what `{word}` means"),
            None => "there is no name here".to_owned(),
        }
    }

    /// The edits that rename the name at a place. They are tried first: every name must have the same definition as
    /// before.
    pub(super) fn rename(&self, at: Position, name: &str) -> Result<WorkspaceEdit, Refusal> {
        let Some((_, definition)) = self.at(at) else {
            return refused(self.no_name(at));
        };
        let places = self.to_rename(definition)?;
        if KEYWORDS.contains(&name) {
            return refused(format!("`{name}` is a reserved word"));
        }
        // By the same scanner that finds names in texts.
        if words(name).next() != Some((0, name.len())) {
            return refused(format!(
                "`{name}` is no name: names begin with a letter, and go on with letters, digits and `_`"
            ));
        }
        let mut text = String::with_capacity(self.text().len());
        let mut end = 0;
        for span in &places {
            text.push_str(
                self.text()
                    .get(end..span.start as usize)
                    .unwrap_or_default(),
            );
            text.push_str(name);
            end = span.end as usize;
        }
        text.push_str(self.text().get(end..).unwrap_or_default());
        let Some((loaded, index)) = self.of.analysed(&text, &self.outdated) else {
            return Err(outdated());
        };
        // The new name may be taken, or hide another one, at any of the places. Comparing the definitions of all
        // names finds that without knowing the rules.
        if let Some(why) = self.different(name, &loaded, &index) {
            return refused(why);
        }
        let Some(file) = self.file() else {
            return refused("there is no text");
        };
        let mut ruler = Ruler::new(file, self.client.units);
        let ranges = places.iter().map(|span| range_by(&mut ruler, *span));
        let edits = ranges.map(|range| TextEdit::new(range, name.to_owned()));
        Ok(self.changes(edits.collect()))
    }

    /// Changes of this text in the form that the editor takes.
    pub(super) fn changes(&self, edits: Vec<TextEdit>) -> WorkspaceEdit {
        let uri = self.of.uri.clone();
        if !self.client.versioned_edits {
            return WorkspaceEdit::new([(uri, edits)].into());
        }
        let version = Some(self.of.version);
        let edit = TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        };
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(vec![edit])),
            ..WorkspaceEdit::default()
        }
    }

    /// The places to change for another name, or why that cannot be.
    fn to_rename(&self, definition: Definition) -> Result<Vec<Span>, Refusal> {
        let name = names::simple(&self.loaded.script, definition);
        if matches!(definition, Definition::Builtin(_)) {
            return refused(format!("`{name}` is built in"));
        }
        let wrong = self.loaded.diagnostics.iter();
        if let Some(error) = wrong.into_iter().find(|d| d.severity == Severity::Error) {
            let place = error.span.map(|span| format!(" in {}", self.place(span)));
            let place = place.unwrap_or_default();
            return refused(format!(
                "the script has errors, so that not everything is known; the first is{place}: {}",
                error.message
            ));
        }
        let places = self.places(definition);
        // The other way round: a use that no word accounts for (made from something else) would be left
        // with the old name.
        let unknown = self.index.places(definition).find(|known| {
            let covers =
                |p: &Span| p.file == known.file && known.start <= p.start && p.end <= known.end;
            !places.iter().any(covers)
        });
        if let Some(span) = unknown {
            let place = self.place(span);
            return refused(format!("{place} means `{name}` and does not name it"));
        }
        if let Some(span) = places.iter().find(|span| span.file != MAIN) {
            let place = self.place(*span);
            return refused(format!("`{name}` is also named in {place}"));
        }
        Ok(places)
    }

    /// Why a script with the new name is not the same script, if it is not.
    fn different(&self, name: &str, loaded: &Loaded, index: &Index) -> Option<String> {
        let earlier = |d: &&crate::source::Diagnostic| {
            d.severity == Severity::Error || d.kind == Kind::HidesBuiltin
        };
        let new = loaded.diagnostics.iter().filter(earlier);
        let known = self.loaded.diagnostics.iter().filter(earlier).count();
        let found: Vec<_> = new.collect();
        if index.means_the_same(&self.index) && found.len() == known {
            return None;
        }
        if found.iter().any(|d| d.kind == Kind::HidesBuiltin) && index.means_the_same(&self.index) {
            return Some(format!("`{name}` is built in"));
        }
        // Renaming moves nothing to another line, so places of the new text can be given by lines.
        let place = |span: Span| {
            let shown = Self::place_in(loaded, span);
            format!("`{name}` of {shown}")
        };
        if let Some(twice) = found.iter().find(|d| d.kind == Kind::Taken) {
            let first = twice.labels.first().map(|label| place(label.span));
            return Some(match first {
                Some(first) => format!("there is a {first} already"),
                None => twice.message.clone(),
            });
        }
        // The first name that has another definition than before.
        let mut pairs = self.index.all().zip(index.all());
        if let Some(((old, before), (_, now))) = pairs.find(|((_, a), (_, b))| a != b) {
            let was = names::simple(&self.loaded.script, before);
            let means = match index.place(&loaded.script, now) {
                Some(span) => format!("the {}", place(span)),
                None => "what is built in".to_owned(),
            };
            let shown = self.place(old);
            return Some(format!("in {shown}, `{was}` would then mean {means}"));
        }
        let why = match found.first() {
            Some(error) => {
                let place = error.span.map(|s| Self::place_in(loaded, s));
                let place = place.map(|place| format!(", in {place}"));
                format!(": {}{}", error.message, place.unwrap_or_default())
            }
            None => String::new(),
        };
        Some(format!(
            "with the name `{name}` the script would mean something else{why}"
        ))
    }
}
