//! Partial order reduction: steps of a state that can be taken later as well are left out.
//!
//! The kept steps form a stubborn set (Valmari), computed on rules and components. Let the *able* rules of a component
//! in its local state be those in which it takes part with an event that it can perform now. A set `S` of rules is
//! *closed* in a state if, for each of its rules,
//! - where the rule is enabled, for every participant and its event `e` either all its able rules are in `S`, or all
//!   those in which it performs an event that disturbs `e` ([`commuting`]);
//! - where it is not, some participant cannot perform its event `e` now, and either all able rules of that one are in
//!   `S`, or there is another event of it that every way to a local state that offers `e` goes through
//!   ([`needs`]), and all rules in which it performs that are in `S`.
//!
//! Let `T` be the enabled rules of `S`. Steps outside `S` enable no other rule of `S`: the participant that holds it
//! back would have to move, which would begin with an able rule or include that event. So every run without `T` is
//! without `S`. It moves no participant of a rule of `T`, or only by events that do not disturb its own. So the rules
//! of `T` stay enabled and commute with it (D1 and D2 of the theory).
//!
//! Steps of copies represent one another ([`twins`]).
//!
//! The second alternative for disabled rules matters where components take turns by a lock. While one holds it, the
//! rules under the lock are held back in the others by their taking the lock, which waits for its release; so no other
//! of their rules has to be considered. The second alternative for enabled rules matters where many use one component
//! for different purposes, such as both ends of a queue.
//!
//! `T` replaces all steps if none of them is visible: all are silent, or the question does not depend on visible
//! events. That is so for deadlock alone, and for deadlock and divergence together where the components rule divergence
//! out ([`livelock`]). Let a run of the whole system lead from a state to a violation.
//! - If the run has a step of `T`, the first one can be taken first without a visible change; the rest of the run is
//!   shorter.
//! - If it has none, a step of `T` is possible at its end. So it does not end in a state that is stable or deadlocked:
//!   those are always found. A divergence goes on after the step, and is found, or another one before: enough since
//!   divergence is chaos. To find all *traces*, some step of `T` must also lead to a state that is not stored yet. It
//!   is expanded after this one, in a later round, and the same run is possible there; so the run is not postponed for
//!   ever (Bošnački and Holzmann's proviso for breadth-first search). The store does not change while a round is
//!   expanded, so the proviso does not depend on threads. Without infinite silent runs it is not needed: silent steps
//!   postpone a run only finitely often.
//!
//! If the components rule out all violations asked for, as may also be the case for deadlock ([`deadlock`]), no search
//! is made.
//!
//! Without the proviso, the choice does not depend on the store. So if a single step is kept and leads to a state with
//! a single kept step, and so on, only the state after these is stored, unless divergence matters: its cycles are
//! sought among the stored states ([`crate::search::product`]).
//!
//! # With symmetry
//!
//! Representatives are expanded, and the sets are chosen for them. A permutation maps closed sets of a representative
//! to closed sets of every state of its orbit. So the search is the quotient of one with partial order reduction alone
//! and the images of these sets; the proviso refers to states of the quotient, and the argument above is about the
//! order in which these are expanded (Emerson, Jha and Peled, 1997).

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

/// Partial order reduction of a network.
#[derive(Clone, Debug, Default)]
pub struct PartialOrder {
    components: Vec<ComponentWays>,
    /// For each component the number of its first label: the label sets of the components are stored one after the
    /// other, in whole words.
    firsts: Vec<u32>,
    /// The ends of the lists of participants of each rule, and these lists.
    parts: Vec<u32>,
    all_parts: Vec<RulePart>,
    /// The visible rules, as a set.
    seen: Vec<u64>,
    /// The rules of each label, and then those that disturb each label: groups that are the same in all states.
    fixed_groups: Vec<RuleSet>,
    /// All sets of rules.
    sets: RuleSets,
    /// The tables of each label.
    labels: Vec<LabelTable>,
    /// The lists of these tables.
    listed: Vec<u32>,
    twins: RuleTwins,
    known: NetworkProperties,
}

/// Properties of a network by its components, and their consequences for the search.
#[derive(Clone, Copy, Debug, Default)]
struct NetworkProperties {
    /// Whether the proviso is needed: a kept step to a state that is not stored.
    proviso: bool,
    /// Whether no run is silent for ever.
    ends_silence: bool,
    /// Whether deadlock is known to be impossible.
    never_deadlocks: bool,
    /// Whether states with a single kept step need not be stored.
    skips: bool,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct PartialOrderScratch {
    /// The steps of each rule, by rule; zero if it is not enabled.
    steps: Vec<u32>,
    enabled: Vec<u32>,
    /// The place of each component.
    places: Vec<u32>,
    /// The needs of each place.
    needs: Vec<Option<NeedsOfPlace>>,
    /// The offered labels, as a set.
    offered: Vec<u64>,
    /// The enabled rules, as a set.
    moving: ChangingRules,
    held: HeldRules,
    closing: Closing,
    /// The seeds tried.
    tried: Vec<u32>,
    /// Seeds at most.
    tries_max: usize,
    /// Enabled rules of the smallest set.
    best: ChangingRules,
}

/// The rules that participants hold back in the present state, once computed.
#[derive(Debug, Default)]
struct HeldRules {
    /// Held back by several participants.
    twice: ChangingRules,
    /// Held back by any.
    once: ChangingRules,
    is_known: bool,
}

/// Enabled rules times seeds, at most. With more than some thousand enabled rules, trying each of them as a seed would
/// take minutes for a single state.
const EFFORT_MAX: usize = 1 << 24;

/// Violations that the search of a check has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchAim {
    /// Whether events are distinguished by name.
    pub events: bool,
    /// Whether divergence matters, as chaos.
    pub divergence: bool,
    /// Whether deadlock matters.
    pub deadlock: bool,
}

impl PartialOrder {
    /// The reduction of a network.
    ///
    /// # Errors
    /// The reason why it does not apply.
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
        // A single format is not enough: no local state of a component may lead to another one.
        if network.formats().len() != 1 || !format.is_closed(locals) {
            return Err(OPEN);
        }
        let count = format.components().len();
        let (mut this, labels) = Self::of_rules(rules.list(), count);
        let (mut room, mut all_steps) = (TableRoom::default(), Vec::with_capacity(count));
        for (component, of) in labels.iter().enumerate() {
            let known =
                KnownComponent::new(format, component, locals, of, &mut this.sets, &mut room)?;
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
        this.known.skips = this.known.ends_silence || !sees;
        Ok(this)
    }

    /// Creates it with the participants of all rules alone. Returns the labels of each component: each event with which
    /// it takes part in rules, with those rules.
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

    /// The initial places of each component: that of its initial local state, and of its bisimilarity class.
    fn begins(&self, network: &Network) -> Vec<Vec<u32>> {
        let merged = network.first().merged();
        let own = |(component, local): (usize, &LocalId)| {
            let both = [*local, merged.stands_for(component, *local)];
            let places = both.map(|local| self.components[component].place(local));
            places.into_iter().flatten().collect()
        };
        network.initial().iter().enumerate().map(own).collect()
    }

    /// Finds whether the components rule out infinite silent runs, and, if their initial places are given, deadlock.
    /// Afterwards labels have global numbers.
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

    /// Adds the labels of the next component, each with its rules, and the sets of labels that disturb each.
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

    /// The labels that a label disturbs, if known.
    fn disturbed(&self, label: u32) -> &[u32] {
        self.listed(&self.labels[label as usize].disturbed)
    }

    /// Whether the proviso is needed: a kept step has to lead to a state that is not stored.
    #[must_use]
    pub fn has_proviso(&self) -> bool {
        self.known.proviso
    }

    /// Whether no run of the network is silent for ever.
    #[must_use]
    pub fn ends_silence(&self) -> bool {
        self.known.ends_silence
    }

    /// Whether the components alone rule deadlock out, if asked for.
    #[must_use]
    pub fn never_deadlocks(&self) -> bool {
        self.known.never_deadlocks
    }

    /// Whether a search need not store states with a single kept step.
    #[must_use]
    pub fn skips_states(&self) -> bool {
        self.known.skips
    }

    /// The rule of a single step that suffices in a state, given the rules of all its steps; rules that move components
    /// moved by the rule `before` are tried first.
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

    /// Finds a stubborn set in a state, given the rule of each of its steps: [`PartialOrderScratch::keeps`] tells its
    /// rules. Returns false if all steps are needed, or no smaller set was found.
    pub(crate) fn choose(
        &self,
        (format, state): (FormatId, &[LocalId]),
        steps: impl ExactSizeIterator<Item = u32>,
        scratch: &mut PartialOrderScratch,
    ) -> bool {
        // The tables lack later formats.
        let count = steps.len();
        if format != FormatId(0) || count < 2 || !self.begin(state, steps, scratch) {
            return false;
        }
        let mut least = count as u32;
        // Usually a single rule is enough. Otherwise further ones are allowed. For states after skipped ones, no single
        // step was enough.
        for alone in [true, false] {
            scratch.begin_trying();
            for at in 0..scratch.enabled.len() {
                let seed = scratch.enabled[at];
                let (is_seen, steps) = (self.is_seen(seed), scratch.steps[seed as usize]);
                if is_seen || alone && (steps >= least || self.known.skips && steps == 1) {
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

    /// Finds the rules that participants hold back, once for each state.
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

    /// Records a seed. Returns false if a twin of it was tried: exchanging their copies fixes the state, since both are
    /// enabled, and maps one set to the other. Returns false as well at the bound on seeds: then the state keeps more
    /// steps than necessary.
    fn is_worth_trying(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        if scratch.tried.len() >= scratch.tries_max {
            return false;
        }
        let mut twins = self.twins.of(seed).iter();
        let is_new = !twins.any(|twin| scratch.tried.contains(twin));
        scratch.tried.push(seed);
        is_new
    }

    /// Prepares a state, given the rules of its steps. Returns false if a local state is unknown.
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
    /// Begins another state of a network with this number of rules.
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

    /// Begins to try seeds.
    fn begin_trying(&mut self) {
        self.tried.clear();
        self.tries_max = (EFFORT_MAX / self.enabled.len().max(1)).max(2);
    }

    /// Takes the last closed set as the smallest so far.
    fn keep_closed(&mut self) {
        self.best.clear();
        for rule in &self.closing.kept {
            self.best.put(*rule);
        }
    }

    /// Whether the rule is in the stubborn set, if one was found.
    pub(crate) fn keeps(&self, rule: u32) -> bool {
        self.best.has(rule)
    }
}
