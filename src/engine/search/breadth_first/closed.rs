//! For debug builds: that a search has stored whatever its states lead to.

use super::{End, OngoingSearch, Sides};
use crate::search::product::ProductScratch;

/// States of a search that is looked at again, for tests to end sooner.
const STATES_MAX: usize = 1_000;

impl OngoingSearch {
    /// That all steps of all states lead to states that are stored, where some were not followed
    /// ([`crate::reductions::sleep`]).
    pub(super) fn assert_closed(&self, sides: &Sides<'_>) {
        let is_small = self.store.len() <= STATES_MAX;
        // Where a strategy did something else, it may choose another representative of the orbit.
        let is_unique = self.figures.steps.fallbacks == 0;
        if self.figures.steps.slept == 0 || !is_small || !is_unique || self.end != End::Exhausted {
            return;
        }
        let (product, mut scratch) = (sides.product(), ProductScratch::default());
        for id in self.store.reached() {
            // Images of local states that only what sleeps leads to may be missing: then what comes before is looked at.
            let _ = product.expand(&self.store.pair(id), &mut scratch, |_, kept| {
                let known = kept.is_none_or(|kept| self.store.find(&kept.key).is_some());
                assert!(known, "a step leads to what was not met");
                Ok(())
            });
        }
    }
}
