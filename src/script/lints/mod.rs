//! Warnings about sound scripts: what is most likely not meant as it is written.
//!
//! Each of them is true wherever it is given, and rare in scripts that are as their authors want
//! them. So nothing is said of definitions of the top level that no assertion reaches (they may be
//! there to be animated), of parameters that are not used, or of a variable that hides another.

mod clauses;
mod constants;
mod names;
mod unused;

use super::core::{
    Builtin, ChannelId, Expr, ExprKind, Function, LocalDef, LocalId, PatternKind, Script,
};
use super::reach::everything;
use super::types::Types;
use super::visit::{Mention, Visit};
use crate::source::hash::{IndexMap, Set};
use crate::source::{Diagnostic, FileId, Span};

/// All warnings about the main file of a script without errors, in the order of the text.
#[must_use]
pub fn run(script: &Script, types: &Types) -> Vec<Diagnostic> {
    let mut facts = Facts::default();
    everything(script, &mut facts);
    let mut found = std::mem::take(&mut facts.clauses);
    unused::find(script, &facts, &mut found);
    names::find(script, types, &facts, &mut found);
    constants::find(script, &facts.constants, &mut found);
    // An included file may be meant for several scripts.
    found.retain(|d| d.span.is_some_and(|s| s.file == FileId(0)));
    found.sort_by_key(|d| (d.span, d.code));
    // Instances of a module repeat what is said of it.
    found.dedup_by_key(|d| (d.span, d.code));
    found
}

/// What one walk over a script tells.
#[derive(Default)]
struct Facts {
    /// Variables that are mentioned.
    locals: Set<LocalId>,
    /// Channels that are mentioned.
    channels: Set<ChannelId>,
    /// `Events`, which mentions all channels.
    events: bool,
    /// Names that a `let` defines, one at a time.
    lets: IndexMap<LocalId, Span>,
    /// Variables of patterns.
    binders: Vec<(LocalId, Span)>,
    /// What there is to say about clauses.
    clauses: Vec<Diagnostic>,
    /// Channels that are patterns of their own.
    constants: Vec<(ChannelId, Span)>,
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
