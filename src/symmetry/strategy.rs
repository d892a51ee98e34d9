//! Strategies: from a global state to a permutation, and so to a representative (Def. 16).

use super::context::StateContext;
use super::observe::{Observer, Unwatched};
use super::ordering::{self, TypeOrdering};
use super::partition::Labels;
use super::{exact, sorted, walk};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::value::Atom;

/// A permutation and the representative that it leads to; the vectors are reused.
#[derive(Debug, Default)]
pub struct Representative {
    /// `π`, by its images.
    pub image: Vec<Atom>,
    /// `π(σ)`
    pub locals: Vec<LocalId>,
    /// `|Stab(p, q)|`, if the strategy found out.
    pub stabiliser: Option<Order>,
    /// Whether the strategy could not do what it is named for, and [`Strategy::instead`] was done.
    pub fell_back: bool,
    /// Whether the order of the stabiliser is wanted: `exact` tells it.
    pub counting: bool,
    /// Buffer of what calls the strategy.
    pub merged: Vec<LocalId>,
    /// Buffers of the algorithms.
    pub scratch: ordering::OrderingScratch,
    pub(super) sorted: sorted::SortedScratch,
    pub(super) walk: walk::WalkScratch,
    pub(super) exact: exact::ExactScratch,
}

/// A way to choose representatives. Every permutation is sound; a good strategy gives all states of
/// an orbit the same representative.
pub trait Strategy: Sync {
    /// As shown to people and accepted by `--rep`.
    fn name(&self) -> &'static str;

    /// Leaves a permutation in `out.image` and the image of the state in `out.locals`.
    ///
    /// # Errors
    /// What the tables do not hold yet.
    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss>;

    /// What it does where it cannot do what it is named for; empty if that does not happen.
    fn instead(&self) -> &'static str {
        ""
    }

    /// Whether a search may leave out what twins do ([`super::twins`]), which keeps fewer states if
    /// representatives are not unique. Not for the strategies of the paper: they are for comparison.
    fn leaves_out_twins(&self) -> bool {
        false
    }
}

/// The paper's own strategy: component ordering, then type ordering.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ordering(pub TypeOrdering);

impl Ordering {
    /// The same computation, watched.
    ///
    /// # Errors
    /// As [`Strategy::representative`].
    pub fn watched(
        self,
        context: &StateContext<'_>,
        out: &mut Representative,
        observer: &mut impl Observer,
    ) -> Result<(), Miss> {
        // `picks` may have left its script behind.
        out.scratch.script.clear();
        self.scripted(context, out, observer)
    }

    /// The same, with the picks of step 3 that `out.scratch.script` wants.
    ///
    /// # Errors
    /// As [`Strategy::representative`].
    pub(super) fn scripted(
        self,
        context: &StateContext<'_>,
        out: &mut Representative,
        observer: &mut impl Observer,
    ) -> Result<(), Miss> {
        let format = context.network.format(context.format);
        out.scratch.vector.fill(
            (context.atoms, context.locals),
            (format, context.state),
            context.spec_atoms,
            Labels::Forgotten,
        );
        let scratch = &mut out.scratch;
        scratch.order_components(context.atoms, observer);
        scratch.generate(context.atoms, self.0, &mut out.image, observer);
        context.image(&out.image, &mut out.locals)
    }
}

impl Strategy for Ordering {
    fn name(&self) -> &'static str {
        "ordering"
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        out.fell_back = false;
        self.watched(context, out, &mut Unwatched)
    }
}

/// The strategies by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StrategyKind {
    /// Lemma 53 as an algorithm: follow references; `ordering` where that is not enough.
    Walk,
    /// `walk`, and individualisation and refinement where that is not enough: what checks use if nothing
    /// else is asked for.
    #[default]
    Exact,
    /// Defs. 36 to 40.
    Ordering,
    /// Sec. 7.6, ties by component index.
    Sorted,
    /// Sec. 7.6, least over all permutations of equal components.
    Segmented,
}

impl StrategyKind {
    /// All of them in the order in which people are shown how they work: that of the paper first.
    pub const SHOWN: [Self; 5] = [
        Self::Ordering,
        Self::Walk,
        Self::Exact,
        Self::Sorted,
        Self::Segmented,
    ];

    /// All of them, the default first.
    pub const ALL: [Self; 5] = [
        Self::Exact,
        Self::Walk,
        Self::Ordering,
        Self::Sorted,
        Self::Segmented,
    ];

    /// What does it; `ordering` in the literal reading of Def. 38.
    #[must_use]
    pub fn strategy(self) -> &'static dyn Strategy {
        match self {
            Self::Walk => &walk::Walk,
            Self::Exact => &exact::Exact,
            Self::Ordering => &Ordering(TypeOrdering::Appearance),
            Self::Sorted => &sorted::Sorted,
            Self::Segmented => &sorted::Segmented,
        }
    }

    /// For what it is exact, in one sentence.
    #[must_use]
    pub fn exact_for(self) -> &'static str {
        ""
    }

    /// The strategy with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.strategy().name() == name)
    }
}
