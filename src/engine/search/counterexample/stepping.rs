//! Steps from one stored state to the next, replayed on the raw machine.

use std::hash::BuildHasher;
use std::sync::Arc;

use super::{GroupElement, ProductTransition, RawStep, ReducedStep, broken, moves, raw_step};
use crate::machine::{EventId, FormatId, LocalId};
use crate::reductions::partial_order::PartialOrder;
use crate::reductions::sleep::SleepStep;
use crate::reductions::steps::RawPair;
use crate::reductions::steps::StepTarget;
use crate::search::breadth_first::LazyProduct;
use crate::search::keeping::buckets::are_alike;
use crate::search::product::{Product, ProductMiss, ProductScratch, ProductState};
use crate::search::store::{StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::source::hash::Fx;
use crate::symmetry::Permutation;
use crate::symmetry::matching::PairwiseAnswer;
use crate::symmetry::strategy::Strategy;

/// The error if a stored state is not reached from its parent.
const NO_TRANSITION: &str = "a step of the reduced path has no transition";

/// A state up to bisimilar local states and exchanged copies, both of which commute with the permutations.
fn settled(product: &Product<'_>, format: FormatId, locals: &[LocalId]) -> Vec<LocalId> {
    let mut locals = locals.to_vec();
    product
        .network
        .format(format)
        .merged()
        .classify(&mut locals);
    // Without a strategy no copies were exchanged.
    if product.strategy.is_some() {
        let copies = product.network.format(format).copies();
        copies.settle(&mut locals);
    }
    locals
}

/// The identity of the group.
pub(super) fn identity(product: &Product<'_>) -> GroupElement {
    match product.structure() {
        Some(group) => GroupElement::Structure(Arc::new(group.identity())),
        None => GroupElement::Values(Permutation::identity(product.atoms.len())),
    }
}

/// The group element of the last representative.
pub(super) fn current(product: &Product<'_>, scratch: &ProductScratch) -> GroupElement {
    let found = &scratch.keeping.representative;
    match (product.structure(), product.strategy) {
        (Some(group), _) => GroupElement::Structure(Arc::new(group.found(&found.structural))),
        (None, Some(_)) => GroupElement::Values(Permutation::from_image(&found.image)),
        (None, None) => identity(product),
    }
}

/// A transition of a state to the orbit of the stored pair `to`, and the permutation π' that maps its target to that
/// pair.
pub(crate) fn matching_move(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    at: &ProductState,
    quiet: bool,
    to: StoredId,
    scratch: &mut ProductScratch,
) -> Result<(ProductTransition, GroupElement)> {
    let bytes = store.pair(to);
    let found = lazy.complete(|product| {
        let mut steps = Vec::new();
        let from = product.followed_from_state(at)?;
        for step in moves(product, at)? {
            // The state after ✓ is not stored, but a stored one may be bisimilar to it.
            if step.event == EventId::TICK || quiet && step.event != EventId::TAU {
                continue;
            }
            if let Some(node) = product.follow(from, step.event)? {
                steps.push((node, step));
            }
        }
        match product.keeping {
            None => by_representative(product, steps, &bytes, scratch),
            Some(_) => by_permutation(product, steps, &bytes, scratch),
        }
    })?;
    found.ok_or_else(|| broken(NO_TRANSITION))
}

/// A step, and the permutation that maps its target to the stored pair.
type MatchingStep = Option<(ProductTransition, GroupElement)>;

/// A hash that a state shares with its representative where values are permuted: the sum over components of class and
/// shape. Zero under a structural group.
fn signature_of(product: &Product<'_>, format: FormatId, locals: &[LocalId]) -> u64 {
    if product.structure().is_some() {
        return 0;
    }
    let format = product.network.format(format);
    let components = format.components().iter().zip(0..);
    let signatures = components.zip(locals).map(|((component, place), local)| {
        let local = format.merged().stands_for(place, *local);
        let shape = product.locals.shape_of(local);
        Fx.hash_one((component.class, shape))
    });
    signatures.fold(0, u64::wrapping_add)
}

/// The first step whose representative is the stored pair.
fn by_representative(
    product: &Product<'_>,
    steps: Vec<(u32, ProductTransition)>,
    to: &[u8],
    scratch: &mut ProductScratch,
) -> std::result::Result<MatchingStep, ProductMiss> {
    let mut stored = ProductState::default();
    product.unpack(to, &mut stored);
    let signature = signature_of(product, FormatId(stored.format), &stored.locals);
    for (node, step) in steps {
        // A cheap test: of thousands of steps nearly all lead elsewhere.
        if step.format.0 != stored.format
            || signature_of(product, step.format, &step.locals) != signature
        {
            continue;
        }
        let out = &mut scratch.keeping.representative;
        let node = product.representative(node, step.format, &step.locals, out)?;
        let mut bytes = Vec::new();
        product.pack(node, step.format, &out.locals, &mut bytes);
        // Stored states are padded with zeros.
        bytes.resize(to.len(), 0);
        if bytes == to {
            let by = current(product, scratch);
            return Ok(Some((step, by)));
        }
    }
    Ok(None)
}

/// The first step to the stored pair, or else the first to its orbit.
fn by_permutation(
    product: &Product<'_>,
    steps: Vec<(u32, ProductTransition)>,
    to: &[u8],
    scratch: &mut ProductScratch,
) -> std::result::Result<MatchingStep, ProductMiss> {
    let mut stored = ProductState::default();
    product.unpack(to, &mut stored);
    let mut targets = Vec::with_capacity(steps.len());
    for (node, step) in &steps {
        let pair = RawPair {
            node: *node,
            format: step.format,
            locals: &step.locals,
        };
        let out = &mut scratch.keeping.representative;
        let node = product.pack_as_met(pair, out, &mut Vec::new());
        targets.push(ProductState {
            node,
            format: step.format.0,
            locals: out.locals.clone(),
        });
    }
    let mut by = None;
    if let Some(place) = targets.iter().position(|target| *target == stored) {
        by = Some((place, identity(product)));
    }
    for (place, target) in targets.iter().enumerate() {
        if by.is_some() {
            break;
        }
        if let PairwiseAnswer::Alike(image) = are_alike(product, target, &stored)? {
            let by_values = Permutation::from_image(&image);
            by = Some((place, GroupElement::Values(by_values)));
        }
    }
    Ok(by.and_then(|(place, by)| {
        let (_, step) = steps.into_iter().nth(place)?;
        Some((step, by))
    }))
}

pub(super) fn inverse_event(
    lazy: &mut LazyProduct<'_>,
    pi: &GroupElement,
    event: EventId,
) -> EventId {
    let group = lazy.strategy.and_then(Strategy::structure);
    pi.inverse().event(lazy.machine, group, event)
}

/// The steps of a state to the stored pair `to`: one, and those of the states skipped on the way. The permutation
/// maps their target to that pair.
fn matching_steps(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    at: &ProductState,
    quiet: bool,
    to: StoredId,
    scratch: &mut ProductScratch,
) -> Result<(Vec<ProductTransition>, GroupElement)> {
    if !lazy.partial_order.is_some_and(PartialOrder::skips_states) {
        let (step, by) = matching_move(lazy, store, at, quiet, to, scratch)?;
        return Ok((vec![step], by));
    }
    if let Some(found) = matching_run(lazy, store, at, to, scratch)? {
        return Ok(found);
    }
    // No states were skipped.
    let (step, by) = matching_move(lazy, store, at, quiet, to, scratch)?;
    Ok((vec![step], by))
}

/// Steps of which all but the first start in states skipped, and the permutation that maps their target to the
/// stored pair.
type MatchingRun = Option<(Vec<ProductTransition>, GroupElement)>;

/// The first step to the stored pair `to`, extended over skipped states.
fn matching_run(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    at: &ProductState,
    to: StoredId,
    scratch: &mut ProductScratch,
) -> Result<MatchingRun> {
    lazy.complete(|product| {
        let from = product.followed_from_state(at)?;
        for step in moves(product, at)? {
            if step.event == EventId::TICK {
                continue;
            }
            let Some(node) = product.follow(from, step.event)? else {
                continue;
            };
            let first = StepTarget {
                event: step.event,
                rule: step.rule,
                node,
                format: step.format,
                locals: step.locals,
                sleep: SleepStep::default(),
            };
            let steps = product.until_stored(first)?;
            let run: Vec<_> = steps.into_iter().map(ProductTransition::by).collect();
            let last = run.last().cloned().map(|last| (node, last));
            let steps = last.into_iter().collect();
            let matching = by_representative(product, steps, &store.pair(to), scratch)?;
            if let Some((_, by)) = matching {
                return Ok(Some((run, by)));
            }
        }
        Ok(None)
    })
}

impl ProductTransition {
    fn by(step: StepTarget) -> Self {
        Self {
            event: step.event,
            rule: step.rule,
            format: step.format,
            locals: step.locals,
        }
    }
}

/// Replays the steps from one stored state to the next on the raw machine, or reports that it cannot. `π` maps the raw
/// state to one bisimilar to the stored one, before and after.
pub(super) fn advance(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    (from, to, quiet): (StoredId, StoredId, bool),
    (raw, pi): (&ProductState, &mut GroupElement),
    steps: &mut Vec<RawStep>,
) -> Result<ProductState> {
    lazy.machine.eval.check_time()?;
    let mut scratch = ProductScratch::default();
    let mut at = ProductState::default();
    lazy.product().unpack(&store.pair(from), &mut at);
    let (run, next_pi) = matching_steps(lazy, store, &at, quiet, to, &mut scratch)?;
    let mut raw = raw.clone();
    // Maps the states skipped by the reduced run to their representatives.
    let mut to_shown = identity(&lazy.product());
    for (number, reduced) in run.iter().enumerate() {
        // Each of thousands of components may have a step, whose image is compared.
        lazy.machine.eval.check_time()?;
        let (step, after) = perform(lazy, &raw, pi, reduced)?;
        let mut shown = ProductState::default();
        let shown_by = if number + 1 == run.len() {
            lazy.product().unpack(&store.pair(to), &mut shown);
            next_pi.clone()
        } else {
            shown = represented(lazy, after.node, reduced, &mut scratch)?;
            current(&lazy.product(), &scratch)
        };
        let by = pi.then(&shown_by);
        debug_assert!(is_image(lazy, &after, &by, &shown)?, "what is shown is it");
        let mut step = raw_step(lazy, &raw, &step, after.clone(), true);
        let group = lazy.strategy.and_then(Strategy::structure);
        let event = to_shown.event(lazy.machine, group, reduced.event);
        let before = pi.then(&to_shown);
        #[cfg(debug_assertions)]
        {
            let image = before.event(lazy.machine, group, step.event);
            let merged = lazy.network.format(FormatId(raw.format)).merged();
            assert!(
                merged.is_same(image, event),
                "the permutation takes one event to the other"
            );
        }
        step.reduced = Some(ReducedStep {
            event,
            after: shown,
            pi: before,
        });
        steps.push(step);
        (raw, to_shown) = (after, shown_by);
    }
    // The invariant of π holds again after the steps.
    *pi = pi.then(&next_pi);
    Ok(raw)
}

/// Whether an element maps a state to another one, up to bisimilar local states and exchanged copies.
fn is_image(
    lazy: &mut LazyProduct<'_>,
    state: &ProductState,
    by: &GroupElement,
    image: &ProductState,
) -> Result<bool> {
    lazy.complete(|product| {
        let (locals, network) = (product.locals, product.network);
        let here = (FormatId(state.format), &state.locals[..]);
        let format = FormatId(image.format);
        let found = by.state(locals, network, product.structure(), here, format)?;
        let found = found.map(|found| settled(product, format, &found));
        Ok(found == Some(settled(product, format, &image.locals)))
    })
}

/// The representative of the target of a step of the reduced run.
fn represented(
    lazy: &mut LazyProduct<'_>,
    node: u32,
    step: &ProductTransition,
    scratch: &mut ProductScratch,
) -> Result<ProductState> {
    lazy.complete(|product| {
        let out = &mut scratch.keeping.representative;
        let node = product.representative(node, step.format, &step.locals, out)?;
        Ok(ProductState {
            node,
            format: step.format.0,
            locals: out.locals.clone(),
        })
    })
}

/// Replays a step of the reduced run on the raw machine, where `π` maps the raw state to the reduced one.
fn perform(
    lazy: &mut LazyProduct<'_>,
    raw: &ProductState,
    pi: &GroupElement,
    reduced: &ProductTransition,
) -> Result<(ProductTransition, ProductState)> {
    let event = inverse_event(lazy, pi, reduced.event);
    let found = lazy.complete(|product| {
        let wanted = settled(product, reduced.format, &reduced.locals);
        // If all visible events are identified, bisimilar states may differ in the event.
        let merged = product.network.format(FormatId(raw.format)).merged();
        let mut alike = Vec::new();
        for step in moves(product, raw)? {
            if !merged.is_same(step.event, event) {
                continue;
            }
            // The reduced run may enter a format that is the image of this one.
            let here = (step.format, &step.locals[..]);
            let (locals, network) = (product.locals, product.network);
            let image = pi.state(locals, network, product.structure(), here, reduced.format)?;
            let image = image.map(|image| settled(product, reduced.format, &image));
            if image.as_ref() == Some(&wanted) {
                alike.push(step);
            }
        }
        // If operands were exchanged, two formats are images of each other, and their successors may differ: the format
        // of the reduced run comes first.
        alike.sort_by_key(|step| step.format != reduced.format);
        Ok(alike)
    })?;
    // A permutation maps the rules of a format to themselves, not its operators: components interleaved by equal
    // operators may be grouped differently. So a format with image operators is preferred, and not required.
    let by_operators = found.iter().position(|step| {
        let tables = (&mut *lazy.machine, &*lazy.network);
        pi.takes_format(tables, step.format, reduced.format)
    });
    let step = found
        .into_iter()
        .nth(by_operators.unwrap_or(0))
        .ok_or_else(|| broken("a step of the counterexample does not replay"))?;
    // The representative's step was allowed. If this one is not, the reduction is wrong.
    let node = lazy
        .complete(|product| product.follow(product.followed_from_state(raw)?, step.event))?
        .ok_or_else(|| {
            broken("a step of the counterexample is not allowed by the specification")
        })?;
    let after = ProductState {
        node,
        format: step.format.0,
        locals: step.locals.clone(),
    };
    Ok((step, after))
}
