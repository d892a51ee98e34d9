//! Stable members of a node in models beyond failures: those that also refuse what a state of the implementation
//! refuses (refusal testing), and the events that they offer together (revivals).
//!
//! A *revival* is a trace, a refusal after it, and an event that is possible all the same. So for each event `a` of a
//! stable state that offers `A`, the specification needs a stable state that offers `B` with `a ∈ B ⊆ A`, and for empty
//! `A` one that offers nothing. Minimal acceptances are not enough for that: a node keeps all that are no union of
//! others.

use super::acceptances::is_subset;
use super::{Machine, NodeId, POLL_EVERY, SpecMiss, Specification, settle};
use crate::machine::EventId;
use crate::source::diagnostic::Result;

impl Specification {
    /// The stable members of a node that offer no events but these (ascending, without ✓), as a node; `Ok(None)` if
    /// there are none. It is closed, since none of them can perform τ.
    ///
    /// Members that can terminate are excluded: they refuse all but ✓ only if they do nothing else.
    ///
    /// # Errors
    /// The restriction was not computed before.
    pub fn restrict(
        &self,
        node: NodeId,
        offered: &[EventId],
    ) -> std::result::Result<Option<NodeId>, SpecMiss> {
        let known = self.restricted.get(&node).and_then(|all| all.get(offered));
        let miss = || SpecMiss::Restriction(node, offered.into());
        known.copied().ok_or_else(miss)
    }

    pub(super) fn make_restriction(
        &mut self,
        machine: &mut Machine,
        node: NodeId,
        offered: &[EventId],
    ) -> Result<()> {
        let mut kept = Vec::new();
        for (n, member) in self.nodes.list(node.0).iter().enumerate() {
            if n % POLL_EVERY == 0 {
                machine.eval.check_time()?;
            }
            self.states.explore(machine, &mut self.network, *member)?;
            let steps = self.states.steps(*member).iter();
            let mut initials: Vec<EventId> = steps.map(|step| step.0).collect();
            if settle(&mut initials) && is_subset(&initials, offered) {
                kept.push(*member);
            }
        }
        // Members ascend, so the remaining ones do.
        let found = (!kept.is_empty()).then(|| self.intern(machine, &kept));
        let restricted = self.restricted.entry(node).or_default();
        restricted.insert(offered.into(), found);
        Ok(())
    }

    /// Keeps acceptances of each node for revivals, from now on.
    pub fn keep_revivals(&mut self) {
        self.keeps_revivals = true;
    }

    /// The first of some events (ascending) that an expanded node allows, but that none of its stable members offers
    /// without events outside these. [`Specification::keep_revivals`] has to be called before.
    ///
    /// # Errors
    /// The node was not expanded yet.
    pub fn without_revival(
        &self,
        node: NodeId,
        offered: &[EventId],
    ) -> std::result::Result<Option<EventId>, SpecMiss> {
        let expanded = self.node(node)?;
        let inside = self.label(expanded).acceptances.iter();
        let inside: Vec<_> = inside.filter(|set| is_subset(set, offered)).collect();
        let revives = |event: &EventId| inside.iter().any(|set| set.binary_search(event).is_ok());
        // An event that is not allowed is reported one step later.
        let allowed = |event: &EventId| {
            let edges = expanded.edges.binary_search_by_key(event, |e| e.0);
            edges.is_ok()
        };
        let lost = offered.iter().copied().find(|e| allowed(e) && !revives(e));
        Ok(lost)
    }
}

/// The sets that are no unions of others among them, in ascending order; the empty set is kept. For each event they
/// contain the smallest sets with it, on which revivals depend.
pub(super) fn irreducible(
    machine: &Machine,
    mut sets: Vec<Vec<EventId>>,
) -> Result<Vec<Box<[EventId]>>> {
    // Smaller ones first: subsets of a set come before it.
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    sets.dedup();
    let mut kept: Vec<Box<[EventId]>> = Vec::new();
    for (n, set) in sets.into_iter().enumerate() {
        if n % POLL_EVERY == 0 {
            machine.eval.check_time()?;
        }
        let inside: Vec<_> = kept.iter().filter(|small| is_subset(small, &set)).collect();
        let covered = |event: &EventId| inside.iter().any(|s| s.binary_search(event).is_ok());
        if set.is_empty() || !set.iter().all(covered) {
            kept.push(set.into());
        }
    }
    Ok(kept)
}
