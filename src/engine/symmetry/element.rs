//! An element of the group that a search is reduced by, whichever kind of group that is.

use std::sync::Arc;

use super::permutation::Permutation;
use super::structural::StructuralGroup;
use crate::machine::{EventId, FormatId, LocalId, Locals, Machine, Miss, Network};
use crate::structure::element::Automorphism;

/// What takes states of a network to states of the same orbit.
#[derive(Clone, Debug)]
pub enum GroupElement {
    /// A permutation of the values of symmetric types.
    Values(Permutation),
    /// A symmetry of the structure of the network, whose local states are those that stand for others
    /// ([`crate::machine::bisimilar`]).
    Structure(Arc<Automorphism>),
}

impl GroupElement {
    /// First this one, then another one of the same kind. Of two kinds the second is dropped, which nobody
    /// asks for: a group has elements of one kind.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        match (self, next) {
            (Self::Values(one), Self::Values(next)) => Self::Values(one.then(next)),
            (Self::Structure(one), Self::Structure(next)) => {
                Self::Structure(Arc::new(one.then(next)))
            }
            (one, _) => one.clone(),
        }
    }

    /// The element that takes everything back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        match self {
            Self::Values(one) => Self::Values(one.inverse()),
            Self::Structure(one) => Self::Structure(Arc::new(one.inverse())),
        }
    }

    /// The permutation of values, if it is one.
    #[must_use]
    pub fn values(&self) -> Option<&Permutation> {
        match self {
            Self::Values(permutation) => Some(permutation),
            Self::Structure(_) => None,
        }
    }

    /// The symmetry of the structure, if it is one.
    #[must_use]
    pub fn structure(&self) -> Option<&Automorphism> {
        match self {
            Self::Values(_) => None,
            Self::Structure(map) => Some(map),
        }
    }

    /// The event that an event becomes.
    pub fn event(
        &self,
        machine: &mut Machine,
        group: Option<&StructuralGroup>,
        event: EventId,
    ) -> EventId {
        match (self, group) {
            (Self::Values(permutation), _) => machine.permute_event(event, permutation.image()),
            (Self::Structure(map), Some(group)) => map.event(group.blueprint(), event),
            (Self::Structure(_), None) => event,
        }
    }

    /// Whether it takes what the one format does to what the other does.
    pub fn takes_format(
        &self,
        (machine, network): (&mut Machine, &Network),
        from: FormatId,
        to: FormatId,
    ) -> bool {
        match self {
            Self::Values(permutation) => network.is_image(machine, from, permutation.image(), to),
            Self::Structure(_) => from == to,
        }
    }

    /// The image of a state in a format ([`Self::takes_format`]), up to bisimilar local states; none if it has none there.
    ///
    /// # Errors
    /// An image that is not interned yet.
    pub fn state(
        &self,
        (locals, network): (&Locals, &Network),
        group: Option<&StructuralGroup>,
        from: (FormatId, &[LocalId]),
        to: FormatId,
    ) -> Result<Option<Vec<LocalId>>, Miss> {
        match (self, group) {
            (Self::Values(permutation), _) => {
                network.image_in(locals, from, permutation.image(), to)
            }
            (Self::Structure(map), Some(group)) if from.0 == to => {
                Ok(map.state(group.blueprint(), from.1))
            }
            (Self::Structure(_), _) => Ok(None),
        }
    }
}
