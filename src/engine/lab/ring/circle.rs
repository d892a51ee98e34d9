//! The turn of a circle by one place, and the cells that it moves onto each other.

use std::ops::Range;

use crate::machine::{LocalId, Machine};
use crate::source::hash::IndexMap;
use crate::structure::element::Automorphism;
use crate::structure::network_structure::NetworkStructure;

/// Elements of the group among which a turn is sought.
const ELEMENTS_MAX: usize = 4_096;

/// A symmetry that turns all components by one place. Each of its orbits has one component in each cell.
pub struct Circle {
    /// Number of cells.
    pub cells: usize,
    /// For each component its orbit and its cell.
    pub place: Vec<(usize, usize)>,
    /// For each point its number among those of the component of its orbit in the first cell.
    pub number: Vec<u32>,
    /// For each orbit the points of that component.
    pub points: Vec<Range<u32>>,
}

/// The neighbouring cells that contain some cells: the first, and how many. There may be several such stretches of
/// equal length; then it is one of them.
pub fn stretch(cells: &mut Vec<usize>, all: usize) -> (usize, usize) {
    cells.sort_unstable();
    cells.dedup();
    let gap = |at: usize| {
        let next = cells[(at + 1) % cells.len()];
        (next + all - cells[at] - 1) % all
    };
    // The largest gap is left out.
    let before = (0..cells.len()).max_by_key(|at| gap(*at));
    before.map_or((0, 0), |at| (cells[(at + 1) % cells.len()], all - gap(at)))
}

impl Circle {
    /// The turn for which transitions concern the closest cells. If there is none, a component that all symmetries with
    /// cycles of this length leave where it is.
    pub fn find(
        structure: &NetworkStructure,
        generators: &[Automorphism],
        cells: usize,
    ) -> Result<Self, Option<usize>> {
        let components = structure.points.components();
        let (mut best, mut fixed) = (None, None);
        for turn in elements(generators) {
            let is_back = turn.power(cells as u64);
            let stays = |c: &usize| turn.component(*c) == *c;
            let whole = |c: usize| (1..cells).all(|k| turn.power(k as u64).component(c) != c);
            let comes_back = (0..structure.points.count() as u32).all(|p| is_back.point(p) == p);
            if !comes_back || !(0..components).all(|c| stays(&c) || whole(c)) {
                continue;
            }
            match (0..components).find(stays) {
                Some(component) if (0..components).any(|c| !stays(&c)) => {
                    fixed = fixed.or(Some(component));
                }
                Some(_) => {}
                None => {
                    let circle = Self::closest(structure, &turn, cells);
                    // Of both directions the one in which components stand in the network.
                    let cost = (circle.cost(structure), turn.component(0));
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, circle));
                    }
                }
            }
        }
        best.map(|(_, circle)| circle).ok_or(fixed)
    }

    /// The cells of a turn. Where the cells of an orbit begin is chosen so that transitions concern close cells.
    fn closest(structure: &NetworkStructure, turn: &Automorphism, cells: usize) -> Self {
        let mut circle = Self::of(structure, turn, cells);
        // Once more, since the first orbits were placed among others that have moved since.
        for orbit in (0..circle.points.len())
            .skip(1)
            .cycle()
            .take(2 * circle.points.len())
        {
            let moved = |by: usize| circle.moved(structure, turn, (orbit, by));
            let least = (0..cells).min_by_key(|by| moved(*by).cost(structure));
            if let Some(by) = least.filter(|by| *by > 0) {
                circle = moved(by);
            }
        }
        circle
    }

    fn of(structure: &NetworkStructure, turn: &Automorphism, cells: usize) -> Self {
        let components = structure.points.components();
        let mut place = vec![None; components];
        let mut firsts = Vec::new();
        for component in 0..components {
            if place[component].is_some() {
                continue;
            }
            let mut at = component;
            for cell in 0..cells {
                place[at] = Some((firsts.len(), cell));
                at = turn.component(at);
            }
            firsts.push(component);
        }
        let place = place.into_iter().map(Option::unwrap_or_default).collect();
        Self::with(structure, turn, cells, place)
    }

    fn with(
        structure: &NetworkStructure,
        turn: &Automorphism,
        cells: usize,
        place: Vec<(usize, usize)>,
    ) -> Self {
        let orbits = place.iter().map(|(orbit, _)| orbit + 1).max().unwrap_or(0);
        let mut points = vec![0..0; orbits];
        for (component, (orbit, _)) in place.iter().enumerate().filter(|(_, at)| at.1 == 0) {
            points[*orbit] = structure.points.range(component);
        }
        let mut number = vec![0; structure.points.count()];
        for range in &points {
            for first in range.clone() {
                let mut point = first;
                for _ in 0..cells {
                    number[point as usize] = first - range.start;
                    point = turn.point(point);
                }
            }
        }
        Self {
            cells,
            place,
            number,
            points,
        }
    }

    /// The same with one orbit moved on by some cells.
    fn moved(&self, structure: &NetworkStructure, turn: &Automorphism, by: (usize, usize)) -> Self {
        let mut place = self.place.clone();
        for (_, cell) in place.iter_mut().filter(|(orbit, _)| *orbit == by.0) {
            *cell = (*cell + by.1) % self.cells;
        }
        Self::with(structure, turn, self.cells, place)
    }

    /// The cells that all rules concern, together.
    fn cost(&self, structure: &NetworkStructure) -> usize {
        let concerned = |(labels, _): &(Box<[u32]>, u32)| {
            let cell = |label: &u32| self.place[usize::from(structure.labels[*label as usize])].1;
            stretch(&mut labels.iter().map(cell).collect(), self.cells).1
        };
        structure.rules.iter().map(concerned).sum()
    }

    /// For each cell of a global state the number of the local state of each orbit; `None` if one has no point.
    pub fn tuples(&self, structure: &NetworkStructure, state: &[LocalId]) -> Option<Vec<Vec<u32>>> {
        let points = structure.points_of(state)?;
        let mut all = vec![vec![0; self.points.len()]; self.cells];
        for (component, point) in points.into_iter().enumerate() {
            let (orbit, cell) = self.place[component];
            all[cell][orbit] = self.number[point as usize];
        }
        Some(all)
    }

    /// The local states of the first cell with these numbers.
    pub fn name(
        &self,
        machine: &mut Machine,
        structure: &NetworkStructure,
        tuple: &[u32],
    ) -> String {
        let local = |(number, range): (&u32, &Range<u32>)| {
            machine.show_local(structure.points.local(range.start + number))
        };
        let names: Vec<String> = tuple.iter().zip(&self.points).map(local).collect();
        names.join(" | ")
    }
}

/// Elements of the group with these generators, breadth-first: all, or as many as are looked at.
fn elements(generators: &[Automorphism]) -> Vec<Automorphism> {
    let mut all: IndexMap<Vec<u32>, Automorphism> = IndexMap::default();
    for generator in generators {
        all.insert(generator.acting(), generator.clone());
    }
    let mut at = 0;
    while at < all.len() && all.len() < ELEMENTS_MAX {
        for generator in generators {
            let next = all[at].then(generator);
            all.entry(next.acting()).or_insert(next);
        }
        at += 1;
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_leaves_out_the_largest_gap() {
        assert_eq!(stretch(&mut vec![0], 5), (0, 1));
        assert_eq!(stretch(&mut vec![4, 0], 5), (4, 2));
        assert_eq!(stretch(&mut vec![2, 1, 2], 5), (1, 2));
        assert_eq!(stretch(&mut vec![3, 0, 4], 6), (3, 4));
        assert_eq!(stretch(&mut vec![0, 1, 2], 3), (0, 3));
        assert_eq!(stretch(&mut vec![0, 2], 4).1, 3);
    }
}
