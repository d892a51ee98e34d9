//! The clauses of a function, joined.

use std::rc::Rc;

use super::errors::NameErrors;
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, DeclKind};

/// All clauses of one function, as written.
pub(super) struct FunctionClauses<'a> {
    pub name: &'a ast::Ident,
    pub list: Vec<(&'a [Vec<ast::Pattern>], &'a ast::Expr, Span)>,
}

/// Declarations after clauses of one name were joined.
pub(super) enum DeclItem<'a> {
    Function(FunctionClauses<'a>),
    Pattern(&'a ast::Pattern, &'a ast::Expr),
    Other(&'a ast::Decl),
}

/// Joins the clauses of each function. Clauses that are not adjacent are joined too, but
/// reported.
pub(super) fn join<'a>(decls: &'a [ast::Decl], errors: &mut NameErrors) -> Vec<DeclItem<'a>> {
    let mut items: Vec<DeclItem<'a>> = Vec::new();
    let mut index: IndexMap<Rc<str>, usize> = IndexMap::default();
    for decl in decls {
        match &decl.kind {
            DeclKind::Clause { name, groups, body } => {
                let clause = (groups.as_slice(), body, decl.span);
                // An annotation is no item, so clauses on both sides of one are adjacent.
                let last = items.len().wrapping_sub(1);
                match index.get(&name.text).copied() {
                    Some(at) => {
                        if let Some(DeclItem::Function(clauses)) = items.get_mut(at) {
                            let file = clauses.list.last().map(|c| c.2.file);
                            if at != last {
                                errors.report_anyway(not_adjacent(name, clauses));
                            } else if file != Some(decl.span.file) {
                                errors.report_anyway(in_two_files(name, clauses));
                            }
                            clauses.list.push(clause);
                        }
                    }
                    None => {
                        index.insert(Rc::clone(&name.text), items.len());
                        let list = vec![clause];
                        items.push(DeclItem::Function(FunctionClauses { name, list }));
                    }
                }
            }
            DeclKind::Pattern { pattern, body } => {
                items.push(DeclItem::Pattern(pattern, body));
            }
            // Annotations may stand between clauses.
            DeclKind::Annotation { .. } => {}
            _ => items.push(DeclItem::Other(decl)),
        }
    }
    items
}

fn not_adjacent(name: &ast::Ident, clauses: &FunctionClauses) -> Diagnostic {
    apart(name, clauses, "not together", "after other declarations")
        .note("move all clauses together, or rename one of the functions")
}

fn in_two_files(name: &ast::Ident, clauses: &FunctionClauses) -> Diagnostic {
    apart(name, clauses, "in two files", "in another file")
        .note("a definition does not go on behind an `include`: move all clauses together")
}

fn apart(name: &ast::Ident, clauses: &FunctionClauses, how: &str, place: &str) -> Diagnostic {
    let message = format!("the clauses of `{}` are {how}", name.text);
    let last = clauses.list.last().map_or(clauses.name.span, |c| c.2);
    Diagnostic::error("E0203", name.span, message)
        .label(format!("a clause {place}"))
        .also(last, "the clauses before it end here")
}
