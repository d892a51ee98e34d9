//! Representatives under a group that was found in the structure of a network ([`crate::structure`]).
//!
//! The group is given as a chain of stabilisers: at each level some of its elements, one for each coset of
//! what is left of it below. So every element is a product of one element a level, and in one way. The search
//! for the least image goes down the levels and keeps the images that can still become the least: those that
//! are least when each local state is replaced by the least that the group below can make of it. Equal images
//! go on as one, and how many there were is counted: at the end that is the order of the stabiliser.
//!
//! Nothing is lost on the way, for what is compared at a level is the same for all images that the levels
//! below can lead to. Where too many images are kept the search goes on from the least of them alone; what
//! comes of it is an image all the same, but maybe not the least, and it is said so.

use std::cmp::Ordering;

use super::context::StateContext;
use super::strategy::{Representative, Strategy};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::structure::blueprint::Blueprint;
use crate::structure::element::{Automorphism, PartPlaces};

/// What the strategy is called.
pub const NAME: &str = "structure";
/// Images that are kept at one level at most.
const KEPT_MAX: usize = 2_048;
/// Groups up to this order are gone through element by element: one level, and an image is given up where it
/// is seen not to be the least.
const SMALL: usize = 128;

/// One level of the chain.
#[derive(Debug)]
struct CosetLevel {
    /// How many elements.
    count: usize,
    /// For each of them and each place of its image, the component that comes there. PartPlaces are components,
    /// and after them the node of the specification.
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

/// A group of automorphisms of a network, and how the least image under it is found.
#[derive(Debug)]
pub struct StructuralGroup {
    blueprint: Blueprint,
    generators: Vec<Automorphism>,
    /// The elements of each level; an image under the group is an image under one of each, from the first
    /// level on.
    elements: Vec<Vec<Automorphism>>,
    levels: Vec<CosetLevel>,
    order: Order,
    /// Whether there are nodes of a specification to permute.
    ties: bool,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct StructuralScratch {
    state: Vec<u32>,
    images: ImageList,
    next: ImageList,
    trial: Vec<u32>,
    key: Vec<u32>,
    least_key: Vec<u32>,
    /// The node after the element that was found, and which element of each level that is.
    pub node: u32,
    /// Which element of each level it is.
    pub word: Vec<u16>,
}

/// Images with the elements that lead to them, one after the other.
#[derive(Debug, Default)]
struct ImageList {
    states: Vec<u32>,
    words: Vec<u16>,
    /// How often each was met.
    times: Vec<u128>,
}

impl ImageList {
    fn clear(&mut self) {
        self.states.clear();
        self.words.clear();
        self.times.clear();
    }

    fn state(&self, index: usize, width: usize) -> &[u32] {
        &self.states[index * width..(index + 1) * width]
    }

    fn word(&self, index: usize) -> &[u16] {
        let length = self.words.len() / self.times.len().max(1);
        &self.words[index * length..(index + 1) * length]
    }

    fn push(&mut self, state: &[u32], (word, last): (&[u16], u16), times: u128) {
        self.states.extend_from_slice(state);
        self.words.extend_from_slice(word);
        self.words.push(last);
        self.times.push(times);
    }
}

impl StructuralGroup {
    /// A group whose elements are the products of one element of each list, each in one way, and such that
    /// what the lists after any of them make is a group, too.
    #[must_use]
    pub fn new(
        blueprint: Blueprint,
        generators: Vec<Automorphism>,
        lists: Vec<Vec<Automorphism>>,
    ) -> Self {
        let lists = collapsed(lists);
        let mut order = Order::ONE;
        lists
            .iter()
            .for_each(|list| order.times(list.len() as u128));
        let levels = (0..lists.len()).map(|at| level(&blueprint, &lists, at));
        let levels: Vec<CosetLevel> = levels.collect();
        let ties = !blueprint.nodes.is_empty();
        Self {
            generators,
            elements: lists,
            levels,
            order,
            ties,
            blueprint,
        }
    }

    /// What its elements respect.
    #[must_use]
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Elements that generate it.
    #[must_use]
    pub fn generators(&self) -> &[Automorphism] {
        &self.generators
    }

    /// How many elements it has, as far as states tell them apart.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The element that a word stands for.
    #[must_use]
    pub fn element(&self, word: &[u16]) -> Option<Automorphism> {
        let mut chosen = self.elements.iter().zip(word);
        let first = chosen
            .next()
            .map(|(list, n)| list[usize::from(*n)].clone())?;
        Some(chosen.fold(first, |all, (list, n)| all.then(&list[usize::from(*n)])))
    }

    /// The element that moves nothing.
    #[must_use]
    pub fn identity(&self) -> Automorphism {
        Automorphism::identity(PartPlaces::new(&self.blueprint))
    }

    /// The element that led to the last representative.
    #[must_use]
    pub fn found(&self, scratch: &StructuralScratch) -> Automorphism {
        self.element(&scratch.word)
            .unwrap_or_else(|| self.identity())
    }

    /// How many numbers a state is: a point for each component, and a node where nodes are permuted.
    fn width(&self) -> usize {
        self.blueprint.points.components() + usize::from(self.ties)
    }

    /// Leaves the points of a state in `out`; false if it has local states that are none.
    fn take(&self, state: &[LocalId], node: u32, out: &mut Vec<u32>) -> bool {
        out.clear();
        for (component, local) in state.iter().enumerate() {
            let Some(point) = self.blueprint.points.point(component, *local) else {
                return false;
            };
            out.push(point);
        }
        if self.ties {
            let Some(place) = self.blueprint.node_of.get(&node) else {
                return false;
            };
            out.push(self.blueprint.points.count() as u32 + place);
        }
        true
    }

    /// Finds the least image of `scratch.state`; true if it is known to be the least. The order of the
    /// stabiliser is left in `stabiliser`.
    fn find(&self, scratch: &mut StructuralScratch, stabiliser: &mut u128) -> bool {
        let width = self.width();
        let mut certain = true;
        scratch.images.clear();
        scratch.images.states.extend_from_slice(&scratch.state);
        scratch.images.times.push(1);
        for level in &self.levels {
            let StructuralScratch {
                images,
                next,
                trial,
                key,
                least_key,
                ..
            } = scratch;
            next.clear();
            least_key.clear();
            for image in 0..images.times.len() {
                let state = images.state(image, width);
                for element in 0..level.count {
                    let comparison = level.image(state, element, (trial, key, least_key));
                    match comparison {
                        Ordering::Greater => continue,
                        Ordering::Less => {
                            next.clear();
                            std::mem::swap(key, least_key);
                        }
                        Ordering::Equal => {}
                    }
                    let times = images.times[image];
                    let known = (0..next.times.len()).find(|n| next.state(*n, width) == &trial[..]);
                    match known {
                        Some(known) => next.times[known] += times,
                        None if next.times.len() < KEPT_MAX => {
                            next.push(trial, (images.word(image), element as u16), times);
                        }
                        None => certain = false,
                    }
                }
            }
            std::mem::swap(images, next);
        }
        // Nothing is below the last level, so what was kept there is equal.
        let images = &scratch.images;
        scratch.word.clear();
        if !images.words.is_empty() {
            scratch.word.extend_from_slice(images.word(0));
        }
        scratch.state.clear();
        scratch.state.extend_from_slice(images.state(0, width));
        *stabiliser = images.times[0];
        certain
    }
}

impl CosetLevel {
    /// Leaves the image of a state under an element in `trial`, and what it is compared by in `key`, unless
    /// it is seen to be greater than the least so far: then both are not complete.
    #[inline]
    fn image(
        &self,
        state: &[u32],
        element: usize,
        (trial, key, least): (&mut Vec<u32>, &mut Vec<u32>, &[u32]),
    ) -> Ordering {
        let width = state.len();
        let from = &self.from[element * width..(element + 1) * width];
        let size = self.least.len();
        let points = &self.points[element * size..(element + 1) * size];
        trial.clear();
        trial.resize(width, 0);
        key.clear();
        // The first one is the least so far.
        let mut comparison = match least {
            [] => Ordering::Less,
            _ => Ordering::Equal,
        };
        let mut sum = 0u32;
        for (n, place) in self.places.iter().enumerate() {
            let place = usize::from(*place);
            let point = points[state[usize::from(from[place])] as usize];
            trial[place] = point;
            let bound = self.least[point as usize];
            if n >= self.fixed {
                sum = sum.wrapping_add((bound ^ bound >> 7).wrapping_mul(0x9e37_79b9));
                continue;
            }
            if comparison == Ordering::Equal {
                comparison = bound.cmp(&least[n]);
                if comparison == Ordering::Greater {
                    return comparison;
                }
            }
            key.push(bound);
        }
        key.push(sum);
        match comparison {
            Ordering::Equal => sum.cmp(&least[self.fixed]),
            other => other,
        }
    }
}

/// One list where the group is small.
fn collapsed(lists: Vec<Vec<Automorphism>>) -> Vec<Vec<Automorphism>> {
    let order = lists
        .iter()
        .fold(1usize, |n, list| n.saturating_mul(list.len()));
    if order > SMALL || lists.len() < 2 {
        return lists;
    }
    let products = lists.into_iter().reduce(|all, list| {
        let both = |one: &Automorphism| list.iter().map(|next| one.then(next)).collect::<Vec<_>>();
        all.iter().flat_map(both).collect()
    });
    products.into_iter().collect()
}

/// The tables of one level.
fn level(blueprint: &Blueprint, lists: &[Vec<Automorphism>], at: usize) -> CosetLevel {
    let components = blueprint.points.components();
    let (points, nodes) = (blueprint.points.count(), blueprint.nodes.len());
    let width = components + usize::from(nodes > 0);
    let size = points + nodes;
    let image = |element: &Automorphism, point: usize| match point.checked_sub(points) {
        None => element.point(point as u32),
        Some(node) => points as u32 + element.node(node as u32),
    };
    let mut level = CosetLevel {
        count: lists[at].len(),
        from: vec![0; lists[at].len() * width],
        points: Vec::with_capacity(lists[at].len() * size),
        least: (0..size as u32).collect(),
        places: Vec::with_capacity(width),
        fixed: 0,
    };
    for (number, element) in lists[at].iter().enumerate() {
        let from = &mut level.from[number * width..(number + 1) * width];
        // The node stays in its place.
        for component in 0..width {
            let to = if component < components {
                element.component(component)
            } else {
                component
            };
            from[to] = component as u16;
        }
        level.points.extend((0..size).map(|p| image(element, p)));
    }
    let below = || lists[at + 1..].iter().flatten();
    let stays = |place: &usize| {
        *place >= components || below().all(|element| element.component(*place) == *place)
    };
    let (fixed, moved): (Vec<usize>, Vec<usize>) = (0..width).partition(stays);
    level.fixed = fixed.len();
    let both = fixed.iter().chain(&moved);
    level.places = both.map(|place| *place as u16).collect();
    // The least of each orbit of the group below. Joining until nothing changes is enough: an element and its
    // powers join the same points.
    let mut again = true;
    while again {
        again = false;
        for element in below() {
            for point in 0..size {
                let to = image(element, point) as usize;
                let least = level.least[point].min(level.least[to]);
                again |= level.least[point] != level.least[to];
                (level.least[point], level.least[to]) = (least, least);
            }
        }
    }
    level
}

impl Strategy for StructuralGroup {
    fn name(&self) -> &'static str {
        NAME
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        out.image.clear();
        out.image
            .extend((0..context.atoms.len() as u16).map(crate::value::Atom));
        out.locals.clear();
        out.fell_back = false;
        let scratch = &mut out.structural;
        scratch.word.clear();
        if !self.take(context.state, context.node, &mut scratch.state) {
            // Not one of the states that the group acts on: it stands for itself.
            out.locals.extend_from_slice(context.state);
            scratch.node = context.node;
            out.stabiliser = None;
            out.fell_back = true;
            return Ok(());
        }
        let mut stabiliser = 1;
        let certain = self.find(scratch, &mut stabiliser);
        let points = self.blueprint.points.count() as u32;
        scratch.node = context.node;
        let components = self.blueprint.points.components();
        for (place, point) in scratch.state.iter().enumerate() {
            match place < components {
                true => out.locals.push(self.blueprint.points.local(*point)),
                false => scratch.node = self.blueprint.nodes[(*point - points) as usize].id,
            }
        }
        out.fell_back = !certain;
        out.stabiliser = certain.then_some(Order::Small(stabiliser));
        Ok(())
    }

    fn instead(&self) -> &'static str {
        "more than 2,048 images could still have become the least, so some were left out"
    }

    fn tells_uniqueness(&self) -> bool {
        true
    }

    fn structure(&self) -> Option<&StructuralGroup> {
        Some(self)
    }
}
