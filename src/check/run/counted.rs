//! What a check was reduced by, and how much there is of what it compiled, once it has ended.

use super::Check;
use crate::check::outcome::{CheckVerdict, RuledOut, Statistics};
use crate::check::reduction::Reduction;
use crate::check::specification::Specification;
use crate::eval::Growing;

impl Check {
    /// What a search that has ended was reduced by: types that it never met are none of it.
    pub(super) fn reduction_used(&mut self) -> Option<Reduction> {
        let used = self.reduction.as_ref()?;
        if used.structure.is_some() || used.types.is_empty() {
            return Some(used.clone());
        }
        let compared = self.specification.as_ref().map(Specification::network);
        Reduction::met(&mut self.machine, (&self.network, compared), self.keeping)
    }

    /// What grew as a limit ended the search.
    pub(super) fn growing(&self, verdict: CheckVerdict) -> Vec<Growing> {
        match verdict {
            CheckVerdict::Stopped(_) => self.machine.growing(),
            _ => Vec::new(),
        }
    }

    /// How much there is of what was compiled.
    pub(super) fn sizes(&self) -> Statistics {
        let formats = self.network.formats();
        Statistics {
            evaluated: self.machine.evaluated(),
            local_states: self.machine.locals().len(),
            merged: formats.first().map_or(0, |f| f.merged().count),
            merging_bound: formats.first().and_then(|f| f.merged().bound),
            nodes: self.specification.as_ref().map(Specification::len),
            holds_sets: self
                .specification
                .as_ref()
                .is_some_and(|s| !s.all_ordered()),
            normal: self
                .specification
                .as_ref()
                .is_some_and(Specification::is_normal),
            components: formats.first().map_or(0, |f| f.components().len()),
            rules: formats.iter().map(|f| f.rules().list().len()).sum(),
            formats: formats.len(),
            kept_together: self.machine.kept_together(),
            state_symmetry: self.state_symmetry && self.reduction.is_some(),
            opened: self.machine.opened(),
            partial_order: self.partial_order.as_ref().map(|found| {
                let ruled_out = found.as_ref().map(|order| RuledOut {
                    divergence: order.ends_silence(),
                    deadlock: order.never_deadlocks(),
                });
                ruled_out.map_err(|why| *why)
            }),
            instead: match &self.structure {
                Some(group) => group.kind().instead(),
                None => self.keeping.instead(),
            },
            structure_looked: self.looked,
            dives: self.dives.made(),
            specification_merged: self.merged,
            ..Statistics::default()
        }
    }
}
