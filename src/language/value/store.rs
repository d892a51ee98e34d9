//! The store of values: composes the parts.

use std::ops::{Deref, DerefMut};

use super::declared::FieldSets;
use super::dots::{self, Dotted};
use super::interner::Interner;
use super::sets::{KnownSets, Sets};
use super::shapes::{ATOMS_MAX, Shapes, SplitMemo};
use super::show::explain;
use super::sizes::Sizes;
use super::watch::WorkLimits;
use super::{Value, ValueError, ValueResult};
use crate::script::core::Script;
use crate::source::{Cancel, Limits};

/// The values of a script, composed of the parts that each own what they change: the values
/// themselves, what is declared of their fields, and what was found out about them.
#[derive(Clone, Debug)]
pub struct ValueStore {
    values: Interner,
    declared: FieldSets,
    limits: WorkLimits,
    sets: KnownSets,
    splits: SplitMemo,
}

impl ValueStore {
    /// An empty store for a script with this many channels, constructors and types.
    #[must_use]
    pub fn new(limits: &Limits, channels: usize, ctors: usize, types: usize) -> Self {
        Self {
            values: Interner::default(),
            declared: FieldSets::new(channels, ctors, types),
            limits: WorkLimits::new(limits),
            sets: KnownSets::default(),
            splits: SplitMemo::default(),
        }
    }

    /// The declared field sets.
    #[must_use]
    pub fn declared(&self) -> &FieldSets {
        &self.declared
    }
    /// The declared field sets, to tell more of them.
    pub fn declared_mut(&mut self) -> &mut FieldSets {
        &mut self.declared
    }

    /// Questions about dotted values.
    #[must_use]
    pub fn dotted(&self) -> Dotted<'_> {
        Dotted::of(&self.values, &self.declared)
    }
    /// Questions about the number of elements of sets.
    #[must_use]
    pub fn sizes(&self) -> Sizes<'_> {
        Sizes::of(&self.values, &self.declared)
    }
    /// All other questions about sets.
    pub fn sets(&mut self) -> Sets<'_> {
        Sets {
            values: &mut self.values,
            declared: &self.declared,
            limits: &self.limits,
            known: &mut self.sets,
        }
    }

    /// The split of values into shapes and atoms.
    pub fn shapes(&mut self) -> Shapes<'_> {
        Shapes::of(&mut self.values, &mut self.splits)
    }

    /// `a.b`. If the last field of `a` is a constructor that lacks fields, `b` goes into it;
    /// otherwise it is appended.
    pub fn extend(&mut self, a: Value, b: Value) -> Value {
        dots::extend(&mut self.values, &self.declared, a, b)
    }
    /// Dots parts together from left to right.
    pub fn join(&mut self, parts: &[Value]) -> Value {
        dots::join(&mut self.values, &self.declared, parts)
    }
    /// The columns of a finite set whose elements are dotted values that are not constructed, if it
    /// is one: the sets of their first, second, … parts.
    pub fn columns(&mut self, set: Value) -> Option<Vec<Value>> {
        dots::columns(&mut self.values, &self.declared, set)
    }

    /// Replaces the bounds that long work on values keeps to.
    pub fn limit(&mut self, limits: &Limits, cancel: &Cancel) {
        self.limits.replace(limits, cancel);
    }
    /// To be called now and then by long work on values, `more` bytes of which are not counted yet.
    ///
    /// # Errors
    /// When it has to stop.
    pub fn poll(&self, more: usize) -> ValueResult<()> {
        self.judge_splits()?;
        self.limits.poll(self.bytes().saturating_add(more))
    }
    /// To be called at every step of long work on values: looks at the limits every thousandth time.
    ///
    /// # Errors
    /// When it has to stop.
    pub fn look(&self) -> ValueResult<()> {
        self.judge_splits()?;
        self.limits.look(self.bytes())
    }
    /// Checks that every split into shape and atoms succeeded.
    ///
    /// # Errors
    /// If one has too many atoms.
    pub fn judge_splits(&self) -> ValueResult<()> {
        if self.splits.is_too_large() {
            let text = format!(
                "a state or an event mentions values of symmetric types more than {ATOMS_MAX} times, which is too often \
                 to be permuted; it can be checked with `--no-symmetry`"
            );
            return Err(ValueError::Other(text));
        }
        Ok(())
    }

    /// The code and the sentence for a [`ValueError`].
    #[must_use]
    pub fn explain(&self, error: &ValueError, names: &Script) -> (&'static str, String) {
        explain(&self.values, &self.limits, error, names)
    }
}

/// A store is its values, and what is remembered about them. Values may be added past everything
/// that is remembered, since they never change.
impl Deref for ValueStore {
    type Target = Interner;

    fn deref(&self) -> &Interner {
        &self.values
    }
}

impl DerefMut for ValueStore {
    fn deref_mut(&mut self) -> &mut Interner {
        &mut self.values
    }
}
