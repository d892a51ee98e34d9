//! Checks whose states go to disk, or are shared with other processes, once they are many.

use super::Check;
use crate::check::options::Options;
use crate::check::question::Question;
use crate::reductions::partial_order::PartialOrder;
use crate::search::breadth_first::{End, OngoingSearch, SearchControl};
use crate::search::disk_store::DiskBudget;
use crate::search::keeping::Keeping;
use crate::source::diagnostic::Result;
use crate::source::threads::lock;
use crate::source::{Diagnostic, Span};

/// Main memory for a search on disk where nothing limits it.
const UNLIMITED: usize = 2 << 30;

/// Whether the states of a check can be on disk, or shared with other processes.
///
/// # Errors
/// They were asked to be, and something else that was asked for needs them in memory.
pub(super) fn applies(question: &Question<'_>, options: &Options, span: Span) -> Result<()> {
    let option = match (&options.store, &options.processes) {
        (_, Some(_)) => "--processes",
        (Some(_), None) => "--store",
        (None, None) => return Ok(()),
    };
    let keeping = options.keeping.keeping();
    let obstacle = if options.adaptive {
        "adaptive reduction stores cells of states, not states"
    } else if keeping.is_some_and(Keeping::enters_by_itself) {
        "this way to store states compares more than their keys"
    } else if question.divergence && keeping.is_some_and(Keeping::proves) {
        "to find a loop, this way to store states compares all of them"
    } else {
        return Ok(());
    };
    Err(have_to_be_in_memory(obstacle, option, span))
}

/// Whether the states can be on disk or shared under partial order reduction, if it is used.
///
/// # Errors
/// They were asked to be, and cannot.
pub(super) fn applies_with(
    order: Option<&PartialOrder>,
    options: &Options,
    span: Span,
) -> Result<()> {
    let option = match (&options.store, &options.processes) {
        _ if !order.is_some_and(PartialOrder::has_proviso) => return Ok(()),
        (_, Some(_)) => "--processes",
        (Some(_), None) => "--store",
        (None, None) => return Ok(()),
    };
    let obstacle = "partial order reduction asks here of each successor at once whether it is new";
    Err(have_to_be_in_memory(obstacle, option, span))
}

fn have_to_be_in_memory(obstacle: &str, option: &str, span: Span) -> Box<Diagnostic> {
    let text =
        format!("the states of this check have to be in the memory of one process: {obstacle}");
    let note = format!("without `{option}` they are");
    Box::new(Diagnostic::error("E0518", span, text).note(note))
}

impl Check {
    /// The number of states up to which the search stays in memory.
    pub(super) fn states_in_memory(&self) -> usize {
        let store = self.attempt.store.as_ref().map(|plan| plan.after);
        let shared = self.attempt.processes.as_ref().map(|plan| plan.after);
        store.into_iter().chain(shared).min().unwrap_or(usize::MAX)
    }

    /// Tells the other processes that no search follows that they share, and the limit at which this one has ended, if it
    /// has.
    pub(super) fn leave_processes(&self, end: &End) {
        let stop = match end {
            End::Stopped(stop) => Some(*stop),
            _ => None,
        };
        if let Some(plan) = &self.attempt.processes {
            lock(&plan.mesh).leave(stop);
        }
    }

    /// Searches until there are many states, and then shares them with the other processes, if there are any, and takes
    /// them to disk, if they may go there.
    pub(super) fn go_beyond_memory(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        if self.attempt.store.is_none() && self.attempt.processes.is_none() {
            return Ok(());
        }
        self.go_on_alone(run, control, self.states_in_memory())?;
        if let Some(plan) = self.attempt.processes.clone().filter(|_| !run.is_over()) {
            run.distribute(&self.lazy_product(), plan.mesh, control)?;
        }
        match run.is_over() {
            true => Ok(()),
            false => self.go_to_disk(run, control),
        }
    }

    fn go_to_disk(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        let Some(plan) = self.attempt.store.clone() else {
            return Ok(());
        };
        // What the states take now is given back.
        let here = run.stored_bytes();
        let room = control
            .limits
            .room(run.figures().bytes)
            .saturating_add(here);
        let room = match control.limits.memory_max {
            usize::MAX => room.min(UNLIMITED),
            _ => room,
        };
        let budget = plan.budget.unwrap_or_else(|| DiskBudget::of(room));
        // Once: a search that is repeated begins anew.
        if let Some(store) = &mut self.attempt.store {
            store.resume = false;
        }
        let is_taken_up = plan.resume
            && self.with_simulation(|simulation, lazy, bounds| {
                run.take_up(lazy, (&plan.folder, budget), &mut |lazy, stored| {
                    simulation.make(lazy, bounds, stored, control)
                })
            })?;
        if is_taken_up {
            return Ok(());
        }
        run.move_to_disk(&self.lazy_product(), &plan.folder, budget)
    }

    /// Searches on in the memory of this process until there are this many states, and as long as the attempt may be given
    /// up.
    fn go_on_alone(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
        states: usize,
    ) -> Result<()> {
        self.go_on(run, control, states)?;
        while self.attempt.patience.is_some() && !run.is_over() {
            let states = run.states();
            self.go_on(run, control, states + 1)?;
        }
        Ok(())
    }
}
