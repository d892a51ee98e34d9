//! Random runs in the search of a check: when the search pauses for them, and the outcome if one ends in a violation.

use super::Check;
use crate::check::conclude::{Asked, Conclusion, conclude};
use crate::check::outcome::{CheckVerdict, Missing, Outcome};
use crate::check::patience::{dear, merges_further_unreduced, too_dear, unmerged};
use crate::check::simulation::{Simulation, effort};
use crate::search::breadth_first::{End, LazyProduct, OngoingSearch, Search, SearchControl};
use crate::search::represented::some_orbits;
use crate::source::Stop;
use crate::source::diagnostic::Result;

/// States of the specification that random runs may reach, as a multiple of those reached before it is compressed.
const MET_BEFORE: usize = 5;

impl Check {
    /// Whether random runs may be made: a counterexample need not be a shortest one, and the steps and the last state
    /// of a run show the violation.
    pub(super) fn may_simulate(&self) -> bool {
        let demands = self.assertion.demands;
        self.reductions.partial_order().is_some()
            && self.assertion.trace.is_none()
            && !demands.revivals
            && !demands.refusal_testing
    }

    /// Whether a random run ended in a violation.
    pub(super) fn has_simulated_violation(&self) -> bool {
        self.attempt
            .simulation
            .made()
            .is_some_and(|made| made.found)
    }

    /// Continues a search as [`OngoingSearch::go_on`], or until a random run ends in a violation.
    pub(super) fn go_on(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
        states: usize,
    ) -> Result<()> {
        if !self.attempt.simulation.active
            && !self.may_compress()
            && self.attempt.patience.is_none()
        {
            return run.go_on(&mut self.lazy_product(), control, states);
        }
        while !run.is_over() && run.states() < states && !self.has_simulated_violation() {
            let stored = run.states();
            self.check_patience(run)?;
            run.bound_work(self.work_max());
            // States on disk, or shared by processes, are not given up.
            if run.is_in_memory() && self.is_compressing_due() {
                if self.compress()? {
                    // The compressed specification has fewer states, few of them expanded yet.
                    self.attempt.simulation.begin_again();
                    *run = OngoingSearch::begin(&mut self.lazy_product())?;
                }
                continue;
            }
            if self
                .attempt
                .simulation
                .are_due(effort(stored, self.specification.as_ref()))
            {
                let stopped = self.with_simulation(|simulation, lazy, bounds| {
                    simulation.make(lazy, bounds, stored, control)
                })?;
                run.note_runs(&self.lazy_product(), stored, stopped)?;
                continue;
            }
            // By one depth.
            run.go_on(&mut self.lazy_product(), control, states.min(stored + 1))?;
        }
        // A search that ended within a depth for its work has no answer.
        match run.end() {
            End::Stopped(Stop::States) if run.is_overworked() => self.check_patience(run),
            _ => Ok(()),
        }
    }

    /// Applies a function to the random runs, the product, and the bounds of runs: whether divergence is a violation, and
    /// how many states of the specification they may reach.
    pub(super) fn with_simulation<R>(
        &mut self,
        with: impl FnOnce(&mut Simulation, &mut LazyProduct<'_>, (bool, usize)) -> R,
    ) -> R {
        let met_most = match self.may_compress() {
            // A compressed specification takes less time, and few runs reach very many states.
            true => self.compression.at.saturating_mul(MET_BEFORE),
            false => usize::MAX,
        };
        let bounds = (self.assertion.divergence, met_most);
        // Taken out while both sides are borrowed.
        let mut simulation = std::mem::replace(&mut self.attempt.simulation, Simulation::new(0));
        let made = with(&mut simulation, &mut self.lazy_product(), bounds);
        self.attempt.simulation = simulation;
        made
    }

    /// Whether a reduced search may store more states than an unreduced one, or nothing is reduced.
    fn grows(&self) -> bool {
        self.machine.atoms().is_empty() || self.machine.kept_together()
    }

    /// Whether there may be fewer states without symmetric types, because equal local states then merge further.
    fn merges_further_unreduced(&self) -> bool {
        merges_further_unreduced(&self.machine, &self.network)
    }

    /// Work at which the search is certainly given up.
    fn work_max(&self) -> u64 {
        let patience = self.attempt.patience.as_ref();
        let bound = patience.filter(|_| self.grows() || self.merges_further_unreduced());
        bound.map_or(u64::MAX, |patience| patience.work)
    }

    /// Ends a search that exceeds its bound on work, and notes its depth. Where permutations keep nothing together and
    /// nothing unmerged, a reduced search stores no more states than an unreduced one, and continues if its
    /// representatives save more than they cost.
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
            let orbits = some_orbits(&mut self.lazy_product(), run.store())?.sizes;
            let orbits: Option<Vec<f64>> = orbits.into_iter().collect();
            let orbits = orbits.unwrap_or_default();
            let alone = !grows && !self.merges_further_unreduced();
            patience.dear.set(dear(figures, &orbits, alone));
        }
        if grows {
            Err(self.machine.given_up(figures.steps.transitions))
        } else if self.merges_further_unreduced() {
            Err(unmerged(figures.steps.transitions))
        } else if patience.dear.get().is_some() {
            Err(too_dear(figures))
        } else {
            self.attempt.patience = None;
            Ok(())
        }
    }

    /// Gives up an attempt without reduction that reached a limit of states or memory: the reduced one may stay below
    /// it.
    pub(super) fn unless_limited(&self, outcome: Outcome) -> Result<Outcome> {
        match &self.attempt.patience {
            Some(patience) if self.gives_up_at(outcome.verdict) => {
                patience.limited.set(true);
                Err(self
                    .machine
                    .given_up(outcome.statistics.figures.steps.transitions))
            }
            _ => Ok(outcome),
        }
    }

    /// Whether another attempt follows one that ends so ([`Check::unless_limited`]).
    pub(super) fn gives_up_at(&self, verdict: CheckVerdict) -> bool {
        let is_limited = matches!(verdict, CheckVerdict::Stopped(Stop::States | Stop::Memory));
        is_limited && self.attempt.patience.is_some() && self.machine.atoms().is_empty()
    }

    /// The conclusion of a search, or the random run that ended it.
    pub(super) fn concluded(
        &mut self,
        search: &Search,
        asked: Asked,
        control: &SearchControl<'_>,
    ) -> Result<Conclusion> {
        let Some(found) = self.attempt.simulation.found.take() else {
            return conclude(&mut self.lazy_product(), search, asked, control);
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
