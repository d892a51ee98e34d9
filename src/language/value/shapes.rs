//! The split of a value into what a permutation leaves alone (its *shape*) and the atoms that it
//! moves.
//!
//! Inside sets and maps the elements of a shape are ordered by their own shape first and by their
//! atoms second, so the shape of `π(v)` is the shape of `v` for every permutation `π`.

use std::rc::Rc;

use super::atoms::AtomTypes;
use super::interner::Interner;
use super::parts::{lazy_children, map_children};
use super::{Atom, Data, LazySet, Value};
use crate::source::hash::Map;
use crate::source::stack::deep;

/// A value or term split into its shape, with holes numbered from 0, and its atoms.
pub type ShapeAndAtoms<T> = (T, Rc<[Atom]>);

/// Atoms of one value or term, each counted where it occurs: holes are numbered by 16 bits. Parts may be shared, so a
/// small value can have more than there is memory for.
pub const ATOMS_MAX: usize = 1 << 15;

/// A cache of splits, for one [`AtomTypes`] at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct SplitMemo {
    types: Option<AtomTypes>,
    split: Map<Value, ShapeAndAtoms<Value>>,
    shifted: Map<(Value, u16), Value>,
    /// Whether something had more than [`ATOMS_MAX`] atoms: then nothing may be concluded from any split.
    is_too_large: bool,
}

impl SplitMemo {
    pub(super) fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// Remembers from now on what is split by these types.
    fn permute(&mut self, types: &AtomTypes) {
        if !self.types.as_ref().is_some_and(|t| t.same(types)) {
            // What is an atom depends on the types, so the splits of others are void. `shifted`
            // stays: it moves holes and asks no types.
            self.types = Some(types.clone());
            self.split.clear();
        }
    }
}

/// The treatment of processes inside values. `process` implements it; [`Opaque`] leaves them alone.
pub trait InnerProcesses {
    /// The shape (holes from 0) and the atoms of process number `p`.
    fn split(&mut self, shapes: &mut Shapes<'_>, p: u32, types: &AtomTypes) -> ShapeAndAtoms<u32>;
    /// The process shape `p` with its holes moved up by `by`.
    fn shift(&mut self, shapes: &mut Shapes<'_>, p: u32, by: u16) -> u32;
    /// The process of shape `p` with its holes filled.
    fn fill(&mut self, values: &mut Interner, p: u32, atoms: &[Atom], types: &AtomTypes) -> u32;
}

/// Processes inside values have no atoms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opaque;

impl InnerProcesses for Opaque {
    fn split(&mut self, _: &mut Shapes<'_>, p: u32, _: &AtomTypes) -> ShapeAndAtoms<u32> {
        (p, [].into())
    }
    fn shift(&mut self, _: &mut Shapes<'_>, p: u32, _: u16) -> u32 {
        p
    }
    fn fill(&mut self, _: &mut Interner, p: u32, _: &[Atom], _: &AtomTypes) -> u32 {
        p
    }
}

/// Splits values. This takes new values, and remembers what was split.
#[derive(Debug)]
pub struct Shapes<'a> {
    values: &'a mut Interner,
    memo: &'a mut SplitMemo,
}

impl<'a> Shapes<'a> {
    pub(super) fn of(values: &'a mut Interner, memo: &'a mut SplitMemo) -> Self {
        Self { values, memo }
    }

    /// Notes that something has too many atoms, if these are: the work on it ends at the next look at the limits.
    pub fn are_too_many(&mut self, atoms: &[Atom]) -> bool {
        let too_many = atoms.len() > ATOMS_MAX;
        self.memo.is_too_large |= too_many;
        too_many
    }

    /// The values that are split.
    pub fn values(&mut self) -> &mut Interner {
        self.values
    }

    /// Splits a value: appends its atoms to `atoms` in order of occurrence and returns the shape,
    /// in which each atom is a [`Data::Hole`] that names its position in `atoms`.
    pub fn split(&mut self, v: Value, types: &AtomTypes, atoms: &mut Vec<Atom>) -> Value {
        self.split_with(v, types, atoms, &mut Opaque)
    }

    /// The shape with holes from 0, and the atoms. Processes inside the value are not looked into.
    pub fn parts(&mut self, v: Value, types: &AtomTypes) -> ShapeAndAtoms<Value> {
        self.split_alone(v, types, &mut Opaque)
    }

    /// [`Shapes::split`] that looks into processes inside the value.
    pub fn split_with(
        &mut self,
        v: Value,
        types: &AtomTypes,
        atoms: &mut Vec<Atom>,
        inner: &mut dyn InnerProcesses,
    ) -> Value {
        let (shape, own) = self.split_alone(v, types, inner);
        let shape = self.shift(shape, atoms.len() as u16, inner);
        atoms.extend_from_slice(&own);
        shape
    }

    /// The shape with holes from 0, and the atoms.
    fn split_alone(
        &mut self,
        v: Value,
        types: &AtomTypes,
        inner: &mut dyn InnerProcesses,
    ) -> ShapeAndAtoms<Value> {
        // The flag saves most values the look-up: numbers, channels and what is made of them.
        if types.is_empty() || !self.values.flags(v).may_have_atoms() {
            return (v, [].into());
        }
        self.memo.permute(types);
        if let Some((shape, atoms)) = self.memo.split.get(&v) {
            return (*shape, Rc::clone(atoms));
        }
        // Remembered with holes from 0, whatever stands before the value: so one entry serves every
        // place where the value occurs.
        let mut split = deep(|| self.split_data(v, types, inner));
        if self.are_too_many(&split.1) {
            split = (v, [].into());
        }
        let result = (split.0, Rc::clone(&split.1));
        #[cfg(debug_assertions)]
        self.assert_consistent(&split, types);
        self.memo.split.insert(v, split);
        result
    }

    /// Checks that a shape has holes for its atoms, and that each is of one of the types. (Holes inside of processes
    /// are not visited here.)
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, (shape, atoms): &ShapeAndAtoms<Value>, types: &AtomTypes) {
        assert!(atoms.iter().all(|a| usize::from(a.0) < types.len()));
        let flags = self.values.flags(*shape);
        assert!(atoms.is_empty() || flags.has_hole() || flags.has_process());
    }

    /// Longer than other functions, with a case for each kind of data.
    fn split_data(
        &mut self,
        v: Value,
        types: &AtomTypes,
        inner: &mut dyn InnerProcesses,
    ) -> ShapeAndAtoms<Value> {
        let data = self.values.data(v).clone();
        // Interning the parts moves the store, so the data cannot stay borrowed.
        let mut atoms = Vec::new();
        let shape = match data {
            Data::Ctor(id) => {
                if let Some(atom) = types.atom(id) {
                    atoms.push(atom);
                    let kind = types.kind(atom);
                    // The hole tells the type of its atom: values that differ in the type of an
                    // atom have different shapes.
                    self.values.intern(Data::Hole { kind, index: 0 })
                } else {
                    v
                }
            }
            Data::Process(p) => {
                let (p, own) = inner.split(self, p, types);
                atoms.extend_from_slice(&own);
                self.values.intern(Data::Process(p))
            }
            Data::Set(items) => {
                let rows = items.iter().map(|v| vec![*v]).collect();
                let ordered = self.split_unordered(rows, types, &mut atoms, inner);
                // `intern`, not `set`: the order by shape has to stay, as it is what a renaming
                // cannot change.
                self.values
                    .intern(Data::Set(ordered.into_iter().flatten().collect()))
            }
            Data::Map(pairs) => {
                let rows = pairs.iter().map(|(k, v)| vec![*k, *v]).collect();
                let ordered = self.split_unordered(rows, types, &mut atoms, inner);
                self.values
                    .intern(Data::Map(ordered.iter().map(|r| (r[0], r[1])).collect()))
            }
            Data::Lazy(set) if unordered(&set) => {
                let rows = lazy_children(&set).iter().map(|v| vec![*v]).collect();
                let ordered = self.split_unordered(rows, types, &mut atoms, inner);
                // As many as before, so the fallback is never used.
                let mut children = ordered.into_iter().flatten();
                let shape = map_children(&Data::Lazy(set), &mut |v| children.next().unwrap_or(v));
                self.values.intern(shape)
            }
            other => {
                let shape = map_children(&other, &mut |child| {
                    self.split_with(child, types, &mut atoms, inner)
                });
                self.values.intern(shape)
            }
        };
        // Without this, the set of all atoms of a type would put all of them among the atoms of
        // every state that has it, although no permutation changes it.
        if self.is_closed(v, shape, &atoms, types, inner) {
            return (v, [].into());
        }
        (shape, atoms.into())
    }

    /// Whether every permutation of the atoms leaves a set or map as it is. Such a value is its own
    /// shape: its atoms say nothing about a state.
    fn is_closed(
        &mut self,
        v: Value,
        shape: Value,
        atoms: &[Atom],
        types: &AtomTypes,
        inner: &mut dyn InnerProcesses,
    ) -> bool {
        let collection = matches!(
            self.values.data(v),
            Data::Set(_) | Data::Map(_) | Data::Lazy(_)
        );
        // The cheap test first: it fails for nearly all values.
        if !collection || !balanced(atoms, types) {
            return false;
        }
        // Transpositions of neighbours generate the group.
        for kind in 0..types.kinds() as u8 {
            let range = types.atoms(kind);
            // A type that does not occur is not moved by its own permutations.
            if !atoms.iter().any(|a| range.contains(&a.0)) {
                continue;
            }
            for first in range.start..range.end.saturating_sub(1) {
                let (a, b) = (Atom(first), Atom(first + 1));
                let swap = |x: &Atom| {
                    if *x == a {
                        b
                    } else if *x == b {
                        a
                    } else {
                        *x
                    }
                };
                let swapped: Vec<Atom> = atoms.iter().map(swap).collect();
                // Equal handles are equal values, since `fill_with` puts sets and maps in their
                // order again.
                if fill_with(self.values, shape, &swapped, types, inner) != v {
                    return false;
                }
            }
        }
        true
    }

    /// Splits rows of values whose order means nothing: sorted by shape first, by atoms second.
    fn split_unordered(
        &mut self,
        rows: Vec<Vec<Value>>,
        types: &AtomTypes,
        atoms: &mut Vec<Atom>,
        inner: &mut dyn InnerProcesses,
    ) -> Vec<Vec<Value>> {
        let mut splits: Vec<(Vec<Value>, Vec<Atom>)> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut own = Vec::new();
            // Each row by itself, with holes from 0: its shape must not depend on the rows before
            // it.
            let shapes = row
                .into_iter()
                .map(|v| self.split_with(v, types, &mut own, inner))
                .collect();
            splits.push((shapes, own));
        }
        // A renaming keeps all shapes, so it keeps this order but for rows of the same shape. Those
        // may change places, which changes the atoms and leaves the row of shapes as it is.
        splits.sort_by(|a, b| {
            self.values
                .compare_slices(&a.0, &b.0)
                .then_with(|| a.1.cmp(&b.1))
        });
        let mut ordered = Vec::with_capacity(splits.len());
        for (shapes, own) in splits {
            // Now that the order is known, the holes of a row are numbered on from those of the
            // rows before it.
            let by = atoms.len() as u16;
            ordered.push(
                shapes
                    .into_iter()
                    .map(|s| self.shift(s, by, inner))
                    .collect(),
            );
            atoms.extend(own);
        }
        ordered
    }

    /// A shape with the numbers of its holes moved up by `by`.
    pub fn shift(&mut self, shape: Value, by: u16, inner: &mut dyn InnerProcesses) -> Value {
        if by == 0
            || !(self.values.flags(shape).has_hole() || self.values.flags(shape).has_process())
        {
            return shape;
        }
        // Remembered, since it depends on the shape and the number alone.
        if let Some(known) = self.memo.shifted.get(&(shape, by)) {
            return *known;
        }
        let data = self.values.data(shape).clone();
        let moved = deep(|| match data {
            Data::Hole { kind, index } => Data::Hole {
                kind,
                index: index + by,
            },
            Data::Process(p) => Data::Process(inner.shift(self, p, by)),
            other => map_children(&other, &mut |child| self.shift(child, by, inner)),
        });
        let moved = self.values.intern(moved);
        self.memo.shifted.insert((shape, by), moved);
        moved
    }

    /// The value with every atom `a` replaced by `map[a]` (the paper's lifting of `π` to values).
    /// Processes inside stay as they are.
    pub fn rename(&mut self, v: Value, map: &[Atom], types: &AtomTypes) -> Value {
        self.rename_with(v, map, types, &mut Opaque)
    }

    /// [`Shapes::rename`] that looks into processes inside the value.
    pub fn rename_with(
        &mut self,
        v: Value,
        map: &[Atom],
        types: &AtomTypes,
        inner: &mut dyn InnerProcesses,
    ) -> Value {
        let mut atoms = Vec::new();
        // The atoms change, the shape stays. Filling puts sets and maps in order again.
        let shape = self.split_with(v, types, &mut atoms, inner);
        for atom in &mut atoms {
            // What the map does not mention stays.
            *atom = map.get(atom.0 as usize).copied().unwrap_or(*atom);
        }
        fill_with(self.values, shape, &atoms, types, inner)
    }
}

/// The value of a shape whose holes are filled with these atoms. A hole beyond them stays.
pub fn fill(values: &mut Interner, shape: Value, atoms: &[Atom], types: &AtomTypes) -> Value {
    fill_with(values, shape, atoms, types, &mut Opaque)
}

/// [`fill`] that looks into processes inside the shape.
pub fn fill_with(
    values: &mut Interner,
    shape: Value,
    atoms: &[Atom],
    types: &AtomTypes,
    inner: &mut dyn InnerProcesses,
) -> Value {
    fill_parts(values, shape, atoms, types, inner, &mut Map::default())
}

/// `filled` are parts with processes: no number of holes bounds how often one of these occurs.
fn fill_parts(
    values: &mut Interner,
    shape: Value,
    atoms: &[Atom],
    types: &AtomTypes,
    inner: &mut dyn InnerProcesses,
    filled: &mut Map<Value, Value>,
) -> Value {
    let flags = values.flags(shape);
    if !(flags.has_hole() || flags.has_process()) {
        return shape;
    }
    if let Some(known) = filled.get(&shape) {
        return *known;
    }
    let data = values.data(shape).clone();
    // Remembered for these atoms only, unlike what `shift` does: they differ from state to state.
    let result = deep(|| match data {
        Data::Hole { index, .. } => match atoms.get(index as usize) {
            Some(atom) => values.ctor(types.ctor(*atom)),
            None => shape,
        },
        Data::Process(p) => {
            let p = inner.fill(values, p, atoms, types);
            values.intern(Data::Process(p))
        }
        other => {
            let whole = map_children(&other, &mut |child| {
                fill_parts(values, child, atoms, types, inner, filled)
            });
            // Atoms have an order of their own, which is not that of the holes that they fill.
            intern_sorted(values, whole)
        }
    });
    if flags.has_process() {
        filled.insert(shape, result);
    }
    result
}

/// Interns data after putting the elements of sets and maps in order.
fn intern_sorted(values: &mut Interner, data: Data) -> Value {
    match data {
        Data::Set(items) => values.set(items.into_vec()),
        Data::Map(pairs) => values.map(pairs.into_vec()),
        Data::Lazy(set) if unordered(&set) => {
            let mut children = lazy_children(&set);
            // Only the three kinds whose parts have no meaning by position; in `diff(A, B)`
            // they have.
            values.sort(&mut children);
            let mut children = children.into_iter();
            let sorted = map_children(&Data::Lazy(set), &mut |v| children.next().unwrap_or(v));
            values.intern(sorted)
        }
        other => values.intern(other),
    }
}

/// Whether all atoms of each type that occurs occur equally often: needed by a closed set.
fn balanced(atoms: &[Atom], types: &AtomTypes) -> bool {
    let mut counts = vec![0usize; types.len()];
    for atom in atoms {
        // If every permutation leaves a value as it is, so does the one that swaps two atoms: both
        // occur equally often.
        counts[atom.0 as usize] += 1;
    }
    !atoms.is_empty()
        && (0..types.kinds() as u8).all(|kind| {
            let range = types.atoms(kind);
            let own = &counts[range.start as usize..range.end as usize];
            own.windows(2).all(|w| w[0] == w[1])
        })
}

/// Lazy sets whose parts have no order of their own.
fn unordered(set: &LazySet) -> bool {
    matches!(
        set,
        LazySet::Productions(_) | LazySet::Union(..) | LazySet::Inter(..)
    )
}
