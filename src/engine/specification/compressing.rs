//! Compression of a large specification before it is normalised.
//!
//! A large specification has many states with equal behaviour, and nodes that allow the same but have different
//! members; normalisation on demand distinguishes them all. Where no run is silent for ever and partial order reduction
//! leaves out steps, all states are therefore explored, up to permutations of its events, and those with equal events
//! and acceptances after τ are merged (`classes`). The result is normalised instead: each of its states is one of the
//! network, and has the traces and stable failures of all that it represents.

use std::collections::VecDeque;

use super::acceptances::EventNumbers;
use super::classes::{ClassSignature, NameSteps, StateClasses, StateName};
use super::event_group::EventGroup;
use super::orbits::{OrbitGraph, OrbitsExplored};
use super::{NodeEquivalence, Specification};
use crate::machine::copies::Copies;
use crate::machine::{EventId, FormatId, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::specification::states::{StateNumber, States};
use crate::specification::step_finder::StepFinder;

/// Classes at most: with more, little was merged.
const CLASSES_MAX: usize = 500_000;
/// States of the result between two polls of the limits.
const POLL_EVERY: u32 = 1024;

/// The stage of compression.
#[derive(Debug, Default)]
pub(super) enum CompressionStage {
    #[default]
    Untried,
    Exploring(Box<OrbitGraph>),
    /// Complete, or impossible.
    Over,
}

/// Parameters of compression.
#[derive(Clone, Copy, Debug)]
pub struct SpecificationMerging {
    /// The equivalence of its nodes.
    pub compared: NodeEquivalence,
    /// Whether it may be explored up to permutations.
    pub permutes: bool,
}

/// Statistics of the compression of a large specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecificationMerged {
    /// Order of the group of permutations of events.
    pub permutations: usize,
    /// States explored, up to these permutations.
    pub explored: usize,
    /// States after compression.
    pub states: usize,
}

impl Specification {
    /// Whether compression applies and is not complete.
    #[must_use]
    pub fn may_compress(&self) -> bool {
        self.states.finder().leaves_out() && !matches!(self.compressing, CompressionStage::Over)
    }

    /// Continues compression until `most` states were explored, or it is complete. All nodes are new then.
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

    /// One state of each reachable class, and the stable ones that these reach; `None` if the group does not know one
    /// of them.
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
            signatures: Map::default(),
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

/// States for names, one for each signature.
struct NamesMerged<'a> {
    graph: &'a OrbitGraph,
    classes: &'a StateClasses<'a>,
    copies: &'a Copies,
    numbers: Map<StateName, StateNumber>,
    signatures: Map<ClassSignature, StateNumber>,
    /// States whose steps are still to be found.
    waiting: VecDeque<(StateNumber, StateName)>,
    states: States,
}

impl NamesMerged<'_> {
    /// The state for a name; `None` if the group does not know it.
    fn number(&mut self, name: StateName) -> Option<StateNumber> {
        if let Some(known) = self.numbers.get(&name) {
            return Some(*known);
        }
        let signature = self.classes.signature(name);
        let number = match self.signatures.get(&signature) {
            Some(known) => *known,
            None => {
                let (representative, by) = name;
                let state = self.graph.state(representative);
                let state = self.graph.group.apply(by, state, self.copies)?;
                // Two names may give one state, for which different steps were left out: it has the failures of both,
                // so the steps of either suffice.
                let number = self.states.intern((FormatId(0), &state));
                self.signatures.insert(signature, number);
                self.waiting.push_back((number, name));
                number
            }
        };
        self.numbers.insert(name, number);
        Some(number)
    }
}
