//! Timed sections.

use super::scope::Entity;
use crate::script::core::{Builtin, Expr, ExprKind, GlobalId, VariableId};
use crate::source::Span;

/// A definition that the translation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Global(GlobalId),
    Local(VariableId),
}

/// A Timed section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// The word `Timed`.
    pub span: Span,
    /// The meaning of `tock`; `None` if it is not defined, which is reported.
    pub tock: Option<Entity>,
    /// `TSTOP()`, `TSKIP()`, `WAIT(n)` and `timed_priority(P)`.
    pub helpers: [Callee; 4],
    /// The durations of events; one tock if this is `None`.
    pub durations: Option<Callee>,
    /// The layer of scopes that holds it.
    pub layer: usize,
}

/// The names of [`Section::helpers`].
pub(super) const HELPERS: [Builtin; 4] = [
    Builtin::TStop,
    Builtin::TSkip,
    Builtin::Wait,
    Builtin::TimedPriority,
];

impl Section {
    /// A section that is none.
    pub fn nowhere(span: Span) -> Self {
        Self {
            span,
            tock: None,
            helpers: [Callee::Global(GlobalId(u32::MAX)); 4],
            durations: None,
            layer: 0,
        }
    }

    /// The word `Timed` at the start of a section.
    pub fn word(section: Span) -> Span {
        Span {
            end: section.start + "Timed".len() as u32,
            ..section
        }
    }

    /// The local definitions that were made for it.
    pub fn made(&self) -> impl Iterator<Item = VariableId> {
        let all = self.helpers.into_iter().chain(self.durations);
        all.filter_map(|callee| match callee {
            Callee::Local(local) => Some(local),
            Callee::Global(_) => None,
        })
    }

    pub fn helper(&self, b: Builtin) -> Option<Callee> {
        let index = HELPERS.iter().position(|h| *h == b)?;
        Some(self.helpers[index])
    }
}

fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Callee {
    pub fn expr(self, span: Span) -> Expr {
        let kind = match self {
            Self::Global(g) => ExprKind::Global(g),
            Self::Local(l) => ExprKind::Local(l),
        };
        at(kind, span)
    }

    pub fn call(self, args: Vec<Expr>, span: Span) -> Expr {
        at(ExprKind::Apply(Box::new(self.expr(span)), args), span)
    }
}
