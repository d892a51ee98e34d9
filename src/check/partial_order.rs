//! Partial order reduction: of the steps of a state some are left out that can be taken later as well.
//!
//! Which steps are kept is a stubborn set (Valmari), found on rules and components. Let *able* rules of a component
//! in its local state be those that it takes part in with an event that it can perform now. A set `S` of rules is
//! *closed* in a state if, for each of them,
//! - where the rule is enabled, for every participant and its event `e` either all its able rules are in `S`, or all
//!   those in which it performs an event that disturbs `e` ([`commuting`]);
//! - where it is not, some participant cannot perform its event `e` now, and either all able rules of that one are in
//!   `S`, or there is another event of it that every way to a local state that offers `e` goes through
//!   ([`needs`]), and all rules in which it performs that are in `S`.
//!
//! Let `T` be the enabled rules of `S`. What happens without `S` enables no other rule of `S`: the participant that
//! holds it back would have to move, and would begin with an able rule or come through that event. So whatever happens
//! without `T` is without `S`. It takes no participant of a rule of `T` anywhere, or only by events that do not
//! disturb its own. So what is in `T` stays enabled and commutes with it (D1 and D2 of the theory).
//!
//! The second way of the latter matters where components take turns by a lock. While one holds it, what it does under
//! the lock is held back in the others by their taking the lock, which waits for its release; so nothing else that
//! they do has to be considered. That of the former matters where many use one component for different things, such
//! as both ends of a queue.
//!
//! `T` replaces all steps if none of them is seen: all are silent, or nothing that is asked depends on what is
//! seen. Let a run of the whole system lead from a state to where something is wrong.
//! - If the run has a step of `T`, the first one can be taken first, and nothing is seen otherwise; what is left
//!   of the run is shorter.
//! - If it has none, a step of `T` is possible where it ends. So it does not end in a state that is stable or
//!   deadlocked: those are always found. A divergence goes on after the step, and is found, or another one
//!   before: enough where divergence is held to be chaos. To find all *traces*, one thing more is asked for:
//!   some step of `T` leads to a state that is not stored yet. It is expanded after this one, in a later round, and
//!   the same run is possible there; so the run is not put off for ever (Bošnački and Holzmann's proviso for
//!   breadth-first search). What is stored does not change while a round is expanded, so this does not depend on
//!   threads.
//!
//! # With symmetry
//!
//! What is expanded are representatives, and the sets are chosen for them. A permutation takes closed sets of a
//! representative to closed sets of every state of its orbit. So the search is the quotient of one that is
//! reduced by partial order alone, with the images of these sets; the proviso speaks of the states of the
//! quotient, and the argument above is one about the order in which these are expanded (Emerson, Jha and Peled, 1997).

mod closing;
mod commuting;
mod label_steps;
mod needs;
mod ways;

use crate::machine::{EventId, FormatId, LocalId, Locals, Network};
use crate::source::hash::IndexMap;
use closing::Closing;
use ways::{ComponentWays, TableRoom};

/// What is known of a network that steps may be left out of.
#[derive(Clone, Debug)]
pub struct PartialOrder {
    components: Vec<ComponentWays>,
    /// For each component the number of its first label among all.
    firsts: Vec<u32>,
    /// The participants of each rule: component and label.
    parts: Vec<Box<[(u16, u32)]>>,
    /// Whether a rule is seen.
    seen: Vec<bool>,
    /// The rules of each label, by its number among all.
    rules_of: Vec<Box<[u32]>>,
    /// Whether a step has to lead to a state that is not stored.
    proviso: bool,
}

/// Why nothing is left out, for people.
const OPEN: &str = "some component was not explored to the end, or the network takes other forms";
/// The same.
const LARGE: &str = "the local states of its components and their events are too many";
/// The same.
const PRIORITIES: &str = "some steps are taken before others (priority, or `chase`)";

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct PartialOrderScratch {
    /// The steps of each rule, by rule; none of those that are not enabled.
    steps: Vec<u32>,
    enabled: Vec<u32>,
    /// The place of each component.
    places: Vec<u32>,
    /// For each component how many rules with steps it takes part in, and how many of them are seen.
    moving: Vec<(u32, u32)>,
    closing: Closing,
    /// Enabled rules of the best set.
    best: Vec<u32>,
}

/// What the search of a check has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchAim {
    /// Whether it looks at what is seen: at events of a specification, or at divergence.
    pub seen: bool,
    /// Whether it looks at traces, and does not hold divergence to be chaos.
    pub traces: bool,
}

impl PartialOrder {
    /// What may be left out of a network.
    ///
    /// # Errors
    /// Why nothing may.
    pub fn new(
        network: &Network,
        locals: &Locals,
        sought: SearchAim,
    ) -> Result<Self, &'static str> {
        let format = network.first();
        let rules = format.rules();
        if !rules.priorities().is_empty() {
            return Err(PRIORITIES);
        }
        if network.formats().len() != 1
            || rules.end_operators()
            || !format.reach().iter().all(|reach| reach.complete)
        {
            return Err(OPEN);
        }
        let count = format.components().len();
        // Each event of a component that takes part in rules is a label of it, with those rules.
        let mut labels: Vec<IndexMap<EventId, Vec<u32>>> = vec![IndexMap::default(); count];
        let mut parts = Vec::with_capacity(rules.list().len());
        for (number, rule) in rules.list().iter().enumerate() {
            let mut own = Vec::with_capacity(rule.parts.len());
            for (component, event) in &rule.parts {
                let entry = labels[usize::from(*component)].entry(*event);
                own.push((*component, entry.index() as u32));
                entry.or_default().push(number as u32);
            }
            parts.push(own.into_boxed_slice());
        }
        let mut room = TableRoom::default();
        let (mut components, mut firsts) = (Vec::with_capacity(count), Vec::new());
        let mut rules_of: Vec<Box<[u32]>> = Vec::new();
        for (component, of) in labels.into_iter().enumerate() {
            let subject = (format, component);
            components.push(ComponentWays::new(subject, locals, &of, &mut room)?);
            firsts.push(rules_of.len() as u32);
            rules_of.extend(of.into_values().map(Vec::into_boxed_slice));
        }
        let is_seen = |result: EventId| sought.seen && result != EventId::TAU;
        Ok(Self {
            components,
            firsts,
            parts,
            seen: rules.list().iter().map(|r| is_seen(r.result)).collect(),
            rules_of,
            proviso: sought.traces,
        })
    }

    /// Whether a step that is kept has to lead to a state that is not stored.
    #[must_use]
    pub fn has_proviso(&self) -> bool {
        self.proviso
    }

    /// Finds rules whose steps are enough in a state, given the rule of each of its steps:
    /// [`PartialOrderScratch::keeps`] tells which. False if all steps are needed, or no fewer are known to do.
    pub(super) fn choose(
        &self,
        (format, state): (FormatId, &[LocalId]),
        steps: impl ExactSizeIterator<Item = u32>,
        scratch: &mut PartialOrderScratch,
    ) -> bool {
        // A form that came later would not have been known.
        let count = steps.len();
        if format != FormatId(0) || count < 2 || !self.begin(state, steps, scratch) {
            return false;
        }
        let mut least = count as u32;
        // Most often one rule is enough. If not, any of them may come along.
        for alone in [true, false] {
            for at in 0..scratch.enabled.len() {
                let seed = scratch.enabled[at];
                if self.seen[seed as usize] || alone && scratch.steps[seed as usize] >= least {
                    continue;
                }
                if let Some(count) = self.close(seed, alone, scratch)
                    && count < least
                {
                    least = count;
                    scratch.best.clear();
                    scratch.best.extend(&scratch.closing.kept);
                }
                if least == 1 {
                    return true;
                }
            }
            if (least as usize) < count {
                return true;
            }
        }
        false
    }

    /// Notes what can happen in a state, given the rules of its steps; false if a local state is not known.
    fn begin(
        &self,
        state: &[LocalId],
        steps: impl Iterator<Item = u32>,
        scratch: &mut PartialOrderScratch,
    ) -> bool {
        for rule in scratch.enabled.drain(..) {
            scratch.steps[rule as usize] = 0;
        }
        scratch.steps.resize(self.parts.len(), 0);
        scratch.places.clear();
        for (ways, local) in self.components.iter().zip(state) {
            let Some(place) = ways.place(*local) else {
                return false;
            };
            scratch.places.push(place);
        }
        scratch.moving.clear();
        scratch.moving.resize(self.components.len(), (0, 0));
        for rule in steps {
            let of = &mut scratch.steps[rule as usize];
            *of += 1;
            if *of > 1 {
                continue;
            }
            scratch.enabled.push(rule);
            for (component, _) in &self.parts[rule as usize] {
                let (all, seen) = &mut scratch.moving[usize::from(*component)];
                *all += 1;
                *seen += u32::from(self.seen[rule as usize]);
            }
        }
        true
    }
}

impl PartialOrderScratch {
    /// Whether the steps of a rule are among those that are enough, where such were found.
    pub(super) fn keeps(&self, rule: u32) -> bool {
        self.best.contains(&rule)
    }
}
