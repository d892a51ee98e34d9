//! The states of a specification's network, numbered, each with its transitions once they are known.
//! A state may be a member of many nodes; it is explored once.

use super::partial_order::{PartialOrder, PartialOrderScratch};
use super::passing::{Passing, PassingScratch, StepTarget};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Set};

/// A state of the specification's network.
pub type SpecState = (FormatId, Box<[LocalId]>);

/// Number of a state.
pub type StateNumber = u32;

/// Transitions of a state, silent ones first.
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
    /// What steps are left out by, if some are.
    partial_order: Option<Box<PartialOrder>>,
    choosing: PartialOrderScratch,
    passing: PassingScratch,
    /// States that others stand for, which steps lead to that are enough.
    replaced: Set<StateNumber>,
}

impl States {
    /// Leaves out steps from now on where silent ones are enough, in a network of which no run is silent for ever.
    ///
    /// Where such steps lead from a state, those after them stand for it: they have its traces and stable failures.
    pub fn leave_out(&mut self, partial_order: PartialOrder) {
        debug_assert!(partial_order.ends_silence());
        self.partial_order = Some(Box::new(partial_order));
    }

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
        let found = machine.complete(network, |machine, network| {
            let mut found: Vec<StepTarget> = Vec::new();
            let scratch = &mut self.scratch;
            network.successors::<Miss>(machine.locals(), format, &state, scratch, |s| {
                found.push(StepTarget::new(0, &s));
                Ok(())
            })?;
            match self.only_enough((machine, network), (format, &state), &mut found)? {
                true => self.replaced.insert(number),
                false => self.replaced.remove(&number),
            };
            Ok(found)
        })?;
        let found = found.into_iter();
        let leaves_out = self.partial_order.is_some();
        let steps = found.map(|mut s| {
            // Exchanging copies changes no event, so a state stands for all that are the same up to that.
            if leaves_out {
                network.format(s.format).copies().settle(&mut s.locals);
            }
            (s.event, self.intern((s.format, s.locals.into())))
        });
        let mut steps: StateSteps = steps.collect();
        // Silent ones first: `close` looks at no others.
        steps.sort_by_key(|step| step.0 != EventId::TAU);
        self.steps[number as usize] = Some(steps);
        Ok(())
    }

    /// Takes away steps of a state that are not needed, where silent ones are enough, and tells whether that was so.
    /// Takes all others on to where no step alone is enough.
    fn only_enough(
        &mut self,
        (machine, network): (&Machine, &Network),
        state: (FormatId, &[LocalId]),
        found: &mut Vec<StepTarget>,
    ) -> std::result::Result<bool, Miss> {
        let Some(order) = self.partial_order.as_deref() else {
            return Ok(false);
        };
        let terminates = found.iter().any(|step| step.event == EventId::TICK);
        let rules = found.iter().map(|step| step.rule);
        let is_enough = !terminates && order.choose(state, rules, &mut self.choosing);
        if is_enough {
            found.retain(|step| self.choosing.keeps(step.rule));
        }
        let passing = Passing {
            order,
            network,
            locals: machine.locals(),
        };
        for step in found {
            let buffers = (&mut self.scratch, &mut self.passing);
            // Which event leads on from there is of no interest.
            let event = step.event;
            passing.pass(step, buffers, &mut |_| {})?;
            step.event = event;
        }
        Ok(is_enough)
    }

    /// Adds all states reachable by τ (Def. 3) and explores them, as long as there are at most `max`;
    /// false if there are more. Leaves them in ascending order, without those that others stand for.
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
            let steps = steps[state as usize].iter().flatten();
            for (_, target) in steps.take_while(|step| step.0 == EventId::TAU) {
                if std::mem::replace(&mut met[*target as usize], call) != call {
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
        states.retain(|state| !self.replaced.contains(state));
        // The same members in another order are the same node.
        states.sort_unstable();
        Ok(true)
    }
}
