//! When the search of a check rests for runs at random, and what it comes to if one of them ends in something wrong.

use super::Check;
use crate::check::conclude::{Asked, Conclusion, conclude};
use crate::check::diving::{effort, met_max};
use crate::check::outcome::{CheckVerdict, Missing, Outcome};
use crate::check::patience::{dear, too_dear, unmerged};
use crate::search::breadth_first::{End, OngoingSearch, Search, SearchControl};
use crate::search::represented::some_orbits;
use crate::source::Stop;
use crate::source::diagnostic::Result;

/// How many times as many states of the specification dives may meet as are met before it is made smaller.
const MET_BEFORE: usize = 5;

impl Check {
    /// Whether runs at random may be tried: a counterexample need not be a shortest one, and a run shows what is wrong
    /// by its steps and its last state.
    pub(super) fn may_dive(&self) -> bool {
        let demands = self.assertion.demands;
        self.reductions.partial_order().is_some()
            && self.assertion.trace.is_none()
            && !demands.revivals
            && !demands.refusal_testing
    }

    /// Whether one of them ended in something wrong.
    pub(super) fn has_dived(&self) -> bool {
        self.attempt.dives.made().is_some_and(|made| made.found)
    }

    /// Goes on with a search as [`OngoingSearch::go_on`]; or until a run at random ends in something wrong.
    pub(super) fn go_on(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
        states: usize,
    ) -> Result<()> {
        if !self.attempt.dives.active && !self.may_compress() && self.attempt.patience.is_none() {
            return run.go_on(&mut self.sides(), control, states);
        }
        while !run.is_over() && run.store().len() < states && !self.has_dived() {
            let stored = run.store().len();
            self.check_patience(run)?;
            run.bound_work(self.work_max());
            if self.is_compressing_due() {
                if self.compress()? {
                    // There is less to be met now, and little of what was met before.
                    self.attempt.dives.begin_again();
                    *run = OngoingSearch::begin(&mut self.sides())?;
                }
                continue;
            }
            if self
                .attempt
                .dives
                .are_due(effort(stored, self.specification.as_ref()))
            {
                let met_max = met_max(self.specification.as_ref());
                let met_max = match self.may_compress() {
                    // What is smaller is looked through sooner, and few runs meet very much.
                    true => met_max.min(self.compression.at.saturating_mul(MET_BEFORE)),
                    false => met_max,
                };
                let (bounds, fresh) = ((self.assertion.divergence, met_max), super::Dives::new(0));
                // Taken out for as long as both sides are borrowed.
                let mut dives = std::mem::replace(&mut self.attempt.dives, fresh);
                let made = dives.make(&mut self.sides(), bounds, stored, control);
                self.attempt.dives = dives;
                made?;
                continue;
            }
            // By a depth.
            run.go_on(&mut self.sides(), control, states.min(stored + 1))?;
        }
        // One that has ended in the middle of a depth for its work is no answer.
        match run.end() {
            End::Stopped(Stop::States) if run.is_overworked() => self.check_patience(run),
            _ => Ok(()),
        }
    }

    /// Whether a reduced search may meet more states than one without, or nothing is reduced.
    fn grows(&self) -> bool {
        self.machine.atoms().is_empty() || self.machine.kept_together()
    }

    /// Work after which it is certain that the search is to be given up.
    fn work_max(&self) -> u64 {
        let patience = self.attempt.patience.as_ref();
        let bound = patience.filter(|_| self.grows() || self.attempt.merges_further_unreduced);
        bound.map_or(u64::MAX, |patience| patience.work)
    }

    /// Ends a search that takes more work than it may, and notes how far it has come. Where permutations keep nothing
    /// together and nothing unmerged, a reduced search meets no more states than one without, and goes on if its
    /// representatives save more than they take.
    fn check_patience(&mut self, run: &OngoingSearch) -> Result<()> {
        let Some(patience) = self.attempt.patience.clone() else {
            return Ok(());
        };
        let figures = run.figures();
        patience.reached.set(figures.ply);
        if figures.work() <= patience.work {
            return Ok(());
        }
        let grows = self.grows();
        if !self.machine.atoms().is_empty() {
            let orbits = some_orbits(&mut self.sides(), run.store())?.sizes;
            let alone = !grows && !self.attempt.merges_further_unreduced;
            patience.dear.set(dear(figures, &orbits, alone));
        }
        if grows {
            Err(self.machine.given_up(figures.steps.transitions))
        } else if self.attempt.merges_further_unreduced {
            Err(unmerged(figures.steps.transitions))
        } else if patience.dear.get().is_some() {
            Err(too_dear(figures))
        } else {
            self.attempt.patience = None;
            Ok(())
        }
    }

    /// Gives up an attempt without reduction that met a limit of states or memory: the reduced one may stay below it.
    pub(super) fn unless_limited(&self, outcome: Outcome) -> Result<Outcome> {
        let is_limited = matches!(
            outcome.verdict,
            CheckVerdict::Stopped(Stop::States | Stop::Memory)
        );
        match &self.attempt.patience {
            Some(patience) if is_limited && self.machine.atoms().is_empty() => {
                patience.limited.set(true);
                Err(self
                    .machine
                    .given_up(outcome.statistics.figures.steps.transitions))
            }
            _ => Ok(outcome),
        }
    }

    /// What a search means, or the run at random that it was ended for.
    pub(super) fn concluded(
        &mut self,
        search: &Search,
        asked: Asked,
        control: &SearchControl<'_>,
    ) -> Result<Conclusion> {
        let Some(found) = self.attempt.dives.found.take() else {
            return conclude(&mut self.sides(), search, asked, control);
        };
        let mut done = Conclusion {
            verdict: CheckVerdict::Fails,
            counterexamples: vec![found],
            ..Conclusion::default()
        };
        if control.limits.violations_max > 1 {
            let what = "further counterexamples";
            done.missing.push(Missing { what, stop: None });
        }
        Ok(done)
    }
}
