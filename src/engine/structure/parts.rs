//! Factors of a group of symmetries that move disjoint parts, each in the form best suited for finding the
//! least image.

use num_bigint::BigUint;

use super::element::{Automorphism, PartPlaces};
use super::network_structure::NetworkStructure;
use super::search::{Symmetries, SymmetryPart};
use super::wreath::wreath_blocks;
use crate::group::{PointOrbits, PointPermutation, Poll, StabiliserChain, symmetric_columns};
use crate::source::diagnostic::Result;

/// Numbers in the tables of the elements of all factors, at most.
const TABLES_MAX: usize = 1 << 24;

/// Bound on the largest orbit, squared, times the number of orbits, for a chain that is made on explicit request only.
const COSETS_MAX: usize = 1 << 18;

/// One factor of a group.
#[derive(Clone, Debug)]
pub enum GroupFactor {
    /// Columns that are permuted in all ways, and nothing else. The parts at one place of each column are one orbit,
    /// by number among components, points, labels, results and nodes.
    Columns(Vec<Vec<u32>>),
    /// The transversals of a stabiliser chain, one list a level. Every element of the factor acts on states like a
    /// product of one of each list, from the first on, in exactly one way.
    Cosets(Vec<Vec<Automorphism>>),
    /// Blocks that are permuted in all ways, and in each, independently, the same group: a wreath product. No component
    /// refers to another block.
    Wreath {
        /// The parts of each block. The first is ascending, and parts at the same place correspond.
        blocks: Vec<Vec<u32>>,
        /// The factors of the group of the first block.
        bottom: Vec<GroupFactor>,
        /// The whole factor in the form of [`GroupFactor::Cosets`], if that is small enough.
        cosets: Option<Vec<Vec<Automorphism>>>,
    },
}

/// The factors of a group that act on states, and the order of their
/// action.
#[derive(Clone, Debug)]
pub struct GroupFactors {
    /// Factors: every element acts like a product of one of each, in exactly one way.
    pub factors: Vec<GroupFactor>,
    /// The product of their orders.
    pub order: BigUint,
}

/// Outcome of a decomposition.
#[derive(Clone, Debug)]
pub enum Decomposition {
    /// The factors.
    Factors(GroupFactors),
    /// The group acts trivially on states.
    EventsAlone,
    /// The tables of elements would be too large.
    TooLarge,
}

impl Symmetries {
    /// The stabiliser chain of the whole group: of components first, then of local states and of nodes. So
    /// its preferred levels describe the action on states; the elements that fix them all act on events only. `None`
    /// if the chain would be too large.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn chain(
        &self,
        structure: &NetworkStructure,
        poll: Poll<'_>,
    ) -> Result<Option<StabiliserChain>> {
        let places = PartPlaces::new(structure);
        let maps: Vec<PointPermutation> = self.generators.iter().map(|g| g.map().clone()).collect();
        StabiliserChain::new(places.end, &maps, &acting(places), Some(&self.order), poll)
    }

    /// Decomposes the group.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn factors(&self, structure: &NetworkStructure, poll: Poll<'_>) -> Result<Decomposition> {
        let mut order = BigUint::from(1u8);
        let mut room = TABLES_MAX;
        let found = taken_apart(structure, &self.parts, (&mut order, &mut room), poll)?;
        Ok(match found {
            Some(factors) if factors.is_empty() => Decomposition::EventsAlone,
            Some(factors) => Decomposition::Factors(GroupFactors { factors, order }),
            None => Decomposition::TooLarge,
        })
    }

    /// The order of the action on components, local states and nodes; `None` if it is not known.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn acting_order(
        &self,
        structure: &NetworkStructure,
        poll: Poll<'_>,
    ) -> Result<Option<BigUint>> {
        acting_order(structure, &self.parts, poll)
    }
}

/// The order of the action of these parts on states; `None` if it is not known.
fn acting_order(
    structure: &NetworkStructure,
    parts: &[SymmetryPart],
    poll: Poll<'_>,
) -> Result<Option<BigUint>> {
    let places = PartPlaces::new(structure);
    let mut all = BigUint::from(1u32);
    for part in parts.iter().filter(|part| part.acts(places)) {
        if let Some(columns) = symmetric_columns(places.end, &part.maps, poll)? {
            all *= (1..=columns.len()).product::<BigUint>();
        } else if let Some(wreath) = wreath_blocks(structure, part, poll)? {
            let Some(order) = acting_order(structure, &wreath.parts(places), poll)? else {
                return Ok(None);
            };
            let count = wreath.blocks.len() as u32;
            all *= order.pow(count) * (1..=count).product::<BigUint>();
        } else {
            let Some(chain) = chain_of(places, part, poll)? else {
                return Ok(None);
            };
            all *= chain.order_on(chain.preferred_levels());
        }
    }
    Ok(Some(all))
}

impl SymmetryPart {
    /// Whether it acts on states, and not on events only.
    fn acts(&self, places: PartPlaces) -> bool {
        let mut moved = self.maps.iter().flat_map(PointPermutation::moved);
        moved.any(|at| is_acting(places, *at))
    }
}

/// The factors of a permutation group, by generators. Multiplies `all` by the order of their action, and
/// subtracts the size of their tables from the room. `None` if there is not enough.
fn taken_apart(
    structure: &NetworkStructure,
    parts: &[SymmetryPart],
    (all, room): (&mut BigUint, &mut usize),
    poll: Poll<'_>,
) -> Result<Option<Vec<GroupFactor>>> {
    let places = PartPlaces::new(structure);
    let mut found = Vec::new();
    for part in parts.iter().filter(|part| part.acts(places)) {
        // Sorting needs no chain, which would take long for hundreds of columns.
        if let Some(columns) = symmetric_columns(places.end, &part.maps, poll)?
            && are_apart(structure, places, &columns)
        {
            *all *= (1..=columns.len()).product::<BigUint>();
            found.push(GroupFactor::Columns(columns));
            continue;
        }
        // Neither does sorting blocks.
        if let Some(wreath) = wreath_blocks(structure, part, poll)?
            && let mut order = BigUint::from(1u8)
            && let inside = (&mut order, &mut *room)
            && let Some(bottom) = taken_apart(structure, &wreath.parts(places), inside, poll)?
            && !bottom.is_empty()
        {
            let count = wreath.blocks.len() as u32;
            *all *= order.pow(count) * (1..=count).product::<BigUint>();
            found.push(GroupFactor::Wreath {
                cosets: match takes_long(places, part) {
                    true => None,
                    false => match chain_of(places, part, poll)? {
                        Some(chain) => cosets(places, &chain, room, poll)?,
                        None => None,
                    },
                },
                blocks: wreath.blocks,
                bottom,
            });
            continue;
        }
        let Some(chain) = chain_of(places, part, poll)? else {
            return Ok(None);
        };
        if chain.preferred_levels() == 0 {
            continue;
        }
        *all *= chain.order_on(chain.preferred_levels());
        match cosets(places, &chain, room, poll)? {
            Some(lists) => found.push(GroupFactor::Cosets(lists)),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// The stabiliser chain of a part: base points that act on states come first.
fn chain_of(
    places: PartPlaces,
    part: &SymmetryPart,
    poll: Poll<'_>,
) -> Result<Option<StabiliserChain>> {
    let order = part.order.as_ref();
    StabiliserChain::new(places.end, &part.maps, &acting(places), order, poll)
}

/// Whether a chain of a group would take long to make: long orbits, and many of them.
fn takes_long(places: PartPlaces, part: &SymmetryPart) -> bool {
    let orbits = PointOrbits::of(places.end, &part.maps).orbits();
    let largest = orbits.iter().map(Vec::len).max().unwrap_or(0);
    largest.saturating_mul(largest).saturating_mul(orbits.len()) > COSETS_MAX
}

/// Whether a part shows in a state: labels and results do not.
fn is_acting(places: PartPlaces, at: u32) -> bool {
    at < places.labels || at >= places.nodes
}

/// The parts that make up a state: components, then local states and nodes.
fn acting(places: PartPlaces) -> Vec<u32> {
    (0..places.labels).chain(places.nodes..places.end).collect()
}

/// Whether every local state of a component in a column is in the same column: then no component refers to
/// another column, and columns can be sorted.
fn are_apart(structure: &NetworkStructure, places: PartPlaces, columns: &[Vec<u32>]) -> bool {
    let mut column = vec![None; places.end as usize];
    for (number, members) in columns.iter().enumerate() {
        members
            .iter()
            .for_each(|at| column[*at as usize] = Some(number));
    }
    (0..structure.points.components()).all(|component| {
        let own = column[component];
        let points = structure.points.range(component);
        own.is_none()
            || points
                .into_iter()
                .all(|p| column[(places.points + p) as usize] == own)
    })
}

fn cosets(
    places: PartPlaces,
    chain: &StabiliserChain,
    room: &mut usize,
    poll: Poll<'_>,
) -> Result<Option<Vec<Vec<Automorphism>>>> {
    let levels = 0..chain.preferred_levels();
    let elements: usize = levels.clone().map(|level| chain.orbit(level).len()).sum();
    let size = elements.saturating_mul(places.end as usize);
    let Some(left) = room.checked_sub(size) else {
        return Ok(None);
    };
    *room = left;
    poll(size)?;
    let list = |level| {
        let all = 0..chain.orbit(level).len();
        let element = |place| chain.transversal_element(level, place).inverse();
        all.map(|place| Automorphism::new(places, element(place)))
            .collect()
    };
    Ok(Some(levels.map(list).collect()))
}
