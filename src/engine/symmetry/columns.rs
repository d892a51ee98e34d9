//! Column sort: the least state of an orbit where the group permutes columns of a network in all ways.
//!
//! A column is everything that belongs to one of several equal parts: a component of each of some families,
//! its local states, its events, and the local states by which other, fixed components
//! refer to it. A component of one column never refers to another column. So up to the order of columns a state
//! is determined by the orbits in each: of the local states of its components, and of those of other
//! components that refer to it.
//! components that speak of it.

use crate::group::PointPermutation;
use crate::machine::order::Order;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;

/// Entry of a place that refers to no column.
const NOTHING: u32 = u32::MAX;

/// Columns that the group permutes in all ways.
#[derive(Debug)]
pub(super) struct ColumnSort {
    /// The parts of each column ([`crate::structure::parts::GroupFactor::Columns`]).
    columns: Vec<Vec<u32>>,
    /// For each column its components, those of one family at the same place.
    components: Vec<Vec<u16>>,
    /// The places of a state outside all columns: other components, and the node.
    others: Vec<u16>,
    /// For each point, and each node after these, its column and its orbit, if it has one.
    of: Vec<Option<(u16, u32)>>,
    /// For each orbit its point in each column.
    orbits: Vec<Vec<u32>>,
}

impl ColumnSort {
    pub(super) fn new(structure: &NetworkStructure, columns: Vec<Vec<u32>>) -> Self {
        let places = PartPlaces::new(structure);
        let points = structure.points.count();
        let components = structure.points.components();
        let mut this = Self {
            components: vec![Vec::new(); columns.len()],
            others: Vec::new(),
            of: vec![None; points + structure.nodes.len()],
            orbits: Vec::new(),
            columns,
        };
        let mut is_in_column = vec![false; components + 1];
        for at in 0..this.columns.first().map_or(0, Vec::len) {
            let members = || this.columns.iter().map(|column| column[at]);
            let first = this.columns[0][at];
            if first < places.points {
                for (own, component) in this.components.iter_mut().zip(members()) {
                    own.push(component as u16);
                    is_in_column[component as usize] = true;
                }
                continue;
            }
            let number = |place: u32| match place {
                p if p < places.labels => Some(p - places.points),
                p if p >= places.nodes => Some(points as u32 + p - places.nodes),
                _ => None,
            };
            // Labels and results are not part of a state.
            let Some(orbit) = members().map(number).collect::<Option<Vec<u32>>>() else {
                continue;
            };
            for (column, point) in orbit.iter().enumerate() {
                this.of[*point as usize] = Some((column as u16, this.orbits.len() as u32));
            }
            this.orbits.push(orbit);
        }
        let width = components + usize::from(!structure.nodes.is_empty());
        let others = (0..width).filter(|place| !is_in_column[*place]);
        this.others = others.map(|place| place as u16).collect();
        this
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Sorts the columns of a state, and appends to the word the column that comes to each place. Multiplies by
    /// the number of ways to do so, if they are counted.
    pub(super) fn sort(
        &self,
        state: &mut [u32],
        word: &mut Vec<u16>,
        (keys, sorted): (&mut Vec<u32>, &mut Vec<u32>),
        ways: Option<&mut Order>,
    ) {
        let length = self.components[0].len() + self.others.len();
        keys.clear();
        for (number, own) in self.components.iter().enumerate() {
            let orbit = |place: &u16| match self.of[state[usize::from(*place)] as usize] {
                Some((column, orbit)) if usize::from(column) == number => orbit,
                _ => NOTHING,
            };
            keys.extend(own.iter().chain(&self.others).map(orbit));
        }
        let key = |column: u16| &keys[usize::from(column) * length..][..length];
        let from = word.len();
        word.extend(0..self.columns.len() as u16);
        let order = &mut word[from..];
        order.sort_unstable_by(|a, b| key(*a).cmp(key(*b)).then(a.cmp(b)));
        if let Some(ways) = ways {
            let runs = order.chunk_by(|a, b| key(*a) == key(*b));
            runs.for_each(|run| ways.times_factorial(run.len()));
        }
        sorted.clear();
        sorted.extend_from_slice(state);
        for (to, column) in order.iter().enumerate() {
            let own = &self.components[usize::from(*column)];
            let targets = &self.components[to];
            let places = targets.iter().zip(own);
            let others = self.others.iter().map(|place| (place, place));
            for (target, source) in places.chain(others) {
                if let Some((of, orbit)) = self.of[state[usize::from(*source)] as usize]
                    && of == *column
                {
                    sorted[usize::from(*target)] = self.orbits[orbit as usize][to];
                }
            }
        }
        state.copy_from_slice(sorted);
    }

    /// Decodes the element at the head of a word, and removes it from the word.
    pub(super) fn led(&self, structure: &NetworkStructure, word: &mut &[u16]) -> Automorphism {
        // The word of a state that is its own representative is empty.
        match word.split_at_checked(self.columns.len()) {
            Some((own, rest)) => {
                *word = rest;
                self.element(structure, own)
            }
            None => Automorphism::identity(PartPlaces::new(structure)),
        }
    }

    pub(super) fn word_length(&self) -> usize {
        self.columns.len()
    }

    /// The image of a component under the element with a word.
    pub(super) fn component(&self, word: &[u16], component: u16) -> u16 {
        let is_own = |column: &u16| self.components[usize::from(*column)].contains(&component);
        let Some(to) = word.iter().position(is_own) else {
            return component;
        };
        let own = &self.components[usize::from(word[to])];
        let at = own.iter().position(|other| *other == component);
        at.map_or(component, |at| self.components[to][at])
    }

    /// A stabiliser chain of the symmetric group on columns, one list a level: the first brings each column
    /// to the first place, the next each of the others to the second, and so on.
    pub(super) fn lists(&self, structure: &NetworkStructure) -> Vec<Vec<Automorphism>> {
        let columns: Vec<u16> = (0..self.columns.len() as u16).collect();
        let exchanged = |one: usize, other: usize| {
            let mut order = columns.clone();
            order.swap(one, other);
            self.element(structure, &order)
        };
        let level = |place| (place..columns.len()).map(move |other| (place, other));
        let list = |place| level(place).map(|(a, b)| exchanged(a, b)).collect();
        (0..columns.len().saturating_sub(1)).map(list).collect()
    }

    /// Generators of the stabiliser of a state: exchanges of equal columns.
    pub(super) fn fixing(
        &self,
        structure: &NetworkStructure,
        state: &[u32],
        found: &mut Vec<Automorphism>,
    ) {
        let (mut sorted, mut order) = (state.to_vec(), Vec::new());
        let (mut keys, mut buffer) = (Vec::new(), Vec::new());
        let buffers = (&mut keys, &mut buffer);
        self.sort(&mut sorted, &mut order, buffers, None);
        let length = self.components[0].len() + self.others.len();
        let key = |column: u16| &keys[usize::from(column) * length..][..length];
        for pair in order.windows(2).filter(|pair| key(pair[0]) == key(pair[1])) {
            let mut exchanged: Vec<u16> = (0..self.columns.len() as u16).collect();
            exchanged.swap(usize::from(pair[0]), usize::from(pair[1]));
            found.push(self.element(structure, &exchanged));
        }
    }

    /// The element that sorts columns into an order.
    pub(super) fn element(&self, structure: &NetworkStructure, order: &[u16]) -> Automorphism {
        let places = PartPlaces::new(structure);
        let moves = order.iter().enumerate().flat_map(|(to, column)| {
            let from = &self.columns[usize::from(*column)];
            from.iter().copied().zip(self.columns[to].iter().copied())
        });
        let map = PointPermutation::of_moves(places.end, moves);
        let identity = || PointPermutation::identity(places.end);
        Automorphism::new(places, map.unwrap_or_else(identity))
    }
}
