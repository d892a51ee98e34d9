//! The names that a walk has given to values.

use super::twins::ATOMS_MAX;
use crate::machine::tables::ShortImage;
use crate::value::{Atom, AtomTypes};

/// A value without a name.
const UNSET: Atom = Atom(u16::MAX);
/// Symmetric types that a walk can tell apart.
pub(super) const KINDS_MAX: usize = 16;

/// The identity, as an array.
const IDENTITY: ShortImage = {
    let mut names = [Atom(0); ATOMS_MAX];
    let mut at = 0;
    while at < ATOMS_MAX {
        names[at] = Atom(at as u16);
        at += 1;
    }
    names
};

/// The partial permutation that a walk builds. Arrays and masks of fixed size need no bounds checks.
///
/// A search mostly walks states that are representatives, or nearly: often all values keep their names, and most
/// other walks begin so. While each value is the next name of its type, the names are kept as masks alone.
#[derive(Debug)]
pub(super) struct GivenNames {
    /// The name of each value; the value itself where it has none.
    pub(super) image: ShortImage,
    /// The values that have names, as a set.
    pub(super) named: u64,
    /// The named values whose names are other values.
    pub(super) moving: u64,
    /// While nothing moves, the next name of each type; otherwise empty.
    own_next: u64,
    /// The next name of each type, once something moves.
    next: [u16; KINDS_MAX],
    /// The types that the fields below describe.
    types: Option<AtomTypes>,
    /// The type of each value.
    kinds: [u8; ATOMS_MAX],
    /// The values of each type.
    of_kind: [u64; KINDS_MAX],
    /// The first value of each type.
    first: u64,
    /// All others.
    later: u64,
}

impl Default for GivenNames {
    fn default() -> Self {
        Self {
            image: IDENTITY,
            named: 0,
            moving: 0,
            own_next: 0,
            next: [0; KINDS_MAX],
            types: None,
            kinds: [0; ATOMS_MAX],
            of_kind: [0; KINDS_MAX],
            first: 0,
            later: 0,
        }
    }
}

impl GivenNames {
    /// Clears all names.
    pub(super) fn start(&mut self, atoms: &AtomTypes) {
        if !self.types.as_ref().is_some_and(|types| types.same(atoms)) {
            self.take_types(atoms);
        }
        if self.moving != 0 {
            self.image = IDENTITY;
        }
        (self.named, self.moving, self.own_next) = (0, 0, self.first);
    }

    /// Takes other types, with at most [`ATOMS_MAX`] values.
    #[cold]
    fn take_types(&mut self, atoms: &AtomTypes) {
        (self.first, self.later) = (0, 0);
        for kind in 0..atoms.kinds() {
            // Names are values: the n-th value named becomes the n-th of its type (Def. 40).
            let values = atoms.atoms(kind as u8).fold(0, |set, atom| set | 1 << atom);
            self.of_kind[kind % KINDS_MAX] = values;
            let lowest = values & values.wrapping_neg();
            self.first |= lowest;
            self.later |= values ^ lowest;
        }
        let kinds = atoms.all_kinds();
        self.kinds[..kinds.len()].copy_from_slice(kinds);
        self.types = Some(atoms.clone());
    }

    #[inline]
    pub(super) fn has(&self, atom: u8) -> bool {
        self.named >> (usize::from(atom) % ATOMS_MAX) & 1 != 0
    }

    /// Names each of these unnamed values after itself if each is the next name of its type; otherwise names none.
    #[inline]
    pub(super) fn keep(&mut self, values: u64) -> bool {
        debug_assert!(values & self.named == 0, "a value gets one name");
        let keeps = values & !self.own_next == 0;
        if keeps {
            self.named |= values;
            // Each one's successor is the next of its type, if it is of that type.
            self.own_next = self.own_next & !values | values << 1 & self.later;
        }
        keeps
    }

    /// Gives an unnamed value the next name of its type.
    #[inline]
    pub(super) fn give(&mut self, atom: u8) -> u16 {
        // `Masks::take` has seen that it is smaller; the remainder tells the compiler, too.
        let at = usize::from(atom) % ATOMS_MAX;
        let bit = 1 << at;
        if self.keep(bit) {
            return at as u16;
        }
        if self.own_next != 0 {
            self.begin_to_move();
        }
        self.named |= bit;
        let next = &mut self.next[usize::from(self.kinds[at]) % KINDS_MAX];
        let name = *next;
        *next += 1;
        self.image[at] = Atom(name);
        self.moving |= if usize::from(name) == at { 0 } else { bit };
        name
    }

    /// Switches from masks to counters of names.
    fn begin_to_move(&mut self) {
        let types = self.next.iter_mut().zip(self.of_kind);
        for (next, values) in types.take(self.types.as_ref().map_or(0, AtomTypes::kinds)) {
            let left = values & self.own_next;
            *next = left.trailing_zeros() as u16;
        }
        self.own_next = 0;
    }

    /// How many values of a type have no name.
    pub(super) fn unnamed(&self, kind: usize) -> usize {
        let left = self.of_kind[kind % KINDS_MAX] & !self.named;
        left.count_ones() as usize
    }

    /// The name of a value, or [`UNSET`].
    #[inline]
    pub(super) fn of(&self, atom: u8) -> Atom {
        // The entry of an unnamed value is no name.
        match self.has(atom) {
            true => self.image[usize::from(atom) % ATOMS_MAX],
            false => UNSET,
        }
    }

    /// Names all unnamed values, in their order.
    pub(super) fn give_rest(&mut self) {
        let all = self.first | self.later;
        let mut left = all & !self.named;
        // None moves yet: then each of them is next when its turn comes.
        if self.own_next != 0 {
            (self.named, self.own_next) = (all, 0);
            return;
        }
        while left != 0 {
            self.give(left.trailing_zeros() as u8);
            left &= left - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::GivenNames;
    use crate::script::core::CtorId;
    use crate::value::AtomTypes;

    /// Types of so many values.
    fn types(sizes: &[u32]) -> AtomTypes {
        let mut from = 0;
        let types = sizes.iter().map(|size| {
            let members = (from..from + size).map(CtorId).collect();
            from += size;
            ("T".into(), members)
        });
        AtomTypes::new(&types.collect::<Vec<_>>())
    }

    /// Names by their definition (Def. 40): the n-th value of a type that is named gets its n-th name.
    struct Expected {
        given: Vec<Option<u16>>,
        /// The next name of each type.
        next: Vec<u16>,
    }

    impl Expected {
        fn of(types: &AtomTypes) -> Self {
            Self {
                given: vec![None; types.len()],
                next: (0..types.kinds())
                    .map(|k| types.atoms(k as u8).start)
                    .collect(),
            }
        }

        fn name(&mut self, types: &AtomTypes, atom: usize) -> Option<u16> {
            let next = &mut self.next[usize::from(types.all_kinds()[atom])];
            self.given[atom] = Some(*next);
            *next += 1;
            self.given[atom]
        }

        /// At most three values that have no name: those of a set, or mostly those that would keep theirs.
        fn some(&self, set: u64, in_order: bool) -> Vec<usize> {
            let free = |atom: &usize| self.given[*atom].is_none();
            let is_in = |atom: &usize| set >> atom & 1 == 1;
            let is_first = |atom: &usize| !(0..*atom).any(|other| free(&other) && !is_in(&other));
            let chosen = |atom: &usize| {
                if in_order {
                    is_first(atom)
                } else {
                    is_in(atom)
                }
            };
            (0..self.given.len())
                .filter(free)
                .filter(chosen)
                .take(3)
                .collect()
        }
    }

    proptest! {
        #[test]
        fn names_are_given_in_order(
            // Up to all 64 values that a set holds.
            sizes in prop_oneof![
                proptest::collection::vec(1u32..6, 1..5),
                Just(vec![64]),
                Just(vec![63, 1]),
                Just(vec![1, 31, 32]),
            ],
            walks in proptest::collection::vec(
                (any::<bool>(), proptest::collection::vec((any::<u64>(), any::<bool>()), 0..12)),
                1..4,
            ),
        ) {
            let types = types(&sizes);
            let mut names = GivenNames::default();
            for (in_order, walk) in walks {
                names.start(&types);
                let mut expected = Expected::of(&types);
                for (set, together) in walk {
                    let values = expected.some(set, in_order);
                    let kept = together && names.keep(values.iter().fold(0, |set, atom| set | 1 << atom));
                    for atom in values {
                        let name = if kept { atom as u16 } else { names.give(atom as u8) };
                        prop_assert_eq!(Some(name), expected.name(&types, atom));
                    }
                }
                for kind in 0..sizes.len() {
                    let unnamed = types.atoms(kind as u8).filter(|a| expected.given[usize::from(*a)].is_none());
                    prop_assert_eq!(names.unnamed(kind), unnamed.count());
                }
                for (atom, given) in expected.given.clone().into_iter().enumerate() {
                    prop_assert_eq!(names.of(atom as u8).0, given.unwrap_or(u16::MAX));
                    if given.is_none() {
                        expected.name(&types, atom);
                    }
                }
                names.give_rest();
                let given: Vec<_> = names.image[..types.len()].iter().map(|name| Some(name.0)).collect();
                let moves = (0..types.len()).filter(|atom| given[*atom] != Some(*atom as u16));
                prop_assert_eq!(names.moving, moves.fold(0, |set, atom| set | 1 << atom));
                prop_assert_eq!(given, expected.given);
            }
        }
    }
}
