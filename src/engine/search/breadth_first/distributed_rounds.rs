//! Rounds of a search that several processes share ([`crate::search::distributed`]). It goes on so from some depth on, and
//! differs in nothing but who expands and stores a state.

use std::sync::{Arc, Mutex, PoisonError};

use super::committing::sizes;
use super::expanding::{FrontierRound, RoundStates};
use super::{End, LazyProduct, OngoingSearch, SearchControl, SearchDepth};
use crate::mesh::Mesh;
use crate::mesh::words::put_bytes;
use crate::reductions::sleep::{Movers, pays};
use crate::search::chunk::{Chunk, RoundLimits, chunk_states};
use crate::search::distributed::successors::{
    NewSleeps, RoundPlaces, Stored, store_coming, write_successors,
};
use crate::search::distributed::telling::{
    Own, RoundEnd, Told, agreed, disagreement, end_of, gather, places, read_all, read_all_new,
    write_new,
};
use crate::search::distributed::{Distributed, MissedHere, RoundReport};
use crate::search::on_disk::TableSizes;
use crate::search::store::{RecordLayout, SHARDS, Shard, StateBytes, StateStore, StoredId};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::threads::{in_parallel, lock};

/// The states of a round that are here: those of the own shards, and those that needed the evaluator.
struct OwnStates<'s> {
    store: &'s StateStore,
    others: &'s Distributed,
    missed: &'s [MissedHere],
}

impl RoundStates for OwnStates<'_> {
    const COUNTS_EACH: bool = true;

    fn bytes(&self, at: usize, state: StoredId) -> StateBytes<'_> {
        match self.missed.binary_search_by_key(&at, |missed| missed.at) {
            Ok(found) => StateBytes::Whole(&self.missed[found].bytes),
            Err(_) => self.store.pair(state),
        }
    }

    fn fetch_after(&self, round: &[StoredId], at: usize) {
        if let Some(later) = round.get(at + 8)
            && self.is_here(*later)
        {
            self.store.fetch(*later);
        }
    }

    fn is_here(&self, state: StoredId) -> bool {
        self.others.has(state.shard())
    }

    fn place(&self, key: &[u8]) -> (usize, u64) {
        self.store.place(key)
    }

    /// Partial order reduction, which asks, is not used by several processes.
    fn is_fresh(&self, _: &[u8]) -> bool {
        debug_assert!(false, "asked of a search of several processes");
        false
    }
}

impl OngoingSearch {
    /// Shares the states with other processes, which have searched as far.
    ///
    /// # Errors
    /// The processes have not come to the same.
    pub fn distribute(
        &mut self,
        lazy: &LazyProduct<'_>,
        mesh: Arc<Mutex<Mesh>>,
        control: &SearchControl<'_>,
    ) -> Result<()> {
        debug_assert!(self.disk.is_none() && !lazy.enters_by_itself());
        let others = Distributed::new(mesh, &self.store);
        let begun = ron::to_string(&(self.begun(lazy), sizes(lazy))).unwrap_or_default();
        let stop = control.limits.reached(control.cancel, self.figures.bytes);
        let agreed = agreed(&others, stop).and_then(|()| Ok(others.tell_all(begun.as_bytes())?));
        match agreed {
            Ok(told) if told.iter().all(|one| *one == begun.as_bytes()) => {}
            Ok(_) => return Err(disagreement("their first states")),
            Err(end) => {
                self.end = End::Stopped(end_of(end)?);
                return Ok(());
            }
        }
        for shard in 0..SHARDS {
            if !others.has(shard) {
                self.store.empty(shard);
            }
        }
        others.tell(&mut self.figures);
        self.others = Some(Box::new(others));
        Ok(())
    }

    /// Whether several processes share the states.
    pub(super) fn is_distributed(&self) -> bool {
        self.others.is_some()
    }

    /// Expands the own states of a part of the frontier, and stores the new ones that come to the own shards. `stop` is
    /// a limit that was reached here: all end then.
    pub(super) fn distributed_round(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        round: &FrontierRound<'_>,
        (control, stop): (&SearchControl<'_>, Option<Stop>),
    ) -> Result<Option<End>> {
        let Some(mut others) = self.others.take() else {
            return Ok(None);
        };
        let done = self.shared_round(lazy, round, (control, stop), &mut others);
        others.tell(&mut self.figures);
        self.others = Some(others);
        match done {
            Ok(end) => Ok(end),
            Err(end) => end_of(end).map(|stop| Some(End::Stopped(stop))),
        }
    }

    fn shared_round(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        round: &FrontierRound<'_>,
        (control, stop): (&SearchControl<'_>, Option<Stop>),
        others: &mut Distributed,
    ) -> std::result::Result<Option<End>, RoundEnd> {
        let guard = RoundLimits {
            limits: control.limits,
            cancel: control.cancel,
            held: self.figures.bytes,
        };
        self.savings.sleeps =
            self.savings.sleeps && pays(self.figures.steps.slept, self.figures.steps.transitions);
        let mut told = self.expand_own(lazy, round, (control.threads, stop, &guard), others)?;
        let used = round.states.len().div_ceil(chunk_states(control.threads));
        if !told.missed.is_empty() {
            let stop = self.expand_all_missed(lazy, round, (used, &guard), (others, &told))?;
            agreed(others, stop)?;
            let late = lock(&self.buffers.chunks[used]);
            let mut before = 0;
            for (missed, end) in told.missed.iter().zip(&late.ends) {
                told.counts[missed.at] = end - before;
                before = *end;
            }
        }
        self.add_reports(used, others, &mut told);
        self.collect(used, control.limits.violations_max.max(1), None);
        let ply = self.figures.ply;
        // As in one process.
        let refusals = lazy.demands.looks_at_offers();
        if self.is_enough(control.limits, if refusals { ply } else { ply + 1 }) {
            return Ok(Some(End::Violated));
        }
        let stored = self.store_shared(
            (lazy.product().layout(), round.states),
            (used, control.threads, &guard),
            (others, &told),
        );
        self.take_shared(stored, (others, sizes(lazy)))?;
        match others.states() > control.limits.states_max {
            true => Err(RoundEnd::Stopped(Stop::States)),
            false => Ok(None),
        }
    }

    /// Expands the own states of a round, as far as the tables suffice, and tells all.
    fn expand_own(
        &self,
        lazy: &LazyProduct<'_>,
        round: &FrontierRound<'_>,
        (threads, mut stop, guard): (usize, Option<Stop>, &RoundLimits<'_>),
        others: &Distributed,
    ) -> std::result::Result<Told, RoundEnd> {
        let (sleeps, asleep) = (self.savings.sleeps, round.asleep);
        let of_state = |n: usize| (sleeps.then(|| asleep.get(round.sets + n)), false);
        let states = OwnStates {
            store: &self.store,
            others,
            missed: &[],
        };
        let used = round.states.len().div_ceil(chunk_states(threads));
        let chunks = &self.buffers.chunks[..used];
        if stop.is_none() {
            let states = (&states, round.states);
            self.expand_all(&lazy.product(), states, &of_state, threads, guard);
            stop = chunks.iter().find_map(|chunk| lock(chunk).stop);
        }
        let mut report = RoundReport {
            stop: stop.map(Stop::number),
            place: (self.figures.ply, round.first),
            tables: sizes(lazy),
            ..RoundReport::default()
        };
        let mut messages = vec![Vec::new(); others.processes()];
        if stop.is_some() {
            let head = ron::to_string(&report).unwrap_or_default();
            messages
                .iter_mut()
                .for_each(|m| put_bytes(m, head.as_bytes()));
        } else {
            let missed = self.missed(used);
            let chunks: Vec<_> = chunks.iter().map(lock).collect();
            let chunks: Vec<&Chunk> = chunks.iter().map(|chunk| &**chunk).collect();
            for chunk in &chunks {
                report.steps += chunk.steps;
                report.violations.extend(&chunk.violations);
            }
            let own = Own {
                places: places(&chunks, round.states, (threads, others)),
                chunks,
            };
            let write = |at: usize| MissedHere {
                at,
                bytes: states.bytes(at, round.states[at]).to_vec(),
                sleep: of_state(at).0.map(<[Movers]>::to_vec),
            };
            let missed: Vec<MissedHere> = missed.into_iter().map(write).collect();
            own.write((&report, &missed), others, threads, &mut messages);
        }
        others.exchange(&mut messages)?;
        read_all(&messages, round.states, others)
    }

    /// Expands the states of all processes that needed the evaluator. Returns the limit that was reached, if one was.
    fn expand_all_missed(
        &self,
        lazy: &mut LazyProduct<'_>,
        round: &FrontierRound<'_>,
        (used, guard): (usize, &RoundLimits<'_>),
        (others, told): (&Distributed, &Told),
    ) -> Result<Option<Stop>> {
        let states = OwnStates {
            store: &self.store,
            others,
            missed: &told.missed,
        };
        let of_state = |at: usize| {
            let found = told.missed.binary_search_by_key(&at, |missed| missed.at);
            let sleep = found
                .ok()
                .and_then(|found| told.missed[found].sleep.as_deref());
            (sleep, false)
        };
        let at: Vec<usize> = told.missed.iter().map(|missed| missed.at).collect();
        self.expand_missed(lazy, (&states, round.states), &of_state, (used, &at), guard)?;
        Ok(lock(&self.buffers.chunks[used]).stop)
    }

    /// Adds what the other processes told to the counters of a round.
    fn add_reports(&self, used: usize, others: &Distributed, told: &mut Told) {
        let mut late = lock(&self.buffers.chunks[used]);
        if told.missed.is_empty() {
            late.clear();
        }
        for (process, report) in told.reports.iter_mut().enumerate() {
            if process != others.own() {
                late.steps += report.steps;
                late.violations.append(&mut report.violations);
            }
        }
    }

    /// Stores the successors that came to the own shards. Returns the sleep sets of the new ones, in order.
    fn store_shared(
        &mut self,
        (layout, frontier): (RecordLayout, &[StoredId]),
        (used, threads, guard): (usize, usize, &RoundLimits<'_>),
        (others, told): (&Distributed, &Told),
    ) -> Stored {
        let growth = self.store.growth(layout);
        if growth > 0
            && let Some(stop) = guard.limits.reached_with(guard.cancel, guard.held, growth)
        {
            return Err(stop);
        }
        self.store.set_layout(layout);
        let offsets = told.offsets();
        let arrivals = &mut self.buffers.arrivals;
        arrivals.clear(told.counts.iter().map(|count| *count as usize).sum());
        let late = lock(&self.buffers.chunks[used]);
        let at: Vec<u32> = told.missed.iter().map(|missed| missed.at as u32).collect();
        let round = RoundPlaces {
            frontier,
            offsets: &offsets,
        };
        let into = (guard, layout.pair > 0, &*arrivals);
        let shards = self.store.shards.iter_mut();
        let shards: Vec<Mutex<(&mut Shard, Stored)>> = shards
            .map(|shard| Mutex::new((shard, Ok(NewSleeps::new()))))
            .collect();
        in_parallel(threads, SHARDS, Vec::new, |section, shard| {
            if !others.has(shard) {
                return;
            }
            section.clear();
            if !at.is_empty() {
                write_successors(&late, (shard, &at), &mut 0, section);
            }
            let mut sections: Vec<&[u8]> = told.sections[shard].iter().map(|s| &s[..]).collect();
            sections.push(section);
            let (target, stored) = &mut *lock(&shards[shard]);
            let done = store_coming((target, shard), &sections, round, into);
            *stored = done.unwrap_or(Err(Stop::Process(others.own() as u16)));
        });
        let mut all = NewSleeps::new();
        for shard in shards {
            let inner = shard.into_inner();
            all.append(&mut inner.unwrap_or_else(PoisonError::into_inner).1?);
        }
        all.sort_unstable_by_key(|(arrival, _)| *arrival);
        Ok(all)
    }

    /// Tells all which states are new, and appends those of all to the next frontier.
    fn take_shared(
        &mut self,
        stored: Stored,
        (others, tables): (&mut Distributed, TableSizes),
    ) -> std::result::Result<(), RoundEnd> {
        let stop = stored.as_ref().err().copied();
        let sleeps = stored.unwrap_or_default();
        let message = write_new((stop, &tables), self.buffers.arrivals.all_new());
        let new = read_all_new(&others.tell_all(&message)?)?;
        let mut sleeps = sleeps.into_iter().peekable();
        let SearchDepth {
            frontier, asleep, ..
        } = &mut self.depth;
        for (arrival, shard) in new {
            let shard = usize::from(shard);
            if let Some((_, sleep)) = sleeps.next_if(|(at, _)| *at == arrival) {
                asleep.lengthen(frontier.len());
                asleep.push(&sleep);
            }
            frontier.push(StoredId::new(shard, others.counts[shard]));
            others.counts[shard] += 1;
        }
        Ok(())
    }

    /// Takes the states on the paths to violations from their processes, and leaves these.
    ///
    /// # Errors
    /// The processes do not agree.
    pub fn leave_others(&mut self, control: &SearchControl<'_>) -> Result<()> {
        let Some(others) = &self.others else {
            return Ok(());
        };
        if matches!(self.end, End::Stopped(Stop::Process(_))) {
            // The states of the lost process are on the paths.
            self.violations.clear();
            return Ok(());
        }
        self.figures.states = others.states().min(control.limits.states_max);
        let violating: Vec<StoredId> = self.violations.iter().map(|v| v.state).collect();
        match gather(&self.store, others, &violating) {
            Ok((store, places)) => {
                lock(&others.mesh).leave();
                self.store = store;
                for (violation, place) in self.violations.iter_mut().zip(places) {
                    violation.state = place;
                }
            }
            Err(error) => {
                self.end = End::Stopped(end_of(error)?);
                self.violations.clear();
            }
        }
        Ok(())
    }
}
