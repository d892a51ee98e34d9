//! Certificates that no permutation takes one state to another: proofs that can be checked independently.
//!
//! They rest on the invariants of a permutation. A state is a list of components, each with
//! a key ([`Key`]) and its variables: those of its local state, in the order of the holes of the shape
//! ([`crate::machine::locals::Hole`]), and then those of its label in the same way, since a permutation moves
//! the component to the place that its label names. The variables of one row stand in one element of a set.
//! If `π` takes `A` to `B`, it takes the components of `A` one to one to those of `B`, key by key and
//! variable by variable, where the elements of sets may change places.
//!
//! Values are told apart in rounds, those of both states together. Before the first round, values of one
//! type are one class. In a round,
//!
//! 1. two rows look alike if the same groups stand in them, with values of the same classes;
//! 2. two components look alike if they have one key, and rows that look alike;
//! 3. two variables look alike if they are of one group, in components and in rows that look alike;
//! 4. two values stay in one class if they were in one before, and each stands equally often in variables
//!    that look alike.
//!
//! Rounds go on until no class is split. By induction `π` takes every class of `A` to the same class of
//! `B`; so a class with members in different numbers shows that there is no such `π`. Where all numbers
//! agree, a value is chosen in `A`, and each value of its class in `B` is tried as its image: the two become
//! a class of their own, and the rounds go on.

use super::Permutation;
use crate::machine::ShapeId;
use crate::value::Atom;

/// Why no permutation takes one state, `A`, to another, `B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Step 1: different numbers of components have a key.
    Keys {
        /// The key.
        key: Key,
        /// The components of `A` that have it.
        left: Vec<u16>,
        /// The components of `B` that have it.
        right: Vec<u16>,
    },
    /// Step 2, for values: a class has different numbers of members.
    Profile(Box<Profile>),
    /// All classes have equally many members, but every possible image of one value of `A` is refuted.
    Tree {
        /// The value of `A`.
        pick: Atom,
        /// Every value of its class in `B`, with the reason why it is not the image.
        refuted: Vec<Refuted>,
    },
    /// Every value that occurs is alone in its class, so one permutation is left, up to values
    /// that do not occur; and it does not take `A` to `B`. This happens only with sets within sets,
    /// which the classes do not see completely.
    Image(Permutation),
}

/// The invariants of a component under permutations: all but its values of symmetric types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The control state, with its values of other types.
    pub shape: ShapeId,
    /// The family: copies that only values of symmetric types tell apart share it.
    pub class: u16,
}

/// The members of a class of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Values of `A`, ascending.
    pub left: Vec<Atom>,
    /// Values of `B`, ascending.
    pub right: Vec<Atom>,
}

/// A class that has more members in one of the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// After how many rounds, from 1; within a tree, since the last value was chosen.
    pub round: usize,
    /// The class.
    pub class: Cell,
    /// Another one, with which it was one class before this round; it has fewer members in the other state.
    pub rest: Cell,
    /// The difference between the two.
    pub because: DifferingColumn,
}

/// A kind of variables that look alike in a round, with its numbers of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingColumn {
    /// The state with one of them.
    pub side: WhichState,
    /// Its component.
    pub component: u16,
    /// The variable there.
    pub variable: u16,
    /// Number of variables of this kind in which each value of the class stands.
    pub times: usize,
    /// The same number for each value of the other class.
    pub others: usize,
}

/// One of the two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhichState {
    /// `A`
    Left,
    /// `B`
    Right,
}

/// A value of `B` that is not the image of the value chosen in `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// The value.
    pub partner: Atom,
    /// Why not.
    pub why: Refutation,
}

/// Why a value is not the image of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// With the two in a class of their own, this shows it.
    By(Certificate),
    /// An automorphism of `B` fixes the images chosen so far and takes this value to one that was refuted: a
    /// permutation with this image, followed by the automorphism, would have the refuted one.
    Like {
        /// The value that was refuted for a reason of its own.
        partner: Atom,
        /// The permutation.
        by: Permutation,
    },
}

impl Certificate {
    /// Number of nodes of its tree, without those left out for an automorphism.
    #[must_use]
    pub fn nodes(&self) -> usize {
        let below = |refuted: &Refuted| match &refuted.why {
            Refutation::By(certificate) => certificate.nodes(),
            Refutation::Like { .. } => 0,
        };
        match self {
            Self::Tree { refuted, .. } => 1 + refuted.iter().map(below).sum::<usize>(),
            _ => 1,
        }
    }
}
