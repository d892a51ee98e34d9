//! The names that a walk has given to values.

use super::twins::ATOMS_MAX;
use crate::value::AtomTypes;

/// A value without a name.
const UNSET: u16 = u16::MAX;
/// Symmetric types that a walk can tell apart.
pub(super) const KINDS_MAX: usize = 16;

/// The names given so far. Arrays and masks of fixed size: nothing has to be checked.
#[derive(Debug)]
pub(super) struct GivenNames {
    /// By value; what stands at the place of one without a name means nothing.
    pub(super) image: [u16; ATOMS_MAX],
    /// The next name of each type.
    pub(super) next: [u16; KINDS_MAX],
    /// The types that `first` and `kinds` are of.
    types: Option<AtomTypes>,
    /// The first name of each type.
    first: [u16; KINDS_MAX],
    /// The type of each value.
    kinds: [u8; ATOMS_MAX],
    /// The values that have names, as a set.
    pub(super) named: u64,
    /// Those of them whose names are other values.
    pub(super) moving: u64,
}

impl Default for GivenNames {
    fn default() -> Self {
        Self {
            image: [UNSET; ATOMS_MAX],
            next: [0; KINDS_MAX],
            types: None,
            first: [0; KINDS_MAX],
            kinds: [0; ATOMS_MAX],
            named: 0,
            moving: 0,
        }
    }
}

impl GivenNames {
    /// Takes all names away.
    pub(super) fn start(&mut self, atoms: &AtomTypes) {
        (self.named, self.moving) = (0, 0);
        if !self.types.as_ref().is_some_and(|types| types.same(atoms)) {
            self.take_types(atoms);
        }
        self.next = self.first;
    }

    /// Goes over to other types, of which there are not too many values.
    #[cold]
    fn take_types(&mut self, atoms: &AtomTypes) {
        for kind in 0..atoms.kinds() {
            // Names are values: the n-th value named becomes the n-th of its type (Def. 40).
            self.first[kind % KINDS_MAX] = atoms.atoms(kind as u8).start;
        }
        let kinds = atoms.all_kinds();
        self.kinds[..kinds.len()].copy_from_slice(kinds);
        self.types = Some(atoms.clone());
    }

    /// Whether a value has a name.
    #[inline]
    pub(super) fn has(&self, atom: u8) -> bool {
        self.named >> (usize::from(atom) % ATOMS_MAX) & 1 != 0
    }

    /// Gives a value that has no name the next one of its type.
    #[inline]
    pub(super) fn give(&mut self, atom: u8) -> u16 {
        // `Masks::take` has seen that it is smaller; the remainder tells the compiler, too.
        let at = usize::from(atom) % ATOMS_MAX;
        debug_assert!(!self.has(atom), "a value gets one name");
        let bit = 1 << at;
        self.named |= bit;
        let next = &mut self.next[usize::from(self.kinds[at]) % KINDS_MAX];
        let name = *next;
        *next += 1;
        self.image[at] = name;
        self.moving |= if usize::from(name) == at { 0 } else { bit };
        name
    }

    /// The name of a value, or what is no name.
    #[inline]
    pub(super) fn of(&self, atom: u8) -> u16 {
        // What stands at the place of others is a name of an earlier walk.
        match self.has(atom) {
            true => self.image[usize::from(atom) % ATOMS_MAX],
            false => UNSET,
        }
    }

    /// Gives names to values that have none, in their order.
    pub(super) fn give_all(&mut self, mut atoms: u64) {
        while atoms != 0 {
            self.give(atoms.trailing_zeros() as u8);
            atoms &= atoms - 1;
        }
    }
}
