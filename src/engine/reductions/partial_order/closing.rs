//! Search for closed sets of rules ([`super`]).
//!
//! The need of a rule of the set can be met in several ways: each is a *group* of rules that have to be in the set,
//! too. So a closed set solves equations with "and" and "or". The largest solution without other steps than the allowed
//! ones is computed on demand from one rule: a group is assumed to meet a need until some rule of the group turns out
//! to be in no such set; then the next group is tried.

use super::closing_buffers::{Closing, ClosingSets, GroupState, GroupUser, IndependenceNeed, Mark};
use super::found_before::FoundBefore;
use super::label_steps::{has, put};
use super::rule_sets::{ChangingRules, RuleSet, RuleWord, bits_of};
use super::tables::RulePart;
use super::{PartialOrder, PartialOrderScratch};

/// No user.
const NONE: u32 = u32::MAX;

/// The kind of set wanted: the seed, and whether it may keep the steps of no other rule.
type Allowed = (u32, bool);

/// A group of rules. Groups are numbered: first components, then labels, twice.
enum RuleGroup {
    /// The able rules of a component.
    Able(usize),
    /// All rules of a label.
    Label(u32),
    /// All rules that disturb a label.
    Disturbing,
}

impl PartialOrder {
    fn group(&self, number: u32) -> RuleGroup {
        let labels = self.labels.len() as u32;
        match number.checked_sub(self.components.len() as u32) {
            None => RuleGroup::Able(number as usize),
            Some(label) if label < labels => RuleGroup::Label(label),
            Some(_) => RuleGroup::Disturbing,
        }
    }

    pub(super) fn group_of_label(&self, label: u32) -> u32 {
        self.components.len() as u32 + label
    }

    fn group_of_disturbing(&self, label: u32) -> u32 {
        (self.components.len() + self.labels.len()) as u32 + label
    }

    /// The rules of a group.
    #[inline(always)]
    pub(super) fn rules_of(&self, group: u32, scratch: &PartialOrderScratch) -> RuleSet {
        match group.checked_sub(self.components.len() as u32) {
            None => self.components[group as usize].able(scratch.places[group as usize]),
            Some(fixed) => self.fixed_groups[fixed as usize],
        }
    }

    /// Searches for a closed set with one rule; `alone` if it may keep the steps of no other one. Returns the number of
    /// steps that it keeps; their rules are left in `scratch.closing.kept`.
    pub(super) fn close(
        &self,
        seed: u32,
        alone: bool,
        scratch: &mut PartialOrderScratch,
    ) -> Option<u32> {
        self.clear((seed, alone), &mut scratch.closing);
        if scratch.closing.sets.refused.has(seed) || !self.may_be_kept(seed, scratch) {
            return None;
        }
        if alone {
            let is_found = match self.found_before(seed, scratch) {
                Some(is_found) => {
                    debug_assert_eq!(is_found, self.is_found_anew(seed, scratch));
                    is_found
                }
                None => self.find_alone(seed, scratch),
            };
            scratch.closing.kept.clear();
            scratch.closing.kept.push(seed);
            return is_found.then(|| scratch.steps[seed as usize]);
        }
        if !self.find_set((seed, false), scratch) {
            return None;
        }
        let PartialOrderScratch {
            enabled,
            steps,
            closing,
            ..
        } = scratch;
        closing.kept.clear();
        let (wanted, refused) = (&closing.sets.wanted, &closing.sets.refused);
        let is_in = |rule: &&u32| wanted.has(**rule) && !refused.has(**rule);
        closing.kept.extend(enabled.iter().filter(is_in));
        Some(closing.kept.iter().map(|rule| steps[*rule as usize]).sum())
    }

    /// Searches for a closed set that keeps the steps of a rule alone, and remembers the result.
    fn find_alone(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        let is_found = self.find_set((seed, true), scratch);
        if is_found {
            scratch.closing.remember_set(seed);
        } else {
            let closing = &mut scratch.closing;
            // The seed is refused last, because of the rules before it.
            let last = closing.sets.refusals.pop();
            debug_assert_eq!(last, Some(seed), "it is refused last");
            closing
                .before
                .remember_refusals(seed, &closing.sets.refusals);
        }
        is_found
    }

    /// Searches for a closed set, which is left as `wanted` without `refused`. Returns false if there is none.
    pub(super) fn find_set(
        &self,
        (seed, alone): Allowed,
        scratch: &mut PartialOrderScratch,
    ) -> bool {
        self.want_seed((seed, alone), &mut scratch.closing);
        loop {
            if let Some(need) = scratch.closing.open.pop() {
                if !self.ensure_independence(need, scratch) {
                    let rule = scratch.closing.independence[need as usize].rule;
                    self.refuse(rule, scratch);
                    if rule == seed {
                        return false;
                    }
                }
            } else if let Some(rule) = scratch.next_unmet() {
                if !self.hold_back(rule, scratch) {
                    self.refuse(rule, scratch);
                }
            } else {
                break;
            }
        }
        debug_assert!(
            {
                let closing = &scratch.closing;
                let is_in = |rule| closing.sets.wanted.has(rule) && !closing.sets.refused.has(rule);
                let kept = scratch.enabled.iter().filter(|rule| is_in(**rule)).count();
                // The definition takes the square of the rules of a component.
                !alone && kept > 1_000
                    || self.is_closed(&is_in, self.twins_of((seed, alone)), scratch)
            },
            "what was found is closed"
        );
        true
    }

    /// Begins another seed.
    pub(super) fn clear(&self, (seed, alone): Allowed, closing: &mut Closing) {
        let (rules, groups) = (
            self.parts.len(),
            self.components.len() + 2 * self.labels.len(),
        );
        // Also restarts before numbers overflow.
        if closing.hints.len() != rules
            || closing.groups.len() != groups
            || closing.turn.time == u32::MAX / 2
        {
            let none = || ChangingRules::none_of(rules);
            *closing = Closing {
                groups: vec![GroupState::default(); groups],
                labels_out: vec![0; self.labels.len() / 64],
                sets: ClosingSets {
                    wanted: none(),
                    refused: none(),
                    met: none(),
                    allowed: none(),
                    ..ClosingSets::default()
                },
                hints: vec![(0, 0); rules],
                before: FoundBefore::nothing(rules),
                ..Closing::default()
            };
        }
        closing.turn.time += 1;
        // If the seed is to be alone, the steps that may be kept depend on it.
        if alone || !closing.turn.goes_on {
            closing.turn.since = closing.turn.time;
            closing.labels_out.fill(0);
            closing.sets.refused.clear();
            closing.sets.refusals.clear();
        }
        (closing.turn.alone, closing.turn.goes_on) = (alone, !alone);
        for set in [
            &mut closing.sets.wanted,
            &mut closing.sets.met,
            &mut closing.sets.allowed,
        ] {
            set.clear();
        }
        closing.sets.unmet.clear();
        closing.uses.clear();
        closing.independence.clear();
        closing.open.clear();
        if alone {
            closing.sets.allowed.put(seed);
            for twin in self.twins.of(seed) {
                closing.sets.allowed.put(*twin);
            }
        }
    }

    /// Puts the seed and its twins, which have no needs, into the set.
    fn want_seed(&self, (seed, alone): Allowed, closing: &mut Closing) {
        for twin in self.twins_of((seed, alone)) {
            closing.sets.wanted.put(*twin);
        }
        closing.sets.wanted.put(seed);
        self.require_independence(seed, closing);
    }

    /// The twins of a seed that is to be alone: they count as in the set ([`super::twins`]).
    fn twins_of(&self, (seed, alone): Allowed) -> &[u32] {
        if alone { self.twins.of(seed) } else { &[] }
    }

    /// Records the needs of an enabled rule.
    fn require_independence(&self, rule: u32, closing: &mut Closing) {
        for part in self.parts(rule) {
            closing.open.push(closing.independence.len() as u32);
            closing
                .independence
                .push(IndependenceNeed { rule, part: *part });
        }
    }

    /// Ensures that nothing outside the set disturbs a participant of an enabled rule. Returns false if that is
    /// impossible.
    fn ensure_independence(&self, need: u32, scratch: &mut PartialOrderScratch) -> bool {
        let IndependenceNeed { rule, part } = scratch.closing.independence[need as usize];
        if scratch.closing.sets.refused.has(rule) {
            return true;
        }
        let able = u32::from(part.component);
        let disturbing = self.labels[part.label as usize].disturbing;
        let groups = match disturbing {
            None => [able; 2],
            // The group with fewer rules first, since these have needs in turn.
            Some(rules) => {
                let all = self.sets.count(self.rules_of(able, scratch));
                let disturbing = self.group_of_disturbing(part.label);
                match all < self.sets.count(rules) {
                    true => [able, disturbing],
                    false => [disturbing, able],
                }
            }
        };
        let found = groups.into_iter().find(|group| self.put(*group, scratch));
        if let Some(group) = found {
            scratch
                .closing
                .note_use(group, GroupUser::Independence(need));
        }
        found.is_some()
    }

    /// Puts a group into the set. Returns false if it may not be in it.
    #[inline(always)]
    pub(super) fn put(&self, group: u32, scratch: &mut PartialOrderScratch) -> bool {
        let closing = &scratch.closing;
        if closing.groups[group as usize].mark == Mark::wanted(closing.turn.time) {
            return true;
        }
        let may = self.may_come_in(group, scratch);
        if may {
            self.choose_group(group, scratch);
        }
        may
    }

    /// Whether a group outside the set may be added, by a quick test.
    pub(super) fn may_come_in(&self, group: u32, scratch: &mut PartialOrderScratch) -> bool {
        let closing = &scratch.closing;
        let mark = closing.groups[group as usize].mark;
        if mark.is_refused(closing.turn.since) {
            return false;
        }
        if let RuleGroup::Label(label) = self.group(group)
            && !has(&scratch.offered, label)
        {
            self.find_held(scratch);
        }
        let may = self.may_have(group, scratch);
        if !may {
            self.rule_out(group, &mut scratch.closing);
        }
        may
    }

    /// Whether a group may be in the set: no rule in it was refused, and it has no visible step, nor, if the seed has
    /// to be alone, any other one.
    ///
    /// For the group of a label that its component does not offer, moreover no rule may be held back by that component
    /// alone. Such a rule needs the able rules of the component, or a label that comes before; and every rule that the
    /// component holds back through this label needs no more than that.
    #[inline(always)]
    fn may_have(&self, group: u32, scratch: &PartialOrderScratch) -> bool {
        let closing = &scratch.closing;
        let (moving, allowed, twice) =
            (&scratch.moving, &closing.sets.allowed, &scratch.held.twice);
        let is_offered = match self.group(group) {
            RuleGroup::Label(label) => has(&scratch.offered, label),
            _ => true,
        };
        let words = self.sets.words(self.rules_of(group, scratch));
        words.iter().all(|word| {
            let at = word.at;
            let against = match closing.turn.alone {
                true => moving.word(at) & !allowed.word(at),
                false => moving.word(at) & self.seen[at as usize],
            };
            let unheld = match is_offered {
                true => 0,
                false => !(twice.word(at) | allowed.word(at)),
            };
            word.bits & (against | unheld | closing.sets.refused.word(at)) == 0
        })
    }

    /// Whether the needs of an enabled rule can be met, by a quick test.
    pub(super) fn may_be_kept(&self, seed: u32, scratch: &PartialOrderScratch) -> bool {
        self.parts(seed).iter().all(|part| {
            self.may_have(u32::from(part.component), scratch)
                || self.labels[part.label as usize].disturbing.is_some()
                    && self.may_have(self.group_of_disturbing(part.label), scratch)
        })
    }

    /// Puts a group into the set: its rules are wanted, and the able rules of a component hold back all rules with
    /// labels that it does not offer.
    fn choose_group(&self, group: u32, scratch: &mut PartialOrderScratch) {
        let rules = self.rules_of(group, scratch);
        let closing = &mut scratch.closing;
        closing.groups[group as usize] = GroupState {
            mark: Mark::wanted(closing.turn.time),
            used_by: NONE,
        };
        if let RuleGroup::Able(component) = self.group(group) {
            let ways = &self.components[component];
            for word in ways.held(scratch.places[component], &self.sets) {
                closing.sets.met.put_word(word);
            }
        }
        for word in self.sets.words(rules) {
            let old = closing.sets.wanted.word(word.at) | closing.sets.refused.word(word.at);
            let new = word.bits & !old;
            if new == 0 {
                continue;
            }
            let only = |bits| RuleWord { bits, ..*word };
            closing.sets.wanted.put_word(only(new));
            let moving = scratch.moving.word(word.at);
            if new & !moving != 0 {
                closing.sets.unmet.push(word.at);
            }
            for rule in bits_of(only(new & moving)) {
                self.require_independence(rule, closing);
            }
        }
    }

    /// Records that a group is in no such set.
    #[inline]
    fn rule_out(&self, group: u32, closing: &mut Closing) {
        if let RuleGroup::Label(label) = self.group(group) {
            put(&mut closing.labels_out, label);
        }
        closing.groups[group as usize].mark = Mark::refused(closing.turn.time);
    }

    /// Refuses a rule, and the groups that contain it.
    fn refuse(&self, rule: u32, scratch: &mut PartialOrderScratch) {
        if scratch.closing.sets.refused.has(rule) {
            return;
        }
        scratch.closing.note_refused(rule);
        // Groups outside the set are compared with the refused rules when they are to be added.
        for RulePart { component, label } in self.parts(rule) {
            if has(&scratch.offered, *label) {
                self.refuse_group(u32::from(*component), scratch);
            }
            self.refuse_group(self.group_of_label(*label), scratch);
            if !scratch.closing.turn.alone {
                for other in self.disturbed(*label) {
                    self.refuse_group(self.group_of_disturbing(*other), scratch);
                }
            }
        }
        if scratch.closing.turn.alone {
            // Only the seed needs to be undisturbed.
            for need in 0..scratch.closing.independence.len() {
                let label = scratch.closing.independence[need].part.label;
                let group = self.group_of_disturbing(label);
                if self.sets.has(self.rules_of(group, scratch), rule) {
                    self.refuse_group(group, scratch);
                }
            }
        }
    }

    /// Records that a group is in no such set, if it was assumed to be: its users have to try another one.
    #[inline(always)]
    fn refuse_group(&self, group: u32, scratch: &mut PartialOrderScratch) {
        let closing = &mut scratch.closing;
        if closing.groups[group as usize].mark == Mark::wanted(closing.turn.time) {
            self.rule_out(group, closing);
            self.let_go_of(group, scratch);
        }
    }

    /// Makes all users of a group try another one.
    fn let_go_of(&self, group: u32, scratch: &mut PartialOrderScratch) {
        if let RuleGroup::Able(component) = self.group(group) {
            let ways = &self.components[component];
            for word in ways.held(scratch.places[component], &self.sets) {
                let bits = word.bits & scratch.closing.sets.wanted.word(word.at);
                // Rules wanted later are examined anew.
                scratch.closing.sets.met.take_word(RuleWord {
                    bits: word.bits & !bits,
                    ..word
                });
                for rule in bits_of(RuleWord { bits, ..word }) {
                    self.let_go(rule, scratch);
                }
            }
        }
        let mut use_of = scratch.closing.groups[group as usize].used_by;
        while use_of != NONE {
            let (user, next) = scratch.closing.uses[use_of as usize];
            match user {
                GroupUser::Held(rule) => self.let_go(rule, scratch),
                GroupUser::Independence(need) => scratch.closing.open.push(need),
            }
            use_of = next;
        }
    }

    /// Records that a rule has to be held back otherwise, unless a component whose group is in the set does so.
    fn let_go(&self, rule: u32, scratch: &mut PartialOrderScratch) {
        let (closing, offered) = (&mut scratch.closing, &scratch.offered);
        let wanted = Mark::wanted(closing.turn.time);
        let holds = |part: &RulePart| {
            closing.groups[usize::from(part.component)].mark == wanted && !has(offered, part.label)
        };
        if !self.parts(rule).iter().any(holds) {
            let word = RuleWord::of(rule);
            closing.sets.met.take_word(word);
            closing.sets.unmet.push(word.at);
        }
    }
}

impl PartialOrderScratch {
    /// A rule of the set that is not enabled and not held back yet.
    #[inline]
    fn next_unmet(&mut self) -> Option<u32> {
        let closing = &mut self.closing;
        while let Some(at) = closing.sets.unmet.last().copied() {
            let known =
                closing.sets.met.word(at) | closing.sets.refused.word(at) | self.moving.word(at);
            // Twins of the seed have no needs.
            let left = closing.sets.wanted.word(at) & !known & !closing.sets.allowed.word(at);
            if left != 0 {
                return Some(at * 64 + left.trailing_zeros());
            }
            closing.sets.unmet.pop();
        }
        None
    }
}
