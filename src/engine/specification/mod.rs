//! Normalisation of the specification on demand (Def. 3).
//!
//! A node is a set of states closed under τ. Nodes are made when a search first needs them, and permuted by permuting
//! their members (Def. 15). Bisimilar nodes are merged if all nodes can be computed before the search (`factor`).

mod acceptances;
mod classes;
mod compressing;
mod event_group;
mod expanding;
mod factor;
mod images;
mod orbits;
mod shown;
mod signatures;
mod stable;
mod states;
mod step_finder;

pub use compressing::{SpecificationMerged, SpecificationMerging};
pub use factor::NodeEquivalence;

use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::reductions::partial_order::PartialOrder;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Map};
use crate::source::list_set::ListSet;
use crate::value::Atom;
use acceptances::is_subset;
use compressing::CompressionStage;
use images::NodeImages;
use shown::ShownAtoms;
use states::{StateNumber, States};
use step_finder::{SpecState, StepFinder};

/// A node of the normalised specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A missing entry of the normalised specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecMiss {
    /// The events of a node, and their targets if these take little work.
    Edges(NodeId),
    /// The target of an event that a node allows.
    Edge(NodeId, EventId),
    /// The image of a node under a permutation.
    Image(NodeId, Box<[Atom]>),
    /// The stable members of a node that offer no events but these.
    Restriction(NodeId, Box<[EventId]>),
}

/// The transitions of a node, ascending by event; to [`UNMADE`] until the target is needed.
type Edges = Box<[(EventId, NodeId)]>;

/// No node.
const UNMADE: NodeId = NodeId(u32::MAX);
/// The place of a node that is not expanded.
const UNEXPANDED: u32 = u32::MAX;
/// No local state.
const NO_LOCAL: LocalId = LocalId(u32::MAX);

/// An expanded node.
#[derive(Debug)]
struct Node {
    edges: Edges,
    /// The place of its label among all: many nodes have the same.
    label: u32,
}

/// The GLTS label of a node (App. A).
#[derive(Debug, PartialEq, Eq, Hash)]
struct NodeLabel {
    /// Minimal acceptances of the stable members, each ascending. A member that can terminate accepts only that. With
    /// revivals, all acceptances that are no unions of others.
    acceptances: Vec<Box<[EventId]>>,
    /// Whether some member can perform τ for ever.
    diverges: bool,
}

/// Members between two polls of the limits.
const POLL_EVERY: usize = 256;

/// A normalised specification, made on demand.
#[derive(Debug)]
pub struct Specification {
    network: Network,
    states: States,
    // A specification may have millions of nodes, of which a search expands few: each of these takes few bytes.
    // The members of each are ascending.
    nodes: ListSet<StateNumber>,
    /// The place in `expansions` of each expanded node; else [`UNEXPANDED`].
    expanded: Vec<u32>,
    expansions: Vec<Node>,
    labels: IndexSet<NodeLabel>,
    /// The atoms that occur in the members of each node, in the order of their variables, each once, and then those of the
    /// labels of their components: a component that forgot its identity still has a place, which permutations of that
    /// value change. Other values do not matter. For the representative of a class, those on which the class depends.
    shown: ShownAtoms,
    /// The only local state of each node that has just one, or [`NO_LOCAL`], with its format.
    single: Vec<(FormatId, LocalId)>,
    /// The images of nodes with many members.
    images: Map<NodeId, NodeImages>,
    /// Whether the order of the atoms is significant in all nodes.
    all_ordered: bool,
    /// For nodes of one state with one component: from its local state to the node. The same local state may occur in
    /// several formats with different successors; here is the first one. [`UNMADE`] without one.
    of_local: Vec<(FormatId, NodeId)>,
    /// States in the members of all nodes together; bounded by `members_max`.
    members: usize,
    members_max: usize,
    /// Images remembered of all nodes together.
    images_made: usize,
    /// For nodes and sets of events, the node of the stable members that offer no others, if there are any.
    restricted: Map<NodeId, Map<Box<[EventId]>, Option<NodeId>>>,
    /// Whether acceptances that are not minimal matter, for revivals.
    keeps_revivals: bool,
    /// The bisimilarity class of each node, by its least member; empty if none were merged.
    class: Vec<u32>,
    /// For each node, the member of its class that permutations are applied to; empty if none were merged.
    via: Vec<u32>,
    /// Number of nodes merged into others.
    merged: usize,
    /// Whether no two nodes are bisimilar after merging (Def. 3): else it is prenormal.
    normal: bool,
    compressing: CompressionStage,
}

impl Specification {
    /// Starts the normalisation of a network, with partial order reduction on a number of threads if requested. Then
    /// nodes must not be permuted: an image need not have the members that would be found for it.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn new(
        machine: &mut Machine,
        (network, partial_order): (Network, Option<(PartialOrder, usize)>),
        members_max: usize,
    ) -> Result<Self> {
        let finder = partial_order.map(|(order, threads)| StepFinder::leaving_out(order, threads));
        let states = States::new(finder.unwrap_or_default());
        let mut this = Self::of_states(network, states, members_max);
        let initial = this.states.intern((FormatId(0), this.network.initial()));
        this.begin(machine, initial)?;
        Ok(this)
    }

    /// A specification without nodes.
    fn of_states(network: Network, states: States, members_max: usize) -> Self {
        Self {
            network,
            states,
            nodes: ListSet::default(),
            expanded: Vec::new(),
            expansions: Vec::new(),
            labels: IndexSet::default(),
            shown: ShownAtoms::default(),
            single: Vec::new(),
            images: Map::default(),
            all_ordered: true,
            of_local: Vec::new(),
            members: 0,
            members_max,
            images_made: 0,
            restricted: Map::default(),
            keeps_revivals: false,
            class: Vec::new(),
            via: Vec::new(),
            merged: 0,
            normal: false,
            compressing: CompressionStage::default(),
        }
    }

    /// Makes the first node.
    fn begin(&mut self, machine: &mut Machine, initial: StateNumber) -> Result<()> {
        let closed = self.close(machine, vec![initial]);
        let closed = self.during(machine, closed)?;
        // Interned first, so it is node 0.
        self.intern(machine, &closed);
        Ok(())
    }

    /// The network underneath.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The members of a node.
    pub fn members(&self, node: NodeId) -> impl ExactSizeIterator<Item = SpecState<'_>> {
        let members = self.nodes.list(node.0).iter();
        members.map(|number| self.states.get(*number))
    }

    /// Number of nodes so far; merged ones count once.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.merged
    }

    /// Number of nodes so far; merged ones count each.
    #[must_use]
    pub fn made(&self) -> usize {
        self.nodes.len()
    }

    /// Whether members of its nodes use up a good part of their bound.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.members > self.members_max / 8
    }

    /// Number of states of the network reached so far.
    #[must_use]
    pub fn met(&self) -> usize {
        self.states.len()
    }

    /// The transitions of a completely expanded node ([`Specification::expand_wholly`]).
    pub fn edges(&self, node: NodeId) -> impl Iterator<Item = (EventId, NodeId)> + '_ {
        let expanded = self.expansion(node).into_iter();
        let edges = expanded.flat_map(|node| node.edges.iter().copied());
        edges.inspect(|edge| debug_assert!(edge.1 != UNMADE, "expanded in part only"))
    }

    /// Whether it is known to be normal (Def. 3). A prenormal one may have bisimilar nodes, which costs only states.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        self.normal
    }

    /// The representative of the bisimilarity class of a node.
    #[must_use]
    pub fn class_of(&self, node: NodeId) -> NodeId {
        let class = self.class.get(node.0 as usize);
        class.map_or(node, |class| NodeId(*class))
    }

    /// The atoms on which permutations of a node depend, in the order of its members' variables, each once.
    #[must_use]
    pub fn atoms(&self, node: NodeId) -> &[Atom] {
        self.shown.of(node)
    }

    /// Whether the order of the atoms of a node is significant: permuted nodes then have permuted atoms, one by one.
    #[must_use]
    pub fn is_ordered(&self, node: NodeId) -> bool {
        self.shown.is_ordered(node)
    }

    /// Whether that is so in all nodes so far.
    #[must_use]
    pub fn all_ordered(&self) -> bool {
        self.all_ordered
    }

    /// The events that an expanded node allows, ascending.
    pub fn allowed(&self, node: NodeId) -> impl Iterator<Item = EventId> + '_ {
        let expanded = self.expansion(node).into_iter();
        expanded.flat_map(|node| node.edges.iter().map(|e| e.0))
    }

    /// The minimal acceptances of an expanded node: each is a set of events, one of which a stable state after the same
    /// trace must offer in full. With revivals, some are not minimal.
    #[must_use]
    pub fn acceptances(&self, node: NodeId) -> &[Box<[EventId]>] {
        let expanded = self.expansion(node);
        expanded.map_or(&[], |node| &self.label(node).acceptances)
    }

    /// Whether a state that offers exactly `initials` (ascending) is allowed by a node.
    ///
    /// # Errors
    /// The node was not expanded yet.
    pub fn accepts(
        &self,
        node: NodeId,
        initials: &[EventId],
    ) -> std::result::Result<bool, SpecMiss> {
        let label = self.label(self.node(node)?);
        Ok(label.acceptances.iter().any(|a| is_subset(a, initials)))
    }

    /// Whether a node may diverge: in the failures-divergences model it then allows everything.
    ///
    /// # Errors
    /// The node was not expanded yet.
    pub fn diverges(&self, node: NodeId) -> std::result::Result<bool, SpecMiss> {
        Ok(self.label(self.node(node)?).diverges)
    }

    fn label(&self, node: &Node) -> &NodeLabel {
        &self.labels[node.label as usize]
    }

    fn node(&self, node: NodeId) -> std::result::Result<&Node, SpecMiss> {
        self.expansion(node).ok_or(SpecMiss::Edges(node))
    }

    /// The only local state of a node, with its format, if there is just one.
    fn single(&self, node: NodeId) -> Option<(FormatId, LocalId)> {
        Some(self.single[node.0 as usize]).filter(|(_, local)| *local != NO_LOCAL)
    }

    /// The expansion of a node, if there is one.
    fn expansion(&self, node: NodeId) -> Option<&Node> {
        let place = self.expanded[node.0 as usize];
        self.expansions.get(place as usize)
    }

    /// The node after an event, `Ok(None)` if the specification does not allow it.
    ///
    /// # Errors
    /// The node was not expanded yet.
    pub fn step(
        &self,
        node: NodeId,
        event: EventId,
    ) -> std::result::Result<Option<NodeId>, SpecMiss> {
        let edges = &self.node(node)?.edges;
        let found = edges.binary_search_by_key(&event, |e| e.0).ok();
        match found.map(|at| edges[at].1) {
            Some(UNMADE) => Err(SpecMiss::Edge(node, event)),
            found => Ok(found),
        }
    }

    /// Whether the specification allows an event at a node, without its target.
    ///
    /// # Errors
    /// The node was not expanded yet.
    pub fn allows(&self, node: NodeId, event: EventId) -> std::result::Result<bool, SpecMiss> {
        let edges = &self.node(node)?.edges;
        Ok(edges.binary_search_by_key(&event, |e| e.0).is_ok())
    }

    /// Fills in a missing entry.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn resolve(&mut self, machine: &mut Machine, miss: &SpecMiss) -> Result<()> {
        let resolved = match miss {
            SpecMiss::Edges(node) => self.expand(machine, *node),
            SpecMiss::Edge(node, event) => self.make_edge(machine, *node, *event),
            SpecMiss::Image(node, image) => self.make_image(machine, *node, image).map(|_| ()),
            SpecMiss::Restriction(node, offered) => self.make_restriction(machine, *node, offered),
        };
        self.during(machine, resolved)
    }

    /// Adds progress to the error, if a limit ended the work.
    fn during<T>(&self, machine: &Machine, result: Result<T>) -> Result<T> {
        let (states, nodes) = (self.states.len(), self.nodes.len());
        let work = format!("normalising the specification ({states} states, {nodes} nodes so far)");
        machine.during(&work, None, result)
    }

    /// All states reachable by τ (Def. 3).
    fn close(
        &mut self,
        machine: &mut Machine,
        mut states: Vec<StateNumber>,
    ) -> Result<Vec<StateNumber>> {
        let left = self.members_max.saturating_sub(self.members);
        let network = &mut self.network;
        if self.states.close(machine, network, &mut states, left)? {
            return Ok(states);
        }
        let message = format!(
            "the specification has more than {} states to normalise",
            self.members_max
        );
        Err(Box::new(Diagnostic::nowhere("E0704", message).note(
            "is the left side of the refinement meant to be the specification?",
        )))
    }

    fn intern(&mut self, machine: &Machine, members: &[StateNumber]) -> NodeId {
        if let Some(found) = self.nodes.find((), members) {
            return NodeId(found);
        }
        let atoms = self.atoms_in(machine, members);
        let single = match *members {
            [member] => match self.states.get(member) {
                (format, [local]) => Some((format, *local)),
                _ => None,
            },
            _ => None,
        };
        let node = NodeId(self.nodes.insert((), members));
        if let Some((format, local)) = single {
            let at = local.0 as usize;
            let places = self.of_local.len().max(at + 1);
            self.of_local.resize(places, (FormatId(0), UNMADE));
            if self.of_local[at].1 == UNMADE {
                self.of_local[at] = (format, node);
            }
        }
        self.members += members.len();
        self.expanded.push(UNEXPANDED);
        // Only the atoms of one local state without sets are in an order that permutations keep: the members of larger
        // nodes are ordered by their numbers, and elements of sets by the atoms themselves.
        let in_order = single.is_some_and(|(_, local)| !machine.locals().is_grouped(local));
        let ordered = in_order || atoms.is_empty();
        self.all_ordered &= ordered;
        self.shown.push(&atoms, ordered);
        self.single.push(single.unwrap_or((FormatId(0), NO_LOCAL)));
        node
    }

    /// The atoms of a node with these members.
    fn atoms_in(&self, machine: &Machine, members: &[StateNumber]) -> Vec<Atom> {
        if machine.atoms().is_empty() {
            return Vec::new();
        }
        let locals = members.iter().flat_map(|m| self.states.get(*m).1.iter());
        // Each once: a node may have thousands of members, and strategies read all of this.
        let atoms = locals.flat_map(|l| machine.locals().atoms_of(*l)).copied();
        let mut atoms: IndexSet<Atom> = atoms.collect();
        let formats: IndexSet<FormatId> = members.iter().map(|m| self.states.get(*m).0).collect();
        for format in formats {
            let components = self.network.format(format).components();
            // A single component keeps its place.
            if components.len() > 1 {
                let labels = components.iter();
                atoms.extend(labels.flat_map(|c| machine.locals().atoms_of(c.initial)));
            }
        }
        atoms.into_iter().collect()
    }

    /// Whether the τ-transitions between the members of a node (which is closed under τ) contain a
    /// cycle.
    fn has_cycle(&self, members: &[StateNumber]) -> bool {
        let quiet = |state: StateNumber| {
            let steps = self.states.steps(state).iter();
            let quiet = steps.filter(|step| step.0 == EventId::TAU);
            // Members ascend, and contain all targets of τ.
            quiet.filter_map(|step| members.binary_search(&step.1).ok())
        };
        // For each member, the number of τ steps from remaining members.
        let mut waiting: Vec<usize> = vec![0; members.len()];
        for target in members.iter().flat_map(|state| quiet(*state)) {
            waiting[target] += 1;
        }
        // Removes states without a predecessor by τ, repeatedly.
        let mut free: Vec<usize> = (0..members.len()).filter(|n| waiting[*n] == 0).collect();
        let mut taken = 0;
        while let Some(state) = free.pop() {
            taken += 1;
            for target in quiet(members[state]) {
                waiting[target] -= 1;
                if waiting[target] == 0 {
                    free.push(target);
                }
            }
        }
        // The remaining ones are on a cycle, or reachable only through one.
        taken < members.len()
    }
}

/// Reduces the initial events of a state to its acceptance: all of them, ascending, if the state is stable. If it can
/// terminate, the environment cannot prevent that, so it may refuse all else. False if the state has no acceptance.
pub fn settle(initials: &mut Vec<EventId>) -> bool {
    if initials.contains(&EventId::TICK) {
        initials.clear();
        initials.push(EventId::TICK);
        return true;
    }
    initials.sort_unstable();
    initials.dedup();
    // τ has the least number of all events.
    initials.first() != Some(&EventId::TAU)
}

/// The minimal sets among some, in ascending order.
fn minimal(machine: &Machine, mut sets: Vec<Vec<EventId>>) -> Result<Vec<Box<[EventId]>>> {
    // Smaller ones first: subsets of a set come before it.
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    // Most members of a large node have the same acceptance.
    sets.dedup();
    let mut kept: Vec<Box<[EventId]>> = Vec::new();
    for (n, set) in sets.into_iter().enumerate() {
        if n % POLL_EVERY == 0 {
            machine.eval.check_time()?;
        }
        if !kept.iter().any(|small| is_subset(small, &set)) {
            kept.push(set.into());
        }
    }
    Ok(kept)
}
