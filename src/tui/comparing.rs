//! The data of the Compare view.

use std::collections::BTreeSet;

use crate::animate::comparison::Line;
use crate::animate::history::HistoryId;
use crate::animate::model::{AskedStrategy, StateId, TransitionView};

/// A state that is compared, and the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparand {
    /// The state itself.
    pub state: StateId,
    /// The entry of the history that holds it, or that the transition leaves.
    pub place: HistoryId,
    /// The transition that leads to it, if the history does not.
    pub by: Option<TransitionView>,
}

/// The side of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhichSide {
    /// State A, the first.
    #[default]
    A,
    /// State B, the second.
    B,
}

/// The Compare view's own data.
#[derive(Clone, Debug, Default)]
pub struct CompareData {
    /// The two states, A and B.
    pub pair: Option<(Comparand, Comparand)>,
    /// The strategy whose representatives are compared.
    pub by: AskedStrategy,
    /// Whether components are shown beside their images.
    pub arrows: bool,
    /// Whether equal components are left out.
    pub differences: bool,
    /// The selected step of the runs.
    pub step: usize,
    /// Whose run it is selected in.
    pub side: WhichSide,
    /// The ground for the verdict, once it is known.
    pub why: Vec<Line>,
    /// The selected line of it.
    pub line: usize,
    /// Lines that were folded or unfolded against the default.
    pub turned: BTreeSet<usize>,
    /// The mark that was set last.
    pub last_mark: Option<char>,
}

impl CompareData {
    /// The numbers of the two states.
    #[must_use]
    pub fn states(&self) -> Option<(StateId, StateId)> {
        let (a, b) = self.pair.as_ref()?;
        Some((a.state, b.state))
    }

    /// The state of a side.
    #[must_use]
    pub fn of(&self, side: WhichSide) -> Option<&Comparand> {
        let (a, b) = self.pair.as_ref()?;
        Some(match side {
            WhichSide::A => a,
            WhichSide::B => b,
        })
    }

    /// Whether a line of the ground has others below it.
    #[must_use]
    pub fn has_more(&self, line: usize) -> bool {
        let depth = |at: usize| self.why.get(at).map(|line| line.depth);
        depth(line + 1) > depth(line)
    }

    /// Whether some of its parts are folded at first, so that lines are selected.
    #[must_use]
    pub fn folds(&self) -> bool {
        let is_inner = |at: usize| self.why[at].depth > 0;
        (0..self.why.len()).any(|at| is_inner(at) && self.has_more(at))
    }

    /// Whether the lines below a line are shown. The outermost are unfolded from the start.
    #[must_use]
    pub fn is_unfolded(&self, line: usize) -> bool {
        let is_outer = self.why.get(line).is_some_and(|line| line.depth == 0);
        is_outer != self.turned.contains(&line)
    }

    /// The lines that are shown: all lines above them are unfolded.
    #[must_use]
    pub fn shown_lines(&self) -> Vec<usize> {
        let mut shown = Vec::new();
        // Deeper lines are folded.
        let mut deepest = usize::MAX;
        for (at, line) in self.why.iter().enumerate() {
            if line.depth > deepest {
                continue;
            }
            deepest = if self.is_unfolded(at) {
                usize::MAX
            } else {
                line.depth
            };
            shown.push(at);
        }
        shown
    }
}
