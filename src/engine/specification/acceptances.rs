//! Acceptances of the states of an orbit graph, and their images under its group.

use super::event_group::{ElementId, EventGroup};
use super::orbits::OrbitGraph;
use crate::source::diagnostic::Result;
use crate::source::list_set::ListSet;

/// Acceptances between two polls of the limits.
const POLL_EVERY: usize = 256;

/// The numbers of special events.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventNumbers {
    pub(super) tau: Option<u32>,
    pub(super) tick: Option<u32>,
}

/// Acceptances by number.
#[derive(Clone, Debug)]
pub(super) struct Acceptances {
    /// Events, ascending.
    sets: ListSet<u32>,
    /// For each acceptance, its images under all elements.
    images: Vec<u32>,
    /// The acceptance of each representative, if it has one.
    of: Vec<Option<u32>>,
    elements: usize,
}

impl Acceptances {
    /// Computes the acceptances of all representatives, and their images.
    ///
    /// # Errors
    /// The errors of `poll`.
    pub(super) fn new(
        graph: &OrbitGraph,
        events: EventNumbers,
        poll: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let mut sets = ListSet::default();
        let group = &graph.group;
        let of = (0..graph.len() as u32).map(|number| {
            let initials = graph.steps(number).iter().map(|step| step.event);
            let accepted = accepted(initials.collect(), events)?;
            Some(sets.insert((), &accepted))
        });
        let of = of.collect();
        let (mut images, mut at) = (Vec::new(), 0);
        while at < sets.len() {
            if at % POLL_EVERY == 0 {
                poll()?;
            }
            for element in group.elements() {
                let image = image(group, sets.list(at as u32), element);
                images.push(sets.insert((), &image));
            }
            at += 1;
        }
        Ok(Self {
            sets,
            images,
            of,
            elements: group.len(),
        })
    }

    /// The number of acceptances.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The acceptance of a representative; `None` if it is not stable and cannot terminate.
    pub(super) fn of(&self, number: u32) -> Option<u32> {
        self.of[number as usize]
    }

    /// The events of an acceptance, ascending.
    pub(super) fn events(&self, acceptance: u32) -> &[u32] {
        self.sets.list(acceptance)
    }

    /// The image of an acceptance under an element.
    pub(super) fn image(&self, acceptance: u32, by: ElementId) -> u32 {
        self.images[acceptance as usize * self.elements + usize::from(by)]
    }
}

/// As [`super::settle`], with numbers.
fn accepted(mut initials: Vec<u32>, events: EventNumbers) -> Option<Vec<u32>> {
    if let Some(tick) = events.tick.filter(|tick| initials.contains(tick)) {
        return Some(vec![tick]);
    }
    initials.sort_unstable();
    initials.dedup();
    let stable = events.tau.is_none_or(|tau| !initials.contains(&tau));
    stable.then_some(initials)
}

fn image(group: &EventGroup, events: &[u32], by: ElementId) -> Vec<u32> {
    let images = events.iter().map(|event| group.image(by, *event));
    let mut images: Vec<u32> = images.collect();
    images.sort_unstable();
    images
}

/// Whether a set is a subset of another; both ascend.
pub(super) fn is_subset<T: PartialEq>(small: &[T], large: &[T]) -> bool {
    // One pass through the larger set: elements passed are less than all that remain.
    let mut rest = large.iter();
    small.iter().all(|event| rest.any(|other| other == event))
}
