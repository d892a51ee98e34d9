//! Orbit graph of a network: its states up to permutations of its events.
//!
//! A *name* is a representative with an element of the group, and denotes the image of the representative under the
//! element. Steps are stored for representatives alone: those of a name are the images of its representative's, events
//! and targets.

use super::event_group::{ElementId, EventGroup};
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::list_set::ListSet;
use crate::specification::step_finder::{SpecSteps, StepFinder};

/// Representatives explored by all threads at a time. It does not depend on the number of threads, so numbers do not
/// either.
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

/// Representatives and their steps so far.
#[derive(Clone, Debug)]
pub(super) struct OrbitGraph {
    pub(super) group: EventGroup,
    states: ListSet<LocalId>,
    steps: Vec<Box<[OrbitStep]>>,
    /// The element of the first representative whose image is the initial state.
    pub(super) initial: ElementId,
}

/// The progress of exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrbitsExplored {
    /// There are more states.
    Partly,
    /// All states are explored.
    Wholly,
    /// Some state is unknown to the group, such as one of another format.
    Impossible,
}

/// A step before its event and its target are numbered.
struct NewStep {
    event: EventId,
    to: Vec<LocalId>,
    /// The element that maps the target to its least image.
    by: ElementId,
}

impl OrbitGraph {
    /// The graph of a network with its initial state alone; `None` if the group does not know that.
    pub(super) fn new(network: &Network, group: EventGroup) -> Option<Self> {
        let (first, by) = group.least(network.initial(), network.first().copies())?;
        let mut states = ListSet::default();
        states.insert((), &first);
        Some(Self {
            initial: group.inverse(by),
            states,
            steps: Vec::new(),
            group,
        })
    }

    /// Number of representatives reached.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Number of representatives explored.
    pub(super) fn explored(&self) -> usize {
        self.steps.len()
    }

    /// A representative.
    pub(super) fn state(&self, number: u32) -> &[LocalId] {
        self.states.list(number)
    }

    /// The steps of an explored representative.
    pub(super) fn steps(&self, number: u32) -> &[OrbitStep] {
        &self.steps[number as usize]
    }

    /// Explores until `most` representatives are explored, or all.
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
            let states = (from..until).map(|n| (FormatId(0), self.state(n as u32)));
            let states: Vec<_> = states.collect();
            let group = &self.group;
            let tables = (machine.locals(), &*network);
            let found =
                finder.find_together(tables, &states, |found| new_steps(group, network, found));
            for (number, found) in (from..).zip(found) {
                let found = match found {
                    Some(found) => found,
                    None => {
                        let state = self.state(number as u32);
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

    /// Stores the steps of the next representative. Returns false if the group does not know an event.
    fn keep(&mut self, steps: Vec<NewStep>) -> bool {
        let mut kept = Vec::with_capacity(steps.len());
        for step in steps {
            let Some(event) = self.group.number(step.event) else {
                return false;
            };
            let to = self.states.insert((), &step.to);
            let by = self.group.inverse(step.by);
            kept.push(OrbitStep { event, to, by });
        }
        kept.sort_unstable();
        kept.dedup();
        self.steps.push(kept.into());
        true
    }

    /// Representatives, each after its successors by τ; `None` if there is a cycle.
    pub(super) fn silent_order(&self, tau: Option<u32>) -> Option<Vec<u32>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            Not,
            Begun,
            Done,
        }
        let mut seen = vec![Seen::Not; self.len()];
        let mut order = Vec::with_capacity(self.len());
        // A representative, and the index of its next step.
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

    /// The predecessors of each representative, as beginnings of lists and these lists.
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

/// Steps to representatives; `None` if the group does not know a target.
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
