//! Priorities among the rules of a network, where priority operators stand above components.
//!
//! `prioritise(P, …)` depends on what `P` can do in the very state, so it cannot be decided rule by rule:
//! where it stands above components, a rule of the network fires only if no rule below the operator
//! performs something there that has priority, even if the operators around block it. The rules
//! below the operator that can hold others back are kept here, each as a *watch*; whether one of them is
//! enabled is computed only for a rule that waits and could fire otherwise, once a state.

use super::events::EventId;
use super::ids::LocalId;
use super::locals::{LocalTransition, Locals};
use crate::source::hash::{IndexMap, IndexSet, Map};
use crate::source::stack::deep;

/// The waits of a rule, and whether it chases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleWaits {
    /// The waits.
    pub places: Box<[Wait]>,
    /// Whether it leads only to the first of its targets.
    pub chased: bool,
}

/// A wait of a rule at a node of the tree: while an event enabled there holds back the class of the
/// rule's event there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    node: u16,
    class: u32,
}

/// A way for the operand of a node to perform an event that holds others back: like a rule, but not
/// necessarily part of one, since the operators around the node may block it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PriorityWatch {
    parts: Box<[(u16, EventId)]>,
    class: u32,
    /// Its own waits, at nodes further below.
    waits: Box<[Wait]>,
}

/// The classes that hold one class of a node back.
#[derive(Clone, Debug)]
enum Holders {
    /// These classes.
    Listed(Vec<u32>),
    /// All classes before this one.
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

/// A priority operator in a tree.
#[derive(Clone, Debug, Default)]
pub struct PriorityNode {
    /// The components below it.
    components: Vec<u16>,
    /// Number of nodes below it with the same components.
    height: usize,
    /// The events performed there, with their classes if they hold anything back or are held back.
    events: IndexMap<EventId, Option<u32>>,
    /// For each class, those that hold it back. τ and ✓ are of class 0.
    holders: Vec<Holders>,
    watches: IndexSet<PriorityWatch>,
    /// The watches that a component leads with an event; each watch has one leader.
    led: Map<(u16, EventId), Vec<u32>>,
    /// For each component and local state, a range in `fires`: the watches that it leads.
    fire_at: Map<u16, Vec<(u32, u32)>>,
    fires: Vec<u32>,
    /// Start of the answers for its classes in [`HeldBack`].
    offset: usize,
    /// Whether it is `chase`.
    chases: bool,
}

/// The priorities of a format.
#[derive(Clone, Debug, Default)]
pub struct Priorities {
    /// Inner ones first.
    nodes: Vec<PriorityNode>,
    /// For each rule, its waits.
    waits: Vec<RuleWaits>,
    /// Number of classes of all nodes together.
    classes: usize,
}

/// Cached answers for one state: for each class of each node, whether it is held back.
#[derive(Debug, Default)]
pub struct HeldBack(Vec<Option<bool>>);

/// A state, as the input of priorities.
#[derive(Clone, Copy)]
struct PriorityView<'a> {
    locals: &'a Locals,
    state: &'a [LocalId],
}

impl Priorities {
    /// The priorities of a derivation: its nodes, and the waits of its rules.
    #[must_use]
    pub fn new(mut nodes: Vec<PriorityNode>, waits: Vec<RuleWaits>) -> Self {
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

    /// Whether any operator is `chase`.
    #[must_use]
    pub fn chase(&self) -> bool {
        self.nodes.iter().any(|node| node.chases)
    }

    /// Restricts each participant of a chased rule to its first target.
    pub fn limit(&self, rule: u32, choices: &mut [(u16, (u32, u32))]) {
        if self.waits[rule as usize].chased {
            for (_, range) in choices {
                range.1 = range.0 + 1;
            }
        }
    }

    /// Whether no rule ever waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Checks that rules wait at existing nodes, and that nodes wait for nodes further below.
    #[cfg(debug_assertions)]
    pub(super) fn assert_consistent(&self, rules: usize) {
        assert_eq!(self.waits.len(), rules);
        let has = |wait: &Wait| {
            let node = self.nodes.get(usize::from(wait.node));
            node.is_some_and(|n| (wait.class as usize) < n.holders.len())
        };
        assert!(self.waits.iter().all(|w| w.places.iter().all(has)));
        for (n, node) in self.nodes.iter().enumerate() {
            assert!(node.components.is_sorted());
            for watch in &node.watches {
                // Otherwise the recursion might not end.
                let is_below = |w: &Wait| usize::from(w.node) < n;
                assert!(watch.waits.iter().all(|w| has(w) && is_below(w)));
                assert!((watch.class as usize) < node.holders.len());
                let below = |p: &(u16, EventId)| node.components.binary_search(&p.0).is_ok();
                assert!(watch.parts.iter().all(below));
            }
            let led: usize = node.led.values().map(Vec::len).sum();
            assert!(led <= node.watches.len(), "each watch is led once at most");
        }
    }

    /// Prepares for states in which a component is in this expanded local state.
    pub fn build(&mut self, component: usize, local: LocalId, transitions: &[LocalTransition]) {
        for node in &mut self.nodes {
            node.build(component as u16, local, transitions);
        }
    }

    /// Clears the answers of another state. Returns whether some rule may have to wait.
    #[inline]
    pub fn begin(&self, held: &mut HeldBack) -> bool {
        let some_wait = !self.is_empty();
        if some_wait {
            held.0.clear();
            // One answer for each class of each node, since many rules have the same waits.
            held.0.resize(self.classes, None);
        }
        some_wait
    }

    /// Whether a rule that could fire otherwise has to wait. The local states must have been passed to
    /// [`Priorities::build`].
    pub fn hold_back(
        &self,
        rule: u32,
        locals: &Locals,
        state: &[LocalId],
        held: &mut HeldBack,
    ) -> bool {
        let view = PriorityView { locals, state };
        self.waits[rule as usize]
            .places
            .iter()
            .any(|wait| self.is_held(*wait, view, held))
    }

    fn is_held(&self, wait: Wait, view: PriorityView<'_>, held: &mut HeldBack) -> bool {
        let node = &self.nodes[wait.node as usize];
        let slot = node.offset + wait.class as usize;
        if let Some(known) = held.0[slot] {
            return known;
        }
        let found = deep(|| self.is_outranked(node, wait.class, view, held));
        held.0[slot] = Some(found);
        found
    }

    /// Whether an enabled event below a node holds a class back.
    fn is_outranked(
        &self,
        node: &PriorityNode,
        class: u32,
        view: PriorityView<'_>,
        held: &mut HeldBack,
    ) -> bool {
        let holders = &node.holders[class as usize];
        let leads = node.fire_at.iter().flat_map(|(component, ranges)| {
            let range = ranges.get(view.state[*component as usize].0 as usize);
            let (from, to) = range.copied().unwrap_or_default();
            &node.fires[from as usize..to as usize]
        });
        // Only watches that some component leads in its local state: few of all.
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
fn can(view: PriorityView<'_>, (component, event): (u16, EventId)) -> bool {
    let (from, to) = view.locals.range_on(view.state[component as usize], event);
    from < to
}

impl PriorityNode {
    /// `prioritise`: one class a level, and events with their classes, if any.
    pub(super) fn with_levels(events: IndexMap<EventId, Option<u32>>, levels: u32) -> Self {
        Self {
            events,
            holders: (0..levels).map(Holders::Before).collect(),
            ..Self::default()
        }
    }

    /// `prioritisepo`: for each class, the classes above it.
    pub(super) fn with_order(events: IndexMap<EventId, Option<u32>>, above: Vec<Vec<u32>>) -> Self {
        Self {
            events,
            holders: above.into_iter().map(Holders::Listed).collect(),
            ..Self::default()
        }
    }

    /// `chase`: one class for every way to do a τ, in their order, and the last for everything else.
    pub(super) fn chasing(events: impl IntoIterator<Item = EventId>, taus: u32) -> Self {
        let events = events.into_iter();
        Self {
            events: events.map(|event| (event, Some(taus))).collect(),
            holders: (0..=taus).map(Holders::Before).collect(),
            chases: true,
            ..Self::default()
        }
    }

    /// Sets the components below it (ascending), and its height among the nodes made before.
    pub(super) fn place(&mut self, components: Vec<u16>, before: &[Self]) {
        // Nodes with the same components stand below it, without others in between.
        self.height = before.iter().filter(|n| n.components == components).count();
        self.components = components;
    }

    /// Whether it is `chase`.
    pub(super) fn chases(&self) -> bool {
        self.chases
    }

    /// The class of an event performed there, if it holds anything back or is held back.
    pub(super) fn class_of(&self, event: EventId) -> Option<u32> {
        self.events.get(&event).copied().flatten()
    }

    /// Whether a class holds another one back.
    pub(super) fn is_above_some(&self, class: u32) -> bool {
        self.holders.iter().any(|h| h.contains(class))
    }

    /// The wait of an event of a class performed there; `None` if nothing holds it back.
    pub(super) fn wait(&self, number: u16, class: u32) -> Option<Wait> {
        let node = number;
        let is_free = self.holders[class as usize].is_empty();
        (!is_free).then_some(Wait { node, class })
    }

    /// Adds a watch for an event of a class: its participants in ascending order, its own waits
    /// below, and its leader.
    pub(super) fn watch(
        &mut self,
        parts: Box<[(u16, EventId)]>,
        class: u32,
        waits: Box<[Wait]>,
        leader: (u16, EventId),
    ) {
        let (number, new) = self.watches.insert_full(PriorityWatch {
            parts,
            class,
            waits,
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

    /// The image of each class under a permutation that takes this node to another, if it does.
    fn image(&self, other: &Self, permute: &mut dyn FnMut(EventId) -> EventId) -> Option<Vec<u32>> {
        let mut map = vec![None; self.holders.len()];
        for (event, class) in &self.events {
            let image = permute(*event);
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
            // A class of the other node that has no event mapped to it may hold others back: it has no preimage.
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

/// The images of the nodes of a format, and of their classes, under a permutation.
#[derive(Clone, Debug, Default)]
pub struct NodeMap(Vec<(u16, Vec<u32>)>);

impl NodeMap {
    /// The images of waits.
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
    /// The waits of a rule.
    #[must_use]
    pub fn waits_of(&self, rule: usize) -> &[Wait] {
        &self.waits[rule].places
    }

    /// All watches: the node, the participants, the class, and their own
    /// waits.
    pub fn watches(&self) -> impl Iterator<Item = (usize, &[(u16, EventId)], u32, &[Wait])> {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(|(number, node)| {
            let watches = node.watches.iter();
            watches.map(move |w| (number, &*w.parts, w.class, &*w.waits))
        })
    }

    /// The images of the nodes under a permutation: `permute` acts on events, `alpha` on
    /// components.
    ///
    /// # Errors
    /// The components below a node that has no image.
    pub fn image(
        &self,
        permute: &mut dyn FnMut(EventId) -> EventId,
        alpha: &[u16],
    ) -> Result<NodeMap, Vec<u16>> {
        let mut map = NodeMap::default();
        for node in &self.nodes {
            let Some(entry) = self.image_of(node, permute, alpha, &map) else {
                return Err(node.components.clone());
            };
            map.0.push(entry);
        }
        Ok(map)
    }

    fn image_of(
        &self,
        node: &PriorityNode,
        permute: &mut dyn FnMut(EventId) -> EventId,
        alpha: &[u16],
        below: &NodeMap,
    ) -> Option<(u16, Vec<u32>)> {
        let images = node.components.iter().map(|c| alpha[*c as usize]);
        let mut components: Vec<u16> = images.collect();
        components.sort_unstable();
        // Nodes with the same components are nested, and permutations keep that order.
        let there = self
            .nodes
            .iter()
            .position(|n| n.components == components && n.height == node.height)?;
        let other = &self.nodes[there];
        let classes = node.image(other, permute)?;
        for watch in &node.watches {
            let parts = watch.parts.iter();
            let mut parts: Vec<(u16, EventId)> = parts
                .map(|(component, event)| (alpha[*component as usize], permute(*event)))
                .collect();
            parts.sort_unstable();
            let image = PriorityWatch {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::testing::{COMPONENTS, LOCALS, all_can, locals, parts, state};
    use proptest::prelude::*;

    const CLASSES: u32 = 3;

    /// The order of classes at a node, and its watches with the node and class at which each waits.
    type PlannedNode = (Option<Vec<Vec<u32>>>, Vec<PlannedWatch>);
    type PlannedWatch = (Vec<(u16, EventId)>, u32, Option<(u16, u32)>);

    fn plans() -> impl Strategy<Value = Vec<PlannedNode>> {
        let above = proptest::collection::vec(0..CLASSES, 0..3);
        let order = proptest::collection::vec(above, CLASSES as usize);
        let wait = proptest::option::of((0u16..2, 0..CLASSES));
        let watches = proptest::collection::vec((parts(), 0..CLASSES, wait), 0..4);
        proptest::collection::vec((proptest::option::of(order), watches), 1..4)
    }

    /// Waits name nodes further below only.
    fn waits_of(node: usize, wait: Option<(u16, u32)>) -> Box<[Wait]> {
        let below = wait.filter(|(n, _)| usize::from(*n) < node);
        let waits = below.map(|(node, class)| Wait { node, class });
        waits.into_iter().collect()
    }

    fn node(number: usize, (order, watches): &PlannedNode) -> PriorityNode {
        let events = IndexMap::default();
        let mut node = match order {
            Some(above) => PriorityNode::with_order(events, above.clone()),
            None => PriorityNode::with_levels(events, CLASSES),
        };
        let all = watches.iter().flat_map(|w| &w.0).map(|part| part.0);
        let below: std::collections::BTreeSet<u16> = all.collect();
        node.place(below.into_iter().collect(), &[]);
        for (parts, class, wait) in watches {
            let leader = parts[parts.len() / 2];
            let parts = parts.clone().into();
            node.watch(parts, *class, waits_of(number, *wait), leader);
        }
        node
    }

    /// By definition: an event that holds the class back is enabled below the node.
    fn is_held(plans: &[PlannedNode], wait: Wait, locals: &Locals, state: &[LocalId]) -> bool {
        let number = usize::from(wait.node);
        let (order, watches) = &plans[number];
        let holds = |class: u32| match order {
            Some(above) => above[wait.class as usize].contains(&class),
            None => class < wait.class,
        };
        watches.iter().any(|(parts, class, below)| {
            let waits = waits_of(number, *below);
            holds(*class)
                && all_can(locals, state, parts)
                && !waits.iter().any(|w| is_held(plans, *w, locals, state))
        })
    }

    proptest! {
        #[test]
        fn rules_are_held_back_by_what_can_happen(
            (plans, locals, state) in (plans(), locals(), state())
        ) {
            let nodes: Vec<PriorityNode> = plans.iter().enumerate().map(|(n, p)| node(n, p)).collect();
            // One rule for each class of each node.
            let places = (0..plans.len() as u16).flat_map(|n| (0..CLASSES).map(move |c| (n, c)));
            let places: Vec<Wait> = places.map(|(node, class)| Wait { node, class }).collect();
            let waits = places.iter().map(|wait| RuleWaits {
                places: [*wait].into(),
                chased: false,
            });
            let mut priorities = Priorities::new(nodes, waits.collect());
            priorities.assert_consistent(places.len());
            for component in 0..usize::from(COMPONENTS) {
                for local in (0..LOCALS).map(LocalId) {
                    let transitions = locals.transitions(local).unwrap_or(&[]);
                    priorities.build(component, local, transitions);
                }
            }
            let mut held = HeldBack::default();
            priorities.begin(&mut held);
            for (rule, wait) in (0..).zip(&places) {
                let expected = is_held(&plans, *wait, &locals, &state);
                prop_assert_eq!(priorities.hold_back(rule, &locals, &state, &mut held), expected);
                // The second answer comes from the cache.
                prop_assert_eq!(priorities.hold_back(rule, &locals, &state, &mut held), expected);
            }
        }
    }
}
