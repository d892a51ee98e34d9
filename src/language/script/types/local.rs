//! Types of local definitions.

use super::scheme::salvaged;
use super::terms::TermInference;
use super::ty::Ty;
use crate::script::annotation::Annotated;
use crate::script::core::{Expr, LocalDef, Pattern, VariableId};
use crate::script::dependence::{defined, local_groups};

impl TermInference<'_> {
    /// Local definitions, in groups; functions and what is annotated are generalised.
    pub fn local_defs(&mut self, defs: &[LocalDef]) {
        for component in local_groups(defs) {
            self.local_group(&component, defs);
        }
    }

    fn local_group(&mut self, component: &[usize], defs: &[LocalDef]) {
        // Names first, then right sides: definitions of a group refer to each other.
        let since = self.uses.count();
        self.store().vars_mut().go_in();
        let members = || component.iter().map(|i| &defs[*i]);
        for local in members().flat_map(defined) {
            let scheme = self
                .annotations
                .start(Annotated::Local(local), &mut self.types);
            self.names.set_local(local, scheme);
        }
        let mut all: Vec<(VariableId, Ty)> = Vec::new();
        for def in members() {
            let names: Vec<VariableId> = defined(def);
            let shown = names.first().map(|l| &self.script.locals[l.0 as usize]);
            let name = shown.map_or_else(String::new, |n| format!("the definition of `{n}`"));
            let annotated = |l: &VariableId| self.annotations.of(Annotated::Local(*l));
            let annotation = names.iter().find_map(annotated);
            let begun = self.begin(name, annotation);
            self.local(def);
            let sound = self.end(&begun);
            for local in names {
                let scheme = self.names.local(local);
                // A definition with errors gets a type that causes none elsewhere; of an annotation
                // that is not in doubt.
                let t = scheme.map_or(Ty::ANY, |s| s.ty);
                let annotated = self.annotations.of(Annotated::Local(local)).is_some();
                let general = annotated || matches!(def, LocalDef::Function(..));
                let t = if sound || annotated {
                    t
                } else {
                    salvaged(t, self.store())
                };
                if !general {
                    // As in FDR4, a value of a `let` has one type.
                    let store = self.store();
                    for v in store.free(t) {
                        store.vars_mut().hand_out(v);
                    }
                }
                all.push((local, t));
            }
        }
        self.store().vars_mut().go_out();
        // All at once, as uses of built-ins may be shared within the group.
        let tys: Vec<Ty> = all.iter().map(|(_, t)| *t).collect();
        let schemes = self.uses.generalise(&tys, since, self.types.store());
        for ((local, _), scheme) in all.iter().zip(schemes) {
            self.names.set_local(*local, scheme);
        }
    }

    fn local(&mut self, def: &LocalDef) {
        match def {
            LocalDef::Function(local, f, span) => {
                self.names.bound_at(*local, *span);
                let expected = self.names.local(*local);
                let expected = expected.map_or(Ty::ANY, |s| s.ty);
                let annotation = self
                    .annotations
                    .of(Annotated::Local(*local))
                    .map(|a| a.span);
                let t = self.function(f, Some((expected, annotation.unwrap_or(*span))));
                let why = annotation.map(|span| (span, "declared here"));
                self.types.agree(*span, t, expected, why);
            }
            LocalDef::Value(p, e) => self.binding(p, e),
        }
    }

    /// `pat = e`.
    pub fn binding(&mut self, p: &Pattern, e: &Expr) {
        let t = self.pattern(p);
        let t = self.types.evaluate(p.span, t);
        let found = self.store().fresh();
        self.check(e, found, None);
        let found = self.types.evaluate(e.span, found);
        // The pattern may not split what is whole.
        self.types
            .expect_whole(e.span, found, t, Some((p.span, "bound to this")));
    }
}
