//! Automorphisms of a network: the images of components, and with them of local states and events.

use num_bigint::BigUint;

use super::network_structure::NetworkStructure;
use crate::group::PointPermutation;
use crate::machine::{EventId, LocalId};

/// Ranges of the kinds of parts of a structure among the points of a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartPlaces {
    /// The first local state; components stand before.
    pub points: u32,
    /// The first label of a component's events.
    pub labels: u32,
    /// The first event of the network.
    pub results: u32,
    /// The first node of the specification.
    pub nodes: u32,
    /// Number of all parts.
    pub end: u32,
}

impl PartPlaces {
    /// The ranges of a structure.
    #[must_use]
    pub fn new(structure: &NetworkStructure) -> Self {
        let points = structure.points.components() as u32;
        let labels = points + structure.points.count() as u32;
        let results = labels + structure.labels.len() as u32;
        let nodes = results + structure.results.len() as u32;
        Self {
            points,
            labels,
            results,
            nodes,
            end: nodes + structure.nodes.len() as u32,
        }
    }
}

/// A symmetry of a network, `(α, π)` of Def. 29, as a permutation of components, points, labels, results and
/// nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automorphism {
    places: PartPlaces,
    map: PointPermutation,
}

impl Automorphism {
    /// An automorphism from a permutation of all parts, which maps each kind to itself.
    #[must_use]
    pub fn new(places: PartPlaces, map: PointPermutation) -> Self {
        Self { places, map }
    }

    /// The identity.
    #[must_use]
    pub fn identity(places: PartPlaces) -> Self {
        Self::new(places, PointPermutation::identity(places.end))
    }

    /// The permutation.
    #[must_use]
    pub fn map(&self) -> &PointPermutation {
        &self.map
    }

    /// The image of a component.
    #[must_use]
    pub fn component(&self, component: usize) -> usize {
        self.map.apply(component as u32) as usize
    }

    /// The image of a point.
    #[must_use]
    pub fn point(&self, point: u32) -> u32 {
        self.map
            .apply(self.places.points + point)
            .wrapping_sub(self.places.points)
    }

    /// The image of a label.
    #[must_use]
    pub fn label(&self, label: u32) -> u32 {
        self.map
            .apply(self.places.labels + label)
            .wrapping_sub(self.places.labels)
    }

    /// The image of an event of the network, by number.
    #[must_use]
    pub fn result(&self, result: u32) -> u32 {
        self.map
            .apply(self.places.results + result)
            .wrapping_sub(self.places.results)
    }

    /// The image of a node of the specification.
    #[must_use]
    pub fn node(&self, node: u32) -> u32 {
        match self.places.end - self.places.nodes {
            // The structure has no nodes then, and none of them moves.
            0 => node,
            _ => self
                .map
                .apply(self.places.nodes + node)
                .wrapping_sub(self.places.nodes),
        }
    }

    /// The image of each point, and after the points of each node, in one numbering.
    #[must_use]
    pub fn acting(&self) -> Vec<u32> {
        let places = self.places;
        let points = places.labels - places.points;
        let count = points + places.end - places.nodes;
        let mut images: Vec<u32> = (0..count).collect();
        // Points and nodes are not adjacent among all parts.
        let number = |place: u32| match place {
            p if (places.points..places.labels).contains(&p) => Some(p - places.points),
            p if p >= places.nodes => Some(points + p - places.nodes),
            _ => None,
        };
        for (place, to) in self.map.moves() {
            if let (Some(from), Some(to)) = (number(place), number(to)) {
                images[from as usize] = to;
            }
        }
        images
    }

    /// The action on points.
    #[must_use]
    pub fn on_points(&self) -> PointPermutation {
        let PartPlaces { points, labels, .. } = self.places;
        let moves = self.map.moves();
        let moves = moves.filter(|(part, _)| (points..labels).contains(part));
        let moves = moves.map(|(part, to)| (part - points, to - points));
        PointPermutation::of_moves(labels - points, moves)
            .unwrap_or_else(|| PointPermutation::identity(labels - points))
    }

    /// The action on components and points of an element with this action on points. All else is fixed, so it need not
    /// be an automorphism.
    #[must_use]
    pub fn of_points(structure: &NetworkStructure, map: &PointPermutation) -> Self {
        let places = PartPlaces::new(structure);
        let component = |p: u32| structure.points.component(p) as u32;
        let part = |p: u32| places.points + p;
        let moves = map
            .moves()
            .flat_map(|(point, to)| [(part(point), part(to)), (component(point), component(to))]);
        let map = PointPermutation::of_moves(places.end, moves);
        Self::new(
            places,
            map.unwrap_or_else(|| PointPermutation::identity(places.end)),
        )
    }

    /// The image of an event; events that are in no rule are fixed.
    #[must_use]
    pub fn event(&self, structure: &NetworkStructure, event: EventId) -> EventId {
        let number = structure.results.get_index_of(&event);
        let image = number.and_then(|n| {
            let image = self.result(n as u32);
            structure.results.get_index(image as usize)
        });
        image.copied().unwrap_or(event)
    }

    /// The image of a global state; `None` if a local state has no point.
    #[must_use]
    pub fn state(&self, structure: &NetworkStructure, state: &[LocalId]) -> Option<Vec<LocalId>> {
        let mut image = vec![LocalId(0); state.len()];
        for (component, local) in state.iter().enumerate() {
            let point = structure.points.point(component, *local)?;
            image[self.component(component)] = structure.points.local(self.point(point));
        }
        Some(image)
    }

    /// The product, first `self`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self::new(self.places, self.map.then(&next.map))
    }

    /// The power with this exponent.
    #[must_use]
    pub fn power(&self, exponent: u64) -> Self {
        let mut power = Self::identity(self.places);
        // Square and multiply, from the highest binary digit on.
        for digit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.then(&power);
            if exponent >> digit & 1 == 1 {
                power = power.then(self);
            }
        }
        power
    }

    /// The order of its action on global states.
    #[must_use]
    pub fn order_on_states(&self) -> BigUint {
        // Components and points precede all other parts, and are mapped to such.
        let acting: Vec<u32> = (0..self.places.labels).collect();
        let on_states = self.map.restricted(&acting);
        on_states.map_or_else(|| self.map.order(), |map| map.order())
    }

    /// The inverse.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self::new(self.places, self.map.inverse())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle of three components with a local state each, and exchanges of two labels and of two of three events.
    fn turn() -> Automorphism {
        let places = PartPlaces {
            points: 3,
            labels: 6,
            results: 8,
            nodes: 11,
            end: 11,
        };
        let map = PointPermutation::new(&[1, 2, 0, 4, 5, 3, 7, 6, 9, 8, 10]);
        Automorphism::new(places, map.expect("a permutation"))
    }

    #[test]
    fn powers_are_repetitions() {
        let turn = turn();
        let mut repeated = Automorphism::identity(turn.places);
        for exponent in 0..20 {
            assert_eq!(turn.power(exponent), repeated, "{exponent}");
            repeated = repeated.then(&turn);
        }
        assert_eq!(turn.power(u64::MAX), turn.power(u64::MAX % 6));
    }

    /// The action on labels and events alone does not count.
    #[test]
    fn states_are_as_they_were_before_events_are() {
        let turn = turn();
        assert_eq!(turn.map().order(), BigUint::from(6u8));
        assert_eq!(turn.order_on_states(), BigUint::from(3u8));
        assert_eq!(turn.power(3).order_on_states(), BigUint::from(1u8));
        assert!(!turn.power(3).map().is_identity());
    }
}
