//! Divergence of a search whose states are not all in the memory of one process: the states that may lie on a cycle of τ.
//!
//! As in [`super::silent`], states without a predecessor by τ are removed with their steps, until none is left or each
//! has one. Only sets of states are in memory.
//!
//! 1. All states are expanded again, depth by depth: their τ steps are listed by the shard of the target, with its key
//!    ([`listing`]).
//! 2. Shard by shard, keys are replaced by indices ([`joining`]). A step that does not lead to the next depth is a *back
//!    step*. Each cycle has one, so without back steps there is no cycle.
//! 3. The steps are read depth by depth. A state is left if a step of the depth before leads to it from a state that is
//!    left, or if a back step did in the last pass, from a state that was left then ([`sweeping`]). This is repeated until
//!    the targets of back steps stay the same. Chains of steps are removed in one pass, however long they are.
//!
//! Steps are in files where the states are. Where several processes share a search, each lists the steps of its own states,
//! and has those that lead to them; all know all sets.

pub(in crate::search) mod depths;
mod joining;
mod listing;
mod step_logs;
mod sweeping;

use depths::Depths;
use joining::Join;
use step_logs::{HEAD, STEP, ShardLogs};

use super::disk_store::RoundRecords;
use super::distributed::Distributed;
use super::distributed::ending::Done;
use super::on_disk::OnDisk;
use super::silent::CycleControl;
use super::state_set::StateSet;
use super::store::{RecordLayout, SHARDS, StateStore};
use crate::search::breadth_first::LazyProduct;

/// Records between two polls of the limits.
const POLL_EVERY: usize = 1 << 14;

/// The states of this process.
pub(in crate::search) enum StatesHere<'s> {
    Memory(&'s StateStore),
    Disk(&'s mut OnDisk),
}

/// A search that has expanded all its states.
pub(in crate::search) struct Searched<'s> {
    pub(in crate::search) states: StatesHere<'s>,
    /// The first depths: all of them in memory, and those that were expanded before the states went to disk.
    pub(in crate::search) early: &'s Depths,
    /// The numbers of states of all depths.
    pub(in crate::search) widths: &'s [usize],
    /// The processes that share it, if there are others.
    pub(in crate::search) others: Option<&'s Distributed>,
}

impl Searched<'_> {
    /// Whether this process has a shard.
    fn has(&self, shard: usize) -> bool {
        self.others.is_none_or(|others| others.has(shard))
    }

    fn layout(&self) -> RecordLayout {
        match &self.states {
            StatesHere::Memory(store) => store.layout(),
            StatesHere::Disk(disk) => disk.store.layout(),
        }
    }

    fn heap_bytes(&self) -> usize {
        match &self.states {
            StatesHere::Memory(store) => store.heap_bytes(),
            StatesHere::Disk(disk) => disk.store.heap_bytes(),
        }
    }

    /// An empty set of the states of all processes.
    fn no_states(&self) -> StateSet {
        match (self.others, &self.states) {
            (Some(others), _) => StateSet::new(others.counts.iter().copied()),
            (None, StatesHere::Disk(disk)) => disk.store.no_states(),
            (None, StatesHere::Memory(store)) => {
                StateSet::new((0..SHARDS).map(|shard| store.shards[shard].len()))
            }
        }
    }

    /// Reads the states of a round that are here.
    fn read_round(&mut self, records: &mut RoundRecords) -> Done<()> {
        let others = self.others;
        let is_here = |shard: usize| others.is_none_or(|others| others.has(shard));
        match &mut self.states {
            StatesHere::Memory(store) => records.take_from(store, is_here),
            StatesHere::Disk(disk) => disk.store.read_round(records, is_here)?,
        }
        Ok(())
    }
}

/// Finds the states from which all cycles of τ are reachable, and all on a cycle; none if there is no cycle.
pub(in crate::search) fn states_on_cycles(
    lazy: &mut LazyProduct<'_>,
    searched: &mut Searched<'_>,
    control: CycleControl<'_>,
) -> Done<StateSet> {
    if let StatesHere::Disk(disk) = &mut searched.states {
        disk.store.forget_tables();
    }
    let listed = ShardLogs::create(searched, "silent", HEAD + searched.layout().key)?;
    listing::list_steps(lazy, searched, &listed, control)?;
    let steps = ShardLogs::create(searched, "steps", STEP)?;
    let has_back = Join::new(searched, &lazy.product(), control).all(&listed, &steps)?;
    listed.remove();
    let left = match has_back {
        true => sweeping::left_of(searched, &steps, control)?,
        false => searched.no_states(),
    };
    steps.remove();
    Ok(left)
}

/// Ends a pass at a limit.
fn poll(control: CycleControl<'_>, held: usize) -> Done<()> {
    match control.limits.reached(control.cancel, held) {
        Some(stop) => Err(stop.into()),
        None => Ok(()),
    }
}
