//! Watching the component-ordering algorithm without slowing it down.

use super::partition::{Blocks, Vector};

/// Told about every step of Def. 36. The default methods do nothing and compile away.
pub trait Observer {
    /// Whether snapshots of the partition are worth taking.
    const WATCHING: bool = false;
    /// Step 1 is done.
    fn initial(&mut self, _vector: &Vector, _blocks: &Blocks) {}
    /// Step 2: the buckets are filled for this partition.
    fn count(&mut self, _vector: &Vector, _blocks: &Blocks) {}
    /// Step 2: this partition came out of the counting (the same one: a fixed point).
    fn refined(&mut self, _vector: &Vector, _blocks: &Blocks, _changed: bool) {}
    /// Step 3: `block` was split; `all` says whether into singletons because it is fully symmetric.
    fn choice(&mut self, _vector: &Vector, _blocks: &Blocks, _block: usize, _all: bool) {}
    /// Every block is a singleton.
    fn ordered(&mut self, _vector: &Vector, _blocks: &Blocks) {}
}

/// Nobody watches.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {}
