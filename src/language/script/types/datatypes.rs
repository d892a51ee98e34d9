//! Facts about datatypes during type inference.

use super::constraint::{EQ, SET};
use super::store::TypeStore;
use super::ty::{Ty, TyKind};
use crate::script::core::{CtorId, Script, TypeId};
use crate::source::Span;
use crate::source::hash::{IndexSet, Map, Set};

/// The constructors of all datatypes with their types.
#[derive(Debug)]
pub(super) struct Datatypes {
    ctors: Vec<Ty>,
    /// The types of the fields of all constructors of a datatype, once they are known.
    fields: Vec<Option<Vec<Ty>>>,
    /// Whether the values of a datatype can be compared, once that is certain.
    comparable: Map<TypeId, bool>,
    /// See [`super::Given::uncompared`].
    uncompared: Option<TypeId>,
}

impl Datatypes {
    pub fn new(script: &Script, ctors: Vec<Ty>, uncompared: Option<TypeId>) -> Self {
        Self {
            ctors,
            fields: script.types.iter().map(|_| None).collect(),
            comparable: Map::default(),
            uncompared,
        }
    }

    /// Whether the values of some datatype must not be compared.
    pub fn forbids(&self) -> bool {
        self.uncompared.is_some()
    }

    /// The constraints that the values of a datatype cannot meet, among equality and being in a set: none holds a
    /// process or a function, and none a value that must not be compared. Of the latter also a set would tell how
    /// many are different.
    pub fn lacks(&mut self, d: TypeId, store: &TypeStore) -> u8 {
        let Some(uncompared) = self.uncompared else {
            return if self.is_comparable(d, store) { 0 } else { EQ };
        };
        let mut reached: IndexSet<TypeId> = IndexSet::default();
        reached.insert(d);
        let (mut at, mut lacks) = (0, 0);
        while let Some(d) = reached.get_index(at).copied() {
            at += 1;
            if d == uncompared {
                return EQ | SET;
            }
            // What is not known yet may hold anything.
            let Some(fields) = self.fields.get(d.0 as usize).cloned().flatten() else {
                return EQ | SET;
            };
            for field in fields {
                store.walk(field, |kind| match kind {
                    TyKind::Proc | TyKind::Fun(..) | TyKind::Event | TyKind::Any => {
                        lacks = EQ | SET;
                    }
                    TyKind::Data(d) => {
                        reached.insert(*d);
                    }
                    _ => {}
                });
            }
        }
        lacks
    }

    pub fn ctor(&self, c: CtorId) -> Ty {
        self.ctors[c.0 as usize]
    }

    pub fn set_ctor(&mut self, c: CtorId, t: Ty) {
        self.ctors[c.0 as usize] = t;
    }

    /// All constructors, at the end.
    pub fn into_ctors(self) -> Vec<Ty> {
        self.ctors
    }

    /// All constructors of a datatype are known now.
    pub fn complete(&mut self, script: &Script, t: TypeId, store: &mut TypeStore) {
        let clauses = script.types[t.0 as usize].clauses.iter();
        let fields = clauses.flat_map(|(c, _)| store.split(self.ctors[c.0 as usize]).0);
        self.fields[t.0 as usize] = Some(fields.collect());
    }

    /// Whether the values of a datatype can be compared: none holds a process or a function. What
    /// is not known yet is taken to be comparable.
    pub fn is_comparable(&mut self, d: TypeId, store: &TypeStore) -> bool {
        if let Some(known) = self.comparable.get(&d) {
            return *known;
        }
        let (mut known, mut comparable) = (true, true);
        let mut seen: Set<TypeId> = Set::default();
        let mut reached = vec![d];
        seen.insert(d);
        let mut at = 0;
        while at < reached.len() && comparable {
            let fields = self.fields.get(reached[at].0 as usize).cloned().flatten();
            at += 1;
            // Its constructors are being inferred now. If the others are comparable, the answer is
            // yes for the time being, but it is not kept.
            let Some(fields) = fields else {
                known = false;
                continue;
            };
            for field in fields {
                store.walk(field, |kind| match kind {
                    TyKind::Proc | TyKind::Fun(..) => comparable = false,
                    TyKind::Data(d) if seen.insert(*d) => reached.push(*d),
                    _ => {}
                });
            }
        }
        if !comparable {
            self.comparable.insert(d, false);
        } else if known {
            self.comparable
                // All that was reached holds nothing else, so it is true of each of them.
                .extend(reached.into_iter().map(|d| (d, true)));
        }
        comparable
    }

    /// The constructor because of which the values of a datatype cannot be compared.
    pub fn holder(&self, d: TypeId, script: &Script, store: &TypeStore) -> Option<Span> {
        // Breadth first, so that the nearest constructor is shown.
        let mut reached: IndexSet<TypeId> = IndexSet::default();
        reached.insert(d);
        let mut at = 0;
        while let Some(d) = reached.get_index(at).copied() {
            at += 1;
            for (c, _) in &script.types[d.0 as usize].clauses {
                let mut holds = false;
                store.walk(self.ctors[c.0 as usize], |kind| match kind {
                    TyKind::Proc | TyKind::Fun(..) => holds = true,
                    TyKind::Data(d) => {
                        reached.insert(*d);
                    }
                    _ => {}
                });
                if holds {
                    return Some(script.ctors[c.0 as usize].span);
                }
            }
        }
        None
    }
}
