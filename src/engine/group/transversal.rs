//! Parts of a stabiliser chain: generators, orbits and transversals.
//!
//! Points are given by their index in the support here.

use num_bigint::BigUint;

use super::Poll;
use super::permutation::{PointPermutation, product};
use crate::source::diagnostic::Result;
use crate::source::hash::{Map, Set};

/// Numbers in explicit transversals, at most.
const WRITTEN_MAX: usize = 1 << 25;
/// Numbers in generators and orbits, at most.
const KEPT_MAX: usize = 1 << 25;
/// Visits of generators for levels, at most.
const LOOKED_AT_MAX: usize = 1 << 27;

/// A generator. One that moves few points is stored by these.
#[derive(Clone, Debug)]
pub(super) struct Generating {
    /// Number of base points that it fixes, from the first on.
    pub(super) depth: usize,
    images: Images,
}

#[derive(Clone, Debug)]
enum Images {
    All(Box<[u32]>),
    /// By its moved points, with its inverse.
    Moved(PointPermutation, PointPermutation),
}

impl Generating {
    fn new(images: &[u32]) -> Self {
        let moved = (0u32..).zip(images).filter(|(at, to)| at != *to);
        let moves: Vec<(u32, u32)> = moved.map(|(at, to)| (at, *to)).collect();
        let few = moves.len() * 8 <= images.len();
        let sparse = few.then(|| PointPermutation::of_moves(images.len() as u32, moves));
        let images = match sparse.flatten() {
            Some(p) => {
                let inverse = p.inverse();
                Images::Moved(p, inverse)
            }
            None => Images::All(images.into()),
        };
        Self { depth: 0, images }
    }

    pub(super) fn is_identity(&self) -> bool {
        match &self.images {
            Images::All(images) => (0u32..).zip(images).all(|(at, to)| at == *to),
            Images::Moved(p, _) => p.is_identity(),
        }
    }

    pub(super) fn apply(&self, at: u32) -> u32 {
        match &self.images {
            Images::All(images) => images[at as usize],
            Images::Moved(p, _) => p.apply(at),
        }
    }

    /// Multiplies a permutation from the left: this one comes first.
    pub(super) fn put_before(&self, images: &mut [u32]) {
        let old = match &self.images {
            Images::All(own) => {
                let new: Vec<u32> = own.iter().map(|at| images[*at as usize]).collect();
                images.copy_from_slice(&new);
                return;
            }
            Images::Moved(p, _) => p.moves().map(|(at, to)| (at, images[to as usize])),
        };
        let new: Vec<(u32, u32)> = old.collect();
        for (at, image) in new {
            images[at as usize] = image;
        }
    }

    /// Multiplies a permutation from the right: this one comes last.
    fn put_after(&self, images: &mut [u32]) {
        for image in images {
            *image = self.apply(*image);
        }
    }

    /// Multiplies a permutation from the right by the inverse.
    fn undo_after(&self, images: &mut [u32], scratch: &mut Vec<u32>) {
        match &self.images {
            Images::All(own) => divide(images, own, scratch),
            Images::Moved(_, inverse) => {
                for image in images {
                    *image = inverse.apply(*image);
                }
            }
        }
    }

    /// Number of numbers stored.
    fn size(&self) -> usize {
        match &self.images {
            Images::All(images) => images.len(),
            Images::Moved(p, _) => 4 * p.moved().len(),
        }
    }
}

/// Multiplies a permutation from the right by the inverse of another.
fn divide(images: &mut [u32], by: &[u32], scratch: &mut Vec<u32>) {
    scratch.clear();
    scratch.resize(by.len(), 0);
    for (at, to) in (0u32..).zip(by) {
        scratch[*to as usize] = at;
    }
    for image in images {
        *image = scratch[*image as usize];
    }
}

/// A level of a chain: a base point, and its orbit under the stabiliser of the earlier ones.
#[derive(Clone, Debug)]
pub(super) struct ChainLevel {
    /// The orbit, the base point first.
    orbit: Vec<u32>,
    places: Map<u32, u32>,
    /// The Schreier tree: for each point but the base point, the place of its predecessor and the generator from there.
    reached: Vec<(u32, u32)>,
    /// The transversal without the identity, one element after the other; `None` if it is stored as words.
    written: Option<Vec<u32>>,
}

impl ChainLevel {
    pub(super) fn base(&self) -> u32 {
        self.orbit[0]
    }

    pub(super) fn orbit(&self) -> &[u32] {
        &self.orbit
    }

    pub(super) fn has_words(&self) -> bool {
        self.written.is_none()
    }
}

/// Scratch buffers of sifting.
#[derive(Debug, Default)]
pub(super) struct Sifting {
    scratch: Vec<u32>,
    /// Images of points computed.
    pub(super) work: u64,
}

/// Outcome of sifting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    /// The residue is the identity.
    Nowhere,
    /// There is another residue.
    At,
}

/// Strong generators and levels.
#[derive(Clone, Debug)]
pub(super) struct Basics {
    /// The support, ascending.
    pub(super) support: Vec<u32>,
    pub(super) levels: Vec<ChainLevel>,
    /// The base points of the levels, as a set: there may be as many as points.
    bases: Set<u32>,
    pub(super) strong: Vec<Generating>,
    written: usize,
    kept: usize,
    looked_at: usize,
}

impl Basics {
    pub(super) fn new(support: Vec<u32>) -> Self {
        Self {
            support,
            levels: Vec::new(),
            bases: Set::default(),
            strong: Vec::new(),
            written: 0,
            kept: 0,
            looked_at: 0,
        }
    }

    /// The index of a point in the support.
    pub(super) fn number_of(&self, point: u32) -> Option<u32> {
        self.support.binary_search(&point).ok().map(|at| at as u32)
    }

    /// A permutation by indices; `None` if it moves points outside the support.
    pub(super) fn numbered(&self, p: &PointPermutation) -> Option<Vec<u32>> {
        let mut images: Vec<u32> = (0..self.support.len() as u32).collect();
        for (point, to) in p.moves() {
            images[self.number_of(point)? as usize] = self.number_of(to)?;
        }
        Some(images)
    }

    pub(super) fn generating(&self, p: &PointPermutation) -> Option<Generating> {
        Some(Generating::new(&self.numbered(p)?))
    }

    /// Adds a level for a base point, unless it has one.
    pub(super) fn add_level(&mut self, base: u32) {
        if !self.bases.insert(base) {
            return;
        }
        self.levels.push(ChainLevel {
            orbit: vec![base],
            places: [(base, 0)].into_iter().collect(),
            reached: vec![(0, 0)],
            written: Some(Vec::new()),
        });
    }

    /// The product of the lengths of the first orbits.
    pub(super) fn order(&self, levels: usize) -> BigUint {
        let lengths = self.levels[..levels].iter().map(|l| l.orbit.len());
        product(&lengths.collect::<Vec<usize>>())
    }

    /// The element of a transversal at a place.
    pub(super) fn transversal(&self, level: usize, place: usize, images: &mut Vec<u32>) {
        let points = self.support.len();
        images.clear();
        let own = &self.levels[level];
        if let (Some(written), Some(before)) = (&own.written, place.checked_sub(1)) {
            images.extend_from_slice(&written[before * points..(before + 1) * points]);
            return;
        }
        images.extend(0..points as u32);
        let mut word = Vec::new();
        let mut at = place;
        while at > 0 {
            let (from, generator) = own.reached[at];
            word.push(generator);
            at = from as usize;
        }
        for generator in word.iter().rev() {
            self.strong[*generator as usize].put_after(images);
        }
    }

    /// Sifts a permutation in place: divides it by elements of transversals from a level on.
    pub(super) fn sift(&self, images: &mut [u32], from: usize, sifting: &mut Sifting) -> Stuck {
        for level in &self.levels[from.min(self.levels.len())..] {
            let to = images[level.base() as usize];
            let Some(place) = level.places.get(&to) else {
                return Stuck::At;
            };
            let mut at = *place as usize;
            match &level.written {
                Some(written) if at > 0 => {
                    let points = images.len();
                    divide(
                        images,
                        &written[(at - 1) * points..at * points],
                        &mut sifting.scratch,
                    );
                    sifting.work += points as u64;
                }
                _ => {
                    while at > 0 {
                        let (before, generator) = level.reached[at];
                        self.strong[generator as usize].undo_after(images, &mut sifting.scratch);
                        sifting.work += images.len() as u64;
                        at = before as usize;
                    }
                }
            }
        }
        match (0u32..).zip(images.iter()).all(|(at, to)| at == *to) {
            true => Stuck::Nowhere,
            false => Stuck::At,
        }
    }

    /// Adds a generator, and a level if it fixes all base points. Returns whether memory and time suffice.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub(super) fn add(&mut self, images: &[u32], poll: Poll<'_>) -> Result<bool> {
        let mut generator = Generating::new(images);
        let fixes = |level: &ChainLevel| images[level.base() as usize] == level.base();
        generator.depth = self.levels.iter().take_while(|level| fixes(level)).count();
        if generator.depth == self.levels.len() {
            let moved = (0u32..).zip(images).find(|(at, to)| at != *to);
            let Some((base, _)) = moved else {
                return Ok(true);
            };
            self.add_level(base);
        }
        self.kept += generator.size();
        self.looked_at += generator.depth;
        let depth = generator.depth;
        self.strong.push(generator);
        for level in 0..=depth {
            if self.kept > KEPT_MAX || self.looked_at > LOOKED_AT_MAX {
                return Ok(false);
            }
            self.extend(level, poll)?;
        }
        Ok(true)
    }

    /// Extends the orbit of a level by its generators, of which the last is new.
    fn extend(&mut self, level: usize, poll: Poll<'_>) -> Result<()> {
        let newest = self.strong.len() - 1;
        let before = self.levels[level].orbit.len();
        poll(before)?;
        for place in 0..before {
            self.reach(level, place, newest);
        }
        let mut place = before;
        while place < self.levels[level].orbit.len() {
            self.looked_at += self.strong.len();
            // The point itself was added with a transversal element.
            poll(self.strong.len() + self.support.len())?;
            for generator in 0..self.strong.len() {
                if self.strong[generator].depth >= level {
                    self.reach(level, place, generator);
                }
            }
            place += 1;
        }
        Ok(())
    }

    /// Adds the image of a point of an orbit under a generator, if it is new.
    fn reach(&mut self, level: usize, from: usize, generator: usize) {
        let to = self.strong[generator].apply(self.levels[level].orbit[from]);
        if !self.levels[level].places.contains_key(&to) {
            self.append(level, from, generator, to);
        }
    }

    /// Adds a point to an orbit.
    fn append(&mut self, level: usize, from: usize, generator: usize, to: u32) {
        let points = self.support.len();
        let mut images = Vec::new();
        let is_written = self.levels[level].written.is_some();
        if is_written && self.written + points <= WRITTEN_MAX {
            self.transversal(level, from, &mut images);
            self.strong[generator].put_after(&mut images);
        }
        let own = &mut self.levels[level];
        own.places.insert(to, own.orbit.len() as u32);
        own.orbit.push(to);
        own.reached.push((from as u32, generator as u32));
        self.kept += 4;
        if !is_written {
            return;
        }
        if images.is_empty() {
            self.written -= own.written.take().map_or(0, |written| written.len());
        } else if let Some(written) = &mut own.written {
            written.extend_from_slice(&images);
            self.written += points;
        }
    }

    /// A Schreier generator of the stabiliser of a level: a transversal element, a generator, and the inverse of the
    /// transversal element to the image. `None` if it is known to be redundant.
    pub(super) fn schreier_generator(
        &self,
        level: usize,
        place: usize,
        generator: usize,
    ) -> Option<Vec<u32>> {
        let own = &self.levels[level];
        let strong = &self.strong[generator];
        let to = strong.apply(own.orbit[place]);
        let end = *own.places.get(&to)? as usize;
        let is_generator = place == 0 && strong.depth > level;
        let is_step = end > 0 && own.reached[end] == (place as u32, generator as u32);
        if strong.depth < level || is_generator || is_step {
            return None;
        }
        let mut images = Vec::new();
        self.transversal(level, place, &mut images);
        strong.put_after(&mut images);
        let mut scratch = Vec::new();
        let mut by = Vec::new();
        self.transversal(level, end, &mut by);
        divide(&mut images, &by, &mut scratch);
        Some(images)
    }

    /// Removes levels with trivial orbits. Returns the number of remaining ones among
    /// the first.
    pub(super) fn without_trivial_levels(&mut self, first: usize) -> usize {
        let moved = |level: &ChainLevel| level.orbit.len() > 1;
        let left = self.levels[..first].iter().filter(|l| moved(l)).count();
        self.levels.retain(moved);
        self.bases = self.levels.iter().map(ChainLevel::base).collect();
        for generator in &mut self.strong {
            let levels = self.levels.iter();
            let base = levels.map(ChainLevel::base);
            let images = &generator.images;
            let fixes = |at: &u32| match images {
                Images::All(images) => images[*at as usize] == *at,
                Images::Moved(p, _) => p.apply(*at) == *at,
            };
            generator.depth = base.take_while(fixes).count();
        }
        left
    }
}
