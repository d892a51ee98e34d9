//! Frontier of a search on disk: a log of the settled states in the order in which they were met.
//!
//! The states of a shard are met in the order of their indices, so an entry has only the shard, and the sleep set. The
//! present frontier and the next one are two stretches at the end of the log; what was expanded stays before them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::store::{SHARDS, StoredId};
use crate::reductions::sleep::{Movers, SleepSets};
use crate::spill::log::{Log, LogMark, LogReader};
use crate::spill::{Space, SpillError};

/// Bytes of a record. An entry is one with the shard and the size of the sleep set, and one for each step of the set.
const WORD: usize = 2;
/// Bits of the shard in the first record of an entry; the size of the sleep set is above.
const SHARD_BITS: u32 = SHARDS.ilog2();

const NAME: &str = "frontier";

/// A place between two states of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FrontierPlace {
    /// Records before it.
    record: usize,
    /// States of the present frontier before it.
    expanded: usize,
    /// For each shard, the states before it: the index of the next one.
    indices: Vec<u32>,
}

/// Reads states one after the other.
pub(super) struct FrontierCursor {
    place: FrontierPlace,
    reader: LogReader,
}

impl FrontierCursor {
    /// The index of the next state of a shard.
    pub(super) fn index(&self, shard: usize) -> u32 {
        self.place.indices[shard]
    }

    fn word(&mut self, log: &Log) -> Result<u16, SpillError> {
        self.place.record += 1;
        match self.reader.next(log)?.and_then(<[u8]>::first_chunk) {
            Some(word) => Ok(u16::from_le_bytes(*word)),
            None => Err(log.damaged("has fewer states than it had")),
        }
    }

    /// The next state; its sleep set is left in `asleep`.
    fn next(&mut self, log: &Log, asleep: &mut Vec<Movers>) -> Result<StoredId, SpillError> {
        let first = self.word(log)?;
        asleep.clear();
        for _ in 0..first >> SHARD_BITS {
            asleep.push(Movers::from_bytes(self.word(log)?.to_le_bytes()));
        }
        let shard = usize::from(first) % SHARDS;
        let next = &mut self.place.indices[shard];
        *next += 1;
        self.place.expanded += 1;
        Ok(StoredId::new(shard, *next as usize - 1))
    }
}

/// The frontier, and the next one so far.
pub(super) struct DiskFrontier {
    log: Log,
    /// The indices of the first states of the log.
    first: Vec<u32>,
    /// Before the round at hand.
    here: FrontierPlace,
    /// After it.
    ahead: FrontierCursor,
    /// States of the present frontier.
    width: usize,
    /// States of the next one so far.
    coming: usize,
}

/// A frontier as it is in its file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FrontierMark {
    log: LogMark,
    first: Vec<u32>,
    here: FrontierPlace,
    width: usize,
    coming: usize,
}

impl DiskFrontier {
    /// Takes the frontier of a search in memory, whose states are the last ones of each shard; `lengths` are those of the
    /// shards.
    pub(super) fn from_memory(
        space: &Arc<Space>,
        lengths: impl Iterator<Item = usize>,
        (frontier, asleep): (&[StoredId], &SleepSets),
    ) -> Result<Self, SpillError> {
        let mut log = Log::create(space, NAME)?;
        log.begin_stretch(WORD)?;
        let mut here = FrontierPlace {
            indices: lengths.map(|states| states as u32).collect(),
            ..FrontierPlace::default()
        };
        for id in frontier {
            here.indices[id.shard()] -= 1;
        }
        let mut this = Self::over(log, here.indices.clone(), here);
        for (n, id) in frontier.iter().enumerate() {
            this.push(id.shard(), asleep.get(n))?;
        }
        this.begin_depth();
        debug_assert!(this.holds(frontier), "states are met in order of indices");
        Ok(this)
    }

    fn over(log: Log, first: Vec<u32>, here: FrontierPlace) -> Self {
        let ahead = FrontierCursor {
            place: here.clone(),
            reader: log.reader(here.record),
        };
        Self {
            log,
            first,
            here,
            ahead,
            width: 0,
            coming: 0,
        }
    }

    /// Whether the present frontier consists of these states.
    fn holds(&self, frontier: &[StoredId]) -> bool {
        let mut indices = self.here.indices.clone();
        frontier.iter().all(|id| {
            let next = &mut indices[id.shard()];
            *next += 1;
            id.index() + 1 == *next as usize
        })
    }

    /// Appends a state to the next frontier: the next one of its shard.
    pub(super) fn push(&mut self, shard: usize, asleep: &[Movers]) -> Result<(), SpillError> {
        let first = shard as u16 | (asleep.len() as u16) << SHARD_BITS;
        self.log.push(&first.to_le_bytes())?;
        for movers in asleep {
            self.log.push(&movers.to_bytes())?;
        }
        self.coming += 1;
        Ok(())
    }

    /// Reads the next states of the present frontier, at most `most`, with their sleep sets. They count as waiting until
    /// [`DiskFrontier::advance`].
    pub(super) fn read(
        &mut self,
        most: usize,
        (ids, asleep): (&mut Vec<StoredId>, &mut SleepSets),
    ) -> Result<(), SpillError> {
        if self.ahead.place != self.here {
            // The last round was given up.
            self.ahead = FrontierCursor {
                place: self.here.clone(),
                reader: self.log.reader(self.here.record),
            };
        }
        let count = most.min(self.width - self.here.expanded);
        read_at(&self.log, &mut self.ahead, count, (ids, asleep))
    }

    /// The indices of the first states that were ever read from here, and the states before them were expanded in memory.
    pub(super) fn first(&self) -> &[u32] {
        &self.first
    }

    /// A cursor before the first state that was ever read from here.
    pub(super) fn beginning(&self) -> FrontierCursor {
        let place = FrontierPlace {
            indices: self.first.clone(),
            ..FrontierPlace::default()
        };
        FrontierCursor {
            place,
            reader: self.log.reader(0),
        }
    }

    /// Reads so many states at a cursor, with their sleep sets.
    pub(super) fn read_at(
        &self,
        cursor: &mut FrontierCursor,
        count: usize,
        into: (&mut Vec<StoredId>, &mut SleepSets),
    ) -> Result<(), SpillError> {
        read_at(&self.log, cursor, count, into)
    }

    /// Reads over so many states.
    pub(super) fn skip(&self, cursor: &mut FrontierCursor, count: usize) -> Result<(), SpillError> {
        let mut set = Vec::new();
        (0..count).try_for_each(|_| cursor.next(&self.log, &mut set).map(|_| ()))
    }

    /// The states read last are expanded.
    pub(super) fn advance(&mut self) {
        self.here.clone_from(&self.ahead.place);
    }

    /// Goes on to the next frontier, once all states of this one are expanded.
    pub(super) fn begin_depth(&mut self) {
        debug_assert_eq!(self.here.expanded, self.width);
        self.width = std::mem::take(&mut self.coming);
        self.here.expanded = 0;
        self.ahead.place.expanded = 0;
    }

    /// For each shard, the number of its states, those of the next frontier included.
    pub(super) fn states(&self) -> Result<[usize; SHARDS], SpillError> {
        let mut cursor = FrontierCursor {
            place: self.here.clone(),
            reader: self.log.reader(self.here.record),
        };
        self.skip(&mut cursor, self.width - self.here.expanded + self.coming)?;
        Ok(std::array::from_fn(|shard| cursor.index(shard) as usize))
    }

    /// States of the present frontier.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// States of the present frontier that are expanded.
    pub(super) fn expanded(&self) -> usize {
        self.here.expanded
    }

    /// States of the next frontier so far.
    pub(super) fn coming(&self) -> usize {
        self.coming
    }

    /// Bytes of main memory.
    pub(super) fn heap_bytes(&self) -> usize {
        self.log.heap_bytes() + self.ahead.reader.heap_bytes()
    }

    /// Makes the file hold all of it.
    pub(super) fn commit(&mut self) -> Result<FrontierMark, SpillError> {
        Ok(FrontierMark {
            log: self.log.commit()?,
            first: self.first.clone(),
            here: self.here.clone(),
            width: self.width,
            coming: self.coming,
        })
    }

    /// The frontier of a commit.
    pub(super) fn reopen(space: &Arc<Space>, mark: &FrontierMark) -> Result<Self, SpillError> {
        let log = Log::reopen(space, NAME, &mark.log)?;
        if mark.here.indices.len() != SHARDS || mark.first.len() != SHARDS {
            return Err(log.damaged("has another number of shards"));
        }
        Ok(Self {
            width: mark.width,
            coming: mark.coming,
            ..Self::over(log, mark.first.clone(), mark.here.clone())
        })
    }
}

/// Reads so many states at a cursor, with their sleep sets.
fn read_at(
    log: &Log,
    cursor: &mut FrontierCursor,
    count: usize,
    (ids, asleep): (&mut Vec<StoredId>, &mut SleepSets),
) -> Result<(), SpillError> {
    ids.clear();
    asleep.truncate(0);
    let mut set = Vec::new();
    for _ in 0..count {
        ids.push(cursor.next(log, &mut set)?);
        asleep.push(&set);
    }
    Ok(())
}
