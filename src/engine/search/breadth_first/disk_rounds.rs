//! A search whose states are on disk ([`crate::search::disk_store`]). It goes on there from some depth on, and differs
//! in nothing but where states are read and stored.

use super::committing::{Manifest, sizes};
use super::expanding::{OfState, RoundStates};
use super::{End, LazyProduct, OngoingSearch, SearchControl};
use crate::reductions::sleep::SleepSets;
use crate::search::arrivals::{Stretch, stretches};
use crate::search::chunk::{Chunk, RoundLimits};
use crate::search::disk_store::{DiskBudget, DiskStore, RoundRecords, place};
use crate::search::misses::Misses;
use crate::search::on_disk::{Commits, OnDisk, SearchFolder, or_stop};
use crate::search::store::{RecordLayout, SHARD_MAX, StateBytes, StateStore, StoredId};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::threads::lock;
use crate::spill::manifest;

impl RoundStates for RoundRecords {
    fn bytes(&self, at: usize, _: StoredId) -> StateBytes<'_> {
        self.get(at)
    }

    fn place(&self, key: &[u8]) -> (usize, u64) {
        place(key)
    }

    /// Unknown before the round is settled. Partial order reduction, which asks, is not used on disk.
    fn is_fresh(&self, _: &[u8]) -> bool {
        debug_assert!(false, "asked of a search on disk");
        false
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
        let space = &folder.space;
        let layout = lazy.product().layout();
        // A commit of an earlier search counts no more once its files are replaced.
        let none = Manifest {
            asked: folder.asked.clone(),
            search: None,
        };
        let moved = manifest::write(space, &none).and_then(|()| {
            let store = DiskStore::from_memory(space, &self.store, layout, budget)?;
            Ok((store, Misses::create(space)?))
        });
        match or_stop(moved)? {
            Ok((store, misses)) => {
                let commits = Commits::new(folder, self.begun(lazy));
                self.store = StateStore::new(layout);
                self.disk = Some(Box::new(OnDisk::new(store, misses, commits, None)));
            }
            Err(stop) => self.end = End::Stopped(stop),
        }
        Ok(())
    }

    /// Number of states stored.
    #[must_use]
    pub fn states(&self) -> usize {
        match (&self.disk, &self.others) {
            (Some(disk), _) => disk.store.states(),
            (None, Some(others)) => others.states(),
            (None, None) => self.store.len(),
        }
    }

    /// Bytes of main memory that stored states take.
    pub(super) fn stored_bytes(&self) -> usize {
        match &self.disk {
            Some(disk) => disk.store.heap_bytes(),
            None => self.store.heap_bytes(),
        }
    }

    /// Reads the states of a round, if they are on disk.
    pub(super) fn read_round(
        &mut self,
        round: &[StoredId],
    ) -> Result<std::result::Result<Option<RoundRecords>, Stop>> {
        let Some(disk) = &mut self.disk else {
            return Ok(Ok(None));
        };
        let mut records = std::mem::take(&mut disk.records);
        let read = disk.store.read_round(round, &mut records);
        or_stop(read.map(|()| Some(records)))
    }

    /// Gives the buffer of a round back.
    pub(super) fn give_back(&mut self, records: Option<RoundRecords>) {
        if let Some((disk, records)) = self.disk.as_mut().zip(records) {
            disk.records = records;
        }
    }

    /// Makes room for longer states.
    pub(super) fn lengthen_on_disk(
        &mut self,
        layout: RecordLayout,
        next: &mut Vec<StoredId>,
        threads: usize,
    ) -> Result<Option<Stop>> {
        let grows = self
            .disk
            .as_ref()
            .is_some_and(|disk| disk.store.grows_to(layout));
        if !grows {
            return Ok(None);
        }
        if let Some(stop) = self.settle(next, threads)? {
            return Ok(Some(stop));
        }
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        or_stop(disk.store.set_layout(layout)).map(std::result::Result::err)
    }

    /// Stores the successors of a round, and appends those that may be new to `next`.
    pub(super) fn store_on_disk(
        &mut self,
        used: usize,
        (threads, guard, has_pair): (usize, &RoundLimits<'_>, bool),
        next: &mut Vec<StoredId>,
    ) -> Result<Option<Stop>> {
        let stop = self.receive(used, (threads, guard, has_pair));
        if stop.is_some() {
            return Ok(stop);
        }
        self.take_new(used, next);
        let states_max = guard.limits.states_max;
        let Some(disk) = &self.disk else {
            return Ok(None);
        };
        let may_exceed = disk.store.states() + disk.store.doubtful() > states_max;
        if (may_exceed || disk.store.is_settling_due() || disk.store.is_full())
            && let Some(stop) = self.settle(next, threads)?
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
        disk.in_round = false;
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

    /// Settles what waits: the states of the next frontier that are stored already are taken out.
    pub(super) fn settle(
        &mut self,
        next: &mut Vec<StoredId>,
        threads: usize,
    ) -> Result<Option<Stop>> {
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        let from = disk.unsettled;
        match or_stop(disk.store.settle(next, from, threads))? {
            Err(stop) => return Ok(Some(stop)),
            Ok(Some(stays)) => self.depth.asleep.take_out(from, &stays),
            Ok(None) => {}
        }
        disk.unsettled = next.len();
        Ok(None)
    }

    /// Settles what the last depth of the search left, and takes the states on the paths to violations into memory.
    ///
    /// # Errors
    /// A disk that cannot be read.
    pub fn leave_disk(&mut self, control: &SearchControl<'_>) -> Result<()> {
        // Without room, what waits may be stored in part: then the last report counts.
        let mut is_full = self.end == End::Stopped(Stop::Disk);
        if !is_full {
            let mut next = std::mem::take(&mut self.depth.frontier);
            is_full = self.settle(&mut next, control.threads)?.is_some();
            self.depth.frontier = next;
        }
        let Some(disk) = &self.disk else {
            return Ok(());
        };
        disk.tell(&mut self.figures);
        if !is_full {
            self.figures.states = disk.store.states().min(control.limits.states_max);
        }
        let violating: Vec<StoredId> = self.violations.iter().map(|v| v.state).collect();
        if let Ok((store, places)) = or_stop(disk.store.paths(&violating))? {
            self.store = store;
            for (violation, place) in self.violations.iter_mut().zip(places) {
                violation.state = place;
            }
        }
        Ok(())
    }

    /// Begins a depth, or goes on in the one that was interrupted. Returns how many states of its frontier were
    /// expanded, and the next frontier so far.
    pub(super) fn begin_depth(&mut self) -> (usize, Vec<StoredId>) {
        let empty = std::mem::take(&mut self.buffers.spare.0);
        let Some(disk) = &mut self.disk else {
            return (0, empty);
        };
        let Some(taken_up) = disk.taken_up.take() else {
            disk.unsettled = 0;
            return (0, empty);
        };
        disk.unsettled = taken_up.next.len();
        self.depth.asleep = taken_up.asleep;
        (taken_up.expanded, taken_up.next)
    }

    /// Notes the states of a round that needed the evaluator.
    pub(super) fn note_misses(
        &mut self,
        used: usize,
        of_state: OfState<'_>,
    ) -> Result<Option<Stop>> {
        if self.disk.is_none() {
            return Ok(None);
        }
        let missed = self.missed(used);
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        let OnDisk {
            misses, records, ..
        } = &mut **disk;
        let noted = missed
            .into_iter()
            .try_for_each(|at| misses.note(&records.get(at), of_state(at).0));
        or_stop(noted).map(std::result::Result::err)
    }

    /// From here on a part of a round is counted or stored: nothing can be committed before it is stored as a whole.
    pub(super) fn begin_round_on_disk(&mut self) {
        if let Some(disk) = &mut self.disk {
            disk.in_round = true;
        }
    }

    /// Commits if the last commit is long ago, or if the search was stopped between two rounds.
    pub(super) fn commit_if_due(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        at: (&[StoredId], usize, &SleepSets),
        next: &mut Vec<StoredId>,
        (threads, stop): (usize, Option<Stop>),
    ) -> Result<Option<Stop>> {
        let is_due = |disk: &OnDisk| match stop {
            None => disk.commits.are_due(),
            Some(Stop::Disk) => false,
            Some(_) => !disk.in_round,
        };
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        if stop.is_none() {
            disk.tables = sizes(lazy);
        }
        match is_due(disk) {
            true => self.commit(lazy, at, next, threads),
            false => Ok(None),
        }
    }
}
