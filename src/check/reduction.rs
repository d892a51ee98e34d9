//! The reduction of a network, in the words of those who look at it.

use num_bigint::BigUint;

use super::keeping::KeepingKind;
use crate::machine::{Machine, Network};
use crate::symmetry::permutation::whole_order;

/// The reduction that a check used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Name and number of values of each symmetric type.
    pub types: Vec<(String, usize)>,
    /// First local state and number of each set of identical components.
    pub copies: Vec<(String, usize)>,
    /// Order of the group.
    pub group_order: BigUint,
    /// Name of the strategy.
    pub strategy: &'static str,
    /// What it is exact for.
    pub exact_for: &'static str,
}

impl Reduction {
    /// The reduction of a network by all that is symmetric in it; none if nothing is.
    #[must_use]
    pub fn new(machine: &mut Machine, network: &Network, keeping: KeepingKind) -> Option<Self> {
        let format = network.first();
        if machine.atoms().is_empty() && format.copies().is_empty() {
            return None;
        }
        let kinds = 0..machine.atoms().kinds() as u8;
        let size = |kind| {
            (
                machine.atoms().name(kind).to_owned(),
                machine.atoms().atoms(kind).len(),
            )
        };
        let types = kinds.map(size).collect();
        let sets = format.copies().sets().iter();
        let copies = sets
            .map(|set| {
                let first = format.components()[set[0] as usize].initial;
                (machine.show_local(first), set.len())
            })
            .collect();
        Some(Self {
            types,
            copies,
            group_order: whole_order(machine.atoms(), format).to_big(),
            strategy: keeping.name(),
            exact_for: keeping.exact_for(),
        })
    }
}
