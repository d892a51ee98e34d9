//! A search that is reduced from some depth on: the states that it has by then become representatives, and it goes on
//! as if it had been reduced from its beginning.
//!
//! A symmetry keeps the initial state, so all states of an orbit are reached in equally many steps. Between two depths
//! an orbit is either stored and expanded with all its states, or stored and not expanded with all its states, or not
//! stored at all. What is left if one state is kept of each is what a reduced search would have.

use std::sync::Mutex;

use super::{End, NO_STATE, OngoingSearch, SearchControl, Sides, Stop};
use crate::machine::FormatId;
use crate::search::product::{Product, ProductMiss, ProductScratch, ProductState};
use crate::search::store::{Shard, StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;

/// States between two looks at the limits.
const POLL_EVERY: usize = 256;

/// The states of a search on their way to representatives.
struct StateReplacement<'s> {
    before: &'s StateStore,
    after: StateStore,
    /// What was made of each, by shard and index; `NO_STATE` for as long as nothing was.
    places: Vec<Vec<StoredId>>,
    /// Transitions of those that are expanded.
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
    /// About how many states are still to come; none if the frontier has not begun to shrink. It is taken to shrink on
    /// in each depth by the same factor, the one of the last depth or the one since it was widest, if that is less.
    #[must_use]
    pub fn rest(&self) -> Option<f64> {
        let now = self.depth.frontier.len() as f64;
        let ago = (1..).zip(self.depth.widths.iter().rev());
        let (depths, widest) = ago.max_by_key(|(ago, width)| (**width, -*ago))?;
        let since = (now / *widest as f64).powf(1.0 / f64::from(depths));
        let last = now / *self.depth.widths.last()? as f64;
        let factor = since.min(last);
        // `now + now * factor + now * factor² + …`
        (factor < 1.0).then(|| now / (1.0 - factor))
    }

    /// Replaces all states by their representatives under the strategy that there is by now. Says which limit was
    /// reached, if one was: then nothing was replaced.
    ///
    /// # Errors
    /// An evaluation error.
    pub fn reduce(
        &mut self,
        sides: &mut Sides<'_>,
        control: &SearchControl<'_>,
    ) -> Result<Option<Stop>> {
        let waiting: Set<StoredId> = self.depth.frontier.iter().copied().collect();
        let mut replacement = StateReplacement {
            before: &self.store,
            after: StateStore::new(sides.product().layout()),
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
            if let Some(stop) = replacement.take(id, true, sides, control)? {
                return Ok(Some(stop));
            }
        }
        let mut frontier = Vec::new();
        for id in &self.depth.frontier {
            let known = replacement.after.len();
            if let Some(stop) = replacement.take(*id, false, sides, control)? {
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
        // Of states of one orbit the first is as good as all.
        let mut met = Set::default();
        self.violations
            .retain(|violation| met.insert(violation.state));
        debug_assert_eq!(self.end, End::Exhausted);
        self.store = replacement.after;
        // They were for other representatives.
        self.buffers.pool = Mutex::default();
        self.tried_to_collapse = false;
        self.depth.frontier = frontier;
        self.depth.asleep.truncate(0);
        Ok(None)
    }
}

impl StateReplacement<'_> {
    /// Replaces a state, after those that it was reached from.
    fn take(
        &mut self,
        id: StoredId,
        is_expanded: bool,
        sides: &mut Sides<'_>,
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
            sides.complete(|product| self.represent(product, next))?;
            let parent = match self.before.parent(next) {
                NO_STATE => NO_STATE,
                parent => self.place(parent),
            };
            if self.after.insert(&self.key, &[], parent) && is_expanded {
                self.transitions += sides.complete(|product| self.out_degree(product))?;
            }
            if let Some(place) = self.after.find(&self.key) {
                self.places[next.shard()][next.index()] = place;
            }
        }
        Ok(None)
    }

    /// What was made of a state.
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
