//! The least image of a state under a group that is given as a chain of stabilisers.
//!
//! At each level there are some elements of the group, one for each coset of what is left of it below. So
//! every element is a product of one element a level, and in one way. The search for the least image goes down
//! the levels and keeps the images that can still become the least: those that are least when only the
//! components are looked at that the group below leaves where they are, and each of their local states is
//! replaced by the least that this group can make of it. Equal images go on as one, and how many there were is
//! counted: at the end that is the order of the stabiliser.
//!
//! Nothing is lost on the way, for what is compared at a level is the same for all images that the levels
//! below can lead to. (So are the numbers of local states of each orbit of the group below, wherever they
//! are: a sum over all components is compared at last.) Where too many images are kept the search goes on from
//! the least of them alone; what comes of it is an image all the same, but maybe not the least, and it is said
//! so.

use std::cmp::Ordering;

use crate::group::PointOrbits;
use crate::machine::order::Order;
use crate::structure::blueprint::Blueprint;
use crate::structure::element::{Automorphism, PartPlaces};

/// How much is looked at between two questions whether there is still time, in points that are compared, roughly.
const ASK_EVERY: usize = 1 << 18;
/// Images that are kept at one level at most.
pub(super) const KEPT_MAX: usize = 2_048;
/// Slots for them, by hash: twice as many, so that one is found soon.
const SLOTS: usize = 2 * KEPT_MAX;
/// Elements that leave one state alone and are told of at most.
const FIXING_MAX: usize = 512;
/// Groups up to this order are gone through element by element: one level, and an image is given up where it
/// is seen not to be the least. (Measured: with 24 and 64 elements that takes two thirds of the time that levels take.)
const SMALL: usize = 64;

/// One level of the chain.
#[derive(Debug)]
pub(super) struct CosetLevel {
    /// How many elements.
    count: usize,
    /// For each of them and each place of its image, the place that comes there. Places are those that the chain
    /// looks at, by their numbers among these.
    from: Vec<u16>,
    /// For each of them, what each point becomes; nodes come after the points.
    points: Vec<u32>,
    /// What the group below makes of each point at the least.
    least: Vec<u32>,
    /// The places that the group below leaves alone, and then the others.
    places: Vec<u16>,
    /// How many of the first kind.
    fixed: usize,
}

/// A chain of stabilisers, for finding least images.
#[derive(Debug)]
pub(super) struct CosetChain {
    /// The elements of each level; an image under the group is an image under one of each, from the first
    /// level on.
    pub(super) elements: Vec<Vec<Automorphism>>,
    levels: Vec<CosetLevel>,
    /// The places of a state that some element changes, ascending: nothing else is looked at.
    places: Vec<u16>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct DescentScratch {
    images: ImageList,
    next: ImageList,
    trial: Vec<u32>,
    key: Vec<u32>,
    least_key: Vec<u32>,
    /// Steps of work so far: points that were looked at, roughly.
    pub(super) work: u64,
}

/// What is wanted of a search for the least image, besides the image.
pub(super) struct ImageSearch<'a> {
    /// How many elements lead to it, if they are counted.
    pub(super) ways: Option<Order>,
    /// Whether a limit is reached. Then any image will do, and it is not reported as the least.
    pub(super) is_over: &'a dyn Fn() -> bool,
}

impl ImageSearch<'_> {
    /// What was found, by so many elements, is found in another part as well.
    pub(super) fn times(&mut self, other: &Order) {
        if let Some(ways) = &mut self.ways {
            ways.times_order(other);
        }
    }
}

/// Asks for the limits once every [`ASK_EVERY`] comparisons. After a limit one image a level is enough.
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

    /// Whether it is over when so much more is looked at.
    fn ends(&mut self, more: usize) -> bool {
        self.looked += more;
        if self.looked >= ASK_EVERY && !self.over {
            (self.over, self.looked) = ((self.is_over)(), 0);
        }
        self.over
    }
}

/// Images with the elements that lead to them, one after the other.
#[derive(Debug, Default)]
struct ImageList {
    states: Vec<u32>,
    words: Vec<u16>,
    /// How often each was met: as many elements may lead to one as the group has.
    times: Vec<Order>,
    /// The number of each by a hash of it, with the round in which it was put there: those of other rounds are none.
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

    /// The number of an image that is there, or the slot for its number.
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

    /// Holds one, which no element has led to.
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

    /// Adds an image, of which the number comes into a slot.
    fn push(&mut self, slot: usize, state: &[u32], (word, last): (&[u16], u16), times: Order) {
        self.slots[slot] = (self.round, self.times.len() as u32);
        self.states.extend_from_slice(state);
        self.words.extend_from_slice(word);
        self.words.push(last);
        self.times.push(times);
    }
}

impl CosetChain {
    /// Elements whose products are a group, as [`crate::structure::parts::GroupFactor::Cosets`] has them.
    pub(super) fn new(blueprint: &Blueprint, lists: Vec<Vec<Automorphism>>) -> Self {
        let lists = collapsed(lists);
        let places = changed(blueprint, &lists);
        Self {
            levels: tables(blueprint, &lists, &places),
            elements: lists,
            places,
        }
    }

    /// The element that a word begins with, which loses it.
    pub(super) fn led(&self, blueprint: &Blueprint, word: &mut &[u16]) -> Automorphism {
        let mut found = Automorphism::identity(PartPlaces::new(blueprint));
        for list in &self.elements {
            // The word of a state that stands for itself is empty.
            if let Some((element, rest)) = word.split_first() {
                *word = rest;
                found = found.then(&list[usize::from(*element)]);
            }
        }
        found
    }

    /// How long the word of an element is.
    pub(super) fn word_length(&self) -> usize {
        self.elements.len()
    }

    /// The component that a component becomes by the element with a word.
    pub(super) fn component(&self, word: &[u16], component: u16) -> u16 {
        let each = self.elements.iter().zip(word);
        let led = each.fold(usize::from(component), |component, (list, element)| {
            list[usize::from(*element)].component(component)
        });
        led as u16
    }

    /// Replaces a state by its least image, and appends to the word which element of each level leads there.
    /// Counts how many elements lead to it, and gives whether it is known to be the least.
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

    /// The same with a single level, which has all elements: nothing is to be kept between levels.
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

    /// Elements that leave a state alone, which generate all that do unless more images or elements were met than
    /// are kept.
    ///
    /// Where two words make the same of the state, the one and then the other taken back leave it alone. All words
    /// that lead to the least image come together in this way, so every element that leaves it alone is a product
    /// of such.
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

    /// The same as [`CosetChain::find`], with a look at two words that make the same of the state.
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
                    match level.image(state, element, (trial, key, least_key)) {
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

    /// Leaves the image of a state under an element in `trial`, and what it is compared by in `key`, unless
    /// it is seen to be greater than the least so far: then both are not complete.
    #[inline]
    fn image(
        &self,
        state: &[u32],
        element: usize,
        (trial, key, least): (&mut Vec<u32>, &mut Vec<u32>, &[u32]),
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
        // Most images are seen to be greater by their first points: nothing else is looked at before.
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

/// One list where there are few elements more than in all lists together: then going through all of them takes
/// less than keeping images between levels.
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
fn changed(blueprint: &Blueprint, lists: &[Vec<Automorphism>]) -> Vec<u16> {
    let components = blueprint.points.components();
    let mut changed = vec![false; components + usize::from(!blueprint.nodes.is_empty())];
    for element in lists.iter().flatten() {
        for (point, to) in (0u32..).zip(element.acting()) {
            if point == to {
                continue;
            }
            let place = match (point as usize) < blueprint.points.count() {
                true => blueprint.points.component(point),
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

/// The tables of all levels.
fn tables(
    blueprint: &Blueprint,
    lists: &[Vec<Automorphism>],
    looked_at: &[u16],
) -> Vec<CosetLevel> {
    let (points, nodes) = (blueprint.points.count(), blueprint.nodes.len());
    let components = blueprint.points.components();
    let width = looked_at.len();
    // Of the group below: the orbits of points, and the places that it moves. Below the last level is nothing.
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
