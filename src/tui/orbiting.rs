//! The data of the Orbit view.

use crate::animate::model::{StateId, StrategyKind, TypeOrdering};

/// The Orbit view's own data.
#[derive(Clone, Debug)]
pub struct Orbit {
    /// The state that is explained.
    pub state: Option<StateId>,
    /// Index of the step shown.
    pub frame: usize,
    /// The component that is followed.
    pub component: usize,
    /// The selected column of the n-values.
    pub column: usize,
    /// Whether the n-values are shown.
    pub table: bool,
    /// Whether the edges are shown.
    pub edges: bool,
    /// Whether the steps advance by themselves.
    pub playing: bool,
    /// The speed, an index into [`SPEEDS`].
    pub speed: usize,
    /// When the next step is due.
    pub due: u64,
    /// In slow motion: the step whose columns are counted one by one, and how many are.
    pub counted: Option<(usize, usize)>,
    /// The step where they stop to; at the last one if none.
    pub until: Option<usize>,
    /// The ordering of types.
    pub order: TypeOrdering,
    /// The strategy that is shown.
    pub strategy: StrategyKind,
}

impl Orbit {
    /// Whether the strategy that is shown counts edges.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.strategy == StrategyKind::Ordering
    }

    /// Whether there is a table of n-values on the screen.
    #[must_use]
    pub fn has_table(&self) -> bool {
        self.table && self.counts()
    }

    /// The number of columns of n-values shown, if not all of them yet.
    #[must_use]
    pub fn shown_columns(&self) -> Option<usize> {
        let counted = self.counted.filter(|(frame, _)| *frame == self.frame);
        counted.map(|(_, columns)| columns)
    }

    /// Whether there are edges on the screen.
    #[must_use]
    pub fn has_edges(&self) -> bool {
        self.edges && self.counts()
    }
}

/// Steps a second, as text and in milliseconds a step.
pub const SPEEDS: [(&str, u64); 5] = [
    ("0.25x", 4000),
    ("0.5x", 2000),
    ("1x", 1000),
    ("2x", 500),
    ("4x", 250),
];
