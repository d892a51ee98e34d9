//! The least state of an orbit under one factor of a group: by sorting columns, by descent through a chain, or,
//! for a wreath product, by one of these in each block, followed by sorting the blocks.

use super::columns::ColumnSort;
use super::descent::{CosetChain, DescentScratch, ImageSearch};
use crate::group::PointPermutation;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::parts::GroupFactor;

/// The method for one factor.
#[derive(Debug)]
pub(super) enum FactorMethod {
    Sort(ColumnSort),
    Descend(CosetChain),
    Blocks(BlockSort),
}

/// A wreath product: blocks that are permuted in all ways, with the same group in each.
///
/// The content of a block is its points, each replaced by the corresponding point of the first block, so that contents
/// can be compared. The least content of each under the group of the first block, in ascending order, is the same
/// for all states of an orbit, and it is an image, since blocks are permuted in all ways and the groups of different
/// blocks act independently.
#[derive(Debug)]
pub(super) struct BlockSort {
    blocks: Vec<Vec<u32>>,
    /// The components of each block.
    slots: Vec<Vec<u16>>,
    /// For each point of a block, the corresponding point of the first block.
    back: Vec<u32>,
    /// For each block, the point that corresponds to each of the first block.
    forth: Vec<Vec<u32>>,
    bottom: Vec<FactorMethod>,
    cosets: Option<Vec<Vec<Automorphism>>>,
}

/// Per-thread scratch buffers.
#[derive(Debug, Default)]
pub(super) struct FactorScratch {
    pub(super) descent: DescentScratch,
    pub(super) keys: Vec<u32>,
    pub(super) sorted: Vec<u32>,
    blocks: Option<Box<BlockScratch>>,
}

impl FactorScratch {
    /// Work so far on least images that were not found by sorting, roughly in points compared.
    pub(super) fn work(&self) -> u64 {
        let inside = self.blocks.as_ref();
        self.descent.work + inside.map_or(0, |blocks| blocks.inner.work())
    }
}

/// Scratch buffers for sorting blocks.
#[derive(Debug, Default)]
struct BlockScratch {
    trial: Vec<u32>,
    contents: Vec<u32>,
    words: Vec<u16>,
    inner: FactorScratch,
}

impl FactorMethod {
    pub(super) fn new(structure: &NetworkStructure, factor: GroupFactor) -> Self {
        match factor {
            GroupFactor::Columns(columns) => Self::Sort(ColumnSort::new(structure, columns)),
            GroupFactor::Cosets(lists) => Self::Descend(CosetChain::new(structure, lists)),
            GroupFactor::Wreath {
                blocks,
                bottom,
                cosets,
            } => {
                let method = |factor| Self::new(structure, factor);
                let bottom = bottom.into_iter().map(method).collect();
                Self::Blocks(BlockSort::new(structure, blocks, bottom, cosets))
            }
        }
    }

    /// Replaces a state by its least image, appends to the word the element that leads there, and multiplies by the
    /// number of such elements, if it is counted. Returns whether the image is certainly the least.
    pub(super) fn find(
        &self,
        state: &mut [u32],
        word: &mut Vec<u16>,
        scratch: &mut FactorScratch,
        search: &mut ImageSearch<'_>,
    ) -> bool {
        match self {
            Self::Sort(columns) => {
                let FactorScratch { keys, sorted, .. } = scratch;
                columns.sort(state, word, (keys, sorted), search.ways.as_mut());
                true
            }
            Self::Descend(chain) => chain.find(state, word, &mut scratch.descent, search),
            Self::Blocks(blocks) => {
                let buffers = scratch.blocks.get_or_insert_default();
                blocks.find(state, word, buffers, search)
            }
        }
    }

    /// Decodes the element at the head of a word, and removes it from the word.
    pub(super) fn led(&self, structure: &NetworkStructure, word: &mut &[u16]) -> Automorphism {
        match self {
            Self::Sort(columns) => columns.led(structure, word),
            Self::Descend(chain) => chain.led(structure, word),
            Self::Blocks(blocks) => blocks.led(structure, word),
        }
    }

    /// Length of the word of an element.
    pub(super) fn word_length(&self) -> usize {
        match self {
            Self::Sort(columns) => columns.word_length(),
            Self::Descend(chain) => chain.word_length(),
            Self::Blocks(blocks) => blocks.word_length(),
        }
    }

    /// The image of a component under the element with a word.
    pub(super) fn component(&self, word: &[u16], component: u16) -> u16 {
        match self {
            Self::Sort(columns) => columns.component(word, component),
            Self::Descend(chain) => chain.component(word, component),
            Self::Blocks(blocks) => blocks.component(word, component),
        }
    }

    /// Generators of the stabiliser of a state.
    pub(super) fn fixing(
        &self,
        structure: &NetworkStructure,
        state: &[u32],
        is_over: &dyn Fn() -> bool,
        found: &mut Vec<Automorphism>,
    ) {
        match self {
            Self::Sort(columns) => columns.fixing(structure, state, found),
            Self::Descend(chain) => chain.fixing(state, is_over, found),
            Self::Blocks(blocks) => blocks.fixing(structure, state, is_over, found),
        }
    }

    /// The stabiliser chain of the factor, as the elements of its levels; `None` if it took too much room.
    pub(super) fn lists(&self, structure: &NetworkStructure) -> Option<Vec<Vec<Automorphism>>> {
        match self {
            Self::Sort(columns) => Some(columns.lists(structure)),
            Self::Descend(chain) => Some(chain.elements.clone()),
            Self::Blocks(blocks) => blocks.cosets.clone(),
        }
    }

    /// Number of elements in all these levels.
    pub(super) fn levels_size(&self) -> usize {
        match self {
            Self::Sort(columns) => columns.len() * (columns.len() + 1) / 2,
            Self::Descend(chain) => chain.elements.iter().map(Vec::len).sum(),
            Self::Blocks(blocks) => blocks.cosets.iter().flatten().map(Vec::len).sum(),
        }
    }
}

impl BlockSort {
    fn new(
        structure: &NetworkStructure,
        blocks: Vec<Vec<u32>>,
        bottom: Vec<FactorMethod>,
        cosets: Option<Vec<Vec<Automorphism>>>,
    ) -> Self {
        let places = PartPlaces::new(structure);
        let count = structure.points.count();
        let component = |at: &&u32| **at < places.points;
        let slots = |block: &Vec<u32>| {
            block
                .iter()
                .filter(component)
                .map(|at| *at as u16)
                .collect()
        };
        let mut this = Self {
            slots: blocks.iter().map(slots).collect(),
            back: (0..count as u32).collect(),
            forth: vec![(0..count as u32).collect(); blocks.len()],
            blocks: Vec::new(),
            bottom,
            cosets,
        };
        for (block, forth) in blocks.iter().zip(&mut this.forth) {
            for (first, at) in blocks[0].iter().zip(block) {
                if (places.points..places.labels).contains(first) {
                    let (first, at) = (first - places.points, at - places.points);
                    this.back[at as usize] = first;
                    forth[first as usize] = at;
                }
            }
        }
        this.blocks = blocks;
        this
    }

    /// Builds in `trial` a state whose first block has the content of a block.
    fn take(&self, block: usize, state: &[u32], trial: &mut Vec<u32>) {
        trial.clear();
        trial.extend_from_slice(state);
        for (first, own) in self.slots[0].iter().zip(&self.slots[block]) {
            trial[usize::from(*first)] = self.back[state[usize::from(*own)] as usize];
        }
    }

    fn find(
        &self,
        state: &mut [u32],
        word: &mut Vec<u16>,
        scratch: &mut BlockScratch,
        search: &mut ImageSearch<'_>,
    ) -> bool {
        let BlockScratch {
            trial,
            contents,
            words,
            inner,
        } = scratch;
        contents.clear();
        words.clear();
        let mut certain = true;
        for block in 0..self.blocks.len() {
            self.take(block, state, trial);
            for method in &self.bottom {
                certain &= method.find(trial, words, inner, search);
            }
            let slots = self.slots[0].iter();
            contents.extend(slots.map(|slot| trial[usize::from(*slot)]));
        }
        let length = self.slots[0].len();
        let content = |block: u16| &contents[usize::from(block) * length..][..length];
        let from = word.len();
        word.extend(0..self.blocks.len() as u16);
        let order = &mut word[from..];
        order.sort_unstable_by(|a, b| content(*a).cmp(content(*b)).then(a.cmp(b)));
        if let Some(ways) = &mut search.ways {
            let runs = order.chunk_by(|a, b| content(*a) == content(*b));
            runs.for_each(|run| ways.times_factorial(run.len()));
        }
        for (to, block) in order.iter().enumerate() {
            for (slot, point) in self.slots[to].iter().zip(content(*block)) {
                state[usize::from(*slot)] = self.forth[to][*point as usize];
            }
        }
        word.extend_from_slice(words);
        certain
    }

    /// The moves of the parts of one block: to the first block, by an element there, and on to another block.
    fn moves<'m>(
        &'m self,
        from: usize,
        to: usize,
        by: &'m Automorphism,
    ) -> impl Iterator<Item = (u32, u32)> + 'm {
        let (first, to) = (&self.blocks[0], &self.blocks[to]);
        let own = self.blocks[from].iter().zip(first);
        own.filter_map(move |(at, in_first)| {
            let image = by.map().apply(*in_first);
            let place = first.binary_search(&image).ok()?;
            Some((*at, to[place]))
        })
    }

    fn made(
        structure: &NetworkStructure,
        moves: impl IntoIterator<Item = (u32, u32)>,
    ) -> Automorphism {
        let places = PartPlaces::new(structure);
        let map = PointPermutation::of_moves(places.end, moves);
        let identity = || PointPermutation::identity(places.end);
        Automorphism::new(places, map.unwrap_or_else(identity))
    }

    fn led_inside(&self, structure: &NetworkStructure, word: &mut &[u16]) -> Automorphism {
        let identity = Automorphism::identity(PartPlaces::new(structure));
        let each = self.bottom.iter().map(|method| method.led(structure, word));
        each.fold(identity, |found, next| found.then(&next))
    }

    fn led(&self, structure: &NetworkStructure, word: &mut &[u16]) -> Automorphism {
        // The word of a state that is its own representative is empty.
        let Some((order, rest)) = word.split_at_checked(self.blocks.len()) else {
            return Automorphism::identity(PartPlaces::new(structure));
        };
        *word = rest;
        let mut moves = Vec::new();
        for block in 0..self.blocks.len() {
            let inside = self.led_inside(structure, word);
            let to = order.iter().position(|own| usize::from(*own) == block);
            moves.extend(self.moves(block, to.unwrap_or(block), &inside));
        }
        Self::made(structure, moves)
    }

    /// Length of the order of the blocks and of the words of all blocks.
    fn word_length(&self) -> usize {
        self.blocks.len() * (1 + self.inner_length())
    }

    /// Length of the word of one block.
    fn inner_length(&self) -> usize {
        self.bottom.iter().map(FactorMethod::word_length).sum()
    }

    fn component(&self, word: &[u16], component: u16) -> u16 {
        let find = |slots: &Vec<u16>| slots.iter().position(|slot| *slot == component);
        let place = (self.slots.iter().enumerate()).find_map(|(n, slots)| Some((n, find(slots)?)));
        let Some((block, at)) = place else {
            return component;
        };
        let (order, inside) = word.split_at(self.blocks.len());
        let mut inside = &inside[block * self.inner_length()..];
        // Computed as a component of the first block.
        let mut led = self.slots[0][at];
        for method in &self.bottom {
            let (own, rest) = inside.split_at(method.word_length());
            led = method.component(own, led);
            inside = rest;
        }
        let to = order.iter().position(|own| usize::from(*own) == block);
        let at = self.slots[0].iter().position(|slot| *slot == led);
        to.zip(at).map_or(component, |(to, at)| self.slots[to][at])
    }

    fn fixing(
        &self,
        structure: &NetworkStructure,
        state: &[u32],
        is_over: &dyn Fn() -> bool,
        found: &mut Vec<Automorphism>,
    ) {
        let (mut sorted, mut word) = (state.to_vec(), Vec::new());
        let mut scratch = BlockScratch::default();
        let ways = None;
        let mut search = ImageSearch { ways, is_over };
        self.find(&mut sorted, &mut word, &mut scratch, &mut search);
        let (order, mut rest) = word.split_at(self.blocks.len());
        let mut trial = Vec::new();
        let mut inside = Vec::with_capacity(order.len());
        for block in 0..self.blocks.len() {
            inside.push(self.led_inside(structure, &mut rest));
            self.take(block, state, &mut trial);
            let mut own = Vec::new();
            for method in &self.bottom {
                method.fixing(structure, &trial, is_over, &mut own);
            }
            let there = |by: &Automorphism| Self::made(structure, self.moves(block, block, by));
            found.extend(own.iter().map(there));
        }
        let length = self.slots[0].len();
        let content = |block: u16| &scratch.contents[usize::from(block) * length..][..length];
        for pair in order.windows(2) {
            if content(pair[0]) == content(pair[1]) {
                let (a, b) = (usize::from(pair[0]), usize::from(pair[1]));
                // To the least content of one block, and from there to the other by the inverse.
                let there = inside[a].then(&inside[b].inverse());
                let moves: Vec<(u32, u32)> = self.moves(a, b, &there).collect();
                let back: Vec<(u32, u32)> = moves.iter().map(|(at, to)| (*to, *at)).collect();
                found.push(Self::made(structure, moves.into_iter().chain(back)));
            }
        }
    }
}
