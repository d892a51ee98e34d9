//! Checks whose states go to disk, or are shared with other processes, once they are many.

use super::Check;
use crate::check::options::Options;
use crate::check::question::Question;
use crate::reductions::partial_order::PartialOrder;
use crate::search::breadth_first::{OngoingSearch, SearchControl};
use crate::search::disk_store::DiskBudget;
use crate::search::keeping::Keeping;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};

/// Main memory for a search on disk where nothing limits it.
const UNLIMITED: usize = 2 << 30;

/// Whether the states of a check can be on disk, or shared with other processes.
///
/// # Errors
/// They were asked to be, and something else that was asked for needs them in memory.
pub(super) fn applies(question: &Question<'_>, options: &Options, span: Span) -> Result<()> {
    let option = match (&options.store, &options.processes) {
        (Some(_), Some(_)) => return Err(both(span)),
        (Some(_), None) => "--store",
        (None, Some(_)) => "--processes",
        (None, None) => return Ok(()),
    };
    let shares = options.processes.is_some();
    let keeping = options.keeping.keeping();
    let obstacle = if options.adaptive {
        "adaptive reduction stores cells of states, not states"
    } else if keeping.is_some_and(Keeping::enters_by_itself) {
        "this way to store states compares more than their keys"
    } else if question.divergence && keeping.is_some_and(Keeping::proves) {
        "to find a loop, this way to store states compares all of them"
    } else if shares && question.divergence {
        "divergence is looked for among all states at once; the same in failures (`[F=`, `[F]`) can be checked"
    } else if shares && options.count_full {
        "counting what the states represent needs all of them at once"
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
        (Some(_), _) if order.is_some_and(PartialOrder::has_proviso) => "--store",
        (_, Some(_)) if order.is_some() => "--processes",
        _ => return Ok(()),
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

fn both(span: Span) -> Box<Diagnostic> {
    let text =
        "several processes keep their states in memory: `--store` does not go together with them";
    Box::new(Diagnostic::error("E0518", span, text))
}

impl Check {
    /// The number of states up to which the search stays in memory.
    pub(super) fn states_in_memory(&self) -> usize {
        let store = self.attempt.store.as_ref().map(|plan| plan.after);
        let shared = self.attempt.processes.as_ref().map(|plan| plan.after);
        store.into_iter().chain(shared).min().unwrap_or(usize::MAX)
    }

    /// Searches until there are many states, and takes them to disk, if they may go there.
    pub(super) fn go_to_disk(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        let Some(plan) = self.attempt.store.clone() else {
            return Ok(());
        };
        self.go_on_alone(run, control, plan.after)?;
        if run.is_over() {
            return Ok(());
        }
        let room = match control.limits.room(run.figures().bytes) {
            room if control.limits.memory_max == usize::MAX => room.min(UNLIMITED),
            room => room,
        };
        let budget = plan.budget.unwrap_or_else(|| DiskBudget::of(room));
        // Once: a search that is repeated begins anew.
        if let Some(store) = &mut self.attempt.store {
            store.resume = false;
        }
        if plan.resume && run.take_up(&mut self.lazy_product(), &plan.folder, budget)? {
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

    /// Searches until there are many states, and shares them with the other processes, if there are any.
    pub(super) fn go_to_others(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        let Some(plan) = self.attempt.processes.clone() else {
            return Ok(());
        };
        self.go_on_alone(run, control, plan.after)?;
        match run.is_over() {
            true => Ok(()),
            false => run.distribute(&self.lazy_product(), plan.mesh, control),
        }
    }
}
