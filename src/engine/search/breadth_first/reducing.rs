//! Symmetry reduction of a search from some depth on: its states are replaced by representatives, and it goes on as if
//! it had been reduced from the beginning.
//!
//! A symmetry fixes the initial state, so all states of an orbit have the same depth. Between two depths, the states of
//! an orbit are all stored and expanded, all stored and not expanded, or none is stored. With one state of each orbit,
//! the store is that of a reduced search.

use std::sync::Mutex;

use super::{End, LazyProduct, NO_STATE, OngoingSearch, SearchControl, Stop};
use crate::machine::FormatId;
use crate::search::product::{Product, ProductMiss, ProductScratch, ProductState};
use crate::search::store::{Shard, StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;

/// States between two polls of the limits.
const POLL_EVERY: usize = 256;

/// The states of a search while they are replaced by representatives.
struct StateReplacement<'s> {
    before: &'s StateStore,
    after: StateStore,
    /// The new id of each, by shard and index; `NO_STATE` before it is replaced.
    places: Vec<Vec<StoredId>>,
    /// Transitions of the expanded ones.
    transitions: u64,
    done: usize,
    pair: ProductState,
    scratch: ProductScratch,
    key: Vec<u8>,
    fallbacks: u64,
}

/// A place for each state of a shard.
fn unplaced(shard: &Shard) -> Vec<StoredId> {
    vec![NO_STATE; shard.len()]
}

impl OngoingSearch {
    /// An estimate of the states still to come; `None` unless the frontier has begun to shrink. It is taken to shrink
    /// in each depth by the same factor: that of the last depth, or that since the widest one, if less.
    #[must_use]
    pub fn rest(&self) -> Option<f64> {
        let now = self.width() as f64;
        let ago = (1..).zip(self.depth.widths.iter().rev());
        let (depths, widest) = ago.max_by_key(|(ago, width)| (**width, -*ago))?;
        let since = (now / *widest as f64).powf(1.0 / f64::from(depths));
        let last = now / *self.depth.widths.last()? as f64;
        let factor = since.min(last);
        // `now + now * factor + now * factor² + …`
        (factor < 1.0).then(|| now / (1.0 - factor))
    }

    /// Replaces all states by their representatives under the present strategy. Returns the limit that was reached, if
    /// one was: then no state was replaced.
    ///
    /// # Errors
    /// An evaluation error.
    pub fn reduce(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        control: &SearchControl<'_>,
    ) -> Result<Option<Stop>> {
        let waiting: Set<StoredId> = self.depth.frontier.iter().copied().collect();
        let mut replacement = StateReplacement {
            before: &self.store,
            after: StateStore::new(lazy.product().layout()),
            places: self.store.shards.iter().map(unplaced).collect(),
            transitions: 0,
            done: 0,
            pair: ProductState::default(),
            scratch: ProductScratch::default(),
            key: Vec::new(),
            fallbacks: 0,
        };
        let expanded = self.store.reached().filter(|id| !waiting.contains(id));
        for id in expanded {
            if let Some(stop) = replacement.take(id, true, lazy, control)? {
                return Ok(Some(stop));
            }
        }
        let mut frontier = Vec::new();
        for id in &self.depth.frontier {
            let known = replacement.after.len();
            if let Some(stop) = replacement.take(*id, false, lazy, control)? {
                return Ok(Some(stop));
            }
            if replacement.after.len() > known {
                frontier.push(replacement.place(*id));
            }
        }
        self.figures.steps.transitions = replacement.transitions;
        self.figures.steps.representatives += replacement.done as u64;
        self.figures.steps.fallbacks += replacement.fallbacks;
        for violation in &mut self.violations {
            violation.state = replacement.place(violation.state);
        }
        // Of states of one orbit, keep the first.
        let mut met = Set::default();
        self.violations
            .retain(|violation| met.insert(violation.state));
        debug_assert_eq!(self.end, End::Exhausted);
        self.store = replacement.after;
        // The buffers hold data of other representatives.
        self.buffers.pool = Mutex::default();
        self.savings.tried_to_collapse = false;
        self.depth.frontier = frontier;
        self.depth.asleep.truncate(0);
        Ok(None)
    }
}

impl StateReplacement<'_> {
    /// Replaces a state, after its parents.
    fn take(
        &mut self,
        id: StoredId,
        is_expanded: bool,
        lazy: &mut LazyProduct<'_>,
        control: &SearchControl<'_>,
    ) -> Result<Option<Stop>> {
        let mut path = Vec::new();
        let mut at = id;
        while at != NO_STATE && self.place(at) == NO_STATE {
            path.push(at);
            at = self.before.parent(at);
        }
        while let Some(next) = path.pop() {
            if self.done.is_multiple_of(POLL_EVERY) {
                let held = self.before.heap_bytes() + self.after.heap_bytes();
                if let Some(stop) = control.limits.reached(control.cancel, held) {
                    return Ok(Some(stop));
                }
            }
            self.done += 1;
            lazy.complete(|product| self.represent(product, next))?;
            let parent = match self.before.parent(next) {
                NO_STATE => NO_STATE,
                parent => self.place(parent),
            };
            if self.after.insert(&self.key, &[], parent) && is_expanded {
                self.transitions += lazy.complete(|product| self.out_degree(product))?;
            }
            if let Some(place) = self.after.find(&self.key) {
                self.places[next.shard()][next.index()] = place;
            }
        }
        Ok(None)
    }

    /// The new id of a state.
    fn place(&self, id: StoredId) -> StoredId {
        self.places[id.shard()][id.index()]
    }

    /// Leaves the representative of a state in `key`.
    fn represent(
        &mut self,
        product: &Product<'_>,
        id: StoredId,
    ) -> std::result::Result<(), ProductMiss> {
        product.unpack(&self.before.pair(id), &mut self.pair);
        let out = &mut self.scratch.keeping.representative;
        let format = FormatId(self.pair.format);
        let node = product.representative(self.pair.node, format, &self.pair.locals, out)?;
        self.key.clear();
        product.pack(node, format, &out.locals, &mut self.key);
        self.fallbacks += u64::from(out.fell_back);
        Ok(())
    }

    /// The transitions of the representative in `key`.
    fn out_degree(&mut self, product: &Product<'_>) -> std::result::Result<u64, ProductMiss> {
        product.unpack(&self.key, &mut self.pair);
        product
            .out_degree(&self.pair, &mut self.scratch)
            .map(u64::from)
    }
}
