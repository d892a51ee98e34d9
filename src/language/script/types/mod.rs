//! Type inference: Hindley-Milner with the dotted types of CSPm.
//!
//! Definitions are inferred in groups that refer to each other, callees first. A definition with
//! errors in it is no cause of errors elsewhere.
//!
//! Each part owns what it changes. Types are made and bound in `store`; `unifier` makes them equal;
//! `constraints` does so for a place in the text, and what fails goes, put into `words`, to `reports`. With
//! them, `terms` infers expressions in an `environment`, and `declarations` the top level.

mod annotation;
mod builtins;
mod constraint;
mod constraints;
mod datatypes;
mod declarations;
mod declare;
mod demand;
mod environment;
mod example;
mod expr;
mod function;
mod granted;
mod groups;
mod local;
mod pattern;
mod process;
mod products;
mod reports;
mod scheme;
mod sensitive;
mod show;
mod store;
mod terms;
mod ty;
mod unifier;
mod unify;
mod words;

use std::rc::Rc;

use super::annotation::Annotation;
use super::core::{ChannelId, CtorId, GlobalId, Script, TypeId, VariableId};
use super::dependence::DeclGroup;
use crate::source::hash::{IndexMap, Set};
use crate::source::{Bounds, Diagnostic, Span, WorkStage};
use annotation::Annotations;
use constraints::Constraints;
use datatypes::Datatypes;
use declarations::DeclInference;
use environment::Environment;
use reports::Reports;
use scheme::{Scheme, Uses};
use store::TypeStore;
use terms::TermInference;
use ty::{Ty, TyKind};
use unifier::Unifier;

pub(crate) use sensitive::{SeenTypes, Sensitive};

/// The inferred types of a script.
#[derive(Debug, Default)]
pub struct Types {
    globals: Vec<Scheme>,
    ctors: Vec<Ty>,
    channels: Vec<Ty>,
    locals: Vec<Option<Scheme>>,
    store: TypeStore,
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
    pub fn show_local(&self, local: VariableId) -> String {
        let scheme = self.locals.get(local.0 as usize).and_then(Option::as_ref);
        self.shown(scheme.map(|s| s.ty))
    }

    fn shown(&self, t: Option<Ty>) -> String {
        t.map_or_else(
            || "?".to_owned(),
            |t| show::TypePrinter::new(&self.store, &self.datatypes).scheme(t),
        )
    }

    /// Whether a top-level definition is a process without parameters: what an animator can open.
    #[must_use]
    pub fn is_process(&self, global: GlobalId) -> bool {
        let scheme = self.globals.get(global.0 as usize);
        scheme.is_some_and(|s| self.store.trace(s.ty, None).0 == Ty::PROC)
    }

    /// The datatypes whose values can contain one of a datatype, that one included. Values of unknown type and
    /// functions can contain anything.
    pub(crate) fn containing(&self, script: &Script, datatype: TypeId) -> Set<TypeId> {
        let mut found: Set<TypeId> = Set::default();
        found.insert(datatype);
        loop {
            let before = found.len();
            for (ctor, t) in self.ctors.iter().enumerate() {
                if self.may_hold(*t, &found, false) {
                    found.insert(script.ctors[ctor].owner);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether a variable may hold a value of one of these datatypes, or an event or a process with one.
    pub(crate) fn local_may_hold(&self, local: VariableId, datatypes: &Set<TypeId>) -> bool {
        let scheme = self.locals.get(local.0 as usize).and_then(Option::as_ref);
        scheme.is_none_or(|s| self.may_hold(s.ty, datatypes, true))
    }

    /// `with_events`: whether events and processes count, which can carry values of every type.
    fn may_hold(&self, t: Ty, datatypes: &Set<TypeId>, with_events: bool) -> bool {
        // Walks end early once a bound is reached.
        let mut holds = self.store.is_over();
        self.store.walk(t, |kind| match kind {
            TyKind::Data(d) => holds |= datatypes.contains(d),
            TyKind::Event | TyKind::Proc => holds |= with_events,
            TyKind::Any | TyKind::Var(_) | TyKind::Fun(..) => holds = true,
            _ => {}
        });
        holds
    }

    /// The uses of built-ins that a mention at a place introduces and that can break symmetry (Def. 23.2).
    #[must_use]
    pub fn sensitive(&self, at: Span) -> &[Sensitive] {
        self.sensitive.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// What inference is given besides the script.
pub(super) struct Given<'a> {
    /// The declarations, in the order of dependence.
    pub groups: &'a [DeclGroup],
    /// Type annotations.
    pub annotations: &'a [Annotation],
    /// Globals of which nothing is known, but that they have one type each.
    pub parameters: &'a Set<GlobalId>,
    /// A datatype whose values nothing may compare, nor what contains them; events may still be in sets. Then
    /// comparisons are errors.
    pub uncompared: Option<TypeId>,
}

/// Infers the types of everything in a script, group by group.
pub(super) fn infer(
    script: &Script,
    given: &Given<'_>,
    bounds: &Bounds,
    diagnostics: &mut Vec<Diagnostic>,
) -> Types {
    let mut store = TypeStore::new(bounds.clone());
    let mut unknown = |n: usize| -> Vec<Ty> { (0..n).map(|_| store.fresh()).collect() };
    // Of two variables that are made equal, the older one stays: so their order matters.
    let globals = unknown(script.globals.len());
    let ctors = unknown(script.ctors.len());
    let channels = unknown(script.channels.len());
    let names = Environment::new(script, globals, channels, given.parameters);
    let unifier = Unifier::new(store, Datatypes::new(script, ctors, given.uncompared));
    let reports = Reports::new(diagnostics, bounds.clone());
    let mut declarations = DeclInference {
        terms: TermInference {
            script,
            types: Constraints::new(script, unifier, reports),
            names,
            annotations: Annotations::new(script, given.annotations),
            uses: Uses::default(),
        },
    };
    for (n, group) in given.groups.iter().enumerate() {
        bounds.reach(WorkStage::Typing, n);
        declarations.group(group);
    }
    declarations.subtypes();
    declarations.assertions();
    finished(declarations.terms)
}

/// The result of inference.
fn finished(terms: TermInference<'_>) -> Types {
    let Unifier {
        mut store,
        datatypes,
        ..
    } = terms.types.unifier;
    let ctors = datatypes.into_ctors();
    // Only now is every type known, so only now can it be said what each use sees.
    let uses = terms.uses.into_list();
    let sensitive = sensitive::involved(uses, terms.script, &store, &ctors);
    store.set_free();
    let (globals, channels, locals) = terms.names.into_parts();
    Types {
        globals,
        ctors,
        channels,
        locals,
        store,
        datatypes: terms
            .script
            .types
            .iter()
            .map(|t| Rc::clone(&t.name))
            .collect(),
        sensitive,
    }
}
