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
//! Steps of copies count as one another's ([`twins`]).
//!
//! The second way of the latter matters where components take turns by a lock. While one holds it, what it does under
//! the lock is held back in the others by their taking the lock, which waits for its release; so nothing else that
//! they do has to be considered. That of the former matters where many use one component for different things, such
//! as both ends of a queue.
//!
//! `T` replaces all steps if none of them is seen: all are silent, or nothing that is asked depends on what is
//! seen. That is so of deadlock alone, and of deadlock and divergence together where the components rule divergence
//! out ([`livelock`]). Let a run of the whole system lead from a state to where something is wrong.
//! - If the run has a step of `T`, the first one can be taken first, and nothing is seen otherwise; what is left
//!   of the run is shorter.
//! - If it has none, a step of `T` is possible where it ends. So it does not end in a state that is stable or
//!   deadlocked: those are always found. A divergence goes on after the step, and is found, or another one
//!   before: enough where divergence is held to be chaos. To find all *traces*, one thing more is asked for:
//!   some step of `T` leads to a state that is not stored yet. It is expanded after this one, in a later round, and
//!   the same run is possible there; so the run is not put off for ever (Bošnački and Holzmann's proviso for
//!   breadth-first search). What is stored does not change while a round is expanded, so this does not depend on
//!   threads. Where no run is silent for ever, it is not needed: what is put off by silent steps alone is put off
//!   finitely often.
//!
//! Where the components rule out all that is asked about, as they may do with deadlock, too ([`deadlock`]), nothing is
//! searched.
//!
//! Without that proviso, it does not matter what is stored. So where one step is enough and leads to a state where one
//! step is enough again, and so on, only the state after them is stored, unless divergence is asked about: its cycles
//! are looked for among what is stored ([`crate::search::product`]).
//!
//! # With symmetry
//!
//! What is expanded are representatives, and the sets are chosen for them. A permutation takes closed sets of a
//! representative to closed sets of every state of its orbit. So the search is the quotient of one that is
//! reduced by partial order alone, with the images of these sets; the proviso speaks of the states of the
//! quotient, and the argument above is one about the order in which these are expanded (Emerson, Jha and Peled, 1997).

mod closed;
mod closing;
mod closing_buffers;
mod commuting;
mod deadlock;
mod found_before;
mod holding;
mod label_steps;
mod livelock;
mod looks;
mod needs;
mod rule_sets;
#[cfg(test)]
mod small;
mod tables;
mod twins;
mod ways;

use std::ops::Range;

use crate::machine::rules::Rule;
use crate::machine::{EventId, FormatId, LocalId, Locals, Network};
use crate::source::hash::IndexMap;
use closing_buffers::Closing;
use label_steps::{LabelSteps, has, members, put};
pub use looks::Looks;
use needs::NeedsOfPlace;
use rule_sets::{ChangingRules, RuleSet, RuleSets, RuleWord};
use tables::{LabelTable, OPEN, PRIORITIES, RulePart};
use twins::RuleTwins;
use ways::{ComponentWays, KnownComponent, TableRoom};

/// What is known of a network that steps may be left out of.
#[derive(Clone, Debug, Default)]
pub struct PartialOrder {
    components: Vec<ComponentWays>,
    /// For each component the number of its first label among all: the sets of labels of all components stand one after
    /// the other, in whole words.
    firsts: Vec<u32>,
    /// The participants of each rule, one rule after the other: where they end, and who they are.
    parts: Vec<u32>,
    all_parts: Vec<RulePart>,
    /// Whether a rule is seen, as a set.
    seen: Vec<u64>,
    /// The rules of each label, and then those that disturb each label: groups that are the same in all states.
    fixed_groups: Vec<RuleSet>,
    /// All sets of rules that are spoken of.
    sets: RuleSets,
    /// What there is of each label, by its number among all.
    labels: Vec<LabelTable>,
    /// What these are lists of.
    listed: Vec<u32>,
    twins: RuleTwins,
    known: NetworkProperties,
}

/// What the components of a network rule out, and what follows from that for the search.
#[derive(Clone, Copy, Debug, Default)]
struct NetworkProperties {
    /// Whether a step has to lead to a state that is not stored.
    proviso: bool,
    /// Whether no run is silent for ever.
    ends_silence: bool,
    /// Whether it is known that there is no deadlock.
    never_deadlocks: bool,
    /// Whether states that one step leads on from need not be stored.
    passes: bool,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct PartialOrderScratch {
    /// The steps of each rule, by rule; none of those that are not enabled.
    steps: Vec<u32>,
    enabled: Vec<u32>,
    /// The place of each component.
    places: Vec<u32>,
    /// What each of these needs.
    needs: Vec<Option<NeedsOfPlace>>,
    /// The labels that are offered, as a set.
    offered: Vec<u64>,
    /// The enabled rules as a set.
    moving: ChangingRules,
    held: HeldRules,
    closing: Closing,
    /// The rules that sets were looked for with.
    tried: Vec<u32>,
    /// How many they may be.
    tries_max: usize,
    /// Enabled rules of the best set.
    best: ChangingRules,
}

/// The rules that participants hold back in the state that is looked at, once they were asked for.
#[derive(Debug, Default)]
struct HeldRules {
    /// By several participants.
    twice: ChangingRules,
    /// By any.
    once: ChangingRules,
    is_known: bool,
}

/// Enabled rules times sets that are looked for. With more than some thousand enabled rules, to look for a set with each of
/// them would take minutes for a single state.
const EFFORT_MAX: usize = 1 << 24;

/// What the search of a check has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchAim {
    /// Whether events are told apart by name.
    pub events: bool,
    /// Whether divergence counts; it is held to be chaos.
    pub divergence: bool,
    /// Whether deadlock counts.
    pub deadlock: bool,
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
        // One format so far is not enough: no local state of a component may lead to another.
        if network.formats().len() != 1 || !format.is_closed(locals) {
            return Err(OPEN);
        }
        let count = format.components().len();
        let (mut this, labels) = Self::of_rules(rules.list(), count);
        let (mut room, mut all_steps) = (TableRoom::default(), Vec::with_capacity(count));
        for (component, of) in labels.iter().enumerate() {
            let known =
                KnownComponent::new((format, component), locals, of, (&mut this.sets, &mut room))?;
            this.add_labels(of, known.disturbing.as_deref());
            for place in 0..known.steps.len() as u32 {
                for label in members(known.ways.offered(place)) {
                    this.labels[(this.firsts[component] + label) as usize].places += 1;
                }
            }
            this.components.push(known.ways);
            all_steps.push(known.steps);
        }
        let begins = this.begins(network);
        let asks_deadlock = sought.deadlock && !sought.events;
        this.look_at_components(rules.list(), &all_steps, asks_deadlock.then_some(&begins));
        let copies = format.copies();
        this.twins = RuleTwins::new(rules.list(), copies, |rule| this.parts(rule), &this.labels);
        let sees = sought.events || sought.divergence && !this.known.ends_silence;
        let is_seen = |result: EventId| sees && result != EventId::TAU;
        this.seen = vec![0; rules.list().len().div_ceil(64)];
        for (rule, number) in rules.list().iter().zip(0..) {
            if is_seen(rule.result) {
                put(&mut this.seen, number);
            }
        }
        this.known.proviso = sought.events && !sought.divergence && !this.known.ends_silence;
        this.known.passes = this.known.ends_silence || !sees;
        Ok(this)
    }

    /// The participants of all rules, and nothing else yet; and the labels of each component: each event with which it
    /// takes part in rules, with those rules.
    fn of_rules(rules: &[Rule], components: usize) -> (Self, Vec<IndexMap<EventId, Vec<u32>>>) {
        let mut labels: Vec<IndexMap<EventId, Vec<u32>>> = vec![IndexMap::default(); components];
        let mut this = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            for (component, event) in &rule.parts {
                let entry = labels[usize::from(*component)].entry(*event);
                let (component, label) = (*component, entry.index() as u32);
                this.all_parts.push(RulePart { component, label });
                entry.or_default().push(number as u32);
            }
            this.parts.push(this.all_parts.len() as u32);
        }
        (this, labels)
    }

    /// The places that each component may begin at: that of its initial local state, and of what stands for it.
    fn begins(&self, network: &Network) -> Vec<Vec<u32>> {
        let merged = network.first().merged();
        let own = |(component, local): (usize, &LocalId)| {
            let both = [*local, merged.stands_for(component, *local)];
            let places = both.map(|local| self.components[component].place(local));
            places.into_iter().flatten().collect()
        };
        network.initial().iter().enumerate().map(own).collect()
    }

    /// Finds out what the components rule out: that a run is silent for ever, and, if the places are given that they
    /// begin at, deadlock. Afterwards labels are known by their numbers among all.
    fn look_at_components(
        &mut self,
        rules: &[Rule],
        components: &[LabelSteps],
        begins: Option<&Vec<Vec<u32>>>,
    ) {
        let numbered = rules.iter().zip(0..);
        let silent = numbered.filter(|(rule, _)| rule.result == EventId::TAU);
        let silent = silent.map(|(_, number)| self.parts(number));
        self.known.ends_silence = livelock::ends_silence(components, silent);
        let all = (0..rules.len() as u32).map(|number| self.parts(number));
        self.known.never_deadlocks =
            begins.is_some_and(|begins| deadlock::never_deadlocks(components, begins, all));
        for part in &mut self.all_parts {
            part.label += self.firsts[usize::from(part.component)];
        }
        let labels = self.labels.iter();
        let disturbing = labels.clone().map(|of| of.disturbing.unwrap_or_default());
        self.fixed_groups = labels.map(|of| of.rules).chain(disturbing).collect();
    }

    /// Adds the labels of the next component, each with its rules, and with the labels that disturb it as sets.
    fn add_labels(&mut self, of: &IndexMap<EventId, Vec<u32>>, disturbing: Option<&[u64]>) {
        let (first, words) = (self.labels.len() as u32, of.len().div_ceil(64));
        let mut disturbed: Vec<Vec<u32>> = vec![Vec::new(); of.len()];
        for (label, rules) in (first..).zip(of.values()) {
            let rules = self.sets.add(rules.iter().copied());
            let disturbing = disturbing.map(|sets| {
                let own = (label - first) as usize;
                let by = || members(&sets[own * words..][..words]);
                by().for_each(|other| disturbed[other as usize].push(label));
                let rules = by().flat_map(|other| of[other as usize].iter());
                self.sets.add(rules.copied())
            });
            self.labels.push(LabelTable {
                rules,
                places: 0,
                disturbing,
                disturbed: 0..0,
            });
        }
        for (label, disturbed) in (first..).zip(disturbed) {
            self.labels[label as usize].disturbed = self.list(disturbed.into_iter());
        }
        self.firsts.push(first);
        let whole = first as usize + words * 64;
        self.labels.resize(whole, LabelTable::default());
    }

    fn list(&mut self, members: impl Iterator<Item = u32>) -> Range<u32> {
        let from = self.listed.len() as u32;
        self.listed.extend(members);
        from..self.listed.len() as u32
    }

    fn listed(&self, range: &Range<u32>) -> &[u32] {
        &self.listed[range.start as usize..range.end as usize]
    }

    fn parts(&self, rule: u32) -> &[RulePart] {
        let from = rule
            .checked_sub(1)
            .map_or(0, |before| self.parts[before as usize]);
        &self.all_parts[from as usize..self.parts[rule as usize] as usize]
    }

    fn is_seen(&self, rule: u32) -> bool {
        has(&self.seen, rule)
    }

    /// The labels that a label disturbs, as far as that is known.
    fn disturbed(&self, label: u32) -> &[u32] {
        self.listed(&self.labels[label as usize].disturbed)
    }

    /// Whether a step that is kept has to lead to a state that is not stored.
    #[must_use]
    pub fn has_proviso(&self) -> bool {
        self.known.proviso
    }

    /// Whether no run of the network is silent for ever.
    #[must_use]
    pub fn ends_silence(&self) -> bool {
        self.known.ends_silence
    }

    /// Whether the components alone rule deadlock out, if that was asked for.
    #[must_use]
    pub fn never_deadlocks(&self) -> bool {
        self.known.never_deadlocks
    }

    /// Whether a search need not store states that one step is enough to lead on from.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.known.passes
    }

    /// The rule of a step that alone is enough in a state, given the rules of all its steps; those that move what a rule
    /// `before` them moved are tried first.
    pub(super) fn one_enough(
        &self,
        (format, state): (FormatId, &[LocalId]),
        (steps, before): (impl ExactSizeIterator<Item = u32>, u32),
        scratch: &mut PartialOrderScratch,
    ) -> Option<u32> {
        let count = steps.len();
        if format != FormatId(0) || count == 0 || !self.begin(state, steps, scratch) {
            return None;
        }
        let is_alone = |rule: &u32, scratch: &PartialOrderScratch| {
            !self.is_seen(*rule) && scratch.steps[*rule as usize] == 1
        };
        if count == 1 {
            let only = scratch.enabled.first().copied();
            return only.filter(|rule| is_alone(rule, scratch));
        }
        let moves = |rule: u32, part: &RulePart| {
            let mut own = self.parts(rule).iter();
            own.any(|own| own.component == part.component)
        };
        let moves_same = |rule: u32| self.parts(before).iter().any(|part| moves(rule, part));
        scratch.begin_trying();
        for is_first in [true, false] {
            for at in 0..scratch.enabled.len() {
                let seed = scratch.enabled[at];
                if is_alone(&seed, scratch)
                    && moves_same(seed) == is_first
                    && self.is_worth_trying(seed, scratch)
                    && self.close(seed, true, scratch) == Some(1)
                {
                    return Some(seed);
                }
            }
        }
        None
    }

    /// Finds rules whose steps are enough in a state, given the rule of each of its steps:
    /// [`PartialOrderScratch::keeps`] tells which. False if all steps are needed, or no fewer are known to do.
    pub(crate) fn choose(
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
        // Most often one rule is enough. If not, any of them may come along. What was passed on the way to a state that is
        // stored ended there since no single step was enough.
        for alone in [true, false] {
            scratch.begin_trying();
            for at in 0..scratch.enabled.len() {
                let seed = scratch.enabled[at];
                let (is_seen, steps) = (self.is_seen(seed), scratch.steps[seed as usize]);
                if is_seen || alone && (steps >= least || self.known.passes && steps == 1) {
                    continue;
                }
                if !self.is_worth_trying(seed, scratch) {
                    continue;
                }
                if let Some(count) = self.close(seed, alone, scratch)
                    && count < least
                {
                    least = count;
                    scratch.keep_closed();
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

    /// Finds which rules participants hold back, if that was not done yet in this state.
    fn find_held(&self, scratch: &mut PartialOrderScratch) {
        if std::mem::replace(&mut scratch.held.is_known, true) {
            return;
        }
        for (ways, place) in self.components.iter().zip(&scratch.places) {
            for word in ways.held(*place, &self.sets) {
                let bits = scratch.held.once.word(word.at) & word.bits;
                scratch.held.twice.put_word(RuleWord { bits, ..word });
                scratch.held.once.put_word(word);
            }
        }
        let mut enabled = scratch.enabled.iter();
        debug_assert!(
            enabled.all(|rule| !scratch.held.once.has(*rule)),
            "nobody holds an enabled rule back"
        );
    }

    /// Notes that a set is looked for with a rule; false if that was done with a twin of it. Exchanging their copies leaves
    /// the state as it is, since both are enabled, and takes one set to the other. False as well if as many were looked
    /// for as may be: then the state keeps more steps than it would have to.
    fn is_worth_trying(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        if scratch.tried.len() >= scratch.tries_max {
            return false;
        }
        let mut twins = self.twins.of(seed).iter();
        let is_new = !twins.any(|twin| scratch.tried.contains(twin));
        scratch.tried.push(seed);
        is_new
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
        scratch.make_room(self.parts.len());
        scratch.places.clear();
        scratch.needs.clear();
        scratch.offered.clear();
        for (ways, local) in self.components.iter().zip(state) {
            let Some(place) = ways.place(*local) else {
                return false;
            };
            scratch.places.push(place);
            scratch.needs.push(ways.needs(place));
            scratch.offered.extend(ways.offered(place));
        }
        for rule in steps {
            let of = &mut scratch.steps[rule as usize];
            *of += 1;
            if *of == 1 {
                scratch.enabled.push(rule);
                scratch.moving.put(rule);
            }
        }
        true
    }
}

impl PartialOrderScratch {
    /// Begins with another state of a network of so many rules.
    fn make_room(&mut self, rules: usize) {
        self.closing.begin();
        self.held.is_known = false;
        self.steps.resize(rules, 0);
        let Self {
            moving, held, best, ..
        } = self;
        for set in [moving, &mut held.once, &mut held.twice, best] {
            match set.is_for(rules) {
                true => set.clear(),
                false => *set = ChangingRules::none_of(rules),
            }
        }
    }

    /// Begins to look for sets.
    fn begin_trying(&mut self) {
        self.tried.clear();
        self.tries_max = (EFFORT_MAX / self.enabled.len().max(1)).max(2);
    }

    /// The set that was closed last is the best one so far.
    fn keep_closed(&mut self) {
        self.best.clear();
        for rule in &self.closing.kept {
            self.best.put(*rule);
        }
    }

    /// Whether the steps of a rule are among those that are enough, where such were found.
    pub(crate) fn keeps(&self, rule: u32) -> bool {
        self.best.has(rule)
    }
}
