//! Uniqueness of the representative that a strategy other than `ordering` chooses: by its own argument, or by trying
//! the states of the orbit.

use super::model::{StateId, UniquenessView};
use super::opened::AnimatedProcess;
use super::uniqueness::OtherStateView;
use crate::machine::LocalId;
use crate::report::numbers::counted;
use crate::source::diagnostic::Result as Checked;
use crate::symmetry::context::StateContext;
use crate::symmetry::strategy::Strategy;

/// States of an orbit that are tried at most.
pub(super) const TRIED_MAX: usize = 2_000;

impl AnimatedProcess {
    /// Tries up to `most` states of the orbit of a state: whether a strategy gives each of them the representative
    /// `found`.
    pub(super) fn agreement(
        &mut self,
        id: StateId,
        (strategy, most): (&dyn Strategy, usize),
        found: &[LocalId],
    ) -> Checked<UniquenessView> {
        let (format, locals) = self.state(id);
        let (states, is_cut) = self.orbit_states(format, locals, most)?;
        for state in &states {
            self.machine.eval.check_time()?;
            let other = self.complete(|machine, network, out| {
                let context = StateContext::alone(machine, network, format, state);
                strategy.representative(&context, out)?;
                Ok((out.locals != found).then(|| out.locals.clone()))
            })?;
            if let Some(representative) = other {
                return Ok(UniquenessView::StatesDisagree(Box::new(OtherStateView {
                    witness: self.components_in(format, state),
                    representative: self.components_in(format, &representative),
                })));
            }
        }
        let tried = counted(states.len() as u64, "state");
        Ok(match is_cut {
            false => UniquenessView::Proved(format!("tried for all of its orbit: {tried}")),
            true => UniquenessView::Unknown(format!(
                "{tried} of the orbit get the same, and there are more"
            )),
        })
    }
}
