//! Permutations of the points `0..degree`, stored by the points that they move.
//!
//! A large graph has many vertices, and an automorphism that exchanges two small parts of it moves few
//! of them. So space, and time for most operations, are proportional to the number of points moved.

use num_bigint::BigUint;

use crate::source::hash::{Map, Set};

/// A permutation of the points `0..degree`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PointPermutation {
    degree: u32,
    /// The moved points, ascending.
    moved: Box<[u32]>,
    /// The image of each of them.
    images: Box<[u32]>,
}

impl PointPermutation {
    /// The identity.
    #[must_use]
    pub fn identity(degree: u32) -> Self {
        Self {
            degree,
            moved: Box::default(),
            images: Box::default(),
        }
    }

    /// A permutation from the images of all points; `None` if that is no permutation.
    #[must_use]
    pub fn new(images: &[u32]) -> Option<Self> {
        let degree = u32::try_from(images.len()).ok()?;
        let moves = (0..degree).zip(images.iter().copied());
        Self::of_moves(degree, moves)
    }

    /// A permutation from the images of some points, which fixes all others; `None` if that is
    /// no permutation of `0..degree`.
    #[must_use]
    pub fn of_moves(degree: u32, moves: impl IntoIterator<Item = (u32, u32)>) -> Option<Self> {
        let mut moves: Vec<(u32, u32)> = moves.into_iter().filter(|(p, to)| p != to).collect();
        moves.sort_unstable();
        moves.dedup();
        let (moved, images): (Vec<u32>, Vec<u32>) = moves.into_iter().unzip();
        let mut reached = images.clone();
        reached.sort_unstable();
        // The moved points are the images, each once.
        let each_once = moved.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = moved.last().is_none_or(|last| *last < degree);
        (each_once && inside && reached == moved).then(|| Self {
            degree,
            moved: moved.into(),
            images: images.into(),
        })
    }

    /// Number of points.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The image of a point.
    #[must_use]
    pub fn apply(&self, point: u32) -> u32 {
        match self.moved.binary_search(&point) {
            Ok(at) => self.images[at],
            Err(_) => point,
        }
    }

    /// Whether it is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.moved.is_empty()
    }

    /// The moved points, ascending.
    #[must_use]
    pub fn moved(&self) -> &[u32] {
        &self.moved
    }

    /// The moved points with their images, ascending.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.moved.iter().copied().zip(self.images.iter().copied())
    }

    /// The images of all points.
    #[must_use]
    pub fn images(&self) -> Vec<u32> {
        let mut all: Vec<u32> = (0..self.degree).collect();
        for (point, to) in self.moves() {
            all[point as usize] = to;
        }
        all
    }

    /// The product, first `self`.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        let own = self.moves().map(|(point, to)| (point, other.apply(to)));
        // Points that `self` fixes have their images under `other`.
        let others = other.moves();
        let others = others.filter(|(point, _)| self.moved.binary_search(point).is_err());
        let mut moves: Vec<(u32, u32)> = own.chain(others).filter(|(p, to)| p != to).collect();
        moves.sort_unstable();
        let (moved, images): (Vec<u32>, Vec<u32>) = moves.into_iter().unzip();
        Self {
            degree: self.degree.max(other.degree),
            moved: moved.into(),
            images: images.into(),
        }
    }

    /// The inverse.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut moves: Vec<(u32, u32)> = self.moves().map(|(point, to)| (to, point)).collect();
        moves.sort_unstable();
        let (moved, images): (Vec<u32>, Vec<u32>) = moves.into_iter().unzip();
        Self {
            degree: self.degree,
            moved: moved.into(),
            images: images.into(),
        }
    }

    /// Its nontrivial cycles: each begins with its least point, and they ascend by that.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let mut done = vec![false; self.moved.len()];
        let mut cycles = Vec::new();
        for from in 0..self.moved.len() {
            let (mut at, mut cycle) = (from, Vec::new());
            while !done[at] {
                done[at] = true;
                cycle.push(self.moved[at]);
                // The image of a moved point is moved.
                at = self.moved.binary_search(&self.images[at]).unwrap_or(from);
            }
            if !cycle.is_empty() {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Its order: the least common multiple of the lengths of
    /// its cycles.
    #[must_use]
    pub fn order(&self) -> BigUint {
        let mut lengths: Vec<usize> = self.cycles().iter().map(Vec::len).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let one = BigUint::from(1u32);
        lengths.into_iter().fold(one, |order, length| {
            let length = BigUint::from(length);
            let common = greatest_common_divisor(order.clone(), length.clone());
            order * length / common
        })
    }

    /// The restriction to an invariant set of points: the first of them becomes
    /// point 0, and so on. `None` if a point is named twice or has its image outside.
    #[must_use]
    pub fn restricted(&self, points: &[u32]) -> Option<Self> {
        let degree = u32::try_from(points.len()).ok()?;
        let mut named = Set::default();
        if !points.iter().all(|p| *p < self.degree && named.insert(*p)) {
            return None;
        }
        let number: Map<u32, u32> = points.iter().copied().zip(0..degree).collect();
        let mut moves = Vec::new();
        for (at, point) in (0..degree).zip(points) {
            moves.push((at, *number.get(&self.apply(*point))?));
        }
        Self::of_moves(degree, moves)
    }
}

/// Euclid's algorithm.
pub(super) fn greatest_common_divisor(mut a: BigUint, mut b: BigUint) -> BigUint {
    let zero = BigUint::default();
    while b != zero {
        (a, b) = (b.clone(), a % b);
    }
    a
}

/// The product of numbers, multiplied in pairs of similar size.
pub(super) fn product(numbers: &[usize]) -> BigUint {
    match numbers {
        [] => BigUint::from(1u32),
        [number] => BigUint::from(*number),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            product(left) * product(right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn permutation(degree: u32) -> impl Strategy<Value = Vec<u32>> {
        Just((0..degree).collect::<Vec<u32>>()).prop_shuffle()
    }

    fn of(images: &[u32]) -> PointPermutation {
        PointPermutation::new(images).expect("a permutation")
    }

    proptest! {
        #[test]
        fn it_is_what_its_images_say((a, b) in (1u32..9).prop_flat_map(|n| (permutation(n), permutation(n)))) {
            let (p, q) = (of(&a), of(&b));
            prop_assert_eq!(&p.images(), &a);
            let both = p.then(&q);
            for (point, to) in a.iter().enumerate() {
                prop_assert_eq!(p.apply(point as u32), *to);
                prop_assert_eq!(both.apply(point as u32), b[*to as usize]);
            }
            prop_assert_eq!(&of(&both.images()), &both);
            prop_assert!(p.then(&p.inverse()).is_identity());
            prop_assert!(p.inverse().then(&p).is_identity());
            // Its cycles define the same permutation.
            let mut moves = Vec::new();
            for cycle in p.cycles() {
                prop_assert_eq!(cycle.iter().min(), cycle.first());
                let next = cycle.iter().cycle().skip(1);
                moves.extend(cycle.iter().copied().zip(next.copied()));
            }
            prop_assert_eq!(PointPermutation::of_moves(p.degree(), moves), Some(p.clone()));
            // This power is the identity, and no earlier one is.
            let (mut power, mut times) = (p.clone(), 1u32);
            while !power.is_identity() {
                power = power.then(&p);
                times += 1;
            }
            prop_assert_eq!(p.order(), BigUint::from(times));
        }

        #[test]
        fn what_is_no_permutation_is_refused(images in proptest::collection::vec(0u32..6, 0..6)) {
            let mut sorted = images.clone();
            sorted.sort_unstable();
            let is_one = sorted.iter().enumerate().all(|(i, p)| i as u32 == *p);
            prop_assert_eq!(PointPermutation::new(&images).is_some(), is_one);
        }
    }

    #[test]
    fn it_is_restricted_to_points_that_it_maps_to_one_another() {
        let p = of(&[1, 0, 2, 4, 5, 3]);
        assert_eq!(p.cycles(), [vec![0, 1], vec![3, 4, 5]]);
        assert_eq!(p.restricted(&[4, 3, 5]), PointPermutation::new(&[2, 0, 1]));
        assert_eq!(p.restricted(&[2]), Some(PointPermutation::identity(1)));
        assert_eq!(p.restricted(&[0, 3]), None);
        assert_eq!(p.restricted(&[2, 2]), None);
        assert_eq!(p.restricted(&[6]), None);
        assert_eq!(PointPermutation::of_moves(3, [(0, 5), (5, 0)]), None);
        assert_eq!(
            PointPermutation::of_moves(3, [(0, 1), (1, 0), (0, 2)]),
            None
        );
    }
}
