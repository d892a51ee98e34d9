//! Orbits of points, as a union-find.

use super::permutation::PointPermutation;
use crate::source::disjoint_sets::DisjointSets;

/// The orbits of the group that the joined permutations generate.
#[derive(Clone, Debug)]
pub struct PointOrbits {
    sets: DisjointSets,
    /// For the least point of an orbit, the length of the orbit.
    size: Vec<u32>,
}

impl PointOrbits {
    /// The trivial partition: every point alone.
    #[must_use]
    pub fn new(degree: u32) -> Self {
        Self {
            sets: DisjointSets::new(degree),
            size: vec![1; degree as usize],
        }
    }

    /// The orbits of the group that permutations generate.
    #[must_use]
    pub fn of<'g>(degree: u32, all: impl IntoIterator<Item = &'g PointPermutation>) -> Self {
        let mut orbits = Self::new(degree);
        for p in all {
            orbits.join(p);
        }
        orbits
    }

    /// Joins the orbits of each point and of its image.
    pub fn join(&mut self, p: &PointPermutation) {
        for (point, to) in p.moves() {
            self.unite(point, to);
        }
    }

    /// Joins the orbits of two points.
    pub fn unite(&mut self, a: u32, b: u32) {
        if let Some((least, other)) = self.sets.join(a, b) {
            self.size[least as usize] += self.size[other as usize];
        }
    }

    /// The least point of the orbit of a point.
    pub fn root_of(&mut self, point: u32) -> u32 {
        self.sets.least(point)
    }

    /// The length of the orbit of a point.
    pub fn size_of(&mut self, point: u32) -> u32 {
        let root = self.root_of(point);
        self.size[root as usize]
    }

    /// The nontrivial orbits: each ascending, and they ascend by their least points.
    pub fn orbits(&mut self) -> Vec<Vec<u32>> {
        let degree = self.sets.len();
        let mut number = vec![u32::MAX; degree];
        let mut orbits: Vec<Vec<u32>> = Vec::new();
        for point in 0..degree as u32 {
            let root = self.root_of(point) as usize;
            if self.size[root] == 1 {
                continue;
            }
            if number[root] == u32::MAX {
                number[root] = orbits.len() as u32;
                orbits.push(Vec::with_capacity(self.size[root] as usize));
            }
            orbits[number[root] as usize].push(point);
        }
        orbits
    }
}
