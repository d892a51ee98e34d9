//! A large specification made smaller before it is normalised.
//!
//! A specification that is a large system has many states for what looks the same from outside, and nodes of them that
//! allow the same and have other members; on demand they are all told apart. Where no run is silent for ever and steps
//! are left out by partial order, all states are therefore explored, up to permutations of its events, and those that do
//! and accept the same after τ are merged (`classes`). What is left is normalised instead: each state of it is one of the
//! network, that has the traces and stable failures of all that it stands for.

use std::collections::VecDeque;

use super::acceptances::EventNumbers;
use super::classes::{ClassLook, NameSteps, StateClasses, StateName};
use super::event_group::EventGroup;
use super::orbits::{OrbitGraph, OrbitsExplored};
use super::{NodeEquivalence, Specification};
use crate::machine::copies::Copies;
use crate::machine::{EventId, FormatId, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::specification::states::{StateNumber, States};
use crate::specification::step_finder::StepFinder;

/// Classes at most: beyond that little was merged.
const CLASSES_MAX: usize = 500_000;
/// States of what is left between two looks at the limits.
const POLL_EVERY: u32 = 1024;

/// How far that has come.
#[derive(Debug, Default)]
pub(super) enum CompressionStage {
    #[default]
    Untried,
    Exploring(Box<OrbitGraph>),
    /// It was done, or cannot be.
    Over,
}

/// How a specification is made smaller.
#[derive(Clone, Copy, Debug)]
pub struct SpecificationMerging {
    /// What tells its nodes apart.
    pub compared: NodeEquivalence,
    /// Whether it may be explored up to permutations.
    pub permutes: bool,
}

/// What a large specification was made smaller by before it was normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecificationMerged {
    /// Permutations of events that it was explored up to.
    pub permutations: usize,
    /// States that were explored, up to these.
    pub explored: usize,
    /// States that are left.
    pub states: usize,
}

impl Specification {
    /// Whether it may be made smaller, and that was not tried to the end.
    #[must_use]
    pub fn may_compress(&self) -> bool {
        self.states.finder().leaves_out() && !matches!(self.compressing, CompressionStage::Over)
    }

    /// Goes on with making it smaller until so many states were explored, or it is done. All nodes are others then.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn compress(
        &mut self,
        machine: &mut Machine,
        most: usize,
        merging: SpecificationMerging,
    ) -> Result<Option<SpecificationMerged>> {
        let compressed = self.go_on_compressing(machine, most, merging);
        self.during(machine, compressed)
    }

    fn go_on_compressing(
        &mut self,
        machine: &mut Machine,
        most: usize,
        merging: SpecificationMerging,
    ) -> Result<Option<SpecificationMerged>> {
        let graph = match std::mem::replace(&mut self.compressing, CompressionStage::Over) {
            CompressionStage::Untried => {
                let group = match merging.permutes {
                    true => EventGroup::of_network(machine, &self.network)?,
                    false => EventGroup::trivial(),
                };
                OrbitGraph::new(&self.network, group).map(Box::new)
            }
            CompressionStage::Exploring(graph) => Some(graph),
            CompressionStage::Over => None,
        };
        let Some(mut graph) = graph else {
            return Ok(None);
        };
        let finder = self.states.finder().clone();
        match graph.explore(machine, &mut self.network, &finder, most)? {
            OrbitsExplored::Impossible => return Ok(None),
            OrbitsExplored::Partly => {
                self.compressing = CompressionStage::Exploring(graph);
                return Ok(None);
            }
            OrbitsExplored::Wholly => {}
        }
        let events = EventNumbers {
            tau: graph.group.number(EventId::TAU),
            tick: graph.group.number(EventId::TICK),
        };
        let poll = || machine.eval.check_time();
        let Some(classes) = StateClasses::new(&graph, events, &poll)? else {
            return Ok(None);
        };
        if classes.count() > CLASSES_MAX {
            return Ok(None);
        }
        let Some(states) = self.states_of(machine, &graph, &classes)? else {
            return Ok(None);
        };
        let merged = SpecificationMerged {
            permutations: graph.group.len(),
            explored: graph.len(),
            states: states.len(),
        };
        self.replace_states(machine, states, merging.compared)?;
        Ok(Some(merged))
    }

    /// One state of each class that can be reached, and the stable ones that they come to; none if something is not known
    /// of one of them.
    fn states_of(
        &self,
        machine: &Machine,
        graph: &OrbitGraph,
        classes: &StateClasses<'_>,
    ) -> Result<Option<States>> {
        let mut merging = NamesMerged {
            graph,
            classes,
            copies: self.network.first().copies(),
            numbers: Map::default(),
            looks: Map::default(),
            waiting: VecDeque::new(),
            states: States::new(StepFinder::default()),
        };
        let first = classes.member(classes.class_of(0, graph.initial));
        let mut known = merging.number(first).is_some();
        while let Some((from, name)) = merging.waiting.pop_front() {
            let Some(NameSteps { silent, visible }) = classes.steps(name) else {
                return Ok(None);
            };
            let silent = silent.into_iter().map(|to| (EventId::TAU, to));
            let visible = visible.into_iter();
            let visible = visible.map(|(event, to)| (graph.group.event(event), classes.member(to)));
            let steps = silent.chain(visible).map_while(|(event, to)| {
                let number = merging.number(to);
                known &= number.is_some();
                number.map(|number| (event, number))
            });
            let steps = steps.collect();
            if !known {
                return Ok(None);
            }
            merging.states.set_steps(from, steps);
            if from % POLL_EVERY == 0 {
                machine.eval.check_time()?;
            }
        }
        Ok(Some(merging.states))
    }

    fn replace_states(
        &mut self,
        machine: &mut Machine,
        states: States,
        compared: NodeEquivalence,
    ) -> Result<()> {
        let network = self.network.clone();
        let mut smaller = Self::of_states(network, states, self.members_max);
        smaller.keeps_revivals = self.keeps_revivals;
        smaller.compressing = CompressionStage::Over;
        smaller.begin(machine, 0)?;
        smaller.factor(machine, compared)?;
        *self = smaller;
        Ok(())
    }
}

/// States for names, one for those that look the same.
struct NamesMerged<'a> {
    graph: &'a OrbitGraph,
    classes: &'a StateClasses<'a>,
    copies: &'a Copies,
    numbers: Map<StateName, StateNumber>,
    looks: Map<ClassLook, StateNumber>,
    /// Those whose steps are still to be found.
    waiting: VecDeque<(StateNumber, StateName)>,
    states: States,
}

impl NamesMerged<'_> {
    /// The state for a name; none if the group does not know it.
    fn number(&mut self, name: StateName) -> Option<StateNumber> {
        if let Some(known) = self.numbers.get(&name) {
            return Some(*known);
        }
        let look = self.classes.look(name);
        let number = match self.looks.get(&look) {
            Some(known) => *known,
            None => {
                let (representative, by) = name;
                let state = self.graph.state(representative);
                let state = self.graph.group.apply(by, state, self.copies)?;
                // States of two names may be one, of which other steps were left out: it has the failures of both,
                // so the steps of either will do.
                let number = self.states.intern((FormatId(0), state.into()));
                self.looks.insert(look, number);
                self.waiting.push_back((number, name));
                number
            }
        };
        self.numbers.insert(name, number);
        Some(number)
    }
}
