//! Names to slots. Every scope question is answered here, once.
//!
//! A broken definition never hides a sound one: the smallest broken expression becomes a call of
//! `error` with the message, so the rest of the script can still be opened.

mod assertion;
mod decl;
mod expr;
mod local;
mod pattern;
mod scope;

use std::rc::Rc;
use std::sync::Arc;

use super::core::{
    Assertion, Builtin, Channel, Ctor, Datatype, Expr, ExprKind, Global, GlobalId, LocalId, Script,
};
use super::types::{self, Types};
use crate::source::{Diagnostic, SourceMap, Span};
use crate::syntax::ast;
use scope::Scopes;

/// A script with everything that is known about it before evaluation.
#[derive(Debug)]
pub struct Checked {
    /// Names resolved.
    pub script: Script,
    /// Inferred types.
    pub types: Types,
    /// Everything that is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Resolves names and infers types. Never fails: what is wrong is in the diagnostics.
#[must_use]
pub fn check(file: ast::File, sources: Arc<SourceMap>) -> Checked {
    let ast::File { decls } = file;
    let mut resolver = Resolver::new(sources);
    resolver.top_level(&decls);
    let Resolver {
        mut diagnostics,
        script,
        annotations,
        ..
    } = resolver;
    let types = types::infer(&script, &annotations, &mut diagnostics);
    diagnostics.sort_by_key(|d| d.span);
    diagnostics.dedup();
    Checked {
        script,
        types,
        diagnostics,
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Global(GlobalId),
    Local(LocalId),
}

/// The state of name resolution.
struct Resolver {
    script: Script,
    scopes: Scopes,
    annotations: Vec<Annotation>,
    diagnostics: Vec<Diagnostic>,
}

impl Resolver {
    fn new(sources: Arc<SourceMap>) -> Self {
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
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
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
