//! Entries of the signatures of states.

use super::event_group::{ELEMENTS_MAX, ElementId};

/// A class of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ClassName {
    /// Number of the orbit.
    pub(super) orbit: u32,
    pub(super) by: ElementId,
}

/// An entry of a signature, in one word: an event with the class of its target, or an acceptance. Acceptances come
/// after all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SignatureEntry(u64);

/// Bits of an element, an orbit, and an event.
const ELEMENT_BITS: u32 = 12;
const ORBIT_BITS: u32 = 28;
const EVENT_BITS: u32 = 64 - ORBIT_BITS - ELEMENT_BITS;
const ACCEPTS: u32 = (1 << EVENT_BITS) - 1;
/// Bounds on events, and on acceptances or orbits of classes.
pub(super) const EVENTS_MAX: usize = ACCEPTS as usize;
pub(super) const NUMBERS_MAX: usize = 1 << (ORBIT_BITS - 1);
const _: () = assert!(ELEMENTS_MAX <= 1 << ELEMENT_BITS);

impl SignatureEntry {
    pub(super) fn step(event: u32, to: ClassName) -> Self {
        debug_assert!(event < ACCEPTS && to.orbit < 1 << ORBIT_BITS);
        let to_class = u64::from(to.orbit) << ELEMENT_BITS | u64::from(to.by);
        Self(u64::from(event) << (ORBIT_BITS + ELEMENT_BITS) | to_class)
    }

    pub(super) fn accepts(acceptance: u32) -> Self {
        let step = u64::from(acceptance) << ELEMENT_BITS;
        Self(u64::from(ACCEPTS) << (ORBIT_BITS + ELEMENT_BITS) | step)
    }

    /// The number of the event of a step.
    pub(super) fn event(self) -> u32 {
        (self.0 >> (ORBIT_BITS + ELEMENT_BITS)) as u32
    }

    /// The target class of a step.
    pub(super) fn to(self) -> ClassName {
        ClassName {
            orbit: self.number(),
            by: (self.0 & ((1 << ELEMENT_BITS) - 1)) as ElementId,
        }
    }

    fn number(self) -> u32 {
        (self.0 >> ELEMENT_BITS) as u32 & ((1 << ORBIT_BITS) - 1)
    }

    /// The acceptance, if the entry is one.
    pub(super) fn acceptance(self) -> Option<u32> {
        (self.event() == ACCEPTS).then(|| self.number())
    }
}
