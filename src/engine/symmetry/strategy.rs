//! Strategies: from a global state to a permutation, and so to a representative (Def. 16).

use super::context::StateContext;
use super::nvalues::{EdgeCounts, NValues};
use super::observe::{Observer, Unwatched};
use super::ordering::{self, TypeOrdering};
use super::partition::Labels;
use super::scratch::{BubbleScratch, ExactScratch, SortedScratch, StructuralScratch, WalkScratch};
use super::structural::StructuralGroup;
use super::twins::NearState;
use crate::machine::order::Order;
use crate::machine::tables::ShortImage;
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
    /// Leaves that a search for the least image came to; 0 where nothing had to be searched.
    pub leaves: usize,
    /// Whether the order of the stabiliser is wanted: `exact` tells it.
    pub counting: bool,
    /// Buffer of what calls the strategy.
    pub merged: Vec<LocalId>,
    /// The state whose steps are followed, if whoever asks has said so.
    pub near: NearState,
    /// Buffers of the algorithms.
    pub scratch: ordering::OrderingScratch,
    pub(super) sorted: SortedScratch,
    pub(super) bubble: BubbleScratch,
    pub(super) walk: WalkScratch,
    pub(super) exact: ExactScratch,
    /// What the strategy of a structural group leaves besides.
    pub structural: StructuralScratch,
}

impl Representative {
    /// The permutation that a walk has left, and the same in an array.
    #[inline]
    #[must_use]
    pub fn named_image(&self) -> (&[Atom], &ShortImage) {
        let names = self.walk.names();
        debug_assert!(names.starts_with(&self.image));
        (&self.image, names)
    }
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

    /// The same, where the image of the state need not be left in `out.locals` if [`StateContext::image`] makes it
    /// of `out.image`; true if it was not left there.
    ///
    /// # Errors
    /// As [`Strategy::representative`].
    fn permutation(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<bool, Miss> {
        self.representative(context, out).map(|()| false)
    }

    /// What it does where it cannot do what it is named for; empty if that does not happen.
    fn instead(&self) -> &'static str {
        ""
    }

    /// Whether a representative is what every state of its orbit leads to wherever `fell_back` is not set.
    fn tells_uniqueness(&self) -> bool {
        false
    }

    /// Whether a search may leave out what twins do ([`super::twins`]), which keeps fewer states if
    /// representatives are not unique. Not for the strategies of the paper: they are for comparison.
    fn leaves_out_twins(&self) -> bool {
        false
    }

    /// Whether steps may sleep in a search (`reductions::sleep`), which keeps fewer states if representatives are not
    /// unique: for what checks use if nothing else is asked for.
    fn lets_steps_sleep(&self) -> bool {
        self.leaves_out_twins()
    }

    /// The group, where it is one that was found in the structure of the network: then `out.image` moves
    /// nothing, and the element that leads to the representative is told by `out.structural`.
    fn structure(&self) -> Option<&StructuralGroup> {
        None
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
        by_ordering(EdgeCounts, self.0, context, out, observer)
    }
}

/// Component ordering by these n-values, then type ordering.
fn by_ordering<N: NValues>(
    n: N,
    types: TypeOrdering,
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
    scratch.order_components(n, context.atoms, observer);
    scratch.generate(context.atoms, types, &mut out.image, observer);
    context.image(&out.image, &mut out.locals)
}

impl Strategy for Ordering {
    fn name(&self) -> &'static str {
        EdgeCounts::STRATEGY
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

/// The same with an alternative to the n-values (Sec. 7.5): less is compared, so more is left to arbitrary
/// choices.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderingBy<N>(pub N);

impl<N: NValues> OrderingBy<N> {
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
        out.fell_back = false;
        out.scratch.script.clear();
        by_ordering(self.0, TypeOrdering::Appearance, context, out, observer)
    }
}

impl<N: NValues> Strategy for OrderingBy<N> {
    fn name(&self) -> &'static str {
        N::STRATEGY
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        self.watched(context, out, &mut Unwatched)
    }
}
