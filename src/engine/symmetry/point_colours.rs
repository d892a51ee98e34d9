//! Colours of the points of two states, refined together: the rounds that [`super::structural_certificate`] defines.
//!
//! As in `joint`, nothing is hashed: equal colours are certainly equal.

use super::certificate::WhichState;
use super::structural_certificate::{DifferingPair, PairColours, PointCell};
use super::structural_compare::PointGroup;
use crate::group::{PointOrbits, Poll};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;

/// Points of a group of which pairs are compared, at most: orbits of pairs take room for the square.
const PAIRED_MAX: u32 = 1_000;

/// The orbits of ordered pairs of points.
pub(super) struct PairOrbits {
    degree: u32,
    orbits: PointOrbits,
}

impl PairOrbits {
    /// The orbits under a group; `None` if it acts on too many points.
    pub(super) fn of(group: &PointGroup, poll: Poll<'_>) -> Result<Option<Self>> {
        let degree = group.degree;
        if degree > PAIRED_MAX {
            return Ok(None);
        }
        poll((degree * degree / 16) as usize)?;
        let mut orbits = PointOrbits::new(degree * degree);
        for generator in &group.generators {
            poll(2 * generator.moved().len() * degree as usize)?;
            for (point, to) in generator.moves() {
                for (other, image) in (0..degree).map(|q| (q, generator.apply(q))) {
                    orbits.unite(point * degree + other, to * degree + image);
                    orbits.unite(other * degree + point, image * degree + to);
                }
            }
        }
        Ok(Some(Self { degree, orbits }))
    }

    fn root_of(&mut self, first: u32, second: u32) -> u32 {
        self.orbits.root_of(first * self.degree + second)
    }
}

/// The points of both states, as colours are given to them.
pub(super) struct Coloured<'a> {
    /// For each point of `left` its name in certificates.
    pub(super) names: &'a [u32],
    pub(super) left: &'a [u32],
    pub(super) right: &'a [u32],
}

/// The kinds of pairs that a point begins: orbit of the pair and colour of the other point.
type PairKinds = Vec<(u32, u32)>;

impl Coloured<'_> {
    pub(super) fn points(&self) -> impl Iterator<Item = u32> + '_ {
        self.left.iter().chain(self.right).copied()
    }

    /// The points of a colour.
    fn cell(&self, colours: &[u32], colour: u32) -> PointCell {
        let (left, right) = colours.split_at(self.left.len());
        let of = |points: &[u32], colours: &[u32]| {
            let both = points.iter().zip(colours);
            let mut found: Vec<u32> = both.filter(|(_, c)| **c == colour).map(|b| *b.0).collect();
            found.sort_unstable();
            found
        };
        PointCell {
            left: of(self.names, left),
            right: of(self.right, right),
        }
    }

    /// The smallest class with different numbers of points of the two states.
    pub(super) fn uneven(&self, colours: &[u32]) -> Option<PointCell> {
        let all: IndexSet<u32> = colours.iter().copied().collect();
        let cells = all.into_iter().map(|colour| self.cell(colours, colour));
        let uneven = cells.filter(|cell| cell.left.len() != cell.right.len());
        uneven.min_by_key(|cell| cell.left.len() + cell.right.len())
    }

    /// Refines colours until nothing changes, or until a class has different numbers of points.
    pub(super) fn refine(
        &self,
        colours: &mut Vec<u32>,
        pairs: &mut PairOrbits,
        poll: Poll<'_>,
    ) -> Result<Option<Box<PairColours>>> {
        let mut count = colours.iter().collect::<IndexSet<_>>().len();
        for round in 1.. {
            poll(4 * self.left.len() * colours.len())?;
            let kinds = self.kinds(colours, pairs);
            let mut known: IndexSet<(u32, &PairKinds)> = IndexSet::default();
            let next = colours.iter().zip(&kinds);
            let next: Vec<u32> = next
                .map(|(c, kinds)| known.insert_full((*c, kinds)).0 as u32)
                .collect();
            if known.len() == count {
                break;
            }
            if let Some(class) = self.uneven(&next) {
                let found = self.differing(round, class, (colours, &next), (&kinds, pairs));
                return Ok(found.map(Box::new));
            }
            count = known.len();
            *colours = next;
        }
        Ok(None)
    }

    /// For each point the kinds of pairs with the other points of its state, ascending.
    fn kinds(&self, colours: &[u32], pairs: &mut PairOrbits) -> Vec<PairKinds> {
        let split = self.left.len();
        let mut all = Vec::with_capacity(colours.len());
        for (points, colours) in [
            (self.left, &colours[..split]),
            (self.right, &colours[split..]),
        ] {
            for first in points {
                let others = points.iter().zip(colours).filter(|(q, _)| *q != first);
                let kind = |(q, c): (&u32, &u32)| (pairs.root_of(*first, *q), *c);
                let mut kinds: PairKinds = others.map(kind).collect();
                kinds.sort_unstable();
                all.push(kinds);
            }
        }
        all
    }

    /// The place of a point of a cell among the points of both states.
    fn place(&self, cell: &PointCell) -> Option<usize> {
        match cell.left.first() {
            Some(p) => self.names.iter().position(|name| name == p),
            None => {
                let at = self
                    .right
                    .iter()
                    .position(|q| Some(q) == cell.right.first());
                at.map(|at| self.left.len() + at)
            }
        }
    }

    /// The certificate for a class with different numbers of points after a round.
    fn differing(
        &self,
        round: usize,
        class: PointCell,
        (before, after): (&[u32], &[u32]),
        (kinds, pairs): (&[PairKinds], &mut PairOrbits),
    ) -> Option<PairColours> {
        let excess = |cell: &PointCell| cell.left.len() as isize - cell.right.len() as isize;
        let here = self.place(&class)?;
        // The class before the round was even, so for each part with a surplus there is one that lacks points.
        let same = (0..after.len()).filter(|at| before[*at] == before[here]);
        let same: IndexSet<u32> = same.map(|at| after[at]).collect();
        let cells = same.into_iter().map(|colour| self.cell(after, colour));
        let rest = cells.filter(|cell| excess(cell).signum() == -excess(&class).signum());
        let rest = rest.min_by_key(|cell| cell.left.len() + cell.right.len())?;
        let there = self.place(&rest)?;
        let times = |at: usize, kind: (u32, u32)| kinds[at].iter().filter(|k| **k == kind).count();
        let differs = |kind: &(u32, u32)| times(here, *kind) != times(there, *kind);
        let both = [here, there].into_iter();
        let mut kind = both.flat_map(|at| kinds[at].iter().map(move |kind| (at, *kind)));
        let (at, kind) = kind.find(|(_, kind)| differs(kind))?;
        let split = self.left.len();
        let (side, names, points, colours, at) = match at.checked_sub(split) {
            None => (
                WhichState::Left,
                self.names,
                self.left,
                &before[..split],
                at,
            ),
            Some(at) => (
                WhichState::Right,
                self.right,
                self.right,
                &before[split..],
                at,
            ),
        };
        let is_it =
            |q: &usize| *q != at && (pairs.root_of(points[at], points[*q]), colours[*q]) == kind;
        let second = (0..points.len()).find(is_it)?;
        Some(PairColours {
            round,
            class,
            rest,
            because: DifferingPair {
                side,
                first: names[at],
                second: names[second],
                times: times(here, kind),
                others: times(there, kind),
            },
        })
    }
}
