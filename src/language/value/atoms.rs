//! Atoms: the values of the symmetric types (the paper's Sec. 4), which permutations move.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Atom;
use crate::script::core::CtorId;
use crate::source::hash::Map;

/// The constructors that are atoms: the symmetric types with their members, numbered consecutively.
#[derive(Clone, Debug)]
pub struct AtomTypes(Arc<AtomTable>);

#[derive(Debug)]
struct AtomTable {
    names: Vec<Arc<str>>,
    /// First atom of each type, and one past the last of all.
    starts: Vec<u16>,
    kinds: Vec<u8>,
    ctors: Vec<CtorId>,
    by_ctor: Map<CtorId, Atom>,
}

impl AtomTable {
    /// Checks that every atom has a type, and that constructors and atoms map to each other: a constructor belongs
    /// to one type only.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self) {
        assert_eq!(self.kinds.len(), self.ctors.len());
        assert_eq!(self.by_ctor.len(), self.ctors.len());
        assert_eq!(self.starts.len(), self.names.len() + 1);
        assert!(self.kinds.is_sorted(), "types are ranges");
    }
}

impl AtomTypes {
    /// The symmetric types, each with its name and the constructors that are its atoms.
    #[must_use]
    pub fn new(types: &[(Rc<str>, Vec<CtorId>)]) -> Self {
        let mut table = AtomTable {
            names: Vec::new(),
            starts: vec![0],
            kinds: Vec::new(),
            ctors: Vec::new(),
            by_ctor: Map::default(),
        };
        for (kind, (name, ctors)) in types.iter().enumerate() {
            table.names.push(Arc::from(&**name));
            for ctor in ctors {
                table.by_ctor.insert(*ctor, Atom(table.ctors.len() as u16));
                table.kinds.push(kind as u8);
                table.ctors.push(*ctor);
            }
            // The atoms of a type are consecutive numbers, so a type is a range.
            table.starts.push(table.ctors.len() as u16);
        }
        #[cfg(debug_assertions)]
        table.assert_consistent();
        Self(Arc::new(table))
    }

    /// No symmetric types: every value is its own shape.
    #[must_use]
    pub fn none() -> Self {
        Self::new(&[])
    }

    /// Number of symmetric types.
    #[must_use]
    pub fn kinds(&self) -> usize {
        self.0.names.len()
    }
    /// Number of atoms of all types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.ctors.len()
    }
    /// Whether there are no atoms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.ctors.is_empty()
    }
    /// The name of a symmetric type.
    #[must_use]
    pub fn name(&self, kind: u8) -> &str {
        &self.0.names[kind as usize]
    }
    /// The atoms of a symmetric type: consecutive numbers.
    #[must_use]
    pub fn atoms(&self, kind: u8) -> std::ops::Range<u16> {
        self.0.starts[kind as usize]..self.0.starts[kind as usize + 1]
    }
    /// The symmetric type of an atom.
    #[must_use]
    pub fn kind(&self, atom: Atom) -> u8 {
        self.0.kinds[atom.0 as usize]
    }
    /// The symmetric type of every atom.
    #[must_use]
    pub fn all_kinds(&self) -> &[u8] {
        &self.0.kinds
    }
    /// The constructor that an atom is.
    #[must_use]
    pub fn ctor(&self, atom: Atom) -> CtorId {
        self.0.ctors[atom.0 as usize]
    }
    /// The atom that a constructor is, if it is one.
    #[must_use]
    pub fn atom(&self, ctor: CtorId) -> Option<Atom> {
        self.0.by_ctor.get(&ctor).copied()
    }
    /// A permutation that numbers some atoms of each type by first occurrence, and then the others:
    /// the image of every atom.
    #[must_use]
    pub fn canonical(&self, atoms: &[Atom]) -> Vec<Atom> {
        let unset = Atom(u16::MAX);
        let mut image = vec![unset; self.len()];
        // The next free number of each type. Each type is numbered within its own range: a
        // permutation never moves an atom to another type.
        let mut next: SmallVec<[u16; 16]> = SmallVec::from_slice(&self.0.starts);
        let rest = (0..self.len() as u16).map(Atom);
        for atom in atoms.iter().copied().chain(rest) {
            let slot = &mut image[atom.0 as usize];
            // Only the first occurrence counts; the atoms that do not occur follow in their own
            // order, so that the result is a permutation of all.
            if *slot == unset {
                let next = &mut next[self.0.kinds[atom.0 as usize] as usize];
                *slot = Atom(*next);
                *next += 1;
            }
        }
        image
    }
    /// The number of images of a tuple of atoms under all permutations (saturating): each atom that occurs in it
    /// goes to one of its type that no other goes to.
    #[must_use]
    pub fn images(&self, atoms: &[Atom]) -> usize {
        let mut free: Vec<usize> = (0..self.kinds() as u8)
            .map(|kind| self.atoms(kind).len())
            .collect();
        let mut met = vec![false; self.len()];
        let mut count = 1usize;
        for atom in atoms {
            if !std::mem::replace(&mut met[usize::from(atom.0)], true) {
                let free = &mut free[usize::from(self.kind(*atom))];
                count = count.saturating_mul(*free);
                *free -= 1;
            }
        }
        count
    }

    /// Whether two handles are the same list of types.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
