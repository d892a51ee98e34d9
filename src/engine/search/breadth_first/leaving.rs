//! The end of a search that several processes share: what has to be known of all states, and then of those that
//! counterexamples need.

use std::sync::atomic::Ordering;

use super::{End, LazyProduct, OngoingSearch, SearchControl};
use crate::search::back_steps::{Searched, StatesHere, states_on_cycles};
use crate::search::distributed::Distributed;
use crate::search::distributed::ending::{Done, RoundEnd, agreed, end_of};
use crate::search::distributed::gathering::gather;
use crate::search::represented::count_shared;
use crate::search::silent::CycleControl;
use crate::search::state_set::StateSet;
use crate::search::store::{RecordLayout, SHARDS, StoredId};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::threads::lock;

impl OngoingSearch {
    /// Takes those states from their processes that counterexamples need, and leaves these: the states on the paths to
    /// violations and, if `most` cycles of τ are sought, to all that may lie on one. Before that, counts what the states
    /// represent, if `counts` asks for it.
    ///
    /// # Errors
    /// The processes do not agree, a disk that cannot be read, or an evaluation error.
    pub fn leave_others(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        control: &SearchControl<'_>,
        (most, counts): (usize, bool),
    ) -> Result<()> {
        let Some(mut others) = self.others.take() else {
            return Ok(());
        };
        let left = self.leave_with(&mut others, lazy, control, (most, counts));
        others.tell(&mut self.figures);
        self.others = Some(others);
        if let Err(end) = left {
            self.end = End::Stopped(end_of(end)?);
            // States of a lost process are on the paths.
            self.violations.clear();
        }
        Ok(())
    }

    fn leave_with(
        &mut self,
        others: &mut Distributed,
        lazy: &mut LazyProduct<'_>,
        control: &SearchControl<'_>,
        (most, counts): (usize, bool),
    ) -> Done<()> {
        match self.end {
            End::Stopped(Stop::Process(process)) => return Err(Stop::Process(process).into()),
            // What waits may be stored in part: the last report counts.
            End::Stopped(Stop::Disk) => {}
            _ => match self.settle_with(Some(others), control.threads) {
                Ok(()) => self.figures.states = others.states().min(control.limits.states_max),
                Err(RoundEnd::Stopped(Stop::Disk)) => {}
                Err(end) => return Err(end),
            },
        }
        let mut needed: Vec<StoredId> = self.violations.iter().map(|v| v.state).collect();
        if self.end == End::Exhausted && needed.len() < most {
            match self.on_cycles(others, lazy, control) {
                Ok(found) => {
                    others.is_acyclic = found.count() == 0;
                    needed.extend((0..SHARDS).flat_map(|shard| found.of_shard(shard)));
                }
                Err(RoundEnd::Stopped(stop)) if !matches!(stop, Stop::Process(_)) => {
                    self.end = End::Stopped(stop);
                }
                Err(end) => return Err(end),
            }
        }
        if counts && self.end == End::Exhausted && !lazy.machine.kept_together() {
            let counted = match &self.disk {
                None => count_shared(lazy, &self.store, others, control)?,
                Some(disk) => count_shared(lazy, &disk.store, others, control)?,
            };
            others.counted = Some(counted);
        }
        let gathered = match &self.disk {
            None => gather(others, (&needed, self.store.layout()), |id| {
                Ok(self.store.record(id))
            }),
            Some(disk) => gather(others, (&needed, disk.store.layout()), |id| {
                Ok(disk.store.record(id)?)
            }),
        };
        let (store, places) = gathered?;
        lock(&others.mesh).tell_figures()?;
        // Else the search may be repeated.
        if !lazy.unmet.load(Ordering::Relaxed) {
            lock(&others.mesh).leave(None);
        }
        self.store = store;
        for (violation, place) in self.violations.iter_mut().zip(places) {
            violation.state = place;
        }
        Ok(())
    }

    /// The states that may lie on a cycle of τ, if they fit into the memory of each process.
    fn on_cycles(
        &mut self,
        others: &Distributed,
        lazy: &mut LazyProduct<'_>,
        control: &SearchControl<'_>,
    ) -> Done<StateSet> {
        const WITH_SLOT: usize = 16;
        let RecordLayout { key, pair } = lazy.product().layout();
        let mut searched = Searched {
            states: match &mut self.disk {
                None => StatesHere::Memory(&self.store),
                Some(disk) => StatesHere::Disk(disk),
            },
            early: &others.depths,
            widths: &self.depth.widths,
            others: Some(others),
        };
        let found = states_on_cycles(lazy, &mut searched, CycleControl::of(control))?;
        // Each is held twice for a while.
        let more = 2 * found.count() * (key + pair + WITH_SLOT);
        let held = self.stored_bytes() + found.heap_bytes();
        let stop = control.limits.reached_with(control.cancel, held, more);
        agreed(
            Some(others),
            stop.map_or(Ok(found), |stop| Err(stop.into())),
        )
    }
}
