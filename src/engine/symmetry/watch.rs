//! Watchers of `walk` and `exact`, which cost nothing if unused, as [`super::observe`] does for `ordering`.

use super::refine::Colours;
use crate::value::Atom;

/// The reason to start a walk at a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Permutations of values fix the component.
    Lone,
    /// No other unreached component looks like it.
    Single,
}

/// Result of a leaf in the search for the least image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// The first leaf.
    First,
    /// Its image is less than the best so far.
    Better,
    /// Its image is not less.
    Worse,
    /// Its image is that of an earlier leaf, so the one is the image of the other by an automorphism.
    Equal,
}

/// An event in a run of `walk` or `exact`. Components, values and names are numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrategyEvent {
    /// A walk begins at this component, which no value led to.
    Start(u16, Start),
    /// A walk is at a component.
    At(u16),
    /// A value of the component gets a name.
    Named(u16, u16, u16),
    /// The value that was named last identifies a component, which is walked to.
    LeadsTo(u16),
    /// The unreached components were sorted by control state and names: classes of equal ones.
    Sorted(Vec<Vec<u16>>),
    /// Unreached components are equal, but share values with others.
    NotEnough(Vec<u16>),
    /// Equal components are interchangeable: the remaining values are named in any order.
    Interchangeable,
    /// Values that no component holds get the remaining names.
    Unseen,
    /// A round of refinement: a colour for each value.
    Refined(usize, Vec<u16>),
    /// The values of a cell are interchangeable: any order is as good.
    Free(usize, Vec<u16>),
    /// Each value of a cell has to be tried as the first.
    Branch(usize, Vec<u16>),
    /// A value is tried.
    Chosen(usize, u16),
    /// A value is skipped: an automorphism takes it to one that was tried.
    Skipped(usize, u16),
    /// All values have names.
    Leaf(usize, LeafKind),
    /// An automorphism, by its images, and the level where the paths to its two leaves part.
    Automorphism(Vec<u16>, usize),
    /// Size of the orbit of the first value tried, under the automorphisms found.
    Orbit(usize, u16, usize),
    /// The search was given up at [`super::exact::LEAVES_MAX`] leaves.
    GaveUp,
}

/// Receives the events of `walk` and `exact`. Events are constructed only for watchers that want them.
pub trait Watcher {
    /// Whether events are wanted.
    const WATCHES: bool = true;

    /// Receives an event.
    fn see(&mut self, event: impl FnOnce() -> StrategyEvent);
}

/// The watcher that ignores everything: the one that checks pass.
#[derive(Debug, Default)]
pub struct Nobody;

impl Watcher for Nobody {
    const WATCHES: bool = false;

    #[inline]
    fn see(&mut self, _: impl FnOnce() -> StrategyEvent) {}
}

/// Events recorded of one computation at most.
const EVENTS_MAX: usize = 2_000;

/// Records the events of one computation, up to a bound.
#[derive(Debug, Default)]
pub struct Course {
    /// The events, in order.
    pub events: Vec<StrategyEvent>,
    /// Number of further events.
    pub omitted: usize,
}

impl Watcher for Course {
    fn see(&mut self, event: impl FnOnce() -> StrategyEvent) {
        if self.events.len() < EVENTS_MAX {
            self.events.push(event());
        } else {
            self.omitted += 1;
        }
    }
}

/// Reports that a walk names a value.
#[inline]
pub(super) fn named(watcher: &mut impl Watcher, component: u16, value: u8, name: u16) {
    watcher.see(|| StrategyEvent::Named(component, u16::from(value), name));
}

/// Reports the colours after a round of refinement.
#[inline]
pub(super) fn refined(watcher: &mut impl Watcher, level: usize, colours: &Colours) {
    watcher.see(|| StrategyEvent::Refined(level, colours.clone()));
}

/// Cells of colours: values of one colour, in the order of the colours.
#[must_use]
pub fn cells(colours: &[u16]) -> Vec<Vec<Atom>> {
    let mut values: Vec<u16> = (0..colours.len() as u16).collect();
    values.sort_by_key(|v| (colours[*v as usize], *v));
    let cells = values.chunk_by(|a, b| colours[*a as usize] == colours[*b as usize]);
    cells
        .map(|c| c.iter().map(|v| Atom(*v)).collect())
        .collect()
}

/// Keeps the automorphisms that a search finds.
#[derive(Debug, Default)]
pub(super) struct Automorphisms(pub(super) Vec<Vec<Atom>>);

impl Watcher for Automorphisms {
    fn see(&mut self, event: impl FnOnce() -> StrategyEvent) {
        if let StrategyEvent::Automorphism(map, _) = event() {
            self.0.push(map.into_iter().map(Atom).collect());
        }
    }
}
