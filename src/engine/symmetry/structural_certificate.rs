//! Certificates that no element of a permutation group takes one state to another, where the group was found in the
//! structure of a network. They can be checked from generators of the group alone.
//!
//! The group permutes *points*: pairs of a component and a local state ([`crate::structure::points::Points`]). A state is
//! a set of points, one for each component, and an element takes state `A` to state `B` if it takes the one set to the
//! other.
//!
//! 1. *Numbers.* An element takes each orbit of points to itself. So a difference between the numbers of points of `A`
//!    and of `B` in an orbit shows that there is none.
//! 2. *Pairs.* Points of both states are coloured in rounds. At first, a point has its orbit as colour. In a round, it
//!    gets its old colour and, for each other point of its state, the orbit of the ordered pair of the two and the colour
//!    of the other. An element takes points to points of the same colour, by induction; so different numbers of points
//!    of a colour show that there is none.
//! 3. *Tree.* A point of `A` is picked, and for each point `b` of `B` with its colour it is shown that no element takes the
//!    pick to `b` and `A` to `B`. If such an element exists, it is a product of any element that takes the pick to `b` and
//!    of one that fixes `b`. So `A` is replaced by its image under the former, the group by the stabiliser of `b`, and the
//!    three arguments apply again.
//!
//! Below picks, points of `A` are named by what they were before `A` was replaced.

use super::certificate::WhichState;
use crate::group::PointPermutation;

/// Why no element of a group takes one state, `A`, to another, `B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuralCertificate {
    /// An orbit of points holds different numbers of points of the two states.
    Numbers {
        /// The points of the orbit, ascending.
        orbit: Vec<u32>,
        /// The points of the two states in it.
        inside: PointCell,
    },
    /// Different numbers of points have a colour after some rounds.
    Pairs(Box<PairColours>),
    /// Every possible image of one point of `A` is refuted.
    Tree {
        /// The point of `A`.
        pick: u32,
        /// Every point of `B` with its colour, with the reason why it is not the image.
        refuted: Vec<RefutedPoint>,
    },
}

/// Points of both states, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointCell {
    /// Points of `A`.
    pub left: Vec<u32>,
    /// Points of `B`.
    pub right: Vec<u32>,
}

/// A colour that more points of one of the states have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairColours {
    /// The number of rounds, from 1; within a tree, since the last point was picked.
    pub round: usize,
    /// The points of the colour.
    pub class: PointCell,
    /// The points of another colour that had the same colour before this round; they are fewer in the other state.
    pub rest: PointCell,
    /// A pair that tells the two apart.
    pub because: DifferingPair,
}

/// A kind of pairs, up to the group and the colour of the second point, with its numbers of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingPair {
    /// The state with one of them.
    pub side: WhichState,
    /// Its first point.
    pub first: u32,
    /// Its second point.
    pub second: u32,
    /// Number of these pairs that each point of the class begins.
    pub times: usize,
    /// The same number for each point of the other class.
    pub others: usize,
}

/// A point of `B` that is not the image of the point picked in `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedPoint {
    /// The point.
    pub partner: u32,
    /// The reason.
    pub why: PointRefutation,
}

/// Why a point is not the image of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointRefutation {
    /// A certificate shows it for the image of `A` under an element that takes all points picked so far to their images.
    By {
        /// The element.
        element: PointPermutation,
        /// The certificate.
        why: StructuralCertificate,
    },
    /// An element fixes the images chosen so far, takes `B` to itself and this point to one that was refuted.
    Like {
        /// The point that was refuted for a reason of its own.
        partner: u32,
        /// The element.
        by: PointPermutation,
    },
}
