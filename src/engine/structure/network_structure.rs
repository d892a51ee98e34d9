//! The structure of a network: its components and rules as numbers.
//!
//! Where local states were merged (Sec. 7.4), two events of a component that take part in the same rules in the
//! same way are one *label*, since then only labels distinguish points. Otherwise every event is a label of its own.

use super::points::Points;
use super::waits::{RuleTag, RuleTags, waits};
use crate::machine::bisimilar::Visible;
use crate::machine::reach::Reach;
use crate::machine::rules::{Rule, Rules};
use crate::machine::waiting::Priorities;
use crate::machine::{EventId, Format, LocalId, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Map, Set};

/// The permutations of events of the network that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Every visible event is fixed: its name is observed.
    Fixed,
    /// Visible events may be permuted: their names are not observed.
    Free,
    /// The same, and hidden events are permuted with them: the event before hiding is observed.
    Shown,
}

/// Classes of rules where the event before hiding is observed: performed visibly, hidden, or both.
const SEEN: u32 = 1;
const HIDDEN: u32 = 2;

/// A node of a specification whose events restrict the symmetries. Numbers are equal for
/// equal properties.
#[derive(Clone, Debug, Default)]
pub struct TiedNode {
    /// Number of the node in the specification.
    pub id: u32,
    /// Properties besides its events, as a number: whether it diverges, and so on.
    pub colour: u32,
    /// Its transitions: the event, and the place of the target node.
    pub edges: Vec<(EventId, u32)>,
    /// Sets of events that a symmetry has to preserve, such as its minimal acceptances.
    pub sets: Vec<Vec<EventId>>,
}

/// A transition of a component: from, label, to. Points and labels determine the component.
pub type PointStep = (u32, u32, u32);

/// A rule: labels, ascending, and the result.
pub type LabelRule = (Box<[u32]>, u32);

/// The structure that a symmetry has to preserve.
#[derive(Clone, Debug, Default)]
pub struct NetworkStructure {
    /// The local states.
    pub points: Points,
    /// The initial point of each component.
    pub initial: Vec<u32>,
    /// The component that each label belongs to.
    pub labels: Vec<u16>,
    /// An example event of each label, for display.
    pub events: Vec<EventId>,
    /// For each component the label of each of its events that occurs in some rule.
    pub label_of: Vec<Map<EventId, u32>>,
    /// The events of the network, each once; with [`Results::Free`] up to observation.
    pub results: IndexSet<EventId>,
    /// For each result whether it must be fixed.
    pub fixed: Vec<bool>,
    /// Transitions, each once.
    pub steps: IndexSet<PointStep>,
    /// Rules, each once.
    pub rules: IndexSet<LabelRule>,
    /// The class of each rule, which a symmetry has to preserve; if empty, all have one class.
    pub classes: Vec<u32>,
    /// Whether rules wait for others: then some rules here are no rules of the format, but ways to hold others
    /// back.
    pub has_priorities: bool,
    /// For each rule of the format its index here.
    pub rule_of: Vec<u32>,
    /// The specification whose events are the results, if it restricts the symmetries; its initial node comes first.
    pub nodes: Vec<TiedNode>,
    /// From the number of a node in the specification to its place.
    pub node_of: Map<u32, u32>,
}

/// The reason why a network has no structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Some component was not explored completely, or the network has further formats.
    Open,
    /// The steps depend on an order that symmetries are not known to preserve.
    Ordered,
    /// The computation would take longer than a search is likely to.
    Large,
}

/// Transitions and participants of rules, at most.
const SIZE_MAX: usize = 2_000_000;

/// The label of each event of each component that occurs in some rule.
struct LabelsOf {
    of: Vec<Map<EventId, u32>>,
    components: Vec<u16>,
    events: Vec<EventId>,
}

impl LabelsOf {
    fn new(format: &Format) -> Self {
        let mut labels = Self {
            of: vec![Map::default(); format.components().len()],
            components: Vec::new(),
            events: Vec::new(),
        };
        let mut kinds: IndexMap<(u16, u32), u32> = IndexMap::default();
        for (component, event) in format.rules().list().iter().flat_map(|r| r.parts.iter()) {
            let Self {
                of,
                components,
                events,
            } = &mut labels;
            let of = &mut of[usize::from(*component)];
            if of.contains_key(event) {
                continue;
            }
            let kind = format.merged().label(usize::from(*component), *event);
            let mut number = || {
                components.push(*component);
                events.push(*event);
                components.len() as u32 - 1
            };
            let label = match kind {
                Some(kind) => *kinds.entry((*component, kind)).or_insert_with(number),
                None => number(),
            };
            of.insert(*event, label);
        }
        labels
    }
}

impl LabelsOf {
    /// The labels of participants, ascending.
    fn of_parts(&self, parts: &[(u16, EventId)]) -> Box<[u32]> {
        let label = |(component, event): &(u16, EventId)| {
            self.of[usize::from(*component)].get(event).copied()
        };
        let mut parts: Vec<u32> = parts.iter().filter_map(label).collect();
        parts.sort_unstable();
        parts.into()
    }

    /// Adds labels for events that no rule has, but that hold others back where they are enabled.
    fn add_watched(&mut self, priorities: &Priorities) {
        for (component, event) in priorities.watches().flat_map(|watch| watch.1) {
            let of = &mut self.of[usize::from(*component)];
            if !of.contains_key(event) {
                of.insert(*event, self.components.len() as u32);
                self.components.push(*component);
                self.events.push(*event);
            }
        }
    }
}

impl NetworkStructure {
    /// The structure of a network with one format.
    ///
    /// # Errors
    /// A limit.
    pub fn new(
        machine: &Machine,
        format: &Format,
        results: Results,
        nodes: Vec<TiedNode>,
    ) -> Result<std::result::Result<Self, Unknown>> {
        if let Some(unknown) = obstacle(machine, format) {
            return Ok(Err(unknown));
        }
        let mut labels = LabelsOf::new(format);
        let points = Points::new(format, &met(machine, format, &labels)?);
        let priorities = format.rules().priorities();
        if results == Results::Shown && !priorities.is_empty() {
            return Ok(Err(Unknown::Ordered));
        }
        let happening = labels.components.len() as u32;
        labels.add_watched(priorities);
        let mut this = Self {
            initial: Vec::with_capacity(points.components()),
            labels: labels.components.clone(),
            events: labels.events.clone(),
            points,
            has_priorities: !priorities.is_empty(),
            node_of: (0..).zip(&nodes).map(|(at, node)| (node.id, at)).collect(),
            nodes,
            ..Self::default()
        };
        for (component, of) in format.components().iter().enumerate() {
            let initial = this.points.point(component, of.initial);
            this.initial.extend(initial);
        }
        this.add_steps(machine, &labels, happening)?;
        let alike = format.merged().visible == Visible::Alike;
        for rule in format.rules().list() {
            machine.eval.check_step()?;
            let number = match results {
                Results::Shown => this.add_shown(rule, &labels),
                _ => this.add_rule(rule, &labels, alike && this.nodes.is_empty()),
            };
            this.rule_of.push(number);
        }
        if this.has_priorities {
            this.add_priorities(machine, format.rules(), &labels)?;
        }
        // Events that only the specification performs may be permuted like the rest.
        for node in &this.nodes {
            let events = node.edges.iter().map(|edge| edge.0);
            this.results
                .extend(events.chain(node.sets.iter().flatten().copied()));
        }
        let is_fixed = |e: &EventId| !e.is_visible() || results == Results::Fixed;
        this.fixed = this.results.iter().map(is_fixed).collect();
        this.label_of = labels.of;
        Ok(Ok(this))
    }

    /// Adds the steps of points. Labels from a number on belong to events that never happen: only whether they are
    /// enabled matters.
    fn add_steps(&mut self, machine: &Machine, labels: &LabelsOf, happening: u32) -> Result<()> {
        for component in 0..self.points.components() {
            for from in self.points.range(component) {
                machine.eval.check_step()?;
                let local = self.points.local(from);
                for (event, to) in machine.locals().transitions(local).unwrap_or(&[]) {
                    // An event without a rule never happens.
                    let Some(label) = labels.of[component].get(event) else {
                        continue;
                    };
                    let to = match *label < happening {
                        true => self.points.point(component, *to),
                        false => Some(from),
                    };
                    if let Some(to) = to {
                        self.steps.insert((from, *label, to));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a rule by its event before hiding, and whether that is hidden.
    fn add_shown(&mut self, rule: &Rule, labels: &LabelsOf) -> u32 {
        let (called, class) = match rule.result == EventId::TAU {
            true => (rule.shown, HIDDEN),
            false => (rule.result, SEEN),
        };
        let result = self.results.insert_full(called).0 as u32;
        let number = self
            .rules
            .insert_full((labels.of_parts(&rule.parts), result))
            .0;
        self.classes.resize(self.rules.len(), 0);
        self.classes[number] |= class;
        number as u32
    }

    fn add_rule(&mut self, rule: &Rule, labels: &LabelsOf, alike: bool) -> u32 {
        let result = match alike && rule.result.is_visible() {
            // One visible event represents all.
            true => EventId(EventId::DONE.0 + 1),
            false => rule.result,
        };
        let result = self.results.insert_full(result).0 as u32;
        self.rules
            .insert_full((labels.of_parts(&rule.parts), result))
            .0 as u32
    }

    /// Adds ways to hold others back, and distinguishes rules by their waits.
    fn add_priorities(
        &mut self,
        machine: &Machine,
        rules: &Rules,
        labels: &LabelsOf,
    ) -> Result<()> {
        let mut tags = RuleTags::default();
        for (rule, number) in self.rule_of.iter().enumerate() {
            tags.add(*number, waits(rules, rule));
        }
        let silent = self.results.insert_full(EventId::TAU).0 as u32;
        for (node, parts, class, waits) in rules.priorities().watches() {
            machine.eval.check_step()?;
            let number = self.rules.insert_full((labels.of_parts(parts), silent)).0;
            tags.add(number as u32, RuleTag::holds(node, class, waits));
        }
        self.classes = tags.classes();
        Ok(())
    }

    /// The class of a rule: its properties besides labels and result.
    #[must_use]
    pub fn class(&self, rule: usize) -> u32 {
        self.classes.get(rule).copied().unwrap_or(0)
    }

    /// The local states of a global state as points; `None` if one has no point.
    #[must_use]
    pub fn points_of(&self, state: &[LocalId]) -> Option<Vec<u32>> {
        let point = |(component, local): (usize, &LocalId)| self.points.point(component, *local);
        state.iter().enumerate().map(point).collect()
    }
}

/// The local states that each component reaches by events of rules, with their representatives.
fn met(machine: &Machine, format: &Format, labels: &LabelsOf) -> Result<Vec<Set<LocalId>>> {
    let mut all = Vec::with_capacity(format.components().len());
    for (component, of) in format.components().iter().enumerate() {
        let mut met = Set::default();
        let mut waiting = vec![of.initial];
        while let Some(local) = waiting.pop() {
            if !met.insert(local) {
                continue;
            }
            machine.eval.check_step()?;
            waiting.push(format.merged().stands_for(component, local));
            let transitions = machine.locals().transitions(local).unwrap_or(&[]);
            let happen = transitions
                .iter()
                .filter(|(event, _)| labels.of[component].contains_key(event));
            waiting.extend(happen.map(|(_, to)| *to));
        }
        all.push(met);
    }
    Ok(all)
}

/// Number of labels of the events of a format's components.
#[must_use]
pub fn labels(format: &Format) -> usize {
    LabelsOf::new(format).components.len()
}

/// The reason why a format has no structure, if there is one.
#[must_use]
pub fn obstacle(machine: &Machine, format: &Format) -> Option<Unknown> {
    let is_known = |l: &LocalId| machine.locals().transitions(*l).is_some();
    let all_known = |reach: &Reach| reach.locals.iter().all(is_known);
    if !format.is_closed(machine.locals()) || !format.reach().iter().all(all_known) {
        return Some(Unknown::Open);
    }
    if format.rules().priorities().chase() {
        return Some(Unknown::Ordered);
    }
    (size(machine, format) > SIZE_MAX).then_some(Unknown::Large)
}

/// Number of known transitions of components and participants of rules.
#[must_use]
pub fn size(machine: &Machine, format: &Format) -> usize {
    let transitions = |l: &LocalId| machine.locals().transitions(*l).map_or(0, <[_]>::len);
    let reach = format.reach().iter().flat_map(|r| &r.locals);
    let parts = format.rules().list().iter().map(|r| r.parts.len() + 1);
    let watches = format.rules().priorities().watches();
    let watches = watches.map(|watch| watch.1.len() + 1);
    reach.map(transitions).chain(parts).chain(watches).sum()
}
