//! Ids of the parts of a network, and requests for missing table entries.

use crate::value::Atom;

/// A local state of some component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// The shape of a local state, which permutations fix ([`super::locals`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u32);

/// A format of a network, in order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatId(pub u16);

/// A missing entry of the read-only tables. The search collects these, and
/// [`super::Machine::resolve`] fills them in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The image of a local state under a permutation: its shape and its new atoms.
    Image(ShapeId, Box<[Atom]>),
    /// The transitions of a component in a local state, with the rules that they take part in.
    Fire(FormatId, u16, LocalId),
    /// The decision whether a component that reaches this local state changes the format.
    Change(FormatId, u16, LocalId),
    /// The format and components after operators end with a rule.
    Turn(FormatId, u32),
}
