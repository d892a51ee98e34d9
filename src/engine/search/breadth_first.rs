//! Breadth-first search of the product automaton on several threads.
//!
//! The search goes in rounds. In a round every thread takes chunks of the frontier, expands them
//! with the tables read-only, and sorts the successors by shard. Then every thread takes shards and
//! adds the successors chunk by chunk. States whose expansion needs something that the tables lack
//! are done between the two, by one thread that may ask the evaluator. The order in which states are met, and in each
//! shard stored, does not depend on the number of threads, so states, parents and counterexamples do not either.

#[cfg(debug_assertions)]
mod closed;
mod collapsing;
mod entering;
mod expanding;
mod ongoing;
mod reducing;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::arrivals::{Arrivals, Stretch, stretches};
use super::chunk::{Chunk, ROUND, ROUND_STATES, RoundLimits, chunk_states};
pub use super::figures::Figures;
use super::keeping::Keeping;
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
use crate::source::{Cancel, Limits};
use crate::specification::Specification;
use crate::symmetry::strategy::Strategy;

/// Both sides of a check and how to reduce them.
pub struct Sides<'a> {
    /// What both sides share.
    pub machine: &'a mut Machine,
    /// The implementation.
    pub network: &'a mut Network,
    /// The specification.
    pub specification: Option<&'a mut Specification>,
    /// What states are held to.
    pub demands: Demands,
    /// How representatives are chosen; none for a search without reduction.
    pub strategy: Option<&'a dyn Strategy>,
    /// What is remembered of a pair, if it is not its representative.
    pub keeping: Option<&'static dyn Keeping>,
    /// The reductions that the search is to use where it can.
    pub reductions: ReductionSet,
    /// Transitions until it is decided in which states to look for steps that are enough ([`Looks`]).
    pub look_after: u64,
    /// See [`Product::unmet`].
    pub unmet: &'a AtomicBool,
    /// Which steps may be left out, if some may.
    pub partial_order: Option<&'a PartialOrder>,
    /// Packed states of the implementation.
    pub packer: Packer,
}

impl Sides<'_> {
    /// The automaton, read-only.
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

    /// Whether a reduction is asked for, and nothing stands in its way.
    fn uses(&self, kind: ReductionKind) -> bool {
        let holds = |requirement| self.meets(requirement);
        self.reductions.contains(kind) && obstacle(kind, self.reductions, holds).is_none()
    }

    /// Whether a requirement of a reduction holds, of those that no check decides before its search.
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

    /// Whether pairs are entered into the store one after the other, and not by their keys alone.
    pub(super) fn enters_by_itself(&self) -> bool {
        self.keeping.is_some_and(Keeping::enters_by_itself)
    }

    /// Whether steps sleep in a search ([`crate::reductions::sleep`]), and when they are independent.
    fn sleeping(&self) -> Option<Commuting> {
        let sleeps = self.uses(ReductionKind::SleepSets);
        sleeps.then_some(match &self.specification {
            None => Commuting::Always,
            Some(_) if self.demands.divergent_allows_all => Commuting::SleepingSilent,
            Some(_) => Commuting::OneSilent,
        })
    }

    /// Fills in what was missing.
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
        // Filling in may have made a format that permutations do not respect. A search without
        // reduction does not mind. A reduced one has to end: its representatives would stand for
        // states that the system does not have.
        if self.strategy.is_some() {
            let specification = self.specification.as_ref().map(|s| s.network());
            let mut networks = std::iter::once(&*self.network).chain(specification);
            if let Some(failed) = networks.find_map(Network::asymmetry) {
                return Err(Box::new(failed.clone()));
            }
        }
        Ok(())
    }

    /// Runs something on the read-only automaton, filling in what it misses until it succeeds.
    ///
    /// # Errors
    /// As [`Sides::resolve`].
    pub fn complete<R>(
        &mut self,
        mut attempt: impl FnMut(&Product<'_>) -> std::result::Result<R, ProductMiss>,
    ) -> Result<R> {
        until_complete(
            self,
            |sides| attempt(&sides.product()),
            |sides, miss| {
                let resolved = sides.machine.eval.check_time();
                let resolved = resolved.and_then(|()| sides.resolve(&miss));
                sides.machine.during("searching", None, resolved)
            },
        )
    }
}

/// Why a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every state was expanded.
    Exhausted,
    /// As many violating states were found as were asked for.
    Violated,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// By what a search is bounded, and whom it tells how far it is.
pub struct SearchControl<'a> {
    /// Threads, at least one.
    pub threads: usize,
    /// From how many bytes of keys on these are collapsed, if that makes them shorter
    /// ([`crate::check::Options::collapse_after`]).
    pub collapse_after: usize,
    /// Bounds on time, memory, states and counterexamples.
    pub limits: &'a Limits,
    /// Set by whoever wants the search to end.
    pub cancel: &'a Cancel,
    /// Told now and then how far the search is, and once at its end.
    pub progress: &'a mut dyn FnMut(&Figures),
}

/// A finished search: the store is kept to unwind counterexamples.
pub struct Search {
    /// The states.
    pub store: StateStore,
    /// What was counted by the end.
    pub figures: Figures,
    /// Why it ended.
    pub end: End,
    /// States that violate what is demanded, those in the fewest steps first: at most as many as were asked for.
    pub violations: Vec<ViolatingState>,
}

/// A state that violates what is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViolatingState {
    /// The stored state: a representative, if there is a reduction.
    pub state: StoredId,
    /// What is wrong with it: one thing, though there may be several.
    pub violation: Violation,
    /// Steps of its counterexample.
    pub length: usize,
}

/// Explores the product from its initial state.
///
/// # Errors
/// An evaluation error of a state that the search reached.
pub fn search(sides: &mut Sides<'_>, control: &mut SearchControl<'_>) -> Result<Search> {
    let mut run = OngoingSearch::begin(sides)?;
    run.go_on(sides, control, usize::MAX)?;
    Ok(run.finish(sides, control))
}

/// Buffers of the rounds of a search.
struct RoundBuffers {
    /// One a chunk of a round, and one for the states that needed the evaluator.
    chunks: Vec<Mutex<Chunk>>,
    arrivals: Arrivals,
    /// Idle buffers of threads.
    pool: Mutex<Vec<ProductScratch>>,
    /// Frontier and sleep sets of the depth before, emptied: memory that was not written before takes long to get.
    spare: (Vec<StoredId>, SleepSets),
}

/// The depth that is to be expanded next.
struct SearchDepth {
    /// Its states.
    frontier: Vec<StoredId>,
    /// The sleep set of each of them, if there are sleep sets; else empty.
    asleep: SleepSets,
    /// How many states the frontier of each depth before had.
    widths: Vec<usize>,
}

/// The times of reports.
struct ReportTimes {
    started: Instant,
    /// The latest report, from the start on.
    reported: Duration,
}

/// A search under way. It can be interrupted wherever all states of a depth are expanded.
pub struct OngoingSearch {
    store: StateStore,
    figures: Figures,
    buffers: RoundBuffers,
    reports: ReportTimes,
    violations: Vec<ViolatingState>,
    depth: SearchDepth,
    /// Whether steps sleep, where that can be.
    sleeps: bool,
    /// In which states it is looked for steps that are enough, if some may be left out.
    looks: Looks,
    /// Whether it was looked at if keys are shorter when they are collapsed.
    tried_to_collapse: bool,
    /// See [`OngoingSearch::bound_work`].
    work_max: u64,
    /// Why it ended, if it did; `Exhausted` also for as long as it goes on.
    end: End,
}

impl OngoingSearch {
    /// Expands a whole frontier; the next one.
    fn ply(
        &mut self,
        sides: &mut Sides<'_>,
        (frontier, asleep): (&[StoredId], &SleepSets),
        control: &mut SearchControl<'_>,
    ) -> Result<(End, Vec<StoredId>)> {
        let mut next = std::mem::take(&mut self.buffers.spare.0);
        let size = match self.work_max {
            u64::MAX => ROUND_STATES,
            // It may be over soon.
            _ => ROUND_STATES / 32,
        };
        for (n, round) in frontier.chunks(size).enumerate() {
            let first = n * size;
            // What is left of this ply, and what the next one has by now.
            let waiting = frontier.len() - first + next.len();
            let ended = match self.report(sides, (waiting, asleep), control) {
                Some(stop) => Some(End::Stopped(stop)),
                None if self.is_overworked() => Some(End::Stopped(Stop::States)),
                None => self.round(sides, (round, first, asleep), control, &mut next)?,
            };
            if let Some(end) = ended {
                return Ok((end, next));
            }
        }
        // From here on, whatever violating state is found takes at least this many steps: `is_enough`
        // rests on that.
        self.figures.ply += 1;
        let enough = self.is_enough(control.limits, self.figures.ply);
        // `Exhausted` means to go on as long as there is a next frontier.
        let end = if enough {
            End::Violated
        } else {
            End::Exhausted
        };
        Ok((end, next))
    }

    /// Progress ten times a second; the reason to stop, if there is one.
    fn report(
        &mut self,
        sides: &Sides<'_>,
        (frontier, asleep): (usize, &SleepSets),
        control: &mut SearchControl<'_>,
    ) -> Option<Stop> {
        self.figures.states = self.store.len();
        self.figures.frontier = frontier;
        let beside = frontier * size_of::<StoredId>() + asleep.bytes() + self.depth.asleep.bytes();
        self.figures.bytes = self.store.heap_bytes() + beside;
        let elapsed = self.reports.started.elapsed();
        if elapsed.saturating_sub(self.reports.reported) >= Duration::from_millis(100) {
            self.reports.reported = elapsed;
            self.figures.unique = sides.unique(&self.figures);
            (control.progress)(&self.figures);
        }
        control.limits.reached(control.cancel, self.figures.bytes)
    }

    /// Whether nothing that takes `length` steps or more is wanted any longer.
    fn is_enough(&self, limits: &Limits, length: usize) -> bool {
        // They are sorted by length, so this is the longest of those that are wanted.
        let last = self.violations.get(limits.violations_max.max(1) - 1);
        last.is_some_and(|fall| fall.length <= length)
    }

    /// Adds up what the chunks of a round counted, and keeps the `most` violations that take the fewest
    /// steps. If steps may be left out, it is decided after so many transitions in which states to look for that.
    fn collect(&mut self, used: usize, most: usize, look_after: Option<u64>) {
        let chunks = &self.buffers.chunks[..=used];
        let mut violations: Vec<_> = chunks
            .iter()
            .flat_map(|c| std::mem::take(&mut lock(c).violations))
            .collect();
        // By place in the frontier: which thread found one, and when, must not show.
        violations.sort_unstable_by_key(|v| v.0);
        let (mut looked, mut saved) = (0, 0);
        // Only once the whole round was expanded: what a round did that was given up counts for
        // nothing.
        for chunk in chunks.iter().map(lock) {
            self.figures.steps += chunk.steps;
            looked += chunk.steps.transitions - chunk.steps.unlooked;
            saved += chunk.steps.left_out + chunk.steps.passed;
        }
        if let Some(after) = look_after {
            self.looks.go_on(looked, saved, after);
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

    /// Expands part of the frontier and stores what is new, appending it to `next`.
    fn round(
        &mut self,
        sides: &mut Sides<'_>,
        (frontier, first, asleep): (&[StoredId], usize, &SleepSets),
        control: &SearchControl<'_>,
        next: &mut Vec<StoredId>,
    ) -> Result<Option<End>> {
        let threads = control.threads;
        let used = frontier.len().div_ceil(chunk_states(threads));
        let guard = RoundLimits {
            limits: control.limits,
            cancel: control.cancel,
            held: self.figures.bytes,
        };
        self.sleeps = self.sleeps && pays(self.figures.steps.slept, self.figures.steps.transitions);
        let (sleeps, looks) = (self.sleeps, self.looks);
        let of_state = |n: usize| (sleeps.then(|| asleep.get(first + n)), looks.at(first + n));
        self.expand_all(&sides.product(), (frontier, &of_state), (threads, &guard));
        self.expand_missed(sides, (frontier, &of_state), (used, &guard))?;
        // A chunk that was given up has only some of its successors. So nothing of this round is
        // stored.
        let mut chunks = self.buffers.chunks[..=used].iter();
        if let Some(stop) = chunks.find_map(|c| lock(c).stop) {
            return Ok(Some(End::Stopped(stop)));
        }
        // A violating state is of the frontier and stored already: if that is enough, the
        // successors need not be stored.
        let after = sides.partial_order.map(|_| sides.look_after);
        self.collect(used, control.limits.violations_max.max(1), after);
        let ply = self.figures.ply;
        // What is refused shows one step earlier than an event that is not allowed: where there may be
        // both, a state later in the ply may be violating in fewer steps.
        let refusals = sides.demands.looks_at_offers();
        let later = if refusals { ply } else { ply + 1 };
        if self.is_enough(control.limits, later) {
            return Ok(Some(End::Violated));
        }
        // A network that has taken on a form with more components has longer states.
        let layout = sides.product().layout();
        let growth = self.store.growth(layout);
        if growth > 0
            && let Some(stop) = control
                .limits
                .reached_with(control.cancel, guard.held, growth)
        {
            return Ok(Some(End::Stopped(stop)));
        }
        self.store.set_layout(layout);
        let stop = match sides.keeping.filter(|keeping| keeping.enters_by_itself()) {
            Some(keeping) => self.enter_all(sides, (keeping, used, next), &guard)?,
            None => {
                // What little comes of few states is stored before threads would have begun.
                let stop = self.store_all(used, threads.min(used), &guard, layout.pair > 0);
                self.take_new(used, next);
                stop
            }
        };
        Ok(stop.map(End::Stopped))
    }

    /// Appends what was new in a round, in the order in which it was met.
    fn take_new(&mut self, used: usize, next: &mut Vec<StoredId>) {
        let chunks: Vec<_> = self.buffers.chunks[..=used].iter().map(lock).collect();
        let chunks: Vec<&Chunk> = chunks.iter().map(|c| &**c).collect();
        for stretch in stretches(&chunks) {
            for (n, id) in self.buffers.arrivals.new_of(&stretch) {
                let sleep = stretch.sleep(n);
                if !sleep.is_empty() {
                    self.depth.asleep.lengthen(next.len());
                    self.depth.asleep.push(sleep);
                }
                next.push(id);
            }
        }
    }

    /// Stores the successors, up to the limit of states: which are the last does not depend on the
    /// number of threads, since one alone comes near the limit.
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
        // An upper bound: some of them are stored already, and some come several times.
        let coming = |shard: usize| chunks.iter().map(move |c| c.batches[shard].entries.len());
        let mut shards = (0..SHARDS).zip(&self.store.shards);
        // Looked at before, so that no insertion has to look whether its shard is full.
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
