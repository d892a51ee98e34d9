//! Shape and atoms of a term: Lemma 34 of the paper as data. Operands of commutative operators are
//! ordered by shape first and by atoms second, as the elements of sets are.

use std::rc::Rc;

use super::compressions::Compressions;
use super::parts::{TermPart, map_parts};
use super::store::Terms;
use super::term::{Offered, Term, TermData};
use crate::source::stack::deep;
use crate::value::shapes::{InnerProcesses, ShapeAndAtoms, fill_with};
use crate::value::{Atom, AtomTypes, Interner, Shapes, Value};

/// A value may hold processes, and these are split with it.
impl InnerProcesses for Terms {
    fn split(&mut self, shapes: &mut Shapes<'_>, p: u32, types: &AtomTypes) -> ShapeAndAtoms<u32> {
        let (shape, atoms) = self.split_term(shapes, Term(p), types);
        (shape.0, atoms)
    }
    fn shift(&mut self, shapes: &mut Shapes<'_>, p: u32, by: u16) -> u32 {
        self.shift_term(shapes, Term(p), by).0
    }
    fn fill(&mut self, values: &mut Interner, p: u32, atoms: &[Atom], types: &AtomTypes) -> u32 {
        self.fill_term(values, Term(p), atoms, types).0
    }
}

impl Terms {
    /// Says what permutations move. To be called before transitions are asked for: the names of
    /// compressed states depend on it.
    pub fn permute_types(&mut self, types: &AtomTypes) {
        // Names of compressed states are made of shapes, so they are of no use any more.
        if self.splits.permute(types) {
            self.mentioned_mut().note_atoms(!types.is_empty());
            self.compressions = Compressions::default();
        }
    }

    /// Splits a term into its shape and its atoms in order of occurrence; each atom of the shape is
    /// a [`crate::value::Data::Hole`] with its position in the atoms.
    pub fn split_term(
        &mut self,
        shapes: &mut Shapes<'_>,
        t: Term,
        types: &AtomTypes,
    ) -> ShapeAndAtoms<Term> {
        // Without symmetric types, or without values that could be of them, a term is its own shape.
        if types.is_empty() || !self.may_have_atoms(t) {
            return (t, [].into());
        }
        self.permute_types(types);
        if let Some(known) = self.splits.get(t) {
            return known;
        }
        let mut splitter = Splitter {
            terms: self,
            shapes,
            types,
            atoms: Vec::new(),
        };
        let mut shape = deep(|| splitter.data(t));
        let mut atoms: Rc<[Atom]> = splitter.atoms.into();
        if shapes.are_too_many(&atoms) {
            (shape, atoms) = (t, [].into());
        }
        self.splits.keep(t, (shape, Rc::clone(&atoms)));
        (shape, atoms)
    }

    fn shift_term(&mut self, shapes: &mut Shapes<'_>, t: Term, by: u16) -> Term {
        if by == 0 || !self.may_have_hole(t) {
            return t;
        }
        if let Some(known) = self.splits.shifted(t, by) {
            return known;
        }
        let data = self.data(t).clone();
        let moved = deep(|| {
            map_parts(&data, &mut |part| match part {
                TermPart::Value(v) => TermPart::Value(shapes.shift(v, by, self)),
                TermPart::Term(p) => TermPart::Term(self.shift_term(shapes, p, by)),
            })
        });
        // As it is: the order of operands does not depend on the numbers of holes.
        let moved = self.intern(shapes.values(), moved);
        self.splits.keep_shifted(t, by, moved);
        moved
    }

    /// The term of a shape whose holes are filled with these atoms.
    pub fn fill_term(
        &mut self,
        values: &mut Interner,
        shape: Term,
        atoms: &[Atom],
        types: &AtomTypes,
    ) -> Term {
        if !self.may_have_hole(shape) {
            return shape;
        }
        let data = self.data(shape).clone();
        let filled = deep(|| {
            map_parts(&data, &mut |part| match part {
                TermPart::Value(v) => TermPart::Value(fill_with(values, v, atoms, types, self)),
                TermPart::Term(p) => TermPart::Term(self.fill_term(values, p, atoms, types)),
            })
        });
        // Other atoms may bring operands into another order.
        self.intern_sorted(values, filled)
    }

    /// The term with every atom `a` replaced by `map[a]`: `(P, ρ)` becomes `(P, π∘ρ)`.
    pub fn rename_term(
        &mut self,
        shapes: &mut Shapes<'_>,
        t: Term,
        map: &[Atom],
        types: &AtomTypes,
    ) -> Term {
        let (shape, atoms) = self.split_term(shapes, t, types);
        let atoms: Vec<Atom> = atoms
            .iter()
            // What the map does not mention stays.
            .map(|a| map.get(a.0 as usize).copied().unwrap_or(*a))
            .collect();
        self.fill_term(shapes.values(), shape, &atoms, types)
    }
}

/// Splits one term, part by part, and collects the atoms of the parts.
struct Splitter<'a, 'b> {
    terms: &'a mut Terms,
    shapes: &'a mut Shapes<'b>,
    types: &'a AtomTypes,
    atoms: Vec<Atom>,
}

impl Splitter<'_, '_> {
    /// The shape of a term. Where operands may stand in any order, shapes decide which comes first.
    fn data(&mut self, t: Term) -> Term {
        let shape = match self.terms.data(t).clone() {
            TermData::ExtChoice(ts) => TermData::ExtChoice(self.commutative(&ts)),
            TermData::IntChoice(ts) => TermData::IntChoice(self.commutative(&ts)),
            TermData::Interleave(ts) => TermData::Interleave(self.commutative(&ts)),
            TermData::Sharing(set, ts) => TermData::Sharing(self.value(set), self.commutative(&ts)),
            TermData::SyncChoice(ts, set) => {
                let set = self.value(set);
                TermData::SyncChoice(self.commutative(&ts), set)
            }
            TermData::Alphabetised(pairs) => TermData::Alphabetised(self.alphabetised(&pairs)),
            TermData::Watchdog { spec, events, bark } => TermData::Watchdog {
                events: self.value(events),
                bark: self.value(bark),
                spec: self.commutative(&spec),
            },
            TermData::Compressed {
                with,
                process,
                state,
            } => TermData::Compressed {
                with,
                process: self.term(process),
                state: self.commutative(&state),
            },
            TermData::Part { members, offered } => TermData::Part {
                offered: match offered {
                    Offered::Some(events, tick) => Offered::Some(self.value(events), tick),
                    Offered::Full => Offered::Full,
                },
                members: self.commutative(&members),
            },
            other => map_parts(&other, &mut |part| match part {
                TermPart::Value(v) => TermPart::Value(self.value(v)),
                TermPart::Term(p) => TermPart::Term(self.term(p)),
            }),
        };
        self.terms.intern(self.shapes.values(), shape)
    }

    fn value(&mut self, v: Value) -> Value {
        self.shapes
            .split_with(v, self.types, &mut self.atoms, self.terms)
    }

    fn term(&mut self, t: Term) -> Term {
        let split = self.terms.split_term(self.shapes, t, self.types);
        self.append(split)
    }

    /// A part that was split by itself: its holes come after those that there are.
    fn append(&mut self, (shape, own): ShapeAndAtoms<Term>) -> Term {
        let by = self.atoms.len() as u16;
        self.atoms.extend_from_slice(&own);
        self.terms.shift_term(self.shapes, shape, by)
    }

    fn commutative(&mut self, operands: &[Term]) -> Box<[Term]> {
        let (terms, shapes) = (&mut *self.terms, &mut *self.shapes);
        let mut splits: Vec<ShapeAndAtoms<Term>> = operands
            .iter()
            .map(|t| terms.split_term(shapes, *t, self.types))
            .collect();
        // Not by the operands themselves: a permutation would bring these into another order, and change the shape.
        let values = &*shapes.values();
        splits.sort_by(|a, b| terms.compare(values, a.0, b.0).then_with(|| a.1.cmp(&b.1)));
        splits.into_iter().map(|split| self.append(split)).collect()
    }

    /// Alphabet and process of an operand make one shape: they are ordered together.
    fn alphabetised(&mut self, pairs: &[(Value, Term)]) -> Box<[(Value, Term)]> {
        // Each pair by itself first, its holes numbered from 0: only so are shapes of pairs comparable.
        let mut splits = Vec::with_capacity(pairs.len());
        for (set, t) in pairs {
            let mut pair = Splitter {
                terms: &mut *self.terms,
                shapes: &mut *self.shapes,
                types: self.types,
                atoms: Vec::new(),
            };
            let (set, t) = (pair.value(*set), pair.term(*t));
            splits.push((set, t, pair.atoms));
        }
        let (terms, values) = (&*self.terms, &*self.shapes.values());
        splits.sort_by(|a, b| {
            values
                .compare(a.0, b.0)
                .then_with(|| terms.compare(values, a.1, b.1))
                .then_with(|| a.2.cmp(&b.2))
        });
        let mut ordered = Vec::with_capacity(splits.len());
        for (set, t, own) in splits {
            let by = self.atoms.len() as u16;
            // Both with the same offset, since they share the atoms of their operand.
            let set = self.shapes.shift(set, by, self.terms);
            let t = self.terms.shift_term(self.shapes, t, by);
            self.atoms.extend(own);
            ordered.push((set, t));
        }
        ordered.into()
    }
}
