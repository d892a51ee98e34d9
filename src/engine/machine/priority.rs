//! Priority as a part of a network: the offers of a subtree below a priority operator.
//!
//! The offers stay the same, but some of them get waits ([`super::waiting`]).
//!
//! `chase(P)` is a priority too, where no operator around it observes single steps: the first τ of `P` has
//! priority over all other τ, and every τ over all other events. Unlike `chase` inside a component,
//! the silent steps are taken one by one.

use super::event_sets::EventSets;
use super::events::EventId;
use super::offers::{Offers, PartialRule};
use super::seen::Seen;
use super::tree::Precedence;
use super::waiting::PriorityNode;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::value::Value;

/// Adds the waits of a priority operator to the offers of its operand, and its node to the others.
///
/// # Errors
/// Undecidable membership in a set.
pub(super) fn prioritise(
    mut offers: Offers,
    precedence: Precedence,
    sets: &mut EventSets<'_>,
    seen: &Seen,
    nodes: &mut Vec<PriorityNode>,
) -> Result<Offers> {
    let events = offers.keys().copied();
    let visible: Vec<EventId> = events.filter(|event| event.is_visible()).collect();
    let mut node = match precedence {
        Precedence::Levels(levels) => levelled(levels, &visible, sets)?,
        Precedence::Partial { order, below } => ordered(order, below, &visible, sets)?,
        Precedence::Chase => {
            if let Some(taus) = offers.get_mut(&EventId::TAU) {
                put_in_order(taus, sets);
            }
            let others = offers.keys().filter(|event| **event != EventId::DONE);
            let taus = offers.get(&EventId::TAU).map_or(0, Vec::len) as u32;
            PriorityNode::chasing(others.copied(), taus)
        }
    };
    let all = offers.values().flatten().flat_map(|p| &p.parts);
    // Only components with offers: the others can hold nothing back.
    let components: IndexSet<u16> = all.map(|part| part.0).collect();
    let mut components: Vec<u16> = components.into_iter().collect();
    components.sort_unstable();
    node.place(components, nodes);
    let number = nodes.len() as u16;
    for (event, partials) in &mut offers {
        let Some(class) = node.class_of(*event) else {
            continue;
        };
        if node.chases() && *event == EventId::TAU {
            // Each waits for those before it.
            for (class, partial) in (0..).zip(partials) {
                watch(&mut node, partial, class, seen);
                partial.waits.extend(node.wait(number, class));
                partial.chased = true;
            }
            continue;
        }
        // Watched before their waits at this node are added: what matters is whether they could happen below.
        if node.is_above_some(class) {
            for partial in partials.iter() {
                watch(&mut node, partial, class, seen);
            }
        }
        for partial in partials {
            partial.waits.extend(node.wait(number, class));
        }
    }
    nodes.push(node);
    Ok(offers)
}

fn watch(node: &mut PriorityNode, partial: &PartialRule, class: u32, seen: &Seen) {
    let mut parts = partial.parts.clone();
    parts.sort_unstable();
    let mut waits = partial.waits.clone();
    waits.sort_unstable();
    // An event without participants never happens.
    if let Some(leader) = seen.leader(&parts) {
        node.watch(parts.into_boxed_slice(), class, waits.into(), leader);
    }
}

/// Sorts the ways to do a τ by their participants and by the values of these events: the first one
/// must not depend on the order of discovery, or the same state would be chased in several ways.
fn put_in_order(taus: &mut [PartialRule], sets: &EventSets<'_>) {
    let store = sets.eval.store();
    let by_value = |a: EventId, b: EventId| match (sets.events.value(a), sets.events.value(b)) {
        (Some(a), Some(b)) => store.compare(a, b),
        _ => a.cmp(&b),
    };
    for tau in &mut *taus {
        tau.parts.sort_unstable();
    }
    taus.sort_by(|a, b| {
        let pairs = a.parts.iter().zip(&b.parts);
        let mut orders = pairs.map(|(a, b)| a.0.cmp(&b.0).then_with(|| by_value(a.1, b.1)));
        let first = orders.find(|order| order.is_ne());
        first.unwrap_or_else(|| a.parts.len().cmp(&b.parts.len()))
    });
}

/// The classes of events, with τ and ✓ in the first.
fn silent_first() -> IndexMap<EventId, Option<u32>> {
    let silent = [EventId::TAU, EventId::TICK].into_iter();
    silent.map(|event| (event, Some(0))).collect()
}

/// One class a level; τ and ✓ are of the first.
fn levelled(levels: Value, visible: &[EventId], sets: &mut EventSets<'_>) -> Result<PriorityNode> {
    let levels = sets.eval.store().as_seq(levels).map(<[Value]>::to_vec);
    let levels = levels.unwrap_or_default();
    let mut events = silent_first();
    for event in visible {
        let mut found = None;
        for (n, set) in levels.iter().enumerate() {
            if sets.has(*set, *event)? {
                // An event of several sets belongs to the first.
                found = Some(n as u32);
                break;
            }
        }
        events.insert(*event, found);
    }
    Ok(PriorityNode::with_levels(
        events,
        levels.len().max(1) as u32,
    ))
}

/// One class an event; τ and ✓ share the first.
fn ordered(
    order: Value,
    below: Value,
    visible: &[EventId],
    sets: &mut EventSets<'_>,
) -> Result<PriorityNode> {
    let mut events = silent_first();
    // Nothing is above τ and ✓.
    let mut above = vec![Vec::new()];
    for event in visible {
        let class = above.len() as u32;
        events.insert(*event, Some(class));
        // The class of τ and ✓ is above it, if silent events have priority over the event.
        let below_silence = sets.has(below, *event)?;
        above.push(below_silence.then_some(0).into_iter().collect());
    }
    for (higher, lower) in sets.pairs(order) {
        let class = |e| events.get(&e).copied().flatten();
        if let (Some(higher), Some(lower)) = (class(higher), class(lower)) {
            above[lower as usize].push(higher);
        }
    }
    Ok(PriorityNode::with_order(events, above))
}
