//! Directed graphs with colours of vertices and of edges.
//!
//! Each edge is stored at both of its ends, with its colour and direction as seen from there. So the list of a
//! vertex has all that refinement and checking need.

use std::ops::Range;

use super::permutation::PointPermutation;

/// A finite directed graph whose vertices and edges have colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColouredGraph {
    colours: Vec<u32>,
    /// The colours of edges, ascending.
    edge_colours: Vec<u32>,
    offsets: Vec<usize>,
    /// For each vertex, ascending and without duplicates: the kind of an edge as seen from it, and the other end.
    ends: Vec<(u32, u32)>,
}

/// Builder of a graph.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    colours: Vec<u32>,
    edges: Vec<(u32, u32, u32)>,
}

impl GraphBuilder {
    /// Adds a vertex of a colour. Returns its number, from 0 on.
    pub fn vertex(&mut self, colour: u32) -> u32 {
        self.colours.push(colour);
        self.colours.len() as u32 - 1
    }

    /// Adds an edge of a colour. Parallel edges differ in colour; duplicates are
    /// merged.
    pub fn edge(&mut self, from: u32, to: u32, colour: u32) {
        self.edges.push((from, to, colour));
    }

    /// Adds an edge in both directions.
    pub fn link(&mut self, a: u32, b: u32, colour: u32) {
        self.edge(a, b, colour);
        self.edge(b, a, colour);
    }

    /// Number of vertices added.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.colours.len()
    }

    /// Builds the graph; `None` if an edge has an end that was not added.
    #[must_use]
    pub fn finish(mut self) -> Option<ColouredGraph> {
        let vertices = self.colours.len();
        let known = |v: u32| (v as usize) < vertices;
        if !self.edges.iter().all(|e| known(e.0) && known(e.1)) {
            return None;
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut edge_colours: Vec<u32> = self.edges.iter().map(|e| e.2).collect();
        edge_colours.sort_unstable();
        edge_colours.dedup();
        let mut offsets = vec![0usize; vertices + 1];
        for (from, to, _) in &self.edges {
            offsets[*from as usize + 1] += 1;
            offsets[*to as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut ends = vec![(0, 0); self.edges.len() * 2];
        let mut put = |at: u32, end: (u32, u32)| {
            ends[next[at as usize]] = end;
            next[at as usize] += 1;
        };
        for (from, to, colour) in self.edges {
            let number = edge_colours.partition_point(|c| *c < colour) as u32;
            put(from, (2 * number, to));
            put(to, (2 * number + 1, from));
        }
        for v in 0..vertices {
            ends[offsets[v]..offsets[v + 1]].sort_unstable();
        }
        Some(ColouredGraph {
            colours: self.colours,
            edge_colours,
            offsets,
            ends,
        })
    }
}

impl ColouredGraph {
    /// Number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.ends.len() / 2
    }

    /// The colour of a vertex.
    #[must_use]
    pub fn colour(&self, v: u32) -> u32 {
        self.colours[v as usize]
    }

    /// The edges that lead out of a vertex, ascending: colour and target.
    pub fn outgoing(&self, v: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let ends = self.ends(v).iter().filter(|(kind, _)| kind % 2 == 0);
        ends.map(|(kind, to)| (self.edge_colours[*kind as usize / 2], *to))
    }

    /// The edges of a vertex as seen from it: their kinds, and their other ends.
    pub(super) fn ends(&self, v: u32) -> &[(u32, u32)] {
        &self.ends[self.range(v)]
    }

    /// Weights of the kinds of edges in sums: even, and different for each colour and direction.
    pub(super) fn weights(&self) -> Vec<u64> {
        let colours = self.edge_colours.iter();
        colours
            .flat_map(|colour| [0, 1].map(|inwards| mixed(u64::from(*colour) * 2 + inwards) << 1))
            .collect()
    }

    fn range(&self, v: u32) -> Range<usize> {
        self.offsets[v as usize]..self.offsets[v as usize + 1]
    }

    /// Whether a permutation of the vertices is an automorphism. Checks every vertex that is
    /// moved and all its edges; an edge between others is fixed.
    #[must_use]
    pub fn is_automorphism(&self, p: &PointPermutation) -> bool {
        p.degree() as usize == self.len() && self.is_kept(&p.images(), p.moved())
    }

    /// The same for a permutation given by the images of all vertices, which moves only these.
    pub(super) fn is_kept(&self, images: &[u32], moved: &[u32]) -> bool {
        moved.iter().all(|v| {
            let (own, others) = (self.ends(*v), self.ends(images[*v as usize]));
            // Equally many edges, and each has its image: then there are no others.
            self.colour(*v) == self.colour(images[*v as usize])
                && own.len() == others.len()
                && own.iter().all(|(kind, end)| {
                    let image = (*kind, images[*end as usize]);
                    others.binary_search(&image).is_ok()
                })
        })
    }
}

/// Hashes a number so that each bit depends on all bits of the input (the last steps of splitmix64).
pub(super) fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
