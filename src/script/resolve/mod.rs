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

use super::annotation::Annotation;
use super::core::{
    Assertion, Builtin, Channel, Ctor, Datatype, Expr, ExprKind, Global, GlobalId, LocalId, Script,
};
use crate::source::hash::Set;
use crate::source::{Bounds, Diagnostic, SourceMap, Span};
use crate::syntax::ast;
pub(super) use define::Rehearsed;

use body::Work;
use scope::{Availability, Scopes, availability};
use section::Section;

/// A script whose names are resolved, with what whoever infers types has to know.
pub(super) struct Resolved {
    pub script: Script,
    pub annotations: Vec<Annotation>,
    /// Definitions of which nothing is known: the parameters of modules that are checked by themselves.
    pub parameters: Set<GlobalId>,
    /// Where those modules begin in the script.
    pub rehearsed: Rehearsed,
    /// What is wrong with names.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts of the text that stand for several parts of the script: modules that have instances.
    pub expanded: Vec<Span>,
}

/// What is done here, for the message that it had to end.
const PHASE: &str = "names were resolved";

/// Resolves names. Never fails: what is wrong is in the diagnostics.
pub(super) fn resolve(file: ast::File, sources: Arc<SourceMap>, bounds: &Bounds) -> Resolved {
    let mut resolver = Resolver::new(sources, bounds);
    resolver.scopes.miss(file.lost, file.incomplete);
    let mut work = Work::default();
    let rehearsed = resolver.top_level(&file.decls, &mut work);
    Resolved {
        script: resolver.script,
        annotations: resolver.annotations,
        parameters: work.parameters,
        rehearsed,
        diagnostics: resolver.diagnostics,
        expanded: work.expanded,
    }
}

/// Whether a built-in can be used without being declared, also outside Timed sections.
pub(super) fn is_always_there(builtin: Builtin) -> bool {
    availability(builtin) == Availability::Always
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
