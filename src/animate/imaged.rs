//! The symmetry in the structure of an open process, and the images of a state, as plain data.

use num_bigint::BigUint;

use crate::report::document::Document;
use crate::report::structure::NetworkSymmetry;

/// The symmetry in the structure of an open process.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSymmetry {
    /// The group, its generators and near misses.
    pub told: NetworkSymmetry,
    /// All of that in words.
    pub document: Document,
    /// The order of each generator as a permutation of states: 1 if it moves events alone.
    pub orders: Vec<BigUint>,
}

/// A component of the image of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImagePart {
    /// The local state.
    pub text: String,
    /// The component of the state whose local state has come here.
    pub from: usize,
    /// Whether its local state differs from that in the state itself.
    pub is_changed: bool,
}

/// The image of a state under a power of a generator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateImage {
    /// The components of the image, in vector order.
    pub parts: Vec<ImagePart>,
    /// Whether it is the state itself.
    pub is_same: bool,
    /// Whether a local state represents all bisimilar ones of its component, so that the image is known only up to
    /// these.
    pub is_up_to_alike: bool,
}
