//! The states of a network up to permutations of its events.
//!
//! A *name* is a representative with an element of the group, and names the state that the element makes of the
//! representative. Steps are known of representatives alone: what a name can do is what its representative can, with the
//! element applied to events and to where they lead.

use super::event_group::{ElementId, EventGroup};
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::specification::step_finder::{SpecSteps, StepFinder};

/// Representatives that are explored by all threads at a time. It does not depend on how many threads there are, so
/// numbers do not either.
const TOGETHER: usize = 1024;

/// A step of a representative: to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OrbitStep {
    /// Number of the event.
    pub(super) event: u32,
    /// Number of the representative.
    pub(super) to: u32,
    pub(super) by: ElementId,
}

/// Representatives and their steps, as far as they were explored.
#[derive(Clone, Debug)]
pub(super) struct OrbitGraph {
    pub(super) group: EventGroup,
    states: IndexSet<Box<[LocalId]>>,
    steps: Vec<Box<[OrbitStep]>>,
    /// The name of the initial state is this element of the first representative.
    pub(super) initial: ElementId,
}

/// How far exploring has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrbitsExplored {
    /// There are more states.
    Partly,
    /// All are known.
    Wholly,
    /// There are states of which the group knows nothing, as those of another form of the network.
    Impossible,
}

/// A step before its event and its target are given numbers.
struct NewStep {
    event: EventId,
    to: Vec<LocalId>,
    /// What makes the least state of the one that the step leads to.
    by: ElementId,
}

impl OrbitGraph {
    /// Of a network, with its initial state alone; none if the group knows nothing of that.
    pub(super) fn new(network: &Network, group: EventGroup) -> Option<Self> {
        let (first, by) = group.least(network.initial(), network.first().copies())?;
        Some(Self {
            initial: group.inverse(by),
            states: IndexSet::from_iter([first.into_boxed_slice()]),
            steps: Vec::new(),
            group,
        })
    }

    /// How many representatives were met.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// How many of them were explored.
    pub(super) fn explored(&self) -> usize {
        self.steps.len()
    }

    /// A representative.
    pub(super) fn state(&self, number: u32) -> &[LocalId] {
        &self.states[number as usize]
    }

    /// The steps of a representative that was explored.
    pub(super) fn steps(&self, number: u32) -> &[OrbitStep] {
        &self.steps[number as usize]
    }

    /// Explores until so many representatives are explored, or all.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub(super) fn explore(
        &mut self,
        machine: &mut Machine,
        network: &mut Network,
        finder: &StepFinder,
        most: usize,
    ) -> Result<OrbitsExplored> {
        while self.explored() < self.len() {
            if self.explored() >= most {
                return Ok(OrbitsExplored::Partly);
            }
            machine.eval.check_time()?;
            let from = self.explored();
            let until = self.len().min(from + TOGETHER);
            let states = (from..until).map(|n| (FormatId(0), &*self.states[n]));
            let states: Vec<_> = states.collect();
            let group = &self.group;
            let tables = (machine.locals(), &*network);
            let found =
                finder.find_together(tables, &states, |found| new_steps(group, network, found));
            for (number, found) in (from..).zip(found) {
                let found = match found {
                    Some(found) => found,
                    None => {
                        let state = &*self.states[number];
                        let found = finder.find(machine, network, (FormatId(0), state))?;
                        new_steps(&self.group, network, found)
                    }
                };
                if !found.is_some_and(|steps| self.keep(steps)) {
                    return Ok(OrbitsExplored::Impossible);
                }
            }
        }
        Ok(OrbitsExplored::Wholly)
    }

    /// Notes the steps of the next representative; false if there is an event that the group does not know.
    fn keep(&mut self, steps: Vec<NewStep>) -> bool {
        let mut kept = Vec::with_capacity(steps.len());
        for step in steps {
            let Some(event) = self.group.number(step.event) else {
                return false;
            };
            let to = self.states.insert_full(step.to.into()).0 as u32;
            let by = self.group.inverse(step.by);
            kept.push(OrbitStep { event, to, by });
        }
        kept.sort_unstable();
        kept.dedup();
        self.steps.push(kept.into());
        true
    }

    /// Representatives, each after those that it leads to by τ; none if there is a cycle.
    pub(super) fn silent_order(&self, tau: Option<u32>) -> Option<Vec<u32>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            Not,
            Begun,
            Done,
        }
        let mut seen = vec![Seen::Not; self.len()];
        let mut order = Vec::with_capacity(self.len());
        // A representative, and which of its steps is next.
        let mut path: Vec<(u32, usize)> = Vec::new();
        for start in 0..self.len() as u32 {
            if seen[start as usize] != Seen::Not {
                continue;
            }
            seen[start as usize] = Seen::Begun;
            path.push((start, 0));
            while let Some((number, next)) = path.last_mut() {
                let number = *number;
                let mut steps = self.steps(number)[*next..].iter();
                let step = steps.position(|step| Some(step.event) == tau);
                let Some(step) = step else {
                    seen[number as usize] = Seen::Done;
                    order.push(number);
                    path.pop();
                    continue;
                };
                let to = self.steps(number)[*next + step].to;
                *next += step + 1;
                match seen[to as usize] {
                    Seen::Begun => return None,
                    Seen::Done => {}
                    Seen::Not => {
                        seen[to as usize] = Seen::Begun;
                        path.push((to, 0));
                    }
                }
            }
        }
        Some(order)
    }

    /// For each representative where the list of those begins that have a step to it, and these lists.
    pub(super) fn sources(&self) -> (Vec<u32>, Vec<u32>) {
        let count = self.len();
        let mut from = vec![0u32; count + 1];
        let all = || (0..count as u32).flat_map(|n| self.steps(n).iter().map(move |s| (n, s.to)));
        for (_, to) in all() {
            from[to as usize + 1] += 1;
        }
        for at in 0..count {
            from[at + 1] += from[at];
        }
        let mut next = from.clone();
        let mut sources = vec![0u32; from[count] as usize];
        for (number, to) in all() {
            let at = &mut next[to as usize];
            sources[*at as usize] = number;
            *at += 1;
        }
        (from, sources)
    }
}

/// Steps to representatives; none if one leads to something of which the group knows nothing.
fn new_steps(group: &EventGroup, network: &Network, found: SpecSteps) -> Option<Vec<NewStep>> {
    let copies = network.first().copies();
    let steps = found.steps.into_iter().map(|step| {
        if step.format != FormatId(0) {
            return None;
        }
        let (to, by) = group.least(&step.locals, copies)?;
        let event = step.event;
        Some(NewStep { event, to, by })
    });
    steps.collect()
}
