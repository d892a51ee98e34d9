//! The states of a specification's network, numbered, each with its transitions once they are known.
//! A state may be a member of many nodes; it is explored once.

use std::sync::Mutex;

use super::partial_order::{PartialOrder, PartialOrderScratch};
use super::passing::{Passing, PassingScratch, StepTarget};
use super::search::{in_parallel, lock};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Locals, Machine, Miss, Network};
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
/// States that are explored by all threads before the next look at the limits. It does not depend on how many threads
/// there are, so the numbers of states do not either.
const TOGETHER_MAX: usize = 1024;
/// Fewer states are explored one by one: to begin threads takes longer.
const TOGETHER_MIN: usize = 64;

/// All states met so far.
#[derive(Debug, Default)]
pub struct States {
    all: IndexSet<SpecState>,
    steps: Vec<Option<StateSteps>>,
    /// Buffers that no thread uses just now. They are kept, since what was found before is looked at first.
    resting: Mutex<Vec<ExploreScratch>>,
    /// When each state was last met by [`States::close`], counted in calls.
    met: Vec<u32>,
    calls: u32,
    /// What steps are left out by, if some are.
    partial_order: Option<Box<PartialOrder>>,
    /// How many threads explore states then.
    threads: usize,
    /// States that others stand for, which steps lead to that are enough.
    replaced: Set<StateNumber>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
struct ExploreScratch {
    rules: RuleScratch,
    choosing: PartialOrderScratch,
    passing: PassingScratch,
}

/// The buffers of one thread, which go back when it is done.
struct LentScratch<'a> {
    own: ExploreScratch,
    resting: &'a Mutex<Vec<ExploreScratch>>,
}

impl<'a> LentScratch<'a> {
    fn of(resting: &'a Mutex<Vec<ExploreScratch>>) -> Self {
        let own = lock(resting).pop().unwrap_or_default();
        Self { own, resting }
    }
}

impl Drop for LentScratch<'_> {
    fn drop(&mut self) {
        lock(self.resting).push(std::mem::take(&mut self.own));
    }
}

/// What was found of a state.
#[derive(Debug)]
struct ExploredState {
    steps: Vec<StepTarget>,
    /// Whether some steps are enough, so that those after them stand for it.
    is_replaced: bool,
}

impl States {
    /// Leaves out steps from now on where silent ones are enough, in a network of which no run is silent for ever.
    ///
    /// Where such steps lead from a state, those after them stand for it: they have its traces and stable failures. It
    /// takes long to find out, so that is done on so many threads.
    pub fn leave_out(&mut self, partial_order: PartialOrder, threads: usize) {
        debug_assert!(partial_order.ends_silence());
        self.partial_order = Some(Box::new(partial_order));
        self.threads = threads;
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
        let mut scratch = LentScratch::of(&self.resting);
        let found = machine.complete(network, |machine, network| {
            self.look_at((machine.locals(), network), number, &mut scratch.own)
        });
        drop(scratch);
        self.keep(network, number, found?);
        Ok(())
    }

    /// Explores states that were not, on all threads, if there are enough of them and it takes long for each.
    fn explore_together(
        &mut self,
        machine: &Machine,
        network: &Network,
        numbers: &[StateNumber],
    ) -> Result<()> {
        if self.partial_order.is_none() || numbers.len() < TOGETHER_MIN {
            return Ok(());
        }
        machine.eval.check_time()?;
        let is_new = |number: &&StateNumber| self.steps[**number as usize].is_none();
        let new: Vec<StateNumber> = numbers.iter().filter(is_new).copied().collect();
        let found: Vec<Mutex<Option<ExploredState>>> =
            new.iter().map(|_| Mutex::default()).collect();
        let tables = (machine.locals(), network);
        in_parallel(
            self.threads,
            new.len(),
            || LentScratch::of(&self.resting),
            |scratch, n| {
                // What the tables lack is filled in when it comes to that state.
                *lock(&found[n]) = self.look_at(tables, new[n], &mut scratch.own).ok();
            },
        );
        for (number, found) in new.into_iter().zip(found) {
            if let Ok(Some(found)) = found.into_inner() {
                self.keep(network, number, found);
            }
        }
        Ok(())
    }

    /// Finds the transitions of a state.
    fn look_at(
        &self,
        (locals, network): (&Locals, &Network),
        number: StateNumber,
        scratch: &mut ExploreScratch,
    ) -> std::result::Result<ExploredState, Miss> {
        let (format, state) = self.get(number);
        let mut steps: Vec<StepTarget> = Vec::new();
        network.successors::<Miss>(locals, *format, state, &mut scratch.rules, |s| {
            steps.push(StepTarget::new(0, &s));
            Ok(())
        })?;
        let is_replaced = match self.partial_order.as_deref() {
            Some(order) => {
                let passing = Passing {
                    order,
                    network,
                    locals,
                };
                only_enough(passing, (*format, state), &mut steps, scratch)?
            }
            None => false,
        };
        Ok(ExploredState { steps, is_replaced })
    }

    /// Notes what was found of a state.
    fn keep(&mut self, network: &Network, number: StateNumber, found: ExploredState) {
        match found.is_replaced {
            true => self.replaced.insert(number),
            false => self.replaced.remove(&number),
        };
        let leaves_out = self.partial_order.is_some();
        let steps = found.steps.into_iter().map(|mut s| {
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
        let mut looked_at = 0;
        while at < states.len() {
            let state = states[at];
            if looked_at <= at {
                looked_at = states.len().min(at + TOGETHER_MAX);
                self.explore_together(machine, network, &states[at..looked_at])?;
            }
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

/// Takes away steps of a state that are not needed, where silent ones are enough, and tells whether that was so.
/// Takes all others on to where no step alone is enough.
fn only_enough(
    passing: Passing<'_>,
    state: (FormatId, &[LocalId]),
    found: &mut Vec<StepTarget>,
    scratch: &mut ExploreScratch,
) -> std::result::Result<bool, Miss> {
    let terminates = found.iter().any(|step| step.event == EventId::TICK);
    let rules = found.iter().map(|step| step.rule);
    let choosing = &mut scratch.choosing;
    let is_enough = !terminates && passing.order.choose(state, rules, choosing);
    if is_enough {
        found.retain(|step| choosing.keeps(step.rule));
    }
    for step in found {
        // Which event leads on from there is of no interest.
        let event = step.event;
        let buffers = (&mut scratch.rules, &mut scratch.passing);
        passing.pass(step, buffers, &mut |_| {})?;
        step.event = event;
    }
    Ok(is_enough)
}
