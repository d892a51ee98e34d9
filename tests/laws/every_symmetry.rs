//! All symmetries of a network by trying: maps of components, their local states and events and of the events of
//! the network under which every component behaves like its image and every rule becomes a rule (Def. 29), and
//! the initial state stays. Nothing of how the program finds them is used, but for the numbers in which they
//! are told.

use std::collections::{BTreeMap, BTreeSet};

use orbitscope::group::PointPermutation;
use orbitscope::machine::{EventId, LocalId, Machine, Network};
use orbitscope::source::hash::Map;
use orbitscope::structure::element::{Automorphism, PartPlaces};
use orbitscope::structure::network_structure::{NetworkStructure, Results, TiedNode};

/// Larger groups are not gone through.
const ELEMENTS_MAX: usize = 1_500;
/// Ways that are tried before a network is given up.
const TRIES_MAX: usize = 150_000;

/// Images of the local states of a component, and of its labels.
type Isomorphism = (Vec<usize>, Vec<usize>);

/// A component by small numbers: its transitions, from 0, which is where it begins.
#[derive(Debug, Default)]
struct PlainComponent {
    locals: Vec<LocalId>,
    /// What a rule calls an event: the event, or the first that takes part in the same rules.
    labels: Vec<EventId>,
    steps: BTreeSet<(usize, usize, usize)>,
}

/// All that Def. 29 is about, read from the network. Labels are numbered through all components.
#[derive(Debug, Default)]
pub(super) struct Plain {
    components: Vec<PlainComponent>,
    first_label: Vec<usize>,
    results: Vec<EventId>,
    /// Labels of a rule, and everything that comes of them.
    rules: BTreeMap<BTreeSet<usize>, BTreeSet<usize>>,
    fixed: Vec<bool>,
    nodes: Vec<TiedNode>,
}

/// A symmetry: images of components, of each one's local states and labels, of results and nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct PlainMap {
    components: Vec<usize>,
    locals: Vec<Vec<usize>>,
    labels: Vec<Vec<usize>>,
    results: Vec<usize>,
    nodes: Vec<usize>,
}

impl Plain {
    pub(super) fn new(
        machine: &Machine,
        network: &Network,
        results: Results,
        nodes: &[TiedNode],
    ) -> Self {
        let format = network.first();
        let merged = format.merged();
        let mut plain = Self {
            nodes: nodes.to_vec(),
            ..Self::default()
        };
        // Where nobody looks at names all visible events of the network are one.
        let same = |event: EventId| match merged.is_same(event, EventId(u32::MAX)) {
            true if nodes.is_empty() => EventId(EventId::DONE.0 + 1),
            _ => event,
        };
        let count = format.components().len();
        let mut labels: Vec<Vec<EventId>> = vec![Vec::new(); count];
        let mut number: Vec<Map<EventId, usize>> = vec![Map::default(); count];
        let mut kinds: Map<(usize, u32), usize> = Map::default();
        for (component, event) in format.rules().list().iter().flat_map(|r| r.parts.iter()) {
            let c = usize::from(*component);
            if number[c].contains_key(event) {
                continue;
            }
            let new = labels[c].len();
            let at = match merged.label(c, *event) {
                Some(kind) => *kinds.entry((c, kind)).or_insert(new),
                None => new,
            };
            if at == new {
                labels[c].push(*event);
            }
            number[c].insert(*event, at);
        }
        let mut first = 0;
        for (c, labels) in labels.into_iter().enumerate() {
            plain.first_label.push(first);
            first += labels.len();
            let stands = |l: &LocalId| merged.stands_for(c, *l);
            let mut locals = vec![stands(&format.components()[c].initial)];
            for local in format.reach()[c].locals.iter().map(stands) {
                if !locals.contains(&local) {
                    locals.push(local);
                }
            }
            let place = |l: &LocalId| locals.iter().position(|m| *m == stands(l));
            let mut steps = BTreeSet::new();
            for (from, local) in locals.iter().enumerate() {
                for (event, to) in machine.locals().transitions(*local).expect("it is known") {
                    if let Some(label) = number[c].get(event) {
                        steps.insert((from, *label, place(to).expect("it is reached")));
                    }
                }
            }
            // What no rule leads to is never reached, and no part of the network.
            let mut met = vec![true; 1];
            met.resize(locals.len(), false);
            for _ in 0..locals.len() {
                for (from, _, to) in &steps {
                    met[*to] |= met[*from];
                }
            }
            let at: Vec<usize> = (0..met.len())
                .map(|n| met[..n].iter().filter(|m| **m).count())
                .collect();
            let kept = steps.iter().filter(|(from, ..)| met[*from]);
            let steps = kept
                .map(|(from, label, to)| (at[*from], *label, at[*to]))
                .collect();
            let mut numbers = 0..met.len();
            locals.retain(|_| numbers.next().is_some_and(|n| met[n]));
            plain.components.push(PlainComponent {
                locals,
                labels,
                steps,
            });
        }
        let mut known: Vec<EventId> = Vec::new();
        let mut result = |event: EventId| {
            let at = known.iter().position(|e| *e == event);
            at.unwrap_or_else(|| {
                known.push(event);
                known.len() - 1
            })
        };
        for rule in format.rules().list() {
            let label = |(c, event): &(u16, EventId)| {
                plain.first_label[usize::from(*c)] + number[usize::from(*c)][event]
            };
            let labels: BTreeSet<usize> = rule.parts.iter().map(label).collect();
            let result = result(same(rule.result));
            plain.rules.entry(labels).or_default().insert(result);
        }
        for node in nodes {
            node.edges.iter().for_each(|(event, _)| {
                result(*event);
            });
            node.sets.iter().flatten().for_each(|event| {
                result(*event);
            });
        }
        let is_fixed = |e: &EventId| !e.is_visible() || results == Results::Fixed;
        plain.fixed = known.iter().map(is_fixed).collect();
        plain.results = known;
        plain
    }

    /// All isomorphisms of one component to another: images of local states and of labels.
    fn isomorphisms(&self, from: usize, to: usize, tries: &mut usize) -> Vec<Isomorphism> {
        let (one, other) = (&self.components[from], &self.components[to]);
        let same = one.locals.len() == other.locals.len()
            && one.labels.len() == other.labels.len()
            && one.steps.len() == other.steps.len();
        if !same {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut labels = Vec::new();
        self.choose_labels(from, to, &mut labels, &mut found, tries);
        found
    }

    fn choose_labels(
        &self,
        from: usize,
        to: usize,
        labels: &mut Vec<usize>,
        found: &mut Vec<Isomorphism>,
        tries: &mut usize,
    ) {
        *tries += 1;
        if *tries > TRIES_MAX {
            return;
        }
        let (one, other) = (&self.components[from], &self.components[to]);
        let at = labels.len();
        if at == one.labels.len() {
            let mut locals = vec![0];
            self.choose_locals(from, to, labels, &mut locals, found, tries);
            return;
        }
        let profile = |component: usize, label: usize| {
            let of = &self.components[component];
            let steps = of.steps.iter().filter(|s| s.1 == label);
            let (mut all, mut loops, mut first) = (0, 0, 0);
            for step in steps {
                all += 1;
                loops += usize::from(step.0 == step.2);
                first += usize::from(step.0 == 0);
            }
            // How large the rules are in which it takes part, and how many.
            let whole = self.first_label[component] + label;
            let rules = self
                .rules
                .iter()
                .filter(|(labels, _)| labels.contains(&whole));
            let mut sizes: Vec<(usize, usize)> = rules.map(|(l, r)| (l.len(), r.len())).collect();
            sizes.sort_unstable();
            (all, loops, first, sizes)
        };
        let wanted = profile(from, at);
        for image in 0..other.labels.len() {
            if !labels.contains(&image) && profile(to, image) == wanted {
                labels.push(image);
                self.choose_labels(from, to, labels, found, tries);
                labels.pop();
            }
        }
    }

    fn choose_locals(
        &self,
        from: usize,
        to: usize,
        labels: &[usize],
        locals: &mut Vec<usize>,
        found: &mut Vec<Isomorphism>,
        tries: &mut usize,
    ) {
        *tries += 1;
        if *tries > TRIES_MAX {
            return;
        }
        let (one, other) = (&self.components[from], &self.components[to]);
        // What is between the local states that have an image is between the images.
        let known = locals.len();
        let inside = |s: &&(usize, usize, usize)| s.0 < known && s.2 < known;
        let among = |s: &&(usize, usize, usize)| locals.contains(&s.0) && locals.contains(&s.2);
        let image = |s: &(usize, usize, usize)| (locals[s.0], labels[s.1], locals[s.2]);
        let kept = one
            .steps
            .iter()
            .filter(inside)
            .all(|s| other.steps.contains(&image(s)));
        let many =
            one.steps.iter().filter(inside).count() == other.steps.iter().filter(among).count();
        if !kept || !many {
            return;
        }
        if known == one.locals.len() {
            found.push((locals.clone(), labels.to_vec()));
            return;
        }
        for next in 0..other.locals.len() {
            if !locals.contains(&next) {
                locals.push(next);
                self.choose_locals(from, to, labels, locals, found, tries);
                locals.pop();
            }
        }
    }

    /// All symmetries; none if there are too many ways.
    pub(super) fn all(&self) -> Option<Vec<PlainMap>> {
        let count = self.components.len();
        let mut tries = 0;
        let mut between = vec![vec![Vec::new(); count]; count];
        for (from, row) in between.iter_mut().enumerate() {
            for (to, cell) in row.iter_mut().enumerate() {
                *cell = self.isomorphisms(from, to, &mut tries);
            }
        }
        let mut found = Vec::new();
        self.choose_components(&between, &mut PlainMap::default(), &mut found, &mut tries);
        (tries <= TRIES_MAX && found.len() <= ELEMENTS_MAX).then_some(found)
    }

    fn choose_components(
        &self,
        between: &[Vec<Vec<Isomorphism>>],
        map: &mut PlainMap,
        found: &mut Vec<PlainMap>,
        tries: &mut usize,
    ) {
        *tries += 10;
        if *tries > TRIES_MAX || found.len() > ELEMENTS_MAX {
            return;
        }
        let at = map.components.len();
        // Rules that the last component to get an image makes possible to compare.
        let end = self.first_label.get(at).copied().unwrap_or(usize::MAX);
        let begin = at.checked_sub(1).map_or(0, |last| self.first_label[last]);
        for (labels, results) in &self.rules {
            let last = labels.last().copied().unwrap_or(0);
            if last < end && last >= begin {
                *tries += 1;
                let image = self.image_of_labels(map, labels);
                if self.rules.get(&image).map(BTreeSet::len) != Some(results.len()) {
                    return;
                }
            }
        }
        if at == self.components.len() {
            map.results.clear();
            let images = self
                .rules
                .keys()
                .map(|labels| &self.rules[&self.image_of_labels(map, labels)]);
            let images: Vec<&BTreeSet<usize>> = images.collect();
            // What comes of the same rules and what comes of their images.
            let own = |n: usize| {
                self.rules
                    .values()
                    .map(|r| r.contains(&n))
                    .collect::<Vec<bool>>()
            };
            let there = |n: usize| images.iter().map(|r| r.contains(&n)).collect::<Vec<bool>>();
            let own: Vec<Vec<bool>> = (0..self.results.len()).map(own).collect();
            let there: Vec<Vec<bool>> = (0..self.results.len()).map(there).collect();
            *tries += self.rules.len() * 2;
            self.choose_results((&own, &there), map, found, tries);
            return;
        }
        for to in (0..self.components.len())
            .filter(|to| !map.components.contains(to))
            .collect::<Vec<_>>()
        {
            for (locals, labels) in &between[at][to] {
                map.components.push(to);
                map.locals.push(locals.clone());
                map.labels.push(labels.clone());
                self.choose_components(between, map, found, tries);
                map.components.pop();
                map.locals.pop();
                map.labels.pop();
            }
        }
    }

    fn image_of_labels(&self, map: &PlainMap, labels: &BTreeSet<usize>) -> BTreeSet<usize> {
        let image = |l: &usize| {
            // Components without labels begin where the next one does.
            let component = self.first_label.iter().rposition(|first| first <= l);
            let component = component.expect("it belongs to one");
            let to = map.components[component];
            self.first_label[to] + map.labels[component][l - self.first_label[component]]
        };
        labels.iter().map(image).collect()
    }

    fn choose_results(
        &self,
        (own, there): (&[Vec<bool>], &[Vec<bool>]),
        map: &mut PlainMap,
        found: &mut Vec<PlainMap>,
        tries: &mut usize,
    ) {
        *tries += 1;
        if *tries > TRIES_MAX || found.len() > ELEMENTS_MAX {
            return;
        }
        let at = map.results.len();
        if at == self.results.len() {
            *tries += self.rules.len();
            if self.rules_are_kept(map) {
                self.choose_nodes(map, found);
            }
            return;
        }
        for to in 0..self.results.len() {
            let fixed = self.fixed[at] || self.fixed[to];
            if map.results.contains(&to) || fixed && at != to || own[at] != there[to] {
                continue;
            }
            map.results.push(to);
            self.choose_results((own, there), map, found, tries);
            map.results.pop();
        }
    }

    fn rules_are_kept(&self, map: &PlainMap) -> bool {
        self.rules.iter().all(|(labels, results)| {
            let image: BTreeSet<usize> = results.iter().map(|r| map.results[*r]).collect();
            self.rules.get(&self.image_of_labels(map, labels)) == Some(&image)
        })
    }

    fn choose_nodes(&self, map: &mut PlainMap, found: &mut Vec<PlainMap>) {
        let count = self.nodes.len();
        if count == 0 {
            found.push(map.clone());
            return;
        }
        let place = |event: EventId| self.results.iter().position(|e| *e == event);
        let image = |event: EventId| {
            let at = place(event).expect("every event of a node is a result");
            self.results[map.results[at]]
        };
        for mut order in crate::exact::orders(&(1..count).collect::<Vec<_>>()) {
            order.insert(0, 0);
            let kept = self.nodes.iter().enumerate().all(|(at, node)| {
                let to = &self.nodes[order[at]];
                let moved =
                    |(event, next): &(EventId, u32)| (image(*event), order[*next as usize] as u32);
                let edges: BTreeSet<_> = node.edges.iter().map(moved).collect();
                let set =
                    |set: &Vec<EventId>| set.iter().map(|e| image(*e)).collect::<BTreeSet<_>>();
                let sets: BTreeSet<_> = node.sets.iter().map(set).collect();
                let there: BTreeSet<BTreeSet<EventId>> = to
                    .sets
                    .iter()
                    .map(|s| s.iter().copied().collect())
                    .collect();
                edges == to.edges.iter().copied().collect()
                    && sets == there
                    && node.colour == to.colour
            });
            if kept {
                let mut map = map.clone();
                map.nodes = order;
                found.push(map);
            }
        }
    }

    /// The same by the numbers of a structure.
    pub(super) fn element(&self, structure: &NetworkStructure, map: &PlainMap) -> Automorphism {
        let places = PartPlaces::new(structure);
        let mut images = vec![u32::MAX; places.end as usize];
        let point = |c: usize, local: usize| {
            let local = self.components[c].locals[local];
            (places.points + structure.points.point(c, local).expect("it is a point")) as usize
        };
        let label = |c: usize, label: usize| {
            let event = self.components[c].labels[label];
            let of =
                |n: &usize| usize::from(structure.labels[*n]) == c && structure.events[*n] == event;
            places.labels as usize + (0..structure.labels.len()).find(of).expect("it is a label")
        };
        let result = |n: usize| {
            let number = structure.results.get_index_of(&self.results[n]);
            places.results as usize + number.expect("it is a result")
        };
        for (c, to) in map.components.iter().enumerate() {
            images[c] = *to as u32;
            for (local, image) in map.locals[c].iter().enumerate() {
                images[point(c, local)] = point(*to, *image) as u32;
            }
            for (n, image) in map.labels[c].iter().enumerate() {
                images[label(c, n)] = label(*to, *image) as u32;
            }
        }
        for (n, image) in map.results.iter().enumerate() {
            images[result(n)] = result(*image) as u32;
        }
        for (n, image) in map.nodes.iter().enumerate() {
            images[places.nodes as usize + n] = places.nodes + *image as u32;
        }
        let map = PointPermutation::new(&images).expect("all parts are mapped one to one");
        Automorphism::new(places, map)
    }
}
