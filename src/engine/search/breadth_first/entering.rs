//! The initial pair; and pairs stored one by one, for ways of storing that compare more than keys.

use super::{Figures, LazyProduct, OngoingSearch, RoundLimits, Stop};
use crate::machine::FormatId;
use crate::reductions::steps::RawPair;
use crate::search::chunk::BatchEntry;
use crate::search::keeping::{Entered, Keeping, KeepingScratch, Kept};
use crate::search::product::{Expansion, ProductMiss};
use crate::search::store::{SHARD_MAX, Shard, StoredId, UNREACHED};
use crate::source::diagnostic::Result;
use crate::source::threads::lock;
use crate::symmetry::strategy::Strategy;

/// The key of the initial state.
pub(super) fn initial(lazy: &mut LazyProduct<'_>) -> Result<Kept> {
    let initial = lazy.network.initial().to_vec();
    let mut scratch = KeepingScratch::default();
    lazy.complete(|product| {
        let pair = RawPair {
            node: 0,
            format: FormatId(0),
            locals: &initial,
        };
        let mut kept = Kept::default();
        let fell_back = &mut Expansion::default();
        product.remember(pair, &mut scratch, &mut kept, fell_back)?;
        Ok(kept)
    })
}

impl OngoingSearch {
    /// Stores the successors one by one, in the order of the frontier, so that the result does not depend on threads;
    /// for ways of storing that compare more than keys.
    pub(super) fn enter_all(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        keeping: &dyn Keeping,
        used: usize,
        guard: &RoundLimits<'_>,
    ) -> Result<Option<Stop>> {
        // Shards only grow at their ends, so states beyond these lengths afterwards are new.
        let before: Vec<usize> = self.store.shards.iter().map(Shard::len).collect();
        let stop = self.enter_each(lazy, keeping, used, guard)?;
        for (shard, from) in before.into_iter().enumerate() {
            let new = (from..self.store.shards[shard].len()).map(|at| StoredId::new(shard, at));
            let reached = new.filter(|id| self.store.parent(*id) != UNREACHED);
            self.depth.frontier.extend(reached);
        }
        Ok(stop)
    }

    fn enter_each(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        keeping: &dyn Keeping,
        used: usize,
        guard: &RoundLimits<'_>,
    ) -> Result<Option<Stop>> {
        // One pair may take long, and bring its whole orbit.
        const POLL_EVERY: usize = 16;
        let mut count = 0usize;
        for chunk in &self.buffers.chunks[..=used] {
            let chunk = lock(chunk);
            for batch in &chunk.batches {
                let mut from = 0;
                for BatchEntry { end, parent, .. } in &batch.entries {
                    let has_pair = lazy.product().layout().pair > 0;
                    let (key, pair) = Kept::split(&batch.bytes[from..*end as usize], has_pair);
                    from = *end as usize;
                    if count.is_multiple_of(POLL_EVERY)
                        && let Some(stop) =
                            guard.limits.reached(guard.cancel, self.store.heap_bytes())
                    {
                        return Ok(Some(stop));
                    }
                    count += 1;
                    if self.is_full(guard.limits.states_max) {
                        return Ok(Some(Stop::States));
                    }
                    let store = &mut self.store;
                    let mut stop = None;
                    let entered = lazy.complete(|product| {
                        match keeping.enter(product, store, key, pair, *parent) {
                            // A cancellation or a limit interrupted the tables.
                            Err(ProductMiss::Enough) => {
                                stop = guard.limits.reached(guard.cancel, guard.held);
                                match stop {
                                    Some(_) => Ok(Entered::default()),
                                    None => Err(ProductMiss::Enough),
                                }
                            }
                            done => done,
                        }
                    })?;
                    if stop.is_some() {
                        return Ok(stop);
                    }
                    self.figures.steps.fallbacks += u64::from(entered.fell_back);
                    self.figures.unreached += entered.unreached;
                }
            }
        }
        Ok(None)
    }

    /// Whether no further state may be stored. It may bring its whole orbit, so shards count as full early.
    fn is_full(&self, states_max: usize) -> bool {
        let full = |shard: &Shard| shard.len() >= SHARD_MAX / 2;
        self.store.len() >= states_max || self.store.shards.iter().any(full)
    }
}

impl LazyProduct<'_> {
    /// The number of representatives known to be unique: those without a fallback of the strategy.
    pub(super) fn unique(&self, figures: &Figures) -> Option<u64> {
        // Other keys are not representatives.
        let represents = self.keeping.is_none();
        let tells = self.strategy.is_some_and(Strategy::tells_uniqueness);
        let ordered = self.specification.as_ref().is_none_or(|s| s.all_ordered());
        (represents && tells && ordered).then(|| {
            figures
                .steps
                .representatives
                .saturating_sub(figures.steps.fallbacks)
        })
    }
}
