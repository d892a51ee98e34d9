//! Breadth-first search of the product automaton on several threads.
//!
//! The search goes in rounds. In a round every thread takes chunks of the frontier, expands them with the tables
//! read-only, and sorts the successors by shard. Then every thread takes shards and stores the successors chunk by
//! chunk. States whose expansion misses table entries are expanded between the two, by one thread that may ask the
//! evaluator. The order in which states are generated, and stored in each shard, does not depend on the number of
//! threads, so states, parents and counterexamples do not either.

#[cfg(debug_assertions)]
mod closed;
mod collapsing;
pub mod committing;
mod disk_rounds;
mod distributed_rounds;
mod entering;
mod expanding;
mod leaving;
mod ongoing;
mod reducing;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use expanding::FrontierRound;

use super::arrivals::{Arrivals, Stretch, stretches};
use super::chunk::{Chunk, ROUND, ROUND_STATES, RoundLimits, chunk_states};
use super::disk_store::RoundRecords;
use super::distributed::Distributed;
use super::distributed::ending::{RoundEnd, end_of};
use super::figures::Counted;
pub use super::figures::Figures;
use super::keeping::Keeping;
use super::on_disk::OnDisk;
use super::product::{Demands, Product, ProductMiss, ProductScratch, Violation};
use super::store::{NO_STATE, SHARD_MAX, SHARDS, Shard, StateStore, StoredId};
use super::storing::{ShardBuffers, store_shard, store_up_to};
use crate::machine::completion::until_complete;
use crate::machine::pack::Packer;
use crate::machine::{Machine, Network};
use crate::reductions::partial_order::{Looks, PartialOrder};
use crate::reductions::sleep::{Commuting, SleepSets, pays};
use crate::reductions::table::{ReductionKind, ReductionSet, Requirement, obstacle};
pub use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::threads::{in_parallel, lock};
use crate::source::{Cancel, Limits, WorkStage};
use crate::specification::Specification;
use crate::symmetry::strategy::Strategy;

/// The product automaton of both sides of a check, evaluated on demand, and the reductions of its search.
pub struct LazyProduct<'a> {
    /// The machine of both sides.
    pub machine: &'a mut Machine,
    /// The implementation.
    pub network: &'a mut Network,
    /// The specification.
    pub specification: Option<&'a mut Specification>,
    /// Demands on the states.
    pub demands: Demands,
    /// The strategy for representatives; `None` for a search without symmetry reduction.
    pub strategy: Option<&'a dyn Strategy>,
    /// The way to store pairs, if not by representatives.
    pub keeping: Option<&'static dyn Keeping>,
    /// The reductions to use where they apply.
    pub reductions: ReductionSet,
    /// Transitions until it is decided in which states to search for a stubborn set ([`Looks`]).
    pub look_after: u64,
    /// See [`Product::unmet`].
    pub unmet: &'a AtomicBool,
    /// Partial order reduction, if it is used.
    pub partial_order: Option<&'a PartialOrder>,
    /// The packing of states of the implementation.
    pub packer: Packer,
}

impl LazyProduct<'_> {
    /// The product automaton, read-only.
    #[must_use]
    pub fn product(&self) -> Product<'_> {
        Product {
            atoms: self.machine.atoms(),
            locals: self.machine.locals(),
            network: self.network,
            packer: &self.packer,
            specification: self.specification.as_deref(),
            demands: self.demands,
            strategy: self.strategy,
            keeping: self.keeping,
            state_symmetry: self.uses(ReductionKind::StateSymmetry),
            partial_order: self.partial_order,
            sleeping: self.sleeping(),
            unmet: self.unmet,
        }
    }

    /// Whether a reduction is requested and applies.
    fn uses(&self, kind: ReductionKind) -> bool {
        let holds = |requirement| self.meets(requirement);
        self.reductions.contains(kind) && obstacle(kind, self.reductions, holds).is_none()
    }

    /// Whether a requirement of a reduction holds, if it is one that no check decides before its search.
    fn meets(&self, requirement: Requirement) -> bool {
        let format = self.network.first();
        match requirement {
            Requirement::FixedForm => self.network.is_fixed(),
            Requirement::NoPriorities => format.rules().priorities().is_empty(),
            Requirement::Symmetric => self.strategy.is_some(),
            Requirement::NoCopies => self.strategy.is_none() || format.copies().is_empty(),
            Requirement::UniqueRepresentatives => {
                let specification = self.specification.as_ref();
                self.strategy.is_none_or(Strategy::lets_steps_sleep)
                    && specification.is_none_or(|s| s.all_ordered())
            }
            Requirement::NoRefusalTesting => !self.demands.refusal_testing,
            Requirement::NoDeterminism => !self.demands.determinism,
            Requirement::Explored
            | Requirement::NoCounting
            | Requirement::NoTrace
            | Requirement::NoDivergence => true,
        }
    }

    /// Whether pairs are stored one by one, by more than their keys.
    pub(super) fn enters_by_itself(&self) -> bool {
        self.keeping.is_some_and(Keeping::enters_by_itself)
    }

    /// Sleep sets ([`crate::reductions::sleep`]): the independence relation of this search, if it uses them.
    fn sleeping(&self) -> Option<Commuting> {
        let sleeps = self.uses(ReductionKind::SleepSets);
        sleeps.then_some(match &self.specification {
            None => Commuting::Always,
            Some(_) if self.demands.divergent_allows_all => Commuting::SleepingSilent,
            Some(_) => Commuting::OneSilent,
        })
    }

    /// Fills in a missing table entry.
    ///
    /// # Errors
    /// An evaluation error, a limit, or a format that is not symmetric.
    pub fn resolve(&mut self, miss: &ProductMiss) -> Result<()> {
        match miss {
            ProductMiss::Machine(miss) => self.machine.resolve(self.network, miss)?,
            ProductMiss::Specification(miss) => {
                if let Some(specification) = &mut self.specification {
                    specification.resolve(self.machine, miss)?;
                }
            }
            ProductMiss::Packer | ProductMiss::Enough => {}
        }
        self.packer.update(self.network);
        self.machine.check_patience()?;
        // A new format may not respect the permutations. An unreduced search may go on. A reduced one has to end: its
        // representatives would represent states that the system does not have.
        if self.strategy.is_some() {
            let specification = self.specification.as_ref().map(|s| s.network());
            let mut networks = std::iter::once(&*self.network).chain(specification);
            if let Some(failed) = networks.find_map(Network::asymmetry) {
                return Err(Box::new(failed.clone()));
            }
        }
        Ok(())
    }

    /// Runs `attempt` on the read-only automaton, filling in missing table entries until it succeeds.
    ///
    /// # Errors
    /// As [`LazyProduct::resolve`].
    pub fn complete<R>(
        &mut self,
        mut attempt: impl FnMut(&Product<'_>) -> std::result::Result<R, ProductMiss>,
    ) -> Result<R> {
        until_complete(
            self,
            |lazy| attempt(&lazy.product()),
            |lazy, miss| {
                let resolved = lazy.machine.eval.check_time();
                let resolved = resolved.and_then(|()| lazy.resolve(&miss));
                lazy.machine.during("searching", None, resolved)
            },
        )
    }
}

/// Why a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every state was expanded.
    Exhausted,
    /// As many violating states were found as requested.
    Violated,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// Control of a search: threads, limits, cancellation and progress.
pub struct SearchControl<'a> {
    /// Threads, at least one.
    pub threads: usize,
    /// Bytes of all keys after which they are collapsed, if that makes them shorter
    /// ([`crate::check::Options::collapse_after`]).
    pub collapse_after: usize,
    /// Bounds on time, memory, states and counterexamples.
    pub limits: &'a Limits,
    /// The cancellation flag.
    pub cancel: &'a Cancel,
    /// Called now and then with the progress, and once at the end.
    pub progress: &'a mut dyn FnMut(&Figures),
}

/// A finished search: the store is kept to unwind counterexamples.
pub struct Search {
    /// The stored states; of a search on disk, those that counterexamples need.
    pub store: StateStore,
    /// All states of a search on disk.
    pub(in crate::search) disk: Option<Box<OnDisk>>,
    /// The final counters.
    pub figures: Figures,
    /// The reason of its end.
    pub end: End,
    /// States with a violation, shortest counterexamples first, at most as many as requested.
    pub violations: Vec<ViolatingState>,
    /// Whether the store has only states that counterexamples need.
    pub is_partial: bool,
    /// Whether it is known already that there is no cycle of τ.
    pub is_acyclic: bool,
    /// What the states represent, if that is counted already.
    pub counted: Option<Counted>,
}

/// A state that violates a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViolatingState {
    /// The stored state: a representative, if there is a reduction.
    pub state: StoredId,
    /// One violation of it, though there may be several.
    pub violation: Violation,
    /// Steps of its counterexample.
    pub length: usize,
}

/// Explores the product from its initial state.
///
/// # Errors
/// An evaluation error of a state that the search reached.
pub fn search(lazy: &mut LazyProduct<'_>, control: &mut SearchControl<'_>) -> Result<Search> {
    let mut run = OngoingSearch::begin(lazy)?;
    run.go_on(lazy, control, usize::MAX)?;
    Ok(run.finish(lazy, control))
}

/// Buffers of the rounds of a search.
struct RoundBuffers {
    /// One for each chunk of a round, and one for the states that needed the evaluator.
    chunks: Vec<Mutex<Chunk>>,
    arrivals: Arrivals,
    /// A pool of scratch buffers for threads.
    pool: Mutex<Vec<ProductScratch>>,
    /// Emptied frontier and sleep sets of the depth before, reused: fresh memory is slow to get.
    spare: (Vec<StoredId>, SleepSets),
}

/// The depth to expand next.
struct SearchDepth {
    /// Its frontier so far; of a search on disk, the states that are not settled yet.
    frontier: Vec<StoredId>,
    /// The sleep set of each of its states; empty without sleep sets.
    asleep: SleepSets,
    /// The number of frontier states of each depth before.
    widths: Vec<usize>,
}

impl SearchDepth {
    /// Bytes of the frontier and its sleep sets.
    fn bytes(&self) -> usize {
        size_of_val(&self.frontier[..]) + self.asleep.bytes()
    }
}

/// Ways to save steps and memory, as long as they pay.
struct Savings {
    /// Whether sleep sets are used, if they apply.
    sleeps: bool,
    /// The states in which to search for a stubborn set, under partial order reduction.
    looks: Looks,
    /// Whether collapsing of keys was tried.
    tried_to_collapse: bool,
}

/// The times of reports.
struct ReportTimes {
    started: Instant,
    /// The time of the latest report since the start.
    reported: Duration,
}

/// A search in progress. It can be interrupted between two depths.
pub struct OngoingSearch {
    /// The states, unless they are on disk.
    store: StateStore,
    disk: Option<Box<OnDisk>>,
    /// The processes that share the states, if there are others.
    others: Option<Box<Distributed>>,
    figures: Figures,
    buffers: RoundBuffers,
    reports: ReportTimes,
    violations: Vec<ViolatingState>,
    depth: SearchDepth,
    savings: Savings,
    /// See [`OngoingSearch::bound_work`].
    work_max: u64,
    /// The reason of its end; `Exhausted` also while it goes on.
    end: End,
}

impl OngoingSearch {
    /// Expands a whole frontier, and makes the next one.
    fn ply(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        (frontier, asleep): (&[StoredId], &SleepSets),
        control: &mut SearchControl<'_>,
    ) -> Result<End> {
        let size = match self.work_max {
            u64::MAX => ROUND_STATES,
            // It may end soon.
            _ => ROUND_STATES / 32,
        };
        let mut records = RoundRecords::default();
        let (mut first, width) = self.begin_depth(frontier.len());
        while first < width {
            let threads = control.threads;
            if let Some(stop) = self.commit_if_due(lazy, threads, None)? {
                return Ok(End::Stopped(stop));
            }
            // The rest of this ply, and the next one so far.
            let waiting = width - first + self.coming();
            let held = size_of_val(frontier) + asleep.bytes();
            let stop = self.report(lazy, waiting, held, control);
            let stop = stop.or_else(|| self.is_overworked().then_some(Stop::States));
            let read = match stop {
                Some(stop) => Err(RoundEnd::Stopped(stop)),
                None => self.read_round(size, &mut records),
            };
            let round = match self.disk {
                Some(_) => records.round(first),
                None => FrontierRound::of((frontier, asleep), first, size),
            };
            first += round.states.len();
            let ended = match (read, self.is_distributed()) {
                (read, true) => self.distributed_round(lazy, &round, (control, read))?,
                (Ok(()), false) => self.round(lazy, &round, control)?,
                (Err(end), false) => Some(End::Stopped(end_of(end)?)),
            };
            if let Some(end) = ended {
                if let End::Stopped(stop) = end {
                    self.commit_if_due(lazy, threads, Some(stop))?;
                }
                return Ok(end);
            }
        }
        if let Some(stop) = self.end_depth(control.threads)? {
            return Ok(End::Stopped(stop));
        }
        // Violations found from here on take at least this many steps: `is_enough` relies on that.
        self.figures.ply += 1;
        let enough = self.is_enough(control.limits, self.figures.ply);
        // `Exhausted` means to go on while there is a next frontier.
        Ok(match enough {
            true => End::Violated,
            false => End::Exhausted,
        })
    }

    /// Reports progress ten times a second, given the states that wait and the bytes of the present frontier. Returns the
    /// limit that was reached, if any.
    fn report(
        &mut self,
        lazy: &LazyProduct<'_>,
        frontier: usize,
        held: usize,
        control: &mut SearchControl<'_>,
    ) -> Option<Stop> {
        self.figures.states = self.states();
        if let Some(disk) = &self.disk {
            disk.tell(&mut self.figures);
        }
        if let Some(others) = &self.others {
            others.tell(&mut self.figures);
        }
        self.figures.frontier = frontier;
        self.figures.bytes = self.stored_bytes() + held + self.depth.bytes();
        let elapsed = self.reports.started.elapsed();
        if elapsed.saturating_sub(self.reports.reported) >= Duration::from_millis(100) {
            self.reports.reported = elapsed;
            self.figures.unique = lazy.unique(&self.figures);
            (control.progress)(&self.figures);
        }
        let states = self.figures.states;
        control.cancel.reach(WorkStage::Searching, states);
        control.limits.reached(control.cancel, self.figures.bytes)
    }

    /// Whether counterexamples of `length` steps or more are no longer needed.
    fn is_enough(&self, limits: &Limits, length: usize) -> bool {
        // Sorted by length, so this is the longest one requested.
        let last = self.violations.get(limits.violations_max.max(1) - 1);
        last.is_some_and(|fall| fall.length <= length)
    }

    /// Adds up the counters of the chunks of a round, and keeps the `most` violations with the fewest steps. Under
    /// partial order reduction, decides after `look_after` transitions in which states to search for a stubborn set.
    fn collect(&mut self, used: usize, most: usize, look_after: Option<u64>) {
        let chunks = &self.buffers.chunks[..=used];
        let mut violations: Vec<_> = chunks
            .iter()
            .flat_map(|c| std::mem::take(&mut lock(c).violations))
            .collect();
        // By place in the frontier, so that the result does not depend on threads.
        violations.sort_unstable_by_key(|v| v.0);
        let (mut looked, mut saved) = (0, 0);
        // Only after the whole round: an abandoned round counts for nothing.
        for chunk in chunks.iter().map(lock) {
            self.figures.steps += chunk.steps;
            looked += chunk.steps.transitions - chunk.steps.unlooked;
            saved += chunk.steps.left_out + chunk.steps.skipped;
        }
        if let Some(after) = look_after {
            self.savings.looks.go_on(looked, saved, after);
        }
        let ply = self.figures.ply;
        self.violations
            .extend(
                violations
                    .into_iter()
                    .map(|(_, state, violation)| ViolatingState {
                        state,
                        violation,
                        length: ply + violation.steps(),
                    }),
            );
        // The sort is stable: of equal lengths those of earlier rounds come first.
        self.violations.sort_by_key(|fall| fall.length);
        self.violations.truncate(most);
    }

    /// Expands part of the frontier and stores new states, appending them to the next one.
    fn round(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        round: &FrontierRound<'_>,
        control: &SearchControl<'_>,
    ) -> Result<Option<End>> {
        let threads = control.threads;
        let used = round.states.len().div_ceil(chunk_states(threads));
        let guard = RoundLimits {
            limits: control.limits,
            cancel: control.cancel,
            held: self.figures.bytes,
        };
        self.savings.sleeps =
            self.savings.sleeps && pays(self.figures.steps.slept, self.figures.steps.transitions);
        let (sleeps, looks) = (self.savings.sleeps, self.savings.looks);
        let of_state = |n: usize| {
            let asleep = sleeps.then(|| round.asleep.get(round.sets + n));
            (asleep, looks.at(round.first + n))
        };
        self.expand_round(lazy, round, &of_state, threads, &guard)?;
        // An abandoned chunk lacks some successors, so no state of this round is stored.
        let mut chunks = self.buffers.chunks[..=used].iter();
        if let Some(stop) = chunks.find_map(|c| lock(c).stop) {
            return Ok(Some(End::Stopped(stop)));
        }
        if let Some(stop) = self.note_misses(round, used, &of_state)? {
            return Ok(Some(End::Stopped(stop)));
        }
        self.begin_round_on_disk();
        // A violating state is in the frontier and stored already: if it is enough, the successors need not be stored.
        let after = lazy.partial_order.map(|_| lazy.look_after);
        self.collect(used, control.limits.violations_max.max(1), after);
        let ply = self.figures.ply;
        // A refusal is a violation one step before an event that is not allowed: where both are possible, a later state
        // of the ply may have the shorter counterexample.
        let refusals = lazy.demands.looks_at_offers();
        let later = if refusals { ply } else { ply + 1 };
        if self.is_enough(control.limits, later) {
            return Ok(Some(End::Violated));
        }
        let stop = self.store_round(lazy, used, (threads, &guard))?;
        Ok(stop.map(End::Stopped))
    }

    /// Stores the successors of a round, and appends the new ones to the next frontier.
    fn store_round(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        used: usize,
        (threads, guard): (usize, &RoundLimits<'_>),
    ) -> Result<Option<Stop>> {
        // States of a new format with more components are longer.
        let layout = lazy.product().layout();
        // Few successors are stored before threads would have started.
        let few = threads.min(used);
        if self.disk.is_some() {
            let stop = self.lengthen_on_disk(layout, threads)?;
            return match stop {
                None => self.store_on_disk(used, (few, guard, layout.pair > 0)),
                stop => Ok(stop),
            };
        }
        let growth = self.store.growth(layout);
        if growth > 0
            && let Some(stop) = guard.limits.reached_with(guard.cancel, guard.held, growth)
        {
            return Ok(Some(stop));
        }
        self.store.set_layout(layout);
        if let Some(keeping) = lazy.keeping.filter(|keeping| keeping.enters_by_itself()) {
            return self.enter_all(lazy, keeping, used, guard);
        }
        let stop = self.store_all(used, few, guard, layout.pair > 0);
        self.take_new(used);
        Ok(stop)
    }

    /// Appends the new states of a round, in the order in which they were generated.
    fn take_new(&mut self, used: usize) {
        let chunks: Vec<_> = self.buffers.chunks[..=used].iter().map(lock).collect();
        let chunks: Vec<&Chunk> = chunks.iter().map(|c| &**c).collect();
        for stretch in stretches(&chunks) {
            let SearchDepth {
                frontier, asleep, ..
            } = &mut self.depth;
            for (n, id) in self.buffers.arrivals.new_of(&stretch) {
                let sleep = stretch.sleep(n);
                if !sleep.is_empty() {
                    asleep.lengthen(frontier.len());
                    asleep.push(sleep);
                }
                frontier.push(id);
            }
        }
    }

    /// Stores the successors, up to the limit of states. The last ones do not depend on the number of threads, since
    /// one thread alone comes near the limit.
    fn store_all(
        &mut self,
        used: usize,
        threads: usize,
        guard: &RoundLimits<'_>,
        has_pair: bool,
    ) -> Option<Stop> {
        let room = guard.limits.states_max.saturating_sub(self.store.len());
        let chunks: Vec<_> = self.buffers.chunks[..=used].iter().map(lock).collect();
        let chunks: Vec<&Chunk> = chunks.iter().map(|c| &**c).collect();
        let stretches = stretches(&chunks);
        self.buffers
            .arrivals
            .clear(stretches.last().map_or(0, Stretch::end));
        let arrivals = &self.buffers.arrivals;
        // An upper bound: successors may be stored already or be equal.
        let coming = |shard: usize| chunks.iter().map(move |c| c.batches[shard].entries.len());
        let mut shards = (0..SHARDS).zip(&self.store.shards);
        // Checked beforehand, so that no insertion has to check whether its shard is full.
        if shards.any(|(n, shard)| shard.len() + coming(n).sum::<usize>() > SHARD_MAX) {
            return Some(Stop::States);
        }
        if (0..SHARDS).flat_map(coming).sum::<usize>() > room {
            let coming = (&stretches[..], arrivals);
            return store_up_to(&mut self.store, coming, room, (guard, has_pair));
        }
        let shards: Vec<Mutex<&mut Shard>> = self.store.shards.iter_mut().map(Mutex::new).collect();
        let stopped = Mutex::new(None);
        in_parallel(threads, SHARDS, ShardBuffers::default, |own, shard| {
            let target = &mut lock(&shards[shard]);
            let coming = (&stretches[..], shard);
            let into = (own, arrivals);
            if let Some(stop) = store_shard(target, coming, (guard, has_pair), into) {
                *lock(&stopped) = Some(stop);
            }
        });
        stopped
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
