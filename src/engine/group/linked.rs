//! Orbits with equivalent actions of a group.
//!
//! A bijection between orbits that commutes with all generators shows that the group acts on both in the same
//! way. So one of these orbits is enough to know the group, and the points that correspond to one
//! of its points form a column that moves as a whole.

use super::Poll;
use super::graph::mixed;
use super::orbits::PointOrbits;
use super::permutation::PointPermutation;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;

/// Steps at most; after them, orbits that are not linked yet are taken for inequivalent. The result is sound, but
/// names and columns may be missed.
const STEPS_MAX: usize = 1 << 27;

/// Nontrivial orbits with equivalent actions: points at the same place correspond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedOrbits {
    /// The orbits. The first is ascending.
    pub orbits: Vec<Vec<u32>>,
}

impl LinkedOrbits {
    /// The column of each point of the first orbit: all points that correspond to it, itself first.
    #[must_use]
    pub fn columns(&self) -> Vec<Vec<u32>> {
        let length = self.orbits.first().map_or(0, Vec::len);
        let column = |at: usize| self.orbits.iter().map(|orbit| orbit[at]).collect();
        (0..length).map(column).collect()
    }
}

/// The orbits of a permutation group on `0..degree`, by generators, grouped by equivalent
/// actions. They ascend by their least points.
///
/// # Errors
/// Any error of `poll`.
pub fn linked_orbits(
    degree: u32,
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<Vec<LinkedOrbits>> {
    let mut search = LinkSearch::new(generators);
    poll(degree as usize + search.movers.len())?;
    let mut linked: Vec<LinkedOrbits> = Vec::new();
    // For the first orbit of each group, its spanning tree from its first point.
    let mut trees: Vec<Vec<TreeStep>> = Vec::new();
    for orbit in PointOrbits::of(degree, generators).orbits() {
        let mut found = None;
        for (number, known) in linked.iter().enumerate() {
            let first = &known.orbits[0];
            if found.is_none() && first.len() == orbit.len() {
                let image = search.image(first, &trees[number], &orbit);
                found = image.map(|image| (number, image));
            }
        }
        poll(std::mem::take(&mut search.since) + orbit.len())?;
        if let Some((number, image)) = found {
            linked[number].orbits.push(image);
            continue;
        }
        trees.push(search.tree(&orbit));
        linked.push(LinkedOrbits {
            orbits: vec![orbit],
        });
    }
    Ok(linked)
}

/// A point, by its place in the orbit: reached from the point at a place by a generator.
struct TreeStep {
    place: usize,
    from: usize,
    generator: usize,
}

struct LinkSearch<'g> {
    generators: &'g [PointPermutation],
    /// For each point that is moved, the generators that move it.
    movers: Map<u32, Vec<u32>>,
    /// For each moved point, a number that is equal for points that correspond.
    marks: Map<u32, u64>,
    steps: usize,
    /// Steps since the last report to `poll`.
    since: usize,
}

impl<'g> LinkSearch<'g> {
    fn new(generators: &'g [PointPermutation]) -> Self {
        let mut movers: Map<u32, Vec<u32>> = Map::default();
        let mut marks: Map<u32, u64> = Map::default();
        for (number, generator) in (0u32..).zip(generators) {
            for cycle in generator.cycles() {
                for point in &cycle {
                    movers.entry(*point).or_default().push(number);
                    let mark = mixed(u64::from(number) << 32 | cycle.len() as u64);
                    let sum = marks.entry(*point).or_default();
                    *sum = sum.wrapping_add(mark);
                }
            }
        }
        Self {
            generators,
            movers,
            marks,
            steps: 0,
            since: 0,
        }
    }

    fn movers(&self, point: u32) -> &[u32] {
        self.movers.get(&point).map_or(&[], Vec::as_slice)
    }

    /// A spanning tree of an orbit from its first point, in order of discovery.
    fn tree(&self, orbit: &[u32]) -> Vec<TreeStep> {
        let places: Map<u32, usize> = orbit.iter().copied().zip(0..).collect();
        let mut known = vec![false; orbit.len()];
        let mut tree = Vec::new();
        let mut open = vec![0];
        known[0] = true;
        while let Some(from) = open.pop() {
            for number in self.movers(orbit[from]) {
                let generator = *number as usize;
                let to = self.generators[generator].apply(orbit[from]);
                let Some(place) = places.get(&to).copied() else {
                    continue;
                };
                if !known[place] {
                    known[place] = true;
                    open.push(place);
                    tree.push(TreeStep {
                        place,
                        from,
                        generator,
                    });
                }
            }
        }
        tree
    }

    /// The corresponding points of another orbit, if its action is equivalent.
    fn image(&mut self, orbit: &[u32], tree: &[TreeStep], other: &[u32]) -> Option<Vec<u32>> {
        let places: Map<u32, usize> = orbit.iter().copied().zip(0..).collect();
        let mark = self.marks.get(&orbit[0]).copied();
        for first in other {
            // The image of one point tells all of them.
            if self.marks.get(first).copied() != mark || self.steps > STEPS_MAX {
                continue;
            }
            let mut image = vec![*first; orbit.len()];
            for reached in tree {
                let from = image[reached.from];
                image[reached.place] = self.generators[reached.generator].apply(from);
            }
            self.steps += orbit.len();
            self.since += orbit.len();
            if self.commutes(orbit, &places, &image) {
                return Some(image);
            }
        }
        None
    }

    /// Whether the map from an orbit to its image is a bijection and commutes with all generators.
    fn commutes(&mut self, orbit: &[u32], places: &Map<u32, usize>, image: &[u32]) -> bool {
        let mut sorted = image.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != orbit.len() {
            return false;
        }
        for (at, point) in orbit.iter().enumerate() {
            let movers = self.movers.get(point).map_or(&[][..], Vec::as_slice);
            let same = self.movers.get(&image[at]).map_or(&[][..], Vec::as_slice);
            if movers != same {
                return false;
            }
            self.steps += movers.len() + 1;
            self.since += movers.len() + 1;
            for number in movers {
                let generator = &self.generators[*number as usize];
                let to = places.get(&generator.apply(*point));
                if to.is_none_or(|to| image[*to] != generator.apply(image[at])) {
                    return false;
                }
            }
        }
        true
    }
}
