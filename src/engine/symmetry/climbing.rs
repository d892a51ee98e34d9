//! Local search (TopSPIN): elements near the identity are applied to a state while one of them
//! makes it less. The result is an image, so it is sound, but not always the least one: two states of an
//! orbit may end in different local minima.

use std::cmp::Ordering;

use super::acting::ActingTable;
use crate::source::hash::Set;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;

/// Conjugates tried at each step at most, and products.
const WORDS_MAX: usize = 64;

/// The elements that are tried.
#[derive(Debug)]
pub(super) struct StateClimb {
    pub(super) steps: Vec<Automorphism>,
    table: ActingTable,
}

impl StateClimb {
    /// Collects generators and their inverses, then their conjugates (of
    /// exchanges, all exchanges), then products of two of all these.
    pub(super) fn new(structure: &NetworkStructure, generators: &[Automorphism]) -> Self {
        let mut found = StepList {
            components: structure.points.components(),
            steps: Vec::new(),
            known: Set::default(),
        };
        // Elements that move only events fix every state: like the identity, they are known from the start.
        found.add(Automorphism::identity(PartPlaces::new(structure)));
        found.steps.clear();
        for generator in generators {
            found.add(generator.clone());
            found.add(generator.inverse());
        }
        let single = found.steps.clone();
        let most = single.len() + WORDS_MAX;
        let mut at = 0;
        while let Some(step) = found.steps.get(at).cloned() {
            for by in &single {
                if found.steps.len() < most {
                    found.add(by.inverse().then(&step).then(by));
                }
            }
            at += 1;
        }
        let near = found.steps.clone();
        let most = near.len() + WORDS_MAX;
        for (one, next) in near.iter().flat_map(|a| near.iter().map(move |b| (a, b))) {
            if found.steps.len() < most {
                found.add(one.then(next));
            }
        }
        Self {
            table: ActingTable::new(structure, &found.steps),
            steps: found.steps,
        }
    }

    /// Replaces a state by a local minimum, and appends the steps to the word.
    pub(super) fn find(&self, state: &mut Vec<u32>, word: &mut Vec<u16>, least: &mut Vec<u32>) {
        loop {
            let mut found = None;
            least.clear();
            least.extend_from_slice(state);
            for step in 0..self.table.len() {
                if self.table.compare(step, state, least) == Ordering::Less {
                    self.table.image(step, state, least);
                    found = Some(step as u16);
                }
            }
            let Some(step) = found else {
                return;
            };
            word.push(step);
            std::mem::swap(state, least);
        }
    }
}

/// Elements that act differently on states.
struct StepList {
    components: usize,
    steps: Vec<Automorphism>,
    /// Images of components, and of points and nodes.
    known: Set<(Vec<usize>, Vec<u32>)>,
}

impl StepList {
    fn add(&mut self, element: Automorphism) {
        let components = (0..self.components).map(|c| element.component(c));
        if self.known.insert((components.collect(), element.acting())) {
            self.steps.push(element);
        }
    }
}
