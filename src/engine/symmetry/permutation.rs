//! Permutations of atoms (Sec. 2.2).

use std::ops::Range;

use crate::machine::Format;
use crate::machine::order::Order;
use crate::value::{Atom, AtomTypes};

/// A type-preserving permutation, by its images: `image()[a]` is `π(a)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation(Vec<Atom>);

/// Whether the members of a range are listed, each once. Asserts invariants without allocating, as the hot
/// loop is tested not to allocate.
pub(super) fn lists_once(listed: &(impl Iterator<Item = u16> + Clone), range: &Range<u16>) -> bool {
    const TOGETHER: usize = 1024;
    if listed.clone().count() != range.len() {
        return false;
    }
    // As many numbers at a time as there are marks.
    let starts = (range.start..range.end).step_by(TOGETHER);
    starts.into_iter().all(|start| {
        let mut met = [false; TOGETHER];
        let wanted = usize::from(range.end - start).min(TOGETHER);
        for number in listed.clone() {
            let at = usize::from(number).wrapping_sub(usize::from(start));
            if let Some(mark) = met.get_mut(at) {
                *mark = true;
            }
        }
        met[..wanted].iter().all(|m| *m) && !met[wanted..].contains(&true)
    })
}

impl Permutation {
    /// The identity on this many atoms.
    #[must_use]
    pub fn identity(atoms: usize) -> Self {
        Self((0..atoms as u16).map(Atom).collect())
    }

    /// A permutation from its images, which must be one.
    #[must_use]
    pub fn from_image(image: &[Atom]) -> Self {
        debug_assert!(
            lists_once(&image.iter().map(|a| a.0), &(0..image.len() as u16)),
            "no permutation: {image:?}"
        );
        Self(image.to_vec())
    }

    /// The images of all atoms.
    #[must_use]
    pub fn image(&self) -> &[Atom] {
        &self.0
    }

    /// The image `π(a)`.
    #[must_use]
    pub fn apply(&self, atom: Atom) -> Atom {
        self.0[atom.0 as usize]
    }

    /// The product `π ; ρ`, first `self`: `(π;ρ)(x) = ρ(π(x))`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self(self.0.iter().map(|a| next.apply(*a)).collect())
    }

    /// The inverse `π⁻¹`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self(crate::machine::locals::invert(&self.0))
    }

    /// The cycles of one type without fixed points, as `(N1 N5)(N2 N3)`; `id` if there are none.
    #[must_use]
    pub fn cycles(&self, atoms: &AtomTypes, kind: usize, name: &dyn Fn(Atom) -> String) -> String {
        let mut text = String::new();
        let mut done = vec![false; self.0.len()];
        for start in atoms.atoms(kind as u8) {
            let mut cycle = Vec::new();
            let mut at = Atom(start);
            // A cycle that starts at the least value not visited ends there. Cycles stay
            // within a type, since a permutation preserves types.
            while !done[at.0 as usize] {
                done[at.0 as usize] = true;
                cycle.push(name(at));
                at = self.apply(at);
            }
            if cycle.len() > 1 {
                text.push('(');
                text.push_str(&cycle.join(" "));
                text.push(')');
            }
        }
        if text.is_empty() {
            "id".to_owned()
        } else {
            text
        }
    }
}

/// Order of the product of the full symmetric groups.
#[must_use]
pub fn group_order(atoms: &AtomTypes) -> Order {
    let mut order = Order::ONE;
    let sizes = (0..atoms.kinds()).map(|kind| atoms.atoms(kind as u8).len());
    sizes.for_each(|size| order.times_factorial(size));
    order
}

/// Order of the group of a format: permutations of values and exchanges of copies.
#[must_use]
pub fn whole_order(atoms: &AtomTypes, format: &Format) -> Order {
    let mut order = group_order(atoms);
    format.copies().order_into(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::lists_once;

    #[test]
    fn what_is_listed_once_is_told_from_what_is_not() {
        let listed = |numbers: &[u16], range| lists_once(&numbers.iter().copied(), &range);
        assert!(listed(&[], 3..3));
        assert!(listed(&[5, 3, 4], 3..6));
        assert!(!listed(&[5, 3, 3], 3..6));
        assert!(!listed(&[5, 3, 6], 3..6));
        assert!(!listed(&[5, 3], 3..6));
        let many: Vec<u16> = (7..3000).rev().collect();
        assert!(listed(&many, 7..3000));
        let twice: Vec<u16> = many.iter().map(|n| (*n).max(8)).collect();
        assert!(!listed(&twice, 7..3000));
    }
}
