//! Graphs of the reachable states of a process: all of them, one of each orbit, or both with the map between them.
//! There is no assertion, so no specification, and no merging: vertices are states of the script.
//!
//! All three are graphs of one network, compiled by one plan ([`crate::check::plan`]), so they have the same states.
//! Its initial state is fixed by every permutation, since the labels of the components are its local states and
//! permutations map labels to labels (Def. 29). Hence the reachable states are closed under permutations, all states of
//! an orbit are equally far from the initial one, and the fibre of an orbit (the reachable states in it) is the whole
//! orbit: `|G| / |Stab|` states, by the orbit-stabiliser theorem. The same holds for a structural group, whose elements
//! fix the initial state and map transitions to transitions, including their hidden events.
//!
//! A bounded graph is the subgraph induced by its vertices: it contains all transitions between these, and for each
//! vertex the number of transitions that leave the graph.

use num_bigint::BigUint;

pub use super::images::ExploredKey;
use super::images::{ImageOf, Represents, by_structure, by_values, itself};
use crate::check::permutations_in_use::moves_components_further;
use crate::check::plan::{Demand, Plan, by_first, plans_of};
use crate::check::reduction::Reduction;
use crate::check::structural::{StructureFound, find_for_pictures, unless_limited};
use crate::check::system::System;
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, Machine, Miss, Network};
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::{Budget, Diagnostic, Kind, Stop, WorkStage};
use crate::symmetry::structural::StructuralGroup;
use crate::symmetry::{Representative, StrategyKind};

/// The kind of graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphKind {
    /// One vertex for each orbit.
    #[default]
    Quotient,
    /// One vertex for each state.
    Full,
    /// Both, and the map from the vertices of the second to those of the first.
    Map,
}

/// Bounds on a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphBounds {
    /// Steps from the initial state, at most.
    pub depth: usize,
    /// Vertices of one graph, at most.
    pub states: usize,
}

/// Parts that are missing from a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphCut {
    /// States beyond the bound on depth.
    pub depth: bool,
    /// States beyond the bound on vertices.
    pub states: bool,
    /// Transitions of some vertices, since this limit was reached.
    pub stop: Option<Stop>,
}

impl GraphCut {
    /// Whether some part is missing.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        *self != Self::default()
    }
}

/// A vertex of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploredVertex {
    /// Least number of steps from the initial state.
    pub depth: usize,
    /// The size of its orbit, which is one without permutations; `None` if unknown, since its computation was given up.
    pub orbit: Option<BigUint>,
    /// Whether its transitions were computed.
    pub expanded: bool,
    /// The number of its transitions, distinguished by event, hidden event and target.
    pub transitions: usize,
    /// The number of them that leave the graph.
    pub outside: usize,
}

/// An edge between two vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploredEdge {
    /// The source.
    pub from: usize,
    /// The event of the process.
    pub event: EventId,
    /// The displayed event: for τ, the hidden one.
    pub shown: EventId,
    /// The target.
    pub to: usize,
    /// The number of transitions with this event and this hidden event from the state of the first vertex to states of
    /// the orbit of the second: one in an unreduced graph.
    pub multiplicity: usize,
    /// The permutation from the first of these states to the vertex; `None` in an unreduced graph.
    pub image: Option<ImageOf>,
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// The states by number, the initial one first, in breadth-first order.
    pub states: IndexSet<ExploredKey>,
    /// The vertex of each state.
    pub vertices: Vec<ExploredVertex>,
    /// The edges, in ascending order of their sources.
    pub edges: Vec<ExploredEdge>,
    /// The missing parts.
    pub cut: GraphCut,
}

/// The image of a state in the quotient.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The vertex of its orbit.
    pub orbit: usize,
    /// The permutation from the state to the vertex.
    pub image: ImageOf,
}

/// The result of an exploration.
pub struct Exploration {
    /// The compiled process, for display.
    pub system: System,
    /// The reduction; `None` if nothing is permuted, so that every orbit is one state.
    pub reduction: Option<Reduction>,
    /// Whether the reduction relies on trust.
    pub trusting: bool,
    /// The reason why a better plan failed, if one did.
    pub instead: Option<Box<Diagnostic>>,
    /// The graph of orbits, if requested.
    pub quotient: Option<StateGraph>,
    /// The graph of states, if requested.
    pub full: Option<StateGraph>,
    /// The map, if requested: for each vertex of the second graph its image in the first.
    pub covering: Vec<Covered>,
}

/// Explores a process by the first plan that succeeds. A limit on time or memory ends it early, which the graphs
/// record.
///
/// # Errors
/// An evaluation error, a limit before there is a state, or a cancellation.
pub fn explore(
    loaded: &Loaded,
    expr: &Expr,
    kind: GraphKind,
    bounds: GraphBounds,
    budget: &Budget,
) -> Result<Exploration> {
    let plans = plans_of(loaded, &[expr], &Demand::default())?;
    let (mut explored, instead) = by_first(&plans, |plan| {
        let system = System::shown(loaded, expr, plan, budget)?;
        by_plan(system, plan, kind, bounds, budget)
    })?;
    explored.instead = instead;
    Ok(explored)
}

fn by_plan(
    mut system: System,
    plan: &Plan,
    kind: GraphKind,
    bounds: GraphBounds,
    budget: &Budget,
) -> Result<Exploration> {
    system.network.first().mappable()?;
    let System { machine, network } = &mut system;
    machine
        .eval
        .limit(&budget.limits.from_now(), budget.cancel.clone());
    let looks = kind != GraphKind::Full && plan.structure;
    let structure = match looks {
        true => found_structure(machine, network)?,
        false => None,
    };
    let reduction = match &structure {
        Some(group) => {
            let reduction = Reduction::by_structure(machine, network, group);
            // Exchanged copies are part of the group.
            network.give_up_copies();
            Some(reduction)
        }
        None => Reduction::new(machine, (network, None), StrategyKind::Exact.into()),
    };
    let mut explorer = Explorer {
        machine,
        network,
        reduces: reduction.is_some(),
        structure,
        bounds,
        budget,
        representative: Representative::default(),
    };
    let (mut quotient, mut full, mut covering) = (None, None, Vec::new());
    match kind {
        GraphKind::Quotient => quotient = Some(explorer.graph(Vertices::Orbits(None))?.0),
        GraphKind::Full => full = Some(explorer.graph(Vertices::States)?.0),
        GraphKind::Map => {
            let (states, found) = explorer.graph(Vertices::StatesWithOrbits)?;
            let orbits;
            (orbits, covering) = explorer.below(&states, found)?;
            quotient = Some(orbits);
            full = Some(states);
        }
    }
    Ok(Exploration {
        system,
        reduction,
        trusting: plan.is_trusting(),
        instead: None,
        quotient,
        full,
        covering,
    })
}

/// The structural group of a network, if it moves components in more ways than values and copies do. If a limit is
/// reached here, the exploration ends early, and the graph so far is shown.
fn found_structure(
    machine: &mut Machine,
    network: &Network,
) -> Result<Option<Box<StructuralGroup>>> {
    let StructureFound::Group(group) = unless_limited(find_for_pictures(machine, network))? else {
        return Ok(None);
    };
    let leads = moves_components_further(machine, network.first(), &group);
    Ok(Some(group).filter(|_| leads))
}

/// The states that become vertices.
#[derive(Clone, Copy)]
enum Vertices<'a> {
    /// Every state.
    States,
    /// Every state, with its representative.
    StatesWithOrbits,
    /// Every representative, or only those in a set.
    Orbits(Option<&'a IndexSet<ExploredKey>>),
}

/// A transition, with the representative of its target if requested.
struct Arrow {
    event: EventId,
    shown: EventId,
    target: ExploredKey,
    represents: Option<Represents>,
}

/// Transitions of a state, as a set in order of generation.
pub type RawArrows = IndexSet<(EventId, EventId, ExploredKey)>;

/// The reason why transitions of a state are missing.
enum ArrowsEnd {
    /// A missing table entry.
    Missed(Miss),
    /// A limit or a cancellation.
    Stopped,
}

impl From<Miss> for ArrowsEnd {
    fn from(miss: Miss) -> Self {
        Self::Missed(miss)
    }
}

/// Transitions between two polls of the limits.
const POLL_EVERY: usize = 1_000;
/// Bytes of a vertex or an edge besides local states, roughly, including its text and that in a file.
const BYTES_EACH: usize = 1000;
/// Bytes of a local state of a vertex, likewise.
const BYTES_OF_LOCAL: usize = 64;

struct Explorer<'a> {
    machine: &'a mut Machine,
    network: &'a mut Network,
    /// Whether values are permuted or copies exchanged.
    reduces: bool,
    /// The structural group, if orbits are those of one.
    structure: Option<Box<StructuralGroup>>,
    bounds: GraphBounds,
    budget: &'a Budget,
    representative: Representative,
}

impl Explorer<'_> {
    /// The graph, and the representatives of its vertices if requested.
    fn graph(&mut self, vertices: Vertices<'_>) -> Result<(StateGraph, Vec<Represents>)> {
        let first = (FormatId(0), self.network.initial().into());
        let mut graph = StateGraph::default();
        let mut found = Vec::new();
        let represents = match vertices {
            Vertices::States => None,
            _ => Some(self.represents(&first)?),
        };
        let reduced = matches!(vertices, Vertices::Orbits(_));
        graph.push(first, represents, 0, reduced, &mut found);
        let mut at = 0;
        while at < graph.states.len() {
            match self.arrows(&graph, at, vertices) {
                Ok(arrows) => self.add(&mut graph, at, arrows, vertices, &mut found),
                // A partial graph is shown, unless it was cancelled.
                Err(error) => match error.kind {
                    Kind::Stopped(stop @ (Stop::Time | Stop::Memory)) => {
                        graph.cut.stop = Some(stop);
                        break;
                    }
                    _ => return Err(error),
                },
            }
            at += 1;
        }
        Ok((graph, found))
    }

    /// The quotient of a graph of states, and the image of each of them in it.
    fn below(
        &mut self,
        states: &StateGraph,
        found: Vec<Represents>,
    ) -> Result<(StateGraph, Vec<Covered>)> {
        let members = found.iter().map(|r| r.key.clone()).collect();
        let (mut orbits, _) = self.graph(Vertices::Orbits(Some(&members)))?;
        // The missing parts are the same. Only the second graph knows of a limit reached now.
        let stop = states.cut.stop.or(orbits.cut.stop);
        orbits.cut = GraphCut { stop, ..states.cut };
        let mut covering = Vec::with_capacity(found.len());
        for (member, represents) in found.into_iter().enumerate() {
            let image = represents.image.clone();
            let orbit = match orbits.states.get_index_of(&represents.key) {
                Some(orbit) => orbit,
                // Only after a limit. All states of an orbit are equally far away.
                None => {
                    let (key, depth) = (represents.key.clone(), states.vertices[member].depth);
                    orbits.push(key, Some(represents), depth, true, &mut Vec::new());
                    orbits.states.len() - 1
                }
            };
            covering.push(Covered { orbit, image });
        }
        Ok((orbits, covering))
    }

    /// All transitions of a vertex.
    fn arrows(
        &mut self,
        graph: &StateGraph,
        at: usize,
        vertices: Vertices<'_>,
    ) -> Result<Vec<Arrow>> {
        let key = &graph.states[at];
        let held = key.1.len() * BYTES_OF_LOCAL + BYTES_EACH;
        let held = held * graph.states.len() + BYTES_EACH * graph.edges.len();
        let cancel = &self.budget.cancel;
        cancel.reach(WorkStage::Searching, graph.states.len());
        if let Some(stop) = self.budget.limits.reached(cancel, held) {
            return Err(Box::new(stopped(stop)));
        }
        let mut arrows = Vec::new();
        for (event, shown, target) in raw_arrows(self.machine, self.network, key)? {
            let wanted = match vertices {
                Vertices::States => false,
                Vertices::Orbits(_) => true,
                // Once for each state.
                Vertices::StatesWithOrbits => !graph.states.contains(&target),
            };
            let represents = match wanted {
                true => Some(self.represents(&target)?),
                false => None,
            };
            arrows.push(Arrow {
                event,
                shown,
                target,
                represents,
            });
        }
        // A reduced graph must not show orbits that are none. Nor may an unreduced one, since all graphs of a process
        // are of one network.
        match self.network.asymmetry() {
            Some(failed) if self.reduces => Err(Box::new(failed.clone())),
            _ => Ok(arrows),
        }
    }

    /// The representative of a state.
    fn represents(&mut self, key: &ExploredKey) -> Result<Represents> {
        match (&self.structure, self.reduces) {
            (Some(group), _) => {
                let found = &mut self.representative;
                by_structure(self.machine, self.network, group, key, found)
            }
            (None, true) => by_values(self.machine, self.network, key, &mut self.representative),
            (None, false) => Ok(itself(self.machine, key)),
        }
    }

    /// Adds the transitions of a vertex, and their targets as new vertices, within the bounds.
    fn add(
        &self,
        graph: &mut StateGraph,
        at: usize,
        arrows: Vec<Arrow>,
        vertices: Vertices<'_>,
        found: &mut Vec<Represents>,
    ) {
        let depth = graph.vertices[at].depth + 1;
        let (reduced, members) = match vertices {
            Vertices::Orbits(members) => (true, members),
            _ => (false, None),
        };
        let transitions = arrows.len();
        let mut outside = 0;
        // By event, hidden event and target; in order of generation.
        let mut edges: IndexMap<(EventId, EventId, usize), (usize, Option<ImageOf>)> =
            IndexMap::default();
        for arrow in arrows {
            let (key, image) = match &arrow.represents {
                Some(found) if reduced => (found.key.clone(), Some(found.image.clone())),
                _ => (arrow.target, None),
            };
            let to = match graph.states.get_index_of(&key) {
                Some(to) => to,
                None if members.is_some_and(|members| !members.contains(&key)) => {
                    outside += 1;
                    continue;
                }
                None if depth > self.bounds.depth => {
                    graph.cut.depth = true;
                    outside += 1;
                    continue;
                }
                None if graph.states.len() >= self.bounds.states => {
                    graph.cut.states = true;
                    outside += 1;
                    continue;
                }
                None => {
                    graph.push(key, arrow.represents, depth, reduced, found);
                    graph.states.len() - 1
                }
            };
            let edge = (arrow.event, arrow.shown, to);
            edges.entry(edge).or_insert((0, image)).0 += 1;
        }
        let vertex = &mut graph.vertices[at];
        (vertex.expanded, vertex.transitions, vertex.outside) = (true, transitions, outside);
        let edge = |((event, shown, to), (multiplicity, image))| ExploredEdge {
            from: at,
            event,
            shown,
            to,
            multiplicity,
            image,
        };
        graph.edges.extend(edges.into_iter().map(edge));
    }
}

impl StateGraph {
    /// Adds a vertex.
    fn push(
        &mut self,
        key: ExploredKey,
        represents: Option<Represents>,
        depth: usize,
        reduced: bool,
        found: &mut Vec<Represents>,
    ) {
        let key = match &represents {
            Some(represents) if reduced => represents.key.clone(),
            _ => key,
        };
        self.states.insert(key);
        self.vertices.push(ExploredVertex {
            depth,
            orbit: represents.as_ref().and_then(|r| r.orbit.clone()),
            expanded: false,
            transitions: 0,
            outside: 0,
        });
        found.extend(represents);
    }
}

/// The distinct transitions of a state, in a fixed order.
///
/// # Errors
/// An evaluation error or a limit.
pub fn raw_arrows(
    machine: &mut Machine,
    network: &mut Network,
    (format, state): &ExploredKey,
) -> Result<RawArrows> {
    let mut scratch = RuleScratch::default();
    loop {
        // After a miss from the beginning: rules fire in the same order.
        let (mut arrows, mut met) = (RawArrows::default(), 0usize);
        let (tables, found) = (&*machine, &*network);
        let rules = found.format(*format).rules();
        let ended = found.successors(tables.locals(), *format, state, &mut scratch, |s| {
            arrows.insert((
                s.event,
                rules.rule(s.rule).shown,
                (s.format, s.locals.into()),
            ));
            met += 1;
            if met.is_multiple_of(POLL_EVERY) && tables.eval.check_time().is_err() {
                return Err(ArrowsEnd::Stopped);
            }
            Ok(())
        });
        match ended {
            Ok(()) => return Ok(arrows),
            Err(ArrowsEnd::Missed(miss)) => machine.resolve(network, &miss)?,
            // The poll below ends the loop.
            Err(ArrowsEnd::Stopped) => {}
        }
        machine.eval.check_time()?;
    }
}

/// The diagnostic of a limit.
fn stopped(stop: Stop) -> Diagnostic {
    match stop {
        Stop::Cancelled => Diagnostic::nowhere("E0701", "cancelled"),
        Stop::Time => Diagnostic::nowhere("E0702", "time limit reached"),
        Stop::Memory => Diagnostic::nowhere("E0703", "memory limit reached"),
        Stop::States => Diagnostic::nowhere("E0704", "state limit reached"),
        Stop::Disk => Diagnostic::nowhere("E0710", "no room left on disk"),
        Stop::Process(_) => Diagnostic::nowhere("E0713", "another process of the search is lost"),
    }
}
