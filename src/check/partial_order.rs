//! Partial order reduction: of the steps of a state some are left out that can be taken later as well.
//!
//! Which steps are kept is a stubborn set (Valmari), found on rules and components. Let *able* rules of a component
//! in its local state be those that it takes part in with an event that it can perform now. A set `C` of components is
//! *closed* in a state if, for every able rule of a component in it,
//! - where the rule is enabled, all its participants are in `C`;
//! - where it is not, one that cannot perform its event is in `C`.
//!
//! Let `T` be the enabled rules in which components of `C` take part. Whatever happens without `T` moves no component
//! of `C`: a rule that did would be able, so not enabled now, and the participant in `C` that holds it back would have
//! to move before. So what is in `T` stays enabled and commutes with all that (D1 and D2 of the theory).
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

use crate::machine::{EventId, FormatId, LocalId, Locals, Network};

/// What is known of a network that steps may be left out of.
#[derive(Clone, Debug)]
pub struct PartialOrder {
    /// For each component its able rules by local state.
    able: Vec<AbleRules>,
    /// Whether it makes no difference what is seen.
    blind: bool,
    /// Whether a step has to lead to a state that is not stored.
    proviso: bool,
}

/// The able rules of a component.
#[derive(Clone, Debug)]
struct AbleRules {
    /// The least number of a local state.
    first: u32,
    /// Ranges in `rules`, by the number of the local state less that.
    ranges: Vec<(u32, u32)>,
    rules: Vec<u32>,
}

/// No range: it is no local state of the component.
const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl AbleRules {
    /// Those in a local state; none where it was not met before the search.
    fn of(&self, local: LocalId) -> Option<&[u32]> {
        let place = local.0.checked_sub(self.first)?;
        let range = *self.ranges.get(place as usize)?;
        (range != UNKNOWN).then(|| &self.rules[range.0 as usize..range.1 as usize])
    }
}

/// Why nothing is left out, for people.
pub const OPEN: &str =
    "some component was not explored to the end, or the network takes other forms";
/// The same.
pub const PRIORITIES: &str = "some steps are taken before others (priority, or `chase`)";

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct PartialOrderScratch {
    /// Counts the sets that were tried; what is marked with a lower number is not in the present one.
    time: u32,
    /// When a component was last put into a set, by component.
    inside: Vec<u32>,
    /// When a rule was last looked at, by rule.
    met: Vec<u32>,
    /// The steps of each rule, by rule; none of those that are not enabled.
    steps: Vec<u32>,
    enabled: Vec<u32>,
    open: Vec<u16>,
    /// Enabled rules of the present set, and of the best one.
    kept: Vec<u32>,
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
        let mut by_event = vec![crate::source::hash::Map::default(); format.components().len()];
        for (number, rule) in rules.list().iter().enumerate() {
            for (component, event) in &rule.parts {
                let of: &mut Vec<u32> =
                    by_event[usize::from(*component)].entry(*event).or_default();
                of.push(number as u32);
            }
        }
        let mut able = Vec::with_capacity(by_event.len());
        for (reach, by_event) in format.reach().iter().zip(&by_event) {
            let first = reach.locals.iter().map(|l| l.0).min().unwrap_or(0);
            let last = reach.locals.iter().map(|l| l.0).max().unwrap_or(0);
            let mut own = AbleRules {
                first,
                ranges: vec![UNKNOWN; (last - first) as usize + 1],
                rules: Vec::new(),
            };
            for local in &reach.locals {
                let from = own.rules.len() as u32;
                let transitions = locals.transitions(*local).ok_or(OPEN)?;
                for same in transitions.chunk_by(|a, b| a.0 == b.0) {
                    own.rules
                        .extend(by_event.get(&same[0].0).into_iter().flatten());
                }
                own.ranges[(local.0 - first) as usize] = (from, own.rules.len() as u32);
            }
            able.push(own);
        }
        Ok(Self {
            able,
            blind: !sought.seen,
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
        (network, locals): (&Network, &Locals),
        (format, state): (FormatId, &[LocalId]),
        steps: impl ExactSizeIterator<Item = u32>,
        scratch: &mut PartialOrderScratch,
    ) -> bool {
        // A form that came later would not have been known.
        let count = steps.len();
        if format != FormatId(0) || count < 2 {
            return false;
        }
        let rules = network.first().rules();
        scratch.begin(rules.list().len(), state.len(), steps);
        let mut least = count as u32;
        let mut seeds = 0;
        while seeds < scratch.enabled.len() && least > 1 {
            let rule = rules.rule(scratch.enabled[seeds]);
            seeds += 1;
            if !self.blind && rule.result != EventId::TAU {
                continue;
            }
            for (component, _) in &rule.parts {
                if let Some(count) =
                    self.close((network, locals), state, *component, least, scratch)
                {
                    least = count;
                    std::mem::swap(&mut scratch.kept, &mut scratch.best);
                }
            }
        }
        (least as usize) < count
    }

    /// How many steps the rules have that the least closed set with a component keeps; nothing if these are not
    /// fewer than `least`, or some of them are seen. The rules are left in `scratch.kept`.
    fn close(
        &self,
        (network, locals): (&Network, &Locals),
        state: &[LocalId],
        seed: u16,
        least: u32,
        scratch: &mut PartialOrderScratch,
    ) -> Option<u32> {
        let rules = network.first().rules();
        scratch.time += 1;
        let time = scratch.time;
        scratch.kept.clear();
        scratch.open.clear();
        scratch.open.push(seed);
        scratch.inside[usize::from(seed)] = time;
        let mut count = 0;
        while let Some(component) = scratch.open.pop() {
            let component = usize::from(component);
            for number in self.able[component].of(state[component])? {
                let met = &mut scratch.met[*number as usize];
                if *met == time {
                    continue;
                }
                *met = time;
                let rule = rules.rule(*number);
                let steps = scratch.steps[*number as usize];
                if steps > 0 {
                    count += steps;
                    let seen = !self.blind && rule.result != EventId::TAU;
                    if seen || count >= least {
                        return None;
                    }
                    scratch.kept.push(*number);
                    for (other, _) in &rule.parts {
                        scratch.enter(*other, time);
                    }
                    continue;
                }
                let holds_back = |(other, event): &&(u16, EventId)| {
                    let (from, to) = locals.range_on(state[usize::from(*other)], *event);
                    from == to
                };
                let mut others = rule.parts.iter().filter(holds_back);
                // Rather one that is inside.
                let inside =
                    |(other, _): &&(u16, EventId)| scratch.inside[usize::from(*other)] == time;
                if others.clone().any(|other| inside(&other)) {
                    continue;
                }
                match others.next() {
                    Some((other, _)) => scratch.enter(*other, time),
                    // Each can perform its event, and yet there is no step: it cannot be.
                    None => return None,
                }
            }
        }
        (count > 0).then_some(count)
    }
}

impl PartialOrderScratch {
    /// Notes which rules are enabled in a state.
    fn begin(&mut self, rules: usize, components: usize, steps: impl Iterator<Item = u32>) {
        for rule in self.enabled.drain(..) {
            self.steps[rule as usize] = 0;
        }
        // Starts anew before numbers are used up, too.
        if self.met.len() != rules || self.inside.len() != components || self.time > u32::MAX / 2 {
            self.met = vec![0; rules];
            self.inside = vec![0; components];
            self.steps = vec![0; rules];
            self.time = 0;
        }
        for rule in steps {
            let of = &mut self.steps[rule as usize];
            if *of == 0 {
                self.enabled.push(rule);
            }
            *of += 1;
        }
    }

    /// Whether the steps of a rule are among those that are enough, where such were found.
    pub(super) fn keeps(&self, rule: u32) -> bool {
        self.best.contains(&rule)
    }

    fn enter(&mut self, component: u16, time: u32) {
        let inside = &mut self.inside[usize::from(component)];
        if *inside != time {
            *inside = time;
            self.open.push(component);
        }
    }
}
