//! What each process tells the others of itself with its signs of life: for people, not for the search.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::source::memory;
use crate::source::threads::lock;

/// Bytes of what is told.
pub(super) const TOLD: usize = 32;

/// What a process told of itself last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessLine {
    /// States that it has. They are not told: the search knows them of all processes.
    pub states: u64,
    /// Its bytes in main memory.
    pub memory: u64,
    /// Bytes of the messages that it has sent.
    pub sent: u64,
    /// Time that it has spent waiting for the messages of others.
    pub waited: Duration,
    /// Time since it met the others.
    pub passed: Duration,
}

impl ProcessLine {
    /// The share of the time that it has waited.
    #[must_use]
    pub fn waiting(&self) -> f64 {
        let passed = self.passed.as_secs_f64();
        match passed > 0.0 {
            true => self.waited.as_secs_f64() / passed,
            false => 0.0,
        }
    }

    pub(super) fn to_bytes(self) -> [u8; TOLD] {
        let (waited, passed) = (self.waited.as_millis(), self.passed.as_millis());
        let numbers = [self.memory, self.sent, waited as u64, passed as u64];
        let mut bytes = [0; TOLD];
        for (to, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; TOLD]) -> Self {
        let (numbers, _) = bytes.as_chunks::<8>();
        let number = |at: usize| numbers.get(at).copied().map_or(0, u64::from_le_bytes);
        Self {
            states: 0,
            memory: number(0),
            sent: number(1),
            waited: Duration::from_millis(number(2)),
            passed: Duration::from_millis(number(3)),
        }
    }
}

/// What all processes of a search told of themselves last.
pub struct ProcessBoard {
    own: usize,
    begun: Instant,
    lines: Vec<Mutex<ProcessLine>>,
}

impl ProcessBoard {
    pub(super) fn new(own: usize, processes: usize) -> Self {
        Self {
            own,
            begun: Instant::now(),
            lines: (0..processes).map(|_| Mutex::default()).collect(),
        }
    }

    /// The lines, by process.
    #[must_use]
    pub fn lines(&self) -> Vec<ProcessLine> {
        let line = |(process, line): (usize, &Mutex<ProcessLine>)| match process == self.own {
            true => self.own_line(),
            false => *lock(line),
        };
        self.lines.iter().enumerate().map(line).collect()
    }

    /// What this process tells of itself now.
    #[must_use]
    pub fn own_line(&self) -> ProcessLine {
        ProcessLine {
            memory: memory::resident_lately().unwrap_or(0) as u64,
            passed: self.begun.elapsed(),
            ..*lock(&self.lines[self.own])
        }
    }

    /// Changes what this process tells of itself.
    pub(super) fn note(&self, change: impl FnOnce(&mut ProcessLine)) {
        change(&mut lock(&self.lines[self.own]));
    }

    /// Changes the number of states of a process.
    pub(super) fn note_states(&self, process: usize, states: u64) {
        lock(&self.lines[process]).states = states;
    }

    /// Takes what another process told.
    pub(super) fn put(&self, process: usize, told: ProcessLine) {
        let mut line = lock(&self.lines[process]);
        let states = line.states;
        *line = ProcessLine { states, ..told };
    }
}
