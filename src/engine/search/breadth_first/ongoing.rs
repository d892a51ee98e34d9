//! A search from its beginning to its end, interruptible between two depths.

use crate::search::figures::search_work;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{
    End, Figures, LazyProduct, OngoingSearch, ROUND, ReportTimes, RoundBuffers, Savings, Search,
    SearchControl, SearchDepth, entering,
};
use crate::machine::pack::state_hash;
use crate::reductions::partial_order::Looks;
use crate::reductions::sleep::SleepSets;
use crate::search::arrivals::Arrivals;
use crate::search::chunk::Chunk;
use crate::search::product::Product;
use crate::search::store::{NO_STATE, StateStore, StoredId, shard_of};
use crate::source::diagnostic::Result;

impl OngoingSearch {
    /// Stores the initial state.
    ///
    /// # Errors
    /// An evaluation error.
    pub fn begin(lazy: &mut LazyProduct<'_>) -> Result<Self> {
        let kept = entering::initial(lazy)?;
        let mut run = Self {
            store: StateStore::new(lazy.product().layout()),
            disk: None,
            others: None,
            figures: Figures::default(),
            buffers: RoundBuffers {
                arrivals: Arrivals::default(),
                pool: Mutex::default(),
                chunks: (0..ROUND + 1)
                    .map(|_| Mutex::new(Chunk::default()))
                    .collect(),
                spare: Default::default(),
            },
            reports: ReportTimes {
                started: Instant::now(),
                reported: Duration::ZERO,
            },
            violations: Vec::new(),
            depth: SearchDepth {
                // All shards are empty, so its index is 0.
                frontier: vec![StoredId::new(shard_of(state_hash(&kept.key)), 0)],
                asleep: SleepSets::default(),
                widths: Vec::new(),
            },
            savings: Savings {
                sleeps: true,
                looks: Looks::default(),
                tried_to_collapse: false,
            },
            work_max: u64::MAX,
            end: End::Exhausted,
        };
        let (keeping, store) = (lazy.keeping, &mut run.store);
        let (key, pair) = (&kept.key[..], &kept.pair[..]);
        match keeping {
            Some(keeping) => {
                let entered =
                    |product: &Product<'_>| keeping.enter(product, store, key, pair, NO_STATE);
                run.figures.unreached = lazy.complete(entered)?.unreached;
            }
            None => {
                store.insert(key, pair, NO_STATE);
            }
        }
        Ok(run)
    }

    /// Goes on to the end, or until a depth is complete and `states` states are stored.
    ///
    /// # Errors
    /// An evaluation error of a reached state.
    pub fn go_on(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        control: &mut SearchControl<'_>,
        states: usize,
    ) -> Result<()> {
        while !self.is_over() && self.states() < states {
            if !self.savings.tried_to_collapse && self.store.key_bytes() >= control.collapse_after {
                self.collapse(lazy, control);
            }
            self.depth.widths.push(self.width());
            let (spare, sets) = std::mem::take(&mut self.buffers.spare);
            let mut frontier = std::mem::replace(&mut self.depth.frontier, spare);
            let mut asleep = std::mem::replace(&mut self.depth.asleep, sets);
            self.end = self.ply(lazy, (&frontier, &asleep), control)?;
            frontier.clear();
            asleep.truncate(0);
            self.buffers.spare = (frontier, asleep);
        }
        Ok(())
    }

    /// Bounds its work ([`Figures::work`]): beyond that it ends within a depth, as at a limit.
    pub(crate) fn bound_work(&mut self, work_max: u64) {
        self.work_max = work_max;
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.width() == 0 || self.end != End::Exhausted
    }

    /// Whether it exceeded its bound on work.
    pub(crate) fn is_overworked(&self) -> bool {
        self.figures.work() > self.work_max
    }

    /// The reason of its end, if it has ended.
    #[must_use]
    pub fn end(&self) -> &End {
        &self.end
    }

    /// The counters so far.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The states so far.
    #[must_use]
    pub fn store(&self) -> &StateStore {
        &self.store
    }

    /// Representatives computed so far.
    #[must_use]
    pub fn representatives(&self) -> u64 {
        self.figures.steps.representatives
    }

    /// Steps of work so far ([`search_work`]).
    #[must_use]
    pub fn work(&self, components: usize) -> u64 {
        search_work(
            self.states() as u64,
            self.figures.steps.transitions,
            components,
        )
    }

    /// The result of a search that has ended.
    pub fn finish(mut self, lazy: &LazyProduct<'_>, control: &mut SearchControl<'_>) -> Search {
        if self.others.is_none() {
            self.figures.bytes = self.stored_bytes();
            if self.disk.is_none() {
                self.figures.states = self.store.len();
            }
        }
        self.figures.ends = self.store.backs();
        self.figures.unique = lazy.unique(&self.figures);
        (control.progress)(&self.figures);
        #[cfg(debug_assertions)]
        if self.disk.is_none() && self.others.is_none() {
            self.assert_closed(lazy);
        }
        let (disk, others) = (self.disk, self.others);
        Search {
            is_partial: disk.is_some() || others.is_some(),
            is_acyclic: match (&others, &disk) {
                (Some(others), _) => others.is_acyclic,
                (None, Some(disk)) => disk.is_acyclic,
                (None, None) => false,
            },
            counted: others.and_then(|others| others.counted),
            store: self.store,
            disk,
            figures: self.figures,
            end: self.end,
            violations: self.violations,
        }
    }
}
