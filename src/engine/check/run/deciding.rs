//! Search and conclusion of a check, repeated without sleep sets where these were unreliable.

use std::sync::atomic::Ordering;

use super::Check;
use crate::check::conclude::{Asked, Conclusion};
use crate::check::outcome::CheckVerdict;
use crate::reductions::table::ReductionKind;
use crate::search::breadth_first::{End, Search, SearchControl};
use crate::source::diagnostic::Result;

impl Check {
    /// Searches and draws the conclusion; `spent` measures the search, and is called at its end.
    pub(super) fn decided<T>(
        &mut self,
        asked: Asked,
        control: &mut SearchControl<'_>,
        spent: &impl Fn() -> T,
    ) -> Result<(Search, T, Conclusion)> {
        let (search, took, conclusion) = self.decided_once(asked, control, spent)?;
        let is_unsure = self.reductions.unmet.swap(false, Ordering::Relaxed);
        let holds = conclusion.verdict != CheckVerdict::Fails && search.end == End::Exhausted;
        if !is_unsure || !holds {
            if !self.gives_up_at(conclusion.verdict) {
                self.leave_processes(&search.end);
            }
            return Ok((search, took, conclusion));
        }
        // Repeat with all steps: then their targets are stored, whichever representatives are chosen.
        drop(search);
        self.without(ReductionKind::SleepSets, |check| {
            check.decided_once(asked, control, spent)
        })
    }

    fn decided_once<T>(
        &mut self,
        asked: Asked,
        control: &mut SearchControl<'_>,
        spent: &impl Fn() -> T,
    ) -> Result<(Search, T, Conclusion)> {
        let search = self.searched(control)?;
        let took = spent();
        let mut conclusion = self.concluded(&search, asked, control)?;
        if conclusion.lacks_orbit_sizes() {
            self.count_by_structure(&search, &mut conclusion, control)?;
        }
        Ok((search, took, conclusion))
    }
}
