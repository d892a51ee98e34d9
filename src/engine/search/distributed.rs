//! The states of a search that several processes share, and what they tell each other of a round.
//!
//! Shards are dealt out to the processes. Each process knows the frontier by the ids of its states, has only the states of
//! its own shards, and expands only those. Successors are ordered in a round as in one process: by the place of the state
//! that they come from, and by step. So every state gets the id that it would get there, and all processes go on with the
//! same frontier.

pub(in crate::search) mod ending;
pub(in crate::search) mod gathering;
pub(in crate::search) mod settling;
pub(in crate::search) mod successors;
pub(in crate::search) mod telling;

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::back_steps::depths::Depths;
use super::figures::{Counted, Figures, ProcessFigures, StepCounts};
use super::on_disk::{BegunMark, DiskReport, TableSizes};
use super::product::Violation;
use super::store::{SHARDS, StateStore, StoredId};
use crate::mesh::words::{Words, put, put_bytes};
use crate::mesh::{Mesh, MeshError};
use crate::reductions::sleep::Movers;
use crate::source::threads::lock;

/// The other processes, and what is known of the states that they have.
pub(in crate::search) struct Distributed {
    pub(in crate::search) mesh: Arc<Mutex<Mesh>>,
    /// The number of this process.
    own: usize,
    processes: usize,
    /// The process that has each shard: asked for every state, and a remainder takes long.
    owners: [u8; SHARDS],
    /// The number of states in each shard, those of others included; on disk also those that may be stored already.
    pub(in crate::search) counts: [usize; SHARDS],
    /// The search when the states were dealt out.
    pub(in crate::search) begun: BegunMark,
    /// What all told of their files after the last round.
    pub(in crate::search) disk: DiskReport,
    /// The depths of states: of all, unless their files tell it.
    pub(in crate::search) depths: Depths,
    /// Whether it is known that there is no cycle of τ.
    pub(in crate::search) is_acyclic: bool,
    /// What the states of all represent, once that is counted.
    pub(in crate::search) counted: Option<Counted>,
}

impl Distributed {
    /// All states so far, of which every process still has all.
    pub(in crate::search) fn new(
        mesh: Arc<Mutex<Mesh>>,
        store: &StateStore,
        (begun, depths): (BegunMark, Depths),
    ) -> Self {
        let (own, processes) = {
            let mesh = lock(&mesh);
            (mesh.own(), mesh.processes())
        };
        Self {
            mesh,
            own,
            processes,
            // There are at most as many processes as shards.
            owners: std::array::from_fn(|shard| (shard % processes) as u8),
            counts: std::array::from_fn(|shard| store.shards[shard].len()),
            begun,
            disk: DiskReport::default(),
            depths,
            is_acyclic: false,
            counted: None,
        }
    }

    pub(in crate::search) fn own(&self) -> usize {
        self.own
    }

    pub(in crate::search) fn processes(&self) -> usize {
        self.processes
    }

    /// Whether this process has a shard.
    #[inline]
    pub(in crate::search) fn has(&self, shard: usize) -> bool {
        self.owner(shard) == self.own
    }

    /// The process that has a shard.
    #[inline]
    pub(in crate::search) fn owner(&self, shard: usize) -> usize {
        usize::from(self.owners[shard])
    }

    /// Adds what only a search of several processes has to its figures.
    pub(in crate::search) fn tell(&self, figures: &mut Figures) {
        let mesh = lock(&self.mesh);
        let mut states = vec![0; self.processes];
        for (shard, count) in self.counts.iter().enumerate() {
            states[self.owner(shard)] += count;
        }
        for (process, states) in states.into_iter().enumerate() {
            mesh.note_states(process, states);
        }
        let own = mesh.board().own_line();
        figures.processes = Some(ProcessFigures {
            processes: self.processes,
            sent: own.sent,
            waited: own.waited.as_secs_f64(),
        });
        if let Some(disk) = &mut figures.disk {
            disk.bytes = disk.bytes.max(self.disk.bytes);
            disk.looked_up = disk.looked_up.max(self.disk.looked_up);
        }
    }

    /// The number of states that all processes have, those included that may be stored already.
    pub(in crate::search) fn met(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The number of states that all processes have.
    pub(in crate::search) fn states(&self) -> usize {
        self.met() - self.disk.doubtful
    }

    /// Takes note of what all told after a round.
    pub(in crate::search) fn note(&mut self, after: &[AfterRound]) {
        self.disk = DiskReport::default();
        for told in after.iter().filter_map(|after| after.disk) {
            self.disk += told;
        }
    }

    /// Sends each process its message, and replaces it by the one that came from there.
    pub(in crate::search) fn exchange(&self, messages: &mut [Vec<u8>]) -> Result<(), MeshError> {
        lock(&self.mesh).exchange(messages)
    }

    /// Sends all processes the same message. Returns those of all.
    pub(in crate::search) fn tell_all(&self, message: &[u8]) -> Result<Vec<Vec<u8>>, MeshError> {
        lock(&self.mesh).tell_all(message)
    }
}

/// What a process tells of its part of a round, besides successors.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::search) struct RoundReport {
    pub(in crate::search) steps: StepCounts,
    /// Place in the round, state and violation.
    pub(in crate::search) violations: Vec<(usize, StoredId, Violation)>,
    /// The depth and the place in it: all have to be in the same round.
    pub(in crate::search) place: (usize, usize),
    /// The tables before the round.
    pub(in crate::search) tables: TableSizes,
}

/// What a process tells after a round, besides new states.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::search) struct AfterRound {
    pub(in crate::search) tables: TableSizes,
    /// Of its files, if its states are on disk.
    pub(in crate::search) disk: Option<DiskReport>,
}

/// A state that needs the evaluator: all processes expand it.
#[derive(Debug)]
pub(in crate::search) struct MissedHere {
    /// Its place in the round.
    pub(in crate::search) at: usize,
    pub(in crate::search) bytes: Vec<u8>,
    /// Its sleep set, if it has one.
    pub(in crate::search) sleep: Option<Vec<Movers>>,
}

impl MissedHere {
    pub(in crate::search) fn write(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.at as u64);
        put_bytes(bytes, &self.bytes);
        match &self.sleep {
            None => put(bytes, 0),
            Some(set) => {
                put(bytes, 1);
                write_sleep(bytes, set);
            }
        }
    }

    pub(in crate::search) fn read(words: &mut Words<'_>) -> Option<Self> {
        let at = words.size()?;
        let bytes = words.bytes()?.to_vec();
        let sleep = match words.number()? {
            0 => None,
            _ => Some(read_sleep(words.bytes()?).collect()),
        };
        Some(Self { at, bytes, sleep })
    }
}

pub(in crate::search) fn write_sleep(bytes: &mut Vec<u8>, set: &[Movers]) {
    put(bytes, 2 * set.len() as u64);
    for movers in set {
        bytes.extend_from_slice(&movers.to_bytes());
    }
}

/// The sleep set of these bytes.
pub(in crate::search) fn read_sleep(bytes: &[u8]) -> impl Iterator<Item = Movers> + '_ {
    let pairs = bytes.as_chunks::<2>().0;
    pairs.iter().map(|pair| Movers::from_bytes(*pair))
}
