//! Places of a component in the text of the script, and of the term that a step of the component comes from.

use super::events::EventId;
use super::ids::LocalId;
use super::shared::Machine;
pub use crate::eval::TextPlace;

impl Machine {
    /// The places of the control states of a local state, in reading order.
    pub fn places_of(&mut self, local: LocalId) -> Vec<TextPlace> {
        let term = self.term_of(local);
        self.eval.places(term)
    }

    /// The parts of the text that a step of a local state may come from.
    pub fn branch_of(
        &mut self,
        local: LocalId,
        event: EventId,
        target: Option<LocalId>,
    ) -> Vec<TextPlace> {
        let term = self.term_of(local);
        let label = self.events().label(event);
        let target = target.map(|target| self.term_of(target));
        self.eval.branch(term, label, target)
    }
}
