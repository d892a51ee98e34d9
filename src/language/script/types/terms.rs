//! The state of inference of expressions, processes, patterns and functions.
//!
//! These refer to each other as the grammar does (a process holds expressions, which hold processes), so
//! they are methods of one type, in a file each: [`super::expr`], [`super::process`], [`super::pattern`],
//! [`super::function`] and, for `let`, [`super::local`].

use super::annotation::Annotations;
use super::constraints::Constraints;
use super::environment::Environment;
use super::reports::{Named, ReportsBefore, Subject};
use super::scheme::Uses;
use super::store::TypeStore;
use crate::script::annotation::Annotation;
use crate::script::core::{Expr, ExprKind, Script};

/// Infers the types of terms.
pub(super) struct TermInference<'a> {
    pub script: &'a Script,
    pub types: Constraints<'a>,
    pub names: Environment,
    pub annotations: Annotations<'a>,
    pub uses: Uses,
}

/// The name that an expression starts with, if its type comes from there.
fn named(e: &Expr) -> Option<Named> {
    match &e.kind {
        ExprKind::Global(g) => Some(Named::Global(*g)),
        ExprKind::Ctor(c) => Some(Named::Ctor(*c)),
        ExprKind::Channel(c) => Some(Named::Channel(*c)),
        ExprKind::Apply(f, _) if !matches!(f.kind, ExprKind::Apply(..)) => named(f),
        ExprKind::Dot(parts) => match &parts.first()?.kind {
            ExprKind::Dot(_) => None,
            _ => named(&parts[0]),
        },
        _ => None,
    }
}

impl<'a> TermInference<'a> {
    /// For making types and looking into them.
    pub fn store(&mut self) -> &mut TypeStore {
        self.types.store()
    }

    /// The declaration that the type of an expression comes from.
    pub fn subject(&self, e: &Expr) -> Option<Subject> {
        let named = named(e)?;
        let ty = match named {
            Named::Global(g) => self.names.global(g).ty,
            Named::Ctor(c) => self.types.unifier.datatypes.ctor(c),
            Named::Channel(c) => self.names.channel(c),
        };
        Some(Subject { named, ty })
    }

    /// Begins the part with this name, which may have an annotation.
    pub fn begin(&mut self, name: String, annotation: Option<&'a Annotation>) -> ReportsBefore {
        self.annotations.begin(annotation.map(|a| a.target));
        self.types.reports.begin(name, annotation.map(|a| a.span))
    }

    /// Ends what was begun last; whether it is without errors.
    pub fn end(&mut self, begun: &ReportsBefore) -> bool {
        self.annotations.end();
        self.types.reports.end(begun)
    }
}
