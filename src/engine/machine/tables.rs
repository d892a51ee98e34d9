//! Parts of the tables of [`super::Locals`].

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use super::ids::{LocalId, ShapeId};
use crate::source::hash::Fx;
use crate::value::Atom;

/// Atoms that an [`Outline`] holds itself, at most.
pub const INLINE_MAX: usize = 14;

/// Images of up to 64 atoms.
pub type ShortImage = [Atom; 64];

/// Outline of a local state for the search for representatives, in less than a cache line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outline {
    /// Bit mask of its atoms, if there are up to 64 in all.
    pub mask: u64,
    pub(super) shape: u32,
    /// Start of its atoms in `atoms`.
    pub(super) at: u32,
    /// For up to three atoms: the start of the images in the full table, and the strides of the second
    /// and third atom.
    base: u32,
    worth: [u32; 2],
    /// The number of its atoms if the image is found that way, or [`Outline::MANY`].
    few: u8,
    arity: u8,
    flags: u8,
    /// A copy of the atoms, if there are few of them.
    atoms: [u8; INLINE_MAX],
}

impl Outline {
    /// More than three atoms, or no full table.
    const MANY: u8 = 4;
    /// The atoms do not fit.
    const LONG: u8 = 1;
    /// Some variable is a set.
    const GROUPED: u8 = 2;
    /// Some atom stands in several variables.
    const REPEATED: u8 = 4;
    /// It is a parallel composition.
    const PARALLEL: u8 = 8;

    pub(super) fn new(shape: ShapeId, atoms: &[Atom], grouped: bool, is_parallel: bool) -> Self {
        let mut outline = Self {
            shape: shape.0,
            arity: u8::try_from(atoms.len()).unwrap_or(u8::MAX),
            ..Self::default()
        };
        for (flag, holds) in [(Self::GROUPED, grouped), (Self::PARALLEL, is_parallel)] {
            if holds {
                outline.flags |= flag;
            }
        }
        // All or nothing: a part of the atoms would be useless.
        let short = atoms.len() <= INLINE_MAX && atoms.iter().all(|a| a.0 < 64);
        for (n, atom) in atoms.iter().enumerate() {
            if !short {
                outline.flags |= Self::LONG;
                break;
            }
            if outline.mask >> atom.0 & 1 != 0 {
                outline.flags |= Self::REPEATED;
            }
            outline.mask |= 1 << atom.0;
            outline.atoms[n] = atom.0 as u8;
        }
        outline
    }

    /// Sets the look-up of images in a full table.
    pub(super) fn set_table(&mut self, base: u32, digits: &[u32]) {
        self.few = Self::MANY;
        if self.flags & Self::LONG == 0 && digits.len() < usize::from(Self::MANY) {
            self.few = self.arity;
            self.base = base;
            for (slot, digit) in self.worth.iter_mut().zip(digits.iter().skip(1)) {
                *slot = *digit;
            }
        }
    }

    /// The position of the image in the full tables; `None` if it has to be found in another way.
    #[inline]
    pub(super) fn slot(&self, names: &ShortImage) -> Option<u32> {
        let name = |n: usize| u32::from(names[usize::from(self.atoms[n]) % 64].0);
        let second = || name(1).wrapping_mul(self.worth[0]);
        let third = || name(2).wrapping_mul(self.worth[1]);
        let slot = self.base.wrapping_add(name(0));
        // No loop: this is the innermost step of applying a permutation to a state.
        match self.few {
            1 => Some(slot),
            2 => Some(slot.wrapping_add(second())),
            3 => Some(slot.wrapping_add(second()).wrapping_add(third())),
            _ => None,
        }
    }

    /// Whether it holds no atoms.
    #[inline]
    pub(super) fn is_bare(&self) -> bool {
        self.arity == 0
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> ShapeId {
        ShapeId(self.shape)
    }

    /// The values of its variables, if they are few and none is a set.
    #[must_use]
    pub fn plain(&self) -> Option<&[u8]> {
        (self.flags & (Self::LONG | Self::GROUPED) == 0)
            .then(|| &self.atoms[..usize::from(self.arity)])
    }

    /// Whether its variables are few, none is a set, and no two hold the same value.
    #[inline]
    #[must_use]
    pub fn is_simple(&self) -> bool {
        self.flags & (Self::LONG | Self::GROUPED | Self::REPEATED) == 0
    }

    /// Whether the term is a parallel composition under static operators, or under ones that end.
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        self.flags & Self::PARALLEL != 0
    }

    /// Bit mask of the atoms that stand in several variables.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        if self.flags & Self::REPEATED == 0 {
            return 0;
        }
        let (mut once, mut again) = (0u64, 0);
        for atom in self.plain().unwrap_or(&[]) {
            again |= once & 1 << atom;
            once |= 1 << atom;
        }
        again
    }
}

/// A hash table from atoms to local state.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    /// Atom tuples, one after the other.
    keys: Vec<Atom>,
    values: Vec<LocalId>,
    /// Indices of keys.
    table: HashTable<u32>,
}

impl Sparse {
    fn hash(atoms: impl Iterator<Item = Atom>) -> u64 {
        let mut hasher = Fx.build_hasher();
        atoms.for_each(|atom| hasher.write_u16(atom.0));
        hasher.finish()
    }

    pub(super) fn find(
        &self,
        atoms: &(impl ExactSizeIterator<Item = Atom> + Clone),
    ) -> Option<LocalId> {
        let arity = atoms.len();
        let same = |index: &u32| {
            let at = *index as usize * arity;
            self.keys[at..at + arity].iter().copied().eq(atoms.clone())
        };
        self.table
            .find(Self::hash(atoms.clone()), same)
            .map(|index| self.values[*index as usize])
    }

    pub(super) fn insert(&mut self, atoms: &[Atom], local: LocalId) {
        let Self {
            keys,
            values,
            table,
        } = self;
        let index = values.len() as u32;
        keys.extend_from_slice(atoms);
        values.push(local);
        let key = |index: &u32| {
            let at = *index as usize * atoms.len();
            Self::hash(keys[at..at + atoms.len()].iter().copied())
        };
        table.insert_unique(key(&index), index, key);
    }
}
