//! The n-values that step 2 of Def. 36 compares: n, or one of the two alternatives of Sec. 7.5.
//!
//! The choice is a type parameter: each variant is compiled by itself, at no cost to the others.

use std::cmp::Ordering;

use super::partition::{OrderedPartition, Vector};

/// The edges of a component as step 2 compares them. All members of a block are compared against one partition.
pub trait NValues: Copy + Sync + 'static {
    /// The name of the strategy that refines by it.
    const STRATEGY: &'static str;
    /// Whether it reads the buckets of the partition ([`OrderedPartition::places`]).
    const READS_BUCKETS: bool;

    /// Prepares a round; `anew` if the components that take part have changed since the round before.
    #[inline]
    fn prepare(_: &mut Neighbours, _: &Vector, _: &OrderedPartition, _atoms: usize, _anew: bool) {}

    /// Compares the tuples of two members of one block.
    fn compare(
        near: &Neighbours,
        vector: &Vector,
        blocks: &OrderedPartition,
        a: u16,
        b: u16,
    ) -> Ordering;
}

/// `n_{i,j,k}(s)`: how many states of block j hold in variable k what s holds in variable i (Def. 36).
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeCounts;

/// `n'_{i,j,k}(s)`: whether there is such a state (Sec. 7.5).
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeKinds;

/// `n''_j(s)`: how many states of block j hold some value that s holds, wherever (Sec. 7.5).
#[derive(Clone, Copy, Debug, Default)]
pub struct NeighbourCounts;

/// Compares two buckets as n-values.
pub(super) fn compare_places(a: &[u32], b: &[u32]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        // At the first difference, the bucket with the smaller code has one more occurrence of that
        // code, and equally many of all smaller ones: so its tuple is the larger, and the
        // comparison is the other way round.
        if x != y {
            return y.cmp(x);
        }
    }
    // One bucket begins with the other: the rest of the longer one is counted in places where the
    // shorter one has zeros.
    a.len().cmp(&b.len())
}

/// The same for n': each code counts once.
fn compare_kinds_of_places(a: &[u32], b: &[u32]) -> Ordering {
    // Buckets are sorted, so equal codes stand side by side.
    let mut a = a.chunk_by(|x, y| x == y).map(|run| run[0]);
    let mut b = b.chunk_by(|x, y| x == y).map(|run| run[0]);
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => {}
            // As in `compare_places`: the smaller code is a one where the other tuple has a zero.
            (Some(x), Some(y)) => return y.cmp(&x),
            (x, y) => return x.is_some().cmp(&y.is_some()),
        }
    }
}

/// Compares variable by variable.
#[inline]
fn compare_variables(
    vector: &Vector,
    blocks: &OrderedPartition,
    a: u16,
    b: u16,
    compare: impl Fn(&[u32], &[u32]) -> Ordering,
) -> Ordering {
    for (x, y) in vector.variables(a).zip(vector.variables(b)) {
        let (x, y) = (vector.atoms[x], vector.atoms[y]);
        // One value has one bucket, so there is nothing to compare.
        if x != y {
            match compare(blocks.places(x), blocks.places(y)) {
                Ordering::Equal => {}
                other => return other,
            }
        }
    }
    Ordering::Equal
}

impl NValues for EdgeCounts {
    const STRATEGY: &'static str = "ordering";
    const READS_BUCKETS: bool = true;

    #[inline]
    fn compare(
        _: &Neighbours,
        vector: &Vector,
        blocks: &OrderedPartition,
        a: u16,
        b: u16,
    ) -> Ordering {
        compare_variables(vector, blocks, a, b, compare_places)
    }
}

impl NValues for EdgeKinds {
    const STRATEGY: &'static str = "ordering-n1";
    const READS_BUCKETS: bool = true;

    fn compare(
        _: &Neighbours,
        vector: &Vector,
        blocks: &OrderedPartition,
        a: u16,
        b: u16,
    ) -> Ordering {
        compare_variables(vector, blocks, a, b, compare_kinds_of_places)
    }
}

impl NValues for NeighbourCounts {
    const STRATEGY: &'static str = "ordering-n2";
    const READS_BUCKETS: bool = false;

    fn prepare(
        near: &mut Neighbours,
        vector: &Vector,
        blocks: &OrderedPartition,
        atoms: usize,
        anew: bool,
    ) {
        if anew {
            near.find(vector, blocks, atoms);
        }
        near.list_members(blocks);
    }

    fn compare(
        near: &Neighbours,
        _: &Vector,
        blocks: &OrderedPartition,
        a: u16,
        b: u16,
    ) -> Ordering {
        (0..blocks.len())
            .map(|block| near.count(a, block).cmp(&near.count(b, block)))
            .find(|found| found.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// Components that hold a common value, as bit sets: the data that Sec. 7.5 proposes to store for n''. They
/// do not depend on the partition.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Words of one set.
    words: usize,
    /// For each value, the components that hold it.
    holders: Vec<u64>,
    /// For each component, those that share a value with it; itself, if it holds any.
    near: Vec<u64>,
    /// The members of each block.
    members: Vec<u64>,
}

impl Neighbours {
    /// Computes the sets, among the components that take part.
    fn find(&mut self, vector: &Vector, blocks: &OrderedPartition, atoms: usize) {
        self.words = vector.len().div_ceil(64);
        let words = self.words;
        self.holders.clear();
        self.holders.resize(atoms * words, 0);
        self.near.clear();
        self.near.resize(vector.len() * words, 0);
        let holders = &mut self.holders;
        for component in &blocks.order {
            for variable in vector.variables(*component) {
                let row = usize::from(vector.atoms[variable].0) * words;
                holders[row + usize::from(*component) / 64] |= 1 << (component % 64);
            }
        }
        for component in &blocks.order {
            let near = &mut self.near[usize::from(*component) * words..][..words];
            for variable in vector.variables(*component) {
                let row = usize::from(vector.atoms[variable].0) * words;
                for (word, held) in near.iter_mut().zip(&self.holders[row..row + words]) {
                    *word |= held;
                }
            }
        }
    }

    fn list_members(&mut self, blocks: &OrderedPartition) {
        self.members.clear();
        self.members.resize(blocks.len() * self.words, 0);
        for block in 0..blocks.len() {
            for component in blocks.block(block) {
                self.members[block * self.words + usize::from(*component) / 64] |=
                    1 << (component % 64);
            }
        }
    }

    /// `n''_j(s)`
    fn count(&self, component: u16, block: usize) -> u32 {
        let near = &self.near[usize::from(component) * self.words..][..self.words];
        let members = &self.members[block * self.words..][..self.words];
        let both = near.iter().zip(members);
        both.map(|(near, members)| (near & members).count_ones())
            .sum()
    }
}
