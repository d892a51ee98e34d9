//! The reachable states of a process as graphs: all of them, one of each orbit, or both with the map
//! between them. Nothing is asserted of the process, so there is no specification beside it, and nothing
//! is merged: vertices are states of the script.
//!
//! All three are of one network, made by one plan ([`crate::check::plan`]), so they speak of the same states. Its
//! initial state is left alone by every permutation, since the labels of the components are its local
//! states and permutations map labels to labels (Def. 29). Hence the reachable states are closed under
//! permutations, all states of an orbit are equally far from the initial one, and the fibre of an orbit (the
//! reachable states in it) is the whole orbit: `|G| / |Stab|` states, by the orbit-stabiliser theorem. The same goes
//! for a group that is found in the structure, whose elements leave the initial state alone and map transitions to
//! transitions with what was hidden in them.
//!
//! A graph that is bounded is the one that its vertices induce: all transitions between these are in it, and
//! of each vertex it is known how many transitions lead elsewhere.

use num_bigint::BigUint;

pub use super::images::ExploredKey;
use super::images::{ImageOf, Represents, by_structure, by_values, itself};
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
use crate::source::{Budget, Diagnostic, Kind, Stop};
use crate::symmetry::structural::StructuralGroup;
use crate::symmetry::{Representative, StrategyKind};

/// Which graph is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphKind {
    /// One vertex an orbit.
    #[default]
    Quotient,
    /// One vertex a state.
    Full,
    /// Both, and to which vertex of the first each one of the second belongs.
    Map,
}

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphBounds {
    /// Steps from the initial state.
    pub depth: usize,
    /// Vertices of one graph.
    pub states: usize,
}

/// What keeps a graph from being whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphCut {
    /// There are states that are further away than was asked for.
    pub depth: bool,
    /// There are more states than were asked for.
    pub states: bool,
    /// A limit came first: transitions of some vertices were not looked at.
    pub stop: Option<Stop>,
}

impl GraphCut {
    /// Whether something is left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        *self != Self::default()
    }
}

/// What is known of a vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploredVertex {
    /// Least number of steps from the initial state.
    pub depth: usize,
    /// How many states its orbit has; none if that is not known, as the search for it was given up. One
    /// state stands for itself where nothing is permuted.
    pub orbit: Option<BigUint>,
    /// Whether its transitions were looked at.
    pub expanded: bool,
    /// Its transitions, each once: by event, hidden event and target.
    pub transitions: usize,
    /// How many of them lead to what is no vertex.
    pub outside: usize,
}

/// What leads from one vertex to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploredEdge {
    /// The vertex that it begins at.
    pub from: usize,
    /// What the process performs.
    pub event: EventId,
    /// What it is called: for τ, the event that was hidden.
    pub shown: EventId,
    /// The vertex that it leads to.
    pub to: usize,
    /// How many transitions with this event and this hidden event lead from the state that is the first
    /// vertex to states of the orbit that is the second: one in a graph that is not reduced.
    pub multiplicity: usize,
    /// Takes the first of these states to the vertex; none in a graph that is not reduced.
    pub image: Option<ImageOf>,
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// The states by number, the initial one first, breadth-first.
    pub states: IndexSet<ExploredKey>,
    /// What is known of each.
    pub vertices: Vec<ExploredVertex>,
    /// In ascending order of the vertices that they begin at.
    pub edges: Vec<ExploredEdge>,
    /// What is missing.
    pub cut: GraphCut,
}

/// The place of a state in the quotient.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The vertex of its orbit.
    pub orbit: usize,
    /// Takes it there.
    pub image: ImageOf,
}

/// What was explored.
pub struct Exploration {
    /// The network, for putting it into words.
    pub system: System,
    /// By what it is reduced; none if nothing is permuted, so that every orbit is one state.
    pub reduction: Option<Reduction>,
    /// Whether the reduction rests on trust.
    pub trusting: bool,
    /// Why it is not reduced by more, if a better plan could not be gone.
    pub instead: Option<Box<Diagnostic>>,
    /// One vertex an orbit, if it was asked for.
    pub quotient: Option<StateGraph>,
    /// One vertex a state, if it was asked for.
    pub full: Option<StateGraph>,
    /// Of the map: for each vertex of the second the place in the first.
    pub covering: Vec<Covered>,
}

/// Explores a process by the first plan that can be gone to the end. A limit on time or memory ends it
/// early, which the graphs tell.
///
/// # Errors
/// An evaluation error, a limit before there is a state, or that somebody cancelled.
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
    let looks = kind != GraphKind::Full && plan.structure && machine.atoms().is_empty();
    let structure = match looks {
        true => found_structure(machine, network)?,
        false => None,
    };
    let reduction = match &structure {
        Some(group) => Some(Reduction::by_structure(machine, network, group)),
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

/// What was found in the structure of a network without symmetric datatypes, if there is more than copies. A limit that
/// was reached on the way ends what comes after: what is there by then is worth showing.
fn found_structure(
    machine: &mut Machine,
    network: &mut Network,
) -> Result<Option<Box<StructuralGroup>>> {
    let StructureFound::Group(group) = unless_limited(find_for_pictures(machine, network))? else {
        return Ok(None);
    };
    // Exchanging copies is a part of it.
    network.give_up_copies();
    Ok(Some(group))
}

/// What becomes a vertex.
#[derive(Clone, Copy)]
enum Vertices<'a> {
    /// Every state.
    States,
    /// Every state, and its representative is asked for.
    StatesWithOrbits,
    /// Every representative; of these only some, if so many are given.
    Orbits(Option<&'a IndexSet<ExploredKey>>),
}

/// A transition, with the representative of its target where that is wanted.
struct Arrow {
    event: EventId,
    shown: EventId,
    target: ExploredKey,
    represents: Option<Represents>,
}

/// Transitions of a state, as far as they were met.
pub type RawArrows = IndexSet<(EventId, EventId, ExploredKey)>;

/// Why the transitions of a state are not all there.
enum ArrowsEnd {
    /// A table does not hold something yet.
    Missed(Miss),
    /// A limit, or somebody cancelled.
    Stopped,
}

impl From<Miss> for ArrowsEnd {
    fn from(miss: Miss) -> Self {
        Self::Missed(miss)
    }
}

/// Transitions between two looks at the limits.
const POLL_EVERY: usize = 1_000;
/// Bytes of a vertex or an edge besides local states, roughly: here, in words, and in the text of a file.
const BYTES_EACH: usize = 1000;
/// The same of a local state of a vertex.
const BYTES_OF_LOCAL: usize = 64;

struct Explorer<'a> {
    machine: &'a mut Machine,
    network: &'a mut Network,
    /// Whether there is anything to permute or to exchange.
    reduces: bool,
    /// What was found in the structure, if that is what states are put together by.
    structure: Option<Box<StructuralGroup>>,
    bounds: GraphBounds,
    budget: &'a Budget,
    representative: Representative,
}

impl Explorer<'_> {
    /// The graph, and the representatives of its vertices where these were asked for.
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
                // What was found is worth showing, unless nobody wants it any more.
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

    /// The quotient of a graph of states, and where each of them is in it.
    fn below(
        &mut self,
        states: &StateGraph,
        found: Vec<Represents>,
    ) -> Result<(StateGraph, Vec<Covered>)> {
        let members = found.iter().map(|r| r.key.clone()).collect();
        let (mut orbits, _) = self.graph(Vertices::Orbits(Some(&members)))?;
        // What is missing there is missing here. Of a limit that came only now the second graph knows.
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
        if let Some(stop) = self.budget.limits.reached(&self.budget.cancel, held) {
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
        // A picture that is reduced must not show orbits that are none. The same goes for one that is
        // not: all pictures of a process are of one network.
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
                by_structure((self.machine, self.network), group, key, found)
            }
            (None, true) => by_values((self.machine, self.network), key, &mut self.representative),
            (None, false) => Ok(itself(self.machine, key)),
        }
    }

    /// Adds the transitions of a vertex, and as new vertices what they lead to, within the bounds.
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
        // By event, hidden event and target; in the order in which they are met first.
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

/// The transitions of a state, each once, in a fixed order.
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
        // After a miss from the beginning: rules are met in the same order.
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
            // By what is said below, which ends the loop.
            Err(ArrowsEnd::Stopped) => {}
        }
        machine.eval.check_time()?;
    }
}

/// A limit that was reached, for whoever goes by kinds of errors.
fn stopped(stop: Stop) -> Diagnostic {
    match stop {
        Stop::Cancelled => Diagnostic::nowhere("E0701", "cancelled"),
        Stop::Time => Diagnostic::nowhere("E0702", "time limit reached"),
        Stop::Memory => Diagnostic::nowhere("E0703", "memory limit reached"),
        Stop::States => Diagnostic::nowhere("E0704", "state limit reached"),
    }
}
