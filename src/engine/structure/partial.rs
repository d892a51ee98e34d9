//! Partial symmetry of a network: of all its components and local states, but only some of its rules.
//!
//! With fewer rules there may be more symmetry: readers and a writer are alike but for the rules by which
//! several readers are let in at once. A *part* is given by its classes of rules. Its symmetries
//! are permutations of components, local states and nodes of the specification only ([`ActingGroup`]): the
//! images of events are determined for each part separately, since the images of events that only other rules perform
//! are arbitrary.
//!
//! Larger parts have all rules of smaller ones, and the treatment of points without transitions (below) depends on the
//! smallest part only. So the group of a part contains the groups of all larger ones.

use num_bigint::BigUint;
use std::collections::VecDeque;

use super::element::PartPlaces;
use super::network_structure::{LabelRule, NetworkStructure, TiedNode};
use super::search::{LOOKS, symmetries};
use crate::group::{PointPermutation, Poll, StabiliserChain};
use crate::machine::EventId;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};

/// The class of rules that every part has.
pub const ALWAYS: u32 = 0;

/// An arbitrary event, where the event does not matter.
const ANY_EVENT: EventId = EventId(u32::MAX);

/// A structure whose rules are in classes.
#[derive(Clone, Debug)]
pub struct ClassedStructure {
    /// All of it.
    whole: NetworkStructure,
    /// The kind of each label, which symmetries of every part preserve; used for points without transitions.
    kinds: Vec<u32>,
    /// The class of each rule.
    classes: Vec<u32>,
    /// Points without a transition by rules of class [`ALWAYS`]. They could be permuted arbitrarily,
    /// so the kinds of their transitions are preserved, irrespective of the participants.
    bare: Vec<bool>,
    /// The same for nodes of the specification.
    bare_nodes: Vec<bool>,
}

/// A group of permutations of components, points and nodes, in this order.
#[derive(Clone, Debug)]
pub struct ActingGroup {
    /// Generators of the group.
    pub generators: Vec<PointPermutation>,
    /// Its stabiliser chain; components come first in its base.
    pub chain: StabiliserChain,
}

impl ClassedStructure {
    /// A structure with a kind of each label and a class of each rule.
    #[must_use]
    pub fn new(whole: NetworkStructure, kinds: Vec<u32>, classes: Vec<u32>) -> Self {
        let mut this = Self {
            bare: vec![true; whole.points.count()],
            bare_nodes: vec![true; whole.nodes.len()],
            whole,
            kinds,
            classes,
        };
        let kept = this.kept(&|class| class == ALWAYS);
        for (from, label, to) in &this.whole.steps {
            if kept.labels[*label as usize] {
                this.bare[*from as usize] = false;
                this.bare[*to as usize] = false;
            }
        }
        for (number, node) in this.whole.nodes.iter().enumerate() {
            for (event, to) in &node.edges {
                if kept.performs(&this.whole, *event) {
                    this.bare_nodes[number] = false;
                    this.bare_nodes[*to as usize] = false;
                }
            }
        }
        this
    }

    /// The whole structure, without classes.
    #[must_use]
    pub fn whole(&self) -> &NetworkStructure {
        &self.whole
    }

    /// The class of a rule of the format.
    #[must_use]
    pub fn class_of(&self, rule: u32) -> u32 {
        self.classes[self.whole.rule_of[rule as usize] as usize]
    }

    /// The classes of all rules.
    #[must_use]
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The points and nodes that acting groups permute, as a structure without steps and rules.
    #[must_use]
    pub fn acted_on(&self) -> NetworkStructure {
        NetworkStructure {
            points: self.whole.points.clone(),
            initial: self.whole.initial.clone(),
            nodes: self.whole.nodes.clone(),
            node_of: self.whole.node_of.clone(),
            ..NetworkStructure::default()
        }
    }

    fn kept(&self, is_kept: &dyn Fn(u32) -> bool) -> KeptParts {
        let mut kept = KeptParts {
            labels: vec![false; self.whole.labels.len()],
            results: vec![false; self.whole.results.len()],
        };
        for ((labels, result), class) in self.whole.rules.iter().zip(&self.classes) {
            if is_kept(*class) {
                labels.iter().for_each(|l| kept.labels[*l as usize] = true);
                kept.results[*result as usize] = true;
            }
        }
        kept
    }

    /// The part with the rules of some classes, as a structure of its own.
    fn part(&self, is_kept: &dyn Fn(u32) -> bool) -> NetworkStructure {
        let whole = &self.whole;
        let kept = self.kept(is_kept);
        let mut part = NetworkStructure {
            results: whole.results.clone(),
            fixed: whole.fixed.clone(),
            ..self.acted_on()
        };
        let mut number = vec![0; whole.labels.len()];
        for (label, _) in kept.labels.iter().enumerate().filter(|(_, kept)| **kept) {
            number[label] = part.labels.len() as u32;
            part.labels.push(whole.labels[label]);
            part.events.push(whole.events[label]);
        }
        for (from, label, to) in &whole.steps {
            if kept.labels[*label as usize] {
                part.steps.insert((*from, number[*label as usize], *to));
            }
        }
        for ((labels, result), class) in whole.rules.iter().zip(&self.classes) {
            if is_kept(*class) {
                let mut labels: Vec<u32> = labels.iter().map(|l| number[*l as usize]).collect();
                labels.sort_unstable();
                part.rules.insert((labels.into(), *result));
                part.classes.push(*class);
            }
        }
        part.nodes = self.nodes(&kept);
        self.add_bare(&mut part);
        part
    }

    /// Adds the transitions of bare points, by rules that have only the kind.
    fn add_bare(&self, part: &mut NetworkStructure) {
        let after = self.classes.iter().max().map_or(1, |class| class + 1);
        let silent = part.results.insert_full(EventId::TAU).0 as u32;
        part.fixed.resize(part.results.len(), true);
        let mut stand_ins: IndexMap<(u16, u32), u32> = IndexMap::default();
        let mut rules: Vec<(LabelRule, u32)> = Vec::new();
        for (from, label, to) in &self.whole.steps {
            if !(self.bare[*from as usize] || self.bare[*to as usize]) {
                continue;
            }
            let (component, kind) = (
                self.whole.labels[*label as usize],
                self.kinds[*label as usize],
            );
            let stand_in = *stand_ins.entry((component, kind)).or_insert_with(|| {
                part.labels.push(component);
                part.events.push(EventId::TAU);
                let stand_in = part.labels.len() as u32 - 1;
                rules.push((([stand_in].into(), silent), after + kind));
                stand_in
            });
            part.steps.insert((*from, stand_in, *to));
        }
        for (rule, class) in rules {
            part.rules.insert(rule);
            part.classes.push(class);
        }
    }

    /// The specification, restricted to the rules of the part. Acceptances are left out: they are compared state by
    /// state.
    fn nodes(&self, kept: &KeptParts) -> Vec<TiedNode> {
        let nodes = self.whole.nodes.iter().enumerate();
        let nodes = nodes.map(|(number, node)| {
            let edges = node.edges.iter().filter_map(|(event, to)| {
                if kept.performs(&self.whole, *event) {
                    return Some((*event, *to));
                }
                let bare = self.bare_nodes[number] || self.bare_nodes[*to as usize];
                bare.then_some((ANY_EVENT, *to))
            });
            TiedNode {
                id: node.id,
                colour: node.colour,
                edges: edges.collect(),
                sets: Vec::new(),
            }
        });
        nodes.collect()
    }

    /// The group of the part with the rules of some classes; `None` if it is not certain.
    ///
    /// # Errors
    /// Any error of `poll`, or a bug.
    pub fn group(
        &self,
        is_kept: &dyn Fn(u32) -> bool,
        poll: Poll<'_>,
    ) -> Result<Option<ActingGroup>> {
        acting(&self.part(is_kept), poll)
    }

    /// The group of the whole, which every part's group contains, and for each rule the least rule of the
    /// same class in its orbit.
    ///
    /// # Errors
    /// Any error of `poll`, or a bug.
    pub fn whole_group(&self, poll: Poll<'_>) -> Result<Option<(ActingGroup, Vec<usize>)>> {
        let mut all = self.part(&|_| true);
        // Acceptances are compared here, since states are not where all is permuted.
        for (node, whole) in all.nodes.iter_mut().zip(&self.whole.nodes) {
            node.sets.clone_from(&whole.sets);
        }
        let found = symmetries(&all, LOOKS, poll)?;
        let mut least: Vec<usize> = (0..self.classes.len()).collect();
        let mut again = true;
        while again {
            again = false;
            for generator in &found.generators {
                for rule in 0..least.len() {
                    let Some((labels, result)) = all.rules.get_index(rule) else {
                        continue;
                    };
                    let mut image: Vec<u32> = labels.iter().map(|l| generator.label(*l)).collect();
                    image.sort_unstable();
                    let image = (image.into(), generator.result(*result));
                    let Some(image) = all.rules.get_index_of(&image) else {
                        continue;
                    };
                    let low = least[rule].min(least[image]);
                    again |= least[rule] != least[image];
                    (least[rule], least[image]) = (low, low);
                }
            }
        }
        Ok(acting(&all, poll)?.map(|group| (group, least)))
    }
}

/// The labels and results that the rules of a part use.
struct KeptParts {
    labels: Vec<bool>,
    results: Vec<bool>,
}

impl KeptParts {
    fn performs(&self, whole: &NetworkStructure, event: EventId) -> bool {
        let number = whole.results.get_index_of(&event);
        number.is_some_and(|number| self.results[number])
    }
}

/// The action of the symmetries of a structure on components, points and nodes.
fn acting(structure: &NetworkStructure, poll: Poll<'_>) -> Result<Option<ActingGroup>> {
    let found = symmetries(structure, LOOKS, poll)?;
    if !found.complete {
        return Ok(None);
    }
    let places = PartPlaces::new(structure);
    let points: Vec<u32> = (0..places.labels).chain(places.nodes..places.end).collect();
    let maps: Vec<PointPermutation> = found.generators.iter().map(|g| g.map().clone()).collect();
    // Some elements may differ in events only, which the order of the whole group counts.
    let chain = StabiliserChain::new(places.end, &maps, &points, Some(&found.order), poll)?;
    let Some(chain) = chain else {
        return Ok(None);
    };
    let order = chain.order_on(chain.preferred_levels());
    let all: Option<Vec<_>> = maps.iter().map(|map| map.restricted(&points)).collect();
    let Some(mut generators) = all else {
        return Ok(None);
    };
    generators.retain(|generator| !generator.is_identity());
    let degree = points.len() as u32;
    let base: Vec<u32> = (0..degree).collect();
    let chain = StabiliserChain::new(degree, &generators, &base, Some(&order), poll)?;
    Ok(chain.map(|chain| ActingGroup { generators, chain }))
}

impl ActingGroup {
    /// The order of the group.
    #[must_use]
    pub fn order(&self) -> &BigUint {
        self.chain.order()
    }

    /// Whether another group is a subgroup.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.order() <= self.order() && other.generators.iter().all(|g| self.chain.contains(g))
    }

    /// The least component in the orbit of each component.
    #[must_use]
    pub fn component_orbits(&self, components: usize) -> Vec<usize> {
        let mut least: Vec<usize> = (0..components).collect();
        for orbit in self.chain.orbits() {
            // Components come first, and orbits ascend.
            for point in orbit.iter().filter(|p| (**p as usize) < components) {
                least[*point as usize] = orbit[0] as usize;
            }
        }
        least
    }

    /// The transversals of the chain, one list a level: every
    /// element is a product of one of each, from the first on, in exactly one way.
    #[must_use]
    pub fn lists(&self) -> Vec<Vec<PointPermutation>> {
        let list = |level| {
            let all = 0..self.chain.orbit(level).len();
            let element = |place| self.chain.transversal_element(level, place).inverse();
            all.map(element).collect()
        };
        (0..self.chain.levels()).map(list).collect()
    }

    /// A transversal of the cosets of a subgroup, the identity first: every element is one of these followed by
    /// one of the subgroup. `None` if there are more than `most`.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn cosets(
        &self,
        below: &Self,
        most: usize,
        poll: Poll<'_>,
    ) -> Result<Option<Vec<PointPermutation>>> {
        if *self.order() > below.order() * most {
            return Ok(None);
        }
        // Works on inverses: those of a coset are the products of the subgroup's elements with a fixed one.
        let first = PointPermutation::identity(self.chain.degree());
        let mut known: IndexSet<Vec<u32>> = IndexSet::default();
        let mut found = vec![below.least_before(&first)];
        known.insert(found[0].images());
        let mut open = VecDeque::from([found[0].clone()]);
        while let Some(at) = open.pop_front() {
            poll(at.moved().len())?;
            for generator in &self.generators {
                let next = below.least_before(&at.then(generator));
                if known.insert(next.images()) {
                    found.push(next.clone());
                    open.push_back(next);
                }
            }
        }
        Ok(Some(found.iter().map(PointPermutation::inverse).collect()))
    }

    /// The canonical one of all products of an element of this group followed by `then`:
    /// the one that takes the base to the least points.
    fn least_before(&self, then: &PointPermutation) -> PointPermutation {
        let mut chosen = then.clone();
        for level in 0..self.chain.levels() {
            let orbit = self.chain.orbit(level).enumerate();
            let least = orbit.min_by_key(|(_, point)| chosen.apply(*point));
            let Some((place, _)) = least else { continue };
            if place > 0 {
                chosen = self.chain.transversal_element(level, place).then(&chosen);
            }
        }
        chosen
    }
}
