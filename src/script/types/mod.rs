//! Type inference: Hindley-Milner with the dotted types of CSPm.
//!
//! Definitions are inferred in groups that refer to each other, callees first. What the dot rules
//! cannot decide is accepted ([`ty`] says how).

mod annotation;
mod builtins;
mod expr;
mod groups;
mod infer;
mod pattern;
mod process;
mod scc;
mod show;
pub mod ty;

use std::rc::Rc;

use super::core::{Builtin, GlobalId, Script, TypeId};
use super::resolve::Annotation;
use crate::source::hash::{IndexMap, Set};
use crate::source::{Diagnostic, Span};
use ty::{Store, Ty};

/// A type with variables that each use may instantiate.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The variables.
    pub vars: Vec<ty::VarId>,
    /// The type.
    pub ty: Ty,
    /// Uses of built-ins that can break symmetry, at types that the variables may occur in.
    pub(super) sensitive: Rc<[Use]>,
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
    store: Store,
    datatypes: Vec<Rc<str>>,
    sensitive: IndexMap<Span, Vec<Sensitive>>,
}

impl Types {
    /// The type of a top-level definition as people write it.
    #[must_use]
    pub fn show(&self, global: GlobalId) -> String {
        self.globals.get(global.0 as usize).map_or_else(
            || "?".to_owned(),
            |s| show::Printer::new(&self.store, &self.datatypes).scheme(&s.ty),
        )
    }

    /// The type of a top-level definition, with bound variables followed one step.
    #[must_use]
    pub fn of(&self, global: GlobalId) -> Option<Ty> {
        let scheme = self.globals.get(global.0 as usize)?;
        Some(
            self.store
                .substitute(&scheme.ty, &crate::source::hash::Map::default()),
        )
    }

    /// Whether a top-level definition is a process without parameters: what an animator can open.
    #[must_use]
    pub fn is_process(&self, global: GlobalId) -> bool {
        self.of(global) == Some(Ty::Proc)
    }

    /// What a mention at a place brings in that can break symmetry (Def. 23.2).
    #[must_use]
    pub fn sensitive(&self, at: Span) -> &[Sensitive] {
        self.sensitive.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// Infers the types of everything in a script. `parameters` are globals of which nothing is known,
/// but that they have one type each.
pub(super) fn infer(
    script: &Script,
    annotations: &[Annotation],
    parameters: &Set<GlobalId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Types {
    let mut state = infer::Infer::new(script, annotations, diagnostics);
    state.opaque.clone_from(parameters);
    state.globals();
    state.subtypes();
    state.assertions();
    state.finish()
}
