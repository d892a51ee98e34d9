//! List of the steps of τ between stored states, and the states that may lie on a cycle of them.
//!
//! Most systems have no cycle of τ. A state without a predecessor by τ lies on none, so it is removed with its steps;
//! then others have none, and so on (A. B. Kahn's topological sorting). No state is left if and only if there is no
//! cycle: where each state has a predecessor, going back ends in a cycle. The states left do not depend on the order of
//! removal, so threads may share the work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use super::keeping::{KeepingScratch, Kept};
use super::product::{Expansion, Product, ProductMiss, ProductScratch, ProductState};
use super::store::{SHARDS, StateStore, StoredId, UNREACHED};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId};
use crate::reductions::steps::RawPair;
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::threads::{in_parallel, lock};
use crate::source::{Cancel, Limits, Stop, WorkStage};
use crate::symmetry::twins::Twins;

/// States of one block: the unit of work of a thread.
const BLOCK: usize = 1 << 12;
/// States between two polls of the limits.
const POLL_EVERY: usize = 1 << 8;

/// Threads and limits of the search for cycles.
#[derive(Clone, Copy)]
pub struct CycleControl<'a> {
    /// Threads, at least one.
    pub threads: usize,
    /// Bounds on time and memory.
    pub limits: &'a Limits,
    /// The cancellation flag.
    pub cancel: &'a Cancel,
}

impl<'a> CycleControl<'a> {
    /// The control of a search.
    #[must_use]
    pub fn of(control: &'a SearchControl<'_>) -> Self {
        Self {
            threads: control.threads,
            limits: control.limits,
            cancel: control.cancel,
        }
    }
}

/// The steps of τ between all reached states.
pub(super) struct SilentSteps {
    /// By shard.
    blocks: Vec<Vec<SilentBlock>>,
    /// Steps of states that missed table entries.
    late: Map<StoredId, Vec<StoredId>>,
    bytes: usize,
}

/// The steps of consecutive states of one shard.
#[derive(Default)]
struct SilentBlock {
    /// For each state the end of its steps.
    ends: Vec<u32>,
    to: Vec<StoredId>,
    /// Indices of states that need the evaluator.
    missed: Vec<usize>,
}

impl SilentBlock {
    fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<u32>() + self.to.capacity() * size_of::<StoredId>()
    }

    fn of(&self, place: usize) -> &[StoredId] {
        let from = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.to[from as usize..self.ends[place] as usize]
    }
}

/// The result of listing them.
pub(super) enum WrittenOut {
    /// All steps.
    All(SilentSteps),
    /// The list would exceed its bound on memory.
    TooLarge,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct SilentScratch {
    product: ProductScratch,
    at: ProductState,
    rules: RuleScratch,
    keeping: KeepingScratch,
    kept: Kept,
    twins: Twins,
}

/// Notes that a step leads to a state that is not stored.
///
/// With sleep sets ([`crate::reductions::sleep`]), and a strategy that could not choose the unique representative of an
/// orbit, another one may be stored. Then a cycle might be missed.
pub(super) fn note_unmet(product: &Product<'_>) {
    if product.sleeping.is_some() {
        product.unmet.store(true, Ordering::Relaxed);
    }
}

/// The stored state that a step leads to, if there is one.
#[inline]
fn stored(product: &Product<'_>, store: &StateStore, kept: &Kept) -> Option<StoredId> {
    let found = store.find(&kept.key);
    if found.is_none() {
        note_unmet(product);
    }
    found
}

/// Appends the stored successors by τ, in the order of steps.
///
/// # Errors
/// A missing table entry; some successors may have been appended by then.
pub(super) fn silent_steps(
    product: &Product<'_>,
    store: &StateStore,
    state: StoredId,
    scratch: &mut SilentScratch,
    found: &mut Vec<StoredId>,
) -> std::result::Result<(), ProductMiss> {
    silent_targets(product, &store.pair(state), scratch, &mut |kept| {
        found.extend(stored(product, store, kept));
    })
}

/// Calls `found` with the stored form of each successor by τ, in the order of steps.
///
/// # Errors
/// A missing table entry; `found` may have been called by then.
pub(super) fn silent_targets(
    product: &Product<'_>,
    bytes: &[u8],
    scratch: &mut SilentScratch,
    found: &mut impl FnMut(&Kept),
) -> std::result::Result<(), ProductMiss> {
    // Here the choice of steps depends on the visible ones, so all are needed.
    if product.state_symmetry || product.demands.refusal_testing {
        product.expand(bytes, &mut scratch.product, |event, kept| {
            kept.filter(|_| event == EventId::TAU)
                .into_iter()
                .for_each(&mut *found);
            Ok(())
        })?;
        return Ok(());
    }
    // Otherwise visible steps are skipped: most of the cost of a step is in its target.
    let SilentScratch {
        at,
        rules,
        keeping,
        kept,
        twins,
        ..
    } = scratch;
    let near = &mut keeping.representative.near;
    product.stand_at(bytes, at, near);
    if product.is_cut_off(at.node)? {
        return Ok(());
    }
    let format = FormatId(at.format);
    let leave_out = product.find_twins(at, twins, near);
    let mut counted = Expansion::default();
    let (locals, node) = (product.locals, at.node);
    product
        .network
        .successors(locals, format, &at.locals, rules, |successor| {
            let is_silent = successor.event == EventId::TAU;
            if !is_silent || (leave_out && twins.makes_superfluous(successor.movers())) {
                return Ok(());
            }
            // τ leaves the node of the specification unchanged.
            let pair = RawPair {
                node,
                format: successor.format,
                locals: successor.locals,
            };
            product.say_how_near(at, &successor, keeping);
            product.remember(pair, keeping, kept, &mut counted)?;
            found(kept);
            Ok::<_, ProductMiss>(())
        })
}

impl SilentSteps {
    /// Lists the steps, if they take at most `room` bytes.
    ///
    /// # Errors
    /// An evaluation error.
    pub(super) fn write_out(
        lazy: &mut LazyProduct<'_>,
        store: &StateStore,
        control: CycleControl<'_>,
        room: usize,
    ) -> Result<WrittenOut> {
        let shards = 0..SHARDS;
        let units: Vec<(usize, usize)> = shards
            .flat_map(|shard| {
                let firsts = (0..store.shards[shard].len()).step_by(BLOCK);
                firsts.map(move |first| (shard, first))
            })
            .collect();
        let blocks: Vec<Mutex<SilentBlock>> = units.iter().map(|_| Mutex::default()).collect();
        let guard = Writing {
            control,
            store,
            room,
            held: store.heap_bytes(),
            bytes: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            stop: Mutex::new(None),
        };
        let product = lazy.product();
        in_parallel(
            control.threads,
            units.len(),
            SilentScratch::default,
            |scratch, unit| {
                let block = guard.write_block(&product, units[unit], scratch);
                *lock(&blocks[unit]) = block;
            },
        );
        let (bytes, stop) = (guard.bytes.into_inner(), *lock(&guard.stop));
        if let Some(stop) = stop {
            return Ok(WrittenOut::Stopped(stop));
        }
        if bytes > room {
            return Ok(WrittenOut::TooLarge);
        }
        let blocks = blocks.into_iter().map(|block| {
            block
                .into_inner()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        });
        let written = units.into_iter().zip(blocks);
        let this = Self::put_together(lazy, store, written, bytes)?;
        Ok(WrittenOut::All(this))
    }

    /// Collects all blocks, by shard and first state, with the steps that they missed.
    fn put_together(
        lazy: &mut LazyProduct<'_>,
        store: &StateStore,
        written: impl Iterator<Item = ((usize, usize), SilentBlock)>,
        bytes: usize,
    ) -> Result<Self> {
        let mut this = Self {
            blocks: (0..SHARDS).map(|_| Vec::new()).collect(),
            late: Map::default(),
            bytes,
        };
        for ((shard, first), mut block) in written {
            for place in std::mem::take(&mut block.missed) {
                let state = StoredId::new(shard, first + place);
                let found = lazy.complete(|product| {
                    let (mut found, mut scratch) = (Vec::new(), SilentScratch::default());
                    silent_steps(product, store, state, &mut scratch, &mut found)?;
                    Ok(found)
                })?;
                this.late.insert(state, found);
            }
            this.blocks[shard].push(block);
        }
        Ok(this)
    }

    /// The successors of a state by τ, in the order of steps.
    pub(super) fn of(&self, state: StoredId) -> &[StoredId] {
        if let Some(late) = self.late.get(&state) {
            return late;
        }
        self.blocks[state.shard()][state.index() / BLOCK].of(state.index() % BLOCK)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Repeatedly removes states without a predecessor by τ. Returns the states left.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn not_left_out(
        &self,
        store: &StateStore,
        control: CycleControl<'_>,
    ) -> std::result::Result<Vec<StoredId>, Stop> {
        // For each state, the number of τ steps from remaining states to it.
        let reached: Vec<Vec<AtomicU32>> = store
            .shards
            .iter()
            .map(|shard| (0..shard.len()).map(|_| AtomicU32::new(0)).collect())
            .collect();
        let count = |state: StoredId| &reached[state.shard()][state.index()];
        // The counters, and lists of states.
        let held = store.heap_bytes() + self.bytes + 12 * store.len();
        let look = || match control.limits.reached(control.cancel, held) {
            Some(stop) => Err(stop),
            None => Ok(()),
        };
        look()?;
        let all: Vec<StoredId> = store.reached().collect();
        self.in_parts(&all, control.threads, |next| {
            // Counters carry no other data, and all threads are joined.
            count(next).fetch_add(1, Ordering::Relaxed);
            false
        });
        look()?;
        let mut without: Vec<StoredId> = all
            .iter()
            .copied()
            .filter(|state| count(*state).load(Ordering::Relaxed) == 0)
            .collect();
        while !without.is_empty() {
            look()?;
            // Only the thread that removes the last step passes the state on.
            without = self.in_parts(&without, control.threads, |next| {
                count(next).fetch_sub(1, Ordering::Relaxed) == 1
            });
        }
        let left = |state: &StoredId| count(*state).load(Ordering::Relaxed) > 0;
        Ok(all.into_iter().filter(left).collect())
    }

    /// Calls `take` for the successors of some states by τ. Returns those for which it is true, in no order.
    fn in_parts(
        &self,
        states: &[StoredId],
        threads: usize,
        take: impl Fn(StoredId) -> bool + Sync,
    ) -> Vec<StoredId> {
        let parts: Vec<&[StoredId]> = states.chunks(BLOCK).collect();
        let taken = Mutex::new(Vec::new());
        in_parallel(threads, parts.len(), Vec::new, |own, part| {
            own.clear();
            for state in parts[part] {
                own.extend(self.of(*state).iter().copied().filter(|next| take(*next)));
            }
            lock(&taken).append(own);
        });
        taken
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Data shared by the threads that list steps.
struct Writing<'a> {
    control: CycleControl<'a>,
    store: &'a StateStore,
    room: usize,
    held: usize,
    bytes: AtomicUsize,
    /// Steps that were listed so far.
    steps: AtomicUsize,
    is_over: AtomicBool,
    stop: Mutex<Option<Stop>>,
}

impl Writing<'_> {
    /// The steps of the states of a shard from an index on; fewer if the listing was ended.
    fn write_block(
        &self,
        product: &Product<'_>,
        (shard, first): (usize, usize),
        scratch: &mut SilentScratch,
    ) -> SilentBlock {
        let mut block = SilentBlock::default();
        let states = self.store.shards[shard].len().min(first + BLOCK) - first;
        block.ends.reserve_exact(states);
        for place in 0..states {
            if place.is_multiple_of(POLL_EVERY) && self.is_over(&block) {
                return block;
            }
            let state = StoredId::new(shard, first + place);
            let before = block.to.len();
            // States stored beside others are not expanded.
            if self.store.parent(state) != UNREACHED
                && silent_steps(product, self.store, state, scratch, &mut block.to).is_err()
            {
                block.to.truncate(before);
                block.missed.push(place);
            }
            block.ends.push(block.to.len() as u32);
        }
        block.to.shrink_to_fit();
        let steps = self.steps.fetch_add(block.to.len(), Ordering::Relaxed) + block.to.len();
        self.control.cancel.reach(WorkStage::Diverging, steps);
        let own = block.bytes();
        let all = self.bytes.fetch_add(own, Ordering::Relaxed) + own;
        if all > self.room {
            self.is_over.store(true, Ordering::Relaxed);
        }
        block
    }

    /// Whether the listing was ended.
    fn is_over(&self, block: &SilentBlock) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return true;
        }
        let held = self.held + self.bytes.load(Ordering::Relaxed) + block.bytes();
        let stop = self.control.limits.reached(self.control.cancel, held);
        if stop.is_some() {
            *lock(&self.stop) = stop;
            self.is_over.store(true, Ordering::Relaxed);
        }
        stop.is_some()
    }
}
