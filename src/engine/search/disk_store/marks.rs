//! What a commit holds of a store on disk.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{DiskBudget, DiskShard, DiskStore, each_shard, run_order};
use crate::search::store::{RecordLayout, SHARDS};
use crate::spill::log::LogMark;
use crate::spill::runs::{Runs, RunsMark};
use crate::spill::{Space, SpillError};

/// Threads that commit: they wait for the disk, which writes several files in less time than one after the other.
const COMMITTING: usize = 16;

/// A store as it is in its files.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::search) struct StoreMark {
    shards: Vec<ShardMark>,
    runs: RunsMark,
    looked_up: u64,
}

/// A shard as it is in its files.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShardMark {
    pub(super) log: LogMark,
    pub(super) layouts: Vec<(usize, RecordLayout)>,
    /// The first states of the log: their keys are in runs.
    pub(super) in_runs: usize,
}

impl DiskStore {
    /// Makes the files hold all states. Nothing may be waiting.
    pub(in crate::search) fn commit(&mut self) -> Result<StoreMark, SpillError> {
        let shards = each_shard(&mut self.shards, COMMITTING, |_, shard| shard.commit())?;
        Ok(StoreMark {
            shards,
            runs: self.runs.commit()?,
            looked_up: self.looked_up,
        })
    }

    /// Removes the files that a commit has made superfluous, once its manifest stands.
    pub(in crate::search) fn sweep(&mut self) -> Result<(), SpillError> {
        self.runs.sweep()
    }

    /// The store of a commit. What its tables would hold is read again.
    pub(in crate::search) fn reopen(
        space: &Arc<Space>,
        mark: &StoreMark,
        budget: DiskBudget,
    ) -> Result<Self, SpillError> {
        let filter = budget.filters / SHARDS;
        let runs = Runs::reopen(space, (SHARDS, run_order), &mark.runs)?;
        let reopen = |(number, shard): (usize, &ShardMark)| {
            DiskShard::reopen(space, number, shard, (&runs, filter))
        };
        let shards = mark.shards.iter().enumerate().map(reopen);
        let shards = shards.collect::<Result<Vec<_>, _>>()?;
        let layout = shards
            .first()
            .map_or_else(RecordLayout::default, DiskShard::layout);
        Ok(Self {
            shards,
            runs,
            layout,
            most: budget,
            budget,
            least_free: usize::MAX,
            looked_up: mark.looked_up,
            space: Arc::clone(space),
        })
    }
}
