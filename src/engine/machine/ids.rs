//! The numbers by which a network knows its things, and what it asks for when a table lacks one.

use crate::value::Atom;

/// A local state of some component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// What a permutation leaves alone of a local state ([`super::locals`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u32);

/// A format of a network, in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatId(pub u16);

/// Something that the read-only tables do not hold yet. The search collects these, and
/// [`super::Machine::resolve`] fills the tables in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The image of a local state under a permutation: its shape and its new atoms.
    Image(ShapeId, Box<[Atom]>),
    /// The transitions of a component in a local state, with the rules that they take part in.
    Fire(FormatId, u16, LocalId),
    /// Whether a component that reaches this local state changes the format.
    Change(FormatId, u16, LocalId),
    /// What the network becomes when operators end with a rule.
    Turn(FormatId, u32),
}
