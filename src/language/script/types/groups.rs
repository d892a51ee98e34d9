//! Types of the top level: groups of declarations, then what is asserted of them.

use super::constraint;
use super::declarations::DeclInference;
use super::scheme::salvaged;
use super::terms::TermInference;
use super::ty::Ty;
use crate::script::annotation::Annotated;
use crate::script::core::{AssertionKind, GlobalId, GlobalKind};
use crate::script::dependence::{DeclGroup, TypeDecl};

impl DeclInference<'_> {
    /// Infers the types of declarations that refer to each other, and generalises them.
    pub fn group(&mut self, group: &DeclGroup) {
        let DeclGroup { globals, others } = group;
        // Nothing is known of a parameter, so its type stays the variable that all of its uses share: it
        // is not generalised.
        if let ([one], []) = (&globals[..], &others[..])
            && self.terms.names.is_parameter(*one)
        {
            return;
        }
        let since = self.terms.uses.count();
        // One level deeper: variables made from here on can be generalised when the group is complete.
        self.terms.store().vars_mut().go_in();
        // Every name has a type before any right side is looked at.
        for g in globals {
            let TermInference {
                annotations, types, ..
            } = &mut self.terms;
            let scheme = annotations.start(Annotated::Global(*g), types);
            self.terms.names.set_global(*g, scheme);
        }
        // Declarations before definitions: what fields a channel or a constructor has decides how
        // products with it are read.
        self.declarations(others);
        let sound: Vec<bool> = globals.iter().map(|g| self.definition(*g)).collect();
        // Variables that only this group knows are now deeper than the current level, which is how they
        // are told from those that come from outside.
        self.terms.store().vars_mut().go_out();
        for other in others {
            self.declared(other);
        }
        let TermInference {
            uses,
            types,
            names,
            annotations,
            ..
        } = &mut self.terms;
        // Only now, since each definition of the group may have told something about the others.
        let believed = globals.iter().zip(sound).map(|(g, sound)| {
            let t = names.global(*g).ty;
            match sound || annotations.of(Annotated::Global(*g)).is_some() {
                true => t,
                false => salvaged(t, types.store()),
            }
        });
        let believed: Vec<Ty> = believed.collect();
        let schemes = uses.generalise(&believed, since, types.store());
        for (g, scheme) in globals.iter().zip(schemes) {
            self.terms.names.set_global(*g, scheme);
        }
    }

    /// Channels and constructors, and then the datatypes that these complete.
    fn declarations(&mut self, others: &[TypeDecl]) {
        for other in others {
            match other {
                TypeDecl::Ctor(c) => self.constructor(*c),
                TypeDecl::Channel(c) => self.channel(*c),
                TypeDecl::Type(_) => {}
            }
        }
        // Whether values of a datatype can be compared is known only with all of its fields.
        for other in others {
            if let TypeDecl::Type(t) = other {
                self.datatype_known(*t);
            }
        }
    }

    /// A definition; whether it is without errors.
    fn definition(&mut self, g: GlobalId) -> bool {
        let name = &self.terms.script.globals[g.0 as usize].name;
        let name = format!("the definition of `{name}`");
        let t = self.terms.names.global(g).ty;
        let annotation = self.terms.annotations.of(Annotated::Global(g));
        let begun = self.terms.begin(name, annotation);
        self.global(g, t);
        self.terms.end(&begun)
    }

    /// The types of channels and constructors have no variables.
    fn declared(&mut self, node: &TypeDecl) {
        let script = self.terms.script;
        match node {
            TypeDecl::Ctor(c) => {
                let declared = &script.ctors[c.0 as usize];
                let what = format!("the constructor `{}`", declared.name);
                let t = self.datatypes().ctor(*c);
                if !self.determined(t, declared.span, &what) {
                    self.datatypes().set_ctor(*c, Ty::ANY);
                }
            }
            TypeDecl::Channel(c) => {
                let declared = &script.channels[c.0 as usize];
                let what = format!("the channel `{}`", declared.name);
                let t = self.terms.names.channel(*c);
                if !self.determined(t, declared.span, &what) {
                    self.terms.names.set_channel(*c, Ty::ANY);
                }
            }
            TypeDecl::Type(_) => {}
        }
    }

    fn global(&mut self, g: GlobalId, expected: Ty) {
        let script = self.terms.script;
        let global = &script.globals[g.0 as usize];
        let annotation = self
            .terms
            .annotations
            .of(Annotated::Global(g))
            .map(|a| a.span);
        let why = annotation.map(|span| (span, "declared here"));
        match &global.kind {
            // A value without an annotation is put together by itself before it meets its uses in
            // the group: its type must not depend on them.
            GlobalKind::Value(e) => {
                let t = self.terms.store().fresh();
                if annotation.is_some() {
                    self.terms.check(e, expected, why);
                    return;
                }
                self.terms.check(e, t, None);
                let t = self.terms.types.evaluate(e.span, t);
                self.terms.types.agree(e.span, t, expected, None);
            }
            GlobalKind::Nametype(e) => {
                let element = self.declared_set(e);
                self.terms
                    .types
                    .require(e.span, element, constraint::COMPLETE);
                let whole = self.terms.store().set(element);
                self.terms.types.agree(e.span, whole, expected, why);
            }
            GlobalKind::Function(f) => {
                let known = (expected, annotation.unwrap_or(global.span));
                let t = self.terms.function(f, Some(known));
                self.terms.types.agree(global.span, t, expected, why);
            }
            GlobalKind::Part { binding, local } => {
                // The first of the variables infers the binding for all of them.
                if self.terms.names.local(*local).is_none() {
                    self.terms.binding(&binding.0, &binding.1);
                }
                let t = self.terms.names.local(*local).map(|s| s.ty);
                if let Some(t) = t {
                    self.terms.types.agree(global.span, t, expected, why);
                }
            }
        }
    }

    pub fn assertions(&mut self) {
        let script = self.terms.script;
        for assertion in &script.assertions {
            let name = "this assertion".to_owned();
            let begun = self.terms.begin(name, None);
            match &assertion.kind {
                AssertionKind::Refinement { spec, imp, .. } => {
                    self.terms.check(spec, Ty::PROC, None);
                    self.terms.check(imp, Ty::PROC, None);
                }
                AssertionKind::Property { process, .. } => {
                    self.terms.check(process, Ty::PROC, None);
                }
                AssertionKind::HasTrace { process, trace, .. } => {
                    self.terms.check(process, Ty::PROC, None);
                    let events = self.terms.store().seq(Ty::EVENT);
                    self.terms.check(trace, events, None);
                }
                // Any expression can be asserted to be symmetric.
                AssertionKind::Symmetric { process, .. } => {
                    self.terms.infer(process);
                }
            }
            self.terms.end(&begun);
            if let Some(events) = &assertion.tau_priority {
                self.terms.events(events);
            }
        }
        for e in &script.prints {
            let t = self.terms.infer(e);
            self.terms.types.evaluate(e.span, t);
        }
    }
}
