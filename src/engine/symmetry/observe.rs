//! Observers of the component-ordering algorithm, which cost nothing if unused.

use super::partition::{OrderedPartition, Vector};
use crate::value::Atom;

/// Receives every step of Defs. 36, 38 and 40. The default methods do nothing and compile away.
pub trait Observer {
    /// Step 1 is done.
    fn initial(&mut self, _vector: &Vector, _blocks: &OrderedPartition) {}
    /// Step 2: the buckets are filled for this partition.
    fn count(&mut self, _vector: &Vector, _blocks: &OrderedPartition) {}
    /// Step 2: this partition came out of the counting (the same one: a fixed point).
    fn refined(&mut self, _vector: &Vector, _blocks: &OrderedPartition, _changed: bool) {}
    /// Step 3: `block` was split; `all` says whether into singletons because it is fully symmetric.
    fn choice(&mut self, _vector: &Vector, _blocks: &OrderedPartition, _block: usize, _all: bool) {}
    /// Every block is a singleton.
    fn ordered(&mut self, _vector: &Vector, _blocks: &OrderedPartition) {}
    /// Def. 38: along the order of the components, the value of this variable appears for the first time.
    fn appears(&mut self, _vector: &Vector, _component: u16, _variable: usize) {}
    /// Def. 40: the permutation, by its images; so many values of each type occur.
    fn generated(&mut self, _image: &[Atom], _seen: &[u16]) {}
}

/// The observer that ignores everything: the one that checks pass.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {}
