//! Expansion of a node: its events and their targets.
//!
//! A large specification has nodes of thousands of members, and the closure of an event's targets under τ may take
//! seconds. So in large nodes it is computed once the event is followed: an implementation with little behaviour needs
//! few.

use super::{
    Edges, Node, NodeId, NodeLabel, POLL_EVERY, Specification, UNMADE, minimal, settle, stable,
};
use crate::machine::{EventId, Machine};
use crate::source::WorkStage;
use crate::source::diagnostic::Result;
use crate::source::hash::{Map, Set};
use crate::specification::states::StateNumber;

/// Members of a node above which it is expanded event by event. In smaller ones all events are closed at once, since
/// each later request makes the search expand a state again.
const AT_ONCE_MAX: usize = 256;
/// New states reached from a node, or by one event, above which the same is done.
const MET_MAX: usize = 1_024;

impl Specification {
    /// Finds the events of a node, its acceptances, and whether it diverges.
    pub(super) fn expand(&mut self, machine: &mut Machine, node: NodeId) -> Result<()> {
        if self.expansion(node).is_some() {
            return Ok(());
        }
        let nodes = self.nodes.len();
        machine.eval.reach(WorkStage::Normalising, nodes);
        let (mut visible, mut events) = (Vec::new(), Set::default());
        let mut acceptances = Vec::new();
        // A copy, since closing and interning below make further nodes.
        let members = self.nodes.list(node.0).to_vec();
        let at_once = members.len() <= AT_ONCE_MAX;
        for (n, state) in members.iter().enumerate() {
            if n % POLL_EVERY == 0 {
                machine.eval.check_time()?;
            }
            self.states.explore(machine, &mut self.network, *state)?;
            let steps = self.states.steps(*state);
            let mut initials: Vec<EventId> = steps.iter().map(|step| step.0).collect();
            let shown = steps.iter().filter(|step| step.0 != EventId::TAU);
            match at_once {
                true => visible.extend(shown),
                false => events.extend(shown.map(|step| step.0)),
            }
            // Members that are not stable, and cannot terminate, have no acceptance.
            if settle(&mut initials) {
                acceptances.push(initials);
            }
        }
        // `step` searches events in ascending order.
        let edges = match at_once {
            true => self.close_targets(machine, visible)?,
            false => {
                let mut events: Vec<EventId> = events.into_iter().collect();
                events.sort_unstable();
                events.into_iter().map(|event| (event, UNMADE)).collect()
            }
        };
        let acceptances = match self.keeps_revivals {
            true => stable::irreducible(machine, acceptances)?,
            false => minimal(machine, acceptances)?,
        };
        // Last, so that after an error the node counts as not expanded and can be tried again.
        let (label, _) = self.labels.insert_full(NodeLabel {
            acceptances,
            diverges: self.has_cycle(&members),
        });
        let label = label as u32;
        self.expanded[node.0 as usize] = self.expansions.len() as u32;
        self.expansions.push(Node { edges, label });
        Ok(())
    }

    /// The targets of the events of a node with these visible steps of its members.
    fn close_targets(
        &mut self,
        machine: &mut Machine,
        mut steps: Vec<(EventId, StateNumber)>,
    ) -> Result<Edges> {
        // New nodes get their numbers in this order. The stable sort keeps targets in the order of generation.
        steps.sort_by_key(|step| step.0);
        let before = self.states.len();
        let mut edges = Vec::new();
        // Many events lead to the same states, such as those of a channel with a field that does not matter.
        let mut made: Map<Vec<StateNumber>, NodeId> = Map::default();
        for (n, of_event) in steps.chunk_by(|a, b| a.0 == b.0).enumerate() {
            if n % POLL_EVERY == 0 {
                machine.eval.check_time()?;
            }
            let targets: Vec<StateNumber> = of_event.iter().map(|step| step.1).collect();
            let is_cheap = self.states.len() - before <= MET_MAX;
            let to = match made.get(&targets) {
                Some(to) => Some(*to),
                None if is_cheap => self.close_if_small(machine, targets.clone())?,
                None => None,
            };
            if let Some(to) = to {
                made.insert(targets, to);
            }
            edges.push((of_event[0].0, to.unwrap_or(UNMADE)));
        }
        Ok(edges.into())
    }

    /// Computes the target of an event that an expanded node allows.
    pub(super) fn make_edge(
        &mut self,
        machine: &mut Machine,
        node: NodeId,
        event: EventId,
    ) -> Result<()> {
        let members = self.nodes.list(node.0).iter();
        let steps = members.flat_map(|member| self.states.steps(*member));
        let targets = steps.filter(|step| step.0 == event).map(|step| step.1);
        let targets = targets.collect();
        let to = self.close_and_intern(machine, targets)?;
        let place = self.expanded[node.0 as usize] as usize;
        if let Some(expanded) = self.expansions.get_mut(place)
            && let Ok(at) = expanded.edges.binary_search_by_key(&event, |e| e.0)
        {
            expanded.edges[at].1 = to;
        }
        Ok(())
    }

    /// Whether all targets of a node are computed.
    #[must_use]
    pub fn is_expanded(&self, node: NodeId) -> bool {
        let expanded = self.expansion(node);
        expanded.is_some_and(|node| node.edges.iter().all(|(_, to)| *to != UNMADE))
    }

    /// Expands a node, if needed, and computes all of its targets.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn expand_wholly(&mut self, machine: &mut Machine, node: NodeId) -> Result<()> {
        let expanded = self.make_all(machine, node, usize::MAX);
        self.during(machine, expanded).map(|_| ())
    }

    /// Expands a node within a bound on reached states. Returns false if there are events beyond that.
    pub(super) fn make_all(
        &mut self,
        machine: &mut Machine,
        node: NodeId,
        states_max: usize,
    ) -> Result<bool> {
        self.expand(machine, node)?;
        let unmade: Vec<EventId> = self
            .expansion(node)
            .into_iter()
            .flat_map(|expanded| expanded.edges.iter())
            .filter(|(_, to)| *to == UNMADE)
            .map(|(event, _)| *event)
            .collect();
        for event in unmade {
            if self.states.len() > states_max {
                return Ok(false);
            }
            self.make_edge(machine, node, event)?;
        }
        Ok(true)
    }

    /// The closure of some states, or `None` above the bound for events that are not followed yet.
    fn close_if_small(
        &mut self,
        machine: &mut Machine,
        mut states: Vec<StateNumber>,
    ) -> Result<Option<NodeId>> {
        let left = self.members_max.saturating_sub(self.members).min(MET_MAX);
        let network = &mut self.network;
        let is_small = self.states.close(machine, network, &mut states, left)?;
        Ok(is_small.then(|| self.intern(machine, &states)))
    }

    fn close_and_intern(
        &mut self,
        machine: &mut Machine,
        states: Vec<StateNumber>,
    ) -> Result<NodeId> {
        let closed = self.close(machine, states)?;
        Ok(self.intern(machine, &closed))
    }
}
