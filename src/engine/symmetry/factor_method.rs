//! How the least state of an orbit under a factor of a group is found: by sorting columns, by going down a chain, and
//! under a wreath product by doing one of these in each block and then sorting the blocks.

use super::columns::ColumnSort;
use super::descent::{CosetChain, DescentScratch, ImageSearch};
use crate::group::PointPermutation;
use crate::structure::blueprint::Blueprint;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::parts::GroupFactor;

/// How it is found for one factor.
#[derive(Debug)]
pub(super) enum FactorMethod {
    Sort(ColumnSort),
    Descend(CosetChain),
    Blocks(BlockSort),
}

/// Blocks that are permuted in all ways, with the same group in each.
///
/// All blocks are looked at as if they were the first: what corresponds to their points in the first one is a content
/// that can be compared. The least content of each under the group of the first block, in ascending order, is the same
/// for all states of an orbit, and it is an image, since blocks are permuted in all ways and what is done in one has
/// nothing to do with the others.
#[derive(Debug)]
pub(super) struct BlockSort {
    blocks: Vec<Vec<u32>>,
    /// For each block its components.
    slots: Vec<Vec<u16>>,
    /// For each point of a block the one of the first block that corresponds to it.
    back: Vec<u32>,
    /// For each block, and each point of the first one, the point that corresponds to it.
    forth: Vec<Vec<u32>>,
    bottom: Vec<FactorMethod>,
    cosets: Option<Vec<Vec<Automorphism>>>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct FactorScratch {
    pub(super) descent: DescentScratch,
    pub(super) keys: Vec<u32>,
    pub(super) sorted: Vec<u32>,
    blocks: Option<Box<BlockScratch>>,
}

impl FactorScratch {
    /// Steps of work so far, where least images were not found by sorting.
    pub(super) fn work(&self) -> u64 {
        let inside = self.blocks.as_ref();
        self.descent.work + inside.map_or(0, |blocks| blocks.inner.work())
    }
}

/// Buffers for sorting blocks.
#[derive(Debug, Default)]
struct BlockScratch {
    trial: Vec<u32>,
    contents: Vec<u32>,
    words: Vec<u16>,
    inner: FactorScratch,
}

impl FactorMethod {
    pub(super) fn new(blueprint: &Blueprint, factor: GroupFactor) -> Self {
        match factor {
            GroupFactor::Columns(columns) => Self::Sort(ColumnSort::new(blueprint, columns)),
            GroupFactor::Cosets(lists) => Self::Descend(CosetChain::new(blueprint, lists)),
            GroupFactor::Wreath {
                blocks,
                bottom,
                cosets,
            } => {
                let method = |factor| Self::new(blueprint, factor);
                let bottom = bottom.into_iter().map(method).collect();
                Self::Blocks(BlockSort::new(blueprint, blocks, bottom, cosets))
            }
        }
    }

    /// Replaces a state by its least image, appends to the word what leads there, and multiplies by how many
    /// elements do, if that is wanted. Whether it is known to be the least.
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

    /// The element that a word begins with, which loses it.
    pub(super) fn led(&self, blueprint: &Blueprint, word: &mut &[u16]) -> Automorphism {
        match self {
            Self::Sort(columns) => columns.led(blueprint, word),
            Self::Descend(chain) => chain.led(blueprint, word),
            Self::Blocks(blocks) => blocks.led(blueprint, word),
        }
    }

    /// How long the word of an element is.
    pub(super) fn word_length(&self) -> usize {
        match self {
            Self::Sort(columns) => columns.word_length(),
            Self::Descend(chain) => chain.word_length(),
            Self::Blocks(blocks) => blocks.word_length(),
        }
    }

    /// The component that a component becomes by the element with a word.
    pub(super) fn component(&self, word: &[u16], component: u16) -> u16 {
        match self {
            Self::Sort(columns) => columns.component(word, component),
            Self::Descend(chain) => chain.component(word, component),
            Self::Blocks(blocks) => blocks.component(word, component),
        }
    }

    /// Elements that generate all that leave a state alone.
    pub(super) fn fixing(
        &self,
        blueprint: &Blueprint,
        state: &[u32],
        is_over: &dyn Fn() -> bool,
        found: &mut Vec<Automorphism>,
    ) {
        match self {
            Self::Sort(columns) => columns.fixing(blueprint, state, found),
            Self::Descend(chain) => chain.fixing(state, is_over, found),
            Self::Blocks(blocks) => blocks.fixing(blueprint, state, is_over, found),
        }
    }

    /// For each level of a chain of the factor its elements; none where these took too much room.
    pub(super) fn lists(&self, blueprint: &Blueprint) -> Option<Vec<Vec<Automorphism>>> {
        match self {
            Self::Sort(columns) => Some(columns.lists(blueprint)),
            Self::Descend(chain) => Some(chain.elements.clone()),
            Self::Blocks(blocks) => blocks.cosets.clone(),
        }
    }

    /// How many elements all these levels have.
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
        blueprint: &Blueprint,
        blocks: Vec<Vec<u32>>,
        bottom: Vec<FactorMethod>,
        cosets: Option<Vec<Vec<Automorphism>>>,
    ) -> Self {
        let places = PartPlaces::new(blueprint);
        let count = blueprint.points.count();
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

    /// Leaves in `trial` a state whose first block has the content of a block.
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

    /// Where the things of a block go if they are brought to the first one, permuted there, and brought to another.
    fn moves<'m>(
        &'m self,
        (from, to): (usize, usize),
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

    fn made(blueprint: &Blueprint, moves: impl IntoIterator<Item = (u32, u32)>) -> Automorphism {
        let places = PartPlaces::new(blueprint);
        let map = PointPermutation::of_moves(places.end, moves);
        let identity = || PointPermutation::identity(places.end);
        Automorphism::new(places, map.unwrap_or_else(identity))
    }

    fn led_inside(&self, blueprint: &Blueprint, word: &mut &[u16]) -> Automorphism {
        let identity = Automorphism::identity(PartPlaces::new(blueprint));
        let each = self.bottom.iter().map(|method| method.led(blueprint, word));
        each.fold(identity, |found, next| found.then(&next))
    }

    fn led(&self, blueprint: &Blueprint, word: &mut &[u16]) -> Automorphism {
        // The word of a state that stands for itself is empty.
        let Some((order, rest)) = word.split_at_checked(self.blocks.len()) else {
            return Automorphism::identity(PartPlaces::new(blueprint));
        };
        *word = rest;
        let mut moves = Vec::new();
        for block in 0..self.blocks.len() {
            let inside = self.led_inside(blueprint, word);
            let to = order.iter().position(|own| usize::from(*own) == block);
            moves.extend(self.moves((block, to.unwrap_or(block)), &inside));
        }
        Self::made(blueprint, moves)
    }

    /// Which blocks come to which place, and then what is done in each.
    fn word_length(&self) -> usize {
        self.blocks.len() * (1 + self.inner_length())
    }

    /// The length of what is done in one block.
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
        // As if it were of the first block.
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
        blueprint: &Blueprint,
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
            inside.push(self.led_inside(blueprint, &mut rest));
            self.take(block, state, &mut trial);
            let mut own = Vec::new();
            for method in &self.bottom {
                method.fixing(blueprint, &trial, is_over, &mut own);
            }
            let there = |by: &Automorphism| Self::made(blueprint, self.moves((block, block), by));
            found.extend(own.iter().map(there));
        }
        let length = self.slots[0].len();
        let content = |block: u16| &scratch.contents[usize::from(block) * length..][..length];
        for pair in order.windows(2) {
            if content(pair[0]) == content(pair[1]) {
                let (a, b) = (usize::from(pair[0]), usize::from(pair[1]));
                // To the least content of the one, and from there to the other as it is.
                let there = inside[a].then(&inside[b].inverse());
                let moves: Vec<(u32, u32)> = self.moves((a, b), &there).collect();
                let back: Vec<(u32, u32)> = moves.iter().map(|(at, to)| (*to, *at)).collect();
                found.push(Self::made(blueprint, moves.into_iter().chain(back)));
            }
        }
    }
}
