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

/// The result of a strategy: a permutation and the representative. The vectors are reused between calls.
#[derive(Debug, Default)]
pub struct Representative {
    /// The permutation `π`, by its images.
    pub image: Vec<Atom>,
    /// The representative `π(σ)`.
    pub locals: Vec<LocalId>,
    /// The order of the stabiliser, `|Stab(p, q)|`, if the strategy computed it.
    pub stabiliser: Option<Order>,
    /// Whether the strategy did not apply, and used [`Strategy::instead`].
    pub fell_back: bool,
    /// Leaves of the search for the least image; 0 if there was no search.
    pub leaves: usize,
    /// Whether `exact` is to compute the order of the stabiliser.
    pub counting: bool,
    /// Scratch buffer for callers.
    pub merged: Vec<LocalId>,
    /// The base state whose successors are being expanded, if the caller declares them.
    pub near: NearState,
    /// Buffers of the algorithms.
    pub scratch: ordering::OrderingScratch,
    pub(super) sorted: SortedScratch,
    pub(super) bubble: BubbleScratch,
    pub(super) walk: WalkScratch,
    pub(super) exact: ExactScratch,
    /// Further results of the strategy of a structural group.
    pub structural: StructuralScratch,
}

impl Representative {
    /// The permutation of the last walk, as a slice and as an array.
    #[inline]
    #[must_use]
    pub fn named_image(&self) -> (&[Atom], &ShortImage) {
        let names = self.walk.names();
        debug_assert!(names.starts_with(&self.image));
        (&self.image, names)
    }
}

/// A choice of representatives. Every permutation is sound; a good strategy gives all states of
/// an orbit the same representative.
pub trait Strategy: Sync {
    /// The name for reports and for `--rep`.
    fn name(&self) -> &'static str;

    /// Computes a permutation (`out.image`) and the image of the state under it (`out.locals`).
    ///
    /// # Errors
    /// An image that the tables do not hold yet.
    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss>;

    /// The same, but may leave the image to be computed from `out.image` by [`StateContext::image`]; true if
    /// `out.locals` was not set.
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

    /// The fallback where it does not apply, in a sentence; empty if there is none.
    fn instead(&self) -> &'static str {
        ""
    }

    /// Whether the representative is unique in its orbit wherever `fell_back` is not set.
    fn tells_uniqueness(&self) -> bool {
        false
    }

    /// Whether a search may skip the moves of later twins ([`super::twins`]), which keeps fewer states if
    /// representatives are not unique. Not for the strategies of the paper: they are for comparison.
    fn leaves_out_twins(&self) -> bool {
        false
    }

    /// Whether a search may use sleep sets (`reductions::sleep`), which keeps fewer states if representatives are not
    /// unique: by default, for the same strategies.
    fn lets_steps_sleep(&self) -> bool {
        self.leaves_out_twins()
    }

    /// The structural group, if the strategy is for one: then `out.image` is the identity, and `out.structural` has
    /// the element that leads to the representative.
    fn structure(&self) -> Option<&StructuralGroup> {
        None
    }
}

/// The paper's own strategy: component ordering, then type ordering.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ordering(pub TypeOrdering);

impl Ordering {
    /// The same computation with an observer.
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

    /// The same, with the picks of step 3 given by `out.scratch.script`.
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
        context.atoms,
        context.locals,
        format,
        context.state,
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

/// The same with an alternative to the n-values (Sec. 7.5): it distinguishes less, so more is left to arbitrary
/// choices.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderingBy<N>(pub N);

impl<N: NValues> OrderingBy<N> {
    /// The same computation with an observer.
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
