//! The states of a specification's network, numbered, each with its transitions once they are known.
//! A state may be a member of many nodes; it is explored once.

use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;

/// A state of the specification's network.
pub type SpecState = (FormatId, Box<[LocalId]>);

/// Number of a state.
pub type StateNumber = u32;

/// Transitions of a state.
type StateSteps = Box<[(EventId, StateNumber)]>;

/// States closed under τ between two looks at the limits.
const POLL_EVERY: usize = 1024;

/// All states met so far.
#[derive(Debug, Default)]
pub struct States {
    all: IndexSet<SpecState>,
    steps: Vec<Option<StateSteps>>,
    scratch: RuleScratch,
    /// When each state was last met by [`States::close`], counted in calls.
    met: Vec<u32>,
    calls: u32,
}

impl States {
    /// The number of a state.
    pub fn intern(&mut self, state: SpecState) -> StateNumber {
        let (number, new) = self.all.insert_full(state);
        if new {
            self.steps.push(None);
            self.met.push(0);
        }
        number as StateNumber
    }

    /// The number of a state that was met.
    #[must_use]
    pub fn find(&self, state: &SpecState) -> Option<StateNumber> {
        self.all.get_index_of(state).map(|at| at as StateNumber)
    }

    /// A state by its number.
    #[must_use]
    pub fn get(&self, number: StateNumber) -> &SpecState {
        &self.all[number as usize]
    }

    /// The transitions of a state; empty until [`States::explore`] found them.
    #[must_use]
    pub fn steps(&self, number: StateNumber) -> &[(EventId, StateNumber)] {
        self.steps[number as usize].as_deref().unwrap_or(&[])
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Finds the transitions of a state.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn explore(
        &mut self,
        machine: &mut Machine,
        network: &mut Network,
        number: StateNumber,
    ) -> Result<()> {
        const PATIENCE: u32 = 64;
        if self.steps[number as usize].is_some() {
            return Ok(());
        }
        if number.is_multiple_of(PATIENCE) {
            machine.eval.check_time()?;
        }
        // A copy: the targets are interned in the same table.
        let (format, state) = self.all[number as usize].clone();
        let scratch = &mut self.scratch;
        let found = machine.complete(network, |machine, network| {
            let mut found: Vec<(EventId, SpecState)> = Vec::new();
            network.successors::<Miss>(machine.locals(), format, &state, scratch, |s| {
                found.push((s.event, (s.format, s.locals.into())));
                Ok(())
            })?;
            Ok(found)
        })?;
        let found = found.into_iter();
        let steps = found.map(|(event, state)| (event, self.intern(state)));
        let steps: StateSteps = steps.collect();
        self.steps[number as usize] = Some(steps);
        Ok(())
    }

    /// Adds all states reachable by τ (Def. 3) and explores them, as long as there are at most `max`;
    /// false if there are more. Leaves them in ascending order.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn close(
        &mut self,
        machine: &mut Machine,
        network: &mut Network,
        states: &mut Vec<StateNumber>,
        max: usize,
    ) -> Result<bool> {
        self.calls += 1;
        let call = self.calls;
        let (met, mut at) = (&mut self.met, 0);
        // A mark is the number of the call that made it, so none has to be taken away afterwards.
        // States that come twice are marked the first time, and dropped the second.
        states.retain(|s| std::mem::replace(&mut met[*s as usize], call) != call);
        while at < states.len() {
            let state = states[at];
            self.explore(machine, network, state)?;
            let Self { steps, met, .. } = &mut *self;
            for (event, target) in steps[state as usize].iter().flatten() {
                if *event == EventId::TAU
                    && std::mem::replace(&mut met[*target as usize], call) != call
                {
                    states.push(*target);
                }
            }
            if states.len() > max {
                return Ok(false);
            }
            at += 1;
            if at.is_multiple_of(POLL_EVERY) {
                machine.eval.check_time()?;
            }
        }
        // The same members in another order are the same node.
        states.sort_unstable();
        Ok(true)
    }
}
