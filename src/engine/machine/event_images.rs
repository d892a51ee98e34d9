//! Images of events under permutations of values.
//!
//! When local states are renamed, so are their transitions, and nearly all of the events are known. An image is
//! found by the shape of an event and the images of its atoms, as for a local state; its value is made only if
//! that fails.

use super::events::EventId;
use crate::source::hash::Map;
use crate::value::{Atom, Value};

/// Atoms of an event with an entry, at most.
const ATOMS_MAX: usize = 4;

/// Cache of the images made.
#[derive(Clone, Debug, Default)]
pub(super) struct EventImages {
    /// By shape and atoms.
    made: Map<(Value, [Atom; ATOMS_MAX]), EventId>,
}

impl EventImages {
    /// The event with this shape and these atoms; `make` is called if it has no entry.
    pub(super) fn get(
        &mut self,
        shape: Value,
        atoms: impl ExactSizeIterator<Item = Atom>,
        make: impl FnOnce() -> EventId,
    ) -> EventId {
        if atoms.len() > ATOMS_MAX {
            return make();
        }
        // A shape has a fixed number of holes, so padding the key is unambiguous.
        let mut key = [Atom(0); ATOMS_MAX];
        key.iter_mut().zip(atoms).for_each(|(to, atom)| *to = atom);
        *self.made.entry((shape, key)).or_insert_with(make)
    }
}
