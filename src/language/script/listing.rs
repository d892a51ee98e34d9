//! A listing of a script for display: its texts with the meaning of every name, an outline, and remarks on places.
//! Plain data without references, so that it can be shown while other threads work.

use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use super::core::{CtorId, Global, GlobalId, GlobalKind, Script, TypeId};
use super::index::{Definition, Index, describe};
use super::lines::ListedText;
use super::load::Loaded;
use super::symmetric::{self, SymmetricType, Trust};
use crate::source::hash::{IndexMap, Map};
use crate::source::{FileId, Severity, Span};
use crate::syntax::{KEYWORDS, Lexeme};

/// Places that are listed as breaking the symmetry of one type.
const BREAKS_MAX: usize = 1_000;

/// So many definitions before a place are looked at for the one that it is in.
const NEAR: usize = 64;

/// The kind of a word in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A reserved word.
    Keyword,
    /// A process, or a function that gives one.
    Process,
    /// Any other definition.
    Definition,
    /// A channel.
    Channel,
    /// A datatype or nametype.
    Type,
    /// A constructor of a datatype.
    Constructor,
    /// A variable.
    Variable,
    /// A built-in.
    Builtin,
    /// A number.
    Number,
    /// A string or a character.
    Text,
    /// A comment.
    Comment,
    /// A name without a known meaning.
    Unknown,
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Its kind.
    pub kind: WordKind,
    /// `Node :: (NodeID) -> Proc`
    pub shown: String,
    /// The place of its definition; none for built-ins.
    pub place: Option<Span>,
}

/// A definition, as the outline lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: WordKind,
    /// Its name where it is defined.
    pub place: Span,
    /// All of it, from its name to its end.
    pub whole: Span,
}

/// Why something is said of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// It is wrong.
    Error,
    /// It may be wrong.
    Warning,
    /// It tells values of a type apart.
    Breaks,
    /// Its values are interchangeable.
    Symmetric,
}

/// A remark on a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The place.
    pub span: Span,
    /// Why.
    pub kind: RemarkKind,
    /// In one line.
    pub text: String,
    /// Notes, a sentence each.
    pub notes: Vec<String>,
}

/// The symmetry of one datatype (Def. 23), as the text of the whole script has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedType {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub place: Span,
    /// The values that are interchangeable.
    pub members: Vec<String>,
    /// Places that tell values apart, each with why.
    pub breaks: Vec<(Span, String)>,
    /// The number of further ones.
    pub more: usize,
}

/// A file of a script.
#[derive(Debug)]
pub struct ListedFile {
    /// As the user named it.
    pub path: PathBuf,
    /// Its text.
    pub text: ListedText,
}

/// A script as people read it.
#[derive(Debug, Default)]
pub struct Listing {
    /// The script, then what it includes.
    pub files: Vec<ListedFile>,
    /// Every name that was looked up, in the order of the text, and its place in `meanings`.
    names: Vec<(Span, u32)>,
    meanings: Vec<Meaning>,
    /// Names of the top level that mean one thing.
    by_name: Map<String, u32>,
    /// Definitions in the order of the text.
    pub outline: Vec<OutlineEntry>,
    /// Remarks on places, in the order of the text.
    pub remarks: Vec<Remark>,
    /// Remarks without a place.
    pub placeless: Vec<Remark>,
    /// Every datatype with two or more atomic values.
    pub types: Vec<ListedType>,
}

/// Two listings are the same if their texts are: everything else follows from these.
impl PartialEq for Listing {
    fn eq(&self, other: &Self) -> bool {
        let texts = |l: &Self| {
            let each = l.files.iter();
            each.map(|f| (f.path.clone(), f.text.text().to_owned()))
                .collect::<Vec<_>>()
        };
        texts(self) == texts(other)
    }
}

impl Eq for Listing {}

impl Listing {
    /// The listing of a script that was read, sound or not.
    #[must_use]
    pub fn new(loaded: &Loaded) -> Self {
        let files = loaded.sources.files().iter();
        let files = files.map(|file| ListedFile {
            path: file.path.clone(),
            text: ListedText::new(Arc::clone(&file.text)),
        });
        let mut this = Self {
            files: files.collect(),
            outline: outline(loaded),
            ..Self::default()
        };
        this.add_names(loaded);
        this.add_diagnostics(loaded);
        if !loaded.has_errors() {
            this.add_types(loaded);
        }
        this.remarks.sort_by_key(|r| (r.span, r.kind));
        this
    }

    fn add_names(&mut self, loaded: &Loaded) {
        let index = Index::new(&loaded.script);
        let mut numbers: IndexMap<u64, u32> = IndexMap::default();
        for (span, definition) in index.all() {
            let number = *numbers.entry(key(definition)).or_insert_with(|| {
                self.meanings.push(meaning(loaded, &index, definition));
                self.meanings.len() as u32 - 1
            });
            // What stands in brackets counts with them, and a name in a module with the module.
            self.names.push((span, number));
        }
        let mut taken: Map<String, Option<u32>> = Map::default();
        for (n, meaning) in self.meanings.iter().enumerate() {
            if matches!(meaning.kind, WordKind::Variable | WordKind::Builtin) {
                continue;
            }
            let name = meaning.shown.split(" :: ").next().unwrap_or_default();
            let simple = name.rsplit("::").next().unwrap_or(name).to_owned();
            let entry = taken.entry(simple).or_insert(Some(n as u32));
            if *entry != Some(n as u32) {
                *entry = None;
            }
        }
        let unique = taken.into_iter().filter_map(|(name, n)| Some((name, n?)));
        self.by_name = unique.collect();
    }

    fn add_diagnostics(&mut self, loaded: &Loaded) {
        for diagnostic in &loaded.diagnostics {
            let kind = match diagnostic.severity {
                Severity::Error => RemarkKind::Error,
                Severity::Warning => RemarkKind::Warning,
            };
            let mut text = format!("{} {}", diagnostic.code, diagnostic.message);
            if !diagnostic.label.is_empty() {
                text += &format!(": {}", diagnostic.label);
            }
            let place = |span: Span| loaded.sources.place(span);
            let labels = diagnostic.labels.iter();
            let labels = labels.map(|l| format!("{}: {}", place(l.span), l.text));
            let notes = labels.chain(diagnostic.notes.iter().cloned()).collect();
            let remark = |span| Remark {
                span,
                kind,
                text,
                notes,
            };
            match diagnostic.span {
                Some(span) => self.remarks.push(remark(span)),
                None => self.placeless.push(remark(nowhere())),
            }
        }
    }

    fn add_types(&mut self, loaded: &Loaded) {
        let script = &loaded.script;
        for found in symmetric::whole_script(script, &loaded.types, Trust::Events) {
            let listed = listed_type(script, &found);
            let remark = |span, kind, text: &str| Remark {
                span,
                kind,
                text: text.to_owned(),
                notes: Vec::new(),
            };
            if found.is_usable() {
                let text = format!(
                    "{} values of {} are interchangeable: {}",
                    listed.members.len(),
                    listed.name,
                    listed.members.join(", ")
                );
                let places = found.members.iter().map(|c| ctor(script, *c).span);
                let marked = std::iter::once(listed.place).chain(places);
                let remarks = marked.map(|span| remark(span, RemarkKind::Symmetric, &text));
                self.remarks.extend(remarks);
            }
            for (span, why) in &listed.breaks {
                let text = format!("no symmetry of {} here: {why}", listed.name);
                self.remarks.push(remark(*span, RemarkKind::Breaks, &text));
            }
            self.types.push(listed);
        }
    }

    /// A file of the script.
    #[must_use]
    pub fn file(&self, file: FileId) -> Option<&ListedFile> {
        self.files.get(usize::from(file.0))
    }

    /// The name that stands at a byte of a file, and what it means.
    #[must_use]
    pub fn name_at(&self, file: FileId, offset: usize) -> Option<(Span, &Meaning)> {
        let text = &self.file(file)?.text;
        let line = text.line(text.line_of(offset));
        let parts = text.lexemes(self.near(text, &line, offset));
        let is_at = |p: &Range<usize>| p.start <= offset && offset < p.end;
        let (lexeme, word) = parts.into_iter().find(|(_, p)| is_at(p))?;
        if lexeme != Lexeme::Word {
            return None;
        }
        let meaning = self.meaning(file, text.text(), &word)?;
        let span = Span {
            file,
            start: word.start as u32,
            end: word.end as u32,
        };
        Some((span, meaning))
    }

    /// The part of a line that is looked at for a name: all of it, unless it is very long.
    fn near(&self, text: &ListedText, line: &Range<usize>, offset: usize) -> Range<usize> {
        const NEAR: usize = 2_000;
        let mut start = offset.saturating_sub(NEAR).max(line.start);
        let mut end = offset.saturating_add(NEAR).min(line.end).max(start);
        while !text.text().is_char_boundary(start) {
            start -= 1;
        }
        while !text.text().is_char_boundary(end) {
            end += 1;
        }
        start..end
    }

    /// The meaning of a word.
    fn meaning(&self, file: FileId, text: &str, word: &Range<usize>) -> Option<&Meaning> {
        let start = word.start as u32;
        let after = self
            .names
            .partition_point(|(s, _)| (s.file, s.start) <= (file, start));
        let before = self.names[..after].iter().rev().take(16);
        let around = before
            .filter(|(s, _)| s.file == file && s.start <= start && word.end <= s.end as usize)
            .min_by_key(|(s, _)| s.end - s.start);
        let shown = text.get(word.clone())?;
        let named = |n: u32| {
            let meaning = self.meanings.get(n as usize)?;
            let name = meaning.shown.split(" :: ").next()?;
            (name.rsplit("::").next() == Some(shown)).then_some(meaning)
        };
        // A later clause of a function, an export or a constructor of a subtype was not looked up: it
        // repeats a name.
        around
            .and_then(|(_, n)| named(*n))
            .or_else(|| named(*self.by_name.get(shown)?))
    }

    /// The coloured parts of a part of a file, in order.
    #[must_use]
    pub fn words(&self, file: FileId, part: Range<usize>) -> Vec<(Range<usize>, WordKind)> {
        let Some(listed) = self.file(file) else {
            return Vec::new();
        };
        let text = listed.text.text();
        let kind = |lexeme, p: &Range<usize>| match lexeme {
            Lexeme::Note | Lexeme::Block { .. } => WordKind::Comment,
            Lexeme::Text { .. } | Lexeme::Character => WordKind::Text,
            Lexeme::Number => WordKind::Number,
            Lexeme::Word => match text.get(p.clone()) {
                Some(word) if KEYWORDS.contains(&word) => WordKind::Keyword,
                _ => self
                    .meaning(file, text, p)
                    .map_or(WordKind::Unknown, |m| m.kind),
            },
        };
        let parts = listed.text.lexemes(part).into_iter();
        parts.map(|(l, p)| (p.clone(), kind(l, &p))).collect()
    }

    /// The remarks on places that overlap some bytes of a file.
    pub fn remarks_in(&self, file: FileId, part: &Range<usize>) -> impl Iterator<Item = &Remark> {
        let (from, to) = (part.start as u32, part.end as u32);
        let first = self
            .remarks
            .partition_point(|r| (r.span.file, r.span.start) < (file, from));
        let within = move |r: &&Remark| r.span.file == file && r.span.start <= to;
        self.remarks[first..].iter().take_while(within)
    }

    /// The definition that a place is in.
    #[must_use]
    pub fn definition_of(&self, place: Span) -> Option<&OutlineEntry> {
        let after = self
            .outline
            .partition_point(|e| (e.place.file, e.place.start) <= (place.file, place.start));
        let within = |e: &&OutlineEntry| {
            let w = e.whole;
            w.file == place.file && w.start <= place.start && place.end <= w.end
        };
        // Definitions nest in modules, whose parameters reach as far as the arguments: the last is nearest.
        let mut before = self.outline[..after].iter().rev().take(NEAR);
        before.find(within)
    }
}

/// Tells definitions apart.
fn key(definition: Definition) -> u64 {
    let (kind, number) = match definition {
        Definition::Global(g) => (0, u64::from(g.0)),
        Definition::Type(t) => (1, u64::from(t.0)),
        Definition::Ctor(c) => (2, u64::from(c.0)),
        Definition::Channel(c) => (3, u64::from(c.0)),
        Definition::Local(l) => (4, u64::from(l.0)),
        Definition::Builtin(b) => (5, b as u64),
    };
    kind << 60 | number
}

fn nowhere() -> Span {
    Span {
        file: FileId(0),
        start: 0,
        end: 0,
    }
}

fn meaning(loaded: &Loaded, index: &Index, definition: Definition) -> Meaning {
    let script = &loaded.script;
    let shown = describe(script, &loaded.types, definition);
    let kind = match definition {
        Definition::Global(g) => global_kind(&script.globals[g.0 as usize], &shown),
        Definition::Type(_) => WordKind::Type,
        Definition::Ctor(_) => WordKind::Constructor,
        Definition::Channel(_) => WordKind::Channel,
        Definition::Local(_) => WordKind::Variable,
        Definition::Builtin(_) => WordKind::Builtin,
    };
    Meaning {
        kind,
        shown,
        place: index.place(script, definition),
    }
}

fn global_kind(global: &Global, shown: &str) -> WordKind {
    match global.kind {
        GlobalKind::Nametype(_) => WordKind::Type,
        _ if shown.ends_with("Proc") => WordKind::Process,
        _ => WordKind::Definition,
    }
}

/// The definitions in the text, in its order.
fn outline(loaded: &Loaded) -> Vec<OutlineEntry> {
    let script = &loaded.script;
    let mut found = Vec::new();
    for (n, global) in script.globals.iter().enumerate() {
        if global.made || loaded.sources.files().len() <= usize::from(global.span.file.0) {
            continue;
        }
        let shown = loaded.types.show(GlobalId(n as u32));
        let whole = match &global.kind {
            GlobalKind::Value(e) | GlobalKind::Nametype(e) => global.span.to(e.span),
            GlobalKind::Function(function) => {
                let clauses = function.clauses.iter();
                clauses.fold(global.span, |all, clause| all.to(clause.span))
            }
            GlobalKind::Part { binding, .. } => global.span.to(binding.1.span),
        };
        found.push(OutlineEntry {
            name: global.name.to_string(),
            kind: global_kind(global, &shown),
            place: global.span,
            whole,
        });
    }
    let other = |name: &Rc<str>, kind, place| OutlineEntry {
        name: name.to_string(),
        kind,
        place,
        whole: place,
    };
    let types = script.types.iter();
    found.extend(types.map(|t| other(&t.name, WordKind::Type, t.span)));
    let channels = script.channels.iter();
    found.extend(channels.map(|c| other(&c.name, WordKind::Channel, c.span)));
    found.sort_by_key(|e| e.place);
    found
}

fn ctor(script: &Script, id: CtorId) -> &super::core::Ctor {
    &script.ctors[id.0 as usize]
}

fn listed_type(script: &Script, found: &SymmetricType) -> ListedType {
    let TypeId(datatype) = found.datatype;
    let datatype = &script.types[datatype as usize];
    let name = datatype.name.to_string();
    let named = found.named().map(|(c, reason)| {
        let why = format!("`{}` is {}", ctor(script, c).name, reason.why);
        (reason.span, why)
    });
    let apart = found.told_apart().iter().map(|reason| {
        let why = format!("every value is {}", reason.why);
        (reason.span, why)
    });
    let mut breaks: Vec<(Span, String)> = named.chain(apart).collect();
    breaks.sort_by_key(|(span, _)| *span);
    let more = breaks.len().saturating_sub(BREAKS_MAX);
    breaks.truncate(BREAKS_MAX);
    let member = |c: &CtorId| ctor(script, *c).name.to_string();
    ListedType {
        members: found.members.iter().map(member).collect(),
        place: datatype.span,
        breaks,
        more,
        name,
    }
}
