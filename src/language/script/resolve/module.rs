//! Modules as they are written.

use std::rc::Rc;

use super::place::{DeclPlace, address};
use super::scope::ModuleId;
use crate::script::core::GlobalId;
use crate::source::Span;
use crate::source::hash::{IndexMap, Map, Set};
use crate::source::stack::deep;
use crate::syntax::ast::{self, DeclKind};

/// Modules and their instances.
#[derive(Default)]
pub(super) struct Modules<'a> {
    pub templates: IndexMap<ModuleId, Template<'a>>,
    /// Modules with parameters that are not checked by themselves yet.
    pub unchecked: Vec<ModuleId>,
    /// The positions in the text of modules and instances, by address.
    pub order: Map<usize, usize>,
    /// Parts of the text that are expanded more than once.
    pub expanded: Vec<Span>,
    /// The parameters of modules that are checked by themselves.
    pub parameters: Set<GlobalId>,
    /// The number of instances.
    pub instances: usize,
}

/// A module as written, and where it stands.
#[derive(Clone)]
pub(super) struct Template<'a> {
    pub decl: &'a ast::Decl,
    pub place: Rc<DeclPlace>,
}

/// The parts of a module.
pub(super) struct ModuleParts<'a> {
    pub name: &'a ast::Ident,
    pub params: &'a [ast::Ident],
    pub private: &'a [ast::Decl],
    pub exports: &'a [ast::Decl],
}

impl<'a> Template<'a> {
    pub fn parts(&self) -> Option<ModuleParts<'a>> {
        match &self.decl.kind {
            DeclKind::Module {
                name,
                params,
                private,
                exports,
            } => Some(ModuleParts {
                name,
                params,
                private,
                exports,
            }),
            _ => None,
        }
    }
}

/// Numbers the modules and instances in the order of the text.
pub(super) fn number(decls: &[ast::Decl], order: &mut Map<usize, usize>) {
    for decl in decls {
        match &decl.kind {
            DeclKind::Instance { .. } => {
                order.insert(address(decl), order.len());
            }
            DeclKind::Module {
                private, exports, ..
            } => {
                order.insert(address(decl), order.len());
                deep(|| {
                    number(private, order);
                    number(exports, order);
                });
            }
            DeclKind::Timed { decls, .. } => {
                deep(|| number(decls, order));
            }
            _ => {}
        }
    }
}
