//! Scopes of compilation: each variable is in the frame of its unit, or, for definitions that are lifted out of
//! their `let`, among the captured variables.

use std::rc::Rc;

use super::canon::Canon;
use super::code::{Slot, UnitId};
use crate::script::core::{Script, VariableId};
use crate::source::hash::Map;

/// The name of a variable.
pub(super) fn name_of(script: &Script, v: VariableId) -> Rc<str> {
    let name = script.locals.get(v.0 as usize);
    name.map_or_else(|| "x".into(), Rc::clone)
}

/// The variables of one unit.
#[derive(Debug, Default)]
pub(super) struct Scope {
    slots: Map<VariableId, Slot>,
    next: Slot,
}

impl Scope {
    /// A frame that starts with captured variables.
    pub(super) fn with(captures: &[VariableId]) -> Self {
        let mut scope = Self::default();
        for v in captures {
            scope.bind(*v);
        }
        scope
    }

    /// A place for a variable. Places are never used again, not even for variables that are not
    /// visible at the same time: thunks may still hold them.
    pub(super) fn bind(&mut self, v: VariableId) -> Slot {
        let slot = self.fresh();
        self.slots.insert(v, slot);
        slot
    }

    /// A place for a value without a name.
    pub(super) fn fresh(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    /// The number of places in the frame.
    pub(super) fn size(&self) -> u32 {
        self.next
    }

    /// The slot of a variable. Resolution guarantees that there is one; otherwise the slot lies
    /// outside every frame, which evaluation reports.
    pub(super) fn slot(&self, v: VariableId) -> Slot {
        self.slots.get(&v).copied().unwrap_or(Slot::MAX)
    }

    pub(super) fn slots(&self, variables: &[VariableId]) -> Box<[Slot]> {
        variables.iter().map(|v| self.slot(*v)).collect()
    }
}

/// A lifted definition: a unit, and the variables around its `let` that it needs.
#[derive(Clone, Debug)]
pub(super) struct Lifted {
    pub unit: UnitId,
    pub captures: Rc<[VariableId]>,
}

/// The lifted definitions by name. None of them captures another: captures are expanded before they
/// get here.
#[derive(Debug, Default)]
pub(super) struct LiftedNames(Map<VariableId, Lifted>);

impl LiftedNames {
    pub(super) fn insert(&mut self, name: VariableId, lifted: Lifted) {
        debug_assert!(lifted.captures.iter().all(|v| self.get(*v).is_none()));
        self.0.insert(name, lifted);
    }

    pub(super) fn get(&self, name: VariableId) -> Option<&Lifted> {
        self.0.get(&name)
    }

    /// The variables whose values determine these free variables: a lifted definition is replaced by the variables
    /// that it captures.
    pub(super) fn expand(&self, free: &[VariableId]) -> Vec<VariableId> {
        let mut all = Vec::new();
        for v in free {
            match self.get(*v) {
                Some(lifted) => all.extend(lifted.captures.iter().copied()),
                None => all.push(*v),
            }
        }
        // In order of first occurrence: the order is part of what tells environments apart.
        let mut seen = Vec::new();
        all.retain(|v| {
            let new = !seen.contains(v);
            seen.push(*v);
            new
        });
        all
    }

    /// The key that distinguishes uses of one canonical expression: which lifted definitions its free variables are,
    /// and which variables coincide. Two control states with one key have the same code and environments of the same
    /// form, so they are one.
    pub(super) fn key(&self, tag: u32, canon: &Canon) -> Box<[u32]> {
        let expanded = self.expand(&canon.free);
        let place = |v: &VariableId| expanded.iter().position(|w| w == v).unwrap_or(0) as u32;
        let mut key = vec![tag, canon.id];
        for v in canon.free.iter() {
            match self.get(*v) {
                Some(lifted) => {
                    // No place is so large, so the key of a lifted name cannot be that of a
                    // variable.
                    key.extend([u32::MAX, lifted.unit]);
                    key.extend(lifted.captures.iter().map(place));
                }
                None => key.push(place(v)),
            }
        }
        key.into()
    }
}
