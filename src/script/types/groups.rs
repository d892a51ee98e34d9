//! Groups of definitions that refer to each other: top level and `let`.

use super::Scheme;
use super::infer::{Infer, mono};
use super::ty::{Kind, Ty};
use crate::script::annotation::Target;
use crate::script::core::{AssertionKind, Expr, GlobalId, GlobalKind, LocalDef, LocalId, Pattern};
use crate::script::dependence::{Declared, Group, defined, local_groups};

impl Infer<'_> {
    pub fn group(&mut self, group: &Group) {
        let script = self.script;
        let Group { globals, others } = group;
        if let ([one], []) = (&globals[..], &others[..])
            && self.opaque.contains(one)
        {
            return;
        }
        let since = self.uses.len();
        self.store.level += 1;
        for g in globals {
            self.globals[g.0 as usize] = self.start(Target::Global(*g));
        }
        for other in others {
            match other {
                Declared::Ctor(c) => self.constructor(*c),
                Declared::Channel(c) => self.channel(c.0 as usize),
                Declared::Type(_) => {}
            }
        }
        for other in others {
            if let Declared::Type(t) = other {
                self.datatype_known(*t);
            }
        }
        let mut tys = Vec::new();
        for g in globals {
            let global = &script.globals[g.0 as usize];
            let name = format!("the definition of `{}`", global.name);
            let expected = self.globals[g.0 as usize].ty;
            let annotation = self.annotation(Target::Global(*g));
            let annotation = annotation.map(|a| (a.target, a.span));
            let sound = self.inside_annotated(name, annotation, |state| state.global(*g, expected));
            tys.push((*g, expected, sound));
        }
        self.store.level -= 1;
        for other in others {
            self.declared(other);
        }
        let types: Vec<Ty> = tys
            .iter()
            .map(|(g, t, sound)| {
                let annotated = self.annotation(Target::Global(*g)).is_some();
                if *sound || annotated {
                    return *t;
                }
                self.salvaged(*t)
            })
            .collect();
        for ((g, ..), scheme) in tys.iter().zip(self.generalise(&types, since)) {
            self.globals[g.0 as usize] = scheme;
        }
    }

    /// The types of channels and constructors have no variables.
    fn declared(&mut self, node: &Declared) {
        let script = self.script;
        match node {
            Declared::Ctor(c) => {
                let declared = &script.ctors[c.0 as usize];
                let what = format!("the constructor `{}`", declared.name);
                if !self.determined(self.ctors[c.0 as usize], declared.span, &what) {
                    self.ctors[c.0 as usize] = Ty::ANY;
                }
            }
            Declared::Channel(c) => {
                let declared = &script.channels[c.0 as usize];
                let what = format!("the channel `{}`", declared.name);
                if !self.determined(self.channels[c.0 as usize], declared.span, &what) {
                    self.channels[c.0 as usize] = Ty::ANY;
                }
            }
            Declared::Type(_) => {}
        }
    }

    /// What is believed of the type of a definition with errors in it, so that its uses cause none:
    /// that it is a process, or a function to processes.
    fn salvaged(&mut self, t: Ty) -> Ty {
        match self.store.look(t) {
            Kind::Proc => Ty::PROC,
            Kind::Fun(params, result) => match self.salvaged(result) {
                Ty::ANY => Ty::ANY,
                result => {
                    let params: Vec<Ty> = params.iter().map(|_| Ty::ANY).collect();
                    self.store.fun(params, result)
                }
            },
            _ => Ty::ANY,
        }
    }

    /// What a definition starts with: its annotation, or a variable.
    fn start(&mut self, target: Target) -> Scheme {
        match self.annotation(target) {
            Some(annotation) => {
                let t = self.written(target, &annotation.scheme);
                self.promised(t)
            }
            None => mono(self.store.fresh()),
        }
    }

    fn global(&mut self, g: GlobalId, expected: Ty) {
        let script = self.script;
        let global = &script.globals[g.0 as usize];
        let annotation = self.annotation(Target::Global(g)).map(|a| a.span);
        let why = annotation.map(|span| (span, "declared here"));
        match &global.kind {
            GlobalKind::Value(e) => {
                let t = self.store.fresh();
                if annotation.is_some() {
                    self.check(e, expected, why);
                    return;
                }
                self.check(e, t, None);
                let t = self.evaluate(e.span, t);
                self.agree(e.span, t, expected, None);
            }
            GlobalKind::Nametype(e) => {
                let element = self.declared_set(e);
                self.require(e.span, element, super::demand::constraint::COMPLETE);
                let whole = self.store.set(element);
                self.agree(e.span, whole, expected, why);
            }
            GlobalKind::Function(f) => {
                let known = (expected, annotation.unwrap_or(global.span));
                let t = self.function(f, Some(known));
                self.agree(global.span, t, expected, why);
            }
            GlobalKind::Part { binding, local } => {
                if self.locals[local.0 as usize].is_none() {
                    self.binding(&binding.0, &binding.1);
                }
                let t = self.locals[local.0 as usize].as_ref().map(|s| s.ty);
                if let Some(t) = t {
                    self.agree(global.span, t, expected, why);
                }
            }
        }
    }

    /// `pat = e`.
    fn binding(&mut self, p: &Pattern, e: &Expr) {
        let t = self.pattern(p);
        let t = self.evaluate(p.span, t);
        let found = self.store.fresh();
        self.check(e, found, None);
        let found = self.evaluate(e.span, found);
        self.store.here = Some(e.span);
        // The pattern may not split what is whole.
        self.expect_whole(e.span, found, t, Some((p.span, "bound to this")));
    }

    pub fn assertions(&mut self) {
        let script = self.script;
        for assertion in &script.assertions {
            let name = "this assertion".to_owned();
            self.inside(name, |state| match &assertion.kind {
                AssertionKind::Refinement { spec, imp, .. } => {
                    state.check(spec, Ty::PROC, None);
                    state.check(imp, Ty::PROC, None);
                }
                AssertionKind::Property { process, .. } => state.check(process, Ty::PROC, None),
                AssertionKind::HasTrace { process, trace, .. } => {
                    state.check(process, Ty::PROC, None);
                    let events = state.store.seq(Ty::EVENT);
                    state.check(trace, events, None);
                }
                // Any expression can be asserted to be symmetric.
                AssertionKind::Symmetric { process, .. } => {
                    state.infer(process);
                }
            });
            if let Some(events) = &assertion.tau_priority {
                self.events(events);
            }
        }
        for e in &script.prints {
            let t = self.infer(e);
            self.evaluate(e.span, t);
        }
    }

    /// Local definitions, in groups; functions and what is annotated are generalised.
    pub fn local_defs(&mut self, defs: &[LocalDef]) {
        for component in local_groups(defs) {
            self.local_group(&component, defs);
        }
    }

    fn local_group(&mut self, component: &[usize], defs: &[LocalDef]) {
        let since = self.uses.len();
        self.store.level += 1;
        let members = || component.iter().map(|i| &defs[*i]);
        for local in members().flat_map(defined) {
            let scheme = self.start(Target::Local(local));
            self.locals[local.0 as usize] = Some(scheme);
        }
        let mut all: Vec<(LocalId, Ty)> = Vec::new();
        for def in members() {
            let names: Vec<LocalId> = defined(def);
            let shown = names.first().map(|l| &self.script.locals[l.0 as usize]);
            let name = shown.map_or_else(String::new, |n| format!("the definition of `{n}`"));
            let annotated = |l: &LocalId| self.annotation(Target::Local(*l));
            let annotation = names.iter().find_map(annotated);
            let annotation = annotation.map(|a| (a.target, a.span));
            let sound = self.inside_annotated(name, annotation, |state| state.local(def));
            for local in names {
                let scheme = self.locals[local.0 as usize].as_ref();
                let t = scheme.map_or(Ty::ANY, |s| s.ty);
                let annotated = self.annotation(Target::Local(local)).is_some();
                let general = annotated || matches!(def, LocalDef::Function(..));
                let t = if sound || annotated {
                    t
                } else {
                    self.salvaged(t)
                };
                if !general {
                    // As in FDR4, a value of a `let` has one type.
                    let level = self.store.level - 1;
                    for v in self.store.free(t) {
                        self.store.lower(v, level);
                    }
                }
                all.push((local, t));
            }
        }
        self.store.level -= 1;
        let tys: Vec<Ty> = all.iter().map(|(_, t)| *t).collect();
        for ((local, _), scheme) in all.iter().zip(self.generalise(&tys, since)) {
            self.locals[local.0 as usize] = Some(scheme);
        }
    }

    fn local(&mut self, def: &LocalDef) {
        match def {
            LocalDef::Function(local, f, span) => {
                self.binders.insert(*local, *span);
                let expected = self.locals[local.0 as usize].as_ref();
                let expected = expected.map_or(Ty::ANY, |s| s.ty);
                let annotation = self.annotation(Target::Local(*local)).map(|a| a.span);
                let t = self.function(f, Some((expected, annotation.unwrap_or(*span))));
                let why = annotation.map(|span| (span, "declared here"));
                self.agree(*span, t, expected, why);
            }
            LocalDef::Value(p, e) => self.binding(p, e),
        }
    }
}
