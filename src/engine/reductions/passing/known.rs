//! Where ways lead that were gone lately.
//!
//! Different steps often lead to the same state, mostly beside different nodes of the specification, which do not matter
//! to where one goes on from there. So the last ways are remembered, each with the state that it begins at and the rule
//! that led there, which decides what is tried first. Where a way leads depends on nothing else: this saves time and
//! changes nothing.

use super::{PASSED_MAX, Passed};
use crate::machine::pack::Packer;
use crate::machine::pack::state_hash;
use crate::machine::{FormatId, Network};
use crate::reductions::steps::StepTarget;

/// Bytes for the ways of all threads of a search.
const ROOM_OF_ALL: usize = 1 << 27;
/// Which part of the memory that a search may take this is at most.
const PART: usize = 16;

/// Bytes for the ways of each of so many threads, of a search that may take so many.
pub(crate) fn room_of_each(threads: usize, bytes: usize) -> usize {
    ROOM_OF_ALL.min(bytes / PART) / threads.max(1)
}

/// The ways that one thread remembers, if there is room for any: one for each value of some bits of a hash.
#[derive(Debug, Default)]
pub(super) struct KnownWays {
    /// Bytes that may be taken.
    room: usize,
    /// Packs states of the network, each with a rule in the place of the node; none before the first one.
    packer: Option<Packer>,
    /// Bytes of one of them.
    bytes: usize,
    /// Where the ways begin, one packed state after the other.
    begins: Vec<u8>,
    /// Where they lead.
    ends: Vec<u8>,
    /// How long they are: one more than the states that are passed, and 2³² times their steps; zero where no way is
    /// known. Memory that is zero is not taken before it is used.
    lengths: Vec<u64>,
    /// The places of those states of the present way from which it was not known, with what was passed before each.
    begun: Vec<(usize, Passed)>,
    /// The state that is looked for, packed.
    packed: Vec<u8>,
}

/// A length by its number.
fn length(number: u64) -> Option<Passed> {
    let states = (number as u32).checked_sub(1)?;
    Some(Passed {
        states: u64::from(states),
        steps: number >> 32,
    })
}

/// The number of a length; none if it has no room.
fn number(length: Passed) -> Option<u64> {
    let (states, steps) = (u32::try_from(length.states), u32::try_from(length.steps));
    Some(u64::from(states.ok()?.checked_add(1)?) | u64::from(steps.ok()?) << 32)
}

impl KnownWays {
    pub(super) fn with_room(bytes: usize) -> Self {
        Self {
            room: bytes,
            ..Self::default()
        }
    }

    /// Begins with another way.
    pub(super) fn begin(&mut self) {
        self.begun.clear();
    }

    /// Takes a step to where its way leads, if that is known, and tells what is passed. Otherwise notes that the present
    /// way comes through here, after it has passed what is given.
    pub(super) fn find(
        &mut self,
        network: &Network,
        step: &mut StepTarget,
        before: Passed,
    ) -> Option<Passed> {
        // Steps are left out of one form alone.
        if self.room == 0 || step.format != FormatId(0) {
            return None;
        }
        let packer = match &mut self.packer {
            Some(packer) => packer,
            none => {
                let packer = none.insert(Packer::new(network, true));
                self.bytes = packer.bytes_max();
                let ways = 1 << (self.room / (2 * self.bytes + 8)).max(1).ilog2();
                self.begins = vec![0; ways * self.bytes];
                self.ends = vec![0; ways * self.bytes];
                self.lengths = vec![0; ways];
                packer
            }
        };
        self.packed.clear();
        packer.pack(step.rule, step.format, &step.locals, &mut self.packed);
        let at = state_hash(&self.packed) as usize & (self.lengths.len() - 1);
        let place = at * self.bytes..(at + 1) * self.bytes;
        if let Some(passed) = length(self.lengths[at])
            && before.states + passed.states < PASSED_MAX
            && self.begins[place.clone()] == self.packed
        {
            if passed.states > 0 {
                let (rule, _) = packer.unpack(&self.ends[place], &mut step.locals);
                step.rule = rule;
                step.event = network.first().rules().list()[rule as usize].result;
            }
            return Some(passed);
        }
        self.lengths[at] = 0;
        self.begins[place].copy_from_slice(&self.packed);
        self.begun.push((at, before));
        None
    }

    /// Remembers where the present way leads, and what it passes in all.
    pub(super) fn end(&mut self, step: &StepTarget, passed: Passed) {
        // Only ways of one form were begun, and they do not leave it.
        let (Some(packer), false) = (&self.packer, self.begun.is_empty()) else {
            return;
        };
        debug_assert_eq!(step.format, FormatId(0), "the only form of the network");
        self.packed.clear();
        packer.pack(step.rule, step.format, &step.locals, &mut self.packed);
        // If two have the same place, what is there is of the later one.
        for (at, before) in &self.begun {
            self.ends[at * self.bytes..][..self.bytes].copy_from_slice(&self.packed);
            self.lengths[*at] = number(passed.without(*before)).unwrap_or(0);
        }
    }
}
