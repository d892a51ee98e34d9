//! Reasons why a rule is not enabled ([`super`]).

use super::label_steps::has;
use super::needs::next_without;
use super::tables::RulePart;
use super::{PartialOrder, PartialOrderScratch};

/// The reason why a rule is held back.
pub(super) enum Holder {
    /// It is never enabled.
    Never,
    /// A group, with the participant and the way: 0 for its able rules, otherwise one more than one of its labels.
    Group { how: (u32, u32), group: u32 },
}

impl PartialOrder {
    /// Puts a group that holds back a disabled rule into the set. Returns false if there is none.
    pub(super) fn hold_back(&self, rule: u32, scratch: &mut PartialOrderScratch) -> bool {
        match self.find_holder(rule, scratch, Self::put) {
            None => return false,
            Some(Holder::Never) => scratch.closing.sets.met.put(rule),
            Some(Holder::Group { how, group }) => scratch.closing.hold_by(rule, how, group),
        }
        true
    }

    /// Finds the reason why a rule is not enabled: the first group for which `may_be_in` is true.
    #[inline]
    pub(super) fn find_holder(
        &self,
        rule: u32,
        scratch: &mut PartialOrderScratch,
        may_be_in: impl Fn(&Self, u32, &mut PartialOrderScratch) -> bool,
    ) -> Option<Holder> {
        for (number, part) in (0u32..).zip(self.parts(rule)) {
            let RulePart { component, label } = *part;
            if has(&scratch.offered, label) {
                continue;
            }
            let group = u32::from(component);
            if may_be_in(self, group, scratch) {
                let how = (number, 0);
                return Some(Holder::Group { how, group });
            }
            let own = usize::from(component);
            let first = self.firsts[own];
            let Some(needed) = self.needed(own, label - first, scratch) else {
                continue;
            };
            if has(needed, label - first) {
                return Some(Holder::Never);
            }
            let mut from = 0;
            loop {
                let out = &scratch.closing.labels_out[first as usize / 64..];
                let Some(other) = next_without(needed, from, out) else {
                    break;
                };
                let group = self.group_of_label(first + other);
                if may_be_in(self, group, scratch) {
                    let how = (number, other + 1);
                    return Some(Holder::Group { how, group });
                }
                from = other + 1;
            }
        }
        None
    }

    /// The labels that come before a component offers one of its labels.
    #[inline]
    pub(super) fn needed<'a>(
        &'a self,
        component: usize,
        label: u32,
        scratch: &PartialOrderScratch,
    ) -> Option<&'a [u64]> {
        self.components[component].needed(scratch.needs[component], label)
    }
}
