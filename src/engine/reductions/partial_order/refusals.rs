//! Which refusals the refusal of a seed follows from ([`super::found_before`]).
//!
//! While a closed set is looked for, many rules are refused that have nothing to do with why there is none. What is
//! looked at again in many states is to be short, so only a proof is kept: the seed cannot be calm because of some
//! refusals, those follow from others, and so on to what the state alone says.

use super::label_steps::{has, members};
use super::rule_sets::{RuleWord, bits_of};
use super::{PartialOrder, PartialOrderScratch};

impl PartialOrder {
    /// Of what was refused, the seed last, keeps what the refusal of the seed follows from, in the same order and without
    /// the seed. Afterwards no rule counts as refused.
    pub(super) fn keep_reasons(&self, seed: u32, scratch: &mut PartialOrderScratch) {
        let closing = &mut scratch.closing;
        debug_assert_eq!(closing.refusals.last(), Some(&seed), "it is refused last");
        let mut groups = std::mem::take(&mut closing.out);
        closing.reasons.clear();
        closing.reasons.put(seed);
        for at in (0..scratch.closing.refusals.len()).rev() {
            let closing = &mut scratch.closing;
            let rule = closing.refusals[at];
            // So what is refused is what was refused before it.
            closing.refused.take_word(RuleWord::of(rule));
            if !closing.reasons.has(rule) {
                continue;
            }
            groups.clear();
            match rule == seed {
                true => self.calming_groups(seed, scratch, &mut groups),
                false => self.holding_groups(rule, scratch, &mut groups),
            }
            for group in &groups {
                self.note_reason(*group, scratch);
            }
        }
        let closing = &mut scratch.closing;
        closing.out = groups;
        let reasons = &closing.reasons;
        closing
            .refusals
            .retain(|rule| *rule != seed && reasons.has(*rule));
    }

    /// Whether the needs of an enabled rule can be met, as far as that is seen at once.
    pub(super) fn may_be_kept(&self, seed: u32, scratch: &PartialOrderScratch) -> bool {
        self.parts(seed).iter().all(|part| {
            self.may_have(u32::from(part.component), scratch)
                || self.labels[part.label as usize].disturbing.is_some()
                    && self.may_have(self.group_of_disturbing(part.label), scratch)
        })
    }

    /// Leaves all groups that could keep one participant of the seed calm, where none of them may.
    fn calming_groups(&self, seed: u32, scratch: &PartialOrderScratch, groups: &mut Vec<u32>) {
        for part in self.parts(seed) {
            groups.clear();
            groups.push(u32::from(part.component));
            if self.labels[part.label as usize].disturbing.is_some() {
                groups.push(self.group_of_disturbing(part.label));
            }
            if !groups.iter().any(|group| self.may_have(*group, scratch)) {
                return;
            }
        }
        debug_assert!(false, "some participant cannot be calm");
    }

    /// Appends all groups that could hold back a rule.
    fn holding_groups(&self, rule: u32, scratch: &PartialOrderScratch, groups: &mut Vec<u32>) {
        for part in self.parts(rule) {
            if has(&scratch.offered, part.label) {
                continue;
            }
            groups.push(u32::from(part.component));
            let own = usize::from(part.component);
            let first = self.firsts[own];
            let needed = self.needed(own, part.label - first, scratch);
            let labels = needed.into_iter().flat_map(members);
            groups.extend(labels.map(|other| self.group_of_label(first + other)));
        }
    }

    /// Notes a refused rule as the reason for which a group is not in the set, unless the state alone is one or some
    /// reason is in it already.
    fn note_reason(&self, group: u32, scratch: &mut PartialOrderScratch) {
        if self.is_barred(group, scratch) {
            return;
        }
        let words = self.sets.words(self.rules_of(group, scratch));
        let closing = &mut scratch.closing;
        let (refused, reasons) = (&closing.refused, &closing.reasons);
        let out = |word: &RuleWord| word.bits & refused.word(word.at);
        let mut known = words.iter().map(|word| out(word) & reasons.word(word.at));
        if known.any(|bits| bits != 0) {
            return;
        }
        let mut all = words.iter().flat_map(|word| {
            let bits = out(word);
            bits_of(RuleWord { bits, ..*word })
        });
        let reason = all.next();
        debug_assert!(reason.is_some(), "a group is out for a reason");
        if let Some(rule) = reason {
            closing.reasons.put(rule);
        }
    }
    /// Whether a rule is refused for the reasons that are left alone.
    pub(super) fn is_refused_anew(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        let reasons = std::mem::take(&mut scratch.closing.refusals);
        self.clear((seed, true), &mut scratch.closing);
        self.is_refused_after(seed, &reasons, scratch)
    }
}
