//! Offers: the events of a part of a network, with their rules under construction.

use smallvec::SmallVec;

use super::events::EventId;
use super::tree::Turn;
use super::waiting::Wait;
use crate::eval::Evaluator;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;

/// Rules made between two checks of the limits.
const POLL_EVERY: usize = 4096;

/// Components and their events: mostly two, or a few more.
pub(super) type PartialParts = SmallVec<[(u16, EventId); 4]>;

/// A rule under construction.
#[derive(Clone)]
pub(super) struct PartialRule {
    pub(super) parts: PartialParts,
    /// The event before hiding, for display.
    pub(super) shown: EventId,
    /// Its waits at priority operators.
    pub(super) waits: Vec<Wait>,
    /// Whether it leads only to the first of its targets.
    pub(super) chased: bool,
    /// The operators that end with it.
    pub(super) turns: Vec<Turn>,
}

impl PartialRule {
    /// A rule with these participants, without waits and turns.
    pub(super) fn new(parts: PartialParts, shown: EventId) -> Self {
        Self {
            parts,
            shown,
            waits: Vec::new(),
            chased: false,
            turns: Vec::new(),
        }
    }
}

/// The events of a subtree, each with the ways to perform it.
pub(super) type Offers = IndexMap<EventId, Vec<PartialRule>>;

/// Adds ways to perform an event.
pub(super) fn offer(offers: &mut Offers, event: EventId, ways: Vec<PartialRule>) {
    let known = offers.entry(event).or_default();
    if known.is_empty() {
        *known = ways;
    } else {
        known.extend(ways);
    }
}

/// Combines one offer of each operand, in all ways: there may be very many.
pub(super) fn join<'a>(
    eval: &Evaluator,
    operands: impl Iterator<Item = &'a [PartialRule]>,
    event: EventId,
) -> Result<Vec<PartialRule>> {
    let mut joined = vec![PartialRule::new(PartialParts::new(), event)];
    for offers in operands {
        let mut next = Vec::with_capacity((joined.len() * offers.len()).min(POLL_EVERY));
        for done in &joined {
            for offer in offers {
                if next.len() % POLL_EVERY == POLL_EVERY - 1 {
                    eval.check_time()?;
                }
                next.push(PartialRule {
                    parts: done.parts.iter().chain(&offer.parts).copied().collect(),
                    shown: event,
                    waits: done.waits.iter().chain(&offer.waits).copied().collect(),
                    chased: done.chased || offer.chased,
                    turns: done.turns.iter().chain(&offer.turns).copied().collect(),
                });
            }
        }
        // Without an offer of one operand nothing can be combined.
        joined = next;
    }
    Ok(joined)
}
