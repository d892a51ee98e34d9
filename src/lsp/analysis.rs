//! A version of a text, and its analysis.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::{DiagnosticTag, Location, Position, Range, Uri};

use super::client::Client;
use super::colours::LastColours;
use super::diagnostics::{diagnostic, range, range_by};
use super::names;
use super::tokens::{Tokens, is_of_assertion};
use crate::script::index::{Definition, Index, describe};
use crate::script::load::{Loaded, load_bytes, load_text_within};
use crate::source::hash::{IndexMap, Map};
use crate::source::positions::{self, Ruler};
use crate::source::{Bounds, Cancel, Diagnostic, FileId, Kind, Limits, SourceFile, Span, memory};
use crate::syntax::BYTES_MAX;

/// The file that is open; its includes follow.
pub(super) const MAIN: FileId = FileId(0);

/// Diagnostics by the files that they are about.
pub(super) type ByFile = IndexMap<Uri, Vec<lsp_types::Diagnostic>>;

/// Bytes of memory and time for each text, and more of both for each byte of it.
const MEMORY_FIRST: usize = 512 << 20;
const MEMORY_A_BYTE: usize = 500;
const TIME_FIRST: Duration = Duration::from_secs(8);
const TIME_A_BYTE: Duration = Duration::from_micros(10);

/// A text in an editor as it was at some moment.
#[derive(Clone, Debug)]
pub(super) struct TextVersion {
    pub(super) uri: Uri,
    /// The version that the editor gave it.
    pub(super) version: i32,
    pub(super) text: Arc<str>,
}

impl TextVersion {
    /// The path on disk. A text that was never saved has no folder to include from.
    fn path(&self) -> PathBuf {
        let uri = self.uri.as_str();
        positions::local_path(uri).unwrap_or_else(|| PathBuf::from(uri))
    }

    /// Reads and checks another text in its place: the only thing here that takes long. Nothing if it
    /// was cancelled.
    pub(super) fn analysed(&self, text: &str, cancel: &Cancel) -> Option<(Loaded, Index)> {
        if cancel.is_cancelled() {
            return None;
        }
        // When cancelled, this ends early with part of the script, which is then thrown away below.
        let bounds = Bounds::new(&limits_for(text.len()), cancel);
        let loaded = if text.len() as u64 > BYTES_MAX {
            // Refused there with the message that everybody gets.
            load_bytes(&self.path(), text.as_bytes().to_vec(), &bounds)
        } else {
            load_text_within(&self.path(), text, &bounds)
        };
        let index = Index::new(&loaded.script);
        (!cancel.is_cancelled()).then_some((loaded, index))
    }
}

/// Limits for reading and checking a text of so many bytes: enough for every text that a person would wait for, and
/// no more, since the types of a short one may grow for ever.
fn limits_for(text: usize) -> Limits {
    let wanted = MEMORY_FIRST.saturating_add(text.saturating_mul(MEMORY_A_BYTE));
    // The editor and other servers are on the same machine.
    let free = memory::available().map_or(usize::MAX, |bytes| bytes / 2);
    let time = TIME_FIRST + TIME_A_BYTE * u32::try_from(text).unwrap_or(u32::MAX);
    let limits = Limits::default().protecting(wanted.min(free));
    limits.from_now().with_timeout(time)
}

/// The analysis of a text. It does not leave its thread.
pub(super) struct Analysis {
    pub(super) client: Client,
    pub(super) of: TextVersion,
    pub(super) loaded: Loaded,
    pub(super) index: Index,
    pub(super) words: Tokens,
    /// The colours that the editor knows of the text.
    pub(super) last_colours: LastColours,
    /// Set when the text has changed again.
    pub(super) outdated: Cancel,
    /// Names of the top level, with their definition if there is only one.
    by_name: OnceCell<Map<Rc<str>, Option<Definition>>>,
    /// The definitions of the top level with their types.
    described: OnceCell<Vec<(Definition, String)>>,
}

impl Analysis {
    /// Finds out about a text, unless that is given up.
    pub(super) fn new(
        of: &TextVersion,
        client: Client,
        colours: &LastColours,
        outdated: &Cancel,
    ) -> Option<Self> {
        let (loaded, index) = of.analysed(&of.text, outdated)?;
        // A text that was too long to be read is missing.
        let read = loaded.sources.files().first();
        let words = read.map_or_else(Tokens::default, |file| Tokens::new(&file.text));
        Some(Self {
            client,
            of: of.clone(),
            loaded,
            index,
            words,
            last_colours: colours.clone(),
            outdated: outdated.clone(),
            by_name: OnceCell::new(),
            described: OnceCell::new(),
        })
    }

    /// The open text as it was read: empty if it was too long.
    pub(super) fn file(&self) -> Option<&SourceFile> {
        self.loaded.sources.files().first()
    }

    pub(super) fn text(&self) -> &str {
        self.file().map_or("", |file| &file.text)
    }

    /// The URI of a file: the editor's own for the open text.
    pub(super) fn uri_of(&self, file: FileId) -> Option<Uri> {
        if file == MAIN {
            return Some(self.of.uri.clone());
        }
        positions::file_uri(&self.loaded.sources, file).parse().ok()
    }

    /// A range as the editor counts.
    pub(super) fn range(&self, span: Span) -> Range {
        range(&self.loaded.sources, span, self.client.units)
    }

    /// Converts places to locations, in the units of the editor.
    pub(super) fn locations(&self, places: &[Span]) -> Vec<Location> {
        let in_one_file = |places: &[Span]| -> Option<Vec<Location>> {
            let id = places.first()?.file;
            let file = self.loaded.sources.files().get(usize::from(id.0))?;
            let (uri, mut ruler) = (self.uri_of(id)?, Ruler::new(file, self.client.units));
            let ranges = places.iter().map(|span| range_by(&mut ruler, *span));
            let found = ranges.map(|range| Location::new(uri.clone(), range));
            Some(found.collect())
        };
        let files = places.chunk_by(|a, b| a.file == b.file);
        files.filter_map(in_one_file).flatten().collect()
    }

    /// The only definition of the top level with a name.
    pub(super) fn named(&self, name: &str) -> Option<Definition> {
        // With two of the same simple name, in two modules, the text alone does not show which is meant.
        let all = self
            .by_name
            .get_or_init(|| names::by_name(&self.loaded.script, &self.index));
        all.get(name).copied().flatten()
    }

    /// Everything of the top level in words: `f :: (Int) -> Proc`.
    pub(super) fn described(&self) -> &[(Definition, String)] {
        let (script, types) = (&self.loaded.script, &self.loaded.types);
        let each = || names::top(script).map(|d| (d, describe(script, types, d)));
        self.described.get_or_init(|| each().collect())
    }

    /// The byte of a position.
    pub(super) fn offset(&self, at: Position) -> usize {
        let Position { line, character } = at;
        let at = positions::Position { line, character };
        self.file().map_or(0, |file| {
            positions::offset(file, at, self.client.units) as usize
        })
    }

    /// The name at a place, and its definition.
    pub(super) fn at(&self, at: Position) -> Option<(Span, Definition)> {
        // The word in the text, and then its entry in the index: the index has whole expressions, such as `M::x`,
        // where the word is a part.
        let (start, end) = self.words.at(self.offset(at))?;
        self.meaning(Span {
            file: MAIN,
            start: start as u32,
            end: end as u32,
        })
    }

    /// The definition of a word.
    pub(super) fn meaning(&self, span: Span) -> Option<(Span, Definition)> {
        let script = &self.loaded.script;
        let word = self.text().get(span.start as usize..span.end as usize)?;
        if let Some((found, definition)) = self.index.at(MAIN, span.start)
            && found.start <= span.start
            && span.end <= found.end
            && word == names::simple(script, definition)
        {
            return Some((span, definition));
        }
        if is_of_assertion(self.text(), (span.start as usize, span.end as usize)) {
            return None;
        }
        // A later clause of a function, an export, a constructor of a subtype.
        Some((span, self.named(word)?))
    }

    /// The diagnostics, by file.
    pub(super) fn diagnostics(&self) -> ByFile {
        let mut found = ByFile::default();
        for diagnostic in &self.loaded.diagnostics {
            let file = diagnostic.span.map_or(MAIN, |s| s.file);
            if let Some(uri) = self.uri_of(file) {
                let shown = self.diagnostic(diagnostic);
                found.entry(uri).or_default().push(shown);
            }
        }
        found
    }

    /// Converts a diagnostic to that of the protocol.
    pub(super) fn diagnostic(&self, wrong: &Diagnostic) -> lsp_types::Diagnostic {
        let (sources, units) = (&self.loaded.sources, self.client.units);
        let mut shown = diagnostic(wrong, sources, units, |file| self.uri_of(file));
        // Unused or unreachable parts are drawn pale.
        let pale = [Kind::UnusedLocal, Kind::UnusedChannel, Kind::HiddenClause];
        shown.tags = (pale.contains(&wrong.kind)).then(|| vec![DiagnosticTag::UNNECESSARY]);
        shown
    }

    /// Whether it is the analysis of exactly that text.
    pub(super) fn is_of(&self, now: &TextVersion) -> bool {
        Arc::ptr_eq(&self.of.text, &now.text)
    }

    /// Maps bytes of a later text to the same bytes of this one, unless they were just written: the common beginning
    /// and the common end of both.
    pub(super) fn earlier(&self, later: &TextVersion) -> impl Fn(usize) -> Option<usize> + Copy {
        let (old, new) = (self.of.text.as_bytes(), later.text.as_bytes());
        let (before, after) = if self.is_of(later) {
            (old.len(), 0)
        } else {
            (same_front(old, new), same_back(old, new))
        };
        let (old, new) = (old.len(), new.len());
        move |byte| {
            if byte <= before {
                return Some(byte);
            }
            let from_end = new.checked_sub(byte)?;
            (from_end <= after).then(|| old - from_end)
        }
    }
}

/// Bytes that are compared at once: texts can be long, and mostly they are the same.
const PIECE: usize = 4096;

/// The length of the common beginning of two texts.
fn same_front(a: &[u8], b: &[u8]) -> usize {
    let pieces = a.chunks(PIECE).zip(b.chunks(PIECE));
    let whole = PIECE * pieces.take_while(|(a, b)| a == b).count();
    let whole = whole.min(a.len()).min(b.len());
    let rest = a[whole..].iter().zip(&b[whole..]);
    whole + rest.take_while(|(a, b)| a == b).count()
}

/// The length of the common end of two texts.
fn same_back(a: &[u8], b: &[u8]) -> usize {
    let pieces = a.rchunks(PIECE).zip(b.rchunks(PIECE));
    let whole = PIECE * pieces.take_while(|(a, b)| a == b).count();
    let whole = whole.min(a.len()).min(b.len());
    let (a, b) = (&a[..a.len() - whole], &b[..b.len() - whole]);
    let rest = a.iter().rev().zip(b.iter().rev());
    whole + rest.take_while(|(a, b)| a == b).count()
}
