//! The least image of a state under a group that is given as a stabiliser chain.
//!
//! Each level holds a transversal: one element for each coset of the group of the level below. So
//! every element is a product of one element a level, in exactly one way. The search for the least image descends
//! the levels and keeps the images that can still become the least: those that are least on the components that
//! the group below fixes, with each of their local states replaced by the least of its orbit under that group.
//! Equal images are merged and counted: at the end the count is the order of the stabiliser.
//!
//! No least image is lost, since the key compared at a level is the same for all images that the levels
//! below can lead to. (So is the number of local states in each orbit of the group below, at all places together:
//! a sum over all components is compared last.) Beyond [`KEPT_MAX`] images the search goes on from
//! the least of them alone; the result is an image all the same, but maybe not the least, and is reported as
//! uncertain.

use std::cmp::Ordering;

use crate::group::PointOrbits;
use crate::machine::order::Order;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;

/// Work between two checks of the limits, roughly in points compared.
const ASK_EVERY: usize = 1 << 18;
/// Images kept at one level at most.
pub(super) const KEPT_MAX: usize = 2_048;
/// Hash slots for these images: twice as many, to keep probing short.
const SLOTS: usize = 2 * KEPT_MAX;
/// Generators of the stabiliser of one state that are reported at most.
const FIXING_MAX: usize = 512;
/// Groups up to this order are enumerated in one level, where an image is dropped as soon as it is seen not to be
/// the least. (Measured: with 24 and 64 elements that takes two thirds of the time of levels.)
const SMALL: usize = 64;

/// One level of the chain.
#[derive(Debug)]
pub(super) struct CosetLevel {
    count: usize,
    /// For each element and each place of its image, the preimage of that place. Places are numbered among those
    /// that the chain changes.
    from: Vec<u16>,
    /// For each element, the image of each point; nodes follow the points.
    points: Vec<u32>,
    /// The least of each point's orbit under the group below.
    least: Vec<u32>,
    /// The places that the group below fixes, and then the others.
    places: Vec<u16>,
    /// Number of fixed places.
    fixed: usize,
}

/// A stabiliser chain, for finding least images.
#[derive(Debug)]
pub(super) struct CosetChain {
    /// The elements of each level; an image under the group is an image under one of each, from the first
    /// level on.
    pub(super) elements: Vec<Vec<Automorphism>>,
    levels: Vec<CosetLevel>,
    /// The places of a state that some element changes, ascending; no other is compared.
    places: Vec<u16>,
}

/// Per-thread scratch buffers.
#[derive(Debug, Default)]
pub(super) struct DescentScratch {
    images: ImageList,
    next: ImageList,
    trial: Vec<u32>,
    key: Vec<u32>,
    least_key: Vec<u32>,
    /// Work so far, roughly in points compared.
    pub(super) work: u64,
}

/// Parameters and counters of a search for the least image.
pub(super) struct ImageSearch<'a> {
    /// The number of elements that lead to it, if they are counted.
    pub(super) ways: Option<Order>,
    /// Whether a limit is reached. Then any image is returned, and not reported as the least.
    pub(super) is_over: &'a dyn Fn() -> bool,
}

impl ImageSearch<'_> {
    /// Multiplies the count by that of another, independent part of the group.
    pub(super) fn times(&mut self, other: &Order) {
        if let Some(ways) = &mut self.ways {
            ways.times_order(other);
        }
    }
}

/// Checks the limits once every [`ASK_EVERY`] comparisons. After a limit one image a level is kept.
struct ImagePatience<'a> {
    is_over: &'a dyn Fn() -> bool,
    looked: usize,
    over: bool,
}

impl<'a> ImagePatience<'a> {
    fn new(is_over: &'a dyn Fn() -> bool) -> Self {
        Self {
            is_over,
            looked: 0,
            over: false,
        }
    }

    /// Whether a limit is reached, after `more` comparisons.
    fn ends(&mut self, more: usize) -> bool {
        self.looked += more;
        if self.looked >= ASK_EVERY && !self.over {
            (self.over, self.looked) = ((self.is_over)(), 0);
        }
        self.over
    }
}

/// Distinct images with the elements that lead to them, in order of discovery.
#[derive(Debug, Default)]
struct ImageList {
    states: Vec<u32>,
    words: Vec<u16>,
    /// Number of elements that lead to each: up to the order of the group.
    times: Vec<Order>,
    /// Hash table of their indices, each with its round: entries of earlier rounds count as empty.
    slots: Vec<(u32, u32)>,
    round: u32,
}

impl ImageList {
    fn clear(&mut self) {
        self.states.clear();
        self.words.clear();
        self.times.clear();
        self.slots.resize(SLOTS, (0, 0));
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill((0, 0));
            self.round = 1;
        }
    }

    /// Looks up an image. `Err` has the free slot for its index.
    fn find(&self, state: &[u32]) -> Result<usize, usize> {
        let mix = |hash: u32, point: &u32| (hash.rotate_left(5) ^ point).wrapping_mul(0x9e37_79b9);
        let mut slot = (state.iter().fold(0, mix) >> (32 - SLOTS.ilog2())) as usize;
        loop {
            let (round, index) = self.slots[slot];
            if round != self.round {
                return Err(slot);
            }
            if self.state(index as usize, state.len()) == state {
                return Ok(index as usize);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Starts with one image, reached by the identity.
    fn begin(&mut self, state: impl Iterator<Item = u32>) {
        self.clear();
        self.states.extend(state);
        self.times.push(Order::ONE);
    }

    fn state(&self, index: usize, width: usize) -> &[u32] {
        &self.states[index * width..(index + 1) * width]
    }

    fn word(&self, index: usize) -> &[u16] {
        let length = self.words.len() / self.times.len().max(1);
        &self.words[index * length..(index + 1) * length]
    }

    /// Adds an image, and its index to a free slot.
    fn push(&mut self, slot: usize, state: &[u32], (word, last): (&[u16], u16), times: Order) {
        self.slots[slot] = (self.round, self.times.len() as u32);
        self.states.extend_from_slice(state);
        self.words.extend_from_slice(word);
        self.words.push(last);
        self.times.push(times);
    }
}

impl CosetChain {
    /// A chain from the elements of its levels ([`crate::structure::parts::GroupFactor::Cosets`]).
    pub(super) fn new(structure: &NetworkStructure, lists: Vec<Vec<Automorphism>>) -> Self {
        let lists = collapsed(lists);
        let places = changed(structure, &lists);
        Self {
            levels: tables(structure, &lists, &places),
            elements: lists,
            places,
        }
    }

    /// Decodes the element at the head of a word, and removes it from the word.
    pub(super) fn led(&self, structure: &NetworkStructure, word: &mut &[u16]) -> Automorphism {
        let mut found = Automorphism::identity(PartPlaces::new(structure));
        for list in &self.elements {
            // The word of a state that is its own representative is empty.
            if let Some((element, rest)) = word.split_first() {
                *word = rest;
                found = found.then(&list[usize::from(*element)]);
            }
        }
        found
    }

    pub(super) fn word_length(&self) -> usize {
        self.elements.len()
    }

    /// The image of a component under the element with a word.
    pub(super) fn component(&self, word: &[u16], component: u16) -> u16 {
        let each = self.elements.iter().zip(word);
        let led = each.fold(usize::from(component), |component, (list, element)| {
            list[usize::from(*element)].component(component)
        });
        led as u16
    }

    /// Replaces a state by its least image, and appends to the word the element of each level that leads there.
    /// Counts the elements that lead to it, and returns whether it is certainly the least.
    pub(super) fn find(
        &self,
        state: &mut [u32],
        word: &mut Vec<u16>,
        scratch: &mut DescentScratch,
        search: &mut ImageSearch<'_>,
    ) -> bool {
        let (times, known) = match &self.levels[..] {
            [only] => (self.find_in(only, state, word, scratch), true),
            _ => self.find_and(state, word, (scratch, search.is_over), |_, _| ()),
        };
        search.times(&times);
        known
    }

    /// The same with a single level, which has all elements: no images are kept.
    fn find_in(
        &self,
        level: &CosetLevel,
        state: &mut [u32],
        word: &mut Vec<u16>,
        scratch: &mut DescentScratch,
    ) -> Order {
        let DescentScratch {
            trial, key, work, ..
        } = scratch;
        let (changed, least) = (trial, key);
        *work += ((4 + self.places.len()) * level.count) as u64;
        changed.clear();
        changed.extend(self.places.iter().map(|place| state[usize::from(*place)]));
        least.clear();
        least.extend(level.row(0, changed));
        let (mut found, mut times) = (0, 1);
        for element in 1..level.count {
            match level.row(element, changed).cmp(least.iter().copied()) {
                Ordering::Less => {
                    least.clear();
                    least.extend(level.row(element, changed));
                    (found, times) = (element, 1);
                }
                Ordering::Equal => times += 1,
                Ordering::Greater => {}
            }
        }
        word.push(found as u16);
        for (place, point) in self.places.iter().zip(least.iter()) {
            state[usize::from(*place)] = *point;
        }
        Order::Small(times)
    }

    /// Generators of the stabiliser of a state, complete unless more than [`KEPT_MAX`] images or [`FIXING_MAX`]
    /// elements turn up.
    ///
    /// Where two words have the same image, the first followed by the inverse of the second fixes the state. All
    /// words that lead to the least image are merged in this way, so every element of the stabiliser is a product
    /// of these.
    pub(super) fn fixing(
        &self,
        state: &[u32],
        is_over: &dyn Fn() -> bool,
        found: &mut Vec<Automorphism>,
    ) {
        let led = |word: &[u16]| {
            let elements = self.elements.iter().zip(word);
            let elements = elements.map(|(list, at)| list[usize::from(*at)].clone());
            elements.reduce(|one, next| one.then(&next))
        };
        let mut state = state.to_vec();
        let (mut word, mut scratch) = (Vec::new(), DescentScratch::default());
        let mut most = FIXING_MAX;
        let meet = |known: &[u16], (before, last): (&[u16], u16)| {
            most = most.saturating_sub(1);
            if most > 0
                && let Some(known) = led(known)
                && let Some(same) = led(&[before, &[last]].concat())
            {
                found.push(known.then(&same.inverse()));
            }
        };
        self.find_and(&mut state, &mut word, (&mut scratch, is_over), meet);
    }

    /// As [`CosetChain::find`]; `meet` is called with each two words that have the same image.
    fn find_and(
        &self,
        state: &mut [u32],
        word: &mut Vec<u16>,
        (scratch, is_over): (&mut DescentScratch, &dyn Fn() -> bool),
        mut meet: impl FnMut(&[u16], (&[u16], u16)),
    ) -> (Order, bool) {
        let width = self.places.len();
        let (mut certain, mut patience) = (true, ImagePatience::new(is_over));
        let DescentScratch {
            images,
            next,
            trial,
            key,
            least_key,
            work,
        } = scratch;
        images.begin(self.places.iter().map(|place| state[usize::from(*place)]));
        for level in &self.levels {
            next.clear();
            least_key.clear();
            for image in 0..images.times.len() {
                let steps = (4 + width) * level.count;
                *work += steps as u64;
                if patience.ends(steps) && !next.times.is_empty() {
                    certain = false;
                    break;
                }
                let state = images.state(image, width);
                for element in 0..level.count {
                    match level.image(state, element, trial, key, least_key) {
                        Ordering::Greater => continue,
                        Ordering::Less => {
                            next.clear();
                            std::mem::swap(key, least_key);
                        }
                        Ordering::Equal => {}
                    }
                    let times = &images.times[image];
                    let led = (images.word(image), element as u16);
                    match next.find(trial) {
                        Ok(known) => {
                            next.times[known].plus(times);
                            meet(next.word(known), led);
                        }
                        Err(_) if next.times.len() >= KEPT_MAX => certain = false,
                        Err(slot) => next.push(slot, trial, led, times.clone()),
                    }
                }
            }
            std::mem::swap(images, next);
        }
        // Nothing is below the last level, so what was kept there is equal.
        word.extend_from_slice(images.word(0));
        for (place, point) in self.places.iter().zip(images.state(0, width)) {
            state[usize::from(*place)] = *point;
        }
        (images.times[0].clone(), certain)
    }
}

impl CosetLevel {
    /// The image of a state under an element.
    #[inline]
    fn row<'a>(&'a self, element: usize, state: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let from = &self.from[element * state.len()..][..state.len()];
        let points = &self.points[element * self.least.len()..][..self.least.len()];
        let image = |place: &u16| points[state[usize::from(*place)] as usize];
        from.iter().map(image)
    }

    /// Computes the image of a state under an element (`trial`) and its key (`key`), and compares the key with the
    /// least one. If it is greater, both are left incomplete.
    #[inline]
    fn image(
        &self,
        state: &[u32],
        element: usize,
        trial: &mut Vec<u32>,
        key: &mut Vec<u32>,
        least: &[u32],
    ) -> Ordering {
        let from = &self.from[element * state.len()..][..state.len()];
        let points = &self.points[element * self.least.len()..][..self.least.len()];
        key.clear();
        // The first one is the least so far.
        let mut comparison = match least {
            [] => Ordering::Less,
            _ => Ordering::Equal,
        };
        let (fixed, others) = self.places.split_at(self.fixed);
        // Most images are dropped by their first points, so these are compared before anything else is computed.
        for (n, place) in fixed.iter().enumerate() {
            let point = points[state[usize::from(from[usize::from(*place)])] as usize];
            let bound = self.least[point as usize];
            if comparison == Ordering::Equal {
                comparison = bound.cmp(&least[n]);
                if comparison == Ordering::Greater {
                    return comparison;
                }
            }
            key.push(bound);
        }
        trial.clear();
        trial.extend(self.row(element, state));
        let sum = others.iter().fold(0u32, |sum, place| {
            let bound = self.least[trial[usize::from(*place)] as usize];
            sum.wrapping_add((bound ^ bound >> 7).wrapping_mul(0x9e37_79b9))
        });
        key.push(sum);
        match comparison {
            Ordering::Equal => sum.cmp(&least[self.fixed]),
            other => other,
        }
    }
}

/// Merges the levels into one if the group has hardly more elements than all levels together: enumerating them
/// takes less than keeping images between levels.
fn collapsed(lists: Vec<Vec<Automorphism>>) -> Vec<Vec<Automorphism>> {
    let order = lists
        .iter()
        .fold(1usize, |n, list| n.saturating_mul(list.len()));
    let all: usize = lists.iter().map(Vec::len).sum();
    if lists.len() < 2 || order > SMALL.max(2 * all) {
        return lists;
    }
    let products = lists.into_iter().reduce(|all, list| {
        let both = |one: &Automorphism| list.iter().map(|next| one.then(next)).collect::<Vec<_>>();
        all.iter().flat_map(both).collect()
    });
    products.into_iter().collect()
}

/// The places of a state that some element changes: components, and after them the node of the specification.
fn changed(structure: &NetworkStructure, lists: &[Vec<Automorphism>]) -> Vec<u16> {
    let components = structure.points.components();
    let mut changed = vec![false; components + usize::from(!structure.nodes.is_empty())];
    for element in lists.iter().flatten() {
        for (point, to) in (0u32..).zip(element.acting()) {
            if point == to {
                continue;
            }
            let place = match (point as usize) < structure.points.count() {
                true => structure.points.component(point),
                false => components,
            };
            changed[place] = true;
        }
        for (component, is) in changed.iter_mut().take(components).enumerate() {
            *is |= element.component(component) != component;
        }
    }
    let places = (0..).zip(changed);
    places
        .filter(|(_, is)| *is)
        .map(|(place, _)| place)
        .collect()
}

fn tables(
    structure: &NetworkStructure,
    lists: &[Vec<Automorphism>],
    looked_at: &[u16],
) -> Vec<CosetLevel> {
    let (points, nodes) = (structure.points.count(), structure.nodes.len());
    let components = structure.points.components();
    let width = looked_at.len();
    // The orbits of points under the group below, and the places that it moves. The last level has none below.
    let mut orbits = PointOrbits::new((points + nodes) as u32);
    let mut moved = vec![false; width];
    let mut levels = Vec::with_capacity(lists.len());
    for list in lists.iter().rev() {
        let mut least: Vec<u32> = (0..(points + nodes) as u32).collect();
        for orbit in orbits.orbits() {
            // The first of an orbit is its least.
            orbit
                .iter()
                .for_each(|point| least[*point as usize] = orbit[0]);
        }
        let (fixed, others): (Vec<usize>, Vec<usize>) = (0..width).partition(|p| !moved[*p]);
        let mut level = CosetLevel {
            count: list.len(),
            from: vec![0; list.len() * width],
            points: Vec::with_capacity(list.len() * least.len()),
            fixed: fixed.len(),
            places: fixed
                .iter()
                .chain(&others)
                .map(|place| *place as u16)
                .collect(),
            least,
        };
        for (number, element) in list.iter().enumerate() {
            let from = &mut level.from[number * width..(number + 1) * width];
            let images = element.acting();
            for (at, (place, moved)) in looked_at.iter().zip(&mut moved).enumerate() {
                let place = usize::from(*place);
                // The node stays in its place, and a component goes to one that is changed like itself.
                let to = match place < components {
                    true => element.component(place),
                    false => place,
                };
                if let Ok(to) = looked_at.binary_search(&(to as u16)) {
                    from[to] = at as u16;
                }
                *moved |= to != place;
            }
            for (point, to) in (0..).zip(&images) {
                orbits.unite(point, *to);
            }
            level.points.extend(images);
        }
        levels.push(level);
    }
    levels.reverse();
    levels
}
