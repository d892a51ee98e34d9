//! The part of the script from which each unit comes.

use super::code::UnitId;
use crate::script::core::{AssertionKind, Expr, GlobalId, Script};

/// A part of the script that was compiled into units of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum CodePart {
    /// Built-in code, common to all scripts.
    Common,
    /// A top-level definition.
    Global(GlobalId),
    /// An expression outside of definitions, by its place in [`outer_expressions`].
    Outer(usize),
    /// Expressions that were given later, whose text was not examined.
    Given,
}

/// The parts by their first units.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Ascending, since parts are compiled one after the other.
    starts: Vec<(UnitId, CodePart)>,
}

impl Parts {
    /// The units from here on belong to a part.
    pub(super) fn begin(&mut self, first: UnitId, part: CodePart) {
        debug_assert!(self.starts.last().is_none_or(|(last, _)| *last <= first));
        self.starts.push((first, part));
    }

    /// All parts, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = CodePart> {
        self.starts.iter().map(|(_, part)| *part)
    }

    /// The place of the part that a unit belongs to.
    pub(super) fn of(&self, unit: UnitId) -> usize {
        self.starts
            .partition_point(|(first, _)| *first <= unit)
            .saturating_sub(1)
    }
}

/// The expressions of a script that are evaluated from outside of definitions.
pub(super) fn outer_expressions(script: &Script) -> Vec<&Expr> {
    let mut all = Vec::new();
    for datatype in &script.types {
        all.extend(datatype.clauses.iter().filter_map(|c| c.1.as_ref()));
    }
    // The order does not matter, as long as it is always the same: parts refer to it by place.
    all.extend(script.channels.iter().filter_map(|c| c.fields.as_deref()));
    for assertion in &script.assertions {
        match &assertion.kind {
            AssertionKind::Refinement { spec, imp, .. } => all.extend([spec, imp]),
            AssertionKind::HasTrace { process, trace, .. } => all.extend([process, trace]),
            AssertionKind::Property { process, .. } | AssertionKind::Symmetric { process, .. } => {
                all.push(process);
            }
        }
        all.extend(assertion.tau_priority.as_ref());
    }
    all.extend(&script.prints);
    all
}
