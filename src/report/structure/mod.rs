//! The symmetry in the structure of a network as plain data: its generators, the order of its group, the part that
//! the text alone shows, and near misses.

mod document;
mod dot;
mod hindrances;
mod text;

use num_bigint::BigUint;

use crate::check::structural::why_unknown;
use crate::check::system::System;
use crate::group::PointOrbits;
use crate::lab::examined::{Examined, FoundInStructure, NamesMatter};
use crate::lab::nearly::NearMiss;
use crate::machine::Machine;
use crate::source::hash::{IndexMap, IndexSet};
use orbitscope_engine::structure::element::{Automorphism, PartPlaces};
use orbitscope_engine::structure::network_structure::NetworkStructure;

pub use document::orbit_letters;
pub use dot::dot;
pub use text::{arrows, orders};

/// Cycles of events that are kept of a generator.
const CYCLES_MAX: usize = 500;
/// Largest number of kept pairs of components that share events.
const LINKS_MAX: usize = 2_000;
/// Largest number of named channels that two components share.
const CHANNELS_MAX: usize = 4;

/// The action of a generator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeneratorView {
    /// Cycles of components, by their numbers.
    pub components: Vec<Vec<usize>>,
    /// Cycles of events of the network, at most so many as are kept.
    pub events: Vec<Vec<String>>,
    /// The number of cycles of events.
    pub event_cycles: usize,
    /// An example of the action on local states if no component moves: a component, one of its local states and its
    /// image.
    pub local: Option<(usize, String, String)>,
}

/// A permutation of components that is no symmetry, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissView {
    /// Cycles of components, by their numbers.
    pub components: Vec<Vec<usize>>,
    /// The reasons why it is no symmetry, in words.
    pub reasons: Vec<String>,
    /// Whether these are the only reasons.
    pub all: bool,
}

/// The common events of two components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkView {
    /// The two, the lower number first.
    pub ends: (usize, usize),
    /// Some of their channels.
    pub channels: Vec<String>,
    /// The number of further channels.
    pub more: usize,
}

/// A group that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructureGroupView {
    /// The number of permutations of components and local states; `None` if unknown.
    pub order: Option<BigUint>,
    /// The order of the group on events as well: permutations that move events alone count, too.
    pub order_with_events: BigUint,
    /// Whether the group is the whole one, and not only what was found within the limit of work.
    pub complete: bool,
    /// The name of the group as it acts on states, if it has one.
    pub name: Option<String>,
    /// A set that generates the group.
    pub generators: Vec<GeneratorView>,
    /// The orbits of components, each ascending, in the order of their first ones; those of one component too.
    pub orbits: Vec<Vec<usize>>,
    /// Vertices and edges of the structure graph.
    pub graph: (usize, usize),
    /// The near misses.
    pub misses: Vec<MissView>,
}

impl StructureGroupView {
    /// The components that nothing moves.
    #[must_use]
    pub fn fixed(&self) -> Vec<usize> {
        let alone = self.orbits.iter().filter(|orbit| orbit.len() == 1);
        alone.map(|orbit| orbit[0]).collect()
    }

    /// Whether the group is known to act trivially on states.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        match &self.order {
            Some(order) => *order == BigUint::from(1u32),
            None => self.generators.is_empty(),
        }
    }
}

/// The symmetry of a process, or of an assertion.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSymmetry {
    /// The number of the assertion, from 1, if it is one.
    pub assertion: Option<usize>,
    /// The assertion, or the process.
    pub subject: String,
    /// Components, in their order.
    pub components: Vec<String>,
    /// The influence of the names of events.
    pub names_matter: NamesMatter,
    /// The group, or the reason why it was not searched.
    pub found: Result<StructureGroupView, String>,
    /// The pairs of components that share events, up to a limit.
    pub links: Vec<LinkView>,
    /// The symmetric datatypes of the text, with the number of their values.
    pub types: Vec<(String, usize)>,
    /// The identical components.
    pub copies: Vec<(String, usize)>,
    /// The number of permutations of values and copies.
    pub known: BigUint,
    /// Seconds that compiling took, and looking for symmetry.
    pub seconds: (f64, f64),
}

/// Puts the result of a search into words.
#[must_use]
pub fn view(assertion: Option<usize>, subject: &str, examined: &mut Examined) -> NetworkSymmetry {
    let links = match &examined.found {
        Ok(found) => links(&examined.system.machine, &found.structure),
        Err(_) => Vec::new(),
    };
    let found = match &examined.found {
        Ok(found) => Ok(group(&mut examined.system, found, &examined.names)),
        Err(unknown) => Err(why_unknown(*unknown).to_owned()),
    };
    NetworkSymmetry {
        assertion,
        subject: subject.to_owned(),
        components: examined.names.clone(),
        names_matter: examined.names_matter,
        found,
        links,
        types: examined.types.clone(),
        copies: examined.copies.clone(),
        known: examined.known.clone(),
        seconds: (examined.compiling, examined.seconds),
    }
}

fn group(system: &mut System, found: &FoundInStructure, names: &[String]) -> StructureGroupView {
    let structure = &found.structure;
    let all = &found.symmetries;
    let generators = all.generators.iter();
    let machine = &mut system.machine;
    let generators: Vec<GeneratorView> = generators
        .map(|map| generator(machine, structure, map))
        .collect();
    StructureGroupView {
        order: found.acting.clone(),
        order_with_events: all.order.clone(),
        complete: all.complete,
        name: found.name.clone(),
        orbits: orbits(names.len(), &generators),
        generators,
        graph: all.size,
        misses: found
            .misses
            .iter()
            .map(|miss| miss_view(miss, names))
            .collect(),
    }
}

fn generator(
    machine: &mut Machine,
    structure: &NetworkStructure,
    map: &Automorphism,
) -> GeneratorView {
    let places = PartPlaces::new(structure);
    let mut view = GeneratorView::default();
    for cycle in map.map().cycles() {
        let first = cycle[0];
        if first < places.points {
            view.components
                .push(cycle.iter().map(|c| *c as usize).collect());
        } else if (places.results..places.nodes).contains(&first) {
            view.event_cycles += 1;
            if view.events.len() < CYCLES_MAX {
                let event = |at: &u32| {
                    let number = (at - places.results) as usize;
                    let event = structure.results.get_index(number)?;
                    Some(machine.show_event(*event))
                };
                view.events.push(cycle.iter().filter_map(event).collect());
            }
        }
    }
    let moved = map.map().moves().map(|(from, _)| from);
    let mut points = moved.filter(|from| (places.points..places.labels).contains(from));
    if view.components.is_empty()
        && let Some(at) = points.next()
    {
        let point = at - places.points;
        let mut show = |point| machine.show_local(structure.points.local(point));
        let (before, after) = (show(point), show(map.point(point)));
        view.local = Some((structure.points.component(point), before, after));
    }
    view
}

/// The components that generators take to one another.
fn orbits(count: usize, generators: &[GeneratorView]) -> Vec<Vec<usize>> {
    let mut all = PointOrbits::new(count as u32);
    for cycle in generators.iter().flat_map(|g| &g.components) {
        for pair in cycle.windows(2) {
            all.unite(pair[0] as u32, pair[1] as u32);
        }
    }
    let mut orbits: IndexMap<u32, Vec<usize>> = IndexMap::default();
    for component in 0..count {
        let root = all.root_of(component as u32);
        orbits.entry(root).or_default().push(component);
    }
    orbits.into_values().collect()
}

fn miss_view(miss: &NearMiss, names: &[String]) -> MissView {
    let mut components = Vec::new();
    let mut seen = vec![false; miss.components.len()];
    for first in 0..miss.components.len() {
        let mut cycle = Vec::new();
        let mut at = first;
        while !std::mem::replace(&mut seen[at], true) {
            cycle.push(at);
            at = miss.components[at];
        }
        if cycle.len() > 1 {
            components.push(cycle);
        }
    }
    MissView {
        components,
        reasons: hindrances::reasons(&miss.hindrances, names),
        all: miss.all,
    }
}

/// The pairs of components that take part in one rule.
fn links(machine: &Machine, structure: &NetworkStructure) -> Vec<LinkView> {
    let channel_of = |label: u32| machine.channel_name(structure.events[label as usize]);
    // A channel is named once, however many rules there are.
    let mut channels: Vec<Option<String>> = vec![None; structure.labels.len()];
    let mut found: IndexMap<(usize, usize), IndexSet<String>> = IndexMap::default();
    // Rules that block others, but never fire, are no rules of the network.
    let rules: IndexSet<u32> = structure.rule_of.iter().copied().collect();
    let rules = rules
        .iter()
        .filter_map(|r| structure.rules.get_index(*r as usize));
    for (labels, _) in rules {
        for (at, one) in labels.iter().enumerate() {
            for other in &labels[at + 1..] {
                let component = |label: &u32| usize::from(structure.labels[*label as usize]);
                let (a, b) = (component(one), component(other));
                let ends = (a.min(b), a.max(b));
                if found.len() >= LINKS_MAX && !found.contains_key(&ends) {
                    continue;
                }
                let channel = channels[*one as usize].get_or_insert_with(|| channel_of(*one));
                let of = found.entry(ends).or_default();
                if !of.contains(channel.as_str()) {
                    of.insert(channel.clone());
                }
            }
        }
    }
    found.sort_keys();
    let link = |(ends, channels): ((usize, usize), IndexSet<String>)| LinkView {
        ends,
        more: channels.len().saturating_sub(CHANNELS_MAX),
        channels: channels.into_iter().take(CHANNELS_MAX).collect(),
    };
    found.into_iter().map(link).collect()
}
