//! What stands behind the names: every right side, once all names are declared.

use std::rc::Rc;

use super::body::{Pending, Place, Work, address};
use super::module;
use super::pattern::Binder;
use super::scope::{Entity, FrameId};
use super::{Resolver, broken};
use crate::script::core::{CtorId, GlobalId, GlobalKind, Script, TypeId};
use crate::source::hash::IndexMap;
use crate::source::stack::deep;
use crate::source::{Diagnostic, Severity, Span};
use crate::syntax::ast::{self, DeclKind};

/// Where the modules with parameters begin that are there to be checked only: how many of each kind
/// stand before them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::script) struct Rehearsed {
    globals: usize,
    types: usize,
    ctors: usize,
    channels: usize,
}

impl Rehearsed {
    /// What follows is rehearsed.
    fn from_here(script: &Script) -> Self {
        Self {
            globals: script.globals.len(),
            types: script.types.len(),
            ctors: script.ctors.len(),
            channels: script.channels.len(),
        }
    }

    /// Takes these modules out of the script, in which they must leave no trace; whether there was
    /// anything.
    pub fn leave_out(self, script: &mut Script) -> bool {
        let more = script.globals.len() > self.globals
            || script.types.len() > self.types
            || script.channels.len() > self.channels;
        script.globals.truncate(self.globals);
        script.types.truncate(self.types);
        script.ctors.truncate(self.ctors);
        script.channels.truncate(self.channels);
        more
    }
}

impl Resolver {
    /// Declares every name, then resolves what stands behind them. The answer is where
    /// that begins which is there to be checked only.
    pub(super) fn top_level<'a>(
        &mut self,
        decls: &'a [ast::Decl],
        work: &mut Work<'a>,
    ) -> Rehearsed {
        module::number(decls, &mut work.order);
        let place = Rc::new(Place {
            frames: vec![FrameId(0)],
            home: FrameId(0),
            exporting: true,
            prefix: "".into(),
            section: None,
            inside: Vec::new(),
            params: Rc::new([]),
            expanded: false,
        });
        let root = self.open_body(decls, &place, work);
        self.declare_body(root, work);
        self.declare_sections(work);
        let rehearsed = Rehearsed::from_here(&self.script);
        while let Some(id) = work.unchecked.pop() {
            let bodies = self.open_template(id, work);
            for body in bodies {
                self.declare_body(body, work);
            }
        }
        self.declare_sections(work);
        for i in 0..work.bodies.len() {
            let body = &work.bodies[i];
            let decls = body.decls;
            self.enter(&Rc::clone(&body.place));
            self.annotate(decls, &IndexMap::default());
        }
        self.resolve_types(work);
        self.resolve_globals(work);
        self.write_sections();
        self.checks(root, work);
        rehearsed
    }

    /// Assertions and prints, in the order of the text.
    fn checks(&mut self, id: usize, work: &Work) {
        let body = &work.bodies[id];
        for decl in body.decls {
            self.enter(&body.place);
            match &decl.kind {
                DeclKind::Assert(a) => self.assertion(a),
                DeclKind::Print(e) => {
                    // What is printed is no part of the script: it can only be warned of.
                    let before = self.diagnostics.len();
                    let e = self.expr(e);
                    for d in &mut self.diagnostics[before..] {
                        d.severity = Severity::Warning;
                    }
                    self.script.prints.push(e);
                }
                DeclKind::Timed { .. } => deep(|| {
                    for inner in body.inner.get(&address(decl)).into_iter().flatten() {
                        self.checks(*inner, work);
                    }
                }),
                _ => {}
            }
        }
    }

    fn resolve_types(&mut self, work: &Work) {
        for (id, clauses, place) in &work.datatypes {
            self.enter(place);
            let list = clauses
                .iter()
                .map(|(c, fields)| (*c, fields.map(|e| self.expr(e))))
                .collect();
            self.script.types[id.0 as usize].clauses = list;
        }
        for (id, clauses, place) in &work.subtypes {
            self.enter(place);
            self.resolve_subtype(*id, clauses);
        }
        for (ids, fields, place) in &work.channels {
            self.enter(place);
            let fields = Rc::new(self.expr(fields));
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
            let fields = fields.as_ref().map(|e| self.expr(e));
            let ctor = match self.scopes.lookup(&name.text) {
                Some(Entity::Ctor(c)) => c,
                Some(Entity::Skipped) => continue,
                found => {
                    self.no_constructor(name, found);
                    continue;
                }
            };
            let this = self.script.ctors[ctor.0 as usize].owner;
            match owner {
                Some((o, first)) if o != this => {
                    self.report(
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
                self.report(Diagnostic::error("E0202", name.span, message));
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
        } else if let Some(near) = self.scopes.suggestion(&name.text) {
            diagnostic = diagnostic.note(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic);
    }

    fn resolve_globals(&mut self, work: &mut Work) {
        let bindings: Vec<_> = work
            .patterns
            .iter()
            .map(|top| {
                self.enter(&top.place);
                let mut list = Vec::new();
                let pattern = self.pattern(top.pattern, &mut Binder::Listed(&mut list));
                self.definition = list.first().map_or("".into(), |(n, _)| Rc::clone(n));
                (Rc::new((pattern, self.expr(top.body))), list)
            })
            .collect();
        for (index, (pending, place)) in std::mem::take(&mut work.pending).iter().enumerate() {
            self.enter(place);
            let name = Rc::clone(&self.script.globals[index].name);
            self.definition = Rc::clone(&name);
            let kind = match pending {
                Pending::Value(e) => GlobalKind::Value(self.whole(e)),
                Pending::Nametype(e) => GlobalKind::Nametype(self.expr(e)),
                Pending::Function(clauses) => GlobalKind::Function(self.function(clauses, name)),
                Pending::Part(at) => {
                    let id = GlobalId(index as u32);
                    let name = work.patterns[*at].parts.iter().find(|(_, g)| *g == id);
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
                Pending::Parameter => {
                    let span = self.script.globals[index].span;
                    GlobalKind::Value(broken(span, "a parameter of a module"))
                }
                Pending::Made => continue,
            };
            self.script.globals[index].kind = kind;
        }
    }
}
