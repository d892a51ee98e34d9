//! Orbits of points, as a union-find.

use super::permutation::PointPermutation;
use crate::source::disjoint_sets::DisjointSets;

/// Which points can be mapped to one another by the permutations that were joined in.
#[derive(Clone, Debug)]
pub struct PointOrbits {
    sets: DisjointSets,
    /// For the least point of an orbit, how many points it has.
    size: Vec<u32>,
}

impl PointOrbits {
    /// Every point alone.
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

    /// Joins the orbits of each point and of where a permutation moves it.
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

    /// How many points are in the orbit of a point.
    pub fn size_of(&mut self, point: u32) -> u32 {
        let root = self.root_of(point);
        self.size[root as usize]
    }

    /// The orbits of two points and more: each ascending, and they ascend by their least points.
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
