//! Facts for warnings, collected in one traversal.

use super::{clauses, constants};
use crate::script::core::{
    Builtin, ChannelId, Expr, ExprKind, Function, LocalDef, PatternKind, VariableId,
};
use crate::script::visit::{Mention, Visit};
use crate::source::hash::{IndexMap, Set};
use crate::source::{Diagnostic, Span};

/// The facts from one traversal of a script.
#[derive(Default)]
pub(super) struct Facts {
    /// Variables that are mentioned.
    pub locals: Set<VariableId>,
    /// Channels that are mentioned.
    pub channels: Set<ChannelId>,
    /// `Events`, which mentions all channels.
    pub events: bool,
    /// Names that a `let` defines, one at a time.
    pub lets: IndexMap<VariableId, Span>,
    /// Variables of patterns.
    pub binders: Vec<(VariableId, Span)>,
    /// Warnings about clauses.
    pub clauses: Vec<Diagnostic>,
    /// Channels that are patterns of their own.
    pub constants: Vec<(ChannelId, Span)>,
}

impl Visit for Facts {
    fn mention(&mut self, mention: Mention, span: Span) {
        match mention {
            Mention::Local(l) => {
                self.locals.insert(l);
            }
            Mention::Channel(c) | Mention::ChannelPattern(c) => {
                self.channels.insert(c);
            }
            Mention::Builtin(Builtin::Events) => self.events = true,
            Mention::Binder(l) => self.binders.push((l, span)),
            _ => {}
        }
    }

    fn expression(&mut self, e: &Expr) {
        constants::of_expression(e, &mut self.constants);
        let ExprKind::Let(defs, _) = &e.kind else {
            return;
        };
        for def in defs {
            match def {
                LocalDef::Function(local, _, span) => {
                    self.lets.insert(*local, *span);
                }
                // Of several names that a pattern binds, some may be there for the others.
                LocalDef::Value(p, _) => {
                    if let PatternKind::Bind(local) = p.kind {
                        self.lets.insert(local, p.span);
                    }
                }
            }
        }
    }

    fn function(&mut self, function: &Function) {
        clauses::find(function, &mut self.clauses);
        constants::of_function(function, &mut self.constants);
    }
}
