//! Generators of the group of permutations: a property of all generators extends to the whole group.

use crate::value::{Atom, AtomTypes};

/// A generator by its images, and the type that it permutes.
pub struct Generator {
    /// The type.
    pub kind: usize,
    /// `image[a]` is the image of atom `a`.
    pub image: Vec<Atom>,
}

/// Generators of the full symmetry group on all types: for each type the swap of its first two values
/// and the cycle through all of them.
#[must_use]
pub fn generators(atoms: &AtomTypes) -> Vec<Generator> {
    let mut found = Vec::new();
    for kind in 0..atoms.kinds() {
        let range = atoms.atoms(kind as u8);
        let identity: Vec<Atom> = (0..atoms.len() as u16).map(Atom).collect();
        if range.len() >= 2 {
            let mut image = identity.clone();
            image.swap(range.start as usize, range.start as usize + 1);
            found.push(Generator { kind, image });
        }
        // Of two values the cycle is the swap.
        if range.len() >= 3 {
            let mut image = identity;
            image[range.start as usize..range.end as usize].rotate_left(1);
            found.push(Generator { kind, image });
        }
    }
    found
}
