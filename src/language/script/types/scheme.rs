//! Types of definitions: generalised when they are complete, and instantiated for each use. With them
//! go the uses of built-ins that can break symmetry, which a definition hands on to those that use it.

use std::rc::Rc;

use super::store::TypeStore;
use super::ty::{Ty, TyKind, TypeVarId};
use crate::script::core::Builtin;
use crate::source::Span;
use crate::source::hash::{IndexSet, Map};

/// A type with variables that each use may instantiate.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    /// The generalised variables, fresh for each use.
    pub vars: Rc<[TypeVarId]>,
    /// The type that they occur in.
    pub ty: Ty,
    /// Uses of built-ins that can break symmetry, at types that the variables may occur in.
    pub sensitive: Rc<[Use]>,
    /// It is that of an annotation whose definition is not complete, so that `sensitive` is not
    /// known yet.
    pub open: bool,
}

/// A use of a built-in that can break symmetry (Def. 23.2).
#[derive(Clone, Debug)]
pub(super) struct Use {
    /// The place of the name that introduces it: the built-in, or a definition that uses it.
    pub at: Span,
    /// The place of the built-in.
    pub origin: Span,
    pub builtin: Builtin,
    pub ty: Ty,
}

/// A type without variables of its own.
pub(super) fn mono(ty: Ty) -> Scheme {
    Scheme {
        vars: Rc::new([]),
        ty,
        sensitive: Rc::new([]),
        open: false,
    }
}

/// The scheme of an annotation, before the definition is complete. Its variables are those that are not
/// of an annotation around it.
pub(super) fn promised(t: Ty, store: &TypeStore) -> Scheme {
    let free = store.free(t).into_iter();
    Scheme {
        vars: free.filter(|v| store.vars().is_own(*v)).collect(),
        ty: t,
        sensitive: Rc::new([]),
        open: true,
    }
}

/// The assumed type of a definition with errors, so that its uses cause none: a process, or a function to processes.
pub(super) fn salvaged(t: Ty, store: &mut TypeStore) -> Ty {
    match store.look(t) {
        TyKind::Proc => Ty::PROC,
        TyKind::Fun(params, result) => match salvaged(result, store) {
            Ty::ANY => Ty::ANY,
            result => {
                let params: Vec<Ty> = params.iter().map(|_| Ty::ANY).collect();
                store.fun(params, result)
            }
        },
        _ => Ty::ANY,
    }
}

/// Adds the variables of a type that belong to the group just inferred.
fn inside(t: Ty, store: &TypeStore, out: &mut IndexSet<TypeVarId>) {
    let free = store.free(t).into_iter();
    out.extend(free.filter(|v| store.vars().is_inside(*v)));
}

/// All uses of built-ins that can break symmetry, at the places that bring them in.
#[derive(Debug, Default)]
pub(super) struct Uses {
    list: Vec<Use>,
    /// Uses of what is annotated, before its definition is complete.
    early: Vec<Span>,
}

impl Uses {
    /// Their number, to distinguish those of a group from earlier ones.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// A built-in is used here.
    pub fn of_builtin(&mut self, builtin: Builtin, ty: Ty, span: Span) {
        self.list.push(Use {
            at: span,
            origin: span,
            builtin,
            ty,
        });
    }

    pub fn into_list(self) -> Vec<Use> {
        self.list
    }

    /// A fresh copy of a scheme, for one use at `span`.
    pub fn instantiate(&mut self, scheme: &Scheme, span: Span, store: &mut TypeStore) -> Ty {
        // Without variables of its own there is nothing to copy. Uses in it have types that no
        // instance changes, and are listed where they stand.
        if scheme.vars.is_empty() {
            return scheme.ty;
        }
        // Its uses of built-ins are not known yet: this place gets them when they are.
        if scheme.open {
            self.early.push(span);
        }
        let mut with: Map<TypeVarId, Ty> = Map::default();
        for v in scheme.vars.iter() {
            let have = store.vars().constraints(*v);
            // A copy has the constraints of the original: `member` wants values that can be
            // compared at every use.
            with.insert(*v, store.fresh_with(have));
        }
        // Def. 23.2 is about what the built-in sees here: the copy of the type at which the
        // definition uses it.
        for used in scheme.sensitive.iter() {
            let ty = store.substitute(used.ty, &with);
            self.list.push(Use {
                at: span,
                origin: used.origin,
                builtin: used.builtin,
                ty,
            });
        }
        store.substitute(scheme.ty, &with)
    }

    /// Generalises types inferred one level deeper than the current one. `since` is where the uses
    /// of their group begin.
    pub fn generalise(&mut self, tys: &[Ty], since: usize, store: &TypeStore) -> Vec<Scheme> {
        let mut vars: IndexSet<TypeVarId> = IndexSet::default();
        for t in tys {
            inside(*t, store, &mut vars);
        }
        // Of the uses in the group, those at types with variables depend on who uses the
        // definition.
        let mut sensitive = Vec::new();
        for used in &self.list[since..] {
            let mut own = IndexSet::default();
            inside(used.ty, store, &mut own);
            if !own.is_empty() {
                vars.extend(own);
                sensitive.push(used.clone());
            }
        }
        // What the early uses see is not followed: it may be everything.
        for at in std::mem::take(&mut self.early) {
            self.list.extend(sensitive.iter().map(|used| Use {
                at,
                ty: Ty::ANY,
                ..used.clone()
            }));
        }
        let sensitive: Rc<[Use]> = sensitive.into();
        // With such uses, each definition of the group is generalised over the variables of all, as
        // the types of the uses may mention any of them.
        let all: Rc<[TypeVarId]> = vars.into_iter().collect();
        tys.iter()
            .map(|t| {
                let vars = if sensitive.is_empty() {
                    let mut own = IndexSet::default();
                    inside(*t, store, &mut own);
                    own.into_iter().collect()
                } else {
                    Rc::clone(&all)
                };
                Scheme {
                    vars,
                    ty: *t,
                    sensitive: Rc::clone(&sensitive),
                    open: false,
                }
            })
            .collect()
    }
}
