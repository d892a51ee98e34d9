//! Near misses suggested by the values of components: a rotation of `Cell(0)`, `Cell(1)`, `Cell(2)`, or an exchange of
//! two of them. The images of local states follow from the initial ones, those of events from their fields; a field of
//! a channel identifies a component if moving it gives most events an image.
//!
//! A dotted value counts as its parts, in components as in events: `Cell(Id.0)` and `put.Id.0` are identified by the
//! number.

use std::collections::VecDeque;

use super::nearly::{Hindrance, NearMiss, with_nodes};
use crate::check::system::System;
use crate::group::PointOrbits;
use crate::machine::{EventId, Format, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Map, Set};
use crate::structure::element::PartPlaces;
use crate::structure::network_structure::NetworkStructure;
use crate::structure::search::Symmetries;
use crate::value::{Data, Value};

/// Networks with more events of components are not searched.
const EVENTS_MAX: usize = 50_000;
/// Fields of a channel that may identify a component, at most.
const FIELDS_MAX: usize = 4;
/// Candidates tried, at most.
const TRIED_MAX: usize = 12;

/// A permutation of values.
type ValueMap = Map<Value, Value>;

/// The fields of a channel that a permutation of values moves, as bits. τ and ✓ have no channel.
type FieldMasks = Map<Option<Value>, u32>;

/// An event by its values: the channel, and the parts of its fields.
#[derive(Clone, PartialEq, Eq, Hash)]
struct EventValues {
    values: Vec<Value>,
    /// τ or ✓, which have no values.
    special: Option<EventId>,
}

impl EventValues {
    fn new(machine: &Machine, event: EventId) -> Self {
        let leaves = |value| machine.eval.store().dotted().leaves(value);
        let values = machine.events().value(event).map(leaves);
        Self {
            special: values.is_none().then_some(event),
            values: values.unwrap_or_default(),
        }
    }

    fn channel(&self) -> Option<Value> {
        self.values.first().copied()
    }

    /// The event with some of its fields moved.
    fn moved(&self, map: &ValueMap, mask: u32) -> Self {
        let mut image = self.clone();
        let fields = image.values.iter_mut().skip(1).take(FIELDS_MAX);
        for (at, field) in fields.enumerate() {
            if mask & (1 << at) != 0 {
                *field = *map.get(field).unwrap_or(field);
            }
        }
        image
    }

    /// The text of the event, even if the machine has no such event.
    fn text(&self, machine: &Machine) -> String {
        let show = |v: &Value| machine.eval.store().show(*v, machine.eval.script());
        match self.special {
            Some(event) => machine.show_event(event),
            None => self.values.iter().map(show).collect::<Vec<_>>().join("."),
        }
    }
}

/// The names and values from which candidates are made.
struct NetworkNames {
    /// The name and the values of each component.
    components: Vec<(String, Vec<Value>)>,
    /// The events of each component.
    events: Vec<IndexMap<EventValues, u32>>,
    /// The events of the network.
    results: IndexMap<EventValues, u32>,
    /// The steps of each point.
    steps: Vec<Vec<(u32, u32)>>,
}

impl NetworkNames {
    /// Collects the names of a network. Returns `None` above [`EVENTS_MAX`] events.
    fn new(system: &mut System, structure: &NetworkStructure) -> Result<Option<Self>> {
        let System { machine, network } = system;
        let format = network.first();
        let mut names = Self {
            components: Vec::new(),
            events: events_of(machine, format, structure)?,
            results: IndexMap::default(),
            steps: vec![Vec::new(); structure.points.count()],
        };
        let events: usize = names.events.iter().map(IndexMap::len).sum();
        if events > EVENTS_MAX || structure.results.len() > EVENTS_MAX {
            return Ok(None);
        }
        for component in format.components() {
            let term = machine.term_of(component.initial);
            let described = machine.eval.describe(term);
            let dotted = machine.eval.store().dotted();
            let values = described
                .args
                .into_iter()
                .flat_map(|arg| dotted.leaves(arg.1))
                .collect();
            names.components.push((described.name, values));
        }
        for (number, event) in (0..).zip(&structure.results) {
            let event = EventValues::new(machine, *event);
            names.results.insert(event, number);
        }
        for (from, label, to) in &structure.steps {
            names.steps[*from as usize].push((*label, *to));
        }
        Ok(Some(names))
    }

    /// The permutations of values to try: for each set of values that identifies components, its rotation by one, and,
    /// in a separate list, the exchange of the first two values that no symmetry maps to each other.
    fn suggested(
        &self,
        machine: &Machine,
        same_orbit: &dyn Fn(usize, usize) -> bool,
    ) -> (Vec<ValueMap>, Vec<ValueMap>) {
        // By name and index of the value: the components with each value.
        let mut kinds: IndexMap<(&str, usize), IndexMap<Value, usize>> = IndexMap::default();
        let mut twice: Set<(&str, usize)> = Set::default();
        for (component, (name, values)) in self.components.iter().enumerate() {
            for (place, value) in values.iter().enumerate() {
                let kind = kinds.entry((name, place)).or_default();
                if kind.insert(*value, component).is_some() {
                    twice.insert((name, place));
                }
            }
        }
        kinds.retain(|kind, of| of.len() > 1 && !twice.contains(kind));
        let mut turns: Vec<ValueMap> = Vec::new();
        let mut exchanges: Vec<ValueMap> = Vec::new();
        for of in kinds.values() {
            let mut values: Vec<(Value, usize)> = of.iter().map(|(v, c)| (*v, *c)).collect();
            // Numbers in their order; others in the order of components.
            values.sort_by_key(
                |(value, component)| match machine.eval.store().data(*value) {
                    Data::Int(number) => (Some(*number), *component),
                    _ => (None, *component),
                },
            );
            let first = values[0];
            let Some(other) = values.iter().find(|v| !same_orbit(first.1, v.1)) else {
                continue;
            };
            let turned = values.iter().zip(values.iter().cycle().skip(1));
            let turned = turned.map(|(a, b)| (a.0, b.0));
            let exchanged = [(first.0, other.0), (other.0, first.0)];
            for (list, map) in [
                (&mut turns, turned.collect()),
                (&mut exchanges, ValueMap::from_iter(exchanged)),
            ] {
                if !list.contains(&map) && list.len() < TRIED_MAX {
                    list.push(map);
                }
            }
        }
        (turns, exchanges)
    }

    /// The images of components under a permutation of values; `None` if that is no permutation. If the image by name
    /// does not exist, a component may be mapped to another name with the same values: `Left(0)` beside `Right(1)` and
    /// `Right(2)`.
    fn components_by(&self, map: &ValueMap) -> Option<Vec<usize>> {
        let moved = |values: &[Value]| -> Vec<Value> {
            let moved = values.iter().map(|v| *map.get(v).unwrap_or(v));
            moved.collect()
        };
        let all = || self.components.iter().enumerate();
        let number: Map<_, _> = all().map(|(c, name)| (name, c)).collect();
        let by_name: Vec<Option<usize>> = all()
            .map(|(_, (name, values))| number.get(&(name.clone(), moved(values))).copied())
            .collect();
        let partly = all().filter(|(c, _)| by_name[*c].is_none());
        let partly: Set<&str> = partly.map(|(_, (name, _))| name.as_str()).collect();
        let image = |(component, (name, values)): (usize, &(String, Vec<Value>))| {
            let wanted = moved(values);
            if by_name[component].is_some() || wanted == *values {
                return by_name[component].unwrap_or(component);
            }
            let other = |(_, (other, of)): &(usize, &(String, Vec<Value>))| {
                partly.contains(other.as_str()) && other != name && *of == wanted
            };
            let mut others = all().filter(other);
            match (others.next(), others.next()) {
                (Some((only, _)), None) => only,
                _ => component,
            }
        };
        let images: Vec<usize> = all().map(image).collect();
        let reached: Set<usize> = images.iter().copied().collect();
        let moves = images.iter().enumerate().any(|(c, to)| c != *to);
        (moves && reached.len() == images.len()).then_some(images)
    }

    /// For each channel the fields to move.
    fn masks(&self, map: &ValueMap, components: &[usize]) -> FieldMasks {
        let mut scores: Map<(Option<Value>, u32), usize> = Map::default();
        let mut masks = FieldMasks::default();
        let mut count = |event: &EventValues, images: &IndexMap<EventValues, u32>| {
            masks.entry(event.channel()).or_default();
            // All subsets of the fields.
            let fields = event.values.len().saturating_sub(1);
            for mask in 0..1 << fields.min(FIELDS_MAX) {
                if images.contains_key(&event.moved(map, mask)) {
                    *scores.entry((event.channel(), mask)).or_default() += 1;
                }
            }
        };
        for (component, events) in self.events.iter().enumerate() {
            let images = &self.events[components[component]];
            for event in events.keys() {
                count(event, images);
            }
        }
        for event in self.results.keys() {
            count(event, &self.results);
        }
        let mut best: Map<Option<Value>, (usize, std::cmp::Reverse<u32>, u32)> = Map::default();
        for ((channel, mask), score) in &scores {
            let rank = (
                *score,
                std::cmp::Reverse(mask.count_ones()),
                u32::MAX - mask,
            );
            let entry = best.entry(*channel).or_insert(rank);
            *entry = (*entry).max(rank);
        }
        for (channel, mask) in &mut masks {
            *mask = best.get(channel).map_or(0, |rank| u32::MAX - rank.2);
        }
        masks
    }
}

/// The events of each component in rules.
fn events_of(
    machine: &Machine,
    format: &Format,
    structure: &NetworkStructure,
) -> Result<Vec<IndexMap<EventValues, u32>>> {
    let mut labels: Map<(u16, EventId), u32> = Map::default();
    let mut kinds: Map<(u16, u32), u32> = Map::default();
    for (number, (component, event)) in (0..).zip(structure.labels.iter().zip(&structure.events)) {
        labels.insert((*component, *event), number);
        if let Some(kind) = format.merged().label(usize::from(*component), *event) {
            kinds.insert((*component, kind), number);
        }
    }
    let mut events = vec![IndexMap::default(); format.components().len()];
    for (component, event) in format
        .rules()
        .list()
        .iter()
        .flat_map(|rule| rule.parts.iter())
    {
        machine.eval.check_step()?;
        let kind = format.merged().label(usize::from(*component), *event);
        let label = match kind {
            Some(kind) => kinds.get(&(*component, kind)),
            None => labels.get(&(*component, *event)),
        };
        if let Some(label) = label {
            let event = EventValues::new(machine, *event);
            events[usize::from(*component)].insert(event, *label);
        }
    }
    Ok(events)
}

/// Searches for near misses suggested by names.
///
/// # Errors
/// A limit.
pub(super) fn by_names(
    system: &mut System,
    structure: &NetworkStructure,
    found: &Symmetries,
) -> Result<Vec<NearMiss>> {
    let Some(names) = NetworkNames::new(system, structure)? else {
        return Ok(Vec::new());
    };
    let generators = found.generators.iter().map(|g| g.map());
    let places = PartPlaces::new(structure);
    let mut orbits = PointOrbits::of(places.end, generators);
    let root: Vec<u32> = (0..places.points).map(|c| orbits.root_of(c)).collect();
    let same_orbit = |a: usize, b: usize| root[a] == root[b];
    let (turns, exchanges) = names.suggested(&system.machine, &same_orbit);
    let misses = tried(system, structure, &names, &turns)?;
    // If there are near misses by rotation, exchanges add little.
    match misses.is_empty() {
        true => tried(system, structure, &names, &exchanges),
        false => Ok(misses),
    }
}

/// Of some permutations of values, those that are not symmetries and move the most components.
fn tried(
    system: &System,
    structure: &NetworkStructure,
    names: &NetworkNames,
    maps: &[ValueMap],
) -> Result<Vec<NearMiss>> {
    let mut misses: Vec<NearMiss> = Vec::new();
    for map in maps {
        system.machine.eval.check_time()?;
        let Some(components) = names.components_by(map) else {
            continue;
        };
        let candidate = Candidate {
            system,
            structure,
            names,
            masks: names.masks(map, &components),
            map,
            components: &components,
        };
        if let Some(hindrance) = candidate.hindrance() {
            misses.push(NearMiss {
                components,
                hindrances: vec![hindrance],
                all: false,
            });
        }
    }
    let moved = |miss: &NearMiss| {
        let images = miss.components.iter().enumerate();
        images.filter(|(c, to)| c != *to).count()
    };
    let most = misses.iter().map(moved).max().unwrap_or(0);
    misses.retain(|miss| moved(miss) == most);
    misses.dedup_by(|a, b| a.components == b.components);
    Ok(misses)
}

/// A permutation of values, with its action on components and events.
struct Candidate<'a> {
    system: &'a System,
    structure: &'a NetworkStructure,
    names: &'a NetworkNames,
    masks: FieldMasks,
    map: &'a ValueMap,
    components: &'a [usize],
}

/// Two points after corresponding traces.
struct PointPair {
    from: u32,
    to: u32,
    before: Option<(usize, u32)>,
}

/// The reason why a candidate cannot be completed.
enum Incomplete {
    /// For this reason.
    For(Hindrance),
    /// The names do not tell.
    Unknown,
}

impl Candidate<'_> {
    fn moved(&self, event: &EventValues) -> EventValues {
        let mask = self.masks.get(&event.channel()).copied().unwrap_or(0);
        event.moved(self.map, mask)
    }

    /// The reason why it is not a symmetry; `None` if it is one, or if that is unknown.
    fn hindrance(&self) -> Option<Hindrance> {
        match self.moves() {
            Ok(moves) => with_nodes(self.system, self.structure, &moves),
            Err(Incomplete::For(hindrance)) => Some(hindrance),
            Err(Incomplete::Unknown) => None,
        }
    }

    /// All of its moves.
    fn moves(&self) -> std::result::Result<Vec<(u32, u32)>, Incomplete> {
        let places = PartPlaces::new(self.structure);
        let labels = self.labels()?;
        let mut moves = Vec::new();
        for (component, image) in self.components.iter().enumerate() {
            moves.push((component as u32, *image as u32));
            for (from, to) in self.points(component, &labels)? {
                moves.push((places.points + from, places.points + to));
            }
        }
        for (label, image) in (0..).zip(&labels) {
            moves.push((places.labels + label, places.labels + image));
        }
        for (event, number) in &self.names.results {
            let image = self.names.results.get(&self.moved(event));
            let image = image.ok_or(Incomplete::Unknown)?;
            moves.push((places.results + number, places.results + image));
        }
        Ok(moves)
    }

    /// The images of labels.
    fn labels(&self) -> std::result::Result<Vec<u32>, Incomplete> {
        let mut images: Vec<Option<u32>> = vec![None; self.structure.labels.len()];
        for (component, events) in self.names.events.iter().enumerate() {
            let image = self.components[component];
            for (event, label) in events {
                let wanted = self.moved(event);
                let Some(to) = self.names.events[image].get(&wanted) else {
                    return Err(Incomplete::For(Hindrance::Alphabet {
                        component,
                        event: event.text(&self.system.machine),
                        image,
                        wanted: wanted.text(&self.system.machine),
                    }));
                };
                // Labels are classes of events, which have to move together.
                match images[*label as usize].replace(*to) {
                    Some(other) if other != *to => return Err(Incomplete::Unknown),
                    _ => {}
                }
            }
        }
        images
            .into_iter()
            .collect::<Option<_>>()
            .ok_or(Incomplete::Unknown)
    }

    /// The images of the points of a component: from the initial one on, along corresponding steps.
    fn points(
        &self,
        component: usize,
        labels: &[u32],
    ) -> std::result::Result<Vec<(u32, u32)>, Incomplete> {
        let initial = &self.structure.initial;
        let image = self.components[component];
        let mut pairs = vec![PointPair {
            from: initial[component],
            to: initial[image],
            before: None,
        }];
        let mut met: Map<u32, u32> = Map::from_iter([(initial[component], initial[image])]);
        let mut waiting = VecDeque::from([0]);
        while let Some(at) = waiting.pop_front() {
            let (from, to) = (pairs[at].from, pairs[at].to);
            let steps = self.single(from)?;
            let others = self.single(to)?;
            let known: Set<u32> = steps.keys().map(|label| labels[*label as usize]).collect();
            for (label, next) in &steps {
                let Some(other) = others.get(&labels[*label as usize]) else {
                    return Err(self.unable(
                        (&pairs, at),
                        labels,
                        (*label, component, image),
                        true,
                    ));
                };
                match met.insert(*next, *other) {
                    Some(before) if before != *other => return Err(Incomplete::Unknown),
                    Some(_) => {}
                    None => {
                        waiting.push_back(pairs.len());
                        pairs.push(PointPair {
                            from: *next,
                            to: *other,
                            before: Some((at, *label)),
                        });
                    }
                }
            }
            if let Some(label) = others.keys().find(|label| !known.contains(*label)) {
                return Err(self.unable((&pairs, at), labels, (*label, component, image), false));
            }
        }
        // The images of unreachable points are unknown.
        let all = self.structure.points.range(component).len();
        let most = self.structure.points.range(image).len();
        if met.len() != all || all != most {
            return Err(Incomplete::Unknown);
        }
        Ok(met.into_iter().collect())
    }

    /// The steps of a point, if their targets are unique.
    fn single(&self, point: u32) -> std::result::Result<IndexMap<u32, u32>, Incomplete> {
        let mut steps = IndexMap::default();
        for (label, to) in &self.names.steps[point as usize] {
            if steps.insert(*label, *to).is_some_and(|other| other != *to) {
                return Err(Incomplete::Unknown);
            }
        }
        Ok(steps)
    }

    /// The reason that one of two points has a step and the other has not. `of_first` tells which one.
    fn unable(
        &self,
        (pairs, at): (&[PointPair], usize),
        labels: &[u32],
        (label, component, image): (u32, usize, usize),
        of_first: bool,
    ) -> Incomplete {
        let show = |label: u32| {
            let event = self.structure.events[label as usize];
            self.system.machine.show_event(event)
        };
        let mut trace = Vec::new();
        let mut pair = at;
        while let Some((before, label)) = pairs[pair].before {
            trace.push(label);
            pair = before;
        }
        trace.reverse();
        let own: Vec<String> = trace.iter().map(|label| show(*label)).collect();
        let others = trace.iter().map(|label| show(labels[*label as usize]));
        let others: Vec<String> = others.collect();
        let back = (0..).zip(labels).find(|(_, to)| **to == label);
        let hindrance = match (of_first, back) {
            (true, _) => Hindrance::Ability {
                component,
                trace: own,
                event: show(label),
                image,
                image_trace: others,
                wanted: show(labels[label as usize]),
            },
            (false, Some((own_label, _))) => Hindrance::Ability {
                component: image,
                trace: others,
                event: show(label),
                image: component,
                image_trace: own,
                wanted: show(own_label),
            },
            // An event of the other one alone.
            (false, None) => return Incomplete::Unknown,
        };
        Incomplete::For(hindrance)
    }
}
