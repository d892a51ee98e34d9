//! The normalised specification of a question, and whether partial order reduction applies to it.

use super::wants_partial_order;
use crate::check::options::Options;
use crate::check::question::{Question, side};
use crate::machine::completion::LISTING_AHEAD;
use crate::machine::{Machine, Network};
use crate::reductions::partial_order::{PartialOrder, SearchAim};
use crate::source::diagnostic::Result;
use crate::specification::Specification;

/// Local states of a specification's component explored before the search, at most.
const SPECIFICATION_AHEAD: usize = 2_000;

/// Whether to use partial order reduction in the specification, where possible. Not if its nodes are permuted, nor if
/// more than traces, stable failures and divergences matters.
fn reduces_specification(machine: &Machine, question: &Question<'_>, options: &Options) -> bool {
    wants_partial_order(question, options) && machine.atoms().is_empty() && !question.shows_states()
}

/// The specification of a question, normalised and factored, if it has one.
pub(crate) fn specification_of(
    machine: &mut Machine,
    question: &Question<'_>,
    options: &Options,
) -> Result<Option<Specification>> {
    let Some(expr) = question.specification else {
        return Ok(None);
    };
    let term = side(machine, question, expr)?;
    // Nodes are made one by one, and those that the implementation never reaches are not needed: a stack of nineteen
    // has a million states.
    let all = options.limits.local_states_max;
    let mut network = Network::new(machine, term, all.min(SPECIFICATION_AHEAD))?;
    // Partial order reduction needs several components, and all of their steps.
    let is_one = network.first().components().len() == 1;
    let reduces = !is_one && reduces_specification(machine, question, options);
    if reduces && !network.first().reach().iter().all(|reach| reach.complete) {
        network = Network::new(machine, term, all)?;
    }
    let aim = SearchAim {
        events: true,
        divergence: false,
        deadlock: false,
    };
    let partial_order = reduces.then(|| PartialOrder::new(&network, machine.locals(), aim));
    let partial_order = partial_order.and_then(std::result::Result::ok);
    let partial_order = partial_order.filter(PartialOrder::ends_silence);
    let partial_order = partial_order.map(|order| (order, options.threads));
    let leaves_out = partial_order.is_some();
    if leaves_out {
        let listed = machine.list_ahead(&mut network);
        machine.during(LISTING_AHEAD, Some(expr.span), listed)?;
    }
    let most = options.limits.states_max;
    let normalised = Specification::new(machine, (network, partial_order), most);
    let work = "normalising the specification";
    let mut specification = machine.during(work, Some(expr.span), normalised)?;
    if question.demands.revivals {
        specification.keep_revivals();
    }
    // In refusal testing, nodes with equal behaviour by events may differ by refusals, so none are merged.
    if options.merging && !options.count_full && !question.demands.refusal_testing {
        let compared = question.compared();
        let merged = specification.factor(machine, compared);
        let work = "merging nodes of the specification";
        machine.during(work, Some(expr.span), merged)?;
        if leaves_out && !specification.is_normal() {
            let whole = specification.with_all_steps(machine, compared);
            if let Some(whole) = machine.during(work, Some(expr.span), whole)? {
                specification = whole;
            }
        }
    }
    Ok(Some(specification))
}
