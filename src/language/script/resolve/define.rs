//! Resolving right sides, once all names are declared.

use std::rc::Rc;

use super::assertion::Assertions;
use super::bodies::Bodies;
use super::later::{Later, RightSide};
use super::names::broken;
use super::pattern::Binder;
use super::place::{DeclPlace, address};
use super::scope::Entity;
use super::timing::{Callee, HELPERS, Section};
use crate::script::core::{CtorId, GlobalId, GlobalKind, Script, TypeId};
use crate::source::hash::IndexMap;
use crate::source::stack::deep;
use crate::source::{Diagnostic, Severity, Span};
use crate::syntax::ast::{self, DeclKind};

/// Puts a right side behind every name.
pub(super) struct Definer {
    pub script: Script,
    pub bodies: Bodies,
    /// The Timed sections of the top level and of modules.
    pub sections: Vec<Section>,
}

impl Definer {
    /// Everything, of which `root` is the list of the top level: first annotations, then what types and
    /// channels are made of, then definitions, and at last what is asked about them.
    pub fn define(&mut self, root: usize, later: &Later<'_>, unwritten: &[usize]) {
        debug_assert_eq!(
            later.pending.len(),
            self.script.globals.len(),
            "each global has one right side"
        );
        for body in &later.bodies {
            self.enter(&body.place);
            let Bodies {
                annotations, names, ..
            } = &mut self.bodies;
            annotations.annotate(body.decls, &IndexMap::default(), names);
        }
        self.resolve_types(later);
        self.resolve_globals(later);
        self.write_sections(unwritten);
        self.checks(root, later);
    }

    fn enter(&mut self, place: &DeclPlace) {
        self.bodies.enter(place, &self.sections);
    }

    /// Defines the processes of all sections of the top level and of modules.
    fn write_sections(&mut self, unwritten: &[usize]) {
        for index in unwritten {
            let section = self.sections[*index];
            for (which, callee) in HELPERS.into_iter().zip(section.helpers) {
                if let Callee::Global(id) = callee {
                    let function = self.bodies.tocks(section).helper(which);
                    self.script.globals[id.0 as usize].kind = GlobalKind::Function(function);
                }
            }
        }
    }

    /// Assertions and prints, in the order of the text.
    fn checks(&mut self, id: usize, later: &Later<'_>) {
        let body = &later.bodies[id];
        for decl in body.decls {
            self.enter(&body.place);
            match &decl.kind {
                DeclKind::Assert(a) => {
                    let assertion = Assertions {
                        bodies: &mut self.bodies,
                        script: &self.script,
                    }
                    .resolve(a);
                    self.script.assertions.push(assertion);
                }
                DeclKind::Print(e) => {
                    // What is printed is no part of the script: it can only be warned of.
                    let before = self.bodies.names.errors.count();
                    let e = self.bodies.expr(e);
                    self.bodies.names.errors.soften(before);
                    self.script.prints.push(e);
                }
                DeclKind::Timed { .. } => deep(|| {
                    for inner in body.inner.get(&address(decl)).into_iter().flatten() {
                        self.checks(*inner, later);
                    }
                }),
                _ => {}
            }
        }
    }

    fn resolve_types(&mut self, later: &Later<'_>) {
        for (id, clauses, place) in &later.datatypes {
            self.enter(place);
            let list = clauses
                .iter()
                .map(|(c, fields)| (*c, fields.map(|e| self.bodies.expr(e))))
                .collect();
            self.script.types[id.0 as usize].clauses = list;
        }
        // After datatypes: a subtype is told by the constructors that it takes from one.
        for (id, clauses, place) in &later.subtypes {
            self.enter(place);
            self.resolve_subtype(*id, clauses);
        }
        for (ids, fields, place) in &later.channels {
            self.enter(place);
            let fields = Rc::new(self.bodies.expr(fields));
            for id in ids {
                self.script.channels[id.0 as usize].fields = Some(Rc::clone(&fields));
            }
        }
    }

    /// Constructors of a subtype are those of one datatype.
    fn resolve_subtype(&mut self, id: TypeId, clauses: &[(ast::Ident, Option<ast::Expr>)]) {
        let mut owner: Option<(TypeId, Span)> = None;
        let mut list: Vec<(CtorId, Option<_>)> = Vec::new();
        for (name, fields) in clauses {
            let fields = fields.as_ref().map(|e| self.bodies.expr(e));
            let ctor = match self.bodies.names.scopes.lookup(&name.text) {
                Some(Entity::Ctor(c)) => c,
                Some(Entity::Skipped) => continue,
                found => {
                    self.no_constructor(name, found);
                    continue;
                }
            };
            // The first sound constructor says of which datatype this is a subtype.
            let this = self.script.ctors[ctor.0 as usize].owner;
            match owner {
                Some((o, first)) if o != this => {
                    self.bodies.report(
                        Diagnostic::error(
                            "E0209",
                            name.span,
                            "a subtype takes its constructors from one datatype",
                        )
                        .also(first, "this one is of another datatype"),
                    );
                    continue;
                }
                _ => owner = Some((this, name.span)),
            }
            if let Some((_, _)) = list.iter().find(|(c, _)| *c == ctor) {
                let message = format!("`{}` is listed twice", name.text);
                self.bodies
                    .report(Diagnostic::error("E0202", name.span, message));
                continue;
            }
            list.push((ctor, fields));
        }
        let subtype = &mut self.script.types[id.0 as usize];
        subtype.clauses = list;
        // Without any sound constructor it stands for itself, and is empty.
        subtype.subtype_of = Some(owner.map_or(id, |(o, _)| o));
    }

    /// FDR4 lets names of other definitions pass here, so for them a warning must do.
    fn no_constructor(&mut self, name: &ast::Ident, found: Option<Entity>) {
        let message = format!("`{}` is not a constructor of a datatype", name.text);
        let mut diagnostic = Diagnostic::error("E0209", name.span, message)
            .note("a subtype lists constructors that a datatype declares");
        if found.is_some() {
            diagnostic.severity = Severity::Warning;
            diagnostic.label = "left out".to_owned();
        } else if let Some(near) = self.bodies.names.scopes.suggestion(&name.text) {
            diagnostic = diagnostic.did_you_mean(&near);
        }
        self.bodies.report(diagnostic);
    }

    fn resolve_globals(&mut self, later: &Later<'_>) {
        // Each pattern binding once, though it defines several names.
        let bindings: Vec<_> = later
            .patterns
            .iter()
            .map(|top| {
                self.enter(&top.place);
                let mut list = Vec::new();
                let pattern = self.bodies.pattern(top.pattern, Binder::Listed(&mut list));
                let first = list.first().map_or("".into(), |(n, _)| Rc::clone(n));
                self.bodies.define(first);
                (Rc::new((pattern, self.bodies.expr(top.body))), list)
            })
            .collect();
        for (index, (pending, place)) in later.pending.iter().enumerate() {
            self.enter(place);
            let name = Rc::clone(&self.script.globals[index].name);
            self.bodies.define(Rc::clone(&name));
            let kind = match pending {
                RightSide::Value(e) => GlobalKind::Value(self.bodies.whole(e)),
                RightSide::Nametype(e) => GlobalKind::Nametype(self.bodies.expr(e)),
                RightSide::Function(clauses) => {
                    GlobalKind::Function(self.bodies.function(clauses, name))
                }
                RightSide::Part(at) => {
                    let id = GlobalId(index as u32);
                    // By name, as the variable of a pattern is no name of the top level.
                    let name = later.patterns[*at].parts.iter().find(|(_, g)| *g == id);
                    let (binding, list) = &bindings[*at];
                    let local = name.and_then(|(n, _)| list.iter().find(|(m, _)| m == n));
                    match local {
                        Some((_, local)) => GlobalKind::Part {
                            binding: Rc::clone(binding),
                            local: *local,
                        },
                        None => continue,
                    }
                }
                RightSide::Parameter => {
                    let span = self.script.globals[index].span;
                    GlobalKind::Value(broken(span, "a parameter of a module"))
                }
                // The processes of Timed sections are written at the end.
                RightSide::Made => continue,
            };
            self.script.globals[index].kind = kind;
        }
    }
}
