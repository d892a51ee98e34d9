//! The clauses of a function: joined, and made into one definition.

use std::rc::Rc;

use super::Resolver;
use crate::script::core::Function;
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, DeclKind};

/// All clauses of one function, as written.
pub(super) struct Clauses<'a> {
    pub name: &'a ast::Ident,
    pub list: Vec<(&'a [Vec<ast::Pattern>], &'a ast::Expr, Span)>,
}

/// Declarations after clauses of one name were joined.
pub(super) enum Item<'a> {
    Function(Clauses<'a>),
    Pattern(&'a ast::Pattern, &'a ast::Expr),
    Other(&'a ast::Decl),
}

impl Resolver {
    /// Joins the clauses of each function. Clauses that are not adjacent are joined too, but
    /// reported.
    pub(super) fn join<'a>(&mut self, decls: &'a [ast::Decl]) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = Vec::new();
        let mut index: IndexMap<Rc<str>, usize> = IndexMap::default();
        for decl in decls {
            match &decl.kind {
                DeclKind::Clause { name, groups, body } => {
                    let clause = (groups.as_slice(), body, decl.span);
                    let last = items.len().wrapping_sub(1);
                    match index.get(&name.text).copied() {
                        Some(at) => {
                            if let Some(Item::Function(clauses)) = items.get_mut(at) {
                                let file = clauses.list.last().map(|c| c.2.file);
                                if at != last {
                                    self.diagnostics.push(not_adjacent(name, clauses));
                                } else if file != Some(decl.span.file) {
                                    self.diagnostics.push(in_two_files(name, clauses));
                                }
                                clauses.list.push(clause);
                            }
                        }
                        None => {
                            index.insert(Rc::clone(&name.text), items.len());
                            let list = vec![clause];
                            items.push(Item::Function(Clauses { name, list }));
                        }
                    }
                }
                DeclKind::Pattern { pattern, body } => {
                    items.push(Item::Pattern(pattern, body));
                }
                // Annotations may stand between clauses.
                DeclKind::Annotation { .. } => {}
                _ => items.push(Item::Other(decl)),
            }
        }
        items
    }

    /// Clauses whose parameters differ in number from those of the first are reported and left out.
    pub(super) fn function(&mut self, clauses: &Clauses, name: Rc<str>) -> Function {
        let shape = |groups: &[Vec<ast::Pattern>]| groups.iter().map(Vec::len).collect();
        let mut arity: Option<(Vec<usize>, Span)> = None;
        let mut list = Vec::new();
        for (groups, body, span) in &clauses.list {
            let this: Vec<usize> = shape(groups);
            let clause = self.clause(groups, body, *span);
            match &arity {
                Some((first, place)) if *first != this => {
                    let message = format!("the clauses of `{name}` differ in their parameters");
                    self.report(
                        Diagnostic::error("E0204", *span, message)
                            .label(format!("{} here", parameters(&this)))
                            .also(*place, format!("{} here", parameters(first))),
                    );
                }
                Some(_) => list.push(clause),
                None => {
                    arity = Some((this, *span));
                    list.push(clause);
                }
            }
        }
        Function {
            name,
            arity: arity.map(|a| a.0).unwrap_or_default(),
            clauses: list,
        }
    }
}

fn parameters(shape: &[usize]) -> String {
    let groups: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match shape {
        [1] => "1 parameter".to_owned(),
        _ => format!("{} parameters", groups.join(" and then ")),
    }
}

fn not_adjacent(name: &ast::Ident, clauses: &Clauses) -> Diagnostic {
    apart(name, clauses, "not together", "after other declarations")
        .note("move all clauses together, or rename one of the functions")
}

fn in_two_files(name: &ast::Ident, clauses: &Clauses) -> Diagnostic {
    apart(name, clauses, "in two files", "in another file")
        .note("a definition does not go on behind an `include`: move all clauses together")
}

fn apart(name: &ast::Ident, clauses: &Clauses, how: &str, place: &str) -> Diagnostic {
    let message = format!("the clauses of `{}` are {how}", name.text);
    let last = clauses.list.last().map_or(clauses.name.span, |c| c.2);
    Diagnostic::error("E0203", name.span, message)
        .label(format!("a clause {place}"))
        .also(last, "the clauses before it end here")
}
