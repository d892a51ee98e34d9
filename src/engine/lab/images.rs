//! Representatives of states of a process, with permutations to them and sizes of orbits.

use num_bigint::BigUint;

use crate::machine::{FormatId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::structure::element::Automorphism;
use crate::symmetry::context::StateContext;
use crate::symmetry::permutation::whole_order;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;
use crate::symmetry::{Permutation, Representative, StrategyKind};

/// A state in the numbers of the network.
pub type ExploredKey = (FormatId, Box<[LocalId]>);

/// The element that maps a state to its representative.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageOf {
    /// The permutation of values.
    pub permutation: Permutation,
    /// Whether identical components are exchanged besides.
    pub exchanges: bool,
    /// The action of a structural symmetry, if it is one.
    pub components: Option<MovedComponents>,
}

/// The action of a structural symmetry on components.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MovedComponents {
    /// The image of each component.
    pub to: Box<[u16]>,
    /// Fixed components whose local states are permuted.
    pub inside: Box<[u16]>,
}

/// A representative with the permutation to it.
#[derive(Clone)]
pub(super) struct Represents {
    pub(super) key: ExploredKey,
    pub(super) image: ImageOf,
    /// The size of the orbit.
    pub(super) orbit: Option<BigUint>,
}

impl MovedComponents {
    fn new(group: &StructuralGroup, map: &Automorphism) -> Self {
        let points = &group.structure().points;
        let all = 0..points.components();
        let to: Box<[u16]> = all.clone().map(|c| map.component(c) as u16).collect();
        let is_permuted = |component: &usize| {
            let mut own = points.range(*component);
            own.any(|point| map.point(point) != point)
        };
        let stay = all.filter(|component| usize::from(to[*component]) == *component);
        let inside = stay.filter(is_permuted).map(|component| component as u16);
        Self {
            inside: inside.collect(),
            to,
        }
    }
}

/// The state itself, without permutations.
pub(super) fn itself(machine: &Machine, key: &ExploredKey) -> Represents {
    Represents {
        key: key.clone(),
        image: ImageOf {
            permutation: Permutation::identity(machine.atoms().len()),
            exchanges: false,
            components: None,
        },
        orbit: Some(1u8.into()),
    }
}

/// The representative under permutations of values and exchanges of copies.
///
/// # Errors
/// An evaluation error or a limit.
pub(super) fn by_values(
    machine: &mut Machine,
    network: &mut Network,
    (format, state): &ExploredKey,
    out: &mut Representative,
) -> Result<Represents> {
    // Sizes of orbits come from the order of the stabiliser.
    out.counting = true;
    let mut permuted = Vec::new();
    machine.complete(network, |machine, network| {
        let context = StateContext::alone(machine, network, *format, state);
        let exact = StrategyKind::Exact.strategy();
        exact.representative(&context, out)?;
        network.permute(machine.locals(), *format, state, &out.image, &mut permuted)
    })?;
    let whole = whole_order(machine.atoms(), network.format(*format));
    let orbit = out.stabiliser.as_ref();
    Ok(Represents {
        key: (*format, out.locals[..].into()),
        image: ImageOf {
            permutation: Permutation::from_image(&out.image),
            // Differences beyond the permutation are exchanges of copies.
            exchanges: permuted != out.locals,
            components: None,
        },
        orbit: orbit.map(|stabiliser| whole.to_big() / stabiliser.to_big()),
    })
}

/// The representative under a structural group.
///
/// # Errors
/// An evaluation error or a limit.
pub(super) fn by_structure(
    machine: &mut Machine,
    network: &mut Network,
    group: &StructuralGroup,
    (format, state): &ExploredKey,
    out: &mut Representative,
) -> Result<Represents> {
    out.counting = true;
    machine.complete(network, |machine, network| {
        group.representative(&StateContext::alone(machine, network, *format, state), out)
    })?;
    let orbit = out.stabiliser.as_ref();
    Ok(Represents {
        key: (*format, out.locals[..].into()),
        image: ImageOf {
            permutation: Permutation::from_image(&out.image),
            exchanges: false,
            components: Some(MovedComponents::new(group, &group.found(&out.structural))),
        },
        orbit: orbit.map(|stabiliser| group.order().to_big() / stabiliser.to_big()),
    })
}
