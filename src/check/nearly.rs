//! What is no symmetry of a network for one reason: a permutation that respects all but where components begin,
//! or all but the names of events, or that the names of components suggest.
//!
//! A candidate may come from anywhere. Told is what [`crate::structure::judge`] has to say of it, or what was
//! found to be missing while it was put together, so every reason is a fact of the network.

use super::examined::FoundInStructure;
use super::nearly_named::by_names;
use super::system::System;
use crate::group::{PointPermutation, StabiliserChain};
use crate::machine::EventId;
use crate::source::diagnostic::Result;
use crate::source::hash::{Map, Set};
use crate::structure::blueprint::Blueprint;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::judge::{Broken, judge};
use crate::structure::search::{Symmetries, symmetries};

/// Vertices and edges of a structure graph that is looked at for what almost holds.
const GRAPH_MAX: usize = 400_000;
/// Reasons that are told.
const MISSES_MAX: usize = 6;
/// Powers of a generator that are looked at for one that people know.
const POWERS_MAX: u32 = 200;
/// Generators of which it is tried whether the others make them needless.
const TOLD_MAX: usize = 12;
/// Points of permutations of which that is tried.
const DEGREE_MAX: u32 = 20_000;

/// A permutation that is no symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// What it does to components: for each the one that it becomes.
    pub components: Vec<usize>,
    /// What stands in its way.
    pub hindrances: Vec<Hindrance>,
    /// Whether that is all: without it, it would be a symmetry.
    pub all: bool,
}

/// Why a permutation is no symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// A component begins otherwise than the one that it becomes.
    Begins {
        /// The component.
        component: usize,
        /// What it becomes.
        image: usize,
    },
    /// A component takes part in an event, and the one that it becomes in no event that would be its image.
    Alphabet {
        /// The component.
        component: usize,
        /// Its event.
        event: String,
        /// What the component becomes.
        image: usize,
        /// What the event would become.
        wanted: String,
    },
    /// After the same, one of the two can do something that the other cannot.
    Ability {
        /// The component.
        component: usize,
        /// What it has performed.
        trace: Vec<String>,
        /// What it can do then.
        event: String,
        /// The component that cannot.
        image: usize,
        /// What that has performed.
        image_trace: Vec<String>,
        /// What it cannot do then.
        wanted: String,
    },
    /// Some components perform something together, and their images do not.
    Rule {
        /// The components with their events.
        parts: Vec<(usize, String)>,
        /// Their images.
        images: Vec<(usize, String)>,
    },
    /// An event would become another one, and names of events matter.
    Name {
        /// The event.
        event: String,
        /// What it would become.
        image: String,
    },
    /// After a trace the specification allows an event, and after the image of the trace not the image of the event,
    /// or the other way round.
    Specification {
        /// After that something is allowed.
        trace: Vec<String>,
        /// What is allowed.
        event: String,
        /// After that it is not.
        other_trace: Vec<String>,
        /// What is not allowed.
        wanted: String,
    },
    /// The specification treats two of its states in different ways that the permutation would take to each other.
    Node,
}

/// What almost holds, as far as it was looked for.
///
/// # Errors
/// A limit.
pub(super) fn near_misses(system: &mut System, found: &FoundInStructure) -> Result<Vec<NearMiss>> {
    let (vertices, edges) = found.symmetries.size;
    // Of a part of the group nobody knows what is missing.
    if vertices + edges > GRAPH_MAX || !found.symmetries.complete {
        return Ok(Vec::new());
    }
    // What some symmetry does to components is no miss, whatever it would do to events.
    let count = found.blueprint.points.components() as u32;
    let all: Vec<u32> = (0..count).collect();
    let generators = found.symmetries.generators.iter();
    let generators = generators.filter_map(|g| g.map().restricted(&all));
    let generators: Vec<PointPermutation> = generators.collect();
    let machine = &system.machine;
    let poll = |_| machine.eval.check_time();
    let Some(chain) = StabiliserChain::new(count, &generators, &all, None, &poll)? else {
        return Ok(Vec::new());
    };
    let is_new = |miss: &NearMiss| {
        let images: Vec<u32> = miss.components.iter().map(|c| *c as u32).collect();
        PointPermutation::new(&images).is_some_and(|p| !chain.contains(&p))
    };
    let mut misses = other_beginnings(system, found)?;
    misses.retain(&is_new);
    if misses.is_empty() {
        misses = other_names(system, found)?;
        misses.retain(&is_new);
    }
    if misses.is_empty() {
        misses = by_names(system, found)?;
        misses.retain(&is_new);
    }
    misses.truncate(MISSES_MAX);
    Ok(misses)
}

fn found_in(system: &System, blueprint: &Blueprint) -> Result<Symmetries> {
    let machine = &system.machine;
    let poll = |_| machine.eval.check_time();
    let found = symmetries(blueprint, &poll);
    machine.during("looking for what almost is a symmetry", None, found)
}

/// Components as a symmetry takes them to one another.
pub(super) fn images(blueprint: &Blueprint, map: &Automorphism) -> Vec<usize> {
    let components = 0..blueprint.points.components();
    components.map(|c| map.component(c)).collect()
}

/// Symmetries of the network if nobody cared where components begin.
fn other_beginnings(system: &System, found: &FoundInStructure) -> Result<Vec<NearMiss>> {
    let blueprint = &found.blueprint;
    let mut relaxed = blueprint.clone();
    relaxed.initial.clear();
    let more = found_in(system, &relaxed)?;
    let mut misses: Vec<NearMiss> = Vec::new();
    for generator in &told_generators(system, blueprint, &more)? {
        if !matches!(judge(blueprint, generator), Err(Broken::Initial { .. })) {
            continue;
        }
        let hindrances = begins_otherwise(blueprint, generator);
        let components = images(blueprint, generator);
        let is_new = misses.iter().all(|miss| miss.components != components);
        let moves = components.iter().enumerate().any(|(c, to)| c != *to);
        if is_new && moves {
            misses.push(NearMiss {
                components,
                hindrances,
                all: true,
            });
        }
    }
    Ok(misses)
}

/// The components that begin otherwise than those that they become.
fn begins_otherwise(blueprint: &Blueprint, map: &Automorphism) -> Vec<Hindrance> {
    let mut all = Vec::new();
    for (component, initial) in blueprint.initial.iter().enumerate() {
        let image = map.component(component);
        if blueprint.initial[image] != map.point(*initial) {
            all.push(Hindrance::Begins { component, image });
        }
    }
    all
}

/// Generators of a group that people may know: of the elements that generate the same as one of them that which
/// takes most components to their neighbours, as one would turn a ring; and none that the others make needless.
///
/// # Errors
/// A limit.
pub(super) fn told_generators(
    system: &System,
    blueprint: &Blueprint,
    found: &Symmetries,
) -> Result<Vec<Automorphism>> {
    let mut told: Vec<Automorphism> = found
        .generators
        .iter()
        .map(|g| nicest(blueprint, g))
        .collect();
    let places = PartPlaces::new(blueprint);
    if told.len() > TOLD_MAX || places.end > DEGREE_MAX || !found.complete {
        return Ok(told);
    }
    let machine = &system.machine;
    let poll = |_| machine.eval.check_time();
    let mut at = 0;
    while told.len() > 1 && at < told.len() {
        let others = told.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<PointPermutation> = others.map(|(_, g)| g.map().clone()).collect();
        let chain = StabiliserChain::new(places.end, &others, &[], None, &poll)?;
        match chain {
            Some(chain) if *chain.order() == found.order => {
                told.remove(at);
            }
            _ => at += 1,
        }
    }
    Ok(told)
}

/// Of the powers of a map that generate the same group the one that takes most components to their neighbours.
fn nicest(blueprint: &Blueprint, map: &Automorphism) -> Automorphism {
    let neighbours = |map: &Automorphism| {
        let images = images(blueprint, map);
        let next = images.iter().enumerate();
        next.filter(|(c, to)| **to == c + 1).count()
    };
    let order = u32::try_from(map.map().order()).unwrap_or(u32::MAX);
    let mut best = (neighbours(map), map.clone());
    if order > POWERS_MAX {
        return best.1;
    }
    let mut power = map.clone();
    for exponent in 2..order {
        power = power.then(map);
        let count = neighbours(&power);
        if count > best.0 && common_divisor(exponent, order) == 1 {
            best = (count, power.clone());
        }
    }
    best.1
}

fn common_divisor(a: u32, b: u32) -> u32 {
    match b {
        0 => a,
        _ => common_divisor(b, a % b),
    }
}

/// Symmetries of the network if nobody looked at the names of its events.
fn other_names(system: &System, found: &FoundInStructure) -> Result<Vec<NearMiss>> {
    let blueprint = &found.blueprint;
    if blueprint.nodes.is_empty() && blueprint.fixed.iter().all(|fixed| !fixed) {
        return Ok(Vec::new());
    }
    let mut relaxed = blueprint.clone();
    relaxed.nodes.clear();
    relaxed.node_of = Map::default();
    for (event, fixed) in relaxed.results.iter().zip(&mut relaxed.fixed) {
        *fixed = !event.is_visible();
    }
    let more = found_in(system, &relaxed)?;
    let mut misses = Vec::new();
    for generator in &told_generators(system, &relaxed, &more)? {
        let components = images(blueprint, generator);
        if components.iter().enumerate().all(|(c, to)| c == *to) {
            continue;
        }
        // Nodes stand behind all else.
        let moves: Vec<(u32, u32)> = generator.map().moves().collect();
        if let Some(hindrance) = with_nodes(system, blueprint, &moves) {
            misses.push(NearMiss {
                components,
                hindrances: vec![hindrance],
                all: true,
            });
        }
    }
    Ok(misses)
}

/// What stands in the way of a map of everything but nodes, which these follow as they can; none if it is a
/// symmetry, or if that is not known.
pub(super) fn with_nodes(
    system: &System,
    blueprint: &Blueprint,
    moves: &[(u32, u32)],
) -> Option<Hindrance> {
    let places = PartPlaces::new(blueprint);
    let fixed = PointPermutation::of_moves(places.end, moves.iter().copied())?;
    let map = Automorphism::new(places, fixed);
    let map = match node_moves(system, blueprint, &map) {
        Err(hindrance) => return Some(hindrance),
        Ok(nodes) => {
            let all = moves.iter().copied().chain(nodes);
            Automorphism::new(places, PointPermutation::of_moves(places.end, all)?)
        }
    };
    let broken = judge(blueprint, &map).err()?;
    told(system, blueprint, &map, &broken)
}

/// What is broken, by names.
pub(super) fn told(
    system: &System,
    blueprint: &Blueprint,
    map: &Automorphism,
    broken: &Broken,
) -> Option<Hindrance> {
    let event = |label: u32| {
        let event = blueprint.events[label as usize];
        let component = usize::from(blueprint.labels[label as usize]);
        (component, system.machine.show_event(event))
    };
    match broken {
        Broken::Initial { component } => Some(Hindrance::Begins {
            component: *component,
            image: map.component(*component),
        }),
        Broken::Rule { rule } => {
            let (labels, _) = blueprint.rules.get_index(*rule)?;
            Some(Hindrance::Rule {
                parts: labels.iter().map(|label| event(*label)).collect(),
                images: labels.iter().map(|l| event(map.label(*l))).collect(),
            })
        }
        Broken::Result { result } => {
            let named = |number: usize| {
                let event = blueprint.results.get_index(number)?;
                Some(system.machine.show_event(*event))
            };
            Some(Hindrance::Name {
                event: named(*result)?,
                image: named(map.result(*result as u32) as usize)?,
            })
        }
        Broken::Node { .. } => Some(Hindrance::Node),
        // These come with a way there, or are none of the network's.
        Broken::Step { .. } | Broken::Kinds => None,
    }
}

/// Two nodes that one and the same trace leads to, but for the permutation.
struct NodePair {
    from: u32,
    to: u32,
    /// The pair before, and the event there.
    before: Option<(usize, EventId)>,
}

/// Where nodes go if events do: a normalised specification leaves no choice. An error where it allows different
/// things then.
fn node_moves(
    system: &System,
    blueprint: &Blueprint,
    map: &Automorphism,
) -> std::result::Result<Vec<(u32, u32)>, Hindrance> {
    let mut moves = Vec::new();
    if blueprint.nodes.is_empty() {
        return Ok(moves);
    }
    let places = PartPlaces::new(blueprint);
    let back = map.inverse();
    let show = |event: EventId| system.machine.show_event(event);
    let mut pairs = vec![NodePair {
        from: 0,
        to: 0,
        before: None,
    }];
    let mut met: Set<u32> = Set::from_iter([0]);
    let mut at = 0;
    while let Some(NodePair { from, to, .. }) = pairs.get(at) {
        let (from, to) = (*from, *to);
        moves.push((places.nodes + from, places.nodes + to));
        let trace = trace_to(&pairs, at);
        let edges = &blueprint.nodes[from as usize].edges;
        let others: Map<EventId, u32> =
            blueprint.nodes[to as usize].edges.iter().copied().collect();
        let texts = |map: &dyn Fn(EventId) -> EventId| -> Vec<String> {
            trace.iter().map(|event| show(map(*event))).collect()
        };
        let same = |event| event;
        let image = |event| map.event(blueprint, event);
        for (event, next) in edges {
            match others.get(&image(*event)) {
                None => {
                    return Err(Hindrance::Specification {
                        trace: texts(&same),
                        event: show(*event),
                        other_trace: texts(&image),
                        wanted: show(image(*event)),
                    });
                }
                Some(other) if met.insert(*next) => pairs.push(NodePair {
                    from: *next,
                    to: *other,
                    before: Some((at, *event)),
                }),
                Some(_) => {}
            }
        }
        let known: Set<EventId> = edges.iter().map(|edge| image(edge.0)).collect();
        let mut unknown: Vec<EventId> = others.into_keys().filter(|e| !known.contains(e)).collect();
        unknown.sort_unstable();
        if let Some(event) = unknown.first() {
            return Err(Hindrance::Specification {
                trace: texts(&image),
                event: show(*event),
                other_trace: texts(&same),
                wanted: show(back.event(blueprint, *event)),
            });
        }
        at += 1;
    }
    Ok(moves)
}

fn trace_to(pairs: &[NodePair], at: usize) -> Vec<EventId> {
    let mut trace = Vec::new();
    let mut at = at;
    while let Some((before, event)) = pairs[at].before {
        trace.push(event);
        at = before;
    }
    trace.reverse();
    trace
}
