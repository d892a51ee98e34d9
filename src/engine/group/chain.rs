//! Stabiliser chains (Schreier and Sims): for base points b1, b2, … the subgroups that fix the first of them,
//! the first two, and so on, down to the trivial group. For each of these subgroups the chain keeps the
//! orbit of the next base point, and for each point of the orbit an element that maps the base point there (the
//! transversal). So every element of the group is a product of one of each, in exactly one way, and the lengths of the
//! orbits multiply to the order.
//!
//! A chain is built from random elements (with a fixed seed, so deterministically), and then proved
//! complete: its order is the known order of the group, or an upper bound from the generators, or
//! every Schreier generator is a product of transversal elements.
//!
//! Only the points that are moved count (the support). Elements of transversals are stored as the images of
//! all points of the support up to 2^25 numbers (128 MB) altogether, and as words
//! in the generators for levels beyond that. Generators and orbits have the same bound again. A chain that
//! would need more, or very much time, is not made: groups on disjoint sets of points are
//! better handled one by one.

use num_bigint::BigUint;

use super::Poll;
use super::bounds::order_at_most;
use super::orbits::PointOrbits;
use super::permutation::PointPermutation;
use super::transversal::{Basics, ChainLevel, Generating, Sifting, Stuck};
use crate::source::diagnostic::Result;

/// Successive random elements in the chain after which completeness is tested. Each is
/// outside an incomplete chain with a probability of at least one half.
const KNOWN_MAX: usize = 20;
/// Images of points under the given generators, at most.
const IMAGES_MAX: usize = 1 << 31;
/// Images of points computed while sifting, at most.
const WORK_MAX: u64 = 1 << 33;
/// Products of random elements that are kept.
const SLOTS: usize = 10;
/// Products made before the first random element, besides one for each generator.
const MIXED_FIRST: usize = 30;

/// A permutation group by its stabiliser chain.
#[derive(Clone, Debug)]
pub struct StabiliserChain {
    degree: u32,
    basics: Basics,
    order: BigUint,
    /// Number of levels whose base points were preferred.
    preferred: usize,
}

impl StabiliserChain {
    /// The chain of a permutation group on `0..degree`, by generators. Its base begins with those of the
    /// `preferred` points, in their order, that the stabiliser of the earlier ones moves; further points
    /// follow only where needed. So the levels of preferred points ([`StabiliserChain::preferred_levels`])
    /// describe the action on these, and the later ones the pointwise stabiliser of them all.
    ///
    /// `order` is the order of the group if it is known, or an upper bound: a chain of this order is taken for
    /// complete. `None` if the chain would be too large.
    ///
    /// # Errors
    /// Any error of `poll`.
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
            // At intervals, so that many generators need no more space than their points.
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

    /// Number of points, moved or not.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The points that are moved, ascending.
    #[must_use]
    pub fn support(&self) -> &[u32] {
        &self.basics.support
    }

    /// The order of the group.
    #[must_use]
    pub fn order(&self) -> &BigUint {
        &self.order
    }

    /// Number of levels, each with an orbit of at least two points.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.basics.levels.len()
    }

    /// Number of levels with preferred base points. They are the first ones.
    #[must_use]
    pub fn preferred_levels(&self) -> usize {
        self.preferred
    }

    /// The product of the lengths of the first orbits. On the preferred levels: the order of the action
    /// on the preferred points.
    #[must_use]
    pub fn order_on(&self, levels: usize) -> BigUint {
        self.basics.order(levels.min(self.levels()))
    }

    /// The base point of a level.
    #[must_use]
    pub fn base(&self, level: usize) -> u32 {
        self.basics.support[self.level(level).base() as usize]
    }

    /// The orbit of the base point of a level under the stabiliser of the earlier ones; the base point comes first.
    pub fn orbit(&self, level: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        let orbit = self.level(level).orbit().iter();
        orbit.map(|at| self.basics.support[*at as usize])
    }

    /// The transversal element that maps the base point of a level to a point of its orbit, given by its place there,
    /// as the images of the points of the support. It fixes the earlier base points.
    pub fn transversal(&self, level: usize, place: usize, images: &mut Vec<u32>) {
        self.basics.transversal(level, place, images);
        for image in images {
            *image = self.basics.support[*image as usize];
        }
    }

    /// The same element as a permutation.
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

    /// Sifts a permutation: divides it by one element of each transversal, down to the first
    /// level without a match. The residue is the identity for elements of the group. `None` if it moves points
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

    /// Generators of the stabiliser of the first base points: with 0, of the whole group.
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

    /// The orbits of at least two points, ascending.
    #[must_use]
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        PointOrbits::of(self.degree, &self.generators(0)).orbits()
    }

    /// The same group with another base.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn with_base(&self, preferred: &[u32], poll: Poll<'_>) -> Result<Option<Self>> {
        let generators = self.generators(0);
        Self::new(self.degree, &generators, preferred, Some(&self.order), poll)
    }

    /// Generators of the pointwise stabiliser of these points; `None` if the chain for that would be too large.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn pointwise_stabiliser(
        &self,
        points: &[u32],
        poll: Poll<'_>,
    ) -> Result<Option<Vec<PointPermutation>>> {
        let chain = self.with_base(points, poll)?;
        Ok(chain.map(|chain| chain.generators(chain.preferred_levels())))
    }

    /// Iterates over all elements, the identity first. Keeps the images of the support once for each level.
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

/// Iterator over the elements of a group.
#[derive(Debug)]
pub struct ChainElements<'c> {
    chain: &'c StabiliserChain,
    /// The place of the present transversal element of each level.
    places: Vec<usize>,
    /// For each level the product of these, from the last level to this one, by numbers of the support.
    products: Vec<Vec<u32>>,
    images: Vec<u32>,
    transversal: Vec<u32>,
    begun: bool,
}

impl ChainElements<'_> {
    /// The next element: the images of the points of the support ([`StabiliserChain::support`]). Allocates
    /// nothing.
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

/// A chain under construction.
struct Making<'a> {
    basics: Basics,
    /// The order of the group, if it is known, or an upper bound.
    order: Option<BigUint>,
    /// Work that was reported to `poll`.
    told: u64,
    sifting: Sifting,
    poll: Poll<'a>,
}

/// Success, unless the chain became too large.
type Fits = std::result::Result<(), TooLarge>;

/// The chain would exceed its bounds on memory or time.
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
        // An upper bound: a chain that reaches it is complete.
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
        // The given order may have been an upper bound only.
        if is_known {
            self.order = order_at_most(degree, generators, self.poll)?;
            if self.is_complete() {
                return Ok(Ok(()));
            }
        }
        self.close()
    }

    /// Sifts an element from a level on; a residue becomes a generator. Returns whether there was one.
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

    /// Tests all Schreier generators, from the last level up (Schreier's lemma): if all of a level are products of the
    /// levels below, these are the whole stabiliser.
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
                            // Levels down to the one whose base point it moves have a new generator.
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

/// Random elements of a group, by product replacement (with all products accumulated: the "rattle" of Leedham-Green
/// and Murray).
struct RandomElements {
    slots: Vec<Vec<u32>>,
    /// The accumulated product of the changed slots.
    product: Vec<u32>,
    /// The generator that is used next. All are used in turn: a random choice would omit some of very many, and
    /// then the elements would lie in a smaller group.
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
            // A random subproduct of the generators is outside any proper subgroup with a probability of one half.
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

    /// A random number below `max` (xorshift).
    fn below(&mut self, max: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 11) as usize) % max.max(1)
    }
}
