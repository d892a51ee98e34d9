//! `let`: mutually recursive definitions in a scope of their own.

use std::rc::Rc;

use super::Resolver;
use super::decl::Item;
use super::pattern::{Binder, names_in, strip};
use super::scope::Entity;
use crate::script::core::{ExprKind, LocalDef, LocalId, PatternKind};
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, DeclKind};

impl Resolver {
    pub(super) fn let_expr(&mut self, decls: &[ast::Decl], body: &ast::Expr) -> ExprKind {
        self.scopes.push();
        let items = self.join(decls);
        let mut locals: IndexMap<Rc<str>, LocalId> = IndexMap::default();
        let kept: Vec<bool> = items
            .iter()
            .map(|i| self.declare_local(i, &mut locals))
            .collect();
        self.declare_builtins(decls);
        self.annotate(decls, &locals);
        let mut defs = Vec::new();
        for (item, keep) in items.iter().zip(kept) {
            if keep {
                defs.extend(self.local_def(item, &locals));
            }
        }
        let body = Box::new(self.expr(body));
        self.scopes.pop();
        ExprKind::Let(defs, body)
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
                self.not_in_let(decl);
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

    fn not_in_let(&mut self, decl: &ast::Decl) {
        let (code, message) = match &decl.kind {
            DeclKind::Timed { .. } => ("E0603", "Timed sections are not supported yet"),
            DeclKind::External(_) | DeclKind::Transparent(_) => return,
            _ => ("E0214", "this declaration cannot stand in a `let`"),
        };
        self.report(
            Diagnostic::error(code, decl.span, message)
                .note("a `let` holds definitions, annotations, `external` and `transparent`"),
        );
    }

    fn local_def(&mut self, item: &Item, locals: &IndexMap<Rc<str>, LocalId>) -> Option<LocalDef> {
        match item {
            Item::Function(clauses) => {
                let local = *locals.get(&clauses.name.text)?;
                let function = Rc::new(self.function(clauses));
                Some(LocalDef::Function(local, function, clauses.name.span))
            }
            Item::Pattern(pattern, body) => {
                let bare = strip(pattern);
                let pattern = match &bare.kind {
                    // Even a name of a constructor or channel is defined anew here.
                    ast::PatternKind::Name(name) => crate::script::core::Pattern {
                        kind: PatternKind::Bind(*locals.get(name)?),
                        span: bare.span,
                    },
                    _ => self.pattern(pattern, &mut Binder::Declared),
                };
                Some(LocalDef::Value(pattern, self.expr(body)))
            }
            Item::Other(_) => None,
        }
    }
}
