//! The data of the Structure view.

use super::views::View;
use crate::animate::model::{StateId, StructureView};
use crate::animate::structure::StructureRow;
use crate::source::hash::Set;

/// The Structure view's own data.
#[derive(Clone, Debug, Default)]
pub struct StructureData {
    /// The present state, and whether the view is shown.
    here: Option<(StateId, bool)>,
    /// First ones of siblings of one form that are lines of their own.
    pub apart: Set<usize>,
    /// Operators whose operands are not shown.
    pub closed: Set<usize>,
    /// The selected line of the tree.
    pub row: usize,
    /// The selected line of the wait-for graph.
    pub wait: usize,
}

impl StructureData {
    /// The lines of the tree of a state.
    #[must_use]
    pub fn rows(&self, view: &StructureView) -> Vec<StructureRow> {
        view.rows(&self.apart, &self.closed)
    }

    /// Follows the present state and view, whose structure is `shown` if it is known: selections are kept within
    /// bounds. Returns whether the state or the view is another one.
    pub fn follow(
        &mut self,
        current: Option<StateId>,
        view: View,
        shown: Option<&StructureView>,
    ) -> bool {
        let here = current.map(|state| (state, view == View::Structure));
        let moved = here != self.here;
        if moved {
            let network = |place: Option<(StateId, bool)>| place.map(|(state, _)| state.network);
            // Nodes of another network are others.
            if network(here) != network(self.here) {
                self.apart.clear();
                self.closed.clear();
                (self.row, self.wait) = (0, 0);
            }
            self.here = here;
        }
        if let Some(shown) = shown.filter(|_| view == View::Structure) {
            let lines = shown.cycles.len() + shown.waits.len();
            self.row = self.row.min(self.rows(shown).len().saturating_sub(1));
            self.wait = self.wait.min(lines.saturating_sub(1));
        }
        moved
    }
}
