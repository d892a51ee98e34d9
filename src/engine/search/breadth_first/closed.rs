//! Debug check that a search with sleep sets has stored all successors.

use super::{End, LazyProduct, OngoingSearch};
use crate::search::product::ProductScratch;

/// States of a search that is checked, at most, to keep tests short.
const STATES_MAX: usize = 1_000;

impl OngoingSearch {
    /// Asserts that all steps of all states lead to stored states, where sleep sets left out some
    /// ([`crate::reductions::sleep`]).
    pub(super) fn assert_closed(&self, lazy: &LazyProduct<'_>) {
        let is_small = self.store.len() <= STATES_MAX;
        // A fallback of the strategy may choose another representative of the orbit.
        let is_unique = self.figures.steps.fallbacks == 0;
        if self.figures.steps.slept == 0 || !is_small || !is_unique || self.end != End::Exhausted {
            return;
        }
        let (product, mut scratch) = (lazy.product(), ProductScratch::default());
        for id in self.store.reached() {
            // Images of local states that only sleeping steps reach may be missing: then the steps before are checked.
            let _ = product.expand(&self.store.pair(id), &mut scratch, |_, kept| {
                let known = kept.is_none_or(|kept| self.store.find(&kept.key).is_some());
                assert!(known, "a step leads to what was not met");
                Ok(())
            });
        }
    }
}
