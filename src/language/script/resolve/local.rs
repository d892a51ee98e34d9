//! `let`: mutually recursive definitions in a scope of their own.

use std::rc::Rc;

use super::bodies::Bodies;
use super::errors::NameErrors;
use super::join::{DeclItem, join};
use super::pattern::{Binder, names_in, strip};
use super::scope::Entity;
use super::section::duration_type;
use super::timing::{Callee, HELPERS, Section};
use crate::script::annotation::Annotated;
use crate::script::core::{Expr, ExprKind, LocalDef, PatternKind, VariableId};
use crate::script::visit::{self, Mention};
use crate::source::Span;
use crate::source::hash::{IndexMap, Set};
use crate::syntax::ast::{self, DeclKind};

/// Declarations of a `let`, or of a Timed section in it.
struct List<'a> {
    decls: &'a [ast::Decl],
    items: Vec<DeclItem<'a>>,
    /// For each item, whether it is sound.
    kept: Vec<bool>,
    /// The list that holds the section, and the section.
    around: Option<usize>,
    timed: Option<&'a ast::Decl>,
}

/// A `let` expression.
pub(super) fn resolve(bodies: &mut Bodies, decls: &[ast::Decl], body: &ast::Expr) -> ExprKind {
    bodies.names.scopes.push();
    let mut all = Vec::new();
    lists(decls, None, &mut bodies.names.errors, &mut all);
    let mut this = Let {
        bodies,
        locals: IndexMap::default(),
        defs: Vec::new(),
    };
    // All names are declared before any right side is looked at: definitions may refer to each other.
    for list in &mut all {
        let items = list.items.iter();
        list.kept = items.map(|item| this.declare(item)).collect();
        this.bodies.names.declare_builtins(list.decls);
    }
    let sections = this.define(&all);
    let Let {
        bodies, mut defs, ..
    } = this;
    let body = Box::new(bodies.expr(body));
    bodies.names.scopes.pop();
    let own = all.iter().zip(&sections).filter(|(l, _)| l.timed.is_some());
    let made: Vec<VariableId> = own
        .filter_map(|(_, s)| s.as_ref())
        .flat_map(Section::made)
        .collect();
    leave_out(&made, &mut defs, &body);
    ExprKind::Let(defs, body)
}

/// The declarations of a `let`, and of the Timed sections in it, each as a list of its own.
fn lists<'a>(
    decls: &'a [ast::Decl],
    at: Option<(usize, &'a ast::Decl)>,
    errors: &mut NameErrors,
    out: &mut Vec<List<'a>>,
) {
    let index = out.len();
    out.push(List {
        decls,
        items: join(decls, errors),
        kept: Vec::new(),
        around: at.map(|a| a.0),
        timed: at.map(|a| a.1),
    });
    for decl in decls {
        if let DeclKind::Timed { decls, .. } = &decl.kind {
            crate::source::stack::deep(|| lists(decls, Some((index, decl)), errors, out));
        }
    }
}

/// A `let` that is being resolved.
struct Let<'r> {
    bodies: &'r mut Bodies,
    /// Its names.
    locals: IndexMap<Rc<str>, VariableId>,
    /// Its definitions so far.
    defs: Vec<LocalDef>,
}

impl Let<'_> {
    /// Resolves the definitions of all lists; the answer is the section that each list stands in.
    fn define(&mut self, lists: &[List<'_>]) -> Vec<Option<Section>> {
        let definition = Rc::clone(self.bodies.definition());
        let mut sections: Vec<Option<Section>> = Vec::new();
        for list in lists {
            let around = match list.around {
                Some(outer) => sections[outer],
                None => self.bodies.timed(),
            };
            let section = match list.timed {
                // Lists come in the order of the text, so the section around one is known before
                // it.
                Some(timed) => Some(self.section(timed, around)),
                None => around,
            };
            sections.push(section);
            let outer = self.bodies.in_section(section);
            let Bodies {
                annotations, names, ..
            } = &mut *self.bodies;
            annotations.annotate(list.decls, &self.locals, names);
            for (item, keep) in list.items.iter().zip(&list.kept) {
                if *keep {
                    let def = self.definition(item);
                    self.defs.extend(def);
                    self.bodies.define(Rc::clone(&definition));
                }
            }
            self.bodies.in_section(outer);
        }
        sections
    }

    /// A Timed section in a `let`, whose processes are defined beside it.
    fn section(&mut self, decl: &ast::Decl, around: Option<Section>) -> Section {
        let DeclKind::Timed { durations, .. } = &decl.kind else {
            return Section::nowhere(decl.span);
        };
        let span = Section::word(decl.span);
        let outer = self.bodies.in_section(around);
        let durations = durations.as_ref().map(|e| {
            let local = self.bodies.locals.fresh(&"Timed".into());
            let pattern = crate::script::core::Pattern {
                kind: PatternKind::Bind(local),
                span: e.span,
            };
            let body = self.bodies.expr(e);
            self.defs.push(LocalDef::Value(pattern, body));
            self.bodies
                .annotations
                .push(duration_type(Annotated::Local(local), e.span));
            Callee::Local(local)
        });
        let tock = self.bodies.names.tock(span);
        self.bodies.in_section(outer);
        let helpers = HELPERS.map(|b| Callee::Local(self.bodies.locals.fresh(&b.name().into())));
        let section = Section {
            span,
            tock,
            helpers,
            durations,
            layer: self.bodies.names.scopes.depth().saturating_sub(1),
        };
        // Without `tock` there is nothing to define: mentions of the helpers are errors that were
        // reported.
        if tock.is_some() {
            let helpers = self.bodies.tocks(section).local_helpers();
            self.defs.extend(helpers);
        }
        section
    }

    /// Declares the names of one item; false if it must be left out.
    fn declare(&mut self, item: &DeclItem) -> bool {
        match item {
            DeclItem::Function(clauses) => self.local_name(&clauses.name.text, clauses.name.span),
            DeclItem::Pattern(pattern, ..) => {
                let bare = strip(pattern);
                // A plain name is a definition, even if it is that of a constructor outside; in a
                // real pattern it would be a constant.
                if let ast::PatternKind::Name(name) = &bare.kind {
                    return self.local_name(name, bare.span);
                }
                let mut all = true;
                for (name, span) in names_in(pattern) {
                    let constant = matches!(
                        self.bodies.names.scopes.lookup(&name),
                        Some(Entity::Ctor(_) | Entity::Channel(_))
                    );
                    if !constant && !name.contains("::") {
                        all &= self.local_name(&name, span);
                    }
                }
                all
            }
            DeclItem::Other(decl) => {
                self.leave_out_of_let(decl);
                false
            }
        }
    }

    fn local_name(&mut self, name: &Rc<str>, span: Span) -> bool {
        let local = self.bodies.locals.fresh(name);
        let new = self.bodies.names.declare(name, Entity::Local(local), span);
        if new {
            self.locals.insert(Rc::clone(name), local);
        }
        new
    }

    /// Declarations that are not allowed in a `let` were reported by the parser; their names cause no further
    /// errors.
    fn leave_out_of_let(&mut self, decl: &ast::Decl) {
        let names: Vec<&ast::Ident> = match &decl.kind {
            DeclKind::Channel { names, .. } => names.iter().collect(),
            DeclKind::Datatype { name, clauses, .. } => {
                let ctors = clauses.iter().map(|(c, _)| c);
                std::iter::once(name).chain(ctors).collect()
            }
            DeclKind::Nametype { name, .. } => vec![name],
            _ => return,
        };
        for name in names {
            if self.bodies.names.scopes.innermost(&name.text).is_none() {
                self.bodies
                    .names
                    .scopes
                    .define(&name.text, Entity::Skipped, name.span);
            }
        }
    }

    fn definition(&mut self, item: &DeclItem) -> Option<LocalDef> {
        match item {
            DeclItem::Function(clauses) => {
                let local = *self.locals.get(&clauses.name.text)?;
                let name = &clauses.name.text;
                self.bodies.define(Rc::clone(name));
                let function = Rc::new(self.bodies.function(clauses, Rc::clone(name)));
                Some(LocalDef::Function(local, function, clauses.name.span))
            }
            DeclItem::Pattern(pattern, body) => {
                let bare = strip(pattern);
                if let ast::PatternKind::Name(name) = &bare.kind {
                    self.bodies.define(Rc::clone(name));
                }
                let pattern = match &bare.kind {
                    // Even a name of a constructor or channel is defined anew here.
                    ast::PatternKind::Name(name) => crate::script::core::Pattern {
                        kind: PatternKind::Bind(*self.locals.get(name)?),
                        span: bare.span,
                    },
                    _ => self.bodies.pattern(pattern, Binder::Declared),
                };
                Some(LocalDef::Value(pattern, self.bodies.whole(body)))
            }
            DeclItem::Other(_) => None,
        }
    }
}

/// Leaves out what was made for Timed sections and is not needed.
fn leave_out(made: &[VariableId], defs: &mut Vec<LocalDef>, body: &Expr) {
    if made.is_empty() {
        return;
    }
    // A helper may be needed by another one only, so this goes on until nothing more is left out.
    loop {
        let mut used: Set<VariableId> = Set::default();
        let mut add = |m: Mention, own: Option<VariableId>| match m {
            // That it mentions itself does not make it needed.
            Mention::Local(l) if Some(l) != own => {
                used.insert(l);
            }
            _ => {}
        };
        visit::expr(body, &mut |m, _| add(m, None));
        for def in defs.iter() {
            let own = defined(def);
            visit::local_def(def, &mut |m, _| add(m, own));
        }
        let before = defs.len();
        defs.retain(|d| defined(d).is_none_or(|l| used.contains(&l) || !made.contains(&l)));
        if defs.len() == before {
            return;
        }
    }
}

/// The one name that a definition defines, if it is one.
fn defined(def: &LocalDef) -> Option<VariableId> {
    match def {
        LocalDef::Function(local, ..) => Some(*local),
        LocalDef::Value(p, _) => match p.kind {
            PatternKind::Bind(local) => Some(local),
            _ => None,
        },
    }
}
