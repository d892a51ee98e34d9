//! A group of symmetries taken apart into factors that move different things, each in the form in which the
//! least image under it is found best.

use num_bigint::BigUint;

use super::blueprint::Blueprint;
use super::element::{Automorphism, PartPlaces};
use super::search::Symmetries;
use super::wreath::wreath_blocks;
use crate::group::{PointOrbits, PointPermutation, StabiliserChain, factors, symmetric_columns};
use crate::source::diagnostic::Result;

/// Numbers in the tables of the elements of all factors.
const TABLES_MAX: usize = 1 << 24;

/// The largest orbit, squared, times the number of orbits, up to which a chain is made of whatever there is.
const CHAIN_MAX: usize = 1 << 24;

/// The order of the group times the points that it moves, up to which a chain is made as well: a transversal has no more
/// elements than the group, each with an image of every point.
const TRANSVERSALS_MAX: usize = 1 << 27;

/// One factor of a group.
#[derive(Clone, Debug)]
pub enum GroupFactor {
    /// Columns that are permuted in all ways, and nothing else. What stands at one place in each of them is
    /// of one orbit, by its number among components, points, labels, results and nodes.
    Columns(Vec<Vec<u32>>),
    /// For each level of a chain of stabilisers the elements that bring a point of its orbit to the base
    /// point. Every element of the factor acts on states like a product of one of each list, from the first
    /// on, in one way.
    Cosets(Vec<Vec<Automorphism>>),
    /// Blocks that are permuted in all ways, and in each, independently, the same group: a wreath product. No component
    /// knows of another block.
    Wreath {
        /// What belongs to each block. The first ascends, and what stands at one place corresponds.
        blocks: Vec<Vec<u32>>,
        /// The group of the first block, taken apart.
        bottom: Vec<GroupFactor>,
        /// All of it as [`GroupFactor::Cosets`] has it, where that does not take too much room.
        cosets: Option<Vec<Vec<Automorphism>>>,
    },
}

/// The factors of a group that change states, and how many elements they have together, as far as states
/// tell these apart.
#[derive(Clone, Debug)]
pub struct GroupFactors {
    /// Every element acts like a product of one of each, in one way.
    pub factors: Vec<GroupFactor>,
    /// The product of their orders.
    pub order: BigUint,
}

impl Symmetries {
    /// The chain of stabilisers of the whole group: of components first, then of local states and of nodes. So
    /// its preferred levels tell how the group acts on states; what fixes them all changes events alone. None
    /// if the chain would be too large.
    ///
    /// # Errors
    /// What `poll` reports.
    pub fn chain(
        &self,
        blueprint: &Blueprint,
        poll: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Option<StabiliserChain>> {
        let places = PartPlaces::new(blueprint);
        let maps: Vec<PointPermutation> = self.generators.iter().map(|g| g.map().clone()).collect();
        // Of a part of the group the order is not known.
        let order = self.complete.then_some(&self.order);
        StabiliserChain::new(places.end, &maps, &acting(places), order, poll)
    }

    /// Takes the group apart. None if that would take too much room.
    ///
    /// # Errors
    /// What `poll` reports.
    pub fn factors(
        &self,
        blueprint: &Blueprint,
        poll: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Option<GroupFactors>> {
        let maps: Vec<PointPermutation> = self.generators.iter().map(|g| g.map().clone()).collect();
        let order = self.complete.then_some(&self.order);
        let mut all = BigUint::from(1u8);
        let mut room = TABLES_MAX;
        let found = taken_apart(blueprint, (&maps, order), (&mut all, &mut room), poll)?;
        let found = found.filter(|found| !found.is_empty());
        Ok(found.map(|factors| GroupFactors {
            factors,
            order: all,
        }))
    }
}

/// The factors of the group that permutations generate, of so many elements if that is known. Multiplies by how many
/// these are for states, and takes room. None if there is not enough of it.
fn taken_apart(
    blueprint: &Blueprint,
    (maps, order): (&[PointPermutation], Option<&BigUint>),
    (all, room): (&mut BigUint, &mut usize),
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Option<Vec<GroupFactor>>> {
    let places = PartPlaces::new(blueprint);
    let parts = factors(places.end, maps);
    // No factor has more elements than the whole.
    let order_max = order.and_then(|order| usize::try_from(order).ok());
    // Of one factor the order is that of the whole; of a part of the group it is not known.
    let order = order.filter(|_| parts.len() == 1);
    let mut found = Vec::new();
    for part in parts {
        let own: Vec<PointPermutation> = part.iter().map(|at| maps[*at].clone()).collect();
        // What changes events alone changes no state.
        let mut moved = own.iter().flat_map(PointPermutation::moved);
        if !moved.any(|at| is_acting(places, *at)) {
            continue;
        }
        // Sorting needs no chain, which of all permutations of hundreds of columns takes long.
        if let Some(columns) = columns_of(places, &own, poll)?
            && are_apart(blueprint, places, &columns)
        {
            *all *= (1..=columns.len()).product::<BigUint>();
            found.push(GroupFactor::Columns(columns));
            continue;
        }
        if takes_long(places, &own, order_max) {
            return Ok(None);
        }
        let Some(chain) = StabiliserChain::new(places.end, &own, &acting(places), order, poll)?
        else {
            return Ok(None);
        };
        if chain.preferred_levels() == 0 {
            continue;
        }
        *all *= chain.order_on(chain.preferred_levels());
        let lists = cosets(places, &chain, room);
        if let Some(wreath) = wreath_blocks(blueprint, &own, chain.order(), poll)?
            && let inside = (&mut BigUint::from(1u8), &mut *room)
            && let Some(bottom) = taken_apart(blueprint, (&wreath.bottom, None), inside, poll)?
            && !bottom.is_empty()
        {
            found.push(GroupFactor::Wreath {
                blocks: wreath.blocks,
                bottom,
                cosets: lists,
            });
            continue;
        }
        match lists {
            Some(lists) => found.push(GroupFactor::Cosets(lists)),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// The columns that permutations permute in all ways, if that is all that they do.
fn columns_of(
    places: PartPlaces,
    own: &[PointPermutation],
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Option<Vec<Vec<u32>>>> {
    let orbits = PointOrbits::of(places.end, own).orbits();
    let Some(first) = orbits.first() else {
        return Ok(None);
    };
    if orbits.iter().any(|orbit| orbit.len() != first.len()) {
        return Ok(None);
    }
    // If they do the same on all orbits, what they do on one is all.
    let degree = first.len() as u32;
    let restricted: Option<Vec<_>> = own.iter().map(|map| map.restricted(first)).collect();
    let Some(restricted) = restricted else {
        return Ok(None);
    };
    let chain = StabiliserChain::new(degree, &restricted, &[], None, poll)?;
    Ok(chain.and_then(|chain| symmetric_columns(places.end, own, chain.order())))
}

/// Whether a chain of a group would take long to make: many images of one thing, among very many things. A group of few
/// elements has few images of anything; so many at most, if that is known.
fn takes_long(places: PartPlaces, own: &[PointPermutation], order_max: Option<usize>) -> bool {
    let orbits = PointOrbits::of(places.end, own).orbits();
    let largest = orbits.iter().map(Vec::len).max().unwrap_or(0);
    let moved: usize = orbits.iter().map(Vec::len).sum();
    let is_small = order_max.is_some_and(|order| order.saturating_mul(moved) <= TRANSVERSALS_MAX);
    !is_small && largest.saturating_mul(largest).saturating_mul(orbits.len()) > CHAIN_MAX
}

/// Whether a state shows where something is: labels and results are no part of one.
fn is_acting(places: PartPlaces, at: u32) -> bool {
    at < places.labels || at >= places.nodes
}

/// Components, then local states and nodes: what a state is.
fn acting(places: PartPlaces) -> Vec<u32> {
    (0..places.labels).chain(places.nodes..places.end).collect()
}

/// Whether every local state of a component that is in a column is in the same one: then no component knows of
/// another column, and columns can be sorted.
fn are_apart(blueprint: &Blueprint, places: PartPlaces, columns: &[Vec<u32>]) -> bool {
    let mut column = vec![None; places.end as usize];
    for (number, members) in columns.iter().enumerate() {
        members
            .iter()
            .for_each(|at| column[*at as usize] = Some(number));
    }
    (0..blueprint.points.components()).all(|component| {
        let own = column[component];
        let points = blueprint.points.range(component);
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
) -> Option<Vec<Vec<Automorphism>>> {
    let levels = 0..chain.preferred_levels();
    let elements: usize = levels.clone().map(|level| chain.orbit(level).len()).sum();
    *room = room.checked_sub(elements.saturating_mul(places.end as usize))?;
    let list = |level| {
        let all = 0..chain.orbit(level).len();
        let element = |place| chain.transversal_element(level, place).inverse();
        all.map(|place| Automorphism::new(places, element(place)))
            .collect()
    };
    Some(levels.map(list).collect())
}
