//! What the specification does with what a state of the implementation can do: where its events lead, and what is
//! wrong with it.
//!
//! # Refusal testing
//!
//! Behaviours are runs on which, in each stable state, what it refuses may be observed before its next event. Of two
//! observations of one state the one of more refusals says more, so for each stable state the strongest is made: all
//! but its own events. The specification then goes on from those of its states that are stable and refuse that, too:
//! its node is restricted to them before the event, and no longer than that. If there are none, the state refuses more
//! than the specification; where an event leads is, as in other models, closed under τ.

use super::product::{Product, ProductMiss, ProductState, Violation};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId};
use crate::specification::{NodeId, settle};

/// What the specification follows the events of a state from: its node, in refusal testing restricted to what also
/// refuses what the state refuses, if that is anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowedFrom(Option<u32>);

impl FollowedFrom {
    /// From a node, whatever a state offers.
    #[must_use]
    pub fn node(node: u32) -> Self {
        Self(Some(node))
    }
}

impl Product<'_> {
    /// What events of a state of the implementation are followed from, at a node, where these are its events (in
    /// any order, each once or more often).
    ///
    /// # Errors
    /// What the specification does not hold.
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
        // Nothing is observed of a state that is not stable. One that can terminate refuses all but ✓ and then does
        // nothing but that, which is allowed where it would be without: its other events come before.
        if !settle(&mut offered) || offered.contains(&EventId::TICK) {
            return Ok(FollowedFrom(Some(node)));
        }
        let restricted = specification.restrict(NodeId(node), &offered)?;
        Ok(FollowedFrom(restricted.map(|node| node.0)))
    }

    /// The same of a state whose events are not known yet.
    ///
    /// # Errors
    /// What the tables do not hold.
    pub fn followed_from_state(&self, at: &ProductState) -> Result<FollowedFrom, ProductMiss> {
        let mut initials = Vec::new();
        if self.demands.refusal_testing {
            self.initials(at, &mut RuleScratch::default(), &mut initials)?;
        }
        self.followed_from(at.node, &initials)
    }

    /// Appends the events of a state.
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

    /// The node after an event of the implementation; `None` if it is not allowed. (Not what stands for
    /// it: counterexamples show the states of the script.)
    ///
    /// # Errors
    /// What the specification does not hold.
    pub fn follow(&self, from: FollowedFrom, event: EventId) -> Result<Option<u32>, ProductMiss> {
        let Some(node) = from.0 else {
            return Ok(None);
        };
        match self.specification {
            // A τ of the implementation leaves the specification where it is: its nodes are closed
            // under their own τ.
            Some(specification) if event != EventId::TAU => {
                Ok(specification.step(NodeId(node), event)?.map(|n| n.0))
            }
            _ => Ok(Some(node)),
        }
    }

    /// Whether an event of the implementation is allowed at a node, wherever it leads.
    ///
    /// # Errors
    /// What the specification does not hold.
    pub(crate) fn allows(&self, node: u32, event: EventId) -> Result<bool, ProductMiss> {
        match self.specification {
            Some(specification) if event != EventId::TAU => {
                Ok(specification.allows(NodeId(node), event)?)
            }
            _ => Ok(true),
        }
    }

    /// The events that the specification allows there, ascending.
    ///
    /// # Errors
    /// What the specification does not hold.
    pub fn allowed_from(&self, from: FollowedFrom) -> Result<Vec<EventId>, ProductMiss> {
        let Some((specification, node)) = self.specification.zip(from.0) else {
            return Ok(Vec::new());
        };
        // For its error alone: a node that is not expanded yet would seem to allow nothing.
        specification.diverges(NodeId(node))?;
        Ok(specification.allowed(NodeId(node)).collect())
    }

    /// What is wrong with a state that offers these events (in any order, changed), apart from events
    /// that are not allowed.
    ///
    /// # Errors
    /// What the specification does not hold.
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
        // A state that is not stable and cannot terminate has no acceptance: it may still change.
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
            // For its error alone: a node that is not expanded yet would seem to allow nothing.
            specification.diverges(node)?;
            let refused = specification
                .allowed(node)
                .find(|event| initials.binary_search(event).is_err());
            return Ok(refused.map(Violation::Ambiguity));
        }
        Ok(None)
    }
}
