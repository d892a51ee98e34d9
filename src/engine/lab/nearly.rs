//! What is no symmetry of a network for one reason: a permutation that respects all but where components begin,
//! or all but the names of events, or that the names of components suggest.
//!
//! A candidate may come from anywhere. Told is what [`crate::structure::judge`] has to say of it, or what was
//! found to be missing while it was put together, so every reason is a fact of the network.

use crate::check::system::System;
use crate::group::PointPermutation;
use crate::machine::EventId;
use crate::source::hash::{Map, Set};
use crate::structure::blueprint::Blueprint;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::judge::{Broken, judge};

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

/// Components as a symmetry takes them to one another.
pub(super) fn images(blueprint: &Blueprint, map: &Automorphism) -> Vec<usize> {
    let components = 0..blueprint.points.components();
    components.map(|c| map.component(c)).collect()
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
// In one piece: what it tells where it fails is what it has followed until then.
fn node_moves(
    system: &System,
    blueprint: &Blueprint,
    map: &Automorphism,
) -> Result<Vec<(u32, u32)>, Hindrance> {
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
