//! The strategy of a question about representatives: which one is meant, whether it applies, and its answer for a
//! state.

use super::checkable::CheckableStates;
use super::model::{
    AskedStrategy, RepView, StateId, StateView, StrategyKind, StrategyRecord, TypeOrdering,
};
use super::opened::AnimatedProcess;
use super::strategy::listed;
use crate::machine::{FormatId, LocalId};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result as Checked;
use crate::symmetry::StructuralKind;
use crate::symmetry::context::StateContext;

/// A state, the record of the choice of its representative, and what a checker needs.
pub type ExplainedView = (StateView, Option<StrategyRecord>, Option<CheckableStates>);

/// The error where a strategy does not apply.
fn refused(why: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::nowhere("E0515", why))
}

impl AnimatedProcess {
    /// The strategy that is meant for states of a format, which applies there.
    pub(super) fn asked(&mut self, format: FormatId, by: AskedStrategy) -> Checked<AskedStrategy> {
        let is_structural = self.structure_of(format).is_some();
        let name = by.name().unwrap_or_default();
        match by {
            AskedStrategy::Usual => Ok(match is_structural {
                true => AskedStrategy::Structure(StructuralKind::default()),
                false => AskedStrategy::Values(StrategyKind::Ordering),
            }),
            AskedStrategy::Values(_) if is_structural => Err(refused(format!(
                "`{name}` is for symmetric datatypes, and the symmetry of this process was found in the structure \
                 of its network: ask for {}",
                listed(true)
            ))),
            AskedStrategy::Structure(_) if !is_structural => Err(refused(format!(
                "`{name}` is for symmetry in the structure of a network, and values of this process are permuted: \
                 ask for {}",
                listed(false)
            ))),
            // In the words of a check, which is refused.
            AskedStrategy::Values(kind) => {
                let obstacle = kind.obstacle(&mut self.machine, self.network.format(format));
                obstacle.map_or(Ok(by), |why| Err(refused(why)))
            }
            AskedStrategy::Structure(kind) => {
                if let Some(group) = self.structure_of(format) {
                    group.by(kind).map_err(refused)?;
                }
                Ok(by)
            }
        }
    }

    /// Whether a strategy is one for the other permutations.
    pub(super) fn is_asked_of_other(&self, format: FormatId, by: AskedStrategy) -> bool {
        let is_structural = self.structure_of(format).is_some();
        let is_other = match by {
            AskedStrategy::Usual => false,
            AskedStrategy::Values(_) => is_structural,
            AskedStrategy::Structure(_) => !is_structural,
        };
        is_other && self.other.is_some()
    }

    /// Answers a question about a strategy: by the other permutations, if it is a strategy for these.
    pub(super) fn asking<R>(
        &mut self,
        format: FormatId,
        by: AskedStrategy,
        answer: impl FnOnce(&mut Self) -> Checked<R>,
    ) -> Checked<R> {
        if !self.is_asked_of_other(format, by) {
            return answer(self);
        }
        let answered = self.by_other(answer);
        answered.unwrap_or_else(|| Err(refused("nothing else is permuted".to_owned())))
    }

    /// Leaves the representative of a state by a strategy that applies in `self.representative`.
    pub(super) fn represent_as(
        &mut self,
        by: AskedStrategy,
        format: FormatId,
        state: &[LocalId],
    ) -> Checked<()> {
        match by {
            AskedStrategy::Usual => self.represent(format, state),
            AskedStrategy::Structure(kind) => match self.structure_of(format) {
                Some(group) => {
                    let group = group.by(kind).map_err(refused)?;
                    self.represent_by(&group, format, state)
                }
                None => self.represent(format, state),
            },
            AskedStrategy::Values(kind) => self.complete(|machine, network, out| {
                let context = StateContext::alone(machine, network, format, state);
                kind.strategy().representative(&context, out)
            }),
        }
    }

    /// Describes a state with its representative by a strategy, and the record of the choice if there is one.
    pub(super) fn explained(&mut self, id: StateId, by: AskedStrategy) -> Checked<ExplainedView> {
        let (format, _) = self.state(id);
        self.asking(format, by, |own| own.explained_here(id, by))
    }

    fn explained_here(&mut self, id: StateId, by: AskedStrategy) -> Checked<ExplainedView> {
        let mut view = self.view(id)?;
        // Where nothing is permuted, there is nothing to explain.
        if view.representative.is_none() {
            return Ok((view, None, None));
        }
        let (format, state) = self.state(id);
        let by = self.asked(format, by)?;
        let record = match by {
            AskedStrategy::Usual | AskedStrategy::Values(StrategyKind::Ordering) => {
                let explanation = self.explain(id, TypeOrdering::Appearance)?;
                Some(StrategyRecord::Ordering(Box::new(explanation)))
            }
            AskedStrategy::Values(kind) => {
                let told = self.strategy(id, kind)?;
                view.representative = Some(told.representative.clone());
                Some(StrategyRecord::Other(Box::new(told)))
            }
            // No component is ordered: there are no steps.
            AskedStrategy::Structure(kind) => {
                view.representative = self.represented_by(id, kind)?.or(view.representative);
                None
            }
        };
        let data = self.checkable(&[("state", &state)], format, by)?;
        Ok((view, record, data))
    }

    /// The representative of a state by a method for groups found in the structure.
    fn represented_by(&mut self, id: StateId, kind: StructuralKind) -> Checked<Option<RepView>> {
        let (format, state) = self.state(id);
        let Some(group) = self.structure_of(format) else {
            return Ok(None);
        };
        let group = group.by(kind).map_err(refused)?;
        let orbit = self.known_orbit(id)?;
        self.represent_by(&group, format, &state)?;
        let view = self.rep_view_by(&group, (format, &state), &orbit)?;
        Ok(Some(view))
    }
}
