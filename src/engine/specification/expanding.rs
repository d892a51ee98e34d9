//! What a node allows, and where it leads.
//!
//! A specification that is a large system has nodes of thousands of members, and it may take seconds to close what an
//! event leads to under τ. So where a node has many members that is done for an event once somebody follows it: an
//! implementation that does little needs little.

use super::{Edges, Node, NodeId, POLL_EVERY, Specification, UNMADE, minimal, settle, stable};
use crate::machine::{EventId, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::{Map, Set};
use crate::specification::states::StateNumber;

/// Nodes of more members are expanded event by event. Of smaller ones all events are closed at once: each that is asked
/// for later has a state of the search expanded again.
const AT_ONCE_MAX: usize = 256;
/// The same of a node from which more states were met for the first time, and of an event that leads to more.
const MET_MAX: usize = 1_024;

impl Specification {
    /// Finds what a node allows, its acceptances, and whether it diverges.
    pub(super) fn expand(&mut self, machine: &mut Machine, node: NodeId) -> Result<()> {
        let (mut visible, mut events) = (Vec::new(), Set::default());
        let mut acceptances = Vec::new();
        // A copy: closing and interning below make further nodes.
        let members = self.nodes[node.0 as usize].clone();
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
            // Members that are not stable, and cannot terminate, have none.
            if settle(&mut initials) {
                acceptances.push(initials);
            }
        }
        // `step` looks for events in ascending order.
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
        // Last of all: after an error the node counts as not expanded and can be tried again.
        self.expanded[node.0 as usize] = Some(Node {
            edges,
            acceptances,
            diverges: self.has_cycle(&members),
        });
        Ok(())
    }

    /// Where each event leads from a node whose members have these visible steps.
    fn close_targets(
        &mut self,
        machine: &mut Machine,
        mut steps: Vec<(EventId, StateNumber)>,
    ) -> Result<Edges> {
        // New nodes get their numbers in this order. The sort is stable: targets are closed in the order in which they
        // were met.
        steps.sort_by_key(|step| step.0);
        let before = self.states.len();
        let mut edges = Vec::new();
        // Many events lead to the same states: those of a channel of which nobody looks at some field.
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

    /// Finds where an event leads from an expanded node that allows it.
    pub(super) fn make_edge(
        &mut self,
        machine: &mut Machine,
        node: NodeId,
        event: EventId,
    ) -> Result<()> {
        let members = self.nodes[node.0 as usize].iter();
        let steps = members.flat_map(|member| self.states.steps(*member));
        let targets = steps.filter(|step| step.0 == event).map(|step| step.1);
        let targets = targets.collect();
        let to = self.close_and_intern(machine, targets)?;
        if let Some(expanded) = &mut self.expanded[node.0 as usize]
            && let Ok(at) = expanded.edges.binary_search_by_key(&event, |e| e.0)
        {
            expanded.edges[at].1 = to;
        }
        Ok(())
    }

    /// Whether it is known of a node where all that it allows leads.
    #[must_use]
    pub fn is_expanded(&self, node: NodeId) -> bool {
        let expanded = self.expanded[node.0 as usize].as_ref();
        expanded.is_some_and(|node| node.edges.iter().all(|(_, to)| *to != UNMADE))
    }

    /// Expands a node, if that was not done, and finds where all that it allows leads.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn expand_wholly(&mut self, machine: &mut Machine, node: NodeId) -> Result<()> {
        let expanded = self.make_all(machine, node, usize::MAX);
        self.during(machine, expanded).map(|_| ())
    }

    /// The same, as long as so many states of the network were met; false if there are events beyond that.
    pub(super) fn make_all(
        &mut self,
        machine: &mut Machine,
        node: NodeId,
        states_max: usize,
    ) -> Result<bool> {
        if self.expanded[node.0 as usize].is_none() {
            self.expand(machine, node)?;
        }
        let unmade: Vec<EventId> = self.expanded[node.0 as usize]
            .iter()
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

    /// None if more states belong to what is closed than is done before anybody follows the event.
    fn close_if_small(
        &mut self,
        machine: &mut Machine,
        mut states: Vec<StateNumber>,
    ) -> Result<Option<NodeId>> {
        let left = self.members_max.saturating_sub(self.members).min(MET_MAX);
        let network = &mut self.network;
        let is_small = self.states.close(machine, network, &mut states, left)?;
        Ok(is_small.then(|| self.intern(machine, states)))
    }

    fn close_and_intern(
        &mut self,
        machine: &mut Machine,
        states: Vec<StateNumber>,
    ) -> Result<NodeId> {
        let closed = self.close(machine, states)?;
        Ok(self.intern(machine, closed))
    }
}
