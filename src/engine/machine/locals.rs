//! Local states: a shape and some atoms.
//!
//! The *shape* of a component's local state is the invariant part under permutations (control
//! state, values of other types, structure), with numbered holes; the *atoms* fill the holes. A
//! permutation maps the atoms and fixes the shape (Lemma 34), so applying one is a look-up. By
//! Prop. 24 the transitions of a local state follow by renaming those of any state of its orbit, so
//! one state of each orbit is evaluated: the canonical form, whose atoms are numbered by first occurrence.
//! Invariant: equal local states have equal ids. A shape with sets has several atom tuples for one
//! state; all of them lead to the same id.

use std::cmp::Ordering;

use super::events::EventId;
use super::ids::{LocalId, Miss, ShapeId};
use super::sorting::sorted;
use super::tables::{Outline, ShortImage, Sparse};
use crate::process::term::Term;
use crate::source::hash::IndexMap;
use crate::source::{Cancel, Limits, diagnostic};
use crate::value::{Atom, AtomTypes};

/// A distinguished variable of a shape: a hole, or the interchangeable holes of one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The symmetric type of its atoms.
    pub kind: u8,
    /// Holes of one group stand in one set, whose order means nothing.
    pub group: u16,
    /// Holes of one row stand in one element of a set, as the parts of a pair in a set of pairs.
    pub row: u16,
    /// Whether other holes stand in the same element: then elements move as a whole.
    pub compound: bool,
    /// The variable's name.
    pub name: String,
}

/// One shape.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The term, with holes.
    pub term: Term,
    /// In the order of the atom tuple.
    pub holes: Vec<Hole>,
    /// Whether some group has several holes.
    pub grouped: bool,
    /// Whether the term is a parallel composition under static operators only.
    pub is_static: bool,
    /// Whether it is one under operators that end ([`super::tree`]).
    pub is_parallel_for_now: bool,
    /// Hash table for shapes whose full table would be too large.
    sparse: Sparse,
}

/// From atoms to local state: a table in mixed radix in [`Locals::dense`], or a hash table where a
/// full table would be too large.
#[derive(Clone, Copy, Debug)]
struct Radix {
    /// First of its digits in [`Locals::digits`], one a hole.
    digits: u32,
    /// Number of holes.
    arity: u32,
    /// First entry in [`Locals::dense`]; `u32::MAX` for a hash table.
    table: u32,
    /// `table` less the contribution of the first atom of each type (modulo 2³²).
    base: u32,
    /// As [`Shape::grouped`].
    grouped: bool,
}

/// Largest table of one shape, in entries.
const DENSE_MAX: usize = 1 << 16;

/// A transition of a local state.
pub type LocalTransition = (EventId, LocalId);

/// All local states interned so far, with the transitions of those that were expanded.
#[derive(Clone, Debug, Default)]
pub struct Locals {
    shapes: IndexMap<Term, Shape>,
    /// Position of each shape in the structural order: the symmetry-respecting order of step 1.
    ranks: Vec<u32>,
    /// Look-up of local states by atoms, for each shape.
    radix: Vec<Radix>,
    /// The stride of each hole.
    digits: Vec<u32>,
    dense: Vec<u32>,
    outlines: Vec<Outline>,
    atoms: Vec<Atom>,
    /// Start and end in `transitions`; start is `u32::MAX` while not expanded.
    expanded: Vec<(u32, u32)>,
    transitions: Vec<LocalTransition>,
    /// Limits of work on the tables without the evaluator.
    patience: (Limits, Cancel),
}

impl Locals {
    /// An empty table, with limits of work.
    #[must_use]
    pub fn bounded(patience: (Limits, Cancel)) -> Self {
        Self {
            patience,
            ..Self::default()
        }
    }

    /// Replaces the limits of work.
    pub fn go_on_within(&mut self, patience: (Limits, Cancel)) {
        self.patience = patience;
    }

    /// Whether the work was cancelled, or its time is over.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        let (limits, cancel) = &self.patience;
        limits.reached(cancel, 0).is_some()
    }

    /// Number of local states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outlines.len()
    }

    /// The shape of a local state.
    #[must_use]
    pub fn shape_of(&self, local: LocalId) -> ShapeId {
        self.outlines[local.0 as usize].shape()
    }

    /// The compact form of a local state that the search for representatives reads.
    #[must_use]
    pub fn outline(&self, local: LocalId) -> &Outline {
        &self.outlines[local.0 as usize]
    }

    /// The entry of a shape.
    #[must_use]
    pub fn shape(&self, shape: ShapeId) -> &Shape {
        &self.shapes[shape.0 as usize]
    }

    /// The terms of all shapes, in the order in which they were interned.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.shapes.keys().copied()
    }

    /// Position of a shape in the structural order of those known when [`super::Machine::rank_shapes`] last
    /// ran. New shapes never change the order of two old ones.
    #[must_use]
    pub fn rank(&self, shape: ShapeId) -> u32 {
        self.ranks
            .get(shape.0 as usize)
            .copied()
            .unwrap_or(u32::MAX)
    }

    /// The atoms of a local state: the values of its distinguished variables.
    #[must_use]
    pub fn atoms_of(&self, local: LocalId) -> &[Atom] {
        let outline = &self.outlines[local.0 as usize];
        let arity = self.radix[outline.shape as usize].arity;
        &self.atoms[outline.at as usize..(outline.at + arity) as usize]
    }

    /// Whether a variable of a local state is a set with several elements: their order means nothing.
    #[must_use]
    pub fn is_grouped(&self, local: LocalId) -> bool {
        self.radix[self.shape_of(local).0 as usize].grouped
    }

    /// The transitions of a local state in ascending order of events, if it was expanded.
    #[must_use]
    pub fn transitions(&self, local: LocalId) -> Option<&[LocalTransition]> {
        let (from, to) = self.expanded[local.0 as usize];
        (from != u32::MAX).then(|| &self.transitions[from as usize..to as usize])
    }

    /// The transitions of a local state with one event, as a range in the arena; empty if there are
    /// none or the local state is not expanded.
    #[must_use]
    pub fn range_on(&self, local: LocalId, event: EventId) -> (u32, u32) {
        let all = self.transitions(local).unwrap_or(&[]);
        let from = all.partition_point(|t| t.0 < event);
        let len = all[from..].iter().take_while(|t| t.0 == event).count();
        // If it is not expanded, there is no start, and the range is empty anyway.
        let start = self.expanded[local.0 as usize].0.wrapping_add(from as u32);
        (start, start.wrapping_add(len as u32))
    }

    /// A range of the transition arena, as [`Locals::range_on`] gave it.
    #[must_use]
    pub fn range(&self, range: (u32, u32)) -> &[LocalTransition] {
        &self.transitions[range.0 as usize..range.1 as usize]
    }

    /// The transitions of an expanded local state, as a range in the arena.
    #[must_use]
    pub fn arena_range(&self, local: LocalId) -> (u32, u32) {
        self.expanded[local.0 as usize]
    }

    /// The image `π(s)`, if an outline and a full table are enough to find it.
    #[inline]
    #[must_use]
    pub fn image(&self, local: LocalId, names: &ShortImage) -> Option<LocalId> {
        let outline = &self.outlines[local.0 as usize];
        // Without atoms nothing moves.
        if outline.is_bare() {
            return Some(local);
        }
        let found = self.dense.get(outline.slot(names)? as usize)?;
        (*found != u32::MAX).then_some(LocalId(*found))
    }

    /// The image `π(s)` (Lemma 34), if the tables hold it.
    ///
    /// # Errors
    /// The image that is missing.
    pub fn permute(&self, local: LocalId, image: &[Atom]) -> Result<LocalId, Miss> {
        let atoms = self.atoms_of(local).iter().map(|a| image[a.0 as usize]);
        let shape = self.shape_of(local);
        self.get(shape, &atoms)
            .ok_or_else(|| Miss::Image(shape, atoms.collect()))
    }

    /// The position of an atom tuple in the full table of its shape; `None` if it has no such table.
    fn slot(&self, shape: ShapeId, atoms: impl Iterator<Item = Atom>) -> Option<usize> {
        let radix = self.radix[shape.0 as usize];
        // Then the shape has a hash table of its own.
        if radix.table == u32::MAX {
            return None;
        }
        let digits = &self.digits[radix.digits as usize..(radix.digits + radix.arity) as usize];
        let steps = atoms
            .zip(digits)
            .map(|(atom, worth)| u32::from(atom.0).wrapping_mul(*worth));
        // Modulo 2³²: the base corrects for the least atoms, and may be below 0.
        Some(steps.fold(radix.base, u32::wrapping_add) as usize)
    }

    /// The local state with these atoms in the holes of a shape.
    pub(super) fn get(
        &self,
        shape: ShapeId,
        atoms: &(impl ExactSizeIterator<Item = Atom> + Clone),
    ) -> Option<LocalId> {
        match self.slot(shape, atoms.clone()) {
            Some(slot) => Some(LocalId(self.dense[slot])).filter(|l| l.0 != u32::MAX),
            None => self.shape(shape).sparse.find(atoms),
        }
    }

    /// Adds an alias: atoms, without an entry so far, of a known local state. Where a variable
    /// is a set, they may stand in another order than in the local state itself.
    pub(super) fn alias(&mut self, shape: ShapeId, atoms: &[Atom], local: LocalId) {
        match self.slot(shape, atoms.iter().copied()) {
            Some(slot) => self.dense[slot] = local.0,
            None => self.shapes[shape.0 as usize].sparse.insert(atoms, local),
        }
    }

    /// Allocates the look-up of a new shape.
    fn add_radix(&mut self, holes: &[Hole], grouped: bool, atoms: &AtomTypes) {
        let digits = self.digits.len() as u32;
        let mut size = 1usize;
        let mut least = 0u32;
        for hole in holes {
            let range = atoms.atoms(hole.kind);
            let step = u32::try_from(size).unwrap_or(u32::MAX);
            self.digits.push(step);
            least = least.wrapping_add(u32::from(range.start).wrapping_mul(step));
            size = size.saturating_mul(range.len());
        }
        // Most shapes have few holes; one with many would take memory for tuples that never occur.
        let fits = size <= DENSE_MAX && self.dense.len() + size < u32::MAX as usize;
        let table = if fits {
            self.dense.len() as u32
        } else {
            u32::MAX
        };
        if fits {
            self.dense.resize(self.dense.len() + size, u32::MAX);
        }
        self.radix.push(Radix {
            digits,
            arity: holes.len() as u32,
            table,
            base: table.wrapping_sub(least),
            grouped,
        });
    }

    /// The shape with this term, if there is one.
    #[must_use]
    pub(super) fn find_shape(&self, term: Term) -> Option<ShapeId> {
        let index = self.shapes.get_index_of(&term)?;
        Some(ShapeId(index as u32))
    }

    /// Adds a new shape. `parallel` says whether it is a parallel composition under
    /// static operators, and whether it is one under operators that end.
    pub(super) fn add_shape(
        &mut self,
        term: Term,
        holes: Vec<Hole>,
        (is_static, is_parallel_for_now): (bool, bool),
        atoms: &AtomTypes,
    ) -> ShapeId {
        let grouped = holes
            .iter()
            .enumerate()
            .any(|(n, h)| holes[..n].iter().any(|g| g.group == h.group));
        self.add_radix(&holes, grouped, atoms);
        let shape = Shape {
            term,
            holes,
            grouped,
            is_static,
            is_parallel_for_now,
            sparse: Sparse::default(),
        };
        let (at, _) = self.shapes.insert_full(term, shape);
        ShapeId(at as u32)
    }

    /// Interns the local state with these atoms, which are in normal order.
    pub(super) fn intern(&mut self, shape: ShapeId, atoms: &[Atom]) -> LocalId {
        if let Some(found) = self.get(shape, &atoms.iter().copied()) {
            return found;
        }
        let id = LocalId(self.outlines.len() as u32);
        self.alias(shape, atoms, id);
        let of = self.shape(shape);
        let is_parallel = of.is_static || of.is_parallel_for_now;
        let mut outline = Outline::new(shape, atoms, of.grouped, is_parallel);
        outline.at = self.atoms.len() as u32;
        let radix = self.radix[shape.0 as usize];
        if radix.table != u32::MAX {
            let digits = radix.digits as usize..(radix.digits + radix.arity) as usize;
            outline.set_table(radix.base, &self.digits[digits]);
        }
        // These three grow together: the number of a local state is its place in each.
        self.outlines.push(outline);
        self.atoms.extend_from_slice(atoms);
        self.expanded.push((u32::MAX, u32::MAX));
        id
    }

    /// Stores the transitions of a local state, given in any order.
    pub(super) fn store_transitions(&mut self, local: LocalId, mut found: Vec<LocalTransition>) {
        // Ascending, for binary search by event; the transitions of one event are adjacent.
        found.sort_unstable();
        found.dedup();
        let from = self.transitions.len() as u32;
        self.transitions.extend_from_slice(&found);
        self.expanded[local.0 as usize] = (from, self.transitions.len() as u32);
    }

    /// Ranks the shapes by an order of their terms that no later shape changes. If a limit ends that, the new shapes
    /// have no rank.
    pub(super) fn rank_shapes(
        &mut self,
        compare: impl Fn(Term, Term) -> Ordering,
        poll: impl Fn() -> diagnostic::Result<()>,
    ) -> diagnostic::Result<()> {
        // Called often, and new shapes are rare.
        if self.ranks.len() == self.shapes.len() {
            return Ok(());
        }
        let mut ranked = vec![0; self.ranks.len()];
        for (shape, rank) in self.ranks.iter().enumerate() {
            ranked[*rank as usize] = shape;
        }
        // Terms may be as deep as there are shapes, so ranked shapes are not compared with one another again.
        let shapes = &self.shapes;
        let by = |a: usize, b: usize| compare(shapes[a].term, shapes[b].term);
        let new: Vec<usize> = (ranked.len()..shapes.len()).collect();
        let new = sorted(&new, by, &poll)?;
        let mut order = Vec::with_capacity(shapes.len());
        let mut rest = &ranked[..];
        for shape in new {
            poll()?;
            let (before, after) = rest.split_at(rest.partition_point(|r| by(*r, shape).is_lt()));
            order.extend_from_slice(before);
            order.push(shape);
            rest = after;
        }
        order.extend_from_slice(rest);
        self.ranks = vec![0; order.len()];
        for (rank, shape) in order.into_iter().enumerate() {
            self.ranks[shape] = rank as u32;
        }
        Ok(())
    }
}

/// The inverse `π⁻¹` of a permutation given by its images.
#[must_use]
pub fn invert(image: &[Atom]) -> Vec<Atom> {
    let mut inverse = vec![Atom(0); image.len()];
    for (from, to) in image.iter().enumerate() {
        inverse[to.0 as usize] = Atom(from as u16);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Ranking shapes as they arrive gives the same order as ranking all at once, and ranked shapes
    /// are not compared with one another again.
    #[test]
    fn new_shapes_are_ranked_with_few_comparisons() {
        const SHAPES: u32 = 2_000;
        let key = |term: Term| term.0.wrapping_mul(0x9e37_79b1);
        let compared = Cell::new(0);
        let compare = |a: Term, b: Term| {
            compared.set(compared.get() + 1);
            key(a).cmp(&key(b))
        };
        let (mut locals, types) = (Locals::default(), AtomTypes::none());
        for number in 0..SHAPES {
            locals.add_shape(Term(number), Vec::new(), (false, false), &types);
            let ranked = locals.rank_shapes(compare, || Ok(()));
            ranked.expect("nothing stops it");
        }
        let mut sorted: Vec<u32> = (0..SHAPES).collect();
        sorted.sort_by_key(|number| key(Term(*number)));
        for (rank, number) in (0..).zip(sorted) {
            assert_eq!(locals.rank(ShapeId(number)), rank);
        }
        assert!(compared.get() <= 12 * SHAPES, "{}", compared.get());
    }
}
