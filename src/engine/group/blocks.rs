//! Block systems of transitive groups: partitions of the points that every element maps to themselves.

use super::Poll;
use super::orbits::PointOrbits;
use super::permutation::PointPermutation;
use crate::source::diagnostic::Result;
use crate::source::disjoint_sets::DisjointSets;
use crate::source::hash::{Map, Set};

/// Images of points computed at most; beyond that no block system is found.
const STEPS_MAX: usize = 1 << 27;

/// Permutations by the images of all points, and for each point the permutations that move it.
struct Moving {
    images: Vec<Vec<u32>>,
    /// By point; a permutation that fixes two points joins no images of them.
    movers: Vec<Vec<u32>>,
}

impl Moving {
    fn new(degree: u32, generators: &[PointPermutation], poll: Poll<'_>) -> Result<Self> {
        let mut this = Self {
            images: Vec::with_capacity(generators.len()),
            movers: vec![Vec::new(); degree as usize],
        };
        for (number, generator) in (0u32..).zip(generators) {
            poll(degree as usize)?;
            this.images.push(generator.images());
            for point in generator.moved() {
                this.movers[*point as usize].push(number);
            }
        }
        Ok(this)
    }

    fn moved(&self) -> usize {
        self.movers.iter().map(Vec::len).sum()
    }
}

/// The minimal block systems of a group that is transitive on all points `0..degree`: for each point but the first,
/// the finest system with both in one block, each once and without the trivial one of a single block. Any other system
/// joins blocks of several of these. The blocks of a system ascend, and so do their points; systems with
/// smaller blocks come first.
///
/// # Errors
/// Any error of `poll`.
pub fn block_systems(
    generators: &[PointPermutation],
    poll: Poll<'_>,
) -> Result<Vec<Vec<Vec<u32>>>> {
    let degree = generators.first().map_or(0, PointPermutation::degree);
    let points = degree as usize;
    let moving = Moving::new(degree, generators, poll)?;
    if points.saturating_mul(moving.moved()) > STEPS_MAX {
        return Ok(Vec::new());
    }
    let mut known: Set<Vec<u32>> = Set::default();
    let mut systems: Vec<Vec<Vec<u32>>> = Vec::new();
    for other in 1..degree {
        let block = moving.blocks_that_join(&[(0, other)], poll)?;
        let is_trivial = block.iter().all(|b| *b == 0);
        if is_trivial || !known.insert(block.clone()) {
            continue;
        }
        let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); points];
        for (point, block) in (0u32..).zip(&block) {
            blocks[*block as usize].push(point);
        }
        blocks.retain(|block| !block.is_empty());
        systems.push(blocks);
    }
    systems.sort_by_key(|blocks| blocks[0].len());
    Ok(systems)
}

/// The least point of the block of each point, in the finest partition that is invariant under the permutations and
/// has each of these pairs in one block.
///
/// # Errors
/// Any error of `poll`.
pub(super) fn joined_blocks(
    degree: u32,
    generators: &[PointPermutation],
    pairs: &[(u32, u32)],
    poll: Poll<'_>,
) -> Result<Vec<u32>> {
    Moving::new(degree, generators, poll)?.blocks_that_join(pairs, poll)
}

impl Moving {
    /// The least point of the block of each point, in the finest invariant partition that joins these pairs.
    ///
    /// Atkinson's algorithm: where two points are joined, so are their images.
    fn blocks_that_join(&self, pairs: &[(u32, u32)], poll: Poll<'_>) -> Result<Vec<u32>> {
        let points = self.movers.len() as u32;
        let mut sets = DisjointSets::new(points);
        let join = |pair: &(u32, u32)| sets.join(pair.0, pair.1);
        let mut joined: Vec<(u32, u32)> = pairs.iter().filter_map(join).collect();
        let mut work = points as usize;
        while let Some((point, with)) = joined.pop() {
            let both = self.movers[point as usize]
                .iter()
                .chain(&self.movers[with as usize]);
            for number in both {
                let images = &self.images[*number as usize];
                joined.extend(sets.join(images[point as usize], images[with as usize]));
                work += 1;
            }
        }
        poll(work)?;
        Ok((0..points).map(|point| sets.least(point)).collect())
    }
}

/// Whether blocks are a block system of a group that is transitive on the points in them.
pub(super) fn is_block_system(generators: &[PointPermutation], blocks: &[Vec<u32>]) -> bool {
    let mut points: Vec<u32> = blocks.iter().flatten().copied().collect();
    points.sort_unstable();
    let degree = points.len() as u32;
    let are_all = points.iter().copied().eq(0..degree) && degree > 0;
    if !are_all || generators.iter().any(|g| g.degree() != degree) {
        return false;
    }
    let mut block_of = vec![0; points.len()];
    for (number, block) in blocks.iter().enumerate() {
        for point in block {
            block_of[*point as usize] = number;
        }
    }
    let leads_to = |g: &PointPermutation, point: u32| block_of[g.apply(point) as usize];
    let is_kept = |g: &PointPermutation, block: &[u32]| {
        let mut pairs = block.windows(2);
        pairs.all(|pair| leads_to(g, pair[0]) == leads_to(g, pair[1]))
    };
    let all_kept = |g: &PointPermutation| blocks.iter().all(|block| is_kept(g, block));
    let same_size = blocks.windows(2).all(|pair| pair[0].len() == pair[1].len());
    let is_transitive = PointOrbits::of(degree, generators).size_of(0) == degree;
    same_size && is_transitive && generators.iter().all(all_kept)
}

/// The action of permutations on the blocks of a block system ([`block_systems`]), by number.
#[must_use]
pub fn action_on_blocks(
    generators: &[PointPermutation],
    blocks: &[Vec<u32>],
) -> Vec<PointPermutation> {
    let points = blocks.iter().map(Vec::len).sum();
    let mut block_of = vec![0u32; points];
    for (number, block) in (0u32..).zip(blocks) {
        for point in block {
            block_of[*point as usize] = number;
        }
    }
    let action = |g: &PointPermutation| {
        let images = blocks
            .iter()
            .map(|block| block_of[g.apply(block[0]) as usize]);
        PointPermutation::new(&images.collect::<Vec<u32>>())
    };
    generators.iter().filter_map(action).collect()
}

/// The action of the setwise stabiliser of the first block in it, by its Schreier generators.
///
/// # Errors
/// Any error of `poll`.
pub(super) fn action_in_block(
    generators: &[PointPermutation],
    top: &[PointPermutation],
    blocks: &[Vec<u32>],
    poll: Poll<'_>,
) -> Result<Vec<PointPermutation>> {
    // For each block, the images of the points of the first one under an element that maps that block there.
    let mut ways: Vec<Option<Vec<u32>>> = vec![None; blocks.len()];
    ways[0] = Some(blocks[0].clone());
    let mut open = vec![0usize];
    while let Some(from) = open.pop() {
        for (generator, action) in generators.iter().zip(top) {
            let to = action.apply(from as u32) as usize;
            if ways[to].is_none() {
                let way = ways[from].iter().flatten();
                ways[to] = Some(way.map(|point| generator.apply(*point)).collect());
                open.push(to);
            }
        }
    }
    let ways: Vec<Vec<u32>> = ways.into_iter().flatten().collect();
    let mut known: Set<PointPermutation> = Set::default();
    let mut bottom = Vec::new();
    for (from, way) in ways.iter().enumerate() {
        poll(2 * way.len() * generators.len())?;
        for (generator, action) in generators.iter().zip(top) {
            let back = &ways[action.apply(from as u32) as usize];
            let places: Map<u32, u32> = back.iter().copied().zip(0u32..).collect();
            let images = way
                .iter()
                .map(|point| places.get(&generator.apply(*point)).copied());
            let images: Option<Vec<u32>> = images.collect();
            let Some(p) = images.and_then(|images| PointPermutation::new(&images)) else {
                continue;
            };
            if !p.is_identity() && known.insert(p.clone()) {
                bottom.push(p);
            }
        }
    }
    Ok(bottom)
}
