//! Reductions of a network, as they are displayed.

use num_bigint::BigUint;

use super::look_bounds::{LookBounds, Looking};
use super::permutations_in_use::PermutationsInUse;
use super::structural::component_names;
use crate::group::{GroupName, PointPermutation, name_of};
use crate::machine::generators::generators;
use crate::machine::order::Order;
use crate::machine::{Format, LocalId, Machine, Network};
use crate::search::keeping::KeepingKind;
use crate::structure::element::Automorphism;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;

/// The reduction that a check used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Name and number of values of each symmetric type.
    pub types: Vec<(String, usize)>,
    /// First local state and number of each set of identical components.
    pub copies: Vec<(String, usize)>,
    /// The structural group, if the network is reduced by one.
    pub structure: Option<StructureUsed>,
    /// Order of the group.
    pub group_order: BigUint,
    /// Name of the strategy.
    pub strategy: &'static str,
    /// The states for which the strategy is exact.
    pub exact_for: &'static str,
}

impl Reduction {
    /// The reduction of a network and its specification by all symmetry; `None` if there is none. A type without values
    /// in either is left out.
    #[must_use]
    pub fn new(
        machine: &mut Machine,
        (network, specification): (&Network, Option<&Network>),
        keeping: KeepingKind,
    ) -> Option<Self> {
        let is_open = |side: &Network| !side.is_explored(machine);
        let may_meet_more = is_open(network) || specification.is_some_and(is_open);
        let all = may_meet_more.then(|| (0..machine.atoms().kinds() as u8).collect());
        let kinds = all.unwrap_or_else(|| met_kinds(machine, network, specification));
        Self::by_kinds(machine, network, &kinds, keeping)
    }

    /// The same after a complete search.
    #[must_use]
    pub fn met(
        machine: &mut Machine,
        network: &Network,
        specification: Option<&Network>,
        keeping: KeepingKind,
    ) -> Option<Self> {
        let kinds = met_kinds(machine, network, specification);
        Self::by_kinds(machine, network, &kinds, keeping)
    }

    fn by_kinds(
        machine: &mut Machine,
        network: &Network,
        kinds: &[u8],
        keeping: KeepingKind,
    ) -> Option<Self> {
        let format = network.first();
        if kinds.is_empty() && format.copies().is_empty() {
            return None;
        }
        let mut order = Order::ONE;
        let mut types = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let size = machine.atoms().atoms(*kind).len();
            order.times_factorial(size);
            types.push((machine.atoms().name(*kind).to_owned(), size));
        }
        format.copies().order_into(&mut order);
        let copies = copies_of(machine, format);
        Some(Self {
            types,
            copies,
            structure: None,
            group_order: order.to_big(),
            strategy: keeping.name(),
            exact_for: keeping.exact_for(),
        })
    }

    /// The reduction by a group that was found in the structure, before the network gives up its copies: permutations
    /// of values and copies that the group contains are named as such.
    #[must_use]
    pub fn by_structure(machine: &mut Machine, network: &Network, group: &StructuralGroup) -> Self {
        let format = network.first();
        let names = component_names(machine, format);
        let cycles = |generator: &Automorphism| component_cycles(generator, &names);
        let contained = PermutationsInUse::new(machine, format, group.structure());
        let copies = match &contained {
            Some(_) => copies_of(machine, format),
            None => Vec::new(),
        };
        let (mut types, mut accounted) = (Vec::new(), Order::ONE);
        for (kind, moves_components) in contained.into_iter().flat_map(|found| found.kinds) {
            let size = machine.atoms().atoms(kind).len();
            types.push((machine.atoms().name(kind).to_owned(), size));
            if !moves_components {
                accounted.times_factorial(size);
            }
        }
        let on_components = name_on_components(machine, group, names.len());
        let group_order = group.order().to_big();
        let accounted = on_components
            .as_ref()
            .map(|name| name.order() * accounted.to_big());
        Self {
            types,
            copies,
            structure: Some(StructureUsed {
                generators: group.generators().iter().map(cycles).collect(),
                moves_more: accounted.is_some_and(|accounted| accounted != group_order),
                on_components,
            }),
            group_order,
            strategy: group.name(),
            exact_for: group.kind().exact_for(),
        }
    }
}

/// First local state and number of each set of identical components.
fn copies_of(machine: &mut Machine, format: &Format) -> Vec<(String, usize)> {
    let sets = format.copies().sets().iter();
    sets.map(|set| {
        let first = format.components()[set[0] as usize].initial;
        (machine.show_local(first), set.len())
    })
    .collect()
}

/// Steps of work for the name of a group: about a millisecond.
const NAMING: u64 = 100_000;

/// The name of the action of a group on components, if it has one that is soon found.
fn name_on_components(
    machine: &Machine,
    group: &StructuralGroup,
    components: usize,
) -> Option<GroupName> {
    let looking = Looking::new(LookBounds {
        work: NAMING,
        ..LookBounds::BY_ITSELF
    });
    let poll = |steps| looking.work(machine, steps);
    let components: Vec<u32> = (0..components as u32).collect();
    let maps = group.generators().iter();
    let maps = maps.filter_map(|map| map.map().restricted(&components));
    let maps: Vec<PointPermutation> = maps.filter(|map| !map.is_identity()).collect();
    // A limit shows again in the search.
    name_of(components.len() as u32, &maps, None, &poll).unwrap_or_default()
}

/// The symmetric types with a value in some local state or event of the networks.
fn met_kinds(machine: &mut Machine, network: &Network, specification: Option<&Network>) -> Vec<u8> {
    let mut met = vec![false; machine.atoms().kinds()];
    let (locals, atoms) = (machine.locals(), machine.atoms());
    for local in (0..locals.len()).map(|local| LocalId(local as u32)) {
        for atom in locals.atoms_of(local) {
            met[usize::from(atoms.kind(*atom))] = true;
        }
        // Most processes mention all of them in their first states.
        if met.iter().all(|met| *met) {
            break;
        }
    }
    for generator in generators(machine.atoms()) {
        let lazy = std::iter::once(network).chain(specification);
        let mut events = lazy.flat_map(Network::events);
        met[generator.kind] = met[generator.kind]
            || events.any(|event| machine.permute_event(event, &generator.image) != event);
    }
    let kinds = met.iter().enumerate().filter(|(_, met)| **met);
    kinds.map(|(kind, _)| kind as u8).collect()
}

/// A structural group, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureUsed {
    /// The cycles of component names of each generator; empty where it moves local states and events alone.
    pub generators: Vec<Vec<Vec<String>>>,
    /// The name of the action on components, if it has one that is soon found.
    pub on_components: Option<GroupName>,
    /// Whether that and permutations of values leave out elements that move local states.
    pub moves_more: bool,
}

/// The cycles of a symmetry on components.
#[must_use]
pub fn component_cycles(map: &Automorphism, names: &[String]) -> Vec<Vec<String>> {
    let cycles = map.map().cycles().into_iter();
    let cycles = cycles.filter(|cycle| (cycle[0] as usize) < names.len());
    let named = |cycle: Vec<u32>| cycle.iter().map(|c| names[*c as usize].clone()).collect();
    cycles.map(named).collect()
}
