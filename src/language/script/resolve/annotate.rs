//! Type annotations: which definition each is about, and which types its names are.

use std::rc::Rc;

use super::errors::NameErrors;
use super::names::NameTable;
use super::pattern::names_in;
use super::scope::Entity;
use crate::script::annotation::{Annotated, Annotation};
use crate::script::core::VariableId;
use crate::source::hash::{IndexMap, Set};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, DeclKind};

/// The annotations that are tied to what they are about.
pub(super) struct TiedAnnotations {
    list: Vec<Annotation>,
    /// The full names of all types.
    type_names: Vec<Rc<str>>,
}

impl TiedAnnotations {
    /// The annotations before names of types are resolved.
    pub fn new(list: Vec<Annotation>, type_names: Vec<Rc<str>>) -> Self {
        Self { list, type_names }
    }

    pub fn push(&mut self, annotation: Annotation) {
        self.list.push(annotation);
    }

    /// Their number, to distinguish later ones.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Forgets what came after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    pub fn into_list(self) -> Vec<Annotation> {
        self.list
    }

    /// Ties annotations to the definitions of the same list. `locals` are those of a `let`.
    pub fn annotate(
        &mut self,
        decls: &[ast::Decl],
        locals: &IndexMap<Rc<str>, VariableId>,
        names: &mut NameTable,
    ) {
        let mut seen: IndexMap<Rc<str>, Span> = IndexMap::default();
        let defined = defined_by(decls);
        annotated_twice(decls, &mut names.errors);
        for decl in decls {
            let DeclKind::Annotation {
                names: annotated,
                scheme,
            } = &decl.kind
            else {
                continue;
            };
            for name in annotated {
                if let Some(earlier) = seen.insert(Rc::clone(&name.text), name.span) {
                    let message = format!("`{}` has two type annotations", name.text);
                    names.errors.report(
                        Diagnostic::error("E0211", name.span, message)
                            .also(earlier, "the first one"),
                    );
                    continue;
                }
                let target = match locals.get(&name.text) {
                    Some(l) => Some(Annotated::Local(*l)),
                    None => about(name, &defined, names),
                };
                if let Some(target) = target {
                    // The names in an annotation are replaced by full ones, once for each name that
                    // it is about.
                    let mut scheme = scheme.clone();
                    self.full_names(&mut scheme.body, names);
                    self.push(Annotation {
                        target,
                        scheme,
                        span: name.span,
                    });
                }
            }
        }
    }

    /// Names of types are found where the annotation stands, and known by their full names after.
    fn full_names(&self, t: &mut ast::TypeExpr, names: &mut NameTable) {
        use ast::TypeKind as T;
        deep(|| match &mut t.kind {
            T::Name(name) => match names.scopes.lookup(name) {
                Some(Entity::Type(id)) => {
                    *name = Rc::clone(&self.type_names[id.0 as usize]);
                }
                None if name.contains("::") => {
                    names.unbound(name, t.span);
                }
                _ => {}
            },
            T::Set(a) | T::Seq(a) => self.full_names(a, names),
            T::Tuple(ts) => ts.iter_mut().for_each(|t| self.full_names(t, names)),
            T::Map(a, b) | T::Dot(a, b) | T::Dotable(a, b) | T::Extendable(a, b) => {
                self.full_names(a, names);
                self.full_names(b, names);
            }
            T::Function(ts, r) => {
                ts.iter_mut().for_each(|t| self.full_names(t, names));
                self.full_names(r, names);
            }
        });
    }
}

/// The target of an annotation of the top level or of a module.
fn about(name: &ast::Ident, defined: &Set<Rc<str>>, names: &mut NameTable) -> Option<Annotated> {
    let found = names.scopes.innermost(&name.text);
    match found
        .filter(|_| defined.contains(&name.text))
        .map(|b| b.entity)
    {
        Some(Entity::Global(g)) => Some(Annotated::Global(g)),
        Some(Entity::Channel(c)) => Some(Annotated::Channel(c)),
        Some(Entity::Ctor(c)) => Some(Annotated::Ctor(c)),
        Some(Entity::Type(_) | Entity::Skipped) => None,
        // Its definition was reported, or could not be read.
        _ if names.scopes.lookup(&name.text) == Some(Entity::Skipped) => None,
        _ => {
            names.errors.report(orphan(name));
            None
        }
    }
}

/// The channels of one declaration have one type, and so at most one annotation.
fn annotated_twice(decls: &[ast::Decl], errors: &mut NameErrors) {
    let is_annotation = |d: &&ast::Decl| matches!(d.kind, DeclKind::Annotation { .. });
    let annotations: Vec<&ast::Decl> = decls.iter().filter(is_annotation).collect();
    for decl in decls {
        let DeclKind::Channel { names, .. } = &decl.kind else {
            continue;
        };
        let mut found: Option<(&ast::Ident, Span)> = None;
        for other in &annotations {
            let DeclKind::Annotation { names: of, .. } = &other.kind else {
                continue;
            };
            let Some(name) = of.iter().find(|n| names.iter().any(|c| c.text == n.text)) else {
                continue;
            };
            match found {
                Some((first, place)) if first.text != name.text => {
                    let message = "the channels of one declaration have two type annotations";
                    errors.report(
                        Diagnostic::error("E0211", name.span, message)
                            .also(place, "the first one")
                            .also(decl.span, "declared together here")
                            .note("write one annotation for all of them, or declare them apart"),
                    );
                }
                _ => found = Some((name, name.span)),
            }
        }
    }
}

fn orphan(name: &ast::Ident) -> Diagnostic {
    let message = format!("`{}` has a type annotation but no definition", name.text);
    Diagnostic::error("E0210", name.span, message)
        .note("the definition must stand in the same list of declarations")
}

/// The names that a list of declarations defines, without those of the lists inside it.
fn defined_by(decls: &[ast::Decl]) -> Set<Rc<str>> {
    let mut out = Set::default();
    for decl in decls {
        match &decl.kind {
            DeclKind::Clause { name, .. } | DeclKind::Nametype { name, .. } => {
                out.insert(Rc::clone(&name.text));
            }
            DeclKind::Pattern { pattern, .. } => {
                out.extend(names_in(pattern).into_iter().map(|(n, _)| n));
            }
            DeclKind::Channel { names, .. } => {
                out.extend(names.iter().map(|n| Rc::clone(&n.text)));
            }
            DeclKind::Datatype { name, clauses, .. } => {
                out.insert(Rc::clone(&name.text));
                out.extend(clauses.iter().map(|(c, _)| Rc::clone(&c.text)));
            }
            DeclKind::External(names) | DeclKind::Transparent(names) => {
                out.extend(names.iter().map(|n| Rc::clone(&n.text)));
            }
            _ => {}
        }
    }
    out
}
