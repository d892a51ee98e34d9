//! A cache of suspended values: the results of evaluated ones, and the failures.

use super::code::UnitId;
use crate::source::hash::{Map, Set};
use crate::value::Value;

/// After this many failures no more experiments are made with something.
const FAILURES_MAX: u8 = 16;

/// The results of suspended values, by their handles: a unit and the values that it captures.
#[derive(Clone, Debug, Default)]
pub(super) struct Suspended {
    known: Map<Value, Value>,
    /// Values under evaluation.
    forcing: Set<Value>,
    /// Values that could not be evaluated completely when they were captured. They are not tried
    /// again: then a state would depend on when it was reached.
    stuck: Set<Value>,
    /// The number of failed experiments with variables that these units define.
    failures: Map<UnitId, u8>,
    /// The same of arguments, by the unit of each: asked for nearly every call. An argument belongs to a place in the
    /// text; what it is passed on to may come from many, and is counted apart.
    failed_arguments: Vec<u8>,
}

impl Suspended {
    /// To be called where an evaluation begins that is not part of another: an error leaves what
    /// was being evaluated when it happened.
    pub(super) fn begin(&mut self) {
        self.forcing.clear();
    }

    /// The value, if it was found before.
    pub(super) fn known(&self, suspended: Value) -> Option<Value> {
        self.known.get(&suspended).copied()
    }

    /// Says that it is being evaluated. False if it was already: then it depends on itself.
    pub(super) fn enter(&mut self, suspended: Value) -> bool {
        self.forcing.insert(suspended)
    }

    /// Ends what [`Suspended::enter`] began, with a value if one was found.
    pub(super) fn leave(&mut self, suspended: Value, found: Option<Value>) {
        self.forcing.remove(&suspended);
        if let Some(v) = found {
            self.known.insert(suspended, v);
        }
    }

    pub(super) fn is_stuck(&self, v: Value) -> bool {
        self.stuck.contains(&v)
    }
    /// Whether anything is stuck: if not, there is no need to find out what a variable would be.
    pub(super) fn some_stuck(&self) -> bool {
        !self.stuck.is_empty()
    }
    pub(super) fn give_up(&mut self, v: Value) {
        self.stuck.insert(v);
    }

    /// Whether experiments with what a unit defines are worth it.
    pub(super) fn is_hopeful(&self, unit: UnitId) -> bool {
        self.failures.get(&unit).is_none_or(|n| *n < FAILURES_MAX)
    }
    /// Whether experiments with an argument are worth it, by its unit.
    pub(super) fn is_argument_hopeful(&self, unit: UnitId) -> bool {
        let failed = self.failed_arguments.get(unit as usize);
        failed.is_none_or(|n| *n < FAILURES_MAX)
    }
    /// Notes that an experiment with an argument has failed.
    pub(super) fn note_failed_argument(&mut self, unit: UnitId) {
        let unit = unit as usize;
        if self.failed_arguments.len() <= unit {
            self.failed_arguments.resize(unit + 1, 0);
        }
        self.failed_arguments[unit] += 1;
    }
    /// Notes that an experiment with what a unit defines has failed.
    pub(super) fn note_failure(&mut self, unit: UnitId) {
        *self.failures.entry(unit).or_insert(0) += 1;
    }
}
