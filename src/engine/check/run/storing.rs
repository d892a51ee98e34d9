//! Checks whose states go to disk once they are many.

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

/// Whether the states of a check can be on disk.
///
/// # Errors
/// They were asked to be, and something else that was asked for needs them in memory.
pub(super) fn applies(question: &Question<'_>, options: &Options, span: Span) -> Result<()> {
    if options.store.is_none() {
        return Ok(());
    }
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
    Err(have_to_be_in_memory(obstacle, span))
}

/// Whether the states can be on disk under partial order reduction, if it is used.
///
/// # Errors
/// They were asked to be, and cannot.
pub(super) fn applies_with(
    order: Option<&PartialOrder>,
    options: &Options,
    span: Span,
) -> Result<()> {
    match order.is_some_and(PartialOrder::has_proviso) && options.store.is_some() {
        true => Err(have_to_be_in_memory(
            "partial order reduction asks here of each successor at once whether it is new",
            span,
        )),
        false => Ok(()),
    }
}

fn have_to_be_in_memory(obstacle: &str, span: Span) -> Box<Diagnostic> {
    let text = format!("the states of this check have to be in memory: {obstacle}");
    Box::new(Diagnostic::error("E0518", span, text).note("without `--store` they are"))
}

impl Check {
    /// The number of states up to which the search stays in memory.
    pub(super) fn states_in_memory(&self) -> usize {
        let store = self.attempt.store.as_ref();
        store.map_or(usize::MAX, |plan| plan.after)
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
        self.go_on(run, control, plan.after)?;
        // An attempt that may be given up would leave files behind.
        while self.attempt.patience.is_some() && !run.is_over() {
            let states = run.states();
            self.go_on(run, control, states + 1)?;
        }
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
}
