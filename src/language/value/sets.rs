//! Sets, finite or given by what belongs to them: their elements, and whether there are any.
//!
//! Questions about sets lead to one another: what belongs to a set of events depends on the sets of
//! its fields, those may be given by inclusion, and so on. So [`Sets`] is one type; each kind of
//! question has a file (`members`, `listing`, `fields`, `inclusion`).

use std::rc::Rc;

use super::declared::FieldSets;
use super::dots::Dotted;
use super::integers::EAGER_MAX;
use super::interner::Interner;
use super::sizes::Sizes;
use super::watch::{WorkLimits, sorted};
use super::{Data, LazySet, Value, ValueError, ValueResult};
use crate::source::hash::{Map, Set};
use crate::source::stack::deep;

/// A cache of facts about sets. It never goes stale, since sets do not change.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownSets {
    /// The elements of sets that are not listed, ascending.
    elements: Map<Value, Rc<[Value]>>,
    /// The elements of large listed sets, to ask for membership.
    members: Map<Value, Set<Value>>,
    /// Whether a value belongs to a set, where either is large.
    pub(super) inside: Map<(Value, Value), bool>,
    /// Whether a set is part of another, where the first is large.
    pub(super) included: Map<(Value, Value), bool>,
}

/// Answers about values and sets that name more values than this are remembered: they may share parts, and would be
/// asked about each of these wherever it occurs.
pub(super) const LARGE: u64 = 64;

impl KnownSets {
    fn keep_elements(&mut self, values: &Interner, set: Value, elements: &Rc<[Value]>) {
        debug_assert!(
            elements.is_sorted_by(|a, b| values.compare(*a, *b).is_lt()),
            "in order, each once"
        );
        self.elements.insert(set, Rc::clone(elements));
    }

    /// The items of a listed set, as a table.
    pub(super) fn members(&mut self, set: Value, items: &[Value]) -> &Set<Value> {
        let table = self.members.entry(set);
        let table = table.or_insert_with(|| items.iter().copied().collect());
        debug_assert_eq!(table.len(), items.len(), "each element once");
        table
    }
}

/// Questions about sets. To answer them may take new values, time, and what was found out before.
#[derive(Debug)]
pub struct Sets<'a> {
    pub(super) values: &'a mut Interner,
    pub(super) declared: &'a FieldSets,
    pub(super) limits: &'a WorkLimits,
    pub(super) known: &'a mut KnownSets,
}

impl Sets<'_> {
    pub(super) fn dotted(&self) -> Dotted<'_> {
        Dotted::of(self.values, self.declared)
    }

    pub(super) fn sizes(&self) -> Sizes<'_> {
        Sizes::of(self.values, self.declared)
    }

    pub(super) fn poll_at(&self, i: usize) -> ValueResult<()> {
        self.limits.poll_at(i, self.values.bytes())
    }

    pub(super) fn look(&self) -> ValueResult<()> {
        self.limits.look(self.values.bytes())
    }

    /// [`Interner::set`] of perhaps very many elements.
    ///
    /// # Errors
    /// When it has to stop.
    pub fn of(&mut self, items: Vec<Value>) -> ValueResult<Value> {
        let mut items = sorted(self.values, self.limits, items)?;
        items.dedup();
        Ok(self.values.ascending_set(items))
    }

    /// Lists a lazy set if it is small, so that equal sets are equal handles.
    ///
    /// # Errors
    /// If listing fails.
    pub fn settle(&mut self, set: Value) -> ValueResult<Value> {
        // `size` may be more than the true number of elements. Then a set that would be small stays
        // lazy, and comparisons have to take it element by element.
        let small = |n: u128| n <= EAGER_MAX;
        if !matches!(self.values.data(set), Data::Lazy(_))
            || !self.sizes().size(set).is_some_and(small)
        {
            return Ok(set);
        }
        let elements = self.elements(set)?;
        Ok(self.values.intern(Data::Set(elements.as_ref().into())))
    }

    /// The elements of a finite set, ascending.
    ///
    /// # Errors
    /// [`ValueError::Infinite`], [`ValueError::TooLarge`], or if it is not a set.
    pub fn elements(&mut self, set: Value) -> ValueResult<Rc<[Value]>> {
        if let Some(known) = self.known.elements.get(&set) {
            return Ok(Rc::clone(known));
        }
        let elements: Rc<[Value]> = match self.values.data(set) {
            // Not remembered: that would keep a second copy of every set that is ever walked.
            Data::Set(items) => return Ok(items.as_ref().into()),
            Data::Lazy(lazy) => {
                let lazy = lazy.clone();
                match self.sizes().size(set) {
                    None => return Err(ValueError::Infinite(set)),
                    // `size` is an upper bound, so this may refuse a union whose sides overlap
                    // much. Exact counting would need the listing that is refused.
                    Some(n) if n > self.limits.elements_max() as u128 => {
                        return Err(ValueError::TooLarge(set));
                    }
                    Some(_) => {}
                }
                // A union lists what both sides have twice, and rows of a product may dot together
                // to the same value.
                let items = deep(|| self.list(&lazy))?;
                let mut items = sorted(self.values, self.limits, items)?;
                items.dedup();
                items.into()
            }
            _ => return Err(ValueError::Expected("a set", set)),
        };
        self.known.keep_elements(self.values, set, &elements);
        Ok(elements)
    }

    /// `card(s)`
    ///
    /// # Errors
    /// If the set is infinite or too large to count.
    pub fn card(&mut self, set: Value) -> ValueResult<i64> {
        let size = match self.sizes().exact_size(set) {
            Some(size) => size,
            // Listing removes what occurs twice.
            None => self.elements(set)?.len() as u128,
        };
        i64::try_from(size).map_err(|_| ValueError::Overflow("card"))
    }

    /// `empty(s)`
    ///
    /// # Errors
    /// If it cannot be decided.
    pub fn is_empty(&mut self, set: Value) -> ValueResult<bool> {
        match self.values.data(set) {
            Data::Set(items) => Ok(items.is_empty()),
            // An empty set of integers would have been listed; a powerset has the empty set, and
            // maps the empty map.
            Data::Lazy(LazySet::Ints(_) | LazySet::Powerset(_) | LazySet::Maps(..)) => Ok(false),
            Data::Lazy(_) if self.sizes().size(set).is_none() => {
                if self.sizes().never_ends(set) {
                    Ok(false)
                } else {
                    Err(ValueError::Infinite(set))
                }
            }
            _ => Ok(self.elements(set)?.is_empty()),
        }
    }
}

/// Whether a set is given by its elements.
pub(super) fn is_listed(values: &Interner, set: Value) -> bool {
    matches!(values.data(set), Data::Set(_))
}
