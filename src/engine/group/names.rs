//! Names of groups, where one says more than the order.
//!
//! A name is never guessed: each follows from orders and from actions on points. It determines the group
//! up to isomorphism.

use std::fmt;

use num_bigint::BigUint;

use super::Poll;
use super::blocks::{action_on_blocks, block_systems};
use super::bounds::factorial;
use super::chain::StabiliserChain;
use super::exchanges::exchanges_generate_all;
use super::factors::{factors, wreath_product};
use super::hamming::hamming_action;
use super::linked::linked_orbits;
use super::permutation::{PointPermutation, greatest_common_divisor};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;

/// Points of a group with a name at most, counting linked orbits once.
const POINTS_MAX: usize = 5_000;
/// Actions on orbits and blocks that are compared in pairs, at most.
const ACTIONS_MAX: usize = 40;
/// Largest order of a group that is tested for being dihedral.
const ELEMENTS_MAX: u32 = 5_000;

/// The name of a group. The group of order two is S2, that of order three C3, and those of order six
/// are C6 and S3. Otherwise a group may have several names: factors that move disjoint sets of points
/// are always shown as such, as in `C3 x S2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupName {
    /// The trivial group: `1`.
    Trivial,
    /// The symmetric group of n points, of order n!: `S4`.
    Symmetric(u32),
    /// The alternating group of n points, n at least 4, of order n!/2: `A4`.
    Alternating(u32),
    /// The rotations of a ring of n points, of order n: `C5`.
    Cyclic(BigUint),
    /// The rotations and reflections of a ring of n points, n at least 4, of order 2n: `D4`.
    Dihedral(BigUint),
    /// A wreath product: the first group at each of several places, which the second permutes: `S3 wr S2`.
    Wreath(Box<GroupName>, Box<GroupName>),
    /// A direct product: `C4 x S2`. The factors are no products, larger ones first.
    Product(Vec<GroupName>),
}

impl GroupName {
    fn product(parts: Vec<(BigUint, Self)>) -> Self {
        let mut flat: Vec<(BigUint, Self)> = Vec::new();
        for (order, part) in parts {
            match part {
                Self::Trivial => {}
                Self::Product(inner) => {
                    flat.extend(inner.into_iter().map(|part| (part.order(), part)));
                }
                other => flat.push((order, other)),
            }
        }
        flat.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
        let mut parts: Vec<Self> = flat.into_iter().map(|(_, part)| part).collect();
        match parts.len() {
            0 => Self::Trivial,
            1 => parts.remove(0),
            _ => Self::Product(parts),
        }
    }

    /// The order of the group.
    #[must_use]
    pub fn order(&self) -> BigUint {
        match self {
            Self::Trivial => BigUint::from(1u32),
            Self::Symmetric(n) => factorial(*n as usize),
            Self::Alternating(n) => factorial(*n as usize) / 2u32,
            Self::Cyclic(n) => n.clone(),
            Self::Dihedral(n) => n * 2u32,
            Self::Wreath(bottom, top) => bottom.order().pow(top.points()) * top.order(),
            Self::Product(parts) => parts.iter().map(Self::order).product(),
        }
    }

    /// Number of points on which the top group of a wreath product acts, for groups whose
    /// name determines it.
    fn points(&self) -> u32 {
        match self {
            Self::Symmetric(n) | Self::Alternating(n) => *n,
            Self::Cyclic(n) | Self::Dihedral(n) => u32::try_from(n).unwrap_or(u32::MAX),
            _ => 1,
        }
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |f: &mut fmt::Formatter<'_>, name: &Self| match name {
            Self::Wreath(..) | Self::Product(_) => write!(f, "({name})"),
            _ => write!(f, "{name}"),
        };
        match self {
            Self::Trivial => f.write_str("1"),
            Self::Symmetric(n) => write!(f, "S{n}"),
            Self::Alternating(n) => write!(f, "A{n}"),
            Self::Cyclic(n) => write!(f, "C{n}"),
            Self::Dihedral(n) => write!(f, "D{n}"),
            Self::Wreath(bottom, top) => {
                inner(f, bottom)?;
                f.write_str(" wr ")?;
                inner(f, top)
            }
            Self::Product(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at > 0 { " x " } else { "" })?;
                    write!(f, "{part}")?;
                }
                Ok(())
            }
        }
    }
}

/// The action of a group on an orbit or on the blocks of a system.
struct GroupAction {
    degree: u32,
    generators: Vec<PointPermutation>,
    order: BigUint,
}

/// The name of a permutation group on `0..degree`, by generators, if it has one.
///
/// Names exist for trivial, symmetric, alternating, cyclic and dihedral groups, for wreath products of such that
/// permute blocks (with a top group in its natural action) or the letters and places of
/// words, and for direct products of all these: with factors on disjoint sets of points, or with independent and
/// together faithful actions on two orbits or systems of blocks. `order` is that of the group if it is
/// known, which saves time.
///
/// # Errors
/// Any error of `poll`.
pub fn name_of(
    degree: u32,
    generators: &[PointPermutation],
    order: Option<&BigUint>,
    poll: Poll<'_>,
) -> Result<Option<GroupName>> {
    let mut parts = Vec::new();
    let factors = factors(degree, generators);
    let order = order.filter(|_| factors.len() == 1);
    for part in factors {
        let own: Vec<PointPermutation> = part.iter().map(|at| generators[*at].clone()).collect();
        let Some(name) = name_of_factor(degree, &own, order, poll)? else {
            return Ok(None);
        };
        parts.push((name.order(), name));
    }
    Ok(Some(GroupName::product(parts)))
}

/// The same for generators without direct factors on disjoint points.
fn name_of_factor(
    degree: u32,
    generators: &[PointPermutation],
    order: Option<&BigUint>,
    poll: Poll<'_>,
) -> Result<Option<GroupName>> {
    // Of several orbits with equivalent actions, one is enough.
    let linked = linked_orbits(degree, generators, poll)?;
    let orbits: Vec<&Vec<u32>> = linked.iter().map(|l| &l.orbits[0]).collect();
    if let [orbit] = orbits.as_slice()
        && exchanges_generate_all(orbit.len() as u32, &restricted(generators, orbit), poll)?
    {
        return Ok(Some(GroupName::Symmetric(orbit.len() as u32)));
    }
    let points: Vec<u32> = orbits
        .iter()
        .flat_map(|orbit| orbit.iter().copied())
        .collect();
    if points.len() > POINTS_MAX {
        return Ok(None);
    }
    let own = restricted(generators, &points);
    let Some(whole) = action(points.len() as u32, own, order, poll)? else {
        return Ok(None);
    };
    if is_cyclic(&whole.generators, &whole.order, poll)? && whole.order != BigUint::from(2u32) {
        return Ok(Some(GroupName::Cyclic(whole.order)));
    }
    let most = Some(&whole.order);
    let mut actions = Vec::new();
    for orbit in &orbits {
        let own = restricted(generators, orbit);
        actions.extend(action(orbit.len() as u32, own, most, poll)?);
    }
    actions.sort_by_key(|action| action.degree);
    if let Some(name) = name_of_one(&actions, &whole.order, poll)? {
        return Ok(Some(name));
    }
    let mut on_blocks = Vec::new();
    for own in &actions {
        for blocks in block_systems(&own.generators, poll)? {
            if on_blocks.len() < ACTIONS_MAX {
                let images = action_on_blocks(&own.generators, &blocks);
                on_blocks.extend(action(blocks.len() as u32, images, most, poll)?);
            }
        }
    }
    on_blocks.sort_by_key(|action| action.degree);
    if let Some(name) = name_of_one(&on_blocks, &whole.order, poll)? {
        return Ok(Some(name));
    }
    actions.extend(on_blocks);
    name_of_two(&actions, &whole.order, poll)
}

/// The name of a faithful action: one of the order of the whole group.
fn name_of_one(
    actions: &[GroupAction],
    order: &BigUint,
    poll: Poll<'_>,
) -> Result<Option<GroupName>> {
    for action in actions.iter().filter(|action| action.order == *order) {
        if let Some(name) = name_of_transitive(action, poll)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The name of a direct product of two actions: if both together are faithful, and the order of the group is the
/// product of theirs.
fn name_of_two(
    actions: &[GroupAction],
    order: &BigUint,
    poll: Poll<'_>,
) -> Result<Option<GroupName>> {
    for (at, one) in actions.iter().enumerate() {
        for other in &actions[at + 1..] {
            if &one.order * &other.order != *order || one.order == *order || other.order == *order {
                continue;
            }
            let pairs = one.generators.iter().zip(&other.generators);
            let both = pairs.filter_map(|(a, b)| {
                let moved = b.moves().map(|(p, to)| (p + one.degree, to + one.degree));
                PointPermutation::of_moves(one.degree + other.degree, a.moves().chain(moved))
            });
            let both = action(one.degree + other.degree, both.collect(), Some(order), poll)?;
            if both.is_none_or(|both| both.order != *order) {
                continue;
            }
            let first = name_of(one.degree, &one.generators, Some(&one.order), poll)?;
            let second = name_of(other.degree, &other.generators, Some(&other.order), poll)?;
            if let (Some(first), Some(second)) = (first, second) {
                let parts = vec![(first.order(), first), (second.order(), second)];
                return Ok(Some(GroupName::product(parts)));
            }
        }
    }
    Ok(None)
}

/// The restrictions of permutations to some of the points, identities included.
fn restricted(generators: &[PointPermutation], points: &[u32]) -> Vec<PointPermutation> {
    generators
        .iter()
        .filter_map(|g| g.restricted(points))
        .collect()
}

/// An action with its order, which may be known not to be higher than another one.
fn action(
    degree: u32,
    generators: Vec<PointPermutation>,
    at_most: Option<&BigUint>,
    poll: Poll<'_>,
) -> Result<Option<GroupAction>> {
    let chain = StabiliserChain::new(degree, &generators, &[], at_most, poll)?;
    Ok(chain.map(|chain| GroupAction {
        degree,
        generators,
        order: chain.order().clone(),
    }))
}

/// The name of a group that is transitive on its points.
fn name_of_transitive(action: &GroupAction, poll: Poll<'_>) -> Result<Option<GroupName>> {
    let (degree, order) = (action.degree, &action.order);
    let all = factorial(degree as usize);
    if *order == all {
        return Ok(Some(GroupName::Symmetric(degree)));
    }
    // No other subgroup of index two of the symmetric group exists.
    if degree > 3 && order * 2u32 == all {
        return Ok(Some(GroupName::Alternating(degree)));
    }
    if is_cyclic(&action.generators, order, poll)? {
        return Ok(Some(GroupName::Cyclic(order.clone())));
    }
    if is_dihedral(action, poll)? {
        return Ok(Some(GroupName::Dihedral(order / 2u32)));
    }
    for blocks in block_systems(&action.generators, poll)? {
        let wreath = wreath_product(&action.generators, &blocks, order, poll)?;
        let Some(wreath) = wreath else {
            continue;
        };
        let (size, count) = (blocks[0].len() as u32, blocks.len() as u32);
        let bottom = name_of(size, &wreath.bottom, Some(&wreath.bottom_order), poll)?;
        let top = name_of(count, &wreath.top, Some(&wreath.top_order), poll)?;
        if let (Some(bottom), Some(top)) = (bottom, top.filter(|top| top.points() == count)) {
            return Ok(Some(GroupName::Wreath(Box::new(bottom), Box::new(top))));
        }
    }
    let words = hamming_action(degree, &action.generators, order, poll)?;
    Ok(words.map(|(letters, places)| {
        let symmetric = |n| Box::new(GroupName::Symmetric(n));
        GroupName::Wreath(symmetric(letters), symmetric(places))
    }))
}

/// Whether generators commute with one another, and the least common multiple of their orders is that of the
/// group: an abelian group has an element of that order.
fn is_cyclic(generators: &[PointPermutation], order: &BigUint, poll: Poll<'_>) -> Result<bool> {
    for (at, one) in generators.iter().enumerate() {
        for other in &generators[at + 1..] {
            poll(2 * (one.moved().len() + other.moved().len()))?;
            if one.then(other) != other.then(one) {
                return Ok(false);
            }
        }
    }
    let one = BigUint::from(1u32);
    let exponent = generators
        .iter()
        .map(PointPermutation::order)
        .fold(one, |all, own| {
            let common = greatest_common_divisor(all.clone(), own.clone());
            all * own / common
        });
    Ok(exponent == *order)
}

/// Whether half of the elements are the powers of one, and another one, an involution, inverts it.
fn is_dihedral(action: &GroupAction, poll: Poll<'_>) -> Result<bool> {
    let order = &action.order;
    if *order < BigUint::from(8u32) || *order > BigUint::from(ELEMENTS_MAX) {
        return Ok(false);
    }
    let half = order / 2u32;
    let chain = StabiliserChain::new(action.degree, &action.generators, &[], Some(order), poll)?;
    let Some(chain) = chain.filter(|_| &half * 2u32 == *order) else {
        return Ok(false);
    };
    let mut rotation: Option<PointPermutation> = None;
    let mut elements = chain.elements();
    while let Some(images) = elements.next() {
        let element = chain.permutation(images);
        if element.order() == half {
            rotation = Some(element);
            break;
        }
    }
    let Some(rotation) = rotation else {
        return Ok(false);
    };
    let mut powers = Set::default();
    let mut power = rotation.clone();
    while powers.insert(power.clone()) {
        power = power.then(&rotation);
    }
    // In a dihedral group every other element is a reflection, and one reflection proves that the group is dihedral.
    let other = action.generators.iter().find(|g| !powers.contains(*g));
    Ok(other.is_some_and(|g| {
        g.then(g).is_identity() && g.then(&rotation).then(g) == rotation.inverse()
    }))
}
