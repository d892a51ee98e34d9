//! The reduction of a network, in the words of those who look at it.

use num_bigint::BigUint;

use super::keeping::KeepingKind;
use super::structural::component_names;
use crate::machine::{Machine, Network};
use crate::structure::element::Automorphism;
use crate::symmetry::permutation::whole_order;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;

/// The reduction that a check used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Name and number of values of each symmetric type.
    pub types: Vec<(String, usize)>,
    /// First local state and number of each set of identical components.
    pub copies: Vec<(String, usize)>,
    /// What was found in the structure, if that is what it is reduced by.
    pub structure: Option<StructureUsed>,
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
            structure: None,
            group_order: whole_order(machine.atoms(), format).to_big(),
            strategy: keeping.name(),
            exact_for: keeping.exact_for(),
        })
    }

    /// The reduction by a group that was found in the structure.
    #[must_use]
    pub fn by_structure(machine: &mut Machine, network: &Network, group: &StructuralGroup) -> Self {
        let names = component_names(machine, network.first());
        let cycles = |generator: &Automorphism| component_cycles(generator, &names);
        Self {
            types: Vec::new(),
            copies: Vec::new(),
            structure: Some(StructureUsed {
                generators: group.generators().iter().map(cycles).collect(),
            }),
            group_order: group.order().to_big(),
            strategy: group.name(),
            exact_for: group.kind().exact_for(),
        }
    }
}

/// What people are told of a group that was found in the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureUsed {
    /// What each generator does to components, as cycles of their names; none where it moves local states and
    /// events alone.
    pub generators: Vec<Vec<Vec<String>>>,
}

/// What a symmetry does to components.
#[must_use]
pub fn component_cycles(map: &Automorphism, names: &[String]) -> Vec<Vec<String>> {
    let cycles = map.map().cycles().into_iter();
    let cycles = cycles.filter(|cycle| (cycle[0] as usize) < names.len());
    let named = |cycle: Vec<u32>| cycle.iter().map(|c| names[*c as usize].clone()).collect();
    cycles.map(named).collect()
}
