//! Names to slots. Every scope question is answered here, once.
//!
//! A broken definition never hides a sound one: the smallest broken expression becomes a call of
//! `error` with the message, so the rest of the script can still be opened.

//!
//! First a [`declarer::Declarer`] declares all names, of instances of modules too, and notes what is left
//! to do ([`later`]). Then a [`define::Definer`] goes through that: [`bodies`] are what right sides are
//! resolved with, on top of the [`names`] in scope and of the [`scope`]s themselves.

mod annotate;
mod assertion;
mod bodies;
mod declare_sections;
mod declarer;
mod define;
mod errors;
mod expr;
mod instance;
mod join;
mod later;
mod local;
mod locals;
mod mention;
mod missing;
mod module;
mod names;
mod pattern;
mod place;
mod rehearsed;
mod scope;
mod section;
mod sections;
mod timed;
mod timing;

use std::rc::Rc;
use std::sync::Arc;

use super::annotation::Annotation;
use super::core::{Builtin, GlobalId, Script};
use crate::source::hash::Set;
use crate::source::{Bounds, Diagnostic, SourceMap, Span};
use crate::syntax::ast;
use annotate::TiedAnnotations;
use bodies::Bodies;
use declarer::Declarer;
use define::Definer;
use errors::NameErrors;
use names::NameTable;
use scope::{BuiltinAccess, Scopes, availability};

pub(super) use rehearsed::Rehearsed;

/// A script with resolved names, and the facts that type inference needs.
pub(super) struct Resolved {
    pub script: Script,
    pub annotations: Vec<Annotation>,
    /// Definitions of which nothing is known: the parameters of modules that are checked by themselves.
    pub parameters: Set<GlobalId>,
    /// The place of those modules in the script.
    pub rehearsed: Rehearsed,
    /// The diagnostics of name resolution.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts of the text that are expanded several times: modules with instances.
    pub expanded: Vec<Span>,
}

/// Resolves names. Never fails: what is wrong is in the diagnostics.
pub(super) fn resolve(file: ast::File, sources: Arc<SourceMap>, bounds: &Bounds) -> Resolved {
    let mut scopes = Scopes::new();
    scopes.miss(file.lost, file.incomplete);
    let errors = NameErrors::new(bounds);
    let mut declarer = Declarer::new(sources, NameTable { scopes, errors });
    let (root, rehearsed) = declarer.top_level(&file.decls);
    let Declarer {
        script,
        names,
        later,
        modules,
        sections,
        annotations,
    } = declarer;
    let (sections, unwritten) = sections.into_parts();
    let type_names = script.types.iter().map(|t| Rc::clone(&t.name)).collect();
    let mut definer = Definer {
        script,
        bodies: Bodies::new(names, TiedAnnotations::new(annotations, type_names)),
        sections,
    };
    definer.define(root, &later, &unwritten);
    let Definer {
        mut script, bodies, ..
    } = definer;
    script.locals = bodies.locals.into_names();
    Resolved {
        script,
        annotations: bodies.annotations.into_list(),
        parameters: modules.parameters,
        rehearsed,
        diagnostics: bodies.names.errors.into_list(),
        expanded: modules.expanded,
    }
}

/// Whether a built-in can be used without being declared, also outside Timed sections.
pub(super) fn is_always_there(builtin: Builtin) -> bool {
    availability(builtin) == BuiltinAccess::Always
}
