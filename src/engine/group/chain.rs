//! Chains of stabilisers (Schreier and Sims): for points b1, b2, … the subgroups that fix the first of them,
//! the first two, and so on, until only the identity is left. For each of these subgroups the chain keeps the
//! orbit of the next point, and for each point of the orbit an element that maps the base point there (the
//! transversal). So every element of the group is a product of one of each, in one way, and the lengths of the
//! orbits multiply to the order.
//!
//! A chain is made from random elements (with a fixed seed, so always the same), and then shown to be
//! complete: its order is what is known of the group, or the largest that such generators allow, or
//! every Schreier generator is a product of what is there.
//!
//! Only the points that are moved count (the support). Elements of transversals are kept as the images of
//! all points of the support as long as these are no more than 2^25 numbers (128 MB) altogether, and as words
//! in the generators for levels beyond that. Generators and orbits have the same bound again. A chain that
//! would need more, or very much time, is not made: groups on disjoint sets of points are
//! better taken one by one.

use num_bigint::BigUint;

use super::Poll;
use super::bounds::order_at_most;
use super::orbits::PointOrbits;
use super::permutation::PointPermutation;
use super::transversal::{Basics, ChainLevel, Generating, Sifting, Stuck};
use crate::source::diagnostic::Result;

/// Random elements in a row that the chain knew already, after which it is tried whether it is complete. Each is
/// one that an incomplete chain does not know, with a chance of one half.
const KNOWN_MAX: usize = 20;
/// So many images of points by the generators that are given.
const IMAGES_MAX: usize = 1 << 31;
/// So many images of points while elements are divided by others.
const WORK_MAX: u64 = 1 << 33;
/// Products of random elements that are kept.
const SLOTS: usize = 10;
/// Products that are made before one is taken, besides one for each generator.
const MIXED_FIRST: usize = 30;

/// A permutation group by its chain of stabilisers.
#[derive(Clone, Debug)]
pub struct StabiliserChain {
    degree: u32,
    basics: Basics,
    order: BigUint,
    /// How many levels have points that were asked for.
    preferred: usize,
}

impl StabiliserChain {
    /// The chain of the group that permutations of `0..degree` generate. Its base begins with those of the
    /// `preferred` points, in their order, that are moved by what fixes the ones before; further points
    /// follow only where needed. So the levels of preferred points ([`StabiliserChain::preferred_levels`])
    /// tell how the group acts on these, and those after them are the elements that fix them all.
    ///
    /// `order` is the order of the group if it is known; it must be right, or at least no lower, since a
    /// chain of this order is believed to be complete. `None` if the chain would be too large.
    ///
    /// # Errors
    /// What `poll` reports.
    pub fn new(
        degree: u32,
        generators: &[PointPermutation],
        preferred: &[u32],
        order: Option<&BigUint>,
        poll: Poll<'_>,
    ) -> Result<Option<Self>> {
        let mut support: Vec<u32> = Vec::new();
        for generator in generators {
            support.extend(generator.moved());
            // Now and then, so that many generators need no more than their points.
            if support.len() > 2 * degree as usize {
                poll(support.len())?;
                support.sort_unstable();
                support.dedup();
            }
        }
        support.sort_unstable();
        support.dedup();
        support.retain(|point| *point < degree);
        if support.len().saturating_mul(generators.len()) > IMAGES_MAX {
            return Ok(None);
        }
        let mut basics = Basics::new(support);
        for point in preferred {
            if let Some(at) = basics.number_of(*point) {
                basics.add_level(at);
            }
        }
        let preferred = basics.levels.len();
        let mut making = Making {
            basics,
            order: order.cloned(),
            told: 0,
            sifting: Sifting::default(),
            poll,
        };
        if making.fill(degree, generators)?.is_err() {
            return Ok(None);
        }
        let mut basics = making.basics;
        let preferred = basics.without_trivial_levels(preferred);
        let order = basics.order(basics.levels.len());
        Ok(Some(Self {
            degree,
            basics,
            order,
            preferred,
        }))
    }

    /// How many points the group permutes, moved or not.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The points that are moved, ascending.
    #[must_use]
    pub fn support(&self) -> &[u32] {
        &self.basics.support
    }

    /// How many elements the group has.
    #[must_use]
    pub fn order(&self) -> &BigUint {
        &self.order
    }

    /// How many levels the chain has, each with an orbit of two points and more.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.basics.levels.len()
    }

    /// How many of them have base points that were asked for. They are the first ones.
    #[must_use]
    pub fn preferred_levels(&self) -> usize {
        self.preferred
    }

    /// The product of the lengths of the first orbits. On the preferred levels: the order of the group of
    /// what is done to the preferred points.
    #[must_use]
    pub fn order_on(&self, levels: usize) -> BigUint {
        self.basics.order(levels.min(self.levels()))
    }

    /// The base point of a level.
    #[must_use]
    pub fn base(&self, level: usize) -> u32 {
        self.basics.support[self.level(level).base() as usize]
    }

    /// The orbit of the base point of a level among what fixes the base points before; it comes first.
    pub fn orbit(&self, level: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        let orbit = self.level(level).orbit().iter();
        orbit.map(|at| self.basics.support[*at as usize])
    }

    /// The element that maps the base point of a level to a point of its orbit, given by its place there:
    /// the images of the points of the support. It fixes the base points before.
    pub fn transversal(&self, level: usize, place: usize, images: &mut Vec<u32>) {
        self.basics.transversal(level, place, images);
        for image in images {
            *image = self.basics.support[*image as usize];
        }
    }

    /// The same as a permutation.
    #[must_use]
    pub fn transversal_element(&self, level: usize, place: usize) -> PointPermutation {
        let mut images = Vec::new();
        self.transversal(level, place, &mut images);
        self.permutation(&images)
    }

    /// Whether the elements of a level are kept as words in the generators, which takes longer to apply.
    #[must_use]
    pub fn has_words(&self, level: usize) -> bool {
        self.level(level).has_words()
    }

    /// The permutation with these images of the points of the support.
    #[must_use]
    pub fn permutation(&self, images: &[u32]) -> PointPermutation {
        let moves = self.support().iter().copied().zip(images.iter().copied());
        PointPermutation::of_moves(self.degree, moves)
            .unwrap_or_else(|| PointPermutation::identity(self.degree))
    }

    /// Whether a permutation is an element of the group.
    #[must_use]
    pub fn contains(&self, p: &PointPermutation) -> bool {
        self.sift(p).is_some_and(|rest| rest.is_identity())
    }

    /// What is left of a permutation after division by one element of each transversal, down to the first
    /// level where there is none: the identity if it is an element of the group. `None` if it moves points
    /// that the group does not move.
    #[must_use]
    pub fn sift(&self, p: &PointPermutation) -> Option<PointPermutation> {
        let mut images = self.basics.numbered(p)?;
        self.basics.sift(&mut images, 0, &mut Sifting::default());
        for image in &mut images {
            *image = self.basics.support[*image as usize];
        }
        Some(self.permutation(&images))
    }

    /// Generators of what fixes the base points of the first levels: with 0, of the whole group.
    #[must_use]
    pub fn generators(&self, levels: usize) -> Vec<PointPermutation> {
        let strong = self.basics.strong.iter().filter(|g| g.depth >= levels);
        strong
            .map(|g| {
                let images = (0..self.support().len() as u32).map(|at| g.apply(at));
                let images: Vec<u32> = images.map(|at| self.basics.support[at as usize]).collect();
                self.permutation(&images)
            })
            .collect()
    }

    /// The orbits of two points and more, ascending.
    #[must_use]
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        PointOrbits::of(self.degree, &self.generators(0)).orbits()
    }

    /// The same group with another base.
    ///
    /// # Errors
    /// What `poll` reports.
    pub fn with_base(&self, preferred: &[u32], poll: Poll<'_>) -> Result<Option<Self>> {
        let generators = self.generators(0);
        Self::new(self.degree, &generators, preferred, Some(&self.order), poll)
    }

    /// Generators of the elements that fix each of these points; `None` if the chain for that would be too large.
    ///
    /// # Errors
    /// What `poll` reports.
    pub fn pointwise_stabiliser(
        &self,
        points: &[u32],
        poll: Poll<'_>,
    ) -> Result<Option<Vec<PointPermutation>>> {
        let chain = self.with_base(points, poll)?;
        Ok(chain.map(|chain| chain.generators(chain.preferred_levels())))
    }

    /// All elements, the identity first. This keeps the images of the support once for each level.
    #[must_use]
    pub fn elements(&self) -> ChainElements<'_> {
        ChainElements {
            chain: self,
            places: vec![0; self.levels()],
            products: vec![(0..self.support().len() as u32).collect(); self.levels() + 1],
            images: self.support().to_vec(),
            transversal: Vec::new(),
            begun: false,
        }
    }

    fn level(&self, level: usize) -> &ChainLevel {
        &self.basics.levels[level]
    }
}

/// The elements of a group, one after the other.
#[derive(Debug)]
pub struct ChainElements<'c> {
    chain: &'c StabiliserChain,
    /// Which element of the transversal of each level.
    places: Vec<usize>,
    /// For each level the product of these, from the last level to this one, by numbers of the support.
    products: Vec<Vec<u32>>,
    images: Vec<u32>,
    transversal: Vec<u32>,
    begun: bool,
}

impl ChainElements<'_> {
    /// The next element: the images of the points of the support ([`StabiliserChain::support`]). Nothing is
    /// allocated for it.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could not lend its buffer"
    )]
    pub fn next(&mut self) -> Option<&[u32]> {
        if !self.begun {
            self.begun = true;
            return Some(&self.images);
        }
        let levels = &self.chain.basics.levels;
        let next = (0..levels.len()).find(|l| self.places[*l] + 1 < levels[*l].orbit().len())?;
        self.places[next] += 1;
        self.places[..next].fill(0);
        for level in (0..=next).rev() {
            let basics = &self.chain.basics;
            basics.transversal(level, self.places[level], &mut self.transversal);
            let (product, before) = self.products[level..].split_at_mut(1);
            for (image, at) in product[0].iter_mut().zip(&before[0]) {
                *image = self.transversal[*at as usize];
            }
        }
        for (image, at) in self.images.iter_mut().zip(&self.products[0]) {
            *image = self.chain.basics.support[*at as usize];
        }
        Some(&self.images)
    }
}

/// A chain that is being made.
struct Making<'a> {
    basics: Basics,
    /// That of the group, if it is known.
    order: Option<BigUint>,
    /// Work that was told of.
    told: u64,
    sifting: Sifting,
    poll: Poll<'a>,
}

/// Whether the chain did not become too large.
type Fits = std::result::Result<(), TooLarge>;

/// A chain would take more memory or time than it may.
#[derive(Debug)]
struct TooLarge;

impl Making<'_> {
    fn fill(&mut self, degree: u32, generators: &[PointPermutation]) -> Result<Fits> {
        for generator in generators {
            let Some(images) = self.basics.numbered(generator) else {
                continue;
            };
            if self.take(images, 0)?.is_err() {
                return Ok(Err(TooLarge));
            }
        }
        if self.is_complete() {
            return Ok(Ok(()));
        }
        // No group with such generators has more elements than that.
        let is_known = self.order.is_some();
        if !is_known {
            self.order = order_at_most(degree, generators, self.poll)?;
        }
        if self.fill_randomly(generators)?.is_err() {
            return Ok(Err(TooLarge));
        }
        if self.is_complete() {
            return Ok(Ok(()));
        }
        // What was said to be the order may only have been no lower.
        if is_known {
            self.order = order_at_most(degree, generators, self.poll)?;
            if self.is_complete() {
                return Ok(Ok(()));
            }
        }
        self.close()
    }

    /// Sifts an element from a level on; what is left becomes a generator. Whether anything was left.
    fn take(
        &mut self,
        mut images: Vec<u32>,
        from: usize,
    ) -> Result<std::result::Result<bool, TooLarge>> {
        let stuck = self.basics.sift(&mut images, from, &mut self.sifting);
        let since = self.sifting.work - self.told;
        self.told = self.sifting.work;
        (self.poll)(images.len() + usize::try_from(since).unwrap_or(usize::MAX))?;
        if self.sifting.work > WORK_MAX {
            return Ok(Err(TooLarge));
        }
        match stuck {
            Stuck::Nowhere => Ok(Ok(false)),
            Stuck::At => {
                let fits = self.basics.add(&images, self.poll)?;
                Ok(fits.then_some(true).ok_or(TooLarge))
            }
        }
    }

    /// Whether the chain is known to be complete by its order.
    fn is_complete(&self) -> bool {
        let order = self.basics.order(self.basics.levels.len());
        self.order.as_ref().is_some_and(|known| order >= *known)
    }

    fn fill_randomly(&mut self, generators: &[PointPermutation]) -> Result<Fits> {
        let generators: Vec<Generating> = generators
            .iter()
            .filter_map(|g| self.basics.generating(g))
            .filter(|g| !g.is_identity())
            .collect();
        if generators.is_empty() {
            return Ok(Ok(()));
        }
        let points = self.basics.support.len();
        (self.poll)(points * ((SLOTS + 2) * generators.len() + 2 * MIXED_FIRST))?;
        let mut random = RandomElements::new(&generators, points);
        let mut known = 0;
        while known < KNOWN_MAX.max(generators.len()) {
            let element = random.next(&generators).to_vec();
            match self.take(element, 0)? {
                Err(too_large) => return Ok(Err(too_large)),
                Ok(false) => known += 1,
                Ok(true) => {
                    known = 0;
                    if self.is_complete() {
                        return Ok(Ok(()));
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    /// Tries all Schreier generators, from the last level up: if each of a level is a product of the levels
    /// below, these are all of the stabiliser.
    fn close(&mut self) -> Result<Fits> {
        let mut tried: Vec<(usize, usize)> = vec![(0, 0); self.basics.levels.len()];
        let mut level = self.basics.levels.len();
        'levels: while level > 0 {
            level -= 1;
            let points = self.basics.levels[level].orbit().len();
            let generators = self.basics.strong.len();
            for place in 0..points {
                (self.poll)(generators)?;
                for generator in 0..generators {
                    let before = tried[level];
                    if place < before.0 && generator < before.1 {
                        continue;
                    }
                    let Some(element) = self.basics.schreier_generator(level, place, generator)
                    else {
                        continue;
                    };
                    match self.take(element, level + 1)? {
                        Err(too_large) => return Ok(Err(too_large)),
                        Ok(false) => {}
                        Ok(true) => {
                            // The levels down to where it moves the base point have a new generator.
                            tried.resize(self.basics.levels.len(), (0, 0));
                            let depth = self.basics.strong.last().map_or(0, |g| g.depth);
                            level = depth + 1;
                            continue 'levels;
                        }
                    }
                }
            }
            tried[level] = (points, generators);
        }
        Ok(Ok(()))
    }
}

/// Random elements of a group: products of products that were made before, which soon are spread evenly (product
/// replacement, with all of them multiplied up: the "rattle" of Leedham-Green and Murray).
struct RandomElements {
    slots: Vec<Vec<u32>>,
    /// The product of what the slots were.
    product: Vec<u32>,
    /// The generator that is used next. All are used in turn: what is left to chance leaves out some of very many, and
    /// then the elements are those of a smaller group.
    turn: usize,
    state: u64,
}

impl RandomElements {
    fn new(generators: &[Generating], points: usize) -> Self {
        let mut new = Self {
            slots: vec![(0..points as u32).collect(); SLOTS],
            product: (0..points as u32).collect(),
            turn: 0,
            state: 0x2545_f491_4f6c_dd1d,
        };
        for slot in 0..SLOTS {
            // Each subset of the generators leaves any smaller subgroup with a chance of one half.
            for generator in generators {
                if new.below(2) == 1 {
                    generator.put_before(&mut new.slots[slot]);
                }
            }
        }
        for _ in 0..MIXED_FIRST + generators.len() {
            new.next(generators);
        }
        new
    }

    fn next(&mut self, generators: &[Generating]) -> &[u32] {
        let a = self.below(SLOTS);
        let b = (a + 1 + self.below(SLOTS - 1)) % SLOTS;
        let mut slot = std::mem::take(&mut self.slots[a]);
        let other = &self.slots[b];
        for image in &mut slot {
            *image = other[*image as usize];
        }
        if let Some(generator) = generators.get(self.turn) {
            generator.put_before(&mut slot);
        }
        self.turn = (self.turn + 1) % generators.len().max(1);
        for image in &mut self.product {
            *image = slot[*image as usize];
        }
        self.slots[a] = slot;
        &self.product
    }

    /// A number below another one (xorshift).
    fn below(&mut self, max: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 11) as usize) % max.max(1)
    }
}
