//! An element of the symmetry group of a search, of either kind.

use std::sync::Arc;

use super::permutation::Permutation;
use super::structural::StructuralGroup;
use crate::machine::{EventId, FormatId, LocalId, Locals, Machine, Miss, Network};
use crate::structure::element::Automorphism;

/// A group element, which takes states of a network to states of the same orbit.
#[derive(Clone, Debug)]
pub enum GroupElement {
    /// A permutation of the values of symmetric types.
    Values(Permutation),
    /// An automorphism of the structure of the network, on local states merged up to bisimilarity
    /// ([`crate::machine::bisimilar`]).
    Structure(Arc<Automorphism>),
}

impl GroupElement {
    /// The product, first `self`, of two elements of the same kind. (Of two kinds, which no group has, it would be
    /// `self`.)
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

    /// The inverse element.
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

    /// The structural automorphism, if it is one.
    #[must_use]
    pub fn structure(&self) -> Option<&Automorphism> {
        match self {
            Self::Values(_) => None,
            Self::Structure(map) => Some(map),
        }
    }

    /// The image of an event.
    pub fn event(
        &self,
        machine: &mut Machine,
        group: Option<&StructuralGroup>,
        event: EventId,
    ) -> EventId {
        match (self, group) {
            (Self::Values(permutation), _) => machine.permute_event(event, permutation.image()),
            (Self::Structure(map), Some(group)) => map.event(group.structure(), event),
            (Self::Structure(_), None) => event,
        }
    }

    /// Whether it takes one format to the other.
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

    /// The image of a state in a format ([`Self::takes_format`]), up to bisimilar local states, if there is one.
    ///
    /// # Errors
    /// An image that is not interned yet.
    pub fn state(
        &self,
        locals: &Locals,
        network: &Network,
        group: Option<&StructuralGroup>,
        from: (FormatId, &[LocalId]),
        to: FormatId,
    ) -> Result<Option<Vec<LocalId>>, Miss> {
        match (self, group) {
            (Self::Values(permutation), _) => {
                network.image_in(locals, from, permutation.image(), to)
            }
            (Self::Structure(map), Some(group)) if from.0 == to => {
                Ok(map.state(group.structure(), from.1))
            }
            (Self::Structure(_), _) => Ok(None),
        }
    }
}
