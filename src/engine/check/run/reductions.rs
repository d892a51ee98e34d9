//! Reductions of steps in the search of a check.

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
    /// The reductions to use where they apply.
    pub(super) used: ReductionSet,
    /// See [`crate::search::breadth_first::LazyProduct::look_after`].
    pub(super) look_after: u64,
    /// See [`crate::search::breadth_first::LazyProduct::unmet`].
    pub(super) unmet: AtomicBool,
    /// Partial order reduction, or why it does not apply; `None` if not asked for.
    pub(super) partial_order: Option<std::result::Result<PartialOrder, &'static str>>,
    /// Whether a counterexample of a reduced search is to be a shortest one.
    pub(super) shortest: bool,
}

/// Whether partial order reduction is requested and allowed by the assertion and the options.
pub(super) fn wants_partial_order(question: &Question<'_>, options: &Options) -> bool {
    let wanted = options.partial_order.unwrap_or(question.partial_order);
    // It replaces sleep sets.
    let used = options.reductions().without(ReductionKind::SleepSets);
    wanted && question.may_use(ReductionKind::PartialOrder, used, options)
}

impl SearchReductions {
    /// The reductions for a question about a network.
    ///
    /// # Errors
    /// A limit reached while the steps of components were listed.
    pub(super) fn new(
        question: &Question<'_>,
        options: &Options,
        machine: &mut Machine,
        network: &mut Network,
    ) -> Result<Self> {
        // Only states along the trace are explored.
        let wanted = options.partial_order.unwrap_or(question.partial_order);
        let partial_order =
            (wanted && question.trace.is_none()).then(|| match options.without_partial_order() {
                Some(why) => Err(why),
                None => PartialOrder::new(network, machine.locals(), question.sought()),
            });
        if matches!(&partial_order, Some(Ok(order)) if order.skips_states()) {
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

    /// Partial order reduction, if it applies and the search uses it.
    pub(super) fn partial_order(&self) -> Option<&PartialOrder> {
        let found = self.partial_order.as_ref()?.as_ref().ok();
        found.filter(|_| self.used.contains(ReductionKind::PartialOrder))
    }
}
