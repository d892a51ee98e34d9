//! The specification, normalised on demand (Def. 3).
//!
//! A node is a set of states closed under τ. Nodes are made when a search first needs them, and
//! permuted by permuting their members (Def. 15).

use crate::machine::network::Scratch;
use crate::machine::{EventId, FormatId, LocalId, Locals, Machine, Miss, Network};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::value::Atom;

/// A node of the normalised specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A state of the specification's network.
pub type SpecState = (FormatId, Box<[LocalId]>);

/// Something that the normalised specification does not hold yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecMiss {
    /// The transitions of a node.
    Edges(NodeId),
    /// The image of a node under a permutation.
    Image(NodeId, Box<[Atom]>),
}

/// The transitions of a node, ascending by event.
type Edges = Box<[(EventId, NodeId)]>;

/// A normalised specification, as far as it was needed.
#[derive(Debug)]
pub struct Specification {
    network: Network,
    nodes: IndexSet<Box<[SpecState]>>,
    edges: Vec<Option<Edges>>,
    atoms: Vec<Box<[Atom]>>,
    /// For nodes of one state with one component: from its local state to the node.
    of_local: Vec<u32>,
    /// States in the members of all nodes together; bounded by `members_max`.
    members: usize,
    members_max: usize,
}

/// The initial node.
pub const INITIAL: NodeId = NodeId(0);

impl Specification {
    /// Starts the normalisation of a network.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn new(machine: &mut Machine, network: Network, members_max: usize) -> Result<Self> {
        let mut this = Self {
            network,
            nodes: IndexSet::default(),
            edges: Vec::new(),
            atoms: Vec::new(),
            of_local: Vec::new(),
            members: 0,
            members_max,
        };
        let initial = (FormatId(0), this.network.initial.clone().into_boxed_slice());
        let closed = this.close(machine, vec![initial])?;
        this.intern(machine, closed)?;
        Ok(this)
    }

    /// The network underneath.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The members of a node, ascending.
    #[must_use]
    pub fn members(&self, node: NodeId) -> &[SpecState] {
        &self.nodes[node.0 as usize]
    }

    /// Number of nodes made so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none (never, after [`Specification::new`]).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The atoms that occur in a node, in the order of its members' variables.
    #[must_use]
    pub fn atoms(&self, node: NodeId) -> &[Atom] {
        &self.atoms[node.0 as usize]
    }

    /// Whether the order of the atoms of a node means something: permuted nodes then have permuted
    /// atoms, one by one.
    #[must_use]
    pub fn is_ordered(&self, locals: &Locals, node: NodeId) -> bool {
        self.atoms(node).is_empty()
            || self.is_single(node) && !locals.is_grouped(self.members(node)[0].1[0])
    }

    /// The events that an expanded node allows, ascending.
    pub fn allowed(&self, node: NodeId) -> impl Iterator<Item = EventId> + '_ {
        self.edges[node.0 as usize].iter().flatten().map(|e| e.0)
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
        let edges = self.edges[node.0 as usize]
            .as_ref()
            .ok_or(SpecMiss::Edges(node))?;
        Ok(edges
            .binary_search_by_key(&event, |e| e.0)
            .ok()
            .map(|at| edges[at].1))
    }

    /// `π(p)` (Def. 15).
    ///
    /// # Errors
    /// The image was not made yet.
    pub fn permute(
        &self,
        locals: &Locals,
        node: NodeId,
        image: &[Atom],
    ) -> std::result::Result<NodeId, SpecMiss> {
        if self.atoms(node).is_empty() && self.is_single(node) {
            return Ok(node);
        }
        let miss = || SpecMiss::Image(node, image.into());
        if self.is_single(node) {
            let local = self.members(node)[0].1[0];
            let to = locals.permute(local, image).map_err(|_| miss())?;
            let found = self
                .of_local
                .get(to.0 as usize)
                .copied()
                .unwrap_or(u32::MAX);
            return if found == u32::MAX {
                Err(miss())
            } else {
                Ok(NodeId(found))
            };
        }
        let mut members = Vec::with_capacity(self.members(node).len());
        for (format, state) in self.members(node) {
            let mut out = Vec::with_capacity(state.len());
            self.network
                .permute(locals, *format, state, image, &mut out)
                .map_err(|_| miss())?;
            members.push((*format, out.into_boxed_slice()));
        }
        members.sort_unstable();
        self.nodes
            .get_index_of(&members[..])
            .map(|at| NodeId(at as u32))
            .ok_or_else(miss)
    }

    fn is_single(&self, node: NodeId) -> bool {
        matches!(self.members(node), [(_, state)] if state.len() == 1)
    }

    /// Fills in what was missing.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn resolve(&mut self, machine: &mut Machine, miss: &SpecMiss) -> Result<()> {
        match miss {
            SpecMiss::Edges(node) => self.expand(machine, *node),
            SpecMiss::Image(node, image) => self.make_image(machine, *node, image),
        }
    }

    fn expand(&mut self, machine: &mut Machine, node: NodeId) -> Result<()> {
        let mut targets: IndexMap<EventId, Vec<SpecState>> = IndexMap::default();
        for state in self.members(node).to_vec() {
            for (event, target) in self.successors(machine, &state)? {
                if event != EventId::TAU {
                    targets.entry(event).or_default().push(target);
                }
            }
        }
        targets.sort_unstable_keys();
        let mut edges = Vec::with_capacity(targets.len());
        for (event, states) in targets {
            let closed = self.close(machine, states)?;
            edges.push((event, self.intern(machine, closed)?));
        }
        self.edges[node.0 as usize] = Some(edges.into());
        Ok(())
    }

    fn make_image(&mut self, machine: &mut Machine, node: NodeId, image: &[Atom]) -> Result<()> {
        let mut members = Vec::new();
        for (format, state) in self.members(node).to_vec() {
            let mut out = vec![LocalId(0); state.len()];
            for (component, local) in state.iter().enumerate() {
                let entry = &self.network.formats[format.0 as usize];
                let to = machine
                    .component_image(entry, component, image)
                    .unwrap_or(component);
                out[to] = machine.permute_local(*local, image);
            }
            members.push((format, out.into_boxed_slice()));
        }
        members.sort_unstable();
        machine.rank_shapes();
        self.intern(machine, members).map(|_| ())
    }

    /// All states reachable by τ (Def. 3).
    fn close(&mut self, machine: &mut Machine, states: Vec<SpecState>) -> Result<Vec<SpecState>> {
        let mut closed: IndexSet<SpecState> = states.into_iter().collect();
        let mut at = 0;
        while at < closed.len() {
            let state = closed[at].clone();
            for (event, target) in self.successors(machine, &state)? {
                if event == EventId::TAU {
                    closed.insert(target);
                }
            }
            if self.members + closed.len() > self.members_max {
                return Err(Box::new(
                    Diagnostic::nowhere(
                        "E0704",
                        format!(
                            "the specification has more than {} states to normalise",
                            self.members_max
                        ),
                    )
                    .note("is the left side of the refinement meant to be the specification?"),
                ));
            }
            at += 1;
        }
        let mut members: Vec<SpecState> = closed.into_iter().collect();
        members.sort_unstable();
        Ok(members)
    }

    fn successors(
        &mut self,
        machine: &mut Machine,
        state: &SpecState,
    ) -> Result<Vec<(EventId, SpecState)>> {
        let mut scratch = Scratch::default();
        loop {
            let mut found = Vec::new();
            let done = self.network.successors::<Miss>(
                &machine.locals,
                state.0,
                &state.1,
                &mut scratch,
                |s| {
                    found.push((s.event, (s.format, s.locals.into())));
                    Ok(())
                },
            );
            match done {
                Ok(()) => return Ok(found),
                Err(miss) => machine.resolve(&mut self.network, &miss)?,
            }
        }
    }

    fn intern(&mut self, machine: &Machine, members: Vec<SpecState>) -> Result<NodeId> {
        if let Some(found) = self.nodes.get_index_of(&members[..]) {
            return Ok(NodeId(found as u32));
        }
        let node = self.nodes.len() as u32;
        let atoms = members
            .iter()
            .flat_map(|(_, state)| state.iter().flat_map(|l| machine.locals.atoms_of(*l)))
            .copied()
            .collect();
        if let [(_, state)] = &members[..]
            && let [local] = state[..]
        {
            let at = local.0 as usize;
            if self.of_local.len() <= at {
                self.of_local.resize(at + 1, u32::MAX);
            }
            self.of_local[at] = node;
        }
        self.members += members.len();
        self.nodes.insert(members.into_boxed_slice());
        self.edges.push(None);
        self.atoms.push(atoms);
        Ok(NodeId(node))
    }
}
