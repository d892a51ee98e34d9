//! Numbered states of a specification's network, each with its transitions once explored. A state may be a member of
//! many nodes; it is explored once.

use std::sync::Arc;

use smallvec::SmallVec;

use super::step_finder::{SpecSteps, StepFinder};
use crate::machine::tree::Tree;
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Set};

/// A state of the specification's network: most specifications have few components.
pub type SpecState = (FormatId, SmallVec<[LocalId; 4]>);

/// Number of a state.
pub type StateNumber = u32;

/// Transitions of a state, silent ones first.
type StateSteps = Box<[(EventId, StateNumber)]>;

/// States closed under τ between two polls of the limits.
const POLL_EVERY: usize = 1024;
/// States explored by all threads before the next poll of the limits. It does not depend on the number of threads, so
/// numbers of states do not either.
const TOGETHER_MAX: usize = 1024;
/// Fewer states are explored one by one, since starting threads takes longer.
const TOGETHER_MIN: usize = 64;

/// All states reached so far.
#[derive(Debug, Default)]
pub struct States {
    all: IndexSet<SpecState>,
    steps: Vec<Option<StateSteps>>,
    /// The last call of [`States::close`] that reached each state.
    met: Vec<u32>,
    calls: u32,
    finder: Arc<StepFinder>,
    /// States represented by the targets of the steps that suffice.
    replaced: Set<StateNumber>,
}

impl States {
    /// Creates an empty set of states with this way to find steps.
    #[must_use]
    pub fn new(finder: StepFinder) -> Self {
        Self {
            finder: Arc::new(finder),
            ..Self::default()
        }
    }

    /// The way to find steps.
    #[must_use]
    pub fn finder(&self) -> &Arc<StepFinder> {
        &self.finder
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

    /// The number of a known state.
    #[must_use]
    pub fn find(&self, state: &SpecState) -> Option<StateNumber> {
        self.all.get_index_of(state).map(|at| at as StateNumber)
    }

    /// A state by its number.
    #[must_use]
    pub fn get(&self, number: StateNumber) -> &SpecState {
        &self.all[number as usize]
    }

    /// The transitions of a state; empty before [`States::explore`].
    #[must_use]
    pub fn steps(&self, number: StateNumber) -> &[(EventId, StateNumber)] {
        self.steps[number as usize].as_deref().unwrap_or(&[])
    }

    /// The number of states.
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
        let (format, state) = self.get(number);
        let found = self.finder.find(machine, network, (*format, state))?;
        self.keep(number, found);
        Ok(())
    }

    /// Whether a state is unexplored, and its only component shows that it has no silent step. A search needs few of
    /// the states reached.
    fn is_stable(&self, machine: &mut Machine, network: &Network, number: StateNumber) -> bool {
        let (format, state) = self.get(number);
        match **state {
            [local] if self.steps[number as usize].is_none() && !self.finder.leaves_out() => {
                // An operator might hide an event. Evaluation errors are reported when the state is explored.
                let is_alone = matches!(network.format(*format).tree(), Tree::Leaf(_));
                is_alone && machine.is_stable(local).unwrap_or(false)
            }
            _ => false,
        }
    }

    /// Explores new states on all threads, if there are enough of them and each takes long.
    fn explore_together(
        &mut self,
        machine: &Machine,
        network: &Network,
        numbers: &[StateNumber],
    ) -> Result<()> {
        if !self.finder.leaves_out() || numbers.len() < TOGETHER_MIN {
            return Ok(());
        }
        machine.eval.check_time()?;
        let is_new = |number: &&StateNumber| self.steps[**number as usize].is_none();
        let new: Vec<StateNumber> = numbers.iter().filter(is_new).copied().collect();
        let states = new.iter().map(|number| self.get(*number));
        let states: Vec<_> = states.map(|(format, state)| (*format, &**state)).collect();
        let tables = (machine.locals(), network);
        let found = self.finder.find_together(tables, &states, |found| found);
        for (number, found) in new.into_iter().zip(found) {
            // Missing table entries are filled in when it comes to that state.
            if let Some(found) = found {
                self.keep(number, found);
            }
        }
        Ok(())
    }

    /// Stores the steps of a state.
    fn keep(&mut self, number: StateNumber, found: SpecSteps) {
        match found.is_replaced {
            true => self.replaced.insert(number),
            false => self.replaced.remove(&number),
        };
        let steps = found.steps.into_iter();
        let steps = steps.map(|s| {
            (
                s.event,
                self.intern((s.format, SmallVec::from_slice(&s.locals))),
            )
        });
        let steps = steps.collect();
        self.set_steps(number, steps);
    }

    /// Sets the transitions of a state.
    pub fn set_steps(&mut self, number: StateNumber, mut steps: Vec<(EventId, StateNumber)>) {
        // Silent ones first: `close` reads no others.
        steps.sort_by_key(|step| step.0 != EventId::TAU);
        self.steps[number as usize] = Some(steps.into());
    }

    /// Adds all states reachable by τ (Def. 3), at most `max`. Returns false if there are more. Leaves them in
    /// ascending order, without those represented by others. Those that can perform τ are explored by then.
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
        // A mark is the number of the call that made it, so none has to be cleared. Duplicates are marked the first
        // time, and dropped the second.
        states.retain(|s| std::mem::replace(&mut met[*s as usize], call) != call);
        let mut looked_at = 0;
        while at < states.len() {
            let state = states[at];
            if looked_at <= at {
                looked_at = states.len().min(at + TOGETHER_MAX);
                self.explore_together(machine, network, &states[at..looked_at])?;
            }
            if !self.is_stable(machine, network, state) {
                self.explore(machine, network, state)?;
            }
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
