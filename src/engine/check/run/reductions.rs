//! The reductions that the search of a check may use.

use std::sync::atomic::AtomicBool;

use crate::check::options::Options;
use crate::check::question::Question;
use crate::machine::completion::LISTING_AHEAD;
use crate::machine::{Machine, Network};
use crate::reductions::partial_order::PartialOrder;
use crate::reductions::table::{ReductionKind, ReductionSet};
use crate::search::keeping::KeepingKind;
use crate::source::diagnostic::Result;

/// The reductions that a search may use.
pub(super) struct SearchReductions {
    pub(super) keeping: KeepingKind,
    /// The reductions that its search is to use where it can.
    pub(super) used: ReductionSet,
    /// See [`crate::search::breadth_first::Sides::look_after`].
    pub(super) look_after: u64,
    /// See [`crate::search::breadth_first::Sides::unmet`].
    pub(super) unmet: AtomicBool,
    /// Which steps may be left out, if that was asked for, or why none may.
    pub(super) partial_order: Option<std::result::Result<PartialOrder, &'static str>>,
    /// Whether a counterexample of a search that leaves out steps is to be as short as one of the whole.
    pub(super) shortest: bool,
}

/// Whether steps are to be left out by partial order, and neither the assertion nor an option speaks against it.
pub(super) fn wants_partial_order(question: &Question<'_>, options: &Options) -> bool {
    let wanted = options.partial_order.unwrap_or(question.partial_order);
    // It takes the place of sleep sets.
    let used = options.reductions().without(ReductionKind::SleepSets);
    wanted && question.may_use(ReductionKind::PartialOrder, used, options)
}

impl SearchReductions {
    /// The reductions for a question about a network.
    ///
    /// # Errors
    /// A limit that listing the steps of components reached.
    pub(super) fn new(
        question: &Question<'_>,
        options: &Options,
        machine: &mut Machine,
        network: &mut Network,
    ) -> Result<Self> {
        // Only what a trace leads to is looked at.
        let wanted = options.partial_order.unwrap_or(question.partial_order);
        let partial_order =
            (wanted && question.trace.is_none()).then(|| match options.without_partial_order() {
                Some(why) => Err(why),
                None => PartialOrder::new(network, machine.locals(), question.sought()),
            });
        if matches!(&partial_order, Some(Ok(order)) if order.passes()) {
            let listed = machine.list_ahead(network);
            machine.during(LISTING_AHEAD, None, listed)?;
        }
        let leaves_out = matches!(&partial_order, Some(Ok(_)));
        let used = options.reductions();
        Ok(Self {
            keeping: options.keeping,
            used: used.with(ReductionKind::PartialOrder, leaves_out),
            look_after: options.look_after,
            unmet: AtomicBool::new(false),
            partial_order,
            shortest: options.shortest,
        })
    }

    /// Which steps may be left out, if some may and the search uses that.
    pub(super) fn partial_order(&self) -> Option<&PartialOrder> {
        let found = self.partial_order.as_ref()?.as_ref().ok();
        found.filter(|_| self.used.contains(ReductionKind::PartialOrder))
    }
}
