//! Events that the components of a format were seen to perform. Rules are derived from these, so only
//! rules that can fire exist, independent of the size of the alphabets.

use super::events::EventId;
use super::ids::LocalId;
use super::shared::Machine;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;

/// The events of one component, each with the number of its local states that perform it.
pub type SeenEvents = IndexMap<EventId, u64>;

/// The events of every component.
#[derive(Clone, Debug)]
pub struct Seen {
    events: Vec<SeenEvents>,
    /// Number of local states recorded of each component.
    noted: Vec<u64>,
}

impl Seen {
    /// No events, for this many components.
    #[must_use]
    pub fn new(components: usize) -> Self {
        Self {
            events: vec![SeenEvents::default(); components],
            noted: vec![0; components],
        }
    }

    /// The events of a component, in order of discovery.
    #[must_use]
    pub fn of(&self, component: usize) -> &SeenEvents {
        &self.events[component]
    }

    /// The events of every component.
    #[must_use]
    pub fn all(&self) -> &[SeenEvents] {
        &self.events
    }

    /// Records the events of an expanded local state of a component; true if some are new.
    ///
    /// # Errors
    /// A limit.
    pub fn note(&mut self, machine: &Machine, component: usize, local: LocalId) -> Result<bool> {
        let seen = &mut self.events[component];
        let before = seen.len();
        let transitions = machine.locals.transitions(local).unwrap_or(&[]);
        // The transitions of one event are adjacent.
        for same in transitions.chunk_by(|a, b| a.0 == b.0) {
            machine.eval.check_step()?;
            *seen.entry(same[0].0).or_default() += 1;
        }
        self.noted[component] += 1;
        Ok(self.events[component].len() > before)
    }

    /// Adds an event that a component must be able to perform since it is the image of an event of
    /// another component; true if it is new.
    pub fn add(&mut self, component: usize, event: EventId, count: u64) -> bool {
        let seen = &mut self.events[component];
        let new = !seen.contains_key(&event);
        if new {
            seen.insert(event, count);
        }
        new
    }

    /// The leader of a rule with these participants: the one that performs its event in the smallest fraction of its
    /// local states, which makes the fewest futile attempts. `None` without participants.
    #[must_use]
    pub fn leader(&self, parts: &[(u16, EventId)]) -> Option<(u16, EventId)> {
        // The number of local states that perform it, and the number of all.
        let frequency = |(component, event): &(u16, EventId)| {
            let component = *component as usize;
            let can = self.events[component].get(event).copied().unwrap_or(0);
            (can, self.noted[component].max(1))
        };
        let best = parts.iter().min_by(|a, b| {
            let (x, y) = (frequency(a), frequency(b));
            // Fractions are compared without dividing; ties by number, to be deterministic.
            (x.0 * y.1).cmp(&(y.0 * x.1)).then(a.0.cmp(&b.0))
        });
        best.copied()
    }
}
