//! Steps of the specification for the events of an implementation state, and violations.
//!
//! # Refusal testing
//!
//! Behaviours are runs on which, in each stable state, its refusals may be observed before its next event. Of two
//! observations of one state the larger refusal is stronger, so each stable state is observed with the largest: all but
//! its own events. The specification then continues from its members that are stable and refuse that too: its node is
//! restricted to them for this event alone. If there are none, the state refuses more than the specification. The
//! target of an event is, as in other models, closed under τ.

use super::product::{Product, ProductMiss, ProductState, Violation};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId};
use crate::specification::{NodeId, settle};

/// The node from which the specification follows the events of a state; in refusal testing restricted to the members
/// that refuse what the state refuses, `None` if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowedFrom(Option<u32>);

impl FollowedFrom {
    /// The unrestricted node, for any offer.
    #[must_use]
    pub fn node(node: u32) -> Self {
        Self(Some(node))
    }
}

impl Product<'_> {
    /// The restriction of a node by the offer of an implementation state: its events, in any order, possibly repeated.
    ///
    /// # Errors
    /// A missing entry of the specification.
    pub fn followed_from(
        &self,
        node: u32,
        initials: &[EventId],
    ) -> Result<FollowedFrom, ProductMiss> {
        let Some(specification) = self.specification.filter(|_| self.demands.refusal_testing)
        else {
            return Ok(FollowedFrom(Some(node)));
        };
        let mut offered = initials.to_vec();
        // Unstable states are not observed. A state that can terminate refuses all but ✓ and then performs only ✓,
        // which is allowed just as without the observation: its other events come before.
        if !settle(&mut offered) || offered.contains(&EventId::TICK) {
            return Ok(FollowedFrom(Some(node)));
        }
        let restricted = specification.restrict(NodeId(node), &offered)?;
        Ok(FollowedFrom(restricted.map(|node| node.0)))
    }

    /// The restriction of a node by a state whose events are not computed yet.
    ///
    /// # Errors
    /// A missing table entry.
    pub fn followed_from_state(&self, at: &ProductState) -> Result<FollowedFrom, ProductMiss> {
        let mut initials = Vec::new();
        if self.demands.refusal_testing {
            self.initials(at, &mut RuleScratch::default(), &mut initials)?;
        }
        self.followed_from(at.node, &initials)
    }

    /// Appends the initial events of a state.
    pub(super) fn initials(
        &self,
        at: &ProductState,
        rules: &mut RuleScratch,
        initials: &mut Vec<EventId>,
    ) -> Result<(), ProductMiss> {
        let format = FormatId(at.format);
        self.network
            .successors(self.locals, format, &at.locals, rules, |successor| {
                initials.push(successor.event);
                Ok(())
            })
    }

    /// The node after an event of the implementation; `None` if the event is not allowed. Not its class:
    /// counterexamples show the states of the script.
    ///
    /// # Errors
    /// A missing entry of the specification.
    pub fn follow(&self, from: FollowedFrom, event: EventId) -> Result<Option<u32>, ProductMiss> {
        let Some(node) = from.0 else {
            return Ok(None);
        };
        match self.specification {
            // A τ of the implementation leaves the node unchanged: nodes are closed under τ.
            Some(specification) if event != EventId::TAU => {
                Ok(specification.step(NodeId(node), event)?.map(|n| n.0))
            }
            _ => Ok(Some(node)),
        }
    }

    /// Whether a node allows an event of the implementation, without its target.
    ///
    /// # Errors
    /// A missing entry of the specification.
    pub(crate) fn allows(&self, node: u32, event: EventId) -> Result<bool, ProductMiss> {
        match self.specification {
            Some(specification) if event != EventId::TAU => {
                Ok(specification.allows(NodeId(node), event)?)
            }
            _ => Ok(true),
        }
    }

    /// The events that the specification allows, ascending.
    ///
    /// # Errors
    /// A missing entry of the specification.
    pub fn allowed_from(&self, from: FollowedFrom) -> Result<Vec<EventId>, ProductMiss> {
        let Some((specification, node)) = self.specification.zip(from.0) else {
            return Ok(Vec::new());
        };
        // For its error alone: an unexpanded node would seem to allow no event.
        specification.diverges(NodeId(node))?;
        Ok(specification.allowed(NodeId(node)).collect())
    }

    /// The violation of a state that offers these events (in any order; overwritten), apart from events that are not
    /// allowed.
    ///
    /// # Errors
    /// A missing entry of the specification.
    pub fn violation(
        &self,
        node: u32,
        initials: &mut Vec<EventId>,
    ) -> Result<Option<Violation>, ProductMiss> {
        if self.demands.progress && initials.is_empty() {
            return Ok(Some(Violation::Deadlock));
        }
        let Some(specification) = self.specification else {
            return Ok(None);
        };
        // A state that is not stable and cannot terminate has no acceptance.
        if !self.demands.looks_at_offers() || !settle(initials) {
            return Ok(None);
        }
        let node = NodeId(node);
        if self.demands.acceptances && !specification.accepts(node, initials)? {
            return Ok(Some(Violation::Refusal));
        }
        if self.demands.revivals {
            let lost = specification.without_revival(node, initials)?;
            return Ok(lost.map(Violation::Revival));
        }
        if self.demands.determinism {
            // For its error alone: an unexpanded node would seem to allow no event.
            specification.diverges(node)?;
            let refused = specification
                .allowed(node)
                .find(|event| initials.binary_search(event).is_err());
            return Ok(refused.map(Violation::Ambiguity));
        }
        Ok(None)
    }
}
