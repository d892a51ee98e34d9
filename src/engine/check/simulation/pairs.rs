//! Random runs in pairs, for determinism: one run gives a trace, and another that follows it may reach a stable state
//! that refuses the next event of the first. Then the system is not deterministic.
//!
//! The search for such a pair needs no nodes of the specification, each of which may have a million states. Only those
//! of the run that was found are made, so that it is reported like any other.

use super::{Simulation, SimulationBounds};
use crate::machine::EventId;
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::search::counterexample::{ProductTransition, moves};
use crate::search::product::ProductState;
use crate::source::diagnostic::Result;
use crate::specification::settle;

/// Traces tried in one run.
const FIRST: usize = 128;
/// Runs that follow each trace.
const SECOND: usize = 8;
/// Steps of a run, at most.
const STEPS_MAX: usize = 512;
/// Visible events of the longest trace: each takes a node of the specification in the end.
const VISIBLE_MAX: usize = 8;

impl Simulation {
    /// Searches for a run to a stable state that refuses an event which another run performs after the same trace.
    pub(super) fn find_refusing(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        bounds: SimulationBounds,
        control: &SearchControl<'_>,
    ) -> Result<Option<Vec<ProductTransition>>> {
        for first in 0..FIRST {
            let trace = self.lead(lazy, 1 + first % VISIBLE_MAX, first % 2 == 0)?;
            for second in 0..SECOND {
                if !self.goes_on((lazy, bounds), control) {
                    return Ok(None);
                }
                // One that takes silent steps first comes to stable states, and any other to what is chosen before.
                let refusing = self.refuse(lazy, &trace, second % 2 == 0)?;
                if refusing.is_some() {
                    return Ok(refusing);
                }
            }
        }
        Ok(None)
    }

    /// The trace of a random run, with at most this number of visible events.
    fn lead(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        visible: usize,
        silent_first: bool,
    ) -> Result<Vec<EventId>> {
        let mut at = ProductState::initial(lazy.network);
        let mut trace = Vec::new();
        for _ in 0..STEPS_MAX {
            let all = lazy.complete(|product| moves(product, &at))?;
            let Some(step) = self.choose_first(&all, silent_first) else {
                break;
            };
            self.made.steps += 1;
            at = step.target();
            if step.event != EventId::TAU {
                trace.push(step.event);
            }
            if trace.len() == visible {
                break;
            }
        }
        Ok(trace)
    }

    /// A run at random that performs a part of a trace and ends where the next event is refused, if it does.
    fn refuse(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        trace: &[EventId],
        silent_first: bool,
    ) -> Result<Option<Vec<ProductTransition>>> {
        let mut run: Vec<ProductTransition> = Vec::new();
        let mut rest = trace.iter();
        let mut next = rest.next();
        while let Some(event) = next
            && run.len() < STEPS_MAX
        {
            let initial = || ProductState::initial(lazy.network);
            let at = run.last().map_or_else(initial, ProductTransition::target);
            let all = lazy.complete(|product| moves(product, &at))?;
            let mut initials: Vec<EventId> = all.iter().map(|step| step.event).collect();
            if settle(&mut initials) && !initials.contains(event) {
                return Ok(Some(run));
            }
            let only_silent = silent_first && initials.contains(&EventId::TAU);
            let follows = |of| of == EventId::TAU || (of == *event && !only_silent);
            let Some(step) = self.choose(&all, follows) else {
                break;
            };
            self.made.steps += 1;
            if step.event != EventId::TAU {
                next = rest.next();
            }
            run.push(step.clone());
        }
        Ok(None)
    }
}
