//! Leaves factored by strong bisimulation (Sec. 7.4).
//!
//! Two local states of a component are merged if they are strongly bisimilar, where events that take
//! part in the same rules have one label: the network behaves alike under each of them,
//! and an event without a rule never happens. A search keeps one state of each class.
//!
//! # The choice of representatives
//!
//! Merging must commute with permutations: the representative of `π(s)` must be `π` of that of `s`.
//! Members are distinguished by signatures that are invariant under permutations: the shape, and the equalities
//! among values of the label and of the variables. The representative is the member with the least signature that no
//! other member of the class has, so the choice is unique. A class without such a signature is not merged.
//! (Without symmetric types the first member discovered is taken.)
//!
//! Representatives are states of the component like any other: a counterexample is
//! unwound to the states that actually occur ([`crate::search::counterexample`]).

use super::behaviour::Behaviour;
use super::events::EventId;
use super::ids::LocalId;
use super::images::ComponentImages;
use super::reach::Reach;
use super::shared::Machine;
use crate::eval::Evaluator;
use crate::lts::{Builder, Partition, State, bisimulation};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Map};

/// Transitions of the largest component that is merged.
const TRANSITIONS_MAX: usize = 2_000_000;

/// The observation of visible events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visible {
    /// By name.
    #[default]
    Named,
    /// Not at all: events are only τ, ✓ or visible.
    Alike,
}

/// The bound that ended the comparison of local states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergingBound {
    /// A component has more than this many local states, which were not all explored before the search; no component
    /// was compared.
    LocalStates(usize),
    /// A component has more than this many transitions, and was not merged.
    Transitions(usize),
}

/// The representative of each local state of each component under strong bisimulation.
#[derive(Clone, Debug, Default)]
pub struct MergedStates {
    /// By component and local state; empty for a component without merged states.
    of: Vec<Vec<LocalId>>,
    /// The least local state of each one's bisimulation class, whether the class is merged or not. (Permutations do not
    /// preserve this choice.)
    class: Vec<Vec<LocalId>>,
    /// The labels by which events were compared, by component; empty if nothing was compared.
    labels: Vec<EventLabels>,
    /// Reduction lost because merging must commute with permutations: the factor in combinations of local states, as
    /// a logarithm to base 2.
    pub kept_apart: f64,
    /// Number of local states that have another representative.
    pub count: usize,
    /// The observation of visible events.
    pub visible: Visible,
    /// The bound that prevented further merging, if there was one.
    pub bound: Option<MergingBound>,
}

impl MergedStates {
    /// Whether no local states are merged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Replaces every local state by its representative.
    pub fn apply(&self, state: &mut [LocalId]) {
        if self.is_empty() {
            return;
        }
        replace(state, &self.of);
    }

    /// Replaces every local state by the least of its bisimulation class.
    pub fn classify(&self, state: &mut [LocalId]) {
        replace(state, &self.class);
    }

    /// The representative of a local state of a component.
    #[must_use]
    pub fn stands_for(&self, component: usize, local: LocalId) -> LocalId {
        let of = self.of.get(component);
        let found = of.and_then(|of| of.get(local.0 as usize));
        found.copied().unwrap_or(local)
    }

    /// The label of an event: equal for events that the comparison did not distinguish. `None` if the component was not
    /// compared.
    #[must_use]
    pub fn label(&self, component: usize, event: EventId) -> Option<u32> {
        self.labels.get(component)?.get(&event).copied()
    }

    /// Whether two events of the network are observed as the same.
    #[must_use]
    pub fn is_same(&self, a: EventId, b: EventId) -> bool {
        let visible = |e| e != EventId::TAU && e != EventId::TICK;
        a == b || self.visible == Visible::Alike && visible(a) && visible(b)
    }
}

/// Number of local states that a table does not map to themselves.
fn moved(of: &[LocalId]) -> usize {
    let moved = |(local, to): &(usize, &LocalId)| to.0 as usize != *local;
    of.iter().enumerate().filter(moved).count()
}

fn replace(state: &mut [LocalId], by: &[Vec<LocalId>]) {
    for (local, by) in state.iter_mut().zip(by) {
        if let Some(other) = by.get(local.0 as usize) {
            *local = *other;
        }
    }
}

/// Labels of a component's transitions: equal for events that take part in the same rules.
type EventLabels = Map<EventId, u32>;

/// A rule without one of its participants: the event of the network, and the others.
type RestOfRule = (EventId, Vec<(u16, EventId)>);

impl MergedStates {
    /// Computes the bisimulation classes of a format, and their representatives.
    ///
    /// # Errors
    /// A limit.
    pub fn new(
        machine: &mut Machine,
        behaviour: &Behaviour,
        images: &ComponentImages,
        visible: Visible,
    ) -> Result<Self> {
        let mut merged = Self {
            visible,
            ..Self::default()
        };
        // A component that shows an event later makes further rules; where operators end,
        // components go on under other rules; and the order of an event's targets may differ between
        // bisimilar states.
        let is_known = |l: &LocalId| machine.locals.transitions(*l).is_some();
        // To the algorithm below, a state that was not expanded looks like one without transitions.
        let known = behaviour.is_closed(&machine.locals)
            && behaviour
                .reach()
                .iter()
                .all(|r| r.locals.iter().all(is_known));
        if !known || behaviour.rules().priorities().chase() {
            let mut cut = behaviour.reach().iter().filter_map(Reach::cut_at);
            let bound = cut.next().map(MergingBound::LocalStates);
            return Ok(Self {
                bound,
                ..Self::default()
            });
        }
        let labels = labels(&machine.eval, behaviour, visible);
        let labels = machine.during("comparing the events of components", None, labels)?;
        for (component, labels) in labels.iter().enumerate() {
            let factoring = Factoring {
                machine,
                behaviour,
                images,
                component,
            };
            let is_too_large = factoring.transitions() > TRANSITIONS_MAX;
            if is_too_large {
                merged.bound = Some(MergingBound::Transitions(TRANSITIONS_MAX));
            }
            let factored = match is_too_large {
                true => Ok(Factored::default()),
                false => factoring.factor(labels),
            };
            let initial = behaviour.composition().components()[component].initial;
            let work = "merging bisimilar states of";
            merged.add(machine.during_component(work, initial, factored)?);
        }
        merged.labels = labels;
        Ok(merged)
    }

    /// The same with every class merged, although permutations of values may not preserve the choice of
    /// representatives: for a structural group, which permutes the classes.
    #[must_use]
    pub fn wholly(&self) -> Self {
        let mut wholly = Self {
            of: self.class.clone(),
            kept_apart: 0.0,
            count: 0,
            ..self.clone()
        };
        wholly.count = wholly.of.iter().map(|of| moved(of)).sum();
        wholly
    }

    /// Adds the next component.
    fn add(&mut self, component: Factored) {
        self.count += moved(&component.of);
        self.kept_apart += component.kept_apart;
        self.of.push(component.of);
        self.class.push(component.class);
    }
}

/// The local states of a component after merging; empty tables if nothing is merged.
#[derive(Default)]
struct Factored {
    /// See [`MergedStates`].
    of: Vec<LocalId>,
    class: Vec<LocalId>,
    /// See [`MergedStates::kept_apart`].
    kept_apart: f64,
}

/// A component to be merged.
struct Factoring<'a> {
    machine: &'a Machine,
    behaviour: &'a Behaviour,
    images: &'a ComponentImages,
    component: usize,
}

impl Factoring<'_> {
    fn transitions(&self) -> usize {
        let locals = &self.machine.locals;
        let all = self.behaviour.reach()[self.component].locals.iter();
        all.map(|l| locals.transitions(*l).map_or(0, <[_]>::len))
            .sum()
    }

    fn factor(&self, labels: &EventLabels) -> Result<Factored> {
        let Machine { eval, locals, .. } = self.machine;
        let reach = &self.behaviour.reach()[self.component];
        let number: Map<LocalId, State> = (0..).zip(&reach.locals).map(|(n, l)| (*l, n)).collect();
        let mut system = Builder::default();
        for local in &reach.locals {
            eval.check_step()?;
            let transitions = locals.transitions(*local).unwrap_or(&[]);
            let step = |(event, to): &(EventId, LocalId)| {
                // An event without a rule never happens, so it does not distinguish states.
                let label = labels.get(event)?;
                Some((*label, number[to]))
            };
            system.push(transitions.iter().filter_map(step));
        }
        let coarse = Partition::coarse(reach.locals.len());
        let poll = |_| eval.check_time();
        let classes = bisimulation(&system.finish(), &coarse, &poll)?;
        // Nothing is merged, which empty tables express without a look-up for each state.
        if classes.count == reach.locals.len() {
            return Ok(Factored::default());
        }
        // Indexed by local state, which all components share: those of other components map to themselves.
        let last = reach.locals.iter().map(|l| l.0).max().unwrap_or(0);
        let mut of: Vec<LocalId> = (0..=last).map(LocalId).collect();
        let mut class = of.clone();
        let mut left = 0;
        for members in classes.members() {
            let members: Vec<LocalId> = members.iter().map(|m| reach.locals[*m as usize]).collect();
            // No member may be chosen by its number: permutations do not keep numbers.
            let one = self.one_of(&members);
            let least = members.iter().min().copied();
            left += one.map_or(members.len(), |_| 1);
            for member in members {
                let at = member.0 as usize;
                of[at] = one.unwrap_or(member);
                class[at] = least.unwrap_or(member);
            }
        }
        Ok(Factored {
            of,
            class,
            kept_apart: (left as f64 / classes.count as f64).log2(),
        })
    }

    /// The representative of a class, if some signature has a single member.
    fn one_of(&self, members: &[LocalId]) -> Option<LocalId> {
        let locals = &self.machine.locals;
        if members.len() == 1 || self.machine.atoms.is_empty() {
            return members.first().copied();
        }
        // The label of a component that never moves, or one whose order means nothing, does not help to
        // distinguish values.
        let initial = self.behaviour.composition().components()[self.component].initial;
        let stays = self.images.label(self.component).is_empty();
        let label = if stays || locals.is_grouped(initial) {
            &[]
        } else {
            locals.atoms_of(initial)
        };
        let mut looks: Vec<_> = members
            .iter()
            .map(|member| {
                let atoms = locals.atoms_of(*member);
                let mut met: IndexSet<_> = label.iter().collect();
                let pattern: Vec<usize> = atoms.iter().map(|a| met.insert_full(a).0).collect();
                // The order of the members of a set means nothing.
                let pattern = if locals.is_grouped(*member) {
                    Vec::new()
                } else {
                    pattern
                };
                let rank = locals.rank(locals.shape_of(*member));
                ((met.len(), rank, pattern), *member)
            })
            .collect();
        looks.sort_unstable();
        // The first signature with a single member: every permutation finds it at the image of that member.
        let mut alone = looks.chunk_by(|a, b| a.0 == b.0).filter(|l| l.len() == 1);
        alone.next().map(|look| look[0].1)
    }
}

/// The labels of every component's events. With priorities, events that a component could perform
/// matter too: then every event has its own label.
fn labels(eval: &Evaluator, behaviour: &Behaviour, visible: Visible) -> Result<Vec<EventLabels>> {
    let (rules, all) = (behaviour.rules(), behaviour.seen().all());
    if !rules.priorities().is_empty() {
        let events = all.iter();
        return Ok(events
            .map(|seen| (0..).zip(seen.keys()).map(|(n, e)| (*e, n)).collect())
            .collect());
    }
    let mut seen: Vec<IndexMap<EventId, Vec<RestOfRule>>> = vec![IndexMap::default(); all.len()];
    // Any number but those of τ and ✓ will do: it is compared with nothing else.
    let anything = EventId::TICK.0 + 1;
    for rule in rules.list() {
        let result = match (visible, rule.result) {
            (Visible::Named, result) | (_, result @ (EventId::TAU | EventId::TICK)) => result,
            (Visible::Alike, _) => EventId(anything),
        };
        for (component, event) in &rule.parts {
            eval.check_step()?;
            // The component's own event is what is compared, so it is left out.
            let others = rule.parts.iter().filter(|part| part.0 != *component);
            let entry = seen[*component as usize].entry(*event).or_default();
            entry.push((result, others.copied().collect()));
        }
    }
    let number = |events: IndexMap<EventId, Vec<RestOfRule>>| {
        let mut kinds: IndexSet<Vec<RestOfRule>> = IndexSet::default();
        let mut labels = EventLabels::default();
        for (event, mut seen) in events {
            eval.check_step()?;
            seen.sort_unstable();
            seen.dedup();
            labels.insert(event, kinds.insert_full(seen).0 as u32);
        }
        Ok(labels)
    };
    seen.into_iter().map(number).collect()
}
