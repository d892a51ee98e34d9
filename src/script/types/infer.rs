//! The state of inference, instantiation and generalisation.

use std::rc::Rc;

use super::ty::{Store, Ty, VarId};
use super::{Scheme, Types, Use, sensitive};
use crate::script::annotation::{Annotation, Target};
use crate::script::core::{ChannelId, CtorId, Expr, ExprKind, GlobalId, LocalId, Script, TypeId};
use crate::source::hash::{IndexSet, Map, Set};
use crate::source::{Bounds, Diagnostic, Span};

/// Everything that inference knows.
pub(super) struct Infer<'a> {
    pub script: &'a Script,
    pub annotations: Map<Target, &'a Annotation>,
    pub diagnostics: &'a mut Vec<Diagnostic>,
    /// The places of the errors so far.
    pub reported: Set<Option<Span>>,
    pub store: Store,
    pub globals: Vec<Scheme>,
    pub ctors: Vec<Ty>,
    pub channels: Vec<Ty>,
    pub locals: Vec<Option<Scheme>>,
    /// Where variables are bound.
    pub binders: Map<LocalId, Span>,
    /// Where channels are patterns, or parts of patterns.
    pub constants: Map<Span, ChannelId>,
    /// The channels that are so in what is being inferred.
    pub matched: Vec<ChannelId>,
    pub uses: Vec<Use>,
    /// Parameters of modules that are checked by themselves: all uses of one share its type.
    pub opaque: Set<GlobalId>,
    /// Uses of what is annotated, before its definition is complete.
    pub early: Vec<Span>,
    /// The name that what is being looked at starts with.
    pub subject: Option<Named>,
    pub datatypes: Rc<[Rc<str>]>,
    pub type_names: Map<Rc<str>, TypeId>,
    /// The type variables of annotations, for as long as their definitions are not looked at.
    pub named: Map<Target, TypeNames>,
    /// Those of the annotations of what is being inferred, outermost first: they can be used in the
    /// annotations inside.
    pub scoped: Vec<TypeNames>,
    /// What is being inferred ("the definition of `f`"), with its annotation.
    pub within: Vec<(String, Option<Span>)>,
}

/// Type variables by their names.
pub(super) type TypeNames = Map<Rc<str>, Ty>;

/// A name with a declaration.
#[derive(Clone, Copy)]
pub(super) enum Named {
    Global(GlobalId),
    Ctor(CtorId),
    Channel(ChannelId),
}

/// The name that an expression starts with, if its type comes from there.
pub(super) fn subject(e: &Expr) -> Option<Named> {
    match &e.kind {
        ExprKind::Global(g) => Some(Named::Global(*g)),
        ExprKind::Ctor(c) => Some(Named::Ctor(*c)),
        ExprKind::Channel(c) => Some(Named::Channel(*c)),
        ExprKind::Apply(f, _) if !matches!(f.kind, ExprKind::Apply(..)) => subject(f),
        ExprKind::Dot(parts) => match &parts.first()?.kind {
            ExprKind::Dot(_) => None,
            _ => subject(&parts[0]),
        },
        _ => None,
    }
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

impl<'a> Infer<'a> {
    pub fn new(
        script: &'a Script,
        annotations: &'a [Annotation],
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let mut store = Store::default();
        store.fields = script.types.iter().map(|_| None).collect();
        let globals = script.globals.iter().map(|_| mono(store.fresh())).collect();
        let ctors = script.ctors.iter().map(|_| store.fresh()).collect();
        let channels = script.channels.iter().map(|_| store.fresh()).collect();
        let names = || script.types.iter().map(|t| Rc::clone(&t.name));
        Self {
            script,
            annotations: annotations.iter().map(|a| (a.target, a)).collect(),
            diagnostics,
            reported: Set::default(),
            store,
            globals,
            ctors,
            channels,
            locals: script.locals.iter().map(|_| None).collect(),
            binders: Map::default(),
            constants: Map::default(),
            matched: Vec::new(),
            uses: Vec::new(),
            opaque: Set::default(),
            early: Vec::new(),
            subject: None,
            datatypes: names().collect(),
            type_names: names().zip((0..).map(TypeId)).collect(),
            named: Map::default(),
            scoped: Vec::new(),
            within: Vec::new(),
        }
    }

    /// A fresh copy of a scheme, for one use at `span`.
    pub fn instantiate(&mut self, scheme: &Scheme, span: Span) -> Ty {
        if scheme.vars.is_empty() {
            return scheme.ty;
        }
        if scheme.open {
            self.early.push(span);
        }
        let mut with: Map<VarId, Ty> = Map::default();
        for v in scheme.vars.iter() {
            let have = self.store.constraints(*v);
            with.insert(*v, self.store.fresh_with(have));
        }
        for used in scheme.sensitive.iter() {
            let ty = self.store.substitute(used.ty, &with);
            self.uses.push(Use {
                at: span,
                origin: used.origin,
                builtin: used.builtin,
                ty,
            });
        }
        self.store.substitute(scheme.ty, &with)
    }

    /// The variables of a type that belong to the group just inferred.
    fn own(&self, t: Ty, out: &mut IndexSet<VarId>) {
        let level = self.store.level;
        let free = self.store.free(t).into_iter();
        out.extend(free.filter(|v| self.store.level_of(*v) > level));
    }

    /// Generalises types inferred one level deeper than the current one. `since` is where the uses
    /// of their group begin.
    pub fn generalise(&mut self, tys: &[Ty], since: usize) -> Vec<Scheme> {
        let mut vars: IndexSet<VarId> = IndexSet::default();
        for t in tys {
            self.own(*t, &mut vars);
        }
        let mut sensitive = Vec::new();
        for used in &self.uses[since..] {
            let mut own = IndexSet::default();
            self.own(used.ty, &mut own);
            if !own.is_empty() {
                vars.extend(own);
                sensitive.push(used.clone());
            }
        }
        // What the early uses see is not followed: it may be everything.
        for at in std::mem::take(&mut self.early) {
            self.uses.extend(sensitive.iter().map(|used| Use {
                at,
                ty: Ty::ANY,
                ..used.clone()
            }));
        }
        let sensitive: Rc<[Use]> = sensitive.into();
        let all: Rc<[VarId]> = vars.into_iter().collect();
        tys.iter()
            .map(|t| {
                let vars = if sensitive.is_empty() {
                    let mut own = IndexSet::default();
                    self.own(*t, &mut own);
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

    /// The scheme of an annotation, before the definition is complete.
    pub fn promised(&self, t: Ty) -> Scheme {
        Scheme {
            vars: self.own_variables(t),
            ty: t,
            sensitive: Rc::new([]),
            open: true,
        }
    }

    /// The variables of an annotation that are not those of an annotation around it.
    fn own_variables(&self, t: Ty) -> Rc<[VarId]> {
        let level = self.store.level;
        let free = self.store.free(t).into_iter();
        free.filter(|v| self.store.level_of(*v) >= level).collect()
    }

    pub fn bind_local(&mut self, local: LocalId, ty: Ty) {
        self.locals[local.0 as usize] = Some(mono(ty));
    }

    /// The annotation of a definition, if it has one.
    pub fn annotation(&self, target: Target) -> Option<&'a Annotation> {
        self.annotations.get(&target).copied()
    }

    /// Does something as a part of what is named; the answer is whether it is without errors.
    pub fn inside(&mut self, name: String, f: impl FnOnce(&mut Self)) -> bool {
        self.inside_annotated(name, None, f)
    }

    /// The same for what has an annotation.
    pub fn inside_annotated(
        &mut self,
        name: String,
        annotation: Option<(Target, Span)>,
        f: impl FnOnce(&mut Self),
    ) -> bool {
        let names = annotation.and_then(|(target, _)| self.named.remove(&target));
        self.scoped.push(names.unwrap_or_default());
        let annotation = annotation.map(|(_, span)| span);
        self.within.push((name, annotation));
        let (before, matched) = (self.diagnostics.len(), self.matched.len());
        f(self);
        let sound = self.diagnostics.len() == before;
        self.matched.truncate(matched);
        self.within.pop();
        self.scoped.pop();
        sound
    }

    /// Ends inference.
    pub fn finish(mut self) -> Types {
        let uses = std::mem::take(&mut self.uses);
        let sensitive = sensitive::involved(uses, self.script, &self.store, &self.ctors);
        // Who looks at types later has bounds of their own.
        if !self.store.bounds.is_over() {
            self.store.bounds = Bounds::default();
        }
        Types {
            globals: self.globals,
            ctors: self.ctors,
            channels: self.channels,
            locals: self.locals,
            store: self.store,
            datatypes: self.datatypes,
            sensitive,
        }
    }
}
