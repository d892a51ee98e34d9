//! Numbered states of a specification's network, each with its transitions once explored. A state may be a member of
//! many nodes; it is explored once.

use std::sync::Arc;

use super::step_finder::{SpecState, SpecSteps, StepFinder};
use crate::machine::tree::Tree;
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::source::list_set::ListSet;

/// Number of a state.
pub type StateNumber = u32;

/// Transitions of a state, silent ones first.
type StateSteps = Box<[(EventId, StateNumber)]>;

/// The place of the steps of a state that is not explored.
const UNEXPLORED: u32 = u32::MAX;
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
    // A large specification has millions of states, most of which are never explored: each of these takes few bytes.
    all: ListSet<LocalId, FormatId>,
    /// The place in `steps` of each explored state; else [`UNEXPLORED`].
    explored: Vec<u32>,
    steps: Vec<StateSteps>,
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
    pub fn intern(&mut self, (format, state): SpecState<'_>) -> StateNumber {
        let number = self.all.insert(format, state);
        // A new state is unexplored.
        self.explored.resize(self.all.len(), UNEXPLORED);
        self.met.resize(self.all.len(), 0);
        number
    }

    /// The number of a known state.
    #[must_use]
    pub fn find(&self, (format, state): SpecState<'_>) -> Option<StateNumber> {
        self.all.find(format, state)
    }

    /// A state by its number.
    #[must_use]
    pub fn get(&self, number: StateNumber) -> SpecState<'_> {
        (self.all.head(number), self.all.list(number))
    }

    fn is_explored(&self, number: StateNumber) -> bool {
        self.explored[number as usize] != UNEXPLORED
    }

    /// The transitions of a state; empty before [`States::explore`].
    #[must_use]
    pub fn steps(&self, number: StateNumber) -> &[(EventId, StateNumber)] {
        let steps = self.steps.get(self.explored[number as usize] as usize);
        steps.map_or(&[], |steps| steps)
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
        if self.is_explored(number) {
            return Ok(());
        }
        if number.is_multiple_of(PATIENCE) {
            machine.eval.check_time()?;
        }
        let (format, state) = self.get(number);
        let found = self.finder.find(machine, network, (format, state))?;
        self.keep(number, found);
        Ok(())
    }

    /// Whether a state is unexplored, and its only component shows that it has no silent step. A search needs few of
    /// the states reached.
    fn is_stable(&self, machine: &mut Machine, network: &Network, number: StateNumber) -> bool {
        let (format, state) = self.get(number);
        match *state {
            [local] if !self.is_explored(number) && !self.finder.leaves_out() => {
                // An operator might hide an event. Evaluation errors are reported when the state is explored.
                let is_alone = matches!(network.format(format).tree(), Tree::Leaf(_));
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
        let is_new = |number: &&StateNumber| !self.is_explored(**number);
        let new: Vec<StateNumber> = numbers.iter().filter(is_new).copied().collect();
        let states: Vec<SpecState<'_>> = new.iter().map(|number| self.get(*number)).collect();
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
        let steps = steps.map(|s| (s.event, self.intern((s.format, &s.locals))));
        let steps = steps.collect();
        self.set_steps(number, steps);
    }

    /// Sets the transitions of a state.
    pub fn set_steps(&mut self, number: StateNumber, mut steps: Vec<(EventId, StateNumber)>) {
        // Silent ones first: `close` reads no others.
        steps.sort_by_key(|step| step.0 != EventId::TAU);
        let place = &mut self.explored[number as usize];
        match self.steps.get_mut(*place as usize) {
            Some(known) => *known = steps.into(),
            None => {
                *place = self.steps.len() as u32;
                self.steps.push(steps.into());
            }
        }
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
            for at in 0..self.steps(state).len() {
                let (event, target) = self.steps(state)[at];
                if event != EventId::TAU {
                    break;
                }
                if std::mem::replace(&mut self.met[target as usize], call) != call {
                    states.push(target);
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
