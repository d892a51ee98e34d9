//! Near misses of symmetry: permutations that satisfy all conditions but that on initial local states, or on names of
//! events, or that the names of components suggest.
//!
//! A candidate may come from anywhere. The reasons are those of [`crate::structure::verify`], or of a failure to
//! complete it, so each is a fact of the network.

use crate::check::system::System;
use crate::group::PointPermutation;
use crate::machine::EventId;
use crate::source::hash::{Map, Set};
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::verify::{Broken, verify};

/// A permutation that is not a symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// The image of each component.
    pub components: Vec<usize>,
    /// The reasons why it is not a symmetry.
    pub hindrances: Vec<Hindrance>,
    /// Whether the list is complete: without these it would be a symmetry.
    pub all: bool,
}

/// A reason why a permutation is not a symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The initial local state of a component is not mapped to that of its image.
    Begins {
        /// The component.
        component: usize,
        /// Its image.
        image: usize,
    },
    /// A component takes part in an event, and its image in no event that would be the image.
    Alphabet {
        /// The component.
        component: usize,
        /// Its event.
        event: String,
        /// The image of the component.
        image: usize,
        /// The missing image of the event.
        wanted: String,
    },
    /// After corresponding traces, one of a component and its image can perform an event, and the other not the
    /// corresponding one.
    Ability {
        /// The component.
        component: usize,
        /// Its trace.
        trace: Vec<String>,
        /// The event that it can perform.
        event: String,
        /// The component that cannot perform the corresponding one.
        image: usize,
        /// The trace of that.
        image_trace: Vec<String>,
        /// The event that it cannot perform.
        wanted: String,
    },
    /// Some components synchronise on events, and their images do not.
    Rule {
        /// The components with their events.
        parts: Vec<(usize, String)>,
        /// Their images.
        images: Vec<(usize, String)>,
    },
    /// An event has another event as its image, and names of events matter.
    Name {
        /// The event.
        event: String,
        /// Its image.
        image: String,
    },
    /// After one trace the specification allows an event, and after a corresponding trace not the corresponding event.
    Specification {
        /// The trace after which the event is allowed.
        trace: Vec<String>,
        /// The allowed event.
        event: String,
        /// The corresponding trace.
        other_trace: Vec<String>,
        /// The event that is not allowed after it.
        wanted: String,
    },
    /// Two nodes of the specification that the permutation maps to each other differ.
    Node,
}

/// The images of components under a symmetry.
pub(super) fn images(structure: &NetworkStructure, map: &Automorphism) -> Vec<usize> {
    let components = 0..structure.points.components();
    components.map(|c| map.component(c)).collect()
}

/// The reason why a map without nodes, which is extended to them, is not a symmetry; `None` if it is one, or if that is
/// unknown.
pub(super) fn with_nodes(
    system: &System,
    structure: &NetworkStructure,
    moves: &[(u32, u32)],
) -> Option<Hindrance> {
    let places = PartPlaces::new(structure);
    let fixed = PointPermutation::of_moves(places.end, moves.iter().copied())?;
    let map = Automorphism::new(places, fixed);
    let map = match node_moves(system, structure, &map) {
        Err(hindrance) => return Some(hindrance),
        Ok(nodes) => {
            let all = moves.iter().copied().chain(nodes);
            Automorphism::new(places, PointPermutation::of_moves(places.end, all)?)
        }
    };
    let broken = verify(structure, &map).err()?;
    told(system, structure, &map, &broken)
}

/// The displayed reason for a broken condition.
pub(super) fn told(
    system: &System,
    structure: &NetworkStructure,
    map: &Automorphism,
    broken: &Broken,
) -> Option<Hindrance> {
    let event = |label: u32| {
        let event = structure.events[label as usize];
        let component = usize::from(structure.labels[label as usize]);
        (component, system.machine.show_event(event))
    };
    match broken {
        Broken::Initial { component } => Some(Hindrance::Begins {
            component: *component,
            image: map.component(*component),
        }),
        Broken::Rule { rule } => {
            let (labels, _) = structure.rules.get_index(*rule)?;
            Some(Hindrance::Rule {
                parts: labels.iter().map(|label| event(*label)).collect(),
                images: labels.iter().map(|l| event(map.label(*l))).collect(),
            })
        }
        Broken::Result { result } => {
            let named = |number: usize| {
                let event = structure.results.get_index(number)?;
                Some(system.machine.show_event(*event))
            };
            Some(Hindrance::Name {
                event: named(*result)?,
                image: named(map.result(*result as u32) as usize)?,
            })
        }
        Broken::Node { .. } => Some(Hindrance::Node),
        // Steps have a reason with a trace, and kinds never differ here.
        Broken::Step { .. } | Broken::Kinds => None,
    }
}

/// Two nodes after corresponding traces.
struct NodePair {
    from: u32,
    to: u32,
    /// The pair before, and the event from it.
    before: Option<(usize, EventId)>,
}

/// Extends a map from events to nodes: a normalised specification leaves no choice. The error is a difference of the
/// events allowed at two nodes.
// In one piece: the error contains the path followed until then.
fn node_moves(
    system: &System,
    structure: &NetworkStructure,
    map: &Automorphism,
) -> Result<Vec<(u32, u32)>, Hindrance> {
    let mut moves = Vec::new();
    if structure.nodes.is_empty() {
        return Ok(moves);
    }
    let places = PartPlaces::new(structure);
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
        let edges = &structure.nodes[from as usize].edges;
        let others: Map<EventId, u32> =
            structure.nodes[to as usize].edges.iter().copied().collect();
        let texts = |map: &dyn Fn(EventId) -> EventId| -> Vec<String> {
            trace.iter().map(|event| show(map(*event))).collect()
        };
        let same = |event| event;
        let image = |event| map.event(structure, event);
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
                wanted: show(back.event(structure, *event)),
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
