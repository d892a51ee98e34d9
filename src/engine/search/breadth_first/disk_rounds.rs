//! A search whose states are on disk ([`crate::search::disk_store`]). It goes on there from some depth on, and differs
//! in nothing but where states are read and stored.

use super::committing::{Manifest, sizes};
use super::expanding::{FrontierRound, OfState, RoundStates};
use super::{End, LazyProduct, OngoingSearch, SearchControl, SearchDepth};
use crate::reductions::sleep::SleepSets;
use crate::search::arrivals::{Stretch, stretches};
use crate::search::back_steps::depths::Depths;
use crate::search::back_steps::{Searched, StatesHere, states_on_cycles};
use crate::search::chunk::{Chunk, RoundLimits};
use crate::search::disk_frontier::DiskFrontier;
use crate::search::disk_store::{DiskBudget, DiskStore, RoundRecords, each_new, place};
use crate::search::distributed::Distributed;
use crate::search::distributed::ending::{Done, RoundEnd, agreed, end_of};
use crate::search::distributed::settling::dropped_of_all;
use crate::search::misses::Misses;
use crate::search::on_disk::{Commits, OnDisk, SearchFolder, failed, or_stop};
use crate::search::silent::CycleControl;
use crate::search::state_set::{PlacesInSet, StateSet};
use crate::search::store::{RecordLayout, SHARD_MAX, SHARDS, StateBytes, StateStore, StoredId};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::threads::lock;
use crate::spill::{SpillError, manifest};

impl RoundStates for RoundRecords {
    fn bytes(&self, at: usize, _: StoredId) -> StateBytes<'_> {
        self.get(at)
    }

    fn place(&self, key: &[u8]) -> (usize, u64) {
        place(key)
    }

    /// Unknown before the round is settled. Partial order reduction that asks is not used on disk.
    fn is_fresh(&self, _: &[u8]) -> bool {
        debug_assert!(false, "asked of a search on disk");
        false
    }
}

impl RoundRecords {
    /// The round that begins at a place of the frontier.
    pub(super) fn round(&self, first: usize) -> FrontierRound<'_> {
        FrontierRound {
            states: &self.ids,
            first,
            asleep: &self.asleep,
            sets: 0,
            records: Some(self),
        }
    }
}

impl OngoingSearch {
    /// Writes all states to disk and goes on there, or ends if there is no room.
    ///
    /// # Errors
    /// A disk that cannot be written to.
    pub fn move_to_disk(
        &mut self,
        lazy: &LazyProduct<'_>,
        folder: &SearchFolder,
        budget: DiskBudget,
    ) -> Result<()> {
        debug_assert!(self.disk.is_none() && !lazy.enters_by_itself());
        let layout = lazy.product().layout();
        match self.written_out(folder, budget, layout) {
            Ok(files) => {
                let commits = Commits::new(folder, self.begun(lazy));
                self.go_on_from(files, commits, layout);
                if let Some(others) = &mut self.others {
                    others.disk.is_due = true;
                }
                if let Err(end) = self.fill_tables() {
                    self.end = End::Stopped(end_of(end)?);
                }
            }
            Err(end) => self.end = End::Stopped(end_of(end)?),
        }
        Ok(())
    }

    fn fill_tables(&mut self) -> Done<()> {
        let filled = self.disk.as_mut().map(|disk| disk.store.fill_tables());
        let filled = filled.unwrap_or(Ok(())).map_err(RoundEnd::from);
        agreed(self.others.as_deref(), filled)
    }

    /// The files of a search that was in memory until now.
    fn written_out(
        &self,
        folder: &SearchFolder,
        budget: DiskBudget,
        layout: RecordLayout,
    ) -> Done<(DiskStore, DiskFrontier, Misses)> {
        let (space, others) = (&folder.space, self.others.as_deref());
        // A commit of an earlier search counts no more once its files are replaced.
        let emptied = match others {
            Some(others) if others.own() > 0 => Ok(()),
            _ => manifest::write(space, &Manifest::empty(&folder.asked)),
        };
        agreed(others, emptied.map_err(RoundEnd::from))?;
        let lengths = |shard: usize| match others {
            Some(others) => others.counts[shard],
            None => self.store.shards[shard].len(),
        };
        let write = || -> std::result::Result<_, SpillError> {
            let store = DiskStore::from_memory(space, &self.store, layout, budget)?;
            let depth = (&self.depth.frontier[..], &self.depth.asleep);
            let frontier = DiskFrontier::from_memory(space, (0..SHARDS).map(lengths), depth)?;
            Ok((store, frontier, Misses::create(space)?))
        };
        agreed(others, write().map_err(RoundEnd::from))
    }

    /// Goes on with states on disk instead of those in memory.
    pub(super) fn go_on_from(
        &mut self,
        files: (DiskStore, DiskFrontier, Misses),
        commits: Commits,
        layout: RecordLayout,
    ) {
        self.store = StateStore::new(layout);
        self.disk = Some(Box::new(OnDisk::new(files, commits)));
        // Memory for a whole frontier is given back.
        self.depth.frontier = Vec::new();
        self.depth.asleep = SleepSets::default();
        self.buffers.spare = Default::default();
    }

    /// Number of states stored.
    #[must_use]
    pub fn states(&self) -> usize {
        match (&self.others, &self.disk) {
            (Some(others), _) => others.states(),
            (None, Some(disk)) => disk.store.states(),
            (None, None) => self.store.len(),
        }
    }

    /// Number of states in the frontier to expand next.
    pub(super) fn width(&self) -> usize {
        match &self.disk {
            Some(disk) => disk.frontier.width(),
            None => self.depth.frontier.len(),
        }
    }

    /// Number of states in the next frontier so far, those that may be stored already included.
    pub(super) fn coming(&self) -> usize {
        let settled = self.disk.as_ref().map_or(0, |disk| disk.frontier.coming());
        settled + self.depth.frontier.len()
    }

    /// Bytes of main memory that stored states take.
    pub fn stored_bytes(&self) -> usize {
        match &self.disk {
            Some(disk) => disk.heap_bytes(),
            None => self.store.heap_bytes(),
        }
    }

    /// Begins a depth, or goes on in the one that was interrupted. Returns how many states of its frontier are expanded,
    /// and how many there are: `width` in memory.
    pub(super) fn begin_depth(&mut self, width: usize) -> (usize, usize) {
        if let Some(disk) = &self.disk {
            return (disk.frontier.expanded(), disk.frontier.width());
        }
        if let Some(others) = &mut self.others {
            // The files of a search on disk tell that later.
            others.depths.push(&others.counts);
        }
        (0, width)
    }

    /// Ends a depth, all of whose states are expanded.
    pub(super) fn end_depth(&mut self, threads: usize) -> Result<Option<Stop>> {
        let stop = self.settle(threads)?;
        if let Some(disk) = self.disk.as_mut().filter(|_| stop.is_none()) {
            disk.frontier.begin_depth();
        }
        Ok(stop)
    }

    /// Reads the next states of the frontier, at most `most`, if they are on disk.
    pub(super) fn read_round(&mut self, most: usize, records: &mut RoundRecords) -> Done<()> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let others = self.others.as_deref();
        let is_here = |shard: usize| others.is_none_or(|others| others.has(shard));
        let into = (&mut records.ids, &mut records.asleep);
        disk.frontier.read(most, into)?;
        Ok(disk.store.read_round(records, is_here)?)
    }

    /// Makes room for longer states.
    pub(super) fn lengthen_on_disk(
        &mut self,
        layout: RecordLayout,
        threads: usize,
    ) -> Result<Option<Stop>> {
        if !self.grows_on_disk(layout) {
            return Ok(None);
        }
        if let Some(stop) = self.settle(threads)? {
            return Ok(Some(stop));
        }
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        or_stop(disk.store.set_layout(layout)).map(std::result::Result::err)
    }

    /// Whether states on disk need room for longer ones.
    pub(super) fn grows_on_disk(&self, layout: RecordLayout) -> bool {
        let disk = self.disk.as_ref();
        disk.is_some_and(|disk| disk.store.grows_to(layout))
    }

    /// Stores the successors of a round; those that may be new wait to be settled.
    pub(super) fn store_on_disk(
        &mut self,
        used: usize,
        (threads, guard, has_pair): (usize, &RoundLimits<'_>, bool),
    ) -> Result<Option<Stop>> {
        let stop = self.receive(used, (threads, guard, has_pair));
        if stop.is_some() {
            return Ok(stop);
        }
        self.take_new(used);
        let states_max = guard.limits.states_max;
        let free = guard.limits.room(self.stored_bytes());
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        disk.store.fit(free);
        let may_exceed = disk.store.states() + disk.store.doubtful() > states_max;
        let is_due = disk.store.is_settling_due(self.depth.bytes());
        if (may_exceed || is_due || disk.store.is_full())
            && let Some(stop) = self.settle(threads)?
        {
            return Ok(Some(stop));
        }
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        if disk.store.is_full()
            && let Err(stop) = or_stop(disk.store.make_room(threads))?
        {
            return Ok(Some(stop));
        }
        if disk.store.states() > states_max {
            return Ok(Some(Stop::States));
        }
        self.end_round_on_disk();
        Ok(None)
    }

    fn receive(
        &mut self,
        used: usize,
        (threads, guard, has_pair): (usize, &RoundLimits<'_>, bool),
    ) -> Option<Stop> {
        let chunks: Vec<_> = self.buffers.chunks[..=used].iter().map(lock).collect();
        let chunks: Vec<&Chunk> = chunks.iter().map(|c| &**c).collect();
        let stretches = stretches(&chunks);
        let arrivals = &mut self.buffers.arrivals;
        arrivals.clear(stretches.last().map_or(0, Stretch::end));
        let disk = self.disk.as_mut()?;
        let coming = |shard: usize| chunks.iter().map(|c| c.batches[shard].entries.len()).sum();
        if disk.store.fullest(coming) > SHARD_MAX {
            return Some(Stop::States);
        }
        disk.store
            .receive(&stretches, arrivals, (threads, guard, has_pair))
    }

    /// Settles what waits: states that were not stored before go to the next frontier on disk.
    pub(super) fn settle(&mut self, threads: usize) -> Result<Option<Stop>> {
        let mut others = self.others.take();
        let settled = self.settle_with(others.as_deref_mut(), threads);
        self.others = others;
        match settled {
            Ok(()) => Ok(None),
            Err(end) => end_of(end).map(Some),
        }
    }

    /// As [`OngoingSearch::settle`], with the other processes, if there are any.
    pub(super) fn settle_with(
        &mut self,
        others: Option<&mut Distributed>,
        threads: usize,
    ) -> Done<()> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let OnDisk {
            store, frontier, ..
        } = &mut **disk;
        let SearchDepth {
            frontier: met,
            asleep,
            ..
        } = &mut self.depth;
        let own = store.settle(threads).map_err(RoundEnd::from);
        let dropped = match &others {
            Some(others) => dropped_of_all(others, own),
            None => own,
        };
        let settled = dropped.and_then(|dropped| {
            let pushed = each_new(met, &dropped, &mut |n, shard| {
                frontier.push(shard, asleep.get(n))
            });
            agreed(others.as_deref(), pushed.map_err(RoundEnd::from))?;
            Ok(dropped)
        });
        met.clear();
        asleep.truncate(0);
        let dropped = settled?;
        if let Some(others) = others {
            for (count, gone) in others.counts.iter_mut().zip(&dropped) {
                *count -= gone.len();
            }
            others.disk.doubtful = 0;
        }
        Ok(())
    }

    /// Settles what the last depth of the search left, and takes those states into memory that counterexamples need: on
    /// the paths to violations and, if `most` cycles of τ are sought, to all states that may lie on one.
    ///
    /// # Errors
    /// A disk that cannot be read, or an evaluation error.
    pub fn leave_disk(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        control: &SearchControl<'_>,
        most: usize,
    ) -> Result<()> {
        // Without room, what waits may be stored in part: then the last report counts.
        let mut is_full = self.end == End::Stopped(Stop::Disk);
        if !is_full {
            is_full = self.settle(control.threads)?.is_some();
        }
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        disk.tell(&mut self.figures);
        if !is_full {
            self.figures.states = disk.store.states().min(control.limits.states_max);
        }
        let mut needed = disk.store.no_states();
        if self.end == End::Exhausted && self.violations.len() < most {
            let early = Depths::of_disk(&disk.store, disk.frontier.first());
            let found = early.map_err(RoundEnd::from).and_then(|early| {
                let mut searched = Searched {
                    states: StatesHere::Disk(disk),
                    early: &early,
                    widths: &self.depth.widths,
                    others: None,
                };
                let found = states_on_cycles(lazy, &mut searched, CycleControl::of(control))?;
                Ok(fitting(disk, found, control)?)
            });
            match found {
                Ok(found) => needed = found,
                Err(end) => self.end = End::Stopped(end_of(end)?),
            }
        }
        disk.is_acyclic = needed.count() == 0;
        for violation in &self.violations {
            needed.insert(violation.state);
        }
        let read = disk.store.add_paths(&mut needed);
        let read = read.and_then(|()| disk.store.in_memory(&needed));
        self.store = read.map_err(|error| failed(&error))?;
        let places = PlacesInSet::new(&needed);
        for violation in &mut self.violations {
            violation.state = places.place(violation.state);
        }
        Ok(())
    }

    /// Notes the states of a round that needed the evaluator.
    pub(super) fn note_misses(
        &mut self,
        round: &FrontierRound<'_>,
        used: usize,
        of_state: OfState<'_>,
    ) -> Result<Option<Stop>> {
        let Some(records) = round.records else {
            return Ok(None);
        };
        let missed = self.missed(used);
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        let mut each = missed.into_iter();
        let noted = each.try_for_each(|at| disk.misses.note(&records.get(at), of_state(at)));
        Ok(or_stop(noted)?.err())
    }

    /// From here on a part of a round is counted or stored: nothing can be committed before it is stored as a whole.
    pub(super) fn begin_round_on_disk(&mut self) {
        if let Some(disk) = &mut self.disk {
            disk.in_round = true;
        }
    }

    /// All of a round is stored.
    pub(super) fn end_round_on_disk(&mut self) {
        if let Some(disk) = &mut self.disk {
            disk.frontier.advance();
            disk.in_round = false;
        }
    }

    /// Commits if the last commit is long ago, or if the search was stopped between two rounds.
    pub(super) fn commit_if_due(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        threads: usize,
        stop: Option<Stop>,
    ) -> Result<Option<Stop>> {
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        let is_due = match (stop, &self.others) {
            // As the first process has told all.
            (None, Some(others)) => others.disk.is_due,
            (None, None) => disk.commits.are_due(),
            (Some(Stop::Disk | Stop::Process(_)), _) => false,
            (Some(_), _) => !disk.in_round,
        };
        if stop.is_none() {
            disk.tables = sizes(lazy);
        }
        match is_due {
            true => self.commit(lazy, threads),
            false => Ok(None),
        }
    }
}

/// A set of states, if these and all on the paths to them fit into memory.
fn fitting(
    disk: &OnDisk,
    mut set: StateSet,
    control: &SearchControl<'_>,
) -> std::result::Result<StateSet, Stop> {
    if set.count() == 0 {
        return Ok(set);
    }
    let held = disk.heap_bytes() + 2 * set.heap_bytes();
    let fits = |set: &StateSet| {
        let more = disk.store.bytes_in_memory(set);
        let stop = control.limits.reached_with(control.cancel, held, more);
        stop.map_or(Ok(()), Err)
    };
    fits(&set)?;
    let mut all = set.clone();
    // What cannot be read now is told where it is read again.
    if disk.store.add_paths(&mut all).is_ok() {
        fits(&all)?;
        set = all;
    }
    Ok(set)
}
