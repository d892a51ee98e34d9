//! The least image of a state under an enumerated group.

use std::cmp::Ordering;

use super::acting::ActingTable;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;

/// Largest order of a group that is enumerated.
pub const ELEMENTS_MAX: usize = 4_096;
/// Numbers in the tables of the elements at most.
const ROOM_MAX: usize = 1 << 22;

/// All elements of a group.
#[derive(Debug)]
pub(super) struct WholeGroup {
    pub(super) elements: Vec<Automorphism>,
    table: ActingTable,
}

impl WholeGroup {
    /// Enumerates a group given by its stabiliser chain, one list a level; `None` if it is too large.
    pub(super) fn new<'a>(
        structure: &NetworkStructure,
        lists: impl IntoIterator<Item = &'a Vec<Automorphism>>,
    ) -> Option<Self> {
        let places = PartPlaces::new(structure);
        let mut elements = vec![Automorphism::identity(places)];
        for list in lists {
            let count = elements.len().checked_mul(list.len())?;
            if count > ELEMENTS_MAX || count.saturating_mul(places.end as usize) > ROOM_MAX {
                return None;
            }
            let products = |one: &Automorphism| list.iter().map(|next| one.then(next)).collect();
            elements = elements
                .iter()
                .map(products)
                .collect::<Vec<Vec<Automorphism>>>()
                .concat();
        }
        Some(Self {
            table: ActingTable::new(structure, &elements),
            elements,
        })
    }

    /// Replaces a state by its least image. Returns the element that leads there, and the number of such elements.
    pub(super) fn find(&self, state: &mut [u32], least: &mut Vec<u32>) -> (u16, u128) {
        self.table.image(0, state, least);
        let (mut found, mut times) = (0, 1);
        for element in 1..self.table.len() {
            match self.table.compare(element, state, least) {
                Ordering::Less => {
                    self.table.image(element, state, least);
                    (found, times) = (element, 1);
                }
                Ordering::Equal => times += 1,
                Ordering::Greater => {}
            }
        }
        state.copy_from_slice(least);
        (found as u16, times)
    }
}
