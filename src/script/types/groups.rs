//! Groups of definitions that refer to each other: top level, `let`, assertions.

use std::rc::Rc;

use super::infer::{Infer, mono};
use super::scc;
use super::ty::{Ty, dotable, seq, set};
use crate::script::core::{
    AssertionKind, CtorId, Expr, GlobalId, GlobalKind, LocalDef, LocalId, Pattern,
};
use crate::script::resolve::Target;
use crate::script::visit::{self, Mention};
use crate::source::Span;
use crate::source::hash::{IndexSet, Map};

/// Nodes of the graph of top-level definitions: globals, then constructors, then channels.
struct Nodes {
    globals: usize,
    ctors: usize,
}

impl Nodes {
    fn of(&self, mention: Mention) -> Option<usize> {
        match mention {
            Mention::Global(g) => Some(g.0 as usize),
            Mention::Ctor(c) | Mention::CtorPattern(c) => Some(self.globals + c.0 as usize),
            Mention::Channel(c) | Mention::ChannelPattern(c) => {
                Some(self.globals + self.ctors + c.0 as usize)
            }
            _ => None,
        }
    }
}

impl<'a> Infer<'a> {
    /// Infers all top-level definitions, callees first.
    pub fn globals(&mut self) {
        let script = self.script;
        let nodes = Nodes {
            globals: script.globals.len(),
            ctors: script.ctors.len(),
        };
        let edges = self.edges(&nodes);
        for component in scc::components(&edges) {
            self.group(&component, &nodes);
        }
    }

    fn edges(&self, nodes: &Nodes) -> Vec<Vec<usize>> {
        let script = self.script;
        let mut edges = Vec::new();
        let mut first_part: Vec<(*const (Pattern, Expr), usize)> = Vec::new();
        for (i, global) in script.globals.iter().enumerate() {
            let mut out: IndexSet<usize> = IndexSet::default();
            let mut add = |m: Mention, _: Span| out.extend(nodes.of(m));
            match &global.kind {
                GlobalKind::Value(e) | GlobalKind::Nametype(e) => visit::expr(e, &mut add),
                GlobalKind::Function(f) => visit::clauses(f, &mut add),
                GlobalKind::Part { binding, .. } => {
                    visit::pattern(&binding.0, &mut add);
                    visit::expr(&binding.1, &mut add);
                    // All variables of one binding are inferred together.
                    let at = Rc::as_ptr(binding);
                    match first_part.iter().find(|(p, _)| *p == at) {
                        Some((_, first)) => {
                            out.insert(*first);
                            let back: &mut Vec<usize> = &mut edges[*first];
                            back.push(i);
                        }
                        None => first_part.push((at, i)),
                    }
                }
            }
            edges.push(out.into_iter().collect());
        }
        for ctor in 0..script.ctors.len() {
            edges.push(mentions(self.ctor_fields(ctor), nodes));
        }
        for channel in &script.channels {
            edges.push(mentions(channel.fields.as_deref(), nodes));
        }
        edges
    }

    fn ctor_fields(&self, ctor: usize) -> Option<&'a Expr> {
        let script = self.script;
        let owner = script.ctors[ctor].owner;
        let clauses = &script.types[owner.0 as usize].clauses;
        let clause = clauses.iter().find(|(c, _)| *c == CtorId(ctor as u32));
        clause.and_then(|(_, fields)| fields.as_ref())
    }

    fn group(&mut self, component: &[usize], nodes: &Nodes) {
        let script = self.script;
        if let [one] = component
            && self.opaque.contains(&GlobalId(*one as u32))
        {
            return;
        }
        let since = self.uses.len();
        self.store.level += 1;
        for &node in component {
            if node < nodes.globals {
                self.globals[node] = mono(self.store.fresh());
                self.annotate(Target::Global(GlobalId(node as u32)), node);
            }
        }
        for &node in component {
            if node < nodes.globals {
                self.global(node);
            } else if node < nodes.globals + nodes.ctors {
                let ctor = node - nodes.globals;
                let end = Ty::Data(script.ctors[ctor].owner);
                let t = self.with_fields(self.ctor_fields(ctor), end);
                let _ = self.store.unify(&self.ctors[ctor].clone(), &t);
                self.ctors[ctor] = t;
            } else {
                let channel = node - nodes.globals - nodes.ctors;
                let fields = script.channels[channel].fields.as_deref();
                let t = self.with_fields(fields, Ty::Event);
                let _ = self.store.unify(&self.channels[channel].clone(), &t);
                self.channels[channel] = t;
            }
        }
        self.store.level -= 1;
        let members: Vec<usize> = component
            .iter()
            .copied()
            .filter(|n| *n < nodes.globals)
            .collect();
        let tys: Vec<Ty> = members
            .iter()
            .map(|n| self.globals[*n].ty.clone())
            .collect();
        for (node, scheme) in members.iter().zip(self.generalise(&tys, since)) {
            self.globals[*node] = scheme;
            self.check_annotation(Target::Global(GlobalId(*node as u32)), *node);
        }
    }

    fn annotate(&mut self, target: Target, node: usize) {
        if let Some(annotation) = self.annotation(target) {
            let t = self.written(&annotation.scheme, &mut Map::default());
            let _ = self.store.unify(&self.globals[node].ty.clone(), &t);
        }
    }

    fn global(&mut self, node: usize) {
        let script = self.script;
        let expected = self.globals[node].ty.clone();
        match &script.globals[node].kind {
            GlobalKind::Value(e) => {
                let why = self.annotation(Target::Global(GlobalId(node as u32)));
                let why = why.map(|a| (a.span, "declared here"));
                self.check(e, &expected, why);
            }
            GlobalKind::Nametype(e) => {
                let element = self.declared_set(e);
                self.expect(e.span, &set(element), &expected, None);
            }
            GlobalKind::Function(f) => {
                let t = self.function(f, Some(&expected));
                self.expect(script.globals[node].span, &t, &expected, None);
            }
            GlobalKind::Part { binding, local } => {
                if self.locals[local.0 as usize].is_none() {
                    let t = self.pattern(&binding.0);
                    let why = Some((binding.0.span, "bound to this"));
                    self.check(&binding.1, &t, why);
                }
                let t = self.locals[local.0 as usize].clone();
                if let Some(t) = t {
                    self.expect(script.globals[node].span, &t.ty, &expected, None);
                }
            }
        }
    }

    /// `A.B => end` for the field sets `A.B`.
    fn with_fields(&mut self, fields: Option<&Expr>, end: Ty) -> Ty {
        let Some(e) = fields else { return end };
        let element = self.declared_set(e);
        match self.store.flatten(&[element]) {
            Ok(fields) => dotable(fields, end),
            Err(_) => Ty::Any,
        }
    }

    /// The fields of a subtype's clauses are among those of the datatype.
    pub fn subtypes(&mut self) {
        let script = self.script;
        for datatype in script.types.iter().filter(|t| t.subtype_of.is_some()) {
            for (ctor, fields) in &datatype.clauses {
                let Some(e) = fields else { continue };
                let element = self.declared_set(e);
                let given = self.store.flatten(&[element]).unwrap_or_default();
                let whole = Ty::Data(script.ctors[ctor.0 as usize].owner);
                let of = (script.ctors[ctor.0 as usize].span, "declared here");
                let mut parts = vec![self.ctors[ctor.0 as usize].clone()];
                parts.extend(given);
                match self.store.reduce(&parts) {
                    // The last fields may be left out.
                    Ok(Ty::Dotable(_, t)) if *t == whole => {}
                    Ok(t) => {
                        self.expect(e.span, &t, &whole, Some(of));
                    }
                    Err(mismatch) => {
                        let t = Ty::Dots(parts[1..].to_vec().into());
                        let wanted = self.ctors[ctor.0 as usize].clone();
                        self.mismatch(e.span, &t, &wanted, &mismatch, Some(of));
                    }
                }
            }
        }
    }

    pub fn assertions(&mut self) {
        let script = self.script;
        for assertion in &script.assertions {
            match &assertion.kind {
                AssertionKind::Refinement { spec, imp, .. } => {
                    self.check(spec, &Ty::Proc, None);
                    self.check(imp, &Ty::Proc, None);
                }
                AssertionKind::Property { process, .. } => self.check(process, &Ty::Proc, None),
                AssertionKind::HasTrace { process, trace, .. } => {
                    self.check(process, &Ty::Proc, None);
                    self.check(trace, &seq(Ty::Event), None);
                }
                // Any expression can be asserted to be symmetric.
                AssertionKind::Symmetric { process, .. } => {
                    self.infer(process);
                }
            }
            if let Some(events) = &assertion.tau_priority {
                self.events(events);
            }
        }
        for e in &script.prints {
            self.infer(e);
        }
    }

    /// Local definitions, in groups, generalised.
    pub fn local_defs(&mut self, defs: &[LocalDef]) {
        let mut owner: Map<LocalId, usize> = Map::default();
        for (i, def) in defs.iter().enumerate() {
            for local in defined(def) {
                owner.insert(local, i);
            }
        }
        let edges: Vec<Vec<usize>> = defs
            .iter()
            .map(|def| {
                let mut out: IndexSet<usize> = IndexSet::default();
                visit::local_def(def, &mut |m, _| {
                    if let Mention::Local(l) = m {
                        out.extend(owner.get(&l).copied());
                    }
                });
                out.into_iter().collect()
            })
            .collect();
        for component in scc::components(&edges) {
            self.local_group(&component, defs);
        }
    }

    fn local_group(&mut self, component: &[usize], defs: &[LocalDef]) {
        let since = self.uses.len();
        self.store.level += 1;
        let locals: Vec<LocalId> = component.iter().flat_map(|i| defined(&defs[*i])).collect();
        for local in &locals {
            let t = self.store.fresh();
            self.bind_local(*local, t.clone());
            if let Some(annotation) = self.annotation(Target::Local(*local)) {
                let written = self.written(&annotation.scheme, &mut Map::default());
                let _ = self.store.unify(&t, &written);
            }
        }
        for i in component {
            match &defs[*i] {
                LocalDef::Function(local, f, span) => {
                    let expected = self.locals[local.0 as usize].clone();
                    let expected = expected.map_or(Ty::Any, |s| s.ty);
                    let t = self.function(f, Some(&expected));
                    self.expect(*span, &t, &expected, None);
                }
                LocalDef::Value(p, e) => {
                    let t = self.pattern(p);
                    self.check(e, &t, Some((p.span, "bound to this")));
                }
            }
        }
        self.store.level -= 1;
        let tys: Vec<Ty> = locals
            .iter()
            .map(|l| {
                self.locals[l.0 as usize]
                    .as_ref()
                    .map_or(Ty::Any, |s| s.ty.clone())
            })
            .collect();
        for (local, scheme) in locals.iter().zip(self.generalise(&tys, since)) {
            self.locals[local.0 as usize] = Some(scheme);
        }
    }
}

fn mentions(e: Option<&Expr>, nodes: &Nodes) -> Vec<usize> {
    let mut out: IndexSet<usize> = IndexSet::default();
    if let Some(e) = e {
        visit::expr(e, &mut |m, _| out.extend(nodes.of(m)));
    }
    out.into_iter().collect()
}

/// The variables that a local definition defines.
fn defined(def: &LocalDef) -> Vec<LocalId> {
    match def {
        LocalDef::Function(local, ..) => vec![*local],
        LocalDef::Value(p, _) => {
            let mut out = Vec::new();
            visit::pattern(p, &mut |m, _| {
                if let Mention::Binder(l) = m {
                    out.push(l);
                }
            });
            out
        }
    }
}
