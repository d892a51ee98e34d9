//! Rounds of a search that several processes share ([`crate::search::distributed`]). It goes on so from some depth on, and
//! differs in nothing but who expands and stores a state.

use std::sync::{Arc, Mutex, PoisonError};

use super::committing::sizes;
use super::expanding::{FrontierRound, RoundStates};
use super::{End, LazyProduct, OngoingSearch, SearchControl, SearchDepth};
use crate::mesh::Mesh;
use crate::reductions::sleep::{Movers, pays};
use crate::search::arrivals::Arrivals;
use crate::search::back_steps::depths::Depths;
use crate::search::chunk::{Chunk, RoundLimits, chunk_states};
use crate::search::distributed::ending::{Done, RoundEnd, agreed, disagreement, end_of, put_end};
use crate::search::distributed::successors::{
    ComingSources, NewSleeps, NumberedChunks, Stored, store_coming,
};
use crate::search::distributed::telling::{Told, read_all, read_all_new, write_new, write_own};
use crate::search::distributed::{AfterRound, Distributed, MissedHere, RoundReport};
use crate::search::on_disk::TableSizes;
use crate::search::store::{RecordLayout, SHARDS, StateBytes, StoredId};
use crate::search::storing::Receiving;
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::threads::{in_parallel, lock};

/// The states of a round that are here: those of the own shards, and those that needed the evaluator.
struct OwnStates<'s, S> {
    states: &'s S,
    others: &'s Distributed,
    missed: &'s [MissedHere],
}

impl<S: RoundStates> RoundStates for OwnStates<'_, S> {
    const COUNTS_EACH: bool = true;

    fn bytes(&self, at: usize, state: StoredId) -> StateBytes<'_> {
        match self.missed.binary_search_by_key(&at, |missed| missed.at) {
            Ok(found) => StateBytes::Whole(&self.missed[found].bytes),
            Err(_) => self.states.bytes(at, state),
        }
    }

    fn fetch_after(&self, round: &[StoredId], at: usize) {
        if let Some(later) = round.get(at + 8)
            && self.is_here(*later)
        {
            self.states.fetch(*later);
        }
    }

    fn is_here(&self, state: StoredId) -> bool {
        self.others.has(state.shard())
    }

    fn place(&self, key: &[u8]) -> (usize, u64) {
        self.states.place(key)
    }

    /// Partial order reduction that asks is not used by several processes.
    fn is_fresh(&self, _: &[u8]) -> bool {
        debug_assert!(false, "asked of a search of several processes");
        false
    }
}

/// What is the same for all states of a round.
#[derive(Clone, Copy)]
struct SharedRound<'r> {
    round: &'r FrontierRound<'r>,
    others: &'r Distributed,
    threads: usize,
    guard: &'r RoundLimits<'r>,
}

impl SharedRound<'_> {
    /// The number of chunks of states.
    fn chunks(&self) -> usize {
        self.round.states.len().div_ceil(chunk_states(self.threads))
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
        let mut lengths = std::array::from_fn(|shard| self.store.shards[shard].len());
        for id in &self.depth.frontier {
            lengths[id.shard()] -= 1;
        }
        let depths = Depths::of_memory(&self.store, &lengths);
        let others = Distributed::new(mesh, &self.store, (self.begun(lazy), depths));
        let begun = ron::to_string(&(others.begun, sizes(lazy))).unwrap_or_default();
        let stop = control.limits.reached(control.cancel, self.figures.bytes);
        let told = agreed(Some(&others), stop.map_or(Ok(()), |stop| Err(stop.into())))
            .and_then(|()| Ok(others.tell_all(begun.as_bytes())?));
        match told {
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

    /// Whether all states are in the memory of this process.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.others.is_none() && self.disk.is_none()
    }

    /// Whether several processes share the states.
    #[must_use]
    pub fn is_distributed(&self) -> bool {
        self.others.is_some()
    }

    /// Expands the own states of a part of the frontier, and stores the new ones that come to the own shards. `read` tells
    /// whether this process can go on: if one cannot, all end.
    pub(super) fn distributed_round(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        round: &FrontierRound<'_>,
        (control, read): (&SearchControl<'_>, Done<()>),
    ) -> Result<Option<End>> {
        let Some(mut others) = self.others.take() else {
            return Ok(None);
        };
        let done = self.shared_round(lazy, round, (control, read), &mut others);
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
        (control, read): (&SearchControl<'_>, Done<()>),
        others: &mut Distributed,
    ) -> Done<Option<End>> {
        let guard = RoundLimits {
            limits: control.limits,
            cancel: control.cancel,
            held: self.figures.bytes,
        };
        self.savings.sleeps =
            self.savings.sleeps && pays(self.figures.steps.slept, self.figures.steps.transitions);
        let shared = SharedRound {
            round,
            others,
            threads: control.threads,
            guard: &guard,
        };
        let mut told = match round.records {
            None => self.expand_shared(lazy, &self.store, shared, read)?,
            Some(records) => self.expand_shared(lazy, records, shared, read)?,
        };
        self.begin_round_on_disk();
        let noted = self.note_shared_misses(round, &told);
        let used = shared.chunks();
        self.add_reports(used, others, &mut told);
        let after = lazy.partial_order.map(|_| lazy.look_after);
        self.collect(used, control.limits.violations_max.max(1), after);
        let ply = self.figures.ply;
        // As in one process.
        let refusals = lazy.demands.looks_at_offers();
        if self.is_enough(control.limits, if refusals { ply } else { ply + 1 }) {
            return Ok(Some(End::Violated));
        }
        let layout = lazy.product().layout();
        if self.grows_on_disk(layout) {
            self.settle_with(Some(others), control.threads)?;
        }
        let shared = SharedRound {
            round,
            others,
            threads: control.threads,
            guard: &guard,
        };
        let stored = noted.and_then(|()| self.store_shared(layout, shared, &told));
        self.take_shared(stored, (others, sizes(lazy)))?;
        self.make_room_with(others, control)?;
        match others.met() > control.limits.states_max {
            true => Err(Stop::States.into()),
            false => {
                self.end_round_on_disk();
                Ok(None)
            }
        }
    }

    /// Expands the own states of a round, and those of all processes that need the evaluator. Returns what all told.
    fn expand_shared<S: RoundStates>(
        &self,
        lazy: &mut LazyProduct<'_>,
        states: &S,
        shared: SharedRound<'_>,
        read: Done<()>,
    ) -> Done<Told> {
        let mut told = self.expand_own(lazy, states, shared, read)?;
        if told.missed.is_empty() {
            return Ok(told);
        }
        let stop = self.expand_all_missed(lazy, states, shared, &told)?;
        agreed(
            Some(shared.others),
            stop.map_or(Ok(()), |stop| Err(stop.into())),
        )?;
        let late = lock(&self.buffers.chunks[shared.chunks()]);
        let mut before = 0;
        for (missed, end) in told.missed.iter().zip(&late.ends) {
            told.counts[missed.at] = end - before;
            told.behind[missed.at] = before.wrapping_neg();
            before = *end;
        }
        Ok(told)
    }

    /// Expands the own states of a round, as far as the tables suffice, and tells all.
    fn expand_own<S: RoundStates>(
        &self,
        lazy: &LazyProduct<'_>,
        states: &S,
        shared: SharedRound<'_>,
        read: Done<()>,
    ) -> Done<Told> {
        let SharedRound {
            round,
            others,
            threads,
            guard,
        } = shared;
        let (sleeps, looks) = (self.savings.sleeps, self.savings.looks);
        let of_state = |n: usize| {
            let asleep = sleeps.then(|| round.asleep.get(round.sets + n));
            (asleep, looks.at(round.first + n))
        };
        let states = OwnStates {
            states,
            others,
            missed: &[],
        };
        let chunks = &self.buffers.chunks[..shared.chunks()];
        let read = read.and_then(|()| {
            let states = (&states, round.states);
            self.expand_all(&lazy.product(), states, &of_state, threads, guard);
            let stop = chunks.iter().find_map(|chunk| lock(chunk).stop);
            stop.map_or(Ok(()), |stop| Err(stop.into()))
        });
        let mut messages = vec![Vec::new(); others.processes()];
        let end = read.err();
        let behind = match &end {
            Some(end) => {
                messages.iter_mut().for_each(|m| put_end(m, Some(end)));
                Vec::new()
            }
            None => {
                let write = |at: usize| MissedHere {
                    at,
                    bytes: states.bytes(at, round.states[at]).to_vec(),
                    sleep: of_state(at).0.map(<[Movers]>::to_vec),
                };
                let missed: Vec<MissedHere> =
                    self.missed(chunks.len()).into_iter().map(write).collect();
                self.write_own(shared, (&missed, sizes(lazy)), &mut messages)
            }
        };
        others.exchange(&mut messages)?;
        let mut told = read_all(messages, round.states, (others, end))?;
        told.behind = behind;
        Ok(told)
    }

    /// Writes what was expanded here for each process. Returns [`Told::behind`].
    fn write_own(
        &self,
        shared: SharedRound<'_>,
        (missed, tables): (&[MissedHere], TableSizes),
        messages: &mut [Vec<u8>],
    ) -> Vec<u32> {
        let SharedRound {
            round,
            others,
            threads,
            ..
        } = shared;
        let mut report = RoundReport {
            place: (self.figures.ply, round.first),
            tables,
            ..RoundReport::default()
        };
        let chunks = self.buffers.chunks[..shared.chunks()].iter();
        let chunks: Vec<_> = chunks.map(lock).collect();
        let chunks: Vec<&Chunk> = chunks.iter().map(|chunk| &**chunk).collect();
        for chunk in &chunks {
            report.steps += chunk.steps;
            report.violations.extend(&chunk.violations);
        }
        let own = (&chunks[..], round.states);
        write_own(own, (&report, missed), (others, threads), messages)
    }

    /// Expands the states of all processes that needed the evaluator. Returns the limit that was reached, if one was.
    fn expand_all_missed<S: RoundStates>(
        &self,
        lazy: &mut LazyProduct<'_>,
        states: &S,
        shared: SharedRound<'_>,
        told: &Told,
    ) -> Result<Option<Stop>> {
        let (used, round) = (shared.chunks(), shared.round);
        let states = OwnStates {
            states,
            others: shared.others,
            missed: &told.missed,
        };
        let looks = self.savings.looks;
        let of_state = |at: usize| (told.sleep_of(at), looks.at(round.first + at));
        let at: Vec<usize> = told.missed.iter().map(|missed| missed.at).collect();
        let states = (&states, round.states);
        self.expand_missed(lazy, states, &of_state, (used, &at), shared.guard)?;
        Ok(lock(&self.buffers.chunks[used]).stop)
    }

    /// Notes the states of all processes that needed the evaluator.
    fn note_shared_misses(&mut self, round: &FrontierRound<'_>, told: &Told) -> Done<()> {
        let looks = self.savings.looks;
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let mut each = told.missed.iter();
        let noted = each.try_for_each(|missed| {
            let how = (missed.sleep.as_deref(), looks.at(round.first + missed.at));
            disk.misses.note(&missed.bytes, how)
        });
        Ok(noted?)
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

    /// Stores the successors that came to the own shards. Returns the sleep sets of the new ones, by shard.
    fn store_shared(
        &mut self,
        layout: RecordLayout,
        shared: SharedRound<'_>,
        told: &Told,
    ) -> Done<Vec<NewSleeps>> {
        let guard = shared.guard;
        let arrivals = &mut self.buffers.arrivals;
        arrivals.clear(told.counts.iter().map(|count| *count as usize).sum());
        let chunks = self.buffers.chunks[..=shared.chunks()].iter();
        let chunks: Vec<_> = chunks.map(lock).collect();
        let chunks: Vec<&Chunk> = chunks.iter().map(|chunk| &**chunk).collect();
        let (own, late) = chunks.split_at(shared.chunks());
        let offsets = told.offsets();
        let ahead = offsets.iter().zip(&told.behind);
        let ahead: Vec<u32> = ahead.map(|(to, from)| to.wrapping_add(*from)).collect();
        let numbered = |chunks| NumberedChunks {
            chunks,
            ahead: &ahead,
        };
        let coming = ComingToOwn {
            shared,
            told,
            own: numbered(own),
            late: numbered(late),
            offsets: &offsets,
            into: (guard, layout.pair > 0, &*arrivals),
        };
        let Some(disk) = &mut self.disk else {
            let growth = self.store.growth(layout);
            if growth > 0
                && let Some(stop) = guard.limits.reached_with(guard.cancel, guard.held, growth)
            {
                return Err(stop.into());
            }
            self.store.set_layout(layout);
            return Ok(coming.store(&mut self.store.shards)?);
        };
        if disk.store.grows_to(layout) {
            disk.store.set_layout(layout)?;
        }
        Ok(coming.store(disk.store.shards())?)
    }

    /// Tells all which states are new, and appends those of all to the next frontier.
    fn take_shared(
        &mut self,
        stored: Done<Vec<NewSleeps>>,
        (others, tables): (&mut Distributed, TableSizes),
    ) -> Done<()> {
        let after = AfterRound {
            tables,
            disk: self.disk.as_ref().map(|disk| {
                let is_first = others.own() == 0;
                disk.report(is_first, self.depth.bytes())
            }),
        };
        let (sleeps, end) = match stored {
            Ok(sleeps) => (sleeps, None),
            Err(end) => (Vec::new(), Some(end)),
        };
        let message = write_new((end.as_ref(), &after), self.buffers.arrivals.all_new());
        let (new, after) = read_all_new(&others.tell_all(&message)?, (others, end))?;
        others.note(&after);
        let mut taken = [0; SHARDS];
        let SearchDepth {
            frontier, asleep, ..
        } = &mut self.depth;
        for (arrival, shard) in new {
            let shard = usize::from(shard);
            if let Some(sleep) = sleeps[shard].take(&mut taken[shard], arrival) {
                asleep.lengthen(frontier.len());
                asleep.push(sleep);
            }
            frontier.push(StoredId::new(shard, others.counts[shard]));
            others.counts[shard] += 1;
        }
        Ok(())
    }

    /// Settles what waits and writes out tables, where states are on disk and one process has no room, or the limit of
    /// states may be exceeded.
    fn make_room_with(
        &mut self,
        others: &mut Distributed,
        control: &SearchControl<'_>,
    ) -> Done<()> {
        let may_exceed = others.met() > control.limits.states_max;
        if self.disk.is_none() || !(may_exceed || others.disk.is_full) {
            return Ok(());
        }
        self.settle_with(Some(others), control.threads)?;
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let made = match disk.store.is_full() {
            true => disk.store.make_room(control.threads),
            false => Ok(()),
        };
        agreed(Some(others), made.map_err(RoundEnd::from))
    }
}

/// Successors on their way into the own shards.
struct ComingToOwn<'c> {
    shared: SharedRound<'c>,
    told: &'c Told,
    own: NumberedChunks<'c>,
    /// The chunk of the states that needed the evaluator.
    late: NumberedChunks<'c>,
    offsets: &'c [u32],
    into: (&'c RoundLimits<'c>, bool, &'c Arrivals),
}

impl ComingToOwn<'_> {
    /// Stores them. Returns the sleep sets of the new ones, by shard.
    fn store<R: Receiving + Send>(
        &self,
        shards: &mut [R],
    ) -> std::result::Result<Vec<NewSleeps>, Stop> {
        let others = self.shared.others;
        let shards: Vec<Mutex<(&mut R, Stored)>> = shards
            .iter_mut()
            .map(|shard| Mutex::new((shard, Ok(NewSleeps::default()))))
            .collect();
        in_parallel(
            self.shared.threads,
            SHARDS,
            || (),
            |(), shard| {
                if !others.has(shard) {
                    return;
                }
                let sections: Vec<&[u8]> = self.told.sections(shard).collect();
                let sources = ComingSources {
                    own: self.own,
                    late: self.late,
                    sections: &sections,
                    offsets: self.offsets,
                };
                let from = (sources, self.shared.round.states);
                let (target, stored) = &mut *lock(&shards[shard]);
                let done = store_coming((&mut **target, shard), from, self.into);
                *stored = done.unwrap_or(Err(Stop::Process(others.own() as u16)));
            },
        );
        let stored = shards.into_iter().map(|shard| {
            let inner = shard.into_inner();
            inner.unwrap_or_else(PoisonError::into_inner).1
        });
        stored.collect()
    }
}
