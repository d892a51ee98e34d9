//! Type inference: Hindley-Milner with the dotted types of CSPm.
//!
//! Definitions are inferred in groups that refer to each other, callees first. A definition with
//! errors in it is no cause of errors elsewhere.

mod annotation;
mod builtins;
mod declare;
mod demand;
mod expr;
mod function;
mod groups;
mod infer;
mod pattern;
mod process;
mod products;
mod report;
mod sensitive;
mod show;
pub mod ty;
mod unify;

use std::rc::Rc;

use super::annotation::Annotation;
use super::core::{Builtin, ChannelId, CtorId, GlobalId, LocalId, Script, TypeId};
use super::dependence::Group;
use crate::source::hash::{IndexMap, Set};
use crate::source::{Bounds, Diagnostic, Span};
use ty::{Store, Ty};

/// A type with variables that each use may instantiate.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The variables.
    pub vars: Rc<[ty::VarId]>,
    /// The type.
    pub ty: Ty,
    /// Uses of built-ins that can break symmetry, at types that the variables may occur in.
    pub(super) sensitive: Rc<[Use]>,
    /// It is that of an annotation whose definition is not complete, so that `sensitive` is not
    /// known yet.
    pub(super) open: bool,
}

/// A use of a built-in that can break symmetry (Def. 23.2).
#[derive(Clone, Debug)]
pub(super) struct Use {
    /// Where the name stands that brings it in: the built-in, or something defined with it.
    pub at: Span,
    /// Where the built-in stands.
    pub origin: Span,
    pub builtin: Builtin,
    pub ty: Ty,
}

/// The datatypes whose values a use of a built-in can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Involved {
    /// Exactly these.
    Types {
        /// By their types.
        datatypes: Vec<TypeId>,
        /// Whether it sees events, which can carry values of every type.
        events: bool,
    },
    /// The types do not tell; it must be taken to be all of them.
    Unknown,
}

/// One use of a built-in that can break symmetry, with what it can see.
#[derive(Clone, Debug)]
pub struct Sensitive {
    /// Which.
    pub builtin: Builtin,
    /// Where it stands (not necessarily where its effect is brought in).
    pub origin: Span,
    /// What it can see.
    pub involved: Involved,
}

/// The inferred types of a script.
#[derive(Debug, Default)]
pub struct Types {
    globals: Vec<Scheme>,
    ctors: Vec<Ty>,
    channels: Vec<Ty>,
    locals: Vec<Option<Scheme>>,
    store: Store,
    datatypes: Rc<[Rc<str>]>,
    sensitive: IndexMap<Span, Vec<Sensitive>>,
}

impl Types {
    /// The type of a top-level definition as people write it in an annotation.
    #[must_use]
    pub fn show(&self, global: GlobalId) -> String {
        self.shown(self.globals.get(global.0 as usize).map(|s| s.ty))
    }

    /// The type of a constructor: `Int=>Bool=>T`.
    #[must_use]
    pub fn show_ctor(&self, ctor: CtorId) -> String {
        self.shown(self.ctors.get(ctor.0 as usize).copied())
    }

    /// The type of a channel: `Int=>Bool=>Event`.
    #[must_use]
    pub fn show_channel(&self, channel: ChannelId) -> String {
        self.shown(self.channels.get(channel.0 as usize).copied())
    }

    /// The type of a variable.
    #[must_use]
    pub fn show_local(&self, local: LocalId) -> String {
        let scheme = self.locals.get(local.0 as usize).and_then(Option::as_ref);
        self.shown(scheme.map(|s| s.ty))
    }

    fn shown(&self, t: Option<Ty>) -> String {
        t.map_or_else(
            || "?".to_owned(),
            |t| show::Printer::new(&self.store, &self.datatypes).scheme(t),
        )
    }

    /// Whether a top-level definition is a process without parameters: what an animator can open.
    #[must_use]
    pub fn is_process(&self, global: GlobalId) -> bool {
        let scheme = self.globals.get(global.0 as usize);
        scheme.is_some_and(|s| self.store.trace(s.ty, None).0 == Ty::PROC)
    }

    /// What a mention at a place brings in that can break symmetry (Def. 23.2).
    #[must_use]
    pub fn sensitive(&self, at: Span) -> &[Sensitive] {
        self.sensitive.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// Infers the types of everything in a script, group by group. `parameters` are globals of which nothing is known,
/// but that they have one type each.
pub(super) fn infer(
    script: &Script,
    groups: &[Group],
    annotations: &[Annotation],
    parameters: &Set<GlobalId>,
    bounds: &Bounds,
    diagnostics: &mut Vec<Diagnostic>,
) -> Types {
    let mut state = infer::Infer::new(script, annotations, diagnostics);
    state.opaque.clone_from(parameters);
    state.store.bounds = bounds.clone();
    groups.iter().for_each(|group| state.group(group));
    state.subtypes();
    state.assertions();
    state.finish()
}
