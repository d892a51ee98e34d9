//! Verification of symmetries: whether a map satisfies Def. 29, and fixes the initial state.
//!
//! A search for maps may be wrong: a reduction uses only maps that are verified here. So this shares no code with
//! the search.

use super::element::{Automorphism, PartPlaces};
use super::network_structure::NetworkStructure;
use crate::machine::EventId;
use crate::source::hash::Set;

/// A condition that a map violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It maps a component, a point or an event to a part of another kind.
    Kinds,
    /// The initial states of a component and of its image do not correspond.
    Initial {
        /// The component.
        component: usize,
    },
    /// A transition of a component has no image.
    Step {
        /// Number of the step in the structure.
        step: usize,
    },
    /// A rule has no image.
    Rule {
        /// Number of the rule in the structure.
        rule: usize,
    },
    /// An event that must be fixed is moved.
    Result {
        /// Number of the event in the structure.
        result: usize,
    },
    /// A node of the specification and its image allow different events.
    Node {
        /// Number of the node.
        node: usize,
    },
}

/// Verifies a map by the definition.
///
/// # Errors
/// The first violation.
pub fn verify(structure: &NetworkStructure, map: &Automorphism) -> Result<(), Broken> {
    Verifier::new(structure).verify(map)
}

/// Incidence lists of all parts that a map permutes, by place ([`PartPlaces`]).
struct Incidence {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Incidence {
    fn new(places: u32, pairs: &[(u32, u32)]) -> Self {
        let mut first = vec![0; places as usize + 1];
        for (place, _) in pairs {
            first[*place as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut items = vec![0; pairs.len()];
        for (place, item) in pairs {
            items[next[*place as usize] as usize] = *item;
            next[*place as usize] += 1;
        }
        Self { first, items }
    }

    fn of(&self, place: u32) -> &[u32] {
        let range = self.first[place as usize]..self.first[place as usize + 1];
        &self.items[range.start as usize..range.end as usize]
    }

    /// The things incident to parts that a map moves, ascending. All others are fixed.
    fn touched(&self, map: &Automorphism) -> Vec<u32> {
        let moved = map.map().moved().iter();
        let mut touched: Vec<u32> = moved.flat_map(|at| self.of(*at)).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}

/// Verifies maps by the definition, each in time proportional to the parts that it moves.
pub struct Verifier<'b> {
    structure: &'b NetworkStructure,
    places: PartPlaces,
    /// The components of components, points and labels.
    components_of: Incidence,
    /// The labels of each component.
    labels_of: Incidence,
    steps_of: Incidence,
    rules_of: Incidence,
    /// The nodes incident to nodes and results.
    nodes_of: Incidence,
    /// The transitions of nodes.
    edges: Set<(u32, EventId, u32)>,
    /// Number of distinct transitions of each node.
    degrees: Vec<u32>,
}

impl<'b> Verifier<'b> {
    /// A verifier for maps of a structure.
    #[must_use]
    pub fn new(structure: &'b NetworkStructure) -> Self {
        let places = PartPlaces::new(structure);
        let points = &structure.points;
        let components = 0..places.points;
        let mut owned: Vec<(u32, u32)> = components.clone().map(|c| (c, c)).collect();
        for component in components {
            let range = points.range(component as usize);
            owned.extend(range.map(|point| (places.points + point, component)));
        }
        let labels = (places.labels..).zip(structure.labels.iter().map(|c| u32::from(*c)));
        let labels_of: Vec<(u32, u32)> = labels.clone().map(|(at, c)| (c, at)).collect();
        owned.extend(labels);
        let mut steps = Vec::with_capacity(3 * structure.steps.len());
        for (number, (from, label, to)) in (0..).zip(&structure.steps) {
            let points = [from, to].map(|point| (places.points + point, number));
            steps.extend(points);
            steps.push((places.labels + label, number));
        }
        let mut rules = Vec::new();
        for (number, (labels, result)) in (0..).zip(&structure.rules) {
            rules.extend(labels.iter().map(|label| (places.labels + label, number)));
            rules.push((places.results + result, number));
        }
        let (mut nodes, mut edges, mut degrees) = (Vec::new(), Set::default(), Vec::new());
        for (number, node) in (0..).zip(&structure.nodes) {
            nodes.push((places.nodes + number, number));
            let before = edges.len();
            edges.extend(node.edges.iter().map(|(event, to)| (number, *event, *to)));
            degrees.push((edges.len() - before) as u32);
            nodes.extend(
                node.edges
                    .iter()
                    .map(|edge| (places.nodes + edge.1, number)),
            );
            let events = node.edges.iter().map(|edge| &edge.0);
            for event in events.chain(node.sets.iter().flatten()) {
                let result = structure.results.get_index_of(event);
                nodes.extend(result.map(|result| (places.results + result as u32, number)));
            }
        }
        Self {
            structure,
            places,
            components_of: Incidence::new(places.end, &owned),
            labels_of: Incidence::new(places.end, &labels_of),
            steps_of: Incidence::new(places.end, &steps),
            rules_of: Incidence::new(places.end, &rules),
            nodes_of: Incidence::new(places.end, &nodes),
            edges,
            degrees,
        }
    }

    /// Verifies a map.
    ///
    /// # Errors
    /// The first violation.
    pub fn verify(&self, map: &Automorphism) -> Result<(), Broken> {
        let structure = self.structure;
        self.kinds(map)?;
        for component in self.components_of.touched(map) {
            let component = component as usize;
            if let Some(initial) = structure.initial.get(component)
                && structure.initial[map.component(component)] != map.point(*initial)
            {
                return Err(Broken::Initial { component });
            }
        }
        // Maps are injective on finite sets, so if every image exists, every element is an image.
        for step in self.steps_of.touched(map) {
            let step = step as usize;
            let (from, label, to) = &structure.steps[step];
            let image = (map.point(*from), map.label(*label), map.point(*to));
            if !structure.steps.contains(&image) {
                return Err(Broken::Step { step });
            }
        }
        for rule in self.rules_of.touched(map) {
            let rule = rule as usize;
            let (labels, result) = &structure.rules[rule];
            let mut image: Vec<u32> = labels.iter().map(|label| map.label(*label)).collect();
            image.sort_unstable();
            let image = (image.into(), map.result(*result));
            let image = structure.rules.get_index_of(&image);
            if image.is_none_or(|image| structure.class(image) != structure.class(rule)) {
                return Err(Broken::Rule { rule });
            }
        }
        let results = self.places.results..self.places.nodes;
        for place in map.map().moved().iter().filter(|at| results.contains(at)) {
            let result = place - results.start;
            let image = map.result(result) as usize;
            if structure.fixed[result as usize] || structure.fixed[image] {
                let result = result as usize;
                return Err(Broken::Result { result });
            }
        }
        self.nodes(map)
    }

    /// Checks that kinds are preserved, and incidence of points and labels to components.
    fn kinds(&self, map: &Automorphism) -> Result<(), Broken> {
        let (structure, places) = (self.structure, self.places);
        let starts = [
            places.points,
            places.labels,
            places.results,
            places.nodes,
            places.end,
        ];
        let kind = |place: u32| starts.iter().position(|start| place < *start);
        let keeps = |(from, to): (u32, u32)| kind(from) == kind(to);
        let mut whole = map.map().degree() == places.end && map.map().moves().all(keeps);
        let belongs = |component: u32| {
            let to = map.component(component as usize);
            let image = structure.points.range(to);
            let mut points = structure.points.range(component as usize);
            let labels = self.labels_of.of(component).iter();
            let mut labels = labels.map(|at| map.label(at - places.labels) as usize);
            points.all(|point| image.contains(&map.point(point)))
                && labels.all(|label| {
                    structure
                        .labels
                        .get(label)
                        .is_some_and(|c| usize::from(*c) == to)
                })
        };
        let mut touched = match whole {
            true => self.components_of.touched(map).into_iter(),
            false => Vec::new().into_iter(),
        };
        whole = whole && touched.all(belongs);
        if whole { Ok(()) } else { Err(Broken::Kinds) }
    }

    /// Checks that the specification is mapped to itself.
    fn nodes(&self, map: &Automorphism) -> Result<(), Broken> {
        let image = |event| map.event(self.structure, event);
        for number in self.nodes_of.touched(map) {
            let node = number as usize;
            let tied = &self.structure.nodes[node];
            let to = map.node(number);
            let broken = Broken::Node { node };
            let Some(other) = self.structure.nodes.get(to as usize) else {
                return Err(broken);
            };
            let is_kept = |(event, next): &(EventId, u32)| {
                self.edges.contains(&(to, image(*event), map.node(*next)))
            };
            let same_number = self.degrees[node] == self.degrees[to as usize];
            let same_edges = same_number && tied.edges.iter().all(is_kept);
            let same_sets = sorted_sets(&tied.sets, &image) == sorted_sets(&other.sets, &|e| e);
            let starts = (number == 0) == (to == 0);
            if !same_edges || !same_sets || tied.colour != other.colour || !starts {
                return Err(broken);
            }
        }
        Ok(())
    }
}

/// Sets of events, each ascending, in ascending order.
fn sorted_sets(sets: &[Vec<EventId>], image: &dyn Fn(EventId) -> EventId) -> Vec<Vec<EventId>> {
    let sorted = |set: &Vec<EventId>| {
        let mut set: Vec<EventId> = set.iter().map(|event| image(*event)).collect();
        set.sort_unstable();
        set
    };
    let mut sets: Vec<Vec<EventId>> = sets.iter().map(sorted).collect();
    sets.sort_unstable();
    sets
}
