//! Names to slots. Every scope question is answered here, once.
//!
//! A broken definition never hides a sound one: the smallest broken expression becomes a call of
//! `error` with the message, so the rest of the script can still be opened.

mod annotate;
mod assertion;
mod body;
mod builtin;
mod define;
mod expr;
mod join;
mod local;
mod missing;
mod module;
mod pattern;
mod scope;
mod section;
mod timed;

use std::rc::Rc;
use std::sync::Arc;

use super::core::{
    Assertion, Builtin, Channel, ChannelId, Ctor, CtorId, Datatype, Expr, ExprKind, Global,
    GlobalId, LocalId, Script,
};
use super::sound;
use super::types::{self, Types};
use crate::source::hash::Set;
use crate::source::{Bounds, Diagnostic, SourceMap, Span};
use crate::syntax::ast;
use body::Work;
use scope::{Availability, Scopes, availability};
use section::Section;

/// A script with everything that is known about it before evaluation.
#[derive(Debug)]
pub struct Checked {
    /// Names resolved.
    pub script: Script,
    /// Inferred types.
    pub types: Types,
    /// Everything that is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read and what was not.
    pub text: sound::Text,
}

/// What is done here, for the message that it had to end.
const PHASE: &str = "names were resolved";

/// Resolves names and infers types. Never fails: what is wrong is in the diagnostics.
#[must_use]
pub fn check(file: ast::File, sources: Arc<SourceMap>) -> Checked {
    check_within(file, sources, &Bounds::default())
}

/// The same within bounds. If one is reached, the last diagnostic says so, and nothing but it can be
/// relied on. (Where it was reached before, that was said before.)
#[must_use]
pub fn check_within(file: ast::File, sources: Arc<SourceMap>, bounds: &Bounds) -> Checked {
    let before = bounds.is_over();
    let ast::File {
        decls,
        lost,
        incomplete,
    } = file;
    let text = sound::Text::new(&decls, &lost, incomplete);
    let mut resolver = Resolver::new(sources, bounds);
    resolver.scopes.miss(lost, incomplete);
    let mut work = Work::default();
    let sizes = resolver.top_level(&decls, &mut work);
    let (annotations, mut found) = (Vec::new(), Vec::new());
    let annotations = std::mem::replace(&mut resolver.annotations, annotations);
    found.append(&mut resolver.diagnostics);
    let parameters = &work.parameters;
    let mut types = types::infer(
        &resolver.script,
        &annotations,
        parameters,
        bounds,
        &mut found,
    );
    if resolver.truncate(sizes) {
        // Modules that are there to be checked only must leave no trace.
        let mut again = Vec::new();
        let none = Set::default();
        types = types::infer(&resolver.script, &annotations, &none, bounds, &mut again);
    }
    let mut diagnostics = each_once(found, &work.expanded);
    if let (false, Some((_, stopped))) = (before, bounds.stopped()) {
        diagnostics.push(stopped);
    }
    Checked {
        script: resolver.script,
        types,
        diagnostics,
        text,
    }
}

/// In the order of the text, each once. What is wrong inside a module is said once, however many
/// instances it has.
fn each_once(mut all: Vec<Diagnostic>, expanded: &[Span]) -> Vec<Diagnostic> {
    all.sort_by_key(|d| d.span);
    let mut seen: Set<(&'static str, Option<Span>, String)> = Set::default();
    all.retain(|d| {
        let inside = |s: Span| {
            let around = |m: &Span| m.file == s.file && m.start <= s.start && s.end <= m.end;
            expanded.iter().any(around)
        };
        let once = d.span.is_some_and(inside);
        let message = if once {
            String::new()
        } else {
            d.message.clone()
        };
        seen.insert((d.code, d.span, message))
    });
    all
}

/// Whether a built-in can be used without being declared, also outside Timed sections.
pub(super) fn is_always_there(builtin: Builtin) -> bool {
    availability(builtin) == Availability::Always
}

/// A type annotation, tied to what it is about.
#[derive(Debug)]
pub(super) struct Annotation {
    /// The definition.
    pub target: Target,
    /// The type as written; names in it are top-level ones.
    pub scheme: ast::TypeScheme,
    /// The annotated name.
    pub span: Span,
}

/// What an annotation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Global(GlobalId),
    Local(LocalId),
    Channel(ChannelId),
    Ctor(CtorId),
}

/// The state of name resolution.
struct Resolver {
    script: Script,
    scopes: Scopes,
    annotations: Vec<Annotation>,
    diagnostics: Vec<Diagnostic>,
    /// The Timed sections of the top level and of modules; how many of them are described, and
    /// those whose processes are not written yet.
    sections: Vec<Section>,
    described: usize,
    unwritten: Vec<usize>,
    /// The Timed section around what is being resolved.
    timed: Option<Section>,
    /// The definition being resolved, for the names of states.
    definition: Rc<str>,
    bounds: Bounds,
}

impl Resolver {
    fn new(sources: Arc<SourceMap>, bounds: &Bounds) -> Self {
        Self {
            script: Script {
                sources,
                globals: Vec::<Global>::new(),
                types: Vec::<Datatype>::new(),
                ctors: Vec::<Ctor>::new(),
                channels: Vec::<Channel>::new(),
                locals: Vec::new(),
                assertions: Vec::<Assertion>::new(),
                prints: Vec::new(),
            },
            scopes: Scopes::new(),
            annotations: Vec::new(),
            diagnostics: Vec::new(),
            sections: Vec::new(),
            described: 0,
            unwritten: Vec::new(),
            timed: None,
            definition: "".into(),
            bounds: bounds.clone(),
        }
    }

    /// After a bound is reached, what seems wrong may only be unfinished.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.bounds.is_over() {
            self.diagnostics.push(diagnostic);
        }
    }

    /// A variable of its own.
    fn fresh(&mut self, name: &Rc<str>) -> LocalId {
        self.script.locals.push(Rc::clone(name));
        LocalId(self.script.locals.len() as u32 - 1)
    }
}

/// What stands in for an expression that cannot be resolved.
fn broken(span: Span, message: &str) -> Expr {
    let text = Expr {
        kind: ExprKind::Str(message.into()),
        span,
    };
    let error = Expr {
        kind: ExprKind::Builtin(Builtin::Error),
        span,
    };
    Expr {
        kind: ExprKind::Apply(Box::new(error), vec![text]),
        span,
    }
}
