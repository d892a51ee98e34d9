//! A cache of splits into shape and atoms.

use std::rc::Rc;

use super::term::Term;
use crate::source::hash::Map;
use crate::value::AtomTypes;
use crate::value::shapes::ShapeAndAtoms;

/// Shapes and atoms of terms, for the types that are permuted at present.
#[derive(Clone, Debug, Default)]
pub(super) struct Splits {
    types: Option<AtomTypes>,
    split: Map<Term, ShapeAndAtoms<Term>>,
    /// Shapes whose holes were moved up by so many. They do not depend on the types.
    shifted: Map<(Term, u16), Term>,
}

impl Splits {
    /// The types that are permuted, once that is known.
    pub(super) fn types(&self) -> Option<&AtomTypes> {
        self.types.as_ref()
    }

    /// Says which types are permuted; false if that is what was said before.
    pub(super) fn permute(&mut self, types: &AtomTypes) -> bool {
        if self.types.as_ref().is_some_and(|known| known.same(types)) {
            return false;
        }
        self.types = Some(types.clone());
        // Other types have other atoms.
        self.split.clear();
        true
    }

    pub(super) fn get(&self, t: Term) -> Option<ShapeAndAtoms<Term>> {
        let (shape, atoms) = self.split.get(&t)?;
        Some((*shape, Rc::clone(atoms)))
    }

    pub(super) fn keep(&mut self, t: Term, split: ShapeAndAtoms<Term>) {
        self.split.insert(t, split);
    }

    pub(super) fn shifted(&self, t: Term, by: u16) -> Option<Term> {
        self.shifted.get(&(t, by)).copied()
    }

    pub(super) fn keep_shifted(&mut self, t: Term, by: u16, moved: Term) {
        self.shifted.insert((t, by), moved);
    }
}
