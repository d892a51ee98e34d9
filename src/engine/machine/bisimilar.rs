//! Leaves factored by strong bisimulation (Sec. 7.4).
//!
//! Two local states of a component are merged if they are strongly bisimilar, where events that take
//! part in the same rules count as one: what the network does does not depend on which of them happens,
//! and an event without a rule never happens. A search keeps one of them for all.
//!
//! # Which one
//!
//! Merging must agree with permutations: what stands for `π(s)` has to be `π` of what stands for `s`.
//! Members are told apart by looks that no permutation changes: the shape, and which values of the
//! label and of the variables are equal. Of the looks that a single member of the class has, the least
//! is taken, so it is the only choice that there was. A class without such a look stays as it is.
//! (Without symmetric types the first member that was met will do.)
//!
//! The states that stand for others are states of the component like any other: a counterexample is
//! unwound to the ones that were really met ([`crate::search::counterexample`]).

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

/// Transitions of the largest component that is factored.
const TRANSITIONS_MAX: usize = 2_000_000;

/// How visible events are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visible {
    /// By name.
    #[default]
    Named,
    /// Not at all: only whether something is τ, ✓ or another event matters.
    Alike,
}

/// Why local states were compared no further: a bound was in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergingBound {
    /// A component was not explored to the end before the search. It has more local states than so many, and no
    /// component was looked at.
    LocalStates(usize),
    /// A component has more transitions than so many, and was left as it is.
    Transitions(usize),
}

/// What stands for each local state of each component.
#[derive(Clone, Debug, Default)]
pub struct MergedStates {
    /// By component and local state; nothing for a component all of whose states stay.
    of: Vec<Vec<LocalId>>,
    /// The least local state of each one's class, likewise: the same for all bisimilar ones, whether
    /// they are merged or not. (Which that is means nothing to permutations.)
    class: Vec<Vec<LocalId>>,
    /// The labels by which they were compared, by component; nothing if nothing was compared.
    labels: Vec<EventLabels>,
    /// How many times fewer combinations of local states there were if merging did not have to agree with permutations, as
    /// a logarithm to base 2.
    pub kept_apart: f64,
    /// Local states that another one stands for.
    pub count: usize,
    /// How visible events are told apart.
    pub visible: Visible,
    /// The bound that kept more from being merged, if there was one.
    pub bound: Option<MergingBound>,
}

impl MergedStates {
    /// Whether every local state stays as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Replaces every local state by what stands for it.
    pub fn apply(&self, state: &mut [LocalId]) {
        if self.is_empty() {
            return;
        }
        replace(state, &self.of);
    }

    /// Replaces every local state by one that is the same for all that are bisimilar to it.
    pub fn classify(&self, state: &mut [LocalId]) {
        replace(state, &self.class);
    }

    /// What stands for a local state of a component.
    #[must_use]
    pub fn stands_for(&self, component: usize, local: LocalId) -> LocalId {
        let of = self.of.get(component);
        let found = of.and_then(|of| of.get(local.0 as usize));
        found.copied().unwrap_or(local)
    }

    /// The same for all events of a component between which comparing its local states made no difference;
    /// none if they were not compared.
    #[must_use]
    pub fn label(&self, component: usize, event: EventId) -> Option<u32> {
        self.labels.get(component)?.get(&event).copied()
    }

    /// Whether two events of the network count as one.
    #[must_use]
    pub fn is_same(&self, a: EventId, b: EventId) -> bool {
        let visible = |e| e != EventId::TAU && e != EventId::TICK;
        a == b || self.visible == Visible::Alike && visible(a) && visible(b)
    }
}

fn replace(state: &mut [LocalId], by: &[Vec<LocalId>]) {
    for (local, by) in state.iter_mut().zip(by) {
        if let Some(other) = by.get(local.0 as usize) {
            *local = *other;
        }
    }
}

/// Labels of a component's transitions: events that take part in the same rules have the same.
type EventLabels = Map<EventId, u32>;

/// The rest of a rule, as one of its participants sees it: what the network does, and the others.
type RestOfRule = (EventId, Vec<(u16, EventId)>);

impl MergedStates {
    /// Finds out which local states of a format can be merged.
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
        // A component that shows an event later makes rules that are not known yet; where operators end,
        // components go on under other rules; and which target of an event comes first may differ between
        // bisimilar states.
        let is_known = |l: &LocalId| machine.locals.transitions(*l).is_some();
        // A state without transitions and one that was not expanded look alike to the algorithm below.
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

    /// Adds the next component.
    fn add(&mut self, component: Factored) {
        let moved = |(local, to): &(usize, &LocalId)| to.0 as usize != *local;
        self.count += component.of.iter().enumerate().filter(moved).count();
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

/// A component whose bisimilar local states are looked for.
struct Factoring<'a> {
    machine: &'a Machine,
    behaviour: &'a Behaviour,
    images: &'a ComponentImages,
    component: usize,
}

impl Factoring<'_> {
    /// How many transitions the component has.
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
                // An event without a rule never happens, so it does not tell states apart.
                let label = labels.get(event)?;
                Some((*label, number[to]))
            };
            system.push(transitions.iter().filter_map(step));
        }
        let coarse = Partition::coarse(reach.locals.len());
        let poll = |_| eval.check_time();
        let classes = bisimulation(&system.finish(), &coarse, &poll)?;
        // Nothing is merged, and empty tables say so without a look-up for each state.
        if classes.count == reach.locals.len() {
            return Ok(Factored::default());
        }
        // Indexed by local state, which all components share: what belongs to others stays what it is.
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

    /// The member that stands for a class, if some look has a single member.
    fn one_of(&self, members: &[LocalId]) -> Option<LocalId> {
        let locals = &self.machine.locals;
        if members.len() == 1 || self.machine.atoms.is_empty() {
            return members.first().copied();
        }
        // The label of a component that stays where it is, or one whose order means nothing, is no help
        // to tell values apart.
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
        // The first of the looks that a single member has: every permutation finds it at the image of that member.
        let mut alone = looks.chunk_by(|a, b| a.0 == b.0).filter(|l| l.len() == 1);
        alone.next().map(|look| look[0].1)
    }
}

/// The labels of every component's events. Where events wait for others, what a component could do
/// matters too: then every event is told apart.
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
            // What the component itself does is what is compared, so it is left out.
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
