//! Merging of bisimilar nodes, which makes a prenormal specification normal (Def. 3).
//!
//! This needs all nodes, so it is done before the search, and only where it takes little work without the evaluator:
//! the search might never need them. Otherwise the specification stays prenormal, which costs states, and does not
//! change a verdict.
//!
//! # Permutations
//!
//! A permutation that maps the specification to itself maps all nodes to nodes and bisimilar ones to bisimilar ones,
//! hence classes to classes: `π(c)` is the class of `π(p)` for any member `p` of `c`. The description of a class for
//! strategies must agree with that. If the class has a member with a unique signature (numbers of members and atoms,
//! shape), the class is described as that member, since `π` maps it to the member of `π(c)` with this signature.
//! Otherwise the class is described by its *support*: of each type all values except those of the largest set of values
//! that can be exchanged without changing the class.

use super::{NodeId, Specification};
use crate::lts::{Builder, Partition, State, bisimulation};
use crate::machine::{EventId, Machine, ShapeId};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::value::Atom;

/// Nodes made ahead of the search.
const NODES_MAX: usize = 1_000;
/// States of the specification's network explored for that.
const STATES_MAX: usize = 5_000;
/// Members of all nodes together.
const MEMBERS_MAX: usize = 100_000;
/// Transitions of these nodes.
const EDGES_MAX: usize = 100_000;

/// The member by which a class is permuted, and the support of the class if the signature of that member is not unique.
type ClassMember = (u32, Option<Box<[Atom]>>);

/// Equivalence of nodes besides their events, as the model of the check requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeEquivalence {
    /// Minimal acceptances, or those that revivals depend on.
    pub acceptances: bool,
    /// Divergence.
    pub divergence: bool,
}

impl Specification {
    /// Merges bisimilar nodes, if all nodes can be computed easily.
    ///
    /// # Errors
    /// A limit.
    pub fn factor(&mut self, machine: &mut Machine, compared: NodeEquivalence) -> Result<()> {
        let (before, most) = (self.members, self.members_max);
        let explored = self.explore_all(machine);
        // Members made ahead, perhaps in vain, do not count towards the bound of the search.
        self.members_max = most.saturating_add(self.members - before);
        if !explored? {
            return Ok(());
        }
        let classes = self.bisimilar(machine, compared)?;
        let count = self.nodes.len();
        if classes.count == count {
            self.normal = true;
            return Ok(());
        }
        let members = classes.members();
        let mut class: Vec<u32> = (0..count as u32).collect();
        for members in &members {
            for member in members {
                // The first is the least, and represents its class.
                class[*member as usize] = members[0];
            }
        }
        // All of this is computed before any change: if it is impossible, the specification stays prenormal, and
        // usable.
        let mut told = Vec::with_capacity(members.len());
        for members in members.iter().filter(|m| m.len() > 1) {
            let Some(one) = self.told_as(machine, members, &class)? else {
                // Some image is no node: the specification is not symmetric, and will not be reduced.
                return Ok(());
            };
            told.push((members[0], one));
        }
        self.via = (0..count as u32).collect();
        for (least, (via, support)) in told {
            self.via[least as usize] = via;
            let (atoms, ordered) = match support {
                Some(atoms) => (atoms, false),
                None => (
                    self.shown.own(NodeId(via)).into(),
                    self.shown.is_ordered(NodeId(via)),
                ),
            };
            // The empty sequence of atoms keeps its order under every permutation.
            let ordered = ordered || atoms.is_empty();
            self.all_ordered &= ordered;
            self.shown.replace(NodeId(least), &atoms, ordered);
        }
        self.merged = count - classes.count;
        self.class = class;
        self.normal = true;
        Ok(())
    }

    /// The same specification with all steps, if its nodes can be merged then. With steps left out, nodes of the same
    /// states may have different members, too many to merge.
    ///
    /// # Errors
    /// A limit.
    pub fn with_all_steps(
        &self,
        machine: &mut Machine,
        compared: NodeEquivalence,
    ) -> Result<Option<Self>> {
        // There were too many states even with fewer steps.
        if self.states.len() > STATES_MAX {
            return Ok(None);
        }
        let network = self.network.clone();
        // The closure of the initial states with all steps may take more work than this is worth.
        let Ok(mut whole) = Self::new(machine, (network, None), 2 * STATES_MAX) else {
            machine.eval.check_time()?;
            return Ok(None);
        };
        whole.members_max = self.members_max;
        whole.factor(machine, compared)?;
        Ok(whole.normal.then_some(whole))
    }

    /// Makes all nodes. Returns false if there are too many.
    fn explore_all(&mut self, machine: &mut Machine) -> Result<bool> {
        if !self.network.is_explored(machine) {
            return Ok(false);
        }
        let (mut at, mut edges) = (0, 0);
        let most = self.members_max;
        while at < self.nodes.len() {
            if self.states.len() > STATES_MAX || self.members > MEMBERS_MAX {
                return Ok(false);
            }
            // The closure of one event may take more work than this is worth.
            self.members_max = most.min(self.members + 2 * STATES_MAX);
            let made = self.make_all(machine, NodeId(at as u32), STATES_MAX);
            if !made.unwrap_or(false) {
                // Too many states for now, or a limit of the whole check.
                machine.eval.check_time()?;
                return Ok(false);
            }
            edges += self.allowed(NodeId(at as u32)).count();
            if edges > EDGES_MAX || self.nodes.len() > NODES_MAX {
                return Ok(false);
            }
            at += 1;
        }
        Ok(true)
    }

    /// The partition of nodes by bisimilarity.
    fn bisimilar(&self, machine: &Machine, compared: NodeEquivalence) -> Result<Partition> {
        let mut signatures: IndexSet<(&[Box<[EventId]>], bool)> = IndexSet::default();
        let mut system = Builder::default();
        for number in 0..self.nodes.len() as u32 {
            let Some(node) = self.expansion(NodeId(number)) else {
                continue;
            };
            let label = self.label(node);
            let acceptances = if compared.acceptances {
                &label.acceptances[..]
            } else {
                &[]
            };
            let diverges = compared.divergence && label.diverges;
            // Properties besides events become a transition to the node itself. τ is never an event of a node.
            let signature = signatures.insert_full((acceptances, diverges)).0 as u32;
            let own = std::iter::once((u32::MAX - signature, number));
            let edges = node.edges.iter().map(|(event, to)| (event.0, to.0));
            system.push(edges.chain(own));
        }
        let coarse = Partition::coarse(self.nodes.len());
        bisimulation(&system.finish(), &coarse, &|_| machine.eval.check_time())
    }

    /// The member by which a class is permuted, and, unless its signature is unique, the support of the class; `None`
    /// if the nodes are not closed under permutations.
    fn told_as(
        &mut self,
        machine: &mut Machine,
        members: &[State],
        class: &[u32],
    ) -> Result<Option<ClassMember>> {
        if machine.atoms().is_empty() {
            return Ok(Some((members[0], None)));
        }
        let mut signatures: IndexMap<_, Vec<State>> = IndexMap::default();
        for member in members {
            signatures
                .entry(self.signature(machine, *member))
                .or_default()
                .push(*member);
        }
        let alone = signatures.iter().filter(|(_, alike)| alike.len() == 1);
        if let Some((_, alike)) = alone.min_by_key(|(signature, _)| **signature) {
            return Ok(Some((alike[0], None)));
        }
        let support = self.support(machine, members[0], class)?;
        Ok(support.map(|atoms| (members[0], Some(atoms))))
    }

    /// An invariant of a node under permutations.
    fn signature(&self, machine: &Machine, node: u32) -> (usize, usize, Option<u32>) {
        let single = self.single(NodeId(node));
        let shape = |local| -> ShapeId { machine.locals().shape_of(local) };
        (
            self.shown.own(NodeId(node)).len(),
            self.nodes.list(node).len(),
            single.map(|(_, local)| machine.locals().rank(shape(local))),
        )
    }

    /// The support of the class of a node. Values of a type that can be exchanged without changing the class form sets,
    /// since `(a c)` is `(a b)(b c)(a b)`; all but the largest set belong to the support, or all of them if several are
    /// largest. A permutation that fixes the support is a product of exchanges within the largest sets, so it fixes the
    /// class, too.
    fn support(
        &mut self,
        machine: &mut Machine,
        node: u32,
        class: &[u32],
    ) -> Result<Option<Box<[Atom]>>> {
        let identity: Vec<Atom> = (0..machine.atoms().len() as u16).map(Atom).collect();
        let mut support = Vec::new();
        for kind in 0..machine.atoms().kinds() {
            let mut sets: Vec<Vec<Atom>> = Vec::new();
            for atom in machine.atoms().atoms(kind as u8) {
                let mut home = None;
                for (n, set) in sets.iter().enumerate() {
                    machine.eval.check_time()?;
                    let mut image = identity.clone();
                    // One of a set is enough: a value that can be exchanged with one can be with all.
                    image.swap(set[0].0 as usize, atom as usize);
                    let found = match self.image_of(machine.locals(), NodeId(node), &image) {
                        Ok(found) => found,
                        Err(_) => self.make_image(machine, NodeId(node), &image)?,
                    };
                    // Made just now, although all reachable nodes were known: permutations lead out of them.
                    let Some(to) = class.get(found.0 as usize) else {
                        return Ok(None);
                    };
                    if *to == class[node as usize] {
                        home = Some(n);
                        break;
                    }
                }
                match home {
                    Some(n) => sets[n].push(Atom(atom)),
                    None => sets.push(vec![Atom(atom)]),
                }
            }
            let most = sets.iter().map(Vec::len).max().unwrap_or(0);
            let single = sets.iter().filter(|s| s.len() == most).count() == 1;
            let kept = sets.into_iter().filter(|s| !single || s.len() < most);
            support.extend(kept.flatten());
        }
        support.sort_unstable();
        Ok(Some(support.into()))
    }
}
