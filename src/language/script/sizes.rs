//! The sizes of a script: what of it can be made smaller or larger, and the script with other sizes.
//!
//! The syntax tree is changed, and names are resolved and types inferred anew: so every place that depends on a size
//! sees the new one, and no place of the text moves.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::core::{Assertion, GlobalId, TypeId};
use super::load::{Loaded, load_parsed};
use super::reach::{self, TopLevel};
use super::symmetric::{self, SymmetricType};
use super::visit::Mention;
use crate::source::hash::IndexSet;
use crate::source::{Bounds, Diagnostic, Severity, Span};
use crate::syntax::ast::{AssertionOption, Decl, DeclKind, Expr, ExprKind, Ident, Items};
use crate::syntax::ast::{File, Pattern, PatternKind};
use crate::syntax::{Parsed, parse_file_within, parse_text_within};

/// What a name with a size is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizeKind {
    /// A datatype. The constructors named are interchangeable (Def. 23) and are counted; others stay.
    Datatype {
        /// In order of declaration.
        members: Vec<Rc<str>>,
        /// Whether there are others.
        is_part: bool,
    },
    /// `NAME = {0, 1}`, which becomes a datatype.
    Set,
    /// `NAME = 5`.
    Number,
}

/// A name of a script that has a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedName {
    /// The name.
    pub name: Rc<str>,
    /// The place of the name in its declaration.
    pub span: Span,
    /// What it is.
    pub kind: SizeKind,
    /// The size as written.
    pub written: usize,
}

/// The names with sizes that an assertion depends on.
#[derive(Clone, Debug, Default)]
pub struct NamesWithSizes {
    /// In the order of the text.
    pub names: Vec<SizedName>,
    /// Sets of literals that cannot become datatypes: the name, and the error that the type checker finds then.
    pub refused: Vec<(Rc<str>, Diagnostic)>,
}

/// A script whose sizes can be changed.
pub struct SizedScript {
    parsed: Parsed,
}

impl SizedScript {
    /// Reads a script and all that it includes.
    #[must_use]
    pub fn read(path: &Path, bounds: &Bounds) -> Self {
        let parsed = parse_file_within(path, bounds);
        Self { parsed }
    }

    /// Reads a script that is not on disk; includes are relative to the directory of `name`.
    #[must_use]
    pub fn of_text(name: &Path, text: &str, bounds: &Bounds) -> Self {
        let parsed = parse_text_within(name, text, bounds);
        Self { parsed }
    }

    /// The script with the sizes that are written.
    #[must_use]
    pub fn as_written(&self, bounds: &Bounds) -> Loaded {
        self.load(self.parsed.file.clone(), bounds)
    }

    /// The script with other sizes of some names. `:[symmetry reduce]` is left out: it is an error where a type has no
    /// two values, and checks reduce by what they can without it.
    #[must_use]
    pub fn at(&self, sizes: &[(&SizedName, usize)], bounds: &Bounds) -> Loaded {
        self.load(self.resized(sizes), bounds)
    }

    fn resized(&self, sizes: &[(&SizedName, usize)]) -> File {
        let mut file = self.parsed.file.clone();
        each_declaration(&mut file, &mut |decl| {
            for (name, size) in sizes {
                resize(decl, name, *size);
            }
            if let DeclKind::Assert(assertion) = &mut decl.kind {
                let is_other = |o: &AssertionOption| !matches!(o, AssertionOption::Symmetry(..));
                assertion.options.retain(is_other);
            }
        });
        file
    }

    /// What has a size in an assertion of the script as written, by its place among the assertions.
    #[must_use]
    pub fn sizes(&self, written: &Loaded, assertion: usize, bounds: &Bounds) -> NamesWithSizes {
        let mut sizes = NamesWithSizes::default();
        let Some(asked) = written.script.assertions.get(assertion) else {
            return sizes;
        };
        let reached = reached(written, asked);
        let symmetric = symmetric::listed_types(&written.script, &written.types, &asked.roots());
        let mut file = self.parsed.file.clone();
        let mut found = Vec::new();
        each_declaration(&mut file, &mut |decl| {
            found.extend(literals(decl).or_else(|| datatype(decl, written, &symmetric)));
        });
        for name in found {
            // What was found in the tree is looked for in the checked script by its place.
            if !reached.contains(&name.span) {
                continue;
            }
            match self.refusal(&name, assertion, bounds) {
                Some(why) => sizes.refused.push((name.name, why)),
                None => sizes.names.push(name),
            }
        }
        sizes
    }

    /// The numbers with a name, as they are written.
    #[must_use]
    pub fn numbers(&self) -> Vec<SizedName> {
        let mut found = Vec::new();
        each_declaration(&mut self.parsed.file.clone(), &mut |decl| {
            found.extend(literals(decl).filter(|n| n.kind == SizeKind::Number));
        });
        found
    }

    /// The number with this name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<SizedName> {
        self.numbers().into_iter().find(|n| *n.name == *name)
    }

    /// The error in an assertion if a set of literals becomes a datatype.
    fn refusal(&self, name: &SizedName, assertion: usize, bounds: &Bounds) -> Option<Diagnostic> {
        if name.kind != SizeKind::Set {
            return None;
        }
        error_in(self.at(&[(name, name.written)], bounds), assertion)
    }

    /// The first place in an assertion that compares values of a datatype or set, or could tell how many of them are
    /// different: the error of the type checker where that is forbidden. Sets of events are not looked at.
    #[must_use]
    pub fn comparison(
        &self,
        name: &SizedName,
        assertion: usize,
        bounds: &Bounds,
    ) -> Option<Diagnostic> {
        let file = self.resized(&[(name, name.written)]);
        let loaded = load_parsed(self.parsed_as(file), bounds, Some(name.span));
        error_in(loaded, assertion).or_else(|| Some(bounds.stopped()?.1))
    }

    fn load(&self, file: File, bounds: &Bounds) -> Loaded {
        load_parsed(self.parsed_as(file), bounds, None)
    }

    fn parsed_as(&self, file: File) -> Parsed {
        Parsed {
            file,
            sources: Arc::clone(&self.parsed.sources),
            diagnostics: self.parsed.diagnostics.clone(),
        }
    }
}

/// The error that keeps an assertion from being checked.
fn error_in(loaded: Loaded, assertion: usize) -> Option<Diagnostic> {
    let in_the_way = loaded.in_the_way(loaded.script.assertions.get(assertion)?)?;
    // The error itself says more than that there is one.
    let places: Vec<Span> = in_the_way.labels.iter().map(|l| l.span).collect();
    let is_there = |d: &Diagnostic| d.span.is_some_and(|s| places.contains(&s));
    let mut errors = loaded.diagnostics.into_iter();
    let cause = errors.find(|d| d.severity == Severity::Error && is_there(d));
    Some(cause.unwrap_or(in_the_way))
}

/// The places of the names of all declarations that an assertion reaches.
fn reached(loaded: &Loaded, assertion: &Assertion) -> IndexSet<Span> {
    let script = &loaded.script;
    let all = reach::reach(script, &assertion.roots(), &mut |_: Mention, _: Span| {});
    let place = |node: &TopLevel| match node {
        TopLevel::Global(GlobalId(g)) => script.globals[*g as usize].span,
        TopLevel::Type(TypeId(t)) => script.types[*t as usize].span,
        TopLevel::Channel(c) => script.channels[c.0 as usize].span,
    };
    all.iter().map(place).collect()
}

/// Calls `f` for every declaration of the top level, those of Timed sections included. What is in a module has one
/// size for each instance, and none that could be changed.
fn each_declaration(file: &mut File, f: &mut dyn FnMut(&mut Decl)) {
    for decl in &mut file.decls {
        f(decl);
        if let DeclKind::Timed { decls, .. } = &mut decl.kind {
            decls.iter_mut().for_each(&mut *f);
        }
    }
}

/// The name of `NAME = {literals}`, `nametype NAME = {literals}` or `NAME = 5`.
fn literals(decl: &Decl) -> Option<SizedName> {
    let (name, span, body) = match &decl.kind {
        DeclKind::Pattern { pattern, body } => match &pattern.kind {
            PatternKind::Name(name) => (name, pattern.span, body),
            _ => return None,
        },
        DeclKind::Nametype { name, body } => (&name.text, name.span, body),
        _ => return None,
    };
    let is_definition = matches!(decl.kind, DeclKind::Pattern { .. });
    let (kind, written) = match (integer(body), set_size(body)) {
        (Some(n), _) if is_definition => (SizeKind::Number, usize::try_from(n).ok()?),
        (_, Some(written)) => (SizeKind::Set, written),
        _ => return None,
    };
    let name = Rc::clone(name);
    (written >= 1).then_some(SizedName {
        name,
        span,
        kind,
        written,
    })
}

fn without_brackets(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Paren(inner) => without_brackets(inner),
        _ => e,
    }
}

fn integer(e: &Expr) -> Option<i64> {
    match without_brackets(e).kind {
        ExprKind::Int(n) => Some(n),
        _ => None,
    }
}

/// The number of elements of a set of different numbers, or of different characters or texts.
fn set_size(e: &Expr) -> Option<usize> {
    let ExprKind::Set(items, None) = &without_brackets(e).kind else {
        return None;
    };
    match items {
        Items::Range(low, Some(high)) => {
            let count = integer(high)?.checked_sub(integer(low)?)?.checked_add(1)?;
            usize::try_from(count).ok()
        }
        Items::Range(_, None) => None,
        Items::List(elements) => {
            let literal = |e: &Expr| match &without_brackets(e).kind {
                ExprKind::Int(n) => Some(n.to_string()),
                ExprKind::Char(c) => Some(format!("'{c}")),
                ExprKind::Str(text) => Some(format!("\"{text}")),
                _ => None,
            };
            let all: Option<IndexSet<String>> = elements.iter().map(literal).collect();
            Some(all?.len())
        }
    }
}

/// A datatype, if all of its atomic constructors are interchangeable, or some.
fn datatype(decl: &Decl, written: &Loaded, symmetric: &[SymmetricType]) -> Option<SizedName> {
    let DeclKind::Datatype {
        subtype: false,
        name,
        ..
    } = &decl.kind
    else {
        return None;
    };
    let script = &written.script;
    let is_here = |t: &&SymmetricType| script.types[t.datatype.0 as usize].span == name.span;
    let found = symmetric.iter().find(is_here)?;
    let is_part = found.excluded().next().is_some();
    // If only one value is not named, it is not known whether there could be more of its kind.
    if found.members.is_empty() || is_part && !found.is_usable() {
        return None;
    }
    let members = found.members.iter();
    let members = members.map(|c| Rc::clone(&script.ctors[c.0 as usize].name));
    let written = found.members.len();
    let members = members.collect();
    Some(SizedName {
        name: Rc::clone(&name.text),
        span: name.span,
        kind: SizeKind::Datatype { members, is_part },
        written,
    })
}

/// Gives a name its size, if this is its declaration.
fn resize(decl: &mut Decl, sized: &SizedName, size: usize) {
    let fresh = |n: usize| Ident {
        // No name in a text has such a sign, so it is none of the script.
        text: format!("{}#{n}", sized.name).into(),
        span: sized.span,
    };
    match (&mut decl.kind, &sized.kind) {
        (DeclKind::Datatype { name, clauses, .. }, SizeKind::Datatype { members, .. })
            if name.span == sized.span =>
        {
            let mut left = size;
            clauses.retain(|(ctor, _)| {
                let is_member = members.contains(&ctor.text);
                let stays = !is_member || left > 0;
                left -= usize::from(is_member && left > 0);
                stays
            });
            let more = members.len()..size;
            clauses.extend(more.map(|n| (fresh(n), None)));
        }
        (DeclKind::Pattern { pattern, body }, SizeKind::Number) if is_of(pattern, sized) => {
            body.kind = ExprKind::Int(size as i64);
        }
        (DeclKind::Pattern { pattern, .. }, SizeKind::Set) if is_of(pattern, sized) => {
            decl.kind = set_as_datatype(sized, (0..size).map(fresh));
        }
        (DeclKind::Nametype { name, .. }, SizeKind::Set) if name.span == sized.span => {
            decl.kind = set_as_datatype(sized, (0..size).map(fresh));
        }
        _ => {}
    }
}

fn is_of(pattern: &Pattern, sized: &SizedName) -> bool {
    pattern.span == sized.span
}

fn set_as_datatype(sized: &SizedName, constructors: impl Iterator<Item = Ident>) -> DeclKind {
    DeclKind::Datatype {
        subtype: false,
        name: Ident {
            text: Rc::clone(&sized.name),
            span: sized.span,
        },
        clauses: constructors.map(|c| (c, None)).collect(),
    }
}
