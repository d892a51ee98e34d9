//! Which events the components of a format were seen to perform. Rules are derived from these, so only
//! rules that can fire exist, whatever the size of the alphabets.

use super::events::EventId;
use super::ids::LocalId;
use super::shared::Machine;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;

/// Events of one component, and in how many of its local states each was seen.
pub type SeenEvents = IndexMap<EventId, u64>;

/// The events of every component.
#[derive(Clone, Debug)]
pub struct Seen {
    events: Vec<SeenEvents>,
    /// How many local states of each component were looked at.
    noted: Vec<u64>,
}

impl Seen {
    /// Of this many components, nothing yet.
    #[must_use]
    pub fn new(components: usize) -> Self {
        Self {
            events: vec![SeenEvents::default(); components],
            noted: vec![0; components],
        }
    }

    /// The events of a component, in the order met.
    #[must_use]
    pub fn of(&self, component: usize) -> &SeenEvents {
        &self.events[component]
    }

    /// Of every component.
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
        // The transitions of one event stand together.
        for same in transitions.chunk_by(|a, b| a.0 == b.0) {
            machine.eval.check_step()?;
            *seen.entry(same[0].0).or_default() += 1;
        }
        self.noted[component] += 1;
        Ok(self.events[component].len() > before)
    }

    /// Adds an event that a component must be able to perform because another one, which permutations map
    /// to it, performs what is mapped to this event; true if it is new.
    pub fn add(&mut self, component: usize, event: EventId, count: u64) -> bool {
        let seen = &mut self.events[component];
        let new = !seen.contains_key(&event);
        if new {
            seen.insert(event, count);
        }
        new
    }

    /// Who leads a rule with these participants: the one that can least often perform its event makes the
    /// fewest futile attempts. None if there are no participants.
    #[must_use]
    pub fn leader(&self, parts: &[(u16, EventId)]) -> Option<(u16, EventId)> {
        // In how many local states it can, and of how many.
        let frequency = |(component, event): &(u16, EventId)| {
            let component = *component as usize;
            let can = self.events[component].get(event).copied().unwrap_or(0);
            (can, self.noted[component].max(1))
        };
        let best = parts.iter().min_by(|a, b| {
            let (x, y) = (frequency(a), frequency(b));
            // Fractions are compared without dividing; equal ones by number, so that nothing depends on chance.
            (x.0 * y.1).cmp(&(y.0 * x.1)).then(a.0.cmp(&b.0))
        });
        best.copied()
    }
}
