//! The data of the Structure view.

use std::rc::Rc;

use super::views::{Pane, View};
use crate::animate::model::{ErrorText, PartView, StateId, StructureView};
use crate::animate::session::Fetched;
use crate::animate::structure::StructureRow;
use crate::source::hash::{IndexMap, Set};

/// Largest number of cached structures. A dropped one is requested again.
const STRUCTURES_MAX: usize = 8;
/// Largest number of cached nodes.
const PARTS_MAX: usize = 200;

/// The Structure view's own data.
#[derive(Clone, Debug, Default)]
pub struct StructureData {
    views: IndexMap<StateId, Fetched<StructureView>>,
    parts: IndexMap<(StateId, usize), Fetched<PartView>>,
    /// Requests that were cancelled: they are repeated once the view is left, or the state.
    cancelled: Set<StateId>,
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
    /// The structure of a state, if the engine has replied.
    #[must_use]
    pub fn fetched(&self, state: StateId) -> Option<&Fetched<StructureView>> {
        self.views.get(&state)
    }

    /// The structure of a state, if it is known.
    #[must_use]
    pub fn view(&self, state: StateId) -> Option<&StructureView> {
        self.fetched(state)?.as_ref().ok().map(AsRef::as_ref)
    }

    /// A node in detail, if the engine has replied.
    #[must_use]
    pub fn part(&self, state: StateId, node: usize) -> Option<&Fetched<PartView>> {
        self.parts.get(&(state, node))
    }

    /// The lines of the tree of a state.
    #[must_use]
    pub fn rows(&self, state: StateId) -> Vec<StructureRow> {
        let view = self.view(state);
        view.map_or_else(Vec::new, |view| view.rows(&self.apart, &self.closed))
    }

    /// The selected line.
    #[must_use]
    pub fn selected(&self, state: StateId) -> Option<StructureRow> {
        self.rows(state).get(self.row).copied()
    }

    /// Records the engine's answer on a state.
    pub fn learn(
        &mut self,
        state: StateId,
        answer: Result<StructureView, ErrorText>,
        cancelled: bool,
    ) {
        if cancelled {
            self.cancelled.insert(state);
        }
        if self.views.len() >= STRUCTURES_MAX {
            self.views.shift_remove_index(0);
        }
        self.views.insert(state, answer.map(Rc::new));
    }

    /// Records the engine's answer on a node.
    pub fn learn_part(
        &mut self,
        state: StateId,
        node: usize,
        answer: Result<PartView, ErrorText>,
        cancelled: bool,
    ) {
        if cancelled {
            self.cancelled.insert(state);
        }
        if self.parts.len() >= PARTS_MAX {
            self.parts.shift_remove_index(0);
        }
        self.parts.insert((state, node), answer.map(Rc::new));
    }

    /// Follows the present state and view: selections are kept within bounds, and failed requests are repeated when
    /// the user comes back.
    pub fn follow(&mut self, current: Option<StateId>, view: View, scroll: &mut [usize]) {
        let here = current.map(|state| (state, view == View::Structure));
        if here != self.here {
            for state in std::mem::take(&mut self.cancelled) {
                self.views.shift_remove(&state);
                self.parts.retain(|(of, _), _| *of != state);
            }
            let network = |place: Option<(StateId, bool)>| place.map(|(state, _)| state.network);
            // Nodes of another network are others.
            if network(here) != network(self.here) {
                self.apart.clear();
                self.closed.clear();
                (self.row, self.wait) = (0, 0);
            }
            scroll[Pane::Part as usize] = 0;
            self.here = here;
        }
        let Some(state) = current.filter(|_| view == View::Structure) else {
            return;
        };
        let Some(answer) = self.view(state) else {
            return;
        };
        let (lines, rows) = (
            answer.cycles.len() + answer.waits.len(),
            self.rows(state).len(),
        );
        self.row = self.row.min(rows.saturating_sub(1));
        self.wait = self.wait.min(lines.saturating_sub(1));
    }
}
