//! Shortest counterexample after a search with partial order reduction.
//!
//! The reduced search is breadth-first, but a step that it left out may begin a shorter run. So an assertion that it
//! refutes is searched again with all steps. A violation after `d` steps is found there after at most `d`, so that
//! search need not go deeper; its number of states is bounded.

use super::Check;
use crate::check::conclude::{Asked, Conclusion, conclude};
use crate::check::outcome::{CheckVerdict, RawCounterexample, SHORTEST_STATES, ShortestSought};
use crate::reductions::table::ReductionKind;
use crate::search::breadth_first::{End, OngoingSearch, Search, SearchControl};
use crate::source::diagnostic::Result;
use crate::source::{Limits, Stop};

impl Check {
    /// Searches with all steps, if requested and if some were left out, and takes over a shorter counterexample.
    pub(super) fn shorten(
        &mut self,
        search: &Search,
        asked: Asked,
        conclusion: &mut Conclusion,
        control: &mut SearchControl<'_>,
    ) -> Result<Option<ShortestSought>> {
        let steps = |found: &[RawCounterexample]| found.first().map(|first| first.run.steps.len());
        let Some(before) = steps(&conclusion.counterexamples) else {
            return Ok(None);
        };
        // Where states were skipped, a violation after fewer stored states may have taken more steps.
        let has_all = search.figures.steps.left_out == 0 && search.figures.steps.skipped == 0;
        let is_shortest = has_all && !self.has_simulated_violation();
        if !self.reductions.shortest || is_shortest {
            return Ok(None);
        }
        let limits = Limits {
            states_max: control.limits.states_max.min(SHORTEST_STATES),
            // The store of the first search is still in memory.
            memory_max: control
                .limits
                .memory_max
                .saturating_sub(search.figures.bytes),
            ..control.limits.clone()
        };
        let mut again = SearchControl {
            threads: control.threads,
            collapse_after: control.collapse_after,
            limits: &limits,
            cancel: control.cancel,
            progress: &mut |_| {},
        };
        let done = self.without(ReductionKind::PartialOrder, |check| {
            check.whole(asked, &mut again)
        });
        let (states, whole) = match done {
            Ok(done) => done,
            // There is a counterexample already, so a limit is no error.
            Err(error) => match error.stop() {
                Some(stop) => (0, Err(stop)),
                None => return Err(error),
            },
        };
        let shorter = whole.map(|whole| {
            let after = steps(&whole.counterexamples).unwrap_or(before);
            if after < before {
                conclusion.counterexamples = whole.counterexamples;
                conclusion.missing = whole.missing;
            }
            before.saturating_sub(after)
        });
        Ok(Some(ShortestSought { states, shorter }))
    }

    /// Searches with all steps. Returns the number of states, and the conclusion or the limit that ended the search.
    fn whole(
        &mut self,
        asked: Asked,
        control: &mut SearchControl<'_>,
    ) -> Result<(usize, std::result::Result<Conclusion, Stop>)> {
        let mut lazy = self.lazy_product();
        let mut run = OngoingSearch::begin(&mut lazy)?;
        run.go_on(&mut lazy, control, usize::MAX)?;
        let search = run.finish(&lazy, control);
        let states = search.figures.states;
        if let End::Stopped(stop) = search.end {
            return Ok((states, Err(stop)));
        }
        let conclusion = conclude(&mut lazy, &search, asked, control)?;
        Ok(match conclusion.verdict {
            // The detection of cycles was ended.
            CheckVerdict::Stopped(stop) => (states, Err(stop)),
            _ => (states, Ok(conclusion)),
        })
    }
}
