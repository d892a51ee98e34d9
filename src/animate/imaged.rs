//! The symmetry in the structure of an open process, and what a state becomes by it, as plain data.

use num_bigint::BigUint;

use crate::report::structure::NetworkSymmetry;

/// The symmetry in the structure of an open process.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSymmetry {
    /// The group, its generators and what almost holds.
    pub told: NetworkSymmetry,
    /// For each generator after how many times every state is as it was: 1 if it moves events alone.
    pub orders: Vec<BigUint>,
    /// What looking cost, with compiling and with what almost holds, in milliseconds.
    pub milliseconds: u64,
}

/// A component of the image of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImagePart {
    /// Its local state.
    pub text: String,
    /// The component of the state whose local state has come here.
    pub from: usize,
    /// Whether it is in another local state than in the state itself.
    pub is_changed: bool,
}

/// The image of a state under a power of a generator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateImage {
    /// One a component, in vector order.
    pub parts: Vec<ImagePart>,
    /// Whether it is the state itself.
    pub is_same: bool,
    /// Whether a local state stands for all of its component that behave alike, so that the image is known up
    /// to these.
    pub is_up_to_alike: bool,
}
