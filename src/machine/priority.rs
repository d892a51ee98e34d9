//! Priority as a part of a network: which rules wait for which.
//!
//! `prioritise(P, …)` looks at what `P` can do in the very state, so it is no matter of single rules:
//! where it stands above components, a rule of the network fires only if no rule below the operator,
//! whether those around it want it or not, performs something there that has priority. The rules
//! below the operator that can hold others back are kept here; whether one of them is enabled is
//! asked only for a rule that waits and could fire otherwise, once a state.
//!
//! `chase(P)` is a priority too, where nothing around looks at single steps: the first τ of `P` goes
//! before all others, and every τ before anything else. It differs from `chase` inside of a component
//! in that the silent steps are taken one by one.

use super::locals::LocalTransition;
use super::mappable::Generator;
use super::rules::{Derivation, Offers, Partial};
use super::{EventId, LocalId, Locals, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Map};
use crate::source::stack::deep;
use crate::value::Value;

/// What has priority over what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `prioritise`: a sequence of sets, the highest priority first, τ and ✓ with the first.
    Levels(Value),
    /// `prioritisepo`, as [`crate::process::term::TermData::PrioritisePo`] has it.
    Partial {
        /// Pairs `(higher, lower)`, closed.
        order: Value,
        /// The events below τ and ✓.
        below: Value,
    },
    /// `chase`: the first τ goes first.
    Chase,
}

/// What a rule waits for, and how it fires.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waits {
    /// Where.
    pub places: Box<[Wait]>,
    /// Whether it leads to the first of its targets only.
    pub chased: bool,
}

/// That something waits at a node of the tree: what it performs there is of this class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    node: u16,
    class: u32,
}

/// A way for what stands below a node to perform something that holds others back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Watch {
    parts: Box<[(u16, EventId)]>,
    class: u32,
    /// At nodes further below.
    waits: Box<[Wait]>,
}

/// What holds a class back.
#[derive(Clone, Debug)]
enum Holders {
    /// These classes.
    Listed(Vec<u32>),
    /// The classes before this one.
    Before(u32),
}

impl Default for Holders {
    fn default() -> Self {
        Self::Before(0)
    }
}

impl Holders {
    fn is_empty(&self) -> bool {
        match self {
            Self::Listed(classes) => classes.is_empty(),
            Self::Before(class) => *class == 0,
        }
    }

    fn contains(&self, class: u32) -> bool {
        match self {
            Self::Listed(classes) => classes.contains(&class),
            Self::Before(end) => class < *end,
        }
    }

    fn classes(&self) -> Vec<u32> {
        match self {
            Self::Listed(classes) => classes.clone(),
            Self::Before(end) => (0..*end).collect(),
        }
    }
}

/// A place in a tree where priority stands.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The components below it.
    components: Vec<u16>,
    /// How many nodes with the same components stand below it.
    height: usize,
    /// What is performed there, with its class if it holds anything back or is held back.
    events: IndexMap<EventId, Option<u32>>,
    /// For each class, those that hold it back.
    holders: Vec<Holders>,
    watches: IndexSet<Watch>,
    /// The watches that a component leads with an event; each watch stands here once.
    led: Map<(u16, EventId), Vec<u32>>,
    /// For each component and local state, a range in `fires`: the watches that it leads.
    fire_at: Map<u16, Vec<(u32, u32)>>,
    fires: Vec<u32>,
    /// Where the answers for its classes stand in [`Held`].
    offset: usize,
    /// Whether it is `chase`.
    chases: bool,
}

/// The priorities of a format.
#[derive(Debug, Default)]
pub struct Priorities {
    /// Inner ones first.
    nodes: Vec<Node>,
    /// For each rule, where it waits.
    waits: Vec<Waits>,
    /// Classes of all nodes together.
    classes: usize,
}

/// What is known of one state: for each class of each node, whether it is held back.
#[derive(Debug, Default)]
pub struct Held(Vec<Option<bool>>);

/// A state as the priorities see it.
#[derive(Clone, Copy)]
struct View<'a> {
    locals: &'a Locals,
    state: &'a [LocalId],
}

impl Priorities {
    /// Those of a derivation, and where its rules wait.
    #[must_use]
    pub fn new(mut nodes: Vec<Node>, waits: Vec<Waits>) -> Self {
        let mut classes = 0;
        for node in &mut nodes {
            node.offset = classes;
            classes += node.holders.len();
        }
        Self {
            nodes,
            waits,
            classes,
        }
    }

    /// Whether an operator among them chases.
    #[must_use]
    pub fn chase(&self) -> bool {
        self.nodes.iter().any(|node| node.chases)
    }

    /// Whether a rule leads to the first of its targets only.
    #[must_use]
    pub fn takes_first(&self, rule: u32) -> bool {
        self.waits[rule as usize].chased
    }

    /// Whether no rule ever waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Prepares for states in which a component is in this expanded local state.
    pub fn build(&mut self, component: usize, local: LocalId, transitions: &[LocalTransition]) {
        for node in &mut self.nodes {
            node.build(component as u16, local, transitions);
        }
    }

    /// Forgets what was known of another state.
    pub fn begin(&self, held: &mut Held) {
        held.0.clear();
        held.0.resize(self.classes, None);
    }

    /// Whether a rule that could fire otherwise has to wait. The state is prepared for by
    /// [`Priorities::build`].
    pub fn hold_back(
        &self,
        rule: u32,
        locals: &Locals,
        state: &[LocalId],
        held: &mut Held,
    ) -> bool {
        let view = View { locals, state };
        self.waits[rule as usize]
            .places
            .iter()
            .any(|wait| self.is_held(*wait, view, held))
    }

    fn is_held(&self, wait: Wait, view: View<'_>, held: &mut Held) -> bool {
        let node = &self.nodes[wait.node as usize];
        let slot = node.offset + wait.class as usize;
        if let Some(known) = held.0[slot] {
            return known;
        }
        let found = deep(|| self.is_outranked(node, wait.class, view, held));
        held.0[slot] = Some(found);
        found
    }

    /// Whether something is possible below a node that holds a class back.
    fn is_outranked(&self, node: &Node, class: u32, view: View<'_>, held: &mut Held) -> bool {
        let holders = &node.holders[class as usize];
        let leads = node.fire_at.iter().flat_map(|(component, ranges)| {
            let range = ranges.get(view.state[*component as usize].0 as usize);
            let (from, to) = range.copied().unwrap_or_default();
            &node.fires[from as usize..to as usize]
        });
        for watch in leads.map(|watch| &node.watches[*watch as usize]) {
            if holders.contains(watch.class)
                && watch.parts.iter().all(|part| can(view, *part))
                && !watch.waits.iter().any(|w| self.is_held(*w, view, held))
            {
                return true;
            }
        }
        false
    }
}

/// Whether a component can perform an event.
fn can(view: View<'_>, (component, event): (u16, EventId)) -> bool {
    let (from, to) = view.locals.range_on(view.state[component as usize], event);
    from < to
}

impl Machine {
    /// What is left of the offers of a subtree below a priority: the same ones, some of them waiting.
    ///
    /// # Errors
    /// When membership in a set cannot be decided.
    pub(super) fn offers_priority(
        &mut self,
        mut offers: Offers,
        order: Order,
        derivation: &Derivation<'_>,
    ) -> Result<Offers> {
        let visible: Vec<EventId> = offers
            .keys()
            .copied()
            .filter(|event| event.is_visible())
            .collect();
        let mut node = match order {
            Order::Levels(levels) => self.levels(levels, &visible)?,
            Order::Partial { order, below } => self.partial(order, below, &visible)?,
            Order::Chase => {
                if let Some(taus) = offers.get_mut(&EventId::TAU) {
                    self.put_in_order(taus);
                }
                Node::chasing(&offers)
            }
        };
        let all = offers.values().flatten().flat_map(|p| &p.parts);
        let components: IndexSet<u16> = all.map(|part| part.0).collect();
        node.components.extend(components);
        node.components.sort_unstable();
        let mut nodes = derivation.nodes.borrow_mut();
        let same = |n: &&Node| n.components == node.components;
        node.height = nodes.iter().filter(same).count();
        let number = nodes.len() as u16;
        for (event, partials) in &mut offers {
            let Some(Some(class)) = node.events.get(event).copied() else {
                continue;
            };
            if node.chases && *event == EventId::TAU {
                for (class, partial) in (0..).zip(partials) {
                    node.watch(partial, class, derivation);
                    node.wait(partial, number, class);
                    partial.chased = true;
                }
                continue;
            }
            if node.holders.iter().any(|h| h.contains(class)) {
                for partial in partials.iter() {
                    node.watch(partial, class, derivation);
                }
            }
            for partial in partials {
                node.wait(partial, number, class);
            }
        }
        nodes.push(node);
        Ok(offers)
    }

    /// Sorts ways to do a τ by their participants and by the values of these events: which is the first
    /// may not depend on when an event was seen, or the same state would be chased in several ways.
    fn put_in_order(&self, taus: &mut [Partial]) {
        let store = self.eval.store();
        let by_value = |a: EventId, b: EventId| match (self.events.value(a), self.events.value(b)) {
            (Some(a), Some(b)) => store.compare(a, b),
            _ => a.cmp(&b),
        };
        for tau in &mut *taus {
            tau.parts.sort_unstable();
        }
        taus.sort_by(|a, b| {
            let pairs = a.parts.iter().zip(&b.parts);
            let mut orders = pairs.map(|(a, b)| a.0.cmp(&b.0).then_with(|| by_value(a.1, b.1)));
            let first = orders.find(|order| order.is_ne());
            first.unwrap_or_else(|| a.parts.len().cmp(&b.parts.len()))
        });
    }

    /// One class a level; τ and ✓ are of the first.
    fn levels(&mut self, levels: Value, events: &[EventId]) -> Result<Node> {
        let sets = self.eval.store().as_seq(levels).map(<[Value]>::to_vec);
        let sets = sets.unwrap_or_default();
        let mut node = Node::default();
        for silent in [EventId::TAU, EventId::TICK] {
            node.events.insert(silent, Some(0));
        }
        for event in events {
            let mut level = None;
            for (n, set) in sets.iter().enumerate() {
                if self.event_in(*event, *set)? {
                    level = Some(n as u32);
                    break;
                }
            }
            node.events.insert(*event, level);
        }
        node.holders = (0..sets.len().max(1) as u32).map(Holders::Before).collect();
        Ok(node)
    }

    /// One class an event; τ and ✓ share the first.
    fn partial(&mut self, order: Value, below: Value, events: &[EventId]) -> Result<Node> {
        let mut node = Node::default();
        for silent in [EventId::TAU, EventId::TICK] {
            node.events.insert(silent, Some(0));
        }
        let mut holders = vec![Vec::new()];
        for event in events {
            let class = holders.len() as u32;
            node.events.insert(*event, Some(class));
            let below_silence = self.event_in(*event, below)?;
            holders.push(below_silence.then_some(0).into_iter().collect());
        }
        for (higher, lower) in self.event_pairs(order) {
            let class = |e| node.events.get(&e).copied().flatten();
            if let (Some(higher), Some(lower)) = (class(higher), class(lower)) {
                holders[lower as usize].push(higher);
            }
        }
        node.holders = holders.into_iter().map(Holders::Listed).collect();
        Ok(node)
    }
}

impl Node {
    /// One class for every way to do a τ, in their order, and the last for everything else.
    fn chasing(offers: &Offers) -> Self {
        let taus = offers.get(&EventId::TAU).map_or(0, Vec::len) as u32;
        let others = offers.keys().filter(|event| **event != EventId::DONE);
        Self {
            events: others.map(|event| (*event, Some(taus))).collect(),
            holders: (0..=taus).map(Holders::Before).collect(),
            chases: true,
            ..Self::default()
        }
    }

    /// What is performed there with this class waits, if anything holds it back.
    fn wait(&self, partial: &mut Partial, node: u16, class: u32) {
        if !self.holders[class as usize].is_empty() {
            partial.waits.push(Wait { node, class });
        }
    }

    fn watch(&mut self, partial: &Partial, class: u32, derivation: &Derivation<'_>) {
        let mut parts = partial.parts.clone();
        parts.sort_unstable();
        let Some(leader) = derivation.leader(&parts) else {
            return;
        };
        let mut waits = partial.waits.clone();
        waits.sort_unstable();
        let (number, new) = self.watches.insert_full(Watch {
            parts: parts.into(),
            class,
            waits: waits.into(),
        });
        if new {
            self.led.entry(leader).or_default().push(number as u32);
        }
    }

    /// Lists the watches that an expanded local state of a component leads.
    fn build(&mut self, component: u16, local: LocalId, transitions: &[LocalTransition]) {
        let from = self.fires.len() as u32;
        for same in transitions.chunk_by(|a, b| a.0 == b.0) {
            let led = self.led.get(&(component, same[0].0));
            self.fires.extend(led.into_iter().flatten());
        }
        let to = self.fires.len() as u32;
        if from < to {
            let ranges = self.fire_at.entry(component).or_default();
            let index = local.0 as usize;
            if ranges.len() <= index {
                ranges.resize(index + 1, (0, 0));
            }
            ranges[index] = (from, to);
        }
    }

    /// The classes of another node that a permutation maps the classes of this one to, if it does.
    fn image(
        &self,
        other: &Self,
        machine: &mut Machine,
        generator: &Generator,
    ) -> Option<Vec<u32>> {
        let mut map = vec![None; self.holders.len()];
        for (event, class) in &self.events {
            let image = machine.permute_event(*event, &generator.image);
            match (class, other.events.get(&image)?) {
                (None, None) => {}
                (Some(from), Some(to)) => {
                    if *map[*from as usize].get_or_insert(*to) != *to {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        // Classes without events hold nothing back and wait for nothing.
        let occurring = |classes: &[u32]| -> IndexSet<u32> {
            let images = classes.iter().filter_map(|c| map[*c as usize]);
            images.collect()
        };
        for (from, to) in map.iter().enumerate() {
            let Some(to) = to else { continue };
            let theirs: IndexSet<u32> = other.holders[*to as usize].classes().into_iter().collect();
            let ours = occurring(&self.holders[from].classes());
            let reached: IndexSet<u32> = map.iter().flatten().copied().collect();
            if theirs
                .iter()
                .any(|c| reached.contains(c) && !ours.contains(c))
                || ours.iter().any(|c| !theirs.contains(c))
            {
                return None;
            }
        }
        Some(map.into_iter().map(|to| to.unwrap_or(0)).collect())
    }
}

/// Where a permutation maps the nodes of a format and their classes.
#[derive(Debug, Default)]
pub struct NodeMap(Vec<(u16, Vec<u32>)>);

impl NodeMap {
    /// The image of the places where something waits.
    #[must_use]
    pub fn waits(&self, waits: &[Wait]) -> Box<[Wait]> {
        let mut images: Vec<Wait> = waits
            .iter()
            .map(|wait| {
                let (node, classes) = &self.0[wait.node as usize];
                Wait {
                    node: *node,
                    class: classes[wait.class as usize],
                }
            })
            .collect();
        images.sort_unstable();
        images.into()
    }
}

impl Priorities {
    /// Where a rule waits.
    #[must_use]
    pub fn waits_of(&self, rule: usize) -> &[Wait] {
        &self.waits[rule].places
    }

    /// Where a permutation maps the nodes, `alpha` being what it does to components.
    ///
    /// # Errors
    /// The components below a node that has no image.
    pub fn image(
        &self,
        machine: &mut Machine,
        generator: &Generator,
        alpha: &[u16],
    ) -> std::result::Result<NodeMap, Vec<u16>> {
        let mut map = NodeMap::default();
        for node in &self.nodes {
            let Some(entry) = self.image_of(node, machine, (generator, alpha), &map) else {
                return Err(node.components.clone());
            };
            map.0.push(entry);
        }
        Ok(map)
    }

    fn image_of(
        &self,
        node: &Node,
        machine: &mut Machine,
        (generator, alpha): (&Generator, &[u16]),
        below: &NodeMap,
    ) -> Option<(u16, Vec<u32>)> {
        let images = node.components.iter().map(|c| alpha[*c as usize]);
        let mut components: Vec<u16> = images.collect();
        components.sort_unstable();
        let there = self
            .nodes
            .iter()
            .position(|n| n.components == components && n.height == node.height)?;
        let other = &self.nodes[there];
        let classes = node.image(other, machine, generator)?;
        for watch in &node.watches {
            let parts = watch.parts.iter().map(|(component, event)| {
                let event = machine.permute_event(*event, &generator.image);
                (alpha[*component as usize], event)
            });
            let mut parts: Vec<(u16, EventId)> = parts.collect();
            parts.sort_unstable();
            let image = Watch {
                parts: parts.into(),
                class: classes[watch.class as usize],
                waits: below.waits(&watch.waits),
            };
            if !other.watches.contains(&image) {
                return None;
            }
        }
        Some((there as u16, classes))
    }
}
