//! Expressions for the meanings of names.

use super::names::{NameTable, broken};
use super::scope::Entity;
use super::timing::Section;
use crate::script::core::{Builtin, Expr, ExprKind};
use crate::source::Span;

/// Makes expressions for the meanings of names.
pub(super) struct Mentioning<'r> {
    pub names: &'r mut NameTable,
    /// The Timed section around the place.
    pub timed: Option<Section>,
}

impl Mentioning<'_> {
    /// A mention of something.
    pub fn entity(&mut self, entity: Entity, name: &str, span: Span) -> Expr {
        let kind = match entity {
            Entity::Local(l) => ExprKind::Local(l),
            Entity::Global(g) => ExprKind::Global(g),
            Entity::Type(t) => ExprKind::Type(t),
            Entity::Ctor(c) => ExprKind::Ctor(c),
            Entity::Channel(c) => ExprKind::Channel(c),
            Entity::Builtin(b) => return self.builtin_name(b, span),
            Entity::Module(id) => {
                let message = self.names.module_as_value(name, id, span);
                return broken(span, &message);
            }
            Entity::Skipped => {
                let text = format!("the definition of `{name}` has errors");
                return broken(span, &text);
            }
        };
        Expr { kind, span }
    }

    /// A built-in name, which may mean something else in a Timed section.
    pub fn builtin_name(&self, b: Builtin, span: Span) -> Expr {
        let plain = Expr {
            kind: ExprKind::Builtin(b),
            span,
        };
        let Some(section) = self.timed else {
            return plain;
        };
        // In a Timed section these are definitions that the translation makes; the processes among
        // them are functions without parameters, so that each section has its own `tock`.
        let (which, process) = match b {
            Builtin::Stop | Builtin::TStop => (Builtin::TStop, true),
            Builtin::Skip | Builtin::TSkip => (Builtin::TSkip, true),
            Builtin::Wait | Builtin::TimedPriority => (b, false),
            _ => return plain,
        };
        match section.helper(which) {
            _ if section.tock.is_none() => broken(span, "`tock` is not defined"),
            Some(callee) if process => callee.call(Vec::new(), span),
            Some(callee) => callee.expr(span),
            None => plain,
        }
    }
}
