//! `let`: mutually recursive definitions in a scope of their own.

use std::rc::Rc;

use super::Resolver;
use super::join::Item;
use super::pattern::{Binder, names_in, strip};
use super::scope::Entity;
use super::section::{Callee, HELPERS, Section, duration_type};
use crate::script::annotation::Target;
use crate::script::core::{Expr, ExprKind, LocalDef, LocalId, PatternKind};
use crate::script::visit::{self, Mention};
use crate::source::Span;
use crate::source::hash::{IndexMap, Set};
use crate::syntax::ast::{self, DeclKind};

/// Declarations of a `let`, or of a Timed section in it.
struct List<'a> {
    decls: &'a [ast::Decl],
    items: Vec<Item<'a>>,
    /// Which items are sound.
    kept: Vec<bool>,
    /// The list that holds the section, and the section.
    around: Option<usize>,
    timed: Option<&'a ast::Decl>,
}

impl Resolver {
    pub(super) fn let_expr(&mut self, decls: &[ast::Decl], body: &ast::Expr) -> ExprKind {
        self.scopes.push();
        let mut lists = Vec::new();
        self.lists(decls, None, &mut lists);
        let mut locals: IndexMap<Rc<str>, LocalId> = IndexMap::default();
        for list in &mut lists {
            let items = list.items.iter();
            list.kept = items.map(|i| self.declare_local(i, &mut locals)).collect();
            self.declare_builtins(list.decls);
        }
        let definition = Rc::clone(&self.definition);
        let mut defs = Vec::new();
        let mut sections: Vec<Option<Section>> = Vec::new();
        for list in &lists {
            let around = match list.around {
                Some(outer) => sections[outer],
                None => self.timed,
            };
            let section = match list.timed {
                Some(timed) => Some(self.local_section(timed, around, &mut defs)),
                None => around,
            };
            sections.push(section);
            let outer = self.in_section(section);
            self.annotate(list.decls, &locals);
            for (item, keep) in list.items.iter().zip(&list.kept) {
                if *keep {
                    defs.extend(self.local_def(item, &locals));
                    self.definition = Rc::clone(&definition);
                }
            }
            self.timed = outer;
            self.scopes.timed = outer.map(|s| s.layer);
        }
        let body = Box::new(self.expr(body));
        self.scopes.pop();
        let own = lists
            .iter()
            .zip(&sections)
            .filter(|(l, _)| l.timed.is_some());
        let made: Vec<LocalId> = own
            .filter_map(|(_, s)| s.as_ref())
            .flat_map(Section::made)
            .collect();
        leave_out(&made, &mut defs, &body);
        ExprKind::Let(defs, body)
    }

    /// Uses a section from here on; gives the one used before.
    fn in_section(&mut self, section: Option<Section>) -> Option<Section> {
        self.scopes.timed = section.map(|s| s.layer);
        std::mem::replace(&mut self.timed, section)
    }

    /// The declarations of a `let`, and of the Timed sections in it, each as a list of its own.
    fn lists<'a>(
        &mut self,
        decls: &'a [ast::Decl],
        at: Option<(usize, &'a ast::Decl)>,
        out: &mut Vec<List<'a>>,
    ) {
        let index = out.len();
        out.push(List {
            decls,
            items: self.join(decls),
            kept: Vec::new(),
            around: at.map(|a| a.0),
            timed: at.map(|a| a.1),
        });
        for decl in decls {
            if let DeclKind::Timed { decls, .. } = &decl.kind {
                crate::source::stack::deep(|| self.lists(decls, Some((index, decl)), out));
            }
        }
    }

    /// A Timed section in a `let`, whose processes are defined beside it.
    fn local_section(
        &mut self,
        decl: &ast::Decl,
        around: Option<Section>,
        defs: &mut Vec<LocalDef>,
    ) -> Section {
        let DeclKind::Timed { durations, .. } = &decl.kind else {
            return Section::nowhere(decl.span);
        };
        let span = Section::word(decl.span);
        let outer = self.in_section(around);
        let durations = durations.as_ref().map(|e| {
            let local = self.fresh(&"Timed".into());
            let pattern = crate::script::core::Pattern {
                kind: PatternKind::Bind(local),
                span: e.span,
            };
            defs.push(LocalDef::Value(pattern, self.expr(e)));
            self.annotations
                .push(duration_type(Target::Local(local), e.span));
            Callee::Local(local)
        });
        let tock = self.tock(span);
        self.in_section(outer);
        let helpers = HELPERS.map(|b| Callee::Local(self.fresh(&b.name().into())));
        let section = Section {
            span,
            tock,
            helpers,
            durations,
            layer: self.scopes.depth().saturating_sub(1),
        };
        if tock.is_some() {
            defs.extend(self.local_helpers(&section));
        }
        section
    }

    /// Declares the names of one item; false if it must be left out.
    fn declare_local(&mut self, item: &Item, locals: &mut IndexMap<Rc<str>, LocalId>) -> bool {
        match item {
            Item::Function(clauses) => {
                self.local_name(&clauses.name.text, clauses.name.span, locals)
            }
            Item::Pattern(pattern, ..) => {
                let bare = strip(pattern);
                if let ast::PatternKind::Name(name) = &bare.kind {
                    return self.local_name(name, bare.span, locals);
                }
                let mut all = true;
                for (name, span) in names_in(pattern) {
                    let constant = matches!(
                        self.scopes.lookup(&name),
                        Some(Entity::Ctor(_) | Entity::Channel(_))
                    );
                    if !constant && !name.contains("::") {
                        all &= self.local_name(&name, span, locals);
                    }
                }
                all
            }
            Item::Other(decl) => {
                self.leave_out_of_let(decl);
                false
            }
        }
    }

    fn local_name(
        &mut self,
        name: &Rc<str>,
        span: Span,
        locals: &mut IndexMap<Rc<str>, LocalId>,
    ) -> bool {
        let local = self.fresh(name);
        let new = self.declare(name, Entity::Local(local), span);
        if new {
            locals.insert(Rc::clone(name), local);
        }
        new
    }

    /// What cannot stand in a `let` was reported when it was read; nothing more is said of its names.
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
            if self.scopes.innermost(&name.text).is_none() {
                self.scopes.define(&name.text, Entity::Skipped, name.span);
            }
        }
    }

    fn local_def(&mut self, item: &Item, locals: &IndexMap<Rc<str>, LocalId>) -> Option<LocalDef> {
        match item {
            Item::Function(clauses) => {
                let local = *locals.get(&clauses.name.text)?;
                self.definition = Rc::clone(&clauses.name.text);
                let function = Rc::new(self.function(clauses, Rc::clone(&clauses.name.text)));
                Some(LocalDef::Function(local, function, clauses.name.span))
            }
            Item::Pattern(pattern, body) => {
                let bare = strip(pattern);
                if let ast::PatternKind::Name(name) = &bare.kind {
                    self.definition = Rc::clone(name);
                }
                let pattern = match &bare.kind {
                    // Even a name of a constructor or channel is defined anew here.
                    ast::PatternKind::Name(name) => crate::script::core::Pattern {
                        kind: PatternKind::Bind(*locals.get(name)?),
                        span: bare.span,
                    },
                    _ => self.pattern(pattern, &mut Binder::Declared),
                };
                Some(LocalDef::Value(pattern, self.whole(body)))
            }
            Item::Other(_) => None,
        }
    }
}

/// Leaves out what was made for Timed sections and is not needed.
fn leave_out(made: &[LocalId], defs: &mut Vec<LocalDef>, body: &Expr) {
    if made.is_empty() {
        return;
    }
    loop {
        let mut used: Set<LocalId> = Set::default();
        let mut add = |m: Mention, own: Option<LocalId>| match m {
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
fn defined(def: &LocalDef) -> Option<LocalId> {
    match def {
        LocalDef::Function(local, ..) => Some(*local),
        LocalDef::Value(p, _) => match p.kind {
            PatternKind::Bind(local) => Some(local),
            _ => None,
        },
    }
}
